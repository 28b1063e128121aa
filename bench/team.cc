// The threads behind the roof, and what it costs to share work with them.
#include "bench/team.h"

#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "bench/stopwatch.h"
#include "core/crew.h"

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

double Team::MeasureFork(int threads) {
  constexpr int kForks = 400, kPauses = 2000;
  // Not for long: where threads share a CPU, the other one needs it.
  const auto wait_for = [](const std::atomic<int>& count, int value) {
    for (int pauses = 0; count.load(std::memory_order_acquire) != value; ++pauses) {
      if (pauses < kPauses) {
        Pause();
      } else {
        std::this_thread::yield();
      }
    }
  };
  struct alignas(64) Line {
    std::atomic<int> called{0}, ended{0};
    double begun_at = 0;
  };
  std::vector<Line> lines(static_cast<std::size_t>(threads));
  std::vector<double> seconds;
  Run(threads, [&](int t) {
    Line& own = lines[static_cast<std::size_t>(t)];
    for (int i = 1; i <= kForks; ++i) {
      if (t > 0) {
        wait_for(own.called, i);
        own.begun_at = Now(threads);
        own.ended.store(i, std::memory_order_release);
        continue;
      }
      const double begin = Now(threads);
      for (Line& line : lines) line.called.store(i, std::memory_order_release);
      own.begun_at = Now(threads);
      own.ended.store(i, std::memory_order_relaxed);
      for (const Line& line : lines) wait_for(line.ended, i);
      const double end = Now(threads);
      double waits = 0, last = 0;
      for (const Line& line : lines) {
        waits += line.begun_at - begin;
        last = std::max(last, line.begun_at);
      }
      seconds.push_back(waits / threads + end - last);
    }
  });
  return Median(std::move(seconds));
}

}  // namespace axiscast::bench
