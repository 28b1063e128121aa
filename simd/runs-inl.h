// Runs of bytes that lie apart, moved to where they lie otherwise apart.
#if defined(AXISCAST_SIMD_RUNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_RUNS_INL_H_
#undef AXISCAST_SIMD_RUNS_INL_H_
#else
#define AXISCAST_SIMD_RUNS_INL_H_
#endif

#include <cstring>

#include "simd/permute-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Long words are vectors: gcc 12 stores what memcpy moves a second time, on the stack.
template <std::int64_t kWord>
HWY_INLINE void MoveWord(const std::byte* x, std::byte* out) {
  if constexpr (kWord >= 16) {
    const hn::FixedTag<std::uint8_t, kWord> d;
    StoreBytes(LoadBytes(d, x), d, out);
  } else {
    std::memcpy(out, x, kWord);
  }
}

// A run of one word, or of any length up to two, which then overlap.
template <std::int64_t kWord, bool kTwo>
HWY_INLINE void MoveWords(const std::byte* x, std::int64_t x_stride, std::byte* out, std::int64_t out_stride, std::int64_t count,
                          std::int64_t second) {
  for (; count > 0; --count, x += x_stride, out += out_stride) {
    MoveWord<kWord>(x, out);
    if constexpr (kTwo) MoveWord<kWord>(x + second, out + second);
  }
}

inline constexpr std::int64_t kLongestWord = HWY_HAVE_SCALABLE ? 16 : HWY_MIN(HWY_MAX_BYTES, 64);

// Runs of up to two words of kWord bytes.
template <std::int64_t kWord>
HWY_INLINE void MoveShortRuns(const std::byte* x, std::int64_t x_stride, std::byte* out, std::int64_t out_stride,
                              std::int64_t count, std::int64_t bytes) {
  if (bytes > kWord) {
    MoveWords<kWord, true>(x, x_stride, out, out_stride, count, bytes - kWord);
  } else if (bytes == kWord) {
    MoveWords<kWord, false>(x, x_stride, out, out_stride, count, 0);
  } else if constexpr (kWord > 1) {
    MoveShortRuns<kWord / 2>(x, x_stride, out, out_stride, count, bytes);
  }
}

// Runs of more than one word, the last of which overlaps the one before.
template <std::int64_t kWord>
HWY_INLINE void MoveLongerRuns(const std::byte* x, std::int64_t x_stride, std::byte* out, std::int64_t out_stride,
                               std::int64_t count, std::int64_t bytes) {
  for (; count > 0; --count, x += x_stride, out += out_stride) {
    for (std::int64_t at = 0; at < bytes - kWord; at += kWord) MoveWord<kWord>(x + at, out + at);
    MoveWord<kWord>(x + bytes - kWord, out + bytes - kWord);
  }
}

// `count` runs of `bytes` each. What is read and written is exactly they. A call of memcpy for each costs 2 to 4 ns, as much as
// eight short ones here; those of more than eight vectors are worth it.
HWY_NOINLINE void MoveRuns(const std::byte* x, std::int64_t x_stride, std::byte* out, std::int64_t out_stride, std::int64_t count,
                           std::int64_t bytes) {
  if (bytes <= 2 * kLongestWord) return MoveShortRuns<kLongestWord>(x, x_stride, out, out_stride, count, bytes);
  if (bytes <= 8 * kLongestWord) return MoveLongerRuns<kLongestWord>(x, x_stride, out, out_stride, count, bytes);
  for (; count > 0; --count, x += x_stride, out += out_stride) std::memcpy(out, x, static_cast<std::size_t>(bytes));
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
