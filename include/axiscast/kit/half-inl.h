// Vectors of the 16-bit floats from and to vectors of float: exact one way, rounded once to nearest even the other.
#if defined(AXISCAST_KIT_HALF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_HALF_INL_H_
#undef AXISCAST_KIT_HALF_INL_H_
#else
#define AXISCAST_KIT_HALF_INL_H_
#endif

#include <type_traits>

#include "axiscast/half.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The 16 bits of as many elements as DF has lanes of float.
template <class DF>
using HalfBits = hn::Vec<hn::Rebind<std::uint16_t, DF>>;

// Whether the conversions of float16 are instructions. Where they are not, Highway's own code for them (1.2) neither keeps NaNs and
// infinities nor rounds subnormals.
inline constexpr bool kHasFloat16Conversions = (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_ARCH_ARM_A64;

// Float16 computed in itself, on targets that can, of an op whose result is then the same: a float has twice as many bits and two,
// so that what is rounded to it first, and then to float16, is rounded as once, of sums, products, quotients and roots.
// `template <typename T> using KernelType = Float16Itself<T>;`. docs/design.md says what it gains. Highway has it of AVX3_SPR, with
// gcc alone (1.2); of Arm's targets, which have it too, nobody tried it.
#if HWY_ARCH_X86 && HWY_HAVE_FLOAT16
template <typename T>
using Float16Itself = std::conditional_t<std::is_same_v<T, Float16>, hwy::float16_t, T>;
#else
template <typename T>
using Float16Itself = T;
#endif

template <class DF>
HWY_INLINE hn::Vec<DF> WidenHalf(Float16, DF d, HalfBits<DF> v) {
  if constexpr (kHasFloat16Conversions) {
    return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, DF>(), v));
  } else {
    const hn::RebindToSigned<DF> d_bits;
    const auto bits = hn::BitCast(d_bits, hn::PromoteTo(hn::RebindToUnsigned<DF>(), v));
    const auto magnitude = hn::And(bits, hn::Set(d_bits, 0x7fff));
    const auto sign = hn::ShiftLeft<16>(hn::Sub(bits, magnitude));
    const auto rebias = hn::Set(d_bits, 112 << 23);  // from float16's exponent to float's
    const auto normal = hn::Add(hn::ShiftLeft<13>(magnitude), rebias);
    const auto infinite = hn::Add(normal, rebias);  // NaNs too
    // Beside a leading one that is then taken away: no float here is subnormal, so no mode of the CPU matters.
    const auto smallest = hn::Set(d, 0x1p-14f);
    const auto subnormal = hn::Sub(hn::BitCast(d, hn::Add(normal, hn::Set(d_bits, 1 << 23))), smallest);
    auto result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d_bits, 0x7bff)), infinite, normal);
    result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d_bits, 0x0400)), hn::BitCast(d_bits, subnormal), result);
    return hn::BitCast(d, hn::Or(result, sign));
  }
}
template <class DF>
HWY_INLINE HalfBits<DF> RoundToHalf(Float16, [[maybe_unused]] DF d, hn::Vec<DF> v) {
  const hn::Rebind<std::uint16_t, DF> d_half;
  if constexpr (kHasFloat16Conversions) {
    return hn::BitCast(d_half, hn::DemoteTo(hn::Rebind<hwy::float16_t, DF>(), v));
  } else {
    const hn::RebindToSigned<DF> d_bits;
    const auto bits = hn::BitCast(d_bits, v);
    const auto magnitude = hn::And(bits, hn::Set(d_bits, 0x7fffffff));
    const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(d_bits, 0x8000));
    const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d_bits, 1));
    const auto rounded = hn::ShiftRight<13>(hn::Add(magnitude, hn::Add(odd, hn::Set(d_bits, 0xfff - (112 << 23)))));
    const auto normal = hn::Min(rounded, hn::Set(d_bits, 0x7c00));
    // A half's ulp is that of the smallest float16: the addition rounds.
    const auto half = hn::Set(d, 0.5f);
    const auto subnormal = hn::Sub(hn::BitCast(d_bits, hn::Add(hn::BitCast(d, magnitude), half)), hn::BitCast(d_bits, half));
    auto result = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d_bits, 113 << 23)), subnormal, normal);
    result = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d_bits, 0x7f800000)), hn::Set(d_bits, 0x7e00), result);
    return hn::TruncateTo(d_half, hn::BitCast(hn::RebindToUnsigned<DF>(), hn::Or(result, sign)));
  }
}

// Whether a mask is a vector, whose lanes are -1 where it is true: one to subtract.
inline constexpr bool kMasksAreVectors = !HWY_HAVE_SCALABLE && !(HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3);

template <class DF>
HWY_INLINE hn::Vec<DF> WidenHalf(BFloat16, DF d, HalfBits<DF> v) {
  const hn::RebindToUnsigned<DF> bits;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(bits, v)));
}
// The upper halves of the result's lanes are bfloat16. Not AVX-512's own conversion, which takes subnormals for 0. A NaN stays as
// it is: its upper half is one too, as those of bfloat16s, of quiet NaNs, and so of all results of arithmetic on bfloat16s are.
template <class DF>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<DF>> RoundUpperHalf(DF, hn::Vec<DF> v) {
  const hn::RebindToUnsigned<DF> d_bits;
  const auto bits = hn::BitCast(d_bits, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d_bits, 1u));
  const auto number = hn::RebindMask(d_bits, hn::Eq(v, v));
  return hn::MaskedAddOr(bits, number, bits, hn::Add(odd, hn::Set(d_bits, 0x7fffu)));
}
template <class DF>
HWY_INLINE HalfBits<DF> RoundToHalf(BFloat16, DF d, hn::Vec<DF> v) {
  return hn::TruncateTo(hn::Rebind<std::uint16_t, DF>(), hn::ShiftRight<16>(RoundUpperHalf(d, v)));
}

#if HWY_TARGET != HWY_SCALAR
// A whole vector of bfloat16 is two of float, one of each other element: no lane has to move.
template <class DF>
using BFloat16Pairs = hn::Vec<hn::Repartition<std::uint16_t, DF>>;
template <class DF>
HWY_INLINE hn::Vec<DF> WidenLowerOfPairs(DF d, BFloat16Pairs<DF> v) {
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::BitCast(hn::RebindToUnsigned<DF>(), v)));
}
template <class DF>
HWY_INLINE hn::Vec<DF> WidenUpperOfPairs(DF d, BFloat16Pairs<DF> v) {
  const hn::RebindToUnsigned<DF> d_bits;
  return hn::BitCast(d, hn::And(hn::BitCast(d_bits, v), hn::Set(d_bits, 0xffff0000u)));
}
// Of pairs of lanes of `x` and `y`, the upper halves, and the lower ones: y's above x's. A blend, and a shift before it; with
// AVX-512 one shuffle, of which a mask keeps half: sums in L1 take 0.85 of the time, and of one value 0.82 (Zen 4; seen nowhere
// else). Not with Clang, which makes permutations of 16-bit lanes of it, 0.9 of the time there, but three instructions each on
// Intel's CPUs.
#if HWY_TARGET <= HWY_AVX3 && !HWY_COMPILER_CLANG
// The halves of `shuffled` in each other's place, where a bit of kBytes says so of each four bytes' places; those of `kept`
// elsewhere.
template <unsigned kBytes, class DF>
HWY_INLINE BFloat16Pairs<DF> WithOtherHalves(DF, BFloat16Pairs<DF> shuffled, BFloat16Pairs<DF> kept) {
  const hn::Repartition<std::uint8_t, DF> d_bytes;
  const auto order = hn::Dup128VecFromValues(d_bytes, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
  const auto others = hn::TableLookupBytes(hn::BitCast(d_bytes, shuffled), order);
  const auto bytes = hn::IfThenElse(hn::Dup128MaskFromMaskBits(d_bytes, kBytes), others, hn::BitCast(d_bytes, kept));
  return hn::BitCast(hn::Repartition<std::uint16_t, DF>(), bytes);
}
template <class DF>
HWY_INLINE BFloat16Pairs<DF> UpperHalvesOf(DF d, BFloat16Pairs<DF> x, BFloat16Pairs<DF> y) {
  return WithOtherHalves<0x3333>(d, x, y);
}
template <class DF>
HWY_INLINE BFloat16Pairs<DF> LowerHalvesOf(DF d, BFloat16Pairs<DF> x, BFloat16Pairs<DF> y) {
  return WithOtherHalves<0xcccc>(d, y, x);
}
#else
template <class DF>
HWY_INLINE BFloat16Pairs<DF> UpperHalvesOf(DF, BFloat16Pairs<DF> x, BFloat16Pairs<DF> y) {
  const hn::Repartition<std::uint16_t, DF> d;
  return HWY_IS_LITTLE_ENDIAN ? hn::InterleaveOdd(d, x, y) : hn::InterleaveEven(d, y, x);
}
template <class DF>
HWY_INLINE BFloat16Pairs<DF> LowerHalvesOf(DF, BFloat16Pairs<DF> x, BFloat16Pairs<DF> y) {
  const hn::Repartition<std::uint16_t, DF> d;
  return HWY_IS_LITTLE_ENDIAN ? hn::InterleaveEven(d, x, y) : hn::InterleaveOdd(d, y, x);
}
#endif
// The upper halves of both are put together before they are rounded, all at once: up where the lower half is above the middle, or
// in it beside an odd upper one. The carry may go into the exponent, and on to infinity. NaNs have no test here, which would make
// additions take a quarter longer: a quiet NaN stays one, with another payload, unless all bits of its upper half but the sign are
// set and its lower half is above the middle. NaNs of arithmetic and of bfloat16 inputs have a lower half of 0, attributes are no
// NaNs, and ops must not make such a NaN themselves, as hn::NaN does (op_conformance_test sees the 0 that would come of it).
template <class DF>
HWY_INLINE BFloat16Pairs<DF> RoundToPairs(DF d, hn::Vec<DF> lower, hn::Vec<DF> upper) {
  const hn::Repartition<std::uint16_t, DF> d_half;
  const auto lower_bits = hn::BitCast(d_half, lower), upper_bits = hn::BitCast(d_half, upper);
  const auto halves = UpperHalvesOf(d, lower_bits, upper_bits), rest = LowerHalvesOf(d, lower_bits, upper_bits);
  const auto one = hn::Set(d_half, std::uint16_t{1});
  const auto up = hn::Gt(hn::OrAnd(rest, halves, one), hn::Set(d_half, std::uint16_t{0x8000}));
  if constexpr (kMasksAreVectors) return hn::Sub(halves, hn::VecFromMask(d_half, up));  // 0.94 of the time (AVX2, a Zen 3)
  return hn::MaskedAddOr(halves, up, halves, one);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
