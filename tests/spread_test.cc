// Results that lie a few elements apart: which are written so; own kernels that write them so, and those that do not; and threads
// whose results lie between each other's.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "axiscast/axiscast.h"
#include "core/caches.h"

namespace axiscast {
namespace {

// Short arithmetic writes every second to fourth element where it is.
TEST(Spread, ChosenForStepsOfTwoToFour) {
  const Op& add = *FindOp("add");
  const auto delivery_of = [&](DType dtype, const Shape& shape, const std::vector<std::int64_t>& strides) {  // of out, in elements
    ByteStrides bytes = DenseStrides(shape, dtype);
    for (std::size_t d = 0; d < strides.size(); ++d)
      bytes[static_cast<int>(d)] = strides[d] * static_cast<std::int64_t>(SizeOf(dtype));
    const TensorView x(nullptr, dtype, shape);
    Plan plan;
    const Status status = Plan::Make(add, {x, x}, MutableTensorView(nullptr, dtype, shape, bytes), {}, &plan);
    EXPECT_TRUE(status.ok()) << status.message();
    return plan.Describe().operands[2].delivery;
  };
  const DType floats[] = {DType::kFloat32, DType::kFloat32};
  const char* const spread = add.FindKernel(floats)->abilities.spreads ? "spread" : "staged: gather";
  for (const DType dtype : {DType::kFloat32, DType::kInt16, DType::kFloat64, DType::kFloat16}) {
    for (const std::int64_t step : {2, 3, 4}) EXPECT_EQ(delivery_of(dtype, {5000}, {step}), spread) << NameOf(dtype) << step;
  }
  EXPECT_EQ(delivery_of(DType::kFloat32, {100, 200}, {500, 2}), spread);
  EXPECT_EQ(delivery_of(DType::kFloat32, {5000}, {5}), "staged: gather");
  EXPECT_EQ(delivery_of(DType::kFloat32, {5000}, {-2}), spread);
  EXPECT_EQ(delivery_of(DType::kFloat32, {2, 5001}, {5001, 2}), spread);   // rows that are woven into each other
  EXPECT_EQ(delivery_of(DType::kFloat32, {2, 5001}, {1, 2}), "streamed");  // all of them
  EXPECT_EQ(delivery_of(DType::kFloat32, {MachineCaches().l3}, {2}), spread);
}

std::atomic<int> spread_tiles{0};

// out = 2 * x, with a step of the result or without.
void Twice(const Tile& tile, const void* const* inputs, void* result) {
  spread_tiles += tile.out_step > 1;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const auto* x = reinterpret_cast<const float*>(static_cast<const std::byte*>(inputs[0]) + r * tile.in[0].row_stride);
    auto* out = reinterpret_cast<float*>(static_cast<std::byte*>(result) + r * tile.out_row_stride);
    for (std::int64_t c = 0; c < tile.cols; ++c) out[c * tile.out_step] = 2 * x[tile.in[0].splat ? 0 : c];
  }
}

// Whether the kernel got tiles with a step.
bool IsGivenSteps(bool spreads, const Shape& shape, std::int64_t step, std::int64_t gap, int threads) {
  Kernel kernel = {{DType::kFloat32}, DType::kFloat32, DType::kFloat32, &Twice};
  kernel.abilities.spreads = spreads;
  kernel.cycles = 1000;  // worth a second thread
  OpDefinition definition{};
  definition.info.name = "twice";
  definition.info.arity = 1;
  definition.info.doc = "out = 2 * x";
  definition.kernels = {kernel};
  RegistryBuilder builder(Registry::BuiltIn());
  const Status added = builder.Add(definition);
  EXPECT_TRUE(added.ok()) << added.message();
  const Registry registry = builder.Build();
  const std::int64_t rows = shape[0], cols = shape[1], pitch = cols * step + gap;
  std::vector<float> x(static_cast<std::size_t>(rows * cols)), out(static_cast<std::size_t>(rows * pitch), -1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1001);
  const MutableTensorView view(out.data(), DType::kFloat32, shape, ByteStrides{4 * pitch, 4 * step});
  spread_tiles = 0;
  ApplyOptions options;
  options.max_threads = threads;
  const Status status = Apply(*registry.Find("twice"), {TensorView(x.data(), DType::kFloat32, shape)}, view, options);
  EXPECT_TRUE(status.ok()) << status.message();
  for (std::int64_t i = 0; i < rows * pitch; ++i) {
    const std::int64_t r = i / pitch, at = i % pitch, c = at / step;
    const bool written = at % step == 0 && c < cols;
    const float expected = written ? 2 * x[static_cast<std::size_t>(r * cols + c)] : -1;
    EXPECT_EQ(out[static_cast<std::size_t>(i)], expected) << r << ", " << at;
    if (out[static_cast<std::size_t>(i)] != expected) break;
  }
  return spread_tiles > 0;
}

TEST(Spread, OwnKernelsGetStepsWhereTheySayThatTheyHeedThem) {
  for (const int threads : {1, 0}) {
    for (const Shape& shape : {Shape{1, 5}, Shape{1, 5000}, Shape{300, 70}, Shape{40, 3000}}) {
      for (const std::int64_t gap : {0, 3}) {
        for (const std::int64_t step : {2, 3, 4}) {
          EXPECT_TRUE(IsGivenSteps(true, shape, step, gap, threads)) << shape[0] << " x " << shape[1] << ", " << step;
          EXPECT_FALSE(IsGivenSteps(false, shape, step, gap, threads)) << shape[0] << " x " << shape[1] << ", " << step;
        }
        EXPECT_FALSE(IsGivenSteps(true, shape, 5, gap, threads));
      }
    }
  }
}

// Each thread writes what the others leave out, in the same lines.
TEST(Spread, ThreadsMayWriteBetweenEachOthersResults) {
  constexpr std::int64_t kCount = 3001;
  constexpr int kRounds = 300;
  for (const std::int64_t step : {2, 3, 4}) {
    std::vector<std::int32_t> out(static_cast<std::size_t>(step * kCount), -1);
    std::atomic<int> wrong{0};
    const auto write = [&](std::int64_t own) {
      std::vector<std::int32_t> x(kCount), zero(1);
      const MutableTensorView view(out.data() + own, DType::kInt32, {kCount}, ByteStrides{4 * step});
      for (int round = 0; round < kRounds; ++round) {
        for (std::int64_t i = 0; i < kCount; ++i) x[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * 7 + own + round);
        ApplyOptions options;
        options.max_threads = 1;
        wrong += !Apply(*FindOp("add"),
                        {TensorView(x.data(), DType::kInt32, {kCount}), TensorView(zero.data(), DType::kInt32, {1})}, view, options)
                      .ok();
        for (std::int64_t i = 0; i < kCount; ++i) {
          wrong += out[static_cast<std::size_t>(i * step + own)] != x[static_cast<std::size_t>(i)];
        }
      }
    };
    std::vector<std::thread> threads;
    for (std::int64_t own = 0; own < step; ++own) threads.emplace_back(write, own);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0) << "steps of " << step;
  }
}

}  // namespace
}  // namespace axiscast
