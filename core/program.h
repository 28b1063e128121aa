// A program: ops in sequence over the same tile, each operand broadcast its own way. A single op is a program of one step.
#ifndef AXISCAST_CORE_PROGRAM_H_
#define AXISCAST_CORE_PROGRAM_H_

#include <vector>

#include "axiscast/tensor.h"
#include "core/kernel.h"

namespace axiscast {

// Inputs and output of a program, and its steps: bounds of what fits the executor's stack frames.
inline constexpr int kMaxOperands = 32;
inline constexpr int kMaxSteps = 32;

// One op. A value below the number of inputs is an input, the others are results of earlier steps.
struct Step {
  const Kernel* kernel;
  int arity;
  int values[kMaxArity];
  AttributeSlot attributes[kMaxAttributes];
};

// An operand over the dims of the result: byte strides, 0 where it is stretched.
struct Operand {
  DType dtype;
  ByteStrides byte_strides;
};

// What is to be computed, resolved: no modes and no axis any more. The last step's result is the output.
struct Problem {
  Shape shape;                    // of the output
  std::vector<Operand> operands;  // the inputs, then the output
  std::vector<Step> steps;
  std::vector<AttributeSlot> constants = {};  // the values of the last inputs, which a plan of the problem holds itself
  bool far = false;                           // the inputs are a small part of what others are: they come from memory

  int input_count() const { return static_cast<int>(operands.size()) - 1; }
  // The inputs whose pointers an execution is given.
  int given_count() const { return input_count() - static_cast<int>(constants.size()); }
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_PROGRAM_H_
