// What all ops that are more than elementwise share: attributes of other types than numbers, modes, destinations, overlap. Shown
// with broadcast_to, the smallest of them; its values are those of a naive loop.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "gtest/gtest.h"

namespace axiscast {
namespace {

const Op& BroadcastToOp() { return *FindOp("broadcast_to"); }

ApplyOptions To(const Shape& shape) {
  ApplyOptions options;
  options.attributes = {{"shape", shape}};
  return options;
}

TEST(Form, IsFoundAndInspectedAsAnyOp) {
  const Op& op = BroadcastToOp();
  EXPECT_FALSE(op.elementwise());
  EXPECT_TRUE(FindOp("add")->elementwise());
  EXPECT_EQ(op.kernels().size(), kDTypeCount);
  EXPECT_EQ(op.info().attributes[0].type, AttributeType::kShape);
}

TEST(Form, InfersAndWritesWhatANaiveLoopDoes) {
  std::vector<std::int16_t> x = {1, 2, 3};
  PlanOptions plan_options;
  plan_options.axis = 1;
  plan_options.attributes = {{"shape", Shape{2, 3, 4}}};
  const TensorView view(x.data(), {3});
  Shape shape;
  DType dtype = DType::kBool;
  ASSERT_TRUE(InferOutput(BroadcastToOp(), &view, 1, plan_options, &shape, &dtype).ok());
  EXPECT_EQ(shape, (Shape{2, 3, 4}));
  EXPECT_EQ(dtype, DType::kInt16);
  std::vector<std::int16_t> out(24);
  Plan plan;
  ASSERT_TRUE(Plan::Make(BroadcastToOp(), {view}, {out.data(), shape}, plan_options, &plan).ok());
  ASSERT_TRUE(plan.Execute({x.data()}, out.data()).ok());
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(out[12 * i + 4 * j + k], x[j]);
    }
  }
  EXPECT_EQ(plan.Describe().shape, shape);
}

TEST(Form, MakesEveryTrueByteAOne) {
  const std::vector<unsigned char> x = {0, 1, 2, 255};
  std::vector<unsigned char> out(8, 9);
  ASSERT_TRUE(Apply(BroadcastToOp(), {{x.data(), DType::kBool, {4}}}, {out.data(), DType::kBool, {2, 4}}, To({2, 4})).ok());
  EXPECT_EQ(out, (std::vector<unsigned char>{0, 1, 1, 1, 0, 1, 1, 1}));
}

// A call is not taken for another one that differs in an attribute alone.
TEST(Form, KeepsPlansApartByTheirAttributes) {
  const std::vector<float> x = {1, 2};
  std::vector<float> out(4, -1);
  ASSERT_TRUE(Apply(BroadcastToOp(), {{x.data(), {2}}}, {out.data(), {2, 2}}, To({2, 2})).ok());
  EXPECT_EQ(out, (std::vector<float>{1, 2, 1, 2}));
  const Status status = Apply(BroadcastToOp(), {{x.data(), {2}}}, {out.data(), {2, 2}}, To({3, 2}));
  EXPECT_STREQ(status.message(), "broadcast_to: the result [3, 2] does not have the shape of out [2, 2]");
}

TEST(Form, ReadsAnInputThatOverlapsTheResultAsIfItWereCopied) {
  std::vector<std::int32_t> memory(12);
  std::iota(memory.begin(), memory.end(), 0);
  ASSERT_TRUE(Apply(BroadcastToOp(), {{memory.data() + 1, {3}}}, {memory.data(), {4, 3}}, To({4, 3})).ok());
  EXPECT_EQ(memory, (std::vector<std::int32_t>{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}));
}

struct Refusal {
  const char* name;
  ApplyOptions options;
  StatusCode code;
  const char* message;
};
void PrintTo(const Refusal& refusal, std::ostream* os) { *os << refusal.name; }

ApplyOptions With(std::vector<Attribute> attributes) {
  ApplyOptions options;
  options.attributes = std::move(attributes);
  return options;
}
ApplyOptions InMode(Mode mode) {
  ApplyOptions options = To({2, 3});
  options.mode = mode;
  return options;
}

const Refusal kRefusals[] = {
    {"no_shape", {}, StatusCode::kInvalidArgument, "broadcast_to: attribute shape is required: of the result"},
    {"number", With({{"shape", 3}}), StatusCode::kInvalidArgument, "broadcast_to: attribute shape must be a shape; got 3"},
    {"word", With({{"shape", "wide"}}), StatusCode::kInvalidArgument, "broadcast_to: attribute shape must be a shape; got wide"},
    {"twice", With({{"shape", Shape{3}}, {"shape", Shape{2, 3}}}), StatusCode::kInvalidArgument,
     "broadcast_to: attribute shape is given twice: [3] and [2, 3]"},
    {"other", With({{"shapes", Shape{3}}}), StatusCode::kUnknownName,
     "broadcast_to: there is no attribute of broadcast_to \"shapes\"; did you mean shape; there are: shape"},
    {"null_text", With({{"shape", static_cast<const char*>(nullptr)}}), StatusCode::kInvalidArgument,
     "broadcast_to: the text of attribute shape is null"},
    {"mode", InMode(Mode::kNone), StatusCode::kInvalidArgument, "broadcast_to: takes no broadcasting mode; got none"},
    {"does_not_stretch", To({2, 4}), StatusCode::kInvalidShape,
     "broadcast_to: dimensions must be equal or 1; got x[0] = 3 and shape[1] = 4 (x [3], shape [2, 4])"},
};

class FormRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(FormRefusal, SaysWhyAndWritesNothing) {
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> out(6, -1);
  const Status status = Apply(BroadcastToOp(), {{x.data(), {3}}}, {out.data(), {2, 3}}, GetParam().options);
  EXPECT_EQ(status.code(), GetParam().code);
  EXPECT_STREQ(status.message(), GetParam().message);
  EXPECT_EQ(out, std::vector<float>(6, -1));
}

INSTANTIATE_TEST_SUITE_P(Table, FormRefusal, testing::ValuesIn(kRefusals), [](const auto& row) { return row.param.name; });

TEST(Form, RefusesWordsForNumbers) {
  const std::vector<float> x = {1};
  std::vector<float> out(1);
  const Status status = Apply(*FindOp("clip"), {{x.data(), {1}}}, {out.data(), {1}}, With({{"min", "low"}}));
  EXPECT_STREQ(status.message(), "clip: attribute min must be a number; got low");
}

}  // namespace
}  // namespace axiscast
