// Why a row is below the roof: the parts of the plan's estimate that the roof does not have, what sharing cost, and what they leave
// unexplained.
#ifndef AXISCAST_BENCH_REASONS_H_
#define AXISCAST_BENCH_REASONS_H_

#include <string>
#include <vector>

#include "bench/rows.h"

namespace axiscast::bench {

struct Reason {
  std::string name;  // "staging", "arithmetic", ..., "unexplained"
  double seconds;    // of a call, beyond the roof; below 0: what the others explain too much
  std::string evidence;
};

// Where the seconds beyond the roof go: they sum up to them. The largest comes first, "unexplained" last.
std::vector<Reason> ReasonsOf(const Planned& planned, const Sample& sample);
// Those that make a tenth of the whole or more, in words.
std::string TextOf(const std::vector<Reason>& reasons);

// A line for each family and level below kGoodRoof whose largest reason is the same, in the numbers of its worst row.
void PrintReasons(const std::vector<const Row*>& rows);

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_REASONS_H_
