// Tables of lanes: where the elements of a permuted vector come from.
#if defined(AXISCAST_KIT_PERMUTE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_PERMUTE_INL_H_
#undef AXISCAST_KIT_PERMUTE_INL_H_
#else
#define AXISCAST_KIT_PERMUTE_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether vectors whose lanes have so many bytes are permuted, any lane from anywhere, in one instruction.
template <std::size_t kLaneBytes>
inline constexpr bool kPermutesLanes = HWY_ARCH_X86 && (HWY_TARGET <= HWY_AVX3_DL || (HWY_TARGET <= HWY_AVX3 && kLaneBytes >= 2) ||
                                                        (HWY_TARGET <= HWY_AVX2 && kLaneBytes == 4));

template <class D>
HWY_INLINE hn::VFromD<D> LoadTable(D d, const std::uint8_t* table) {
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    return hn::LoadU(d, table);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::uint8_t, D>(), table));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
