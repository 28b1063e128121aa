// Transposes squares of elements in registers.
#if defined(AXISCAST_KIT_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_TRANSPOSE_INL_H_
#undef AXISCAST_KIT_TRANSPOSE_INL_H_
#else
#define AXISCAST_KIT_TRANSPOSE_INL_H_
#endif

#include <utility>

#include "axiscast/kit/permute-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Bytes of a whole vector.
template <class D>
inline constexpr auto kBytes = static_cast<std::int64_t>(hn::MaxLanes(D()) * sizeof(hn::TFromD<D>));

// A vector of parts of so many bytes, at least a block's 16, each `stride` behind the one before it.
template <std::int64_t kPartBytes, class D>
HWY_INLINE hn::VFromD<D> LoadParts(D d, const std::byte* from, std::int64_t stride) {
  if constexpr (kBytes<D> <= kPartBytes) {
    return LoadBytes(d, from);
  } else {
    const hn::Half<D> half;
    constexpr std::int64_t kParts = kBytes<decltype(half)> / kPartBytes;
    return hn::Combine(d, LoadParts<kPartBytes>(half, from + kParts * stride, stride), LoadParts<kPartBytes>(half, from, stride));
  }
}

template <std::size_t kIndex, class V, class... Vs>
HWY_INLINE auto Nth(V v, Vs... vs) {
  if constexpr (kIndex == 0) {
    return v;
  } else {
    return Nth<kIndex - 1>(vs...);
  }
}

// Interleaves the blocks of two vectors, lower or upper halves; of their halves each by itself where lines are half a vector.
template <bool kHalves, bool kUpper, class D, class V>
HWY_INLINE V InterleaveBlocks(D d, V a, V b) {
  if constexpr (kBytes<D> == 32) {
    static_assert(!kHalves);  // half a vector is a block
    if constexpr (kUpper) {
      return hn::ConcatUpperUpper(d, b, a);
    } else {
      return hn::ConcatLowerLower(d, b, a);
    }
  } else {
    const hn::Repartition<std::uint64_t, D> pairs;
    alignas(64) static constexpr std::uint64_t kOrder[2][2][8] = {{{0, 1, 8, 9, 2, 3, 10, 11}, {4, 5, 12, 13, 6, 7, 14, 15}},
                                                                  {{0, 1, 8, 9, 4, 5, 12, 13}, {2, 3, 10, 11, 6, 7, 14, 15}}};
    return hn::BitCast(d, hn::TwoTablesLookupLanes(hn::BitCast(pairs, a), hn::BitCast(pairs, b),
                                                   hn::SetTableIndices(pairs, kOrder[kHalves][kUpper])));
  }
}

template <bool kBlocks, bool kUpper, std::size_t kVectors, class D, class V>
HWY_INLINE V Interleave(D d, V a, V b) {
  if constexpr (kBlocks) {
    return InterleaveBlocks<(kVectors < hn::MaxLanes(D())), kUpper>(d, a, b);
  } else if constexpr (kUpper) {
    return hn::InterleaveUpper(d, a, b);
  } else {
    return hn::InterleaveLower(d, a, b);
  }
}

// Calls use(v) for each row v of the transpose of vectors, one after the other. Each stage interleaves the first half of them with
// the second; after log2(vectors) stages what had the same place stands together. As many vectors as a block has elements are
// transposed within their blocks; with more, the first stages interleave whole blocks. A pack instead of an array: some targets
// have no arrays of vectors. `use` is no lambda: gcc passes what those hold on the stack.
template <std::size_t kStage, class D, std::size_t... kIndex, class Use, class... V>
HWY_INLINE void ForTransposed(D d, std::index_sequence<kIndex...> sequence, Use& use, V... v) {
  constexpr std::size_t kVectors = sizeof...(V);
  if constexpr (kStage == kVectors) {
    (use(v), ...);
  } else {
    constexpr std::size_t kHalf = kVectors / 2;
    constexpr bool kBlocks = kStage * (16 / sizeof(hn::TFromD<D>)) < kVectors;
    ForTransposed<2 * kStage>(
        d, sequence, use,
        Interleave<kBlocks, kIndex % 2 != 0, kVectors>(d, Nth<kIndex / 2>(v...), Nth<kIndex / 2 + kHalf>(v...))...);
  }
}

// The same for a square: as many lines as a vector has elements, `stride` bytes apart, of as many elements as the sequence is
// long, which is a block's, half a vector's or a vector's.
template <class D, std::size_t... kIndex, class Use>
HWY_INLINE void TransposeSquare(D d, std::index_sequence<kIndex...> sequence, const std::byte* from, std::int64_t stride, Use use) {
  constexpr auto kElements = static_cast<std::int64_t>(sizeof...(kIndex));
  constexpr std::int64_t kPartBytes = HWY_MAX(kElements * static_cast<std::int64_t>(sizeof(hn::TFromD<D>)), 16);
  static_assert(kPartBytes == 16 || kPartBytes == kBytes<D> || 2 * kPartBytes == kBytes<D>);  // as InterleaveBlocks has it
  ForTransposed<1>(d, sequence, use,
                   LoadParts<kPartBytes>(d, from + static_cast<std::int64_t>(kIndex) * stride, kElements * stride)...);
}

// Stores the rows of a transposed square.
template <class D>
struct StoreRow {
  HWY_INLINE void operator()(hn::VFromD<D> v) {
    StoreBytes(v, D(), to);
    to += to_stride;
  }

  std::byte* to;
  std::int64_t to_stride;
};

// The transpose of a part of a square of vectors: of `lines` lines of `elements` elements. The rest of `to`, a whole square, is
// zeros. Lines that there are not are not loaded, even by empty masks: such a load from a page that there is not takes 250 ns.
// Static: no other translation unit's code takes its place, which may be compiled otherwise.
template <class D>
static HWY_NOINLINE void TransposePart(D d, const std::byte* from, std::int64_t stride, std::int64_t lines, std::int64_t elements,
                                       std::byte* to) {
  using T = hn::TFromD<D>;
  constexpr std::size_t kSide = hn::MaxLanes(D());
  HWY_ALIGN T square[kSide * kSide];
  std::size_t line = 0;
  for (; line < static_cast<std::size_t>(lines); ++line, from += stride) {
    hn::Store(hn::LoadN(d, reinterpret_cast<const T*>(from), static_cast<std::size_t>(elements)), d, square + line * kSide);
  }
  for (; line < kSide; ++line) hn::Store(hn::Zero(d), d, square + line * kSide);
  TransposeSquare(d, std::make_index_sequence<kSide>(), reinterpret_cast<const std::byte*>(square), kBytes<D>,
                  StoreRow<D>{to, kBytes<D>});
}
#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
