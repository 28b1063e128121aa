// Declared patterns without shapes: how they are written, what is checked of them, and what they give.
#include "axiscast/pattern.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <ostream>
#include <vector>

#include "axiscast/resolve.h"
#include "tests/testing/resolve_case.h"

namespace axiscast {
namespace {

static_assert(!PatternAxis(std::uint64_t{1} << 63).valid() && !PatternAxis(~std::uint64_t{0}).valid(), "beyond int64");
static_assert(!PatternAxis(std::numeric_limits<std::int64_t>::min()).valid(), "an integer is never kB");
static_assert(!PatternAxis(std::numeric_limits<std::int64_t>::min() + 1).valid(), "nor kN");
static_assert(PatternAxis(-3).extent() == -3, "messages say what was given");

TEST(Pattern, IsReadOffShapes) {
  EXPECT_EQ(Pattern(Shape{1, 3}), RowPattern::kPattern);
  EXPECT_EQ(Pattern(Shape{3, 1}), ColPattern::kPattern);
  EXPECT_EQ(Pattern(Shape{}), ScalarPattern::kPattern);
  EXPECT_EQ(Pattern(Shape{0, 2}), MatrixPattern::kPattern);
  EXPECT_EQ(Pattern(Shape{5}), VectorPattern::kPattern);
}

TEST(Pattern, IsBuiltAxisByAxis) {
  Pattern pattern;
  pattern.push_back(kB);
  pattern.push_back(10u);
  EXPECT_EQ(pattern, (Declared<kB, 10>::kPattern));
  EXPECT_NE(pattern, (Pattern{kB, 11}));
  EXPECT_NE(pattern, (Pattern{kB}));
  EXPECT_TRUE(pattern[0].stretches());
  EXPECT_FALSE(pattern[0].fixed());
  EXPECT_TRUE(pattern[1].fixed());
  EXPECT_EQ(pattern[1].extent(), 10);
  EXPECT_FALSE(PatternAxis(kN).stretches());
  EXPECT_FALSE(PatternAxis(kN).fixed());
  EXPECT_FALSE(PatternAxis(1).stretches());
  EXPECT_FALSE(PatternAxis(-1).valid());
  for (int i = 2; i < kMaxRank; ++i) pattern.push_back(kN);
  EXPECT_TRUE(pattern.valid());
  for (int i = 0; i < 1000; ++i) pattern.push_back(kN);
  EXPECT_FALSE(pattern.valid());
}

TEST(Pattern, OfTheShapesIsWhatNumPyDoes) {
  int checked = 0;
  for (const ResolveCase& c : ReadResolveCases(AXISCAST_TEST_DATA "/resolve_cases.txt")) {
    if ((c.mode && *c.mode != Mode::kNumpy) || c.axis || c.out || c.in_place || !c.patterns.empty()) continue;
    ResolveOptions options;
    std::vector<Pattern> patterns;
    for (const Shape& shape : c.operands) patterns.emplace_back(shape);
    options.patterns = patterns.data();
    Shape shape;
    const Status status = ResolveShape(c.operands.data(), c.operands.size(), options, &shape);
    EXPECT_EQ(status.ok(), c.code.empty()) << c.line << status.message();
    EXPECT_EQ(shape, c.code.empty() ? c.result : Shape()) << c.line;
    ++checked;
  }
  EXPECT_GT(checked, 30);
}

struct PatternsCase {
  const char* name;
  std::vector<Pattern> patterns;
  Pattern result;
  const char* message = "";
  bool in_place = false;
};
void PrintTo(const PatternsCase& c, std::ostream* stream) { *stream << c.name; }

const Pattern kRow = RowPattern::kPattern;
const Pattern kMatrix = MatrixPattern::kPattern;

const PatternsCase kCases[] = {
    {"row_and_matrix", {kRow, kMatrix}, kMatrix},
    {"all_b", {kRow, {kB}}, kRow},
    {"fixed_wins", {{kN, kN}, {10, kB}, {kB, kB}}, {10, kN}},
    {"fixed_first", {{10}, {kN}}, {10}},
    {"missing_axes_are_b", {{kN}, {kB, 7, kB}}, {kB, 7, kN}},
    {"scalar", {{}}, {}},
    {"equal_fixed", {{10, kN}, {10, kB}}, {10, kN}},
    {"fixed_1_is_not_b", {{1}, {kN}}, {1}},
    {"different_fixed",
     {{kN, 10}, {kN}, {7}},
     {},
     "resolve: fixed extents of an axis must be equal; got 10 of x and 7 of z at axis -1 (x as N,10, y as N, z as 7)"},
    {"from_the_right",
     {{3, 10}, {4, 7}},
     {},
     "resolve: fixed extents of an axis must be equal; got 10 of x and 7 of y at axis -1 (x as 3,10, y as 4,7)"},
    {"in_place", {kMatrix, kRow, {}}, kMatrix, "", true},
    {"in_place_on_b",
     {kRow, {kN}, kMatrix},
     {},
     "resolve: a destination must not be declared B where another operand is not; got B of x and N of z at axis -2 (x as BN, y as "
     "N, "
     "z as NN)",
     true},
    {"in_place_on_missing",
     {{}, {5}},
     {},
     "resolve: a destination must not be declared B where another operand is not; got B of x and 5 of y at axis -1 (x as (), y as "
     "5)",
     true},
    {"in_place_fixed_first",
     {{kB, 10}, {kN, 7}},
     {},
     "resolve: fixed extents of an axis must be equal; got 10 of x and 7 of y at axis -1 (x as B,10, y as N,7)",
     true},
};

class Patterns : public ::testing::TestWithParam<PatternsCase> {};

TEST_P(Patterns, GiveThePatternOrTheWholeMessage) {
  const PatternsCase& c = GetParam();
  const Pattern untouched = {17};
  Pattern result = untouched;
  ResolveOptions options;
  options.patterns = c.patterns.data();
  const Status status = c.in_place ? ResolvePatternsInPlace(c.patterns.size(), options, &result)
                                   : ResolvePatterns(c.patterns.size(), options, &result);
  EXPECT_STREQ(status.message(), c.message);
  EXPECT_EQ(status.code(), c.message[0] == '\0' ? StatusCode::kOk : StatusCode::kInvalidShape);
  EXPECT_TRUE(result == (status.ok() ? c.result : untouched));
}

INSTANTIATE_TEST_SUITE_P(Table, Patterns, ::testing::ValuesIn(kCases), [](const auto& i) { return i.param.name; });

TEST(Patterns, AreNeeded) {
  Pattern result;
  ResolveOptions options;
  EXPECT_STREQ(ResolvePatterns(2, options, &result).message(), "resolve: mode pattern needs a pattern for each operand; got null");
  options.patterns = &result;
  EXPECT_STREQ(ResolvePatterns(0, options, &result).message(), "resolve: needs one operand or more; got 0");
  const Pattern negative = {kN, -3};
  options.patterns = &negative;
  const Status status = ResolvePatternsInPlace(1, options, &result);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(status.message(), "resolve: a fixed extent must not be negative; got x as N,-3");
}

TEST(DeclaredCall, IsBoundToEveryShapeThatFits) {
  using Call = DeclaredCall<RowPattern, MatrixPattern>;
  static_assert(Call::kResult == MatrixPattern::kPattern);
  ResolveOptions options;
  options.patterns = Call::kPatterns;
  for (const std::int64_t rows : {0, 1, 2, 1000}) {
    Shape shape;
    ASSERT_TRUE(ResolveShape({{1, 3}, {rows, 3}}, options, &shape).ok());
    EXPECT_EQ(shape, (Shape{rows, 3}));
  }
  Shape shape;
  EXPECT_FALSE(ResolveShape({{3, 3}, {3, 3}}, options, &shape).ok());
}

}  // namespace
}  // namespace axiscast
