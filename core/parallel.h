// Work over threads: oneTBB, the caller's arena, or the caller's pool. parallel.cc is the one source that includes oneTBB.
#ifndef AXISCAST_CORE_PARALLEL_H_
#define AXISCAST_CORE_PARALLEL_H_

#include <cstdint>

#include "axiscast/plan.h"
#include "core/pieces.h"

namespace axiscast {

// Runs `work` on as many threads as the options and the number of pieces allow, the calling one included; returns when all is done.
void RunParallel(std::int64_t count, const PieceSizes& sizes, const ExecuteOptions& options, Work work, void* state) noexcept;

// Below this a fork to threads that are awake, 0.6 us, is not worth it.
inline constexpr double kSharedSeconds = 3.2e-6;

// Below this neither is one to a thread that stands by, for calls whose helpers do (PieceSizes::learns): of sums of two arrays,
// those of 1.7 us take 0.76 of the time, of 2.2 us 0.7, of 3 us 0.65; of 1.2 us they would take as long (a Zen 3, two threads).
inline constexpr double kStandbySeconds = 1.7e-6;

// Whether threads should share a call that takes one of them so many seconds, roughly. Where they would not save what waking them
// may cost, that depends on whether they are likely to be awake (core/awake.h); and below kSharedSeconds, on whether one stands by,
// or will, as such calls follow each other (ShortCalls).
bool IsShared(double seconds, const ExecuteOptions& options) noexcept;

// The number of threads that RunParallel may use.
int Concurrency(const ExecuteOptions& options) noexcept;

// "oneTBB 2021.8 (interface 12080)": of the library that is loaded.
const char* ThreadingVersion() noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_PARALLEL_H_
