// The threads behind the roof, and what it costs to wake a pool.
#include "bench/team.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>
#include <chrono>

#include "bench/stopwatch.h"

namespace axiscast::bench {

void Pinning::Pin([[maybe_unused]] int index) const {
#if defined(__linux__)
  if (!known_) return;
  cpu_set_t chosen = all_;
  if (index >= 0) {
    CPU_ZERO(&chosen);
    for (int cpu = 0, found = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &all_) && found++ == index) CPU_SET(cpu, &chosen);
    }
    if (CPU_COUNT(&chosen) == 0) chosen = all_;  // and not the one of whoever made this thread
  }
  sched_setaffinity(0, sizeof(chosen), &chosen);
#endif
}

// Threads that have entered an arena keep their place in it.
class OnOwnCpus::Observer : public tbb::task_scheduler_observer {
 public:
  explicit Observer(const Pinning& pinning) : pinning_(pinning) { observe(true); }
  ~Observer() override { observe(false); }
  void on_scheduler_entry(bool is_worker) override {
    if (is_worker) pinning_.Pin(tbb::this_task_arena::current_thread_index());
  }
  void on_scheduler_exit(bool is_worker) override {
    if (is_worker) pinning_.Pin(-1);
  }

 private:
  const Pinning& pinning_;
};

OnOwnCpus::OnOwnCpus(int threads) {
  if (threads > 1) observer_ = std::make_unique<Observer>(pinning_);
  pinning_.Pin(0);
}

OnOwnCpus::~OnOwnCpus() {
  if (observer_ != nullptr) LetThreadsSleep();  // they leave their CPUs as they leave the arena
  pinning_.Pin(-1);
}

void LetThreadsSleep() { std::this_thread::sleep_for(std::chrono::microseconds(300)); }

Team::Team(int threads) {
  for (int t = 1; t < threads; ++t) {
    helpers_.emplace_back([this, t] { Wait(t); });
  }
}

Team::~Team() {
  threads_ = 0;
  Wake();
  for (std::thread& helper : helpers_) helper.join();
}

void Team::Run(int threads, const std::function<void(int)>& work) {
  if (threads == 1) {
    work(0);
    return;
  }
  work_ = &work;
  threads_ = threads;
  left_.store(static_cast<int>(helpers_.size()));
  Wake();
  const Pinning caller;
  caller.Pin(0);
  work(0);
  caller.Pin(-1);
  while (left_.load() != 0) std::this_thread::yield();
}

void Team::Wake() {
  generation_.fetch_add(1);
  generation_.notify_all();
}

void Team::Wait(int t) {
  pinning_.Pin(t);
  for (int seen = 0;;) {
    generation_.wait(seen);
    seen = generation_.load();
    if (threads_ == 0) return;
    if (t < threads_) (*work_)(t);
    left_.fetch_sub(1);
  }
}

double MeasureFork(int threads) {
  constexpr int kForks = 200, kPatience = 5000;
  std::vector<double> begun_at(static_cast<std::size_t>(threads)), seconds;
  for (int i = 0; i < kForks; ++i) {
    std::atomic<int> begun{0};
    std::atomic<bool> all_begun{true};
    const double begin = Now(threads);
    // A range that is done by the thread that has just done another one is no fork: each waits a while for all of them to begin.
    const auto meet = [&](const tbb::blocked_range<int>& range) {
      begun_at[static_cast<std::size_t>(range.begin())] = Now(threads);
      begun.fetch_add(1);
      for (int wait = 0; begun.load(std::memory_order_relaxed) < threads; ++wait) {
        if (wait == kPatience) return all_begun.store(false);
      }
    };
    tbb::parallel_for(tbb::blocked_range<int>(0, threads, 1), meet, tbb::simple_partitioner());
    const double end = Now(threads);
    if (!all_begun) continue;
    double waits = 0;
    for (const double at : begun_at) waits += at - begin;
    seconds.push_back(waits / threads + end - *std::max_element(begun_at.begin(), begun_at.end()));
  }
  if (seconds.empty()) return 0;
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace axiscast::bench
