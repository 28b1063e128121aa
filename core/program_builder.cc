// Problems of several ops; see program_builder.h.
#include "core/program_builder.h"

#include <cstring>
#include <iterator>
#include <utility>

#include "core/resolve.h"

namespace axiscast {

int ProgramBuilder::AddInput(DType dtype, const ByteStrides& strides, std::string name) {
  problem_.operands.push_back({dtype, strides});
  names_.push_back(std::move(name));
  return static_cast<int>(names_.size()) - 1;
}

int ProgramBuilder::AddConstant(DType dtype, const AttributeSlot& bits, std::string name) {
  std::size_t i = 0;
  const auto is_same = [&] {
    return constants_[i].dtype == dtype && std::memcmp(problem_.constants[i].bytes, bits.bytes, sizeof(bits.bytes)) == 0;
  };
  while (i < constants_.size() && !is_same()) ++i;
  if (i == constants_.size()) {
    constants_.push_back({dtype, FacingStrides({}, {}, 0, problem_.shape)});
    problem_.constants.push_back(bits);
    constant_names_.push_back(std::move(name));
  }
  return kFirstConstant + static_cast<int>(i);
}

DType ProgramBuilder::DTypeOf(int value) const {
  if (value >= kFirstStep) return problem_.steps[static_cast<std::size_t>(value - kFirstStep)].kernel->output;
  if (value >= kFirstConstant) return constants_[static_cast<std::size_t>(value - kFirstConstant)].dtype;
  return problem_.operands[static_cast<std::size_t>(value)].dtype;
}

Problem ProgramBuilder::Finish(const ByteStrides& out_strides, std::string out_name, std::vector<std::string>* names) {
  const int inputs = static_cast<int>(names_.size()), operands = inputs + static_cast<int>(constants_.size());
  for (Step& step : problem_.steps) {
    for (int a = 0; a < step.arity; ++a) {
      int& value = step.values[a];
      if (value >= kFirstConstant) value += value >= kFirstStep ? operands - kFirstStep : inputs - kFirstConstant;
    }
  }
  problem_.operands.insert(problem_.operands.end(), constants_.begin(), constants_.end());
  problem_.operands.push_back({problem_.steps.back().kernel->output, out_strides});
  *names = std::move(names_);
  names->insert(names->end(), std::make_move_iterator(constant_names_.begin()), std::make_move_iterator(constant_names_.end()));
  names->push_back(std::move(out_name));
  return std::move(problem_);
}

}  // namespace axiscast
