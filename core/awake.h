// Whether the threads that could share a short call are likely to be awake.
#ifndef AXISCAST_CORE_AWAKE_H_
#define AXISCAST_CORE_AWAKE_H_

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace axiscast {

// Threads that ran out of work look for more before they sleep. 20 us later they still take it at once, after 50 us often, after
// 300 us hardly ever, and all the while the caller of a call that nobody shares pays for a fork, 1 us and more (2 virtual cores of
// Zen 5). So short calls are shared while others are seen to help; and where calls are close to each other, it is tried in a 16th
// of the time, an eighth while tries grow: for as long as threads need to wake up, then twice as long each time that nobody helped.
// A thread that wakes late, as one that has to leave the caller's CPU (core/cpus.h), comes to a longer try, or to the next one; and
// who called it waits for it longer than a try (IsOneComing in core/parallel.cc).
// Called by any number of threads at once, which see each other's calls and helpers, whatever pool they have. Times are in
// nanoseconds, of any clock.
class alignas(64) AwakeGuess {
 public:
  static constexpr std::int64_t kAwake = 80'000;     // so long after they helped
  static constexpr std::int64_t kTry = 60'000;       // the first try
  static constexpr int kMostDoublings = 6;           // of a try, to 4 ms
  static constexpr std::int64_t kPause = 2'000'000;  // without a call, after which tries begin anew
  static constexpr std::int64_t kBetween = 16;       // from one's end to the next one's beginning, in tries

  // For a short call: whether to share it.
  bool Ask(std::int64_t now) noexcept {
    if (now - last_help_.load(std::memory_order_relaxed) < kAwake) return true;
    const std::int64_t last_call = last_call_.load(std::memory_order_relaxed);
    if (now - last_call > kNote) last_call_.store(now, std::memory_order_relaxed);
    const std::int64_t planned = next_try_.load(std::memory_order_relaxed);
    const auto plan = [&](std::int64_t next) { next_try_.store(next, std::memory_order_relaxed); };
    if (now - last_call > kPause) {
      doublings_.store(0, std::memory_order_relaxed);
      plan(now + kTry);
      return false;
    }
    int doublings = doublings_.load(std::memory_order_relaxed);
    const std::int64_t length = kTry << doublings;
    if (now - last_call > kAwake) {  // the first of many, or the only one; a try that was going on is over
      plan(std::max(planned <= last_call ? last_call + kBetween * length : planned, now + kTry));
      return false;
    }
    if (now - planned > length) {
      const int more = std::min(doublings + 1, kMostDoublings);
      if (planned > kNever) doublings_.compare_exchange_strong(doublings, more, std::memory_order_relaxed);
      plan(now + kBetween * length);
    }
    return now >= planned;
  }

  // After a call that was shared.
  void WasHelped(std::int64_t now) noexcept {
    if (now - last_help_.load(std::memory_order_relaxed) > kNote) last_help_.store(now, std::memory_order_relaxed);
    if (doublings_.load(std::memory_order_relaxed) != 0) doublings_.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min() / 4;
  static constexpr std::int64_t kNote = 4'000;  // threads that ask all the time seldom write what all of them read

  std::atomic<std::int64_t> last_help_{kNever};
  std::atomic<std::int64_t> last_call_{kNever};  // of those that were asked for while nobody helped
  std::atomic<std::int64_t> next_try_{kNever};   // when it begins
  std::atomic<int> doublings_{0};                // since somebody helped
};

// A thread's calls that are too short for a thread that has to be called: whether they follow each other, so that one that is
// called finds another one, and stays for it; and whether it pays.
class ShortCalls {
 public:
  static constexpr int kInARow = 8;  // 14 us and more, of which it takes 1 at most to call a thread
  static constexpr int kLeastPause = 125, kPauseAfterStall = 2000, kMostPause = 32'000;  // calls that run alone

  // For one for which no thread stands by: whether the last eight began no further from each other than so many nanoseconds, on
  // average. Then *now is clock(), which takes 30 ns, and is asked for each eighth.
  bool FollowEachOther(std::int64_t apart, std::int64_t (*clock)(), std::int64_t* now) noexcept {
    if (++calls_ % kInARow != 0) return false;
    *now = clock();
    return *now - std::exchange(last_, *now) < kInARow * apart;
  }

  // After one that was shared: whether its workers were even (Evenness; of calls that are so short, one unit that another takes is
  // more than a 16th), and whether one of them lost its CPU, which takes some milliseconds. Where a third of the calls are uneven,
  // or one has stalled, none is shared for a while, and for twice as long where that comes again before as many as that were
  // shared. Calls of 2.7 us take 1.1 times as long beside a busy process on one of two CPUs. On quiet ones one call of 100'000
  // stalls, and some of 1000 are uneven.
  void Note(bool was_even, bool stalled) noexcept {
    constexpr int kMostUneven = 16;
    uneven_ = std::max(uneven_ + (was_even ? -1 : 2), 0);
    if (uneven_ >= kMostUneven || stalled) return Pause(stalled ? kPauseAfterStall : kLeastPause);
    if (since_pause_ < next_pause_ && ++since_pause_ == next_pause_) next_pause_ = kLeastPause;
  }

  // Asked before each of them.
  bool ArePaused() noexcept { return paused_ > 0 && paused_-- > 0; }

 private:
  void Pause(int least) noexcept {
    uneven_ = since_pause_ = 0;
    paused_ = std::max(next_pause_, least);
    next_pause_ = std::min(2 * paused_, kMostPause);
  }

  std::int64_t last_ = std::numeric_limits<std::int64_t>::min() / 4;
  unsigned calls_ = 0;
  int uneven_ = 0, paused_ = 0;
  int since_pause_ = 0, next_pause_ = kLeastPause;  // calls: shared since a pause, up to as many as the next one has
};

// Whether a thread's calls of one kind take less time shared than alone. Both are timed now and then, and where three in a row that
// were shared took about as long, the next ones run alone for a while, and for twice as long where that comes again before as many
// as that were shared. So it is where cores are far from each other: a call waits for a cache line that goes from one to the other
// four times, and more where what each core writes lies near the other's. Between cores that share a cache a line takes 40 ns,
// between others 200 to 300 (2 virtual cores of a Zen 5, which are moved at times), and calls of 1.7 to 7 us took 1.1 to 1.5 times
// as long as alone.
class SharingPays {
 public:
  static constexpr int kTimed = 16;  // of so many that are shared, one: two readings of the clock take 60 ns
  // So many run alone, of which the last one counts. The first ones find a part of what they read in the other core's caches, and a
  // Zen 5's L2 gets faster after 6 to 16 of them: 3.3 us, 2.7, ... 2.7, 2.1, 2.1, where shared ones take 1.7 or, on cores that are
  // far from each other, 2.4. At first, and again after so many that were timed and paid, as what was seen may have been one that
  // was interrupted, or a slow core.
  static constexpr int kLearnt = 24, kKnown = 256;
  static constexpr int kLeastPause = 125, kMostPause = 32'000;  // that run alone

  enum class Turn { kShared, kAlone, kAloneTimed };
  // Before each call.
  Turn Next() noexcept {
    if (paused_ == 0) return Turn::kShared;
    return --paused_ % kTimed == 0 ? Turn::kAloneTimed : Turn::kAlone;
  }
  // Of one that is shared.
  bool IsTimed() noexcept {
    if (since_pause_ < next_pause_ && ++since_pause_ == next_pause_) next_pause_ = kLeastPause;
    return ++shared_ % kTimed == 0;
  }
  // How long such calls took.
  void NoteAlone(std::int64_t nanoseconds) noexcept { alone_ = static_cast<double>(nanoseconds); }
  void NoteShared(std::int64_t nanoseconds) noexcept {
    const bool pays = static_cast<double>(nanoseconds) < kWorth * alone_;
    slow_ = pays ? 0 : slow_ + 1;
    if (alone_ == 0 || (pays && ++paid_ % kKnown == 0)) {
      slow_ = 0;
      paused_ = kLearnt;
    } else if (slow_ == kMostSlow) {
      slow_ = since_pause_ = 0;
      paused_ = next_pause_;
      next_pause_ = std::min(2 * paused_, kMostPause);
    }
  }

  // To begin with pauses as another kind's were: where cores are far from each other, they are so for all.
  void BeginAs(const SharingPays& other) noexcept { next_pause_ = std::max(other.next_pause_ / 4, kLeastPause); }

 private:
  static constexpr int kMostSlow = 3;
  static constexpr double kWorth = 0.95;

  double alone_ = 0;  // nanoseconds; 0: not known
  unsigned shared_ = 0, paid_ = 0;
  int slow_ = 0, paused_ = 0;
  int since_pause_ = 0, next_pause_ = kLeastPause;  // calls: shared since a pause, up to as many as the next one has
};

// A thread's kinds of calls, told by a number, as their estimate; plans that have the same one are one kind. Each kind has one of
// two places, and the one that was there longer goes.
class KindsOfCalls {
 public:
  KindsOfCalls() = default;
  KindsOfCalls(const KindsOfCalls&) = delete;
  KindsOfCalls& operator=(const KindsOfCalls&) = delete;

  // kind is above 0.
  SharingPays& Of(double kind) noexcept {
    const auto pair = static_cast<std::size_t>(std::bit_cast<std::uint64_t>(kind) * 0x9e3779b97f4a7c15 >> (64 - kBits));
    for (Place& place : places_[pair]) {
      if (place.kind == kind) return *(last_ = &place.sharing);
    }
    const SharingPays before = *last_;  // which may move
    std::swap(places_[pair][0], places_[pair][1]);
    Place& place = places_[pair][0];
    place = Place{kind, {}};
    place.sharing.BeginAs(before);
    return *(last_ = &place.sharing);
  }

 private:
  static constexpr int kBits = 5;
  struct alignas(64) Place {
    double kind = 0;
    SharingPays sharing;
  };
  Place places_[1 << kBits][2];
  SharingPays* last_ = &places_[0][0].sharing;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_AWAKE_H_
