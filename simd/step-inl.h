// Rows whose elements are a few elements apart, or reversed: whole vectors, of which every second, third or fourth element is used.
#if defined(AXISCAST_SIMD_STEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_STEP_INL_H_
#undef AXISCAST_SIMD_STEP_INL_H_
#else
#define AXISCAST_SIMD_STEP_INL_H_
#endif

#include "hwy/cache_control.h"
#include "simd/boxes-inl.h"
#include "simd/permute-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Any stride. Four at a time: gcc does not unroll. Not inlined: where gcc 12 knows that the stride is -2 elements it loads pairs,
// and so an element behind the first one.
template <typename T>
HWY_NOINLINE void GatherByElement(const std::byte* x, std::int64_t stride, std::int64_t count, T* out) {
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4, x += 4 * stride) {
    const T a = ReadUnaligned<T>(x), b = ReadUnaligned<T>(x + stride);
    const T c = ReadUnaligned<T>(x + 2 * stride), e = ReadUnaligned<T>(x + 3 * stride);
    out[i] = a, out[i + 1] = b, out[i + 2] = c, out[i + 3] = e;
  }
  for (; i < count; ++i, x += stride) out[i] = ReadUnaligned<T>(x);
}
template <typename T>
HWY_NOINLINE void ScatterByElement(const T* x, std::int64_t count, std::byte* out, std::int64_t stride) {
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4, out += 4 * stride) {
    WriteUnaligned(x[i], out), WriteUnaligned(x[i + 1], out + stride);
    WriteUnaligned(x[i + 2], out + 2 * stride), WriteUnaligned(x[i + 3], out + 3 * stride);
  }
  for (; i < count; ++i, out += stride) WriteUnaligned(x[i], out);
}

#if HWY_TARGET != HWY_SCALAR
// Of kStep vectors, the first of every kStep elements, or the last.
template <int kStep, bool kLast, class D>
HWY_INLINE hn::VFromD<D> LoadStep(D d, const std::byte* from) {
  if constexpr (kStep == 1) {
    return LoadBytes(d, from);
  } else if constexpr (kStep == 3 && kHasTriples<hn::TFromD<D>>) {
    constexpr int kPlace = kLast ? 2 : 0;
    const std::size_t bytes = hn::Lanes(d) * sizeof(hn::TFromD<D>);
    const auto v0 = LoadBytes(d, from), v1 = LoadBytes(d, from + bytes), v2 = LoadBytes(d, from + 2 * bytes);
    return Triples<D>().template Take<kPlace>(v0, v1, v2);
  } else if constexpr (kStep == 3) {
    hn::VFromD<D> a, b, c;
    hn::LoadInterleaved3(d, reinterpret_cast<const hn::TFromD<D>*>(from), a, b, c);
    return kLast ? c : a;
  } else {
    const auto low = LoadStep<kStep / 2, kLast>(d, from);
    const auto high = LoadStep<kStep / 2, kLast>(d, from + hn::Lanes(d) * sizeof(hn::TFromD<D>) * kStep / 2);
    return kLast ? hn::ConcatOdd(d, high, low) : hn::ConcatEven(d, high, low);
  }
}

// out[i] = the element at x + i * kStep; reversed, the other way round. Each vector of the result begins its kStep vectors of x,
// which go on to elements behind its last one; so the very last vector ends them. Gaps between elements are read, nothing else.
template <int kStep, bool kReverse, typename T, class D>
HWY_INLINE void GatherStep(D d, const std::byte* x, std::int64_t count, T* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (kStep == 1 ? count < lanes : count <= lanes) {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
    if constexpr (hn::MaxLanes(d) * sizeof(T) > 16 && !HWY_HAVE_SCALABLE) {
      GatherStep<kStep, kReverse>(hn::Half<D>(), x, count, out);
    } else {
      GatherByElement(kReverse ? x + (count - 1) * kStep * kSize : x, kReverse ? -kStep * kSize : kStep * kSize, count, out);
    }
    return;
  }
  const auto store = [=](hn::VFromD<D> v, std::int64_t i) HWY_ATTR {
    if constexpr (kReverse) {
      hn::StoreU(hn::Reverse(d, v), d, out + count - lanes - i);
    } else {
      hn::StoreU(v, d, out + i);
    }
  };
  std::int64_t i = 0;
  for (; i + lanes < count; i += lanes) store(LoadStep<kStep, false>(d, x + i * kStep * static_cast<std::int64_t>(sizeof(T))), i);
  i = count - lanes;
  store(LoadStep<kStep, true>(d, x + (i * kStep - (kStep - 1)) * static_cast<std::int64_t>(sizeof(T))), i);
}
#endif  // HWY_TARGET != HWY_SCALAR

// out[i] = the element at x + i * stride.
template <typename T>
HWY_INLINE void GatherRow(const std::byte* x, std::int64_t stride, std::int64_t count, T* out) {
  [[maybe_unused]] constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kHasLanes<T>) {
    const hn::ScalableTag<T> d;
    if (stride == 2 * kSize) return GatherStep<2, false>(d, x, count, out);
    if (stride == 4 * kSize) return GatherStep<4, false>(d, x, count, out);
    if (stride == -kSize) return GatherStep<1, true>(d, x + (count - 1) * stride, count, out);
    if (stride == -2 * kSize) return GatherStep<2, true>(d, x + (count - 1) * stride, count, out);
    // Some targets' interleaved loads need that. SSE2 takes three interleaved vectors apart element by element.
    const bool aligned = kHasTriples<T> || reinterpret_cast<std::uintptr_t>(x) % sizeof(T) == 0;
    if (stride == 3 * kSize && aligned && HWY_TARGET != HWY_SSE2) return GatherStep<3, false>(d, x, count, out);
  }
#endif
  const BoxDim steps = {count, stride};
  if (!GatherBoxes<T>(x, &steps, 1, reinterpret_cast<std::byte*>(out))) GatherByElement(x, stride, count, out);
}

// The element at out + i * kStep = x[i]: the vectors of a repetition, of which the first of every kStep lanes are stored.
template <int kStep, typename T>
HWY_INLINE void ScatterStep(const T* x, std::int64_t count, std::byte* out_bytes) {
  const hn::CappedTag<T, kMaxTableLanes> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto* out = reinterpret_cast<T*>(out_bytes);
  const auto part = [=](hn::VFromD<decltype(d)> v, std::int64_t at, int p, std::int64_t left) HWY_ATTR {
    const auto sources = LoadTable(d, kRepeatTables.of[kStep] + p * lanes);
    auto multiple = sources;
    for (int k = 1; k < kStep; ++k) multiple = hn::Add(multiple, sources);
    auto mask = hn::Eq(multiple, hn::Iota(d, static_cast<T>(p * lanes)));
    if (left < lanes) mask = hn::And(mask, hn::Lt(sources, hn::Set(d, static_cast<T>(left))));
    T* to = out + at * kStep + p * lanes;
    hwy::Prefetch(to + kMaskedStorePrefetch / sizeof(T));
    hn::BlendedStore(hn::TableLookupLanes(v, hn::IndicesFromVec(d, sources)), mask, d, to);
  };
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(d, x + i);
    for (int p = 0; p < kStep; ++p) part(v, i, p, lanes);
  }
  if (i == count) return;
  const auto v = hn::LoadN(d, x + i, static_cast<std::size_t>(count - i));
  for (int p = 0; p < kStep; ++p) part(v, i, p, count - i);
}

// The element at out + i * stride = x[i]. kFar: one store for each; masked ones to memory take 1.03 to 1.12 times as long.
template <bool kFar, typename T>
HWY_INLINE void ScatterRow(const T* x, std::int64_t count, std::byte* out, std::int64_t stride) {
  [[maybe_unused]] constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  if constexpr (kFar) return ScatterByElement(x, count, out, stride);
  if constexpr (kHasLanes<T> && kHasMaskedStore && kHasLanePermute<T>) {
    if (stride == 2 * kSize) return ScatterStep<2>(x, count, out);
    if (stride == 3 * kSize) return ScatterStep<3>(x, count, out);
    if (stride == 4 * kSize) return ScatterStep<4>(x, count, out);
  }
  const BoxDim steps = {count, stride};
  if (!ScatterBoxes<T>(reinterpret_cast<const std::byte*>(x), &steps, 1, out)) ScatterByElement(x, count, out, stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
