// sum_to: examples, special values, error bounds, threads and large calls. Random calls are in sum_to_random_test.cc, and what it
// refuses in sum_to_refused_test.cc.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/sum_tree.h"
#include "tests/testing/thread_pools.h"

namespace axiscast {
namespace {

const Op& SumTo() { return *FindOp("sum_to"); }

ApplyOptions To(const Shape& shape, std::optional<std::int64_t> axis = {}) {
  ApplyOptions options;
  options.attributes = {{"shape", shape}};
  options.axis = axis;
  return options;
}

template <typename T>
std::vector<T> Sum(const std::vector<T>& x, const Shape& x_shape, const Shape& shape, std::optional<std::int64_t> axis = {}) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  std::vector<T> out(count, T(77));
  const Status status = Apply(SumTo(), {{x.data(), x_shape}}, {out.data(), shape}, To(shape, axis));
  EXPECT_TRUE(status.ok()) << status.message();
  return out;
}

struct Example {
  const char* name;
  Shape x, shape;
  std::optional<std::int64_t> axis;
  std::vector<std::int32_t> sums;  // of 0, 1, 2, ...
};
void PrintTo(const Example& example, std::ostream* os) { *os << example.name; }

const Example kExamples[] = {
    {"columns", {2, 3}, {3}, {}, {3, 5, 7}},
    {"rows", {2, 3}, {2, 1}, {}, {3, 12}},
    {"rows_by_axis", {2, 3}, {2}, 0, {3, 12}},
    {"everything", {2, 3}, {}, {}, {15}},
    {"everything_to_ones", {2, 3}, {1, 1}, {}, {15}},
    {"nothing", {2, 3}, {2, 3}, {}, {0, 1, 2, 3, 4, 5}},
    {"nothing_any_axis", {2, 3}, {2, 3}, 9, {0, 1, 2, 3, 4, 5}},
    {"nothing_of_rank_more", {1, 3}, {3}, {}, {0, 1, 2}},
    {"channels", {2, 2, 2}, {2}, 1, {10, 18}},
    {"hangs_over", {2, 2, 2}, {2, 1}, 2, {12, 16}},
    {"no_rows", {0, 3}, {3}, {}, {0, 0, 0}},
    {"no_rows_to_one", {0}, {1}, {}, {0}},
    {"nothing_out_of_nothing", {2, 0}, {0}, {}, {}},
    {"scalar", {}, {}, {}, {0}},
};

class SumToExample : public testing::TestWithParam<Example> {};

TEST_P(SumToExample, HasTheSums) {
  const Example& c = GetParam();
  std::vector<std::int32_t> x(8);
  std::iota(x.begin(), x.end(), 0);
  EXPECT_EQ(Sum(x, c.x, c.shape, c.axis), c.sums);
}

INSTANTIATE_TEST_SUITE_P(Table, SumToExample, testing::ValuesIn(kExamples), [](const auto& row) { return row.param.name; });

TEST(SumTo, InPlaceIsACopyOrRefused) {
  std::vector<float> x = {1, 2, 3, 4};
  const MutableTensorView view(x.data(), {2, 2});
  EXPECT_TRUE(ApplyInPlace(SumTo(), view, {}, To({2, 2})).ok());
  EXPECT_EQ(x, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_STREQ(ApplyInPlace(SumTo(), view, {}, To({2})).message(), "sum_to_: the result [2] does not have the shape of x [2, 2]");
}

TEST(SumTo, ReadsAnInputThatOverlapsTheResultAsIfItWereCopied) {
  std::vector<std::int32_t> memory = {1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(Apply(SumTo(), {{memory.data(), {2, 3}}}, {memory.data() + 1, {3}}, To({3})).ok());
  EXPECT_EQ(memory, (std::vector<std::int32_t>{1, 5, 7, 9, 5, 6}));
}

TEST(SumTo, InfersTheShapeAndDescribesThePlan) {
  const TensorView x(nullptr, DType::kFloat16, {8, 64, 7, 7});
  PlanOptions options;
  options.axis = 1;
  options.attributes = {{"shape", Shape{64}}};
  Shape shape;
  DType dtype = DType::kBool;
  ASSERT_TRUE(InferOutput(SumTo(), &x, 1, options, &shape, &dtype).ok());
  EXPECT_EQ(shape, Shape{64});
  EXPECT_EQ(dtype, DType::kFloat16);
  Plan plan;
  ASSERT_TRUE(Plan::Make(SumTo(), {x}, {nullptr, DType::kFloat16, {64}}, options, &plan).ok());
  const PlanDescription description = plan.Describe();
  EXPECT_EQ(description.shape, Shape{64});
  EXPECT_EQ(description.extents, (std::vector<std::int64_t>{64, 8, 49}));
  ASSERT_EQ(description.operands.size(), 2u);
  EXPECT_EQ(description.operands[0].byte_strides, (std::vector<std::int64_t>{98, 6272, 2}));
  EXPECT_EQ(description.operands[0].delivery, "rows: summands side by side");
  EXPECT_EQ(description.operands[0].unique_bytes, 8 * 64 * 49 * 2);
  EXPECT_EQ(description.operands[1].unique_bytes, 64 * 2);
  EXPECT_GT(description.estimated_seconds, 0);
}

// ---- Special values.

TEST(SumTo, KeepsTheSignOfZero) {
  const auto sum = [](std::vector<float> x) { return Sum(x, {static_cast<std::int64_t>(x.size())}, {})[0]; };
  EXPECT_TRUE(std::signbit(sum({-0.0f})));
  for (const std::size_t n : std::vector<std::size_t>{2, 15, 16, 17, 255, 300, 5000}) {
    std::vector<float> zeros(n, -0.0f);
    EXPECT_TRUE(std::signbit(sum(zeros))) << n;
    zeros[n / 2] = 0.0f;
    EXPECT_FALSE(std::signbit(sum(zeros))) << n;
  }
  EXPECT_FALSE(std::signbit(sum({})));
}

TEST(SumTo, NaNsAndInfinitiesGoThrough) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const std::int64_t n : {3, 40, 700}) {
    for (const bool columns : {false, true}) {
      std::vector<float> x(static_cast<std::size_t>(3 * n), 1.0f);
      const auto at = [&](std::int64_t sum, std::int64_t i) -> float& {
        return x[static_cast<std::size_t>(columns ? i * 3 + sum : sum * n + i)];
      };
      at(0, n - 1) = infinity;
      at(1, n / 2) = std::numeric_limits<float>::quiet_NaN();
      const auto out = columns ? Sum(x, {n, 3}, {3}) : Sum(x, {3, n}, {3, 1});
      EXPECT_EQ(out[0], infinity);
      EXPECT_TRUE(std::isnan(out[1]));
      EXPECT_EQ(out[2], static_cast<float>(n));
      at(0, 0) = -infinity;
      EXPECT_TRUE(std::isnan((columns ? Sum(x, {n, 3}, {3}) : Sum(x, {3, n}, {3, 1}))[0]));
    }
  }
}

TEST(SumTo, IntegersWrap) {
  EXPECT_EQ(Sum<std::int8_t>({127, 1}, {2}, {})[0], -128);
  EXPECT_EQ(Sum(std::vector<std::uint8_t>(1000, 255), {1000}, {})[0], static_cast<std::uint8_t>(255 * 1000));
  EXPECT_EQ(Sum(std::vector<std::int64_t>(3, std::numeric_limits<std::int64_t>::max()), {3}, {})[0],
            std::numeric_limits<std::int64_t>::max() - 2);
}

// 4096 + 4096 ones: float16 itself would stay at 2048 ones, and 65504 + 65504 - 65504 must not become infinite on the way.
TEST(SumTo, HalvesAccumulateInFloatAndAreRoundedOnce) {
  EXPECT_EQ(static_cast<float>(Sum(std::vector<Float16>(8192, Float16(1)), {8192}, {})[0]), 8192);
  EXPECT_EQ(static_cast<float>(Sum(std::vector<BFloat16>(8192, BFloat16(1)), {64, 2, 64}, {2, 1})[1]), 4096);
  const std::vector<Float16> high = {Float16(65504), Float16(65504), Float16(-65504)};
  EXPECT_EQ(static_cast<float>(Sum(high, {3}, {})[0]), 65504);
  EXPECT_EQ(static_cast<float>(Sum(high, {3, 1}, {1, 1})[0]), 65504);
}

// ---- Errors: at most 2.5 log2(n) roundings lie above any summand, so |error| <= that * eps / 2 * sum |x|, with a little for
// rounded roundings. Summands of both signs and of all sizes, and those that a running sum loses.
TEST(SumTo, ErrorsAreWithinTheBound) {
  std::mt19937_64 random(3);
  for (const std::int64_t n : {7, 100, 257, 5000, 70001, 1000003}) {
    for (int kind = 0; kind < 4; ++kind) {
      std::vector<float> x(static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double unit = static_cast<double>(random() >> 12) * 0x1p-52;
        const double values[] = {unit, unit - 0.5, std::ldexp(unit - 0.5, static_cast<int>(random() % 40) - 20),
                                 i == 0 ? 0x1p24 : 1.0};
        x[i] = static_cast<float>(values[kind]);
      }
      long double exact = 0, absolute = 0;  // 64 bits of mantissa: exact for a million of them, but for a rest that does not matter
      for (const float value : x) exact += static_cast<long double>(value), absolute += std::abs(static_cast<long double>(value));
      const long double bound = 2.5L * std::log2(static_cast<long double>(n)) * 0x1p-24L * 1.0001L * absolute;
      for (const auto& [x_shape, shape] : {std::pair<Shape, Shape>{{n}, {}}, {{n, 1}, {1}}}) {
        const long double error = std::abs(static_cast<long double>(Sum(x, x_shape, shape)[0]) - exact);
        EXPECT_LE(error, bound) << "n " << n << ", kind " << kind;
      }
    }
  }
}

// The same bits whichever way the elements lie: a transposed copy, every second element, reversed.
TEST(SumTo, LayoutsHaveTheSameBits) {
  constexpr std::int64_t kN = 1234, kC = 37;
  std::mt19937 random(5);
  std::vector<float> dense(kN * kC), transposed(kN * kC), sparse(2 * kN * kC), reversed(kN * kC);
  for (std::int64_t i = 0; i < kN; ++i) {
    for (std::int64_t c = 0; c < kC; ++c) {
      const float value = std::ldexp(static_cast<float>(random() % 1000) - 500.0f, static_cast<int>(random() % 16) - 8);
      dense[static_cast<std::size_t>(i * kC + c)] = transposed[static_cast<std::size_t>(c * kN + i)] = value;
      sparse[static_cast<std::size_t>(2 * (i * kC + c))] = reversed[static_cast<std::size_t>((kN - 1 - i) * kC + c)] = value;
    }
  }
  const TensorView views[] = {{dense.data(), {kN, kC}},
                              {transposed.data(), DType::kFloat32, {kN, kC}, {4, 4 * kN}},
                              {sparse.data(), DType::kFloat32, {kN, kC}, {8 * kC, 8}},
                              {reversed.data() + (kN - 1) * kC, DType::kFloat32, {kN, kC}, {-4 * kC, 4}}};
  for (const auto& [shape, count] : {std::pair<Shape, std::size_t>{{kC}, kC}, {{kN, 1}, kN}, {{}, 1}}) {
    std::vector<std::vector<float>> sums;
    for (const TensorView& view : views) {
      sums.emplace_back(count);
      ASSERT_TRUE(Apply(SumTo(), {view}, {sums.back().data(), shape}, To(shape)).ok());
      EXPECT_EQ(sums.back(), sums.front());
    }
  }
}

// Calls that are worth threads, however these come, against the tree as plain recursion; and threads are asked for.
TEST(SumTo, ThreadsDoNotChangeBits) {
  struct {
    Shape x, shape;
  } const calls[] = {{{900000}, {}},        {{300000, 3}, {3}},       {{900, 1000}, {900, 1}},
                     {{900, 1000}, {1000}}, {{20, 3, 15000}, {3, 1}}, {{3, 20, 300, 50}, {3, 1, 1, 50}}};
  std::mt19937 random(7);
  std::vector<float> x(900000);
  for (float& value : x) value = std::ldexp(static_cast<float>(random() % 1000) - 500.0f, static_cast<int>(random() % 16) - 8);
  for (const auto& call : calls) {
    ApplyOptions options = To(call.shape);
    options.max_threads = 1;
    std::size_t count = 1;
    for (const std::int64_t extent : call.shape) count *= static_cast<std::size_t>(extent);
    std::vector<float> expected(count), out(count);
    ASSERT_TRUE(Apply(SumTo(), {{x.data(), call.x}}, {expected.data(), call.shape}, options).ok());
    for (int threads = 0; threads < 10; ++threads) {
      test::ForeignPool pool(test::kPoolHabits[threads % 4], 1 + threads);
      options.max_threads = threads % 5;
      if (threads >= 5) options.pool = pool.get();
      out.assign(count, -1);
      ASSERT_TRUE(Apply(SumTo(), {{x.data(), call.x}}, {out.data(), call.shape}, options).ok());
      EXPECT_EQ(out, expected);
      if (threads >= 5 && options.max_threads != 1) {
        EXPECT_GT(pool.calls(), 0) << call.x.rank();
      }
    }
  }
  std::vector<std::int64_t> index = {0};
  const float tree =
      test::SumOfDims<float>({900000}, {true}, 0, index, [&](const auto& i) { return x[static_cast<std::size_t>(i[0])]; });
  EXPECT_EQ(Sum(x, {900000}, {})[0], tree);
}

TEST(SumTo, DoesNotReadWhatIsNotThere) {
  Plan plan;
  PlanOptions options;
  options.attributes = {{"shape", Shape{3}}};
  std::vector<float> out(3, 5);
  ASSERT_TRUE(Plan::Make(SumTo(), {TensorView(nullptr, DType::kFloat32, {0, 3})}, {out.data(), {3}}, options, &plan).ok());
  ASSERT_TRUE(plan.Execute({nullptr}, out.data()).ok());
  EXPECT_EQ(out, std::vector<float>(3, 0));
}

// More than 2^31 summands without the memory for them: one element, stretched.
TEST(SumTo, CountsBeyondInt32) {
  constexpr std::int64_t kRows = 3, kCount = (std::int64_t{1} << 31) / 3 + 1001;
  const std::int32_t x[kRows] = {1, 2, 3};
  std::int32_t sum = 0;
  const TensorView stretched(x, DType::kInt32, {kRows, kCount}, {4, 0});
  ASSERT_TRUE(Apply(SumTo(), {stretched}, {&sum, {}}, To({})).ok());
  EXPECT_EQ(sum, static_cast<std::int32_t>(6 * kCount));
}

// The same with offsets beyond it: pages that are only read take no memory, but for a few with a one in them.
TEST(SumTo, ReachesBeyondInt32) {
  constexpr std::size_t kBytes = (std::size_t{1} << 31) + 12345;
  void* const pages = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  (void)madvise(pages, kBytes, MADV_NOHUGEPAGE);
  auto* const x = static_cast<std::int8_t*>(pages);
  const std::size_t ones[] = {0, 1, (std::size_t{1} << 31) - 1, std::size_t{1} << 31, kBytes - 1};
  for (const std::size_t at : ones) x[at] = 1;
  std::int8_t sum = 0;
  const Status status = Apply(SumTo(), {{x, {static_cast<std::int64_t>(kBytes)}}}, {&sum, {}}, To({}));
  munmap(pages, kBytes);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(sum, 5);
}

}  // namespace
}  // namespace axiscast
