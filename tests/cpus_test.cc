// Threads that leave a CPU.
#include "core/cpus.h"

#include <gtest/gtest.h>

#include <thread>

namespace axiscast {
namespace {

#if defined(__linux__)
TEST(LeaveCpu, GoesElsewhereAndStaysAllowedEverywhere) {
  std::thread thread([] {
    cpu_set_t before, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &before)) continue;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
      ASSERT_EQ(CurrentCpu(), cpu);
      LeaveCpu(cpu);
      EXPECT_EQ(CurrentCpu(), cpu) << "it may run nowhere else";
      ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
      int tries = 0;  // the system may move it back at once
      do {
        LeaveCpu(cpu);
      } while (CurrentCpu() == cpu && ++tries < 10);
      if (CPU_COUNT(&before) > 1) {
        EXPECT_LT(tries, 10);
      }
      cpu_set_t after;
      ASSERT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
      EXPECT_TRUE(CPU_EQUAL(&before, &after));
    }
    LeaveCpu(-1);
    LeaveCpu(CPU_SETSIZE);
  });
  thread.join();
}
#endif

}  // namespace
}  // namespace axiscast
