// Sums across vectors, where sums are contiguous: by the tree of core/sum_tree.h.
#if defined(AXISCAST_SIMD_SUM_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_SUM_COLUMNS_INL_H_
#undef AXISCAST_SIMD_SUM_COLUMNS_INL_H_
#else
#define AXISCAST_SIMD_SUM_COLUMNS_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "core/sum_tree.h"
#include "hwy/cache_control.h"
#include "simd/sum_few_rows-inl.h"
#include "simd/summand-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// out[j] = x[0, j] + x[1, j] + ... + x[steps - 1, j], in order, for kVectors vectors from j on; rows are `pitch` bytes apart.
template <typename T, std::size_t kVectors, class D>
HWY_INLINE void AddVectors(D d, const std::byte* x, std::int64_t pitch, std::int64_t steps, std::size_t j, Computed<T>* out) {
  const std::size_t lanes = hn::Lanes(d);
#if HWY_HAVE_SCALABLE || HWY_TARGET_IS_SVE  // which have no arrays of vectors
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

// So many vectors at a time, as registers allow: long pieces of rows are read better.
inline constexpr std::size_t kMostVectors = HWY_TARGET <= HWY_AVX3 || !HWY_ARCH_X86 ? 16 : 8;

// The same for j < width: pieces of rows that are long enough to be read well, as registers allow.
template <typename T>
HWY_INLINE void AddRows(const std::byte* x, std::int64_t pitch, std::int64_t steps, std::int64_t signed_width, Computed<T>* out) {
  constexpr std::size_t kMost = kMostVectors;
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

// sums[j] = sums[j] + x[j] + x[j + pitch] ... of kSteps steps in order; the first steps begin with x[j]: for j < width.
template <typename T, std::size_t kSteps, bool kFirst>
HWY_INLINE void AddSteps(const std::byte* x, std::int64_t pitch, std::size_t width, Computed<T>* HWY_RESTRICT sums) {
  const hn::ScalableTag<Computed<T>> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto sum = [=](std::size_t j) HWY_ATTR {
    auto v = LoadSummands<T>(d, x, j);
    if constexpr (!kFirst) v = hn::Add(hn::LoadU(d, sums + j), v);
#pragma GCC unroll 4
    for (std::size_t s = 1; s < kSteps; ++s) v = hn::Add(v, LoadSummands<T>(d, x + static_cast<std::int64_t>(s) * pitch, j));
    return v;
  };
  std::size_t j = 0;
  for (; j + 2 * lanes <= width; j += 2 * lanes) {
    const auto sum0 = sum(j), sum1 = sum(j + lanes);
    hn::StoreU(sum0, d, sums + j);
    hn::StoreU(sum1, d, sums + j + lanes);
  }
  for (; j + lanes <= width; j += lanes) hn::StoreU(sum(j), d, sums + j);
  if (j == width) return;
  const std::size_t left = width - j;
  auto v = LoadUpToSummands<T>(d, x, j, left);
  if constexpr (!kFirst) v = hn::Add(hn::LoadN(d, sums + j, left), v);
  for (std::size_t s = 1; s < kSteps; ++s) {
    v = hn::Add(v, LoadUpToSummands<T>(d, x + static_cast<std::int64_t>(s) * pitch, j, left));
  }
  hn::StoreN(v, d, sums + j, left);
}

// All of `steps` steps, four at a time or one by one.
template <typename T>
HWY_INLINE void AddAllSteps(const std::byte* x, std::int64_t pitch, std::int64_t steps, std::size_t width, bool fours,
                            Computed<T>* sums) {
  if (steps == 0) return;
  std::int64_t s = 1;
  if (fours && steps >= 4) {
    AddSteps<T, 4, true>(x, pitch, width, sums);
    for (s = 4; s + 4 <= steps; s += 4) AddSteps<T, 4, false>(x + s * pitch, pitch, width, sums);
  } else {
    AddSteps<T, 1, true>(x, pitch, width, sums);
  }
  for (; s < steps; ++s) AddSteps<T, 1, false>(x + s * pitch, pitch, width, sums);
}

// What a block has at most, in bytes, to have what follows it prefetched: CPUs do not foresee that in so few bytes. From memory, 64
// rows of 32 float32 at a time took 1.4 times as long without, of float16 twice; in L2 it only costs.
inline constexpr std::int64_t kPrefetchedBlock = 16 * 1024;
HWY_INLINE void PrefetchNext(const std::byte* x, std::int64_t bytes) {
  for (std::int64_t at = bytes; at < 2 * bytes; at += 64) hwy::Prefetch(x + at);
}

// The 16 lanes of a block of `rows` rows, one after the other; those of no row add nothing. Rows without gaps make one row of each
// step. More sums than registers stay in L1, or pieces of the steps are added up side by side: which is faster depends on where x
// is. Times of 64 columns, beside plain reading (Zen 5; in memory, they vary by a tenth):
//                                        float32 in L2   in memory   float16 in L2   in memory
//   in L1, x in order                              1.2         1.4             1.3         1.2
//   in L1, four steps at a time                    1.8         1.2             1.0         2.3
//   in registers, pieces of 16 steps               2.1         1.1             1.1         1.6
template <typename T>
HWY_INLINE void AddBlock(const std::byte* x, std::int64_t pitch, std::int64_t rows, std::int64_t cols, bool far,
                         Computed<T>* lanes) {
  const std::int64_t steps = rows / kSumLanes, rest = rows - steps * kSumLanes, step_pitch = kSumLanes * pitch;
  const bool dense = pitch == cols * static_cast<std::int64_t>(sizeof(Stored<T>));
  const hn::ScalableTag<Computed<T>> d;
  if (steps == 0) std::fill(lanes + rest * cols, lanes + kSumLanes * cols, static_cast<Computed<T>>(-0.0));
  const bool prefetches =
      far && dense && kSumLanes * cols > 4 * static_cast<std::int64_t>(hn::Lanes(d)) && rows * pitch <= kPrefetchedBlock;
  if (prefetches) PrefetchNext(x, rows * pitch);
  if (!dense) {
    for (std::int64_t lane = 0; lane < HWY_MIN(rows, kSumLanes); ++lane) {
      AddRows<T>(x + lane * pitch, step_pitch, steps + (lane < rest ? 1 : 0), cols, lanes + lane * cols);
    }
  } else if ((far && !kIsHalf<T>) ||
             kSumLanes * cols <= static_cast<std::int64_t>((kIsHalf<T> ? 8 : 2 * kMostVectors) * hn::Lanes(d))) {
    if (rest > 0) AddRows<T>(x, step_pitch, steps + 1, rest * cols, lanes);
    if (steps > 0) AddRows<T>(x + rest * pitch, step_pitch, steps, (kSumLanes - rest) * cols, lanes + rest * cols);
  } else {
    const auto width = static_cast<std::size_t>(cols);
    const bool fours = kIsHalf<T> && !far;
    if (rest > 0) AddAllSteps<T>(x, step_pitch, steps + 1, static_cast<std::size_t>(rest) * width, fours, lanes);
    AddAllSteps<T>(x + rest * pitch, step_pitch, steps, static_cast<std::size_t>(kSumLanes - rest) * width, fours,
                   lanes + rest * cols);
  }
}

// `count` of a vector's sums of the lanes from `lane` on, when they have been added up until kLeft are left.
template <std::size_t kLeft, class D>
HWY_INLINE hn::VFromD<D> FoldLanes(D d, const hn::TFromD<D>* lane, std::size_t cols, std::size_t count) {
  if constexpr (kLeft == static_cast<std::size_t>(kSumLanes)) {
    return count == hn::Lanes(d) ? hn::LoadU(d, lane) : hn::LoadN(d, lane, count);
  } else {
    const auto lower = FoldLanes<2 * kLeft>(d, lane, cols, count);
    return hn::Add(lower, FoldLanes<2 * kLeft>(d, lane + kLeft * cols, cols, count));
  }
}

// Rows that are a vector or longer.
template <typename T>
void SumWideColumns(const std::byte* x, std::int64_t pitch, std::int64_t n, std::int64_t cols, bool far, std::byte* scratch,
                    std::byte* out) {
  using A = Computed<T>;
  const hn::ScalableTag<A> d;
  const std::size_t width = static_cast<std::size_t>(cols), whole = hn::Lanes(d);
  constexpr std::int64_t kBlock = kSumLanes * kSumSteps;
  const std::int64_t row_bytes = cols * static_cast<std::int64_t>(sizeof(A));
  auto* const lanes = reinterpret_cast<A*>(scratch);
  const auto add = [cols](std::byte* to, const std::byte* from) {
    AddAccumulators(reinterpret_cast<A*>(to), reinterpret_cast<const A*>(from), cols);
  };
  BlockTree tree(out, scratch + SumLanesBytes(kSumLanes, row_bytes), row_bytes, add);
  for (; n > 0; n -= kBlock, x += kBlock * pitch) {
    AddBlock<T>(x, pitch, std::min(n, kBlock), cols, far, lanes);
    auto* const sums = reinterpret_cast<A*>(tree.Next());
    std::size_t j = 0;
    for (; j + whole <= width; j += whole) hn::StoreU(FoldLanes<1>(d, lanes + j, width, whole), d, sums + j);
    if (j < width) hn::StoreN(FoldLanes<1>(d, lanes + j, width, width - j), d, sums + j, width - j);
    tree.Push();
  }
  tree.Finish();
}

// Adds the upper half of x's `count` elements to the lower one, until `cols` of them are left. In whole vectors: what they add
// beside that goes to elements that have been added, and is read from not more than a vector behind the last one.
template <class D>
HWY_INLINE void Halve(D d, hn::TFromD<D>* x, std::size_t half, hn::TFromD<D>* to) {
  for (std::size_t i = 0; i < half; i += hn::Lanes(d))
    hn::StoreU(hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, x + half + i)), d, to + i);
}

// Rows that are shorter than a vector. Several blocks at a time, and level by level: a load that takes parts of two stores waits
// for them. The sums of blocks are put into the order of their numbers' bits in reverse: adding by halves adds them in pairs.
template <typename T>
void SumNarrowColumns(const std::byte* x, std::int64_t pitch, std::int64_t n, std::int64_t cols, bool far, std::byte* scratch,
                      std::byte* out) {
  using A = Computed<T>;
  const hn::CappedTag<A, static_cast<std::size_t>(kSumLanes)> d;
  constexpr std::int64_t kBlock = kSumLanes * kSumSteps;
  constexpr std::size_t kMost = 32;
  const std::size_t width = static_cast<std::size_t>(cols), all = static_cast<std::size_t>(kSumLanes) * width;
  const std::int64_t row_bytes = cols * static_cast<std::int64_t>(sizeof(A));
  auto* const lanes = reinterpret_cast<A*>(scratch);
  const auto add = [cols](std::byte* to, const std::byte* from) {
    AddAccumulators(reinterpret_cast<A*>(to), reinterpret_cast<const A*>(from), cols);
  };
  BlockTree tree(out, scratch + SumLanesBytes(kSumLanes, row_bytes), row_bytes, add);
  const std::size_t group = std::bit_floor(std::clamp<std::size_t>(kSumGroupBytes / sizeof(A) / all, 1, kMost));
  A sums[kMost * kSumLanes + hn::MaxLanes(decltype(d)())];
  while (n > 0) {
    std::size_t blocks = 0;
    for (; blocks < group && n > 0; ++blocks, n -= kBlock, x += kBlock * pitch) {
      AddBlock<T>(x, pitch, std::min(n, kBlock), cols, far, lanes + blocks * all);
    }
    for (std::size_t half = all / 2; half > width; half /= 2) {
      for (std::size_t b = 0; b < blocks; ++b) Halve(d, lanes + b * all, half, lanes + b * all);
    }
    std::size_t b = 0;
    for (std::size_t place = 0; place < group; ++place) {
      A* const to = sums + place * width;
      if (b < blocks) Halve(d, lanes + b * all, width, to);
      if (b >= blocks) std::fill_n(to, width, static_cast<A>(-0.0));
      std::size_t bit = group / 2;  // adds 1 from the top
      for (; (b & bit) != 0; bit /= 2) b -= bit;
      b += bit;
    }
    for (std::size_t half = group / 2 * width; half >= width; half /= 2) Halve(d, sums, half, sums);
    std::memcpy(tree.Next(), sums, static_cast<std::size_t>(row_bytes));
    tree.Push();
  }
  tree.Finish();
}

// Integers: all rows in turn. Sums stay in registers where they fit, else in L1; rows without gaps make one row of whole vectors.
template <typename T>
void SumIntegerColumns(const std::byte* x, std::int64_t pitch, std::int64_t n, std::int64_t cols, bool far, std::byte* scratch,
                       std::byte* out) {
  const hn::ScalableTag<T> d;
  const auto vector = static_cast<std::int64_t>(hn::Lanes(d)), most = static_cast<std::int64_t>(kMostVectors) * vector;
  const auto sum_rows = [=](std::int64_t row_pitch, std::int64_t rows, std::int64_t width, T* sums) {
    if (width <= most) return AddRows<T>(x, row_pitch, rows, width, sums);
    AddAllSteps<T>(x, row_pitch, rows, static_cast<std::size_t>(width), far, sums);
  };
  std::int64_t joined = pitch == cols * static_cast<std::int64_t>(sizeof(T)) && cols < 4 * vector ? kLanesOf<T> : 1;
  const auto is_too_much = [=](std::int64_t rows) {
    const std::int64_t sums = rows * cols;
    return rows > n || sums * static_cast<std::int64_t>(sizeof(T)) > kSumGroupBytes ||
           (sums > 4 * vector && rows / 2 * cols % vector == 0);
  };
  while (joined > 1 && is_too_much(joined)) joined /= 2;
  if (joined == 1) return sum_rows(pitch, n, cols, reinterpret_cast<T*>(out));
  if (far && n * pitch <= kPrefetchedBlock) PrefetchNext(x, n * pitch);
  auto* const sums = reinterpret_cast<T*>(scratch);
  const std::int64_t steps = n / joined, rest = n - steps * joined;
  sum_rows(joined * pitch, steps, joined * cols, sums);
  if (rest > 0) AddAccumulators(sums, reinterpret_cast<const T*>(x + steps * joined * pitch), rest * cols);
  for (std::int64_t half = joined / 2; half > 0; half /= 2) AddAccumulators(sums, sums + half * cols, half * cols);
  std::memcpy(out, sums, static_cast<std::size_t>(cols) * sizeof(T));
}

template <typename T>
void SumColumns(const std::byte* x, std::int64_t pitch, std::int64_t n, std::int64_t cols, bool far, std::byte* scratch,
                std::byte* out) {
  if constexpr (std::is_integral_v<T>) {
    SumIntegerColumns<T>(x, pitch, n, cols, far, scratch, out);
  } else {
    if (n <= kSumLanes) return SumFewRows<T>(x, pitch, n, cols, reinterpret_cast<Computed<T>*>(out));
    const hn::CappedTag<Computed<T>, static_cast<std::size_t>(kSumLanes)> d;
    const bool dense = pitch == cols * static_cast<std::int64_t>(sizeof(Stored<T>));
    dense&& cols < static_cast<std::int64_t>(hn::Lanes(d)) ? SumNarrowColumns<T>(x, pitch, n, cols, far, scratch, out)
                                                           : SumWideColumns<T>(x, pitch, n, cols, far, scratch, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
