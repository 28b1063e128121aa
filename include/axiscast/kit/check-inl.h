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

// In bytes. From L3 the check takes 0.83 of the time with it, from L1 and L2 1.1 to 2.5 times as long (Zen 5).
inline constexpr std::size_t kAheadOfCheck = 512;

// 0 where one of two vectors of unsigned integers is: the smaller ones, where that is one instruction. Masks that are made and put
// together for each vector take 2.2 times as long in L1, and 1.3 times from memory (Zen 5, vectors of 64 bytes).
template <class D, class V>
HWY_INLINE V ZeroWhereEitherIs(D d, V x, V y) {
  constexpr std::size_t kSize = sizeof(hn::TFromD<D>);
#if HWY_ARCH_X86
  constexpr bool kHasMin = kSize == 1 || (kSize < 8 && HWY_TARGET <= HWY_SSE4) || HWY_TARGET <= HWY_AVX3;
#else
  constexpr bool kHasMin = kSize < 8 || HWY_HAVE_SCALABLE;
#endif
  if constexpr (kHasMin) {
    return hn::Min(x, y);
  } else {
    return hn::IfThenZeroElse(hn::Eq(x, hn::Zero(d)), y);
  }
}

// T is unsigned: one instance for each width. Static: a linker must not choose one among those of files that were compiled
// differently. kAsks: for what is read next, from a far cache.
template <typename T, bool kAsks>
static bool AnyZeroInRow(const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto has_zero = [&](auto v) HWY_ATTR { return !hn::AllFalse(d, hn::Eq(v, hn::Zero(d))); };
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {  // one test and branch for four vectors: of eight, L2 takes 1.06 times as long
    if constexpr (kAsks) {
      for (std::size_t line = 0; line < 4 * lanes * sizeof(T); line += kLineBytes) {
        hwy::Prefetch(reinterpret_cast<const std::byte*>(x + i) + line + kAheadOfCheck);
      }
    }
    const auto low = ZeroWhereEitherIs(d, hn::LoadU(d, x + i), hn::LoadU(d, x + i + lanes));
    const auto high = ZeroWhereEitherIs(d, hn::LoadU(d, x + i + 2 * lanes), hn::LoadU(d, x + i + 3 * lanes));
    if (has_zero(ZeroWhereEitherIs(d, low, high))) return true;
  }
  if (n < lanes) {
    for (; i < n; ++i) {
      if (x[i] == 0) return true;
    }
    return false;
  }
  auto rest = hn::LoadU(d, x + n - lanes);
  for (; i + lanes <= n; i += lanes) rest = ZeroWhereEitherIs(d, rest, hn::LoadU(d, x + i));
  return has_zero(rest);
}

template <typename T>
static bool AnyZero(const Tile& tile, const void* input) {
  const TileInput& in = tile.in[0];
  const std::size_t n = in.splat ? 1 : static_cast<std::size_t>(tile.cols);
  const std::int64_t rows = in.row_stride == 0 ? 1 : tile.rows;
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto* const row = reinterpret_cast<const T*>(static_cast<const std::byte*>(input) + r * in.row_stride);
    if (tile.into_caches ? AnyZeroInRow<T, true>(row, n) : AnyZeroInRow<T, false>(row, n)) return true;
  }
  return false;
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
