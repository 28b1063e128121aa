// What sum_to refuses: the whole message, and nothing written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <ostream>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

const Op& SumTo() { return *FindOp("sum_to"); }

ApplyOptions To(const Shape& shape, std::optional<std::int64_t> axis = {}) {
  ApplyOptions options;
  options.attributes = {{"shape", shape}};
  options.axis = axis;
  return options;
}

struct Refusal {
  const char* name;
  ApplyOptions options;
  MutableTensorView out;
  StatusCode code;
  const char* message;
};
void PrintTo(const Refusal& refusal, std::ostream* os) { *os << refusal.name; }

float out_memory[12];
std::int32_t int_memory[12];

ApplyOptions InMode(Mode mode) {
  ApplyOptions options = To({3});
  options.mode = mode;
  return options;
}

const Refusal kRefusals[] = {
    // of x [2, 3]
    {"no_shape", {}, {out_memory, {3}}, StatusCode::kInvalidArgument, "sum_to: attribute shape is required: of the result"},
    {"extents",
     To({4}),
     {out_memory, {4}},
     StatusCode::kInvalidShape,
     "sum_to: dimensions must be equal or 1; got x[1] = 3 and shape[0] = 4 (x [2, 3], shape [4])"},
    {"would_stretch_x",
     To({2, 2, 3}),
     {out_memory, {2, 2, 3}},
     StatusCode::kInvalidShape,
     "sum_to: shape must broadcast to the shape of x without stretching it; got shape [2, 2, 3] (x [2, 3])"},
    {"rank_left_over",
     To({1, 2, 3}),
     {out_memory, {1, 2, 3}},
     StatusCode::kInvalidShape,
     "sum_to: shape must broadcast to the shape of x without stretching it; got shape [1, 2, 3] (x [2, 3])"},
    {"axis",
     To({3}, 2),
     {out_memory, {3}},
     StatusCode::kOutOfRange,
     "sum_to: axis must be from -2 to 1 (-1 aligns right); got axis 2 (x [2, 3], shape [3], axis 2)"},
    {"mode", InMode(Mode::kNone), {out_memory, {3}}, StatusCode::kInvalidArgument, "sum_to: takes no broadcasting mode; got none"},
    {"out_shape",
     To({3}),
     {out_memory, {1, 3}},
     StatusCode::kInvalidShape,
     "sum_to: the result [3] does not have the shape of out [1, 3]"},
    {"out_dtype",
     To({3}),
     {int_memory, {3}},
     StatusCode::kUnsupportedDType,
     "sum_to: out must have the result's dtype float32; got int32"},
    {"out_overlaps_itself",
     To({3}),
     {out_memory, DType::kFloat32, {3}, {0}},
     StatusCode::kInvalidArgument,
     "sum_to: out overlaps itself, so that elements of the result would be written over each other; use a destination with memory "
     "of "
     "its own for each element (out [3], byte strides [0])"},
};

class SumToRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(SumToRefusal, SaysWhyAndWritesNothing) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  std::fill(std::begin(out_memory), std::end(out_memory), -1.0f);
  const Status status = Apply(SumTo(), {{x.data(), {2, 3}}}, GetParam().out, GetParam().options);
  EXPECT_EQ(status.code(), GetParam().code);
  EXPECT_STREQ(status.message(), GetParam().message);
  for (const float value : out_memory) EXPECT_EQ(value, -1);
}

INSTANTIATE_TEST_SUITE_P(Table, SumToRefusal, testing::ValuesIn(kRefusals), [](const auto& row) { return row.param.name; });

TEST(SumTo, IsNotOfferedOnBool) {
  const bool x[2] = {true, true};
  bool out = false;
  const Status status = Apply(SumTo(), {{x, {2}}}, {&out, {}}, To({}));
  EXPECT_EQ(status.code(), StatusCode::kUnsupportedDType);
  EXPECT_STREQ(
      status.message(),
      "sum_to: no kernel for sum_to(bool); sum_to supports (int8), (int16), (int32), (int64), (uint8), (uint16), (uint32), "
      "(uint64), (float16), (bfloat16), (float32), (float64)");
}

TEST(SumTo, RefusesOffsetsThatDoNotFit) {
  const float x = 0;
  float out = 0;
  const TensorView view(&x, DType::kFloat32, {3, 2}, {std::numeric_limits<std::int64_t>::max() / 2 + 1, 4});
  const Status status = Apply(SumTo(), {view}, {&out, {}}, To({}));
  EXPECT_EQ(status.code(), StatusCode::kInvalidShape);
  EXPECT_STREQ(status.message(),
               "sum_to: the byte offsets of x do not fit in int64 (x [3, 2], byte strides [4611686018427387904, 4])");
}

}  // namespace
}  // namespace axiscast
