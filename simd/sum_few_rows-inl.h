// Sums across vectors of no more summands than there are lanes: by the tree of core/sum_tree.h, in registers.
#if defined(AXISCAST_SIMD_SUM_FEW_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_SUM_FEW_ROWS_INL_H_
#undef AXISCAST_SIMD_SUM_FEW_ROWS_INL_H_
#else
#define AXISCAST_SIMD_SUM_FEW_ROWS_INL_H_
#endif

#include "core/sum_tree.h"
#include "simd/summand-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sums from j on of n <= 16 rows, a lane each, when they have been added up until kLeft lanes are left: from lane kLane on.
// `load` loads a row's summands.
template <std::size_t kLeft, std::size_t kLane, class Load>
HWY_INLINE auto FoldRows(std::int64_t n, const Load& load) {
  if constexpr (kLeft == static_cast<std::size_t>(kSumLanes)) {
    return load(static_cast<std::int64_t>(kLane));
  } else {
    const auto lower = FoldRows<2 * kLeft, kLane>(n, load);
    if (static_cast<std::int64_t>(kLane + kLeft) >= n) return lower;
    return hn::Add(lower, FoldRows<2 * kLeft, kLane + kLeft>(n, load));
  }
}

// out[j] = the sum of x[0, j] to x[n - 1, j], n <= 16; rows are `pitch` bytes apart.
template <typename T>
void SumFewRows(const std::byte* x, std::int64_t pitch, std::int64_t n, std::int64_t cols, Computed<T>* out) {
  const hn::ScalableTag<Computed<T>> d;
  const std::size_t lanes = hn::Lanes(d), width = static_cast<std::size_t>(cols);
  std::size_t j = 0;
  for (; j + lanes <= width; j += lanes) {
    const auto load = [=](std::int64_t row) HWY_ATTR { return LoadSummands<T>(d, x + row * pitch, j); };
    hn::StoreU(FoldRows<1, 0>(n, load), d, out + j);
  }
  if (j == width) return;
  const auto load = [=](std::int64_t row) HWY_ATTR { return LoadUpToSummands<T>(d, x + row * pitch, j, width - j); };
  hn::StoreN(FoldRows<1, 0>(n, load), d, out + j, width - j);
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
