// oneTBB, behind one function. Nothing starts at load; no arena and no global_control of our own.
#include "core/parallel.h"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/version.h>

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <new>
#include <optional>
#include <thread>

#include "core/awake.h"
#include "core/float_mode.h"

namespace axiscast {
namespace {

// -1: not known.
int CurrentCpu() noexcept {
#if defined(__linux__)
  return sched_getcpu();
#else
  return -1;
#endif
}

std::int64_t Nanoseconds() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Job {
  Shares shares;
  const bool waits = false;  // the caller for the others, AwaitOthers
  bool was_even = true;      // by what the caller saw there
  std::int64_t ended = 0;    // when the caller had done what it took; 0: it took nothing
};

// Tells the CPU that this is a loop that waits.
void Pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

thread_local Evenness evenness;  // of the calls that this thread makes

// Where others are about to finish, the caller waits for them here: the way out of oneTBB's own wait takes 0.5 us longer, of a call
// of 4. Nobody who has not begun is waited for, and not for long: a thread may have lost its CPU. Not with a caller's pool, whose
// threads may need the caller's CPU. Returns whether nobody was late.
bool AwaitOthers(Job& job) noexcept {
  constexpr int kPauses = 200;  // 2 to 8 us
  constexpr int kLate = 50;
  int pauses = 0;
  for (; pauses < kPauses && job.shares.AreWorkedOn(); ++pauses) Pause();
  return pauses < kLate;
}

void RunWorker(Job* job, std::int64_t worker) noexcept {
  const SharedWork& what = job->shares.what();
  __builtin_prefetch(what.state);
  job->shares.PrefetchShare(worker);
  const bool is_caller = std::this_thread::get_id() == what.caller;
  {
    std::optional<FloatModeScope> mode;  // results do not depend on who computes them, nor on whose threads those are
    if (!is_caller) mode.emplace(what.float_mode);
    Pieces pieces(job->shares, worker, is_caller);
    what.work(what.state, pieces);
    if (is_caller && pieces.took_any()) job->ended = Nanoseconds();  // 24 ns, mostly while others are still at work
    // A thread on the caller's own CPU, where schedulers put one that they wake, makes the call no shorter.
    if (!is_caller && pieces.took_any()) {
      if (const int cpu = CurrentCpu(); cpu < 0 || cpu != what.caller_cpu) pieces.SetHelped();
    }
  }
  if (!is_caller) return;
  if (job->waits) job->was_even = AwaitOthers(*job) && job->was_even;
}

// A pool's body. Each index stands for a worker; when a pool runs several of them on one thread, the first drains the pieces and
// the others find none.
void RunWorkers(void* task, std::int64_t begin, std::int64_t end) {
  for (std::int64_t worker = begin; worker < end; ++worker) RunWorker(static_cast<Job*>(task), worker);
}

// So many workers of a job in the current arena: half of them is another thread's, as soon as one takes it.
struct Workers {
  Job* job;
  // Which thread gets which half is chance; a thread's place in its arena stays. Counted from the caller's, whose is the first
  // share.
  int caller, places;
  std::int64_t count;

  // A task group is what begins and ends soonest: with parallel_for, a call of 3.2 us on two cores takes 0.1 us more.
  void operator()() const {
    if (count == 1) return RunWorker(job, std::max(tbb::this_task_arena::current_thread_index() - caller + places, 0) % places);
    Workers half = *this, other = *this;
    other.count = count / 2;
    half.count = count - other.count;
    // One task each. Where there is no memory for it, oneTBB has already counted it, and would wait for ever: so such a group,
    // which has nothing of its own, is neither waited for nor destroyed.
    alignas(tbb::task_group) std::byte memory[sizeof(tbb::task_group)];
    auto* const group = new (memory) tbb::task_group;
    bool called = true;
    try {
      group->run(other);
    } catch (...) {
      called = false;
    }
    half();
    if (!called) return;
    group->wait();
    group->~task_group();
  }
};

void RunInCurrentArena(std::int64_t workers, Job* job) {
  const int caller = std::max(tbb::this_task_arena::current_thread_index(), 0);  // not in it yet: it will have the first place
  const int places = tbb::this_task_arena::max_concurrency();
  // Isolated: a worker that waits must not pick up the host's tasks, which may wait for this call.
  tbb::this_task_arena::isolate([=] { Workers{job, caller, places, workers}(); });
}

constexpr double kWakingSeconds = 12e-6;  // waking threads that sleep costs the caller up to 10 us

AwakeGuess awake;

}  // namespace

bool IsShared(double seconds, const ExecuteOptions& options) noexcept {
  if (seconds < kSharedSeconds || options.max_threads == 1) return false;
  const int threads = Concurrency(options);
  if (threads == 1) return false;
  return seconds - seconds / threads > kWakingSeconds || awake.Ask(Nanoseconds());
}

int Concurrency(const ExecuteOptions& options) noexcept {
  int threads;
  if (options.pool != nullptr) {
    threads = options.pool->concurrency(options.pool->context);
  } else if (options.task_arena != nullptr) {
    threads = static_cast<tbb::task_arena*>(options.task_arena)->max_concurrency();
  } else {
    threads = tbb::this_task_arena::max_concurrency();
  }
  if (options.max_threads > 0) threads = std::min(threads, options.max_threads);
  return std::max(threads, 1);
}

void RunParallel(std::int64_t count, const PieceSizes& sizes, const ExecuteOptions& options, Work work, void* state) noexcept {
  const std::int64_t units = count / sizes.unit + (count % sizes.unit != 0);
  const std::int64_t workers = options.max_threads == 1 ? 1 : std::min<std::int64_t>(Concurrency(options), units);
  if (workers <= 1) {
    RunSerial(count, work, state);
    return;
  }
  const bool own_pool = options.pool != nullptr;  // of the caller, whose threads may begin at once, or late
  const bool is_short = sizes.of_own > 0;
  PieceSizes cut = sizes;
  if (is_short && !own_pool) cut.of_own = evenness.PiecesOfOwn();
  const SharedWork what{work, state, std::this_thread::get_id(), CurrentCpu(), GetFloatMode()};
  Job job{.shares = Shares(count, cut, workers, !own_pool, what), .waits = !own_pool};
  try {
    if (options.pool != nullptr) {
      options.pool->parallel_for(options.pool->context, workers, &RunWorkers, &job);
    } else if (options.task_arena != nullptr) {
      static_cast<tbb::task_arena*>(options.task_arena)->execute([workers, &job] { RunInCurrentArena(workers, &job); });
    } else {
      RunInCurrentArena(workers, &job);
    }
  } catch (...) {
    // oneTBB could not allocate a task, or the host cancelled its group.
  }
  if (job.shares.WereHelped()) awake.WasHelped(job.ended != 0 ? job.ended : Nanoseconds());
  if (is_short && !own_pool) evenness.Note(job.was_even && !job.shares.WereUneven());
  if (job.shares.AreLeft()) RunWorker(&job, 0);  // also by a pool that runs less than it was asked to
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
