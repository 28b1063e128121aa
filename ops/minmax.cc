// The minmax family, compiled for every target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/minmax.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/minmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
const TargetRow* MinMaxRows() { return RowsOf(MinMaxOps()); }
}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "axiscast/kit/dispatch.h"
namespace axiscast {
HWY_EXPORT(MinMaxRows);
std::vector<OpDefinition> MinMaxFamily(std::int64_t target) {
  return HWY_NAMESPACE::Definitions(HWY_NAMESPACE::MinMaxOps(), HWY_DISPATCH_TABLE(MinMaxRows), target);
}
}  // namespace axiscast
#endif  // HWY_ONCE
