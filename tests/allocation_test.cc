// Executing a small plan allocates nothing, nor does an eager call that was made before.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "core/plan_cache.h"
#include "tests/testing/own_malloc.h"
#include "tests/testing/thread_pools.h"

namespace axiscast {
namespace {

TEST_F(Allocation, IsCounted) {
  void* volatile memory = nullptr;
  const auto keep = [&](void* made) { memory = made; };
  EXPECT_EQ(CountAllocations([&] { keep(std::malloc(8)); }), 1);
  EXPECT_EQ(outstanding, 1);
  EXPECT_EQ(CountAllocations([&] { std::free(memory); }), 0);
  EXPECT_EQ(outstanding, -1);
  EXPECT_EQ(CountAllocations([&] { keep(std::aligned_alloc(64, 64)); }), 1);
  std::free(memory);
  EXPECT_EQ(CountAllocations([&] { keep(std::calloc(1, 8)); }), 1);
  std::free(memory);
  EXPECT_EQ(CountAllocations([&] { keep(::operator new(8)); }), 1);
  ::operator delete(memory);
  EXPECT_EQ(CountAllocations([&] { keep(::operator new(128, std::align_val_t(128))); }), 1);
  ::operator delete(memory, std::align_val_t(128));
}

struct SmallPlan {
  const char* name;
  const char* op;
  DType dtype;
  Shape x_shape;
  ByteStrides x_strides;
  Shape y_shape;
  ByteStrides y_strides;
  Shape out_shape;
  ByteStrides out_strides;
  std::int64_t shift = 0;  // of every pointer
};

const SmallPlan kSmallPlans[] = {
    {"eight", "add", DType::kFloat32, {8}, {4}, {8}, {4}, {8}, {4}},
    {"scalar", "add", DType::kFloat32, {}, {}, {}, {}, {}, {}},
    {"row", "add", DType::kFloat32, {4, 4}, {16, 4}, {4}, {4}, {4, 4}, {16, 4}},
    {"short_pattern", "add", DType::kFloat32, {100, 3}, {12, 4}, {3}, {4}, {100, 3}, {12, 4}},
    {"repeat_each", "add", DType::kFloat32, {100, 3}, {12, 4}, {100, 1}, {4, 4}, {100, 3}, {12, 4}},
    {"transposed_input", "add", DType::kInt16, {20, 30}, {2, 40}, {30}, {2}, {20, 30}, {60, 2}},
    {"sliced_out", "add", DType::kInt8, {20, 30}, {30, 1}, {30}, {1}, {20, 30}, {90, 2}},
    {"misaligned", "add", DType::kFloat32, {4, 4}, {16, 4}, {4}, {4}, {4, 4}, {16, 4}, 1},
    {"misaligned_int64", "subtract", DType::kInt64, {33}, {8}, {1}, {8}, {33}, {8}, 3},
    {"odd_strides", "add", DType::kInt32, {9, 3}, {13, 4}, {3}, {4}, {9, 3}, {12, 4}},
    {"divided", "divide", DType::kInt32, {10, 3}, {12, 4}, {3}, {4}, {10, 3}, {12, 4}},
    {"divided_misaligned", "divide", DType::kInt32, {10, 3}, {12, 4}, {3}, {4}, {10, 3}, {12, 4}, 1},
    {"divided_by_reversed", "divide", DType::kInt32, {10, 3}, {12, 4}, {10, 3}, {4, 80}, {10, 3}, {12, 4}},
    {"empty", "add", DType::kFloat32, {0, 4}, {16, 4}, {4}, {4}, {0, 4}, {16, 4}},
};

TEST_F(Allocation, IsNoneWhenASmallPlanIsExecuted) {
  std::vector<std::byte> x(8192, std::byte{1}), y(8192, std::byte{1}), out(8192);
  for (const SmallPlan& c : kSmallPlans) {
    SCOPED_TRACE(c.name);
    const std::byte *xp = x.data() + c.shift, *yp = y.data() + c.shift;
    Plan plan;
    const MutableTensorView result{out.data() + c.shift, c.dtype, c.out_shape, c.out_strides};
    ASSERT_TRUE(
        Plan::Make(*FindOp(c.op), {{xp, c.dtype, c.x_shape, c.x_strides}, {yp, c.dtype, c.y_shape, c.y_strides}}, result, {}, &plan)
            .ok());
    ASSERT_TRUE(c.out_shape == Shape({0, 4}) || !plan.Describe().parallel);
    const void* const inputs[] = {xp, yp};
    Status status, again, from_list;
    EXPECT_EQ(CountAllocations([&] {
                status = plan.Execute(inputs, result.data);
                again = plan.Execute(inputs, result.data, {1, nullptr, nullptr});
                from_list = plan.Execute({xp, yp}, result.data);
              }),
              0);
    EXPECT_TRUE(status.ok() && again.ok() && from_list.ok()) << status.message();
  }
  // In place, exactly.
  Plan plan;
  ASSERT_TRUE(Plan::Make(*FindOp("add"), {{nullptr, DType::kFloat32, {8}}, {nullptr, DType::kFloat32, {8}}},
                         {nullptr, DType::kFloat32, {8}}, {}, &plan)
                  .ok());
  const void* const inputs[] = {x.data(), y.data()};
  Status status;
  EXPECT_EQ(CountAllocations([&] { status = plan.Execute(inputs, x.data()); }), 0);
  EXPECT_TRUE(status.ok());
  // The copy of a partial overlap does allocate: the counter would see it.
  EXPECT_GT(CountAllocations([&] { status = plan.Execute(inputs, x.data() + 4); }), 0);
  EXPECT_TRUE(status.ok());
}

TEST_F(Allocation, IsNoneWhenAPlanForPatternsIsBound) {
  std::vector<std::byte> x(8192, std::byte{1}), y(8192, std::byte{1}), out(8192);
  for (const SmallPlan& c : kSmallPlans) {
    SCOPED_TRACE(c.name);
    std::vector<Pattern> patterns(2);
    for (int d = 0; d < c.x_shape.rank(); ++d) patterns[0].push_back(kN);
    for (int d = 0; d < c.y_shape.rank(); ++d) patterns[1].push_back(c.y_shape[d] == 1 ? kB : kN);
    PlanOptions options;
    options.patterns = patterns.data();
    PatternPlan plan;
    ASSERT_TRUE(PatternPlan::Make(*FindOp(c.op), {c.dtype, c.dtype}, options, &plan).ok());
    const TensorView inputs[] = {{x.data() + c.shift, c.dtype, c.x_shape, c.x_strides},
                                 {y.data() + c.shift, c.dtype, c.y_shape, c.y_strides}};
    Status status;
    EXPECT_EQ(CountAllocations([&] {
                status = plan.Execute(inputs, 2, {out.data() + c.shift, c.dtype, c.out_shape, c.out_strides});
              }),
              0);
    EXPECT_TRUE(status.ok()) << status.message();
  }
  // The highest rank: no dims merge, and every other one is stretched.
  Shape shape, small;
  std::vector<Pattern> patterns(2);
  for (int d = 0; d < kMaxRank; ++d) {
    shape.push_back(d % 8 < 2 && d < 32 ? 2 : 1);
    small.push_back(d % 8 == 0 && d < 32 ? 2 : 1);
    patterns[0].push_back(kN);
    patterns[1].push_back(small[d] == 2 ? kN : kB);
  }
  PlanOptions options;
  options.patterns = patterns.data();
  PatternPlan plan;
  ASSERT_TRUE(PatternPlan::Make(*FindOp("add"), {DType::kInt8, DType::kInt8}, options, &plan).ok());
  const TensorView inputs[] = {{x.data(), DType::kInt8, shape}, {y.data(), DType::kInt8, small}};
  const MutableTensorView result{out.data(), DType::kInt8, shape};
  Status status;
  EXPECT_EQ(CountAllocations([&] { status = plan.Execute(inputs, 2, result); }), 0);
  EXPECT_TRUE(status.ok()) << status.message();
  // What does not fit is planned anew, for its message: the counter would see it.
  EXPECT_GT(CountAllocations([&] { status = plan.Execute(inputs, 1, result); }), 0);
  EXPECT_FALSE(status.ok());
}

TEST_F(Allocation, IsNoneWhenAnEagerCallIsMadeAgain) {
  std::vector<std::byte> x(8192, std::byte{1}), y(8192, std::byte{1}), out(8192);
  for (const SmallPlan& c : kSmallPlans) {
    std::int64_t at = c.shift;
    ExpectNoneAgain(c.name, [&] {
      at += 64;
      return Apply(*FindOp(c.op),
                   {{x.data() + at, c.dtype, c.x_shape, c.x_strides}, {y.data() + at, c.dtype, c.y_shape, c.y_strides}},
                   {out.data() + at, c.dtype, c.out_shape, c.out_strides});
    });
  }
  const TensorView image{x.data(), DType::kInt32, {2, 3, 4, 5}}, bias{y.data(), DType::kInt32, {3, 4}};
  const MutableTensorView result{out.data(), DType::kInt32, {2, 3, 4, 5}};
  const char* const names[] = {"the first operand of the call", "the second operand of the call"};
  ApplyOptions options;
  options.axis = 1;
  ExpectNoneAgain("in place", [&] { return ApplyInPlace(*FindOp("squared_difference"), result, {bias}, options); });
  options.caller = "somebody with a name that is long";
  options.names = names;
  ExpectNoneAgain("with names", [&] { return Apply(*FindOp("squared_difference"), {image, bias}, result, options); });
  ExpectNoneAgain("elementwise_add", [&] { return elementwise_add(image, bias, result, 1); });
  ExpectNoneAgain("Elementwise", [&] { return Elementwise("elementwise_floordiv", image, bias, result, 1); });
  ApplyOptions with_attributes;
  with_attributes.attributes = {{"min", 3}, {"max", 7u}};
  ExpectNoneAgain("clip", [&] { return Apply(*FindOp("clip"), {image}, result, with_attributes); });
  ApplyOptions to_shape;
  to_shape.attributes = {{"shape", Shape{3, 1, 5}}};
  const MutableTensorView sums{out.data(), DType::kInt32, {3, 1, 5}};
  ExpectNoneAgain("sum_to", [&] { return Apply(*FindOp("sum_to"), {image}, sums, to_shape); });
}

TEST_F(Allocation, IsBoundedHoweverManyDifferentCalls) {
  std::vector<float> memory(3000), out(3000);
  const auto call = [&](std::int64_t n) {
    EXPECT_TRUE(Apply(*FindOp("add"), {{memory.data(), {n}}, {memory.data(), {n}}}, {out.data(), {n}}).ok());
  };
  call(1);
  ForgetPlans();
  (void)CountAllocations([&] { call(1); });
  const std::int64_t one = outstanding;  // the cache, too
  EXPECT_GT(one, 2);
  ForgetPlans();
  (void)CountAllocations([&] {
    for (std::int64_t n = 1; n <= 3000; ++n) call(n);
  });
  EXPECT_GT(outstanding, one * 10);
  EXPECT_LE(outstanding, one * kPlanCacheSets * kPlanCacheWays);
  const std::int64_t kept = outstanding;
  (void)CountAllocations([&] { ForgetPlans(); });
  EXPECT_EQ(outstanding, -kept);
}

TEST_F(Allocation, EndsWithTheThread) {
  static std::vector<float> memory(8);
  ASSERT_TRUE(elementwise_add({memory.data(), {8}}, {memory.data(), {8}}, {memory.data(), {8}}).ok());
  outstanding_anywhere = 0;
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, nullptr,
                [](void*) -> void* {
                  counting = true;  // until the thread is gone
                  for (std::int64_t n = 1; n <= 8; ++n) {
                    EXPECT_TRUE(elementwise_add({memory.data(), {n}}, {memory.data(), {n}}, {memory.data(), {n}}).ok());
                  }
                  EXPECT_GT(outstanding_anywhere, 50);
                  return nullptr;
                },
                nullptr),
            0);
  pthread_join(thread, nullptr);
  EXPECT_EQ(outstanding_anywhere, 0);
}

}  // namespace
}  // namespace axiscast
