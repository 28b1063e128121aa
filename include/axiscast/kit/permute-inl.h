// Vectors at any address, and tables of lanes: where the elements of a permuted vector come from.
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
                                                        (HWY_TARGET <= HWY_AVX2 && kLaneBytes >= 4));

// Views may have any address: vectors are loaded and stored as bytes.
template <class D>
HWY_INLINE hn::VFromD<D> LoadBytes(D d, const std::byte* from) {
  const hn::Repartition<std::uint8_t, D> bytes;
  return hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)));
}
template <class D>
HWY_INLINE void StoreBytes(hn::VFromD<D> v, D d, std::byte* to) {
  const hn::Repartition<std::uint8_t, D> bytes;
  static_cast<void>(d);
  hn::StoreU(hn::BitCast(bytes, v), bytes, reinterpret_cast<std::uint8_t*>(to));
}

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
