// The arithmetic behind the roof of the 16-bit floats: their conversions, and an op.
#if defined(AXISCAST_BENCH_ROOF_HALVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_BENCH_ROOF_HALVES_INL_H_
#undef AXISCAST_BENCH_ROOF_HALVES_INL_H_
#else
#define AXISCAST_BENCH_ROOF_HALVES_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bench/roof_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

// Where float16 is added as it is. (Arm's targets that can do so are compared with conversions, as are the library's there.)
#if HWY_ARCH_X86 && HWY_HAVE_FLOAT16
template <bool kToFew>
std::int64_t AddFloat16s(std::int64_t elements, int place) {
  const hn::ScalableTag<hwy::float16_t> d;
  const hn::RebindToUnsigned<decltype(d)> bits;
  constexpr std::uint16_t kOne = 0x3c00;
  return RunArrays(bits, elements, place, kOne, [&](const std::uint16_t* x) HWY_ATTR {
    const auto other = kToFew ? hn::Set(bits, kOne) : hn::Load(bits, x + kPitch);
    return hn::BitCast(bits, hn::Add(hn::BitCast(d, hn::Load(bits, x)), hn::BitCast(d, other)));
  });
}
#endif

// Results are stored as they are converted, or by half vectors (a Zen 4 then adds two arrays in 0.84 of the time), or in pairs: a
// Zen 5 takes 1.3 times as long to convert 32 bytes to memory as to a register.
template <class Op, bool kToFew>
std::int64_t ConvertHalves(int way, std::int64_t elements, int place) {
#if HWY_ARCH_X86 && HWY_HAVE_FLOAT16
  if constexpr (std::is_same_v<Op, Add>) return way == 0 ? AddFloat16s<kToFew>(elements, place) : 0;
#endif
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
#if HWY_TARGET <= HWY_AVX3 && !HWY_COMPILER_CLANG  // a shuffle into the other's half instead of a shift and a blend
    const hn::Repartition<std::uint8_t, decltype(bits)> bytes;
    const auto half_of = [&](auto shuffled, auto other, auto mask) HWY_ATTR {
      const auto order = hn::Dup128VecFromValues(bytes, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
      const auto halves = hn::TableLookupBytes(hn::BitCast(bytes, shuffled), order);
      return hn::BitCast(bits, hn::IfThenElse(mask, halves, hn::BitCast(bytes, other)));
    };
    const auto kept = half_of(even, odd, hn::Dup128MaskFromMaskBits(bytes, 0x3333u));
    const auto dropped = half_of(odd, even, hn::Dup128MaskFromMaskBits(bytes, 0xccccu));
#else
    const auto kept = hn::InterleaveOdd(bits, hn::BitCast(bits, even), hn::BitCast(bits, odd));
    const auto dropped = hn::InterleaveEven(bits, hn::BitCast(bits, even), hn::BitCast(bits, odd));
#endif
    const auto one = hn::Set(bits, std::uint16_t{1});
    const auto up = hn::Gt(hn::OrAnd(dropped, kept, one), hn::Set(bits, std::uint16_t{0x8000}));
#if HWY_HAVE_SCALABLE || (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)
    return hn::MaskedAddOr(kept, up, kept, one);
#else
    return hn::Sub(kept, hn::VecFromMask(bits, up));
#endif
  });
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

}  // namespace HWY_NAMESPACE
}  // namespace axiscast::bench
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
