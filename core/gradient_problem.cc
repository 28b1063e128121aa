// Steps of a gradient become steps of a problem: what each reads gets a place among the operands, and its op a kernel.
#include "core/gradient_problem.h"

#include <cstring>

#include "core/attribute.h"
#include "core/pair_copy.h"
#include "core/registry.h"
#include "core/resolve.h"

namespace axiscast {

int GradientProblem::AddInput(int input) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] == input) return static_cast<int>(i);
  }
  const TensorView& view = *call_.request.inputs[input];
  const int first = input < read_.gradient.forward->arity() ? read_.first[input] : 0;  // dout has the result's dims
  bool copy;
  const ByteStrides strides = FaceInput(view, first, call_.request.inputs[0]->shape, read_.first[0], read_.shape, &copy);
  copied |= std::uint32_t{copy} << input;
  sources.push_back(input);
  return builder_.AddInput(view.dtype, strides, call_.request.names()[input]);
}

Status GradientProblem::AddConstant(const GradientValue& value, int* added) {
  const DType dtype = call_.signature.output;
  const char* const caller = call_.request.caller();
  const AttributeInfo& info = read_.gradient.forward->info().attributes[value.index];
  AttributeSlot bits;
  const Status status = value.number ? RoundNumber(caller, *value.number, dtype, &bits)
                                     : RoundAttribute(caller, info, call_.request.attributes, dtype, &bits);
  if (status.ok()) *added = builder_.AddConstant(dtype, bits, value.number ? ToText(*value.number) : info.name);
  return status;
}

Status GradientProblem::AddValue(const GradientValue& value, int* added) {
  switch (value.kind) {
    case GradientValue::Kind::kStep:
      *added = ProgramBuilder::ResultOf(value.index);
      return Status();
    case GradientValue::Kind::kInput:
      *added = AddInput(value.index);
      return Status();
    case GradientValue::Kind::kConstant:
    case GradientValue::Kind::kAttribute:
      break;
  }
  return AddConstant(value, added);
}

Status GradientProblem::AddStep(const GradientStep& step) {
  const Op& op = step.op != nullptr ? *step.op : *read_.gradient.forward;
  Step added{nullptr, op.arity(), {}, {}};
  DType dtypes[kMaxArity];
  for (int a = 0; a < op.arity(); ++a) {
    if (const Status status = AddValue(step.arguments[static_cast<std::size_t>(a)], &added.values[a]); !status.ok()) return status;
    dtypes[a] = builder_.DTypeOf(added.values[a]);
  }
  added.kernel = op.FindKernel(dtypes);
  if (added.kernel == nullptr) {
    return Status(StatusCode::kUnsupportedDType, std::string(call_.request.caller()) + ": the gradient needs a kernel of " +
                                                     op.info().name + " for " + NameOf(dtypes[0]) + ", and there is none");
  }
  if (added.kernel->check != nullptr) {
    return Status(StatusCode::kUnsupported,
                  std::string(call_.request.caller()) + ": the gradient calls " + op.info().name + " for " + NameOf(dtypes[0]) +
                      ", which refuses some values before anything is written, and here they are computed");
  }
  std::vector<Attribute> attributes;
  for (const Attribute& attribute : call_.request.attributes) {
    if (step.op == nullptr && attribute.name != nullptr && std::strcmp(attribute.name, "wrt") != 0) attributes.push_back(attribute);
  }
  if (const Status status = BindAttributes(op, call_.request.caller(), *added.kernel, attributes, added.attributes); !status.ok()) {
    return status;
  }
  builder_.AddStep(added);
  return Status();
}

}  // namespace axiscast
