// Work over threads: oneTBB, the caller's arena, or the caller's pool. parallel.cc is the one source that includes oneTBB.
#ifndef AXISCAST_CORE_PARALLEL_H_
#define AXISCAST_CORE_PARALLEL_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "axiscast/plan.h"

namespace axiscast {

inline constexpr std::int64_t kMaxShares = 64;

// [0, count) in pieces of `grain`, and as many shares of them, one after the other, as there are workers. A worker takes its own
// share from the front: where calls follow each other, that is what its core's caches hold. Then it helps the others, from the
// back, which is what they come to last. No static partition: a stalled thread delays one piece and no more.
class Shares {
 public:
  Shares(std::int64_t count, std::int64_t grain, std::int64_t workers) noexcept
      : count_(count), grain_(std::max(grain, count / kMaxPieces + 1)), shares_(std::min(workers, kMaxShares)) {
    const std::int64_t pieces = count / grain_ + (count % grain_ != 0);
    const std::int64_t each = pieces / shares_, longer = pieces % shares_;  // the first ones have one more
    for (std::int64_t s = 0, first = 0; s < shares_; ++s) {
      const std::int64_t end = first + each + (s < longer);
      LeftOf(s).store(static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(end), std::memory_order_relaxed);
      first = end;
    }
  }

 private:
  friend class Pieces;
  static constexpr std::int64_t kMaxPieces = std::int64_t{1} << 31;

  std::atomic_ref<std::uint64_t> LeftOf(std::int64_t share) { return std::atomic_ref(left_[share].pieces); }
  // The first or the last piece that is left of a share, or -1.
  std::int64_t TakeOf(std::int64_t share, bool first) noexcept {
    const std::atomic_ref<std::uint64_t> left = LeftOf(share);
    std::uint64_t seen = left.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t begin = seen >> 32, end = seen & 0xffffffff;
      if (begin == end) return -1;
      const std::uint64_t then = first ? seen + (std::uint64_t{1} << 32) : seen - 1;
      if (left.compare_exchange_weak(seen, then, std::memory_order_relaxed))
        return static_cast<std::int64_t>(first ? begin : end - 1);
    }
  }

  struct alignas(64) Left {  // a line each; the first piece in the upper half, the end in the lower one
    std::uint64_t pieces;
  };
  const std::int64_t count_, grain_, shares_;
  Left left_[kMaxShares];  // no std::atomic: those are set to 0, all of them, in each call
};

// What one worker takes of the shares.
class Pieces {
 public:
  Pieces(Shares& shares, std::int64_t worker) noexcept : shares_(shares), own_(worker % shares.shares_) {}

  bool Take(std::int64_t* begin, std::int64_t* end) noexcept {
    for (; looked_at_ < shares_.shares_; ++looked_at_) {
      const std::int64_t piece = shares_.TakeOf((own_ + looked_at_) % shares_.shares_, looked_at_ == 0);
      if (piece < 0) continue;
      *begin = piece * shares_.grain_;
      *end = shares_.count_ - *begin < shares_.grain_ ? shares_.count_ : *begin + shares_.grain_;
      took_any_ = true;
      return true;
    }
    return false;
  }
  bool took_any() const noexcept { return took_any_; }

 private:
  Shares& shares_;
  const std::int64_t own_;
  std::int64_t looked_at_ = 0;  // shares, from its own on; those before are drained
  bool took_any_ = false;
};

// What a worker does: takes pieces until there are none. Called by several threads at once; never throws.
using Work = void (*)(void* state, Pieces& pieces);

// Runs `work` on this thread alone.
inline void RunSerial(std::int64_t count, Work work, void* state) noexcept {
  Shares all(count, std::max<std::int64_t>(count, 1), 1);
  Pieces pieces(all, 0);
  work(state, pieces);
}

// Runs `work` on as many threads as the options and the number of pieces allow, the calling one included; returns when all is done.
void RunParallel(std::int64_t count, std::int64_t grain, const ExecuteOptions& options, Work work, void* state) noexcept;

// Below this a fork to threads that are awake, 0.6 us, is not worth it.
inline constexpr double kSharedSeconds = 3.2e-6;

// How long a piece of a call should take that threads share: one that stalls delays so much, and a call has enough for all. Of
// pieces of 0.6 us, calls of 4 to 6 us on two cores take 1.05 to 1.1 times as long, of 0.3 us 1.25 times.
inline double PieceSeconds(double call_seconds) { return std::clamp(call_seconds / 16, 1.3e-6, 4e-6); }

// Whether threads should share a call that takes one of them so many seconds, roughly. Where they would not save what waking them
// may cost, that depends on whether they are likely to be awake (core/awake.h).
bool IsShared(double seconds, const ExecuteOptions& options) noexcept;

// The number of threads that RunParallel may use.
int Concurrency(const ExecuteOptions& options) noexcept;

// "oneTBB 2021.8 (interface 12080)": of the library that is loaded.
const char* ThreadingVersion() noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_PARALLEL_H_
