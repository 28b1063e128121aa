// Chooses a target's function from a HWY_EXPORT table by a value, not by the process-wide state that HWY_DYNAMIC_DISPATCH has.
#ifndef AXISCAST_KIT_DISPATCH_H_
#define AXISCAST_KIT_DISPATCH_H_

#include <cstddef>
#include <cstdint>

#include "hwy/targets.h"

namespace axiscast {

// The function that a table made by HWY_EXPORT(F), HWY_DISPATCH_TABLE(F), has for `target`, one that ForEachTarget names. x86:
// where the file leaves that target out, for the next one, whose instructions it has too; elsewhere, that does not follow from
// their order. With one target compiled, the table has one entry; else the first is Highway's own and must not be called. Always
// inlined: what it does depends on the file that it is compiled in (HWY_TARGETS).
template <typename Function, std::size_t kEntries>
HWY_INLINE Function* ForTarget(Function* const (&table)[kEntries], std::int64_t target) {
  if constexpr (kEntries == 1) {
    static_cast<void>(target);
    return table[0];
  } else {
    hwy::ChosenTarget chosen;
    chosen.Update(HWY_ARCH_X86 ? ~(target - 1) : target);  // the next ones have higher bits
    return table[chosen.GetIndex()];
  }
}

// Whether a target is AVX-512 with more than AVX3 has, and the file is compiled for both.
HWY_INLINE constexpr bool IsBeyondAvx3(std::int64_t target) {
  return HWY_ARCH_X86 && target < HWY_AVX3 && (HWY_TARGETS & HWY_AVX3) != 0;
}

// The same of AVX3_DL.
HWY_INLINE constexpr bool IsBeyondAvx3Dl(std::int64_t target) {
  return IsBeyondAvx3(target) && target < HWY_AVX3_DL && (HWY_TARGETS & HWY_AVX3_DL) != 0;
}

// Calls f(target, Highway's name of it, whether this CPU has it) for every target of this file, best first; it has at least one.
template <class F>
HWY_INLINE void ForEachTarget(F f) {
  // A build for one target only (RVV and wasm, say) has no run-time detection that would report it.
  const std::int64_t supported = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  for (std::uint64_t left = static_cast<std::uint64_t>(HWY_TARGETS); left != 0;
       left &= left - 1) {  // better targets have lower bits
    const auto target = static_cast<std::int64_t>(left & (~left + 1));
    f(target, hwy::TargetName(target), (supported & target) != 0);
  }
}

}  // namespace axiscast

#endif  // AXISCAST_KIT_DISPATCH_H_
