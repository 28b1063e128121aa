// Work over threads: oneTBB, the caller's arena, or the caller's pool. parallel.cc is the one source that includes oneTBB.
#ifndef AXISCAST_CORE_PARALLEL_H_
#define AXISCAST_CORE_PARALLEL_H_

#include <cstdint>

#include "axiscast/plan.h"
#include "core/pieces.h"

namespace axiscast {

// Runs `work` on as many threads as the options and the number of pieces allow, the calling one included; returns when all is done.
void RunParallel(std::int64_t count, const PieceSizes& sizes, const ExecuteOptions& options, Work work, void* state) noexcept;

// Below this a fork is not worth it even to a thread that stands by (core/crew.h), 0.2 to 0.3 us: of sums of two arrays, calls of
// 1.2 us would take as long, those of 1.8 take 0.9 of the time, of 2.4 us 0.75, of 3 us 0.62 to 0.74 (a Zen 3, two threads).
inline constexpr double kSharedSeconds = 1.7e-6;

// Whether threads should share a call that takes one of them so many seconds, roughly. Where they would not save what waking them
// may cost, that depends on whether they are likely to be awake (core/awake.h). Below 3.2 us a fork to threads that are awake, 0.6
// us, is not worth it: others must stand by, or such calls follow each other, so that they will.
bool IsShared(double seconds, const ExecuteOptions& options) noexcept;

// The number of threads that RunParallel may use.
int Concurrency(const ExecuteOptions& options) noexcept;

// "oneTBB 2021.8 (interface 12080)": of the library that is loaded.
const char* ThreadingVersion() noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_PARALLEL_H_
