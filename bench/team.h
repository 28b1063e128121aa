// Threads that do the same work at once, and what it costs to share it with them.
#ifndef AXISCAST_BENCH_TEAM_H_
#define AXISCAST_BENCH_TEAM_H_

#if defined(__linux__)
#include <sched.h>
#endif

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace axiscast::bench {

// Keeps the calling thread on one of the CPUs that it may use, or, with index -1, lets it go back to all of them. Without
// it, threads that a busy system wakes on the same CPU take turns there. Elsewhere than on Linux the system decides.
class Pinning {
 public:
#if defined(__linux__)
  Pinning() { known_ = sched_getaffinity(0, sizeof(all_), &all_) == 0; }
#endif
  void Pin(int index) const;

 private:
#if defined(__linux__)
  cpu_set_t all_;
  bool known_;
#endif
};

// While it lives, the calling thread is kept on the first of the CPUs, and oneTBB's threads on one of the others each, as a Team's
// are. Two programs that are compared get the same CPU: those of a virtual machine differ by up to a half for minutes. And a thread
// that is woken on its caller's CPU, where some systems leave it for seconds, says nothing of the call that it shares.
class OnOwnCpus {
 public:
  explicit OnOwnCpus(int threads);
  ~OnOwnCpus();
  OnOwnCpus(const OnOwnCpus&) = delete;
  OnOwnCpus& operator=(const OnOwnCpus&) = delete;

 private:
  class Observer;
  const Pinning pinning_;
  std::unique_ptr<Observer> observer_;
};

// Waits until oneTBB's threads sleep, which look for more work for 130 us.
void LetThreadsSleep();

// Threads that wait for something to do; asleep, so that they take nothing from the call that is measured in between.
class Team {
 public:
  explicit Team(int threads);
  ~Team();
  // Calls work(t) for 0 <= t < threads, on a thread each.
  void Run(int threads, const std::function<void(int)>& work);
  // What it costs each of so many threads that they share something, where all of them are awake and wait for it in loops, in
  // seconds: until it begins, on average, as work that is shared as they come ends at once for all, and until the first one sees
  // that all have ended.
  double MeasureFork(int threads);

 private:
  void Wake();
  void Wait(int t);

  const Pinning pinning_;
  std::atomic<int> generation_{0};
  std::atomic<int> left_{0};
  const std::function<void(int)>* work_ = nullptr;
  int threads_ = 1;
  std::vector<std::thread> helpers_;  // last: they use the rest
};

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_TEAM_H_
