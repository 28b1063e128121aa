// Paddle's functions under Paddle's names.
#include "axiscast/paddle.h"

#include <gtest/gtest.h>

#include <vector>

namespace axiscast {
namespace {

// What the header's own example says, against a loop over the four indices.
TEST(Paddle, AddsABiasPerChannelInPlace) {
  std::vector<float> image(8 * 64 * 7 * 7), bias(64), expected;
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i % 1013);
  for (std::size_t c = 0; c < bias.size(); ++c) bias[c] = static_cast<float>(c) / 4;
  for (std::size_t n = 0; n < 8; ++n) {
    for (std::size_t c = 0; c < 64; ++c) {
      for (std::size_t p = 0; p < 49; ++p) expected.push_back(image[(n * 64 + c) * 49 + p] + bias[c]);
    }
  }
  const Status status = elementwise_add({image.data(), {8, 64, 7, 7}}, {bias.data(), {64}}, {image.data(), {8, 64, 7, 7}}, 1);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(image, expected);
}

using Function = Status (*)(const TensorView&, const TensorView&, const MutableTensorView&, std::int64_t);
struct Row {
  const char* name;
  Function function;
  std::vector<std::int32_t> expected;  // of x = {-7, 8, 9, 5} and y = {2, -3} at axis 0: out[i][j] = op(x[i][j], y[i])
};
void PrintTo(const Row& row, std::ostream* os) { *os << row.name; }

const Row kRows[] = {
    {"elementwise_add", &elementwise_add, {-5, 10, 6, 2}},
    {"elementwise_sub", &elementwise_sub, {-9, 6, 12, 8}},
    {"elementwise_mul", &elementwise_mul, {-14, 16, -27, -15}},
    {"elementwise_div", &elementwise_div, {-3, 4, -3, -1}},            // truncates
    {"elementwise_floordiv", &elementwise_floordiv, {-4, 4, -3, -2}},  // rounds to -inf
    {"elementwise_mod", &elementwise_mod, {1, 0, 0, -1}},              // has the divisor's sign
    {"elementwise_max", &elementwise_max, {2, 8, 9, 5}},
    {"elementwise_min", &elementwise_min, {-7, 2, -3, -3}},
    {"elementwise_fmax", &elementwise_fmax, {2, 8, 9, 5}},
    {"elementwise_fmin", &elementwise_fmin, {-7, 2, -3, -3}},
};

class PaddleFunction : public testing::TestWithParam<Row> {};

TEST_P(PaddleFunction, ComputesAtTheAxis) {
  const std::vector<std::int32_t> x{-7, 8, 9, 5}, y{2, -3};
  std::vector<std::int32_t> out(4, 99);
  const Status status = GetParam().function({x.data(), {2, 2}}, {y.data(), {2}}, {out.data(), {2, 2}}, 0);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(out, GetParam().expected);
}
INSTANTIATE_TEST_SUITE_P(Table, PaddleFunction, testing::ValuesIn(kRows), [](const auto& row) { return row.param.name; });

TEST(Paddle, AlignsRightUnlessTold) {
  const float x[] = {1, 2, 3, 4}, y[] = {10, 20};
  std::vector<float> out(4);
  ASSERT_TRUE(elementwise_sub({x, {2, 2}}, {y, {2}}, {out.data(), {2, 2}}).ok());
  EXPECT_EQ(out, (std::vector<float>{-9, -18, -7, -16}));
  // The operand of lower rank may be x: it is still op(x, y).
  ASSERT_TRUE(elementwise_sub({y, {2}}, {x, {2, 2}}, {out.data(), {2, 2}}, 0).ok());
  EXPECT_EQ(out, (std::vector<float>{9, 8, 17, 16}));
}

TEST(Paddle, NamesItselfInMessages) {
  const float x[30] = {}, y[12] = {};
  float out[30] = {};
  Status status = elementwise_add({x, {2, 3, 5}}, {y, {3, 4}}, {out, {2, 3, 5}}, 1);
  EXPECT_EQ(status.code(), StatusCode::kInvalidShape);
  EXPECT_STREQ(status.message(),
               "elementwise_add: dimensions must be equal or 1; got x[2] = 5 and y[1] = 4 (x [2, 3, 5], y [3, 4], axis 1)");
  status = Elementwise("elementwise_ad", {x, {3}}, {y, {3}}, {out, {3}});
  EXPECT_EQ(status.code(), StatusCode::kUnknownName);
  EXPECT_EQ(std::string(status.message()).find("there is no op \"elementwise_ad\"; did you mean elementwise_add, "), 0u)
      << status.message();
}

}  // namespace
}  // namespace axiscast
