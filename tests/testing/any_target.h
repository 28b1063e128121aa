// Whether any plan here has permuted, transposed or recurring inputs, or results that are spread: their kernels are for targets
// with long vectors.
#ifndef AXISCAST_TESTS_TESTING_ANY_TARGET_H_
#define AXISCAST_TESTS_TESTING_ANY_TARGET_H_

#include <algorithm>

#include "axiscast/registry.h"

namespace axiscast::test {

template <class Predicate>
bool AnyKernelOfAdd(Predicate takes) {
  const auto targets = Registry::SupportedTargets();
  return std::any_of(targets.begin(), targets.end(), [takes](const char* target) {
    const Registry* registry = nullptr;
    if (!Registry::BuiltInFor(target, &registry).ok()) return false;
    const std::vector<Kernel>& kernels = registry->Find("add")->kernels();
    return std::any_of(kernels.begin(), kernels.end(), takes);
  });
}
inline bool AnyTargetPermutes() {
  return AnyKernelOfAdd([](const Kernel& kernel) { return kernel.abilities.permutes > 0; });
}
inline bool AnyTargetTransposes() {
  return AnyKernelOfAdd([](const Kernel& kernel) { return kernel.abilities.transposes; });
}
inline bool AnyTargetRecurs() {
  return AnyKernelOfAdd([](const Kernel& kernel) { return kernel.abilities.recurs > 0; });
}
inline bool AnyTargetSpreads() {
  return AnyKernelOfAdd([](const Kernel& kernel) { return kernel.abilities.spreads; });
}
inline bool AnyTargetAsks() {
  return AnyKernelOfAdd([](const Kernel& kernel) { return kernel.abilities.asks; });
}

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_ANY_TARGET_H_
