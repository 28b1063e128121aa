// What hosts do to a library: pools that keep no promise, many threads with many calls, fork after parallel work, millions of
// calls.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "axiscast/c_api.h"

namespace {

const axiscast_op* Find(const char* name) {
  const axiscast_op* op = nullptr;
  EXPECT_EQ(axiscast_op_find(nullptr, name, &op), AXISCAST_OK) << axiscast_last_message();
  return op;
}

axiscast_tensor Int32(void* data, int32_t rank, const int64_t* shape) {
  return {sizeof(axiscast_tensor), data, AXISCAST_INT32, rank, shape, nullptr};
}

// op(x [rows, cols], y [cols]) of int32.
class Rows {
 public:
  Rows(const char* op, int64_t rows, int64_t cols) : op_(Find(op)), shape_{rows, cols} {
    x_.resize(static_cast<std::size_t>(rows * cols));
    y_.resize(static_cast<std::size_t>(cols));
    out.resize(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = static_cast<int32_t>(i % 1000);
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = static_cast<int32_t>(i % 77 + 1);
    inputs_[0] = Int32(x_.data(), 2, shape_);
    inputs_[1] = Int32(y_.data(), 1, shape_ + 1);
    result_ = Int32(out.data(), 2, shape_);
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  int32_t Apply(const axiscast_execute_options* options = nullptr) const {
    return axiscast_apply(op_, inputs_, 2, &result_, nullptr, options);
  }
  axiscast_plan* Make() const {
    axiscast_plan* plan = nullptr;
    EXPECT_EQ(axiscast_plan_make(op_, inputs_, 2, &result_, nullptr, &plan), AXISCAST_OK) << axiscast_last_message();
    return plan;
  }
  int32_t Execute(const axiscast_plan* plan, const axiscast_execute_options* options = nullptr) {
    const void* const pointers[] = {x_.data(), y_.data()};
    return axiscast_plan_execute(plan, pointers, 2, out.data(), options);
  }
  void Divide(int32_t by) { y_.back() = by; }

  // Whether out is what `expected` of the elements of x and y is; and forgets it.
  template <typename Expected>
  bool Is(Expected expected) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) wrong += out[i] != expected(x_[i], y_[i % y_.size()]);
    out.assign(out.size(), -1);
    return wrong == 0;
  }

  std::vector<int32_t> out;

 private:
  const axiscast_op* op_;
  int64_t shape_[2];
  std::vector<int32_t> x_, y_;
  axiscast_tensor inputs_[2], result_;
};

int32_t Sum(int32_t x, int32_t y) { return x + y; }
int32_t Quotient(int32_t x, int32_t y) { return x / y; }

// ----------------------------------------------------------------------------------------------------------------------- pools

struct HostilePool {
  using ParallelFor = void(int64_t count, const std::function<void(int64_t, int64_t)>& body);
  const char* habit;
  int concurrency;
  ParallelFor* parallel_for;
};

void OnCaller(int64_t count, const std::function<void(int64_t, int64_t)>& body) { body(0, count); }

const HostilePool kHostilePools[] = {
    {"has no threads", 0, OnCaller},
    {"has fewer than none", INT_MIN, OnCaller},
    {"has any number of threads", INT_MAX, OnCaller},
    {"runs nothing", 4, [](int64_t, const std::function<void(int64_t, int64_t)>&) {}},
    {"runs the last one alone", 4,
     [](int64_t count, const std::function<void(int64_t, int64_t)>& body) { body(count - 1, count); }},
    {"runs all of it three times", 4,
     [](int64_t count, const std::function<void(int64_t, int64_t)>& body) {
       for (int i = 0; i < 3; ++i) body(0, count);
     }},
    {"runs one at a time, backwards, and none between them", 1000,
     [](int64_t count, const std::function<void(int64_t, int64_t)>& body) {
       for (int64_t i = count; i-- > 0;) body(i, i + 1), body(i, i);
     }},
    {"runs the same at once in eight threads", 4,
     [](int64_t count, const std::function<void(int64_t, int64_t)>& body) {
       std::vector<std::thread> threads;
       for (int t = 0; t < 8; ++t) threads.emplace_back(body, 0, count);
       for (std::thread& thread : threads) thread.join();
     }},
    {"asks for itself while it runs", 4,
     [](int64_t count, const std::function<void(int64_t, int64_t)>& body) {
       Rows inner("add", 30, 7);
       EXPECT_EQ(inner.Apply(), AXISCAST_OK);
       EXPECT_TRUE(inner.Is(Sum));
       body(0, count);
     }},
};

TEST(CApiHosts, PoolsThatKeepNoPromise) {
  for (const HostilePool& hostile : kHostilePools) {
    SCOPED_TRACE(hostile.habit);
    const axiscast_thread_pool pool{sizeof(axiscast_thread_pool), const_cast<HostilePool*>(&hostile),
                                    [](void* context, int64_t count, axiscast_thread_pool_body body, void* task) {
                                      static_cast<const HostilePool*>(context)->parallel_for(
                                          count, [body, task](int64_t begin, int64_t end) { body(task, begin, end); });
                                    },
                                    [](void* context) { return static_cast<const HostilePool*>(context)->concurrency; }};
    const axiscast_execute_options options{sizeof(options), 0, 0, &pool, nullptr};
    Rows sum("add", 1000, 500), quotient("floor_divide", 1000, 500);
    EXPECT_EQ(sum.Apply(&options), AXISCAST_OK) << axiscast_last_message();
    EXPECT_TRUE(sum.Is(Sum));
    // Looks at all divisors first, over the pool too.
    EXPECT_EQ(quotient.Apply(&options), AXISCAST_OK) << axiscast_last_message();
    EXPECT_TRUE(quotient.Is(Quotient));
    quotient.Divide(0);
    EXPECT_EQ(quotient.Apply(&options), AXISCAST_DIVISION_BY_ZERO);
    EXPECT_TRUE(quotient.Is([](int32_t, int32_t) { return -1; }));
    // More than elementwise: sums over the rows.
    const int64_t shape[] = {1000, 500}, to[] = {500};
    std::vector<int32_t> x(1000 * 500, 3), sums(500);
    axiscast_attribute attribute{sizeof(attribute), "shape", AXISCAST_VALUE_SHAPE, 1, {}};
    attribute.value.shape = to;
    const axiscast_options call{sizeof(call), 0, 0, 0, &attribute, 1, nullptr, nullptr};
    const axiscast_tensor input = Int32(x.data(), 2, shape), result = Int32(sums.data(), 1, to);
    EXPECT_EQ(axiscast_apply(Find("sum_to"), &input, 1, &result, &call, &options), AXISCAST_OK) << axiscast_last_message();
    EXPECT_EQ(sums, std::vector<int32_t>(500, 3000));
  }
}

// --------------------------------------------------------------------------------------------------------------------- threads

// More different calls than a thread keeps plans for, wrong ones and plans that come and go between them.
TEST(CApiHosts, SixtyFourThreadsWithManyCalls) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 64; ++t) {
    threads.emplace_back([&wrong, t] {
      for (int i = 0; i < 200; ++i) {
        Rows rows("add", 1 + (i * 7 + t) % 12, 1 + (i * 5) % 13);
        wrong += rows.Apply() != AXISCAST_OK || !rows.Is(Sum);
        if (i % 8 != 0) continue;
        wrong += axiscast_op_find(nullptr, "no_such_op", nullptr) != AXISCAST_INVALID_ARGUMENT;
        axiscast_plan* plan = rows.Make();
        wrong += rows.Execute(plan) != AXISCAST_OK || !rows.Is(Sum);
        wrong += axiscast_plan_free(plan) != AXISCAST_OK;
        wrong += std::strcmp(axiscast_last_message(), "axiscast_op_find: the pointer to the op is null") != 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// ------------------------------------------------------------------------------------------------------------------------ fork

// The threads of oneTBB are not in the child, which does with those that it has.
TEST(CApiHosts, ForkAfterParallelWork) {
  Rows rows("add", 2000, 1000);
  axiscast_plan* const plan = rows.Make();
  axiscast_plan_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(axiscast_plan_describe(plan, &info), AXISCAST_OK);
  ASSERT_NE(info.parallel, 0);
  for (int round = 0; round < 10; ++round) {
    ASSERT_EQ(rows.Execute(plan), AXISCAST_OK);
    ASSERT_TRUE(rows.Is(Sum));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);  // a child that waits for a thread that it does not have
      int wrong = 0;
      for (int call = 0; call < 3; ++call) {
        wrong += rows.Execute(plan) != AXISCAST_OK || !rows.Is(Sum);
        wrong += rows.Apply() != AXISCAST_OK || !rows.Is(Sum);
      }
      std::thread([&] { wrong += rows.Apply() != AXISCAST_OK || !rows.Is(Sum); }).join();
      _exit(wrong == 0 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_FALSE(WIFSIGNALED(status)) << "the child of round " << round << " ended by signal " << WTERMSIG(status);
    ASSERT_EQ(WEXITSTATUS(status), 0) << "the child of round " << round << " has wrong results";
  }
  EXPECT_EQ(axiscast_plan_free(plan), AXISCAST_OK);
}

// ---------------------------------------------------------------------------------------------------------------------- memory

std::int64_t ResidentBytes() {
  long long size = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%lld %lld", &size, &resident) != 2) ADD_FAILURE() << "no /proc/self/statm";
  if (file != nullptr) std::fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(CApiHosts, ResidentMemoryDoesNotGrowOverAMillionCalls) {
  Rows small("add", 3, 5), parallel("add", 400, 300);
  axiscast_plan* const plan = small.Make();
  int wrong = 0;
  const auto calls = [&](int count) {
    for (int i = 0; i < count; ++i) {
      wrong += small.Apply() != AXISCAST_OK;
      wrong += small.Execute(plan) != AXISCAST_OK;
      if (i % 1000 == 0) wrong += parallel.Apply() != AXISCAST_OK;
    }
  };
  calls(500000);  // as many as it takes until oneTBB's threads have come, and touched what they use: 0.5 MB
  const std::int64_t before = ResidentBytes();
  calls(500000);
  const std::int64_t growth = ResidentBytes() - before;
  std::printf("grew by %lld bytes\n", static_cast<long long>(growth));
  EXPECT_LT(growth, 256 << 10);  // a quarter of a byte a call
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(small.Is(Sum));
  EXPECT_TRUE(parallel.Is(Sum));
  EXPECT_EQ(axiscast_plan_free(plan), AXISCAST_OK);
}

}  // namespace
