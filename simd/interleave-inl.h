// Transposes of two to four lines, or of lines of few elements: whole vectors are interleaved, or taken apart.
#if defined(AXISCAST_SIMD_INTERLEAVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_INTERLEAVE_INL_H_
#undef AXISCAST_SIMD_INTERLEAVE_INL_H_
#else
#define AXISCAST_SIMD_INTERLEAVE_INL_H_
#endif

#include "simd/permute-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Three lines, and lines of three elements without gaps.
template <typename T>
HWY_INLINE void InterleaveThreeLines(const std::byte* from, std::int64_t from_stride, std::int64_t elements, std::byte* to) {
  const hn::ScalableTag<T> d;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(d)), kSize = static_cast<std::int64_t>(sizeof(T));
  const Triples<decltype(d)> triples;
  for (std::int64_t i = 0; i < elements; i += kLanes) {
    const std::int64_t at = HWY_MIN(i, elements - kLanes);  // the last vectors overlap those before them
    const std::byte* first = from + at * kSize;
    std::byte* const out = to + at * 3 * kSize;
    const auto a = triples.template Spread<0>(LoadBytes(d, first)),
               b = triples.template Spread<1>(LoadBytes(d, first + from_stride)),
               c = triples.template Spread<2>(LoadBytes(d, first + 2 * from_stride));
    StoreBytes(triples.template Join<0>(a, b, c), d, out);
    StoreBytes(triples.template Join<1>(a, b, c), d, out + kLanes * kSize);
    StoreBytes(triples.template Join<2>(a, b, c), d, out + 2 * kLanes * kSize);
  }
}
template <typename T>
HWY_INLINE void DeinterleaveTriples(const std::byte* from, std::int64_t lines, std::byte* to, std::int64_t to_stride) {
  const hn::ScalableTag<T> d;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(d)), kSize = static_cast<std::int64_t>(sizeof(T));
  const Triples<decltype(d)> triples;
  for (std::int64_t j = 0; j < lines; j += kLanes) {
    const std::int64_t at = HWY_MIN(j, lines - kLanes);
    const std::byte* first = from + at * 3 * kSize;
    std::byte* const out = to + at * kSize;
    const auto v0 = LoadBytes(d, first), v1 = LoadBytes(d, first + kLanes * kSize), v2 = LoadBytes(d, first + 2 * kLanes * kSize);
    StoreBytes(triples.template Take<0>(v0, v1, v2), d, out);
    StoreBytes(triples.template Take<1>(v0, v1, v2), d, out + to_stride);
    StoreBytes(triples.template Take<2>(v0, v1, v2), d, out + 2 * to_stride);
  }
}

// Two to four lines.
template <typename T>
HWY_INLINE void InterleaveLines(const std::byte* from, std::int64_t from_stride, std::int64_t lines, std::int64_t elements, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < elements; i += lanes) {
    const std::int64_t at = HWY_MIN(i, elements - lanes);  // the last vectors overlap those before them
    const std::byte* first = from + at * static_cast<std::int64_t>(sizeof(T));
    const auto a = LoadBytes(d, first), b = LoadBytes(d, first + from_stride);
    if (lines == 2) {
      hn::StoreInterleaved2(a, b, d, to + at * 2);
    } else if (lines == 3) {
      hn::StoreInterleaved3(a, b, LoadBytes(d, first + 2 * from_stride), d, to + at * 3);
    } else {
      hn::StoreInterleaved4(a, b, LoadBytes(d, first + 2 * from_stride), LoadBytes(d, first + 3 * from_stride), d, to + at * 4);
    }
  }
}

// Lines of two to four elements without gaps.
template <typename T>
HWY_INLINE void DeinterleaveLines(const T* from, std::int64_t lines, std::int64_t elements, std::byte* to, std::int64_t to_stride) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t j = 0; j < lines; j += lanes) {
    const std::int64_t at = HWY_MIN(j, lines - lanes);
    std::byte* first = to + at * static_cast<std::int64_t>(sizeof(T));
    auto a = hn::Zero(d), b = a, c = a, e = a;
    if (elements == 2) {
      hn::LoadInterleaved2(d, from + at * 2, a, b);
    } else if (elements == 3) {
      hn::LoadInterleaved3(d, from + at * 3, a, b, c);
      StoreBytes(c, d, first + 2 * to_stride);
    } else {
      hn::LoadInterleaved4(d, from + at * 4, a, b, c, e);
      StoreBytes(c, d, first + 2 * to_stride);
      StoreBytes(e, d, first + 3 * to_stride);
    }
    StoreBytes(a, d, first);
    StoreBytes(b, d, first + to_stride);
  }
}

inline constexpr std::int64_t kLeastAtOnce = 12;  // lines that are taken apart; with fewer, most of what is stored is overwritten
// How many lines, `step` elements from each to the next, four vectors hold; 0: none, or lines overlap or are not few elements.
template <typename T>
HWY_INLINE std::int64_t LinesInFourVectors(std::int64_t step, std::int64_t elements) {
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
  return step < elements || elements > kLanes ? 0 : HWY_MIN(kLanes, (4 * kLanes - elements) / step + 1);
}
// Lines of few elements, gaps between them too: as many at once as four vectors hold, of which each row of `to` is one permutation.
// Of 1 byte, lines of 5 to 15 elements take 0.4 of the time, of 2 bytes 5 to 7 elements too.
template <typename T>
HWY_INLINE void TakeLinesApart(const std::byte* from, std::int64_t step, std::int64_t lines, std::int64_t elements, std::byte* to,
                               std::int64_t to_stride) {
  const hn::ScalableTag<T> d;
  const hn::RebindToUnsigned<decltype(d)> d_index;
  using Index = hn::TFromD<decltype(d_index)>;
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T)), kLanes = static_cast<std::int64_t>(hn::MaxLanes(d));
  const std::int64_t at_once = LinesInFourVectors<T>(step, elements);
  HWY_ALIGN Index begins[kLanes];  // of lines; behind the last one, of what is not stored
  for (std::int64_t line = 0; line < kLanes; ++line) begins[line] = static_cast<Index>(line < at_once ? line * step : 0);
  const auto first = hn::Load(d_index, begins), one = hn::Set(d_index, Index{1});
  for (std::int64_t line = 0; line < lines; line += at_once) {
    const std::int64_t readable = ((lines - line - 1) * step + elements) * kSize;
    const FourVectors<decltype(d)> source(from + line * step * kSize, readable);
    // What a row gets too much is overwritten by the next lines'.
    const std::int64_t count = line + kLanes <= lines ? kLanes : HWY_MIN(at_once, lines - line);
    std::byte* out = to + line * kSize;
    auto index = first;
    for (std::int64_t element = 0; element < elements; ++element, out += to_stride, index = hn::Add(index, one)) {
      StoreUpTo(source.Lanes(index), d, count, out);
    }
  }
}
#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
