// gather, scatter and scatter_add: what they refuse, with the whole message, before anything is written. One table, a row for each
// thing that can be wrong, hence its length.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <ostream>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

struct Refusal {
  const char* name;
  const char* op;
  bool in_place;
  Shape data, index, src;
  std::vector<std::int64_t> indices;  // the first ones; the others are 0
  std::vector<Attribute> attributes;
  StatusCode code;
  const char* message;
};
void PrintTo(const Refusal& refusal, std::ostream* os) { *os << refusal.name; }

constexpr StatusCode kShape = StatusCode::kInvalidShape, kRange = StatusCode::kOutOfRange;
const Refusal kRefusals[] = {
    {"no_dim",
     "gather",
     false,
     {2},
     {2},
     {},
     {},
     {},
     StatusCode::kInvalidArgument,
     "gather: attribute dim is required: the dim that the index chooses along, of the index"},
    {"dim",
     "gather",
     false,
     {2, 3, 4},
     {2, 5},
     {},
     {},
     {{"dim", 2}},
     kRange,
     "gather: dim must be from -2 to 1, by the rank of index; got 2 (input [2, 3, 4], index [2, 5], dim 2)"},
    {"lowest_dim",
     "scatter",
     true,
     {2},
     {2},
     {2},
     {},
     {{"dim", std::numeric_limits<std::int64_t>::min()}},
     kRange,
     "scatter_: dim must be from -1 to 0, by the rank of index; got -9223372036854775808 (self [2], index [2], src [2], dim "
     "-9223372036854775808)"},
    {"rank",
     "gather",
     false,
     {3, 4},
     {2, 3, 4},
     {},
     {},
     {{"dim", 0}},
     kShape,
     "gather: index must not have more dims than input; got 3 and 2 (input [3, 4], index [2, 3, 4], dim 0)"},
    {"rank_of_prefix",
     "gather",
     false,
     {3, 4},
     {3},
     {},
     {},
     {{"dim", 0}, {"mode", "prefix"}},
     kShape,
     "gather: index must have as many dims as input; got 1 and 2 (input [3, 4], index [3], dim 0)"},
    {"rank_of_same_rank",
     "scatter",
     false,
     {3, 4},
     {3},
     {},
     {},
     {{"dim", 0}, {"mode", "same_rank"}},
     kShape,
     "scatter: index must have as many dims as self; got 1 and 2 (self [3, 4], index [3], src [], dim 0)"},
    {"extents",
     "gather",
     false,
     {2, 3, 4},
     {3, 5},
     {},
     {},
     {{"dim", 1}},
     kShape,
     "gather: dimensions must be equal or 1 but along dim 1; got input[0] = 2 and index[0] = 3 (input [2, 3, 4], index [3, 5], dim "
     "1)"},
    {"longer_than_input",
     "gather",
     false,
     {2, 3},
     {3, 3},
     {},
     {},
     {{"dim", 1}, {"mode", "prefix"}},
     kShape,
     "gather: index must not be longer than input but along dim 1; got index[0] = 3 and input[0] = 2 (input [2, 3], index [3, 3], "
     "dim 1)"},
    {"longer_than_src",
     "scatter",
     false,
     {2, 3},
     {2, 3},
     {2, 2},
     {},
     {{"dim", 1}, {"mode", "prefix"}},
     kShape,
     "scatter: index must not be longer than src; got index[1] = 3 and src[1] = 2 (self [2, 3], index [2, 3], src [2, 2], dim 1)"},
    {"rank_of_src",
     "scatter",
     false,
     {2, 3},
     {2, 2},
     {2},
     {},
     {{"dim", 1}},
     kShape,
     "scatter: src must be 0-d or have the rank of self; got rank 1 for rank 2 (self [2, 3], index [2, 2], src [2], dim 1)"},
    {"src_along_dim",
     "scatter",
     false,
     {2, 3},
     {2, 2},
     {2, 5},
     {},
     {{"dim", 1}},
     kShape,
     "scatter: dimensions must be equal or 1; got index[1] = 2 and src[1] = 5 (self [2, 3], index [2, 2], src [2, 5], dim 1)"},
    {"src_off_dim",
     "scatter_add",
     false,
     {2, 3},
     {1, 2},
     {5, 2},
     {},
     {{"dim", 1}},
     kShape,
     "scatter_add: dimensions must be equal or 1 but along dim 1; got self[0] = 2 and src[0] = 5 (self [2, 3], index [1, 2], src "
     "[5, "
     "2], dim 1)"},
    {"src_stretches_nothing_of_same_rank",
     "scatter",
     false,
     {2, 3},
     {2, 1},
     {2, 4},
     {},
     {{"dim", 1}, {"mode", "same_rank"}},
     kShape,
     "scatter: src must be 1 or as long as the positions that are written; got src[1] = 4 for 1 (self [2, 3], index [2, 1], src "
     "[2, 4], "
     "dim 1)"},
    {"in_place_would_stretch",
     "scatter",
     true,
     {1, 3},
     {2, 2},
     {1, 2},
     {},
     {{"dim", 1}},
     kShape,
     "scatter_: the result [2, 3] does not have the shape of self [1, 3]"},
    {"gather_in_place",
     "gather",
     true,
     {2, 3},
     {2, 2},
     {},
     {},
     {{"dim", 1}},
     kShape,
     "gather_: the result [2, 2] does not have the shape of input [2, 3]"},
    {"too_many_elements",
     "gather",
     false,
     {std::int64_t{1} << 40, 1},
     {1, std::int64_t{1} << 40},
     {},
     {},
     {{"dim", 1}},
     kShape,
     "gather: the number of elements must be less than 2^63; got [1099511627776, 1099511627776] (input [1099511627776, 1], index "
     "[1, "
     "1099511627776], dim 1)"},
    {"negative_extent",
     "gather",
     false,
     {-2, 3},
     {2, 2},
     {},
     {},
     {{"dim", 1}},
     kShape,
     "gather: dimensions must not be negative; got input[0] = -2 (input [-2, 3])"},
    {"index",
     "gather",
     false,
     {2, 4},
     {2, 3},
     {},
     {0, 1, 2, 3, 0, 7},
     {{"dim", 1}},
     kRange,
     "gather: index out of range; got index[1, 2] = 7, accepted are 0 to 3 along dim 1 of input [2, 4] (input [2, 4], index [2, "
     "3], "
     "dim 1)"},
    {"negative_index",
     "scatter",
     false,
     {2, 4},
     {2, 3},
     {},
     {0, -1, 9},
     {{"dim", -1}},
     kRange,
     "scatter: index out of range; got index[0, 1] = -1, accepted are 0 to 3 (with wrap_negative -4 to 3) along dim 1 of self [2, "
     "4] (self [2, 4], index [2, "
     "3], src "
     "[], dim -1)"},
    {"wrapped_index",
     "scatter_add",
     true,
     {2, 3},
     {2, 3},
     {},
     {-3, -4},
     {{"dim", 0}, {"wrap_negative", true}},
     kRange,
     "scatter_add_: index out of range; got index[0, 0] = -3, accepted are -2 to 1 along dim 0 of self [2, 3] (self [2, 3], index "
     "[2, "
     "3], src [], dim 0)"},
    {"index_of_an_empty_result",
     "gather",
     false,
     {2, 4, 0},
     {2, 3},
     {},
     {0, 4},
     {{"dim", 1}},
     kRange,
     "gather: index out of range; got index[0, 1] = 4, accepted are 0 to 3 along dim 1 of input [2, 4, 0] (input [2, 4, 0], index "
     "[2, "
     "3], dim 1)"},
    {"nothing_to_choose_from",
     "gather",
     false,
     {2, 0},
     {2, 1},
     {},
     {},
     {{"dim", 1}},
     kRange,
     "gather: index out of range; got index[0, 0] = 0, accepted are none along dim 1 of input [2, 0] (input [2, 0], index [2, 1], "
     "dim "
     "1)"},
    {"scalar_index",
     "gather",
     false,
     {3},
     {},
     {},
     {5},
     {{"dim", 0}},
     kRange,
     "gather: index out of range; got index = 5, accepted are 0 to 2 along dim 0 of input [3] (input [3], index [], dim 0)"},
    {"mode",
     "gather",
     false,
     {3},
     {3},
     {},
     {},
     {{"dim", 0}, {"mode", "left"}},
     StatusCode::kUnknownName,
     "gather: there is no value of attribute mode \"left\"; there are: broadcast, prefix, same_rank"},
};

class IndexRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(IndexRefusal, SaysWhyAndWritesNothing) {
  const Refusal& c = GetParam();
  std::vector<float> memory(64, 5);
  std::vector<float> out(64, -1);
  std::vector<std::int64_t> indices(64);
  std::copy(c.indices.begin(), c.indices.end(), indices.begin());
  ApplyOptions options;
  options.attributes = c.attributes;
  const Op& op = *FindOp(c.op);
  const TensorView index(indices.data(), c.index), src(memory.data(), c.src);
  Status status;
  if (c.in_place) {
    const MutableTensorView x(out.data(), c.data);
    status = op.arity() == 2 ? ApplyInPlace(op, x, {index}, options) : ApplyInPlace(op, x, {index, src}, options);
  } else {
    const TensorView inputs[] = {{memory.data(), c.data}, index, src};
    PlanOptions plan_options;
    plan_options.attributes = c.attributes;
    Shape shape{1};
    DType dtype;
    (void)InferOutput(op, inputs, static_cast<std::size_t>(op.arity()), plan_options, &shape, &dtype);
    status = Apply(op, inputs, static_cast<std::size_t>(op.arity()), {out.data(), shape}, options);
  }
  EXPECT_EQ(status.code(), c.code);
  EXPECT_STREQ(status.message(), c.message);
  EXPECT_EQ(out, std::vector<float>(64, -1));
}

INSTANTIATE_TEST_SUITE_P(Table, IndexRefusal, testing::ValuesIn(kRefusals), [](const auto& row) { return row.param.name; });

ApplyOptions With(std::vector<Attribute> attributes) {
  ApplyOptions options;
  options.attributes = std::move(attributes);
  return options;
}

// How axes face each other is an attribute of theirs: no mode means anything, and axis is no exception.
TEST(IndexOpsRefuse, EveryMode) {
  std::vector<float> memory(3), out(3, -1);
  std::vector<std::int64_t> indices(3);
  const TensorView inputs[] = {{memory.data(), {3}}, {indices.data(), {3}}, {memory.data(), {3}}};
  for (const char* const name : {"gather", "scatter", "scatter_add"}) {
    for (std::size_t mode = 0; mode < kModeCount; ++mode) {
      const Op& op = *FindOp(name);
      ApplyOptions options = With({{"dim", 0}});
      options.mode = static_cast<Mode>(mode);
      const Status status = Apply(op, inputs, static_cast<std::size_t>(op.arity()), {out.data(), {3}}, options);
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
      EXPECT_EQ(status.message(), std::string(name) +
                                      ": takes no broadcasting mode, but an attribute mode, which is one of broadcast, prefix, "
                                      "same_rank; got " +
                                      kModes[mode].name);
    }
  }
  EXPECT_EQ(out, std::vector<float>(3, -1));
}

TEST(ScatterRefuses, ReductionsOfBool) {
  const std::vector<std::uint8_t> self = {1, 0};
  const std::vector<std::int32_t> index = {0};
  std::vector<std::uint8_t> out(2, 9);
  const auto view = [](const std::vector<std::uint8_t>& x, const Shape& shape) {
    return TensorView(x.data(), DType::kBool, shape);
  };
  const MutableTensorView result(out.data(), DType::kBool, {2});
  const Status status = Apply(*FindOp("scatter"), {view(self, {2}), {index.data(), {1}}, view(self, {1})}, result,
                              With({{"dim", 0}, {"reduce", "amax"}}));
  EXPECT_EQ(status.code(), StatusCode::kUnsupportedDType);
  EXPECT_STREQ(status.message(), "scatter: reduce amax is offered for ints and floats, bool is only assigned; got bool");
  EXPECT_EQ(out, (std::vector<std::uint8_t>{9, 9}));
  EXPECT_EQ(
      Apply(*FindOp("scatter_add"), {view(self, {2}), {index.data(), {1}}, view(self, {1})}, result, With({{"dim", 0}})).code(),
      StatusCode::kUnsupportedDType);
  EXPECT_EQ(out, (std::vector<std::uint8_t>{9, 9}));
}

// Strides that no memory could have are refused before anything is made of them, and sums that no memory could hold in time.
TEST(ScatterRefuses, WhatNoMemoryHolds) {
  const Op& op = *FindOp("scatter");
  const std::int64_t wide = std::int64_t{1} << 61;
  PlanOptions options;
  options.attributes = {{"dim", 0}, {"reduce", "mean"}};
  const TensorView self(nullptr, DType::kInt8, {wide}), index(nullptr, DType::kInt32, {1}), src(nullptr, DType::kInt8, {});
  Plan plan;
  ASSERT_TRUE(Plan::Make(op, {self, index, src}, {nullptr, DType::kInt8, {wide}}, options, &plan).ok());
  std::int32_t zero = 0;
  std::int8_t byte = 3;
  const Status status = plan.Execute({&byte, &zero, &byte}, &byte);
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
  EXPECT_EQ(byte, 3);
  const TensorView odd(nullptr, DType::kInt8, {3}, {std::numeric_limits<std::int64_t>::max()});
  EXPECT_STREQ(Plan::Make(op, {odd, index, src}, {nullptr, DType::kInt8, {3}}, options, &plan).message(),
               "scatter: the byte offsets of self do not fit in int64 (self [3], byte strides [9223372036854775807])");
}
}  // namespace
}  // namespace axiscast
