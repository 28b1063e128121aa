// How work is shared by threads: pieces, and what one thread makes of tiles.
#include "core/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/thread_pools.h"

namespace axiscast {
namespace {

struct Range {
  std::int64_t begin, end;
  bool operator==(const Range& other) const { return begin == other.begin && end == other.end; }
};

std::vector<Range> TakeAll(Pieces& pieces) {
  std::vector<Range> taken;
  for (Range range; pieces.Take(&range.begin, &range.end);) taken.push_back(range);
  return taken;
}

TEST(Pieces, AreTakenFromTheFrontOfTheOwnShareThenFromTheBackOfTheOthers) {
  Shares shares(70, 10, 2);  // 0 to 39, and 40 to 69
  Pieces second(shares, 1);
  Range range{};
  ASSERT_TRUE(second.Take(&range.begin, &range.end));
  EXPECT_EQ(range, (Range{40, 50}));
  Pieces first(shares, 2);  // worker 2 of 2 has the first one's share
  EXPECT_EQ(TakeAll(first), (std::vector<Range>{{0, 10}, {10, 20}, {20, 30}, {30, 40}, {60, 70}, {50, 60}}));
  EXPECT_FALSE(second.Take(&range.begin, &range.end));
  EXPECT_TRUE(TakeAll(first).empty());
}

TEST(Pieces, CoverEveryCountOnce) {
  for (const std::int64_t count : {1, 2, 7, 64, 1000}) {
    for (const std::int64_t grain : {1, 3, 64, 5000}) {
      for (const std::int64_t workers : {1, 2, 3, 64, 1000}) {
        Shares shares(count, grain, workers);
        std::vector<int> taken(static_cast<std::size_t>(count));
        for (std::int64_t worker = workers; worker-- > 0;) {
          Pieces pieces(shares, worker);
          Range range{};
          if (worker % 2 == 0 && worker > 0) {  // takes but one
            if (pieces.Take(&range.begin, &range.end)) {
              for (std::int64_t i = range.begin; i < range.end; ++i) ++taken[static_cast<std::size_t>(i)];
            }
            continue;
          }
          for (const Range& r : TakeAll(pieces)) {
            EXPECT_LE(r.end - r.begin, grain);
            for (std::int64_t i = r.begin; i < r.end; ++i) ++taken[static_cast<std::size_t>(i)];
          }
        }
        EXPECT_EQ(taken, std::vector<int>(static_cast<std::size_t>(count), 1)) << count << " " << grain << " " << workers;
      }
    }
  }
}

TEST(Pieces, ThereAreAtMostAsManyAsAShareCounts) {
  const std::int64_t count = std::int64_t{1} << 50;
  Shares shares(count, 1, 1);
  Pieces pieces(shares, 0);
  Range range{};
  ASSERT_TRUE(pieces.Take(&range.begin, &range.end));
  EXPECT_EQ(range.begin, 0);
  EXPECT_GE(range.end, std::int64_t{1} << 19);
  Shares two(count, 1, 2);
  Pieces other(two, 1);
  ASSERT_TRUE(other.Take(&range.begin, &range.end));
  EXPECT_NEAR(static_cast<double>(range.begin), static_cast<double>(count) / 2, 1e7);
}

TEST(Pieces, AreTakenOnceByThreadsAtOnce) {
  constexpr std::int64_t kCount = 100'000;
  constexpr int kThreads = 8;
  Shares shares(kCount, 3, kThreads);
  std::vector<std::atomic<int>> taken(kCount);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Pieces pieces(shares, t / 2);  // every other share has no worker of its own
      Range range{};
      while (pieces.Take(&range.begin, &range.end)) {
        for (std::int64_t i = range.begin; i < range.end; ++i) taken[static_cast<std::size_t>(i)].fetch_add(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::int64_t i = 0; i < kCount; ++i) ASSERT_EQ(taken[static_cast<std::size_t>(i)].load(), 1) << i;
}

// An op that counts its tiles, and says what was written.
std::atomic<int> tiles{0};
void CountTiles(const Tile& tile) {
  tiles.fetch_add(1);
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const auto* x = reinterpret_cast<const float*>(static_cast<const std::byte*>(tile.in[0].data) + r * tile.in[0].row_stride);
    const auto* y = reinterpret_cast<const float*>(static_cast<const std::byte*>(tile.in[1].data) + r * tile.in[1].row_stride);
    auto* out = reinterpret_cast<float*>(static_cast<std::byte*>(tile.out) + r * tile.out_row_stride);
    for (std::int64_t c = 0; c < tile.cols; ++c) out[c] = x[tile.in[0].splat ? 0 : c] - y[tile.in[1].splat ? 0 : c];
  }
}

// The tiles that one thread, or two, make of x - y; -1: a wrong result.
int TilesOf(const Shape& x_shape, const Shape& y_shape, int threads) {
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
  options.pool = pool.get();
  tiles = 0;
  const void* inputs[] = {x.data(), y.data()};
  EXPECT_TRUE(plan.Execute(inputs, out.data(), options).ok());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t facing = y.size() == 5 ? i / 1000 % 5 : i % y.size();
    if (out[i] != x[i] - y[facing]) return -1;
  }
  return tiles;
}

TEST(OneThread, TakesAsOneTileWhatOnlySharingCuts) {
  EXPECT_EQ(TilesOf({3'000'000}, {3'000'000}, 1), 1);
  EXPECT_GT(TilesOf({3'000'000}, {3'000'000}, 2), 10);
  EXPECT_EQ(TilesOf({3000, 1000}, {1000}, 1), 1);
  EXPECT_EQ(TilesOf({3'000'000}, {1}, 1), 1);
  EXPECT_LE(TilesOf({1'000'000, 3}, {3}, 1), 2);  // folded rows, and what is left
  EXPECT_EQ(TilesOf({3, 300'000}, {300'000}, 1), 1);
  EXPECT_EQ(TilesOf({300, 5, 1000}, {5, 1}, 1), 300);  // rows and cols make a tile
}

// The tiles in a piece of a call of int8 that has (n, 1, cols) and (n, 2, cols), a tile being rows of the same plane.
std::int64_t GrainOf(std::int64_t n, std::int64_t cols) {
  std::vector<std::int8_t> x(static_cast<std::size_t>(n * cols)), y(2 * x.size());
  Plan plan;
  const Shape shape = {n, 2, cols};
  const Status made = Plan::Make(*FindOp("add"), {{x.data(), DType::kInt8, {n, 1, cols}}, {y.data(), DType::kInt8, shape}},
                                 {y.data(), DType::kInt8, shape}, {}, &plan);
  EXPECT_TRUE(made.ok()) << made.message();
  const PlanDescription description = plan.Describe();
  EXPECT_GT(description.tile_rows, 2);
  EXPECT_EQ(description.tile_cols, cols);
  EXPECT_GT(description.tiles, 3);
  return description.grain_tiles;
}

// Threads that write between each other's rows share lines, and take longer than one.
TEST(Pieces, HaveAllTilesThatLieBetweenEachOthersRows) {
  EXPECT_EQ(GrainOf(566, 185) % 2, 0);
  EXPECT_EQ(GrainOf(2000, 185) % 2, 0);
  EXPECT_EQ(GrainOf(566, 192), 1) << "rows that are whole lines are shared as they come";
}

}  // namespace
}  // namespace axiscast
