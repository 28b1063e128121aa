// scatter and scatter_add: what is at the places that an index chooses along a dim becomes src, or is combined with it.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/copy.h"
#include "core/element_size.h"
#include "core/index_call.h"
#include "core/overlap.h"
#include "core/resolve.h"

namespace axiscast {
namespace {

// scatter's attributes behind those that it shares with gather.
constexpr std::size_t kReduceAttribute = 3, kIncludeSelfAttribute = 4;
enum class Reduce { kAssign, kAdd, kMultiply, kMean, kMinimum, kMaximum };  // by position in the attribute's names

Reduce ReduceOf(const FormCall& call) {
  if (call.request.op.info().attribute_count <= static_cast<int>(kReduceAttribute)) return Reduce::kAdd;  // scatter_add
  return static_cast<Reduce>(call.attributes[kReduceAttribute].integer);
}
bool IncludesSelf(const FormCall& call) {
  return call.request.op.info().attribute_count <= static_cast<int>(kIncludeSelfAttribute) ||
         call.attributes[kIncludeSelfAttribute].integer != 0;
}

Reduction ReductionOf(Reduce reduce) {
  switch (reduce) {
    case Reduce::kMultiply:
      return Reduction::kMultiply;
    case Reduce::kMinimum:
      return Reduction::kMinimum;
    case Reduce::kMaximum:
      return Reduction::kMaximum;
    default:
      return Reduction::kAdd;  // mean: divided when all is added up
  }
}

bool IsHalf(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }
// What values are combined in.
DType ComputedDType(DType dtype) { return IsHalf(dtype) ? DType::kFloat32 : dtype; }
// Whether they are combined in scratch, not in the output.
bool UsesSums(Reduce reduce, DType dtype) {
  return reduce == Reduce::kMean || (reduce != Reduce::kAssign && ComputedDType(dtype) != dtype);
}

// The value that changes nothing: 0 (-0 where there is one, which keeps the sign of zeros), 1, the highest or the lowest.
template <typename T>
T IdentityOf(Reduction reduction) {
  using Limits = std::numeric_limits<T>;
  switch (reduction) {
    case Reduction::kMultiply:
      return T{1};
    case Reduction::kMinimum:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case Reduction::kMaximum:
      if constexpr (Limits::has_infinity) return -Limits::infinity();  // clang 19 compiles this for halves too, which have no minus
      return Limits::lowest();
    case Reduction::kAdd:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) return -T{0};
  return T{0};
}
void WriteIdentity(DType dtype, Reduction reduction, std::byte* to) {
  switch (dtype) {
#define AXISCAST_CASE(enumerator, name, type, kind)      \
  case DType::enumerator:                                \
    if constexpr (std::is_arithmetic_v<type>) {          \
      const type identity = IdentityOf<type>(reduction); \
      std::memcpy(to, &identity, sizeof(identity));      \
    }                                                    \
    return;
    AXISCAST_FOR_EACH_DTYPE(AXISCAST_CASE)
#undef AXISCAST_CASE
  }
}

// Scratch of more bytes than there are addresses: asking for it fails.
constexpr std::int64_t kNoSuchMemory = std::numeric_limits<std::int64_t>::max();

std::int64_t ScratchBytes(const Shape& shape, DType dtype) {
  std::int64_t bytes = 0;
  (void)CountElements(shape, &bytes);  // the shape has been looked at
  return __builtin_mul_overflow(bytes, SizeInBytes(dtype), &bytes) ? kNoSuchMemory : bytes;
}

// Dense scratch with an element for each of out's, in the order of its memory. Where it could not exist, its strides do not matter.
TensorView ScratchLike(const MutableTensorView& out, DType dtype, std::int64_t bytes) {
  const int rank = out.shape.rank();
  int order[kMaxRank];
  const auto distance = [&out](int d) { return out.shape[d] == 1 ? 0 : std::abs(out.byte_strides[d]); };
  for (int d = 0; d < rank; ++d) order[d] = d;
  std::stable_sort(order, order + rank, [&distance](int x, int y) { return distance(x) < distance(y); });
  ByteStrides strides = out.byte_strides;
  std::int64_t stride = bytes == kNoSuchMemory ? 0 : SizeInBytes(dtype);
  for (int i = 0; i < rank; ++i) {
    strides[order[i]] = stride;
    stride *= out.shape[order[i]];
  }
  return TensorView(nullptr, dtype, out.shape, strides);
}

class ScatterRoutine final : public Routine {
 public:
  // `copy` brings self to the output; null in place.
  ScatterRoutine(IndexCall call, std::shared_ptr<const Plan::Impl> copy, std::string caller, Reduce reduce, bool include_self)
      : call_(std::move(call)), copy_(std::move(copy)), caller_(std::move(caller)), one_(1), first_count_(include_self ? 1 : 0) {
    const DType dtype = call_.description.operands.back().dtype;
    MakePhases(dtype, reduce, include_self);
    if (call_.empty) return;
    if (UsesSums(reduce, dtype)) sums_bytes_ = ScratchBytes(call_.description.shape, ComputedDType(dtype));
    if (reduce == Reduce::kMean) counts_bytes_ = ScratchBytes(call_.description.shape, DType::kInt64);
  }

  Status Execute(const std::byte* const* inputs, std::byte* out, const ExecuteOptions& options) const noexcept override try {
    if (const Status status = call_.check.Run(*call_.kernels, inputs[1], options); !status.ok()) return status;
    // Only what is written to is ever touched of it.
    std::optional<HeapBlock> sums, counts;
    if (sums_bytes_ > 0) sums.emplace(sums_bytes_);
    if (counts_bytes_ > 0) counts.emplace(counts_bytes_);
    if ((sums && sums->data == nullptr) || (counts && counts->data == nullptr)) {
      return Status(StatusCode::kOutOfMemory, caller_ + ": there is no memory for sums of " + std::to_string(sums_bytes_) +
                                                  " bytes and counts of " + std::to_string(counts_bytes_));
    }
    if (copy_ != nullptr && inputs[0] != out) {
      const void* const self[] = {inputs[0]};
      if (const Status status = copy_->Execute(self, out, options); !status.ok()) return status;
    }
    if (call_.empty) return Status();
    std::byte* pointers[kNestOperands] = {};
    pointers[kNestIndex] = const_cast<std::byte*>(inputs[1]);  // inputs and constants are only read
    pointers[kNestX] = const_cast<std::byte*>(inputs[2]);
    pointers[kNestOut] = out;
    pointers[kNestSums] = sums ? sums->data : nullptr;
    pointers[kNestCounts] = counts ? counts->data : nullptr;
    pointers[kNestIdentity] = const_cast<std::byte*>(identity_);
    pointers[kNestOne] = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(&one_));
    pointers[kNestFirstCount] = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(&first_count_));
    call_.nest.Run(*call_.kernels, phases_, phase_count_, pointers, options);
    return Status();
  } catch (...) {
    return OutOfMemory(caller_.c_str());
  }

  void Describe(PlanDescription* description) const override { *description = call_.description; }

 private:
  void Add(IndexRowsFunction run, NestOperand x, NestOperand out, bool counts = false) {
    phases_[phase_count_++] = {run, x, out, counts};
  }

  void MakePhases(DType dtype, Reduce reduce, bool include_self) {
    const IndexKernels& kernels = *call_.kernels;
    const auto of = static_cast<std::size_t>(dtype);
    const auto moves = [&kernels](DType moved) { return kernels.scatter[std::countr_zero(SizeOf(moved))]; };
    if (reduce == Reduce::kAssign) return Add(dtype == DType::kBool ? kernels.scatter_bool : moves(dtype), kNestX, kNestOut);
    const Reduction reduction = ReductionOf(reduce);
    const DType computed = ComputedDType(dtype);
    const bool mean = reduce == Reduce::kMean;
    const bool uses_sums = UsesSums(reduce, dtype);
    const NestOperand combined = uses_sums ? kNestSums : kNestOut;
    WriteIdentity(computed, reduction, identity_);
    if (!include_self) {
      Add(moves(computed), kNestIdentity, combined);
    } else if (uses_sums) {
      Add(kernels.load[of], kNestOut, kNestSums);
    }
    if (mean) {
      Add(moves(DType::kInt64), kNestFirstCount, kNestCounts);
      Add(kernels.reduce[static_cast<std::size_t>(Reduction::kAdd)][static_cast<std::size_t>(DType::kInt64)], kNestOne,
          kNestCounts);
    }
    Add(kernels.reduce[static_cast<std::size_t>(reduction)][of], kNestX, combined);
    if (uses_sums) Add(kernels.store[of], kNestSums, kNestOut, mean);
  }

  const IndexCall call_;
  const std::shared_ptr<const Plan::Impl> copy_;
  const std::string caller_;
  NestPhase phases_[5];
  int phase_count_ = 0;
  std::int64_t sums_bytes_ = 0, counts_bytes_ = 0;
  std::byte identity_[8] = {};
  const std::int64_t one_, first_count_;
};

Status Resolve(const FormCall& call, IndexShapes* shapes) {
  if (const Status status = ResolveScatter(call, shapes); !status.ok()) return status;
  const Reduce reduce = ReduceOf(call);
  if (reduce == Reduce::kAssign || call.signature.output != DType::kBool) return Status();
  const std::string name = SplitWords(call.request.op.info().attributes[kReduceAttribute].names)[static_cast<std::size_t>(reduce)];
  return Status(StatusCode::kUnsupportedDType, std::string(call.request.caller()) + ": reduce " + name +
                                                   " is offered for ints and floats, bool is only assigned; got " +
                                                   NameOf(call.signature.output));
}

Status InferScatter(const FormCall& call, Shape* shape) {
  IndexShapes shapes;
  if (const Status status = Resolve(call, &shapes); !status.ok()) return status;
  *shape = shapes.result;
  return Status();
}

Status PlanScatter(const FormCall& call, const MutableTensorView& out, bool in_place, std::shared_ptr<const Plan::Impl>* impl) {
  IndexShapes shapes;
  if (const Status status = Resolve(call, &shapes); !status.ok()) return status;
  const char* const out_name = in_place ? call.request.names()[0] : "out";
  if (const Status status = CheckOutShape(call.request, shapes.result, out_name, out.shape); !status.ok()) return status;
  RoutineCall routine = OperandsOf(call, out, out_name);
  routine.may_be_out = 1;  // self
  if (HaveReaches(routine)) {
    std::vector<bool> ordered;
    for (int d = 0; d < shapes.visited.rank(); ++d)
      ordered.push_back(d == shapes.dim || (d < out.shape.rank() && out.shape[d] == 1));
    const Reduce reduce = ReduceOf(call);
    std::vector<NestView> views = {{kNestX, *call.request.inputs[2], false}, {kNestOut, out, true}};
    const auto add_scratch = [&](NestOperand operand, DType dtype) {
      views.push_back({operand, ScratchLike(out, dtype, ScratchBytes(out.shape, dtype)), true});
    };
    if (UsesSums(reduce, out.dtype)) add_scratch(kNestSums, ComputedDType(out.dtype));
    if (reduce == Reduce::kMean) add_scratch(kNestCounts, DType::kInt64);
    std::shared_ptr<const Plan::Impl> copy;
    if (!in_place) {
      if (const Status status =
              PlanCopy(call, FacingStrides(call.request.inputs[0]->shape, call.request.inputs[0]->byte_strides, 0, out.shape),
                       "out", out, &copy);
          !status.ok())
        return status;
    }
    routine.routine = std::make_unique<ScatterRoutine>(MakeIndexCall(call, shapes, routine, views, ordered), std::move(copy),
                                                       call.request.caller(), reduce, IncludesSelf(call));
  }
  return MakeRoutinePlan(std::move(routine), call.request.op.entry().kernels->movers, call.request.caller(), impl);
}

std::vector<Kernel> ScatterSignatures() { return IndexSignatures(true); }
std::vector<Kernel> ScatterAddSignatures() {
  std::vector<Kernel> signatures = IndexSignatures(true);
  signatures.erase(std::remove_if(signatures.begin(), signatures.end(), [](const Kernel& k) { return k.output == DType::kBool; }),
                   signatures.end());
  return signatures;
}

constexpr ForeignName kForeignOfScatter[] = {
    {"put_along_axis", "with dim, mode=same_rank and wrap_negative=true"},
    {"ScatterElements scatter_elements Scatter", "with dim, mode=prefix and wrap_negative=true"},
    {"scatter_", "with dim and mode=prefix, in place"},
    {"scatter_reduce scatter_reduce_", "with dim, mode=prefix, reduce and include_self; sum is reduce=add, prod is reduce=mul"},
};
constexpr ForeignName kForeignOfScatterAdd[] = {
    {"scatter_add_", "with dim and mode=prefix, in place"},
    {"index_add index_add_", kWholeSlices},
};

}  // namespace

const Form kScatterForm = {
    {.name = "scatter",
     .arity = 3,
     .doc = "out = self; out[..., index[..., i, ...], ...] = src[..., i, ...] along dim",
     .special = "Modes and alignment as gather's; src has the rank of self or is 0-d. Where an index occurs again the last one "
                "wins; with a "
                "reduction all are combined, in increasing position: mean of ints truncates, amin and amax give NaN where there is "
                "one. Of "
                "the 16-bit floats each result is rounded once. bool is only assigned.",
     .source = "PyTorch scatter and scatter_reduce, NumPy put_along_axis, Paddle put_along_axis, ONNX ScatterElements",
     .operands = "self index src",
     .attributes = {kDimAttributeInfo,
                    kModeAttributeInfo,
                    kWrapNegativeAttributeInfo,
                    {.name = "reduce",
                     .doc = "how values that meet are combined",
                     .absent = AttributeDefault::kValue,
                     .type = AttributeType::kName,
                     .names = "assign add mul mean amin amax"},
                    {.name = "include_self",
                     .doc = "whether a reduction begins with the value of self",
                     .absent = AttributeDefault::kValue,
                     .value = 1,
                     .type = AttributeType::kBool}},
     .attribute_count = 5},
    &ScatterSignatures,
    &InferScatter,
    &PlanScatter,
    kForeignOfScatter,
};

const Form kScatterAddForm = {
    {.name = "scatter_add",
     .arity = 3,
     .doc = "out = self; out[..., index[..., i, ...], ...] += src[..., i, ...] along dim",
     .special = "scatter with reduce add: in increasing position; integers wrap; of the 16-bit floats each sum is rounded once. "
                "The gradient of self is the result's, that of src is gather of it.",
     .source = "PyTorch scatter_add, NumPy add.at",
     .operands = "self index src",
     .attributes = {kDimAttributeInfo, kModeAttributeInfo, kWrapNegativeAttributeInfo},
     .attribute_count = 3},
    &ScatterAddSignatures,
    &InferScatter,
    &PlanScatter,
    kForeignOfScatterAdd,
};

}  // namespace axiscast
