// BroadcastTo: views over larger shapes, and the views and shapes that it refuses.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>

#include "axiscast/resolve.h"
#include "tests/testing/resolve_case.h"

namespace axiscast {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

struct ViewCase {
  const char* name;
  Shape view;
  ByteStrides strides;
  Shape shape;
  std::optional<std::int64_t> axis;
  ByteStrides expected;
};

void PrintTo(const ViewCase& c, std::ostream* stream) { *stream << c.name; }

const ViewCase kViewCases[] = {
    // name            view       strides         shape         axis     byte strides of the result
    {"same_shape", {2, 3}, {12, 4}, {2, 3}, {}, {12, 4}},
    {"same_shape_any_axis", {2, 3}, {12, 4}, {2, 3}, 9, {12, 4}},
    {"row", {3}, {4}, {2, 3}, {}, {0, 4}},
    {"row_axis_minus_1", {3}, {4}, {2, 3}, -1, {0, 4}},
    {"column", {2, 1}, {4, 4}, {2, 3}, {}, {4, 0}},
    {"column_axis_0", {2}, {4}, {2, 3}, 0, {4, 0}},
    {"axis_minus_2", {2}, {4}, {2, 3}, -2, {4, 0}},
    {"channel", {3}, {4}, {2, 3, 5, 7}, 1, {0, 4, 0, 0}},
    {"two_in_the_middle", {3, 5}, {20, 4}, {2, 3, 5, 7}, 1, {0, 20, 4, 0}},
    {"hangs_over", {7, 1}, {4, 99}, {2, 3, 5, 7}, 3, {0, 0, 0, 4}},
    {"scalar", {}, {}, {2, 3}, {}, {0, 0}},
    {"scalar_to_scalar", {}, {}, {}, {}, {}},
    {"one_to_zero", {1}, {4}, {2, 0}, {}, {0, 0}},
    {"negative_strides", {3, 1}, {-40, 8}, {3, 2}, {}, {-40, 0}},
    {"stretched_view", {3}, {0}, {2, 3}, {}, {0, 0}},
    {"farthest_offset", {2}, {kHighest - 4}, {5, 2}, {}, {0, kHighest - 4}},
    {"lowest_offset", {2}, {kLowest + 5}, {2}, {}, {kLowest + 5}},
    {"nothing_to_reach", {0, 3}, {kHighest, kHighest}, {0, 3}, {}, {kHighest, kHighest}},
};

class BroadcastToView : public ::testing::TestWithParam<ViewCase> {};

TEST_P(BroadcastToView, HasTheStrides) {
  const ViewCase& c = GetParam();
  const float element = 0;
  const TensorView view(&element, DType::kFloat32, c.view, c.strides);
  TensorView result;
  const Status status = BroadcastTo(view, c.shape, c.axis, &result);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(result.data, &element);
  EXPECT_EQ(result.dtype, DType::kFloat32);
  EXPECT_EQ(result.shape, c.shape);
  EXPECT_EQ(result.byte_strides, c.expected);
}

INSTANTIATE_TEST_SUITE_P(Table, BroadcastToView, ::testing::ValuesIn(kViewCases), [](const auto& i) { return i.param.name; });

struct RefusedCase {
  const char* name;
  Shape view;
  ByteStrides strides;
  Shape shape;
  std::optional<std::int64_t> axis;
  StatusCode code;
  std::string message;
};

void PrintTo(const RefusedCase& c, std::ostream* stream) { *stream << c.name; }

const RefusedCase kRefusedCases[] = {
    {"extents",
     {2},
     {4},
     {2, 3},
     {},
     StatusCode::kInvalidShape,
     "broadcast_to: dimensions must be equal or 1; got view[0] = 2 and shape[1] = 3 (view [2], shape [2, 3])"},
    {"shape_would_stretch",
     {2, 3},
     {12, 4},
     {1, 3},
     {},
     StatusCode::kInvalidShape,
     "broadcast_to: view [2, 3] does not stretch to shape [1, 3]: together they give [2, 3]"},
    {"zero_does_not_stretch_one",
     {0},
     {4},
     {1},
     {},
     StatusCode::kInvalidShape,
     "broadcast_to: view [0] does not stretch to shape [1]: together they give [0]"},
    {"rank_left_over",
     {1, 3},
     {12, 4},
     {3},
     {},
     StatusCode::kInvalidShape,
     "broadcast_to: view [1, 3] does not stretch to shape [3]: together they give [1, 3]"},
    {"axis",
     {3},
     {4},
     {2, 3},
     2,
     StatusCode::kOutOfRange,
     "broadcast_to: axis must be from -2 to 1 (-1 aligns right); got axis 2 (view [3], shape [2, 3], axis 2)"},
    {"lowest_axis",
     {3},
     {4},
     {2, 3},
     kLowest,
     StatusCode::kOutOfRange,
     "broadcast_to: axis must be from -2 to 1 (-1 aligns right); got axis -9223372036854775808 (view [3], shape [2, 3], axis "
     "-9223372036854775808)"},
    {"strides_missing",
     {2, 3},
     {4},
     {2, 3},
     {},
     StatusCode::kInvalidArgument,
     "broadcast_to: a view needs a byte stride for each of its dimensions; got 1 for view [2, 3]"},
    {"offsets",
     {3},
     {kHighest / 2 + 1},
     {3},
     {},
     StatusCode::kInvalidShape,
     "broadcast_to: byte offsets must fit in int64; got view [3] with byte strides [4611686018427387904]"},
    {"offsets_end",
     {2},
     {kHighest - 3},
     {2},
     {},
     StatusCode::kInvalidShape,
     "broadcast_to: byte offsets must fit in int64; got view [2] with byte strides [9223372036854775804]"},
    {"offsets_add_up",
     {2, 2},
     {kHighest / 2 + 1, kHighest / 2 + 1},
     {2, 2},
     {},
     StatusCode::kInvalidShape,
     "broadcast_to: byte offsets must fit in int64; got view [2, 2] with byte strides [4611686018427387904, 4611686018427387904]"},
    {"offsets_of_the_whole",
     {2},
     {kLowest + 4},
     {2},
     {},
     StatusCode::kInvalidShape,
     "broadcast_to: byte offsets must fit in int64; got view [2] with byte strides [-9223372036854775804]"},
    {"negative_offsets",
     {2, 2},
     {kLowest, -1},
     {2, 2},
     {},
     StatusCode::kInvalidShape,
     "broadcast_to: byte offsets must fit in int64; got view [2, 2] with byte strides [-9223372036854775808, -1]"},
    {"elements",
     {1},
     {4},
     {kHighest, 2},
     {},
     StatusCode::kInvalidShape,
     "broadcast_to: the number of elements must be less than 2^63; got shape [9223372036854775807, 2]"},
    {"negative_extent",
     {1},
     {4},
     {-1},
     {},
     StatusCode::kInvalidShape,
     "broadcast_to: dimensions must not be negative; got shape[0] = -1 (shape [-1])"},
};

class BroadcastToRefuses : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(BroadcastToRefuses, WithTheMessage) {
  const RefusedCase& c = GetParam();
  const float element = 0;
  TensorView result(&element, {17});
  const Status status = BroadcastTo(TensorView(nullptr, DType::kFloat32, c.view, c.strides), c.shape, c.axis, &result);
  EXPECT_EQ(status.message(), c.message);
  EXPECT_EQ(status.code(), c.code);
  EXPECT_EQ(result.data, &element);
  EXPECT_EQ(result.shape, (Shape{17}));
}

INSTANTIATE_TEST_SUITE_P(Table, BroadcastToRefuses, ::testing::ValuesIn(kRefusedCases), [](const auto& i) { return i.param.name; });

TEST(BroadcastTo, ResultMayBeTheView) {
  const float elements[3] = {};
  TensorView view(elements, {3});
  const Status status = BroadcastTo(view, {2, 3, 4}, 1, &view);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(view.data, elements);
  EXPECT_EQ(view.shape, (Shape{2, 3, 4}));
  EXPECT_EQ(view.byte_strides, (ByteStrides{0, 4, 0}));
}

TEST(BroadcastTo, ShapeMayBeTheResults) {
  const float elements[3] = {};
  TensorView result(elements, {2, 3});
  ASSERT_TRUE(BroadcastTo(TensorView(elements, {3}), result.shape, {}, &result).ok());
  EXPECT_EQ(result.shape, (Shape{2, 3}));
  EXPECT_EQ(result.byte_strides, (ByteStrides{0, 4}));
}

TEST(BroadcastTo, RefusesADTypeThatDoesNotExist) {
  TensorView result;
  const Status status = BroadcastTo(TensorView(nullptr, static_cast<DType>(200), {3}, {4}), {2, 3}, {}, &result);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(status.message(), "broadcast_to: the view's dtype must be a value of the enum; got 200");
}

}  // namespace
}  // namespace axiscast
