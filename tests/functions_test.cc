// The functions of functions.h: each with values worked out by hand, and what they refuse.
#include "axiscast/functions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace axiscast {
namespace {

using Floats = std::vector<float>;

TEST(Functions, GatherChooses) {
  const Floats x = {1, 2};
  const std::vector<std::int64_t> index = {0, 1, 0, 1, 1, 0}, from_end = {-1, 0};
  Floats out(6);
  ASSERT_TRUE(Gather({x.data(), {1, 2}}, {index.data(), {2, 3}}, 1, {out.data(), {2, 3}}).ok());
  EXPECT_EQ(out, (Floats{1, 2, 1, 2, 2, 1}));
  IndexOptions options;
  options.wrap_negative = true;
  options.mode = IndexMode::kSameRank;
  Floats two(2);
  ASSERT_TRUE(Gather({x.data(), {2}}, {from_end.data(), {2}}, 0, {two.data(), {2}}, options).ok());
  EXPECT_EQ(two, (Floats{2, 1}));
  const Status status = Gather({x.data(), {2}}, {from_end.data(), {2}}, 0, {two.data(), {2}});
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  options.mode = IndexMode::kPrefix;
  ASSERT_FALSE(Gather({x.data(), {1, 2}}, {index.data(), {2, 3}}, 1, {out.data(), {2, 3}}, options).ok());  // nothing stretches
}

TEST(Functions, ScatterWritesAndCombines) {
  const std::vector<std::int64_t> at = {0, 0};
  const Floats src = {1, 2, 3, 4}, zeros(6), ones(6, 1.0F);
  const auto scatter = [&](const Floats& self, ScatterReduce reduce, bool include_self) {
    Floats out(6);
    IndexOptions options;
    options.include_self = include_self;
    const Status status =
        Scatter({self.data(), {2, 3}}, {at.data(), {1, 2}}, {src.data(), {2, 2}}, 1, reduce, {out.data(), {2, 3}}, options);
    EXPECT_TRUE(status.ok()) << status.message();
    return out;
  };
  EXPECT_EQ(scatter(zeros, ScatterReduce::kAssign, true), (Floats{2, 0, 0, 4, 0, 0}));
  EXPECT_EQ(scatter(ones, ScatterReduce::kAdd, true), (Floats{4, 1, 1, 8, 1, 1}));
  EXPECT_EQ(scatter(ones, ScatterReduce::kAdd, false), (Floats{3, 1, 1, 7, 1, 1}));
  EXPECT_EQ(scatter(ones, ScatterReduce::kMultiply, true), (Floats{2, 1, 1, 12, 1, 1}));
  EXPECT_EQ(scatter(zeros, ScatterReduce::kMean, true), (Floats{1, 0, 0, 7.0F / 3, 0, 0}));
  EXPECT_EQ(scatter(ones, ScatterReduce::kAmin, false), (Floats{1, 1, 1, 3, 1, 1}));
  EXPECT_EQ(scatter(ones, ScatterReduce::kAmax, true), (Floats{2, 1, 1, 4, 1, 1}));
  Floats self(6);
  ASSERT_TRUE(ScatterAdd({self.data(), {2, 3}}, {at.data(), {1, 2}}, {src.data(), {2, 2}}, 1, {self.data(), {2, 3}}).ok());
  EXPECT_EQ(self, (Floats{3, 0, 0, 7, 0, 0}));
}

TEST(Functions, SumTo) {
  const Floats x = {1, 2, 3, 4, 5, 6};
  Floats rows(2), channel(3);
  ASSERT_TRUE(SumTo({x.data(), {2, 3}}, {rows.data(), {2, 1}}).ok());
  EXPECT_EQ(rows, (Floats{6, 15}));
  ASSERT_TRUE(SumTo({x.data(), {1, 3, 2}}, {channel.data(), {3}}, 1).ok());
  EXPECT_EQ(channel, (Floats{3, 7, 11}));
}

TEST(Functions, GradientIsSummedToTheInput) {
  const Floats x = {1, 2, 3, 4, 5, 6}, y = {10, 100, 1000}, dout(6, 1.0F);
  Floats gradient(3), clipped(6);
  ASSERT_TRUE(
      ApplyGradient("multiply", {{x.data(), {2, 3}}, {y.data(), {3}}}, {dout.data(), {2, 3}}, 1, {gradient.data(), {3}}).ok());
  EXPECT_EQ(gradient, (Floats{5, 7, 9}));
  ASSERT_TRUE(
      ApplyGradient("clip", {{x.data(), {6}}}, {dout.data(), {6}}, 0, {clipped.data(), {6}}, {}, {{"min", 2}, {"max", 4}}).ok());
  EXPECT_EQ(clipped, (Floats{0, 1, 1, 1, 0, 0}));
  EXPECT_EQ(ApplyGradient("less", {{x.data(), {6}}, {x.data(), {6}}}, {dout.data(), {6}}, 0, {clipped.data(), {6}}).code(),
            StatusCode::kUnsupported);
  EXPECT_EQ(ApplyGradient("mutliply", {{x.data(), {6}}}, {dout.data(), {6}}, 0, {clipped.data(), {6}}).code(),
            StatusCode::kUnknownName);
  EXPECT_EQ(ApplyGradient(nullptr, {}, {dout.data(), {6}}, 0, {clipped.data(), {6}}).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace axiscast
