// The forms, and what all their calls have in common.
#include "core/form.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace axiscast {

const std::vector<const Form*>& BuiltInForms() {
  static const std::vector<const Form*> forms = {
      &kBroadcastToForm, &kSumToForm, &kGatherForm, &kScatterForm, &kScatterAddForm,
  };
  return forms;
}

std::string ListOf(const Dims& dims) {
  std::string text = "[";
  for (const std::int64_t value : dims) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

std::string FactsOf(const Request& request) {
  std::string text = "(";
  for (std::size_t i = 0; i < request.count; ++i)
    text += std::string(i == 0 ? "" : ", ") + request.names()[i] + " " + ListOf(request.inputs[i]->shape);
  if (request.axis) text += ", axis " + std::to_string(*request.axis);
  return text + ")";
}

namespace {

Status RefuseMode(const Request& request) {
  const std::size_t mode = static_cast<std::size_t>(*request.mode);
  std::string own;  // gather and scatter have modes of their own
  const OpInfo& info = request.op.info();
  for (int a = 0; a < info.attribute_count; ++a) {
    if (std::string_view(info.attributes[a].name) != "mode") continue;
    for (const std::string& name : SplitWords(info.attributes[a].names)) own += (own.empty() ? "" : ", ") + name;
  }
  if (!own.empty()) own = ", but an attribute mode, which is one of " + own;
  return Status(StatusCode::kInvalidArgument, std::string(request.caller()) + ": takes no broadcasting mode" + own + "; got " +
                                                  (mode < kModeCount ? kModes[mode].name : std::to_string(mode).c_str()));
}

}  // namespace

Status CheckNoMode(const Request& request) {
  if (request.patterns != nullptr)
    return Status(StatusCode::kInvalidArgument, std::string(request.caller()) + ": takes no declared patterns");
  if (request.mode && *request.mode != Mode::kAxis) return RefuseMode(request);
  return Status();
}

Status CheckNoAxis(const Request& request) {
  if (const Status status = CheckNoMode(request); !status.ok()) return status;
  if (request.mode) return RefuseMode(request);  // not even the one of an axis
  if (!request.axis) return Status();
  return Status(StatusCode::kInvalidArgument,
                std::string(request.caller()) + ": takes no axis; got axis " + std::to_string(*request.axis));
}

Status CheckOutShape(const Request& request, const Shape& result, const char* out_name, const Shape& out) {
  if (out == result) return Status();
  return Status(StatusCode::kInvalidShape, std::string(request.caller()) + ": the result " + ListOf(result) +
                                               " does not have the shape of " + out_name + " " + ListOf(out));
}

Kernel Signature(std::initializer_list<DType> inputs, DType output) {
  Kernel signature{};
  std::copy(inputs.begin(), inputs.end(), signature.inputs);
  signature.output = output;
  return signature;
}

namespace {

// The call's signature, attributes and strides.
Status CheckFormCall(const Request& request, const Kernel** signature, FormAttribute* attributes) {
  if (const Status status = FindKernel(request, signature); !status.ok()) return status;
  for (std::size_t i = 0; i < request.count; ++i) {
    const TensorView& input = *request.inputs[i];
    if (const Status status = CheckStrides(request.caller(), request.names()[i], input.shape, input.byte_strides); !status.ok())
      return status;
  }
  return BindFormAttributes(request.op, request.caller(), request.attributes, attributes);
}

}  // namespace

Status InferForm(const Request& request, Shape* shape, DType* dtype) {
  const Kernel* signature;
  FormAttribute attributes[kMaxAttributes];
  if (const Status status = CheckFormCall(request, &signature, attributes); !status.ok()) return status;
  if (const Status status = request.op.entry().form->infer({request, *signature, attributes}, shape); !status.ok()) return status;
  *dtype = signature->output;
  return Status();
}

Status PlanForm(const Request& request, const MutableTensorView& out, bool in_place, std::shared_ptr<const Plan::Impl>* impl) {
  const Kernel* signature;
  FormAttribute attributes[kMaxAttributes];
  if (const Status status = CheckFormCall(request, &signature, attributes); !status.ok()) return status;
  const char* const out_name = in_place ? request.names()[0] : "out";
  if (const Status status = CheckStrides(request.caller(), out_name, out.shape, out.byte_strides); !status.ok()) return status;
  if (const Status status = CheckOutDType(request.caller(), *signature, out_name, out.dtype); !status.ok()) return status;
  return request.op.entry().form->plan({request, *signature, attributes}, out, in_place, impl);
}

}  // namespace axiscast
