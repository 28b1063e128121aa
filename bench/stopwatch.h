// Timing on a machine that also does other things.
#ifndef AXISCAST_BENCH_STOPWATCH_H_
#define AXISCAST_BENCH_STOPWATCH_H_

#include <sys/resource.h>
#include <time.h>

namespace axiscast::bench {

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

// The seconds that `time` returns; it is called again, a few times at most, when it was interrupted. The last result counts.
template <class Time>
double Undisturbed(const Time& time) {
  for (int attempt = 0;; ++attempt) {
    const long before = Interruptions();
    const double seconds = time();
    if (attempt == 3 || Interruptions() == before) return seconds;
  }
}

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_STOPWATCH_H_
