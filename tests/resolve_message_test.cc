// What the resolver says of shapes that do not fit: whole messages, from data/resolve_messages.txt.
#include <gtest/gtest.h>

#include "axiscast/resolve.h"
#include "tests/testing/resolve_case.h"

namespace axiscast {
namespace {

class ResolveMessage : public ::testing::TestWithParam<ResolveCase> {};

TEST_P(ResolveMessage, IsExactly) {
  const ResolveCase& c = GetParam();
  Shape result;
  const Status status = RunCase(c, &result);
  EXPECT_EQ(status.message(), c.message);
  EXPECT_EQ(NameOf(status.code()), c.code);
}

INSTANTIATE_TEST_SUITE_P(Data, ResolveMessage, ::testing::ValuesIn(ReadResolveCases(AXISCAST_TEST_DATA "/resolve_messages.txt")),
                         [](const auto& i) { return i.param.name; });

TEST(ResolveMessage, SaysThatOperandsAreMissing) {
  Shape result;
  EXPECT_STREQ(ResolveShape(nullptr, 0, {}, &result).message(), "resolve: needs one operand or more; got 0");
  EXPECT_STREQ(ResolveShape(nullptr, 2, {}, &result).message(), "resolve: needs a pointer to the operands' shapes; got null");
}

TEST(ResolveMessage, SaysARankThatNoArrayHas) {
  Shape result;
  const std::int64_t extents[] = {1};
  EXPECT_STREQ(ResolveShape({Shape(extents, -1)}, {}, &result).message(), "resolve: ranks must be from 0 to 64; got rank -1 of x");
}

TEST(ResolveMessage, NameThatIsNullIsTheUsualOne) {
  Shape result;
  const char* const names[] = {nullptr, "bias"};
  ResolveOptions options;
  options.names = names;
  EXPECT_STREQ(ResolveShape({{2}, {3}}, options, &result).message(),
               "resolve: dimensions must be equal or 1; got x[0] = 2 and bias[0] = 3 (x [2], bias [3])");
}

TEST(FindMode, FindsEveryMode) {
  const char* const names[] = {"numpy", "axis", "onnx_legacy", "none", "same_rank", "pattern", "legacy_pointwise", "pointwise"};
  ASSERT_EQ(kModeCount, std::size(names));
  for (std::size_t i = 0; i < std::size(names); ++i) {
    Mode mode = Mode::kNumpy;
    ASSERT_TRUE(FindMode(names[i], &mode).ok());
    EXPECT_EQ(static_cast<std::size_t>(mode), i);
    EXPECT_EQ(kModes[i].mode, mode);
    EXPECT_STREQ(kModes[i].name, names[i]);
    EXPECT_STRNE(kModes[i].summary, "");
    EXPECT_EQ(kModes[i].takes_axis, mode == Mode::kAxis || mode == Mode::kOnnxLegacy);
  }
}

TEST(FindMode, ListsThoseThatExistNearOnesFirst) {
  Mode mode = Mode::kNone;
  const Status status = FindMode("samerank", &mode);
  EXPECT_EQ(status.code(), StatusCode::kUnknownName);
  EXPECT_STREQ(status.message(),
               "there is no mode \"samerank\"; did you mean same_rank; there are: same_rank, numpy, axis, onnx_legacy, none, "
               "pattern, legacy_pointwise, pointwise");
  EXPECT_EQ(mode, Mode::kNone);
  EXPECT_STREQ(
      FindMode("diagonal", &mode).message(),
      "there is no mode \"diagonal\"; there are: numpy, axis, onnx_legacy, none, same_rank, pattern, legacy_pointwise, pointwise");
}

}  // namespace
}  // namespace axiscast
