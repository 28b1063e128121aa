// Elements paired in row-major order (modes pointwise and legacy_pointwise): values, against loops over positions.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "core/resolve.h"

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

TEST(Pairing, RefusesStridesThatWouldNeedACopy) {
  const TensorView transposed(kTens.data(), DType::kFloat32, {3, 2}, {4, 12});
  std::vector<float> out(6, -7);
  const Status status = Apply(*FindOp("add"), {{kOnes.data(), {6}}, transposed}, {out.data(), {6}}, InMode(Mode::kPointwise));
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_STREQ(
      status.message(),
      "add: elements of a strided input can be paired only where its dims make those of the first one without a copy; got y "
      "[3, 2] with byte strides [4, 12] for x [6]");
  EXPECT_EQ(out, std::vector<float>(6, -7));
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
