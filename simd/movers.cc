// The staging movers, compiled for every target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/movers.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/movers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
Movers MoversOfTarget() { return TargetMovers(); }
}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "axiscast/kit/dispatch.h"
#include "simd/movers.h"
namespace axiscast {
HWY_EXPORT(MoversOfTarget);
Movers MoversFor(std::int64_t target) { return ForTarget(HWY_DISPATCH_TABLE(MoversOfTarget), target)(); }
}  // namespace axiscast
#endif  // HWY_ONCE
