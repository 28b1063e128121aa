// Plans of calls; see request.h.
#include "core/request.h"

#include <cstring>
#include <string>

#include "core/attribute.h"
#include "core/form.h"
#include "core/kernel_choice.h"
#include "core/pair_copy.h"

namespace axiscast {
namespace {

// Of the call's checked input; one with a bit in `copied` is looked at in its dense copy.
DataCheck MakeCheck(const Request& request, const Kernel& kernel, std::uint32_t copied) {
  const int checked = request.op.info().checked_operand;
  TensorView view = *request.inputs[checked];
  if ((copied >> checked & 1) != 0) view.byte_strides = DenseStrides(view.shape, view.dtype);
  std::string shapes;
  for (std::size_t i = 0; i < request.count; ++i) {
    shapes += std::string(i == 0 ? "(" : ", ") + request.names()[i] + " " + ListOf(request.inputs[i]->shape);
  }
  return MakeCheck(request.caller(), request.op.info(), kernel.check, checked, view, request.names()[checked], shapes + ")");
}

// The call as a routine: what it runs is `plan`, on dense copies of some inputs.
Status MakeCopyingPlan(const Request& request, const MutableTensorView& out, const char* out_name, std::uint32_t copied,
                       std::shared_ptr<const Plan::Impl> plan, std::shared_ptr<const Plan::Impl>* impl) {
  RoutineCall call;
  for (std::size_t i = 0; i < request.count; ++i) {
    const TensorView& input = *request.inputs[i];
    call.operands.push_back({request.names()[i], input.dtype, input.shape, input.byte_strides});
  }
  call.operands.push_back({out_name, out.dtype, out.shape, out.byte_strides});
  call.may_be_out = plan->may_be_out() & ~copied;
  call.routine = CopyFirst(RunPlan(std::move(plan)), request, copied);
  return MakeRoutinePlan(std::move(call), request.op.entry().kernels->movers, request.caller(), impl);
}

Status MakePlanFor(const Request& request, const MutableTensorView& out, bool in_place, std::shared_ptr<const Plan::Impl>* impl) {
  const FloatModeScope usual(kUsualFloatMode);  // costs are floats, and may not trap
  if (!request.op.elementwise()) return PlanForm(request, out, in_place, impl);
  const Kernel* kernel;
  if (const Status status = FindKernel(request, &kernel); !status.ok()) return status;
  for (std::size_t i = 0; i < request.count; ++i) {
    const TensorView& input = *request.inputs[i];
    if (const Status status = CheckStrides(request.caller(), request.names()[i], input.shape, input.byte_strides); !status.ok())
      return status;
  }
  const char* out_name = in_place ? request.names()[0] : "out";
  if (const Status status = CheckStrides(request.caller(), out_name, out.shape, out.byte_strides); !status.ok()) return status;
  Destination destination;
  destination.in_place = in_place;
  if (!in_place) destination.out = &out.shape;
  Problem problem;
  int first[kMaxArity];
  if (const Status status = ResolveInputs(request, destination, &problem.shape, first); !status.ok()) return status;
  if (const Status status = CheckOutDType(request.caller(), *kernel, out_name, out.dtype); !status.ok()) return status;
  Step step{kernel, request.op.arity(), {}, {}};
  if (const Status status = BindAttributes(request.op, request.caller(), *kernel, request.attributes, step.attributes);
      !status.ok()) {
    return status;
  }
  std::vector<std::string> names;
  std::uint32_t copied = 0;
  problem.operands.reserve(request.count + 1);
  for (std::size_t i = 0; i < request.count; ++i) {
    const TensorView& input = *request.inputs[i];
    step.values[i] = static_cast<int>(i);
    bool copy;
    const ByteStrides facing = FaceInput(input, first[i], request.inputs[0]->shape, first[0], problem.shape, &copy);
    problem.operands.push_back({input.dtype, facing});
    copied |= std::uint32_t{copy} << i;
    names.emplace_back(request.names()[i]);
  }
  problem.operands.push_back({out.dtype, out.byte_strides});
  problem.steps.push_back(step);
  names.emplace_back(out_name);
  std::vector<DataCheck> checks;
  if (kernel->check != nullptr) checks.push_back(MakeCheck(request, *kernel, copied));
  const Status status = Plan::Impl::Make(std::move(problem), request.op.entry().kernels->movers, request.caller(), std::move(names),
                                         std::move(checks), impl);
  if (!status.ok() || copied == 0) return status;
  return MakeCopyingPlan(request, out, out_name, copied, std::move(*impl), impl);
}

// Messages of calls in place begin with "add_".
Status MakePlanInPlace(const Request& request, const MutableTensorView& x, std::shared_ptr<const Plan::Impl>* impl) {
  const std::string caller = std::string(request.caller()) + "_";
  Request named = request;
  named.given_caller = caller.c_str();
  return MakePlanFor(named, x, true, impl);
}

}  // namespace

DataCheck MakeCheck(const char* caller, const OpInfo& info, CheckFunction function, int operand, const TensorView& view,
                    const std::string& name, std::string shapes) {
  DataCheck check;
  check.operand = operand;
  check.shape = view.shape;
  check.byte_strides = view.byte_strides;
  check.code = info.check_code;
  check.message = std::string(caller) + ": " + info.check_message + " at " + name;
  check.shapes = std::move(shapes);
  check.function = function;
  return check;
}

Status CheckStrides(const char* caller, const char* name, const Shape& shape, const ByteStrides& strides) {
  if (shape.given_rank() == strides.given_rank()) return Status();
  return Status(StatusCode::kInvalidArgument, std::string(caller) + ": " + name + " must have a byte stride for each of its " +
                                                  std::to_string(shape.given_rank()) + " dims; got " +
                                                  std::to_string(strides.given_rank()));
}

Status CheckOutDType(const char* caller, const Kernel& kernel, const char* out_name, DType dtype) {
  if (dtype == kernel.output) return Status();
  return Status(StatusCode::kUnsupportedDType, std::string(caller) + ": " + out_name + " must have the result's dtype " +
                                                   NameOf(kernel.output) + "; got " + NameOf(dtype));
}

Status FindKernel(const Request& request, const Kernel** kernel) {
  const Op& op = request.op;
  const std::string who = std::string(request.caller()) + ": ";
  if (request.count != static_cast<std::size_t>(op.arity())) {
    return Status(StatusCode::kInvalidArgument,
                  who + "takes " + InputsText(static_cast<std::size_t>(op.arity())) + "; got " + std::to_string(request.count));
  }
  DType dtypes[kMaxArity];
  for (int i = 0; i < op.arity(); ++i) dtypes[i] = request.inputs[i]->dtype;
  *kernel = op.FindKernel(dtypes);
  if (*kernel != nullptr) return Status();
  std::vector<std::string> given;
  for (int i = 0; i < op.arity(); ++i) given.emplace_back(NameOf(dtypes[i]));
  return Status(StatusCode::kUnsupportedDType, who + NoKernel(op, given, dtypes[0]));
}

Status ResolveInputs(const Request& request, const Destination& destination, Shape* shape, int* first) {
  Shape shapes[kMaxArity];
  for (std::size_t i = 0; i < request.count; ++i) shapes[i] = request.inputs[i]->shape;
  const ResolveOptions options{request.mode,    request.axis,        request.caller(),
                               request.names(), request.diagnostics, request.patterns};
  return Resolve(shapes, request.count, options, destination, shape, first);
}

Status MakePlan(const Request& request, const MutableTensorView& out, std::shared_ptr<const Plan::Impl>* impl) {
  return MakePlanFor(request, out, false, impl);
}

void MakeKey(const Request& request, const MutableTensorView& out, bool in_place, PlanKey* key) {
  if (request.count > kMaxArity || request.diagnostics.report != nullptr) return key->Refuse();
  if (request.patterns != nullptr && !request.op.elementwise()) return key->Refuse();  // a gradient has one for each input but dout
  const std::uint64_t further = std::uint64_t{request.given_caller != nullptr} |
                                std::uint64_t{request.given_names != nullptr} << 1 |
                                std::uint64_t{request.patterns != nullptr} << 2;
  AddCall(request.op, in_place, request.count, request.mode, request.axis, further, key);
  for (std::size_t i = 0; i < request.count; ++i) {
    key->AddView(request.inputs[i]->dtype, request.inputs[i]->shape, request.inputs[i]->byte_strides);
  }
  key->AddView(out.dtype, out.shape, out.byte_strides);
  for (std::size_t i = 0; request.patterns != nullptr && i < request.count; ++i) {
    key->AddWord(static_cast<std::uint64_t>(request.patterns[i].rank()));
    if (!request.patterns[i].valid()) return key->Refuse();
    for (int d = 0; d < request.patterns[i].rank(); ++d) {
      const PatternAxis axis = request.patterns[i][d];
      key->AddWord(static_cast<std::uint64_t>(axis.fixed() ? axis.extent() : axis.stretches() ? -1 : -2));
    }
  }
  if (request.given_caller != nullptr) key->AddText(request.given_caller);
  for (std::size_t i = 0; request.given_names != nullptr && i < request.count; ++i) key->AddText(request.given_names[i]);
  for (const Attribute& attribute : request.attributes) {
    std::uint64_t bits;
    std::memcpy(&bits, &attribute.number_uint64, sizeof(bits));
    key->AddText(attribute.name);
    key->AddWord(static_cast<std::uint64_t>(attribute.kind));
    if (attribute.kind == Attribute::Kind::kName) {
      key->AddText(attribute.text);
    } else {
      key->AddWord(bits);
    }
    if (attribute.kind == Attribute::Kind::kShape) key->AddShape(*attribute.shape);
  }
  key->Finish();
}

bool ExecuteKept(const PlanKey& key, const void* const* inputs, void* out, const ExecuteOptions& options, Status* status) noexcept {
  std::shared_ptr<const Plan::Impl> impl = TakePlan(key);
  if (impl == nullptr) return false;
  *status = impl->Execute(inputs, out, options);
  PutPlan(key, std::move(impl));
  return true;
}

Status ApplyRequest(const Request& request, const MutableTensorView& out, bool in_place, const ExecuteOptions& options) noexcept
    try {
  PlanKey key;
  MakeKey(request, out, in_place, &key);
  const void* pointers[kMaxArity];
  for (std::size_t i = 0; i < std::min<std::size_t>(request.count, kMaxArity); ++i) pointers[i] = request.inputs[i]->data;
  Status status;
  if (ExecuteKept(key, pointers, out.data, options, &status)) return status;
  std::shared_ptr<const Plan::Impl> impl;
  status = in_place ? MakePlanInPlace(request, out, &impl) : MakePlan(request, out, &impl);
  if (!status.ok()) return status;
  status = impl->Execute(pointers, out.data, options);
  PutPlan(key, std::move(impl));
  return status;
} catch (...) {
  return OutOfMemory(request.op.name());
}

Status OutOfMemory(const char* caller) noexcept {
  try {
    return Status(StatusCode::kOutOfMemory, std::string(caller) + ": out of memory");
  } catch (...) {
    return Status(StatusCode::kOutOfMemory, "out of memory");
  }
}

}  // namespace axiscast
