// The elementwise problem of a call of NAME_grad: the steps that the op declares, over the shape of dout.
#ifndef AXISCAST_CORE_GRADIENT_PROBLEM_H_
#define AXISCAST_CORE_GRADIENT_PROBLEM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/gradient.h"
#include "core/program.h"

namespace axiscast {

// A call of NAME_grad in the terms of the forward op.
struct GradientCall {
  explicit GradientCall(const Gradient& called) : gradient(called) {}
  const GradientProgram& program() const { return gradient.programs[static_cast<std::size_t>(wrt)]; }
  const Gradient& gradient;
  int wrt = 0;
  Shape shape;           // of the forward result, and so of dout
  int first[kMaxArity];  // where the inputs' dims lie in it
};

// Step by step. The problem's operands are inputs of the call and constants, which the plan owns.
class GradientProblem {
 public:
  GradientProblem(const FormCall& call, const GradientCall& read) : call_(call), read_(read) { problem_.shape = read.shape; }

  // Constants are of the result's dtype. Errors: those of attributes, kUnsupportedDType and kUnsupported (of the step's kernel).
  Status AddStep(const GradientStep& step);
  // All steps, writing to `out`.
  const Problem& Finish(const ByteStrides& out_strides);
  // The operands', for messages.
  std::vector<std::string> Names(const char* out) const;

  std::vector<int> sources;              // per operand: the call's input; -1: a constant
  std::vector<AttributeSlot> constants;  // per operand
  std::uint32_t copied = 0;              // inputs of the call (a bit each) that are to be dense copies

 private:
  // Each gives the value's place among the operands.
  Status AddValue(const GradientValue& value, int* place, DType* dtype);
  int AddInput(int input);
  Status AddConstant(const GradientValue& value, int* place);

  static constexpr int kFirstStep = 1 << 16;  // until the number of operands is known
  const FormCall& call_;
  const GradientCall& read_;
  Problem problem_;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_GRADIENT_PROBLEM_H_
