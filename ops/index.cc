// Gather and scatter, compiled for every target; the reductions are ops that exist elsewhere.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/index.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/arithmetic-inl.h"
#include "ops/minmax-inl.h"
#include "simd/index-inl.h"
#include "simd/index_reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {

template <typename T>
void SetReductions(IndexKernels& kernels) {
  if constexpr (!std::is_same_v<T, bool>) {
    constexpr auto kDType = static_cast<std::size_t>(kDTypeOf<T>);
    const auto set = [&kernels](Reduction reduction, IndexRowsFunction function) {
      kernels.reduce[static_cast<std::size_t>(reduction)][kDType] = function;
    };
    set(Reduction::kAdd, &ReduceRows<Add, SameBits<T>>);
    set(Reduction::kMultiply, &ReduceRows<Multiply, SameBits<T>>);
    set(Reduction::kMinimum, &ReduceRows<Minimum, T>);
    set(Reduction::kMaximum, &ReduceRows<Maximum, T>);
    kernels.load[kDType] = &LoadRows<SameBits<T>>;
    kernels.store[kDType] = &StoreRows<T>;
  }
}
template <typename... T>
void SetAllReductions(IndexKernels& kernels, TypeList<T...>) {
  (SetReductions<T>(kernels), ...);
}

IndexKernels IndexKernelsOfTarget() {
  IndexKernels kernels = IndexMovers();
  SetAllReductions(kernels, ElementTypes());
  return kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "axiscast/kit/dispatch.h"
#include "ops/index.h"
namespace axiscast {
HWY_EXPORT(IndexKernelsOfTarget);
IndexKernels IndexKernelsFor(std::int64_t target) { return ForTarget(HWY_DISPATCH_TABLE(IndexKernelsOfTarget), target)(); }
}  // namespace axiscast
#endif  // HWY_ONCE
