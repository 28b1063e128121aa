// Truncated integer quotients and remainders that never trap, and an exact fmod, for scalars and lanes.
#if defined(AXISCAST_SIMD_REMAINDER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_REMAINDER_INL_H_
#undef AXISCAST_SIMD_REMAINDER_INL_H_
#else
#define AXISCAST_SIMD_REMAINDER_INL_H_
#endif

#include <cmath>
#include <limits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A divisor that cannot trap or overflow in its place: 1 where x / y wraps to x, and for 0, which the ops refuse but which fills
// up partial vectors.
template <typename T>
T SafeDivisor(T x, T y) {
  if constexpr (std::is_signed_v<T>) {
    if (y == -1 && x == std::numeric_limits<T>::min()) return 1;
  }
  return y == 0 ? T{1} : y;
}
template <class D, class V>
HWY_INLINE V SafeDivisorLanes(D d, V x, V y) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T{1});
  const V nonzero = hn::IfThenElse(hn::Eq(y, hn::Zero(d)), one, y);
  if constexpr (std::is_signed_v<T>) {
    const auto wraps = hn::And(hn::Eq(y, hn::Set(d, T{-1})), hn::Eq(x, hn::Set(d, std::numeric_limits<T>::min())));
    return hn::IfThenElse(wraps, one, nonzero);
  } else {
    return nonzero;
  }
}

template <typename T>
T TruncatedQuotient(T x, T y) {
  return static_cast<T>(x / SafeDivisor(x, y));
}
template <typename T>
T TruncatedRemainder(T x, T y) {
  return static_cast<T>(x % SafeDivisor(x, y));
}

// Highway's integer Div is exact: through a float of more bits, or in two corrected steps for 64 bits.
template <class D, class V>
HWY_INLINE V TruncatedQuotientLanes(D d, V x, V y) {
  return hn::Div(x, SafeDivisorLanes(d, x, y));
}
template <class D, class V>
HWY_INLINE V TruncatedRemainderLanes(D d, V x, V y) {
  const V divisor = SafeDivisorLanes(d, x, y);
  return hn::Sub(x, hn::Mul(hn::Div(x, divisor), divisor));
}

template <class D, class V>
HWY_INLINE V FmodLanes(D d, V x, V y) {
  using T = hn::TFromD<D>;
  HWY_ALIGN T numerators[hn::MaxLanes(d)];
  HWY_ALIGN T divisors[hn::MaxLanes(d)];
  hn::Store(x, d, numerators);
  hn::Store(y, d, divisors);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) numerators[i] = std::fmod(numerators[i], divisors[i]);
  return hn::Load(d, numerators);
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
