// The comparisons and predicates, compiled for every target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/comparison.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/comparison-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
const TargetRow* ComparisonRows() { return RowsOf(ComparisonOps()); }
}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "axiscast/kit/dispatch.h"
namespace axiscast {
HWY_EXPORT(ComparisonRows);
std::vector<OpDefinition> ComparisonFamily(std::int64_t target) {
  return HWY_NAMESPACE::Definitions(HWY_NAMESPACE::ComparisonOps(), HWY_DISPATCH_TABLE(ComparisonRows), target);
}
}  // namespace axiscast
#endif  // HWY_ONCE
