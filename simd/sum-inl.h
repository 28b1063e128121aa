// Sums by the tree of core/sum_tree.h: along vectors (Rows) and across them (Columns), with the same bits.
#if defined(AXISCAST_SIMD_SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_SUM_INL_H_
#undef AXISCAST_SIMD_SUM_INL_H_
#else
#define AXISCAST_SIMD_SUM_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/kernel.h"
#include "core/sum_tree.h"
#include "simd/operand-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// T is an unsigned integer or a float of the dtype list.
template <typename T>
inline constexpr std::int64_t kLanesOf = std::is_integral_v<T> ? HWY_MAX(kSumLanes, std::int64_t{64 / sizeof(T)}) : kSumLanes;
template <typename T>
inline constexpr std::int64_t kBlockOf = kLanesOf<T>* kSumSteps;

// What adds nothing, as it is stored: not even +0 to -0.
template <typename T>
HWY_INLINE Stored<T> NoSummand() {
  if constexpr (kIsHalf<T>) {
    return 0x8000;
  } else {
    return static_cast<T>(std::is_floating_point_v<T> ? -0.0 : 0);
  }
}

// Summands [i, i + lanes) behind x, as accumulators.
template <typename T, class D>
HWY_INLINE hn::VFromD<D> LoadSummands(D d, const std::byte* x, std::size_t i) {
  return FromStored<T>(d, hn::LoadU(StoredTag<T, D>(), reinterpret_cast<const Stored<T>*>(x) + i));
}
// The first n of them, n <= lanes, and none in the other lanes.
template <typename T, class D>
HWY_INLINE hn::VFromD<D> LoadUpToSummands(D d, const std::byte* x, std::size_t i, std::size_t n) {
  const StoredTag<T, D> d_stored;
  return FromStored<T>(d, hn::LoadNOr(hn::Set(d_stored, NoSummand<T>()), d_stored, reinterpret_cast<const Stored<T>*>(x) + i, n));
}

template <typename A>
void AddAccumulators(A* x, const A* y, std::int64_t signed_count) {
  const hn::ScalableTag<A> d;
  const std::size_t lanes = hn::Lanes(d), count = static_cast<std::size_t>(signed_count);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, x + i);
  if (i == count) return;
  const std::size_t left = count - i;
  hn::StoreN(hn::Add(hn::LoadN(d, x + i, left), hn::LoadN(d, y + i, left)), d, x + i, left);
}

// ---- Along vectors. The lanes of a block are one vector or several.

#if HWY_HAVE_SCALABLE
template <typename T>
using RowTag = hn::FixedTag<Computed<T>, 16 / sizeof(Computed<T>)>;
#else
template <typename T>
using RowTag = hn::CappedTag<Computed<T>, static_cast<std::size_t>(kLanesOf<T>)>;
#endif

// Adds the lanes of a vector up, the upper half to the lower one.
template <class D>
HWY_INLINE hn::TFromD<D> FoldVector([[maybe_unused]] D d, hn::VFromD<D> v) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(v);
  } else {
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
    hn::TFromD<D> lanes[hn::MaxLanes(D())];
    hn::StoreU(v, d, lanes);
    for (std::size_t half = hn::MaxLanes(D()) / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) lanes[i] = static_cast<hn::TFromD<D>>(lanes[i] + lanes[i + half]);
    }
    return lanes[0];
#else
    const hn::Half<D> half;
    return FoldVector(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
#endif
  }
}

// Of four blocks of n summands: lanes [lane, lane + a vector's) when lanes have been added up until kLeft of them are left.
template <typename T, std::size_t kLeft, class D, class V>
HWY_INLINE void AddSteps(D d, const std::byte* const* x, std::size_t n, std::size_t lane, V& a, V& b, V& c, V& e) {
  constexpr auto kAll = static_cast<std::size_t>(kLanesOf<T>);
  if constexpr (kLeft < kAll) {
    AddSteps<T, 2 * kLeft>(d, x, n, lane, a, b, c, e);
    V a2 = a, b2 = b, c2 = c, e2 = e;
    AddSteps<T, 2 * kLeft>(d, x, n, lane + kLeft, a2, b2, c2, e2);
    a = hn::Add(a, a2), b = hn::Add(b, b2), c = hn::Add(c, c2), e = hn::Add(e, e2);
  } else {
    const std::size_t whole = n / kAll * kAll, rest = n - whole;
    const std::size_t left = rest <= lane ? 0 : HWY_MIN(rest - lane, hn::MaxLanes(D()));
    std::size_t i = lane;
    if (whole == 0) {
      a = LoadUpToSummands<T>(d, x[0], i, left), b = LoadUpToSummands<T>(d, x[1], i, left);
      c = LoadUpToSummands<T>(d, x[2], i, left), e = LoadUpToSummands<T>(d, x[3], i, left);
      return;
    }
    a = LoadSummands<T>(d, x[0], i), b = LoadSummands<T>(d, x[1], i);
    c = LoadSummands<T>(d, x[2], i), e = LoadSummands<T>(d, x[3], i);
    for (i += kAll; i < whole; i += kAll) {
      a = hn::Add(a, LoadSummands<T>(d, x[0], i)), b = hn::Add(b, LoadSummands<T>(d, x[1], i));
      c = hn::Add(c, LoadSummands<T>(d, x[2], i)), e = hn::Add(e, LoadSummands<T>(d, x[3], i));
    }
    if (left == 0) return;
    a = hn::Add(a, LoadUpToSummands<T>(d, x[0], i, left)), b = hn::Add(b, LoadUpToSummands<T>(d, x[1], i, left));
    c = hn::Add(c, LoadUpToSummands<T>(d, x[2], i, left)), e = hn::Add(e, LoadUpToSummands<T>(d, x[3], i, left));
  }
}

// out[i] = the sum of the block of n <= kBlockOf summands at x + i * stride, i < count <= 4. Four at a time: one would wait for its
// additions.
template <typename T>
HWY_INLINE void SumFourBlocks(const std::byte* x, std::int64_t stride, std::int64_t count, std::int64_t n, Computed<T>* out) {
  const RowTag<T> d;
  const std::byte* const from[4] = {x, count > 1 ? x + stride : x, count > 2 ? x + 2 * stride : x, count > 3 ? x + 3 * stride : x};
  auto a = hn::Zero(d), b = a, c = a, e = a;
  AddSteps<T, hn::MaxLanes(decltype(d)())>(d, from, static_cast<std::size_t>(n), 0, a, b, c, e);
  out[0] = FoldVector(d, a);
  if (count > 1) out[1] = FoldVector(d, b);
  if (count > 2) out[2] = FoldVector(d, c);
  if (count > 3) out[3] = FoldVector(d, e);
}

template <typename T>
void SumRows(const std::byte* x, std::int64_t stride, std::int64_t count, std::int64_t n, std::byte* out_bytes) {
  using A = Computed<T>;
  constexpr std::int64_t kBlock = kBlockOf<T>, kBlockBytes = kBlock * static_cast<std::int64_t>(sizeof(Stored<T>));
  auto* const out = reinterpret_cast<A*>(out_bytes);
  if (n <= kBlock) {
    for (std::int64_t i = 0; i < count; i += 4)
      SumFourBlocks<T>(x + i * stride, stride, std::min<std::int64_t>(count - i, 4), n, out + i);
    return;
  }
  const auto add = [](std::byte* to, const std::byte* from) {
    auto* const sum = reinterpret_cast<A*>(to);
    *sum = static_cast<A>(*sum + *reinterpret_cast<const A*>(from));
  };
  for (std::int64_t i = 0; i < count; ++i) {
    A stack[64], sums[4];
    BlockTree tree(reinterpret_cast<std::byte*>(out + i), reinterpret_cast<std::byte*>(stack), sizeof(A), add);
    for (std::int64_t done = 0; done < n;) {
      const std::int64_t blocks = std::max<std::int64_t>(std::min<std::int64_t>((n - done) / kBlock, 4), 1);
      const std::byte* const from = x + i * stride + done * static_cast<std::int64_t>(sizeof(Stored<T>));
      SumFourBlocks<T>(from, kBlockBytes, blocks, std::min(n - done, kBlock), sums);
      for (std::int64_t b = 0; b < blocks; ++b) {
        *reinterpret_cast<A*>(tree.Next()) = sums[b];
        tree.Push();
      }
      done += blocks * kBlock;
    }
    tree.Finish();
  }
}

// ---- Across vectors.

// out[j] (+)= x[0, j] + x[1, j] + ... + x[steps - 1, j], in order, for j < width; rows are `pitch` bytes apart.
template <typename T>
HWY_INLINE void AddRows(const std::byte* x, std::int64_t pitch, std::int64_t steps, std::int64_t signed_width, bool onto,
                        Computed<T>* out) {
  const hn::ScalableTag<Computed<T>> d;
  const std::size_t lanes = hn::Lanes(d), width = static_cast<std::size_t>(signed_width);
  const std::int64_t first = onto ? 0 : 1;
  std::size_t j = 0;
  for (; j + 4 * lanes <= width; j += 4 * lanes) {
    auto a = onto ? hn::LoadU(d, out + j) : LoadSummands<T>(d, x, j);
    auto b = onto ? hn::LoadU(d, out + j + lanes) : LoadSummands<T>(d, x, j + lanes);
    auto c = onto ? hn::LoadU(d, out + j + 2 * lanes) : LoadSummands<T>(d, x, j + 2 * lanes);
    auto e = onto ? hn::LoadU(d, out + j + 3 * lanes) : LoadSummands<T>(d, x, j + 3 * lanes);
    const std::byte* row = x + first * pitch;
    for (std::int64_t s = first; s < steps; ++s, row += pitch) {
      a = hn::Add(a, LoadSummands<T>(d, row, j));
      b = hn::Add(b, LoadSummands<T>(d, row, j + lanes));
      c = hn::Add(c, LoadSummands<T>(d, row, j + 2 * lanes));
      e = hn::Add(e, LoadSummands<T>(d, row, j + 3 * lanes));
    }
    hn::StoreU(a, d, out + j);
    hn::StoreU(b, d, out + j + lanes);
    hn::StoreU(c, d, out + j + 2 * lanes);
    hn::StoreU(e, d, out + j + 3 * lanes);
  }
  for (; j + lanes <= width; j += lanes) {
    auto a = onto ? hn::LoadU(d, out + j) : LoadSummands<T>(d, x, j);
    for (std::int64_t s = first; s < steps; ++s) a = hn::Add(a, LoadSummands<T>(d, x + s * pitch, j));
    hn::StoreU(a, d, out + j);
  }
  if (j == width) return;
  const std::size_t left = width - j;
  auto a = onto ? hn::LoadN(d, out + j, left) : LoadUpToSummands<T>(d, x, j, left);
  for (std::int64_t s = first; s < steps; ++s) a = hn::Add(a, LoadUpToSummands<T>(d, x + s * pitch, j, left));
  hn::StoreN(a, d, out + j, left);
}

// The lanes of a block of `rows` rows, one after the other. Rows without gaps make one row of each step.
template <typename T>
HWY_INLINE void AddBlock(const std::byte* x, std::int64_t pitch, std::int64_t rows, std::int64_t cols, Computed<T>* lanes) {
  constexpr std::int64_t kLanes = kLanesOf<T>, kSize = static_cast<std::int64_t>(sizeof(Stored<T>));
  const std::int64_t steps = rows / kLanes, rest = rows - steps * kLanes, step_pitch = kLanes * pitch;
  const bool dense = pitch == cols * kSize;
  // As many rows at a time as are read well side by side: all of a small block, else few.
  const std::int64_t group = dense && rows * pitch <= 16 * 1024 ? kSumSteps : 4;
  for (std::int64_t s = 0; s < steps + (rest > 0 ? 1 : 0); s += group) {
    const std::byte* const from = x + s * step_pitch;
    const auto add = [&](std::int64_t lane, std::int64_t count, std::int64_t lane_steps) HWY_ATTR {
      const std::int64_t now = std::min(lane_steps - s, group);
      if (now > 0 && count > 0) AddRows<T>(from + lane * pitch, step_pitch, now, count * cols, s > 0, lanes + lane * cols);
    };
    if (dense) {
      add(0, rest, steps + 1);
      add(rest, kLanes - rest, steps);
    } else {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) add(lane, 1, steps + (lane < rest ? 1 : 0));
    }
  }
}

template <typename T>
void SumColumns(const std::byte* x, std::int64_t pitch, std::int64_t n, std::int64_t cols, std::byte* scratch, std::byte* out) {
  using A = Computed<T>;
  constexpr std::int64_t kLanes = kLanesOf<T>, kBlock = kBlockOf<T>;
  const std::int64_t row_bytes = cols * static_cast<std::int64_t>(sizeof(A));
  auto* const lanes = reinterpret_cast<A*>(scratch);
  const auto add = [cols](std::byte* to, const std::byte* from) {
    AddAccumulators(reinterpret_cast<A*>(to), reinterpret_cast<const A*>(from), cols);
  };
  BlockTree tree(out, scratch + kLanes * row_bytes, row_bytes, add);
  for (std::int64_t r = 0; r < n; r += kBlock) {
    const std::int64_t rows = std::min(n - r, kBlock);
    AddBlock<T>(x + r * pitch, pitch, rows, cols, lanes);
    FoldSumLanes(kLanes, std::min(rows, kLanes), [=](std::int64_t to, std::int64_t from, std::int64_t count) {
      AddAccumulators(lanes + to * cols, lanes + from * cols, count * cols);
    });
    std::memcpy(tree.Next(), lanes, static_cast<std::size_t>(row_bytes));
    tree.Push();
  }
  tree.Finish();
}

template <typename T>
void RoundAccumulators(const std::byte* x_bytes, std::int64_t signed_count, std::byte* out_bytes) {
  const hn::ScalableTag<float> d;
  const StoredTag<T, decltype(d)> d_stored;
  const auto* const x = reinterpret_cast<const float*>(x_bytes);
  auto* const out = reinterpret_cast<Stored<T>*>(out_bytes);
  const std::size_t lanes = hn::Lanes(d), count = static_cast<std::size_t>(signed_count);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(ToStored<T>(d, hn::LoadU(d, x + i)), d_stored, out + i);
  if (i < count) hn::StoreN(ToStored<T>(d, hn::LoadN(d, x + i, count - i)), d_stored, out + i, count - i);
}

template <typename T>
SumKernel SumKernelOf() {
  using A = Computed<T>;
  SumKernel kernel = {};
  kernel.lanes = kLanesOf<T>;
  kernel.size = sizeof(A);
  kernel.rows = &SumRows<T>;
  kernel.columns = &SumColumns<T>;
  kernel.add = [](std::byte* x, const std::byte* y, std::int64_t count) {
    AddAccumulators(reinterpret_cast<A*>(x), reinterpret_cast<const A*>(y), count);
  };
  if constexpr (kIsHalf<T>) kernel.round = &RoundAccumulators<T>;
  return kernel;
}

template <typename... T>
SumKernels SumKernelsOf(TypeList<bool, T...>) {
  SumKernels sums = {};
  ((sums.of[static_cast<std::size_t>(kDTypeOf<T>)] = SumKernelOf<SameBits<T>>()), ...);
  return sums;
}

inline SumKernels TargetSums() { return SumKernelsOf(ElementTypes()); }

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
