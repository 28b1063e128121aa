// Makes the problem of several ops step by step: how many operands there are, which the numbers of values depend on, is known at
// the end alone.
#ifndef AXISCAST_CORE_PROGRAM_BUILDER_H_
#define AXISCAST_CORE_PROGRAM_BUILDER_H_

#include <string>
#include <vector>

#include "core/program.h"

namespace axiscast {

class ProgramBuilder {
 public:
  explicit ProgramBuilder(const Shape& shape) { problem_.shape = shape; }

  // Each gives a value that steps read. Names are for messages and descriptions.
  int AddInput(DType dtype, const ByteStrides& strides, std::string name);
  // An element that faces all others; the one that there is, where there is one with these bits.
  int AddConstant(DType dtype, const AttributeSlot& bits, std::string name);
  void AddStep(const Step& step) { problem_.steps.push_back(step); }
  // The value that a step gives; steps count from 0.
  static int ResultOf(int step) { return kFirstStep + step; }
  DType DTypeOf(int value) const;

  // The problem, whose output is the last step's result, and its operands' names. The builder is then empty.
  Problem Finish(const ByteStrides& out_strides, std::string out_name, std::vector<std::string>* names);

 private:
  // Until the numbers of inputs and constants are known.
  static constexpr int kFirstConstant = 1 << 16, kFirstStep = 1 << 20;

  Problem problem_;
  std::vector<Operand> constants_;
  std::vector<std::string> names_, constant_names_;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_PROGRAM_BUILDER_H_
