// Shapes of gather and scatter; see index_shapes.h.
#include "core/index_shapes.h"

#include <initializer_list>

#include "core/resolve.h"

namespace axiscast {
namespace {

// A dim of an operand as messages have it.
struct NamedDim {
  const char* name;
  std::int64_t extent;
};

class Resolver {
 public:
  explicit Resolver(const FormCall& call) : call_(call), request_(call.request) {
    for (std::size_t i = 0; i < request_.count; ++i) shapes_[i] = AtLeast1d(request_.inputs[i]->shape);
  }

  Status Gather(IndexShapes* result) {
    if (const Status status = Begin(); !status.ok()) return status;
    result->dim = dim_;
    result->visited = Shape();
    for (int i = 0; i < rank(); ++i) result->visited.push_back(1);
    for (int i = rank() - 1; i >= 0; --i) {
      std::int64_t& extent = result->visited[i];
      if (i == dim_ || mode() == IndexMode::kPrefix) {
        extent = IndexExtent(i);
        if (i == dim_ || extent <= shapes_[0][i]) continue;
        return Longer({Name(1), extent}, {Name(0), shapes_[0][i]}, i);
      }
      if (const Status status = Broadcast({Named(0, i), Named(1, i)}, i, &extent); !status.ok()) return status;
    }
    // Nothing stretches a prefix: there the index is all of the result.
    const bool scalar = request_.inputs[1]->shape.rank() == 0 && (mode() == IndexMode::kPrefix || IsScalar(0));
    result->result = scalar ? Shape() : result->visited;
    return CheckElements(result->visited);
  }

  Status Scatter(IndexShapes* result) {
    if (const Status status = Begin(); !status.ok()) return status;
    const int source_rank = request_.inputs[2]->shape.rank();
    if (source_rank != 0 && source_rank != rank()) {
      return Refuse(StatusCode::kInvalidShape, std::string(Name(2)) + " must be 0-d or have the rank of " + Name(0) +
                                                   "; got rank " + std::to_string(source_rank) + " for rank " +
                                                   std::to_string(rank()));
    }
    result->dim = dim_;
    result->visited = Shape();
    for (int i = 0; i < rank(); ++i) result->visited.push_back(1);
    for (int i = rank() - 1; i >= 0; --i) {
      if (const Status status = ScatterExtent(i, &result->visited[i]); !status.ok()) return status;
    }
    result->result = mode() == IndexMode::kBroadcast ? result->visited : shapes_[0];
    result->result[dim_] = shapes_[0][dim_];
    if (IsScalar(0)) result->result = Shape();  // its one dim is dim: nothing stretches it
    if (const Status status = CheckElements(result->visited); !status.ok()) return status;
    return CheckElements(result->result);
  }

 private:
  const char* Name(int operand) const { return request_.names()[operand]; }
  bool IsScalar(int operand) const { return request_.inputs[operand]->shape.rank() == 0; }
  int rank() const { return shapes_[0].rank(); }
  IndexMode mode() const { return static_cast<IndexMode>(call_.attributes[kModeAttribute].integer); }
  std::int64_t IndexExtent(int i) const { return i < shapes_[1].rank() ? shapes_[1][i] : 1; }
  NamedDim Named(int operand, int i) const {
    return {Name(operand), operand == 1 ? IndexExtent(i) : IsScalar(operand) ? 1 : shapes_[operand][i]};
  }

  Status Refuse(StatusCode code, const std::string& what) const {
    return Status(code, std::string(request_.caller()) + ": " + what + " " + IndexFactsOf(call_));
  }

  // Everything about a call but its extents.
  Status Begin() {
    if (const Status status = CheckNoAxis(request_); !status.ok()) return status;
    for (std::size_t i = 0; i < request_.count; ++i) {
      // As a call of this shape alone would be refused.
      const char* const names[] = {Name(static_cast<int>(i))};
      ResolveOptions options;
      options.caller = request_.caller();
      options.names = names;
      Shape same;
      int first;
      if (const Status status = Resolve(&request_.inputs[i]->shape, 1, options, {}, &same, &first); !status.ok()) return status;
    }
    const int index_rank = shapes_[1].rank();
    if (mode() == IndexMode::kBroadcast ? index_rank > rank() : index_rank != rank()) {
      return Refuse(StatusCode::kInvalidShape,
                    std::string(Name(1)) +
                        (mode() == IndexMode::kBroadcast ? " must not have more dims than " : " must have as many dims as ") +
                        Name(0) + "; got " + std::to_string(index_rank) + " and " + std::to_string(rank()));
    }
    const std::int64_t dim = call_.attributes[kDimAttribute].integer;
    if (dim < -index_rank || dim >= index_rank) {
      return Refuse(StatusCode::kOutOfRange, "dim must be from " + std::to_string(-index_rank) + " to " +
                                                 std::to_string(index_rank - 1) + ", by the rank of " + Name(1) + "; got " +
                                                 std::to_string(dim));
    }
    dim_ = static_cast<int>(dim < 0 ? dim + index_rank : dim);
    return Status();
  }

  // Extents that face each other in dim i: equal or 1.
  Status Broadcast(std::initializer_list<NamedDim> facing, int i, std::int64_t* extent) const {
    const NamedDim* decider = facing.begin();
    for (const NamedDim& dim : facing) {
      if (dim.extent == 1 || dim.extent == decider->extent) continue;
      if (decider->extent != 1) {
        return Refuse(StatusCode::kInvalidShape,
                      "dimensions must be equal or 1" + OffDim(i) + "; got " + ToText(*decider, i) + " and " + ToText(dim, i));
      }
      decider = &dim;
    }
    *extent = decider->extent;
    return Status();
  }
  std::string OffDim(int i) const { return i == dim_ ? "" : " but along dim " + std::to_string(dim_); }
  static std::string ToText(const NamedDim& dim, int i) {
    return std::string(dim.name) + "[" + std::to_string(i) + "] = " + std::to_string(dim.extent);
  }
  Status Longer(const NamedDim& longer, const NamedDim& shorter, int i) const {
    return Refuse(StatusCode::kInvalidShape, std::string(longer.name) + " must not be longer than " + shorter.name +
                                                 (shorter.name == Name(0) ? OffDim(i) : "") + "; got " + ToText(longer, i) +
                                                 " and " + ToText(shorter, i));
  }

  Status ScatterExtent(int i, std::int64_t* extent) const {
    if (mode() == IndexMode::kPrefix) {
      *extent = IndexExtent(i);
      if (i != dim_ && *extent > shapes_[0][i]) return Longer(Named(1, i), Named(0, i), i);
      if (!IsScalar(2) && *extent > shapes_[2][i]) return Longer(Named(1, i), Named(2, i), i);
      return Status();
    }
    if (mode() == IndexMode::kBroadcast) {
      if (i == dim_) return Broadcast({Named(1, i), Named(2, i)}, i, extent);
      return Broadcast({Named(0, i), Named(1, i), Named(2, i)}, i, extent);
    }
    *extent = IndexExtent(i);
    if (i != dim_) {
      if (const Status status = Broadcast({Named(0, i), Named(1, i)}, i, extent); !status.ok()) return status;
    }
    const std::int64_t source = Named(2, i).extent;
    if (source == 1 || source == *extent) return Status();
    return Refuse(StatusCode::kInvalidShape, std::string(Name(2)) +
                                                 " must be 1 or as long as the positions that are written; got " +
                                                 ToText(Named(2, i), i) + " for " + std::to_string(*extent));
  }

  Status CheckElements(const Shape& shape) const {
    std::int64_t elements;
    if (CountElements(shape, &elements)) return Status();
    return Refuse(StatusCode::kInvalidShape, "the number of elements must be less than 2^63; got " + ListOf(shape));
  }

  const FormCall& call_;
  const Request& request_;
  Shape shapes_[kMaxArity];
  int dim_ = 0;
};

}  // namespace

Status ResolveGather(const FormCall& call, IndexShapes* shapes) { return Resolver(call).Gather(shapes); }
Status ResolveScatter(const FormCall& call, IndexShapes* shapes) { return Resolver(call).Scatter(shapes); }

std::string IndexFactsOf(const FormCall& call) {
  std::string text = FactsOf(call.request);
  text.pop_back();
  return text + ", dim " + std::to_string(call.attributes[kDimAttribute].integer) + ")";
}

Shape AtLeast1d(const Shape& shape) { return shape.given_rank() == 0 ? Shape{1} : shape; }

std::vector<Kernel> IndexSignatures(bool has_source) {
  std::vector<Kernel> signatures;
  for (const DTypeRow& row : kDTypes) {
    for (const DType index : {DType::kInt32, DType::kInt64}) {
      signatures.push_back(has_source ? Signature({row.dtype, index, row.dtype}, row.dtype)
                                      : Signature({row.dtype, index}, row.dtype));
    }
  }
  return signatures;
}

}  // namespace axiscast
