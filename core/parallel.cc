// oneTBB, behind one function. Nothing starts at load; no arena and no global_control of our own.
#include "core/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include <algorithm>
#include <cstdio>

namespace axiscast {
namespace {

struct Job {
  Pieces pieces;
  Work work;
  void* state;
};

// The body for both kinds of pool. Each index stands for a worker; when a pool runs several of them on one thread, the first drains
// the pieces and the others find none.
void RunWorkers(void* task, std::int64_t begin, std::int64_t end) {
  Job* job = static_cast<Job*>(task);
  for (std::int64_t worker = begin; worker < end; ++worker) job->work(job->state, job->pieces);
}

void RunInCurrentArena(std::int64_t workers, Job* job) {
  // Isolated: a worker that waits must not pick up the host's tasks, which may wait for this call.
  tbb::this_task_arena::isolate([workers, job] {
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(0, workers, 1),
        [job](const tbb::blocked_range<std::int64_t>& range) { RunWorkers(job, range.begin(), range.end()); },
        tbb::simple_partitioner());
  });
}

}  // namespace

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

void RunParallel(std::int64_t count, std::int64_t grain, const ExecuteOptions& options, Work work, void* state) noexcept {
  const std::int64_t pieces = count / grain + (count % grain != 0);
  const std::int64_t workers = options.max_threads == 1 ? 1 : std::min<std::int64_t>(Concurrency(options), pieces);
  if (workers <= 1) {
    Pieces all(count, count);
    work(state, all);
    return;
  }
  Job job{Pieces(count, grain), work, state};
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
  work(state, job.pieces);  // what was not taken, also by a pool that runs less than it was asked to
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
