// Runs of bytes that lie apart, moved to where they lie otherwise apart.
#if defined(AXISCAST_SIMD_RUNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_RUNS_INL_H_
#undef AXISCAST_SIMD_RUNS_INL_H_
#else
#define AXISCAST_SIMD_RUNS_INL_H_
#endif

#include <cstring>

#include "hwy/highway.h"
#include "simd/element.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {

// A run of one word, or of any length up to two, which then overlap.
template <std::size_t kWord, bool kTwo>
HWY_INLINE void MoveWords(const std::byte* x, std::int64_t x_stride, std::byte* out, std::int64_t out_stride, std::int64_t count,
                          std::int64_t second) {
  struct Word {
    std::byte bytes[kWord];
  };
  for (; count > 0; --count, x += x_stride, out += out_stride) {
    const auto first = ReadUnaligned<Word>(x);
    if constexpr (kTwo) WriteUnaligned(ReadUnaligned<Word>(x + second), out + second);
    WriteUnaligned(first, out);
  }
}

// `count` runs of `bytes` each. What is read and written is exactly they. A call of memcpy for each cost 2 to 4 ns, as much as
// eight short ones here.
inline void MoveRuns(const std::byte* x, std::int64_t x_stride, std::byte* out, std::int64_t out_stride, std::int64_t count,
                     std::int64_t bytes) {
  const auto of_words = [&](auto word) HWY_ATTR {
    constexpr std::size_t kWord = word;
    const std::int64_t second = bytes - static_cast<std::int64_t>(kWord);
    if (second == 0) {
      MoveWords<kWord, false>(x, x_stride, out, out_stride, count, 0);
    } else {
      MoveWords<kWord, true>(x, x_stride, out, out_stride, count, second);
    }
  };
  using std::integral_constant;
  if (bytes > 128) {
    for (; count > 0; --count, x += x_stride, out += out_stride) std::memcpy(out, x, static_cast<std::size_t>(bytes));
  } else if (bytes >= 64) {
    of_words(integral_constant<std::size_t, 64>());
  } else if (bytes >= 32) {
    of_words(integral_constant<std::size_t, 32>());
  } else if (bytes >= 16) {
    of_words(integral_constant<std::size_t, 16>());
  } else if (bytes >= 8) {
    of_words(integral_constant<std::size_t, 8>());
  } else if (bytes >= 4) {
    of_words(integral_constant<std::size_t, 4>());
  } else if (bytes >= 2) {
    of_words(integral_constant<std::size_t, 2>());
  } else {
    of_words(integral_constant<std::size_t, 1>());
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
