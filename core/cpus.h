// On which CPU a thread runs, where the system says so and lets it choose.
#ifndef AXISCAST_CORE_CPUS_H_
#define AXISCAST_CORE_CPUS_H_

#if defined(__linux__)
#include <sched.h>
#endif

namespace axiscast {

// -1: not known.
inline int CurrentCpu() noexcept {
#if defined(__linux__)
  return sched_getcpu();
#else
  return -1;
#endif
}

// Has the system move the calling thread from a CPU on which another one is at work, where it may run elsewhere. Schedulers wake a
// thread on its waker's CPU, and may leave it there while another one idles: of 30 processes whose two threads were together at
// first, and which made calls of 100 us, 8 had no help for 16 ms and more, and 1 of 30 with this (2 virtual cores, Linux 6.18).
inline void LeaveCpu([[maybe_unused]] int cpu) noexcept {
#if defined(__linux__)
  cpu_set_t all;
  if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getcpu() != cpu || sched_getaffinity(0, sizeof(all), &all) != 0) return;
  cpu_set_t others = all;
  CPU_CLR(cpu, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof(others), &others) != 0) return;
  (void)sched_setaffinity(0, sizeof(all), &all);
#endif
}

}  // namespace axiscast

#endif  // AXISCAST_CORE_CPUS_H_
