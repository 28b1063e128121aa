// Shapes in, shapes out: the cases of data/resolve_cases.txt, and what cannot be written as a line there.
#include "core/resolve.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/testing/resolve_case.h"

namespace axiscast {
namespace {

class ResolveTable : public ::testing::TestWithParam<ResolveCase> {};

TEST_P(ResolveTable, GivesTheShapeOrTheCode) {
  const ResolveCase& c = GetParam();
  const Shape untouched = {17, 4};
  Shape result = untouched;
  const Status status = RunCase(c, &result);
  if (c.code.empty()) {
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(result, c.result);
    EXPECT_STREQ(status.message(), "");
  } else {
    EXPECT_EQ(NameOf(status.code()), c.code) << status.message();
    EXPECT_EQ(result, untouched);
    EXPECT_STRNE(status.message(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Data, ResolveTable, ::testing::ValuesIn(ReadResolveCases(AXISCAST_TEST_DATA "/resolve_cases.txt")),
                         [](const auto& i) { return i.param.name; });

TEST(Resolve, NeedsAnOperand) {
  Shape result;
  EXPECT_EQ(ResolveShape(nullptr, 0, {}, &result).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ResolveShape(nullptr, 2, {}, &result).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ResolveInPlace(nullptr, 0, {}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ResolveOut(nullptr, 0, {}, {2}).code(), StatusCode::kInvalidArgument);
}

TEST(Resolve, RefusesRanksThatNoArrayHas) {
  const std::int64_t extents[] = {1};
  for (const std::int64_t rank :
       {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    Shape result;
    EXPECT_EQ(ResolveShape({{2}, Shape(extents, rank)}, {}, &result).code(), StatusCode::kInvalidShape) << rank;
  }
}

TEST(Resolve, TakesAnyNumberOfOperands) {
  std::vector<Shape> shapes(10000, Shape{1, 3});
  shapes[4321] = {7, 1, 1};
  Shape result;
  const Status status = ResolveShape(shapes.data(), shapes.size(), {}, &result);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(result, (Shape{7, 1, 3}));
}

TEST(Resolve, ResultMayBeAnOperand) {
  Shape shapes[] = {{3}, {2, 1}};
  ASSERT_TRUE(ResolveShape(shapes, 2, {}, &shapes[0]).ok());
  EXPECT_EQ(shapes[0], (Shape{2, 3}));
}

struct FacingCase {
  const char* name;
  std::vector<Shape> operands;
  ResolveOptions options;
  Destination destination;
  Shape shape;
  std::vector<int> first;
};

void PrintTo(const FacingCase& c, std::ostream* stream) { *stream << c.name; }

ResolveOptions InMode(std::optional<Mode> mode, std::optional<std::int64_t> axis = {}) {
  ResolveOptions options;
  options.mode = mode;
  options.axis = axis;
  return options;
}

const Shape kOut = {6, 2, 3, 4};

const FacingCase kFacingCases[] = {
    {"right", {{2, 3, 4}, {4}, {}}, {}, {}, {2, 3, 4}, {0, 2, 3}},
    {"anchored", {{2, 3, 4}, {3}}, InMode({}, 1), {}, {2, 3, 4}, {0, 1}},
    {"x_anchored", {{3}, {2, 3, 4}}, InMode({}, 1), {}, {2, 3, 4}, {1, 0}},
    {"equal_ranks", {{2, 1}, {2, 4}}, InMode({}, 0), {}, {2, 4}, {0, 0}},
    {"hangs_over", {{2, 3, 4}, {4, 1}}, InMode({}, 2), {}, {2, 3, 4}, {0, 2}},
    {"scalar_at_axis", {{2, 3, 4}, {}}, InMode({}, 1), {}, {2, 3, 4}, {0, 1}},
    {"onnx", {{2, 3, 4}, {2, 1}}, InMode(Mode::kOnnxLegacy, 0), {}, {2, 3, 4}, {0, 0}},
    {"in_place", {{2, 3, 4}, {4}}, {}, {nullptr, true}, {2, 3, 4}, {0, 2}},
    {"out", {{2, 3, 4}, {4}}, {}, {&kOut, false}, {6, 2, 3, 4}, {1, 3}},
    {"out_anchored", {{2, 3, 4}, {3}}, InMode({}, 1), {&kOut, false}, {6, 2, 3, 4}, {1, 2}},
    {"out_stretches", {{3, 1}, {}}, {}, {&kOut, false}, {6, 2, 3, 4}, {2, 4}},
};

class Facing : public ::testing::TestWithParam<FacingCase> {};

TEST_P(Facing, SaysWhichDimEachOperandsFirstOneFaces) {
  const FacingCase& c = GetParam();
  Shape shape;
  std::vector<int> first(c.operands.size());
  const Status status = Resolve(c.operands.data(), c.operands.size(), c.options, c.destination, &shape, first.data());
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(shape, c.shape);
  EXPECT_EQ(first, c.first);
}

INSTANTIATE_TEST_SUITE_P(Table, Facing, ::testing::ValuesIn(kFacingCases), [](const auto& i) { return i.param.name; });

TEST(Facing, ErrorsLeaveTheResultsUntouched) {
  const Shape operands[] = {{2, 3}, {3}};
  const Shape out = {1, 3};
  Shape shape = {17};
  int first[] = {-7, -7};
  EXPECT_FALSE(Resolve(operands, 2, {}, {&out, false}, &shape, first).ok());
  EXPECT_EQ(shape, (Shape{17}));
  EXPECT_EQ(first[0], -7);
  EXPECT_EQ(first[1], -7);
}

TEST(Facing, IsSaidOfOneShapeWhereElementsArePaired) {
  const Shape operands[] = {{4}, {2, 2}};
  const Shape same[] = {{2, 2}, {2, 2}};
  const Shape out = {3, 2, 2};
  for (const Mode mode : {Mode::kPointwise, Mode::kLegacyPointwise}) {
    Shape shape = {17};
    int first[] = {-7, -7};
    ASSERT_TRUE(Resolve(operands, 2, InMode(mode), {}, &shape, first).ok());
    EXPECT_EQ(shape, operands[0]);
    EXPECT_EQ(first[0], 0);
    EXPECT_EQ(first[1], kPaired);
    ASSERT_TRUE(Resolve(same, 2, InMode(mode), {&out, false}, &shape, first).ok());
    EXPECT_EQ(shape, out);
    EXPECT_EQ(first[0], 1);
    EXPECT_EQ(first[1], 1);
  }
}

TEST(FacingStrides, AreZeroWhereAnOperandIsStretchedOrHasNoDim) {
  EXPECT_EQ(FacingStrides({3}, {4}, 1, {2, 3, 5}), (ByteStrides{0, 4, 0}));
  EXPECT_EQ(FacingStrides({2, 1, 5}, {-20, 7, 4}, 0, {2, 3, 5}), (ByteStrides{-20, 0, 4}));
  EXPECT_EQ(FacingStrides({2, 3, 5}, {60, 20, 4}, 0, {2, 3, 5}), (ByteStrides{60, 20, 4}));
  EXPECT_EQ(FacingStrides({5, 1, 1}, {4, 9, 9}, 2, {2, 3, 5}), (ByteStrides{0, 0, 4}));  // 1s that hang over
  EXPECT_EQ(FacingStrides({}, {}, 0, {2, 3}), (ByteStrides{0, 0}));
}

TEST(CountElements, CountsWhatFitsInInt64) {
  std::int64_t count = -1;
  EXPECT_TRUE(CountElements({}, &count));
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(CountElements({2, 3, 4}, &count));
  EXPECT_EQ(count, 24);
  EXPECT_TRUE(CountElements({std::int64_t{1} << 62, 8, 0}, &count));
  EXPECT_EQ(count, 0);
  EXPECT_TRUE(CountElements({7, std::numeric_limits<std::int64_t>::max() / 7}, &count));
  EXPECT_EQ(count, std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(CountElements({std::int64_t{1} << 62, 2}, &count));
}

}  // namespace
}  // namespace axiscast
