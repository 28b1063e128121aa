// What a registry keeps of an op beside its definition.
#ifndef AXISCAST_CORE_REGISTRY_H_
#define AXISCAST_CORE_REGISTRY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "axiscast/registry.h"
#include "core/kernel.h"

namespace axiscast {

struct Form;
struct Gradient;

// What core runs by itself beside the ops' own kernels, compiled for one target.
struct TargetKernels {
  Movers movers;
  SumKernels sums;
  IndexKernels index;
};

struct Op::Entry {
  std::uint64_t id;  // no other op of this process has it, even when this one is gone
  OpDefinition definition;
  const Form* form;                    // null for elementwise ops
  const Gradient* gradient = nullptr;  // of NAME_grad
  const TargetKernels* kernels;        // of the target that the registry's built-in ops are compiled for
  std::vector<std::string> names;      // canonical, then aliases
  std::vector<std::string> operands;   // one per input
  const char* operand_names[kMaxArity];
};

// The words of a space-separated text.
std::vector<std::string> SplitWords(std::string_view text);

}  // namespace axiscast

#endif  // AXISCAST_CORE_REGISTRY_H_
