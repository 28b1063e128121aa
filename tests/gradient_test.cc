// Gradients: of every op that declares one, against finite differences in long double; with stretched operands, against sums of
// those in a naive loop; special values one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

using Real = long double;

// An op's meaning in long double, and a domain where it is smooth: |x| in [low, high], both signs where it has them.
struct Meaning {
  std::function<Real(const Real*)> value;
  bool only_positive = false;
};

const std::map<std::string, Meaning>& Meanings() {
  static const std::map<std::string, Meaning> all = {
      {"add", {[](const Real* v) { return v[0] + v[1]; }}},
      {"subtract", {[](const Real* v) { return v[0] - v[1]; }}},
      {"multiply", {[](const Real* v) { return v[0] * v[1]; }}},
      {"squared_difference", {[](const Real* v) { return (v[0] - v[1]) * (v[0] - v[1]); }}},
      {"divide", {[](const Real* v) { return v[0] / v[1]; }}},
      {"true_divide", {[](const Real* v) { return v[0] / v[1]; }}},
      {"fmod", {[](const Real* v) { return std::fmod(v[0], v[1]); }}},
      {"remainder", {[](const Real* v) { return v[0] - v[1] * std::floor(v[0] / v[1]); }}},
      {"maximum", {[](const Real* v) { return std::max(v[0], v[1]); }}},
      {"minimum", {[](const Real* v) { return std::min(v[0], v[1]); }}},
      {"fmax", {[](const Real* v) { return std::max(v[0], v[1]); }}},
      {"fmin", {[](const Real* v) { return std::min(v[0], v[1]); }}},
      {"negative", {[](const Real* v) { return -v[0]; }}},
      {"abs", {[](const Real* v) { return std::fabs(v[0]); }}},
      {"square", {[](const Real* v) { return v[0] * v[0]; }}},
      {"sqrt", {[](const Real* v) { return std::sqrt(v[0]); }, true}},
      {"reciprocal", {[](const Real* v) { return 1 / v[0]; }}},
      {"relu", {[](const Real* v) { return std::max(v[0], Real{0}); }}},
      {"where", {[](const Real* v) { return v[0] != 0 ? v[1] : v[2]; }}},
      {"clip", {[](const Real* v) { return std::min(std::max(v[0], Real{-0.75}), Real{0.5}); }}},
  };
  return all;
}

std::vector<Attribute> AttributesOf(const std::string& name) {
  if (name != "clip") return {};
  return {{"min", -0.75}, {"max", 0.5}};
}

// The derivative for input i, by the central difference. Its truncation is some h^2 = 1e-10 of the third derivative, its rounding
// 1e-19 / h.
constexpr Real kStep = 1e-5L;
Real Difference(const Meaning& meaning, const double* at, int count, int i) {
  Real values[kMaxArity];
  std::copy(at, at + count, values);
  values[i] = at[i] + kStep;
  const Real above = meaning.value(values);
  values[i] = at[i] - kStep;
  return (above - meaning.value(values)) / (2 * kStep);
}

// Does the op bend within two steps of the point? Then the difference says nothing.
bool IsSmooth(const std::string& name, const double* at) {
  const auto near = [](Real x, Real y) { return std::fabs(x - y) < 2 * kStep; };
  if (name == "maximum" || name == "minimum" || name == "fmax" || name == "fmin") return !near(at[0], at[1]);
  if (name == "clip") return !near(at[0], -0.75) && !near(at[0], 0.5);
  if (name == "fmod" || name == "remainder") {
    const Real quotient = static_cast<Real>(at[0]) / at[1];
    return std::fabs(quotient - std::round(quotient)) > 100 * kStep;
  }
  return true;
}

TEST(Gradient, EveryOpThatDeclaresOneHasAMeaningHere) {
  for (const Op* op : Registry::BuiltIn().ops()) {
    if (*op->info().gradient == '\0') continue;
    EXPECT_EQ(Meanings().count(op->name()), 1u) << op->name();
    EXPECT_NE(FindOp(std::string(op->name()) + "_grad"), nullptr) << op->name();
  }
  EXPECT_EQ(FindOp("less_grad"), nullptr);
  EXPECT_EQ(FindOp("elementwise_mul_grad")->info().name, FindOp("multiply_grad")->info().name);
}

class Numbers {
 public:
  explicit Numbers(unsigned seed) : random_(seed) {}
  double Next(bool positive) {
    const double magnitude = std::uniform_real_distribution<double>(0.3, 2)(random_);
    return positive || random_() % 2 == 0 ? magnitude : -magnitude;
  }
  bool Coin() { return random_() % 2 == 0; }
  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

 private:
  std::mt19937 random_;
};

// Memory for an input: doubles, or bools for a condition.
struct Input {
  std::vector<double> values;
  std::vector<unsigned char> flags;
  Shape shape;
  bool is_condition = false;
  TensorView view() const {
    return is_condition ? TensorView(flags.data(), DType::kBool, shape) : TensorView(values.data(), DType::kFloat64, shape);
  }
};

Input RandomInput(const std::string& name, int i, const Shape& shape, Numbers& numbers) {
  Input input;
  input.shape = shape;
  input.is_condition = name == "where" && i == 0;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  for (std::int64_t n = 0; n < count; ++n) {
    input.values.push_back(input.is_condition ? (numbers.Coin() ? 1 : 0) : numbers.Next(Meanings().at(name).only_positive));
    input.flags.push_back(input.values.back() != 0);
  }
  return input;
}

std::size_t Offset(const Shape& shape, const Shape& full, std::int64_t flat) {
  std::size_t offset = 0, stride = 1;
  for (int d = full.rank() - 1; d >= 0; --d) {
    const std::int64_t index = flat % full[d];
    flat /= full[d];
    const int own = d - (full.rank() - shape.rank());
    if (own < 0) continue;
    offset += shape[own] == 1 ? 0 : static_cast<std::size_t>(index) * stride;
    stride *= static_cast<std::size_t>(shape[own]);
  }
  return offset;
}

// One call of NAME_grad on shapes that align right, against differences that are summed in long double.
void Compare(const std::string& name, const std::vector<Shape>& shapes, const Shape& full, int wrt, Numbers& numbers) {
  const Op& op = *FindOp(name);
  const Meaning& meaning = Meanings().at(name);
  std::vector<Input> inputs;
  std::vector<TensorView> views;
  for (int i = 0; i < op.arity(); ++i) inputs.push_back(RandomInput(name, i, shapes[static_cast<std::size_t>(i)], numbers));
  Input dout = RandomInput("add", 0, full, numbers);
  for (const Input& input : inputs) views.push_back(input.view());
  views.push_back(dout.view());

  const Shape& wanted = shapes[static_cast<std::size_t>(wrt)];
  std::vector<Real> expected(inputs[static_cast<std::size_t>(wrt)].values.size(), 0), magnitude(expected);
  for (std::size_t n = 0; n < dout.values.size(); ++n) {
    double at[kMaxArity];
    for (std::size_t i = 0; i < inputs.size(); ++i) at[i] = inputs[i].values[Offset(shapes[i], full, static_cast<std::int64_t>(n))];
    if (!IsSmooth(name, at)) return Compare(name, shapes, full, wrt, numbers);  // other numbers: one in ten times of remainder
    const std::size_t to = Offset(wanted, full, static_cast<std::int64_t>(n));
    const Real gradient = dout.values[n] * Difference(meaning, at, op.arity(), wrt);
    expected[to] += gradient;
    magnitude[to] += std::fabs(gradient) + 1;
  }
  std::vector<double> result(expected.size(), -77);
  ApplyOptions options;
  options.attributes = AttributesOf(name);
  options.attributes.emplace_back("wrt", wrt);
  const Status status = Apply(*FindOp(name + "_grad"), views.data(), views.size(), {result.data(), wanted}, options);
  ASSERT_TRUE(status.ok()) << status.message();
  // The third derivatives of these ops are below 1e3 on [0.3, 2]: 1e-10 of that is the difference's own error.
  for (std::size_t n = 0; n < result.size(); ++n)
    ASSERT_NEAR(result[n], static_cast<double>(expected[n]), 1e-7 * static_cast<double>(magnitude[n]));
}

class GradientOf : public testing::TestWithParam<std::string> {};

TEST_P(GradientOf, IsTheFiniteDifference) {
  Numbers numbers(7);
  const Op& op = *FindOp(GetParam());
  for (int round = 0; round < 50; ++round) {
    for (int wrt = GetParam() == "where" ? 1 : 0; wrt < op.arity(); ++wrt) {
      const Shape shape = {1 + numbers.Below(5), 1 + numbers.Below(40)};
      Compare(GetParam(), std::vector<Shape>(static_cast<std::size_t>(op.arity()), shape), shape, wrt, numbers);
    }
  }
}

TEST_P(GradientOf, IsSummedOverWhatWasStretched) {
  Numbers numbers(8);
  const Op& op = *FindOp(GetParam());
  for (int round = 0; round < 100; ++round) {
    const Shape full = {1 + numbers.Below(4), 1 + numbers.Below(5), 1 + numbers.Below(20)};
    std::vector<Shape> shapes;
    for (int i = 0; i < op.arity(); ++i) {
      Shape shape;
      for (int d = i == round % op.arity() ? 0 : numbers.Below(4); d < 3; ++d)
        shape.push_back(i == round % op.arity() || numbers.Coin() ? full[d] : 1);
      shapes.push_back(shape);
    }
    for (int wrt = GetParam() == "where" ? 1 : 0; wrt < op.arity(); ++wrt) Compare(GetParam(), shapes, full, wrt, numbers);
  }
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, meaning] : Meanings()) names.push_back(name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Ops, GradientOf, testing::ValuesIn(Names()), [](const auto& row) { return row.param; });

// Every signature, on numbers for which no dtype rounds: powers of 4, whose roots, quotients and short sums are exact.
template <typename T>
void FillExact(Numbers& numbers, bool positive, std::vector<T>* values) {
  for (T& value : *values)
    value = static_cast<T>(static_cast<float>(std::ldexp(positive || numbers.Coin() ? 1.0 : -1.0, 2 * (numbers.Below(3) - 1))));
}

TEST(Gradient, IsTheSameInEveryDType) {
  const Shape full = {2, 3, 4}, small = {3, 1};
  int calls = 0;
  for (const Op* op : Registry::BuiltIn().ops()) {
    const std::string name = op->name();
    if (*op->info().gradient == '\0') continue;
    const Op& gradient = *FindOp(name + "_grad");
    EXPECT_EQ(gradient.kernels().size(), 4u) << name << ": the floats";
    const int dout = op->arity();
    for (int wrt = name == "where" ? 1 : 0; wrt < op->arity(); ++wrt) {
      std::vector<double> wanted;
      for (auto kernel = gradient.kernels().rbegin(); kernel != gradient.kernels().rend(); ++kernel) {  // float64 is the last
        Numbers numbers(3);
        std::vector<std::vector<Float16>> halves;
        std::vector<std::vector<BFloat16>> bhalves;
        std::vector<std::vector<float>> floats;
        std::vector<std::vector<double>> doubles;
        std::vector<unsigned char> condition(24);
        halves.reserve(5), bhalves.reserve(5), floats.reserve(5), doubles.reserve(5);
        std::vector<TensorView> views;
        for (int i = 0; i <= dout; ++i) {
          const Shape& shape = i == wrt ? small : full;
          std::vector<double> values(i == wrt ? 3 : 24);
          FillExact(numbers, name == "sqrt", &values);
          if (kernel->inputs[i] == DType::kBool) {
            for (std::size_t n = 0; n < 24; ++n) condition[n] = values[n] > 0;
            views.emplace_back(condition.data(), DType::kBool, shape);
            continue;
          }
          const std::vector<float> rounded(values.begin(), values.end());
          halves.emplace_back(rounded.begin(), rounded.end());
          bhalves.emplace_back(rounded.begin(), rounded.end());
          floats.push_back(rounded);
          doubles.push_back(values);
          const void* const data = kernel->output == DType::kFloat16    ? static_cast<const void*>(halves.back().data())
                                   : kernel->output == DType::kBFloat16 ? static_cast<const void*>(bhalves.back().data())
                                   : kernel->output == DType::kFloat32  ? static_cast<const void*>(floats.back().data())
                                                                        : static_cast<const void*>(doubles.back().data());
          views.emplace_back(data, kernel->output, shape);
        }
        if (op->arity() == 1) views[1].shape = small, views[1].byte_strides = DenseStrides(small, kernel->output);
        ApplyOptions options;
        options.attributes = AttributesOf(name);
        options.attributes.emplace_back("wrt", wrt);
        std::vector<std::byte> out(3 * SizeOf(kernel->output));
        const Status status = Apply(gradient, views.data(), views.size(), {out.data(), kernel->output, small}, options);
        ASSERT_TRUE(status.ok()) << status.message();
        std::vector<double> values(3);
        for (std::size_t n = 0; n < 3; ++n) {
          const std::byte* const at = out.data() + n * SizeOf(kernel->output);
          Float16 half;
          BFloat16 bhalf;
          float single;
          if (kernel->output == DType::kFloat16) std::memcpy(&half, at, 2), values[n] = static_cast<float>(half);
          if (kernel->output == DType::kBFloat16) std::memcpy(&bhalf, at, 2), values[n] = static_cast<float>(bhalf);
          if (kernel->output == DType::kFloat32) std::memcpy(&single, at, 4), values[n] = static_cast<double>(single);
          if (kernel->output == DType::kFloat64) std::memcpy(&values[n], at, 8);
        }
        if (wanted.empty()) wanted = values;
        // Sums of eight numbers with at most 8 bits are rounded once, to the dtype.
        const double eps = kernel->output == DType::kBFloat16 ? 0x1p-8 : kernel->output == DType::kFloat16 ? 0x1p-11 : 0;
        for (std::size_t n = 0; n < 3; ++n)
          EXPECT_NEAR(values[n], wanted[n], eps * std::fabs(wanted[n])) << name << " " << wrt << " " << NameOf(kernel->output);
        ++calls;
      }
    }
  }
  EXPECT_GT(calls, 100);
}

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

// The axis is the forward call's: bias gradients of NCHW.
TEST(Gradient, HonoursTheAxis) {
  const std::vector<float> x(24, 3), dout = [] {
    std::vector<float> values(24);
    for (std::size_t i = 0; i < 24; ++i) values[i] = static_cast<float>(i);
    return values;
  }();
  const std::vector<float> y = {1, 2, 3};
  std::vector<float> gradient(3);
  ApplyOptions options;
  options.axis = 1;
  options.attributes = {{"wrt", 1}};
  const TensorView inputs[] = {{x.data(), {2, 3, 4}}, {y.data(), {3}}, {dout.data(), {2, 3, 4}}};
  ASSERT_TRUE(Apply(*FindOp("add_grad"), inputs, 3, {gradient.data(), {3}}, options).ok());
  EXPECT_EQ(gradient, (std::vector<float>{60, 92, 124}));
  ASSERT_TRUE(Apply(*FindOp("multiply_grad"), inputs, 3, {gradient.data(), {3}}, options).ok());
  EXPECT_EQ(gradient, (std::vector<float>{180, 276, 372}));
}

TEST(Gradient, SplitsTiesAndLeavesNaNAlone) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {1, 2, 3, kNaN, 1}, y = {1, 3, 2, 1, kNaN}, dout = {8, 8, 8, 8, 8};
  struct Row {
    const char* name;
    std::vector<float> for_x, for_y;
  };
  const Row rows[] = {{"maximum_grad", {4, 0, 8, 0, 0}, {4, 8, 0, 0, 0}},
                      {"minimum_grad", {4, 8, 0, 0, 0}, {4, 0, 8, 0, 0}},
                      {"fmax_grad", {4, 0, 8, 0, 8}, {4, 8, 0, 8, 0}},
                      {"fmin_grad", {4, 8, 0, 0, 8}, {4, 0, 8, 8, 0}}};
  for (const Row& row : rows) {
    for (int wrt : {0, 1}) {
      std::vector<float> gradient(5);
      ApplyOptions options;
      options.attributes = {{"wrt", wrt}};
      ASSERT_TRUE(
          Apply(*FindOp(row.name), {{x.data(), {5}}, {y.data(), {5}}, {dout.data(), {5}}}, {gradient.data(), {5}}, options).ok());
      EXPECT_EQ(gradient, wrt == 0 ? row.for_x : row.for_y) << row.name << " " << wrt;
    }
  }
}

// dout may be the memory of the result.
TEST(Gradient, IsWrittenOverDout) {
  const std::vector<float> x = {-1, 2};
  std::vector<float> dout = {5, 7};
  ApplyOptions options;
  options.attributes = {{"wrt", 0}};
  ASSERT_TRUE(Apply(*FindOp("relu_grad"), {{x.data(), {2}}, {dout.data(), {2}}}, {dout.data(), {2}}, options).ok());
  EXPECT_EQ(dout, (std::vector<float>{0, 7}));
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

TEST(Gradient, ThatCannotBeReadIsRefusedAndNothingAdded) {
  struct Row {
    const char* gradient;
    const char* wrong;
  };
  const Row rows[] = {
      {"dout", "there must be an expression for each of the 2 inputs; got 1"},
      {"dout; times(dout, x)", "there is no op `times`"},
      {"dout; multiply(dout)", "`multiply` takes 2 inputs; got 1"},
      {"dout; multiply(dout, q)", "there is no operand or attribute `q`"},
      {"dout; multiply(dout, x", "`)` is missing before ``"},
      {"dout; dout x", "there is `x` where `;` or the end was expected"},
      {"dout; 1", "an expression must be a call of an op, dout or none"},
      {"dout; broadcast_to(dout)", "the op `broadcast_to` is not elementwise"},
      {"dout; nan_to_num(dout)", "there is no op `nan_to_num`"},
      {"nonesuch(dout); dout", "there is no op `nonesuch`"},
      {"dout; multiply(dout, -)", "there is no number at `-)`"},
      {"", nullptr},
  };
  for (const Row& row : rows) {
    RegistryBuilder builder(Registry::BuiltIn());
    const Status status = builder.Add(Scaled(row.gradient));
    EXPECT_EQ(status.ok(), row.wrong == nullptr);
    if (row.wrong != nullptr) {
      EXPECT_EQ(status.message(),
                std::string("registry: op scaled: its gradient cannot be read: ") + row.wrong + " (\"" + row.gradient + "\")");
    }
    const Registry registry = builder.Build();
    EXPECT_EQ(registry.Find("scaled") != nullptr, row.wrong == nullptr);
    EXPECT_EQ(registry.Find("scaled_grad"), nullptr);
  }
}

}  // namespace
}  // namespace axiscast
