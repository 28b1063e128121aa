// The elementwise problem of a call of NAME_grad: the steps that the op declares, over the shape of dout.
#ifndef AXISCAST_CORE_GRADIENT_PROBLEM_H_
#define AXISCAST_CORE_GRADIENT_PROBLEM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/gradient.h"
#include "core/program_builder.h"

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

// Step by step. The problem's inputs are inputs of the call, and constants.
class GradientProblem {
 public:
  GradientProblem(const FormCall& call, const GradientCall& read) : call_(call), read_(read), builder_(read.shape) {}

  // Constants are of the result's dtype. Errors: those of attributes, kUnsupportedDType and kUnsupported (of the step's kernel).
  Status AddStep(const GradientStep& step);
  // All steps, and the operands' names.
  Problem Finish(const ByteStrides& out_strides, std::vector<std::string>* names) {
    return builder_.Finish(out_strides, "out", names);
  }

  std::vector<int> sources;  // per input of the problem: the call's
  std::uint32_t copied = 0;  // inputs of the call (a bit each) that are to be dense copies

 private:
  // Each gives the builder's value.
  Status AddValue(const GradientValue& value, int* added);
  int AddInput(int input);
  Status AddConstant(const GradientValue& value, int* added);

  const FormCall& call_;
  const GradientCall& read_;
  ProgramBuilder builder_;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_GRADIENT_PROBLEM_H_
