// What threads that share a call make of its tiles.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/thread_pools.h"

namespace axiscast {
namespace {

// An op that counts its tiles, and says what was written.
std::atomic<int> tiles{0};
void CountTiles(const Tile& tile, const void* const* inputs, void* result) {
  tiles.fetch_add(1);
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const auto* x = reinterpret_cast<const float*>(static_cast<const std::byte*>(inputs[0]) + r * tile.in[0].row_stride);
    const auto* y = reinterpret_cast<const float*>(static_cast<const std::byte*>(inputs[1]) + r * tile.in[1].row_stride);
    auto* out = reinterpret_cast<float*>(static_cast<std::byte*>(result) + r * tile.out_row_stride);
    for (std::int64_t c = 0; c < tile.cols; ++c) out[c] = x[tile.in[0].splat ? 0 : c] - y[tile.in[1].splat ? 0 : c];
  }
}

// The tiles that one thread, or two of a pool, make of x - y, and the plan's; -1: a wrong result.
struct Tiles {
  int run;
  std::int64_t planned;
};
Tiles TilesOf(const Shape& x_shape, const Shape& y_shape, int threads, bool pooled = true) {
  static const Registry registry = [] {
    RegistryBuilder builder(Registry::BuiltIn());
    OpDefinition definition{};
    definition.info.name = "counted";
    definition.info.arity = 2;
    definition.info.doc = "out = x - y";
    definition.kernels = {{{DType::kFloat32, DType::kFloat32}, DType::kFloat32, DType::kFloat32, &CountTiles}};
    EXPECT_TRUE(builder.Add(definition).ok());
    return builder.Build();
  }();
  const Op* op = nullptr;
  EXPECT_TRUE(registry.Find("counted", &op).ok());
  const auto count = [](const Shape& shape) {
    return static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
  };
  std::vector<float> x(count(x_shape)), y(count(y_shape));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1001);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(i % 77);
  std::vector<float> out(x.size(), -1);
  Plan plan;
  const Status made = Plan::Make(*op, {{x.data(), DType::kFloat32, x_shape}, {y.data(), DType::kFloat32, y_shape}},
                                 {out.data(), DType::kFloat32, x_shape}, {}, &plan);
  EXPECT_TRUE(made.ok()) << made.message();
  EXPECT_GT(plan.Describe().tiles, 1);
  ExecuteOptions options;
  const test::ForeignPool pool(test::PoolHabit::kAllOnCaller, 2);
  options.max_threads = threads;
  if (pooled) options.pool = pool.get();
  tiles = 0;
  const void* inputs[] = {x.data(), y.data()};
  EXPECT_TRUE(plan.Execute(inputs, out.data(), options).ok());
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::size_t facing = 0, rest = i, step = 1;
    for (int back = 1; back <= x_shape.rank(); ++back) {
      const auto extent = static_cast<std::size_t>(x_shape[x_shape.rank() - back]);
      const auto y_extent = static_cast<std::size_t>(back > y_shape.rank() ? 1 : y_shape[y_shape.rank() - back]);
      facing += rest % extent % y_extent * step;
      rest /= extent;
      step *= y_extent;
    }
    if (out[i] != x[i] - y[facing]) return {-1, 0};
  }
  return {tiles, plan.Describe().tiles};
}

TEST(OneThread, TakesAsOneTileWhatOnlySharingCuts) {
  for (const bool pooled : {false, true}) {  // without a pool, straight to the kernel
    EXPECT_EQ(TilesOf({3'000'000}, {3'000'000}, 1, pooled).run, 1);
    EXPECT_EQ(TilesOf({3000, 1000}, {1000}, 1, pooled).run, 1);
    EXPECT_EQ(TilesOf({3'000'000}, {1}, 1, pooled).run, 1);
    EXPECT_LE(TilesOf({1'000'000, 3}, {3}, 1, pooled).run, 2);  // folded rows, and what is left
    EXPECT_EQ(TilesOf({3, 300'000}, {300'000}, 1, pooled).run, 1);
    EXPECT_EQ(TilesOf({300, 5, 1000}, {5, 1}, 1, pooled).run, 300);  // rows and cols make a tile
  }
}

TEST(TwoThreads, TakeAsOneTileWhatLiesInAPiece) {
  for (const auto& [x, y] : {std::pair<Shape, Shape>{{3'000'000}, {3'000'000}}, {{3000, 1000}, {1000}}, {{1'000'000, 3}, {3}}}) {
    const Tiles shared = TilesOf(x, y, 2);
    EXPECT_GE(shared.run, 8);
    EXPECT_LE(shared.run, shared.planned * 2 / 3) << shared.planned;
  }
  const Tiles beside_one_block = TilesOf({1000, 64, 4}, {64, 1}, 2);  // staged once for all rows
  EXPECT_GE(beside_one_block.planned, 40);
  EXPECT_LE(beside_one_block.run, 30);
  // Pieces that go on in the next rows: those that a piece has whole are one tile, beside parts of two. Folded rows are not.
  const Tiles rows = TilesOf({30, 40'000}, {30, 1}, 2), folded = TilesOf({30, 13'000, 3}, {30, 1, 3}, 2);
  EXPECT_GE(rows.run, 8);
  EXPECT_LT(rows.run, rows.planned / 2);
  EXPECT_GE(folded.run, 30);
  EXPECT_LT(folded.run, folded.planned);
  EXPECT_GE(TilesOf({300, 5, 1000}, {5, 1}, 2).run, 300) << "five rows of a value each are a tile, or two";
}

// The tiles in a piece of a comparison of int8 that has (n, 1, cols) and (n, 2, cols), a tile being rows of the same plane
// (additions have faster ones where kernels take what recurs). n is doubled until there are several tiles, which are larger where
// caches are.
std::int64_t GrainOf(std::int64_t n, std::int64_t cols) {
  for (;; n *= 2) {
    std::vector<std::int8_t> x(static_cast<std::size_t>(n * cols)), y(2 * x.size());
    Plan plan;
    const Shape shape = {n, 2, cols};
    const Status made = Plan::Make(*FindOp("less"), {{x.data(), DType::kInt8, {n, 1, cols}}, {y.data(), DType::kInt8, shape}},
                                   {y.data(), DType::kBool, shape}, {}, &plan);
    EXPECT_TRUE(made.ok()) << made.message();
    const PlanDescription description = plan.Describe();
    if (made.ok() && description.tiles <= 3 && n < 1'000'000) continue;
    EXPECT_GT(description.tiles, 3);
    EXPECT_GT(description.tile_rows, 2);
    EXPECT_EQ(description.tile_cols, cols);
    return description.grain_tiles;
  }
}

// Threads that write between each other's rows share lines, and take longer than one.
TEST(PiecesOfAPlan, HaveAllTilesThatLieBetweenEachOthersRows) {
  EXPECT_EQ(GrainOf(566, 185) % 2, 0);
  EXPECT_EQ(GrainOf(2000, 185) % 2, 0);
  EXPECT_EQ(GrainOf(566, 192), 1) << "rows that are whole lines are shared as they come";
}

}  // namespace
}  // namespace axiscast
