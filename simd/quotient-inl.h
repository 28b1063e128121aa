// Quotients and remainders of integers, truncated or floored, for scalars and lanes: exact, and without a trap.
#if defined(AXISCAST_SIMD_QUOTIENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_QUOTIENT_INL_H_
#undef AXISCAST_SIMD_QUOTIENT_INL_H_
#else
#define AXISCAST_SIMD_QUOTIENT_INL_H_
#endif

#include <limits>
#include <type_traits>

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

// Whether the floored quotient is one less than one whose remainder is r, |r| < |y|. Of NaN: false.
template <typename T>
bool FloorsDown(T r, T y) {
  return r != 0 && (r < 0) != (y < 0);
}
template <class D, class V>
HWY_INLINE auto FloorsDownLanes(D d, V r, V y) {
  return hn::And(hn::Ne(r, hn::Zero(d)), hn::IsNegative(hn::Xor(r, y)));
}

enum class Rounding { kTruncated, kFloored };

// x / y rounded, and x - y * quotient. What a caller does not use is not computed.
template <class V>
struct Division {
  V quotient;
  V remainder;
};

// From a whole quotient near enough for |remainder| < |y|. Lanes of doubles that are whole will do too.
template <Rounding kRounding, class D, class V>
HWY_INLINE Division<V> RoundFrom(D d, V x, V y, std::type_identity_t<Division<V>> near) {
  const V one = hn::Set(d, hn::TFromD<D>{1});
  if constexpr (kRounding == Rounding::kFloored) {
    const auto down = FloorsDownLanes(d, near.remainder, y);
    return {hn::MaskedSubOr(near.quotient, down, near.quotient, one), hn::MaskedAddOr(near.remainder, down, near.remainder, y)};
  } else {
    const auto over = FloorsDownLanes(d, near.remainder, x);
    const auto opposite = hn::IsNegative(hn::Xor(x, y));
    const V down = hn::IfThenElse(opposite, hn::Neg(one), one);
    const V back = hn::IfThenElse(opposite, hn::Neg(y), y);
    return {hn::MaskedSubOr(near.quotient, over, near.quotient, down), hn::MaskedAddOr(near.remainder, over, near.remainder, back)};
  }
}

// By Highway's integer division.
template <Rounding kRounding, class D, class V>
HWY_INLINE Division<V> DivideByHighway(D d, V x, V y) {
  using T = hn::TFromD<D>;
  const V quotient = hn::Div(x, SafeDivisorLanes(d, x, y));
  const Division<V> truncated = {quotient, hn::Sub(x, hn::Mul(quotient, y))};
  if constexpr (kRounding == Rounding::kFloored && std::is_signed_v<T>) {
    return RoundFrom<kRounding>(d, x, y, truncated);
  } else {
    return truncated;
  }
}

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// 8 and 16 bits: as lanes twice as wide, the low halves and the high halves, down to floats. Their quotient has the right whole
// part: that of 16 bits by 16 bits is at least 2^-16 below the next whole number, or 2^-32 of itself...
template <Rounding kRounding, class D, class V>
HWY_INLINE V QuotientByFloats(D d, V x, V y) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 4) {
    const hn::Rebind<float, D> d_float;
    const auto ratio = hn::Div(hn::ConvertTo(d_float, x), hn::ConvertTo(d_float, y));
    if constexpr (kRounding == Rounding::kFloored && std::is_signed_v<T>) {
      return hn::ConvertInRangeTo(d, hn::Floor(ratio));
    } else {
      return hn::ConvertInRangeTo(d, ratio);
    }
  } else {
    // Those of unsigned lanes are not negative in wider signed ones, whose conversions are instructions.
    constexpr int kBits = 8 * sizeof(T);
    const hn::RepartitionToWide<D> wide;
    const hn::RebindToSigned<decltype(wide)> d_wide;
    const auto low_half = [&](V v) HWY_ATTR {
      if constexpr (std::is_signed_v<T>) {
        return hn::ShiftRight<kBits>(hn::ShiftLeft<kBits>(hn::BitCast(d_wide, v)));
      } else {
        return hn::And(hn::BitCast(d_wide, v), hn::Set(d_wide, (1 << kBits) - 1));
      }
    };
    const auto high_half = [&](V v) HWY_ATTR { return hn::BitCast(d_wide, hn::ShiftRight<kBits>(hn::BitCast(wide, v))); };
    const auto low = QuotientByFloats<kRounding>(d_wide, low_half(x), low_half(y));
    const auto high = QuotientByFloats<kRounding>(d_wide, high_half(x), high_half(y));
    const auto mask = hn::Set(d_wide, (1 << kBits) - 1);
    return hn::BitCast(d, hn::Or(hn::ShiftLeft<kBits>(high), hn::And(low, mask)));
  }
}

// The whole number nearest to a float, for |x| < 2^(mantissa bits - 1), as an integer: added to 1.5 * 2^(mantissa bits), it is in
// the low bits. Any rounding of the sum is near enough here.
template <class D, class V>
HWY_INLINE auto WholeNumberSum(D d_float) {
  using T = hn::TFromD<D>;
  return hn::Set(d_float, static_cast<T>(sizeof(T) == 4 ? 0x1.8p23 : 0x1.8p52));
}

// 32 and 64 bits: the product of x and 1 / y as floats of the same width is off by at most 2^-k of itself (k = 22 or 51: four
// roundings of 2^-24 or 2^-53), so a first quotient leaves a remainder below |y| + 2^-k |x|, and the quotient of that is right
// but for its rounding to the nearest whole number. Then |remainder| < 0.51 |y|. The first quotient overflows where |y| = 1,
// whether it then saturates or becomes the lowest integer, the second one puts it right, as all is modulo 2^bits: the lowest
// integer / -1 too.
template <class D, class V>
HWY_INLINE Division<V> NearDivision(D d, V x, V y, hn::Vec<hn::RebindToFloat<D>> reciprocal) {
  const hn::RebindToFloat<D> d_float;
  const auto sum = hn::Set(d_float, static_cast<hn::TFromD<decltype(d_float)>>(sizeof(hn::TFromD<D>) == 4 ? 0x1.8p23 : 0x1.8p52));
  const V first = hn::ConvertInRangeTo(d, hn::Mul(hn::ConvertTo(d_float, x), reciprocal));
  const V left = hn::Sub(x, hn::Mul(first, y));
  const V second = hn::Sub(hn::BitCast(d, hn::MulAdd(hn::ConvertTo(d_float, left), reciprocal, sum)), hn::BitCast(d, sum));
  return {hn::Add(first, second), hn::Sub(left, hn::Mul(second, y))};
}
template <Rounding kRounding, class D, class V>
HWY_INLINE Division<V> DivideByReciprocal(D d, V x, V y) {
  using T = hn::TFromD<D>;
  const hn::RebindToFloat<D> d_float;
  const hn::RebindToSigned<D> d_signed;
  const auto signed_y = hn::BitCast(d_signed, y);
  const auto reciprocal = hn::Div(hn::Set(d_float, hn::TFromD<decltype(d_float)>{1}), hn::ConvertTo(d_float, signed_y));
  if constexpr (std::is_signed_v<T>) {
    return RoundFrom<kRounding>(d, x, y, NearDivision(d, x, y, reciprocal));
  } else {
    // The floored quotient of x / 2, doubled, is right or one too small. A divisor whose highest bit is set counts as infinite in
    // it: that gives 0.
    const auto half = hn::BitCast(d_signed, hn::ShiftRight<1>(x));
    const auto near = NearDivision(d_signed, half, signed_y, hn::Max(reciprocal, hn::Zero(d_float)));
    const auto ones = hn::Set(d_signed, -1);
    const auto of_half = hn::Add(near.quotient, hn::BroadcastSignBit(near.remainder));
    static_cast<void>(ones);
    const V quotient = hn::BitCast(d, hn::Add(of_half, of_half));
    const V r = hn::Sub(x, hn::Mul(quotient, y));
    const auto more = hn::Ge(r, y);
    return {hn::MaskedAddOr(quotient, more, quotient, hn::Set(d, T{1})), hn::MaskedSubOr(r, more, r, y)};
  }
}
#endif

// Whether there are instructions for 64-bit integers from and to double. Not before AVX-512 on x86.
inline constexpr bool kHasInt64Conversions = HWY_HAVE_FLOAT64 && (!HWY_ARCH_X86 || HWY_TARGET <= HWY_AVX3);

template <Rounding kRounding, class D, class V>
HWY_NOINLINE Division<V> DivideLargeByHighway(D d, V x, V y) {
  return DivideByHighway<kRounding>(d, x, y);
}

#if HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR
// 64 bits where all lanes are from -2^51 to 2^51 - 1, as doubles: their quotient, taken to a nearest whole number, leaves a
// remainder that is exact, multiply-add or not. The whole numbers are converted by adding 1.5 * 2^52, which leaves them in the low
// bits.
template <Rounding kRounding, class D, class V>
HWY_INLINE Division<V> DivideByDoubles(D d, V x, V y) {
  const hn::RebindToFloat<D> d_float;
  const auto offset = hn::Set(d_float, 0x1.8p52);
  const V offset_bits = hn::BitCast(d, offset);
  const V x_bits = hn::Add(x, offset_bits);
  const V y_bits = hn::Add(y, offset_bits);
  const hn::Repartition<std::uint32_t, D> halves;
  using T = hn::TFromD<D>;  // unsigned: from 0 on
  const V lowest = std::is_signed_v<T> ? hn::BitCast(d, hn::Set(d_float, 0x1p52)) : offset_bits;
  const V high = hn::Set(d, static_cast<T>(~std::uint64_t{0} << (std::is_signed_v<T> ? 52 : 51)));
  const V beyond = hn::And(hn::Or(hn::Xor(x_bits, lowest), hn::Xor(y_bits, lowest)), high);
  if (HWY_UNLIKELY(!hn::AllTrue(halves, hn::Eq(hn::BitCast(halves, beyond), hn::Zero(halves))))) {
    return DivideLargeByHighway<kRounding>(d, x, y);
  }
  const auto x_float = hn::Sub(hn::BitCast(d_float, x_bits), offset);
  const auto y_float = hn::Sub(hn::BitCast(d_float, y_bits), offset);
  const auto quotient = hn::Sub(hn::Add(hn::Div(x_float, y_float), offset), offset);
  const auto remainder = hn::NegMulAdd(quotient, y_float, x_float);
  const auto rounded = RoundFrom<kRounding>(d_float, x_float, y_float, {quotient, remainder});
  const auto whole = [&](auto v) HWY_ATTR { return hn::Sub(hn::BitCast(d, hn::Add(v, offset)), offset_bits); };
  return {whole(rounded.quotient), whole(rounded.remainder)};
}
#endif

template <Rounding kRounding, class D, class V>
HWY_INLINE Division<V> DivideLanes(D d, V x, V y) {
  using T = hn::TFromD<D>;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  return DivideByHighway<kRounding>(d, x, y);
#else
  if constexpr (sizeof(T) <= 2) {
    const V quotient = QuotientByFloats<kRounding>(d, x, y);
    return {quotient, hn::Sub(x, hn::Mul(quotient, y))};
  } else if constexpr (sizeof(T) == 4 || kHasInt64Conversions) {
    return DivideByReciprocal<kRounding>(d, x, y);
#if HWY_HAVE_FLOAT64
  } else if constexpr (HWY_HAVE_FLOAT64) {
    return DivideByDoubles<kRounding>(d, x, y);
#endif
  } else {
    return DivideByHighway<kRounding>(d, x, y);
  }
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
