// Whether any plan here has permuted inputs: their kernels are for targets that permute lanes in one instruction.
#ifndef AXISCAST_TESTS_TESTING_PERMUTED_H_
#define AXISCAST_TESTS_TESTING_PERMUTED_H_

#include <algorithm>

#include "axiscast/registry.h"

namespace axiscast::test {

inline bool AnyTargetPermutes() {
  const auto targets = Registry::SupportedTargets();
  return std::any_of(targets.begin(), targets.end(), [](const char* target) {
    const Registry* registry = nullptr;
    if (!Registry::BuiltInFor(target, &registry).ok()) return false;
    const std::vector<Kernel>& kernels = registry->Find("add")->kernels();
    return std::any_of(kernels.begin(), kernels.end(), [](const Kernel& kernel) { return kernel.permutes > 0; });
  });
}

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_PERMUTED_H_
