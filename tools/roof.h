// The roof: how fast this machine moves bytes, measured. For the command and the benchmarks.
#ifndef AXISCAST_TOOLS_ROOF_H_
#define AXISCAST_TOOLS_ROOF_H_

#include <cstdint>

namespace axiscast::tools {

// Where a working set lives.
enum class Level { kL1, kL2, kL3, kMemory };
// What a loop does with it: out = 1, out = x, out = x + y. Stores cost more than loads, so a case is measured against its own mix.
enum class Mix { kFill, kCopy, kAdd };

const char* NameOf(Level level);
const char* NameOf(Mix mix);

// The level for a call of `threads` threads that touches `bytes` different bytes in all.
Level LevelOf(std::int64_t bytes, int threads);
// The mix that is nearest to so many bytes read and written.
Mix MixOf(std::int64_t bytes_read, std::int64_t bytes_written);

// Bytes read and written per second by `threads` threads together, the best of plain and (where they can help) non-temporal stores;
// medians of several rounds. Measured on first use, 5 to 50 ms, then remembered for the process. Threads: any, one at a time
// measures.
double Bandwidth(Level level, Mix mix, int threads);

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_ROOF_H_
