// The sums, compiled for every target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/sum.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
SumKernels SumsOfTarget() { return TargetSums(); }
}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "axiscast/kit/dispatch.h"
#include "simd/sum.h"
namespace axiscast {
HWY_EXPORT(SumsOfTarget);
SumKernels SumsFor(std::int64_t target) { return ForTarget(HWY_DISPATCH_TABLE(SumsOfTarget), target)(); }
}  // namespace axiscast
#endif  // HWY_ONCE
