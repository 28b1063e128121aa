// oneTBB, behind one function. Nothing starts at load; no arena and no global_control of our own.
#include "core/parallel.h"

#include <dlfcn.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <new>
#include <thread>
#include <utility>

#include "core/awake.h"
#include "core/cpus.h"
#include "core/crew.h"
#include "core/float_mode.h"
#include "core/per_thread.h"

namespace axiscast {
namespace {

std::int64_t Nanoseconds() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// So long a helper of one stands by where calls that are not long follow each other: it begins 0.5 to 1 us earlier. Of 90 us in L3,
// cut in many pieces, that is nothing, and was 1.04 times as long once; in one piece for each worker, calls take 0.98 of the time.
constexpr std::int64_t kStayNanoseconds = 3'000;

// Of more workers, the first one waits longer for the last one, and for their meeting: 16 that stay for 3 us are on their way again
// half of the time (2 MB, 40 us on one core of an Emerald Rapids: 12 us, and 7 with this).
std::int64_t StayOf(std::int64_t workers) noexcept {
  return kStayNanoseconds * static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(workers - 1)));
}

struct Job {
  Shares shares;
  const std::int64_t stay = 0;  // nanoseconds for which its helpers stand by after it
  const int late = 0;           // Sharing::late
};

Crews crews;

// What a thread keeps of its calls that were shared.
struct Caller {
  ~Caller() {
    if (crew != nullptr) crews.GiveBack(crew);
  }

  Crew* crew = nullptr;                     // none: in a call inside of which another is made
  std::int64_t missed = 0;                  // calls, one after the other, to which nobody came who stood by, or was on the way
  Evenness of_short{1024}, of_longer{128};  // calls
  std::int64_t ended = 0;                   // when the last one ended; 0: its helpers were asked to stay
  ShortCalls short_calls;                   // of less than kSharedSeconds
  KindsOfCalls kinds;                       // of less than kComparedSeconds, by their estimates
};
PerThread<Caller> callers;

// oneTBB's threads may come to a call long after it, and run on when nobody has work for them: both libraries stay in the process.
void StayLoaded() noexcept {
  [[maybe_unused]] static const bool stays = [] {
    Dl_info info;
    return dladdr(&callers, &info) != 0 && dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
  }();
}

AwakeGuess awake;

// What a worker saw.
struct Seen {
  bool even;    // it took next to nothing of others' shares
  bool helped;  // it took something, and on another CPU than the caller's: schedulers put a thread that they wake there
  Crew::Left left = Crew::Left::kUntaken;  // of those it called, the worst
};

Seen RunWorker(Job* job, std::int64_t worker) noexcept {
  const SharedWork& what = job->shares.what();
  __builtin_prefetch(what.state);
  job->shares.PrefetchShare(worker);
  // Results do not depend on who computes them, nor on whose threads those are. The call is in this mode (core/plan.cc); its
  // helpers may not be, and an arena gives its caller its own.
  const FloatModeScope mode(kUsualFloatMode);
  Pieces pieces(job->shares, worker);
  what.work(what.state, pieces);
  if (std::this_thread::get_id() == what.caller || !pieces.took_any()) return {pieces.was_even(), false};
  const int cpu = CurrentCpu();
  return {pieces.was_even(), cpu < 0 || cpu != what.caller_cpu};
}

// A pool's body. Each index stands for a worker; when a pool runs several of them on one thread, the first drains the pieces and
// the others find none.
void RunWorkers(void* task, std::int64_t begin, std::int64_t end) {
  bool helped = false;
  for (std::int64_t worker = begin; worker < end; ++worker) helped |= RunWorker(static_cast<Job*>(task), worker).helped;
  if (helped) awake.WasHelped(Nanoseconds());
}

// Worker `first` of a job and `count - 1` more, of whom most are other threads' to call.
Seen RunWorkersOf(Crew* crew, Job* job, std::int64_t first, std::int64_t count);

// A thread in a seat.
class Helper {
 public:
  Helper(Crew* crew, std::int64_t seat) : crew_(crew), seat_(seat) {}

  void Expect(void* job, const void* state) noexcept {
    static_cast<Job*>(job)->shares.PrefetchShare(seat_);
    __builtin_prefetch(job);
    __builtin_prefetch(state);
  }
  void Begin(void* job, std::int64_t workers, std::int64_t stay) noexcept {
    job_ = static_cast<Job*>(job);
    workers_ = workers;
    stay_ = stay;
  }
  bool Work() noexcept {
    const Seen seen = RunWorkersOf(crew_, job_, seat_, workers_);
    helped_ = seen.helped;
    return seen.even;
  }
  void End() noexcept {
    ended_ = Nanoseconds();
    if (helped_) awake.WasHelped(ended_);
    LeaveCpu(crew_->CpuToLeave());
  }
  bool Stays() const noexcept { return Nanoseconds() - ended_ < stay_; }

 private:
  Crew* const crew_;
  const std::int64_t seat_;
  Job* job_ = nullptr;
  std::int64_t workers_ = 0, ended_ = 0, stay_ = 0;
  bool helped_ = false;
};

// Calls a helper for a worker and some more. Returns false where none can come.
bool CallWorkers(Crew* crew, Job* job, std::int64_t first, std::int64_t count) noexcept {
  if (!crew->Call(first, {job, count, job->shares.what().state, job->stay})) return true;
  try {
    // A detached task gets a thread even where the host has ruled them out.
    const auto allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    if (allowed > 1) {
      // Detached: no call waits for a thread that does not come, or that stays.
      tbb::this_task_arena::enqueue([crew, first] {
        LeaveCpu(crew->CpuToLeave());
        Helper helper(crew, first);
        crew->Serve(first, helper);
      });
      return true;
    }
  } catch (...) {
    // No memory, or no thread.
  }
  return !crew->CancelCall(first, job);
}

Seen RunWorkersOf(Crew* crew, Job* job, std::int64_t first, std::int64_t count) {
  std::int64_t called[kMostParts];
  int calls = 0;
  if (count > 2) ForEachPart(count, [&](std::int64_t other, std::int64_t) { crew->Prefetch(first + other); });
  ForEachPart(count, [&](std::int64_t other, std::int64_t workers) {
    if (CallWorkers(crew, job, first + other, workers)) called[calls++] = first + other;
  });
  Seen seen = RunWorker(job, first);
  while (calls > 0) {
    const Crew::Left left = crew->TakeBack(called[--calls], job, job->late);
    seen.even &= left <= Crew::Left::kEven;
    seen.left = std::max(seen.left, left);
  }
  return seen;
}

// The crew of a caller, for calls in that arena; taken out, so that calls inside of this one have another.
Crew* TakeCrew(Caller* caller, const void* arena, int threads) {
  constexpr std::int64_t kMostMissed = 1'000;
  Crew* crew = std::exchange(caller->crew, nullptr);
  // An arena that has no address is known by who comes: nobody, where those called before are another's, and busy.
  if (crew != nullptr && crew->IsFor(arena, threads) && caller->missed < kMostMissed) return crew;
  if (crew != nullptr) crews.GiveBack(crew);
  caller->missed = 0;
  StayLoaded();
  return crews.Take(arena, threads);
}
void PutBackCrew(Caller* caller, Crew* crew) noexcept {
  if (Crew* const inner = std::exchange(caller->crew, crew); inner != nullptr) crews.GiveBack(inner);
}

// Whether the calling thread has helpers that may come: not where they have been missed for some calls, as those of a host that
// keeps them, or of a process before it forked. 128 calls are 220 us, and 3 ms of calls of 24 us, each of which pays next to
// nothing; threads that sleep need 120 to 180 us on a virtual CPU.
bool HasHelpers(const Caller* caller, const ExecuteOptions& options) noexcept {
  constexpr int kMostAwaited = 128;
  return options.pool == nullptr && caller != nullptr && caller->crew != nullptr && caller->missed < kMostAwaited &&
         caller->crew->IsFor(options.task_arena);
}
// Whether a helper of the calling thread is there, or on its way.
bool IsOneStandingBy(const Caller* caller, const ExecuteOptions& options) noexcept {
  return HasHelpers(caller, options) && caller->crew->IsStandingBy(1);
}
bool IsOneComing(const Caller* caller, const ExecuteOptions& options) noexcept {
  return HasHelpers(caller, options) && caller->crew->IsComing(1);
}

constexpr double kLeadOfStandby = 0.3;    // of the lead before threads that are only awake (PiecesOf): 0.15 us
constexpr double kWakingSeconds = 12e-6;  // waking threads that sleep costs the caller up to 10 us

// Of the caller's pool or arena.
int AllThreads(const ExecuteOptions& options) noexcept {
  if (options.pool != nullptr) return options.pool->concurrency(options.pool->context);
  if (options.task_arena != nullptr) return static_cast<tbb::task_arena*>(options.task_arena)->max_concurrency();
  return tbb::this_task_arena::max_concurrency();
}

int Limited(int threads, const ExecuteOptions& options) noexcept {
  return std::max(options.max_threads > 0 ? std::min(threads, options.max_threads) : threads, 1);
}

}  // namespace

bool IsShared(double seconds, const ExecuteOptions& options, AloneCall* alone) noexcept {
  if (seconds < kStandbySeconds || options.max_threads == 1) return false;
  const int threads = Concurrency(options);
  if (threads == 1) return false;
  if (seconds - seconds / threads > kWakingSeconds) return true;
  const bool is_short = seconds < kSharedSeconds;
  if (is_short && options.pool != nullptr) return false;  // a host's threads do not stand by
  Caller* const caller = options.pool != nullptr ? nullptr : is_short ? callers.FindOrMake() : callers.Find();
  if (is_short && caller == nullptr) return false;
  if (is_short && caller->short_calls.ArePaused()) return false;
  if (caller != nullptr && seconds < kComparedSeconds && alone != nullptr) {
    const SharingPays::Turn turn = caller->kinds.Of(seconds).Next();
    if (turn == SharingPays::Turn::kAloneTimed) alone->Start(seconds);
    if (turn != SharingPays::Turn::kShared) return false;
  }
  if (!is_short) return IsOneStandingBy(caller, options) || awake.Ask(Nanoseconds()) || IsOneComing(caller, options);
  if (IsOneStandingBy(caller, options) || IsOneComing(caller, options)) return true;
  // As far from each other as a helper stays, and a little less.
  const std::int64_t apart = static_cast<std::int64_t>(seconds * 1e9) + kStayNanoseconds * 3 / 4;
  std::int64_t now = 0;
  return caller->short_calls.FollowEachOther(apart, &Nanoseconds, &now) && awake.Ask(now);
}

void AloneCall::Start(double estimate) noexcept {
  estimate_ = estimate;
  begun_ = Nanoseconds();
}

void AloneCall::Note() noexcept {
  if (Caller* const caller = callers.Find(); caller != nullptr) {
    caller->kinds.Of(estimate_).NoteAlone(Nanoseconds() - begun_);
  }
}

int Concurrency(const ExecuteOptions& options) noexcept { return Limited(AllThreads(options), options); }

void RunParallel(std::int64_t count, const PieceSizes& sizes, const ExecuteOptions& options, Work work, void* state) noexcept {
  const std::int64_t units = count / sizes.unit + (count % sizes.unit != 0);
  const int threads = options.max_threads == 1 ? 1 : AllThreads(options);
  const Sharing sharing = SharingOf(sizes, std::min<std::int64_t>(Limited(threads, options), units));
  const std::int64_t workers = sharing.workers;
  if (workers <= 1) {
    RunSerial(count, work, state);
    return;
  }
  // What helpers read of the call before this one lay here, mostly, and its lines have to come from them: all at once, and not one
  // after the other. Helpers begin 0.01 us earlier, and 0.15 where cores are far from each other.
  alignas(Job) std::byte room[sizeof(Job)];
  constexpr std::int64_t kReadByOthers = 3;  // lines: what all read first, and two shares
  for (std::int64_t line = 0; line < kReadByOthers; ++line) PrefetchToWrite(room + line * kLineBytes);
  const bool own_pool = options.pool != nullptr;  // of the caller, whose threads may begin at once, or late
  Caller* const caller = own_pool ? nullptr : callers.FindOrMake();
  PieceSizes cut = sizes;
  cut.of_own = sharing.of_own;
  const bool learns = sharing.late > 0 && caller != nullptr, stand_by = IsOneStandingBy(caller, options);
  const bool compared = learns && stand_by && cut.call_seconds < kComparedSeconds;
  const std::int64_t begun = compared && caller->kinds.Of(cut.call_seconds).IsTimed() ? Nanoseconds() : 0;
  Evenness* const evenness = !learns ? nullptr : sharing.of_own > 0 ? &caller->of_short : &caller->of_longer;
  if (learns && evenness->IsOnePieceEnough()) cut.of_own = 1;
  if (stand_by) cut.lead *= kLeadOfStandby;
  const bool is_short = cut.call_seconds < kSharedSeconds, follows = stand_by || is_short;  // or was the last one so near?
  const SharedWork what{work, state, std::this_thread::get_id(), CurrentCpu()};
  const bool stays = learns && (follows || Nanoseconds() - caller->ended < kStayNanoseconds);
  Job& job = *new (room) Job{
      .shares = Shares(count, cut, workers, !own_pool, what), .stay = stays ? StayOf(workers) : 0, .late = sharing.late};
  Seen seen = {true, false};
  bool is_done = false;
  try {
    if (own_pool) {
      options.pool->parallel_for(options.pool->context, workers, &RunWorkers, &job);
    } else if (caller != nullptr) {
      Crew* const crew = TakeCrew(caller, options.task_arena, threads);
      crew->SetCaller(what.caller, what.caller_cpu);
      const bool expected = stand_by || crew->IsComing(1);
      // On another thread, where all places of that arena are taken.
      const auto run = [&] {
        seen = RunWorkersOf(crew, &job, 0, workers);
        is_done = true;  // its first worker stopped where nothing was left
      };
      try {
        options.task_arena != nullptr ? static_cast<tbb::task_arena*>(options.task_arena)->execute(run) : run();
      } catch (...) {
        // The host cancelled its group.
      }
      caller->missed = expected && seen.left == Crew::Left::kUntaken ? caller->missed + 1 : 0;
      PutBackCrew(caller, crew);
      caller->ended = stays ? 0 : Nanoseconds();
    }
  } catch (...) {
    // No memory.
  }
  if (learns) evenness->Note(seen.even);
  if (learns && is_short && seen.left > Crew::Left::kUntaken) {
    caller->short_calls.Note(seen.even, seen.left == Crew::Left::kStalled);
  }
  if (begun > 0 && is_done) caller->kinds.Of(cut.call_seconds).NoteShared(Nanoseconds() - begun);
  // Nobody ran worker 0, whose first piece is not among what is left; or a pool ran less than it was asked to.
  if (!is_done && (!own_pool || job.shares.AreLeft())) RunWorker(&job, 0);
}

const char* ThreadingVersion() noexcept {
  static char text[64];
  static const bool written = [] {
    std::snprintf(text, sizeof(text), "oneTBB %s (interface %d)", TBB_runtime_version(), TBB_runtime_interface_version());
    return true;
  }();
  (void)written;
  return text;
}

}  // namespace axiscast
