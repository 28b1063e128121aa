// What a call is thought to take on one thread, as a sum of parts, with what was counted for each.
#ifndef AXISCAST_CORE_ESTIMATE_H_
#define AXISCAST_CORE_ESTIMATE_H_

#include <vector>

#include "axiscast/plan.h"

namespace axiscast {

struct Spent {
  double count = 0;
  double seconds = 0;

  void Add(double more_count, double more_seconds) {
    count += more_count;
    seconds += more_seconds;
  }
};

// What depends on the tiling. On its own, so that comparing two of them clears few bytes.
struct TilingEstimate {
  Spent rows;  // of kernels
  Spent tiles;
  Spent staging;      // bytes written to scratch in order, and read again
  Spent transposing;  // elements moved in squares, to scratch or to kernels
  Spent gathering;    // elements moved to or from scratch one by one
  Spent fetching;     // bytes of results that are read before they are written, where others would be streamed
  Spent spared;       // cycles of the arithmetic that are done once for many rows: what they take is taken off

  double seconds() const {
    return rows.seconds + tiles.seconds + staging.seconds + transposing.seconds + gathering.seconds + fetching.seconds -
           spared.seconds;
  }
  void Slow(double factor) {
    for (Spent* spent : {&rows, &tiles, &staging, &transposing, &gathering, &spared}) spent->seconds *= factor;
  }
};

struct Estimate : TilingEstimate {
  Spent bytes;       // of the operands, with gaps (BytesWithGaps), at the rate of the memory that they live in
  Spent arithmetic;  // cycles of all of it; the seconds that it takes longer than the bytes
  Spent call;
  Spent check;         // bytes of a divisor that are looked at before the first write
  double vectors = 0;  // of 64 bytes of the widest operand, that the cycles are for

  double seconds() const { return bytes.seconds + arithmetic.seconds + TilingEstimate::seconds() + call.seconds + check.seconds; }
};

// The parts that take any time, for people.
std::vector<PlanDescription::Part> DescribeEstimate(const Estimate& estimate);

}  // namespace axiscast

#endif  // AXISCAST_CORE_ESTIMATE_H_
