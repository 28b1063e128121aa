// Misuse of the C API that can be found is found: a code, a message that is compared whole, and nothing written. In effect one list
// of refused calls around one fixture, a test for each kind of misuse, hence its length.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "axiscast/c_api.h"

namespace {

const axiscast_op* Find(const char* name) {
  const axiscast_op* op = nullptr;
  EXPECT_EQ(axiscast_op_find(nullptr, name, &op), AXISCAST_OK) << axiscast_last_message();
  return op;
}

#define EXPECT_REFUSED(call, code, message)         \
  do {                                              \
    EXPECT_EQ(call, code);                          \
    EXPECT_STREQ(axiscast_last_message(), message); \
  } while (false)

// float32 [2, 3] + [3] -> [2, 3].
class Misuse : public testing::Test {
 protected:
  axiscast_tensor Tensor(void* data, int32_t rank, const int64_t* shape) {
    return {sizeof(axiscast_tensor), data, AXISCAST_FLOAT32, rank, shape, nullptr};
  }

  int32_t Apply() { return axiscast_apply(add_, inputs_, 2, &out_, &options_, &execute_); }
  int32_t Make() { return axiscast_plan_make(add_, inputs_, 2, &out_, &options_, &plan_); }
  void TearDown() override {
    for (const float value : result_) EXPECT_EQ(value, 9);
    EXPECT_EQ(axiscast_plan_free(plan_), AXISCAST_OK);
  }

  const axiscast_op* const add_ = Find("add");
  float x_[6] = {1, 2, 3, 4, 5, 6}, y_[3] = {10, 20, 30}, result_[6] = {9, 9, 9, 9, 9, 9};
  int64_t x_shape_[2] = {2, 3}, y_shape_[1] = {3};
  axiscast_tensor inputs_[2] = {Tensor(x_, 2, x_shape_), Tensor(y_, 1, y_shape_)};
  axiscast_tensor out_ = Tensor(result_, 2, x_shape_);
  axiscast_options options_ = {sizeof(axiscast_options), 0, 0, 0, nullptr, 0, nullptr, nullptr};
  axiscast_execute_options execute_ = {sizeof(axiscast_execute_options), 0, 0, nullptr, nullptr};
  axiscast_plan* plan_ = nullptr;
};

TEST_F(Misuse, NullPointers) {
  const axiscast_op* op;
  int32_t number;
  int64_t count, extents[AXISCAST_MAX_RANK];
  const void* pointers[] = {x_, y_};
  EXPECT_REFUSED(axiscast_op_find(nullptr, nullptr, &op), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_op_find: the name of the op is null");
  EXPECT_REFUSED(axiscast_op_find(nullptr, "add", nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_op_find: the pointer to the op is null");
  EXPECT_REFUSED(axiscast_op_count(nullptr, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_op_count: the pointer to the count is null");
  EXPECT_REFUSED(axiscast_op_at(nullptr, 0, nullptr), AXISCAST_INVALID_ARGUMENT, "axiscast_op_at: the pointer to the op is null");
  EXPECT_REFUSED(axiscast_op_describe(nullptr, nullptr), AXISCAST_INVALID_ARGUMENT, "axiscast_op_describe: the op is null");
  EXPECT_REFUSED(axiscast_op_describe(add_, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_op_describe: the pointer to the info is null");
  EXPECT_REFUSED(axiscast_op_kernel(nullptr, 0, nullptr), AXISCAST_INVALID_ARGUMENT, "axiscast_op_kernel: the op is null");
  EXPECT_REFUSED(axiscast_op_attribute(nullptr, 0, nullptr), AXISCAST_INVALID_ARGUMENT, "axiscast_op_attribute: the op is null");
  EXPECT_REFUSED(axiscast_op_gradient(nullptr, nullptr, &op), AXISCAST_INVALID_ARGUMENT, "axiscast_op_gradient: the op is null");
  EXPECT_REFUSED(axiscast_op_gradient(nullptr, add_, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_op_gradient: the pointer to the gradient is null");
  EXPECT_REFUSED(axiscast_target_count(nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_target_count: the pointer to the count is null");
  EXPECT_REFUSED(axiscast_target_at(0, nullptr, &number), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_target_at: the pointer to the name or to supported is null");
  EXPECT_REFUSED(axiscast_registry_for_target(nullptr, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_registry_for_target: the target's name is null");
  EXPECT_REFUSED(axiscast_registry_target(nullptr, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_registry_target: the pointer to the target is null");
  EXPECT_REFUSED(axiscast_dtype_find(nullptr, &number), AXISCAST_INVALID_ARGUMENT, "axiscast_dtype_find: the name is null");
  EXPECT_REFUSED(axiscast_mode_find("axis", nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_mode_find: the pointer to the mode is null");
  EXPECT_REFUSED(axiscast_resolve_shape(inputs_, 2, nullptr, extents, 2, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_resolve_shape: the pointer to the rank is null");
  EXPECT_REFUSED(axiscast_resolve_shape(inputs_, 2, nullptr, nullptr, 2, &number), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_resolve_shape: the pointer to the extents is null");
  EXPECT_REFUSED(axiscast_resolve_shape(nullptr, 2, nullptr, extents, 2, &number), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_resolve_shape: the array of operands is null");
  EXPECT_REFUSED(axiscast_infer_output(nullptr, inputs_, 2, nullptr, extents, 2, &number, &number), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_infer_output: the op is null");
  EXPECT_REFUSED(axiscast_apply(nullptr, inputs_, 2, &out_, nullptr, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_apply: the op is null");
  EXPECT_REFUSED(axiscast_apply(add_, nullptr, 2, &out_, nullptr, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_apply: the array of operands is null");
  EXPECT_REFUSED(axiscast_apply(add_, inputs_, 2, nullptr, nullptr, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_apply: out is null");
  EXPECT_REFUSED(axiscast_apply_in_place(add_, nullptr, inputs_, 1, nullptr, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_apply_in_place: x is null");
  EXPECT_REFUSED(axiscast_plan_make(add_, inputs_, 2, &out_, nullptr, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_make: the pointer to the plan is null");
  EXPECT_REFUSED(axiscast_plan_execute(nullptr, pointers, 2, result_, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_execute: the plan is null");
  ASSERT_EQ(Make(), AXISCAST_OK);
  EXPECT_REFUSED(axiscast_plan_execute(plan_, nullptr, 2, result_, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_execute: the array of inputs is null");
  EXPECT_REFUSED(axiscast_plan_describe(plan_, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_describe: the pointer to the info is null");
  EXPECT_REFUSED(axiscast_plan_execute(plan_, pointers, 2, nullptr, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "add: the pointer of out is null, but there are elements behind it");
  pointers[1] = nullptr;
  EXPECT_REFUSED(axiscast_plan_execute(plan_, pointers, 2, result_, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "add: the pointer of y is null, but there are elements behind it");
  EXPECT_REFUSED(axiscast_plan_execute_part(plan_, pointers, 2, result_, 0, 2, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "add: the pointer of y is null, but there are elements behind it");
  EXPECT_EQ(axiscast_op_count(nullptr, &count), AXISCAST_OK);
  EXPECT_STREQ(axiscast_last_message(), "add: the pointer of y is null, but there are elements behind it");  // stays
}

TEST_F(Misuse, StructSizes) {
  axiscast_op_info info{};
  EXPECT_REFUSED(axiscast_op_describe(add_, &info), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_op_describe: the struct_size of the info must be sizeof of its struct, which is 88 here; got 0");
  info.struct_size = sizeof(info) + 1;
  EXPECT_EQ(axiscast_op_describe(add_, &info), AXISCAST_INVALID_ARGUMENT);
  EXPECT_EQ(info.name, nullptr);
  out_.struct_size = 39;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_apply: the struct_size of out must be sizeof of its struct, which is 40 here; got 39");
  out_.struct_size = 40;
  inputs_[0].struct_size = 0;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_apply: the struct_size of the operands must be sizeof of its struct, which is 40 here; got 0");
  inputs_[0].struct_size = 40;
  inputs_[1].struct_size = 48;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_apply: all of the operands must have one struct_size; got 40 and 48");
  inputs_[1].struct_size = 40;
  options_.struct_size = 1000000;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_apply: the struct_size of the options must be sizeof of its struct, which is 56 here; got 1000000");
  options_.struct_size = sizeof(options_);
  execute_.struct_size = 24;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_apply: the struct_size of the execute options must be sizeof of its struct, which is 32 here; got 24");
  execute_.struct_size = sizeof(execute_);
  axiscast_thread_pool pool{};
  execute_.pool = &pool;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT, "add: the thread pool's struct_size must be 32 or more; got 0");
  pool.struct_size = sizeof(pool);
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT, "add: the thread pool must have both functions, parallel_for and concurrency");
}

TEST_F(Misuse, Ranks) {
  int32_t rank;
  int64_t extents[AXISCAST_MAX_RANK];
  for (const int32_t wrong : {-1, 65, INT32_MAX, INT32_MIN}) {
    inputs_[1].rank = wrong;
    const std::string message = "the rank of operand 1 must be 0 to 64; got " + std::to_string(wrong);
    EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT, ("axiscast_apply: " + message).c_str());
    EXPECT_REFUSED(axiscast_resolve_shape(inputs_, 2, nullptr, extents, 64, &rank), AXISCAST_INVALID_ARGUMENT,
                   ("axiscast_resolve_shape: " + message).c_str());
  }
  inputs_[1] = Tensor(y_, 1, nullptr);
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT, "axiscast_apply: the shape of operand 1 is null, and its rank 1");
  inputs_[1] = Tensor(y_, 1, y_shape_);
  y_shape_[0] = -3;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_SHAPE, "add: dimensions must not be negative; got y[0] = -3 (y [-3])");
  y_shape_[0] = -257;
  EXPECT_REFUSED(axiscast_infer_shape(inputs_, 2, nullptr, extents, 64, &rank), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_infer_shape: an extent of operand 1 must be -256 or more; got -257");
  y_shape_[0] = 3;
  EXPECT_REFUSED(axiscast_resolve_shape(inputs_, 2, nullptr, extents, 1, &rank), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_resolve_shape: the capacity of the extents must be the rank 2 or more; got 1");
  EXPECT_EQ(rank, 2);
  EXPECT_REFUSED(axiscast_resolve_shape(inputs_, 0, nullptr, extents, 1, &rank), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_resolve_shape: the number of operands must be 1 or more; got 0");
}

TEST_F(Misuse, NumbersThatNoEnumHas) {
  for (const int32_t wrong : {-1, 13, 256, 267, INT32_MAX}) {  // 267 is float32 in eight bits
    inputs_[0].dtype = wrong;
    EXPECT_REFUSED(
        Apply(), AXISCAST_INVALID_ARGUMENT,
        ("axiscast_apply: the dtype of operand 0 must be a value of its enum, 0 to 12; got " + std::to_string(wrong)).c_str());
  }
  inputs_[0].dtype = AXISCAST_FLOAT32;
  out_.dtype = 99;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_apply: the dtype of out must be a value of its enum, 0 to 12; got 99");
  out_.dtype = AXISCAST_FLOAT32;
  options_.mode = 9;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT, "axiscast_apply: the mode must be a value of its enum, 0 to 8; got 9");
  options_.mode = -1;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT, "axiscast_apply: the mode must be a value of its enum, 0 to 8; got -1");
  options_.mode = AXISCAST_MODE_PATTERN;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_apply: mode pattern is for patterns that C++ declares (PlanOptions::patterns); there are none in C");
  options_.mode = 0;
  execute_.stores = 3;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT, "axiscast_apply: stores must be a value of its enum, 0 to 2; got 3");
  execute_.stores = 0;
  execute_.max_threads = -1;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT, "axiscast_apply: max_threads must be 0 or more; got -1");
  execute_.max_threads = 0;
  axiscast_attribute attribute{sizeof(axiscast_attribute), "min", 5, 0, {}};
  options_.attributes = &attribute;
  options_.attribute_count = 1;
  EXPECT_REFUSED(Apply(), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_apply: the kind of attribute min must be a value of its enum, 0 to 4; got 5");
  uint8_t code, bits;
  uint16_t lanes;
  EXPECT_REFUSED(axiscast_dtype_to_dlpack(13, &code, &bits, &lanes), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_dtype_to_dlpack: the dtype must be a value of its enum, 0 to 12; got 13");
  int32_t dtype = -7;
  EXPECT_REFUSED(axiscast_dtype_from_dlpack(9, 4, 2, &dtype), AXISCAST_UNSUPPORTED_DTYPE,
                 "axiscast_dtype_from_dlpack: there is no dtype for DLPack's code 9 of 4 bits in vectors of 2");
  EXPECT_EQ(dtype, -7);
}

TEST_F(Misuse, Attributes) {
  const axiscast_op* const clip = Find("clip");
  const auto call = [&] { return axiscast_apply(clip, inputs_, 1, &out_, &options_, nullptr); };
  axiscast_attribute attributes[2] = {{sizeof(axiscast_attribute), "min", AXISCAST_VALUE_DOUBLE, 0, {}},
                                      {sizeof(axiscast_attribute), "min", AXISCAST_VALUE_INT64, 0, {}}};
  attributes[1].value.integer = 3;
  options_.attribute_count = 1;
  EXPECT_REFUSED(call(), AXISCAST_INVALID_ARGUMENT, "axiscast_apply: the array of attributes is null");
  options_.attributes = attributes;
  options_.attribute_count = -1;
  EXPECT_REFUSED(call(), AXISCAST_INVALID_ARGUMENT, "axiscast_apply: the number of attributes must be 0 or more; got -1");
  options_.attribute_count = 7;
  EXPECT_REFUSED(call(), AXISCAST_INVALID_ARGUMENT, "axiscast_apply: an op has at most 6 attributes; got 7");
  options_.attribute_count = 2;
  EXPECT_REFUSED(call(), AXISCAST_INVALID_ARGUMENT, "clip: attribute min is given twice: 0 and 3");
  attributes[1].struct_size = 40;
  EXPECT_REFUSED(call(), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_apply: all of the attributes must have one struct_size; got 32 and 40");
  options_.attribute_count = 1;
  attributes[0].name = nullptr;
  EXPECT_REFUSED(call(), AXISCAST_INVALID_ARGUMENT, "axiscast_apply: the name of an attribute is null");
  attributes[0].name = "mim";
  EXPECT_REFUSED(call(), AXISCAST_UNKNOWN_NAME,
                 "clip: there is no attribute of clip \"mim\"; did you mean min; there are: min, max");
  attributes[0].name = "min";
  attributes[0].kind = AXISCAST_VALUE_TEXT;
  attributes[0].value.text = nullptr;
  EXPECT_REFUSED(call(), AXISCAST_INVALID_ARGUMENT, "clip: the text of attribute min is null");
  attributes[0].kind = AXISCAST_VALUE_SHAPE;
  attributes[0].rank = 65;
  EXPECT_REFUSED(call(), AXISCAST_INVALID_ARGUMENT, "axiscast_apply: the rank of attribute min must be 0 to 64; got 65");
  attributes[0].rank = 1;
  attributes[0].value.shape = nullptr;
  EXPECT_REFUSED(call(), AXISCAST_INVALID_ARGUMENT, "axiscast_apply: the shape of attribute min is null, and its rank 1");
}

TEST_F(Misuse, NumbersOfInputs) {
  const axiscast_tensor many[5] = {inputs_[0], inputs_[0], inputs_[0], inputs_[0], inputs_[0]};
  const auto call = [&](int64_t count) { return axiscast_apply(add_, many, count, &out_, nullptr, nullptr); };
  EXPECT_REFUSED(call(-1), AXISCAST_INVALID_ARGUMENT, "axiscast_apply: the number of operands must be 0 or more; got -1");
  EXPECT_REFUSED(call(0), AXISCAST_INVALID_ARGUMENT, "add: takes 2 inputs; got 0");
  EXPECT_REFUSED(call(1), AXISCAST_INVALID_ARGUMENT, "add: takes 2 inputs; got 1");
  EXPECT_REFUSED(call(5), AXISCAST_INVALID_ARGUMENT, "add: takes 2 inputs; got 5");
  EXPECT_REFUSED(call(INT64_MAX), AXISCAST_INVALID_ARGUMENT, "add: takes 2 inputs; got 9223372036854775807");
  EXPECT_REFUSED(axiscast_apply_in_place(add_, &out_, many, 4, nullptr, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "add_: takes 2 inputs; got 5");
  ASSERT_EQ(Make(), AXISCAST_OK);
  const void* pointers[] = {x_, y_, x_};
  EXPECT_REFUSED(axiscast_plan_execute(plan_, pointers, 3, result_, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_execute: the plan takes 2 inputs; got 3");
  EXPECT_REFUSED(axiscast_plan_execute_part(plan_, pointers, 1, result_, 0, 1, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_execute_part: the plan takes 2 inputs; got 1");
}

TEST_F(Misuse, IndicesAndNames) {
  const axiscast_op* op = nullptr;
  const axiscast_registry* registry = nullptr;
  const char* name;
  int32_t number;
  int64_t count;
  ASSERT_EQ(axiscast_op_count(nullptr, &count), AXISCAST_OK);
  for (const int64_t wrong : {int64_t{-1}, count}) {
    EXPECT_REFUSED(axiscast_op_at(nullptr, wrong, &op), AXISCAST_OUT_OF_RANGE,
                   ("axiscast_op_at: the index of an op must be 0 or more and less than " + std::to_string(count) + "; got " +
                    std::to_string(wrong))
                       .c_str());
  }
  EXPECT_EQ(axiscast_target_at(-1, &name, &number), AXISCAST_OUT_OF_RANGE);
  axiscast_attribute_info attribute{};
  attribute.struct_size = sizeof(attribute);
  EXPECT_REFUSED(axiscast_op_attribute(add_, 0, &attribute), AXISCAST_OUT_OF_RANGE,
                 "axiscast_op_attribute: the index of an attribute must be 0 or more and less than 0; got 0");
  EXPECT_EQ(axiscast_op_find(nullptr, "substract", &op), AXISCAST_UNKNOWN_NAME);
  EXPECT_EQ(std::string(axiscast_last_message()).find("there is no op \"substract\"; did you mean subtract"), 0u)
      << axiscast_last_message();
  EXPECT_EQ(axiscast_registry_for_target("AVX9", &registry), AXISCAST_UNKNOWN_NAME);
  EXPECT_EQ(std::string(axiscast_last_message()).find("there is no target \"AVX9\""), 0u) << axiscast_last_message();
  EXPECT_EQ(axiscast_dtype_find("float23", &number), AXISCAST_UNKNOWN_NAME);
  EXPECT_EQ(std::string(axiscast_last_message()).find("there is no dtype \"float23\"; did you mean float32"), 0u)
      << axiscast_last_message();
  EXPECT_EQ(axiscast_mode_find("paddle", &number), AXISCAST_UNKNOWN_NAME);
  EXPECT_EQ(op, nullptr);
  EXPECT_EQ(registry, nullptr);
}

TEST_F(Misuse, OutputsAndDTypes) {
  const int64_t strides[] = {8, 4};
  out_.byte_strides = strides;
  EXPECT_REFUSED(
      Apply(), AXISCAST_INVALID_ARGUMENT,
      "add: out overlaps itself, so that elements of the result would be written over each other; use a destination with "
      "memory of its own for each element (out [2, 3], byte strides [8, 4])");
  EXPECT_EQ(Make(), AXISCAST_INVALID_ARGUMENT);
  EXPECT_EQ(plan_, nullptr);
  out_.byte_strides = nullptr;
  out_.dtype = AXISCAST_FLOAT64;
  EXPECT_REFUSED(Apply(), AXISCAST_UNSUPPORTED_DTYPE, "add: out must have the result's dtype float32; got float64");
  inputs_[0].dtype = AXISCAST_BOOL;
  EXPECT_EQ(Apply(), AXISCAST_UNSUPPORTED_DTYPE);
  EXPECT_EQ(
      std::string(axiscast_last_message()).find("add: no kernel for add(bool, float32); add supports (bool, bool), (int8, int8)"),
      0u)
      << axiscast_last_message();
}

TEST_F(Misuse, Parts) {
  ASSERT_EQ(Make(), AXISCAST_OK);
  const void* pointers[] = {x_, y_};
  const auto part = [&](int64_t i, int64_t n) { return axiscast_plan_execute_part(plan_, pointers, 2, result_, i, n, nullptr); };
  EXPECT_REFUSED(part(0, 0), AXISCAST_INVALID_ARGUMENT, "add: a part must be one of 0 to parts - 1; got part 0 of 0");
  EXPECT_REFUSED(part(2, 2), AXISCAST_INVALID_ARGUMENT, "add: a part must be one of 0 to parts - 1; got part 2 of 2");
  EXPECT_REFUSED(part(-1, 2), AXISCAST_INVALID_ARGUMENT, "add: a part must be one of 0 to parts - 1; got part -1 of 2");
  EXPECT_REFUSED(part(0, INT64_MIN), AXISCAST_INVALID_ARGUMENT,
                 "add: a part must be one of 0 to parts - 1; got part 0 of -9223372036854775808");
  pointers[0] = result_ + 1;  // and result_ has 9 everywhere
  EXPECT_REFUSED(part(1, 2), AXISCAST_UNSUPPORTED,
                 "add: x overlaps out and must be copied first, so that it runs in one part; got part 1 of 2");

  const int64_t shape[] = {2, 3};
  int32_t x[6] = {}, y[6] = {};
  const axiscast_tensor whole[] = {{sizeof(axiscast_tensor), x, AXISCAST_INT32, 2, shape, nullptr},
                                   {sizeof(axiscast_tensor), y, AXISCAST_INT32, 2, shape, nullptr}};
  axiscast_plan* divide = nullptr;
  ASSERT_EQ(axiscast_plan_make(Find("divide"), whole, 2, &whole[0], nullptr, &divide), AXISCAST_OK);
  pointers[0] = x;
  pointers[1] = y;
  EXPECT_REFUSED(axiscast_plan_execute_part(divide, pointers, 2, x, 0, 2, nullptr), AXISCAST_UNSUPPORTED,
                 "divide: the call looks at data before it writes, so that it runs in one part; got part 0 of 2");
  EXPECT_REFUSED(axiscast_plan_execute_part(divide, pointers, 2, x, 0, 1, nullptr), AXISCAST_DIVISION_BY_ZERO,
                 "divide: integer division by zero at y[0, 0] (x [2, 3], y [2, 3])");
  axiscast_plan_info info{};
  info.struct_size = sizeof(info);
  EXPECT_EQ(axiscast_plan_describe(divide, &info), AXISCAST_OK);
  EXPECT_EQ(info.divisible, 0);
  EXPECT_EQ(axiscast_plan_free(divide), AXISCAST_OK);
}

TEST_F(Misuse, Handles) {
  std::vector<std::uint64_t> no_plan(16, 1);
  auto* const other = reinterpret_cast<axiscast_plan*>(no_plan.data());
  const void* pointers[] = {x_, y_};
  EXPECT_REFUSED(axiscast_plan_execute(other, pointers, 2, result_, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_execute: this is no plan");
  EXPECT_REFUSED(axiscast_plan_free(other), AXISCAST_INVALID_ARGUMENT, "axiscast_plan_free: this is no plan");
#ifndef NDEBUG  // elsewhere the memory may be somebody else's already
  ASSERT_EQ(Make(), AXISCAST_OK);
  axiscast_plan* const freed = plan_;
  plan_ = nullptr;
  EXPECT_EQ(axiscast_plan_free(freed), AXISCAST_OK);
  EXPECT_REFUSED(axiscast_plan_free(freed), AXISCAST_INVALID_ARGUMENT, "axiscast_plan_free: the plan has been freed");
  EXPECT_REFUSED(axiscast_plan_execute(freed, pointers, 2, result_, nullptr), AXISCAST_INVALID_ARGUMENT,
                 "axiscast_plan_execute: the plan has been freed");
#endif
}

TEST_F(Misuse, MessagesBelongToTheThread) {
  EXPECT_EQ(axiscast_plan_execute(nullptr, nullptr, 0, nullptr, nullptr), AXISCAST_INVALID_ARGUMENT);
  std::thread([] {
    EXPECT_STREQ(axiscast_last_message(), "");
    EXPECT_EQ(axiscast_op_describe(nullptr, nullptr), AXISCAST_INVALID_ARGUMENT);
    EXPECT_STREQ(axiscast_last_message(), "axiscast_op_describe: the op is null");
  }).join();
  EXPECT_STREQ(axiscast_last_message(), "axiscast_plan_execute: the plan is null");
}

}  // namespace
