// Declared patterns in calls that compute: checked in every call, whatever plans the thread has kept for the same shapes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

Status Add(const Shape& x_shape, const Shape& y_shape, const Pattern* patterns, std::vector<float>* out, const Shape& out_shape) {
  static const std::vector<float> memory = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  ApplyOptions options;
  options.patterns = patterns;
  out->assign(9, -1);
  return Apply(*FindOp("add"), {{memory.data(), x_shape}, {memory.data(), y_shape}}, {out->data(), out_shape}, options);
}

TEST(ApplyPattern, TakesWhatIsDeclaredAndRefusesTheRest) {
  const Pattern patterns[] = {{kB, kN}, {kN, kN}};
  std::vector<float> out;
  ASSERT_TRUE(Add({1, 3}, {3, 3}, patterns, &out, {3, 3}).ok());
  EXPECT_EQ(out, (std::vector<float>{2, 4, 6, 5, 7, 9, 8, 10, 12}));
  for (int round = 0; round < 2; ++round) {  // the second time with a plan kept for the same shapes without patterns
    EXPECT_STREQ(Add({3, 3}, {3, 3}, patterns, &out, {3, 3}).message(),
                 "add: an axis declared B must have extent 1; got x[0] = 3 (x [3, 3] as BN, y [3, 3] as NN)");
    EXPECT_EQ(out, std::vector<float>(9, -1));
    ASSERT_TRUE(Add({3, 3}, {3, 3}, nullptr, &out, {3, 3}).ok());
  }
}

TEST(ApplyPattern, KeepsPlansOfDifferentPatternsApart) {
  const Pattern any[] = {{kN, kN}, {kN, kN}};
  const Pattern fixed[] = {{3, kN}, {kN, 4}};
  std::vector<float> out;
  ASSERT_TRUE(Add({3, 3}, {3, 3}, any, &out, {3, 3}).ok());
  EXPECT_EQ(Add({3, 3}, {3, 3}, fixed, &out, {3, 3}).code(), StatusCode::kInvalidShape);
}

TEST(ApplyPattern, CountsForGradientsToo) {
  const std::vector<float> x = {1, 2, 3}, dout = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const Pattern patterns[] = {{kB, kN}, {kN, kN}};
  std::vector<float> out(3);
  ApplyOptions options;
  options.patterns = patterns;
  options.attributes = {{"wrt", 0}};
  const std::vector<TensorView> inputs = {{x.data(), {1, 3}}, {dout.data(), {3, 3}}, {dout.data(), {3, 3}}};
  for (int round = 0; round < 2; ++round) {
    const Status status = Apply(*FindOp("add_grad"), inputs.data(), inputs.size(), {out.data(), {1, 3}}, options);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(out, (std::vector<float>{3, 3, 3}));
  }
}

}  // namespace
}  // namespace axiscast
