// The front door: what the public calls of plan.h do.
#include <string>

#include "axiscast/plan.h"
#include "core/attribute.h"
#include "core/element_size.h"
#include "core/form.h"
#include "core/plan.h"
#include "core/request.h"
#include "core/work_estimate.h"

namespace axiscast {
namespace {

ExecuteOptions ToExecuteOptions(const ApplyOptions& options) {
  return {options.max_threads, options.pool, options.task_arena, options.stores};
}

}  // namespace

Status Plan::Make(const Op& op, const TensorView* inputs, std::size_t input_count, const MutableTensorView& out,
                  const PlanOptions& options, Plan* plan) noexcept try {
  if (plan == nullptr) return Status(StatusCode::kInvalidArgument, std::string(op.name()) + ": the pointer to the plan is null");
  std::shared_ptr<const Impl> impl;
  const Request request{op, {}, inputs, input_count, options};
  if (const Status status = MakePlan(request, out, &impl); !status.ok()) return status;
  *plan = Plan(std::move(impl));
  return Status();
} catch (...) {
  return OutOfMemory(op.name());
}

Status Plan::Make(const Op& op, std::initializer_list<TensorView> inputs, const MutableTensorView& out, const PlanOptions& options,
                  Plan* plan) noexcept {
  return Make(op, inputs.begin(), inputs.size(), out, options, plan);
}

Plan::Plan(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}

Status Plan::Execute(std::initializer_list<const void*> inputs, void* out, const ExecuteOptions& options) const noexcept try {
  const auto taken = impl_ == nullptr ? inputs.size() : static_cast<std::size_t>(impl_->problem.given_count());
  if (inputs.size() != taken) {
    return Status(StatusCode::kInvalidArgument,
                  impl_->caller + ": the plan takes " + InputsText(taken) + "; got " + std::to_string(inputs.size()));
  }
  return Execute(inputs.begin(), out, options);
} catch (...) {
  return OutOfMemory("execute");
}

Status Plan::ExecutePart(const void* const* inputs, void* out, std::int64_t part, std::int64_t parts,
                         StorePolicy stores) const noexcept {
  if (impl_ == nullptr) return Status(StatusCode::kInvalidArgument, "execute: the plan is empty; make it with Plan::Make");
  return impl_->ExecutePart(inputs, out, part, parts, stores);
}

Shape Plan::shape() const noexcept { return impl_ != nullptr ? impl_->problem.shape : Shape(); }

PlanDescription Plan::Describe() const {
  PlanDescription description{};
  if (impl_ == nullptr) return description;
  description.shape = impl_->problem.shape;
  if (impl_->routine != nullptr) impl_->routine->routine->Describe(&description);
  description.divisible = impl_->divisible();
  description.may_be_out = impl_->may_be_out();
  if (impl_->routine != nullptr) return description;
  if (impl_->empty) {
    description.store = "nothing to write";
    return description;
  }
  const Layout& layout = impl_->layouts[0];
  description.extents.assign(impl_->canonical.extents.begin(), impl_->canonical.extents.end());
  for (std::size_t i = 0; i < impl_->problem.operands.size(); ++i) {
    const DType dtype = impl_->problem.operands[i].dtype;
    const int operand = static_cast<int>(i);
    const std::pmr::vector<std::int64_t>& strides = impl_->canonical.strides[i];
    description.operands.push_back({impl_->names[i],
                                    dtype,
                                    {strides.begin(), strides.end()},
                                    DescribeDelivery(layout, operand),
                                    UniqueBytes(impl_->canonical, operand, SizeInBytes(dtype))});
  }
  description.tile_rows = layout.tile_rows();
  description.tile_cols = layout.tile_cols();
  description.tiles = layout.tiles;
  description.grain_tiles = layout.pieces.unit;
  description.parallel = layout.parallel;
  description.store = layout.operands.back().delivery == Delivery::kStaged ? "through scratch"
                      : layout.streams                                     ? "streaming"
                      : layout.asking_threads > 0                          ? "direct, asked for ahead"
                                                                           : "direct";
  Estimate estimate = layout.estimate;
  for (const DataCheck& check : impl_->checks) {
    const Estimate& own = check.layouts[0].estimate;
    estimate.check.Add(own.bytes.count, own.seconds());
  }
  description.estimated_seconds = estimate.seconds();
  description.parts = DescribeEstimate(estimate);
  return description;
}

Status Apply(const Op& op, const TensorView* inputs, std::size_t input_count, const MutableTensorView& out,
             const ApplyOptions& options) noexcept {
  return ApplyRequest({op, {}, inputs, input_count, options}, out, false, ToExecuteOptions(options));
}

Status Apply(const Op& op, std::initializer_list<TensorView> inputs, const MutableTensorView& out,
             const ApplyOptions& options) noexcept {
  return Apply(op, inputs.begin(), inputs.size(), out, options);
}

Status ApplyInPlace(const Op& op, const MutableTensorView& x, std::initializer_list<TensorView> rest,
                    const ApplyOptions& options) noexcept {
  const TensorView first = x;
  return ApplyRequest({op, {&first}, rest.begin(), rest.size(), options}, x, true, ToExecuteOptions(options));
}

Status InferOutput(const Op& op, const TensorView* inputs, std::size_t input_count, const PlanOptions& options, Shape* shape,
                   DType* dtype) noexcept try {
  const Request request{op, {}, inputs, input_count, options};
  if (!op.elementwise()) return InferForm(request, shape, dtype);
  const Kernel* kernel;
  if (const Status status = FindKernel(request, &kernel); !status.ok()) return status;
  Shape resolved;
  int first[kMaxArity];
  if (const Status status = ResolveInputs(request, {}, &resolved, first); !status.ok()) return status;
  AttributeSlot attributes[kMaxAttributes];
  if (const Status status = BindAttributes(op, request.caller(), *kernel, options.attributes, attributes); !status.ok())
    return status;
  *shape = resolved;
  *dtype = kernel->output;
  return Status();
} catch (...) {
  return OutOfMemory(op.name());
}

}  // namespace axiscast
