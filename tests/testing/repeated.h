// Whether any plan here has repeated inputs: their kernels are for targets that permute lanes in one instruction.
#ifndef AXISCAST_TESTS_TESTING_REPEATED_H_
#define AXISCAST_TESTS_TESTING_REPEATED_H_

#include <algorithm>

#include "axiscast/registry.h"

namespace axiscast::test {

inline bool AnyTargetRepeats() {
  const auto targets = Registry::SupportedTargets();
  return std::any_of(targets.begin(), targets.end(), [](const char* target) {
    const Registry* registry = nullptr;
    if (!Registry::BuiltInFor(target, &registry).ok()) return false;
    const std::vector<Kernel>& kernels = registry->Find("add")->kernels();
    return std::any_of(kernels.begin(), kernels.end(), [](const Kernel& kernel) { return kernel.repeats; });
  });
}

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_REPEATED_H_
