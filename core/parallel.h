// Work over threads: oneTBB, the caller's arena, or the caller's pool. parallel.cc is the one source that includes oneTBB.
#ifndef AXISCAST_CORE_PARALLEL_H_
#define AXISCAST_CORE_PARALLEL_H_

#include <atomic>
#include <cstdint>

#include "axiscast/plan.h"

namespace axiscast {

// Pieces of [0, count), handed out to whoever asks first: no static partition, so a stalled thread delays one piece and no more.
class Pieces {
 public:
  Pieces(std::int64_t count, std::int64_t grain) noexcept : next_(0), end_(count), grain_(grain) {}

  bool Take(std::int64_t* begin, std::int64_t* end) noexcept {
    // Most callers see a drained counter at the end: read before adding, so that it cannot run far past count.
    if (next_.load(std::memory_order_relaxed) >= end_) return false;
    *begin = next_.fetch_add(grain_, std::memory_order_relaxed);
    if (*begin >= end_) return false;
    *end = end_ - *begin < grain_ ? end_ : *begin + grain_;
    return true;
  }

 private:
  std::atomic<std::int64_t> next_;
  const std::int64_t end_;
  const std::int64_t grain_;
};

// What a worker does: takes pieces until there are none. Called by several threads at once; never throws.
using Work = void (*)(void* state, Pieces& pieces);

// Runs `work` on as many threads as the options and the number of pieces allow, the calling one included; returns when all is done.
void RunParallel(std::int64_t count, std::int64_t grain, const ExecuteOptions& options, Work work, void* state) noexcept;

// The number of threads that RunParallel may use.
int Concurrency(const ExecuteOptions& options) noexcept;

// "oneTBB 2021.8 (interface 12080)": of the library that is loaded.
const char* ThreadingVersion() noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_PARALLEL_H_
