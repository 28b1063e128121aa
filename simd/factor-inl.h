// Floored quotients and remainders by one divisor, by the upper half of a product with its reciprocal. As kit/op.h's ByValue.
#if defined(AXISCAST_SIMD_FACTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_FACTOR_INL_H_
#undef AXISCAST_SIMD_FACTOR_INL_H_
#else
#define AXISCAST_SIMD_FACTOR_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Integers whose magnitude leaves a factor of as many bits as a product's half. (Of 16 and 32 without a sign it would have one
// more.)
template <typename T>
inline constexpr bool kFactorTakes = HWY_TARGET != HWY_SCALAR&& std::is_integral_v<T> && sizeof(T) <= (std::is_signed_v<T> ? 4 : 1);

// By one divisor above 1 of many numbers: the upper half of a product, towards minus infinity. With m = x, or ~x where that is
// negative, x / y is floor(m / y), or ~floor(m / y). Where 2^(k-1) < y <= 2^k and m has b bits, `factor` is 2^(b+k) / y rounded up,
// by less than 1: m * factor / 2^(b+k) is too large by less than m / 2^(b+k) < 1 / y, and no whole number lies between. 9
// instructions for a vector of 32 bits, 5 for 16 and about 10 for 8, in products of 16: 0.75, 0.4 and 0.3 of the time of
// floats (Zen 4).
template <typename T>
class QuotientByFactor {
  static_assert(kFactorTakes<T>);
  static constexpr int kHalf = sizeof(T) == 4 ? 32 : 16;  // bits of a factor

 public:
  static bool Takes(T y) { return y > 1; }
  explicit QuotientByFactor(T y) {
    const auto divisor = static_cast<std::uint64_t>(y);
    const int bits = 64 - static_cast<int>(hwy::Num0BitsAboveMS1Bit_Nonzero64(divisor - 1));
    shift_ = sizeof(T) == 1 ? 0 : bits - 1;  // 2^16 / y will do for 8 bits: its rounding times m is below 2^16
    factor_ = static_cast<Factor>(((std::uint64_t{1} << (kHalf + shift_)) + divisor - 1) / divisor);
  }
  template <class D, class V>
  HWY_INLINE V Vector(D d, V x) const {
    const hn::RebindToUnsigned<D> d_bits;
    if constexpr (std::is_signed_v<T>) {
      const V sign = hn::BroadcastSignBit(x);
      return hn::Xor(hn::BitCast(d, OfMagnitude(d_bits, hn::BitCast(d_bits, hn::Xor(x, sign)))), sign);
    } else {
      return OfMagnitude(d_bits, x);
    }
  }

 private:
  static constexpr bool kIsUpperOdd = HWY_IS_LITTLE_ENDIAN;  // of a pair, the upper half
  using Factor = std::conditional_t<kHalf == 32, std::uint32_t, std::uint16_t>;

  template <class D, class V>
  HWY_INLINE V OfMagnitude(D d, V m) const {
    const hn::Repartition<Factor, D> d_factor;
    const auto factor = hn::Set(d_factor, factor_);
    if constexpr (sizeof(T) == 4) {
      const hn::RepartitionToWide<D> wide;
      const auto pairs = hn::BitCast(wide, m);
      const auto odd_m = hn::BitCast(d, kIsUpperOdd ? hn::ShiftRight<32>(pairs) : hn::ShiftLeft<32>(pairs));
      const auto even = hn::MulEven(m, factor), odd = hn::MulEven(odd_m, factor);
      const auto even_half = hn::BitCast(d, kIsUpperOdd ? hn::ShiftRight<32>(even) : even);
      const auto odd_half = hn::BitCast(d, kIsUpperOdd ? odd : hn::ShiftRight<32>(odd));
      return hn::ShiftRightSame(hn::OddEven(odd_half, even_half), shift_);
    } else if constexpr (sizeof(T) == 2) {
      return hn::ShiftRightSame(hn::MulHigh(m, factor), shift_);
    } else {
      // The upper ones of pairs, 2^8 times as large, leave their quotients in the upper half of their products' upper half.
      const auto pairs = hn::BitCast(d_factor, m);
      const auto lower = hn::BitCast(d, hn::MulHigh(hn::And(pairs, hn::Set(d_factor, Factor{0xff})), factor));
      const auto upper = hn::BitCast(d, hn::MulHigh(hn::And(pairs, hn::Set(d_factor, Factor{0xff00})), factor));
      return kIsUpperOdd ? hn::OddEven(upper, lower) : hn::OddEven(lower, upper);
    }
  }

  Factor factor_;
  int shift_;
};

// What that leaves.
template <typename T>
class RemainderByFactor {
 public:
  static bool Takes(T y) { return QuotientByFactor<T>::Takes(y); }
  explicit RemainderByFactor(T y) : quotient_(y), y_(y) {}
  template <class D, class V>
  HWY_INLINE V Vector(D d, V x) const {
    return hn::Sub(x, hn::Mul(quotient_.Vector(d, x), hn::Set(d, y_)));
  }

 private:
  QuotientByFactor<T> quotient_;
  T y_;
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
