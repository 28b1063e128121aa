// The sign family, compiled for every target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/sign.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/sign-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
const TargetRow* SignRows() { return RowsOf(SignOps()); }
}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "axiscast/kit/dispatch.h"
namespace axiscast {
HWY_EXPORT(SignRows);
std::vector<OpDefinition> SignFamily(std::int64_t target) {
  return HWY_NAMESPACE::Definitions(HWY_NAMESPACE::SignOps(), HWY_DISPATCH_TABLE(SignRows), target);
}
}  // namespace axiscast
#endif  // HWY_ONCE
