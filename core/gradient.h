// Gradients of elementwise ops, as their OpInfo declares them: expressions of other ops, which become one program of steps.
#ifndef AXISCAST_CORE_GRADIENT_H_
#define AXISCAST_CORE_GRADIENT_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/form.h"

namespace axiscast {

// What a step of a gradient reads.
struct GradientValue {
  enum class Kind : std::uint8_t { kInput, kConstant, kAttribute, kStep };
  Kind kind;
  int index = 0;                                   // of the input (dout is the one behind the op's), attribute or step
  std::optional<Attribute> number = std::nullopt;  // of a constant
};

struct GradientStep {
  const Op* op;  // null: the forward op itself, with the call's attributes
  std::vector<GradientValue> arguments;
};

// The gradient for one input: the last step's result, or dout where there is none.
struct GradientProgram {
  bool offered = false;  // false: the input has none (a condition)
  std::vector<GradientStep> steps;
};

// The op NAME_grad that belongs to an op: its texts and programs. `inputs..., dout -> the gradient for input wrt`.
struct Gradient {
  const Op* forward = nullptr;
  const Op* sum_to = nullptr;  // of the same registry, as is broadcast_to
  const Op* broadcast_to = nullptr;
  std::vector<GradientProgram> programs;  // per input
  std::string name, aliases, doc, special, operands, wrt_doc;
  OpInfo info = {};  // points into the texts
};

using FindOpFunction = std::function<const Op*(std::string_view)>;

// Reads OpInfo::gradient. Error: kInvalidArgument, what is wrong with the text.
Status ReadGradient(const OpInfo& info, const FindOpFunction& find, std::vector<GradientProgram>* programs);

// The rest of NAME_grad, its signatures included. `forward` is the op under its canonical name.
void DescribeGradient(const Op& forward, Gradient* gradient);
std::vector<Kernel> GradientSignatures(const Op& forward, const std::vector<GradientProgram>& programs);

// Infers and plans every NAME_grad; the op's Entry has its Gradient.
extern const Form kGradientForm;

}  // namespace axiscast

#endif  // AXISCAST_CORE_GRADIENT_H_
