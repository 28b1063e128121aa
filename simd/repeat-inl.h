// The movers that repeat: out[i * repeat + j] = x[i], for elements of one size.
#if defined(AXISCAST_SIMD_REPEAT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_REPEAT_INL_H_
#undef AXISCAST_SIMD_REPEAT_INL_H_
#else
#define AXISCAST_SIMD_REPEAT_INL_H_
#endif

#include <utility>

#include "simd/boxes-inl.h"
#include "simd/permute-inl.h"
#include "simd/step-inl.h"

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

// Contiguous sources: one load and sizeof...(kPart) permutations for each vector of them. The tables stay in registers, hence a
// function for each count: loading them each time cost a third to a half of the speed.
template <typename T, std::size_t... kPart>
HWY_NOINLINE void RepeatVectors(std::index_sequence<kPart...>, const std::byte* x, std::size_t count, T* out) {
  constexpr std::size_t kRepeat = sizeof...(kPart);
  const hn::CappedTag<T, kMaxTableLanes> d;
  const hn::Repartition<std::uint8_t, decltype(d)> bytes;
  const std::size_t lanes = hn::Lanes(d);
  const auto part = [=](hn::VFromD<decltype(d)> v, std::size_t at) HWY_ATTR {
    return hn::TableLookupLanes(v, hn::IndicesFromVec(d, LoadTable(d, kRepeatTables.of[kRepeat] + at)));
  };
  const auto* from = reinterpret_cast<const std::uint8_t*>(x);  // of any alignment, hence loaded as bytes
  for (; count >= lanes; count -= lanes, from += lanes * sizeof(T), out += kRepeat * lanes) {
    const auto v = hn::BitCast(d, hn::LoadU(bytes, from));
    (hn::StoreU(part(v, kPart * lanes), d, out + kPart * lanes), ...);
  }
  if (count == 0) return;
  const auto v = hn::BitCast(d, hn::LoadN(bytes, from, count * sizeof(T)));
  for (std::size_t q = 0; q < count * kRepeat; q += lanes) hn::StoreN(part(v, q), d, out + q, count * kRepeat - q);
}

// The same for a repeat of 1 to sizeof...(kBelow).
template <typename T, std::size_t... kBelow>
HWY_INLINE void RepeatByTable(std::index_sequence<kBelow...>, const std::byte* x, std::size_t count, std::size_t repeat, T* out) {
  ((repeat == kBelow + 1 ? RepeatVectors<T>(std::make_index_sequence<kBelow + 1>(), x, count, out) : void()), ...);
}

// A vector of one element, over and over.
template <typename T, class D>
HWY_INLINE hn::VFromD<D> SplatOf(D d, const std::byte* x) {
  if constexpr (kHasLanes<T>) {
    return hn::Set(d, ReadUnaligned<T>(x));
  } else {
    return hn::BitCast(d, hn::LoadDup128(hn::Repartition<std::uint8_t, D>(), reinterpret_cast<const std::uint8_t*>(x)));
  }
}

// Any stride and repeat: stores of a splat that run over into the next element's place, in order, so that the next one is right;
// exact at the end.
template <typename T, class D>
HWY_INLINE void RepeatBySplats(D d, const std::byte* x, std::int64_t stride, std::size_t count, std::size_t repeat, T* out) {
  using Lane = hn::TFromD<D>;
  const std::size_t lanes = hn::Lanes(d) * sizeof(Lane) / sizeof(T);
  const auto store = [=](hn::VFromD<D> v, T* to) HWY_ATTR { hn::StoreU(v, d, reinterpret_cast<Lane*>(to)); };
  const std::size_t written = (repeat + lanes - 1) / lanes * lanes;
  const std::size_t total = count * repeat;
  const std::size_t whole = total < written ? 0 : (total - written) / repeat + 1;
  if (written == lanes) {
    for (std::size_t i = 0; i < whole; ++i, x += stride, out += repeat) store(SplatOf<T>(d, x), out);
  } else {
    for (std::size_t i = 0; i < whole; ++i, x += stride, out += repeat) {
      const auto v = SplatOf<T>(d, x);
      for (std::size_t j = 0; j < repeat; j += lanes) store(v, out + j);
    }
  }
  for (std::size_t i = whole; i < count; ++i, x += stride, out += repeat) Fill(ReadUnaligned<T>(x), repeat, out);
}

// out[s * count + i] = element i % period of what begins at x + s * stride, of any alignment all, for a period that fits a vector:
// s < steps, i < count. In registers; what is copied from where it has just been stored has to wait.
template <typename T>
HWY_INLINE void Cycle(const std::byte* x, std::int64_t stride, std::size_t steps, std::size_t period, std::size_t count, T* out) {
  const hn::CappedTag<T, kMaxTableLanes> d;
  const hn::RebindToUnsigned<decltype(d)> d_index;
  const hn::Repartition<std::uint8_t, decltype(d)> bytes;
  const std::size_t lanes = hn::Lanes(d), step = kCycleTables.of[period][lanes];
  using Index = hn::TFromD<decltype(d_index)>;
  const auto next = hn::Set(d_index, static_cast<Index>(step)), periods = hn::Set(d_index, static_cast<Index>(period));
  const auto first = LoadTable(d_index, kCycleTables.of[period]);
  for (std::size_t left = steps * count; left > 0; left -= count, x += stride, out += count) {
    const auto v = hn::BitCast(d, hn::LoadN(bytes, reinterpret_cast<const std::uint8_t*>(x), period * sizeof(T)));
    auto index = first;
    for (std::size_t i = 0; i < count; i += lanes) {
      const auto some = hn::TableLookupLanes(v, hn::IndicesFromVec(d, index));
      if (HWY_LIKELY(i + lanes <= left)) {  // over into the next step's place, which comes later
        hn::StoreU(some, d, out + i);
      } else {
        hn::StoreN(some, d, out + i, left - i);
      }
      index = hn::Add(index, next);
      index = hn::Min(index, hn::Sub(index, periods));  // below 0 is far above
    }
  }
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
    if (repeat <= kMaxRepeat) {
      constexpr std::make_index_sequence<kMaxRepeat> kRepeats;
      if (stride == sizeof(T)) {
        RepeatByTable(kRepeats, x, count, repeat, out);
        return;
      }
      constexpr std::size_t kChunk = 256;  // strided sources are made contiguous first
      T chunk[kChunk];
      for (std::size_t i = 0; i < count; i += kChunk) {
        const std::size_t n = HWY_MIN(kChunk, count - i);
        GatherRow(x + static_cast<std::int64_t>(i) * stride, stride, static_cast<std::int64_t>(n), chunk);
        RepeatByTable(kRepeats, reinterpret_cast<const std::byte*>(chunk), n, repeat, out + i * repeat);
      }
      return;
    }
    const BoxDim dims[] = {{signed_count, stride}, {signed_repeat, 0}};
    const std::size_t lanes = hn::Lanes(hn::CappedTag<T, kMaxTableLanes>());
    if (2 * repeat <= lanes && count >= 4 * lanes && GatherBoxes<T>(x, dims, 2, out_bytes)) return;
  }
  if constexpr (kHasLanes<T>) {
    if (repeat * sizeof(T) <= 16) {
      RepeatBySplats(hn::CappedTag<T, 16 / sizeof(T)>(), x, stride, count, repeat, out);
    } else if (repeat * sizeof(T) <= 32) {
      RepeatBySplats(hn::CappedTag<T, 32 / sizeof(T)>(), x, stride, count, repeat, out);
    } else {
      RepeatBySplats(hn::ScalableTag<T>(), x, stride, count, repeat, out);
    }
  } else if constexpr (HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE) {
    RepeatBySplats(hn::ScalableTag<std::uint64_t>(), x, stride, count, repeat, out);
  } else {
    for (std::size_t i = 0; i < count; ++i, x += stride, out += repeat) Fill(ReadUnaligned<T>(x), repeat, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
