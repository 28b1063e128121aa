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

#include "axiscast/kit/operand-inl.h"
#include "core/kernel.h"
#include "core/sum_tree.h"
#include "hwy/cache_control.h"

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
    // The sums of eight bytes are one instruction on some targets; how integers are added up does not matter.
    if constexpr (sizeof(hn::TFromD<D>) == 1 && hn::MaxLanes(D()) >= 16) {
      return static_cast<hn::TFromD<D>>(FoldVector(hn::Repartition<std::uint64_t, D>(), hn::SumsOf8(v)));
    }
    const hn::Half<D> half;
    return FoldVector(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
#endif
  }
}

// Of a block of n summands: lanes [lane, lane + a vector's) when lanes have been added up until kLeft of them are left. Additions
// wait for each other in a block; CPUs go on with the next one meanwhile, and memory is read in order, which is faster than four
// blocks side by side.
template <typename T, std::size_t kLeft, bool kWhole, class D>
HWY_INLINE hn::VFromD<D> LanesOfBlock(D d, const std::byte* x, std::size_t n, std::size_t lane) {
  constexpr auto kAll = static_cast<std::size_t>(kLanesOf<T>);
  if constexpr (2 * kLeft < kAll) {
    const auto lower = LanesOfBlock<T, 2 * kLeft, kWhole>(d, x, n, lane);
    return hn::Add(lower, LanesOfBlock<T, 2 * kLeft, kWhole>(d, x, n, lane + kLeft));
  } else if constexpr (kWhole) {
    constexpr bool kTwo = kLeft < kAll;
    auto sum = LoadSummands<T>(d, x, lane);
    [[maybe_unused]] auto other = kTwo ? LoadSummands<T>(d, x, lane + kAll / 2) : sum;
#pragma GCC unroll 16
    for (std::size_t s = 1; s < static_cast<std::size_t>(kSumSteps); ++s) {
      sum = hn::Add(sum, LoadSummands<T>(d, x, lane + s * kAll));
      if constexpr (kTwo) other = hn::Add(other, LoadSummands<T>(d, x, lane + s * kAll + kAll / 2));
    }
    return kTwo ? hn::Add(sum, other) : sum;
  } else if constexpr (kLeft < kAll) {
    const auto lower = LanesOfBlock<T, kAll, kWhole>(d, x, n, lane);
    return hn::Add(lower, LanesOfBlock<T, kAll, kWhole>(d, x, n, lane + kLeft));
  } else {
    const std::size_t whole = n / kAll * kAll, rest = n - whole;
    const std::size_t left = rest <= lane ? 0 : HWY_MIN(rest - lane, hn::MaxLanes(D()));
    if (whole == 0) return LoadUpToSummands<T>(d, x, lane, left);
    auto sum = LoadSummands<T>(d, x, lane);
    std::size_t i = lane + kAll;
    for (; i < whole; i += kAll) sum = hn::Add(sum, LoadSummands<T>(d, x, i));
    return left == 0 ? sum : hn::Add(sum, LoadUpToSummands<T>(d, x, i, left));
  }
}

template <typename T, bool kWhole>
HWY_INLINE Computed<T> SumBlock(const std::byte* x, std::int64_t n) {
  const RowTag<T> d;
  return FoldVector(d, LanesOfBlock<T, hn::MaxLanes(decltype(d)()), kWhole>(d, x, static_cast<std::size_t>(n), 0));
}

template <typename T>
void SumRows(const std::byte* x, std::int64_t stride, std::int64_t count, std::int64_t n, std::byte* out_bytes) {
  using A = Computed<T>;
  constexpr std::int64_t kBlock = kBlockOf<T>, kBlockBytes = kBlock * static_cast<std::int64_t>(sizeof(Stored<T>));
  auto* const out = reinterpret_cast<A*>(out_bytes);
  if (n < kBlock) {
    for (std::int64_t i = 0; i < count; ++i) {
      hwy::Prefetch(x + (i + 16) * stride);  // CPUs do not foresee partial loads: 49 bytes at a time took 3 times as long
      out[i] = SumBlock<T, false>(x + i * stride, n);
    }
    return;
  }
  const auto add = [](std::byte* to, const std::byte* from) {
    auto* const sum = reinterpret_cast<A*>(to);
    *sum = static_cast<A>(*sum + *reinterpret_cast<const A*>(from));
  };
  for (std::int64_t i = 0; i < count; ++i) {
    A stack[64];
    BlockTree tree(reinterpret_cast<std::byte*>(out + i), reinterpret_cast<std::byte*>(stack), sizeof(A), add);
    const std::byte* from = x + i * stride;
    std::int64_t left = n;
    for (; left >= kBlock; left -= kBlock, from += kBlockBytes) {
      *reinterpret_cast<A*>(tree.Next()) = SumBlock<T, true>(from, kBlock);
      tree.Push();
    }
    if (left > 0) {
      *reinterpret_cast<A*>(tree.Next()) = SumBlock<T, false>(from, left);
      tree.Push();
    }
    tree.Finish();
  }
}

// ---- Across vectors.

// out[j] = x[0, j] + x[1, j] + ... + x[steps - 1, j], in order, for kVectors vectors from j on; rows are `pitch` bytes apart.
template <typename T, std::size_t kVectors, class D>
HWY_INLINE void AddVectors(D d, const std::byte* x, std::int64_t pitch, std::int64_t steps, std::size_t j, Computed<T>* out) {
  const std::size_t lanes = hn::Lanes(d);
#if HWY_HAVE_SCALABLE
  for (std::size_t i = 0; i < kVectors; ++i, j += lanes) {
    auto sum = LoadSummands<T>(d, x, j);
    for (std::int64_t s = 1; s < steps; ++s) sum = hn::Add(sum, LoadSummands<T>(d, x + s * pitch, j));
    hn::StoreU(sum, d, out + j);
  }
#else
  hn::VFromD<D> sums[kVectors];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kVectors; ++i) sums[i] = LoadSummands<T>(d, x, j + i * lanes);
  for (std::int64_t s = 1; s < steps; ++s) {
    x += pitch;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kVectors; ++i) sums[i] = hn::Add(sums[i], LoadSummands<T>(d, x, j + i * lanes));
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kVectors; ++i) hn::StoreU(sums[i], d, out + j + i * lanes);
#endif
}

// The same for j < width: pieces of rows that are long enough to be read well, as registers allow.
template <typename T>
HWY_INLINE void AddRows(const std::byte* x, std::int64_t pitch, std::int64_t steps, std::int64_t signed_width, Computed<T>* out) {
  constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3 || !HWY_ARCH_X86;
  constexpr std::size_t kMost = kIsHalf<T> && kManyRegisters ? 16 : 8;
  const hn::ScalableTag<Computed<T>> d;
  const std::size_t lanes = hn::Lanes(d), width = static_cast<std::size_t>(signed_width);
  std::size_t j = 0;
  for (; j + kMost * lanes <= width; j += kMost * lanes) AddVectors<T, kMost>(d, x, pitch, steps, j, out);
  for (; j + 4 * lanes <= width; j += 4 * lanes) AddVectors<T, 4>(d, x, pitch, steps, j, out);
  const std::size_t vectors = (width - j) / lanes;
  if (vectors == 3) AddVectors<T, 3>(d, x, pitch, steps, j, out);
  if (vectors == 2) AddVectors<T, 2>(d, x, pitch, steps, j, out);
  if (vectors == 1) AddVectors<T, 1>(d, x, pitch, steps, j, out);
  j += vectors * lanes;
  if (j == width) return;
  const std::size_t left = width - j;
  auto sum = LoadUpToSummands<T>(d, x, j, left);
  for (std::int64_t s = 1; s < steps; ++s) sum = hn::Add(sum, LoadUpToSummands<T>(d, x + s * pitch, j, left));
  hn::StoreN(sum, d, out + j, left);
}

// What a block has at most, in bytes, to have what follows it prefetched: its rows are read side by side, and CPUs do not foresee
// that in so few bytes. From memory, 64 rows of 32 float16 at a time took twice as long without.
inline constexpr std::int64_t kPrefetchedBlock = 16 * 1024;

// The lanes of a block of `rows` rows, one after the other. Rows without gaps make one row of each step.
template <typename T>
HWY_INLINE void AddBlock(const std::byte* x, std::int64_t pitch, std::int64_t rows, std::int64_t cols, Computed<T>* lanes) {
  constexpr std::int64_t kLanes = kLanesOf<T>, kSize = static_cast<std::int64_t>(sizeof(Stored<T>));
  const std::int64_t steps = rows / kLanes, rest = rows - steps * kLanes, step_pitch = kLanes * pitch;
  const bool dense = pitch == cols * kSize;
  if (dense && rows * pitch <= kPrefetchedBlock) {
    for (std::int64_t at = rows * pitch; at < 2 * rows * pitch; at += 64) hwy::Prefetch(x + at);
  }
  const auto add = [=](std::int64_t lane, std::int64_t count, std::int64_t lane_steps) HWY_ATTR {
    if (lane_steps == 0 || count == 0) return;
    AddRows<T>(x + lane * pitch, step_pitch, lane_steps, count * cols, lanes + lane * cols);
  };
  if (dense) {
    add(0, rest, steps + 1);
    add(rest, kLanes - rest, steps);
  } else {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) add(lane, 1, steps + (lane < rest ? 1 : 0));
  }
}

// Adds all lanes of `blocks` blocks up into the first one of each. In whole vectors: what they add beside that goes to lanes that
// have been added, and is read from not more than a vector behind the last one. Blocks in turn: a load that takes parts of two
// stores waits for them.
template <typename T>
HWY_INLINE void FoldBlocks(Computed<T>* lanes, std::size_t cols, std::size_t blocks) {
  const hn::CappedTag<Computed<T>, static_cast<std::size_t>(kLanesOf<T>)> d;
  const std::size_t all = static_cast<std::size_t>(kLanesOf<T>) * cols;
  for (std::size_t half = all / 2; half >= cols; half /= 2) {
    for (Computed<T>* block = lanes; block != lanes + blocks * all; block += all) {
      for (std::size_t i = 0; i < half; i += hn::Lanes(d)) {
        hn::StoreU(hn::Add(hn::LoadU(d, block + i), hn::LoadU(d, block + half + i)), d, block + i);
      }
    }
  }
}

template <typename T>
void SumColumns(const std::byte* x, std::int64_t pitch, std::int64_t n, std::int64_t cols, std::byte* scratch, std::byte* out) {
  using A = Computed<T>;
  constexpr std::int64_t kLanes = kLanesOf<T>, kBlock = kBlockOf<T>;
  const std::int64_t row_bytes = cols * static_cast<std::int64_t>(sizeof(A));
  const std::int64_t group = std::clamp<std::int64_t>(kSumGroupBytes / (kLanes * row_bytes), 1, 8);  // blocks at a time
  auto* const lanes = reinterpret_cast<A*>(scratch);
  const auto add = [cols](std::byte* to, const std::byte* from) {
    AddAccumulators(reinterpret_cast<A*>(to), reinterpret_cast<const A*>(from), cols);
  };
  BlockTree tree(out, scratch + SumLanesBytes(kLanes, row_bytes), row_bytes, add);
  const auto push = [&](const A* sums) {
    std::memcpy(tree.Next(), sums, static_cast<std::size_t>(row_bytes));
    tree.Push();
  };
  for (; n >= kLanes; x += group * kBlock * pitch, n -= group * kBlock) {
    std::int64_t blocks = 0;
    for (; blocks < group && n - blocks * kBlock >= kLanes; ++blocks) {
      AddBlock<T>(x + blocks * kBlock * pitch, pitch, std::min(n - blocks * kBlock, kBlock), cols, lanes + blocks * kLanes * cols);
    }
    FoldBlocks<T>(lanes, static_cast<std::size_t>(cols), static_cast<std::size_t>(blocks));
    for (std::int64_t b = 0; b < blocks; ++b) push(lanes + b * kLanes * cols);
    if (blocks < group && n > blocks * kBlock) {
      x += blocks * kBlock * pitch, n -= blocks * kBlock;
      break;
    }
  }
  if (n > 0) {  // fewer than there are lanes
    AddBlock<T>(x, pitch, n, cols, lanes);
    FoldSumLanes(kLanes, n, [=](std::int64_t to, std::int64_t from, std::int64_t count) {
      AddAccumulators(lanes + to * cols, lanes + from * cols, count * cols);
    });
    push(lanes);
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
