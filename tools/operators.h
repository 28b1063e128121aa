// The op that a command line names: its target, its name, its attributes.
#ifndef AXISCAST_TOOLS_OPERATORS_H_
#define AXISCAST_TOOLS_OPERATORS_H_

#include <string>
#include <string_view>
#include <vector>

#include "axiscast/plan.h"
#include "axiscast/registry.h"
#include "tools/command_line.h"

namespace axiscast::tools {

// The registry for `--target`, else for AXISCAST_TARGET in the environment, else the best one. Fails with kUsage (a flag's unknown
// name), kUnknownName (the environment's) or kUnsupported (a target that this CPU lacks).
const Registry& ChooseRegistry(const Value& target);

// The gradient of an op is an op itself: NAME_grad.
inline constexpr std::string_view kGradientSuffix = "_grad";

bool IsGradient(const Op& op);

// Ops that have a name of their own, and how many of them have a gradient.
struct OpCount {
  std::size_t ops, gradients;
};
OpCount CountOps(const Registry& registry);

// Fails with kUnknownName, or kUnsupported for an op that this build does not have.
const Op& FindOperator(const Registry& registry, const std::string& name);

// The first input whose dtype differs from kernel to kernel (where's x, not its condition); 0 for an op with one kernel.
int DataOperand(const Op& op);

// The input whose dtype differs between kernels for the same data (an index); -1 for most ops.
int IndexOperand(const Op& op);

// The dtypes that an input may have, in the order of the dtype list; of the data.
std::vector<DType> DTypesOf(const Op& op, int operand);
std::vector<DType> DataDTypes(const Op& op);

// "x, y", or the op's own names.
std::vector<std::string> OperandNames(const Op& op);

// The inputs that a declared pattern is wanted for: of a gradient all but the last one, the gradient of the result.
std::size_t PatternCount(const Op& op);

// `KEY=VALUE`s, which must live as long as what is returned. Fails with kUnknownName (the key) or kInvalidArgument (no number;
// given twice).
std::vector<Attribute> ReadAttributes(const Op& op, const std::vector<std::string>& texts);

// Fails with kUnsupported for a promotion of the command's contract other than `none`, and with kUsage for an unknown one.
void ReadPromotion(const Value& promote);

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_OPERATORS_H_
