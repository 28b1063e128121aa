// What plans of expressions refuse: the whole message, and no plan.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/mix_ops.h"

namespace axiscast {
namespace {

using enum StatusCode;

TensorView F32(const Shape& shape) { return {nullptr, DType::kFloat32, shape}; }
TensorView I32(const Shape& shape) { return {nullptr, DType::kInt32, shape}; }
TensorView Bool(const Shape& shape) { return {nullptr, DType::kBool, shape}; }

// A registry with ops whose inputs have different dtypes.
const Registry& Mixed() {
  static const Registry registry = test::MixRegistry(Registry::BuiltIn());
  return registry;
}

struct Refusal {
  const char* name;
  std::string text;
  std::vector<TensorView> inputs;
  MutableTensorView out;
  StatusCode code;
  std::string message;
  bool by_inference = true;  // InferOutput, which has no out, says the same
};
void PrintTo(const Refusal& refusal, std::ostream* os) { *os << refusal.name; }

MutableTensorView Out(const Shape& shape, DType dtype = DType::kFloat32) { return {nullptr, dtype, shape}; }

// Adds up `inputs` inputs and as many different numbers, a call for each.
std::string SumOf(int inputs, int numbers) {
  std::string text = "x0";
  for (int i = 1; i < inputs; ++i) text = "add(" + text + ", x" + std::to_string(i) + ")";
  for (int i = 0; i < numbers; ++i) text = "add(" + text + ", " + std::to_string(i) + ")";
  return text;
}

const Refusal kRefusals[] = {
    {"too_few",
     "add(x, multiply(y, z))",
     {F32({3}), F32({3})},
     Out({3}),
     kInvalidArgument,
     "the expression takes 3 inputs (x, y, z); got 2"},
    {"too_many", "abs(x)", {F32({3}), F32({3})}, Out({3}), kInvalidArgument, "the expression takes 1 input (x); got 2"},
    {"shapes",
     "add(x, bias)",
     {F32({2, 3, 4}), F32({3})},
     Out({2, 3, 4}),
     kInvalidShape,
     "dimensions must be equal or 1; got x[2] = 4 and bias[0] = 3 (x [2, 3, 4], bias [3])"},
    {"shapes_at_an_axis",
     "add(multiply(x, scale@1), bias@0)",
     {F32({2, 3, 4}), F32({3}), F32({3, 4})},
     Out({2, 3, 4}),
     kInvalidShape,
     "dimensions must be equal or 1; got x[1] = 3 and bias[1] = 4 (x [2, 3, 4], scale@1 [3], bias@0 [3, 4])"},
    {"shapes_of_inputs_that_no_op_takes_together",
     "add(add(x, 1), multiply(y, z))",
     {F32({2}), F32({}), F32({3})},
     Out({3}),
     kInvalidShape,
     "dimensions must be equal or 1; got x[0] = 2 and z[0] = 3 (x [2], y [], z [3])"},
    {"axis_too_large",
     "add(x, bias@3)",
     {F32({2, 3, 4}), F32({4})},
     Out({2, 3, 4}),
     kOutOfRange,
     "an axis must be from 0 to 2, as the highest rank is 3, or -1, which aligns right; got bias@3 [4] (x [2, 3, 4], bias@3 [4])"},
    {"axis_of_a_scalar",
     "abs(x@1)",
     {F32({})},
     Out({}),
     kOutOfRange,
     "an axis must be from 0 to 0, as the highest rank is 0, or -1, which aligns right; got x@1 [] (x@1 [])"},
    {"hangs_over",
     "add(x, bias@2)",
     {F32({2, 3, 4}), F32({4, 5})},
     Out({2, 3, 4}),
     kInvalidShape,
     "only trailing 1s may hang over the last dimension of the result; got bias[1] = 5 in the place of dimension 3 (x [2, 3, 4], "
     "bias@2 [4, 5])"},
    {"out_too_small",
     "add(x, y@0)",
     {F32({2, 3}), F32({2})},
     Out({1, 3}),
     kInvalidShape,
     "out is never stretched, so dimensions of the result must be equal to out's or 1; got result[0] = 2 and out[0] = 1 (x [2, 3], "
     "y@0 [2], result [2, 3], out [1, 3])",
     false},
    {"out_dtype",
     "less(add(x, 1), y)",
     {F32({2}), F32({2})},
     Out({2}),
     kUnsupportedDType,
     "out must have the result's dtype bool; got float32",
     false},
    {"out_overlaps_itself",
     "abs(x)",
     {F32({2})},
     {nullptr, DType::kFloat32, {2}, {0}},
     kInvalidArgument,
     "out overlaps itself, so that elements of the result would be written over each other; use a destination with memory of its "
     "own "
     "for each element (out [2], byte strides [0])",
     false},
    {"strides",
     "add(x, y)",
     {F32({2}), {nullptr, DType::kFloat32, {2}, {4, 4}}},
     Out({2}),
     kInvalidArgument,
     "y must have a byte stride for each of its 1 dims; got 2",
     false},
    {"dtypes",
     "maximum(bitwise_and(x, y), z)",
     {I32({2}), Bool({2}), I32({2})},
     Out({2}, DType::kInt32),
     kUnsupportedDType,
     "no kernel for bitwise_and(int32, bool); bitwise_and supports (bool, bool), (int8, int8), (int16, int16), (int32, int32), "
     "(int64, "
     "int64), (uint8, uint8), (uint16, uint16), (uint32, uint32), (uint64, uint64); in \"bitwise_and(x, y)\" at character 9 of "
     "\"maximum(bitwise_and(x, y), z)\""},
    {"dtype_of_a_call",
     "sqrt(less(x, 1))",
     {F32({2})},
     Out({2}),
     kUnsupportedDType,
     "no kernel for sqrt(bool); sqrt supports (float16), (bfloat16), (float32), (float64); in \"sqrt(less(x, 1))\""},
    {"dtype_beside_a_number",
     "bitwise_not(bitwise_and(2, x))",
     {F32({2})},
     Out({2}),
     kUnsupportedDType,
     "no kernel for bitwise_and(2, float32); bitwise_and supports (bool, bool), (int8, int8), (int16, int16), (int32, int32), "
     "(int64, "
     "int64), (uint8, uint8), (uint16, uint16), (uint32, uint32), (uint64, uint64); in \"bitwise_and(2, x)\" at character 13 of "
     "\"bitwise_not(bitwise_and(2, x))\""},
    {"dtype_of_numbers_alone",
     "multiply(where(m, 1, 0), x)",
     {Bool({2}), F32({2})},
     Out({2}),
     kUnsupportedDType,
     "the dtype of a number must follow from the inputs beside it; give the number as a 0-d input; in \"where(m, 1, 0)\" at "
     "character "
     "10 of \"multiply(where(m, 1, 0), x)\""},
    {"number_with_a_fraction",
     "abs(add(x, 0.5))",
     {I32({2})},
     Out({2}, DType::kInt32),
     kInvalidArgument,
     "a number must be a whole number in [-2147483648, 2147483647] for int32; got 0.5; in \"add(x, 0.5)\" at character 5 of "
     "\"abs(add(x, 0.5))\""},
    {"number_too_large",
     "add(x, 300)",
     {{nullptr, DType::kUInt8, {2}}},
     Out({2}, DType::kUInt8),
     kInvalidArgument,
     "a number must be a whole number in [0, 255] for uint8; got 300; in \"add(x, 300)\""},
    {"attribute_with_a_fraction",
     "abs(clip(x, min=0.5))",
     {I32({2})},
     Out({2}, DType::kInt32),
     kInvalidArgument,
     "attribute min must be a whole number in [-2147483648, 2147483647] for int32; got 0.5; in \"clip(x, min=0.5)\" at character 5 "
     "of "
     "\"abs(clip(x, min=0.5))\""},
    {"divisor_that_is_computed",
     "abs(divide(x, add(y, 1)))",
     {I32({2}), I32({2})},
     Out({2}, DType::kInt32),
     kUnsupported,
     "divide looks at its y before anything is written, so it must be an input or a number; compute it before, as an input of this "
     "expression; in \"divide(x, add(y, 1))\" at character 5 of \"abs(divide(x, add(y, 1)))\"",
     false},
    {"divisor_0",
     "abs(remainder(x, 0))",
     {I32({2})},
     Out({2}, DType::kInt32),
     kDivisionByZero,
     "integer division by zero; got y = 0; in \"remainder(x, 0)\" at character 5 of \"abs(remainder(x, 0))\"",
     false},
    {"operands_33", SumOf(17, 15), std::vector<TensorView>(17, F32({2})), Out({2}), kUnsupported,
     "an expression has at most 31 inputs and numbers that differ; got 32", false},
    {"elements",
     "add(x, y@0)",
     {F32({1, std::int64_t{1} << 40}), F32({std::int64_t{1} << 40})},
     Out({1}),
     kInvalidShape,
     "the number of elements must be less than 2^63; got result [1099511627776, 1099511627776] (x [1, 1099511627776], y@0 "
     "[1099511627776])"},
    {"negative", "abs(x)", {F32({-2})}, Out({2}), kInvalidShape, "dimensions must not be negative; got x[0] = -2 (x [-2])"},
    // Numbers take the dtype of the inputs beside them where an op would take others too.
    {"number_beside_two_dtypes",
     "mix2(x, 256)",
     {{nullptr, DType::kUInt8, {2}}},
     Out({2}, DType::kUInt8),
     kInvalidArgument,
     "a number must be a whole number in [0, 255] for uint8; got 256; in \"mix2(x, 256)\""},
    {"number_for_a_dtype_of_its_own",
     "mix2(x, 65536)",
     {{nullptr, DType::kUInt64, {2}}},
     Out({2}, DType::kUInt8),
     kUnsupportedDType,
     "out must have the result's dtype uint64; got uint8",
     false},
};

class ExpressionRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(ExpressionRefusal, SaysWhyAndMakesNothing) {
  const Refusal& row = GetParam();
  Expression expression;
  ASSERT_STREQ(Expression::Parse(row.text, Mixed(), &expression).message(), "");
  Plan plan;
  const Status status = Plan::Make(expression, row.inputs.data(), row.inputs.size(), row.out, {}, &plan);
  EXPECT_EQ(status.code(), row.code);
  EXPECT_EQ(status.message(), "expression: " + row.message);
  EXPECT_TRUE(plan.empty());
  Shape shape = {77};
  DType dtype;
  const Status inferred = InferOutput(expression, row.inputs.data(), row.inputs.size(), {}, &shape, &dtype);
  EXPECT_STREQ(inferred.message(), row.by_inference ? status.message() : "");
  EXPECT_EQ(shape == Shape{77}, row.by_inference);
}
INSTANTIATE_TEST_SUITE_P(Table, ExpressionRefusal, testing::ValuesIn(kRefusals), [](const auto& row) { return row.param.name; });

struct BadOptions {
  const char* name;
  PlanOptions options;
  const char* message;
};
void PrintTo(const BadOptions& row, std::ostream* os) { *os << row.name; }

const Pattern kPatterns[] = {{kN}, {kN}};
PlanOptions With(void (*set)(PlanOptions*)) {
  PlanOptions options;
  set(&options);
  return options;
}

const BadOptions kBadOptions[] = {
    {"mode", With([](PlanOptions* o) { o->mode = Mode::kAxis; }),
     "expression: an expression takes no mode but numpy, in which inputs have axes of their own, as in bias@1; got axis"},
    {"no_mode", With([](PlanOptions* o) { o->mode = static_cast<Mode>(99); }),
     "expression: an expression takes no mode but numpy, in which inputs have axes of their own, as in bias@1; got 99"},
    {"axis", With([](PlanOptions* o) { o->axis = 1; }),
     "expression: an expression takes no axis: the text has it, behind the name of an input, as in bias@1; got axis 1"},
    {"patterns", With([](PlanOptions* o) { o->patterns = kPatterns; }), "expression: an expression takes no declared patterns"},
    {"attributes", With([](PlanOptions* o) {
       o->attributes = {{"min", 1}};
     }),
     "expression: an expression takes no attributes: the text has them, as in clip(x, min=0); got attribute min"},
    {"caller", With([](PlanOptions* o) { o->caller = "fused", o->axis = 0; }),
     "fused: an expression takes no axis: the text has it, behind the name of an input, as in bias@1; got axis 0"},
};

class ExpressionOptions : public testing::TestWithParam<BadOptions> {};

TEST_P(ExpressionOptions, ThatTheTextHasAreRefused) {
  Expression expression;
  ASSERT_TRUE(Expression::Parse("add(x, y)", Registry::BuiltIn(), &expression).ok());
  Plan plan;
  const Status status = Plan::Make(expression, {F32({2}), F32({2})}, Out({2}), GetParam().options, &plan);
  EXPECT_EQ(status.code(), kInvalidArgument);
  EXPECT_STREQ(status.message(), GetParam().message);
  EXPECT_TRUE(plan.empty());
}
INSTANTIATE_TEST_SUITE_P(Table, ExpressionOptions, testing::ValuesIn(kBadOptions), [](const auto& row) { return row.param.name; });

TEST(ExpressionRefused, WithTheCallersNames) {
  const char* const names[] = {"image", "channels"};
  PlanOptions options;
  options.caller = "fused";
  options.mode = Mode::kNumpy;
  options.names = names;
  Expression expression;
  ASSERT_TRUE(Expression::Parse("add(x, y@1)", Registry::BuiltIn(), &expression).ok());
  Plan plan;
  EXPECT_STREQ(Plan::Make(expression, {F32({2, 3}), F32({2})}, Out({2, 3}), options, &plan).message(),
               "fused: dimensions must be equal or 1; got image[1] = 3 and channels[0] = 2 (image [2, 3], channels@1 [2])");
  ASSERT_TRUE(Plan::Make(expression, {F32({2, 3}), F32({3})}, Out({2, 3}), options, &plan).ok());
  float out[6];
  const void* const pointers[] = {out, nullptr};
  EXPECT_STREQ(plan.Execute(pointers, out).message(), "fused: the pointer of channels is null, but there are elements behind it");
  EXPECT_STREQ(plan.Execute({out}, out).message(), "fused: the plan takes 2 inputs; got 1");
}

TEST(ExpressionRefused, WhereThereIsNone) {
  Plan plan;
  EXPECT_STREQ(Plan::Make(Expression(), {F32({2})}, Out({2}), {}, &plan).message(),
               "expression: the expression is empty; make it with Expression::Parse");
  Shape shape;
  DType dtype;
  EXPECT_EQ(InferOutput(Expression(), nullptr, 0, {}, &shape, &dtype).code(), kInvalidArgument);
  Expression expression;
  ASSERT_TRUE(Expression::Parse("abs(x)", Registry::BuiltIn(), &expression).ok());
  EXPECT_STREQ(Plan::Make(expression, {F32({2})}, Out({2}), {}, nullptr).message(), "expression: the pointer to the plan is null");
}

// An op that is given numbers takes no input's pointer for one.
TEST(ExpressionRefused, CountsTheInputsOfAPlanWithoutItsNumbers) {
  Expression expression;
  ASSERT_TRUE(Expression::Parse("add(x, 1)", Registry::BuiltIn(), &expression).ok());
  Plan plan;
  ASSERT_TRUE(Plan::Make(expression, {F32({2})}, Out({2}), {}, &plan).ok());
  float x[2] = {};
  EXPECT_STREQ(plan.Execute({x, x}, x).message(), "expression: the plan takes 1 input; got 2");
}

}  // namespace
}  // namespace axiscast
