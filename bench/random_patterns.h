// Patterns that nobody chose: random shapes, what is stretched in them, layouts, dtypes and ops.
#ifndef AXISCAST_BENCH_RANDOM_PATTERNS_H_
#define AXISCAST_BENCH_RANDOM_PATTERNS_H_

#include <cstdint>
#include <vector>

#include "bench/patterns.h"

namespace axiscast::bench {

// The same ones for a seed, on any machine; the first ones of many are those of few. Names are "random_SEED_NUMBER".
std::vector<Pattern> RandomPatterns(int count, std::uint64_t seed);

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_RANDOM_PATTERNS_H_
