// What is refused around a call, or is not: whose names messages use, calls in place, pools, null names, plans that hold nothing,
// null pointers. What is wrong with operands and attributes is in plan_refused_test.cc.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(Call, MessagesUseTheCallersNames) {
  const std::vector<float> x(6, 1), y(4, 2);
  std::vector<float> out(6, 3);
  const char* const names[] = {"image", "bias"};
  ApplyOptions options;
  options.caller = "conv_bias";
  options.names = names;
  const Status status = Apply(*FindOp("add"), {{x.data(), {2, 3}}, {y.data(), {4}}}, {out.data(), {2, 3}}, options);
  EXPECT_STREQ(status.message(),
               "conv_bias: dimensions must be equal or 1; got image[1] = 3 and bias[0] = 4 (image [2, 3], bias [4])");
}

// A null name once was an error of memory.
TEST(Call, OfNamesOfWhichOneIsNullUsesTheOps) {
  const std::vector<float> x(6, 1), y(4, 2);
  std::vector<float> out(6, 0);
  const char* const names[] = {"image", nullptr};
  ApplyOptions options;
  options.names = names;
  EXPECT_TRUE(Apply(*FindOp("add"), {{x.data(), {2, 3}}, {y.data(), {1}}}, {out.data(), {2, 3}}, options).ok());
  EXPECT_EQ(out, std::vector<float>(6, 3));  // 1 + 2
  const Status status = Apply(*FindOp("add"), {{x.data(), {2, 3}}, {y.data(), {4}}}, {out.data(), {2, 3}}, options);
  EXPECT_STREQ(status.message(), "add: dimensions must be equal or 1; got x[1] = 3 and y[0] = 4 (x [2, 3], y [4])");
  Expression sum;
  ASSERT_TRUE(Expression::Parse("add(add(a, b), 1)", Registry::BuiltIn(), &sum).ok());
  PlanOptions plan_options;
  plan_options.names = names;
  Plan plan;
  EXPECT_TRUE(Plan::Make(sum, {{x.data(), {2, 3}}, {y.data(), {1}}}, {out.data(), {2, 3}}, plan_options, &plan).ok());
}

TEST(Call, InPlaceIsRefusedUnderTheNameOfTheOpAndAnUnderscore) {
  const std::vector<float> ones(64, 1), y(64, 2);
  std::vector<float> memory = ones;
  const MutableTensorView x{memory.data(), {1, 3, 1}};
  Status status = ApplyInPlace(*FindOp("add"), x, {{y.data(), {3, 1, 7}}});
  EXPECT_EQ(status.code(), StatusCode::kInvalidShape);
  EXPECT_STREQ(status.message(), "add_: the result [3, 3, 7] does not have the shape of x [1, 3, 1]");
  status = ApplyInPlace(*FindOp("less"), x, {{y.data(), {1}}});
  EXPECT_EQ(status.code(), StatusCode::kUnsupportedDType);
  EXPECT_STREQ(status.message(), "less_: x must have the result's dtype bool; got float32");
  status = ApplyInPlace(*FindOp("add"), {memory.data(), DType::kFloat32, {3}, {0}}, {{y.data(), {1}}});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(
      status.message(),
      "add_: x overlaps itself, so that elements of the result would be written over each other; use a destination with memory "
      "of its own for each element (x [3], byte strides [0])");
  EXPECT_EQ(memory, ones);
}

TEST(Call, APoolWithoutFunctionsIsRefused) {
  float x[] = {1}, out[] = {3};
  axiscast_thread_pool pool{};
  ApplyOptions options;
  options.pool = &pool;
  Status status = Apply(*FindOp("negative"), {{x, {1}}}, {out, {1}}, options);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(status.message(), "negative: the thread pool's struct_size must be 32 or more; got 0");
  pool.struct_size = sizeof(pool);
  status = Apply(*FindOp("negative"), {{x, {1}}}, {out, {1}}, options);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(status.message(), "negative: the thread pool must have both functions, parallel_for and concurrency");
  EXPECT_EQ(out[0], 3);
}

// As the C API refuses them, wherever a call is made, of plans that are one call of a kernel and others.
TEST(Call, AnImpossibleNumberOfThreadsAndStoresAreRefused) {
  constexpr const char* kThreads = "negative: max_threads must be 0 or more; got -1";
  constexpr const char* kStores = "negative: stores must be a value of its enum, 0 to 2; got 77";
  ExecuteOptions threads, stores;
  threads.max_threads = -1;
  stores.stores = static_cast<StorePolicy>(77);
  for (const std::int64_t elements : {3, 300'000}) {
    const std::vector<float> x(static_cast<std::size_t>(elements));
    std::vector<float> out(x.size(), 3);
    Plan plan;
    ASSERT_TRUE(Plan::Make(*FindOp("negative"), {{x.data(), {elements}}}, {out.data(), {elements}}, {}, &plan).ok());
    const void* const inputs[] = {x.data()};
    EXPECT_STREQ(plan.Execute(inputs, out.data(), threads).message(), kThreads);
    EXPECT_STREQ(plan.Execute(inputs, out.data(), stores).message(), kStores);
    for (const int parts : {1, 2}) {
      EXPECT_STREQ(plan.ExecutePart(inputs, out.data(), 0, parts, stores.stores).message(), kStores);
    }
    ApplyOptions options;
    options.max_threads = -1;
    EXPECT_STREQ(Apply(*FindOp("negative"), {{x.data(), {elements}}}, {out.data(), {elements}}, options).message(), kThreads);
    EXPECT_EQ(out, std::vector<float>(x.size(), 3));
  }
}

TEST(Call, ValuesOfNoEnumAreRefused) {
  float x[] = {1}, out[] = {3};
  std::int32_t index[] = {0};
  IndexOptions options;
  options.max_threads = -4;
  EXPECT_STREQ(Gather({x, {1}}, {index, {1}}, 0, {out, {1}}, options).message(), "gather: max_threads must be 0 or more; got -4");
  options = {};
  EXPECT_STREQ(Scatter({x, {1}}, {index, {1}}, {x, {1}}, 0, static_cast<ScatterReduce>(9), {out, {1}}, options).message(),
               "scatter: reduce must be a value of its enum, 0 to 5; got 9");
  options.mode = static_cast<IndexMode>(200);
  EXPECT_STREQ(Gather({x, {1}}, {index, {1}}, 0, {out, {1}}, options).message(),
               "gather: the mode must be a value of its enum, 0 to 2; got 200");
  EXPECT_EQ(out[0], 3);
}

TEST(Call, NullNamesAreRefused) {
  float x[] = {1}, out[] = {3};
  ApplyOptions options;
  options.attributes.emplace_back(nullptr, 1);
  EXPECT_STREQ(Apply(*FindOp("clip"), {{x, {1}}}, {out, {1}}, options).message(), "clip: the name of an attribute is null");
  EXPECT_STREQ(Elementwise(nullptr, {x, {1}}, {x, {1}}, {out, {1}}).message(), "elementwise: the name of the op is null");
  EXPECT_STREQ(Plan::Make(*FindOp("clip"), {{x, {1}}}, {out, {1}}, {}, nullptr).message(), "clip: the pointer to the plan is null");
  EXPECT_EQ(out[0], 3);
}

TEST(Call, AnEmptyPlanAndAWrongNumberOfPointersAreRefused) {
  Plan plan;
  float x = 1, out = 3;
  Status status = plan.Execute({&x}, &out);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(status.message(), "execute: the plan is empty; make it with Plan::Make");
  EXPECT_TRUE(plan.empty());
  EXPECT_EQ(plan.shape(), Shape());
  ASSERT_TRUE(Plan::Make(*FindOp("add"), {{&x, {}}, {&x, {}}}, {&out, {}}, {}, &plan).ok());
  status = plan.Execute({&x}, &out);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(status.message(), "add: the plan takes 2 inputs; got 1");
  EXPECT_EQ(out, 3);
  EXPECT_TRUE(plan.Execute({&x, &x}, &out).ok());
  EXPECT_EQ(out, 2);
}

TEST(Call, AFailedMakeLeavesThePlanAsItWas) {
  float x[] = {1, 2}, out[] = {0, 0};
  Plan plan;
  ASSERT_TRUE(Plan::Make(*FindOp("add"), {{x, {2}}, {x, {2}}}, {out, {2}}, {}, &plan).ok());
  EXPECT_FALSE(Plan::Make(*FindOp("add"), {{x, {2}}, {x, {2}}}, {out, {1}}, {}, &plan).ok());
  ASSERT_TRUE(plan.Execute({x, x}, out).ok());
  EXPECT_EQ(out[1], 4);
}

TEST(Call, NullPointersAreFineWhereThereAreNoElements) {
  EXPECT_TRUE(Apply(*FindOp("add"), {{static_cast<float*>(nullptr), {0, 3}}, {static_cast<float*>(nullptr), {0, 1}}},
                    {static_cast<float*>(nullptr), {0, 3}})
                  .ok());
  const float one = 1;
  EXPECT_TRUE(
      Apply(*FindOp("add"), {{static_cast<float*>(nullptr), {2, 0}}, {&one, {1}}}, {static_cast<float*>(nullptr), {2, 0}}).ok());
  // Strides do not matter where there are no elements.
  const TensorView odd{nullptr, DType::kFloat32, {0, kMax}, {kMax, kMax}};
  EXPECT_TRUE(Apply(*FindOp("add"), {odd, odd}, {nullptr, DType::kFloat32, {0, kMax}, {0, 0}}).ok());
}

}  // namespace
}  // namespace axiscast
