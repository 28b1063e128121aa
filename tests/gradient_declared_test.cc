// Ops NAME_grad as ops: what they refuse and what their plans say; gradients that own ops declare.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

// What plans of gradients say of themselves is so: no parts, and only an input of the result's shape may be its buffer.
TEST(Gradient, IsDescribedAsItRuns) {
  std::vector<float> x(24, 1), y(3, 2), dout(24, 1), out(3);
  PlanOptions options;
  options.axis = 1;
  options.attributes = {{"wrt", 1}};
  Plan plan;
  ASSERT_TRUE(Plan::Make(*FindOp("multiply_grad"), {{x.data(), {2, 3, 4}}, {y.data(), {3}}, {dout.data(), {2, 3, 4}}},
                         {out.data(), {3}}, options, &plan)
                  .ok());
  const PlanDescription description = plan.Describe();
  EXPECT_FALSE(description.divisible);
  EXPECT_EQ(description.may_be_out, 2u);
  const void* const inputs[] = {x.data(), y.data(), dout.data()};
  EXPECT_EQ(plan.ExecutePart(inputs, out.data(), 0, 2).code(), StatusCode::kUnsupported);
  ASSERT_TRUE(plan.Execute(inputs, y.data()).ok());  // over y, which has been read
  EXPECT_EQ(y, std::vector<float>(3, 8));
  double seconds = 0;
  for (const PlanDescription::Part& part : description.parts) seconds += part.seconds;
  EXPECT_NEAR(seconds, description.estimated_seconds, 1e-12);
}

// Only what is read must be there.
TEST(Gradient, OfASumReadsDoutAlone) {
  const std::vector<float> dout = {1, 2, 3, 4};
  std::vector<float> out(2);
  ApplyOptions options;
  options.attributes = {{"wrt", 1}};
  const float* const nothing = nullptr;
  const Status status =
      Apply(*FindOp("add_grad"), {{nothing, {2, 2}}, {nothing, {2}}, {dout.data(), {2, 2}}}, {out.data(), {2}}, options);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(out, (std::vector<float>{4, 6}));
}

struct Refusal {
  const char* name;
  std::vector<Attribute> attributes;
  Shape dout, out;
  const char* message;
};
void PrintTo(const Refusal& refusal, std::ostream* os) { *os << refusal.name; }

class GradientRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(GradientRefusal, SaysWhyAndWritesNothing) {
  const std::vector<float> x(6, 1), dout(6, 1);
  std::vector<float> out(6, -1);
  ApplyOptions options;
  options.attributes = GetParam().attributes;
  const Status status = Apply(*FindOp("multiply_grad"), {{x.data(), {2, 3}}, {x.data(), {3}}, {dout.data(), GetParam().dout}},
                              {out.data(), GetParam().out}, options);
  EXPECT_STREQ(status.message(), GetParam().message);
  EXPECT_EQ(out, std::vector<float>(6, -1));
}

const Refusal kRefusals[] = {
    {"no_wrt", {}, {2, 3}, {2, 3}, "multiply_grad: attribute wrt is required: 0 (x) or 1 (y)"},
    {"wrt_2", {{"wrt", 2}}, {2, 3}, {2, 3}, "multiply_grad: attribute wrt must be 0 (x) or 1 (y); got 2"},
    {"wrt_half", {{"wrt", 0.5}}, {2, 3}, {2, 3}, "multiply_grad: attribute wrt must be a whole number; got 0.5"},
    {"dout",
     {{"wrt", 0}},
     {3},
     {2, 3},
     "multiply_grad: dout must have the shape of the forward result [2, 3]; got [3] (x [2, 3], y [3], dout [3])"},
    {"out", {{"wrt", 1}}, {2, 3}, {2, 3}, "multiply_grad: the result [3] does not have the shape of out [2, 3]"},
};
INSTANTIATE_TEST_SUITE_P(Table, GradientRefusal, testing::ValuesIn(kRefusals), [](const auto& row) { return row.param.name; });

// Own ops declare gradients in terms of what their registry has.
OpDefinition Scaled(const char* gradient) {
  OpDefinition definition = {{.name = "scaled", .arity = 2, .doc = "out = x * y"}, FindOp("multiply")->kernels()};
  definition.info.gradient = gradient;
  return definition;
}

TEST(Gradient, OfAnOwnOp) {
  RegistryBuilder builder(Registry::BuiltIn());
  ASSERT_TRUE(builder.Add(Scaled("multiply(dout, y); multiply(dout, x)")).ok());
  const Registry registry = builder.Build();
  const std::vector<float> x = {2}, y = {3}, dout = {5};
  std::vector<float> gradient(1);
  ApplyOptions options;
  options.attributes = {{"wrt", 1}};
  ASSERT_TRUE(
      Apply(*registry.Find("scaled_grad"), {{x.data(), {1}}, {y.data(), {1}}, {dout.data(), {1}}}, {gradient.data(), {1}}, options)
          .ok());
  EXPECT_EQ(gradient[0], 10);
}

TEST(Gradient, OfAnOwnOpTakesItsNumbersAsAttributes) {
  OpDefinition definition = Scaled("multiply(dout, scale); none");
  definition.info.attributes[0] = {.name = "scale", .doc = "of the gradient", .absent = AttributeDefault::kValue, .value = 2};
  definition.info.attribute_count = 1;
  RegistryBuilder builder(Registry::BuiltIn());
  ASSERT_TRUE(builder.Add(definition).ok());
  const Registry registry = builder.Build();
  const std::vector<float> x = {2}, dout = {5};
  std::vector<float> gradient(1);
  const auto call = [&](std::vector<Attribute> attributes) {
    ApplyOptions options;
    options.attributes = std::move(attributes);
    options.attributes.emplace_back("wrt", 0);
    return Apply(*registry.Find("scaled_grad"), {{x.data(), {1}}, {x.data(), {1}}, {dout.data(), {1}}}, {gradient.data(), {1}},
                 options);
  };
  ASSERT_TRUE(call({}).ok());
  EXPECT_EQ(gradient[0], 10);
  ASSERT_TRUE(call({{"scale", 0.5}}).ok());
  EXPECT_EQ(gradient[0], 2.5f);
  EXPECT_STREQ(call({{"scale", "half"}}).message(), "scaled_grad: attribute scale must be a number; got half");
}

// What is refused is refused before anything is written, and a gradient computes what its ops are given.
TEST(Gradient, CallsNoOpThatRefusesValues) {
  OpDefinition checked = {{.name = "checked", .arity = 2, .doc = "out = x * y"}, FindOp("multiply")->kernels()};
  checked.info.check_code = StatusCode::kDivisionByZero;
  checked.info.check_message = "zero";
  checked.info.checked_operand = 1;
  for (Kernel& kernel : checked.kernels) kernel.check = [](const Tile&, const void*) noexcept { return false; };
  RegistryBuilder builder(Registry::BuiltIn());
  ASSERT_TRUE(builder.Add(checked).ok());
  ASSERT_TRUE(builder.Add(Scaled("checked(dout, y); none")).ok());
  const Registry registry = builder.Build();
  const std::vector<float> x = {2}, y = {3}, dout = {5};
  std::vector<float> gradient = {-1};
  ApplyOptions options;
  options.attributes = {{"wrt", 0}};
  const Status status =
      Apply(*registry.Find("scaled_grad"), {{x.data(), {1}}, {y.data(), {1}}, {dout.data(), {1}}}, {gradient.data(), {1}}, options);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_STREQ(status.message(),
               "scaled_grad: the gradient calls checked for float32, which refuses some values before anything is written, "
               "and here they are computed");
  EXPECT_EQ(gradient[0], -1);
}

TEST(Gradient, ThatCannotBeReadIsRefusedAndNothingAdded) {
  struct Row {
    const char* gradient;
    const char* wrong;
  };
  const Row rows[] = {
      {"dout", R"~(there must be an expression for each of the 2 inputs; got 1 in "dout")~"},
      {"dout; times(dout, x)", R"~(there is no op "times" at character 7 of "dout; times(dout, x)")~"},
      {"dout; multiply(dout)", R"~(multiply takes 2 inputs; got 1 in "multiply(dout)" at character 7 of "dout; multiply(dout)")~"},
      {"dout; multiply(dout, q)", R"~(there is no operand or attribute "q" at character 22 of "dout; multiply(dout, q)")~"},
      {"dout; multiply(dout, x", R"~(there must be "," or ")" here; got the end of "dout; multiply(dout, x")~"},
      {"dout; dout x", R"~(there must be ";" or the end here; got "x" at character 12 of "dout; dout x")~"},
      {"dout; 1", R"~(an expression must be a call of an op, dout or none; got "1" at character 7 of "dout; 1")~"},
      {"dout; dout@1", R"~(an expression must be a call of an op, dout or none; got "dout@1" at character 7 of "dout; dout@1")~"},
      {"abs(dout@1); none", R"~(an axis cannot be given in a gradient; got "dout@1" at character 5 of "abs(dout@1); none")~"},
      {"clip(dout, min=0); none",
       R"~(an attribute cannot be given in a gradient; got "min" at character 12 of "clip(dout, min=0); none")~"},
      {"dout; broadcast_to(dout)",
       R"~(the ops of a gradient must be elementwise; got "broadcast_to" at character 7 of "dout; broadcast_to(dout)")~"},
      {"dout; nan_to_num(dout)", R"~(there is no op "nan_to_num" at character 7 of "dout; nan_to_num(dout)")~"},
      {"nonesuch(dout); dout", R"~(there is no op "nonesuch" at character 1 of "nonesuch(dout); dout")~"},
      {"dout; multiply(dout, -)",
       R"~(a number must come here, of a size that a float64 has; got "-" at character 22 of "dout; multiply(dout, -)")~"},
      {"", nullptr},
  };
  for (const Row& row : rows) {
    RegistryBuilder builder(Registry::BuiltIn());
    const Status status = builder.Add(Scaled(row.gradient));
    EXPECT_EQ(status.ok(), row.wrong == nullptr);
    if (row.wrong != nullptr) {
      EXPECT_EQ(status.message(), std::string("registry: op scaled: its gradient cannot be read: ") + row.wrong);
    }
    const Registry registry = builder.Build();
    EXPECT_EQ(registry.Find("scaled") != nullptr, row.wrong == nullptr);
    EXPECT_EQ(registry.Find("scaled_grad"), nullptr);
  }
}

}  // namespace
}  // namespace axiscast
