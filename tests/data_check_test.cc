// Integer division by zero is found before the first write, wherever the 0 stands, and named by its first position.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/mix_ops.h"
#include "tests/testing/strided.h"
#include "tests/testing/thread_pools.h"

namespace axiscast {
namespace {

using test::Index;

constexpr const char* kDivisions[] = {"divide", "floor_divide", "remainder", "fmod"};

template <typename T>
class Division : public testing::Test {};
using IntTypes = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                                std::uint64_t>;
TYPED_TEST_SUITE(Division, IntTypes);

TYPED_TEST(Division, ByZeroIsFoundAtEveryPosition) {
  for (const char* name : kDivisions) {
    for (const int count : {1, 2, 7, 15, 16, 17, 31, 64, 65, 129, 300}) {
      const auto length = static_cast<std::size_t>(count);
      std::vector<TypeParam> x(length, 7), y(length, 3), out(length, 9);
      const std::vector<TypeParam> untouched = out;
      const auto n = static_cast<std::int64_t>(length);
      ASSERT_TRUE(Apply(*FindOp(name), {{x.data(), {n}}, {y.data(), {n}}}, {out.data(), {n}}).ok());
      out = untouched;
      for (std::size_t zero = 0; zero < length; ++zero) {
        y[zero] = 0;
        const Status status = Apply(*FindOp(name), {{x.data(), {n}}, {y.data(), {n}}}, {out.data(), {n}});
        y[zero] = 3;
        ASSERT_EQ(status.code(), StatusCode::kDivisionByZero) << name << " " << zero;
        const std::string extents = "[" + std::to_string(n) + "]";
        ASSERT_EQ(status.message(), std::string(name) + ": integer division by zero at y[" + std::to_string(zero) + "] (x " +
                                        extents + ", y " + extents + ")");
        ASSERT_EQ(out, untouched);
      }
    }
  }
}

// Random divisors of every layout: the first zero is looked for by a plain loop.
TEST(DivisionByZero, IsFoundInEveryLayout) {
  test::Random random(test::FromEnvironment("AXISCAST_SEED", 1));
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    Shape shape;
    const std::int64_t rank = random.Below(5);
    for (int d = 0; d < rank; ++d) shape.push_back(random.Chance(10) ? random.In(30, 90) : random.In(1, 5));
    const test::ViewSpec spec = test::RandomView(random, shape.rank(), 4, true);
    const ByteStrides strides = test::StridesOf(spec, shape, 4);
    const test::Around around = test::AroundOf(shape, strides, 4);
    const std::int64_t shift = random.Chance(20) ? random.Below(4) : 0;
    test::Bytes memory(static_cast<std::size_t>(around.before + around.behind + shift), std::byte{1});
    std::byte* const origin = memory.data() + around.before + shift;
    const std::int64_t zeros = random.Below(3);
    for (std::int64_t z = 0; z < zeros; ++z) {
      const std::size_t at = static_cast<std::size_t>(random.Below(static_cast<std::int64_t>(memory.size())));
      for (std::size_t byte = at; byte < memory.size() && byte < at + 4; ++byte) memory[byte] = std::byte{0};
    }
    std::string expected;
    test::ForEachIndex(shape, [&](const Index& index) {
      if (!expected.empty() || test::LoadBits(origin + test::OffsetAt(index, shape, strides, 0), 4) != 0) return;
      expected = "divide: integer division by zero at y";
      for (std::size_t d = 0; d < index.size(); ++d) {
        // Along a stretched dim, and one of extent 1, it is the same element at 0.
        expected.append(d == 0 ? "[" : ", ").append(std::to_string(index[d]));
      }
      if (!index.empty()) expected += "]";
    });
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    std::vector<std::int32_t> out(static_cast<std::size_t>(count), 9);
    const std::int32_t one = 1;
    const Status status = Apply(*FindOp("divide"), {{&one, {}}, {origin, DType::kInt32, shape, strides}}, {out.data(), shape});
    if (expected.empty()) {
      ASSERT_TRUE(status.ok()) << status.message();
      continue;
    }
    ++refused;
    ASSERT_EQ(status.code(), StatusCode::kDivisionByZero) << "round " << round;
    ASSERT_EQ(std::string(status.message()).substr(0, expected.size() + 1), expected + " ") << "round " << round;
    ASSERT_EQ(out, std::vector<std::int32_t>(static_cast<std::size_t>(count), 9));
  }
  EXPECT_GT(refused, 400);
}

TEST(DivisionByZero, IsFoundWhateverTheRanks) {
  const std::int32_t x[6] = {1, 2, 3, 4, 5, 6}, zero = 0;
  std::int32_t y[3] = {1, 1, 0}, out[6] = {9, 9, 9, 9, 9, 9};
  const std::vector<std::int32_t> untouched(6, 9);
  const auto is_untouched = [&] { return std::vector<std::int32_t>(out, out + 6) == untouched; };
  Status status = Apply(*FindOp("remainder"), {{x, {2, 3}}, {&zero, {}}}, {out, {2, 3}});
  EXPECT_EQ(status.code(), StatusCode::kDivisionByZero);
  EXPECT_STREQ(status.message(), "remainder: integer division by zero at y (x [2, 3], y [])");
  EXPECT_TRUE(is_untouched());
  status = Apply(*FindOp("elementwise_div"), {{x, {2, 3}}, {y, {3}}}, {out, {2, 3}});
  EXPECT_STREQ(status.message(), "elementwise_div: integer division by zero at y[2] (x [2, 3], y [3])");
  EXPECT_TRUE(is_untouched());
  // In place, where y is the destination too.
  std::int32_t both[3] = {1, 0, 2};
  status = ApplyInPlace(*FindOp("divide"), {both, {3}}, {{both, {3}}});
  EXPECT_STREQ(status.message(), "divide_: integer division by zero at y[1] (x [3], y [3])");
  EXPECT_EQ(both[0], 1);
  EXPECT_EQ(both[2], 2);
  // An overlap: nothing is copied or written either.
  std::int32_t line[4] = {6, 0, 2, 3};
  status = Apply(*FindOp("divide"), {{line, {3}}, {line + 1, {3}}}, {line, {3}});
  EXPECT_STREQ(status.message(), "divide: integer division by zero at y[0] (x [3], y [3])");
  EXPECT_EQ(line[0], 6);
}

TEST(DivisionByZero, OfAHugeStretchedDivisorIsFoundAtOnce) {
  const std::int8_t zero = 0;
  const Shape shape{std::int64_t{1} << 20, std::int64_t{1} << 20, std::int64_t{1} << 20};
  std::int8_t byte = 9;
  const Status status = Apply(*FindOp("divide"), {{&byte, {}}, {&zero, DType::kInt8, shape, {0, 0, 0}}}, {&byte, shape});
  EXPECT_EQ(status.code(), StatusCode::kDivisionByZero);
  EXPECT_STREQ(status.message(), "divide: integer division by zero at y[0, 0, 0] (x [], y [1048576, 1048576, 1048576])");
  EXPECT_EQ(byte, 9);
  // Behind a huge stretched dim: nobody walks along it.
  const std::int8_t column[] = {1, 0};
  const Shape wide{2, std::int64_t{1} << 45};
  const Status second = Apply(*FindOp("divide"), {{&byte, {}}, {column, DType::kInt8, wide, {1, 0}}}, {&byte, wide});
  EXPECT_STREQ(second.message(), "divide: integer division by zero at y[1, 0] (x [], y [2, 35184372088832])");
}

// A check of one's own may rely on what every kernel may: aligned elements.
bool RefusesSevens(const Tile& tile, const void* input) {
  const TileInput& in = tile.in[0];
  if (!test::IsAligned<std::int32_t>(input) || in.row_stride % 4 != 0) ++test::bad_tiles;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    for (std::int64_t c = 0; c < tile.cols; ++c) {
      std::int32_t value;
      const std::int64_t offset = r * in.row_stride + (in.splat ? 0 : 4 * c);
      std::memcpy(&value, static_cast<const std::byte*>(input) + offset, sizeof(value));
      if (value == 7) return true;
    }
  }
  return false;
}

TEST(OwnCheck, SeesAlignedTiles) {
  OpInfo info{"no_sevens", 1, "out = a mix of x, without sevens"};
  info.checked_operand = 0;
  info.check_code = StatusCode::kInvalidArgument;
  info.check_message = "a seven";
  Kernel kernel = test::MixKernel<std::uint32_t, std::int32_t>();
  kernel.check = &RefusesSevens;
  RegistryBuilder builder(Registry::BuiltIn());
  ASSERT_TRUE(builder.Add({info, {kernel}}).ok());
  const Registry registry = builder.Build();
  alignas(8) std::byte memory[256] = {};
  const int before = test::bad_tiles;
  for (const std::int64_t shift : {0, 1, 2, 3}) {
    for (const ByteStrides& strides :
         {ByteStrides{12, 4}, ByteStrides{13, 4}, ByteStrides{5, 15}, ByteStrides{0, 4}, ByteStrides{7, 0}}) {
      const std::int32_t seven = 7;
      std::uint32_t out[6] = {};
      const TensorView x{memory + shift, DType::kInt32, {2, 3}, strides};
      EXPECT_TRUE(Apply(*registry.Find("no_sevens"), {x}, {out, {2, 3}}).ok());
      const std::int64_t last = shift + strides[0] + 2 * strides[1];
      std::memcpy(memory + last, &seven, sizeof(seven));
      const Status status = Apply(*registry.Find("no_sevens"), {x}, {out, {2, 3}});
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
      EXPECT_EQ(std::string(status.message()).find("no_sevens: a seven at x["), 0u) << status.message();
      std::memset(memory, 0, sizeof(memory));
    }
  }
  EXPECT_EQ(test::bad_tiles, before);
}

int looks = 0;
bool LooksForSevens(const Tile& tile, const void* input) {
  ++looks;
  return RefusesSevens(tile, input);
}

// Of the operand that it is for, in memory at an offset, and in whatever way a call goes to its kernel.
TEST(OwnCheck, LooksOnceInEachCall) {
  OpInfo info{"by_no_seven", 2, "out = a mix of x and y, whose elements are no sevens"};
  info.checked_operand = 1;
  info.check_code = StatusCode::kInvalidArgument;
  info.check_message = "a seven";
  Kernel kernel = test::MixKernel<std::uint32_t, std::int32_t, std::int32_t>();
  kernel.check = &LooksForSevens;
  RegistryBuilder builder(Registry::BuiltIn());
  ASSERT_TRUE(builder.Add({info, {kernel}}).ok());
  const Registry registry = builder.Build();
  const std::int32_t x[3] = {7, 1, 2};
  std::int32_t y[3] = {4, 5, 6};
  test::ForeignPool pool(test::PoolHabit::kAllOnCaller);
  ExecuteOptions alone, pooled;
  alone.max_threads = 1;
  pooled.pool = pool.get();
  const std::uint64_t values[3][2] = {{7, 4}, {1, 5}, {2, 6}};
  for (const bool reversed : {false, true}) {  // all of them: kernels get them from their other ends
    std::uint32_t out[3] = {};
    const std::int64_t first = reversed ? 2 : 0, step = reversed ? -4 : 4;
    const void* const inputs[] = {x + first, y + first};
    Plan plan;
    ASSERT_TRUE(Plan::Make(*registry.Find("by_no_seven"),
                           {{inputs[0], DType::kInt32, {3}, {step}}, {inputs[1], DType::kInt32, {3}, {step}}},
                           {out + first, DType::kUInt32, {3}, {step}}, {}, &plan)
                    .ok());
    for (const ExecuteOptions& options : {ExecuteOptions(), alone, pooled}) {
      looks = 0;
      ASSERT_TRUE(plan.Execute(inputs, out + first, options).ok());
      EXPECT_EQ(looks, 1);
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(out[i], static_cast<std::uint32_t>(test::Mix(values[i], 2)));
        out[i] = 9;
      }
      y[0] = 7;
      const Status status = plan.Execute(inputs, out + first, options);
      y[0] = 4;
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
      EXPECT_EQ(std::string(status.message()), "by_no_seven: a seven at y[" + std::to_string(first) + "] (x [3], y [3])");
      EXPECT_EQ(std::vector<std::uint32_t>(out, out + 3), std::vector<std::uint32_t>(3, 9));
    }
  }
}

// The checks of kernels, told that divisors are in a far cache, and not.
TYPED_TEST(Division, ByZeroIsFoundWhereItIsAskedForAhead) {
  constexpr DType dtype = kDTypeOf<TypeParam>;
  const DType dtypes[] = {dtype, dtype};
  const CheckFunction check = FindOp("divide")->FindKernel(dtypes)->check;
  std::vector<TypeParam> y(3 * 300, 3);
  Tile tile = {};
  tile.rows = 3;
  tile.in[0] = {static_cast<std::int64_t>(300 * sizeof(TypeParam)), false};
  for (const bool far : {false, true}) {
    tile.into_caches = far;
    for (const std::int64_t cols : {1, 63, 64, 255, 256, 300}) {
      tile.cols = cols;
      EXPECT_FALSE(check(tile, y.data()));
      for (const std::int64_t zero : {std::int64_t{0}, cols / 2, cols - 1, 300 + cols - 1, 600 + cols - 1}) {
        y[static_cast<std::size_t>(zero)] = 0;
        EXPECT_TRUE(check(tile, y.data())) << cols << " cols, 0 at " << zero;
        y[static_cast<std::size_t>(zero)] = 3;
      }
    }
  }
}

// Divisors that no near cache holds are asked for ahead.
TEST(DivisionByZero, IsFoundAmongMany) {
  constexpr std::int64_t kCount = 1'500'001;
  std::vector<std::int32_t> x(kCount, 7), y(kCount, 3), out(kCount, 9);
  const std::vector<std::int32_t> untouched = out;
  for (const std::size_t zero : {std::size_t{0}, std::size_t{70'000}, std::size_t{999'999}, std::size_t{kCount - 1}}) {
    y[zero] = 0;
    const Status status = Apply(*FindOp("remainder"), {{x.data(), {kCount}}, {y.data(), {kCount}}}, {out.data(), {kCount}});
    y[zero] = 3;
    EXPECT_EQ(status.code(), StatusCode::kDivisionByZero);
    EXPECT_EQ(std::string(status.message()).find("remainder: integer division by zero at y[" + std::to_string(zero) + "]"), 0u);
    EXPECT_TRUE(out == untouched);
  }
  ASSERT_TRUE(Apply(*FindOp("remainder"), {{x.data(), {kCount}}, {y.data(), {kCount}}}, {out.data(), {kCount}}).ok());
  EXPECT_TRUE(out == std::vector<std::int32_t>(kCount, 1));
}

TEST(DivisionByZero, IsNoneWhereTheResultIsEmptyOrFloat) {
  const std::int32_t zeros[3] = {0, 0, 0};
  EXPECT_TRUE(Apply(*FindOp("divide"), {{zeros, {0, 3}}, {zeros, {3}}}, {static_cast<std::int32_t*>(nullptr), {0, 3}}).ok());
  const float one = 1, zero = 0;
  float out = 9;
  EXPECT_TRUE(Apply(*FindOp("divide"), {{&one, {}}, {&zero, {}}}, {&out, {}}).ok());
  EXPECT_EQ(out, std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace axiscast
