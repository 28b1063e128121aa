// Stores of results: into the caches, or past them where whole lines are written.
#if defined(AXISCAST_KIT_STORE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_STORE_INL_H_
#undef AXISCAST_KIT_STORE_INL_H_
#else
#define AXISCAST_KIT_STORE_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "axiscast/kernel.h"
#include "axiscast/prefetch.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether a masked store writes the chosen lanes and leaves memory between them alone, also to other threads: elsewhere Highway's
// is a load, a blend and a store.
inline constexpr bool kHasMaskedStore = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3;
// A masked store waits for its cache line: without the prefetch a Zen 5 took 5 times as long in memory, and it costs nothing in L1.
inline constexpr std::int64_t kMaskedStorePrefetch = 1024;  // bytes

inline constexpr std::size_t kLineBytes = 64;

// Whether loops whose results stay in caches ask for what comes later: of halves, and as Tile::into_caches says. With AVX2, of
// whose vectors a line is four or two, each would ask for the same lines as the one before it: float16 takes up to 1.17 times as
// long in all caches (a Zen 3).
inline constexpr bool kAsksInCaches = HWY_MAX_BYTES >= 64;
// Whether kernels heed Tile::into_caches.
inline constexpr bool kAsksForLines = kAsksInCaches && !HWY_HAVE_SCALABLE;

// Elements from the vector's boundary before `at` to it.
template <class D>
HWY_INLINE std::size_t Misalignment(D d, const hn::TFromD<D>* at) {
  return reinterpret_cast<std::uintptr_t>(at) / sizeof(hn::TFromD<D>) % hn::Lanes(d);
}

// Copies less than a vector, by stores that are all within what is copied.
template <typename T>
static HWY_NOINLINE void CopyPart(const T* from, T* to, std::size_t count) {
  const auto* source = reinterpret_cast<const std::byte*>(from);
  auto* target = reinterpret_cast<std::byte*>(to);
  std::size_t bytes = count * sizeof(T);
  const auto copy = [&](auto size) {
    std::memcpy(target, source, size());
    source += size();
    target += size();
    bytes -= size();
  };
  while (bytes >= 64) copy(std::integral_constant<std::size_t, 64>());
  if (bytes >= 32) copy(std::integral_constant<std::size_t, 32>());
  if (bytes >= 16) copy(std::integral_constant<std::size_t, 16>());
  if (bytes >= 8) copy(std::integral_constant<std::size_t, 8>());
  if (bytes >= 4) copy(std::integral_constant<std::size_t, 4>());
  if (bytes >= 2) copy(std::integral_constant<std::size_t, 2>());
  if (bytes >= 1) copy(std::integral_constant<std::size_t, 1>());
}

// Highway's Stream writes 16 bytes of a shorter vector (1.2, x86).
template <class D>
HWY_INLINE void StreamOrStore(hn::VFromD<D> v, D d, hn::TFromD<D>* at) {
  if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) >= 16) {
    hn::Stream(v, d, at);
  } else {
    hn::StoreU(v, d, at);
  }
}

// Whether a line is one, two or four vectors that can be streamed, on every CPU of the target.
template <class D, std::size_t kBytes = hn::MaxLanes(D()) * sizeof(hn::TFromD<D>)>
inline constexpr bool kLineIsVectors = !HWY_HAVE_SCALABLE && (kBytes == 16 || kBytes == 32 || kBytes == 64);

// Whether it is one.
template <class D>
inline constexpr bool kIsLine = kLineIsVectors<D>&& hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) == kLineBytes;

// Whether it is two of AVX2's: of all vectors that are shorter than a line, turns were measured of those.
template <class D>
inline constexpr bool kIsHalfLine = (HWY_TARGET == HWY_AVX2) && kLineIsVectors<D> &&
                                    2 * hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) == kLineBytes;

// Whether parts of rows of T that are streamed, by vectors of D, take turns, as those of a long row do in StreamLines. With AVX2
// not of the 16-bit floats: (N,64)+(64), two parts or four, takes 1 to 1.3 times as long (a Zen 3).
template <typename T, class D>
inline constexpr bool kRowsTakeTurns = kIsLine<D> ||
                                       (kIsHalfLine<D> && !std::is_same_v<T, Float16> && !std::is_same_v<T, BFloat16>);

// How the results of a tile that streams are stored.
struct Streaming {
  int most_parts = 1;       // so many parts of a long run take turns (PartsByTurns)
  bool past_caches = true;  // or into them, as Tile::into_caches says
};
// Of an op of so many inputs, whose results are vectors of D. Inputs are not counted where rows take no turns: what is counted
// takes registers from loops over short rows, and (N,64)+(64) of float16 takes 1.1 to 1.3 times as long (AVX2, a Zen 3).
template <typename T, class D>
HWY_INLINE Streaming StreamingOf(const Tile& tile, int arity) {
  int parts = tile.by_turns.rows;
  if constexpr (kRowsTakeTurns<T, D>) {
    int going_on = 0;  // inputs that do, in memory
    for (int i = 0; i < arity; ++i) {
      const TileInput& in = tile.in[i];
      if (!in.splat && (tile.rows > 1 ? in.row_stride != 0 : in.period == 0)) ++going_on;
    }
    if (going_on <= 1) parts = tile.by_turns.rows_of_one;
  }
  return {tile.into_caches ? 1 : parts, !tile.into_caches};
}

// Streams a line, whose vectors are result(i) and on, after ask(i) and on. Several are stored right after each other: where inputs
// are loaded between them, calls take 1.1 to 1.18 times as long (a Zen 3).
template <class D, class T, class Ask, class F>
HWY_INLINE void StreamLine(D d, T* row, std::size_t i, const Ask& ask, const F& result) {
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kVectors = kLineBytes / (hn::MaxLanes(D()) * sizeof(T));
  for (std::size_t v = 0; v < kVectors; ++v) ask(i + v * lanes);
  if constexpr (kVectors == 1) {
    hn::Stream(result(i), d, row + i);
  } else if constexpr (kVectors == 2) {
    const auto first = result(i), second = result(i + lanes);
    hn::Stream(first, d, row + i), hn::Stream(second, d, row + i + lanes);
  } else {
    const auto first = result(i), second = result(i + lanes);
    const auto third = result(i + 2 * lanes), fourth = result(i + 3 * lanes);
    hn::Stream(first, d, row + i), hn::Stream(second, d, row + i + lanes);
    hn::Stream(third, d, row + i + 2 * lanes), hn::Stream(fourth, d, row + i + 3 * lanes);
  }
}

// The same lines into the caches: inputs and results are asked for, then some are computed, then stored: kVectors of them at a
// time, or a line. Returns where the next line begins.
inline constexpr std::size_t kAheadOfStore = 512;  // bytes
template <std::size_t kVectors, class D, class T, class Ask, class F>
HWY_INLINE std::size_t StoreLines(D d, T* row, std::size_t i, std::size_t stop, const Ask& ask, const F& result) {
  static_assert(kVectors == 1 || kVectors == 2 || kVectors == 4);
  constexpr std::size_t kLine = kLineBytes / sizeof(T), kOfLine = kLine / hn::MaxLanes(D());
  const std::size_t lanes = hn::Lanes(d);
  for (; i + kVectors * lanes <= stop; i += kVectors * lanes) {
    for (std::size_t v = 0; v < kVectors; ++v) ask(i + v * lanes);
    for (std::size_t v = 0; v < kVectors; v += kOfLine) PrefetchToWrite(row + i + v * lanes + kAheadOfStore / sizeof(T));
    const auto first = result(i);
    if constexpr (kVectors == 1) {
      hn::Store(first, d, row + i);
    } else if constexpr (kVectors == 2) {
      const auto second = result(i + lanes);
      hn::Store(first, d, row + i), hn::Store(second, d, row + i + lanes);
    } else {
      const auto second = result(i + lanes), third = result(i + 2 * lanes), fourth = result(i + 3 * lanes);
      hn::Store(first, d, row + i), hn::Store(second, d, row + i + lanes);
      hn::Store(third, d, row + i + 2 * lanes), hn::Store(fourth, d, row + i + 3 * lanes);
    }
  }
  if constexpr (kVectors > kOfLine) return StoreLines<kOfLine>(d, row, i, stop, ask, result);
  return i;
}

// Bytes of a row from which on its parts take turns (kLeast of the following): rows of 32 KB in two parts took 1.01
// to 1.08 times as long by turns (a Zen 3). kNoTurns: never.
inline constexpr std::size_t kLeastByTurns = 64 * 1024, kNoTurns = ~std::size_t{0};
inline constexpr std::size_t kTurnsBytes = 2048;  // of results: a turn of each part, all together

// How results that are streamed are run: `parts` parts of `part` elements take turns of `turn` elements, and what they leave is run
// as all are; or all at once.
struct Turns {
  std::size_t parts, part, turn;
};
// Of n elements of so many bytes, if they have `least` bytes. most_parts: of PartsByTurns.
HWY_INLINE Turns TurnsOf(std::size_t most_parts, std::size_t n, std::size_t bytes, std::size_t least) {
  HWY_DASSERT(most_parts == 1 || most_parts == 2 || most_parts == static_cast<std::size_t>(kMaxPartsByTurns));
  if (most_parts == 1 || n * bytes < least) return {1, n, n};
  const std::size_t turn = kTurnsBytes / most_parts / bytes;
  return {most_parts, n / most_parts / turn * turn, turn};
}

// Streams the whole lines of `row` from element i, which begins one, to the last one that ends at `stop` at the latest; result(i)
// gives a vector, and ask(i) asks for what comes later. Returns where the next line begins. What goes into the caches is stored by
// StoreLines, kVectors at a time.
// Parts of a long row take turns, as a core reads more from several places than from one. Of two parts sums of two arrays take 0.88
// to 0.95 of the time with one thread, of an array and a value 0.86 to 0.92, comparisons 0.75 to 0.9 (AVX2, a Zen 3), with two
// threads 0.95 and 0.96, where four take 1.25 and 1.13 times as long as two (AVX-512, a Zen 5); of four parts 0.93 and 0.82, of two
// 0.96 and 0.88, of eight no less (AVX-512, an Emerald Rapids, where two threads have the same). Turns of 256 bytes or 1 KB are as
// good as those of 512, of 4 KB only of one array and with AVX2. With AVX2, four parts take 1.13 to 1.2 times as long as two of
// sums of two arrays, 0.85 to 0.95 of the time of an array and a value (a Zen 3).
template <std::size_t kLeast = kLeastByTurns, std::size_t kVectors = 4, class D, class T, class Ask, class F>
HWY_INLINE std::size_t StreamLines(D d, T* row, std::size_t i, std::size_t stop, const Ask& ask, const F& result,
                                   Streaming streaming) {
  constexpr std::size_t kLine = kLineBytes / sizeof(T);
  if constexpr (kAsksForLines && kLineIsVectors<D>) {
    constexpr std::size_t kLeastVectors = kLine / hn::MaxLanes(D());
    if (!streaming.past_caches) return StoreLines<HWY_MAX(kVectors, kLeastVectors)>(d, row, i, stop, ask, result);
  }
  if constexpr (kLineIsVectors<D> && kLeast == kNoTurns) {
    for (; i + kLine <= stop; i += kLine) StreamLine(d, row, i, ask, result);
  } else if constexpr (kLineIsVectors<D>) {
    auto most_parts = static_cast<std::size_t>(streaming.most_parts);
    // Others are two at most; and float16, of which a line is four vectors with AVX2, takes 1.1 to 1.2 times as long where loops do
    // not know that.
    if constexpr (!kIsLine<D> && !kIsHalfLine<D>) most_parts = HWY_MIN(most_parts, std::size_t{2});
    // All parts, then what they leave: by the same loops, as `result` is inlined in them.
    while (i + kLine <= stop) {
      const Turns turns = TurnsOf(most_parts, (stop - i) / kLine * kLine, sizeof(T), kLeast);
      for (const std::size_t end = i + turns.part; i < end; i += turns.turn) {
        for (std::size_t begin = i; begin < i + turns.parts * turns.part; begin += turns.part) {
          for (std::size_t at = begin; at < begin + turns.turn; at += kLine) StreamLine(d, row, at, ask, result);
        }
      }
      i += (turns.parts - 1) * turns.part;
    }
  } else if (i < stop) {
    const std::size_t lanes = hn::Lanes(d);
    stop -= (stop - i) % HWY_MAX(kLine, lanes);
    for (; i + lanes <= stop; i += lanes) {
      ask(i);
      StreamOrStore(result(i), d, row + i);
    }
  }
  return i;
}

// Bytes of rows from which on their parts take turns, by how many they would be. With two, rows of 784 bytes in tiles of 50 KB take
// 1.2 times as long by turns, 12 of 16 KB 1 to 1.3 times (a Zen 5). With AVX2 and four, tiles of 25 KB take 1.2 times as long, of
// 50 KB 1 to 1.15 times, of 100 KB 0.9 (a Zen 3).
HWY_INLINE std::size_t LeastRunsByTurns(std::size_t most_parts) {
  constexpr std::size_t kLeastOfFour = HWY_MAX_BYTES >= 64 ? 16 : 64;
  return (most_parts > 2 ? kLeastOfFour : 256) * std::size_t{1024};
}

// f(begin, end) for n elements of rows, of so many bytes each, by turns. Of four parts, rows of 4 to 16 KB take 0.83 to 0.86 of the
// time from memory with one thread, 0.94 to 0.98 with two, (N,3)+(3) to (N,64)+(64) 0.78 to 0.86, and rows of 784 bytes, 64 of
// which take another value again and again, 0.89. By turns of 256 bytes as long, of 1 KB 1.03 to 1.06 times, of 4 KB as without;
// where parts are a power of two apart, as long as where they are not (an Emerald Rapids, float32). Of two, (N,3)+(3) to
// (N,64)+(64) take 0.9 to 0.95, of four as long or longer with two threads (a Zen 5). With AVX2, of two parts (N,3)+(3) takes 0.9
// to 1, (N,64)+(64) 0.81 to 0.9, and of four 0.85 to 0.95 and 0.75 to 0.85, rows of 4 KB 0.94 and (...,64,64)+(64,64) 0.86 (a Zen
// 3). head: so many elements come first, up to where a line begins.
template <class F>
HWY_INLINE void ForRunsByTurns(std::size_t most_parts, std::size_t head, std::size_t n, std::size_t bytes, const F& f) {
  HWY_DASSERT(head <= n);
  // The head, all parts, then what they leave: by the same loops, as `f` is inlined in them.
  for (std::size_t begin = 0; begin < n;) {
    const Turns turns = begin < head ? Turns{1, head, head} : TurnsOf(most_parts, n - begin, bytes, LeastRunsByTurns(most_parts));
    for (const std::size_t end = begin + turns.part; begin < end; begin += turns.turn) {
      for (std::size_t first = begin; first < begin + turns.parts * turns.part; first += turns.part) f(first, first + turns.turn);
    }
    begin += (turns.parts - 1) * turns.part;
  }
}

// A run of results. One that `streams` goes past the caches, if `streaming` says so: the vectors in its whole lines, where nothing
// else is stored. An ordinary store that reaches into a line that was streamed waits until that has come back from memory, 300 ns,
// and so does one into the other half of a line of which half was streamed.
template <typename T>
class OutputRun {
 public:
  HWY_INLINE OutputRun(bool streams, const T* begin, std::size_t count, Streaming streaming = {})
      : streams_(streams),
        streaming_(streaming),
        lines_begin_((reinterpret_cast<std::uintptr_t>(begin) + kLineBytes - 1) / kLineBytes * kLineBytes),
        lines_end_(reinterpret_cast<std::uintptr_t>(begin + count) / kLineBytes * kLineBytes) {}

  // A vector of the run that begins on a vector's boundary; of one that does not stream, any.
  template <class D>
  HWY_INLINE void Store(hn::VFromD<D> v, D d, T* at) const {
    if (Streams(d, at)) {
      StreamOrStore(v, d, at);
    } else {
      hn::StoreU(v, d, at);
    }
  }
  // The vectors of `row` from element i, which is on a vector's boundary, to the last one that ends at `stop` at the latest;
  // result(i) gives one. Returns where the next one begins.
  template <std::size_t kLeast = kLeastByTurns, std::size_t kVectors = 4, class D, class Ask, class F>
  HWY_INLINE std::size_t StoreVectors(D d, T* row, std::size_t i, std::size_t stop, const Ask& ask, const F& result) const {
    const std::size_t lanes = hn::Lanes(d);
    for (;; i += lanes) {
      if constexpr (kLineIsVectors<D>) {
        if (streams_ && reinterpret_cast<std::uintptr_t>(row + i) % kLineBytes == 0)
          i = StreamLines<kLeast, kVectors>(d, row, i, stop, ask, result, streaming_);
      }
      if (i + lanes > stop) return i;
      Store(result(i), d, row + i);
    }
  }
  // The first vector of the run, and the last one, which may begin anywhere: of a run that streams, what lies before the first
  // vector's boundary, or behind the last one's.
  template <class D>
  HWY_INLINE void StoreFirst(hn::VFromD<D> v, D d, T* at) const {
    const std::size_t before = Misalignment(d, at);
    if (!past_caches() || before == 0) return Store(v, d, at);
    StorePart(v, d, at, 0, hn::Lanes(d) - before);
  }
  template <class D>
  HWY_INLINE void StoreLast(hn::VFromD<D> v, D d, T* at) const {
    const std::size_t behind = Misalignment(d, at);
    if (!past_caches() || behind == 0) return Store(v, d, at);
    StorePart(v, d, at, hn::Lanes(d) - behind, behind);
  }
  // The first `count` elements of a vector, fewer than all.
  template <class D>
  HWY_INLINE void StoreSome(hn::VFromD<D> v, D d, T* at, std::size_t count) const {
    if (!past_caches()) return hn::StoreN(v, d, at, count);
    StorePart(v, d, at, 0, count);
  }

 private:
  HWY_INLINE bool past_caches() const { return streams_ && streaming_.past_caches; }
  // By way of memory: a masked store that spans two lines waits for both, whatever the mask.
  template <class D>
  static HWY_INLINE void StorePart(hn::VFromD<D> v, D d, T* at, std::size_t from, std::size_t count) {
    HWY_ALIGN T vector[hn::MaxLanes(D())];
    hn::Store(v, d, vector);
    CopyPart(vector + from, at + from, count);
  }
  template <class D>
  HWY_INLINE bool Streams(D d, const T* at) const {
    if constexpr (!HWY_HAVE_SCALABLE && hn::MaxLanes(D()) * sizeof(T) >= kLineBytes) return past_caches();
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    return past_caches() && address >= lines_begin_ && address + hn::Lanes(d) * sizeof(T) <= lines_end_;
  }

  bool streams_;
  Streaming streaming_;
  std::uintptr_t lines_begin_, lines_end_;  // of the whole lines; where there are none, the end may be before the begin
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
