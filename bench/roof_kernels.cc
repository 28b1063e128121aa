// The loops behind the roof that move bytes. They are as plain as loops come: load, combine what was loaded, store.
#include "bench/roof_kernels.h"

#include "axiscast/prefetch.h"

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
// Shorter vectors where the CPU's are longer: a Zen 5 copies some sizes in L2 7 % faster in halves than in whole vectors.
using ShortBytes = hn::CappedTag<std::uint8_t, 32>;

// Max keeps ordinary values ordinary: nothing that a pass leaves in memory is slow for the op that is measured next.
template <int kReads, class D>
HWY_INLINE hn::VFromD<D> Combine(D d, const std::uint8_t* x, const std::uint8_t* y, std::size_t i) {
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

template <bool kStreaming, class D>
HWY_INLINE void Put(D d, hn::VFromD<D> v, std::uint8_t* to) {
  if constexpr (kStreaming) {
    hn::Stream(v, d, to);
  } else {
    hn::StoreU(v, d, to);
  }
}

// Bytes of each stream of input that face `bytes` of output.
template <int kReads>
constexpr std::size_t InputBytes(std::size_t bytes) {
  return bytes * (kReads % 2 == 0 ? kReads / 2 : kReads);
}

template <int kReads>
HWY_INLINE void PrefetchInput(const std::uint8_t* x, const std::uint8_t* y, std::size_t i, std::size_t bytes, std::size_t ahead) {
  for (std::size_t line = 0; line < InputBytes<kReads>(bytes); line += 64) {
    hwy::Prefetch(x + InputBytes<kReads>(i) + ahead + line);
    if constexpr (kReads % 2 == 0) hwy::Prefetch(y + InputBytes<kReads>(i) + ahead + line);
  }
}

// The two streams of input, the output, and how far ahead inputs are asked for.
struct Streams {
  const std::uint8_t *x, *y;
  std::uint8_t* out;
  std::size_t ahead;
};

// What a loop asks for before it needs it: nothing, inputs, or also the lines that it will write to.
enum class Asks { kNothing, kInputs, kAll };
constexpr std::size_t kAheadOfStore = 512;

// From byte i of the output on. kGroup vectors are loaded before the first of them is stored: a load need not wait until it is
// known where a store goes.
template <int kReads, class D, int kGroup, Asks kAsks, bool kStreaming>
HWY_INLINE void PassGroup(D d, const Streams& streams, std::size_t i) {
  static_assert(kGroup == 1 || kGroup == 2 || kGroup == 4);
  const std::size_t lanes = hn::Lanes(d);
  const auto *x = streams.x, *y = streams.y;
  auto* to = streams.out + i;
  if constexpr (kAsks != Asks::kNothing) PrefetchInput<kReads>(x, y, i, kGroup * lanes, streams.ahead);
  if constexpr (kAsks == Asks::kAll) {
    for (std::size_t line = 0; line < kGroup * lanes; line += 64) PrefetchToWrite(to + kAheadOfStore + line);
  }
  const auto a = Combine<kReads>(d, x, y, i);
  if constexpr (kGroup == 1) {
    Put<kStreaming>(d, a, to);
  } else {
    const auto b = Combine<kReads>(d, x, y, i + lanes);
    if constexpr (kGroup == 2) {
      Put<kStreaming>(d, a, to);
      Put<kStreaming>(d, b, to + lanes);
    } else {
      const auto c = Combine<kReads>(d, x, y, i + 2 * lanes);
      const auto e = Combine<kReads>(d, x, y, i + 3 * lanes);
      Put<kStreaming>(d, a, to);
      Put<kStreaming>(d, b, to + lanes);
      Put<kStreaming>(d, c, to + 2 * lanes);
      Put<kStreaming>(d, e, to + 3 * lanes);
    }
  }
}
inline Streams StreamsOf(const std::byte* x, const std::byte* y, std::byte* out, std::int64_t ahead) {
  return {reinterpret_cast<const std::uint8_t*>(x), reinterpret_cast<const std::uint8_t*>(y), reinterpret_cast<std::uint8_t*>(out),
          static_cast<std::size_t>(ahead)};
}

template <int kReads, class D, int kGroup, Asks kAsks, bool kStreaming>
void Pass(const std::byte* x, const std::byte* y, std::byte* out, std::int64_t bytes, std::int64_t ahead) {
  const D d;
  const Streams streams = StreamsOf(x, y, out, ahead);
  const auto count = static_cast<std::size_t>(bytes);
  for (std::size_t i = 0; i < count; i += kGroup * hn::Lanes(d)) PassGroup<kReads, D, kGroup, kAsks, kStreaming>(d, streams, i);
  if constexpr (kStreaming) hwy::FlushStream();
}

// Parts of the bytes take turns: a core reads more from several places than from one. (By turns of 128 bytes of four parts that are
// a power of two apart, a Zen 3 takes 4 times as long as by those of 512.)
template <int kReads, class D, int kParts, Asks kAsks>
void PassByTurns(const std::byte* x, const std::byte* y, std::byte* out, std::int64_t bytes, std::int64_t ahead) {
  const D d;
  const Streams streams = StreamsOf(x, y, out, ahead);
  constexpr std::size_t kTurn = 512;
  const std::size_t step = 4 * hn::Lanes(d), turn = HWY_MAX(kTurn, step);
  const std::size_t all = static_cast<std::size_t>(bytes), part = all / kParts / turn * turn;
  const auto pass = [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t i = begin; i < end; i += step) PassGroup<kReads, D, 4, kAsks, /*kStreaming=*/true>(d, streams, i);
  };
  for (std::size_t i = 0; i < part; i += turn) {
    for (std::size_t begin = i; begin < kParts * part; begin += part) pass(begin, begin + turn);
  }
  pass(kParts * part, all);
  hwy::FlushStream();
}

template <int kStreams>
void ReadPass(const std::byte* x, const std::byte*, std::byte*, std::int64_t bytes, std::int64_t) {
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
  constexpr bool kStreaming = true;
  return {kReads,
          {{&Pass<kReads, Bytes, 1, Asks::kNothing, !kStreaming>, 0, false},
           {&Pass<kReads, Bytes, 2, Asks::kNothing, !kStreaming>, 0, false},
           {&Pass<kReads, Bytes, 4, Asks::kNothing, !kStreaming>, 0, false},
           {&Pass<kReads, Bytes, 4, Asks::kInputs, !kStreaming>, 512, false},
           {&Pass<kReads, Bytes, 4, Asks::kInputs, !kStreaming>, 2048, false},
           {&Pass<kReads, Bytes, 4, Asks::kAll, !kStreaming>, 1024, false},
           {&Pass<kReads, ShortBytes, 1, Asks::kNothing, !kStreaming>, 0, false},
           {&Pass<kReads, ShortBytes, 4, Asks::kNothing, !kStreaming>, 0, false},
           {&Pass<kReads, Bytes, 1, Asks::kNothing, kStreaming>, 0, true},
           {&Pass<kReads, Bytes, 4, Asks::kNothing, kStreaming>, 0, true},
           {&Pass<kReads, Bytes, 4, Asks::kInputs, kStreaming>, 512, true},
           {&Pass<kReads, Bytes, 4, Asks::kInputs, kStreaming>, 2048, true},
           {&Pass<kReads, ShortBytes, 4, Asks::kNothing, kStreaming>, 0, true},
           {&PassByTurns<kReads, ShortBytes, 2, Asks::kNothing>, 0, true},
           {&PassByTurns<kReads, ShortBytes, 2, Asks::kInputs>, 2048, true},
           {&PassByTurns<kReads, Bytes, 4, Asks::kNothing>, 0, true},
           {&PassByTurns<kReads, Bytes, 4, Asks::kInputs>, 1024, true}}};
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
