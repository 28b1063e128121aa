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

// Each of the functions below gives x / y, rounded, and x - y * quotient as `remainder`. What a caller does not use is not
// computed. Not both in a struct: SVE has none of vectors.
enum class Toward { kZero, kMinusInfinity };

// All ones in lanes where x and y, integers, have different signs; else 0.
template <class D, class V>
HWY_INLINE V SignsDiffer(D, V x, V y) {
  return hn::BroadcastSignBit(hn::Xor(x, y));
}
// -v where `negative` is all ones, v where it is 0.
template <class V>
HWY_INLINE V NegateWhere(V negative, V v) {
  return hn::Sub(hn::Xor(v, negative), negative);
}

// From a whole quotient near enough for |remainder| < |y|, integers: without masks, which wait 4 cycles to be made and used.
template <Toward kToward, class D, class V>
HWY_INLINE V RoundFrom(D d, V x, V y, V quotient, V& remainder) {
  if constexpr (kToward == Toward::kMinusInfinity) {
    const V below = hn::BroadcastSignBit(NegateWhere(hn::BroadcastSignBit(y), remainder));
    remainder = hn::Add(remainder, hn::And(below, y));
    return hn::Add(quotient, below);
  } else {
    const V negative = hn::BroadcastSignBit(x);
    const V magnitude = NegateWhere(negative, remainder);
    const V below = hn::BroadcastSignBit(magnitude);
    remainder = NegateWhere(negative, hn::Add(magnitude, hn::And(below, hn::Abs(y))));
    return hn::Add(quotient, NegateWhere(SignsDiffer(d, x, y), below));
  }
}

// By Highway's integer division.
template <Toward kToward, class D, class V>
HWY_INLINE V DivideByHighway(D d, V x, V y, V& remainder) {
  using T = hn::TFromD<D>;
  const V quotient = hn::Div(x, SafeDivisorLanes(d, x, y));
  remainder = hn::Sub(x, hn::Mul(quotient, y));
  if constexpr (kToward == Toward::kMinusInfinity && std::is_signed_v<T>) {
    return RoundFrom<kToward>(d, x, y, quotient, remainder);
  } else {
    return quotient;
  }
}

// Elsewhere either there are no lanes, or float division is not rounded as IEEE 754 says (Armv7).
#if HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// What instructions there are: to convert integers of 64 bits, and unsigned ones, from and to floats of their width; to round
// floats and, in the same extension, to multiply integers of 32 bits.
inline constexpr bool kHasConversions = !HWY_ARCH_X86 || HWY_TARGET <= HWY_AVX3;
inline constexpr bool kHasFloor = !HWY_ARCH_X86 || HWY_TARGET <= HWY_SSE4;

// Lanes twice as wide, signed: the low halves of x and y, then the high halves, are divided by `quotient`.
template <class D, class V, class Quotient>
HWY_INLINE V QuotientOfHalves(D d, V x, V y, const Quotient& quotient) {
  using T = hn::TFromD<D>;
  constexpr int kBits = 8 * sizeof(T);
  const hn::RepartitionToWide<D> wide;
  const hn::RebindToSigned<decltype(wide)> d_wide;
  using Wide = hn::TFromD<decltype(d_wide)>;
  const auto mask = hn::Set(d_wide, static_cast<Wide>((Wide{1} << kBits) - 1));
  const auto low_half = [&](V v) HWY_ATTR {
    if constexpr (std::is_signed_v<T>) {
      return hn::ShiftRight<kBits>(hn::ShiftLeft<kBits>(hn::BitCast(d_wide, v)));
    } else {
      return hn::And(hn::BitCast(d_wide, v), mask);
    }
  };
  const auto high_half = [&](V v) HWY_ATTR { return hn::BitCast(d_wide, hn::ShiftRight<kBits>(hn::BitCast(wide, v))); };
  const auto low = quotient(d_wide, low_half(x), low_half(y));
  const auto high = quotient(d_wide, high_half(x), high_half(y));
  return hn::BitCast(d, hn::Or(hn::ShiftLeft<kBits>(high), hn::And(low, mask)));
}

// 8 and 16 bits, as floats. With n * y <= 2^17, a quotient just below a whole number n is n * (1 - 2^-17) at most, and is not
// rounded to n by 24 bits.
template <Toward kToward, class D, class V>
HWY_INLINE V QuotientByFloats(D d, V x, V y) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    const hn::RebindToFloat<D> d_float;
    const auto ratio = hn::Div(hn::ConvertTo(d_float, x), hn::ConvertTo(d_float, y));
    const V truncated = hn::ConvertInRangeTo(d, ratio);
    if constexpr (kToward == Toward::kZero) {
      return truncated;
    } else if constexpr (kHasFloor) {
      return hn::ConvertInRangeTo(d, hn::Floor(ratio));
    } else {
      return hn::Add(truncated, hn::VecFromMask(d, hn::RebindMask(d, hn::Lt(ratio, hn::ConvertTo(d_float, truncated)))));
    }
  } else {
    return QuotientOfHalves(
        d, x, y, [](auto wide, auto x_half, auto y_half) HWY_ATTR { return QuotientByFloats<kToward>(wide, x_half, y_half); });
  }
}

// 32 and 64 bits: the product of x and 1 / y as floats of the same width is off by at most 2^-k of itself (k = 20 or 49: roundings
// of x, y, 1 / y and the product, and the factor that keeps unsigned ones from being too large). 32 bits in doubles would need no
// second quotient, but twice as many divisions, each of them slower: on Zen 5, whose divider is fast, they alone take 8 cycles for
// a vector, as many as all of this.
template <Toward kToward, class D, class V>
HWY_INLINE V DivideByReciprocal(D d, V x, V y, V& remainder) {
  using T = hn::TFromD<D>;
  const hn::RebindToFloat<D> d_float;
  using Float = hn::TFromD<decltype(d_float)>;
  const auto reciprocal = hn::Div(hn::Set(d_float, Float{1}), hn::ConvertTo(d_float, y));
  const auto times_reciprocal = [&](V v, auto factor) HWY_ATTR { return hn::Mul(hn::ConvertTo(d_float, v), factor); };
  if constexpr (std::is_signed_v<T>) {
    // A first quotient leaves a remainder below |y| + 2^-k |x|; the quotient of that is right but for its rounding to the nearest
    // whole number, so |remainder| < 0.51 |y|. Adding 1.5 * 2^23 or 2^52 leaves that number in the low bits. The first quotient
    // may be out of range where |y| = 1: whether it then saturates or becomes the lowest integer, the second one puts it right,
    // as all is modulo 2^bits; the lowest integer / -1 too.
    const auto offset = hn::Set(d_float, static_cast<Float>(sizeof(T) == 4 ? 0x1.8p23 : 0x1.8p52));
    const V first = hn::ConvertInRangeTo(d, times_reciprocal(x, reciprocal));
    const V left = hn::Sub(x, hn::Mul(first, y));
    const auto sum = hn::MulAdd(hn::ConvertTo(d_float, left), reciprocal, offset);
    const V second = hn::Sub(hn::BitCast(d, sum), hn::BitCast(d, offset));
    remainder = hn::Sub(left, hn::Mul(second, y));
    return RoundFrom<kToward>(d, x, y, hn::Add(first, second), remainder);
  } else {
    // Both quotients are rounded down and too small if anything, so no remainder is negative or larger than x. The first leaves
    // less than y + 2^-k x, and the second, which is at most 2^16, less than 2 y.
    const auto less = hn::Mul(reciprocal, hn::Set(d_float, static_cast<Float>(sizeof(T) == 4 ? 1 - 0x1p-21 : 1 - 0x1p-50)));
    const V first = hn::ConvertInRangeTo(d, times_reciprocal(x, less));
    const V left = hn::Sub(x, hn::Mul(first, y));
    const V second = hn::ConvertInRangeTo(d, times_reciprocal(left, less));
    const V r = hn::Sub(left, hn::Mul(second, y));
    const V quotient = hn::Add(first, second);
    const auto more = hn::Ge(r, y);
    remainder = hn::MaskedSubOr(r, more, r, y);
    return hn::MaskedAddOr(quotient, more, quotient, hn::Set(d, T{1}));
  }
}

// 64 bits from -2^51 to 2^51 - 1, as doubles, which have such a number in their low bits when 1.5 * 2^52 is added. A quotient just
// below a whole number n is n * (1 - 2^-51) at most and is not rounded to n by 53 bits; the remainder is exact, fused or not.
template <Toward kToward, class D, class V>
HWY_INLINE V DivideByDoubles(D d, V x, V y, V& remainder) {
  const hn::RebindToFloat<D> d_float;
  const auto offset = hn::Set(d_float, 0x1.8p52);
  const V offset_bits = hn::BitCast(d, offset);
  const auto to_double = [&](V v) HWY_ATTR { return hn::Sub(hn::BitCast(d_float, hn::Add(v, offset_bits)), offset); };
  const auto to_integer = [&](auto v) HWY_ATTR { return hn::Sub(hn::BitCast(d, hn::Add(v, offset)), offset_bits); };
  const auto x_double = to_double(x);
  const auto y_double = to_double(y);
  const auto ratio = hn::Div(x_double, y_double);
  const auto quotient = kToward == Toward::kMinusInfinity ? hn::Floor(ratio) : hn::Trunc(ratio);
  remainder = to_integer(hn::NegMulAdd(quotient, y_double, x_double));
  return to_integer(quotient);
}

template <Toward kToward, class D, class V>
HWY_NOINLINE V DivideLargeByHighway(D d, V x, V y, V& remainder) {
  return DivideByHighway<kToward>(d, x, y, remainder);
}
template <Toward kToward, class D, class V>
HWY_INLINE V DivideByDoublesIfSmall(D d, V x, V y, V& remainder) {
  using T = hn::TFromD<D>;
  const hn::Repartition<std::uint32_t, D> halves;
  // The bits from 51 on are alike, and none of an unsigned number's is set.
  const V offset = hn::Set(d, std::is_signed_v<T> ? T{1} << 51 : T{0});
  const V high = hn::Set(d, static_cast<T>(~std::uint64_t{0} << (std::is_signed_v<T> ? 52 : 51)));
  const V beyond = hn::And(hn::Or(hn::Add(x, offset), hn::Add(y, offset)), high);
  if (HWY_LIKELY(hn::AllTrue(halves, hn::Eq(hn::BitCast(halves, beyond), hn::Zero(halves))))) {
    return DivideByDoubles<kToward>(d, x, y, remainder);
  }
  return DivideLargeByHighway<kToward>(d, x, y, remainder);
}

template <Toward kToward, class D, class V>
HWY_INLINE V DivideLanes(D d, V x, V y, V& remainder) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) <= 2) {
    const V quotient = QuotientByFloats<kToward>(d, x, y);
    remainder = hn::Sub(x, hn::Mul(quotient, y));
    return quotient;
  } else if constexpr (kHasConversions || (sizeof(T) == 4 && std::is_signed_v<T> && kHasFloor)) {
    return DivideByReciprocal<kToward>(d, x, y, remainder);
  } else if constexpr (sizeof(T) == 8) {
    return DivideByDoublesIfSmall<kToward>(d, x, y, remainder);
  } else if constexpr (!std::is_signed_v<T> && kHasFloor) {
    const V quotient = QuotientOfHalves(d, x, y, [](auto wide, auto x_half, auto y_half) HWY_ATTR {
      auto unused = x_half;
      return DivideByDoubles<Toward::kZero>(wide, x_half, y_half, unused);
    });
    remainder = hn::Sub(x, hn::Mul(quotient, y));
    return quotient;
  } else {
    return DivideByHighway<kToward>(d, x, y, remainder);
  }
}

// By one divisor for many vectors, which are then not divided: the quotient is the whole number nearest to x * (1 / y) + (0.5 / |y|
// - 0.5), or with the sign of x / y on what is added, to truncate. That is 0.5 / |y| away from where two whole numbers are as near,
// and off by a few parts in 2^53 (doubles, for 32 bits) or 2^24 (floats, for 8 and 16) of x / y. 1.5 * 2^52 or 2^23 leaves it in
// the low bits; the lowest integer / -1 wraps there.
template <class V>
HWY_INLINE V LowBitsOffset() {
  using Float = hn::TFromV<V>;
  return hn::Set(hn::DFromV<V>(), static_cast<Float>(sizeof(Float) == 8 ? 0x1.8p52 : 0x1.8p23));
}
// In floats, the quotient in the low bits. What depends on y alone is computed once, as the compiler sees; no class has it, as
// vectors without a size cannot be members.
template <Toward kToward, class V>
HWY_INLINE V QuotientBitsByOne(V x, V y) {
  using Float = hn::TFromV<V>;
  const hn::DFromV<V> d;
  const V half = hn::Set(d, Float{0.5}), reciprocal = hn::Div(hn::Set(d, Float{1}), y);
  V down = hn::MulSub(half, hn::Abs(reciprocal), half);
  if constexpr (kToward == Toward::kZero) {
    // Where x / y < 0 it goes up: `down` is not above 0.
    down = hn::Xor(down, hn::And(hn::Xor(x, y), hn::SignBit(d)));
  }
  return hn::Add(hn::MulAdd(x, reciprocal, down), LowBitsOffset<V>());
}

template <Toward kToward, class D, class V>
HWY_INLINE V QuotientByOne(D d, V x, V y) {
  const hn::RebindToFloat<D> d_float;
  const auto offset = LowBitsOffset<hn::VFromD<decltype(d_float)>>();
  const V offset_bits = hn::BitCast(d, offset);
  const auto to_float = [&](V v) HWY_ATTR { return hn::Sub(hn::BitCast(d_float, hn::Add(v, offset_bits)), offset); };
  return hn::Sub(hn::BitCast(d, QuotientBitsByOne<kToward>(to_float(x), to_float(y))), offset_bits);
}

// 32 bits where they become doubles in one instruction: half as many of them.
template <typename T>
inline constexpr bool kConvertsToDoubles = HWY_ARCH_X86 && sizeof(T) == 4 && (std::is_signed_v<T> || HWY_TARGET <= HWY_AVX3);
template <Toward kToward, class D, class V>
HWY_INLINE V QuotientByOneInDoubles(D d, V x, V y) {
  const hn::Repartition<double, D> d_double;
  const auto divisor = hn::PromoteLowerTo(d_double, y);
  return hn::ConcatEven(d, hn::BitCast(d, QuotientBitsByOne<kToward>(hn::PromoteUpperTo(d_double, x), divisor)),
                        hn::BitCast(d, QuotientBitsByOne<kToward>(hn::PromoteLowerTo(d_double, x), divisor)));
}
template <Toward kToward, class D, class V>
HWY_INLINE V DivideByOneLanes(D d, V x, V y, V& remainder) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 8) {
    return DivideLanes<kToward>(d, x, y, remainder);
  } else if constexpr (kConvertsToDoubles<T>) {
    const V quotient = QuotientByOneInDoubles<kToward>(d, x, y);
    remainder = hn::Sub(x, hn::Mul(quotient, y));
    return quotient;
  } else {
    const auto quotient_of = [](auto wide, auto x_half, auto y_half) HWY_ATTR {
      if constexpr (sizeof(T) == 1) {
        return QuotientOfHalves(wide, x_half, y_half, [](auto wider, auto x_quarter, auto y_quarter) HWY_ATTR {
          return QuotientByOne<kToward>(wider, x_quarter, y_quarter);
        });
      } else {
        return QuotientByOne<kToward>(wide, x_half, y_half);
      }
    };
    const V quotient = QuotientOfHalves(d, x, y, quotient_of);
    remainder = hn::Sub(x, hn::Mul(quotient, y));
    return quotient;
  }
}

#else

template <Toward kToward, class D, class V>
HWY_INLINE V DivideLanes(D d, V x, V y, V& remainder) {
  return DivideByHighway<kToward>(d, x, y, remainder);
}
template <Toward kToward, class D, class V>
HWY_INLINE V DivideByOneLanes(D d, V x, V y, V& remainder) {
  return DivideByHighway<kToward>(d, x, y, remainder);
}

#endif  // HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
