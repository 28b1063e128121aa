// The arithmetic behind the roof: nothing but the instructions that a result needs, on what is in registers or in L1.
#include <algorithm>

#include "bench/roof_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/roof_arithmetic.cc"
#include "hwy/foreach_target.h"  // must come first
// After it.
#include "bench/roof_halves-inl.h"
#include "bench/roof_loops-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct DivideInto3 {  // to and fro between two values
  template <class V>
  HWY_INLINE V operator()(V v) const {
    return hn::Div(hn::Set(hn::DFromV<V>(), static_cast<hn::TFromV<V>>(3)), v);
  }
};

struct SquareRoot {
  template <class V>
  HWY_INLINE V operator()(V v) const {
    return hn::Sqrt(v);
  }
};

// A comparison for each vector of floats, and of four masks one of bytes, which are stored as 0 and 1.
std::int64_t CompareFloats(std::int64_t elements, int place) {
#if HWY_TARGET == HWY_SCALAR
  return elements;
#else
  const hn::ScalableTag<float> d;
  const hn::Repartition<std::uint32_t, decltype(d)> d32;
  const hn::Repartition<std::uint8_t, decltype(d)> d8;
#if HWY_TARGET == HWY_AVX2
  const hn::Repartition<std::int32_t, decltype(d)> s32;
  const hn::Repartition<std::int16_t, decltype(d)> s16;
  const hn::Repartition<std::int8_t, decltype(d)> s8;
  HWY_ALIGN const std::uint32_t order[] = {0, 4, 1, 5, 2, 6, 3, 7};
#else
  const hn::Repartition<std::uint16_t, decltype(d)> d16;
#endif
  HWY_ALIGN float x[kElements];
  std::fill_n(x, kElements, 1.0f);
  HWY_ALIGN std::uint8_t room[kElements + Beginning<std::uint8_t>(kArithmeticPlaces - 1)];
  std::uint8_t* const out = room + Beginning<std::uint8_t>(place);
  const auto limit = hn::Set(d, 2.0f);
  const std::size_t lanes = hn::Lanes(d);
  std::int64_t done = 0;
  for (; done < elements; done += kElements) {
    for (std::size_t i = 0; i < kElements; i += 4 * lanes) {
      const auto mask = [&](std::size_t v) HWY_ATTR { return hn::RebindMask(d32, hn::Lt(hn::Load(d, x + i + v * lanes), limit)); };
#if HWY_TARGET == HWY_AVX2  // put in order once, at the end
      const auto words = [&](std::size_t v) HWY_ATTR { return hn::BitCast(s32, hn::VecFromMask(d32, mask(v))); };
      const auto low = hn::ReorderDemote2To(s16, words(0), words(1)), high = hn::ReorderDemote2To(s16, words(2), words(3));
      const auto packed = hn::BitCast(d32, hn::ReorderDemote2To(s8, low, high));
      const auto bytes = hn::MaskFromVec(hn::BitCast(d8, hn::TableLookupLanes(packed, hn::SetTableIndices(d32, order))));
#else
      const auto low = hn::OrderedDemote2MasksTo(d16, d32, mask(0), mask(1));
      const auto high = hn::OrderedDemote2MasksTo(d16, d32, mask(2), mask(3));
      const auto bytes = hn::OrderedDemote2MasksTo(d8, d16, low, high);
#endif
      hn::Store(hn::IfThenElseZero(bytes, hn::Set(d8, std::uint8_t{1})), d8, out + i);
    }
    hwy::PreventElision(out[0]);
  }
  return done;
#endif
}

// Floored quotients of 32 bits, of which one division of floats gives 24: a second quotient, of what the first one leaves, which
// 1.5 * 2^23 leaves in the low bits, and one less where what that leaves and the divisor have different signs.
std::int64_t DivideInt32s(std::int64_t elements, int place) {
  const hn::ScalableTag<std::int32_t> d;
  const hn::RebindToFloat<decltype(d)> d_float;
  const auto offset = hn::Set(d_float, 0x1.8p23f);
  return RunArrays(d, elements, place, std::int32_t{7}, [&](const std::int32_t* at) HWY_ATTR {
    const auto x = hn::Load(d, at), y = hn::Load(d, at + kPitch);
    const auto reciprocal = hn::Div(hn::Set(d_float, 1.0f), hn::ConvertTo(d_float, y));
    const auto first = hn::ConvertInRangeTo(d, hn::Mul(hn::ConvertTo(d_float, x), reciprocal));
    const auto left = hn::Sub(x, hn::Mul(first, y));
    const auto sum = hn::MulAdd(hn::ConvertTo(d_float, left), reciprocal, offset);
    const auto second = hn::Sub(hn::BitCast(d, sum), hn::BitCast(d, offset));
    const auto rest = hn::Sub(left, hn::Mul(second, y));
    const auto negative = hn::BroadcastSignBit(y);
    const auto below = hn::BroadcastSignBit(hn::Sub(hn::Xor(rest, negative), negative));
    return hn::Add(hn::Add(first, second), below);
  });
}

// The same by a division of doubles, even and odd elements apart. A number below 2^32 beside 2^52 is a double's bits.
std::int64_t DivideInt32sByDoubles(std::int64_t elements, int place) {
#if HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::int32_t> d;
  const hn::Repartition<double, decltype(d)> d_double;
  const hn::RebindToUnsigned<decltype(d_double)> d_bits;
  const auto beside = hn::Set(d_double, 0x1p52 + 0x1p31), whole = hn::Set(d_double, 0x1.8p52);
  const auto quotient = [&](auto x_bits, auto y_bits) HWY_ATTR {
    const auto x = hn::Sub(hn::BitCast(d_double, x_bits), beside), y = hn::Sub(hn::BitCast(d_double, y_bits), beside);
    return hn::BitCast(d_bits, hn::Add(hn::Floor(hn::Div(x, y)), whole));
  };
  return RunArrays(d, elements, place, std::int32_t{7}, [&](const std::int32_t* at) HWY_ATTR {
    const auto magic = hn::Set(d_bits, 0x4330000080000000u), low = hn::Set(d_bits, 0xffffffffu);
    const auto x = hn::BitCast(d_bits, hn::Load(d, at)), y = hn::BitCast(d_bits, hn::Load(d, at + kPitch));
    const auto even_of = [&](auto pairs) HWY_ATTR { return hn::Xor(hn::And(pairs, low), magic); };
    const auto odd_of = [&](auto pairs) HWY_ATTR { return hn::Xor(hn::ShiftRight<32>(pairs), magic); };
    const auto even = quotient(even_of(x), even_of(y)), odd = quotient(odd_of(x), odd_of(y));
    return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
  });
#else
  return 0;
#endif
}

// By one positive divisor: the upper half of a product of 64 bits. Of a negative number, what is not below ~x is turned round.
std::int64_t DivideInt32sByOne(std::int64_t elements, int place) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::int32_t> d;
  const hn::RebindToUnsigned<decltype(d)> d_bits;
  const hn::RepartitionToWide<decltype(d_bits)> d_wide;
  std::uint32_t factor = 0xaaaaaaab;  // 2^33 / 3
  hwy::PreventElision(factor);
  const auto factors = hn::Set(d_bits, factor);
  return RunArrays(d, elements, place, std::int32_t{7}, [&](const std::int32_t* at) HWY_ATTR {
    const auto x = hn::Load(d, at);
    const auto sign = hn::BroadcastSignBit(x);
    const auto magnitude = hn::BitCast(d_bits, hn::Xor(x, sign));
    const auto odd_magnitude = hn::BitCast(d_bits, hn::ShiftRight<32>(hn::BitCast(d_wide, magnitude)));
    const auto even = hn::ShiftRight<32>(hn::MulEven(magnitude, factors));
    const auto odd = hn::MulEven(odd_magnitude, factors);
    const auto high = hn::OddEven(hn::BitCast(d_bits, odd), hn::BitCast(d_bits, even));
    return hn::Xor(hn::BitCast(d, hn::ShiftRight<1>(high)), sign);
  });
#else
  return elements;
#endif
}

// Floored remainders: what the rounded quotient leaves, with the divisor's sign taken off and put back, is exact; and right where
// its bits are below the divisor's, which is to be seen. (Where it is not, more is needed.) Without a fused step it is not exact,
// and of what else there is to do, only the division is counted.
std::int64_t RemaindersOfFloats(std::int64_t elements, int place) {
  const hn::ScalableTag<float> d;
#if HWY_NATIVE_FMA
  const hn::RebindToUnsigned<decltype(d)> bits;
  return RunArrays(d, elements, place, 7.0f, [&](const float* at) HWY_ATTR {
    const auto y = hn::Load(d, at + kPitch);
    const auto sign = hn::And(y, hn::SignBit(d));
    const auto x = hn::Xor(hn::Load(d, at), sign), divisor = hn::Abs(y);
    const auto left = hn::NegMulAdd(hn::Floor(hn::Div(x, divisor)), divisor, x);
    const bool right = hn::AllTrue(bits, hn::Lt(hn::BitCast(bits, left), hn::BitCast(bits, divisor)));
    return HWY_LIKELY(right) ? hn::Or(left, sign) : hn::Zero(d);
  });
#else
  return RunArrays(d, elements, place, 7.0f,
                   [&](const float* at) HWY_ATTR { return hn::Div(hn::Load(d, at), hn::Load(d, at + kPitch)); });
#endif
}

// Four ops, one of them with as many others.
std::int64_t ChainFloats(std::int64_t elements, int place) {
  const hn::ScalableTag<float> d;
  const auto bias = hn::Set(d, 3.0f), factor = hn::Set(d, 0.5f), least = hn::Zero(d);
  return RunArrays(d, elements, place, 1.0f, [&](const float* at) HWY_ATTR {
    return hn::Max(hn::Add(hn::Mul(hn::Add(hn::Load(d, at), bias), factor), hn::Load(d, at + kPitch)), least);
  });
}

std::int64_t Compute(Arithmetic arithmetic, int way, std::int64_t elements, int place) {
  const bool only = way == 0;  // of one way
  switch (arithmetic) {
    case Arithmetic::kNone:
      break;
    case Arithmetic::kDivideFloat32:
      return only ? RunChains(hn::ScalableTag<float>(), elements, DivideInto3()) : 0;
    case Arithmetic::kDivideFloat64:
#if HWY_HAVE_FLOAT64
      return only ? RunChains(hn::ScalableTag<double>(), elements, DivideInto3()) : 0;
#else
      break;
#endif
    case Arithmetic::kSquareRootFloat32:
      return only ? RunChains(hn::ScalableTag<float>(), elements, SquareRoot()) : 0;
    case Arithmetic::kAddFloat16:
      return ConvertHalves<Add, false>(way, elements, place);
    case Arithmetic::kAnyOpFloat16:
      return ConvertHalves<AnyOp, false>(way, elements, place);
    case Arithmetic::kAddBFloat16:
      return only ? AddBFloat16s<false>(elements, place) : 0;
    case Arithmetic::kAddFloat16ToFew:
      return ConvertHalves<Add, true>(way, elements, place);
    case Arithmetic::kAnyOpFloat16ToFew:
      return ConvertHalves<AnyOp, true>(way, elements, place);
    case Arithmetic::kAddBFloat16ToFew:
      return only ? AddBFloat16s<true>(elements, place) : 0;
    case Arithmetic::kSumFloat16:
      return only ? SumHalves(elements) : 0;
    case Arithmetic::kCompareFloat32:
      return only ? CompareFloats(elements, place) : 0;
    case Arithmetic::kDivideInt32:
      return only ? DivideInt32s(elements, place) : way == 1 ? DivideInt32sByDoubles(elements, place) : 0;
    case Arithmetic::kDivideInt32ByOne:
      return only ? DivideInt32sByOne(elements, place) : 0;
    case Arithmetic::kRemainderFloat32:
      return only ? RemaindersOfFloats(elements, place) : 0;
    case Arithmetic::kChainFloat32:
      return only ? ChainFloats(elements, place) : 0;
  }
  return only ? elements : 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace axiscast::bench {

HWY_EXPORT(Compute);

std::int64_t RunArithmetic(Arithmetic arithmetic, int way, std::int64_t elements, int place) {
  return HWY_DYNAMIC_DISPATCH(Compute)(arithmetic, way, elements, place);
}

}  // namespace axiscast::bench
#endif  // HWY_ONCE
