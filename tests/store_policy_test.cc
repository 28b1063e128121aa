// Where results go, past the caches or into them: what decides, and that the bits are the same.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "axiscast/axiscast.h"
#include "core/caches.h"
#include "core/execute.h"
#include "core/registry.h"
#include "core/speed.h"

namespace axiscast {
namespace {

// y_strides: in elements; none where y is dense.
Plan PlanOf(const Op& op, DType dtype, const Shape& x, const Shape& y, const Shape& out, std::optional<std::int64_t> axis,
            const std::vector<std::int64_t>& y_strides = {}) {
  const DType dtypes[] = {dtype, dtype};
  const DType result = op.FindKernel(dtypes)->output;
  PlanOptions options;
  options.axis = axis;
  std::vector<std::int64_t> bytes = y_strides;
  for (std::int64_t& stride : bytes) stride *= static_cast<std::int64_t>(SizeOf(dtype));
  const TensorView y_view =
      bytes.empty() ? TensorView(nullptr, dtype, y) : TensorView(nullptr, dtype, y, ByteStrides(bytes.data(), bytes.size()));
  Plan plan;
  const Status status = Plan::Make(op, {{nullptr, dtype, x}, y_view}, {nullptr, result, out}, options, &plan);
  EXPECT_TRUE(status.ok()) << status.message();
  return plan;
}

TEST(StorePolicy, WhatLeavesTheCachesIsStreamed) {
  const Op& add = *FindOp("add");
  const std::int64_t rows = MachineCaches().l3 / 64 / 4;  // of 64 floats: each operand is as large as the last cache
  const auto store = [&](const Shape& x, const Shape& y, const Shape& out) {
    return PlanOf(add, DType::kFloat32, x, y, out, {}).Describe().store;
  };
  EXPECT_EQ(store({rows, 64}, {rows, 64}, {rows, 64}), "streaming");
  EXPECT_EQ(store({rows, 64}, {64}, {rows, 64}), "streaming");
  EXPECT_EQ(store({rows * 21, 3}, {3}, {rows * 21, 3}), "streaming");
  const DType dtypes[] = {DType::kFloat32, DType::kFloat32};
  const bool asks = MachineSpeed().asks_in_caches && add.FindKernel(dtypes)->abilities.asks &&
                    MachineCaches().l3 * 3 / 8 > 2 * MachineCaches().l2;
  EXPECT_EQ(store({rows / 8, 64}, {rows / 8, 64}, {rows / 8, 64}), asks ? "direct, asked for ahead" : "direct");
  // What lies behind a row is another tile's.
  const Shape heads = {rows / 512, 4, 16, 64};
  EXPECT_EQ(PlanOf(add, DType::kFloat32, heads, heads, heads, {}, {4096, 64, 256, 1}).Describe().store, "direct");
  EXPECT_EQ(store({1000, 64}, {1000, 64}, {1000, 64}), "direct");
  EXPECT_EQ(store({64}, {64}, {64}), "direct");
}

// A copy that says what it was asked for.
int streamed_tiles = 0, tiles_into_caches = 0;
void SpyOnTiles(const Tile& tile, const void* const* inputs, void* result) {
  streamed_tiles += tile.stream ? 1 : 0;
  tiles_into_caches += tile.stream && tile.into_caches ? 1 : 0;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const auto* x = reinterpret_cast<const float*>(static_cast<const std::byte*>(inputs[0]) + r * tile.in[0].row_stride);
    auto* out = reinterpret_cast<float*>(static_cast<std::byte*>(result) + r * tile.out_row_stride);
    for (std::int64_t c = 0; c < tile.cols; ++c) out[c] = x[tile.in[0].splat ? 0 : c];
  }
}

TEST(StorePolicy, KernelsThatStreamAreAskedToAndOthersAreNot) {
  for (const bool streams : {false, true}) {
    Kernel kernel{{DType::kFloat32}, DType::kFloat32, DType::kFloat32, &SpyOnTiles};
    kernel.streams = streams;
    RegistryBuilder builder(Registry::BuiltIn());
    OpDefinition definition{};
    definition.info.name = "spy";
    definition.info.arity = 1;
    definition.info.doc = "out = x";
    definition.kernels = {kernel};
    ASSERT_TRUE(builder.Add(definition).ok());
    const Registry registry = builder.Build();
    std::vector<float> x(60000), out(60000);
    const Op* spy = registry.Find("spy");
    ASSERT_NE(spy, nullptr);
    const auto tiles = [&](StorePolicy stores, float* to) {
      ApplyOptions options;
      options.max_threads = 1;
      options.stores = stores;
      streamed_tiles = 0;
      EXPECT_TRUE(Apply(*spy, {{x.data(), {60000}}}, {to, {60000}}, options).ok());
      return streamed_tiles;
    };
    EXPECT_EQ(tiles(StorePolicy::kAuto, out.data()), 0);
    EXPECT_EQ(tiles(StorePolicy::kCached, out.data()), 0);
    EXPECT_EQ(tiles(StorePolicy::kStream, out.data()) > 0, streams);
    Plan plan;
    const std::int64_t rows = MachineCaches().l3 / 256;
    ASSERT_TRUE(Plan::Make(*spy, {{nullptr, DType::kFloat32, {rows, 64}}}, {nullptr, DType::kFloat32, {rows, 64}}, {}, &plan).ok());
    EXPECT_EQ(plan.Describe().store, streams ? "streaming" : "direct");
  }
}

TEST(StorePolicy, KernelsThatAskStoreIntoCachesUnlessTheCallStreams) {
  enum Where { kNear, kIntoCaches, kPastCaches };
  std::vector<float> x(200000), out(200016);
  float* const line = out.data() + (64 - reinterpret_cast<std::uintptr_t>(out.data()) % 64) % 64 / sizeof(float);
  // Of [50, 4000], whose rows are so many floats apart in the result.
  const auto where = [&](bool can, bool asks, StorePolicy stores, std::int64_t pitch = 4000) {
    Kernel kernel{{DType::kFloat32}, DType::kFloat32, DType::kFloat32, &SpyOnTiles};
    kernel.streams = true;
    kernel.abilities.asks = can;
    const Step step{&kernel, 1, {0}, {}};
    const DType dtypes[] = {DType::kFloat32, DType::kFloat32};
    LayoutOptions options;
    options.forced.asks = asks;
    const Shape shape{200000 / pitch, 4000};
    Layout layout =
        MakeLayout(Canonicalise(shape, std::vector<ByteStrides>{{16000, 4}, {4 * pitch, 4}}), dtypes, {&step, 1}, options);
    layout.parallel = false;
    std::byte* pointers[] = {reinterpret_cast<std::byte*>(x.data()), reinterpret_cast<std::byte*>(line)};
    ExecuteOptions execute_options;
    execute_options.stores = stores;
    streamed_tiles = tiles_into_caches = 0;
    Execute(layout, FindOp("add")->entry().kernels->movers, pointers, execute_options);
    EXPECT_TRUE(tiles_into_caches == 0 || tiles_into_caches == streamed_tiles);
    if (tiles_into_caches > 0) {  // and parts, if they are not so many that each has little
      layout.asking_threads = 1;
      for (const std::int64_t parts : {1, 2}) {
        tiles_into_caches = 0;
        ExecutePart(layout, FindOp("add")->entry().kernels->movers, pointers, 0, parts, stores);
        EXPECT_EQ(tiles_into_caches > 0, parts == 1);
      }
      return kIntoCaches;
    }
    return streamed_tiles == 0 ? kNear : tiles_into_caches == 0 ? kPastCaches : kIntoCaches;
  };
  EXPECT_EQ(where(true, true, StorePolicy::kAuto), kIntoCaches);
  EXPECT_EQ(where(true, true, StorePolicy::kCached), kIntoCaches);
  EXPECT_EQ(where(true, true, StorePolicy::kStream), kPastCaches);
  EXPECT_EQ(where(false, true, StorePolicy::kAuto), kNear);
  const bool beyond_l2 = MachineSpeed().asks_in_caches && 1'600'000 > 2 * MachineCaches().l2;
  EXPECT_EQ(where(true, false, StorePolicy::kAuto), beyond_l2 ? kIntoCaches : kNear);
  EXPECT_EQ(where(true, true, StorePolicy::kAuto, 5000), kNear);  // what lies behind a row's end is another's
}

// Short runs are not, as a part of a cache line at both ends costs more than the rest gains.
TEST(StorePolicy, LongRunsAreStreamedWhereverTheyBegin) {
  const Kernel kernel = [] {
    Kernel spy{{DType::kFloat32}, DType::kFloat32, DType::kFloat32, &SpyOnTiles};
    spy.streams = true;
    return spy;
  }();
  const Step step{&kernel, 1, {0}, {}};
  const DType dtypes[] = {DType::kFloat32, DType::kFloat32};
  const auto tiles = [&](std::int64_t cols, std::int64_t gap, std::int64_t offset, std::int64_t x_gap = 0) {
    const Shape shape{20, cols};
    const std::int64_t out_stride = 4 * (cols + gap);
    std::vector<float> x(static_cast<std::size_t>(20 * (cols + x_gap)));
    std::vector<std::byte> out(static_cast<std::size_t>(20 * out_stride + 128));
    auto* first = out.data() + (64 - reinterpret_cast<std::uintptr_t>(out.data()) % 64) % 64 + offset;
    LayoutOptions options;
    options.forced.streams = true;
    if (cols < 1000) options.forced.tile_bytes = 4096;  // of one tile, nothing is streamed
    const std::vector<ByteStrides> strides = {{4 * (cols + x_gap), 4}, {out_stride, 4}};
    Layout layout = MakeLayout(Canonicalise(shape, strides), dtypes, {&step, 1}, options);
    layout.parallel = false;
    std::byte* pointers[] = {reinterpret_cast<std::byte*>(x.data()), first};
    streamed_tiles = 0;
    Execute(layout, FindOp("add")->entry().kernels->movers, pointers, {});
    return streamed_tiles;
  };
  EXPECT_GT(tiles(2000, 48, 0), 0);
  EXPECT_GT(tiles(2000, 48, 16), 0);
  EXPECT_EQ(tiles(200, 48, 0), 0);
  EXPECT_GT(tiles(300, 4, 0), 0);  // steps of 19 lines
  EXPECT_EQ(tiles(300, 5, 0), 0);
  EXPECT_EQ(tiles(300, 4, 16), 0);
  EXPECT_GT(tiles(8192, 64, 16), 0);
  EXPECT_GT(tiles(2000, 0, 16), 0);  // rows that follow each other are one run
  // Of whole lines that follow each other, in the result alone:
  EXPECT_GT(tiles(64, 0, 0, 16), 0);
  EXPECT_EQ(tiles(64, 0, 16, 16), 0);
  EXPECT_EQ(tiles(64, 16, 0, 16), 0);
}

// Rows of whole lines under a dim whose steps are not: only the first of its tiles begins on a line.
TEST(StorePolicy, ShortRunsAreStreamedWhereAllBeginOnLines) {
  Kernel kernel{{DType::kFloat32}, DType::kFloat32, DType::kFloat32, &SpyOnTiles};
  kernel.streams = true;
  const Step step{&kernel, 1, {0}, {}};
  const DType dtypes[] = {DType::kFloat32, DType::kFloat32};
  for (const std::int64_t gap : {0, 16, 64}) {
    const std::vector<ByteStrides> strides = {{40 * 80, 80, 4}, {40 * 64 + gap, 64, 4}};
    LayoutOptions options;
    options.forced.streams = true;
    options.forced.tile_bytes = 2048;
    EXPECT_EQ(MakeLayout(Canonicalise({20, 40, 16}, strides), dtypes, {&step, 1}, options).can_stream, gap != 16) << gap;
  }
}

// An op whose kernel of a dtype is told that so many parts take turns, or that what it streams goes into caches, whatever CPU this
// is.
const Kernel* by_turns_kernel = nullptr;
PartsByTurns by_turns;
bool into_caches = false;
void RunByTurns(const Tile& tile, const void* const* inputs, void* out) {
  Tile by_turns_tile = tile;
  by_turns_tile.by_turns = by_turns;
  by_turns_tile.stream = tile.stream && !tile.into_caches;  // what is not past the caches is as near as on other CPUs
  by_turns_tile.into_caches = into_caches && by_turns_kernel->abilities.asks;
  const KernelFunction run = by_turns_kernel->choose != nullptr ? by_turns_kernel->choose(by_turns_tile) : by_turns_kernel->run;
  run(by_turns_tile, inputs, out);
}
Registry ByTurns(const Op& op, DType dtype) {
  const DType dtypes[] = {dtype, dtype};
  by_turns_kernel = op.FindKernel(dtypes);
  OpDefinition definition{};
  definition.info = op.info();
  definition.info.aliases = definition.info.gradient = "";
  definition.info.name = "by_turns";
  definition.kernels = {*by_turns_kernel};
  definition.kernels[0].run = &RunByTurns;
  definition.kernels[0].choose = nullptr;
  RegistryBuilder builder(Registry::BuiltIn());
  EXPECT_TRUE(builder.Add(definition).ok());
  return builder.Build();
}

struct Case {
  Shape x, y, out;
  std::optional<std::int64_t> axis;
  std::vector<std::int64_t> y_strides = {};  // in elements
  std::int64_t first_of_y = 0;               // of y's memory
};

TEST(StorePolicy, BitsAreTheSame) {
  const Case cases[] = {
      {{70000}, {70000}, {70000}, {}},
      {{70000}, {}, {70000}, {}},
      {{90, 1000}, {1000}, {90, 1000}, {}},
      {{90, 384}, {90, 1}, {90, 384}, {}},
      {{9, 64, 7, 7}, {64}, {9, 64, 7, 7}, 1},
      {{5, 16, 14, 14}, {16}, {5, 16, 14, 14}, 1},
      {{9000, 3}, {3}, {9000, 3}, {}},
      {{9000, 3}, {9000, 1}, {9000, 3}, {}},
      {{31, 3, 4, 5}, {3, 4}, {31, 3, 4, 5}, 1},
      {{2, 3}, {2, 3}, {2, 3}, {}},
      // Rows that take turns, of whole lines and others:
      {{2100, 64}, {64}, {2100, 64}, {}},
      {{1100, 64}, {1100, 1}, {1100, 64}, {}},
      {{9001, 16}, {16}, {9001, 16}, {}},
      {{202, 1, 185}, {202, 2, 185}, {202, 2, 185}, {}},
      {{3, 1, 1024}, {3, 9, 1024}, {3, 9, 1024}, {}},
      // And of inputs that are permuted, in whole groups and others:
      {{25001, 3}, {25001, 3}, {25001, 3}, {}, {3, -1}, 2},
      {{9000, 3}, {9000, 3}, {9000, 3}, {}, {4, 1}},
      {{401, 3, 64}, {401, 3, 64}, {401, 3, 64}, {}, {192, 1, 3}},
      {{200, 64, 6}, {200, 64, 1}, {200, 64, 6}, {}, {100, 1, 0}},
      {{60, 1024, 3}, {60, 1024, 3}, {60, 1024, 3}, {}, {4103, 4, 1}},
      {{80, 3200}, {80, 3200}, {80, 3200}, {}, {9700, 3}},
  };
  constexpr PartsByTurns kFour = {kMaxPartsByTurns, kMaxPartsByTurns, kMaxPartsByTurns, kMaxPartsByTurns};
  std::mt19937 random(5);
  std::set<KernelFunction> seen;  // targets share most of AVX-512's
  const auto check = [&](const Op& op, DType dtype) {
    const DType dtypes[] = {dtype, dtype};
    if (!seen.insert(op.FindKernel(dtypes)->run).second) return;
    const auto size = static_cast<std::int64_t>(SizeOf(dtype));
    const Registry registry = ByTurns(op, dtype);
    const Op* const by_turns_op = registry.Find("by_turns");
    ASSERT_NE(by_turns_op, nullptr);
    for (const Case& c : cases) {
      std::int64_t elements = 1;
      for (const std::int64_t extent : c.out) elements *= extent;
      std::vector<std::uint8_t> x(static_cast<std::size_t>(elements * size) + 128), y(4 * x.size());
      for (auto* bytes : {&x, &y}) {
        for (std::uint8_t& byte : *bytes) byte = static_cast<std::uint8_t>(random() % 64);  // no NaN, whose bits may be any
      }
      const Plan plan = PlanOf(*by_turns_op, dtype, c.x, c.y, c.out, c.axis, c.y_strides);
      const std::uint8_t* const first_of_y = y.data() + c.first_of_y * size;
      for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{3}, size, std::int64_t{16}}) {
        std::vector<std::uint8_t> expected(x.size(), 0x5a), actual(x.size(), 0x5a);
        // `offset` bytes behind a line. Nothing else in that line, nor behind the result, is written.
        const auto out = [&](std::vector<std::uint8_t>& bytes) {
          return bytes.data() + (64 - reinterpret_cast<std::uintptr_t>(bytes.data()) % 64) % 64 + offset;
        };
        const auto from_line = [&](std::vector<std::uint8_t>& bytes) {
          const std::uint8_t* const line = out(bytes) - offset;
          return std::vector<std::uint8_t>(line, line + elements * size + 64);
        };
        // Of two parts, a tile has to have 256 KB: one thread's.
        const std::tuple<int, PartsByTurns, bool> ways[] = {
            {1, {2, 2, 1, kMaxPartsByTurns}, false}, {1, kFour, false}, {3, kFour, false}, {1, kFour, true}, {3, kFour, true}};
        for (const auto& [threads, parts, into] : ways) {
          by_turns = parts;
          into_caches = into;
          ExecuteOptions options;
          options.max_threads = threads;
          options.stores = StorePolicy::kCached;
          ASSERT_TRUE(plan.Execute({x.data(), first_of_y}, out(expected), options).ok());
          options.stores = StorePolicy::kStream;
          ASSERT_TRUE(plan.Execute({x.data(), first_of_y}, out(actual), options).ok());
          ASSERT_EQ(from_line(actual), from_line(expected))
              << op.name() << " " << NameOf(dtype) << ", case " << &c - cases << ", offset " << offset;
          if (!(c.x == c.out) || op.FindKernel(dtypes)->output != dtype) continue;
          std::memcpy(out(actual), x.data(), static_cast<std::size_t>(elements * size));
          ASSERT_TRUE(plan.Execute({out(actual), first_of_y}, out(actual), options).ok());
          ASSERT_EQ(from_line(actual), from_line(expected))
              << "in place, " << op.name() << " " << NameOf(dtype) << ", case " << &c - cases << ", offset " << offset;
        }
      }
    }
  };
  for (const DType dtype : {DType::kUInt8, DType::kInt16, DType::kFloat16, DType::kBFloat16, DType::kInt32, DType::kInt64}) {
    for (const char* name : {"subtract", "less"}) check(*FindOp(name), dtype);
  }
  // Those that have their own ways to stream, with every target.
  for (const char* target : Registry::SupportedTargets()) {
    SCOPED_TRACE(target);
    const Registry* registry = nullptr;
    ASSERT_TRUE(Registry::BuiltInFor(target, &registry).ok());
    for (const DType dtype : {DType::kInt8, DType::kFloat16, DType::kBFloat16, DType::kFloat32}) {
      check(*registry->Find("subtract"), dtype);
    }
    for (const DType dtype : {DType::kInt16, DType::kInt32, DType::kFloat64}) check(*registry->Find("less"), dtype);
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) check(*registry->Find("remainder"), dtype);
    for (const DType dtype : {DType::kInt32, DType::kUInt64}) check(*registry->Find("floor_divide"), dtype);
  }
}

// Rows of five with gaps, which are permuted, beside five that are the same in all rows: planned for memory.
TEST(StorePolicy, RowsWithGapsAreRightFromMemory) {
  const std::int64_t rows = MachineCaches().l3 / 24;
  const auto n = static_cast<std::size_t>(5 * rows);
  std::vector<float> x(5), y(static_cast<std::size_t>(6 * rows)), out(n + 16);
  float* const actual = out.data() + (64 - reinterpret_cast<std::uintptr_t>(out.data()) % 64) % 64 / sizeof(float);  // on a line
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(i % 9973);
  const Plan plan = PlanOf(*FindOp("subtract"), DType::kFloat32, {5}, {rows, 5}, {rows, 5}, {}, {6, 1});
  EXPECT_EQ(plan.Describe().store, "streaming");
  ASSERT_TRUE(plan.Execute({x.data(), y.data()}, actual, {}).ok());
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(actual[i], x[i % 5] - y[i / 5 * 6 + i % 5]) << i;
}

}  // namespace
}  // namespace axiscast
