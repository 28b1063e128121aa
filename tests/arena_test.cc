// Calls that oneTBB's threads share: in an arena of many places, inside of each other, in a host's group that is cancelled, and
// with a caller whose floating-point environment is not the arena's.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/thread_pools.h"

namespace axiscast::test {
namespace {

constexpr std::int64_t kCount = 1 << 22;  // long enough that threads are woken for it

// out = x * y of kCount elements, all of them the same.
class Product {
 public:
  Product(float x, float y) : x_(kCount, x), y_(kCount, y), out_(kCount) {
    const Shape shape{kCount};
    const TensorView views[] = {TensorView(x_.data(), shape), TensorView(y_.data(), shape)};
    EXPECT_TRUE(Plan::Make(*FindOp("multiply"), views, 2, MutableTensorView(out_.data(), shape), {}, &plan_).ok());
  }
  Status Run(const ExecuteOptions& options = {}) {
    std::fill(out_.begin(), out_.end(), -1.0f);
    const void* inputs[] = {x_.data(), y_.data()};
    return plan_.Execute(inputs, out_.data(), options);
  }
  std::int64_t CountOf(float value) const { return std::count(out_.begin(), out_.end(), value); }

 private:
  std::vector<float> x_, y_, out_;
  Plan plan_;
};

TEST(Arena, OfManyPlaces) {
  Product product(2, 3);
  ExecuteOptions options;
  for (const int places : {1, 2, 3, 8, 16}) {
    tbb::task_arena arena(places);
    options.task_arena = &arena;
    for (int call = 0; call < 5; ++call) {
      ASSERT_TRUE(product.Run(options).ok());
      ASSERT_EQ(product.CountOf(6), kCount) << places << " places";
    }
  }
}

// The threads of one may be away while another one's are called.
TEST(Arena, OfTwoByTurns) {
  Product product(2, 3);
  tbb::task_arena arenas[] = {tbb::task_arena(2), tbb::task_arena(3)};
  for (int call = 0; call < 20; ++call) {
    ExecuteOptions options;
    if (call % 3 > 0) options.task_arena = &arenas[call % 3 - 1];
    ASSERT_TRUE(product.Run(options).ok());
    ASSERT_EQ(product.CountOf(6), kCount) << call;
  }
}

// A caller for whom there is no place hands its call to a thread that has one.
TEST(Arena, WhosePlacesAreAllTaken) {
  tbb::task_arena arena(2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&arena, t] {
      Product product(2, static_cast<float>(t));
      ExecuteOptions options;
      options.task_arena = &arena;
      for (int call = 0; call < 10; ++call) {
        EXPECT_TRUE(product.Run(options).ok());
        EXPECT_EQ(product.CountOf(2 * static_cast<float>(t)), kCount);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A host that wants no other threads gets none.
TEST(Arena, OfAHostThatAllowsOneThread) {
  Product product(2, 3);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  for (int call = 0; call < 3; ++call) {
    ASSERT_TRUE(product.Run().ok());
    ASSERT_EQ(product.CountOf(6), kCount);
  }
}

// A kernel that makes a shared call of its own, in whatever thread it is.
Plan* inner_plan = nullptr;
std::atomic<std::int64_t> inner_calls{0}, inner_failures{0};
void NegateByAnotherCall(const Tile& tile, const void* const* inputs, void* out) {
  for (std::int64_t i = 0; i < tile.rows * tile.cols; ++i) static_cast<float*>(out)[i] = -static_cast<const float*>(inputs[0])[i];
  thread_local std::vector<float> x(kCount, 3), y(kCount);
  const void* inner_inputs[] = {x.data(), x.data()};
  const Status status = inner_plan->Execute(inner_inputs, y.data());
  inner_failures += !status.ok() || std::count(y.begin(), y.end(), 9.0f) != kCount;
  ++inner_calls;
}

TEST(Arena, OfCallsInsideOfACall) {
  RegistryBuilder builder(Registry::BuiltIn());
  OpDefinition definition{};
  definition.info.name = "negate_by_another_call";
  definition.info.arity = 1;
  definition.info.doc = "out = -x";
  definition.kernels = {{{DType::kFloat32}, DType::kFloat32, DType::kFloat32, &NegateByAnotherCall}};
  ASSERT_TRUE(builder.Add(definition).ok());
  const Registry registry = builder.Build();
  const Op* op = nullptr;
  ASSERT_TRUE(registry.Find("negate_by_another_call", &op).ok());
  std::vector<float> x(kCount, 5), out(x.size());
  const Shape shape{kCount};
  const TensorView view(x.data(), shape);
  Plan outer, inner;
  ASSERT_TRUE(Plan::Make(*op, &view, 1, MutableTensorView(out.data(), shape), {}, &outer).ok());
  std::vector<float> place(kCount);
  const TensorView inner_views[] = {TensorView(place.data(), shape), TensorView(place.data(), shape)};
  std::vector<float> inner_out(kCount);
  ASSERT_TRUE(Plan::Make(*FindOp("multiply"), inner_views, 2, MutableTensorView(inner_out.data(), shape), {}, &inner).ok());
  inner_plan = &inner;
  const void* inputs[] = {x.data()};
  for (int call = 0; call < 3; ++call) ASSERT_TRUE(outer.Execute(inputs, out.data()).ok());
  EXPECT_EQ(std::count(out.begin(), out.end(), -5.0f), kCount);
  EXPECT_GT(inner_calls, 3);
  EXPECT_EQ(inner_failures, 0);
}

TEST(Arena, OfAHostThatCancels) {
  Product product(2, 3);
  for (int call = 0; call < 5; ++call) {
    Status status;
    tbb::task_group host;
    host.run_and_wait([&] {
      host.cancel();
      status = product.Run();
    });
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(product.CountOf(6), kCount);
  }
}

#if defined(__SSE2__)
// Subnormals are honoured whatever mode the caller is in, whoever shares the call.
TEST(Arena, OfACallerThatFlushesSubnormals) {
  if (tbb::this_task_arena::max_concurrency() < 2) GTEST_SKIP() << "one CPU: nothing is shared";
  Product product(1e-38f, 0.1f);
  const ForeignPool pool(PoolHabit::kThreads, 2);
  const unsigned before = _MM_GET_FLUSH_ZERO_MODE();
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);  // threads that are made now begin in this mode
  tbb::task_arena arena(2);
  arena.initialize();
  for (const char* threads : {"the current arena", "an arena", "a pool"}) {
    ExecuteOptions options;
    if (std::strcmp(threads, "an arena") == 0) options.task_arena = &arena;
    if (std::strcmp(threads, "a pool") == 0) options.pool = pool.get();
    for (int call = 0; call < 5; ++call) {
      ASSERT_TRUE(product.Run(options).ok());
      EXPECT_EQ(product.CountOf(0), 0) << threads;
      EXPECT_EQ(_MM_GET_FLUSH_ZERO_MODE(), unsigned{_MM_FLUSH_ZERO_ON}) << threads << ": the mode is the caller's to choose";
    }
  }
  _MM_SET_FLUSH_ZERO_MODE(before);
}
#endif

}  // namespace
}  // namespace axiscast::test
