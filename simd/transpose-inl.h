// Transposes a strided view in squares of 16-byte registers, for elements of one size.
#if defined(AXISCAST_SIMD_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_TRANSPOSE_INL_H_
#undef AXISCAST_SIMD_TRANSPOSE_INL_H_
#else
#define AXISCAST_SIMD_TRANSPOSE_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/element.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// to[i][j] = from[j][i] for i < elements, j < lines, one element after the other.
template <typename T>
HWY_INLINE void TransposeByElement(const std::byte* from, std::int64_t from_stride, std::int64_t lines, std::int64_t elements,
                                   std::byte* to, std::int64_t to_stride) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = 0; i < elements; ++i) {
    for (std::int64_t j = 0; j < lines; ++j) {
      WriteUnaligned(ReadUnaligned<T>(from + j * from_stride + i * kSize), to + i * to_stride + j * kSize);
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
// Views may have any address: vectors are loaded and stored as bytes.
template <class D>
HWY_INLINE hn::VFromD<D> LoadBytes(D d, const std::byte* from) {
  const hn::Repartition<std::uint8_t, D> bytes;
  return hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)));
}
template <class D>
HWY_INLINE void StoreBytes(hn::VFromD<D> v, D d, std::byte* to) {
  const hn::Repartition<std::uint8_t, D> bytes;
  static_cast<void>(d);
  hn::StoreU(hn::BitCast(bytes, v), bytes, reinterpret_cast<std::uint8_t*>(to));
}

// A square of 4 x 4 elements of 4 bytes.
HWY_INLINE void TransposeSquare(std::uint32_t, const std::byte* from, std::int64_t from_stride, std::byte* to,
                                std::int64_t to_stride) {
  const hn::FixedTag<std::uint32_t, 4> d;
  const hn::FixedTag<std::uint64_t, 2> pairs;
  const auto a = LoadBytes(d, from);
  const auto b = LoadBytes(d, from + from_stride);
  const auto c = LoadBytes(d, from + 2 * from_stride);
  const auto e = LoadBytes(d, from + 3 * from_stride);
  const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));   // a0 b0 a1 b1
  const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));  // a2 b2 a3 b3
  const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  StoreBytes(hn::InterleaveLower(pairs, ab_low, ce_low), pairs, to);
  StoreBytes(hn::InterleaveUpper(pairs, ab_low, ce_low), pairs, to + to_stride);
  StoreBytes(hn::InterleaveLower(pairs, ab_high, ce_high), pairs, to + 2 * to_stride);
  StoreBytes(hn::InterleaveUpper(pairs, ab_high, ce_high), pairs, to + 3 * to_stride);
}

// 2 x 2 elements of 8 bytes.
HWY_INLINE void TransposeSquare(std::uint64_t, const std::byte* from, std::int64_t from_stride, std::byte* to,
                                std::int64_t to_stride) {
  const hn::FixedTag<std::uint64_t, 2> d;
  const auto a = LoadBytes(d, from);
  const auto b = LoadBytes(d, from + from_stride);
  StoreBytes(hn::InterleaveLower(d, a, b), d, to);
  StoreBytes(hn::InterleaveUpper(d, a, b), d, to + to_stride);
}
#endif  // HWY_TARGET != HWY_SCALAR

template <typename T>
inline constexpr std::int64_t kSquare = HWY_TARGET != HWY_SCALAR && (sizeof(T) == 4 || sizeof(T) == 8) ? 16 / sizeof(T) : 1;

// to[i][j] = from[j][i] for i < elements, j < lines; a line's elements are contiguous, as are those of a row of `to`.
template <typename T>
HWY_INLINE void Transpose(const std::byte* from, std::int64_t from_stride, std::int64_t lines, std::int64_t elements, std::byte* to,
                          std::int64_t to_stride) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  std::int64_t squared_lines = 0;
  std::int64_t squared_elements = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kSquare < T >> 1) {
    constexpr std::int64_t kLine = 64 / kSize;  // a cache line of each source line is used up at once
    squared_lines = lines / kSquare<T> * kSquare<T>;
    squared_elements = elements / kSquare<T> * kSquare<T>;
    for (std::int64_t i = 0; i < squared_elements; i += kLine) {
      const std::int64_t end = HWY_MIN(i + kLine, squared_elements);
      for (std::int64_t j = 0; j < squared_lines; j += kSquare<T>) {
        for (std::int64_t k = i; k < end; k += kSquare<T>) {
          TransposeSquare(T(), from + j * from_stride + k * kSize, from_stride, to + k * to_stride + j * kSize, to_stride);
        }
      }
    }
  }
#endif
  if (squared_lines < lines) {
    TransposeByElement<T>(from + squared_lines * from_stride, from_stride, lines - squared_lines, squared_elements,
                          to + squared_lines * kSize, to_stride);
  }
  if (squared_elements < elements) {
    TransposeByElement<T>(from + squared_elements * kSize, from_stride, lines, elements - squared_elements,
                          to + squared_elements * to_stride, to_stride);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
