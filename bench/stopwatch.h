// Timing on a machine that also does other things.
#ifndef AXISCAST_BENCH_STOPWATCH_H_
#define AXISCAST_BENCH_STOPWATCH_H_

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace axiscast::bench {

// How long to measure, and how often again.
struct Effort {
  double chunk = 600e-6;  // seconds in a row: short of a scheduler's time slice, long beside a fork
  int rounds_of_short_calls = 9;
  int rounds_of_long_calls = 5;
  int rounds_of_choice = 3;  // of the roof's loops, at each place
  int attempts = 12;         // where the system disturbs
  bool roof = true;          // false: the call's time alone
};

// For programs whose results are checked while times mean nothing. Without further attempts: threads that wait for each other on a
// busy machine would make minutes of them.
inline constexpr Effort kQuickEffort = {
    .chunk = 5e-6, .rounds_of_short_calls = 1, .rounds_of_long_calls = 1, .rounds_of_choice = 1, .attempts = 1};

// Calls of so many seconds are too long to fit between two interruptions.
inline constexpr double kLong = 1e-3;

// Passes of so many seconds that go before those that are timed. The pool's idle threads have gone to sleep, and caches are to hold
// what they will: one that cores share settles after a dozen passes. Rows in L3 that came after rows in memory, and after two
// passes, took 1.5 times as long as the roof did, which had come after some more. Calls of the pool take longer to settle: short
// ones are shared again only when a thread has been seen to help, mostly in the second try (core/awake.h).
inline constexpr double kWarmUp = 150e-6, kPoolWarmUp = 2e-3;
inline std::int64_t WarmUpPasses(double guess, const Effort& effort, double warm_up = kWarmUp) {
  constexpr std::int64_t kSettlingPasses = 16;
  if (guess > kLong) return 0;
  if (effort.chunk < kWarmUp) return static_cast<std::int64_t>(effort.chunk / guess) + 1;
  return std::max(static_cast<std::int64_t>(warm_up / guess) + 1, kSettlingPasses);
}

// Seconds since some moment. Work of one thread is timed by that thread's own clock, which stands still while the system runs
// somebody else on its CPU; work of several threads by the wall's.
inline double Now(int threads) {
  timespec now{};
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What the system does to this process.
struct Attention {
  long interruptions;  // how often it took a CPU away while there was work to do
  double cpu_seconds;  // of all threads
  double seconds;      // the wall's
};

inline Attention AttentionSoFar() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  timespec cpu{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  return {usage.ru_nivcsw, static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec), Now(2)};
}

// Whether all threads of what is timed have work all the time, as a roof's, or it gives work to as many as it likes, as a call
// does.
enum class Work { kOfAll, kOfAny };

// The seconds that `time` returns. It is called again, a few times at most, when a CPU was taken away meanwhile, or when threads
// that should have run at once took turns on one CPU; the last result counts. Long calls of one thread are not tried again: the
// thread's own clock has left the interruption out.
template <class Time>
double Undisturbed(int threads, const Effort& effort, Work work, const Time& time) {
  for (int attempt = 1;; ++attempt) {
    const Attention before = AttentionSoFar();
    const double seconds = time();
    const Attention after = AttentionSoFar();
    const bool together = threads == 1 || work == Work::kOfAny ||
                          after.cpu_seconds - before.cpu_seconds > 0.75 * threads * (after.seconds - before.seconds);
    if (after.interruptions == before.interruptions && together) return seconds;
    if (attempt >= (seconds < kLong ? effort.attempts : effort.attempts / 3) || (threads == 1 && seconds > kLong)) return seconds;
  }
}

inline double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_STOPWATCH_H_
