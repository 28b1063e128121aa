// Plans for declared patterns: one serves every shape that fits; what it writes and says is what Apply does with the same patterns.
// AXISCAST_SEED and AXISCAST_CASES as in layout_test.
#include "axiscast/pattern_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/sanitizers.h"
#include "tests/testing/strided.h"
#include "tests/testing/thread_pools.h"

namespace axiscast::test {
namespace {

PatternPlan PlanOf(const char* op, std::initializer_list<DType> dtypes, const Pattern* patterns) {
  PlanOptions options;
  options.patterns = patterns;
  PatternPlan plan;
  const Status status = PatternPlan::Make(*FindOp(op), dtypes, options, &plan);
  EXPECT_TRUE(status.ok()) << status.message();
  return plan;
}

TEST(PatternPlan, RefusesAnImpossibleNumberOfThreads) {
  const PatternPlan plan =
      PlanOf("subtract", {DType::kFloat32, DType::kFloat32}, DeclaredCall<MatrixPattern, RowPattern>::kPatterns);
  const float x[] = {1, 2}, y[] = {1, 2};
  float out[] = {3, 3};
  ExecuteOptions options;
  options.max_threads = -1;
  EXPECT_STREQ(plan.Execute({{x, {1, 2}}, {y, {1, 2}}}, {out, {1, 2}}, options).message(),
               "subtract: max_threads must be 0 or more; got -1");
  EXPECT_EQ(out[0], 3);
}

TEST(PatternPlan, ServesEveryShapeThatFits) {
  using Call = DeclaredCall<MatrixPattern, RowPattern>;
  const PatternPlan plan = PlanOf("subtract", {DType::kFloat32, DType::kFloat32}, Call::kPatterns);
  EXPECT_EQ(plan.result(), Call::kResult);
  EXPECT_EQ(plan.dtype(), DType::kFloat32);
  const std::vector<float> x = {10, 20, 30, 40, 50, 60}, y = {1, 2, 3};
  std::vector<float> out(6);
  ASSERT_TRUE(plan.Execute({{x.data(), {2, 3}}, {y.data(), {1, 3}}}, {out.data(), {2, 3}}).ok());
  EXPECT_EQ(out, (std::vector<float>{9, 18, 27, 39, 48, 57}));
  ASSERT_TRUE(plan.Execute({{x.data(), {3, 2}}, {y.data(), {1, 2}}}, {out.data(), {3, 2}}).ok());
  EXPECT_EQ(out, (std::vector<float>{9, 18, 29, 38, 49, 58}));
  ASSERT_TRUE(plan.Execute({{x.data(), {6, 1}}, {y.data(), {1, 1}}}, {out.data(), {6, 1}}).ok());
  EXPECT_EQ(out, (std::vector<float>{9, 19, 29, 39, 49, 59}));
  ASSERT_TRUE(plan.Execute({{nullptr, DType::kFloat32, {0, 3}}, {y.data(), {1, 3}}}, {nullptr, DType::kFloat32, {0, 3}}).ok());
}

TEST(PatternPlan, RefusesWhatDoesNotFitAsApplyDoes) {
  const Pattern patterns[] = {{kN, kN}, {kB, 3}};
  const PatternPlan plan = PlanOf("add", {DType::kFloat32, DType::kFloat32}, patterns);
  const std::vector<float> x(12, 1);
  std::vector<float> out(12, -1);
  const auto message = [&](const Shape& xs, const Shape& ys, const Shape& to) {
    const Status status = plan.Execute({{x.data(), xs}, {x.data(), ys}}, {out.data(), to});
    EXPECT_EQ(out, std::vector<float>(12, -1));
    return std::string(status.message());
  };
  EXPECT_EQ(message({2, 3}, {2, 3}, {2, 3}),
            "add: an axis declared B must have extent 1; got y[0] = 2 (x [2, 3] as NN, y [2, 3] as B,3)");
  EXPECT_EQ(message({2, 4}, {1, 4}, {2, 4}),
            "add: an axis must have its declared extent; got y[1] = 4 for 3 (x [2, 4] as NN, y [1, 4] as B,3)");
  EXPECT_EQ(
      message({2, 1}, {1, 3}, {2, 3}),
      "add: extents of axes that are not declared B must be equal; got x[1] = 1 and y[1] = 3 (x [2, 1] as NN, y [1, 3] as B,3)");
  EXPECT_EQ(message({3}, {1, 3}, {1, 3}),
            "add: a shape must have the rank of its pattern; got rank 1 of x (x [3] as NN, y [1, 3] as B,3)");
  EXPECT_EQ(plan.Execute({{x.data(), {2, 3}}}, {out.data(), {2, 3}}).message(), std::string("add: takes 2 inputs; got 1"));
  EXPECT_EQ(plan.Execute({{nullptr, DType::kFloat32, {2, 3}}, {x.data(), {1, 3}}}, {out.data(), {2, 3}}).message(),
            std::string("add: the pointer of x is null, but there are elements behind it"));
  EXPECT_EQ(plan.Execute({{x.data(), DType::kInt32, {2, 3}}, {x.data(), {1, 3}}}, {out.data(), {2, 3}}).code(),
            StatusCode::kUnsupportedDType);
}

TEST(PatternPlan, IsRefusedWhereNoShapesCouldFit) {
  const auto message = [](const char* op, std::vector<DType> dtypes, const PlanOptions& options) {
    PatternPlan plan;
    const Status status = PatternPlan::Make(*FindOp(op), dtypes.data(), dtypes.size(), options, &plan);
    EXPECT_TRUE(plan.empty());
    return std::string(status.message());
  };
  const DType f32 = DType::kFloat32;
  const Pattern conflict[] = {{kN, 3}, {4}};
  PlanOptions options;
  EXPECT_EQ(message("add", {f32, f32}, options), "add: mode pattern needs a pattern for each operand; got null");
  options.patterns = conflict;
  EXPECT_EQ(message("add", {f32, f32}, options),
            "add: fixed extents of an axis must be equal; got 3 of x and 4 of y at axis -1 (x as N,3, y as 4)");
  EXPECT_EQ(message("add", {f32}, options), "add: takes 2 inputs; got 1");
  EXPECT_EQ(message("gather", {f32, DType::kInt32}, options),
            "gather: a plan for declared patterns is of an elementwise op, which gather is not");
  const Pattern fine[] = {{kN, 3}, {kN}};
  options.patterns = fine;
  options.axis = 1;
  EXPECT_EQ(message("add", {f32, f32}, options), "add: mode pattern takes no axis, unlike axis, onnx_legacy; got axis 1");
  options.axis.reset();
  options.mode = Mode::kNumpy;
  EXPECT_EQ(message("add", {f32, f32}, options), "add: mode numpy takes no patterns, unlike pattern");
  EXPECT_STREQ(PatternPlan().Execute({}, {}).message(), "execute: the plan is empty; make it with PatternPlan::Make");
}

// Everything that Make was given may be gone.
TEST(PatternPlan, KeepsWhatItWasMadeWith) {
  PatternPlan plan;
  {
    const std::string caller = "somebody", attribute = "min", name = "the input";
    const char* const names[] = {name.c_str()};
    const std::vector<Pattern> patterns = {{kN, kB}};
    PlanOptions options;
    options.caller = caller.c_str();
    options.names = names;
    options.patterns = patterns.data();
    options.attributes = {{attribute.c_str(), 2}};
    ASSERT_TRUE(PatternPlan::Make(*FindOp("clip"), {DType::kInt32}, options, &plan).ok());
  }
  const std::vector<std::int32_t> x = {1, 2, 3, 4};
  std::vector<std::int32_t> out(8);
  ASSERT_TRUE(plan.Execute({{x.data(), {4, 1}}}, {out.data(), {4, 1}}).ok());
  EXPECT_EQ(out, (std::vector<std::int32_t>{2, 2, 3, 4, 0, 0, 0, 0}));
  ASSERT_TRUE(plan.Execute({{x.data(), {4, 1}}}, {out.data(), {4, 2}}).ok());  // planned anew
  EXPECT_EQ(out, (std::vector<std::int32_t>{2, 2, 2, 2, 3, 3, 4, 4}));
  EXPECT_STREQ(plan.Execute({{x.data(), {2, 2}}}, {out.data(), {2, 2}}).message(),
               "somebody: an axis declared B must have extent 1; got the input[1] = 2 (the input [2, 2] as NB)");
}

TEST(PatternPlan, RunsLargeCallsOnThePool) {
  const Pattern patterns[] = {{kN, kN}, {kB, kN}};
  const PatternPlan plan = PlanOf("add", {DType::kFloat32, DType::kFloat32}, patterns);
  const std::vector<float> x(1000 * 999, 1), y(999, 2);
  std::vector<float> out(x.size());
  const ForeignPool pool(PoolHabit::kThreads);
  ExecuteOptions options;
  options.pool = pool.get();
  ASSERT_TRUE(plan.Execute({{x.data(), {1000, 999}}, {y.data(), {1, 999}}}, {out.data(), {1000, 999}}, options).ok());
  EXPECT_EQ(out, std::vector<float>(x.size(), 3));
  EXPECT_EQ(pool.calls(), 1);
  axiscast_thread_pool broken = *pool.get();
  broken.parallel_for = nullptr;
  options.pool = &broken;
  EXPECT_STREQ(plan.Execute({{x.data(), {1, 9}}, {y.data(), {1, 9}}}, {out.data(), {1, 9}}, options).message(),
               "add: the thread pool must have both functions, parallel_for and concurrency");
}

struct Views {
  std::vector<TensorView> inputs;
  MutableTensorView out;
};

// Most fit; some have another extent, rank or dtype, some share memory, some have odd addresses.
Views RandomViews(Random& random, const std::vector<Pattern>& patterns, std::byte* memory, DType dtype) {
  Views views;
  const Pattern result = BroadcastPatterns(patterns.data(), patterns.size());
  Shape shape;
  for (int d = 0; d < result.rank(); ++d) {
    shape.push_back(result[d].stretches() ? 1 : result[d].fixed() ? result[d].extent() : random.In(random.Chance(5) ? 0 : 1, 5));
  }
  const auto size = static_cast<std::int64_t>(SizeOf(dtype));
  const auto strides = [&](const Shape& own) {
    if (random.Chance(50)) return DenseStrides(own, dtype);
    const ByteStrides random_strides = StridesOf(RandomView(random, own.rank(), size, false), own, size);
    const Around around = AroundOf(own, random_strides, size);
    return std::max(around.before, around.behind) < 49'000 ? random_strides : DenseStrides(own, dtype);  // within the memory
  };
  const auto address = [&](std::size_t slot) {
    return memory + 50'000 + (random.Chance(85) ? slot * 100'000 : static_cast<std::size_t>(random.Below(50))) +
           (random.Chance(15) ? static_cast<std::size_t>(random.Below(8)) : 0);
  };
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    Shape own;
    for (int d = 0; d < patterns[i].rank(); ++d) {
      const std::int64_t fits = patterns[i][d].stretches() ? 1 : shape[shape.rank() - patterns[i].rank() + d];
      own.push_back(random.Chance(3) ? random.In(0, 4) : fits);
    }
    if (random.Chance(2)) own.push_back(1);
    views.inputs.emplace_back(address(i), random.Chance(2) ? DType::kInt8 : dtype, own, strides(own));
  }
  if (random.Chance(5)) shape = Shape{2, 2};
  views.out = MutableTensorView(address(patterns.size()), dtype, shape, strides(shape));
  if (random.Chance(20) && views.inputs[0].shape == shape)
    views.out = MutableTensorView(const_cast<void*>(views.inputs[0].data), dtype, shape, views.inputs[0].byte_strides);
  return views;
}

// A copy that looks at the addresses that it is given.
bool misaligned = false;
void CopyAligned(const Tile& tile, const void* const* inputs, void* result) {
  const auto is_off = [](const void* data, std::int64_t row_stride) {
    return (reinterpret_cast<std::uintptr_t>(data) | static_cast<std::uintptr_t>(row_stride)) % sizeof(double) != 0;
  };
  misaligned = misaligned || is_off(inputs[0], tile.in[0].row_stride) || is_off(result, tile.out_row_stride);
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const auto* x = static_cast<const std::byte*>(inputs[0]) + r * tile.in[0].row_stride;
    auto* out = static_cast<std::byte*>(result) + r * tile.out_row_stride;
    for (std::int64_t c = 0; c < tile.cols; ++c) std::memcpy(out + 8 * c, x + (tile.in[0].splat ? 0 : 8 * c), 8);
  }
}

TEST(PatternPlan, GivesKernelsAlignedMemoryAlone) {
  OpDefinition definition{};
  definition.info.name = "copy_aligned";
  definition.info.arity = 1;
  definition.info.doc = "out = x";
  definition.kernels = {{{DType::kFloat64}, DType::kFloat64, DType::kFloat64, &CopyAligned}};
  RegistryBuilder builder(Registry::BuiltIn());
  ASSERT_TRUE(builder.Add(definition).ok());
  const Registry registry = builder.Build();
  const Pattern pattern{kN, kN};
  PlanOptions options;
  options.patterns = &pattern;
  PatternPlan plan;
  ASSERT_TRUE(PatternPlan::Make(*registry.Find("copy_aligned"), {DType::kFloat64}, options, &plan).ok());
  alignas(8) std::byte x[256], out[256];
  for (int i = 0; i < 256; ++i) x[i] = std::byte(i);
  const Shape shape{3, 4};
  for (const std::ptrdiff_t from : {0, 3}) {
    for (const std::ptrdiff_t to : {0, 5}) {
      for (const ByteStrides& strides : {ByteStrides{32, 8}, ByteStrides{35, 8}}) {
        misaligned = false;
        std::fill_n(out, 256, std::byte{0xee});
        const Status status = plan.Execute({{x + from, DType::kFloat64, shape, strides}}, {out + to, DType::kFloat64, shape});
        ASSERT_TRUE(status.ok()) << status.message();
        EXPECT_FALSE(misaligned) << from << " " << to << " " << strides[0];
        for (std::ptrdiff_t r = 0; r < 3; ++r) EXPECT_EQ(std::memcmp(out + to + 32 * r, x + from + strides[0] * r, 32), 0);
      }
    }
  }
}

TEST(PatternPlan, IsForItsDTypesAlone) {
  PlanOptions options;
  const Pattern patterns[] = {{kN}, {kB}};
  options.patterns = patterns;
  PatternPlan plan;
  ASSERT_TRUE(PatternPlan::Make(*FindOp("add"), {DType::kFloat32, DType::kFloat32}, options, &plan).ok());
  const std::int32_t x[] = {1, 2}, y[] = {3};
  std::int32_t out[] = {7, 7};
  const Status status = plan.Execute({{x, {2}}, {y, {1}}}, {out, {2}});
  EXPECT_EQ(status.code(), StatusCode::kUnsupportedDType);
  EXPECT_STREQ(status.message(), "add: the plan is for other dtypes, (float32, float32) -> float32; got (int32, int32) -> int32");
  EXPECT_EQ(out[0], 7);
}

TEST(PatternPlan, DoesWhatApplyDoesOnRandomViews) {
  const std::uint64_t seed = FromEnvironment("AXISCAST_SEED", 1);
  const auto cases = static_cast<std::int64_t>(FromEnvironment("AXISCAST_CASES", AXISCAST_TEST_SANITIZED ? 400 : 4000));
  std::printf("AXISCAST_SEED=%llu AXISCAST_CASES=%lld\n", static_cast<unsigned long long>(seed), static_cast<long long>(cases));
  Bytes no_zeros = Random(seed).RandomBytes(300'000);
  for (std::byte& byte : no_zeros) byte |= std::byte{1};
  Bytes zeros_too = no_zeros;
  for (std::size_t at = 0; at < zeros_too.size(); at += 40)
    std::fill_n(zeros_too.begin() + static_cast<std::ptrdiff_t>(at), 16, std::byte{0});
  Bytes memory;
  const ForeignPool pool(PoolHabit::kOddThenEven);
  std::int64_t fitted = 0, refused = 0;
  for (std::int64_t n = 0; n < cases; ++n) {
    Random random(seed + static_cast<std::uint64_t>(n));
    const char* const op = random.Of(std::vector<const char*>{"add", "subtract", "divide", "maximum", "less"});
    const DType dtype = random.Of(std::vector<DType>{DType::kInt16, DType::kInt32, DType::kInt64});
    std::vector<Pattern> patterns(2);
    for (Pattern& pattern : patterns) {
      const std::int64_t rank = random.In(0, 4);
      for (int d = 0; d < rank; ++d)
        pattern.push_back(random.Chance(40) ? PatternAxis(kB) : random.Chance(10) ? PatternAxis(3) : PatternAxis(kN));
    }
    PlanOptions options;
    options.patterns = patterns.data();
    PatternPlan plan;
    const Status made = PatternPlan::Make(*FindOp(op), {dtype, dtype}, options, &plan);
    ASSERT_TRUE(made.ok()) << made.message();
    for (int call = 0; call < 5; ++call) {
      memory = random.Chance(5) ? zeros_too : no_zeros;
      const Bytes start = memory;
      Views views = RandomViews(random, patterns, memory.data(), dtype);
      views.out.dtype = plan.dtype();
      ApplyOptions apply;
      apply.patterns = patterns.data();
      ExecuteOptions execute;
      if (call == 0) execute.pool = pool.get();
      apply.pool = execute.pool;
      const Status expected = Apply(*FindOp(op), views.inputs.data(), 2, views.out, apply);
      const Bytes written = memory;
      memory = start;
      const Status status = plan.Execute(views.inputs.data(), 2, views.out, execute);
      if (views.inputs[0].dtype != dtype || views.inputs[1].dtype != dtype) {  // Apply takes any; a plan is for its own
        ASSERT_EQ(status.code(), StatusCode::kUnsupportedDType);
        ASSERT_TRUE(memory == start);
        continue;
      }
      ASSERT_STREQ(status.message(), expected.message()) << "AXISCAST_SEED=" << seed + static_cast<std::uint64_t>(n);
      ASSERT_EQ(status.code(), expected.code());
      ASSERT_TRUE(memory == written) << op << ", AXISCAST_SEED=" << seed + static_cast<std::uint64_t>(n);
      fitted += status.ok();
      refused += !status.ok();
    }
  }
  EXPECT_GT(fitted, cases);
  EXPECT_GT(refused, cases / 5);
}

}  // namespace
}  // namespace axiscast::test
