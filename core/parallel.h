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

// Up to this it is compared how long calls take, shared and alone (SharingPays).
inline constexpr double kComparedSeconds = 12e-6;

// From IsShared to the end of a call that is not: tells those who compare how long it took, where they asked.
class AloneCall {
 public:
  AloneCall() = default;
  ~AloneCall() {
    if (begun_ != 0) Note();
  }
  AloneCall(const AloneCall&) = delete;
  AloneCall& operator=(const AloneCall&) = delete;
  void Start(double estimate) noexcept;  // of the call, in seconds

 private:
  void Note() noexcept;

  double estimate_ = 0;
  std::int64_t begun_ = 0;  // 0: nobody asks
};

// Whether threads should share a call that takes one of them so many seconds, roughly. Where they would not save what waking them
// may cost, that depends on whether they are likely to be awake (core/awake.h); and below kSharedSeconds, on whether one stands by,
// or will, as such calls follow each other (ShortCalls). alone: started where it is
// to be timed; null for calls that nobody compares.
bool IsShared(double seconds, const ExecuteOptions& options, AloneCall* alone = nullptr) noexcept;

// The number of threads that RunParallel may use.
int Concurrency(const ExecuteOptions& options) noexcept;

// "oneTBB 2021.8 (interface 12080)": of the library that is loaded.
const char* ThreadingVersion() noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_PARALLEL_H_
