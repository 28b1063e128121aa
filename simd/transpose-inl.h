// Transposes a strided view in squares of registers, for elements of one size.
#if defined(AXISCAST_SIMD_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_TRANSPOSE_INL_H_
#undef AXISCAST_SIMD_TRANSPOSE_INL_H_
#else
#define AXISCAST_SIMD_TRANSPOSE_INL_H_
#endif

#include <cstdlib>
#include <cstring>
#include <utility>

#include "axiscast/kit/transpose-inl.h"
#include "simd/interleave-inl.h"
#include "simd/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// to[i][j] = from[j][i] for i < elements, j < lines, one element after the other.
template <typename T>
HWY_INLINE void TransposeByElement(const std::byte* from, std::int64_t from_stride, std::int64_t lines, std::int64_t elements,
                                   std::byte* to, std::int64_t to_stride) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = 0; i < elements; ++i) {
    for (std::int64_t j = 0; j < lines; ++j) {
      WriteUnaligned(ReadUnaligned<T>(from + j * from_stride + i * kSize), to + i * to_stride + j * kSize);
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
// Squares from one end to the other, first along lines where those are far apart, else along rows of `to`: what is far away is used
// up cache line by cache line in the order of its addresses. The other order had 1/3 of the speed with lines 8 KB apart.
// The last square overlaps the one before it.
template <typename T, std::size_t kElements, class D>
HWY_INLINE void TransposeSquares(D d, const std::byte* from, std::int64_t from_stride, std::int64_t lines, std::int64_t elements,
                                 std::byte* to, std::int64_t to_stride) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  constexpr auto kWidth = static_cast<std::int64_t>(kElements);
  constexpr std::int64_t kLines = kBytes<D> / kSize;
  const auto square = [&](std::int64_t j, std::int64_t i) HWY_ATTR {
    const std::int64_t line = HWY_MIN(j, lines - kLines);
    const std::int64_t element = HWY_MIN(i, elements - kWidth);
    TransposeSquare(d, std::make_index_sequence<kElements>(), from + line * from_stride + element * kSize, from_stride,
                    StoreRow<D>{to + element * to_stride + line * kSize, to_stride});
  };
  if (std::abs(from_stride) > std::abs(to_stride)) {
    for (std::int64_t j = 0; j < lines; j += kLines) {
      for (std::int64_t i = 0; i < elements; i += kWidth) square(j, i);
    }
  } else {
    for (std::int64_t i = 0; i < elements; i += kWidth) {
      for (std::int64_t j = 0; j < lines; j += kLines) square(j, i);
    }
  }
}

// Fewer lines than a block has elements, which is no more than a line has, to rows without gaps: blocks that begin with a row, and
// run over into those that come next. The last ones go by way of the stack, where that is shorter than half squares or one element
// after the other: it takes as long as some five elements for each line of a block.
template <typename T, std::size_t... kIndex>
HWY_INLINE void TransposeFewLines(std::index_sequence<kIndex...> sequence, const std::byte* from, std::int64_t from_stride,
                                  std::int64_t lines, std::int64_t elements, std::byte* to) {
  constexpr auto kElements = static_cast<std::int64_t>(sizeof...(kIndex)), kSize = static_cast<std::int64_t>(sizeof(T));
  const hn::FixedTag<T, sizeof...(kIndex)> d;
  const auto line = [&](const std::byte* block, std::size_t index) HWY_ATTR {
    return LoadBytes(d, block + HWY_MIN(static_cast<std::int64_t>(index), lines - 1) * from_stride);
  };
  const std::int64_t row = lines * kSize;
  std::int64_t i = 0;
  for (; i + 2 * kElements <= elements; i += kElements) {
    StoreRow<decltype(d)> store = {to + i * row, row};
    ForTransposed<1>(d, sequence, store, line(from + i * kSize, kIndex)...);
  }
  constexpr std::int64_t kHalf = kElements / 2;
  const std::int64_t left = elements - i, blocks = (left + kElements - 1) / kElements;
  const bool is_short = left * lines <= 5 * kElements * blocks;
  if (lines == kHalf || (is_short && lines > kHalf)) {
    TransposeSquares<T, static_cast<std::size_t>(kHalf)>(hn::Half<decltype(d)>(), from + i * kSize, from_stride, lines, left,
                                                         to + i * row, row);
    return;
  }
  if (is_short) {
    TransposeByElement<T>(from + i * kSize, from_stride, lines, left, to + i * row, row);
    return;
  }
  for (; i < elements; i += kElements) {
    const std::int64_t at = HWY_MIN(i, elements - kElements);
    std::byte rows[kElements * kElements * kSize];
    StoreRow<decltype(d)> store = {rows, row};
    ForTransposed<1>(d, sequence, store, line(from + at * kSize, kIndex)...);
    std::memcpy(to + at * row, rows, static_cast<std::size_t>(kElements * row));
  }
}
#endif  // HWY_TARGET != HWY_SCALAR

// Where transposes begin on either side, and how many bytes apart.
struct Transposes {
  const std::byte* from;
  std::byte* to;
  std::int64_t count = 1, from_step = 0, to_step = 0;

  HWY_INLINE void Next() {
    from += from_step;
    to += to_step;
    --count;
  }
};

// to[i][j] = from[j][i] for i < elements, j < lines; a line's elements are contiguous, as are those of a row of `to`. The same for
// all of `at`: finding out how takes longer than a small one. Plain loops, as gcc passes what a lambda has on the stack, which
// takes 12 ns.
template <typename T>
HWY_INLINE void Transpose(Transposes at, std::int64_t from_stride, std::int64_t lines, std::int64_t elements,
                          std::int64_t to_stride) {
#if HWY_TARGET != HWY_SCALAR
  using Lane = std::conditional_t<kHasLanes<T>, T, std::uint64_t>;
  const hn::FixedTag<Lane, 16 / sizeof(Lane)> d_block;
#if HWY_HAVE_SCALABLE
  const auto d_whole = d_block, d = d_block;
#else
  const hn::ScalableTag<Lane> d_whole;
  const hn::CappedTag<Lane, 32 / sizeof(Lane)> d;
#endif
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  constexpr std::size_t kBlock = 16 / sizeof(T);
  constexpr std::size_t kVector = kBytes<decltype(d)> / sizeof(T), kWhole = kBytes<decltype(d_whole)> / sizeof(T);
  const auto fits = [=](std::size_t square_lines, std::size_t square_elements) {
    return lines >= static_cast<std::int64_t>(square_lines) && elements >= static_cast<std::int64_t>(square_elements);
  };
  const auto is_aligned = [](const std::byte* address, std::int64_t stride, std::int64_t step) {
    return reinterpret_cast<std::uintptr_t>(address) % sizeof(T) == 0 && stride % kSize == 0 && step % kSize == 0;
  };
  const bool to_aligned = is_aligned(at.to, to_stride, at.to_step), to_dense = to_stride == lines * kSize;
  if constexpr (kHasTriples<T>) {
    constexpr auto kLanes = static_cast<std::int64_t>(kWhole);
    if (lines == 3 && to_dense && elements >= kLanes) {
      for (; at.count > 0; at.Next()) InterleaveThreeLines<T>(at.from, from_stride, elements, at.to);
      return;
    }
    if (elements == 3 && from_stride == 3 * kSize && lines >= kLanes) {
      for (; at.count > 0; at.Next()) DeinterleaveTriples<T>(at.from, lines, at.to, to_stride);
      return;
    }
  }
  // SSE2 interleaves three lines one element after the other. Some targets' interleaved loads and stores need alignment.
  if constexpr (kHasLanes<T> && HWY_TARGET != HWY_SSE2) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
    if (lines >= 2 && lines <= 4 && to_dense && elements >= lanes && to_aligned) {
      for (; at.count > 0; at.Next()) InterleaveLines(at.from, from_stride, lines, elements, reinterpret_cast<T*>(at.to));
      return;
    }
    if (elements >= 2 && elements <= 4 && from_stride == elements * kSize && lines >= lanes &&
        is_aligned(at.from, from_stride, at.from_step)) {
      for (; at.count > 0; at.Next()) DeinterleaveLines(reinterpret_cast<const T*>(at.from), lines, elements, at.to, to_stride);
      return;
    }
  }
  if constexpr (kPermutesPairs<T> && sizeof(T) <= 2) {
    const std::int64_t step = from_stride / kSize, at_once = LinesInFourVectors<T>(step, elements);
    if (from_stride % kSize == 0 && elements < static_cast<std::int64_t>(kBlock) && at_once >= kLeastAtOnce &&
        lines >= 2 * at_once) {
      for (; at.count > 0; at.Next()) TakeLinesApart<T>(at.from, step, lines, elements, at.to, to_stride);
      return;
    }
  }
  // Elements of 4 and 8 bytes by vectors of at most 32 bytes: a Zen 4 shuffles two of them at once, and fewer of their loads and
  // stores span two lines. Squares of 64 bytes take 1.1 to 2.4 times as long, from any cache and at any stride. Others go by whole
  // vectors where there are lines for them, 0.7 to 0.9 of the time.
  if constexpr (kWhole > kVector && (sizeof(T) < 4 || sizeof(T) > 8)) {
    if (fits(kWhole, kBlock)) {
      for (; at.count > 0; at.Next()) TransposeSquares<T, kBlock>(d_whole, at.from, from_stride, lines, elements, at.to, to_stride);
      return;
    }
  }
  if constexpr (sizeof(T) == 8 && kVector == 4) {
    if (fits(kVector, kVector)) {
      for (; at.count > 0; at.Next()) TransposeSquares<T, kVector>(d, at.from, from_stride, lines, elements, at.to, to_stride);
      return;
    }
  }
  if (fits(kVector, kBlock)) {
    for (; at.count > 0; at.Next()) TransposeSquares<T, kBlock>(d, at.from, from_stride, lines, elements, at.to, to_stride);
    return;
  }
  if (fits(kBlock, kBlock)) {
    for (; at.count > 0; at.Next()) TransposeSquares<T, kBlock>(d_block, at.from, from_stride, lines, elements, at.to, to_stride);
    return;
  }
  if constexpr (kHasLanes<T>) {
    if constexpr (kBlock >= 8 && HWY_TARGET != HWY_SSE2) {
      // Of so few elements, half squares of two bytes are faster.
      constexpr std::size_t kLeast = sizeof(T) == 1 ? kBlock : 2 * kBlock;
      if (to_dense && fits(2, kLeast)) {
        for (; at.count > 0; at.Next()) {
          TransposeFewLines<T>(std::make_index_sequence<kBlock>(), at.from, from_stride, lines, elements, at.to);
        }
        return;
      }
    }
    constexpr auto kLongLine = static_cast<std::int64_t>(4 * kWhole);
    if (to_aligned && elements < lines && lines >= kLongLine) {
      for (; at.count > 0; at.Next()) {
        for (std::int64_t i = 0; i < elements; ++i) {
          GatherRow(at.from + i * kSize, from_stride, lines, reinterpret_cast<T*>(at.to + i * to_stride));
        }
      }
      return;
    }
    if constexpr (kBlock >= 8) {
      const hn::Half<decltype(d_block)> d_half;
      if (fits(kBlock / 2, kBlock / 2)) {
        for (; at.count > 0; at.Next()) {
          TransposeSquares<T, kBlock / 2>(d_half, at.from, from_stride, lines, elements, at.to, to_stride);
        }
        return;
      }
    }
  }
#endif
  for (; at.count > 0; at.Next()) TransposeByElement<T>(at.from, from_stride, lines, elements, at.to, to_stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
