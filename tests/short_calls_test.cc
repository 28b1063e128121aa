// When calls that take little longer than waking a thread are shared, and what pools are asked to do; the guess is in
// awake_test.cc.
#include <gtest/gtest.h>

#if defined(__linux__)
#include <sched.h>
#include <sys/resource.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "axiscast/axiscast.h"
#include "core/awake.h"
#include "tests/testing/thread_pools.h"

namespace axiscast {
namespace {

// How often the pool is asked to run a plan, some time after any other call.
int PoolCallsOf(const char* op_name, const std::vector<TensorView>& inputs, const Shape& out_shape,
                const std::vector<Attribute>& attributes) {
  std::vector<float> out(1 << 24);
  PlanOptions plan_options;
  plan_options.attributes = attributes;
  Plan plan;
  const Status made = Plan::Make(*FindOp(op_name), inputs.data(), static_cast<int>(inputs.size()),
                                 {out.data(), DType::kFloat32, out_shape}, plan_options, &plan);
  EXPECT_TRUE(made.ok()) << made.message();
  const test::ForeignPool pool(test::PoolHabit::kAllOnCaller, 2);
  ExecuteOptions options;
  options.pool = pool.get();
  std::vector<const void*> pointers;
  for (const TensorView& input : inputs) pointers.push_back(input.data);
  std::this_thread::sleep_for(std::chrono::nanoseconds(10 * AwakeGuess::kAwake));
  EXPECT_TRUE(plan.Execute(pointers.data(), out.data(), options).ok());
  return pool.calls();
}

#if defined(__linux__)
// A pool of two whose second thread does all, on a CPU of its own or on the caller's.
class HelpingPool {
 public:
  explicit HelpingPool(bool own_cpu) : pool_{sizeof(axiscast_thread_pool), this, &ParallelFor, [](void*) { return 2; }} {
    sched_getaffinity(0, sizeof(all_), &all_);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &all_)) cpus_.push_back(cpu);
    }
    Pin(cpus_.front());
    helper_ = std::thread([this, own_cpu] {
      Pin(own_cpu ? cpus_.back() : cpus_.front());
      while (!ends_.load()) {
        if (task_.load() == nullptr) {
          std::this_thread::yield();
          continue;
        }
        body_(task_.load(), 0, 2);
        task_.store(nullptr);
      }
    });
  }
  ~HelpingPool() {
    ends_.store(true);
    helper_.join();
    sched_setaffinity(0, sizeof(all_), &all_);
  }
  std::size_t cpus() const { return cpus_.size(); }
  // Of so many short calls, one after the other and at once after a long one, which is always shared: in how many the pool was
  // asked.
  int CallsOf(int count) {
    const std::vector<float> x(8'000'000);
    std::vector<float> out(x.size());
    Plan long_plan, short_plan;
    const auto make = [&](std::int64_t extent, Plan* plan) {
      const TensorView view(x.data(), DType::kFloat32, {extent});
      EXPECT_TRUE(Plan::Make(*FindOp("add"), {view, view}, {out.data(), DType::kFloat32, view.shape}, {}, plan).ok());
      EXPECT_TRUE(plan->Describe().parallel);
    };
    make(8'000'000, &long_plan);
    make(60'000, &short_plan);
    ExecuteOptions options;
    options.pool = &pool_;
    std::this_thread::sleep_for(std::chrono::nanoseconds(10 * AwakeGuess::kAwake));
    const void* inputs[] = {x.data(), x.data()};
    EXPECT_TRUE(long_plan.Execute(inputs, out.data(), options).ok());
    calls_ = 0;
    for (int i = 0; i < count; ++i) EXPECT_TRUE(short_plan.Execute(inputs, out.data(), options).ok());
    return calls_;
  }

 private:
  static void Pin(int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof(one), &one);
  }
  static void ParallelFor(void* context, std::int64_t, axiscast_thread_pool_body body, void* task) {
    auto& self = *static_cast<HelpingPool*>(context);
    ++self.calls_;
    self.body_ = body;
    self.task_.store(task);
    while (self.task_.load() != nullptr) std::this_thread::yield();
  }

  cpu_set_t all_;
  std::vector<int> cpus_;
  axiscast_thread_pool pool_;
  int calls_ = 0;
  axiscast_thread_pool_body body_ = nullptr;
  std::atomic<void*> task_{nullptr};
  std::atomic<bool> ends_{false};
  std::thread helper_;  // last: it uses the rest
};

// How often another process or thread took a CPU from this one.
long Interruptions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

TEST(ShortCalls, AreSharedWithThoseWhoHelp) {
  HelpingPool pool(true);
  if (pool.cpus() < 2) GTEST_SKIP() << "one CPU: nobody can help";
  // Where others keep both CPUs busy, the caller may be away for longer than helpers are taken to be awake, and calls that nobody
  // shares take longer than that under sanitizers: then only the next long call is shared again.
  int most = 0, quiet_rounds = 0;
  for (int round = 0; round < 50 && most <= 50; ++round) {
    const long before = Interruptions();
    most = std::max(most, pool.CallsOf(100));
    quiet_rounds += Interruptions() == before;
  }
  if (most <= 50 && quiet_rounds < 5) GTEST_SKIP() << "other processes took a CPU away in " << 50 - quiet_rounds << " of 50 rounds";
  EXPECT_GT(most, 50);
}

// Of less than 3.2 us: where calls follow each other, threads come that stand by.
TEST(ShortCalls, AreSharedWithThoseWhoStandBy) {
  static KernelFunction add = nullptr;
  static std::atomic<int> by_others{0};
  static std::thread::id caller;
  const DType inputs[] = {DType::kFloat32, DType::kFloat32};
  OpDefinition definition{};
  definition.info.name = "counted";
  definition.info.arity = 2;
  definition.info.doc = "out = x + y";
  definition.kernels = {*FindOp("add")->FindKernel(inputs)};
  add = definition.kernels[0].run;
  definition.kernels[0].choose = nullptr;
  definition.kernels[0].run = [](const Tile& tile, const void* const* in, void* out) {
    if (std::this_thread::get_id() != caller) by_others.fetch_add(1, std::memory_order_relaxed);
    add(tile, in, out);
  };
  RegistryBuilder builder(Registry::BuiltIn());
  ASSERT_TRUE(builder.Add(definition).ok());
  const Registry registry = builder.Build();
  const Op* op = nullptr;
  ASSERT_TRUE(registry.Find("counted", &op).ok());
  std::vector<float> x(100'000), out(x.size());
  Plan plan;
  const auto seconds = [&plan] { return plan.Describe().estimated_seconds; };
  for (std::int64_t n = 500; seconds() < 2.2e-6; n += 500) {
    ASSERT_LT(n, 100'000);
    const TensorView view(x.data(), DType::kFloat32, {n});
    ASSERT_TRUE(Plan::Make(*op, {view, view}, {out.data(), DType::kFloat32, view.shape}, {}, &plan).ok());
  }
  if (seconds() > 3.2e-6) GTEST_SKIP() << "no size takes so long";
  ASSERT_TRUE(plan.Describe().parallel);
  if (HelpingPool(true).cpus() < 2) GTEST_SKIP() << "one CPU: nobody can stand by";
  const void* pointers[] = {x.data(), x.data()};
  constexpr int kCalls = 5000;
  // Seconds of a call, of so many in a row on a thread that makes its first ones.
  const auto run = [&](int threads) {
    double each = 0;
    std::thread([&] {
      caller = std::this_thread::get_id();
      ExecuteOptions options;
      options.max_threads = threads;
      const auto begin = std::chrono::steady_clock::now();
      for (int call = 0; call < kCalls; ++call) ASSERT_TRUE(plan.Execute(pointers, out.data(), options).ok());
      each = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / kCalls;
    }).join();
    return each;
  };
  by_others = 0;
  int quiet_rounds = 0;
  for (int round = 0; round < 50 && by_others < 1000; ++round) {
    if (run(1) > seconds() + 1.5e-6) continue;  // too far from each other: not optimised, or with a sanitizer, or beside others
    const long before = Interruptions();
    run(0);
    quiet_rounds += Interruptions() == before;
  }
  if (by_others < 1000 && quiet_rounds < 5) {
    GTEST_SKIP() << "calls took too long, or other processes a CPU away, in " << 50 - quiet_rounds << " of 50 rounds";
  }
  EXPECT_GE(by_others, 1000);
}

TEST(ShortCalls, AreNotSharedOnOneCpu) {
  HelpingPool pool(false);
  EXPECT_LT(pool.CallsOf(5'000), 2'500);
}
#endif

TEST(ShortCalls, AreNotSharedWithPoolsThatUseTheCaller) {
  const std::vector<float> x(60'000);
  std::vector<float> out(x.size());
  Plan plan;
  const TensorView view(x.data(), DType::kFloat32, {static_cast<std::int64_t>(x.size())});
  ASSERT_TRUE(Plan::Make(*FindOp("add"), {view, view}, {out.data(), DType::kFloat32, view.shape}, {}, &plan).ok());
  const test::ForeignPool pool(test::PoolHabit::kAllOnCaller, 2);
  ExecuteOptions options;
  options.pool = pool.get();
  const void* inputs[] = {x.data(), x.data()};
  std::this_thread::sleep_for(std::chrono::nanoseconds(10 * AwakeGuess::kAwake));
  for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(plan.Execute(inputs, out.data(), options).ok());
  EXPECT_LT(pool.calls(), 10'000);
}

// One thread goes straight to the kernel; those of several, many in a row, are shared where a helper comes; and tiles are streamed
// one by one.
TEST(ShortCalls, HaveTheSameResultsHoweverTheyAreRun) {
  struct Case {
    Shape x, y;
    std::int64_t y_stride_0, y_stride_1;  // elements, of the result's two dims
  };
  for (const Case& c : {Case{{1, 20'001}, {1, 20'001}, 0, 1}, Case{{1, 20'001}, {}, 0, 0}, Case{{311, 64}, {64}, 0, 1},
                        Case{{143, 131}, {143, 1}, 1, 0}, Case{{7000, 3}, {7000, 1}, 1, 0}, Case{{9000, 3}, {3}, 0, 1}}) {
    const std::int64_t rows = c.x[0], cols = c.x[1];
    std::vector<float> x(static_cast<std::size_t>(rows * cols) + 1), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1009) * 0.25f;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(i % 127) - 60;
    for (const std::size_t off : {std::size_t{0}, std::size_t{1}}) {  // where the output begins
      std::vector<float> out(x.size());
      Plan plan;
      const Status made = Plan::Make(*FindOp("subtract"), {{x.data(), DType::kFloat32, c.x}, {y.data(), DType::kFloat32, c.y}},
                                     {out.data() + off, DType::kFloat32, c.x}, {}, &plan);
      ASSERT_TRUE(made.ok()) << made.message();
      const void* inputs[] = {x.data(), y.data()};
      for (const int threads : {1, 0, 2}) {
        for (const StorePolicy stores : {StorePolicy::kAuto, StorePolicy::kCached, StorePolicy::kStream}) {
          ExecuteOptions options;
          options.max_threads = threads;
          options.stores = stores;
          for (int call = 0; call < 400; ++call) ASSERT_TRUE(plan.Execute(inputs, out.data() + off, options).ok());
          std::fill(out.begin(), out.end(), -1.0f);
          ASSERT_TRUE(plan.Execute(inputs, out.data() + off, options).ok());
          for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t k = 0; k < cols; ++k) {
              const float expected =
                  x[static_cast<std::size_t>(r * cols + k)] - y[static_cast<std::size_t>(r * c.y_stride_0 + k * c.y_stride_1)];
              ASSERT_EQ(out[off + static_cast<std::size_t>(r * cols + k)], expected)
                  << "(" << rows << "," << cols << ") threads " << threads << " at " << r << "," << k;
            }
          }
        }
      }
    }
  }
}

// Of 500 to 900 KB: waking threads takes longer.
TEST(ShortCalls, DoNotWakeThreads) {
  const std::vector<float> x(1 << 24);
  std::vector<std::int64_t> index(1 << 18);
  const auto table = [&](std::int64_t rows) { return TensorView(x.data(), DType::kFloat32, {rows, 64}); };
  const auto rows_of = [&](std::int64_t rows) { return TensorView(index.data(), DType::kInt64, {rows}); };
  EXPECT_EQ(PoolCallsOf("add", {table(1100), table(1100)}, {1100, 64}, {}), 0);
  EXPECT_EQ(PoolCallsOf("sum_to", {table(3000)}, {3000, 1}, {{"shape", Shape{3000, 1}}}), 0);
  EXPECT_EQ(PoolCallsOf("gather", {table(1000), rows_of(1000)}, {1000, 64}, {{"dim", 0}}), 0);
  EXPECT_GT(PoolCallsOf("add", {table(200'000), table(200'000)}, {200'000, 64}, {}), 0);
  EXPECT_GT(PoolCallsOf("sum_to", {table(200'000)}, {200'000, 1}, {{"shape", Shape{200'000, 1}}}), 0);
  EXPECT_GT(PoolCallsOf("gather", {table(200'000), rows_of(200'000)}, {200'000, 64}, {{"dim", 0}}), 0);
}

}  // namespace
}  // namespace axiscast
