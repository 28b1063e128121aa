// Threads that help one thread with its calls, and stay a little where these follow each other.
#ifndef AXISCAST_CORE_CREW_H_
#define AXISCAST_CORE_CREW_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "axiscast/prefetch.h"
#include "core/caches.h"

namespace axiscast {

// Tells the CPU that this is a loop that waits.
inline void Pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Who calls whom: worker 0 of so many calls the first one of each part, f(first, workers), and those call their own. A part is a
// fourth of what is left: the last of sixteen threads is two calls away from the first one, and by halves four. Where they stand
// by, they begin sooner; where a scheduler is needed for each, calls of 16 workers take as long. Each thread calls the largest
// parts first.
template <class F>
void ForEachPart(std::int64_t workers, const F& f) {
  constexpr std::int64_t kWays = 4;
  for (std::int64_t left = workers, part = workers; left > 1;) {
    if (left <= part) part = std::max<std::int64_t>(left / kWays, 1);
    left -= part;
    f(left, part);
  }
}
// Of 2^31 workers: three for each power of four below, and six at the end (of 7 * 4^14, the most).
inline constexpr int kMostParts = 48;

// A seat for each helper that a thread may have. A call is put there; a thread that comes to the seat, or stands by it, takes it;
// and what nobody took is taken back, so that a call waits only for threads that have begun. A scheduler is needed for those seats
// alone that no thread is on its way to. It takes oneTBB 0.6 us to call one, of a call of 3, and a thread that stands by begins
// after 0.1. One call at a time; its workers may put each other into seats.
class Crew {
 public:
  // arena: of whose threads; they are another arena's, where that is another one.
  Crew(const void* arena, int seats) : arena_(arena), seats_(static_cast<std::size_t>(seats)) {}
  bool IsFor(const void* arena) const noexcept { return arena_ == arena; }
  bool IsFor(const void* arena, int seats) const noexcept {
    return arena_ == arena && seats_.size() == static_cast<std::size_t>(seats);
  }
  // For another arena, if no thread is at a seat, or on its way to one.
  bool TakeOver(const void* arena, int seats) noexcept {
    if (seats_.size() != static_cast<std::size_t>(seats)) return false;
    for (const Seat& seat : seats_) {
      const std::uintptr_t state = seat.state.load(std::memory_order_acquire);
      const bool is_away = state == kAway || (state == kComing && seat.may_be_gone);
      if (!is_away || seat.stands_by.load(std::memory_order_acquire)) return false;
    }
    arena_ = arena;
    return true;
  }

  // Before calls to several seats: their lines come at once, and not one after the other.
  void Prefetch(std::int64_t seat) const noexcept { PrefetchToWrite(&At(seat)); }

  // Whether a thread stands by that seat, or did until now.
  bool IsStandingBy(std::int64_t seat) const noexcept {
    Prefetch(seat);  // this thread will write there
    return At(seat).stands_by.load(std::memory_order_relaxed);
  }

  // Whether a thread is on its way to that seat.
  bool IsComing(std::int64_t seat) const noexcept { return At(seat).state.load(std::memory_order_relaxed) == kComing; }

  // Who makes the call, and on which CPU it was seen.
  void SetCaller(std::thread::id thread, int cpu) noexcept {
    if (thread != caller_.load(std::memory_order_relaxed)) caller_.store(thread, std::memory_order_relaxed);
    if (cpu != caller_cpu_.load(std::memory_order_relaxed)) caller_cpu_.store(cpu, std::memory_order_relaxed);
  }
  // -1: not known, or the calling thread is the caller, which may come to a task of its own while it waits for others.
  int CpuToLeave() const noexcept {
    if (std::this_thread::get_id() == caller_.load(std::memory_order_relaxed)) return -1;
    return caller_cpu_.load(std::memory_order_relaxed);
  }

  // What is put in a seat.
  struct What {
    void* job;               // aligned to 4
    std::int64_t number;     // for who takes it
    const void* first_read;  // by who takes it
    std::int64_t stay = 0;   // for how long it stays then; 0: not
  };
  // Puts a call in a seat. Returns whether a thread has to be called to it: none is there, nor comes. If one stands by, the call is
  // stored, not exchanged for what was there: an exchange waits for all lines that the calling thread wrote before, and for the
  // seat's, which the other one wrote last. So a caller begins its own share 0.04 us earlier, and 0.1 to 0.3 where cores are far
  // from each other. But the other one may leave meanwhile, and what it left is overwritten: where such a call is taken back, the
  // thread may be gone.
  bool Call(std::int64_t seat, const What& what) noexcept {
    Seat& s = At(seat);
    s.number = what.number;
    s.stay = what.stay;
    s.first_read.store(what.first_read, std::memory_order_relaxed);
    const auto state = reinterpret_cast<std::uintptr_t>(what.job);
    s.was_stored = s.stands_by.load(std::memory_order_acquire);
    if (s.was_stored) {
      s.state.store(state, std::memory_order_release);
      return false;
    }
    const std::uintptr_t before = s.state.exchange(state, std::memory_order_acq_rel);
    const bool is_gone = before == kAway || (before == kComing && s.may_be_gone);
    if (is_gone) s.may_be_gone = false;
    return is_gone;
  }
  // It could not be called. Returns false where one has come all the same.
  bool CancelCall(std::int64_t seat, void* job) noexcept {
    auto state = reinterpret_cast<std::uintptr_t>(job);
    return At(seat).state.compare_exchange_strong(state, kAway, std::memory_order_acq_rel);
  }

  enum class Left { kUntaken, kEven, kUneven, kStalled };
  // After a call: takes it back, or waits for who took it, who says whether workers were even. Where the wait has `late` pauses or
  // more, they were not; stalled is who keeps it waiting for 0.3 ms, as it has lost its CPU.
  Left TakeBack(std::int64_t seat, void* job, int late) noexcept {
    constexpr int kYields = 200, kSleeps = 2'000;  // pauses; 200 are 2 to 8 us, and more than any `late`
    constexpr auto kStall = std::chrono::microseconds(300);
    Seat& s = At(seat);
    auto state = reinterpret_cast<std::uintptr_t>(job);
    if (s.state.load(std::memory_order_relaxed) == state &&
        s.state.compare_exchange_strong(state, kComing, std::memory_order_acq_rel)) {
      s.may_be_gone |= s.was_stored;
      return Left::kUntaken;
    }
    int pauses = 0;
    std::chrono::steady_clock::time_point yields;  // when it began to
    for (; s.state.load(std::memory_order_acquire) == kAtWork; ++pauses) {
      if (pauses == kYields) yields = std::chrono::steady_clock::now();
      if (pauses < kYields) {
        Pause();
      } else if (pauses < kSleeps) {
        std::this_thread::yield();  // a thread may have lost its CPU
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(50));  // to a thread that yields to nobody
      }
    }
    if (pauses > kYields && std::chrono::steady_clock::now() - yields > kStall) return Left::kStalled;
    return s.was_even && pauses < late ? Left::kEven : Left::kUneven;
  }

  // What a thread does that comes to a seat: takes what is there, and what comes while it stays. Of the helper,
  //   void Expect(job, first_read) asks for lines of a call that is there, before it is taken: it may be over by then;
  //   void Begin(job, number, stay) comes when it is taken;
  //   bool Work() does it, and returns whether workers were even;
  //   void End() comes when the caller may be gone;
  //   bool Stays() is asked again and again.
  template <class Helper>
  void Serve(std::int64_t seat, Helper& helper) {
    constexpr int kPollsOfAClock = 8;
    Seat& s = At(seat);
    bool stays = false, stands_by = false;
    for (int polls = 1;; ++polls) {
      std::uintptr_t state = s.state.load(std::memory_order_acquire);
      if (state > kAtWork) {
        helper.Expect(reinterpret_cast<void*>(state), s.first_read.load(std::memory_order_relaxed));
        if (!s.state.compare_exchange_strong(state, kAtWork, std::memory_order_acquire)) continue;
        stays = s.stay > 0;
        helper.Begin(reinterpret_cast<void*>(state), s.number, s.stay);
        s.was_even = helper.Work();
        stands_by = stays;
        // It may be another's, whose call this one took.
        if (stays != s.stands_by.load(std::memory_order_relaxed)) s.stands_by.store(stays, std::memory_order_release);
        s.state.store(stays ? kStandingBy : kAway, std::memory_order_release);
        helper.End();
        if (!stays) return;
        polls = 0;
      } else if (state == kAway || state == kAtWork) {
        // Another thread came to it: a scheduler that failed had called one all the same. (From then on until both have left, two
        // may be here, also after TakeOver: each call is still taken once.)
        if (state == kAway && stands_by) s.stands_by.store(false, std::memory_order_release);
        return;
      } else {
        if (polls % kPollsOfAClock == 0) stays = stays && helper.Stays();
        if (!stays && s.state.compare_exchange_strong(state, kAway, std::memory_order_acq_rel)) {
          if (stands_by) s.stands_by.store(false, std::memory_order_release);
          return;
        }
      }
      Pause();
    }
  }

 private:
  // No thread is there, or on its way; one is, or its call was taken back; one stands by; one is at work; or a job's address, which
  // nobody took yet.
  static constexpr std::uintptr_t kAway = 0, kComing = 1, kStandingBy = 2, kAtWork = 3;

  struct alignas(64) Seat {
    std::atomic<std::uintptr_t> state{kAway};
    std::int64_t number = 0;
    std::int64_t stay = 0;
    std::atomic<const void*> first_read{nullptr};
    bool was_even = true;
    bool was_stored = false;   // the call: without an exchange
    bool may_be_gone = false;  // a thread that stood by, though the state says that it comes
    // In a line that is written when a thread begins to stand by and when it leaves, and else is in the cache of each core.
    alignas(64) std::atomic<bool> stands_by{false};
  };

  Seat& At(std::int64_t seat) noexcept { return seats_[static_cast<std::size_t>(seat)]; }
  const Seat& At(std::int64_t seat) const noexcept { return seats_[static_cast<std::size_t>(seat)]; }

  const void* arena_;
  std::atomic<std::thread::id> caller_{};
  std::atomic<int> caller_cpu_{-1};  // not known
  std::vector<Seat> seats_;
};

// All crews that there ever were: threads on their way to a seat outlive callers. Those that no caller has serve the next ones, so
// that neither a thread's first call nor one in another arena allocates, once there are enough.
class Crews {
 public:
  // Throws std::bad_alloc.
  Crew* Take(const void* arena, int seats) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (Entry* entry = all_; entry != nullptr; entry = entry->next) {
      if (!entry->taken && entry->crew.TakeOver(arena, seats)) {
        entry->taken = true;
        return &entry->crew;
      }
    }
    all_ = new Entry{Crew(arena, seats), true, all_};
    return &all_->crew;
  }
  void GiveBack(Crew* crew) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (Entry* entry = all_; entry != nullptr; entry = entry->next) {
      if (&entry->crew == crew) entry->taken = false;
    }
  }

 private:
  struct Entry {
    Crew crew;
    bool taken;
    Entry* next;
  };
  std::mutex mutex_;
  Entry* all_ = nullptr;  // never freed
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_CREW_H_
