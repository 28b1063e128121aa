// Wherever memory runs out, a call says so, writes nothing and leaks nothing.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "axiscast/axiscast.h"
#include "core/caches.h"
#include "tests/testing/own_malloc.h"
#include "tests/testing/thread_pools.h"

namespace axiscast {
namespace {

TEST_F(Allocation, OfGatherAndScatter) {
  std::vector<float> x(60, 1), src(40, 2);
  std::vector<std::byte> out(60 * sizeof(float));
  const std::vector<std::int32_t> index = {1, 2, 1, 0, 3, 1, 2, 2};
  const TensorView view{x.data(), {4, 15}}, rows{index.data(), {8}};
  const MutableTensorView taken{out.data(), DType::kFloat32, {2, 15}}, result{out.data(), DType::kFloat32, {4, 15}};
  const TensorView two{index.data(), {2, 1}};
  ApplyOptions options;
  options.attributes = {{"dim", 0}};
  const auto gather = [&] { return Apply(*FindOp("gather"), {view, two}, taken, options); };
  const auto add = [&] { return Apply(*FindOp("scatter_add"), {view, rows, {src.data(), {1, 1}}}, result, options); };
  ExpectNoneAgain("gather", gather);
  ExpectNoneAgain("scatter_add", add);
  EXPECT_GT(FailEachEager(gather, &out), 5);
  EXPECT_GT(FailEachEager(add, &out), 5);
  // Sums are scratch that every call takes; without it, nothing has been written.
  ApplyOptions mean = options;
  mean.attributes.emplace_back("reduce", "mean");
  EXPECT_GT(FailEachEager([&] { return Apply(*FindOp("scatter"), {view, rows, {src.data(), {1, 1}}}, result, mean); }, &out), 7);
  const std::vector<std::int32_t> bad = {4, 0};
  EXPECT_GT(FailEachEager(
                [&] {
                  return Apply(*FindOp("gather"), {view, {bad.data(), {2}}}, taken, options);
                },
                &out, StatusCode::kOutOfRange),
            5);
}

TEST_F(Allocation, FailingWhilePlanning) {
  std::vector<std::byte> memory(4096, std::byte{1}), out(4096, std::byte{9});
  const Op& add = *FindOp("add");
  const Op& divide = *FindOp("divide");
  const Op& clip = *FindOp("clip");
  const TensorView x{memory.data(), DType::kInt32, {2, 3, 4, 5}}, y{memory.data(), DType::kInt32, {3, 4}};
  const MutableTensorView result{out.data(), DType::kInt32, {2, 3, 4, 5}};
  ApplyOptions options;
  options.axis = 1;
  PlanOptions plan_options;
  plan_options.axis = 1;
  EXPECT_GT(FailEach(
                [&] {
                  Plan plan;
                  const Status status = Plan::Make(add, {x, y}, result, plan_options, &plan);
                  EXPECT_EQ(plan.empty(), !status.ok());
                  return status;
                },
                &out),
            5);
  EXPECT_GT(FailEachEager([&] { return Apply(add, {x, y}, result, options); }, &out), 5);
  EXPECT_GT(FailEachEager([&] { return Apply(divide, {x, y}, result, options); }, &out), 5);
  EXPECT_GT(FailEachEager([&] { return ApplyInPlace(add, result, {y}, options); }, &out), 5);
  EXPECT_GT(FailEachEager([&] { return elementwise_add(x, y, result, 1); }, &out), 5);
  ApplyOptions with_attribute;
  with_attribute.attributes = {{"min", 3}};
  EXPECT_GT(FailEachEager([&] { return Apply(clip, {x}, result, with_attribute); }, &out), 5);
}

TEST_F(Allocation, FailingForAPlanForPatterns) {
  std::vector<std::byte> memory(4096, std::byte{1}), out(4096, std::byte{9});
  const Pattern patterns[] = {{kN, kN}, {kB, kN}};
  PlanOptions options;
  options.patterns = patterns;
  const auto make_and_execute = [&] {
    PatternPlan plan;
    Status status = PatternPlan::Make(*FindOp("divide"), {DType::kInt32, DType::kInt32}, options, &plan);
    EXPECT_EQ(plan.empty(), !status.ok());
    if (!status.ok()) return status;
    // Stretched to out: planned anew.
    return plan.Execute({{memory.data(), DType::kInt32, {1, 3}}, {memory.data(), DType::kInt32, {1, 3}}},
                        {out.data(), DType::kInt32, {2, 3}});
  };
  EXPECT_GT(FailEach(make_and_execute, &out), 20);
}

TEST_F(Allocation, FailingForAnExpression) {
  std::vector<std::byte> memory(4096, std::byte{1}), out(2 * 3 * 4 * 4, std::byte{9});
  const TensorView x{memory.data(), DType::kInt32, {2, 3, 4}}, y{memory.data(), DType::kInt32, {3}};
  const MutableTensorView result{out.data(), DType::kInt32, {2, 3, 4}};
  const auto read_plan_and_execute = [&] {
    Expression expression;
    Plan plan;
    Status status =
        Expression::Parse("clip(divide(add(x, 2), y_with_a_name_for_the_heap@1), min=0)", Registry::BuiltIn(), &expression);
    EXPECT_EQ(expression.empty(), !status.ok());
    if (status.ok()) status = Plan::Make(expression, {x, y}, result, {}, &plan);
    EXPECT_EQ(plan.empty(), !status.ok());
    return status.ok() ? plan.Execute({x.data, y.data}, out.data()) : status;
  };
  EXPECT_GT(FailEach(read_plan_and_execute, &out), 30);
  const auto read = [](const char* text) {
    return [text] {
      Expression expression;
      return Expression::Parse(text, Registry::BuiltIn(), &expression);
    };
  };
  std::vector<std::byte> nothing;
  EXPECT_GT(FailEach(read("add(x, add(y, 3z))"), &nothing, StatusCode::kInvalidArgument), 5);
  EXPECT_GT(FailEach(read("add(x, ad(y, 3))"), &nothing, StatusCode::kUnknownName), 5);

  Expression expression;
  Plan plan;
  ASSERT_TRUE(Expression::Parse("maximum(multiply(x, 3), 1)", Registry::BuiltIn(), &expression).ok());
  ASSERT_TRUE(Plan::Make(expression, {x}, result, {}, &plan).ok());
  const void* const inputs[] = {x.data};
  EXPECT_EQ(CountAllocations([&] {
              EXPECT_TRUE(plan.Execute(inputs, out.data()).ok());
              EXPECT_TRUE(plan.ExecutePart(inputs, out.data(), 0, 2).ok());
            }),
            0);
}

TEST_F(Allocation, FailingForDenseCopiesOfPairedInputs) {
  std::vector<std::byte> memory(4096, std::byte{1}), out(4096, std::byte{9});
  const TensorView x{memory.data(), DType::kInt32, {6}}, y{memory.data() + 64, DType::kInt32, {3, 2}, {4, 12}};
  const TensorView dout{memory.data() + 128, DType::kFloat32, {6}};
  ApplyOptions options;
  options.mode = Mode::kPointwise;
  EXPECT_GT(FailEachEager([&] { return Apply(*FindOp("add"), {x, y}, {out.data(), DType::kInt32, {6}}, options); }, &out), 10);
  options.attributes = {{"wrt", 0}};
  const TensorView inputs[] = {dout, {memory.data() + 64, DType::kFloat32, {3, 2}, {4, 12}}, dout};
  EXPECT_GT(FailEachEager(
                [&] {
                  return Apply(*FindOp("multiply_grad"), inputs, 3, {out.data(), DType::kFloat32, {6}}, options);
                },
                &out),
            10);
}

TEST_F(Allocation, FailingForSlabsOfAGradient) {
  const std::int64_t rows = 64, cols = MachineCaches().l2 / 64;  // four L2 caches of floats
  const std::vector<float> x(static_cast<std::size_t>(rows * cols), 1), y(static_cast<std::size_t>(cols), 2);
  std::vector<std::byte> out(y.size() * sizeof(float), std::byte{9});
  const TensorView inputs[] = {{x.data(), {rows, cols}}, {y.data(), {cols}}, {x.data(), {rows, cols}}};
  PlanOptions options;
  options.attributes = {{"wrt", 1}};
  Plan plan;
  ASSERT_TRUE(Plan::Make(*FindOp("multiply_grad"), inputs, 3, {out.data(), DType::kFloat32, {cols}}, options, &plan).ok());
  ExecuteOptions one;
  one.max_threads = 1;
  EXPECT_GT(FailEach([&] { return plan.Execute({x.data(), y.data(), x.data()}, out.data(), one); }, &out), 0);
}

TEST_F(Allocation, FailingWhileSomethingIsRefused) {
  std::vector<std::byte> memory(4096, std::byte{0}), out(4096, std::byte{9});
  const TensorView x{memory.data(), DType::kInt32, {2, 30}}, y{memory.data(), DType::kInt32, {30}},
      z{memory.data(), DType::kInt32, {7}};
  const MutableTensorView result{out.data(), DType::kInt32, {2, 30}};
  const Op& divide = *FindOp("divide");
  EXPECT_GT(FailEachEager([&] { return Apply(divide, {x, y}, result); }, &out, StatusCode::kDivisionByZero), 5);
  EXPECT_GT(FailEachEager([&] { return Apply(divide, {x, z}, result); }, &out, StatusCode::kInvalidShape), 1);
  EXPECT_GT(FailEachEager([&] { return Apply(divide, {x}, result); }, &out, StatusCode::kInvalidArgument), 1);
  EXPECT_GT(FailEachEager(
                [&] {
                  return elementwise_add(x, {nullptr, DType::kInt32, {30}}, result);
                },
                &out, StatusCode::kInvalidArgument),
            1);
  EXPECT_GT(FailEachEager([&] { return Elementwise("elementwise_ad", x, y, result); }, &out, StatusCode::kUnknownName), 1);
}

TEST_F(Allocation, FailingForTheCopyOfAnOverlap) {
  std::vector<std::byte> memory(8192, std::byte{3});
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7);
  const Op& add = *FindOp("add");
  Plan plan;
  // x[2::2] += x[:-2:2], and y lies across both.
  const TensorView x{nullptr, DType::kInt32, {30, 20}, {160, 8}}, y{nullptr, DType::kInt32, {20}, {8}};
  ASSERT_TRUE(Plan::Make(add, {x, y}, {nullptr, DType::kInt32, {30, 20}, {160, 8}}, {}, &plan).ok());
  const void* const inputs[] = {memory.data(), memory.data() + 160};
  EXPECT_GT(FailEach([&] { return plan.Execute(inputs, memory.data() + 168); }, &memory), 5);
}

void NothingTile(const Tile&, const void* const*, void*) {}

// Partial sums of threads want memory too, and are done without where there is none.
TEST_F(Allocation, FailingForASum) {
  std::vector<std::int32_t> x(600000, 3);
  std::vector<std::byte> out(4);
  test::ForeignPool pool(test::PoolHabit::kAllOnCaller);
  ApplyOptions options;
  options.attributes = {{"shape", Shape{}}};
  options.pool = pool.get();
  const auto sum = [&] { return Apply(*FindOp("sum_to"), {{x.data(), {600000}}}, {out.data(), DType::kInt32, {}}, options); };
  EXPECT_GT(FailEachEager(sum, &out), 5);
  EXPECT_GT(pool.calls(), 0);
  Plan plan;
  const MutableTensorView result{out.data(), DType::kInt32, {}};
  PlanOptions plan_options;
  plan_options.attributes = options.attributes;
  ASSERT_TRUE(Plan::Make(*FindOp("sum_to"), {{x.data(), {600000}}}, result, plan_options, &plan).ok());
  ExecuteOptions execute;
  execute.pool = pool.get();
  const void* const inputs[] = {x.data()};
  Status status;
  EXPECT_EQ(CountAllocations([&] { status = plan.Execute(inputs, out.data(), execute); }), 1);
  ASSERT_TRUE(status.ok());
  out.assign(4, std::byte{9});
  EXPECT_EQ(CountAllocations([&] {
              first_failure = 0;
              status = plan.Execute(inputs, out.data(), execute);
            }),
            1);
  first_failure = kNever;
  ASSERT_TRUE(status.ok());
  std::int32_t value;
  std::memcpy(&value, out.data(), sizeof(value));
  EXPECT_EQ(value, 1800000);
}

TEST_F(Allocation, FailingWhileAnOpIsAdded) {
  std::vector<std::byte> nothing;
  RegistryBuilder builder(Registry::BuiltIn());
  int made = 0;
  std::vector<std::string> names;  // live as long as the registry
  for (int i = 0; i < 100; ++i) names.push_back("an_op_with_a_long_name_" + std::to_string(i));
  for (std::int64_t n = 0; n < 40; ++n) {
    OpInfo info{names[static_cast<std::size_t>(n)].c_str(), 1, "nothing"};
    info.aliases = n % 2 == 0 ? "alias_that_is_long_enough_for_the_heap another_alias_that_is" : "";
    OpDefinition definition{info, {{{DType::kInt8}, DType::kInt8, {}, &NothingTile}}};
    allocations = 0;
    first_failure = n;
    all_after_fail = false;
    counting = true;
    const Status status = builder.Add(std::move(definition));
    counting = false;
    if (allocations > n) {
      EXPECT_EQ(status.code(), StatusCode::kOutOfMemory) << n;
    } else {
      ASSERT_TRUE(status.ok() || made > 0) << status.message();
      made += status.ok();
    }
  }
  EXPECT_GT(made, 0);
  const Registry registry = builder.Build();
  EXPECT_EQ(registry.ops().size(), Registry::BuiltIn().ops().size() + static_cast<std::size_t>(made));
  for (const Op* op : registry.ops()) EXPECT_EQ(registry.Find(op->name()), op);
}

}  // namespace
}  // namespace axiscast
