// The arithmetic behind the roof: nothing but the instructions that a result needs, on what is in registers or in L1.
#include <algorithm>

#include "bench/roof_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/roof_arithmetic.cc"
#include "hwy/foreach_target.h"  // must come first
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

// Eight chains hide the time until a result is there. They begin with different values: a compiler would make one of equal ones.
template <class D, class Step>
std::int64_t RunChains(D d, std::int64_t elements, Step step) {
  const auto start = [&](int chain) HWY_ATTR { return hn::Iota(d, static_cast<hn::TFromD<D>>(2 + chain)); };
  auto v0 = start(0), v1 = start(1), v2 = start(2), v3 = start(3), v4 = start(4), v5 = start(5), v6 = start(6), v7 = start(7);
  std::int64_t done = 0;
  for (; done < elements; done += 8 * static_cast<std::int64_t>(hn::Lanes(d))) {
    v0 = step(v0), v1 = step(v1), v2 = step(v2), v3 = step(v3);
    v4 = step(v4), v5 = step(v5), v6 = step(v6), v7 = step(v7);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)), hn::Add(hn::Add(v4, v5), hn::Add(v6, v7)));
  hwy::PreventElision(hn::GetLane(sum));
  return done;
}

constexpr std::size_t kElements = 2048;              // of each array
constexpr std::size_t kPitch = kElements + 17 * 32;  // from one to the next: no multiple of 4 KB, at which loads wait for stores

// Arithmetic from L1 and back, two vectors at a time: x86 converts what it loads and stores with fewer operations than what is in
// registers. `step` makes the result of d.Lanes() elements at x, and may read as many at x + kPitch.
template <typename T, class D, class Step>
std::int64_t RunArrays(D d, std::int64_t elements, T value, const Step& step) {
  HWY_ALIGN T x[3 * kPitch];
  std::fill_n(x, 3 * kPitch, value);
  T* const out = x + 2 * kPitch;
  const std::size_t lanes = hn::Lanes(d);
  std::int64_t done = 0;
  for (; done < elements; done += kElements) {
    for (std::size_t i = 0; i < kElements; i += 2 * lanes) {
      const auto first = step(x + i);
      const auto second = step(x + i + lanes);
      hn::Store(first, d, out + i);
      hn::Store(second, d, out + i + lanes);
    }
    hwy::PreventElision(out[0]);
  }
  return done;
}

// One conversion for each operand, and one back. An operand of few values is widened once. Results are stored as they are
// converted, or in pairs: a Zen 5 takes 1.3 times as long to convert 32 bytes to memory as to a register.
template <bool kToFew, bool kInPairs>
std::int64_t AddHalves(std::int64_t elements) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<std::uint16_t, decltype(d)> bits;
  const hn::Rebind<hwy::float16_t, decltype(d)> halves;
  const auto sum = [&](const std::uint16_t* x) HWY_ATTR {
    const auto widened = [&](const std::uint16_t* from)
                             HWY_ATTR { return hn::PromoteTo(d, hn::BitCast(halves, hn::Load(bits, from))); };
    const auto other = kToFew ? hn::Set(d, 1.0f) : widened(x + kPitch);
    return hn::BitCast(bits, hn::DemoteTo(halves, hn::Add(widened(x), other)));
  };
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kInPairs) {
    const hn::Twice<decltype(bits)> pairs;
    return RunArrays(pairs, elements, std::uint16_t{0x3c00},
                     [&](const std::uint16_t* x) HWY_ATTR { return hn::Combine(pairs, sum(x + hn::Lanes(bits)), sum(x)); });
  }
#endif
  return RunArrays(bits, elements, std::uint16_t{0x3c00}, sum);
}

// The same for bfloat16, which no x86 instruction rounds exactly (AVX-512's takes subnormals for 0): even and odd elements apart,
// rounded together in 16-bit lanes, up where the dropped bits are above the middle, or in it beside an odd kept one.
template <bool kToFew>
std::int64_t AddBFloat16s(std::int64_t elements) {
#if HWY_TARGET == HWY_SCALAR
  return elements;
#else
  const hn::ScalableTag<std::uint16_t> bits;
  const hn::Repartition<float, decltype(bits)> d;
  const hn::Repartition<std::uint32_t, decltype(bits)> d_bits;
  const auto sum = [&](auto x, auto y) HWY_ATTR {
    return hn::BitCast(d_bits, hn::Add(hn::BitCast(d, x), kToFew ? hn::Set(d, 1.0f) : hn::BitCast(d, y)));
  };
  return RunArrays(bits, elements, std::uint16_t{0x3f80}, [&](const std::uint16_t* at) HWY_ATTR {
    const auto x = hn::BitCast(d_bits, hn::Load(bits, at));
    const auto y = hn::BitCast(d_bits, hn::Load(bits, at + (kToFew ? 0 : kPitch)));
    const auto upper = hn::Set(d_bits, 0xffff0000u);
    const auto even = sum(hn::ShiftLeft<16>(x), hn::ShiftLeft<16>(y)), odd = sum(hn::And(x, upper), hn::And(y, upper));
    const auto kept = hn::OddEven(hn::BitCast(bits, odd), hn::BitCast(bits, hn::ShiftRight<16>(even)));
    const auto dropped = hn::OddEven(hn::BitCast(bits, hn::ShiftLeft<16>(odd)), hn::BitCast(bits, even));
    const auto one = hn::Set(bits, std::uint16_t{1});
    const auto up = hn::Gt(hn::Or(dropped, hn::And(kept, one)), hn::Set(bits, std::uint16_t{0x8000}));
    return hn::MaskedAddOr(kept, up, kept, one);
  });
#endif
}

// A comparison for each vector of floats, and of four masks one of bytes, which are stored as 0 and 1.
std::int64_t CompareFloats(std::int64_t elements) {
#if HWY_TARGET == HWY_SCALAR
  return elements;
#else
  const hn::ScalableTag<float> d;
  const hn::Repartition<std::uint32_t, decltype(d)> d32;
  const hn::Repartition<std::uint16_t, decltype(d)> d16;
  const hn::Repartition<std::uint8_t, decltype(d)> d8;
  HWY_ALIGN float x[kElements];
  std::fill_n(x, kElements, 1.0f);
  HWY_ALIGN std::uint8_t out[kElements];
  const auto limit = hn::Set(d, 2.0f);
  const std::size_t lanes = hn::Lanes(d);
  std::int64_t done = 0;
  for (; done < elements; done += kElements) {
    for (std::size_t i = 0; i < kElements; i += 4 * lanes) {
      const auto mask = [&](std::size_t v) HWY_ATTR { return hn::RebindMask(d32, hn::Lt(hn::Load(d, x + i + v * lanes), limit)); };
      const auto low = hn::OrderedDemote2MasksTo(d16, d32, mask(0), mask(1));
      const auto high = hn::OrderedDemote2MasksTo(d16, d32, mask(2), mask(3));
      const auto bytes = hn::OrderedDemote2MasksTo(d8, d16, low, high);
      hn::Store(hn::IfThenElseZero(bytes, hn::Set(d8, std::uint8_t{1})), d8, out + i);
    }
    hwy::PreventElision(out[0]);
  }
  return done;
#endif
}

// Floored quotients of 32 bits, of which one division of floats gives 24: a second quotient, of what the first one leaves, which
// 1.5 * 2^23 leaves in the low bits, and one less where what that leaves and the divisor have different signs.
std::int64_t DivideInt32s(std::int64_t elements) {
  const hn::ScalableTag<std::int32_t> d;
  const hn::RebindToFloat<decltype(d)> d_float;
  const auto offset = hn::Set(d_float, 0x1.8p23f);
  return RunArrays(d, elements, std::int32_t{7}, [&](const std::int32_t* at) HWY_ATTR {
    const auto x = hn::Load(d, at);
    const auto x_float = hn::ConvertTo(d_float, x);
    const auto reciprocal = hn::Div(hn::Set(d_float, 1.0f), x_float);
    const auto first = hn::ConvertInRangeTo(d, hn::Mul(x_float, reciprocal));
    const auto left = hn::Sub(x, hn::Mul(first, x));
    const auto sum = hn::MulAdd(hn::ConvertTo(d_float, left), reciprocal, offset);
    const auto second = hn::Sub(hn::BitCast(d, sum), hn::BitCast(d, offset));
    const auto rest = hn::Sub(left, hn::Mul(second, x));
    const auto negative = hn::BroadcastSignBit(x);
    const auto below = hn::BroadcastSignBit(hn::Sub(hn::Xor(rest, negative), negative));
    return hn::Add(hn::Add(first, second), below);
  });
}

// The same by a division of doubles, even and odd elements apart. A number below 2^32 beside 2^52 is a double's bits.
std::int64_t DivideInt32sByDoubles(std::int64_t elements) {
#if HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::int32_t> d;
  const hn::Repartition<double, decltype(d)> d_double;
  const hn::RebindToUnsigned<decltype(d_double)> d_bits;
  const auto beside = hn::Set(d_double, 0x1p52 + 0x1p31), whole = hn::Set(d_double, 0x1.8p52);
  const auto quotient = [&](auto bits) HWY_ATTR {
    const auto x = hn::Sub(hn::BitCast(d_double, bits), beside);
    return hn::BitCast(d_bits, hn::Add(hn::Floor(hn::Div(x, x)), whole));
  };
  return RunArrays(d, elements, std::int32_t{7}, [&](const std::int32_t* at) HWY_ATTR {
    const auto pairs = hn::BitCast(d_bits, hn::Load(d, at));
    const auto magic = hn::Set(d_bits, 0x4330000080000000u), low = hn::Set(d_bits, 0xffffffffu);
    const auto even = quotient(hn::Xor(hn::And(pairs, low), magic)), odd = quotient(hn::Xor(hn::ShiftRight<32>(pairs), magic));
    return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
  });
#else
  return DivideInt32s(elements);
#endif
}

// By one positive divisor: the upper half of a product of 64 bits. Of a negative number, what is not below ~x is turned round.
std::int64_t DivideInt32sByOne(std::int64_t elements) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::int32_t> d;
  const hn::RebindToUnsigned<decltype(d)> d_bits;
  const hn::RepartitionToWide<decltype(d_bits)> d_wide;
  std::uint32_t factor = 0xaaaaaaab;  // 2^33 / 3
  hwy::PreventElision(factor);
  const auto factors = hn::Set(d_bits, factor);
  return RunArrays(d, elements, std::int32_t{7}, [&](const std::int32_t* at) HWY_ATTR {
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

// A conversion and an addition for each element, from L1, into eight chains.
std::int64_t SumHalves(std::int64_t elements) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<std::uint16_t, decltype(d)> bits;
  const hn::Rebind<hwy::float16_t, decltype(d)> halves;
  HWY_ALIGN std::uint16_t x[kElements];
  std::fill_n(x, kElements, std::uint16_t{0x3c00});
  const auto widened = [&](std::size_t i) HWY_ATTR { return hn::PromoteTo(d, hn::BitCast(halves, hn::Load(bits, x + i))); };
  const std::size_t lanes = hn::Lanes(d);
  auto v0 = hn::Zero(d), v1 = v0, v2 = v0, v3 = v0, v4 = v0, v5 = v0, v6 = v0, v7 = v0;
  std::int64_t done = 0;
  for (; done < elements; done += kElements) {
    for (std::size_t i = 0; i < kElements; i += 8 * lanes) {
      v0 = hn::Add(v0, widened(i)), v1 = hn::Add(v1, widened(i + lanes));
      v2 = hn::Add(v2, widened(i + 2 * lanes)), v3 = hn::Add(v3, widened(i + 3 * lanes));
      v4 = hn::Add(v4, widened(i + 4 * lanes)), v5 = hn::Add(v5, widened(i + 5 * lanes));
      v6 = hn::Add(v6, widened(i + 6 * lanes)), v7 = hn::Add(v7, widened(i + 7 * lanes));
    }
    hwy::PreventElision(x[0]);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)), hn::Add(hn::Add(v4, v5), hn::Add(v6, v7)));
  hwy::PreventElision(hn::GetLane(sum));
  return done;
}

std::int64_t Compute(Arithmetic arithmetic, std::int64_t elements) {
  switch (arithmetic) {
    case Arithmetic::kNone:
      break;
    case Arithmetic::kDivideFloat32:
      return RunChains(hn::ScalableTag<float>(), elements, DivideInto3());
    case Arithmetic::kDivideFloat64:
#if HWY_HAVE_FLOAT64
      return RunChains(hn::ScalableTag<double>(), elements, DivideInto3());
#else
      break;
#endif
    case Arithmetic::kSquareRootFloat32:
      return RunChains(hn::ScalableTag<float>(), elements, SquareRoot());
    case Arithmetic::kAddFloat16:
      return AddHalves<false, false>(elements);
    case Arithmetic::kAddFloat16InPairs:
      return AddHalves<false, true>(elements);
    case Arithmetic::kAddBFloat16:
      return AddBFloat16s<false>(elements);
    case Arithmetic::kAddFloat16ToFew:
      return AddHalves<true, false>(elements);
    case Arithmetic::kAddFloat16ToFewInPairs:
      return AddHalves<true, true>(elements);
    case Arithmetic::kAddBFloat16ToFew:
      return AddBFloat16s<true>(elements);
    case Arithmetic::kSumFloat16:
      return SumHalves(elements);
    case Arithmetic::kCompareFloat32:
      return CompareFloats(elements);
    case Arithmetic::kDivideInt32:
      return DivideInt32s(elements);
    case Arithmetic::kDivideInt32ByDoubles:
      return DivideInt32sByDoubles(elements);
    case Arithmetic::kDivideInt32ByOne:
      return DivideInt32sByOne(elements);
  }
  return elements;
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace axiscast::bench {

HWY_EXPORT(Compute);

std::int64_t RunArithmetic(Arithmetic arithmetic, std::int64_t elements) {
  return HWY_DYNAMIC_DISPATCH(Compute)(arithmetic, elements);
}

}  // namespace axiscast::bench
#endif  // HWY_ONCE
