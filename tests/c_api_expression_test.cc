// Expressions through the C API: results, and misuse that is found.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "axiscast/c_api.h"

namespace {

#define EXPECT_REFUSED(call, code, message)         \
  do {                                              \
    EXPECT_EQ(call, code);                          \
    EXPECT_STREQ(axiscast_last_message(), message); \
  } while (false)

// float32 max(x [2, 3] + bias [2] at axis 0, 0) -> [2, 3].
class CExpression : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(axiscast_expression_create(nullptr, "maximum(add(x, bias@0), 0)", &expression_), AXISCAST_OK)
        << axiscast_last_message();
  }
  void TearDown() override {
    EXPECT_EQ(axiscast_plan_free(plan_), AXISCAST_OK);
    EXPECT_EQ(axiscast_expression_free(expression_), AXISCAST_OK);
  }
  axiscast_tensor Tensor(void* data, int32_t rank, const int64_t* shape) {
    return {sizeof(axiscast_tensor), data, AXISCAST_FLOAT32, rank, shape, nullptr};
  }
  int32_t Make(int64_t count = 2) { return axiscast_plan_make_expression(expression_, inputs_, count, &out_, &options_, &plan_); }

  float x_[6] = {1, -20, 3, -4, 5, -60}, bias_[2] = {10, 20}, result_[6] = {9, 9, 9, 9, 9, 9};
  int64_t x_shape_[2] = {2, 3}, bias_shape_[1] = {2};
  axiscast_tensor inputs_[2] = {Tensor(x_, 2, x_shape_), Tensor(bias_, 1, bias_shape_)};
  axiscast_tensor out_ = Tensor(result_, 2, x_shape_);
  axiscast_options options_ = {sizeof(axiscast_options), 0, 0, 0, nullptr, 0, nullptr, nullptr};
  axiscast_expression* expression_ = nullptr;
  axiscast_plan* plan_ = nullptr;
};

TEST_F(CExpression, IsPlannedAndExecutedAsAnOpIs) {
  int32_t count = 0;
  const char* name = nullptr;
  ASSERT_EQ(axiscast_expression_input_count(expression_, &count), AXISCAST_OK);
  EXPECT_EQ(count, 2);
  ASSERT_EQ(axiscast_expression_input_name(expression_, 1, &name), AXISCAST_OK);
  EXPECT_STREQ(name, "bias");
  int64_t extents[AXISCAST_MAX_RANK];
  int32_t rank, dtype;
  ASSERT_EQ(axiscast_expression_infer_output(expression_, inputs_, 2, nullptr, extents, AXISCAST_MAX_RANK, &rank, &dtype),
            AXISCAST_OK);
  EXPECT_EQ(std::vector<int64_t>(extents, extents + rank), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(dtype, AXISCAST_FLOAT32);
  ASSERT_EQ(Make(), AXISCAST_OK) << axiscast_last_message();
  axiscast_plan_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(axiscast_plan_describe(plan_, &info), AXISCAST_OK);
  EXPECT_EQ(info.input_count, 2);
  EXPECT_EQ(info.may_be_out, 1u);
  EXPECT_EQ(axiscast_expression_free(expression_), AXISCAST_OK);  // the plan lives on
  expression_ = nullptr;
  const void* const pointers[] = {x_, bias_};
  ASSERT_EQ(axiscast_plan_execute(plan_, pointers, 2, result_, nullptr), AXISCAST_OK) << axiscast_last_message();
  EXPECT_EQ(std::vector<float>(result_, result_ + 6), (std::vector<float>{11, 0, 13, 16, 25, 0}));
  for (int part = 0; part < 2; ++part) ASSERT_EQ(axiscast_plan_execute_part(plan_, pointers, 2, x_, part, 2, nullptr), AXISCAST_OK);
  EXPECT_EQ(std::vector<float>(x_, x_ + 6), (std::vector<float>{11, 0, 13, 16, 25, 0}));
}

TEST_F(CExpression, HeedsTheCallersNames) {
  const char* const names[] = {"image", "channels"};
  options_.caller = "fused";
  options_.names = names;
  bias_shape_[0] = 3;
  EXPECT_REFUSED(Make(), AXISCAST_INVALID_SHAPE,
                 "fused: dimensions must be equal or 1; got image[0] = 2 and channels[0] = 3 (image [2, 3], channels@0 [3])");
}

// As many inputs as an expression may have: more than an op.
TEST_F(CExpression, TakesManyInputs) {
  std::string text = "x0";
  for (int i = 1; i < 31; ++i) text = "add(" + text + ", x" + std::to_string(i) + ")";
  axiscast_expression* sum = nullptr;
  ASSERT_EQ(axiscast_expression_create(nullptr, text.c_str(), &sum), AXISCAST_OK) << axiscast_last_message();
  const std::vector<axiscast_tensor> inputs(31, Tensor(x_, 2, x_shape_));
  ASSERT_EQ(axiscast_plan_make_expression(sum, inputs.data(), 31, &out_, nullptr, &plan_), AXISCAST_OK) << axiscast_last_message();
  const std::vector<const void*> pointers(31, x_);
  ASSERT_EQ(axiscast_plan_execute(plan_, pointers.data(), 31, result_, nullptr), AXISCAST_OK);
  EXPECT_EQ(result_[2], 93);
  EXPECT_REFUSED(axiscast_plan_execute(plan_, pointers.data(), 2, result_, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_execute: the plan takes 31 inputs; got 2");
  const std::vector<axiscast_tensor> more(40, Tensor(x_, 2, x_shape_));
  axiscast_plan* none = nullptr;
  EXPECT_EQ(axiscast_plan_make_expression(sum, more.data(), 40, &out_, nullptr, &none), AXISCAST_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(axiscast_last_message()).substr(0, 55), "expression: the expression takes 31 inputs (x0, x1, x2,");
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(axiscast_expression_free(sum), AXISCAST_OK);
}

TEST_F(CExpression, RefusesNullPointers) {
  axiscast_expression* made = nullptr;
  int32_t number;
  int64_t extents[2];
  const char* name;
  EXPECT_REFUSED(axiscast_expression_create(nullptr, nullptr, &made), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_expression_create: the text is null");
  EXPECT_REFUSED(axiscast_expression_create(nullptr, "abs(x)", nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_expression_create: the pointer to the expression is null");
  EXPECT_REFUSED(axiscast_expression_input_count(nullptr, &number), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_expression_input_count: the expression is null");
  EXPECT_REFUSED(axiscast_expression_input_count(expression_, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_expression_input_count: the pointer to the count is null");
  EXPECT_REFUSED(axiscast_expression_input_name(nullptr, 0, &name), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_expression_input_name: the expression is null");
  EXPECT_REFUSED(axiscast_expression_input_name(expression_, 0, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_expression_input_name: the pointer to the name is null");
  EXPECT_REFUSED(axiscast_expression_infer_output(nullptr, inputs_, 2, nullptr, extents, 2, &number, &number),
                 AXISCAST_INVALID_ARGUMENT, "axiscast_expression_infer_output: the expression is null");
  EXPECT_REFUSED(axiscast_expression_infer_output(expression_, inputs_, 2, nullptr, extents, 2, &number, nullptr),
                 AXISCAST_INVALID_ARGUMENT, "axiscast_expression_infer_output: the pointer to the rank or the dtype is null");
  EXPECT_REFUSED(axiscast_plan_make_expression(nullptr, inputs_, 2, &out_, nullptr, &plan_), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_make_expression: the expression is null");
  EXPECT_REFUSED(axiscast_plan_make_expression(expression_, inputs_, 2, &out_, nullptr, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_make_expression: the pointer to the plan is null");
  EXPECT_REFUSED(axiscast_plan_make_expression(expression_, nullptr, 2, &out_, nullptr, &plan_), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_make_expression: the array of operands is null");
  EXPECT_REFUSED(axiscast_plan_make_expression(expression_, inputs_, 2, nullptr, nullptr, &plan_), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_make_expression: out is null");
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(plan_, nullptr);
}

TEST_F(CExpression, RefusesWhatCannotBe) {
  axiscast_expression* made = nullptr;
  const char* name = "untouched";
  int32_t rank = 0, dtype = -7;
  int64_t extents[2] = {77, 77};
  EXPECT_REFUSED(axiscast_expression_create(nullptr, "add(x, )", &made), AXISCAST_INVALID_ARGUMENT,
                 "expression: a name, a number or a call of an op must come here; got \")\" at character 8 of \"add(x, )\"");
  EXPECT_EQ(axiscast_expression_create(nullptr, "nonesuch(x)", &made), AXISCAST_UNKNOWN_NAME);
  EXPECT_EQ(axiscast_expression_create(nullptr, "gather(x, y)", &made), AXISCAST_UNSUPPORTED);
  EXPECT_EQ(made, nullptr);
  EXPECT_REFUSED(axiscast_expression_input_name(expression_, 2, &name), AXISCAST_OUT_OF_RANGE,
                 "axiscast_expression_input_name: the index of an input must be 0 or more and less than 2; got 2");
  EXPECT_STREQ(name, "untouched");
  EXPECT_REFUSED(Make(-1), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_make_expression: the number of operands must be 0 or more; got -1");
  EXPECT_REFUSED(Make(1), AXISCAST_INVALID_ARGUMENT, "expression: the expression takes 2 inputs (x, bias); got 1");
  // What is behind those that are taken is not read.
  EXPECT_REFUSED(Make(INT64_MAX), AXISCAST_INVALID_ARGUMENT,
                 "expression: the expression takes 2 inputs (x, bias); got 9223372036854775807");
  EXPECT_REFUSED(axiscast_expression_infer_output(expression_, inputs_, INT64_MAX, nullptr, extents, 2, &rank, &dtype),
                 AXISCAST_INVALID_ARGUMENT, "expression: the expression takes 2 inputs (x, bias); got 9223372036854775807");
  EXPECT_REFUSED(axiscast_expression_infer_output(expression_, inputs_, 2, nullptr, extents, 1, &rank, &dtype),
                 AXISCAST_INVALID_ARGUMENT,
                 "axiscast_expression_infer_output: the capacity of the extents must be the rank 2 or more; got 1");
  EXPECT_EQ(rank, 2);
  EXPECT_EQ(dtype, -7);
  EXPECT_EQ(extents[0], 77);
  options_.has_axis = 1;
  EXPECT_REFUSED(Make(), AXISCAST_INVALID_ARGUMENT,
                 "expression: an expression takes no axis: the text has it, behind the name of an input, as in bias@1; got axis 0");
  options_.has_axis = 0;
  options_.struct_size = 3;
  EXPECT_REFUSED(
      Make(), AXISCAST_INVALID_ARGUMENT,
      "axiscast_plan_make_expression: the struct_size of the options must be sizeof of its struct, which is 56 here; got 3");
  options_.struct_size = sizeof(options_);
  inputs_[1].rank = 65;
  EXPECT_REFUSED(Make(), AXISCAST_INVALID_ARGUMENT, "axiscast_plan_make_expression: the rank of operand 1 must be 0 to 64; got 65");
  EXPECT_EQ(plan_, nullptr);
}

TEST_F(CExpression, TellsItsHandlesFromOthers) {
  uint64_t memory[8] = {};
  auto* const nothing = reinterpret_cast<axiscast_expression*>(memory);
  int32_t count;
  EXPECT_REFUSED(axiscast_expression_input_count(nothing, &count), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_expression_input_count: this is no expression");
  EXPECT_REFUSED(axiscast_expression_free(nothing), AXISCAST_INVALID_ARGUMENT, "axiscast_expression_free: this is no expression");
  ASSERT_EQ(Make(), AXISCAST_OK);
  EXPECT_REFUSED(axiscast_expression_free(reinterpret_cast<axiscast_expression*>(plan_)), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_expression_free: this is no expression");
#ifndef NDEBUG
  axiscast_expression* const freed = expression_;
  expression_ = nullptr;
  EXPECT_EQ(axiscast_expression_free(freed), AXISCAST_OK);
  EXPECT_REFUSED(axiscast_expression_input_count(freed, &count), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_expression_input_count: the expression has been freed");
#endif
}

// A registry of another target makes plans of its kernels.
TEST_F(CExpression, IsOfARegistry) {
  const char* target = nullptr;
  const axiscast_registry* registry = nullptr;
  ASSERT_EQ(axiscast_registry_target(nullptr, &target), AXISCAST_OK);
  ASSERT_EQ(axiscast_registry_for_target(target, &registry), AXISCAST_OK);
  axiscast_expression* same = nullptr;
  ASSERT_EQ(axiscast_expression_create(registry, "abs(x)", &same), AXISCAST_OK);
  ASSERT_EQ(axiscast_plan_make_expression(same, inputs_, 1, &out_, nullptr, &plan_), AXISCAST_OK);
  const void* const pointers[] = {x_};
  ASSERT_EQ(axiscast_plan_execute(plan_, pointers, 1, result_, nullptr), AXISCAST_OK);
  EXPECT_EQ(result_[1], 20);
  EXPECT_EQ(axiscast_expression_free(same), AXISCAST_OK);
}

}  // namespace
