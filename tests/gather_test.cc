// gather, scatter and scatter_add: the worked examples of their meaning.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

ApplyOptions Along(std::int64_t dim, std::vector<Attribute> more = {}) {
  ApplyOptions options;
  options.attributes = {{"dim", dim}};
  options.attributes.insert(options.attributes.end(), more.begin(), more.end());
  return options;
}

// The worked shapes.
struct ShapeCase {
  const char* name;
  const char* op;
  Shape data, index;
  Shape src;
  std::int64_t dim;
  const char* mode;
  Shape result;
};
void PrintTo(const ShapeCase& c, std::ostream* os) { *os << c.name; }

const ShapeCase kShapeCases[] = {
    {"index_stretches", "gather", {2, 3, 4}, {1, 3, 4}, {}, 1, "broadcast", {2, 3, 4}},
    {"prefix_does_not", "gather", {2, 3, 4}, {1, 3, 4}, {}, 1, "prefix", {1, 3, 4}},
    {"input_stretches", "gather", {1, 3, 4}, {6, 2, 4}, {}, 1, "broadcast", {6, 2, 4}},
    {"aligned_left", "gather", {2, 3, 4}, {2, 5}, {}, 1, "broadcast", {2, 5, 4}},
    {"negative_dim", "gather", {2, 3, 4}, {2, 5}, {}, -1, "broadcast", {2, 5, 4}},
    {"no_index", "gather", {2, 3, 4}, {2, 0}, {}, 1, "broadcast", {2, 0, 4}},
    {"eight_dims", "gather", {2, 2, 2, 3, 2, 2, 2, 2}, {2, 2, 2, 7}, {}, -1, "broadcast", {2, 2, 2, 7, 2, 2, 2, 2}},
    {"zero_d", "gather", {}, {}, {}, 0, "broadcast", {}},
    {"zero_d_index", "gather", {3, 4}, {}, {}, 0, "broadcast", {1, 4}},
    {"zero_d_input", "gather", {}, {5}, {}, -1, "broadcast", {5}},
    {"zero_d_index_of_prefix", "gather", {3}, {}, {}, 0, "prefix", {}},
    {"empty_dim_stretches_one", "gather", {1, 3}, {0, 2}, {}, 1, "broadcast", {0, 2}},
    {"same_rank", "gather", {2, 3}, {1, 5}, {}, 1, "same_rank", {2, 5}},
    {"scatter", "scatter", {2, 3}, {1, 2}, {2, 2}, 1, "broadcast", {2, 3}},
    {"self_stretches", "scatter", {1, 3}, {4, 2}, {1, 2}, 1, "broadcast", {4, 3}},
    {"scalar_src", "scatter", {2, 3, 4}, {2, 5}, {}, 1, "broadcast", {2, 3, 4}},
    {"index_stretches_along_dim", "scatter_add", {2, 3}, {2, 1}, {2, 5}, 1, "broadcast", {2, 3}},
    {"same_rank_keeps_self", "scatter", {1, 3}, {4, 2}, {1, 2}, 1, "same_rank", {1, 3}},
    {"prefix_of_src", "scatter", {2, 3}, {1, 2}, {4, 5}, 1, "prefix", {2, 3}},
    {"zero_d_self", "scatter", {}, {2}, {}, 0, "broadcast", {}},
};

class IndexShapes : public testing::TestWithParam<ShapeCase> {};

TEST_P(IndexShapes, AreAsWorked) {
  const ShapeCase& c = GetParam();
  const TensorView inputs[] = {{nullptr, DType::kInt8, c.data}, {nullptr, DType::kInt32, c.index}, {nullptr, DType::kInt8, c.src}};
  PlanOptions options;
  options.attributes = {{"dim", c.dim}, {"mode", c.mode}};
  Shape shape;
  DType dtype = DType::kBool;
  const Op& op = *FindOp(c.op);
  const Status status = InferOutput(op, inputs, static_cast<std::size_t>(op.arity()), options, &shape, &dtype);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(shape, c.result);
  EXPECT_EQ(dtype, DType::kInt8);
}

INSTANTIATE_TEST_SUITE_P(Table, IndexShapes, testing::ValuesIn(kShapeCases), [](const auto& row) { return row.param.name; });

TEST(Gather, GivesTheWorkedValues) {
  const std::vector<float> x = {1, 2};
  const std::vector<std::int64_t> index = {0, 1, 0, 1, 1, 0};
  std::vector<float> out(6);
  const Status status = Apply(*FindOp("gather"), {{x.data(), {1, 2}}, {index.data(), {2, 3}}}, {out.data(), {2, 3}}, Along(1));
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(out, (std::vector<float>{1, 2, 1, 2, 2, 1}));
}

// zeros(2, 3) with [[0, 0]] and [[1, 2], [3, 4]]; zeros(1, 3) with [[0], [2]] and [[7]].
TEST(Scatter, GivesTheWorkedValues) {
  const std::vector<std::int32_t> index = {0, 0}, column = {0, 2};
  const std::vector<float> src = {1, 2, 3, 4}, seven = {7}, zeros(6);
  std::vector<float> out(6, -1);
  const TensorView self(zeros.data(), {2, 3});
  ASSERT_TRUE(Apply(*FindOp("scatter"), {self, {index.data(), {1, 2}}, {src.data(), {2, 2}}}, {out.data(), {2, 3}}, Along(1)).ok());
  EXPECT_EQ(out, (std::vector<float>{2, 0, 0, 4, 0, 0}));
  ASSERT_TRUE(
      Apply(*FindOp("scatter_add"), {self, {index.data(), {1, 2}}, {src.data(), {2, 2}}}, {out.data(), {2, 3}}, Along(1)).ok());
  EXPECT_EQ(out, (std::vector<float>{3, 0, 0, 7, 0, 0}));
  ASSERT_TRUE(Apply(*FindOp("scatter"), {{zeros.data(), {1, 3}}, {column.data(), {2, 1}}, {seven.data(), {1, 1}}},
                    {out.data(), {2, 3}}, Along(1))
                  .ok());
  EXPECT_EQ(out, (std::vector<float>{7, 0, 0, 0, 0, 7}));
}

// A self of extent 1 that faces a longer index: in row-major order of the index. NumPy: z = zeros((1, 2)); put_along_axis(z,
// [[0, 1], [0, 0], [1, 0]], [[1, 2], [3, 4], [5, 6]], 1) gives [[6, 5]].
TEST(Scatter, WritesInRowMajorOrderWhereSelfIsShorterThanTheIndex) {
  const std::vector<std::int64_t> index = {0, 1, 0, 0, 1, 0};
  const std::vector<std::int16_t> src = {1, 2, 3, 4, 5, 6};
  std::vector<std::int16_t> self(2);
  const Status status = ApplyInPlace(*FindOp("scatter"), {self.data(), {1, 2}}, {{index.data(), {3, 2}}, {src.data(), {3, 2}}},
                                     Along(1, {{"mode", "same_rank"}}));
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(self, (std::vector<std::int16_t>{6, 5}));
}

// 1 + 2^-11 twice: rounded after each, float16 stays 1; in float32 the sum is 1 + 2^-10, which float16 holds.
TEST(Scatter, RoundsSumsOfFloat16Once) {
  const std::vector<std::int32_t> index = {0, 0};
  const std::vector<Float16> src(2, Float16(0x1p-11));
  std::vector<Float16> self = {Float16(1.0)};
  ASSERT_TRUE(ApplyInPlace(*FindOp("scatter_add"), {self.data(), {1}}, {{index.data(), {2}}, {src.data(), {2}}}, Along(0)).ok());
  EXPECT_EQ(static_cast<float>(self[0]), 1 + 0x1p-10f);
}

TEST(Scatter, MeanOfIntsTruncatesAndCountsSelfOrNot) {
  const std::vector<std::int32_t> index = {1, 1};
  const std::vector<std::int32_t> src = {-4, -3};
  std::vector<std::int32_t> self = {9, 100};
  ASSERT_TRUE(ApplyInPlace(*FindOp("scatter"), {self.data(), {2}}, {{index.data(), {2}}, {src.data(), {2}}},
                           Along(0, {{"reduce", "mean"}, {"include_self", false}}))
                  .ok());
  EXPECT_EQ(self, (std::vector<std::int32_t>{9, -3}));  // -3.5
  ASSERT_TRUE(
      ApplyInPlace(*FindOp("scatter"), {self.data(), {2}}, {{index.data(), {2}}, {src.data(), {2}}}, Along(0, {{"reduce", "mean"}}))
          .ok());
  EXPECT_EQ(self, (std::vector<std::int32_t>{9, -3}));  // -10 / 3
}

TEST(Scatter, TakesNaNAndSignedZerosAsMinimumDoes) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::int32_t> index = {0, 1};
  const std::vector<float> src = {nan, -0.0f};
  std::vector<float> self = {1, 0};
  ASSERT_TRUE(
      ApplyInPlace(*FindOp("scatter"), {self.data(), {2}}, {{index.data(), {2}}, {src.data(), {2}}}, Along(0, {{"reduce", "amin"}}))
          .ok());
  EXPECT_TRUE(std::isnan(self[0]));
  EXPECT_TRUE(std::signbit(self[1]));
}

// Any byte but 0 is true; a result has 1.
TEST(Gather, MakesBoolsOneOrZero) {
  const std::vector<std::uint8_t> x = {0, 7, 255};
  const std::vector<std::int64_t> index = {2, 0, 1, 2};
  std::vector<std::uint8_t> out(4, 9);
  ASSERT_TRUE(
      Apply(*FindOp("gather"), {{x.data(), DType::kBool, {3}}, {index.data(), {4}}}, {out.data(), DType::kBool, {4}}, Along(0))
          .ok());
  EXPECT_EQ(out, (std::vector<std::uint8_t>{1, 0, 1, 1}));
}

// A permutation of rows where they are: the input is read as if it were copied.
TEST(Gather, InPlaceReadsTheInputAsItWas) {
  std::vector<double> x = {1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> index = {2, 0, 1};
  ASSERT_TRUE(ApplyInPlace(*FindOp("gather"), {x.data(), {3, 2}}, {{index.data(), {3}}}, Along(0)).ok());
  EXPECT_EQ(x, (std::vector<double>{5, 6, 1, 2, 3, 4}));
}

TEST(Gather, DescribesItself) {
  const TensorView inputs[] = {{nullptr, DType::kFloat32, {1000, 64}}, {nullptr, DType::kInt64, {500}}};
  PlanOptions options;
  options.attributes = {{"dim", 0}};
  Plan plan;
  ASSERT_TRUE(Plan::Make(*FindOp("gather"), inputs, 2, {nullptr, DType::kFloat32, {500, 64}}, options, &plan).ok());
  const PlanDescription description = plan.Describe();
  EXPECT_EQ(description.extents, (std::vector<std::int64_t>{500, 64}));
  ASSERT_EQ(description.operands.size(), 3u);
  EXPECT_EQ(description.operands[0].delivery, "rows by index");
  EXPECT_EQ(description.operands[0].byte_strides, (std::vector<std::int64_t>{0, 4}));
  EXPECT_EQ(description.operands[1].byte_strides, (std::vector<std::int64_t>{8, 0}));
  EXPECT_EQ(description.operands[0].unique_bytes, 500 * 64 * 4);
  EXPECT_EQ(description.tile_rows, 500);
  EXPECT_EQ(description.tile_cols, 64);
  EXPECT_GT(description.estimated_seconds, 0);
}

}  // namespace
}  // namespace axiscast
