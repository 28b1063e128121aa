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

#include "core/kernel.h"
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
    for (; i + lanes <= count; i += lanes) {
      const auto v = hn::LoadU(d, reinterpret_cast<const I*>(index) + i);
      out_of_range = hn::Or(out_of_range, hn::Or(hn::Lt(v, low), hn::Gt(v, high)));
    }
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

inline void CopyRow(SameElement<std::uint8_t>, const std::byte* x, std::int64_t bytes, std::byte* out) {
  std::memcpy(out, x, static_cast<std::size_t>(bytes));
}
template <typename T>
void CopyRow(SameElement<T>, const std::byte* x, std::int64_t elements, std::byte* out) {
  CopyRow(SameElement<std::uint8_t>(), x, elements * static_cast<std::int64_t>(sizeof(T)), out);
}
inline void CopyRow(BoolElement, const std::byte* x, std::int64_t elements, std::byte* out) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto one = hn::Set(d, std::uint8_t{1});
  std::int64_t i = 0;
  for (; i + lanes <= elements; i += lanes) {
    const auto v = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(x) + i);
    hn::StoreU(hn::Min(v, one), d, reinterpret_cast<std::uint8_t*>(out) + i);
  }
  for (; i < elements; ++i) out[i] = static_cast<std::byte>(x[i] != std::byte{0});
}

// One element in a row. The index belongs to one side; `stride` is that side's.
template <class Element, bool kInX>
HWY_INLINE void MoveElements(const IndexRows& rows, std::int64_t stride) {
  using T = typename Element::Type;
  const std::byte* x = rows.x.data;
  std::byte* out = rows.out.data;
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const std::int64_t at = rows.index[r] * stride;
    WriteUnaligned(Element::Of(ReadUnaligned<T>(x + (kInX ? at : 0))), out + (kInX ? 0 : at));
    x += rows.x.row_stride;
    out += rows.out.row_stride;
  }
}

template <class Element, bool kInX>
void MoveRows(const IndexRows& rows) {
  using T = typename Element::Type;
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t stride = kInX ? rows.x.index_stride : rows.out.index_stride;
  if (rows.cols == 1) {
    if (stride == kSize) return MoveElements<Element, kInX>(rows, kSize);  // a shift, not a multiplication
    return MoveElements<Element, kInX>(rows, stride);
  }
  const bool dense = rows.x.col_stride == kSize && rows.out.col_stride == kSize;
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const std::int64_t at = rows.index[r] * stride;
    const std::byte* x = rows.x.data + r * rows.x.row_stride + (kInX ? at : 0);
    std::byte* out = rows.out.data + r * rows.out.row_stride + (kInX ? 0 : at);
    if (dense) {
      CopyRow(Element(), x, rows.cols, out);
      continue;
    }
    for (std::int64_t c = 0; c < rows.cols; ++c) {
      WriteUnaligned(Element::Of(ReadUnaligned<T>(x + c * rows.x.col_stride)), out + c * rows.out.col_stride);
    }
  }
}

inline void CopyBoolTile(const Tile& tile) {
  const TileInput& x = tile.in[0];
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const auto* from = static_cast<const std::byte*>(x.data) + r * x.row_stride;
    auto* to = static_cast<std::byte*>(tile.out) + r * tile.out_row_stride;
    if (x.splat) {
      std::memset(to, *from != std::byte{0}, static_cast<std::size_t>(tile.cols));
    } else {
      CopyRow(BoolElement(), from, tile.cols, to);
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
