// Boxes of few elements, close to each other, moved by permuting vectors: in any order on one side, dense on the other. One vector
// holds some boxes, with gaps too; or four do, without.
#if defined(AXISCAST_SIMD_BOXES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_BOXES_INL_H_
#undef AXISCAST_SIMD_BOXES_INL_H_
#else
#define AXISCAST_SIMD_BOXES_INL_H_
#endif

#include <algorithm>
#include <cstdlib>

#include "axiscast/kit/store-inl.h"
#include "core/kernel.h"
#include "hwy/cache_control.h"
#include "simd/permute-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Boxes, each a step from the one before it.
struct Boxes {
  std::int64_t count;
  std::int64_t step;      // bytes
  std::int64_t elements;  // of a box
  std::int64_t low;       // bytes from its element [0, ..., 0] to the one of the lowest address, 0 or less
  std::int64_t bytes;     // from there to its end
};

inline Boxes BoxesOf(const BoxDim* dims, int rank, std::int64_t size) {
  Boxes boxes = {dims[0].extent, dims[0].stride, 1, 0, size};
  for (int d = 1; d < rank; ++d) {
    const std::int64_t reach = (dims[d].extent - 1) * dims[d].stride;
    boxes.elements *= dims[d].extent;
    boxes.low += std::min<std::int64_t>(reach, 0);
    boxes.bytes += std::abs(reach);
  }
  return boxes;
}

// Where the elements of `count` boxes are, in elements from the lowest address of them all.
template <typename Index>
HWY_INLINE void IndexBoxes(const Boxes& boxes, const BoxDim* dims, int rank, std::int64_t count, std::int64_t size, Index* index) {
  const std::int64_t lowest = boxes.low + std::min<std::int64_t>((count - 1) * boxes.step, 0);
  std::int64_t block = 1;
  index[0] = static_cast<Index>(-lowest / size);
  for (int d = rank - 1; d >= 0; --d) {
    const std::int64_t extent = d == 0 ? count : dims[d].extent, step = dims[d].stride / size;
    for (std::int64_t j = 1; j < extent; ++j) {
      for (std::int64_t i = 0; i < block; ++i) index[j * block + i] = static_cast<Index>(index[i] + j * step);
    }
    block *= extent;
  }
}

// How many boxes a vector of `lanes` elements holds, whichever side has the gaps; 0 where boxes do not pay.
inline std::int64_t BoxesOfVector(const Boxes& boxes, const BoxDim* dims, int rank, std::int64_t lanes, std::int64_t size) {
  const std::int64_t vector = lanes * size;
  if (boxes.elements > lanes || boxes.bytes > vector) return 0;
  const std::int64_t step = std::abs(boxes.step);
  if (step == 0 || step > vector) return 0;
  for (int i = 0; i < rank; ++i) {
    if (dims[i].stride % size != 0) return 0;
  }
  const std::int64_t group = std::min(lanes / boxes.elements, (vector - boxes.bytes) / step + 1);
  return group * boxes.elements < 4 ? 0 : group;
}

inline constexpr std::int64_t kMostReadGap = 64;  // bytes, and fewer

// Fewer boxes cost less than the table.
inline bool AreMany(const BoxDim& boxes, std::int64_t lanes) { return 2 * boxes.extent >= 3 * lanes; }

// The box of dims[1, rank) at x, and at every step of dims[0]; false, with nothing done, where that does not pay. Of gaps, only
// such are read as are shorter than a vector, 64 bytes.
template <typename T>
bool GatherBoxes(const std::byte* x, const BoxDim* dims, int rank, std::byte* out_bytes) {
  if constexpr (kHasLanePermute<T>) {
    const hn::CappedTag<T, kMaxTableLanes> d;
    const hn::Repartition<std::uint8_t, decltype(d)> bytes;
    const hn::RebindToUnsigned<decltype(d)> d_index;
    using Index = hn::TFromD<decltype(d_index)>;
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d)), vector = lanes * kSize;
    if (!AreMany(dims[0], lanes)) return false;
    const Boxes boxes = BoxesOf(dims, rank, kSize);
    const std::int64_t group = BoxesOfVector(boxes, dims, rank, lanes, kSize);
    if (group == 0) return false;
    const std::int64_t total = boxes.count * boxes.elements, stored = group * boxes.elements;

    HWY_ALIGN Index table[hn::MaxLanes(d)] = {};
    IndexBoxes(boxes, dims, rank, group, kSize, table);
    const auto index = hn::IndicesFromVec(d, hn::Load(d_index, table));
    const auto* from = reinterpret_cast<const std::uint8_t*>(x + boxes.low + std::min<std::int64_t>((group - 1) * boxes.step, 0));
    const auto* const end = reinterpret_cast<const std::uint8_t*>(x + boxes.low + boxes.bytes) +
                            std::max<std::int64_t>((boxes.count - 1) * boxes.step, 0);
    auto* out = reinterpret_cast<T*>(out_bytes);
    std::int64_t left = boxes.count, i = 0;
    for (; left >= group; left -= group, i += stored, from += group * boxes.step) {
      const std::int64_t readable = end - from;
      const auto v =
          hn::BitCast(d, readable >= vector ? hn::LoadU(bytes, from) : hn::LoadN(bytes, from, static_cast<std::size_t>(readable)));
      const auto result = hn::TableLookupLanes(v, index);
      // What is stored too much is overwritten by the next group.
      if (HWY_LIKELY(i + lanes <= total)) {
        hn::StoreU(result, d, out + i);
      } else {
        hn::StoreN(result, d, out + i, static_cast<std::size_t>(total - i));
      }
    }
    const std::byte* box = x + (boxes.count - left) * boxes.step + boxes.low;
    if (boxes.step < 0) IndexBoxes(boxes, dims, rank, 1, kSize, table);
    for (; left > 0; --left, box += boxes.step) {
      for (std::int64_t e = 0; e < boxes.elements; ++e) {
        out[i++] = ReadUnaligned<T>(box + static_cast<std::int64_t>(table[e]) * kSize);
      }
    }
    return true;
  } else {
    return false;
  }
}

// Whether a box has its elements one after the other, in another order: each dim begins where the ones within it end.
inline bool IsDenseBox(const BoxDim* dims, int rank, std::int64_t size) {
  std::int64_t step = size, elements = 1;
  for (int i = 1; i < rank; ++i) elements *= dims[i].extent;
  const std::int64_t bytes = elements * size;
  while (step < bytes) {
    const BoxDim* const next =
        std::find_if(dims + 1, dims + rank, [&](const BoxDim& dim) { return dim.extent > 1 && std::abs(dim.stride) == step; });
    if (next == dims + rank) return false;
    step *= next->extent;
  }
  return step == bytes;
}

// As GatherBoxes, of boxes of up to four vectors that are dense but for their order; so much closer to each other, too. Elements of
// 1 and 2 bytes go by tables ten and five times as fast as one after the other.
template <typename T>
bool GatherDenseBoxes(const std::byte* x, const BoxDim* dims, int rank, std::byte* out) {
  if constexpr (kPermutesPairs<T> && sizeof(T) <= 4) {
    const hn::ScalableTag<T> d;
    const hn::RebindToUnsigned<decltype(d)> d_index;
    using Index = hn::TFromD<decltype(d_index)>;
    using Source = FourVectors<decltype(d)>;
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T)), kLanes = static_cast<std::int64_t>(hn::MaxLanes(d));
    if (!IsDenseBox(dims, rank, kSize) || dims[0].stride % kSize != 0) return false;
    // Of two to four lines, or elements of lines, Highway interleaves whole vectors in half the time.
    const auto [few, many] = std::minmax(dims[rank - 2].extent, dims[rank - 1].extent);
    if (rank == 3 && few <= 4 && many >= kLanes) return false;
    const Boxes boxes = BoxesOf(dims, rank, kSize);
    const std::int64_t step = std::abs(boxes.step), gap = step - boxes.bytes;
    if (boxes.bytes > Source::kBytes || gap < 0 || gap >= kMostReadGap) return false;
    const std::int64_t group = (Source::kBytes - boxes.bytes) / step + 1;
    if (boxes.count < 4 * group) return false;  // the table takes longer

    HWY_ALIGN Index table[4 * kLanes] = {};
    IndexBoxes(boxes, dims, rank, group, kSize, table);
    const std::byte* from = x + boxes.low + std::min<std::int64_t>((group - 1) * boxes.step, 0);
    const std::byte* const end = x + boxes.low + boxes.bytes + std::max<std::int64_t>((boxes.count - 1) * boxes.step, 0);
    std::int64_t left = boxes.count * boxes.elements;
    const std::int64_t stored = group * boxes.elements;
    // A part of a group has other places where boxes come in falling order.
    for (; left >= stored || (left > 0 && boxes.step > 0); left -= stored, from += group * boxes.step, out += stored * kSize) {
      const Source source(from, end - from);
      // What is stored too much is overwritten by the next group.
      for (std::int64_t i = 0; i < std::min(stored, left); i += kLanes) {
        StoreUpTo(source.Lanes(hn::Load(d_index, table + i)), d, left - i, out + i * kSize);
      }
    }
    if (left <= 0) return true;
    IndexBoxes(boxes, dims, rank, 1, kSize, table);
    for (const std::byte* box = x + (boxes.count - left / boxes.elements) * boxes.step + boxes.low; left > 0; box += boxes.step) {
      for (std::int64_t e = 0; e < boxes.elements; ++e, --left, out += kSize) {
        WriteUnaligned(ReadUnaligned<T>(box + static_cast<std::int64_t>(table[e]) * kSize), out);
      }
    }
    return true;
  } else {
    return false;
  }
}

// The other way round, by masked stores: dense x to the box at `out` and at every step. Writes to no gap.
template <typename T>
bool ScatterBoxes(const std::byte* x_bytes, const BoxDim* dims, int rank, std::byte* out) {
  if constexpr (kHasLanePermute<T> && kHasMaskedStore) {
    const hn::CappedTag<T, kMaxTableLanes> d;
    const hn::RebindToUnsigned<decltype(d)> d_index;
    using Index = hn::TFromD<decltype(d_index)>;
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    if (!AreMany(dims[0], lanes)) return false;
    const Boxes boxes = BoxesOf(dims, rank, kSize);
    const std::int64_t group = BoxesOfVector(boxes, dims, rank, lanes, kSize);
    if (group == 0) return false;
    const std::int64_t total = boxes.count * boxes.elements, stored = group * boxes.elements;

    constexpr std::size_t kLanes = hn::MaxLanes(d);
    HWY_ALIGN Index places[kLanes] = {}, sources[kLanes] = {}, named[kLanes] = {};
    IndexBoxes(boxes, dims, rank, group, kSize, places);
    for (std::int64_t e = 0; e < stored; ++e) {
      sources[places[e]] = static_cast<Index>(e);
      named[places[e]] = 1;
    }
    const auto index = hn::IndicesFromVec(d, hn::Load(d_index, sources));
    const auto mask = hn::RebindMask(d, hn::Ne(hn::Load(d_index, named), hn::Zero(d_index)));
    const auto* x = reinterpret_cast<const T*>(x_bytes);
    std::byte* to = out + boxes.low + std::min<std::int64_t>((group - 1) * boxes.step, 0);
    const std::int64_t ahead = boxes.step < 0 ? -kMaskedStorePrefetch : kMaskedStorePrefetch;
    std::int64_t left = boxes.count, i = 0;
    for (; left >= group; left -= group, i += stored, to += group * boxes.step) {
      const auto v = i + lanes <= total ? hn::LoadU(d, x + i) : hn::LoadN(d, x + i, static_cast<std::size_t>(total - i));
      hwy::Prefetch(to + ahead);
      hn::BlendedStore(hn::TableLookupLanes(v, index), mask, d, reinterpret_cast<T*>(to));
    }
    std::byte* box = out + (boxes.count - left) * boxes.step + boxes.low;
    if (boxes.step < 0) IndexBoxes(boxes, dims, rank, 1, kSize, places);
    for (; left > 0; --left, box += boxes.step) {
      for (std::int64_t e = 0; e < boxes.elements; ++e) WriteUnaligned(x[i++], box + static_cast<std::int64_t>(places[e]) * kSize);
    }
    return true;
  } else {
    return false;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
