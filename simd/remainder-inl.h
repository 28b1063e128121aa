// Quotients and remainders of floats, in lanes: an exact fmod, and the floored quotient.
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

#if HWY_NATIVE_FMA
// x - q * y, rounded once, subnormals too. GCC 12 makes of Highway's for POWER one of two instructions, as its registers lie, and
// the one of AltiVec (vnmsubfp) takes subnormal floats for 0: this is the other. Both leave -0 of what is exact, as z's does.
template <class D, class V>
HWY_INLINE V FusedRemainder(D, V x, V q, V y) {
#if HWY_ARCH_PPC && HWY_COMPILER_GCC_ACTUAL
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    asm("xvnmsubasp %x0, %x1, %x2" : "+wa"(x.raw) : "wa"(q.raw), "wa"(y.raw));
    return x;
  }
#endif
  return hn::NegMulAdd(q, y, x);
}
#endif

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

// |x| mod |y| of magnitudes, whatever their quotient: exact.
template <class D, class V>
HWY_NOINLINE V FmodOfAny(D d, V numerator, V divisor) {
#if HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR
  if constexpr (HWY_NATIVE_FMA || sizeof(hn::TFromD<D>) == 4) {
    bool overflow = false;
    const V r = FmodOrOverflow(d, numerator, divisor, &overflow);
    if (HWY_LIKELY(!overflow)) {
      const auto invalid = hn::Or(hn::Or(hn::IsEitherNaN(numerator, divisor), hn::IsInf(numerator)), hn::Eq(divisor, hn::Zero(d)));
      return hn::IfThenElse(invalid, hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN()), r);  // not hn::NaN: half-inl.h
    }
  }
#endif
  return FmodByLane(d, numerator, divisor);
}

// x less a whole number of y, both magnitudes, |result| < y. In one step where that is enough, as it mostly is (7 cycles for a
// vector; the loops above take 20 to 60): fused, x - q * y is exact wherever it comes out below y <= x, whatever whole number q is,
// because it is a multiple of the last place of y. Where it does not, q had too few bits.
template <class D, class V>
HWY_INLINE V NearRemainder(D d, V x, V y) {
#if HWY_NATIVE_FMA
  const V r = hn::IfThenElse(hn::Lt(x, y), x, FusedRemainder(d, x, hn::Trunc(hn::Div(x, y)), y));
  if (HWY_LIKELY(hn::AllFalse(d, hn::Ge(hn::Abs(r), y)))) return r;
#endif
  return FmodOfAny(d, x, y);
}

template <class D, class V>
HWY_INLINE V SignOf(D d, V v) {
  return hn::And(v, hn::SignBit(d));
}

// C99's fmod, exact.
template <class D, class V>
HWY_INLINE V FmodLanes(D d, V x, V y) {
  const V divisor = hn::Abs(y);
  const V r = NearRemainder(d, hn::Abs(x), divisor);
  return hn::CopySign(hn::MaskedAddOr(r, hn::Lt(r, hn::Zero(d)), r, divisor), x);
}

// FloorsDown, for lanes of floats.
template <class D, class V>
HWY_INLINE auto FloorsDownLanes(D d, V r, V y) {
  return hn::Lt(hn::Xor(r, SignOf(d, y)), hn::Zero(d));
}

// x - y * floor(x / y), rounded once. With x's sign turned round where y is negative, and |y|, most results are the remainder r of
// the rounded quotient: it is exact (see NearRemainder) and right if 0 <= r < |y|, which its bits tell in one comparison, as those
// of a negative r or a NaN are larger. Of the rest, most are of a quotient that was rounded up to the next whole number. That takes
// 0.8 of the time of the magnitudes. Where an |x| below |y| has another sign, the rounded sum. NaNs are let through where an
// operand is one.
template <class D, class V>
HWY_INLINE V FlooredRemainderLanes(D d, V x, V y) {
  const V divisor = hn::Abs(y);
#if HWY_NATIVE_FMA
  const V sign = SignOf(d, y);
  const hn::RebindToUnsigned<D> bits;
  const V turned = hn::Xor(x, sign);
  const V near = FusedRemainder(d, turned, hn::Floor(hn::Div(turned, divisor)), divisor);
  if (HWY_LIKELY(hn::AllTrue(bits, hn::Lt(hn::BitCast(bits, near), hn::BitCast(bits, divisor))))) return hn::Or(near, sign);
  const auto smaller = hn::Lt(hn::Abs(near), divisor);
  if (HWY_LIKELY(hn::AllTrue(d, smaller)) || hn::AllTrue(d, hn::Or(smaller, hn::IsEitherNaN(x, y)))) {
    return hn::CopySign(hn::MaskedAddOr(near, hn::Lt(near, hn::Zero(d)), near, divisor), y);
  }
#endif
  const V r = hn::Xor(NearRemainder(d, hn::Abs(x), divisor), SignOf(d, hn::Xor(x, y)));  // as if y were positive
  return hn::CopySign(hn::MaskedAddOr(r, hn::Lt(r, hn::Zero(d)), r, divisor), y);
}

// floor(x / y) as Scalar of floor_divide says: (x - fmod) / y, less 1, to the nearest whole number.
template <class D, class V>
HWY_NOINLINE V FlooredQuotientOfAny(D d, V x, V y) {
  using T = hn::TFromD<D>;
  const auto zero = hn::Zero(d);
  const auto one = hn::Set(d, T{1});
  const V ratio = FloatQuotientLanes(d, x, y);
  const V r = FmodLanes(d, x, y);
  V quotient = hn::Div(hn::Sub(x, r), y);
  quotient = hn::MaskedSubOr(quotient, FloorsDownLanes(d, r, y), quotient, one);
  const V floored = hn::Floor(quotient);
  const V nearest = hn::MaskedAddOr(floored, hn::Gt(hn::Sub(quotient, floored), hn::Set(d, T{0.5})), floored, one);
  const V whole = hn::IfThenElse(hn::Eq(quotient, zero), hn::CopySign(zero, ratio), nearest);
  return hn::IfThenElse(hn::Eq(y, zero), ratio, whole);
}

// The same without the remainder where the quotient is small. Then (x - fmod) / y is off by less than 1/4, so the nearest whole
// number is the floored quotient itself; and the floor of the rounded quotient is that, or one more where rounding reached a whole
// number, which the sign of x - floor * y tells.
template <class D, class V>
HWY_INLINE V FlooredQuotientLanes(D d, V x, V y) {
#if HWY_NATIVE_FMA
  using T = hn::TFromD<D>;
  const V ratio = hn::Div(x, y);
  if (HWY_LIKELY(hn::AllFalse(d, hn::Ge(hn::Abs(ratio), hn::Set(d, static_cast<T>(sizeof(T) == 4 ? 0x1p21 : 0x1p50)))))) {
    const V floored = hn::Floor(ratio);
    const V r = hn::IfThenElse(hn::Eq(floored, hn::Zero(d)), x, FusedRemainder(d, x, floored, y));  // y may be infinite
    return hn::MaskedSubOr(floored, FloorsDownLanes(d, r, y), floored, hn::Set(d, T{1}));
  }
#endif
  return FlooredQuotientOfAny(d, x, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
