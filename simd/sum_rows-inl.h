// Sums along vectors, where summands are contiguous: by the tree of core/sum_tree.h, many blocks or rows at once.
#if defined(AXISCAST_SIMD_SUM_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_SUM_ROWS_INL_H_
#undef AXISCAST_SIMD_SUM_ROWS_INL_H_
#else
#define AXISCAST_SIMD_SUM_ROWS_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <type_traits>

#include "core/sum_tree.h"
#include "hwy/cache_control.h"
#include "simd/summand-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// ---- Floats.

// ---- Slots: as many vectors as a vector has lanes, each of which is to be added up. One after the other that takes two
// instructions for each halving; together, halves of two vectors make one, and each vector costs about three.

#if HWY_TARGET != HWY_SCALAR
// Adds up the neighbouring runs of kWidth lanes of a and b, which make one vector: those of a and those of b by turns.
template <std::size_t kWidth, class D>
HWY_INLINE hn::VFromD<D> AddNeighbours(D d, hn::VFromD<D> a, hn::VFromD<D> b) {
  constexpr std::size_t kBytes = kWidth * sizeof(hn::TFromD<D>), kVectorBytes = hn::MaxLanes(D()) * sizeof(hn::TFromD<D>);
  if constexpr (kBytes == 4) {
    return hn::Add(hn::InterleaveEven(d, a, b), hn::InterleaveOdd(d, a, b));
  } else if constexpr (kBytes == 8) {
    const hn::Repartition<std::uint64_t, D> pairs;
    const auto x = hn::BitCast(pairs, a), y = hn::BitCast(pairs, b);
    return hn::Add(hn::BitCast(d, hn::InterleaveEven(pairs, x, y)), hn::BitCast(d, hn::InterleaveOdd(pairs, x, y)));
  } else if constexpr (2 * kBytes == kVectorBytes) {
    return hn::Add(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
  } else {
    static_assert(kBytes == 16);
    return hn::Add(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a), hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a)));
  }
}
#endif

// Lane i is the sum of slot i's lanes, the upper half of them added to the lower one, and so on.
template <std::size_t kWidth = 1, class D>
HWY_INLINE hn::VFromD<D> SumSlots(D d, const hn::TFromD<D>* slots) {
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  if constexpr (kWidth == kLanes) return hn::Load(d, slots);
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kWidth < kLanes) {
    const auto a = SumSlots<2 * kWidth>(d, slots);
    return AddNeighbours<kWidth>(d, a, SumSlots<2 * kWidth>(d, slots + kWidth * kLanes));
  }
#endif
}

// Adds the upper half of the lanes to the lower one until `keep` of them are left; writes the first `count` of those.
template <class D>
HWY_INLINE void FoldAndStore(D d, hn::VFromD<D> v, std::size_t keep, std::size_t count, hn::TFromD<D>* out) {
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  if (keep == kLanes && count == kLanes) return hn::StoreU(v, d, out);
  if (keep == kLanes) return hn::StoreN(v, d, out, count);
  if constexpr (kLanes > 1) {
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
    HWY_ALIGN hn::TFromD<D> lanes[kLanes];
    for (std::size_t left = kLanes; left > keep; left /= 2) {
      hn::Store(v, d, lanes);
      v = hn::Add(v, hn::LoadN(d, lanes + left / 2, left / 2));
    }
    hn::StoreN(v, d, out, count);
#else
    const hn::Half<D> half;
    FoldAndStore(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), keep, count, out);
#endif
  }
}

// Of a block of n summands: lanes [lane, lane + a vector's) when lanes have been added up until kLeft of them are left. Additions
// wait for each other in a block; CPUs go on with the next one meanwhile, and memory is read in order, which is faster than four
// blocks side by side.
template <typename T, std::size_t kLeft, bool kWhole, class D>
HWY_INLINE hn::VFromD<D> LanesOfBlock(D d, const std::byte* x, std::size_t n, std::size_t lane) {
  constexpr auto kAll = static_cast<std::size_t>(kSumLanes);
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

// The same of four rows that are shorter than a block: loops and partial loads take less of what each row costs.
template <typename T, std::size_t kLeft, class D>
HWY_INLINE void LanesOfFourRows(D d, const std::byte* x, std::int64_t stride, std::size_t n, std::size_t lane, hn::VFromD<D>& sum0,
                                hn::VFromD<D>& sum1, hn::VFromD<D>& sum2, hn::VFromD<D>& sum3) {
  constexpr auto kAll = static_cast<std::size_t>(kSumLanes);
  if constexpr (kLeft < kAll) {
    hn::VFromD<D> other0, other1, other2, other3;
    LanesOfFourRows<T, 2 * kLeft>(d, x, stride, n, lane, sum0, sum1, sum2, sum3);
    LanesOfFourRows<T, 2 * kLeft>(d, x, stride, n, lane + kLeft, other0, other1, other2, other3);
    sum0 = hn::Add(sum0, other0), sum1 = hn::Add(sum1, other1);
    sum2 = hn::Add(sum2, other2), sum3 = hn::Add(sum3, other3);
  } else {
    const std::byte *const x1 = x + stride, *const x2 = x1 + stride, *const x3 = x2 + stride;
    const std::size_t whole = n / kAll * kAll, rest = n - whole;
    const std::size_t left = rest <= lane ? 0 : HWY_MIN(rest - lane, hn::MaxLanes(D()));
    sum0 = sum1 = sum2 = sum3 = FromStored<T>(d, hn::Set(StoredTag<T, D>(), NoSummand<T>()));
    const auto add = [&](auto load) HWY_ATTR {
      sum0 = hn::Add(sum0, load(x)), sum1 = hn::Add(sum1, load(x1));
      sum2 = hn::Add(sum2, load(x2)), sum3 = hn::Add(sum3, load(x3));
    };
    for (std::size_t i = lane; i < whole; i += kAll) {
      add([=](const std::byte* row) HWY_ATTR { return LoadSummands<T>(d, row, i); });
    }
    if (left > 0) add([=](const std::byte* row) HWY_ATTR { return LoadUpToSummands<T>(d, row, whole + lane, left); });
  }
}

#if HWY_HAVE_SCALABLE
template <typename T>
using RowTag = hn::FixedTag<T, 16 / sizeof(T)>;
#else
template <typename T>
using RowTag = hn::CappedTag<T, std::is_floating_point_v<T> ? static_cast<std::size_t>(kSumLanes) : HWY_MAX_BYTES / sizeof(T)>;
#endif

// The blocks of a row of n summands, each into its slot: the block's number with its bits in reverse, as rows go between slots.
// Adding slots by halves then adds blocks in pairs. Slots of no block are left alone.
template <typename T>
HWY_INLINE void SumBlocks(const std::byte* x, std::int64_t n, Computed<T>* slots) {
  constexpr std::size_t kLanes = hn::MaxLanes(RowTag<Computed<T>>());
  constexpr std::int64_t kBlock = kSumLanes * kSumSteps;
  const RowTag<Computed<T>> d;
  std::size_t slot = 0;
  for (; n >= kBlock; n -= kBlock, x += kBlock * static_cast<std::int64_t>(sizeof(Stored<T>))) {
    hn::Store(LanesOfBlock<T, kLanes, true>(d, x, static_cast<std::size_t>(kBlock), 0), d, slots + slot * kLanes);
    std::size_t bit = kLanes / 2;  // add 1 from the top
    for (; (slot & bit) != 0; bit /= 2) slot -= bit;
    slot += bit;
  }
  if (n > 0) hn::Store(LanesOfBlock<T, kLanes, false>(d, x, static_cast<std::size_t>(n), 0), d, slots + slot * kLanes);
}

template <typename T>
void SumFloatRows(const std::byte* x, std::int64_t stride, std::int64_t count, std::int64_t n, std::byte* out_bytes) {
  using A = Computed<T>;
  const RowTag<A> d;
  constexpr std::size_t kLanes = hn::MaxLanes(RowTag<A>());
  constexpr std::int64_t kBlock = kSumLanes * kSumSteps, kGroup = kBlock * static_cast<std::int64_t>(kLanes);
  auto* const out = reinterpret_cast<A*>(out_bytes);
  if (n < kBlock) {
    std::int64_t i = 0;
    if constexpr (kIsHalf<T> && kLanes >= 4) {  // whose folds wait for the unit that converts: together, they are a third
      HWY_ALIGN A rows[kLanes * kLanes];
      for (; i + static_cast<std::int64_t>(kLanes) <= count; i += kLanes) {
        for (A* row = rows; row != rows + kLanes * kLanes; row += 4 * kLanes, x += 4 * stride) {
          for (std::int64_t ahead = 16; ahead < 20; ++ahead) hwy::Prefetch(x + ahead * stride);
          hn::Vec<decltype(d)> sum0, sum1, sum2, sum3;
          LanesOfFourRows<T, kLanes>(d, x, stride, static_cast<std::size_t>(n), 0, sum0, sum1, sum2, sum3);
          hn::Store(sum0, d, row);
          hn::Store(sum1, d, row + kLanes);
          hn::Store(sum2, d, row + 2 * kLanes);
          hn::Store(sum3, d, row + 3 * kLanes);
        }
        hn::StoreU(SumSlots(d, rows), d, out + i);
      }
    }
    for (; i < count; ++i, x += stride) {
      hwy::Prefetch(x + 16 * stride);  // CPUs do not foresee partial loads: 49 bytes at a time took 3 times as long
      out[i] = FoldVector(d, LanesOfBlock<T, kLanes, false>(d, x, static_cast<std::size_t>(n), 0));
    }
    return;
  }
  HWY_ALIGN A slots[kLanes * kLanes];
  const auto clear = [&] { std::fill_n(slots, kLanes * kLanes, static_cast<A>(-0.0)); };
  clear();
  if (n <= kGroup) {
    const std::size_t blocks = std::bit_ceil(static_cast<std::size_t>((n + kBlock - 1) / kBlock)), rows = kLanes / blocks;
    for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(rows)) {
      const std::size_t some = HWY_MIN(rows, static_cast<std::size_t>(count - i));
      for (std::size_t r = 0; r < some; ++r, x += stride) SumBlocks<T>(x, n, slots + r * kLanes);
      FoldAndStore(d, SumSlots(d, slots), rows, some, out + i);
    }
    return;
  }
  const auto add = [](std::byte* to, const std::byte* from) {
    auto* const sum = reinterpret_cast<A*>(to);
    *sum = static_cast<A>(*sum + *reinterpret_cast<const A*>(from));
  };
  // A tree over groups of blocks: slots of no block, in the last one, add nothing.
  for (std::int64_t i = 0; i < count; ++i) {
    A stack[64];
    BlockTree tree(reinterpret_cast<std::byte*>(out + i), reinterpret_cast<std::byte*>(stack), sizeof(A), add);
    const std::byte* from = x + i * stride;
    for (std::int64_t left = n; left > 0; left -= kGroup, from += kGroup * static_cast<std::int64_t>(sizeof(Stored<T>))) {
      if (left < kGroup) clear();
      SumBlocks<T>(from, std::min(left, kGroup), slots);
      FoldAndStore(d, SumSlots(d, slots), 1, 1, reinterpret_cast<A*>(tree.Next()));
      tree.Push();
    }
    tree.Finish();
  }
}

// ---- Integers: in any order.

// Summands [i, n) added to `sum`.
template <typename T, class D>
HWY_INLINE hn::VFromD<D> AddUpTo(D d, hn::VFromD<D> sum, const std::byte* x, std::size_t i, std::size_t whole, std::size_t n) {
  for (; i < whole; i += hn::MaxLanes(D())) sum = hn::Add(sum, LoadSummands<T>(d, x, i));
  return whole == n ? sum : hn::Add(sum, LoadUpToSummands<T>(d, x, whole, n - whole));
}

template <typename T>
void SumIntegerRows(const std::byte* x, std::int64_t stride, std::int64_t count, std::int64_t signed_n, std::byte* out_bytes) {
  const RowTag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(RowTag<T>());
  const auto n = static_cast<std::size_t>(signed_n);
  const std::size_t whole = n / kLanes * kLanes;
  auto* const out = reinterpret_cast<T*>(out_bytes);
  if (n < 16 * kLanes) {
    for (std::int64_t i = 0; i < count; ++i, x += stride) {
      hwy::Prefetch(x + 16 * stride);
      const auto first = whole == 0 ? LoadUpToSummands<T>(d, x, 0, n) : LoadSummands<T>(d, x, 0);
      out[i] = FoldVector(d, whole == 0 ? first : AddUpTo<T>(d, first, x, kLanes, whole, n));
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i, x += stride) {
    auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    std::size_t c = 0;
    for (; c + 4 * kLanes <= n; c += 4 * kLanes) {
      sum0 = hn::Add(sum0, LoadSummands<T>(d, x, c));
      sum1 = hn::Add(sum1, LoadSummands<T>(d, x, c + kLanes));
      sum2 = hn::Add(sum2, LoadSummands<T>(d, x, c + 2 * kLanes));
      sum3 = hn::Add(sum3, LoadSummands<T>(d, x, c + 3 * kLanes));
    }
    out[i] = FoldVector(d, AddUpTo<T>(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)), x, c, whole, n));
  }
}

template <typename T>
void SumRows(const std::byte* x, std::int64_t stride, std::int64_t count, std::int64_t n, std::byte* out) {
  if constexpr (std::is_integral_v<T>) {
    SumIntegerRows<T>(x, stride, count, n, out);
  } else {
    SumFloatRows<T>(x, stride, count, n, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
