// The front door: op, views and options -> a resolved problem -> a plan.
#include <algorithm>
#include <string>
#include <vector>

#include "axiscast/paddle.h"
#include "axiscast/plan.h"
#include "core/attribute.h"
#include "core/parallel.h"
#include "core/plan.h"
#include "core/registry.h"
#include "core/resolve.h"

namespace axiscast {
namespace {

std::string ToText(const Shape& shape) {
  std::string text = "[";
  for (int d = 0; d < shape.rank(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(shape[d]);
  return text + "]";
}

std::string DTypeList(const DType* dtypes, int count) {
  std::string text = "(";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + std::string(NameOf(dtypes[i]));
  return text + ")";
}

// What is asked for: everything but the destination.
struct Request {
  const Op& op;
  const TensorView* inputs;
  std::size_t count;
  const PlanOptions& options;

  const char* caller() const { return options.caller != nullptr ? options.caller : op.name(); }
  const char* const* names() const { return options.names != nullptr ? options.names : op.entry().operand_names; }
};

Status FindKernel(const Request& request, const Kernel** kernel) {
  const Op& op = request.op;
  const std::string who = std::string(request.caller()) + ": ";
  if (request.count != static_cast<std::size_t>(op.arity())) {
    return Status(StatusCode::kInvalidArgument,
                  who + "takes " + std::to_string(op.arity()) + " inputs; got " + std::to_string(request.count));
  }
  DType dtypes[kMaxArity];
  for (int i = 0; i < op.arity(); ++i) dtypes[i] = request.inputs[i].dtype;
  *kernel = op.FindKernel(dtypes);
  if (*kernel != nullptr) return Status();
  std::string supported;
  for (const Kernel& k : op.kernels()) supported += (supported.empty() ? "" : ", ") + DTypeList(k.inputs, op.arity());
  return Status(StatusCode::kUnsupportedDType, who + "no kernel for " + op.info().name + DTypeList(dtypes, op.arity()) + "; " +
                                                   op.info().name + " supports " + supported);
}

Status CheckStrides(const Request& request, const char* name, const Shape& shape, const ByteStrides& strides) {
  if (shape.given_rank() == strides.given_rank()) return Status();
  return Status(StatusCode::kInvalidArgument, std::string(request.caller()) + ": " + name +
                                                  " must have a byte stride for each of its " + std::to_string(shape.given_rank()) +
                                                  " dims; got " + std::to_string(strides.given_rank()));
}

// The shape that is written, and where each input's dims lie in it.
Status ResolveRequest(const Request& request, const Destination& destination, Shape* shape, int* first) {
  Shape shapes[kMaxArity];
  for (std::size_t i = 0; i < request.count; ++i) shapes[i] = request.inputs[i].shape;
  const ResolveOptions options{request.options.mode, request.options.axis, request.caller(), request.names()};
  return Resolve(shapes, request.count, options, destination, shape, first);
}

DataCheck MakeCheck(const Request& request, const Kernel& kernel) {
  const OpInfo& info = request.op.info();
  const int checked = info.checked_operand;
  DataCheck check;
  check.operand = checked;
  check.shape = request.inputs[checked].shape;
  check.byte_strides = request.inputs[checked].byte_strides;
  check.code = info.check_code;
  check.message = std::string(request.caller()) + ": " + info.check_message + " at " + request.names()[checked];
  for (std::size_t i = 0; i < request.count; ++i) {
    check.shapes += std::string(i == 0 ? "(" : ", ") + request.names()[i] + " " + ToText(request.inputs[i].shape);
  }
  check.shapes += ")";
  check.function = kernel.check;
  return check;
}

Status MakePlan(const Request& request, const MutableTensorView& out, bool in_place, std::shared_ptr<const Plan::Impl>* impl) {
  const Kernel* kernel;
  if (const Status status = FindKernel(request, &kernel); !status.ok()) return status;
  for (std::size_t i = 0; i < request.count; ++i) {
    const TensorView& input = request.inputs[i];
    if (const Status status = CheckStrides(request, request.names()[i], input.shape, input.byte_strides); !status.ok())
      return status;
  }
  const char* out_name = in_place ? request.names()[0] : "out";
  if (const Status status = CheckStrides(request, out_name, out.shape, out.byte_strides); !status.ok()) return status;
  Destination destination;
  destination.in_place = in_place;
  if (!in_place) destination.out = &out.shape;
  Problem problem;
  int first[kMaxArity];
  if (const Status status = ResolveRequest(request, destination, &problem.shape, first); !status.ok()) return status;
  if (out.dtype != kernel->output) {
    return Status(StatusCode::kUnsupportedDType, std::string(request.caller()) + ": " + out_name +
                                                     " must have the result's dtype " + NameOf(kernel->output) + "; got " +
                                                     NameOf(out.dtype));
  }
  Step step{kernel, request.op.arity(), {}, {}};
  if (const Status status = BindAttributes(request.op, request.caller(), *kernel, request.options.attributes, step.attributes);
      !status.ok()) {
    return status;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < request.count; ++i) {
    const TensorView& input = request.inputs[i];
    step.values[i] = static_cast<int>(i);
    problem.operands.push_back({input.dtype, FacingStrides(input.shape, input.byte_strides, first[i], problem.shape)});
    names.emplace_back(request.names()[i]);
  }
  problem.operands.push_back({out.dtype, out.byte_strides});
  problem.steps.push_back(step);
  names.emplace_back(out_name);
  std::vector<DataCheck> checks;
  if (kernel->check != nullptr) checks.push_back(MakeCheck(request, *kernel));
  return Plan::Impl::Make(std::move(problem), *request.op.entry().movers, request.caller(), std::move(names), std::move(checks),
                          impl);
}

Status OutOfMemory(const char* caller) noexcept {
  try {
    return Status(StatusCode::kOutOfMemory, std::string(caller) + ": out of memory");
  } catch (...) {
    return Status(StatusCode::kOutOfMemory, "out of memory");
  }
}

Status MakeAndExecute(const Request& request, const MutableTensorView& out, bool in_place, const ApplyOptions& options) {
  std::shared_ptr<const Plan::Impl> impl;
  if (const Status status = MakePlan(request, out, in_place, &impl); !status.ok()) return status;
  const void* pointers[kMaxArity];
  for (std::size_t i = 0; i < request.count; ++i) pointers[i] = request.inputs[i].data;
  return impl->Execute(pointers, out.data, {options.max_threads, options.pool, options.task_arena, options.stores});
}

PlanOptions ToPlanOptions(const ApplyOptions& options) {
  return {options.mode, options.axis, options.attributes, options.caller, options.names};
}

}  // namespace

Status Plan::Make(const Op& op, const TensorView* inputs, std::size_t input_count, const MutableTensorView& out,
                  const PlanOptions& options, Plan* plan) noexcept try {
  if (plan == nullptr) return Status(StatusCode::kInvalidArgument, std::string(op.name()) + ": the pointer to the plan is null");
  std::shared_ptr<const Impl> impl;
  const Request request{op, inputs, input_count, options};
  if (const Status status = MakePlan(request, out, false, &impl); !status.ok()) return status;
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

Status Plan::Execute(const void* const* inputs, void* out, const ExecuteOptions& options) const noexcept {
  if (impl_ == nullptr) return Status(StatusCode::kInvalidArgument, "execute: the plan is empty; make it with Plan::Make");
  return impl_->Execute(inputs, out, options);
}

Status Plan::Execute(std::initializer_list<const void*> inputs, void* out, const ExecuteOptions& options) const noexcept try {
  if (impl_ != nullptr && inputs.size() != static_cast<std::size_t>(impl_->problem.input_count())) {
    return Status(StatusCode::kInvalidArgument, impl_->caller + ": the plan takes " + std::to_string(impl_->problem.input_count()) +
                                                    " inputs; got " + std::to_string(inputs.size()));
  }
  return Execute(inputs.begin(), out, options);
} catch (...) {
  return OutOfMemory("execute");
}

Shape Plan::shape() const noexcept { return impl_ != nullptr ? impl_->problem.shape : Shape(); }

PlanDescription Plan::Describe() const {
  PlanDescription description{};
  if (impl_ == nullptr) return description;
  description.shape = impl_->problem.shape;
  if (impl_->empty) {
    description.store = "nothing to write";
    return description;
  }
  const Layout& layout = impl_->layouts[0];
  description.extents = impl_->canonical.extents;
  for (std::size_t i = 0; i < impl_->problem.operands.size(); ++i) {
    const DType dtype = impl_->problem.operands[i].dtype;
    const int operand = static_cast<int>(i);
    description.operands.push_back({impl_->names[i], dtype, impl_->canonical.strides[i], DescribeDelivery(layout, operand),
                                    UniqueBytes(impl_->canonical, operand, static_cast<std::int64_t>(SizeOf(dtype)))});
  }
  description.tile_rows = layout.row_loop >= 0 ? layout.loops[static_cast<std::size_t>(layout.row_loop)].chunk : 1;
  description.tile_cols = layout.loops.back().chunk * layout.inner;
  description.tiles = layout.tiles;
  description.grain_tiles = layout.grain;
  description.parallel = layout.parallel;
  description.store = layout.operands.back().delivery == Delivery::kStaged ? "through scratch"
                      : layout.streams                                     ? "streaming"
                                                                           : "direct";
  description.estimated_seconds = layout.seconds;
  return description;
}

Status Apply(const Op& op, const TensorView* inputs, std::size_t input_count, const MutableTensorView& out,
             const ApplyOptions& options) noexcept try {
  const PlanOptions plan_options = ToPlanOptions(options);
  return MakeAndExecute({op, inputs, input_count, plan_options}, out, false, options);
} catch (...) {
  return OutOfMemory(op.name());
}

Status Apply(const Op& op, std::initializer_list<TensorView> inputs, const MutableTensorView& out,
             const ApplyOptions& options) noexcept {
  return Apply(op, inputs.begin(), inputs.size(), out, options);
}

Status ApplyInPlace(const Op& op, const MutableTensorView& x, std::initializer_list<TensorView> rest,
                    const ApplyOptions& options) noexcept try {
  PlanOptions plan_options = ToPlanOptions(options);
  const std::string caller = std::string(plan_options.caller != nullptr ? plan_options.caller : op.name()) + "_";
  plan_options.caller = caller.c_str();
  std::vector<TensorView> inputs{x};
  inputs.insert(inputs.end(), rest.begin(), rest.end());
  return MakeAndExecute({op, inputs.data(), inputs.size(), plan_options}, x, true, options);
} catch (...) {
  return OutOfMemory(op.name());
}

Status InferOutput(const Op& op, const TensorView* inputs, std::size_t input_count, const PlanOptions& options, Shape* shape,
                   DType* dtype) noexcept try {
  const Request request{op, inputs, input_count, options};
  const Kernel* kernel;
  if (const Status status = FindKernel(request, &kernel); !status.ok()) return status;
  int first[kMaxArity];
  if (const Status status = ResolveRequest(request, {}, shape, first); !status.ok()) return status;
  *dtype = kernel->output;
  return Status();
} catch (...) {
  return OutOfMemory(op.name());
}

Status Elementwise(const char* name, const TensorView& x, const TensorView& y, const MutableTensorView& out,
                   std::int64_t axis) noexcept {
  if (name == nullptr) return Status(StatusCode::kInvalidArgument, "elementwise: the name of the op is null");
  const Op* op;
  if (const Status status = Registry::BuiltIn().Find(name, &op); !status.ok()) return status;
  ApplyOptions options;
  options.mode = Mode::kAxis;
  options.axis = axis;
  return Apply(*op, {x, y}, out, options);
}

}  // namespace axiscast
