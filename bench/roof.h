// The roof of a call: the least time in which this machine can do what the call must do, measured beside the call, on the same
// memory.
//
// A call that reads R bytes and writes W is compared with plain loops that read R bytes and write W, because stores cost more than
// loads and no single bandwidth is fair to every mix. What is stretched counts once; where a view skips elements, whole cache lines
// count. Where the arithmetic takes longer than the bytes, it is the roof: the peak rate of the CPU's instruction for it, after the
// check of a divisor, which is before the first write.
#ifndef AXISCAST_BENCH_ROOF_H_
#define AXISCAST_BENCH_ROOF_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "bench/roof_kernels.h"
#include "bench/stopwatch.h"
#include "bench/team.h"

namespace axiscast::bench {

// What a call does at least. `in` holds the inputs one behind the other, and `out` (aligned to 64) may be the first of them.
struct Traffic {
  const std::byte* in;
  std::int64_t read_bytes;
  std::byte* out;
  std::int64_t write_bytes;
  const std::byte* checked = nullptr;  // is read once more, before the first write: an integer divisor
  std::int64_t checked_bytes = 0;
  Arithmetic arithmetic = Arithmetic::kNone;
  std::int64_t elements = 0;  // that the arithmetic is done on
  std::int64_t others = 0;    // where that converts two inputs, of which one has as many: those of the other one
  bool keeps_gaps = false;    // what lies between the output's elements stays: its lines are read too. Of as many bytes as inputs

  std::int64_t bytes() const { return read_bytes + write_bytes + (keeps_gaps ? write_bytes : 0) + checked_bytes; }
};

struct RoofTime {
  double roof;       // seconds per pass: `best`, or, where all fits the caches, so that the output is left there, `ordinary`
  double best;       // with non-temporal stores where they win
  double ordinary;   // without them
  double unasked;    // and without prefetches: `ordinary` where all fits L2, or the best loop has none
  double alone = 0;  // MeasureCall's roof on one thread; 0: not measured, as several are faster beyond doubt
};

class Roof {
 public:
  explicit Roof(int max_threads);

  // Seconds per pass over the traffic, on so many threads, each of which passes over a part of its own: effort.chunk seconds of
  // passes, at least one, after some that are not timed. No thread waits for another between passes. The first time that a
  // traffic and a number of threads are seen, all loops are tried for them.
  RoofTime Measure(const Traffic& traffic, int threads, const Effort& effort);

  // The least that a call on up to so many threads can take: on one thread, or on all of them and what Team::MeasureFork says.
  RoofTime MeasureCall(const Traffic& traffic, int threads, const Effort& effort);

  // Team::MeasureFork's median beside all calls on several threads that were measured; 0: there were none.
  double fork() const;

 private:
  struct Part {  // a run of bytes, with the loop that does it
    int passes;  // index in AllRoofPasses(); kReadOnly
    const std::byte* in;
    std::byte* out;
    std::int64_t bytes;
    std::int64_t second;  // from the first stream of input to the second one
  };
  static constexpr int kReadOnly = -1;
  // The loops that may be the fastest one. Two of each kind: some have two speeds, and go over from one to the other for no visible
  // reason.
  struct Choice {
    std::vector<std::size_t> ordinary;
    std::vector<std::size_t> streaming;  // none where non-temporal stores cannot win
    std::size_t unasked;                 // of the ordinary ones that prefetch nothing
    double seconds;                      // of a pass, roughly
  };

  static std::vector<Part> Split(const Traffic& traffic);
  double Fork(int threads);
  Choice Choose(const Traffic& traffic, const std::vector<Part>& parts, int threads, const Effort& effort);
  double Time(const Traffic& traffic, const std::vector<Part>& parts, int threads, std::size_t loop, const Effort& effort,
              double guess);

  Team team_;
  std::vector<double> forks_;
  // By the bytes, where they begin, how far results lie from inputs modulo a page, and threads: which loop is best differs even
  // between 192 KB and 256 KB in the same cache.
  std::map<std::tuple<const void*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, bool, int>, Choice> choices_;
};

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_ROOF_H_
