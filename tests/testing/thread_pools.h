// Thread pools that are not ours, with habits that the hook's contract allows.
#ifndef AXISCAST_TESTS_TESTING_THREAD_POOLS_H_
#define AXISCAST_TESTS_TESTING_THREAD_POOLS_H_

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "axiscast/thread_pool.h"

namespace axiscast::test {

enum class PoolHabit { kAllOnCaller, kOneByOneBackwards, kOddThenEven, kThreads };
inline constexpr PoolHabit kPoolHabits[] = {PoolHabit::kAllOnCaller, PoolHabit::kOneByOneBackwards, PoolHabit::kOddThenEven,
                                            PoolHabit::kThreads};

class ForeignPool {
 public:
  explicit ForeignPool(PoolHabit habit, int threads = 4) : habit_(habit), threads_(threads) {
    pool_ = {sizeof(axiscast_thread_pool), this, &ParallelFor, &Concurrency};
  }
  const axiscast_thread_pool* get() const { return &pool_; }
  // How often the library has asked for work to be done.
  int calls() const { return calls_; }

 private:
  static int Concurrency(void* context) { return static_cast<ForeignPool*>(context)->threads_; }

  static void ParallelFor(void* context, std::int64_t count, axiscast_thread_pool_body body, void* task) {
    auto* pool = static_cast<ForeignPool*>(context);
    ++pool->calls_;
    if (pool->habit_ == PoolHabit::kAllOnCaller) {
      body(task, 0, count);
    } else if (pool->habit_ == PoolHabit::kOneByOneBackwards) {
      for (std::int64_t i = count; i-- > 0;) body(task, i, i + 1);
    } else if (pool->habit_ == PoolHabit::kOddThenEven) {
      for (std::int64_t start : {1, 0}) {
        for (std::int64_t i = start; i < count; i += 2) body(task, i, i + 1);
      }
    } else {
      std::vector<std::thread> threads;
      for (std::int64_t i = 0; i < count; ++i) threads.emplace_back(body, task, i, i + 1);
      for (std::thread& thread : threads) thread.join();
    }
  }

  PoolHabit habit_;
  int threads_;
  std::atomic<int> calls_{0};
  axiscast_thread_pool pool_;
};

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_THREAD_POOLS_H_
