// Scatter's reductions on one target: rows that are combined with the rows that an index chooses. The 16-bit floats are summed up
// as floats; load and store go between those and what is in memory.
#if defined(AXISCAST_SIMD_INDEX_REDUCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_INDEX_REDUCE_INL_H_
#undef AXISCAST_SIMD_INDEX_REDUCE_INL_H_
#else
#define AXISCAST_SIMD_INDEX_REDUCE_INL_H_
#endif

#include "axiscast/kit/operand-inl.h"
#include "simd/element.h"
#include "simd/index-inl.h"

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

// Indices that are looked at together: where all of them are equal, the value that they choose stays in a register. Shorter runs
// are no gain: a branch on them is wrong too often where indices are sorted with few duplicates.
inline constexpr std::int64_t kIndexGroup = 8;

// How many indices from `index` on are equal, of `left` >= kIndexGroup; 1 where they are fewer than a group.
HWY_INLINE std::int64_t RunOf(const std::int64_t* index, std::int64_t left) {
  if (HWY_LIKELY(index[0] != index[kIndexGroup - 1])) return 1;
  std::int64_t run = 1;
  while (run < left && index[run] == index[0]) ++run;
  return run < kIndexGroup ? 1 : run;
}

// The end of ReduceDenseRows: fewer than twice the lanes of d. By halves of vectors: a load under a mask waits for the store under
// a mask before it, where rows that follow each other choose the same one.
template <class Op, typename T, class D, class Row>
HWY_INLINE void ReduceTail(D d, const Row& row, std::int64_t run, std::size_t c, std::size_t n, hn::TFromD<D>* out) {
  using C = hn::TFromD<D>;
  const hn::Rebind<Stored<T>, D> d_x;
  const std::size_t lanes = hn::Lanes(d);
  if (n - c >= lanes) {
    auto sum = hn::LoadU(d, out + c);
    for (std::int64_t r = 0; r < run; ++r) {
      sum = Op::template Vector<C>(d, sum, FromStored<T>(d, hn::LoadU(d_x, row(r) + c)));
    }
    hn::StoreU(sum, d, out + c);
    c += lanes;
  }
#if HWY_HAVE_SCALABLE
  if (c == n) return;
  auto sum = hn::LoadN(d, out + c, n - c);
  for (std::int64_t r = 0; r < run; ++r) sum = Op::template Vector<C>(d, sum, FromStored<T>(d, hn::LoadN(d_x, row(r) + c, n - c)));
  hn::StoreN(sum, d, out + c, n - c);
#else
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (c < n) ReduceTail<Op, T>(hn::Half<D>(), row, run, c, n, out);
  }
#endif
}

// out[c] = op(... op(out[c], x[0][c]) ..., x[run - 1][c]) for `run` dense rows, x_stride bytes apart.
template <class Op, typename T>
HWY_INLINE void ReduceDenseRows(const std::byte* x_bytes, std::int64_t x_stride, std::int64_t run, std::int64_t cols,
                                std::byte* out_bytes) {
  using C = Computed<T>;
  const hn::ScalableTag<C> d;
  const hn::Rebind<Stored<T>, decltype(d)> d_x;
  auto* out = reinterpret_cast<C*>(out_bytes);
  const std::size_t lanes = hn::Lanes(d), n = static_cast<std::size_t>(cols);
  const auto row = [&](std::int64_t r) { return reinterpret_cast<const Stored<T>*>(x_bytes + r * x_stride); };
  const auto reduce = [&](auto sum, const Stored<T>* x)
                          HWY_ATTR { return Op::template Vector<C>(d, sum, FromStored<T>(d, hn::LoadU(d_x, x))); };
  std::size_t c = 0;
  for (; c + 4 * lanes <= n; c += 4 * lanes) {
    auto sum0 = hn::LoadU(d, out + c), sum1 = hn::LoadU(d, out + c + lanes);
    auto sum2 = hn::LoadU(d, out + c + 2 * lanes), sum3 = hn::LoadU(d, out + c + 3 * lanes);
    for (std::int64_t r = 0; r < run; ++r) {
      const Stored<T>* const x = row(r) + c;
      sum0 = reduce(sum0, x);
      sum1 = reduce(sum1, x + lanes);
      sum2 = reduce(sum2, x + 2 * lanes);
      sum3 = reduce(sum3, x + 3 * lanes);
    }
    hn::StoreU(sum0, d, out + c);
    hn::StoreU(sum1, d, out + c + lanes);
    hn::StoreU(sum2, d, out + c + 2 * lanes);
    hn::StoreU(sum3, d, out + c + 3 * lanes);
  }
  for (; c + lanes <= n; c += lanes) {
    auto sum = hn::LoadU(d, out + c);
    for (std::int64_t r = 0; r < run; ++r) sum = reduce(sum, row(r) + c);
    hn::StoreU(sum, d, out + c);
  }
  ReduceTail<Op, T>(d, row, run, c, n, out);
}

// One element in a row. All that the loop reads is in locals: stores of bytes might be to anything.
template <class Op, typename T>
HWY_INLINE void ReduceElements(const IndexRows& rows, std::int64_t index_stride, std::int64_t x_stride, std::int64_t out_stride) {
  using C = Computed<T>;
  const std::int64_t* const index = rows.index;
  const std::int64_t count = rows.rows;
  const std::byte* const x = rows.x.data;
  std::byte* const out = rows.out.data;
  const auto chosen = [=](std::int64_t r) HWY_ATTR { return out + r * out_stride + index[r] * index_stride; };
  const auto reduce = [=](C sum, std::int64_t r)
                          HWY_ATTR { return Op::template Scalar<C>(sum, ReadComputed<T>(x + r * x_stride)); };
  std::int64_t r = 0;
  while (r + kIndexGroup <= count) {
    const std::int64_t run = out_stride == 0 ? RunOf(index + r, count - r) : 1;
    if (HWY_UNLIKELY(run > 1)) {
      C sum = ReadUnaligned<C>(chosen(r));
      for (std::int64_t i = 0; i < run; ++i) sum = reduce(sum, r + i);
      WriteUnaligned(sum, chosen(r));
      r += run;
      continue;
    }
    for (const std::int64_t end = r + kIndexGroup; r < end; ++r) {
      WriteUnaligned(reduce(ReadUnaligned<C>(chosen(r)), r), chosen(r));
    }
  }
  for (; r < count; ++r) WriteUnaligned(reduce(ReadUnaligned<C>(chosen(r)), r), chosen(r));
}

template <class Op, typename T>
void ReduceRows(const IndexRows& rows) {
  using C = Computed<T>;
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T)), kOutSize = static_cast<std::int64_t>(sizeof(C));
  constexpr std::int64_t kLongestOfRun = 1024;  // bytes: longer rows are better read one after the other
  const IndexSide x = rows.x, out = rows.out;
  const std::int64_t* const index = rows.index;
  const std::int64_t count = rows.rows, cols = rows.cols;
  if (cols == 1) {
    if (x.row_stride == kSize && out.row_stride == 0 && out.index_stride == kOutSize)
      return ReduceElements<Op, T>(rows, kOutSize, kSize, 0);
    return ReduceElements<Op, T>(rows, out.index_stride, x.row_stride, out.row_stride);
  }
  const std::int64_t ahead = RowsAhead(cols * kOutSize);
  const bool joins_runs = out.row_stride == 0 && x.row_stride % kSize == 0 && cols * kSize <= kLongestOfRun;
  for (std::int64_t r = 0; r < count;) {
    const std::byte* from = x.data + r * x.row_stride;
    std::byte* to = RowOf(out, r, index[r]);
    if (rows.far && r + ahead < count) PrefetchRow(RowOf(out, r + ahead, index[r + ahead]), cols * kOutSize);
    if (IsDenseRow<T>(from, x.col_stride) && IsDenseRow<C>(to, out.col_stride)) {
      const std::int64_t run = joins_runs && count - r >= kIndexGroup ? RunOf(index + r, count - r) : 1;
      ReduceDenseRows<Op, T>(from, x.row_stride, run, cols, to);
      r += run;
      continue;
    }
    for (std::int64_t c = 0; c < cols; ++c) {
      std::byte* const at = to + c * out.col_stride;
      WriteUnaligned(Op::template Scalar<C>(ReadUnaligned<C>(at), ReadComputed<T>(from + c * x.col_stride)), at);
    }
    ++r;
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
