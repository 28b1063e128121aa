// The passes behind the roof. They are as plain as loops come: load, combine what was loaded, store.
#include "bench/roof_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/roof_kernels.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // must come first
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::ScalableTag<std::uint8_t>;

// Max keeps ordinary values ordinary: nothing that a pass leaves in memory is slow for the op that is measured next.
template <int kReads>
HWY_INLINE hn::VFromD<Bytes> Combine(Bytes d, const std::uint8_t* x, const std::uint8_t* y, std::size_t i) {
  if constexpr (kReads == 0) {
    return hn::Set(d, std::uint8_t{0x3f});
  } else {
    const std::size_t lanes = hn::Lanes(d);
    constexpr bool kTwoStreams = kReads % 2 == 0;
    constexpr std::size_t kPerStream = kTwoStreams ? kReads / 2 : kReads;
    auto v = hn::LoadU(d, x + i * kPerStream);
#pragma GCC unroll 16
    for (std::size_t r = 1; r < kPerStream; ++r) v = hn::Max(v, hn::LoadU(d, x + i * kPerStream + r * lanes));
    if constexpr (kTwoStreams) {
#pragma GCC unroll 16
      for (std::size_t r = 0; r < kPerStream; ++r) v = hn::Max(v, hn::LoadU(d, y + i * kPerStream + r * lanes));
    }
    return v;
  }
}

template <int kReads, int kUnroll, bool kStreaming>
void Pass(const std::byte* x, const std::byte* y, std::byte* out, std::int64_t bytes) {
  const Bytes d;
  const std::size_t lanes = hn::Lanes(d);
  const auto* from_x = reinterpret_cast<const std::uint8_t*>(x);
  const auto* from_y = reinterpret_cast<const std::uint8_t*>(y);
  auto* to = reinterpret_cast<std::uint8_t*>(out);
  const auto count = static_cast<std::size_t>(bytes);
  for (std::size_t i = 0; i < count; i += kUnroll * lanes) {
#pragma GCC unroll 8
    for (std::size_t u = 0; u < kUnroll; ++u) {
      const auto v = Combine<kReads>(d, from_x, from_y, i + u * lanes);
      if constexpr (kStreaming) {
        hn::Stream(v, d, to + i + u * lanes);
      } else {
        hn::StoreU(v, d, to + i + u * lanes);
      }
    }
  }
  if constexpr (kStreaming) hwy::FlushStream();
}

template <int kStreams>
void ReadPass(const std::byte* x, const std::byte*, std::byte*, std::int64_t bytes) {
  const Bytes d;
  const std::size_t lanes = hn::Lanes(d);
  const auto* from = reinterpret_cast<const std::uint8_t*>(x);
  const std::size_t part = static_cast<std::size_t>(bytes) / kStreams;
  auto a = hn::Zero(d), b = a, c = a, e = a;
  for (std::size_t i = 0; i + 4 * lanes <= part; i += 4 * lanes) {
#pragma GCC unroll 2
    for (std::size_t s = 0; s < kStreams; ++s) {
      a = hn::Max(a, hn::LoadU(d, from + s * part + i));
      b = hn::Max(b, hn::LoadU(d, from + s * part + i + lanes));
      c = hn::Max(c, hn::LoadU(d, from + s * part + i + 2 * lanes));
      e = hn::Max(e, hn::LoadU(d, from + s * part + i + 3 * lanes));
    }
  }
  hwy::PreventElision(hn::GetLane(hn::Max(hn::Max(a, b), hn::Max(c, e))));
}

template <int kReads>
RoofPasses PassesOf() {
  return {kReads,
          {&Pass<kReads, 1, false>, &Pass<kReads, 2, false>, &Pass<kReads, 4, false>},
          {&Pass<kReads, 1, true>, &Pass<kReads, 4, true>}};
}

std::vector<RoofPasses> Passes() {
  return {PassesOf<0>(), PassesOf<1>(), PassesOf<2>(), PassesOf<3>(), PassesOf<4>(), PassesOf<8>(), PassesOf<16>()};
}

std::vector<RoofPass> ReadPasses() { return {&ReadPass<1>, &ReadPass<2>}; }

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace axiscast::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace axiscast::bench {

HWY_EXPORT(Passes);
HWY_EXPORT(ReadPasses);
HWY_EXPORT(TargetName);

const std::vector<RoofPasses>& AllRoofPasses() {
  static const std::vector<RoofPasses> passes = HWY_DYNAMIC_DISPATCH(Passes)();
  return passes;
}

const std::vector<RoofPass>& ReadOnlyPasses() {
  static const std::vector<RoofPass> passes = HWY_DYNAMIC_DISPATCH(ReadPasses)();
  return passes;
}

const char* RoofTarget() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace axiscast::bench
#endif  // HWY_ONCE
