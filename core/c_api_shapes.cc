// The C API's shapes without data: known extents, and extents that are not known yet.
#include <array>
#include <charconv>
#include <string>
#include <type_traits>
#include <vector>

#include "axiscast/infer.h"
#include "core/c_api.h"

namespace axiscast::c {
namespace {

// "u2" to "u256": what -2 and so on are called.
constexpr int kNamedUnknowns = -AXISCAST_LOWEST_UNKNOWN + 1;
struct UnknownText {
  char text[5];
};
constexpr auto kUnknownNames = [] {
  std::array<UnknownText, kNamedUnknowns> names{};
  for (int i = 0; i < kNamedUnknowns; ++i) {
    char* at = names[static_cast<std::size_t>(i)].text;
    *at++ = 'u';
    if (i >= 100) *at++ = static_cast<char>('0' + i / 100);
    if (i >= 10) *at++ = static_cast<char>('0' + i / 10 % 10);
    *at = static_cast<char>('0' + i % 10);
  }
  return names;
}();

std::int64_t ToExtent(const SymbolicDim& dim) {
  if (dim.known()) return dim.extent();
  if (dim.name().empty()) return AXISCAST_UNKNOWN;
  std::int64_t number = 0;
  std::from_chars(dim.name().data() + 1, dim.name().data() + dim.name().size(), number);
  return -number;
}

Status ToSymbolic(const char* function, std::int64_t index, const Shape& extents, SymbolicShape* shape) {
  *shape = SymbolicShape();
  for (const std::int64_t extent : extents) {
    if (extent >= 0) {
      shape->push_back(extent);
    } else if (extent == AXISCAST_UNKNOWN) {
      shape->push_back(SymbolicDim());
    } else if (extent >= AXISCAST_LOWEST_UNKNOWN) {
      shape->push_back(SymbolicDim(kUnknownNames[static_cast<std::size_t>(-extent)].text));
    } else {
      return Invalid(function, "an extent of operand " + std::to_string(index) + " must be " +
                                   std::to_string(AXISCAST_LOWEST_UNKNOWN) + " or more; got " + std::to_string(extent));
    }
  }
  return Status();
}

// The shapes of a call, on the stack where they are no more than any op takes.
template <typename AnyShape>
class Shapes {
 public:
  Status Read(const char* function, const axiscast_tensor* operands, std::int64_t count) {
    if (operands == nullptr) return IsNull(function, "the array of operands");
    if (count < 1) return Invalid(function, "the number of operands must be 1 or more; got " + std::to_string(count));
    for (std::int64_t i = 0; i < count; ++i) {
      axiscast_tensor tensor;
      if (Status status = ReadElement(function, operands, i, &tensor); !status.ok()) return status;
      Shape shape;
      if (Status status = ReadShape(function, i, tensor, &shape); !status.ok()) return status;
      AnyShape converted;
      if constexpr (std::is_same_v<AnyShape, Shape>) {
        converted = shape;
      } else if (Status status = ToSymbolic(function, i, shape, &converted); !status.ok()) {
        return status;
      }
      if (i < kMaxArity) few_[i] = converted;
      if (i == kMaxArity) many_.assign(few_, few_ + kMaxArity);
      if (i >= kMaxArity) many_.push_back(converted);
    }
    count_ = static_cast<std::size_t>(count);
    return Status();
  }
  const AnyShape* data() const { return many_.empty() ? few_ : many_.data(); }
  std::size_t count() const { return count_; }

 private:
  AnyShape few_[kMaxArity];
  std::vector<AnyShape> many_;
  std::size_t count_ = 0;
};

Status ReadResolveOptions(const char* function, const axiscast_options* given, CallOptions* known, ResolveOptions* options) {
  if (Status status = ReadOptions(function, given, known); !status.ok()) return status;
  *options = {known->mode, known->axis, known->caller, known->names, {}};
  return Status();
}

using InferFunction = Status (*)(const SymbolicShape*, std::size_t, const ResolveOptions&, SymbolicShape*) noexcept;

Status Infer(const char* function, InferFunction infer, const axiscast_tensor* operands, std::int64_t count,
             const axiscast_options* given, std::int64_t* extents, std::int32_t capacity, std::int32_t* rank) {
  if (rank == nullptr) return IsNull(function, "the pointer to the rank");
  CallOptions known;
  ResolveOptions options;
  if (Status status = ReadResolveOptions(function, given, &known, &options); !status.ok()) return status;
  Shapes<SymbolicShape> shapes;
  if (Status status = shapes.Read(function, operands, count); !status.ok()) return status;
  SymbolicShape result;
  if (Status status = infer(shapes.data(), shapes.count(), options, &result); !status.ok()) return status;
  Shape shape;
  for (int i = 0; i < result.rank(); ++i) shape.push_back(ToExtent(result[i]));
  return WriteShape(function, shape, extents, capacity, rank);
}

}  // namespace

Status WriteShape(const char* function, const Shape& shape, std::int64_t* extents, std::int32_t capacity, std::int32_t* rank) {
  *rank = shape.rank();
  if (capacity < shape.rank()) {
    return Invalid(function, "the capacity of the extents must be the rank " + std::to_string(shape.rank()) + " or more; got " +
                                 std::to_string(capacity));
  }
  if (shape.rank() > 0 && extents == nullptr) return IsNull(function, "the pointer to the extents");
  for (int i = 0; i < shape.rank(); ++i) extents[i] = shape[i];
  return Status();
}

}  // namespace axiscast::c

using namespace axiscast;     // NOLINT: what follows is C's
using namespace axiscast::c;  // NOLINT

int32_t axiscast_resolve_shape(const axiscast_tensor* operands, int64_t count, const axiscast_options* options, int64_t* extents,
                               int32_t capacity, int32_t* rank) {
  return Call(__func__, [=, function = __func__] {
    if (rank == nullptr) return IsNull(function, "the pointer to the rank");
    CallOptions known;
    ResolveOptions resolve_options;
    if (Status status = ReadResolveOptions(function, options, &known, &resolve_options); !status.ok()) return status;
    Shapes<Shape> shapes;
    if (Status status = shapes.Read(function, operands, count); !status.ok()) return status;
    Shape result;
    if (Status status = ResolveShape(shapes.data(), shapes.count(), resolve_options, &result); !status.ok()) return status;
    return WriteShape(function, result, extents, capacity, rank);
  });
}

int32_t axiscast_resolve_in_place(const axiscast_tensor* operands, int64_t count, const axiscast_options* options) {
  return Call(__func__, [=, function = __func__] {
    CallOptions known;
    ResolveOptions resolve_options;
    if (Status status = ReadResolveOptions(function, options, &known, &resolve_options); !status.ok()) return status;
    Shapes<Shape> shapes;
    if (Status status = shapes.Read(function, operands, count); !status.ok()) return status;
    return ResolveInPlace(shapes.data(), shapes.count(), resolve_options);
  });
}

int32_t axiscast_infer_shape(const axiscast_tensor* operands, int64_t count, const axiscast_options* options, int64_t* extents,
                             int32_t capacity, int32_t* rank) {
  return Call(__func__,
              [=, function = __func__] { return Infer(function, &InferShape, operands, count, options, extents, capacity, rank); });
}

int32_t axiscast_infer_in_place(const axiscast_tensor* operands, int64_t count, const axiscast_options* options, int64_t* extents,
                                int32_t capacity, int32_t* rank) {
  return Call(__func__, [=, function = __func__] {
    return Infer(function, &InferInPlace, operands, count, options, extents, capacity, rank);
  });
}

int32_t axiscast_infer_output(const axiscast_op* op, const axiscast_tensor* inputs, int64_t count, const axiscast_options* options,
                              int64_t* extents, int32_t capacity, int32_t* rank, int32_t* dtype) {
  return Call(__func__, [=, function = __func__] {
    if (op == nullptr) return IsNull(function, "the op");
    if (rank == nullptr || dtype == nullptr) return IsNull(function, "the pointer to the rank or the dtype");
    Operands operands;
    if (Status status = ReadOperands(function, inputs, count, &operands); !status.ok()) return status;
    CallOptions known;
    if (Status status = ReadOptions(function, options, &known); !status.ok()) return status;
    Shape shape;
    DType output;
    if (Status status = InferOutput(FromHandle(op), operands.views, operands.count, known, &shape, &output); !status.ok())
      return status;
    if (Status status = WriteShape(function, shape, extents, capacity, rank); !status.ok()) return status;
    *dtype = static_cast<int32_t>(output);
    return Status();
  });
}
