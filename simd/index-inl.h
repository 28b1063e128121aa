// Gather and scatter on one target: reading indices, and moving the rows that they choose. Moving knows element sizes alone.
#if defined(AXISCAST_SIMD_INDEX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_INDEX_INL_H_
#undef AXISCAST_SIMD_INDEX_INL_H_
#else
#define AXISCAST_SIMD_INDEX_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/kernel.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "simd/element.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename I>
bool IsDense(const std::byte* data, std::int64_t stride) {
  return stride == static_cast<std::int64_t>(sizeof(I)) && reinterpret_cast<std::uintptr_t>(data) % sizeof(I) == 0;
}

inline constexpr std::int64_t kIndicesAhead = 512;

template <typename I>
bool IndicesInRange(const std::byte* index, std::int64_t stride, std::int64_t count, std::int64_t lowest, std::int64_t highest) {
  std::int64_t i = 0;
  // Bounds that I does not hold are no bounds.
  if (IsDense<I>(index, stride) && lowest >= std::numeric_limits<I>::min() && lowest <= highest) {
    const hn::ScalableTag<I> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto low = hn::Set(d, static_cast<I>(lowest));
    const auto high = hn::Set(d, static_cast<I>(std::min<std::int64_t>(highest, std::numeric_limits<I>::max())));
    auto out_of_range = hn::MaskFalse(d);
    const auto* dense = reinterpret_cast<const I*>(index);
    const auto refused = [&](std::int64_t at) HWY_ATTR {
      const auto v = hn::LoadU(d, dense + at);
      return hn::Or(hn::Lt(v, low), hn::Gt(v, high));
    };
    for (; i + 4 * lanes <= count; i += 4 * lanes) {
      __builtin_prefetch(dense + i + kIndicesAhead);
      const auto first = hn::Or(refused(i), refused(i + lanes)), second = hn::Or(refused(i + 2 * lanes), refused(i + 3 * lanes));
      out_of_range = hn::Or(out_of_range, hn::Or(first, second));
    }
    for (; i + lanes <= count; i += lanes) out_of_range = hn::Or(out_of_range, refused(i));
    if (!hn::AllFalse(d, out_of_range)) return false;
  }
  bool in_range = true;
  for (; i < count; ++i) {
    const std::int64_t value = ReadUnaligned<I>(index + i * stride);
    in_range = in_range && value >= lowest && value <= highest;
  }
  return in_range;
}

template <typename I>
void ReadIndices(const std::byte* index, std::int64_t stride, std::int64_t count, std::int64_t wrap, std::int64_t* values) {
  std::int64_t i = 0;
  if (IsDense<I>(index, stride)) {
    const hn::ScalableTag<std::int64_t> d;
    const hn::Rebind<I, decltype(d)> d_index;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto wraps = hn::Set(d, wrap);
    for (; i + lanes <= count; i += lanes) {
      const auto loaded = hn::LoadU(d_index, reinterpret_cast<const I*>(index) + i);
      if constexpr (sizeof(I) == sizeof(std::int64_t)) {
        hn::StoreU(hn::Add(loaded, hn::IfNegativeThenElseZero(loaded, wraps)), d, values + i);
      } else {
        const auto wide = hn::PromoteTo(d, loaded);
        hn::StoreU(hn::Add(wide, hn::IfNegativeThenElseZero(wide, wraps)), d, values + i);
      }
    }
  }
  for (; i < count; ++i) {
    const std::int64_t value = ReadUnaligned<I>(index + i * stride);
    values[i] = value + (value < 0 ? wrap : 0);
  }
}

// An element as it is written: as it is, or as a bool of any byte.
template <typename T>
struct SameElement {
  using Type = T;
  static HWY_INLINE T Of(T value) { return value; }
};
struct BoolElement {
  using Type = std::uint8_t;
  static HWY_INLINE std::uint8_t Of(std::uint8_t value) { return value != 0; }
};

// out = x, `bytes` of it. Streams where the row begins on a line.
template <class Element>
HWY_INLINE void CopyRow(const std::byte* x_bytes, std::int64_t bytes, bool stream, std::byte* out_bytes) {
  constexpr bool kIsBool = std::is_same_v<Element, BoolElement>;
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* x = reinterpret_cast<const std::uint8_t*>(x_bytes);
  auto* out = reinterpret_cast<std::uint8_t*>(out_bytes);
  const auto load = [&](std::int64_t i) HWY_ATTR {
    const auto v = hn::LoadU(d, x + i);
    if constexpr (kIsBool) return hn::Min(v, hn::Set(d, std::uint8_t{1}));
    if constexpr (!kIsBool) return v;
  };
  if (bytes < lanes) {
    if constexpr (kIsBool) {
      for (std::int64_t i = 0; i < bytes; ++i) out[i] = x[i] != 0;
    } else if (bytes >= 16) {  // two halves that overlap: a call of memcpy takes as long as four such rows
      const hn::CappedTag<std::uint8_t, 16> d16;
      const hn::CappedTag<std::uint8_t, 32> d32;
      const auto copy = [&](auto dc) HWY_ATTR {
        const std::int64_t last = bytes - static_cast<std::int64_t>(hn::Lanes(dc));
        const auto begin = hn::LoadU(dc, x), end = hn::LoadU(dc, x + last);
        hn::StoreU(begin, dc, out);
        hn::StoreU(end, dc, out + last);
      };
      bytes < 32 ? copy(d16) : copy(d32);
    } else {
      std::memcpy(out, x, static_cast<std::size_t>(bytes) & 15);  // else gcc 12 warns of a size that is negative
    }
    return;
  }
  std::int64_t i = 0;
  if (stream && lanes >= 16 && reinterpret_cast<std::uintptr_t>(out) % 64 == 0) {
    for (; i + lanes <= bytes; i += lanes) hn::Stream(load(i), d, out + i);
  }
  for (; i + 4 * lanes <= bytes; i += 4 * lanes) {
    const auto v0 = load(i), v1 = load(i + lanes), v2 = load(i + 2 * lanes), v3 = load(i + 3 * lanes);
    hn::StoreU(v0, d, out + i);
    hn::StoreU(v1, d, out + i + lanes);
    hn::StoreU(v2, d, out + i + 2 * lanes);
    hn::StoreU(v3, d, out + i + 3 * lanes);
  }
  for (; i + lanes <= bytes; i += lanes) hn::StoreU(load(i), d, out + i);
  if (i < bytes) hn::StoreU(load(bytes - lanes), d, out + bytes - lanes);  // a vector that overlaps the one before it
}

// Memory is asked for some rows ahead, further where they are short; of a long row the CPU sees by itself how it goes on.
// Rows of 64 floats in random order, from memory: 7.2 ms without, 5.4 so.
HWY_INLINE std::int64_t RowsAhead(std::int64_t row_bytes) { return std::clamp<std::int64_t>(8192 / row_bytes, 2, 32); }
HWY_INLINE void PrefetchRow(const std::byte* row, std::int64_t bytes) {
  for (std::int64_t i = 0; i < std::min<std::int64_t>(bytes, 1024); i += 64) __builtin_prefetch(row + i);
}

// One element in a row. The index belongs to one side; `stride` is that side's. All that the loop reads is in locals: stores of
// bytes might be to anything. Nothing is asked for ahead: the CPU has as many misses under way as it can by itself.
template <class Element, bool kInX>
HWY_INLINE void MoveElements(const IndexRows& rows, std::int64_t stride) {
  using T = typename Element::Type;
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t* const index = rows.index;
  const std::int64_t count = rows.rows;
  const IndexSide chosen = kInX ? rows.x : rows.out, own = kInX ? rows.out : rows.x;
  const auto move = [&](std::byte* near, std::byte* at) HWY_ATTR {
    if constexpr (kInX) WriteUnaligned(Element::Of(ReadUnaligned<T>(at)), near);
    if constexpr (!kInX) WriteUnaligned(Element::Of(ReadUnaligned<T>(near)), at);
  };
  if (chosen.row_stride == 0 && own.row_stride == kSize) {
    std::byte* const base = chosen.data;
    std::byte* near = own.data;
    std::int64_t r = 0;
    for (; r + 4 <= count; r += 4, near += 4 * kSize) {
      std::byte *const at0 = base + index[r] * stride, *const at1 = base + index[r + 1] * stride;
      std::byte *const at2 = base + index[r + 2] * stride, *const at3 = base + index[r + 3] * stride;
      move(near, at0);
      move(near + kSize, at1);
      move(near + 2 * kSize, at2);
      move(near + 3 * kSize, at3);
    }
    for (; r < count; ++r, near += kSize) move(near, base + index[r] * stride);
    return;
  }
  for (std::int64_t r = 0; r < count; ++r) {
    move(own.data + r * own.row_stride, chosen.data + r * chosen.row_stride + index[r] * stride);
  }
}

template <class Element, bool kInX>
void MoveRows(const IndexRows& rows) {
  using T = typename Element::Type;
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const IndexSide x = rows.x, out = rows.out;
  const std::int64_t stride = kInX ? x.index_stride : out.index_stride;
  const std::int64_t count = rows.rows, cols = rows.cols;
  const std::int64_t* const index = rows.index;
  if (cols == 1) {
    if (stride == kSize) return MoveElements<Element, kInX>(rows, kSize);  // a shift, not a multiplication
    return MoveElements<Element, kInX>(rows, stride);
  }
  const IndexSide& chosen = kInX ? x : out;
  if constexpr (std::is_same_v<Element, SameElement<T>> && kSize <= 8) {  // short rows are elements themselves
    if (x.col_stride == kSize && out.col_stride == kSize) {
      if (cols * kSize == 16) return MoveElements<SameElement<Element16>, kInX>(rows, stride);
      if (cols * kSize == 8) return MoveElements<SameElement<std::uint64_t>, kInX>(rows, stride);
      if (cols * kSize == 4) return MoveElements<SameElement<std::uint32_t>, kInX>(rows, stride);
    }
  }
  const bool dense = x.col_stride == kSize && out.col_stride == kSize, far = rows.far, stream = kInX && rows.stream;
  const std::int64_t bytes = cols * kSize, ahead = RowsAhead(bytes);
  for (std::int64_t r = 0; dense && r < count; ++r) {
    const std::int64_t at = index[r] * stride;
    if (far && r + ahead < count) PrefetchRow(chosen.data + (r + ahead) * chosen.row_stride + index[r + ahead] * stride, bytes);
    CopyRow<Element>(x.data + r * x.row_stride + (kInX ? at : 0), bytes, stream, out.data + r * out.row_stride + (kInX ? 0 : at));
  }
  if (stream) hwy::FlushStream();
  for (std::int64_t r = 0; !dense && r < count; ++r) {
    const std::int64_t at = index[r] * stride;
    const std::byte* from = x.data + r * x.row_stride + (kInX ? at : 0);
    std::byte* to = out.data + r * out.row_stride + (kInX ? 0 : at);
    for (std::int64_t c = 0; c < cols; ++c)
      WriteUnaligned(Element::Of(ReadUnaligned<T>(from + c * x.col_stride)), to + c * out.col_stride);
  }
}

inline void CopyBoolTile(const Tile& tile, const void* const* inputs, void* out) {
  const TileInput& x = tile.in[0];
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const auto* from = static_cast<const std::byte*>(inputs[0]) + r * x.row_stride;
    auto* to = static_cast<std::byte*>(out) + r * tile.out_row_stride;
    if (x.splat) {
      std::memset(to, *from != std::byte{0}, static_cast<std::size_t>(tile.cols));
    } else {
      CopyRow<BoolElement>(from, tile.cols, false, to);
    }
  }
}

template <typename T>
void SetIndexMovers(int size_log2, IndexKernels& kernels) {
  kernels.gather[size_log2] = &MoveRows<SameElement<T>, true>;
  kernels.scatter[size_log2] = &MoveRows<SameElement<T>, false>;
}

// All of a target's index kernels that know no element type.
inline IndexKernels IndexMovers() {
  IndexKernels kernels = {};
  kernels.in_range[0] = &IndicesInRange<std::int32_t>;
  kernels.in_range[1] = &IndicesInRange<std::int64_t>;
  kernels.read[0] = &ReadIndices<std::int32_t>;
  kernels.read[1] = &ReadIndices<std::int64_t>;
  SetIndexMovers<std::uint8_t>(0, kernels);
  SetIndexMovers<std::uint16_t>(1, kernels);
  SetIndexMovers<std::uint32_t>(2, kernels);
  SetIndexMovers<std::uint64_t>(3, kernels);
  SetIndexMovers<Element16>(4, kernels);
  kernels.gather_bool = &MoveRows<BoolElement, true>;
  kernels.scatter_bool = &MoveRows<BoolElement, false>;
  kernels.copy_bool = &CopyBoolTile;
  return kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
