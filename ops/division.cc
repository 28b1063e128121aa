// The division family, compiled for every target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/division.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/division-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
const TargetRow* DivisionRows() { return RowsOf(DivisionOps()); }
}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "axiscast/kit/dispatch.h"
namespace axiscast {
HWY_EXPORT(DivisionRows);
std::vector<OpDefinition> DivisionFamily(std::int64_t target) {
  return HWY_NAMESPACE::Definitions(HWY_NAMESPACE::DivisionOps(), HWY_DISPATCH_TABLE(DivisionRows), target);
}
}  // namespace axiscast
#endif  // HWY_ONCE
