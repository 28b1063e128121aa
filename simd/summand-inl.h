// What sums are made of: summands as they are loaded, accumulators, and how many lanes a block has.
#if defined(AXISCAST_SIMD_SUMMAND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_SUMMAND_INL_H_
#undef AXISCAST_SIMD_SUMMAND_INL_H_
#else
#define AXISCAST_SIMD_SUMMAND_INL_H_
#endif

#include <type_traits>

#include "core/sum_tree.h"
#include "axiscast/kit/operand-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// T is an unsigned integer or a float of the dtype list.
template <typename T>
inline constexpr std::int64_t kLanesOf = std::is_integral_v<T> ? HWY_MAX(kSumLanes, std::int64_t{64 / sizeof(T)}) : kSumLanes;
template <typename T>
inline constexpr std::int64_t kBlockOf = kLanesOf<T>* kSumSteps;

// What adds nothing, as it is stored: not even +0 to -0.
template <typename T>
HWY_INLINE Stored<T> NoSummand() {
  if constexpr (kIsHalf<T>) {
    return 0x8000;
  } else {
    return static_cast<T>(std::is_floating_point_v<T> ? -0.0 : 0);
  }
}

// Summands [i, i + lanes) behind x, as accumulators.
template <typename T, class D>
HWY_INLINE hn::VFromD<D> LoadSummands(D d, const std::byte* x, std::size_t i) {
  return FromStored<T>(d, hn::LoadU(StoredTag<T, D>(), reinterpret_cast<const Stored<T>*>(x) + i));
}
// The first n of them, n <= lanes, and none in the other lanes.
template <typename T, class D>
HWY_INLINE hn::VFromD<D> LoadUpToSummands(D d, const std::byte* x, std::size_t i, std::size_t n) {
  const StoredTag<T, D> d_stored;
  return FromStored<T>(d, hn::LoadNOr(hn::Set(d_stored, NoSummand<T>()), d_stored, reinterpret_cast<const Stored<T>*>(x) + i, n));
}

template <typename A>
void AddAccumulators(A* x, const A* y, std::int64_t signed_count) {
  const hn::ScalableTag<A> d;
  const std::size_t lanes = hn::Lanes(d), count = static_cast<std::size_t>(signed_count);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, x + i);
  if (i == count) return;
  const std::size_t left = count - i;
  hn::StoreN(hn::Add(hn::LoadN(d, x + i, left), hn::LoadN(d, y + i, left)), d, x + i, left);
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
