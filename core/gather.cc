// gather: out = what an index chooses along a dim of the input.
#include <bit>
#include <memory>
#include <utility>

#include "core/index_call.h"
#include "core/index_shapes.h"

namespace axiscast {
namespace {

class GatherRoutine final : public Routine {
 public:
  explicit GatherRoutine(IndexCall call) : call_(std::move(call)) {
    const IndexKernels& kernels = *call_.kernels;
    const DType dtype = call_.description.operands.back().dtype;
    phase_ = {dtype == DType::kBool ? kernels.gather_bool : kernels.gather[std::countr_zero(SizeOf(dtype))], kNestX, kNestOut};
  }

  Status Execute(const std::byte* const* inputs, std::byte* out, const ExecuteOptions& options) const noexcept override try {
    if (const Status status = call_.check.Run(*call_.kernels, inputs[1], options); !status.ok() || call_.empty) return status;
    std::byte* pointers[kNestOperands] = {};
    pointers[kNestX] = const_cast<std::byte*>(inputs[0]);  // inputs are only read
    pointers[kNestIndex] = const_cast<std::byte*>(inputs[1]);
    pointers[kNestOut] = out;
    call_.nest.Run(*call_.kernels, &phase_, 1, pointers, options);
    return Status();
  } catch (...) {
    return OutOfMemory("gather");
  }

  void Describe(PlanDescription* description) const override { *description = call_.description; }

 private:
  const IndexCall call_;
  NestPhase phase_;
};

Status InferGather(const FormCall& call, Shape* shape) {
  IndexShapes shapes;
  if (const Status status = ResolveGather(call, &shapes); !status.ok()) return status;
  *shape = shapes.result;
  return Status();
}

Status PlanGather(const FormCall& call, const MutableTensorView& out, bool in_place, std::shared_ptr<const Plan::Impl>* impl) {
  IndexShapes shapes;
  if (const Status status = ResolveGather(call, &shapes); !status.ok()) return status;
  const char* const out_name = in_place ? call.request.names()[0] : "out";
  if (const Status status = CheckOutShape(call.request, shapes.result, out_name, out.shape); !status.ok()) return status;
  RoutineCall routine = OperandsOf(call, out, out_name);
  if (HaveReaches(routine)) {
    const std::vector<NestView> views = {{kNestX, *call.request.inputs[0], true}, {kNestOut, out, false}};
    routine.routine = std::make_unique<GatherRoutine>(MakeIndexCall(call, shapes, routine, views, {}));
  }
  return MakeRoutinePlan(std::move(routine), call.request.op.entry().kernels->movers, call.request.caller(), impl);
}

std::vector<Kernel> GatherSignatures() { return IndexSignatures(false); }

constexpr ForeignName kForeign[] = {
    {"take_along_axis", "with dim, mode=same_rank and wrap_negative=true"},
    {"GatherElements gather_elements", "with dim, mode=prefix and wrap_negative=true"},
    {"index_select Gather", kWholeSlices},
    {"embedding Embedding", "with dim=0 of the table by the tokens, as one dim"},
};

}  // namespace

const Form kGatherForm = {
    {.name = "gather",
     .arity = 2,
     .doc = "out[..., i, ...] = input[..., index[..., i, ...], ...] along dim",
     .special = "The index aligns left with the input and may have fewer dims; elsewhere than along dim either stretches the "
                "other. mode prefix "
                "stretches nothing and takes an index that is shorter than the input; same_rank wants equal ranks. The gradient of "
                "the input is scatter_add of the result's to zeros.",
     .source = "PyTorch gather, NumPy take_along_axis, Paddle take_along_axis, ONNX GatherElements",
     .operands = "input index",
     .attributes = {kDimAttributeInfo, kModeAttributeInfo, kWrapNegativeAttributeInfo},
     .attribute_count = 3},
    &GatherSignatures,
    &InferGather,
    &PlanGather,
    kForeign,
};

}  // namespace axiscast
