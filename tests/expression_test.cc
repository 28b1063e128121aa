// Plans of expressions: shapes and axes, dtypes, numbers, memory, and what their plans say of themselves. What is refused is in
// expression_refused_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/mix_ops.h"

namespace axiscast {
namespace {

Expression Read(const std::string& text, const Registry& registry = Registry::BuiltIn()) {
  Expression expression;
  const Status status = Expression::Parse(text, registry, &expression);
  EXPECT_TRUE(status.ok()) << status.message();
  return expression;
}

Plan MakePlan(const std::string& text, const std::vector<TensorView>& inputs, const MutableTensorView& out) {
  Plan plan;
  const Status status = Plan::Make(Read(text), inputs.data(), inputs.size(), out, {}, &plan);
  EXPECT_TRUE(status.ok()) << status.message();
  return plan;
}

// Plans and executes.
Status Compute(const std::string& text, const std::vector<TensorView>& inputs, const MutableTensorView& out,
               const ExecuteOptions& options = {}) {
  std::vector<const void*> pointers;
  for (const TensorView& input : inputs) pointers.push_back(input.data);
  return MakePlan(text, inputs, out).Execute(pointers.data(), out.data, options);
}

std::vector<float> Iota(std::size_t count, float from = 0) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = from + static_cast<float>(i);
  return values;
}

struct ShapeRow {
  const char* name;
  const char* text;
  std::vector<Shape> inputs;
  Shape result;
};
void PrintTo(const ShapeRow& row, std::ostream* os) { *os << row.name; }

const ShapeRow kShapes[] = {
    {"right", "add(x, y)", {{2, 3}, {3}}, {2, 3}},
    {"right_said", "add(x, y@-1)", {{2, 3}, {3}}, {2, 3}},
    {"channels", "add(x, y@1)", {{2, 3, 4, 5}, {3}}, {2, 3, 4, 5}},
    {"in_the_middle", "add(x, y@1)", {{2, 3, 4, 5}, {3, 4}}, {2, 3, 4, 5}},
    {"lower_rank_first", "add(x@1, y)", {{3}, {2, 3, 4}}, {2, 3, 4}},
    {"both_stretch", "add(x, y@1)", {{2, 1, 4}, {3, 1}}, {2, 3, 4}},
    {"two_axes", "add(multiply(x, scale@1), bias@0)", {{2, 3, 4}, {3}, {2}}, {2, 3, 4}},
    {"an_axis_lies_in_the_result_of_all", "add(add(x, y@1), z)", {{3}, {4}, {2, 4, 3}}, {2, 4, 3}},
    {"highest_rank_at_0", "add(x@0, y)", {{2, 3}, {3}}, {2, 3}},
    {"trailing_1s_hang_over", "add(x, y@3)", {{2, 3, 4, 5}, {5, 1}}, {2, 3, 4, 5}},
    {"a_0d_one_anywhere", "add(x, y@2)", {{2, 3, 4}, {}}, {2, 3, 4}},
    {"all_0d", "add(x, y@0)", {{}, {}}, {}},
    {"no_elements", "add(x, y@1)", {{2, 0, 4}, {1}}, {2, 0, 4}},
    {"a_0_faces_a_1", "add(x, y)", {{2, 1}, {0}}, {2, 0}},
    {"one_input", "abs(x)", {{2, 3}}, {2, 3}},
    {"the_result_is_larger_than_each", "add(x, multiply(y, z))", {{2, 1, 1}, {3, 1}, {4}}, {2, 3, 4}},
};

class ExpressionShape : public testing::TestWithParam<ShapeRow> {};

// The same as the ops' calls: inputs with an axis as views of the shape that the axis says.
TEST_P(ExpressionShape, IsWhatTheInputsBroadcastTo) {
  std::vector<TensorView> inputs;
  for (const Shape& shape : GetParam().inputs) inputs.emplace_back(nullptr, DType::kFloat32, shape);
  Shape shape;
  DType dtype;
  const Status status = InferOutput(Read(GetParam().text), inputs.data(), inputs.size(), {}, &shape, &dtype);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(shape, GetParam().result);
  EXPECT_EQ(dtype, DType::kFloat32);
  const Plan plan = MakePlan(GetParam().text, inputs, {nullptr, DType::kFloat32, GetParam().result});
  EXPECT_EQ(plan.shape(), GetParam().result);
}
INSTANTIATE_TEST_SUITE_P(Table, ExpressionShape, testing::ValuesIn(kShapes), [](const auto& row) { return row.param.name; });

TEST(Expression, ComputesWhatItsCallsCompute) {
  const std::vector<float> x = Iota(24, -12), scale = {2, 3, 4}, bias = {10, 20, 30}, skip = Iota(24, 100);
  std::vector<float> out(24);
  const TensorView image{x.data(), {2, 3, 4}};
  ASSERT_TRUE(Compute("maximum(add(add(multiply(x, scale@1), bias@1), skip), 130)",
                      {image, {scale.data(), {3}}, {bias.data(), {3}}, {skip.data(), {2, 3, 4}}}, {out.data(), {2, 3, 4}})
                  .ok());
  for (std::size_t i = 0; i < 24; ++i) {
    const std::size_t channel = i / 4 % 3;
    EXPECT_EQ(out[i], std::max(x[i] * scale[channel] + bias[channel] + skip[i], 130.0f)) << i;
  }
}

TEST(Expression, ReadsAnInputAsOftenAsItOccurs) {
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> out(3);
  ASSERT_TRUE(Compute("subtract(multiply(multiply(x, x), x), x)", {{x.data(), {3}}}, {out.data(), {3}}).ok());
  EXPECT_EQ(out, (std::vector<float>{0, 6, 24}));
}

TEST(Expression, TakesAttributes) {
  const std::vector<float> x = {-3, 1, 7}, y = {1, 1, 1};
  std::vector<float> out(3);
  ASSERT_TRUE(
      Compute("subtract(clip(x, max=6, min=-0.5), clip(y, max=0.25))", {{x.data(), {3}}, {y.data(), {3}}}, {out.data(), {3}}).ok());
  EXPECT_EQ(out, (std::vector<float>{-0.75f, 0.75f, 5.75f}));
}

// Numbers have the dtype of what is beside them, not of a float64, and are rounded to it once.
TEST(Expression, RoundsNumbersOnceToTheDTypeBesideThem) {
  const std::int64_t x64 = 1;
  std::int64_t out64 = 0;
  ASSERT_TRUE(Compute("add(x, 9007199254740993)", {{&x64, {}}}, {&out64, {}}).ok());  // 2^53 + 1, which is no float64
  EXPECT_EQ(out64, 9007199254740994);
  const std::uint64_t u64 = 0;
  std::uint64_t out_u64 = 0;
  ASSERT_TRUE(Compute("add(18446744073709551615, x)", {{&u64, {}}}, {&out_u64, {}}).ok());
  EXPECT_EQ(out_u64, std::numeric_limits<std::uint64_t>::max());
  const float x = 0;
  float out = 1;
  ASSERT_TRUE(Compute("add(x, 0.1)", {{&x, {}}}, {&out, {}}).ok());
  EXPECT_EQ(out, 0.1f);
  ASSERT_TRUE(Compute("add(x, -1e-9999)", {{&x, {}}}, {&out, {}}).ok());
  EXPECT_EQ(out, 0);
  ASSERT_TRUE(Compute("add(x, -inf)", {{&x, {}}}, {&out, {}}).ok());
  EXPECT_EQ(out, -std::numeric_limits<float>::infinity());
  ASSERT_TRUE(Compute("add(nan, x)", {{&x, {}}}, {&out, {}}).ok());
  EXPECT_TRUE(std::isnan(out));
  const bool mask = true;
  bool flag = true;
  ASSERT_TRUE(Compute("logical_and(m, 0)", {{&mask, {}}}, {&flag, {}}).ok());
  EXPECT_FALSE(flag);
}

// Of two dtypes, or of one that differs in its bits.
TEST(Expression, KeepsNumbersOfDifferentDTypesApart) {
  const float x[] = {-1, 5};
  const std::int32_t n[] = {7, 8};
  float out[2];
  ASSERT_TRUE(Compute("where(less(n, 8), add(x, 1), subtract(x, 8))", {{n, {2}}, {x, {2}}}, {out, {2}}).ok());
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], -3);
  ASSERT_TRUE(Compute("where(less(x, 0), -0.0, multiply(x, 0))", {{x, {2}}}, {out, {2}}).ok());
  EXPECT_TRUE(std::signbit(out[0]));
  EXPECT_FALSE(std::signbit(out[1]));
}

// Of an op that wants a dtype for each operand, numbers have those.
TEST(Expression, GivesNumbersTheDTypesThatTheOpWants) {
  const Registry registry = test::MixRegistry(Registry::BuiltIn());
  const std::uint64_t x = 1'000'000'007;
  std::uint16_t out = 0;
  Plan plan;
  ASSERT_TRUE(Plan::Make(Read("mix4(200, 60000, 4000000000, x)", registry), {{&x, {}}}, {&out, {}}, {}, &plan).ok());
  ASSERT_TRUE(plan.Execute({&x}, &out).ok());
  const std::uint64_t values[] = {200, 60000, 4000000000, x};
  EXPECT_EQ(out, static_cast<std::uint16_t>(test::Mix(values, 4)));
}

TEST(Expression, GoesThroughOtherDTypes) {
  const float x[] = {-2, 3, std::nanf("")};
  float out[3];
  ASSERT_TRUE(Compute("where(logical_or(less(x, 0), isnan(x)), 0, x)", {{x, {3}}}, {out, {3}}).ok());
  EXPECT_EQ(std::vector<float>(out, out + 3), (std::vector<float>{0, 3, 0}));
  const std::int32_t n[] = {1, 2, 3};
  ASSERT_TRUE(Compute("add(true_divide(n, 2), x)", {{n, {3}}, {n, DType::kFloat32, {3}}}, {out, {3}}).ok());
  bool flags[3];
  ASSERT_TRUE(Compute("greater(n, 1)", {{n, {3}}}, {flags, {3}}).ok());
  EXPECT_FALSE(flags[0]);
  EXPECT_TRUE(flags[1] && flags[2]);
}

// 1 + 2^-8 is no bfloat16: after each op it is rounded.
TEST(Expression, RoundsAfterEveryOp) {
  const BFloat16 x[] = {BFloat16(1.0f)};
  BFloat16 out[1];
  ASSERT_TRUE(Compute("subtract(add(x, 0.00390625), 1)", {{x, {1}}}, {out, {1}}).ok());
  EXPECT_EQ(static_cast<float>(out[0]), 0);
}

TEST(Expression, StretchesToALargerOut) {
  const std::vector<float> x = {1, 2, 3}, y = {10};
  std::vector<float> out(24, -1);
  ASSERT_TRUE(Compute("add(multiply(x, 2), y@0)", {{x.data(), {1, 3}}, {y.data(), {1}}}, {out.data(), {4, 2, 3}}).ok());
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(out[i], 2 * x[i % 3] + 10) << i;
}

// An axis is one of the inputs' result, which then aligns right with out.
TEST(Expression, CountsAxesOfTheInputsResult) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6}, y = {10, 20};
  std::vector<float> out(12);
  ASSERT_TRUE(Compute("add(x, y@0)", {{x.data(), {2, 3}}, {y.data(), {2}}}, {out.data(), {2, 2, 3}}).ok());
  EXPECT_EQ(out, (std::vector<float>{11, 12, 13, 24, 25, 26, 11, 12, 13, 24, 25, 26}));
}

TEST(Expression, WritesNothingWhereThereIsNothing) {
  const std::vector<std::int32_t> x = {1};
  const Plan plan = MakePlan("divide(add(x, 1), 0)", {{x.data(), {0, 3}}}, {nullptr, DType::kInt32, {0, 3}});
  const void* const nothing = nullptr;
  EXPECT_TRUE(plan.Execute(&nothing, nullptr).ok());  // and divides nothing
}

// Of strides of any kind, and none of their elements aligned.
TEST(Expression, TakesAnyStrides) {
  const std::vector<float> x = Iota(6), y = Iota(6, 10);
  std::vector<std::byte> memory(2 * 6 * sizeof(float) + 3, std::byte{0xee});
  std::memcpy(memory.data() + 1, y.data(), 6 * sizeof(float));
  std::vector<float> out(12, -1);
  ASSERT_TRUE(Compute("multiply(add(x, y), z@0)",
                      {{x.data() + 5, DType::kFloat32, {2, 3}, {-12, -4}},
                       {memory.data() + 1, DType::kFloat32, {2, 3}, {4, 8}},
                       {x.data() + 1, DType::kFloat32, {2}, {0}}},
                      {out.data(), DType::kFloat32, {2, 3}, {8, 16}})
                  .ok());
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(out[2 * r + 4 * c], x[5 - 3 * r - c] + y[r + 2 * c]) << r << c;
  }
  for (std::size_t i = 1; i < 12; i += 2) EXPECT_EQ(out[i], -1);
}

TEST(Expression, MayBeWrittenOverAnInputThatIsReadTwice) {
  std::vector<float> x = Iota(5000, -2000);
  const std::vector<float> before = x, y = Iota(5000);
  const Plan plan = MakePlan("add(multiply(x, y), abs(x))", {{x.data(), {50, 100}}, {y.data(), {50, 100}}}, {x.data(), {50, 100}});
  EXPECT_EQ(plan.Describe().may_be_out, 3u);
  ASSERT_TRUE(plan.Execute({x.data(), y.data()}, x.data()).ok());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], before[i] * y[i] + std::fabs(before[i])) << i;
}

// A number is no input that callers could put in the place of the output.
TEST(Expression, DoesNotOfferItsNumbersMemory) {
  const float x = 1;
  float out;
  const Plan plan = MakePlan("add(x, 1)", {{&x, {}}}, {&out, {}});
  EXPECT_EQ(plan.Describe().may_be_out, 1u);
}

// Stretched inputs that lie in the output, and shifted ones: as if they had been copied first.
TEST(Expression, CopiesWhatOverlapsOtherwise) {
  std::vector<float> line = Iota(101);
  const std::vector<float> before = line;
  ASSERT_TRUE(Compute("add(multiply(x, 2), y)", {{line.data(), {100}}, {line.data() + 7, {}}}, {line.data() + 1, {100}}).ok());
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(line[i + 1], 2 * before[i] + 7) << i;
  EXPECT_EQ(line[0], 0);
}

TEST(Expression, RunsInPartsAndOnOnePool) {
  const std::vector<float> x = Iota(30000), row = Iota(100);
  std::vector<float> out(30000, -1), expected(30000);
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = std::max(x[i] - row[i % 100], 5.0f) + 1;
  const Plan plan =
      MakePlan("add(maximum(subtract(x, row), 5), 1)", {{x.data(), {300, 100}}, {row.data(), {100}}}, {out.data(), {300, 100}});
  const void* const pointers[] = {x.data(), row.data()};
  EXPECT_TRUE(plan.Describe().divisible);
  for (int part = 0; part < 7; ++part) ASSERT_TRUE(plan.ExecutePart(pointers, out.data(), part, 7).ok());
  EXPECT_EQ(out, expected);
  out.assign(30000, -1);
  ExecuteOptions options;
  options.max_threads = 2;
  ASSERT_TRUE(plan.Execute(pointers, out.data(), options).ok());
  EXPECT_EQ(out, expected);
}

TEST(Expression, OutlivedByItsPlan) {
  std::vector<float> x = {1, 2}, out(2);
  Plan plan;
  {
    RegistryBuilder builder(Registry::BuiltIn());
    OpDefinition definition{{.name = "my_abs", .arity = 1, .doc = "out = |x|"}, FindOp("abs")->kernels()};
    ASSERT_TRUE(builder.Add(definition).ok());
    const Registry registry = builder.Build();
    const Expression expression = Read("add(my_abs(x), 2.5)", registry);
    ASSERT_TRUE(Plan::Make(expression, {{x.data(), {2}}}, {out.data(), {2}}, {}, &plan).ok());
  }
  x[0] = -4;
  ASSERT_TRUE(plan.Execute({x.data()}, out.data()).ok());
  EXPECT_EQ(out, (std::vector<float>{6.5f, 4.5f}));
}

TEST(Expression, DescribesItsOperandsByTheirNames) {
  const Plan plan = MakePlan("maximum(add(multiply(image, 0.5), bias@1), 0.5)",
                             {{nullptr, DType::kFloat32, {8, 16, 49}}, {nullptr, DType::kFloat32, {16}}},
                             {nullptr, DType::kFloat32, {8, 16, 49}});
  std::vector<std::string> names;
  for (const PlanDescription::Operand& operand : plan.Describe().operands) names.push_back(operand.name);
  EXPECT_EQ(names, (std::vector<std::string>{"image", "bias", "0.5", "out"}));  // equal numbers are one operand
}

// An integer divisor is looked at before the first write, as in a call of the op; a number once, when the plan is made.
TEST(Expression, LooksAtDivisorsFirst) {
  const std::vector<std::int32_t> x = {6, 7, 8, 9}, y = {2, 0};
  std::vector<std::int32_t> out(4, -1);
  const std::vector<TensorView> inputs = {{x.data(), {2, 2}}, {y.data(), {2}}};
  const Status status = Compute("add(divide(x, y@0), remainder(x, y@0))", inputs, {out.data(), {2, 2}});
  EXPECT_EQ(status.code(), StatusCode::kDivisionByZero);
  EXPECT_STREQ(status.message(),
               "expression: integer division by zero at y[1] (x [2, 2], y@0 [2]); in \"divide(x, y@0)\" at character 5 of "
               "\"add(divide(x, y@0), remainder(x, y@0))\"");
  EXPECT_EQ(out, std::vector<std::int32_t>(4, -1));
  EXPECT_FALSE(MakePlan("divide(x, y)", inputs, {out.data(), {2, 2}}).Describe().divisible);
  const Plan plan = MakePlan("add(divide(x, 2), x)", {inputs[0]}, {out.data(), {2, 2}});
  EXPECT_TRUE(plan.Describe().divisible);
  ASSERT_TRUE(plan.Execute({x.data()}, out.data()).ok());
  EXPECT_EQ(out, (std::vector<std::int32_t>{9, 10, 12, 13}));
  ASSERT_TRUE(Compute("add(divide(100, y), x)", {{x.data(), {4}}, {x.data(), {4}}}, {out.data(), {4}}).ok());
  EXPECT_EQ(out, (std::vector<std::int32_t>{22, 21, 20, 20}));
}

// Every step and every operand that there may be: 32 calls, 30 inputs, a number and the output.
TEST(Expression, MayBeAsLargeAsAPass) {
  std::string text = "x0";
  std::vector<std::vector<float>> values;
  std::vector<TensorView> inputs;
  std::vector<float> expected(37), out(37);
  for (int i = 0; i < 30; ++i) values.push_back(Iota(37, static_cast<float>(i)));
  for (int i = 0; i < 30; ++i) {
    if (i > 0) text = "add(" + text + ", x" + std::to_string(i) + ")";
    inputs.emplace_back(values[static_cast<std::size_t>(i)].data(), Shape{37});
    for (std::size_t j = 0; j < 37; ++j) expected[j] += values[static_cast<std::size_t>(i)][j];
  }
  ASSERT_TRUE(Compute("negative(negative(add(" + text + ", 1)))", inputs, {out.data(), {37}}).ok());
  for (std::size_t j = 0; j < 37; ++j) EXPECT_EQ(out[j], expected[j] + 1);
}

TEST(Expression, TellsWhoAsksOfShapesThatMayMeanSomethingElse) {
  std::string told;
  PlanOptions options;
  options.caller = "fused";
  options.diagnostics = {[](void* context, DiagnosticCode, const char* message) { *static_cast<std::string*>(context) += message; },
                         &told};
  const TensorView x{nullptr, DType::kFloat32, {4, 1}}, y{nullptr, DType::kFloat32, {4}};
  Plan plan;
  ASSERT_TRUE(Plan::Make(Read("add(a, abs(b))"), {x, y}, {nullptr, DType::kFloat32, {4, 4}}, options, &plan).ok());
  EXPECT_EQ(told,
            "fused: a [4, 1] and b [4] have equal numbers of elements and different shapes: they broadcast, their elements are not "
            "paired");
}

}  // namespace
}  // namespace axiscast
