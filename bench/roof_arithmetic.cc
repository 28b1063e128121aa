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

// Where arrays of Ts begin. Of some places a loop takes up to 4 times as long, in each process of others: a Zen 4's caches tell
// lines by few bits of their addresses.
template <typename T>
constexpr std::size_t Beginning(int place) {
  return static_cast<std::size_t>(place) * (4096 + 1024) / sizeof(T);
}

// Arithmetic from L1 and back, two vectors at a time: x86 converts what it loads and stores with fewer operations than what is in
// registers. `step` makes the result of d.Lanes() elements at x, and may read as many at x + kPitch.
template <typename T, class D, class Step>
std::int64_t RunArrays(D d, std::int64_t elements, int place, T value, const Step& step) {
  HWY_ALIGN T arrays[3 * kPitch + Beginning<T>(kArithmeticPlaces - 1)];
  T* const x = arrays + Beginning<T>(place);
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

struct Add {
  template <class V>
  HWY_INLINE V operator()(V x, V y) const {
    return hn::Add(x, y);
  }
};
// What takes no more than any op does: a Zen 4 converts and adds by the same units, and multiplies by others.
struct AnyOp {
  template <class V>
  HWY_INLINE V operator()(V x, V y) const {
    return hn::Or(x, y);
  }
};

// One conversion for each operand, and one back, on as many elements as d has lanes. An operand of few values is widened once.
template <class Op, bool kToFew, class D>
HWY_INLINE auto HalvesOf(D d, const std::uint16_t* x) {
  const hn::Rebind<std::uint16_t, D> bits;
  const hn::Rebind<hwy::float16_t, D> halves;
  const auto widened = [&](const std::uint16_t* from)
                           HWY_ATTR { return hn::PromoteTo(d, hn::BitCast(halves, hn::Load(bits, from))); };
  const auto other = kToFew ? hn::Set(d, 1.0f) : widened(x + kPitch);
  return hn::BitCast(bits, hn::DemoteTo(halves, Op()(widened(x), other)));
}

// Results are stored as they are converted, or by half vectors (a Zen 4 then adds two arrays in 0.84 of the time), or in pairs: a
// Zen 5 takes 1.3 times as long to convert 32 bytes to memory as to a register.
template <class Op, bool kToFew>
std::int64_t ConvertHalves(int way, std::int64_t elements, int place) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<std::uint16_t, decltype(d)> bits;
  constexpr std::uint16_t kOne = 0x3c00;
  if (way == 0) {
    return RunArrays(bits, elements, place, kOne, [&](const std::uint16_t* x) HWY_ATTR { return HalvesOf<Op, kToFew>(d, x); });
  }
#if HWY_TARGET != HWY_SCALAR
  const hn::Half<decltype(d)> half;
  const hn::Half<decltype(bits)> half_bits;
  const hn::Twice<decltype(bits)> pairs;
  if (way == 1) {
    return RunArrays(half_bits, elements, place, kOne,
                     [&](const std::uint16_t* x) HWY_ATTR { return HalvesOf<Op, kToFew>(half, x); });
  }
  return RunArrays(pairs, elements, place, kOne, [&](const std::uint16_t* x) HWY_ATTR {
    return hn::Combine(pairs, HalvesOf<Op, kToFew>(d, x + hn::Lanes(d)), HalvesOf<Op, kToFew>(d, x));
  });
#else
  return 0;
#endif
}

// The same for bfloat16, which no x86 instruction rounds exactly (AVX-512's takes subnormals for 0): even and odd elements apart,
// rounded together in 16-bit lanes, up where the dropped bits are above the middle, or in it beside an odd kept one.
template <bool kToFew>
std::int64_t AddBFloat16s(std::int64_t elements, int place) {
#if HWY_TARGET == HWY_SCALAR
  return elements;
#else
  const hn::ScalableTag<std::uint16_t> bits;
  const hn::Repartition<float, decltype(bits)> d;
  const hn::Repartition<std::uint32_t, decltype(bits)> d_bits;
  const auto sum = [&](auto x, auto y) HWY_ATTR {
    return hn::BitCast(d_bits, hn::Add(hn::BitCast(d, x), kToFew ? hn::Set(d, 1.0f) : hn::BitCast(d, y)));
  };
  return RunArrays(bits, elements, place, std::uint16_t{0x3f80}, [&](const std::uint16_t* at) HWY_ATTR {
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
std::int64_t CompareFloats(std::int64_t elements, int place) {
#if HWY_TARGET == HWY_SCALAR
  return elements;
#else
  const hn::ScalableTag<float> d;
  const hn::Repartition<std::uint32_t, decltype(d)> d32;
  const hn::Repartition<std::uint16_t, decltype(d)> d16;
  const hn::Repartition<std::uint8_t, decltype(d)> d8;
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
