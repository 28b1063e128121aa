// What `run` and `explain` compute.
#include "tools/computation.h"

#include "tools/failure.h"
#include "tools/not_offered.h"
#include "tools/operators.h"

namespace axiscast::tools {

Computation::Computation(const Registry& registry, const std::string& word) : word_(word) {
  if (word.find_first_of("(+*/ ") == word.npos) {
    op_ = &FindOperator(registry, word);
  } else {
    const Status status = Expression::Parse(word, registry, &expression_);
    if (status.code() == StatusCode::kUnknownName) RefuseCallsNotOffered(registry, word);
    Check(status);
  }
}

void Computation::RequireInputs(std::size_t given) const {
  std::vector<std::string> names;
  if (op_ != nullptr) names = OperandNames(*op_);
  for (int i = 0; i < expression_.input_count(); ++i) names.emplace_back(expression_.input_name(i));
  if (given == names.size()) return;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  Fail(StatusCode::kInvalidArgument, word_ + " takes " + std::to_string(names.size()) +
                                         (names.size() == 1 ? " input (" : " inputs (") + list + "); got " + std::to_string(given));
}

std::vector<Attribute> Computation::ReadAttributes(const std::vector<std::string>& texts) const {
  if (op_ != nullptr) return tools::ReadAttributes(*op_, texts);
  if (texts.empty()) return {};
  Fail(StatusCode::kInvalidArgument,
       "--attr is for an op alone; an expression has its attributes in its text, as in clip(x, min=0); got --attr " + texts[0]);
}

void Computation::Infer(const std::vector<TensorView>& inputs, const PlanOptions& options, Shape* shape, DType* dtype) const {
  Check(op_ != nullptr ? InferOutput(*op_, inputs.data(), inputs.size(), options, shape, dtype)
                       : InferOutput(expression_, inputs.data(), inputs.size(), options, shape, dtype));
}

Plan Computation::MakePlan(const std::vector<TensorView>& inputs, const MutableTensorView& out, const PlanOptions& options) const {
  Plan plan;
  Check(op_ != nullptr ? Plan::Make(*op_, inputs.data(), inputs.size(), out, options, &plan)
                       : Plan::Make(expression_, inputs.data(), inputs.size(), out, options, &plan));
  return plan;
}

}  // namespace axiscast::tools
