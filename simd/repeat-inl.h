// The movers that repeat: out[i * repeat + j] = x[i], for elements of one size.
#if defined(AXISCAST_SIMD_REPEAT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_REPEAT_INL_H_
#undef AXISCAST_SIMD_REPEAT_INL_H_
#else
#define AXISCAST_SIMD_REPEAT_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/element.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// out[0, n) = value.
template <typename T>
HWY_INLINE void Fill(T value, std::size_t n, T* out) {
  if constexpr (kHasLanes<T>) {
    const hn::ScalableTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto v = hn::Set(d, value);
    if (n < lanes) {
      hn::StoreN(v, d, out, n);
      return;
    }
    for (std::size_t i = 0; i + lanes <= n; i += lanes) hn::StoreU(v, d, out + i);
    hn::StoreU(v, d, out + n - lanes);
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = value;
  }
}

// Whether a permutation of a whole vector is one instruction, or a few.
template <typename T>
inline constexpr bool kHasLanePermute = kHasLanes<T> && HWY_ARCH_X86 && (HWY_TARGET <= HWY_AVX3_DL ? true
                                                         : HWY_TARGET <= HWY_AVX3  ? sizeof(T) >= 2
                                                         : HWY_TARGET <= HWY_AVX2  ? sizeof(T) == 4
                                                                                   : false);

// kRepeatTables.of[p][q] = q / p: where element q of a p times repeated vector comes from.
inline constexpr std::size_t kMaxTableRepeat = 8;
inline constexpr std::size_t kMaxTableLanes = 64;
struct RepeatTables {
  std::uint8_t of[kMaxTableRepeat + 1][kMaxTableRepeat * kMaxTableLanes];
};
constexpr RepeatTables MakeRepeatTables() {
  RepeatTables tables = {};
  for (std::size_t p = 1; p <= kMaxTableRepeat; ++p) {
    for (std::size_t q = 0; q < p * kMaxTableLanes; ++q) tables.of[p][q] = static_cast<std::uint8_t>(q / p);
  }
  return tables;
}
inline constexpr RepeatTables kRepeatTables = MakeRepeatTables();

template <class D>
HWY_INLINE hn::VFromD<D> LoadTable(D d, const std::uint8_t* table) {
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    return hn::LoadU(d, table);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::uint8_t, D>(), table));
  }
}

// Contiguous sources, repeat <= kMaxTableRepeat: one load and `repeat` permutations for each vector of sources. The loads of the
// tables are hidden behind the stores.
template <typename T>
HWY_INLINE void RepeatByTable(const std::byte* x, std::size_t count, std::size_t repeat, T* out) {
  const hn::CappedTag<T, kMaxTableLanes> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::uint8_t* table = kRepeatTables.of[repeat];
  const hn::Repartition<std::uint8_t, decltype(d)> bytes;
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t sources = HWY_MIN(lanes, count - i);
    const auto* from = reinterpret_cast<const std::uint8_t*>(x + i * sizeof(T));  // of any alignment, hence loaded as bytes
    const auto v = hn::BitCast(d, sources == lanes ? hn::LoadU(bytes, from) : hn::LoadN(bytes, from, sources * sizeof(T)));
    const std::size_t n = sources * repeat;
    T* to = out + i * repeat;
    std::size_t q = 0;
    for (; q + lanes <= n; q += lanes) {
      hn::StoreU(hn::TableLookupLanes(v, hn::IndicesFromVec(d, LoadTable(d, table + q))), d, to + q);
    }
    if (q == n) continue;
    hn::StoreN(hn::TableLookupLanes(v, hn::IndicesFromVec(d, LoadTable(d, table + q))), d, to + q, n - q);
  }
}

// Any stride and repeat: stores of a splat that run over into the next element's place, in order, so that the next one is right;
// exact at the end.
template <typename T, class D>
HWY_INLINE void RepeatBySplats(D d, const std::byte* x, std::int64_t stride, std::size_t count, std::size_t repeat, T* out) {
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t written = (repeat + lanes - 1) / lanes * lanes;
  const std::size_t total = count * repeat;
  const std::size_t whole = total < written ? 0 : (total - written) / repeat + 1;
  if (written == lanes) {
    for (std::size_t i = 0; i < whole; ++i, x += stride, out += repeat) hn::StoreU(hn::Set(d, ReadUnaligned<T>(x)), d, out);
  } else {
    for (std::size_t i = 0; i < whole; ++i, x += stride, out += repeat) {
      const auto v = hn::Set(d, ReadUnaligned<T>(x));
      for (std::size_t j = 0; j < repeat; j += lanes) hn::StoreU(v, d, out + j);
    }
  }
  for (std::size_t i = whole; i < count; ++i, x += stride, out += repeat) Fill(ReadUnaligned<T>(x), repeat, out);
}

template <typename T>
void RepeatEach(const std::byte* x, std::int64_t stride, std::int64_t signed_count, std::int64_t signed_repeat,
                std::byte* out_bytes) {
  const auto count = static_cast<std::size_t>(signed_count);
  const auto repeat = static_cast<std::size_t>(signed_repeat);
  auto* out = reinterpret_cast<T*>(out_bytes);
  if (stride == 0) {
    Fill(ReadUnaligned<T>(x), count * repeat, out);
    return;
  }
  if constexpr (kHasLanePermute<T>) {
    if (repeat <= kMaxTableRepeat) {
      if (stride == sizeof(T)) {
        RepeatByTable(x, count, repeat, out);
        return;
      }
      constexpr std::size_t kChunk = 64;  // strided sources are made contiguous first
      T chunk[kChunk];
      for (std::size_t i = 0; i < count; i += kChunk) {
        const std::size_t n = HWY_MIN(kChunk, count - i);
        for (std::size_t k = 0; k < n; ++k) chunk[k] = ReadUnaligned<T>(x + static_cast<std::int64_t>(i + k) * stride);
        RepeatByTable(reinterpret_cast<const std::byte*>(chunk), n, repeat, out + i * repeat);
      }
      return;
    }
  }
  if constexpr (kHasLanes<T>) {
    if (repeat * sizeof(T) <= 16) {
      RepeatBySplats(hn::CappedTag<T, 16 / sizeof(T)>(), x, stride, count, repeat, out);
    } else if (repeat * sizeof(T) <= 32) {
      RepeatBySplats(hn::CappedTag<T, 32 / sizeof(T)>(), x, stride, count, repeat, out);
    } else {
      RepeatBySplats(hn::ScalableTag<T>(), x, stride, count, repeat, out);
    }
  } else {
    for (std::size_t i = 0; i < count; ++i, x += stride, out += repeat) Fill(ReadUnaligned<T>(x), repeat, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
