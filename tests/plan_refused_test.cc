// What calls refuse of operands, axes and attributes: the whole message, and nothing written. One table, a row for each thing that
// can be wrong, hence its length; names, pools and plans are in call_misuse_test.cc.
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kHuge = std::int64_t{1} << 62;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Where a view's elements are.
enum class At { kX, kY, kOut, kNull };

struct ViewOf {
  At at;
  DType dtype;
  Shape shape;
  std::optional<ByteStrides> strides = std::nullopt;  // dense when absent
};

ViewOf F32(At at, const Shape& shape) { return {at, DType::kFloat32, shape}; }

struct BadCall {
  const char* name;
  const char* op;
  std::vector<ViewOf> inputs;
  ViewOf out;
  std::optional<std::int64_t> axis;
  std::vector<Attribute> attributes;
  StatusCode code;
  std::string message;
};
void PrintTo(const BadCall& call, std::ostream* os) { *os << call.name; }

Shape RankOf(int rank) {
  Shape shape;
  for (int d = 0; d < rank; ++d) shape.push_back(1);
  return shape;
}

using enum StatusCode;

const BadCall kBadCalls[] = {
    {"too_few_inputs", "add", {F32(At::kX, {3})}, F32(At::kOut, {3}), {}, {}, kInvalidArgument, "add: takes 2 inputs; got 1"},
    {"too_many_inputs_by_alias",
     "elementwise_add",
     {F32(At::kX, {3}), F32(At::kY, {3}), F32(At::kY, {3})},
     F32(At::kOut, {3}),
     {},
     {},
     kInvalidArgument,
     "elementwise_add: takes 2 inputs; got 3"},
    {"dtype_mixture",
     "bitwise_and",
     {{At::kX, DType::kInt16, {3}}, {At::kY, DType::kInt8, {3}}},
     {At::kOut, DType::kInt16, {3}},
     {},
     {},
     kUnsupportedDType,
     "bitwise_and: no kernel for bitwise_and(int16, int8); bitwise_and supports (bool, bool), (int8, int8), (int16, int16), "
     "(int32, int32), (int64, int64), (uint8, uint8), (uint16, uint16), (uint32, uint32), (uint64, uint64)"},
    {"dtype_not_offered",
     "sqrt",
     {{At::kX, DType::kInt32, {3}}},
     {At::kOut, DType::kInt32, {3}},
     {},
     {},
     kUnsupportedDType,
     "sqrt: no kernel for sqrt(int32); sqrt supports (float16), (bfloat16), (float32), (float64)"},
    {"dtype_that_is_none",
     "sqrt",
     {{At::kX, static_cast<DType>(77), {3}}},
     {At::kOut, DType::kFloat32, {3}},
     {},
     {},
     kUnsupportedDType,
     "sqrt: no kernel for sqrt(invalid); sqrt supports (float16), (bfloat16), (float32), (float64)"},
    {"out_of_wrong_dtype",
     "add",
     {F32(At::kX, {3}), F32(At::kY, {3})},
     {At::kOut, DType::kFloat64, {3}},
     {},
     {},
     kUnsupportedDType,
     "add: out must have the result's dtype float32; got float64"},
    {"comparison_to_float",
     "less",
     {F32(At::kX, {3}), F32(At::kY, {3})},
     F32(At::kOut, {3}),
     {},
     {},
     kUnsupportedDType,
     "less: out must have the result's dtype bool; got float32"},
    {"shapes",
     "elementwise_add",
     {F32(At::kX, {2, 3, 5}), F32(At::kY, {3, 4})},
     F32(At::kOut, {2, 3, 5}),
     1,
     {},
     kInvalidShape,
     "elementwise_add: dimensions must be equal or 1; got x[2] = 5 and y[1] = 4 (x [2, 3, 5], y [3, 4], axis 1)"},
    {"out_too_small",
     "add",
     {F32(At::kX, {2, 3}), F32(At::kY, {3})},
     F32(At::kOut, {1, 3}),
     {},
     {},
     kInvalidShape,
     "add: out is never stretched, so dimensions of the result must be equal to out's or 1; got result[0] = 2 and out[0] = 1 "
     "(x [2, 3], y [3], result [2, 3], out [1, 3])"},
    {"out_of_lower_rank",
     "add",
     {F32(At::kX, {1, 3}), F32(At::kY, {3})},
     F32(At::kOut, {3}),
     {},
     {},
     kInvalidShape,
     "add: out is never stretched, so its rank must be that of the result or higher; got rank 1 of out and rank 2 of the result "
     "(x [1, 3], y [3], result [1, 3], out [3])"},
    {"axis_out_of_range",
     "add",
     {F32(At::kX, {2, 3}), F32(At::kY, {3})},
     F32(At::kOut, {2, 3}),
     2,
     {},
     kOutOfRange,
     "add: axis must be from -2 to 1 (-1 aligns right); got axis 2 (x [2, 3], y [3], axis 2)"},
    {"null_input",
     "add",
     {F32(At::kX, {3}), F32(At::kNull, {3})},
     F32(At::kOut, {3}),
     {},
     {},
     kInvalidArgument,
     "add: the pointer of y is null, but there are elements behind it"},
    {"null_scalar",
     "add",
     {F32(At::kNull, {}), F32(At::kY, {3})},
     F32(At::kOut, {3}),
     {},
     {},
     kInvalidArgument,
     "add: the pointer of x is null, but there are elements behind it"},
    {"null_out",
     "add",
     {F32(At::kX, {3}), F32(At::kY, {3})},
     F32(At::kNull, {3}),
     {},
     {},
     kInvalidArgument,
     "add: the pointer of out is null, but there are elements behind it"},
    {"too_few_strides",
     "add",
     {{At::kX, DType::kFloat32, {2, 3}, ByteStrides{4}}, F32(At::kY, {3})},
     F32(At::kOut, {2, 3}),
     {},
     {},
     kInvalidArgument,
     "add: x must have a byte stride for each of its 2 dims; got 1"},
    {"too_many_strides_of_out",
     "add",
     {F32(At::kX, {3}), F32(At::kY, {3})},
     {At::kOut, DType::kFloat32, {3}, ByteStrides{4, 4}},
     {},
     {},
     kInvalidArgument,
     "add: out must have a byte stride for each of its 1 dims; got 2"},
    {"out_stretched",
     "add",
     {F32(At::kX, {3}), F32(At::kY, {3})},
     {At::kOut, DType::kFloat32, {3}, ByteStrides{0}},
     {},
     {},
     kInvalidArgument,
     "add: out overlaps itself, so that elements of the result would be written over each other; use a destination with memory of "
     "its "
     "own for each element (out [3], byte strides [0])"},
    {"out_overlaps_itself_by_bytes",
     "add",
     {F32(At::kX, {3}), F32(At::kY, {3})},
     {At::kOut, DType::kFloat32, {3}, ByteStrides{3}},
     {},
     {},
     kInvalidArgument,
     "add: out overlaps itself, so that elements of the result would be written over each other; use a destination with memory of "
     "its "
     "own for each element (out [3], byte strides [3])"},
    {"out_overlaps_itself_across_dims",
     "add",
     {F32(At::kX, {3, 2}), F32(At::kY, {2})},
     {At::kOut, DType::kFloat32, {3, 2}, ByteStrides{4, 8}},
     {},
     {},
     kInvalidArgument,
     "add: out overlaps itself, so that elements of the result would be written over each other; use a destination with memory of "
     "its "
     "own for each element (out [3, 2], byte strides [4, 8])"},
    {"rank_over_64",
     "add",
     {F32(At::kX, RankOf(65)), F32(At::kY, {3})},
     F32(At::kOut, {3}),
     {},
     {},
     kInvalidShape,
     "add: ranks must be from 0 to 64; got rank 65 of x"},
    {"rank_of_out_over_64",
     "add",
     {F32(At::kX, {3}), F32(At::kY, {3})},
     F32(At::kOut, RankOf(65)),
     {},
     {},
     kInvalidShape,
     "add: ranks must be from 0 to 64; got rank 65 of out"},
    {"negative_extent",
     "add",
     {F32(At::kX, {2, -3}), F32(At::kY, {3})},
     F32(At::kOut, {3}),
     {},
     {},
     kInvalidShape,
     "add: dimensions must not be negative; got x[1] = -3 (x [2, -3])"},
    {"elements_overflow",
     "add",
     {F32(At::kX, {kHuge, 2}), F32(At::kY, {2})},
     F32(At::kOut, {3}),
     {},
     {},
     kInvalidShape,
     "add: the number of elements must be less than 2^63; got x [4611686018427387904, 2]"},
    {"result_overflows",
     "add",
     {F32(At::kX, {kHuge, 1}), F32(At::kY, {2})},
     F32(At::kOut, {3}),
     {},
     {},
     kInvalidShape,
     "add: the number of elements must be less than 2^63; got result [4611686018427387904, 2] (x [4611686018427387904, 1], y [2])"},
    {"offsets_overflow",
     "add",
     {{At::kX, DType::kFloat32, {3}, ByteStrides{kHuge}}, F32(At::kY, {3})},
     F32(At::kOut, {3}),
     {},
     {},
     kInvalidShape,
     "add: the byte offsets of x do not fit in int64 (result [3], byte strides [4611686018427387904])"},
    {"offsets_of_out_overflow",
     "add",
     {F32(At::kX, {}), F32(At::kY, {})},
     {At::kOut, DType::kFloat32, {kMax / 2}},
     {},
     {},
     kInvalidShape,
     "add: the byte offsets of out do not fit in int64 (result [4611686018427387903], byte strides [4])"},
    {"unknown_attribute",
     "clip",
     {F32(At::kX, {3})},
     F32(At::kOut, {3}),
     {},
     {{"mim", 1}},
     kUnknownName,
     "clip: there is no attribute of clip \"mim\"; did you mean min; there are: min, max"},
    {"attribute_of_an_op_without",
     "add",
     {F32(At::kX, {3}), F32(At::kY, {3})},
     F32(At::kOut, {3}),
     {},
     {{"alpha", 1}},
     kUnknownName,
     "add: add takes no attributes; got \"alpha\""},
    {"attribute_twice",
     "clip",
     {F32(At::kX, {3})},
     F32(At::kOut, {3}),
     {},
     {{"min", 1}, {"min", 2.5}},
     kInvalidArgument,
     "clip: attribute min is given twice: 1 and 2.5"},
    {"attribute_nan",
     "clip",
     {F32(At::kX, {3})},
     F32(At::kOut, {3}),
     {},
     {{"max", kNaN}},
     kInvalidArgument,
     "clip: attribute max must be a number; got nan"},
    {"attribute_not_whole",
     "clip",
     {{At::kX, DType::kInt8, {3}}},
     {At::kOut, DType::kInt8, {3}},
     {},
     {{"max", 1.5}},
     kInvalidArgument,
     "clip: attribute max must be a whole number in [-128, 127] for int8; got 1.5"},
    {"attribute_out_of_range",
     "clip",
     {{At::kX, DType::kUInt8, {3}}},
     {At::kOut, DType::kUInt8, {3}},
     {},
     {{"min", -1}},
     kInvalidArgument,
     "clip: attribute min must be a whole number in [0, 255] for uint8; got -1"},
    {"attribute_just_too_large",
     "clip",
     {{At::kX, DType::kInt64, {3}}},
     {At::kOut, DType::kInt64, {3}},
     {},
     {{"min", std::uint64_t{1} << 63}},
     kInvalidArgument,
     "clip: attribute min must be a whole number in [-9223372036854775808, 9223372036854775807] for int64; got "
     "9223372036854775808"},
};

struct Memory {
  std::vector<float> x = std::vector<float>(64, 1), y = std::vector<float>(64, 2), out = std::vector<float>(64, 3);
  void* of(At at) { return at == At::kX ? x.data() : at == At::kY ? y.data() : at == At::kOut ? out.data() : nullptr; }
  MutableTensorView view(const ViewOf& v) {
    return {of(v.at), v.dtype, v.shape, v.strides ? *v.strides : DenseStrides(v.shape, v.dtype)};
  }
};

class Refused : public testing::TestWithParam<BadCall> {};

TEST_P(Refused, WithThisMessageAndNothingWritten) {
  const BadCall& call = GetParam();
  const Op* op = FindOp(call.op);
  ASSERT_NE(op, nullptr);
  Memory memory;
  std::vector<TensorView> inputs;
  for (const ViewOf& view : call.inputs) inputs.push_back(memory.view(view));
  const MutableTensorView out = memory.view(call.out);
  ApplyOptions options;
  options.axis = call.axis;
  options.attributes = call.attributes;
  const Status status = Apply(*op, inputs.data(), inputs.size(), out, options);
  EXPECT_EQ(status.code(), call.code) << NameOf(status.code());
  EXPECT_EQ(status.message(), call.message);
  EXPECT_EQ(memory.out, Memory().out);

  // Making a plan gives the same, unless it is about pointers; then executing it does.
  Plan plan;
  PlanOptions plan_options;
  plan_options.axis = call.axis;
  plan_options.attributes = call.attributes;
  Status planned = Plan::Make(*op, inputs.data(), inputs.size(), out, plan_options, &plan);
  EXPECT_EQ(planned.ok(), call.message.find("pointer") != std::string::npos);
  EXPECT_EQ(plan.empty(), !planned.ok());
  if (planned.ok()) {
    std::vector<const void*> pointers;
    for (const TensorView& input : inputs) pointers.push_back(input.data);
    planned = plan.Execute(pointers.data(), out.data);
  }
  EXPECT_EQ(planned.code(), call.code);
  EXPECT_EQ(planned.message(), call.message);
  EXPECT_EQ(memory.out, Memory().out);
}
INSTANTIATE_TEST_SUITE_P(Table, Refused, testing::ValuesIn(kBadCalls), [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace axiscast
