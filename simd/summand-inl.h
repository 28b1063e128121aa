// What sums are made of: summands as they are loaded, accumulators, and how many lanes a block has.
#if defined(AXISCAST_SIMD_SUMMAND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_SUMMAND_INL_H_
#undef AXISCAST_SIMD_SUMMAND_INL_H_
#else
#define AXISCAST_SIMD_SUMMAND_INL_H_
#endif

#include <type_traits>

#include "axiscast/kit/operand-inl.h"
#include "core/sum_tree.h"

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

// Adds the lanes of a vector up, the upper half to the lower one.
template <class D>
HWY_INLINE hn::TFromD<D> FoldVector([[maybe_unused]] D d, hn::VFromD<D> v) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(v);
  } else {
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
    hn::TFromD<D> lanes[hn::MaxLanes(D())];
    hn::StoreU(v, d, lanes);
    for (std::size_t half = hn::MaxLanes(D()) / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) lanes[i] = static_cast<hn::TFromD<D>>(lanes[i] + lanes[i + half]);
    }
    return lanes[0];
#else
    // The sums of eight bytes are one instruction on some targets; how integers are added up does not matter.
    if constexpr (sizeof(hn::TFromD<D>) == 1 && hn::MaxLanes(D()) >= 16) {
      return static_cast<hn::TFromD<D>>(FoldVector(hn::Repartition<std::uint64_t, D>(), hn::SumsOf8(v)));
    }
    const hn::Half<D> half;
    return FoldVector(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
#endif
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
