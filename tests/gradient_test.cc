// Gradients: of every op that declares one, against finite differences in long double; with stretched operands, against sums of
// those in a naive loop; special values one by one. AXISCAST_CASES asks for another number of random calls, AXISCAST_SEED for
// others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/sanitizers.h"
#include "tests/testing/strided.h"

namespace axiscast {
namespace {

using Real = long double;

// Of each op: rounds of its two random tests.
constexpr std::uint64_t kRounds = AXISCAST_TEST_SANITIZED ? 500 : 20000;

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
      {"floor", {[](const Real* v) { return std::floor(v[0]); }}},
      {"ceil", {[](const Real* v) { return std::ceil(v[0]); }}},
      {"round", {[](const Real* v) { return std::round(v[0]); }}},
      {"trunc", {[](const Real* v) { return std::trunc(v[0]); }}},
      {"sign", {[](const Real* v) { return v[0] < 0 ? Real{-1} : Real{1}; }}},
      {"copysign", {[](const Real* v) { return std::copysign(v[0], v[1]); }}},
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

// Does the op bend or jump within two steps of the point? Then the difference says nothing.
bool IsSmooth(const std::string& name, const double* at) {
  const auto near = [](Real x, Real y) { return std::fabs(x - y) < 2 * kStep; };
  if (name == "maximum" || name == "minimum" || name == "fmax" || name == "fmin") return !near(at[0], at[1]);
  if (name == "clip") return !near(at[0], -0.75) && !near(at[0], 0.5);
  if (name == "floor" || name == "ceil" || name == "trunc") return !near(at[0], std::round(at[0]));
  if (name == "round") return !near(at[0], std::floor(at[0]) + Real{0.5});
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
  explicit Numbers(std::uint64_t seed) : random_(seed) {}
  double Next(bool positive) {
    const double magnitude = std::uniform_real_distribution<double>(0.3, 2)(random_);
    return positive || random_() % 2 == 0 ? magnitude : -magnitude;
  }
  bool Coin() { return random_() % 2 == 0; }
  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

 private:
  std::mt19937_64 random_;
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

// Each round has a seed of its own, so that the one that fails is run again alone.
void ForRandomRounds(const std::function<void(Numbers&)>& run) {
  const std::uint64_t seed = test::FromEnvironment("AXISCAST_SEED", 7);
  const std::uint64_t rounds = test::FromEnvironment("AXISCAST_CASES", kRounds);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Numbers numbers(seed + round);
    run(numbers);
    if (testing::Test::HasFatalFailure()) FAIL() << "again by: AXISCAST_SEED=" << seed + round << " AXISCAST_CASES=1";
  }
}

TEST_P(GradientOf, IsTheFiniteDifference) {
  const Op& op = *FindOp(GetParam());
  ForRandomRounds([&](Numbers& numbers) {
    for (int wrt = GetParam() == "where" ? 1 : 0; wrt < op.arity(); ++wrt) {
      const Shape shape = {1 + numbers.Below(5), 1 + numbers.Below(40)};
      Compare(GetParam(), std::vector<Shape>(static_cast<std::size_t>(op.arity()), shape), shape, wrt, numbers);
    }
  });
}

TEST_P(GradientOf, IsSummedOverWhatWasStretched) {
  const Op& op = *FindOp(GetParam());
  ForRandomRounds([&](Numbers& numbers) {
    const int whole = numbers.Below(op.arity());  // the others may be stretched to it
    const Shape full = {1 + numbers.Below(4), 1 + numbers.Below(5), 1 + numbers.Below(20)};
    std::vector<Shape> shapes;
    for (int i = 0; i < op.arity(); ++i) {
      Shape shape;
      for (int d = i == whole ? 0 : numbers.Below(4); d < 3; ++d) shape.push_back(i == whole || numbers.Coin() ? full[d] : 1);
      shapes.push_back(shape);
    }
    for (int wrt = GetParam() == "where" ? 1 : 0; wrt < op.arity(); ++wrt) Compare(GetParam(), shapes, full, wrt, numbers);
  });
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, meaning] : Meanings()) names.push_back(name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Ops, GradientOf, testing::ValuesIn(Names()), [](const auto& row) { return row.param; });

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
  const std::vector<float> x = {1, 2, 3, kNaN, 1, kNaN, 0}, y = {1, 3, 2, 1, kNaN, kNaN, -0.0F}, dout(7, 8);
  struct Row {
    const char* name;
    std::vector<float> for_x, for_y;
  };
  const Row rows[] = {{"maximum_grad", {4, 0, 8, 0, 0, 0, 4}, {4, 8, 0, 0, 0, 0, 4}},
                      {"minimum_grad", {4, 8, 0, 0, 0, 0, 4}, {4, 0, 8, 0, 0, 0, 4}},
                      {"fmax_grad", {4, 0, 8, 0, 8, 8, 4}, {4, 8, 0, 8, 0, 0, 4}},
                      {"fmin_grad", {4, 8, 0, 0, 8, 8, 4}, {4, 0, 8, 8, 0, 0, 4}}};
  for (const Row& row : rows) {
    for (int wrt : {0, 1}) {
      std::vector<float> gradient(7);
      ApplyOptions options;
      options.attributes = {{"wrt", wrt}};
      ASSERT_TRUE(
          Apply(*FindOp(row.name), {{x.data(), {7}}, {y.data(), {7}}, {dout.data(), {7}}}, {gradient.data(), {7}}, options).ok());
      EXPECT_EQ(gradient, wrt == 0 ? row.for_x : row.for_y) << row.name << " " << wrt;
    }
  }
}

// Paddle 3.3.1 gives these too, but for clip with min > max, which it refuses; relu and abs were not asked of it.
TEST(Gradient, AtSpecialValues) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {-1.5F, -0.0F, 0, 0.5F, 1, kNaN, kInf, -3}, y = {2, -1, 1, -kNaN, -0.0F, 1, -1, -kInf}, dout(8, 2);
  const std::vector<float> zeros(8, 0);
  const auto gradient = [&](const char* name, int arity, std::vector<Attribute> attributes, int wrt) {
    std::vector<float> out(8, 99);
    ApplyOptions options;
    options.attributes = std::move(attributes);
    options.attributes.emplace_back("wrt", wrt);
    std::vector<TensorView> inputs = {{x.data(), {8}}, {y.data(), {8}}, {dout.data(), {8}}};
    if (arity == 1) inputs.erase(inputs.begin() + 1);
    const Status status = Apply(*FindOp(name), inputs.data(), inputs.size(), {out.data(), {8}}, options);
    EXPECT_TRUE(status.ok()) << status.message();
    return out;
  };
  for (const char* name : {"floor_grad", "ceil_grad", "round_grad", "trunc_grad", "sign_grad"}) {
    EXPECT_EQ(gradient(name, 1, {}, 0), zeros) << name;
  }
  EXPECT_EQ(gradient("relu_grad", 1, {}, 0), (std::vector<float>{0, 0, 0, 2, 2, 0, 2, 0}));
  std::vector<float> abs = gradient("abs_grad", 1, {}, 0);
  EXPECT_TRUE(std::isnan(abs[5]));
  abs[5] = 0;
  EXPECT_EQ(abs, (std::vector<float>{-2, 0, 0, 2, 2, 0, 2, -2}));
  std::vector<float> copysign = gradient("copysign_grad", 2, {}, 0);
  EXPECT_TRUE(std::isnan(copysign[5]));
  copysign[5] = 0;
  EXPECT_EQ(copysign, (std::vector<float>{-2, 0, 0, -2, -2, 0, -2, 2}));
  EXPECT_EQ(gradient("copysign_grad", 2, {}, 1), zeros);
  EXPECT_EQ(gradient("clip_grad", 1, {{"min", -1.5}, {"max", 1}}, 0), (std::vector<float>{2, 2, 2, 2, 2, 0, 0, 0}));
  EXPECT_EQ(gradient("clip_grad", 1, {{"min", 0.5}}, 0), (std::vector<float>{0, 0, 0, 2, 2, 0, 2, 0}));
  EXPECT_EQ(gradient("clip_grad", 1, {{"max", 0}}, 0), (std::vector<float>{2, 2, 2, 0, 0, 0, 0, 2}));
  EXPECT_EQ(gradient("clip_grad", 1, {}, 0), (std::vector<float>{2, 2, 2, 2, 2, 0, 2, 2}));
  EXPECT_EQ(gradient("clip_grad", 1, {{"min", 2}, {"max", 1}}, 0), zeros);  // the result is 1 wherever x is
}

// x just below a multiple of y: x / y rounds up to a whole number, fmod takes one less.
TEST(Gradient, OfFmodHasTheExactQuotient) {
  const std::uint64_t seed = test::FromEnvironment("AXISCAST_SEED", 7);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> size(0.01F, 30.0F);
  for (int i = 0; i < 200000; ++i) {
    const float y = size(random), dout = 1;
    const float x = std::nextafter(y * static_cast<float>(1 + i % 100), 0.0F);
    float gradient = 0;
    ApplyOptions options;
    options.attributes = {{"wrt", 1}};
    ASSERT_TRUE(Apply(*FindOp("fmod_grad"), {{&x, {}}, {&y, {}}, {&dout, {}}}, {&gradient, {}}, options).ok());
    ASSERT_EQ(static_cast<Real>(gradient), -std::trunc(static_cast<Real>(x) / static_cast<Real>(y)))
        << x << " " << y << ", AXISCAST_SEED=" << seed;
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

}  // namespace
}  // namespace axiscast
