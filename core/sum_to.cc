// sum_to: the adjoint of a broadcast. Sums over exactly the dims that a shape would be stretched along.
#include <bit>
#include <utility>

#include "core/element_size.h"
#include "core/form.h"
#include "core/overlap.h"
#include "core/registry.h"
#include "core/resolve.h"
#include "core/routine.h"
#include "core/sum_execute.h"

namespace axiscast {
namespace {

// Where the dims of the shape lie in x's.
Status ResolveShape(const FormCall& call, int* first) {
  const Request& request = call.request;
  if (const Status status = CheckNoMode(request); !status.ok()) return status;
  const Shape& x = request.inputs[0]->shape;
  const Shape shapes[] = {x, call.attributes[0].shape};
  const char* const names[] = {request.names()[0], "shape"};
  const ResolveOptions options{request.axis ? Mode::kAxis : Mode::kNumpy, request.axis, request.caller(), names, {}, nullptr};
  Shape resolved;
  int firsts[2];
  if (const Status status = Resolve(shapes, 2, options, {}, &resolved, firsts); !status.ok()) return status;
  *first = firsts[1];
  if (resolved == x) return Status();
  return Status(StatusCode::kInvalidShape, std::string(request.caller()) + ": shape must broadcast to the shape of " + names[0] +
                                               " without stretching it; got shape " + ListOf(shapes[1]) + " " + FactsOf(request));
}

Status InferSumTo(const FormCall& call, Shape* shape) {
  int first;
  if (const Status status = ResolveShape(call, &first); !status.ok()) return status;
  *shape = call.attributes[0].shape;
  return Status();
}

class SumToRoutine : public Routine {
 public:
  SumToRoutine(SumProblem problem, const SumKernels& kernels, const Movers& movers, Shape shape, std::string name)
      : problem_(problem), movers_(movers), shape_(shape), name_(std::move(name)) {
    std::int64_t elements;
    empty_ = !CountElements(shape_, &elements) || elements == 0;
    if (empty_) return;
    problem_.unaligned = false;
    for (int d = 0; d < problem_.shape.rank(); ++d) {
      if (problem_.shape[d] > 1 && problem_.x_strides[d] % Size() != 0) problem_.unaligned = true;
    }
    aligned_ = MakeSumLayout(problem_, kernels);
    problem_.unaligned = true;
    unaligned_ = MakeSumLayout(problem_, kernels);
  }

  Status Execute(const std::byte* const* inputs, std::byte* out, const ExecuteOptions& options) const noexcept override {
    if (empty_) return Status();
    const bool unaligned = reinterpret_cast<std::uintptr_t>(inputs[0]) % static_cast<std::uintptr_t>(Size()) != 0;
    ExecuteSum(unaligned ? unaligned_ : aligned_, movers_, inputs[0], out, options);
    return Status();
  }

  void Describe(PlanDescription* description) const override;

 private:
  std::int64_t Size() const { return SizeInBytes(problem_.dtype); }

  SumProblem problem_;
  const Movers& movers_;
  Shape shape_;  // of the output
  std::string name_;
  bool empty_;
  SumLayout aligned_ = {}, unaligned_ = {};
};

void SumToRoutine::Describe(PlanDescription* description) const {
  if (empty_) {
    description->store = "nothing to write";
    return;
  }
  const SumLayout& layout = aligned_;
  std::vector<std::int64_t> x_strides = layout.x_strides, out_strides = layout.out_strides;
  description->extents = layout.extents;
  std::int64_t x_bytes = Size(), out_bytes = Size();
  for (std::size_t d = 0; d < layout.extents.size(); ++d) {
    out_bytes *= layout.extents[d];
    if (x_strides[d] != 0) x_bytes *= layout.extents[d];
  }
  for (std::size_t g = layout.groups.size(); g-- > 0;) {
    for (const BoxDim& dim : layout.groups[g].dims) {
      description->extents.push_back(dim.extent);
      x_strides.push_back(dim.stride);
      out_strides.push_back(0);
      if (dim.stride != 0) x_bytes *= dim.extent;
    }
  }
  const char* const delivery = layout.delivery == SumDelivery::kColumns ? "columns: sums side by side"
                               : layout.delivery == SumDelivery::kRows  ? "rows: summands side by side"
                                                                        : "staged: as columns";
  if (layout.no_summands) x_bytes = 0;
  description->operands.push_back({name_, problem_.dtype, std::move(x_strides), delivery, x_bytes});
  description->operands.push_back({"out", problem_.dtype, std::move(out_strides), "summed", out_bytes});
  description->tile_rows = layout.groups.empty() ? 0 : std::min(layout.groups[0].count, layout.block());
  description->tile_cols = layout.panel;
  description->tiles = layout.panels * (layout.split >= 0 ? layout.split_sums * layout.split_pieces : 1);
  description->grain_tiles = 1;
  description->parallel = layout.parallel && (layout.split >= 0 || layout.panels > 1);
  description->store = "through scratch";
  description->estimated_seconds = layout.seconds;
}

Status PlanSumTo(const FormCall& call, const MutableTensorView& out, bool in_place, std::shared_ptr<const Plan::Impl>* impl) {
  int first;
  if (const Status status = ResolveShape(call, &first); !status.ok()) return status;
  const Request& request = call.request;
  const Shape& shape = call.attributes[0].shape;
  const char* const out_name = in_place ? request.names()[0] : "out";
  if (const Status status = CheckOutShape(request, shape, out_name, out.shape); !status.ok()) return status;
  const TensorView& x = *request.inputs[0];
  SumProblem problem = {x.dtype, x.shape, x.byte_strides, FacingStrides(shape, out.byte_strides, first, x.shape), {}, false};
  bool sums = false;
  for (int d = 0; d < x.shape.rank(); ++d) {
    const int facing = d - first;
    problem.summed[d] = x.shape[d] != 1 && (facing < 0 || facing >= shape.rank() || shape[facing] == 1);
    sums = sums || problem.summed[d];
  }
  if (!sums) {  // a copy, which may be in place
    ByteStrides x_strides = out.shape;
    for (int j = 0; j < out.shape.rank(); ++j) x_strides[j] = out.shape[j] == 1 ? 0 : x.byte_strides[first + j];
    return PlanCopy(call, x_strides, out_name, out, impl);
  }
  const Movers& movers = request.op.entry().kernels->movers;
  RoutineCall routine{
      {{request.names()[0], x.dtype, x.shape, x.byte_strides}, {out_name, out.dtype, shape, out.byte_strides}}, 0, {}};
  // Strides whose offsets do not fit are refused below, and not calculated with.
  Reach reach;
  const auto size = SizeInBytes(x.dtype);
  if (ComputeReach(x.shape, x.byte_strides, size, &reach) && ComputeReach(shape, out.byte_strides, size, &reach)) {
    routine.routine =
        std::make_unique<const SumToRoutine>(problem, request.op.entry().kernels->sums, movers, shape, request.names()[0]);
  }
  return MakeRoutinePlan(std::move(routine), movers, request.caller(), impl);
}

std::vector<Kernel> EveryNumber() {
  std::vector<Kernel> signatures;
  for (const DTypeRow& row : kDTypes) {
    if (row.kind != DTypeKind::kBool) signatures.push_back(Signature({row.dtype}, row.dtype));
  }
  return signatures;
}

constexpr ForeignName kForeign[] = {
    {"reduce_sum ReduceSum sum", "with shape, which has a 1 for each dim that is summed over"},
};

}  // namespace

const Form kSumToForm = {
    {.name = "sum_to",
     .arity = 1,
     .doc = "out = x, summed over the dims that a shape is stretched along to x's",
     .special = "The adjoint of broadcast_to; with an axis the dims of the shape face [axis, axis + rank) of x, as in axis mode. "
                "Integers wrap, an empty sum is 0. Floats are added up in a fixed tree that depends on the shapes alone, with at "
                "most 2.5 log2(n) additions in a row; the 16-bit floats as float32, rounded once.",
     .aliases = "sum_to_size",
     .source = "PyTorch sum_to_size, the gradient of Paddle expand",
     .attributes = {{.name = "shape", .doc = "of the result", .type = AttributeType::kShape}},
     .attribute_count = 1},
    &EveryNumber,
    &InferSumTo,
    &PlanSumTo,
    kForeign,
};

}  // namespace axiscast
