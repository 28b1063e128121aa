// Timing on a machine that also does other things.
#ifndef AXISCAST_BENCH_STOPWATCH_H_
#define AXISCAST_BENCH_STOPWATCH_H_

#include <sys/resource.h>
#include <time.h>

namespace axiscast::bench {

// Calls of so many seconds are too long to fit between two interruptions.
inline constexpr double kLong = 1e-3;

// Seconds since some moment. Work of one thread is timed by that thread's own clock, which stands still while the system runs
// somebody else on its CPU; work of several threads by the wall's.
inline double Now(int threads) {
  timespec now{};
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// How often the system has taken a CPU away from this process while it had work to do.
inline long Interruptions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

// The seconds that `time` returns; it is called again, a few times at most, when it was interrupted. The last result counts. Long
// calls of one thread are not tried again: the thread's own clock has left the interruption out.
template <class Time>
double Undisturbed(int threads, const Time& time) {
  for (int attempt = 0;; ++attempt) {
    const long before = Interruptions();
    const double seconds = time();
    if (attempt == 3 || Interruptions() == before || (threads == 1 && seconds > kLong)) return seconds;
  }
}

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_STOPWATCH_H_
