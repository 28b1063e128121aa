// The work of a call that threads share, in pieces.
#ifndef AXISCAST_CORE_PIECES_H_
#define AXISCAST_CORE_PIECES_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

#include "axiscast/prefetch.h"
#include "core/caches.h"

namespace axiscast {

inline constexpr std::int64_t kMaxShares = 64;

class Pieces;

// What a worker does: takes pieces until there are none. Called by several threads at once; never throws.
using Work = void (*)(void* state, Pieces& pieces);

// Who shares what: is with the numbers that each worker reads first.
struct SharedWork {
  Work work = nullptr;
  void* state = nullptr;
  std::thread::id caller = {};
  int caller_cpu = -1;  // -1: not known
};

// How a call is cut.
struct PieceSizes {
  std::int64_t unit;        // indices
  std::int64_t most = 1;    // units in a piece
  double lead = 0;          // units that the caller has done when others begin
  std::int64_t of_own = 0;  // so few pieces are one's own share; 0: as many as come of the rule of Shares
  double call_seconds = 0;  // on one thread; 0: not known
  bool learns = false;      // how even workers are (Evenness); their helpers stay
};

// How long a unit should take, of a call that takes one thread so long.
inline double UnitSeconds(double call_seconds) { return std::clamp(call_seconds / 60, 0.08e-6, 1.3e-6); }

// So many of a call's items are a unit.
inline std::int64_t UnitOf(std::int64_t items, double call_seconds) noexcept {
  const double unit = UnitSeconds(call_seconds) / call_seconds * static_cast<double>(items);
  return unit < static_cast<double>(items) ? std::max<std::int64_t>(static_cast<std::int64_t>(unit), 1) : items;
}

// The pieces of its items, in such units. Seen on two cores of a Zen 4: with an 8th of a call as the largest piece, calls in L3
// take as long as with half of a share, and 4 % less than with 3 to 4 us all along. Threads that are awake begin 0.5 us after the
// caller: with that lead, calls of 4 to 10 us take 3 to 7 % less than without; a lead of twice as much is worse again.
inline PieceSizes PiecesOf(std::int64_t items, std::int64_t unit, double call_seconds) noexcept {
  constexpr double kLeadSeconds = 0.5e-6;
  const std::int64_t units = std::max<std::int64_t>(items / unit, 1);
  const double lead = kLeadSeconds / call_seconds * static_cast<double>(units);
  return {unit, std::max<std::int64_t>(units / 8, 1), lead, 0, call_seconds, true};
}

// How many share a call, and what comes of that.
struct Sharing {
  std::int64_t workers;
  std::int64_t of_own;  // PieceSizes::of_own
  int late;  // a worker is, for whom others wait so many pauses (Evenness); 0: nothing is learnt, and helpers do not stay
};

// Of up to so many workers. A share of less than kLeastSeconds is not worth another one: sums of two arrays of 170 KB each, 6.5 us
// on one core of an Emerald Rapids, take 3.5 us with eight workers and 5.3 with sixteen.
//
// Shares that take less than kShortSeconds are two pieces: what others take of one is in the wrong core's caches. Of two workers
// that saves 3 to 7 % of calls of 4 to 10 us; what is learnt saves 5 % of calls of 35 us, 2 % of those of 90, and nothing of those
// of 200. Of 16 workers helpers that stay make a call of 8 MB, 300 us on one core, 15 us of 40.
//
// Where several workers have a share, one that takes all of it leaves nothing to the other, and both seem even: nothing is learnt.
inline Sharing SharingOf(const PieceSizes& sizes, std::int64_t most_workers) noexcept {
  constexpr double kLeastSeconds = 0.8e-6, kShortSeconds = 13e-6, kLearnSeconds = 75e-6;
  // A pause is 10 to 40 ns. Fewer of them than there are before waits yield (core/crew.h).
  constexpr double kLate = 1.0 / 16, kPauseSeconds = 25e-9, kLeastLate = 50, kMostLate = 190;
  if (most_workers <= 1) return {most_workers, sizes.of_own, 0};
  std::int64_t workers = most_workers;
  if (sizes.call_seconds > 0 && sizes.call_seconds < kLeastSeconds * static_cast<double>(workers)) {
    workers = std::max<std::int64_t>(static_cast<std::int64_t>(sizes.call_seconds / kLeastSeconds), 2);
  }
  const double share_seconds = sizes.call_seconds / static_cast<double>(std::min(workers, kMaxShares));
  if (!sizes.learns || share_seconds >= kLearnSeconds) return {workers, sizes.of_own, 0};
  const std::int64_t of_own = share_seconds < kShortSeconds ? 2 : 0;
  if (workers > kMaxShares) return {workers, of_own, 0};
  const double late = std::clamp(share_seconds * kLate / kPauseSeconds, kLeastLate, kMostLate);
  return {workers, of_own, static_cast<int>(late)};
}

// [0, count) in units, and as many shares of them, one after the other, as there are workers. A worker takes pieces of its own
// share from the front: where calls follow each other, that is what its core's caches hold. Then it helps the others, from the
// back, which is what they come to last. A piece is half of what is left of the share, but no more than `most` units: few pieces,
// between which a core's stores have to drain, 0.1 us each, and small ones at the end, for which others wait. No static partition:
// a stalled thread delays the piece that it has.
//
// Of a short call one's own share is two pieces: what others take of it is in the wrong core's caches, so that small ones cost more
// than to wait. Among workers that were even in the calls before, of all but long ones, it is one (Evenness).
class Shares {
 public:
  // Where the caller leads, the first share is longer, and its first piece is worker 0's before others see the shares: to take it
  // later would be to wait for all lines that the caller wrote, as they come from the cores that had them.
  Shares(std::int64_t count, const PieceSizes& sizes, std::int64_t workers, bool leads, const SharedWork& what = {}) noexcept
      : what_(what),
        count_(count),
        unit_(std::max(sizes.unit, count / kMaxUnits + 1)),
        most_(sizes.most),
        shares_(std::min(workers, kMaxShares)) {
    for (std::int64_t s = 0; s < shares_; ++s) PrefetchShare(s);  // of a call before this one, they are with its workers
    const std::int64_t units = count / unit_ + (count % unit_ != 0);
    std::int64_t length = leads ? LeaderUnits(units, sizes.lead) : 0;
    for (std::int64_t s = 0, first = 0; s < shares_; ++s) {
      const std::int64_t others = shares_ - s;
      if (s > 0 || !leads) length = (units - first + others - 1) / others;
      const std::int64_t least = sizes.of_own > 0 ? (length + sizes.of_own - 1) / sizes.of_own : 1;
      if (leads && s == 0) leaders_.end = PieceOf(length, least);
      share_[s] = {Packed({first + (s == 0 ? leaders_.end : 0), first + length}), static_cast<std::uint32_t>(first),
                   static_cast<std::uint32_t>(least)};
      first += length;
    }
  }

  const SharedWork& what() const noexcept { return what_; }
  // Asks for the line of a worker's share. Without a look at how many there are, which is in a line that has to come first.
  void PrefetchShare(std::int64_t worker) noexcept { PrefetchToWrite(&share_[worker % kMaxShares]); }

  // Whether there is anything that nobody took; what the leader begins with is taken.
  bool AreLeft() noexcept {
    for (std::int64_t s = 0; s < shares_; ++s) {
      if (const Units left = LeftOf(s); left.begin != left.end) return true;
    }
    return false;
  }

 private:
  friend class Pieces;
  static constexpr std::int64_t kMaxUnits = std::int64_t{1} << 31;
  struct Units {
    std::int64_t begin, end;
  };

  std::int64_t LeaderUnits(std::int64_t units, double lead) const noexcept {
    const double all = static_cast<double>(units), own = lead + (all - lead) / static_cast<double>(shares_);
    return own < all ? static_cast<std::int64_t>(own + 0.5) : units;
  }
  // How many of the units that are left.
  std::int64_t PieceOf(std::int64_t left, std::int64_t least) const noexcept {
    return std::min(std::max(std::min(left / 2, most_), least), left);
  }
  static std::uint64_t Packed(const Units& units) noexcept {
    return static_cast<std::uint64_t>(units.begin) << 32 | static_cast<std::uint64_t>(units.end);
  }
  Units LeftOf(std::int64_t share) noexcept {
    const std::uint64_t left = std::atomic_ref(share_[share].units).load(std::memory_order_relaxed);
    return {static_cast<std::int64_t>(left >> 32), static_cast<std::int64_t>(left & 0xffffffff)};
  }
  // The first units that are left of one's own share, or the last of another; none, if there are none.
  Units TakeOf(std::int64_t share, bool own) noexcept {
    const std::atomic_ref<std::uint64_t> left(share_[share].units);
    std::uint64_t seen = left.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t begin = seen >> 32, end = seen & 0xffffffff;
      if (begin == end) return {0, 0};
      const auto some = static_cast<std::uint64_t>(PieceOf(static_cast<std::int64_t>(end - begin), own ? share_[share].least : 1));
      const std::uint64_t then = own ? seen + (some << 32) : seen - some;
      if (!left.compare_exchange_weak(seen, then, std::memory_order_relaxed)) continue;
      const auto from = static_cast<std::int64_t>(own ? begin : end - some);
      return {from, from + static_cast<std::int64_t>(some)};
    }
  }

  // A line each: a line that two cores write takes 0.1 us and more to go from one to the other.
  struct alignas(64) Share {
    std::uint64_t units;         // that are left: the first one in the upper half, the end in the lower one
    std::uint32_t first, least;  // the first of all; the fewest that its worker takes
  };

  bool IsNew(std::int64_t share) noexcept {
    const Units left = LeftOf(share);
    return left.begin == share_[share].first && left.begin != left.end;
  }

  const SharedWork what_;
  const std::int64_t count_, unit_;
  const std::int64_t most_;
  const std::int64_t shares_;
  Share share_[kMaxShares];  // no std::atomic: those are set to 0, all of them, in each call
  Units leaders_ = {0, 0};   // its first piece
};

// What one worker takes of the shares.
class Pieces {
 public:
  // Where the caller leads, there is one of worker 0: none would lose the first piece, two would run it twice.
  Pieces(Shares& shares, std::int64_t worker) noexcept
      : shares_(shares), own_(worker % shares.shares_), leaders_(worker == 0 ? shares.leaders_ : kNone) {}

  bool Take(std::int64_t* begin, std::int64_t* end) noexcept {
    Shares::Units units = TakeOwn();
    if (units.begin == units.end && !took_any_) units = TakeNewShare();
    while (units.begin == units.end && ++looked_at_ < shares_.shares_) {
      units = shares_.TakeOf((own_ + looked_at_) % shares_.shares_, false);
      if (units.begin < units.end) {
        of_others_ += units.end - units.begin;
        --looked_at_;  // there may be more
      }
    }
    if (units.begin == units.end) return false;
    *begin = units.begin * shares_.unit_;
    *end = shares_.count_ - *begin < (units.end - units.begin) * shares_.unit_ ? shares_.count_ : units.end * shares_.unit_;
    took_any_ = true;
    return true;
  }
  bool took_any() const noexcept { return took_any_; }
  // Whether it took next to nothing of others' shares: in units, no more than a 16th of an average share.
  bool was_even() const noexcept { return of_others_ * 16 * shares_.shares_ <= shares_.count_ / shares_.unit_; }

 private:
  // Where more threads come than there are shares, another has this one's: a share that nobody has begun becomes its own.
  Shares::Units TakeNewShare() noexcept {
    for (std::int64_t s = 0; s < shares_.shares_; ++s) {
      if (!shares_.IsNew(s)) continue;
      const Shares::Units units = shares_.TakeOf(s, true);
      if (units.begin == units.end) continue;
      own_ = s;
      looked_at_ = 0;
      return units;
    }
    return kNone;
  }
  // The leader's first one, or one's own.
  Shares::Units TakeOwn() noexcept {
    if (leaders_.begin != leaders_.end) return std::exchange(leaders_, kNone);
    return looked_at_ == 0 ? shares_.TakeOf(own_, true) : kNone;
  }

  static constexpr Shares::Units kNone = {0, 0};
  Shares& shares_;
  std::int64_t own_;
  Shares::Units leaders_;
  std::int64_t looked_at_ = 0;  // shares, from its own on; those before are drained
  std::int64_t of_others_ = 0;  // units
  bool took_any_ = false;
};

// How even a thread's calls were of late. In several pieces each, workers that are late lose some of them, and that is seen; in
// one, a call of 4 us on two cores takes 0.96 of the time, and only those that the caller waits for are seen: no caller that is
// slow. So now and then, after some milliseconds of calls, it is looked at again.
struct Evenness {
  static constexpr int kEnough = 4;  // even calls, one after the other, and shares are one piece

  int most;  // of these, before it is looked at again
  int calls = 0;

  bool IsOnePieceEnough() const noexcept { return calls >= kEnough; }
  void Note(bool was_even) noexcept { calls = was_even && calls < most ? calls + 1 : 0; }
};

// Runs `work` on this thread alone.
inline void RunSerial(std::int64_t count, Work work, void* state) noexcept {
  Shares all(count, {std::max<std::int64_t>(count, 1)}, 1, false);
  Pieces pieces(all, 0);
  work(state, pieces);
}

}  // namespace axiscast

#endif  // AXISCAST_CORE_PIECES_H_
