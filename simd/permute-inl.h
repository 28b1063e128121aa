// What the movers of one target share: more tables of lanes.
#if defined(AXISCAST_SIMD_PERMUTE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_PERMUTE_INL_H_
#undef AXISCAST_SIMD_PERMUTE_INL_H_
#else
#define AXISCAST_SIMD_PERMUTE_INL_H_
#endif

#include "axiscast/kit/permute-inl.h"
#include "hwy/highway.h"
#include "simd/element.h"
#include "simd/repeat_tables.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether a vector's lanes are permuted in few instructions.
template <typename T>
inline constexpr bool kHasLanePermute = kHasLanes<T> && (HWY_ARCH_X86 ? HWY_TARGET <= HWY_SSSE3 : HWY_TARGET_IS_NEON);

// kCycleTables.of[p][q] = q % p: where element q of p elements over and over comes from.
struct CycleTables {
  std::uint8_t of[kMaxTableLanes + 1][kMaxTableLanes + 1];
};
constexpr CycleTables MakeCycleTables() {
  CycleTables tables = {};
  for (std::size_t p = 1; p <= kMaxTableLanes; ++p) {
    for (std::size_t q = 0; q <= kMaxTableLanes; ++q) tables.of[p][q] = static_cast<std::uint8_t>(q % p);
  }
  return tables;
}
inline constexpr CycleTables kCycleTables = MakeCycleTables();

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
