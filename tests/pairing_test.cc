// Elements paired in row-major order (modes pointwise and legacy_pointwise): values, against loops over positions.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "core/resolve.h"
#include "tests/testing/strided.h"

namespace axiscast {
namespace {

std::int64_t Count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

// The byte offset of the element at a row-major position.
std::int64_t OffsetOf(std::int64_t position, const Shape& shape, const ByteStrides& strides) {
  std::int64_t offset = 0;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    offset += position % shape[d] * strides[d];
    position /= shape[d];
  }
  return offset;
}

// The only strides that could do it, by the elements one step along each dim, and whether they do for every element.
bool CanReshape(const Shape& from, const ByteStrides& strides, const Shape& to) {
  ByteStrides candidate = to;
  std::int64_t inner = 1;
  for (int d = to.rank() - 1; d >= 0; --d) {
    candidate[d] = to[d] > 1 && Count(to) > 0 ? OffsetOf(inner, from, strides) : 0;
    inner *= to[d];
  }
  for (std::int64_t i = 0; i < Count(to); ++i) {
    if (OffsetOf(i, from, strides) != OffsetOf(i, to, candidate)) return false;
  }
  return true;
}

TEST(ReshapeStrides, FindsThemWhereThereAreAny) {
  std::mt19937_64 engine(20240607);
  const auto below = [&engine](int end) { return static_cast<int>(engine() % static_cast<std::uint64_t>(end)); };
  int can = 0, cannot = 0;
  for (int round = 0; round < 20000; ++round) {
    // Factors are shared out between dims in two ways.
    Shape shapes[2];
    const int factors = below(6);
    std::vector<std::int64_t> primes;
    for (int i = 0; i < factors; ++i) primes.push_back(below(40) == 0 ? 0 : below(2) == 0 ? 2 : 3);
    for (Shape& shape : shapes) {
      std::int64_t extent = 1;
      for (const std::int64_t prime : primes) {
        extent *= prime;
        if (below(2) == 0) continue;
        shape.push_back(extent);
        extent = 1;
        if (below(5) == 0) shape.push_back(1);
      }
      shape.push_back(extent);
    }
    ASSERT_EQ(Count(shapes[0]), Count(shapes[1]));
    ByteStrides strides = shapes[0];
    std::int64_t stride = 4;
    for (int d = strides.rank() - 1; d >= 0; --d) {
      if (below(5) == 0) stride = below(9) - 4;
      strides[d] = shapes[0][d] == 1 ? 1000 + below(9) : stride;
      stride *= shapes[0][d];
    }
    ByteStrides reshaped;
    const bool found = ReshapeStrides(shapes[0], strides, shapes[1], &reshaped);
    ASSERT_EQ(found, CanReshape(shapes[0], strides, shapes[1])) << round;
    ++(found ? can : cannot);
    for (std::int64_t i = 0; found && i < Count(shapes[0]); ++i) {
      ASSERT_EQ(OffsetOf(i, shapes[1], reshaped), OffsetOf(i, shapes[0], strides)) << round;
    }
  }
  EXPECT_GT(can, 5000);
  EXPECT_GT(cannot, 1000);
}

TEST(ReshapeStrides, DoNotOverflow) {
  constexpr std::int64_t kFar = std::int64_t{1} << 61;
  ByteStrides reshaped;
  EXPECT_FALSE(ReshapeStrides({2, 6}, {4, kFar}, {3, 4}, &reshaped));
  EXPECT_FALSE(ReshapeStrides({2, 27}, {4, kFar}, {2, 3, 9}, &reshaped));
  EXPECT_TRUE(ReshapeStrides({0, 9}, {4, kFar}, {3, 0}, &reshaped));
}

ApplyOptions InMode(Mode mode) {
  ApplyOptions options;
  options.mode = mode;
  return options;
}

constexpr Mode kModesThatPair[] = {Mode::kPointwise, Mode::kLegacyPointwise};
const std::vector<float> kTens = {10, 20, 30, 40, 50, 60};
const std::vector<float> kOnes = {1, 2, 3, 4, 5, 6};

TEST(Pairing, PyTorchsExample) {
  for (const Mode mode : kModesThatPair) {
    std::vector<float> out(4);
    const Status status = Apply(*FindOp("add"), {{kTens.data(), {4}}, {kOnes.data(), {2, 2}}}, {out.data(), {4}}, InMode(mode));
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(out, (std::vector<float>{11, 22, 33, 44}));
  }
}

TEST(Pairing, OrBroadcasting) {
  // (4, 1) and (4): legacy_pointwise broadcasts where it can, pointwise never does.
  std::vector<float> broadcast(16), paired(4);
  const TensorView column(kTens.data(), {4, 1}), row(kOnes.data(), {4});
  ASSERT_TRUE(Apply(*FindOp("add"), {column, row}, {broadcast.data(), {4, 4}}, InMode(Mode::kLegacyPointwise)).ok());
  for (int i = 0; i < 16; ++i) EXPECT_EQ(broadcast[i], kTens[i / 4] + kOnes[i % 4]);
  ASSERT_TRUE(Apply(*FindOp("add"), {column, row}, {paired.data(), {4, 1}}, InMode(Mode::kPointwise)).ok());
  EXPECT_EQ(paired, (std::vector<float>{11, 22, 33, 44}));
}

TEST(Pairing, InPlace) {
  std::vector<float> x = kTens;
  const MutableTensorView view(x.data(), {6});
  ASSERT_TRUE(ApplyInPlace(*FindOp("subtract"), view, {{kOnes.data(), {3, 2}}}, InMode(Mode::kLegacyPointwise)).ok());
  EXPECT_EQ(x, (std::vector<float>{9, 18, 27, 36, 45, 54}));
}

TEST(Pairing, ThenOutIsStretchedTo) {
  // The result (1, 4) goes to (3, 4).
  std::vector<float> out(12);
  const TensorView x(kTens.data(), {1, 4}), y(kOnes.data(), {2, 2});
  ASSERT_TRUE(Apply(*FindOp("add"), {x, y}, {out.data(), {3, 4}}, InMode(Mode::kPointwise)).ok());
  for (int i = 0; i < 12; ++i) EXPECT_EQ(out[i], kTens[i % 4] + kOnes[i % 4]) << i;
}

TEST(Pairing, StridedInputs) {
  // y is every other column of (3, 4): its rows merge with nothing, which the shape of x does not ask for either.
  const std::vector<float> wide = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0};
  const TensorView y(wide.data(), DType::kFloat32, {3, 2}, {16, 8});
  std::vector<float> out(6);
  ASSERT_TRUE(Apply(*FindOp("add"), {{kTens.data(), {3, 1, 2}}, y}, {out.data(), {3, 1, 2}}, InMode(Mode::kPointwise)).ok());
  EXPECT_EQ(out, (std::vector<float>{11, 22, 33, 44, 55, 66}));
  // These columns do merge.
  ASSERT_TRUE(Apply(*FindOp("add"), {{kTens.data(), {6}}, y}, {out.data(), {6}}, InMode(Mode::kPointwise)).ok());
  EXPECT_EQ(out, (std::vector<float>{11, 22, 33, 44, 55, 66}));
  // x is strided: its own shape counts, so it always can be.
  const TensorView transposed(kTens.data(), DType::kFloat32, {3, 2}, {4, 12});
  ASSERT_TRUE(Apply(*FindOp("add"), {transposed, {kOnes.data(), {6}}}, {out.data(), {3, 2}}, InMode(Mode::kPointwise)).ok());
  EXPECT_EQ(out, (std::vector<float>{11, 42, 23, 54, 35, 66}));
}

TEST(Pairing, StridesThatNeedACopy) {
  const TensorView transposed(kTens.data(), DType::kFloat32, {3, 2}, {4, 12});
  std::vector<float> out(6, -7);
  const TensorView inputs[] = {{kOnes.data(), {6}}, transposed};
  ASSERT_TRUE(Apply(*FindOp("add"), inputs, 2, {out.data(), {6}}, InMode(Mode::kPointwise)).ok());
  EXPECT_EQ(out, (std::vector<float>{11, 42, 23, 54, 35, 66}));
  PlanOptions options;
  options.mode = Mode::kPointwise;
  Plan plan;
  ASSERT_TRUE(Plan::Make(*FindOp("add"), inputs, 2, {out.data(), {6}}, options, &plan).ok());
  const PlanDescription description = plan.Describe();
  EXPECT_EQ(description.operands[0].delivery, "streamed");
  EXPECT_EQ(description.operands[1].delivery, "copied first: streamed");
  EXPECT_FALSE(description.divisible);
  EXPECT_STREQ(plan.Execute({kOnes.data(), nullptr}, out.data()).message(),
               "add: the pointer of y is null, but there are elements behind it");
  // In place over the memory of both: as if y had been copied first.
  std::vector<float> x = kTens;
  const TensorView own(x.data(), DType::kFloat32, {3, 2}, {4, 12});
  ASSERT_TRUE(ApplyInPlace(*FindOp("add"), {x.data(), {6}}, {own}, InMode(Mode::kPointwise)).ok());
  EXPECT_EQ(x, (std::vector<float>{20, 60, 50, 90, 80, 120}));
}

TEST(Pairing, DivisionByZeroIsFoundInACopyToo) {
  const std::vector<std::int32_t> x = {1, 2, 3, 4}, y = {1, 1, 0, 1};
  std::vector<std::int32_t> out(4, -7);
  const TensorView transposed(y.data(), DType::kInt32, {2, 2}, {4, 8});
  const Status status = Apply(*FindOp("floor_divide"), {{x.data(), {4}}, transposed}, {out.data(), {4}}, InMode(Mode::kPointwise));
  EXPECT_STREQ(status.message(), "floor_divide: integer division by zero at y[0, 1] (x [4], y [2, 2])");
  EXPECT_EQ(out, std::vector<std::int32_t>(4, -7));
}

// Two shapes of the same elements.
void RandomShapes(test::Random& random, Shape* shapes) {
  const std::int64_t factors = random.Below(6);
  std::vector<std::int64_t> primes;
  for (std::int64_t i = 0; i < factors; ++i) primes.push_back(random.Chance(2) ? 0 : random.In(2, 3));
  for (int s = 0; s < 2; ++s) {
    std::int64_t extent = 1;
    for (const std::int64_t prime : primes) {
      extent *= prime;
      if (random.Chance(50)) continue;
      shapes[s].push_back(extent);
      extent = 1;
      if (random.Chance(20)) shapes[s].push_back(1);
    }
    shapes[s].push_back(extent);
  }
}

// A view of its own memory.
struct OwnView {
  Shape shape;
  ByteStrides strides;
  test::Bytes memory;
  std::int64_t origin;

  OwnView(test::Random& random, const Shape& own, bool is_out)
      : shape(own), strides(test::StridesOf(test::RandomView(random, own.rank(), 4, !is_out), own, 4)) {
    for (int d = 0; d < shape.rank(); ++d) strides[d] -= is_out ? 0 : strides[d] % 4;
    const test::Around around = test::AroundOf(shape, strides, 4);
    origin = (around.before + 3) / 4 * 4;
    for (std::int64_t i = 0; i < origin + around.behind + 4; i += 4) {
      const auto value = static_cast<float>(random.In(-50, 50));
      memory.resize(memory.size() + 4);
      std::memcpy(memory.data() + memory.size() - 4, &value, 4);
    }
  }
  float At(std::int64_t position) const {
    float value;
    std::memcpy(&value, memory.data() + origin + OffsetOf(position, shape, strides), 4);
    return value;
  }
  void Set(std::int64_t position, float value) {
    std::memcpy(memory.data() + origin + OffsetOf(position, shape, strides), &value, 4);
  }
  TensorView view() const { return {memory.data() + origin, DType::kFloat32, shape, strides}; }
  MutableTensorView view() { return {memory.data() + origin, DType::kFloat32, shape, strides}; }
};

// Ops and their gradients on views of all kinds, with and without a copy of what cannot be paired as it lies.
TEST(Pairing, RandomViewsAndTheirGradients) {
  const std::uint64_t seed = test::FromEnvironment("AXISCAST_SEED", 1), cases = test::FromEnvironment("AXISCAST_CASES", 20000);
  std::printf("AXISCAST_SEED=%llu AXISCAST_CASES=%llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(cases));
  std::map<std::string, int> seen;
  for (std::uint64_t n = seed; n < seed + cases; ++n) {
    SCOPED_TRACE("AXISCAST_SEED=" + std::to_string(n) + " AXISCAST_CASES=1");
    test::Random random(n);
    Shape shapes[2];
    RandomShapes(random, shapes);
    const std::int64_t call = random.Below(7);  // 0: the op; then the gradients of two inputs of three ops
    const char* const name = call == 0 ? "subtract" : call < 3 ? "subtract_grad" : call < 5 ? "multiply_grad" : "add_grad";
    const int wrt = static_cast<int>((call + 1) % 2);
    const OwnView x(random, shapes[0], false), y(random, shapes[1], false), dout(random, shapes[0], false);
    OwnView out(random, shapes[call == 0 ? 0 : wrt], true), expected = out;
    for (std::int64_t i = 0; i < Count(shapes[0]); ++i) {
      const float d = dout.At(i);
      const float other = wrt == 0 ? y.At(i) : x.At(i);
      expected.Set(i, call == 0 ? x.At(i) - y.At(i) : call < 3 && wrt == 1 ? -d : call < 5 && call > 2 ? d * other : d);
    }
    ApplyOptions options = InMode(Mode::kPointwise);
    std::vector<TensorView> inputs = {x.view(), y.view()};
    if (call > 0) {
      inputs.push_back(dout.view());
      options.attributes = {{"wrt", wrt}};
    }
    const Status status = Apply(*FindOp(name), inputs.data(), inputs.size(), out.view(), options);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_TRUE(out.memory == expected.memory) << name << " " << wrt;
    ByteStrides reshaped;
    ++seen[std::string(name) + (ReshapeStrides(shapes[1], y.strides, shapes[0], &reshaped) ? "" : ", y copied") +
           (call > 0 && wrt == 1 && !ReshapeStrides(out.shape, out.strides, shapes[0], &reshaped) ? ", out" : "") +
           (call > 4 && wrt == 1 && !ReshapeStrides(shapes[0], dout.strides, shapes[1], &reshaped) ? ", dout" : "")];
  }
  for (const auto& [what, count] : seen) std::printf("  %-40s %d\n", what.c_str(), count);
  if (cases < 20000) return;
  EXPECT_GT(seen["subtract, y copied"], 20);
  EXPECT_GT(seen["multiply_grad, out"], 20);
  EXPECT_GT(seen["add_grad, out, dout"], 3);
}

TEST(Pairing, GradientsWhereShapesBroadcastAreSums) {
  // legacy_pointwise broadcasts (4, 1) and (4) as numpy does.
  std::vector<float> dout(16, 2), out(4);
  ApplyOptions options = InMode(Mode::kLegacyPointwise);
  options.attributes = {{"wrt", 1}};
  const TensorView inputs[] = {{kTens.data(), {4, 1}}, {kOnes.data(), {4}}, {dout.data(), {4, 4}}};
  ASSERT_TRUE(Apply(*FindOp("multiply_grad"), inputs, 3, {out.data(), {4}}, options).ok());
  EXPECT_EQ(out, (std::vector<float>{200, 200, 200, 200}));
}

TEST(Pairing, DivisionByZeroIsAtTheDivisorsOwnPosition) {
  const std::vector<std::int32_t> x = {1, 2, 3, 4}, y = {1, 1, 0, 1};
  std::vector<std::int32_t> out(4, -7);
  const Status status =
      Apply(*FindOp("floor_divide"), {{x.data(), {4}}, {y.data(), {2, 2}}}, {out.data(), {4}}, InMode(Mode::kPointwise));
  EXPECT_EQ(status.code(), StatusCode::kDivisionByZero);
  EXPECT_NE(std::string(status.message()).find("[1, 0]"), std::string::npos) << status.message();
  EXPECT_EQ(out, std::vector<std::int32_t>(4, -7));
}

TEST(Pairing, NothingAndOneElement) {
  float x = 3, y = 4, out = 0;
  ASSERT_TRUE(Apply(*FindOp("add"), {{&x, {}}, {&y, {1, 1}}}, {&out, Shape{}}, InMode(Mode::kPointwise)).ok());
  EXPECT_EQ(out, 7);
  ASSERT_TRUE(Apply(*FindOp("add"), {{&x, {0, 2}}, {&y, {3, 0}}}, {&out, {0, 2}}, InMode(Mode::kPointwise)).ok());
  EXPECT_EQ(out, 7);
}

}  // namespace
}  // namespace axiscast
