// The work of a call that threads share, in pieces.
#ifndef AXISCAST_CORE_PIECES_H_
#define AXISCAST_CORE_PIECES_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

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
  std::int64_t lead = 0;    // units that the caller has done when others begin
  std::int64_t of_own = 0;  // so few pieces are one's own share; 0: as many as come of the rule of Shares
};

// How long a unit should take, of a call that takes one thread so long.
inline double UnitSeconds(double call_seconds) { return std::clamp(call_seconds / 20, 0.15e-6, 1.3e-6); }

// So many of a call's items are a unit.
inline std::int64_t UnitOf(std::int64_t items, double call_seconds) noexcept {
  const double unit = UnitSeconds(call_seconds) / call_seconds * static_cast<double>(items);
  return unit < static_cast<double>(items) ? std::max<std::int64_t>(static_cast<std::int64_t>(unit), 1) : items;
}

// The pieces of its items, in such units. Seen on two cores of a Zen 4: of pieces of an 8th of a long call at most, calls in L3
// take 4 % less than of 3 to 4 us all along, and not more than of half a share. Threads that are awake begin 0.5 us after the
// caller: with that lead, and few pieces, calls of 4 to 10 us take 3 to 7 % less than without, and with many; a lead of twice as
// much is worse again.
inline PieceSizes PiecesOf(std::int64_t items, std::int64_t unit, double call_seconds) noexcept {
  constexpr double kLeadSeconds = 0.5e-6, kShortSeconds = 26e-6;
  const std::int64_t units = std::max<std::int64_t>(items / unit, 1);
  const auto lead = static_cast<std::int64_t>(kLeadSeconds / call_seconds * static_cast<double>(units) + 0.5);
  return {unit, std::max<std::int64_t>(units / 8, 1), lead, call_seconds < kShortSeconds ? 1 : 0};
}

// [0, count) in units, and as many shares of them, one after the other, as there are workers. A worker takes pieces of its own
// share from the front: where calls follow each other, that is what its core's caches hold. Then it helps the others, from the
// back, which is what they come to last. A piece is half of what is left of the share, but no more than `most` units: few pieces,
// between which a core's stores have to drain, 0.1 us each, and small ones at the end, for which others wait. Of a short call one's
// own share is one piece, or two: what others take of it is in the wrong core's caches, so that small ones cost more than to wait.
// No static partition: a stalled thread delays one piece and no more.
class Shares {
 public:
  // Where the caller leads, the first share, which is its own but by chance, is longer.
  Shares(std::int64_t count, const PieceSizes& sizes, std::int64_t workers, bool leads, const SharedWork& what = {}) noexcept
      : what_(what),
        count_(count),
        unit_(std::max(sizes.unit, count / kMaxUnits + 1)),
        most_(static_cast<std::uint32_t>(std::min(sizes.most, kMaxUnits))),
        shares_(static_cast<std::int32_t>(std::min(workers, kMaxShares))),
        least_(1) {
    const std::int64_t units = count / unit_ + (count % unit_ != 0), lead = leads ? std::min(sizes.lead, units) : 0;
    const std::int64_t each = (units - lead) / shares_, longer = (units - lead) % shares_;  // the first ones have one more
    if (sizes.of_own > 0) least_ = static_cast<std::uint32_t>((each + lead) / sizes.of_own + 1);
    for (std::int64_t s = 0, first = 0; s < shares_; ++s) {
      const std::int64_t end = first + each + (s < longer) + (s == 0 ? lead : 0);
      share_[s] = {static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(end), 0, 0};
      first = end;
    }
  }

  const SharedWork& what() const noexcept { return what_; }
  // Asks for the line of a worker's share.
  void PrefetchShare(std::int64_t worker) noexcept { __builtin_prefetch(&share_[worker % shares_], 1); }

  // Whether threads are at work that others than the caller entered.
  bool AreWorkedOn() noexcept {
    for (std::int64_t s = 0; s < shares_; ++s) {
      if (std::atomic_ref(share_[s].working).load(std::memory_order_relaxed) > 0) return true;
    }
    return false;
  }
  bool WereHelped() noexcept {
    for (std::int64_t s = 0; s < shares_; ++s) {
      if (std::atomic_ref(share_[s].helped).load(std::memory_order_relaxed) != 0) return true;
    }
    return false;
  }

 private:
  friend class Pieces;
  static constexpr std::int64_t kMaxUnits = std::int64_t{1} << 31;
  struct Units {
    std::int64_t begin, end;
  };

  // The first units that are left of one's own share, or the last of another; none, if there are none.
  Units TakeOf(std::int64_t share, bool own) noexcept {
    const std::atomic_ref<std::uint64_t> left(share_[share].units);
    std::uint64_t seen = left.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t begin = seen >> 32, end = seen & 0xffffffff;
      if (begin == end) return {0, 0};
      const std::uint64_t half = std::clamp<std::uint64_t>((end - begin) / 2, 1, most_);
      const std::uint64_t some = own ? std::min<std::uint64_t>(std::max<std::uint64_t>(half, least_), end - begin) : half;
      const std::uint64_t then = own ? seen + (some << 32) : seen - some;
      if (!left.compare_exchange_weak(seen, then, std::memory_order_relaxed)) continue;
      const auto from = static_cast<std::int64_t>(own ? begin : end - some);
      return {from, from + static_cast<std::int64_t>(some)};
    }
  }

  // A line each, with all that its worker writes: a line that two cores write takes 0.1 us and more to go from one to the other.
  struct alignas(64) Share {
    std::uint64_t units;  // that are left: the first one in the upper half, the end in the lower one
    std::int32_t working, helped;
  };
  const SharedWork what_;
  const std::int64_t count_, unit_;
  const std::uint32_t most_;
  const std::int32_t shares_;
  std::uint32_t least_;      // of one's own
  Share share_[kMaxShares];  // no std::atomic: those are set to 0, all of them, in each call
};

// What one worker takes of the shares.
class Pieces {
 public:
  Pieces(Shares& shares, std::int64_t worker, bool is_caller) noexcept
      : shares_(shares), own_(worker % shares.shares_), is_caller_(is_caller) {
    if (!is_caller_) Working().fetch_add(1, std::memory_order_relaxed);
  }
  ~Pieces() {
    if (!is_caller_) Working().fetch_sub(1, std::memory_order_relaxed);
  }

  bool Take(std::int64_t* begin, std::int64_t* end) noexcept {
    for (; looked_at_ < shares_.shares_; ++looked_at_) {
      const auto [first, last] = shares_.TakeOf((own_ + looked_at_) % shares_.shares_, looked_at_ == 0);
      if (first == last) continue;
      *begin = first * shares_.unit_;
      *end = shares_.count_ - *begin < (last - first) * shares_.unit_ ? shares_.count_ : last * shares_.unit_;
      took_any_ = true;
      return true;
    }
    return false;
  }
  bool took_any() const noexcept { return took_any_; }
  void SetHelped() noexcept { std::atomic_ref(shares_.share_[own_].helped).store(1, std::memory_order_relaxed); }

 private:
  std::atomic_ref<std::int32_t> Working() noexcept { return std::atomic_ref(shares_.share_[own_].working); }

  Shares& shares_;
  const std::int64_t own_;
  const bool is_caller_;
  std::int64_t looked_at_ = 0;  // shares, from its own on; those before are drained
  bool took_any_ = false;
};

// Runs `work` on this thread alone.
inline void RunSerial(std::int64_t count, Work work, void* state) noexcept {
  Shares all(count, {std::max<std::int64_t>(count, 1)}, 1, false);
  Pieces pieces(all, 0, true);
  work(state, pieces);
}

}  // namespace axiscast

#endif  // AXISCAST_CORE_PIECES_H_
