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
  problem_.operands.push_back(
      {view.dtype, FaceInput(view, first, call_.request.inputs[0]->shape, read_.first[0], read_.shape, &copy)});
  copied |= std::uint32_t{copy} << input;
  sources.push_back(input);
  constants.emplace_back();
  return static_cast<int>(sources.size()) - 1;
}

Status GradientProblem::AddConstant(const GradientValue& value, int* place) {
  const DType dtype = call_.signature.output;
  *place = static_cast<int>(sources.size());
  sources.push_back(-1);
  problem_.operands.push_back({dtype, FacingStrides({}, {}, 0, read_.shape)});
  const AttributeInfo number{.name = "", .absent = AttributeDefault::kValue, .value = value.number};
  const bool given = value.kind == GradientValue::Kind::kAttribute;
  return RoundAttribute(call_.request.caller(), given ? read_.gradient.forward->info().attributes[value.index] : number,
                        call_.request.attributes, dtype, &constants.emplace_back());
}

Status GradientProblem::AddValue(const GradientValue& value, int* place, DType* dtype) {
  switch (value.kind) {
    case GradientValue::Kind::kStep:
      *place = kFirstStep + value.index;
      *dtype = problem_.steps[static_cast<std::size_t>(value.index)].kernel->output;
      return Status();
    case GradientValue::Kind::kInput:
    case GradientValue::Kind::kDout: {
      const int input = value.kind == GradientValue::Kind::kDout ? read_.gradient.forward->arity() : value.index;
      *place = AddInput(input);
      *dtype = call_.request.inputs[input]->dtype;
      return Status();
    }
    case GradientValue::Kind::kConstant:
    case GradientValue::Kind::kAttribute:
      break;
  }
  *dtype = call_.signature.output;
  return AddConstant(value, place);
}

Status GradientProblem::AddStep(const GradientStep& step) {
  const Op& op = step.op != nullptr ? *step.op : *read_.gradient.forward;
  Step added{nullptr, op.arity(), {}, {}};
  DType dtypes[kMaxArity];
  for (int a = 0; a < op.arity(); ++a) {
    if (const Status status = AddValue(step.arguments[static_cast<std::size_t>(a)], &added.values[a], &dtypes[a]); !status.ok())
      return status;
  }
  added.kernel = op.FindKernel(dtypes);
  if (added.kernel == nullptr) {
    return Status(StatusCode::kUnsupportedDType, std::string(call_.request.caller()) + ": the gradient needs a kernel of " +
                                                     op.info().name + " for " + NameOf(dtypes[0]) + ", and there is none");
  }
  if (added.kernel->check != nullptr) {
    return Status(StatusCode::kUnsupported, std::string(call_.request.caller()) + ": the gradient calls " + op.info().name +
                                                " for " + NameOf(dtypes[0]) + ", which looks at its values first, and cannot");
  }
  std::vector<Attribute> attributes;
  for (const Attribute& attribute : call_.request.attributes) {
    if (step.op == nullptr && attribute.name != nullptr && std::strcmp(attribute.name, "wrt") != 0) attributes.push_back(attribute);
  }
  if (const Status status = BindAttributes(op, call_.request.caller(), *added.kernel, attributes, added.attributes); !status.ok()) {
    return status;
  }
  problem_.steps.push_back(added);
  return Status();
}

const Problem& GradientProblem::Finish(const ByteStrides& out_strides) {
  const int inputs = static_cast<int>(sources.size());
  for (Step& step : problem_.steps) {
    for (int a = 0; a < step.arity; ++a) {
      if (step.values[a] >= kFirstStep) step.values[a] += inputs - kFirstStep;
    }
  }
  problem_.operands.push_back({call_.signature.output, out_strides});
  return problem_;
}

std::vector<std::string> GradientProblem::Names(const char* out) const {
  std::vector<std::string> names;
  for (const int source : sources) names.emplace_back(source >= 0 ? call_.request.names()[source] : "a constant");
  names.emplace_back(out);
  return names;
}

}  // namespace axiscast
