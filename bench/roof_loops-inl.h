// How the arithmetic behind the roof is run: in chains of registers, or from L1 and back.
#if defined(AXISCAST_BENCH_ROOF_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_BENCH_ROOF_LOOPS_INL_H_
#undef AXISCAST_BENCH_ROOF_LOOPS_INL_H_
#else
#define AXISCAST_BENCH_ROOF_LOOPS_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bench/roof_kernels.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Eight chains hide the time until a result is there. They begin with different values: a compiler would make one of equal ones.
template <class D, class Step>
std::int64_t RunChains(D d, std::int64_t elements, Step step) {
  const auto start = [&](int chain) HWY_ATTR { return hn::Iota(d, static_cast<hn::TFromD<D>>(2 + chain)); };
  auto v0 = start(0), v1 = start(1), v2 = start(2), v3 = start(3), v4 = start(4), v5 = start(5), v6 = start(6), v7 = start(7);
  std::int64_t done = 0;
  for (; done < elements; done += 8 * static_cast<std::int64_t>(hn::Lanes(d))) {
    v0 = step(v0), v1 = step(v1), v2 = step(v2), v3 = step(v3);
    v4 = step(v4), v5 = step(v5), v6 = step(v6), v7 = step(v7);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)), hn::Add(hn::Add(v4, v5), hn::Add(v6, v7)));
  hwy::PreventElision(hn::GetLane(sum));
  return done;
}

constexpr std::size_t kElements = 2048;              // of each array
constexpr std::size_t kPitch = kElements + 17 * 32;  // from one to the next: no multiple of 4 KB, at which loads wait for stores

// Where arrays of Ts begin. Of some places a loop takes up to 4 times as long, in each process of others: a Zen 4's caches tell
// lines by few bits of their addresses.
template <typename T>
constexpr std::size_t Beginning(int place) {
  return static_cast<std::size_t>(place) * (4096 + 1024) / sizeof(T);
}

// Arithmetic from L1 and back, two vectors at a time: x86 converts what it loads and stores with fewer operations than what is in
// registers. `step` makes the result of d.Lanes() elements at x, and may read as many at x + kPitch.
template <typename T, class D, class Step>
std::int64_t RunArrays(D d, std::int64_t elements, int place, T value, const Step& step) {
  HWY_ALIGN T arrays[3 * kPitch + Beginning<T>(kArithmeticPlaces - 1)];
  T* const x = arrays + Beginning<T>(place);
  std::fill_n(x, 3 * kPitch, value);
  T* const out = x + 2 * kPitch;
  const std::size_t lanes = hn::Lanes(d);
  std::int64_t done = 0;
  for (; done < elements; done += kElements) {
    for (std::size_t i = 0; i < kElements; i += 2 * lanes) {
      const auto first = step(x + i);
      const auto second = step(x + i + lanes);
      hn::Store(first, d, out + i);
      hn::Store(second, d, out + i + lanes);
    }
    hwy::PreventElision(out[0]);
  }
  return done;
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast::bench
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
