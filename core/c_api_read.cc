// C's views and options as C++'s. What cannot be one is refused here: null pointers, ranks, numbers that no enum has.
#include <iterator>
#include <optional>
#include <string>

#include "core/c_api.h"

namespace axiscast::c {
namespace {

static_assert(AXISCAST_MAX_RANK == kMaxRank && AXISCAST_MAX_ARITY == kMaxArity);
static_assert(AXISCAST_VALUE_DOUBLE == static_cast<int>(Attribute::Kind::kDouble));
static_assert(AXISCAST_VALUE_INT64 == static_cast<int>(Attribute::Kind::kInt64));
static_assert(AXISCAST_VALUE_UINT64 == static_cast<int>(Attribute::Kind::kUInt64));
static_assert(AXISCAST_VALUE_TEXT == static_cast<int>(Attribute::Kind::kName));
static_assert(AXISCAST_VALUE_SHAPE == static_cast<int>(Attribute::Kind::kShape));
static_assert(AXISCAST_STORES_AUTO == static_cast<int>(StorePolicy::kAuto));
static_assert(AXISCAST_STORES_CACHED == static_cast<int>(StorePolicy::kCached));
static_assert(AXISCAST_STORES_STREAM == static_cast<int>(StorePolicy::kStream));

constexpr const char* kOperandNames[] = {"operand 0", "operand 1", "operand 2", "operand 3"};
static_assert(std::size(kOperandNames) == kMaxArity);

// The sizes of version 1.
constexpr std::size_t kTensorSize = 40, kAttributeSize = 32, kOptionsSize = 56, kExecuteOptionsSize = 32;

// Element `index` of an array whose elements have the size that the first one says.
template <typename Struct>
Status ReadOf(const char* function, const char* what, const Struct* array, std::int64_t index, std::size_t first, Struct* known) {
  if (index == 0) return Read(function, what, array, first, known);
  std::size_t size, own_size;
  std::memcpy(&size, array, sizeof(size));
  if (!IsStructSize(size, sizeof(Struct), first, alignof(Struct))) return WrongStructSize(function, what, size, sizeof(Struct));
  const unsigned char* const element = reinterpret_cast<const unsigned char*>(array) + static_cast<std::size_t>(index) * size;
  std::memcpy(&own_size, element, sizeof(own_size));
  if (own_size == size) return Read(function, what, element, first, known);
  return Invalid(function, std::string("all of ") + what + " must have one struct_size; got " + std::to_string(size) + " and " +
                               std::to_string(own_size));
}

bool IsDType(std::int32_t dtype) { return dtype >= 0 && static_cast<std::size_t>(dtype) < kDTypeCount; }

// One that C has: none of a pattern.
bool IsMode(std::int32_t mode) {
  return mode >= 0 && static_cast<std::size_t>(mode) <= kModeCount && mode != AXISCAST_MODE_PATTERN;
}

std::optional<Mode> ModeOf(const axiscast_options& options) {
  return options.mode != AXISCAST_MODE_DEFAULT ? std::optional(static_cast<Mode>(options.mode - 1)) : std::nullopt;
}
std::optional<std::int64_t> AxisOf(const axiscast_options& options) {
  return options.has_axis != 0 ? std::optional(options.axis) : std::nullopt;
}

bool IsShape(std::int32_t rank, const std::int64_t* extents) {
  return rank >= 0 && rank <= kMaxRank && (rank == 0 || extents != nullptr);
}

Status NoShape(const char* function, const std::string& what, std::int32_t rank) {
  if (rank >= 0 && rank <= kMaxRank)
    return Invalid(function, "the shape of " + what + " is null, and its rank " + std::to_string(rank));
  return Invalid(function, "the rank of " + what + " must be 0 to " + std::to_string(kMaxRank) + "; got " + std::to_string(rank));
}

// Value by value: gcc makes `rep movs` of the loop in Dims' constructor, which takes longer for the few values that there are.
void Fill(const std::int64_t* values, std::int32_t rank, Dims* dims) {
  *dims = Dims();
  for (std::int32_t i = 0; i < rank; ++i) dims->push_back(values[i]);
}

template <typename View>
Status ReadView(const char* function, const char* what, const axiscast_tensor& tensor, View* view) {
  if (!IsShape(tensor.rank, tensor.shape)) return NoShape(function, what, tensor.rank);
  if (!IsDType(tensor.dtype)) return NotInEnum(function, std::string("the dtype of ") + what, tensor.dtype, kDTypeCount);
  view->data = tensor.data;
  view->dtype = static_cast<DType>(tensor.dtype);
  Fill(tensor.shape, tensor.rank, &view->shape);
  if (tensor.byte_strides != nullptr) {
    Fill(tensor.byte_strides, tensor.rank, &view->byte_strides);
  } else {
    view->byte_strides = DenseStrides(view->shape, view->dtype);
  }
  return Status();
}

Status ReadAttribute(const char* function, const axiscast_attribute& given, std::vector<Attribute>* attributes) {
  if (given.name == nullptr) return IsNull(function, "the name of an attribute");
  const auto what = [&given] { return std::string("attribute ") + given.name; };  // on errors alone: it may allocate
  switch (given.kind) {
    case AXISCAST_VALUE_DOUBLE:
      attributes->emplace_back(given.name, given.value.number);
      return Status();
    case AXISCAST_VALUE_INT64:
      attributes->emplace_back(given.name, given.value.integer);
      return Status();
    case AXISCAST_VALUE_UINT64:
      attributes->emplace_back(given.name, given.value.natural);
      return Status();
    case AXISCAST_VALUE_TEXT:
      attributes->emplace_back(given.name, given.value.text);
      return Status();
    case AXISCAST_VALUE_SHAPE:
      if (!IsShape(given.rank, given.value.shape)) return NoShape(function, what(), given.rank);
      attributes->emplace_back(given.name, Shape(given.value.shape, given.rank));
      return Status();
    default:
      return NotInEnum(function, "the kind of " + what(), given.kind, AXISCAST_VALUE_SHAPE + 1);
  }
}

Status ReadCount(const char* function, const char* what, const void* array, std::int64_t count) {
  if (count < 0)
    return Invalid(function, std::string("the number of ") + what + " must be 0 or more; got " + std::to_string(count));
  if (count > 0 && array == nullptr) return IsNull(function, (std::string("the array of ") + what).c_str());
  return Status();
}

}  // namespace

Status ReadElement(const char* function, const axiscast_tensor* array, std::int64_t index, axiscast_tensor* known) {
  return ReadOf(function, "the operands", array, index, kTensorSize, known);
}

Status ReadShape(const char* function, std::int64_t index, const axiscast_tensor& tensor, Shape* shape) {
  if (!IsShape(tensor.rank, tensor.shape)) return NoShape(function, "operand " + std::to_string(index), tensor.rank);
  *shape = Shape(tensor.shape, tensor.rank);
  return Status();
}

Status ReadTensor(const char* function, const char* what, const axiscast_tensor* given, MutableTensorView* view) {
  if (given == nullptr) return IsNull(function, what);
  axiscast_tensor known;
  if (Status status = Read(function, what, given, kTensorSize, &known); !status.ok()) return status;
  return ReadView(function, what, known, view);
}

Status ReadOperands(const char* function, const axiscast_tensor* given, std::int64_t count, Operands* operands) {
  if (Status status = ReadCount(function, "operands", given, count); !status.ok()) return status;
  operands->count = static_cast<std::size_t>(count);
  for (std::int64_t i = 0; i < count && i < kMaxArity; ++i) {
    axiscast_tensor known;
    if (Status status = ReadElement(function, given, i, &known); !status.ok()) return status;
    if (Status status = ReadView(function, kOperandNames[i], known, &operands->views[i]); !status.ok()) return status;
  }
  return Status();
}

Status ReadOperands(const char* function, const axiscast_tensor* given, std::int64_t count, std::int64_t taken,
                    std::vector<TensorView>* views) {
  if (Status status = ReadCount(function, "operands", given, count); !status.ok()) return status;
  for (std::int64_t i = 0; i < count && i < taken; ++i) {
    axiscast_tensor known;
    if (Status status = ReadElement(function, given, i, &known); !status.ok()) return status;
    const std::string name = "operand " + std::to_string(i);
    if (Status status = ReadView(function, name.c_str(), known, &views->emplace_back()); !status.ok()) return status;
  }
  return Status();
}

CallOptions::~CallOptions() {
  if (attributes.capacity() != 0) GiveBackAttributes(&attributes);
}

Status ReadOptions(const char* function, const axiscast_options* given, CallOptions* options) {
  if (given == nullptr) return Status();
  axiscast_options known;
  if (Status status = Read(function, "the options", given, kOptionsSize, &known); !status.ok()) return status;
  if (known.mode == AXISCAST_MODE_PATTERN)
    return Invalid(function, "mode pattern is for patterns that C++ declares (PlanOptions::patterns); there are none in C");
  if (!IsMode(known.mode)) return NotInEnum(function, "the mode", known.mode, static_cast<std::int64_t>(kModeCount) + 1);
  options->mode = ModeOf(known);
  options->axis = AxisOf(known);
  options->caller = known.caller;
  options->names = known.names;
  if (Status status = ReadCount(function, "attributes", known.attributes, known.attribute_count); !status.ok()) return status;
  if (known.attribute_count == 0) return Status();
  if (known.attribute_count > kMaxAttributes) {
    return Invalid(function, "an op has at most " + std::to_string(kMaxAttributes) + " attributes; got " +
                                 std::to_string(known.attribute_count));
  }
  TakeAttributes(&options->attributes);
  options->attributes.reserve(kMaxAttributes);
  for (std::int64_t i = 0; i < known.attribute_count; ++i) {
    axiscast_attribute attribute;
    if (Status status = ReadOf(function, "the attributes", known.attributes, i, kAttributeSize, &attribute); !status.ok())
      return status;
    if (Status status = ReadAttribute(function, attribute, &options->attributes); !status.ok()) return status;
  }
  return Status();
}

Status ReadExecuteOptions(const char* function, const axiscast_execute_options* given, ExecuteOptions* options) {
  if (IsInOrder(given, options)) return Status();
  axiscast_execute_options known;
  if (Status status = Read(function, "the execute options", given, kExecuteOptionsSize, &known); !status.ok()) return status;
  if (known.max_threads < 0) return Invalid(function, "max_threads must be 0 or more; got " + std::to_string(known.max_threads));
  if (known.stores < 0 || known.stores > AXISCAST_STORES_STREAM)
    return NotInEnum(function, "stores", known.stores, AXISCAST_STORES_STREAM + 1);
  *options = {known.max_threads, known.pool, known.task_arena, static_cast<StorePolicy>(known.stores)};
  return Status();
}

bool IsInOrder(const axiscast_execute_options* given, ExecuteOptions* options) noexcept {
  if (given == nullptr) return true;
  if (given->struct_size != sizeof(*given) || given->max_threads < 0 || given->stores < 0 ||
      given->stores > AXISCAST_STORES_STREAM) {
    return false;
  }
  *options = {given->max_threads, given->pool, given->task_arena, static_cast<StorePolicy>(given->stores)};
  return true;
}

bool MakeKey(const axiscast_op* op, const axiscast_tensor* const* operands, std::int64_t inputs, bool in_place,
             const axiscast_options* options, PlanKey* key) noexcept {
  if (op == nullptr) return false;
  std::optional<Mode> mode;
  std::optional<std::int64_t> axis;
  if (options != nullptr) {
    if (options->struct_size != sizeof(*options) || !IsMode(options->mode) || options->attribute_count != 0 ||
        options->caller != nullptr || options->names != nullptr) {
      return false;
    }
    mode = ModeOf(*options);
    axis = AxisOf(*options);
  }
  AddCall(FromHandle(op), in_place, static_cast<std::size_t>(inputs), mode, axis, 0, key);
  for (std::int64_t i = 0; i <= inputs; ++i) {
    const axiscast_tensor* const tensor = operands[i];
    if (tensor == nullptr || tensor->struct_size != sizeof(*tensor) || !IsShape(tensor->rank, tensor->shape) ||
        !IsDType(tensor->dtype)) {
      return false;
    }
    key->AddView(static_cast<DType>(tensor->dtype), tensor->rank, tensor->shape, tensor->byte_strides);
  }
  key->Finish();
  return key->valid();
}

}  // namespace axiscast::c
