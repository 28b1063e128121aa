// Quotients and remainders for scalars and lanes: of integers, truncated, without a trap; of floats; and an exact fmod.
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

// IEEE 754's x / y. Highway's EMU128 says 0 for a divisor of 0.
template <class D, class V>
HWY_INLINE V FloatQuotientLanes(D d, V x, V y) {
#if HWY_TARGET == HWY_EMU128
  return hn::IfThenElse(hn::Eq(y, hn::Zero(d)), hn::Mul(x, hn::CopySign(hn::Inf(d), y)), hn::Div(x, y));
#else
  static_cast<void>(d);
  return hn::Div(x, y);
#endif
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

// The C library's, lane by lane: exact, and slow where x is much larger than y.
template <class D, class V>
HWY_INLINE V FmodByLane(D d, V x, V y) {
  using T = hn::TFromD<D>;
  HWY_ALIGN T numerators[hn::MaxLanes(d)];
  HWY_ALIGN T divisors[hn::MaxLanes(d)];
  hn::Store(x, d, numerators);
  hn::Store(y, d, divisors);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) numerators[i] = std::fmod(numerators[i], divisors[i]);
  return hn::Load(d, numerators);
}

#if HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR
// |x| mod |y| by long division, a quotient of up to 53 bits at a time; lanes in which it has no meaning come out as anything. Each
// r - q * y is exact: it is a multiple of the last place of q times that of y, and smaller than 2^53 of those. Without a fused
// multiply-add, q is cut to 29 bits so that q * y is exact for a y that was a float. A quotient that was rounded up to the next
// whole number leaves a negative r, put right at the end. Sets *overflow when a quotient is out of range (x / y >= 2^1024).
template <class D, class V>
HWY_INLINE V FmodByLongDivision(D d, V x, V y, bool* overflow) {
  const V infinity = hn::Inf(d);
  const V numerator = hn::Abs(x);
  const V divisor = hn::Abs(y);
  const auto meaningful = hn::And(hn::Lt(numerator, infinity), hn::Gt(divisor, hn::Zero(d)));
  V r = numerator;
  auto left = hn::And(meaningful, hn::Ge(r, divisor));
  while (!hn::AllFalse(d, left)) {
    V q = hn::Div(r, divisor);
    if (!hn::AllFalse(d, hn::And(left, hn::Eq(hn::Abs(q), infinity)))) {
      *overflow = true;
      return r;
    }
#if !HWY_NATIVE_FMA
    const hn::RebindToUnsigned<D> bits;
    q = hn::And(q, hn::BitCast(d, hn::Set(bits, ~((std::uint64_t{1} << 24) - 1))));
#endif
    r = hn::IfThenElse(left, hn::NegMulAdd(hn::Trunc(q), divisor, r), r);
    left = hn::And(meaningful, hn::Ge(hn::Abs(r), divisor));
  }
  return hn::MaskedAddOr(r, hn::Lt(r, hn::Zero(d)), r, divisor);
}

template <class D, class V>
HWY_INLINE V FmodOrOverflow(D d, V x, V y, bool* overflow) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    const hn::Repartition<double, D> wide;
    const hn::Half<D> half;
    const auto low = FmodByLongDivision(wide, hn::PromoteLowerTo(wide, x), hn::PromoteLowerTo(wide, y), overflow);
    const auto high = FmodByLongDivision(wide, hn::PromoteUpperTo(wide, x), hn::PromoteUpperTo(wide, y), overflow);
    return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
  } else {
    return FmodByLongDivision(d, x, y, overflow);
  }
}
#endif  // HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR

// C99's fmod, exact.
template <class D, class V>
HWY_INLINE V FmodLanes(D d, V x, V y) {
#if HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR
  if constexpr (HWY_NATIVE_FMA || sizeof(hn::TFromD<D>) == 4) {
    bool overflow = false;
    const V r = FmodOrOverflow(d, x, y, &overflow);
    if (HWY_LIKELY(!overflow)) {
      const auto invalid = hn::Or(hn::Or(hn::IsEitherNaN(x, y), hn::IsInf(x)), hn::Eq(y, hn::Zero(d)));
      return hn::IfThenElse(invalid, hn::NaN(d), hn::CopySign(r, x));
    }
  }
#endif
  return FmodByLane(d, x, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
