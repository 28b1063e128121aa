// The bitwise family and the shifts, compiled for every target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/bitwise.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/bitwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
const TargetRow* BitwiseRows() { return RowsOf(BitwiseOps()); }
}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "axiscast/kit/dispatch.h"
namespace axiscast {
HWY_EXPORT(BitwiseRows);
std::vector<OpDefinition> BitwiseFamily(std::int64_t target) {
  return HWY_NAMESPACE::Definitions(HWY_NAMESPACE::BitwiseOps(), HWY_DISPATCH_TABLE(BitwiseRows), target);
}
}  // namespace axiscast
#endif  // HWY_ONCE
