// Chooses a target's function from a HWY_EXPORT table by a value, not by the process-wide state that HWY_DYNAMIC_DISPATCH has.
#ifndef AXISCAST_SIMD_DISPATCH_H_
#define AXISCAST_SIMD_DISPATCH_H_

#include <cstddef>
#include <cstdint>

#include "hwy/targets.h"

namespace axiscast {

// The function that a table made by HWY_EXPORT(F), HWY_DISPATCH_TABLE(F), has for `target`, one of BuiltInTargets().
// With one target compiled, the table has one entry; else the first is Highway's own and must not be called.
template <typename Function, std::size_t kEntries>
Function* ForTarget(Function* const (&table)[kEntries], std::int64_t target) {
  if constexpr (kEntries == 1) {
    static_cast<void>(target);
    return table[0];
  } else {
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    return table[chosen.GetIndex()];
  }
}

}  // namespace axiscast

#endif  // AXISCAST_SIMD_DISPATCH_H_
