// The check of a divisor: whether any element of a tile's first input is 0.
#if defined(AXISCAST_KIT_CHECK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_CHECK_INL_H_
#undef AXISCAST_KIT_CHECK_INL_H_
#else
#define AXISCAST_KIT_CHECK_INL_H_
#endif

#include "axiscast/kit/operand-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// T is unsigned: one instance for each width. Static: a linker must not choose one among those of files that were compiled
// differently.
template <typename T>
static bool AnyZeroInRow(const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {  // one test and branch for four vectors
    const auto low = hn::Or(hn::Eq(hn::LoadU(d, x + i), zero), hn::Eq(hn::LoadU(d, x + i + lanes), zero));
    const auto high = hn::Or(hn::Eq(hn::LoadU(d, x + i + 2 * lanes), zero), hn::Eq(hn::LoadU(d, x + i + 3 * lanes), zero));
    if (!hn::AllFalse(d, hn::Or(low, high))) return true;
  }
  if (n < lanes) {
    for (; i < n; ++i) {
      if (x[i] == 0) return true;
    }
    return false;
  }
  auto any = hn::Eq(hn::LoadU(d, x + n - lanes), zero);
  for (; i + lanes <= n; i += lanes) any = hn::Or(any, hn::Eq(hn::LoadU(d, x + i), zero));
  return !hn::AllFalse(d, any);
}

template <typename T>
static bool AnyZero(const Tile& tile, const void* input) {
  const TileInput& in = tile.in[0];
  const std::size_t n = in.splat ? 1 : static_cast<std::size_t>(tile.cols);
  const std::int64_t rows = in.row_stride == 0 ? 1 : tile.rows;
  for (std::int64_t r = 0; r < rows; ++r) {
    if (AnyZeroInRow(reinterpret_cast<const T*>(static_cast<const std::byte*>(input) + r * in.row_stride), n)) return true;
  }
  return false;
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
