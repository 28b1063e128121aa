// Scatter's reductions on one target: rows that are combined with the rows that an index chooses. The 16-bit floats are summed up
// as floats; load and store go between those and what is in memory.
#if defined(AXISCAST_SIMD_INDEX_REDUCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_INDEX_REDUCE_INL_H_
#undef AXISCAST_SIMD_INDEX_REDUCE_INL_H_
#else
#define AXISCAST_SIMD_INDEX_REDUCE_INL_H_
#endif

#include "simd/element.h"
#include "simd/operand-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
HWY_INLINE Computed<T> ReadComputed(const std::byte* from) {
  return static_cast<Computed<T>>(ReadUnaligned<T>(from));
}

// Where a row begins.
HWY_INLINE std::byte* RowOf(const IndexSide& side, std::int64_t r, std::int64_t index) {
  return side.data + r * side.row_stride + index * side.index_stride;
}

template <typename T>
bool IsDenseRow(const std::byte* row, std::int64_t col_stride) {
  return col_stride == static_cast<std::int64_t>(sizeof(T)) && reinterpret_cast<std::uintptr_t>(row) % sizeof(T) == 0;
}

// out[c] = op(out[c], x[c]) for dense rows.
template <class Op, typename T>
HWY_INLINE void ReduceDenseRow(const std::byte* x_bytes, std::int64_t cols, std::byte* out_bytes) {
  using C = Computed<T>;
  const hn::ScalableTag<C> d;
  const hn::Rebind<Stored<T>, decltype(d)> d_x;
  const auto* x = reinterpret_cast<const Stored<T>*>(x_bytes);
  auto* out = reinterpret_cast<C*>(out_bytes);
  const std::size_t lanes = hn::Lanes(d), n = static_cast<std::size_t>(cols);
  std::size_t c = 0;
  for (; c + lanes <= n; c += lanes) {
    const auto v = FromStored<T>(d, hn::LoadU(d_x, x + c));
    hn::StoreU(Op::template Vector<C>(d, hn::LoadU(d, out + c), v), d, out + c);
  }
  if (c == n) return;
  const auto v = FromStored<T>(d, hn::LoadN(d_x, x + c, n - c));
  hn::StoreN(Op::template Vector<C>(d, hn::LoadN(d, out + c, n - c), v), d, out + c, n - c);
}

template <class Op, typename T>
void ReduceRows(const IndexRows& rows) {
  using C = Computed<T>;
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const std::byte* x = rows.x.data + r * rows.x.row_stride;
    std::byte* out = RowOf(rows.out, r, rows.index[r]);
    if (rows.cols > 1 && IsDenseRow<T>(x, rows.x.col_stride) && IsDenseRow<C>(out, rows.out.col_stride)) {
      ReduceDenseRow<Op, T>(x, rows.cols, out);
      continue;
    }
    for (std::int64_t c = 0; c < rows.cols; ++c) {
      std::byte* const at = out + c * rows.out.col_stride;
      WriteUnaligned(Op::template Scalar<C>(ReadUnaligned<C>(at), ReadComputed<T>(x + c * rows.x.col_stride)), at);
    }
  }
}

template <typename T>
void LoadRows(const IndexRows& rows) {
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const std::byte* x = RowOf(rows.x, r, rows.index[r]);
    std::byte* out = RowOf(rows.out, r, rows.index[r]);
    for (std::int64_t c = 0; c < rows.cols; ++c) {
      WriteUnaligned(ReadComputed<T>(x + c * rows.x.col_stride), out + c * rows.out.col_stride);
    }
  }
}

// The mean of values that sum up to `sum`.
template <typename C>
C MeanOf(C sum, std::int64_t count) {
  if constexpr (std::is_floating_point_v<C>) {
    return sum / static_cast<C>(count);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<C>, std::int64_t, std::uint64_t>;
    return static_cast<C>(static_cast<Wide>(sum) / static_cast<Wide>(count));
  }
}

template <typename T>
void StoreRows(const IndexRows& rows) {
  using C = Computed<T>;
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const std::byte* x = RowOf(rows.x, r, rows.index[r]);
    std::byte* out = RowOf(rows.out, r, rows.index[r]);
    const std::byte* counts = rows.counts.data != nullptr ? RowOf(rows.counts, r, rows.index[r]) : nullptr;
    for (std::int64_t c = 0; c < rows.cols; ++c) {
      C value = ReadUnaligned<C>(x + c * rows.x.col_stride);
      if (counts != nullptr) value = MeanOf(value, ReadUnaligned<std::int64_t>(counts + c * rows.counts.col_stride));
      WriteUnaligned(static_cast<T>(value), out + c * rows.out.col_stride);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
