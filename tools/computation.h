// What `run` and `explain` compute: an op, or an expression of several.
#ifndef AXISCAST_TOOLS_COMPUTATION_H_
#define AXISCAST_TOOLS_COMPUTATION_H_

#include <string>
#include <vector>

#include "axiscast/expression.h"
#include "axiscast/plan.h"
#include "axiscast/registry.h"

namespace axiscast::tools {

class Computation {
 public:
  // A word with a parenthesis is an expression, any other one an op's name. Fails as FindOperator and Expression::Parse.
  Computation(const Registry& registry, const std::string& word);

  // Null for an expression.
  const Op* op() const { return op_; }
  // Fails with kInvalidArgument where it takes another number of inputs.
  void RequireInputs(std::size_t given) const;
  // "op" or "expression", and which: as results show it.
  const char* kind() const { return op_ != nullptr ? "op" : "expression"; }
  std::string name() const { return op_ != nullptr ? op_->info().name : expression_.text(); }
  // Of an op. Fails as the function of this name in operators.h, and with kInvalidArgument where an expression is given any.
  std::vector<Attribute> ReadAttributes(const std::vector<std::string>& texts) const;

  // The library's calls; each fails with its error.
  void Infer(const std::vector<TensorView>& inputs, const PlanOptions& options, Shape* shape, DType* dtype) const;
  Plan MakePlan(const std::vector<TensorView>& inputs, const MutableTensorView& out, const PlanOptions& options) const;

 private:
  const std::string word_;
  const Op* op_ = nullptr;
  Expression expression_;
};

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_COMPUTATION_H_
