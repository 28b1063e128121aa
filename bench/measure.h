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
  double roof = 0;      // the roof's time / the call's; 1 is as fast as this machine moves the bytes
  double ordinary = 0;  // the same for a roof that has only ordinary stores
};

// Medians over a few rounds. The first sample of a call should follow some use of its memory.
Sample MeasureBesideRoof(Roof& roof, const Traffic& traffic, int threads, const Calls& calls);

// The same for calls that move next to nothing: only `seconds` is set.
Sample MeasureAlone(const Calls& calls);

double Median(std::vector<double> values);

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_MEASURE_H_
