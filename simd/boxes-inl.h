// Boxes of few elements, close to each other, gathered by permuting vectors: a vector is loaded, holds some boxes in any order and
// with gaps, and is stored as those boxes, dense.
#if defined(AXISCAST_SIMD_BOXES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_BOXES_INL_H_
#undef AXISCAST_SIMD_BOXES_INL_H_
#else
#define AXISCAST_SIMD_BOXES_INL_H_
#endif

#include <algorithm>
#include <cstdlib>

#include "core/kernel.h"
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

// The box of dims[1, rank) at x, and at every step of dims[0]; false, with nothing done, where that does not pay. Of gaps, only
// such are read as are shorter than a vector.
template <typename T>
bool GatherBoxes(const std::byte* x, const BoxDim* dims, int rank, std::byte* out_bytes) {
  if constexpr (kHasLanePermute<T>) {
    const hn::CappedTag<T, kMaxTableLanes> d;
    const hn::Repartition<std::uint8_t, decltype(d)> bytes;
    const hn::RebindToUnsigned<decltype(d)> d_index;
    using Index = hn::TFromD<decltype(d_index)>;
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d)), vector = lanes * kSize;
    if (2 * dims[0].extent < 3 * lanes) return false;  // the table costs more
    const Boxes boxes = BoxesOf(dims, rank, kSize);
    if (boxes.elements > lanes || boxes.bytes > vector) return false;
    const std::int64_t step = std::abs(boxes.step);
    if (step == 0 || step > vector) return false;
    for (int i = 0; i < rank; ++i) {
      if (dims[i].stride % kSize != 0) return false;
    }
    const std::int64_t group = std::min(lanes / boxes.elements, (vector - boxes.bytes) / step + 1);
    const std::int64_t total = boxes.count * boxes.elements, stored = group * boxes.elements;
    if (stored < 4) return false;

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

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
