// Measures a call and its roof by turns, on the same memory: whatever else the machine does meets both.
#ifndef AXISCAST_BENCH_MEASURE_H_
#define AXISCAST_BENCH_MEASURE_H_

#include <cstdint>
#include <functional>

#include "bench/roof.h"

namespace axiscast::bench {

// Makes the call that is measured, so many times in a row.
using Calls = std::function<void(std::int64_t count)>;

struct Sample {
  double seconds = 0;   // of one call
  double roof = 0;      // the roof's time / the call's; 1 is as fast as this machine can do it. 0: a row of time alone
  double best = 0;      // the same for one that also has non-temporal stores where the output is left in a cache
  double ordinary = 0;  // and for one that has only ordinary ones
  double unasked = 0;   // and for one that has no prefetches either (RoofTime::unasked)
  double alone = 0;     // the same for the roof of one thread; 0: not measured
  double unshared = 0;  // seconds on one thread of a call that threads share; 0: not measured
  double estimate = 0;  // seconds on one thread by the plan's estimate; 0: there is none
  double other = 0;     // seconds in the program that this one is compared with; 0: it has no such row
};

// Medians over a few rounds, in each of which the roof's time is taken and then the call's. The first sample of a call should
// follow some use of its memory.
Sample MeasureBesideRoof(Roof& roof, const Traffic& traffic, int threads, const Calls& calls, const Effort& effort);

// The same beside a plain loop that does what the call does, on so many threads: its time is the roof's.
Sample MeasureBesideLoop(const Calls& loop, int threads, const Calls& calls, const Effort& effort);

// The same for calls that move next to nothing: only `seconds` is set.
Sample MeasureAlone(int threads, const Calls& calls, const Effort& effort);

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_MEASURE_H_
