// What is chosen for patterns that were slow: tiles of a reasonable size, and the delivery that is fast. Each row once took 3 to
// 100 times as long, with the same results, so no other test sees it.
#include "core/tiling.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "core/caches.h"
#include "core/canonical.h"
#include "core/layout.h"
#include "core/registry.h"
#include "tests/testing/strided_call.h"

namespace axiscast {
namespace {

using test::Described;
using test::Extents;

struct Choice {
  const char* name;
  Extents shape, strides;  // of x, in elements; out is dense
  Extents y_strides;
  std::int64_t least_cols;  // of a tile
  std::int64_t most_tiles;
  const char* x_delivery;
  const char* op = "add";
};
void PrintTo(const Choice& choice, std::ostream* os) { *os << choice.name; }

const Choice kChoices[] = {
    {"middle_of_whole_vectors", {170, 3, 16}, {48, 16, 1}, {16, 0, 1}, 16, 3, "streamed"},
    {"middle_of_short_runs", {682, 3, 4}, {12, 4, 1}, {4, 0, 1}, 1024, 8, "streamed"},
    {"alternating_groups", {4, 16, 4, 32}, {2048, 128, 32, 1}, {4, 0, 1, 0}, 128, 4, "streamed"},
    {"channels_under_few_rows", {42, 3, 64}, {192, 64, 1}, {0, 1, 0}, 192, 1, "streamed"},
    {"slices_of_short_rows", {2730, 3}, {4, 1}, {3, 1}, 1024, 8, "staged: runs", "remainder"},  // which permutes on no target
    {"transposed_in_a_batch", {1000, 5, 2}, {10, 1, 5}, {10, 2, 1}, 10, 16, "staged: gather", "remainder"},
    {"transposed_short_rows", {682, 12}, {1, 682}, {12, 1}, 12, 8, "staged: transpose"},
    {"short_rows_under_many", {8, 64, 4}, {256, 4, 1}, {4, 0, 1}, 256, 1, "streamed"},
    {"channels_of_a_vector", {16, 4, 4}, {16, 4, 1}, {0, 1, 0}, 256, 1, "streamed"},  // rows of a vector took 24 times as long
};

class TilingTest : public ::testing::TestWithParam<Choice> {};

TEST_P(TilingTest, ChoosesLargeTiles) {
  const Choice& choice = GetParam();
  const Shape shape(choice.shape.data(), static_cast<int>(choice.shape.size()));
  const auto view = [&](const Extents& strides) {
    ByteStrides bytes = DenseStrides(shape, DType::kFloat32);
    for (std::size_t d = 0; d < strides.size(); ++d) bytes[static_cast<int>(d)] = strides[d] * 4;
    return TensorView(nullptr, DType::kFloat32, shape, bytes);
  };
  Plan plan;
  const Status status = Plan::Make(*FindOp(choice.op), {view(choice.strides), view(choice.y_strides)},
                                   MutableTensorView(nullptr, DType::kFloat32, shape), {}, &plan);
  ASSERT_TRUE(status.ok()) << status.message();
  const PlanDescription description = plan.Describe();
  EXPECT_GE(description.tile_cols, choice.least_cols);
  EXPECT_LE(description.tiles, choice.most_tiles);
  EXPECT_EQ(description.operands[0].delivery, choice.x_delivery);
}

INSTANTIATE_TEST_SUITE_P(Table, TilingTest, ::testing::ValuesIn(kChoices),
                         [](const ::testing::TestParamInfo<Choice>& i) { return std::string(i.param.name); });

// What is staged once for many rows or tiles costs that once. With its cost for each row, (181,1,10,9) + (1,7,1,9) brought both
// inputs through scratch and took 1.8 times as long.
TEST(Tiling, StagesOneInputOnceForManyRows) {
  const PlanDescription description = Described(*FindOp("add"), {DType::kFloat32, {181, 7, 10, 9}, {90, 0, 9, 1}, {0, 9, 0, 1}});
  EXPECT_EQ(description.operands[0].delivery, "streamed");
  EXPECT_EQ(description.operands[1].delivery, "staged: pattern");
}

// But an image of all channels is not for results that go to memory: it took 1.5 times as long.
TEST(Tiling, TakesChannelsOneByOneWhereResultsAreStreamed) {
  const PlanDescription description = Described(*FindOp("add"), {DType::kFloat32, {1337, 64, 196}, {12'544, 196, 1}, {0, 1, 0}});
  EXPECT_EQ(description.operands[1].delivery, "splat");
}

// A row of float16 that many rows share is widened once, which is worth more than whole vectors: rows of 45 by way of scratch took
// 1.5 times as long.
TEST(Tiling, WidensASharedRowOnce) {
  const Op& op = *FindOp("squared_difference");  // which is rounded once: no CPU's float16 arithmetic does for it
  const DType dtypes[] = {DType::kFloat16, DType::kFloat16};
  if (op.FindKernel(dtypes)->abilities.widens == 0) GTEST_SKIP() << "kernels of this target widen no row once";
  const PlanDescription description = Described(op, {DType::kFloat16, {2912, 45}, {90, 1}, {0, 1}});
  EXPECT_EQ(description.operands[0].delivery, "streamed");
  EXPECT_EQ(description.operands[1].delivery, "streamed");
}

// Short arithmetic takes a transposed operand as it lies, whatever dims are around it, as long as there are rows and cols for it.
// Of many small transposes, (20,30,40) takes half as long by way of scratch.
TEST(Tiling, TransposesInKernels) {
  const Op& add = *FindOp("add");
  const DType dtypes[] = {DType::kFloat32, DType::kFloat32};
  const bool transposes = add.FindKernel(dtypes)->abilities.transposes;
  const struct {
    Shape shape;
    Extents strides;  // of x, in elements
    bool takes;
    DType dtype = DType::kFloat32;
  } cases[] = {{{256, 256}, {1, 256}, true},
               {{100, 3000}, {1, 107}, true},
               {{16, 16}, {1, 16}, true},
               {{8, 256}, {1, 8}, true},
               {{15, 256}, {1, 15}, true},
               {{8, 5000}, {1, 8}, true},
               {{9, 10000}, {1, 9}, true},
               {{4, 256}, {1, 4}, true},
               {{7, 256}, {1, 7}, true},
               {{7, 256}, {1, 7}, false, DType::kFloat64},
               {{8, 256}, {1, 8}, true, DType::kFloat64},
               {{3, 256}, {1, 3}, false},
               {{256, 15}, {1, 256}, false},
               {{256, 256}, {-1, 256}, false},
               {{9, 64, 80}, {0, 1, 64}, true},
               {{20, 30, 40}, {1, 20, 600}, false},
               {{256, 256}, {1, -256}, true},
               {{256, 256}, {2, 512}, false},
               {{5, 64, 64}, {64, 1, 320}, true},
               {{64, 16, 64}, {1, 64, 1024}, false}};
  for (const auto& [shape, strides, takes, dtype] : cases) {
    ByteStrides bytes = DenseStrides(shape, dtype);
    for (std::size_t d = 0; d < strides.size(); ++d) {
      bytes[static_cast<int>(d)] = strides[d] * static_cast<std::int64_t>(SizeOf(dtype));
    }
    const TensorView x(nullptr, dtype, shape, bytes), y(nullptr, dtype, shape);
    Plan plan;
    const Status status = Plan::Make(add, {x, y}, MutableTensorView(nullptr, dtype, shape), {}, &plan);
    ASSERT_TRUE(status.ok()) << status.message();
    const std::string delivery = plan.Describe().operands[0].delivery;
    EXPECT_EQ(delivery == "transposed", takes && transposes) << shape[0] << " x " << shape[1] << ": " << delivery;
    if (delivery == "transposed") {
      EXPECT_GE(plan.Describe().tile_rows, std::min<std::int64_t>(shape[0], kSquareRows)) << shape[0] << " x " << shape[1];
    }
  }
}

// Of a chain, rows of few whole vectors are run by blocks, as core/tile_cost.h says of which.
TEST(Tiling, RunsShortRowsOfChainsByBlocks) {
  enum Input { kDense, kSame, kSplat, kAnotherSplat };
  const auto by_blocks = [](std::int64_t rows, std::int64_t cols, const std::vector<Input>& inputs, bool streams, bool fits_l2) {
    std::vector<ByteStrides> strides;
    for (const Input input : inputs) {
      const std::int64_t row[] = {cols * 4, 0, 0, 4}, col[] = {4, 4, 0, 0};
      strides.push_back({row[input], col[input]});
    }
    strides.push_back({cols * 4, 4});
    const std::vector<std::int64_t> sizes(strides.size(), 4);
    TilingProblem problem;
    problem.sizes = sizes;
    problem.widest = 4;
    problem.chained = true;
    problem.serial = true;  // tiles are as large as any
    problem.streams = streams;
    problem.fits_l2 = fits_l2;
    return ChooseTiling(Canonicalise({rows, cols}, strides), problem, {}).by_blocks;
  };
  EXPECT_TRUE(by_blocks(600, 64, {kDense, kSame}, false, false));
  EXPECT_TRUE(by_blocks(600, 64, {kDense, kAnotherSplat}, false, false));
  EXPECT_TRUE(by_blocks(4, 16, {kDense, kSame}, false, true));
  EXPECT_TRUE(by_blocks(168, 256, {kDense, kSame, kSame}, false, true));
  EXPECT_FALSE(by_blocks(168, 256, {kDense, kSame, kSame}, false, false)) << "from L3";
  EXPECT_FALSE(by_blocks(168, 256, {kDense, kSame, kAnotherSplat}, false, true)) << "one row alone is the same";
  EXPECT_FALSE(by_blocks(168, 272, {kDense, kSame, kSame}, false, true)) << "long rows";
  EXPECT_FALSE(by_blocks(600, 64, {kDense, kSame}, true, false)) << "past the caches";
  EXPECT_FALSE(by_blocks(3, 64, {kDense, kSame}, false, true)) << "few rows";
  EXPECT_FALSE(by_blocks(600, 63, {kDense, kSame}, false, true)) << "no whole vectors";
  EXPECT_FALSE(by_blocks(600, 64, {kDense, kDense, kSplat}, false, true)) << "one long row";
}

// One thread's transpose is one tile. With its cols cut to whole squares, the 11 that were left went one by one: three times as
// long.
TEST(Tiling, DoesNotCutASmallTranspose) {
  const PlanDescription description = Described(*FindOp("add"), {DType::kFloat32, {12, 27}, {27, 1}, {1, 12}});
  EXPECT_EQ(description.tiles, 1);
  EXPECT_EQ(description.tile_cols, 27);
}

// Three or four rows that lie between each other are read once, by way of scratch: each permuted from three or four vectors, they
// took 1.5 times as long.
TEST(Tiling, StagesRowsBetweenEachOther) {
  for (const std::int64_t rows : {3, 4}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      const PlanDescription description =
          Described(*FindOp("add"), {dtype, {20, rows, 200}, {200 * rows, 200, 1}, {200 * rows, 1, rows}});
      EXPECT_EQ(description.operands[1].delivery.substr(0, 6), "staged") << rows;
    }
  }
}

// A ragged row that comes again is read where it is: from scratch, where it waits to be stored, it took twice as long.
TEST(Tiling, JoinsRaggedRowsBesideOneThatComesAgain) {
  const Op& add = *FindOp("add");
  const DType dtypes[] = {DType::kFloat32, DType::kFloat32};
  if (!add.FindKernel(dtypes)->abilities.keeps) GTEST_SKIP() << "kernels of this target join no rows beside one that comes again";
  const PlanDescription description = Described(add, {DType::kFloat32, {60, 17}, {17, 1}, {0, 1}});
  EXPECT_EQ(description.operands[1].delivery, "streamed");
}

// What is stretched along the middle of three dims is read as it lies, in the order of the result's memory: as rows of their own,
// which lie between each other, (200,4,64)+(200,1,64) of float32 took 1.35 times as long, (40,3,100)+(40,1,100) of bfloat16 1.8
// times.
TEST(Tiling, TakesAsItLiesWhatRecurs) {
  const Op& add = *FindOp("add");
  const auto delivery_of = [&](DType dtype, std::int64_t times, std::int64_t cols, const char* op = "add") {
    return Described(*FindOp(op), {dtype, {40, times, cols}, {times * cols, cols, 1}, {cols, 0, 1}}).operands[1].delivery;
  };
  const DType dtypes[] = {DType::kFloat32, DType::kFloat32};
  if (add.FindKernel(dtypes)->abilities.recurs == 0) GTEST_SKIP() << "kernels of this target take nothing that recurs";
  EXPECT_EQ(delivery_of(DType::kFloat32, 4, 64), "recurring");
  EXPECT_EQ(delivery_of(DType::kFloat32, 2, 185), "recurring");
  EXPECT_EQ(delivery_of(DType::kBFloat16, 3, 100), "recurring");
  EXPECT_EQ(delivery_of(DType::kInt8, 16, 100), "recurring");
  EXPECT_NE(delivery_of(DType::kInt8, 65, 100), "recurring") << "rows of a tile that are the same";
  const DType bytes[] = {DType::kInt8, DType::kInt8};
  EXPECT_NE(delivery_of(DType::kInt8, 3, add.FindKernel(bytes)->abilities.recurs - 1), "recurring") << "less than a vector";
  EXPECT_NE(delivery_of(DType::kFloat32, 2, 185, "remainder"), "recurring") << "no short arithmetic";
  // Where many rows take the same few elements, scratch holds them for all; not more of them than 2 KB, nor for few rows.
  const auto shared_delivery = [&](std::int64_t rows, std::int64_t cols) {
    return Described(add, {DType::kFloat32, {rows, 7, 10, cols}, {10 * cols, 0, cols, 1}, {0, cols, 0, 1}}).operands[1].delivery;
  };
  EXPECT_NE(shared_delivery(181, 24), "recurring");
  EXPECT_EQ(shared_delivery(181, 1000), "recurring");
  EXPECT_EQ(shared_delivery(3, 200), "recurring");
  // Beside one that is the same in all rows, rows of periods are not joined: by turns (41,1,20)+(1,3,20) took 1.2 times as long.
  const PlanDescription two_sided = Described(add, {DType::kFloat32, {41, 3, 20}, {0, 20, 1}, {20, 0, 1}});
  EXPECT_NE(two_sided.operands[1].delivery, "recurring");
  // Rows of 740 bytes that are joined are streamed where results leave the caches.
  const std::int64_t far = MachineCaches().l3 / 740;
  const PlanDescription large = Described(add, {DType::kFloat32, {far, 4, 185}, {740, 185, 1}, {185, 0, 1}});
  EXPECT_EQ(large.operands[1].delivery, "recurring");
  EXPECT_EQ(large.store, "streaming");
}

// A row that many rows read is cut where the machine is faster so; unless few do, or results go to memory.
TEST(Tiling, CutsLongRowsThatManyRead) {
  const auto row_bytes_of = [](std::int64_t rows, std::int64_t bytes, double longest, bool streams) {
    const std::int64_t sizes[] = {4, 4, 4};
    TilingProblem problem;
    problem.sizes = sizes;
    problem.widest = 4;
    problem.streams = streams;
    problem.serial = true;  // tiles are as large as any
    problem.shared_row_bytes = longest;
    const std::vector<ByteStrides> strides = {{bytes, 4}, {0, 4}, {bytes, 4}};
    return ChooseTiling(Canonicalise({rows, bytes / 4}, strides), problem, {}).cols * 4;
  };
  EXPECT_EQ(row_bytes_of(8, 20'000, 8192, false), 4096);
  EXPECT_EQ(row_bytes_of(4, 20'000, 8192, false), 4096);
  EXPECT_GE(row_bytes_of(3, 20'000, 8192, false), 20'000);
  EXPECT_GE(row_bytes_of(8, 8192, 8192, false), 8192);
  EXPECT_GE(row_bytes_of(8, 20'000, 8192, true), 20'000);
  EXPECT_GE(row_bytes_of(8, 20'000, kNeverCut, false), 20'000);
}

// Rows that run along a dim further out: as many as fit L1 with those of the dims between, which meet their lines. Not where lines
// are whole, nor beside so many that rows would be few. Calls that no threads share.
TEST(Tiling, MeetsInL1WhatTilesHaveInCommon) {
  const auto rows_of = [](std::int64_t between, std::int64_t bytes, std::int64_t gap, bool stretched) {
    const std::int64_t sizes[] = {4, 4, 4};
    TilingProblem problem;
    problem.sizes = sizes;
    problem.widest = 4;
    problem.serial = true;  // tiles are as large as any
    const std::int64_t step = bytes + gap, pitch = between * step + 64;
    const std::vector<ByteStrides> strides = {{pitch, stretched ? 0 : step, 4}, {pitch, step, 4}, {pitch, step, 4}};
    const Tiling tiling = ChooseTiling(Canonicalise({1000, between, bytes / 4}, strides), problem, {});
    EXPECT_EQ(tiling.rows, 0);
    return tiling.elements * 4 / bytes;
  };
  const std::int64_t l1 = MachineCaches().l1;
  if (l1 < 22 * 1024 || l1 >= 128 * 1024) GTEST_SKIP() << "an L1 of " << l1 << " bytes: too little for two tiles, or room for all";
  EXPECT_EQ(rows_of(2, 640, 20, true), l1 * 3 / 8 / 2 / 640);
  EXPECT_EQ(rows_of(2, 640, 20, false), l1 * 3 / 8 / 2 / 640);
  EXPECT_GT(rows_of(2, 640, 64, false), l1 / 640);
  EXPECT_GT(rows_of(2, 640, 64, true), l1 / 640) << "an input's rows, again";
  if (l1 / 4096 * 3 / 8 < 7) {
    EXPECT_GT(rows_of(7, 64, 20, false), 1000 / 2);
  }
}

// The dim along which a tile's rows run, of heads that are split: (batch, heads, steps, size), of an input in which steps come
// before heads. The longest dim where steps are few, unless all its rows had the same places in an L1.
TEST(Tiling, KeepsRowsInTheOrderOfMemory) {
  const auto row_dim = [](std::int64_t batch, std::int64_t heads, std::int64_t steps, std::int64_t size) {
    const std::int64_t sizes[] = {4, 4, 4};
    TilingProblem problem;
    problem.sizes = sizes;
    problem.widest = 4;
    problem.serial = true;
    const std::int64_t head = 4 * size, block = heads * steps * head;
    const ByteStrides split = {block, head, heads * head, 4}, dense = {block, steps * head, head, 4};
    return ChooseTiling(Canonicalise({batch, heads, steps, size}, {split, dense, dense}), problem, {}).rows;
  };
  EXPECT_EQ(row_dim(500, 4, 16, 16), 2);
  EXPECT_EQ(row_dim(500, 5, 8, 33), 2);
  EXPECT_EQ(row_dim(500, 5, 8, 17), 0);   // less than 1 KB
  EXPECT_EQ(row_dim(500, 5, 7, 41), 0);   // fewer than eight
  EXPECT_EQ(row_dim(1, 500, 16, 16), 0);  // where the input's are nearer to each other
  EXPECT_EQ(row_dim(500, 4, 4, 64), 2);   // 4 KB apart
  EXPECT_EQ(row_dim(500, 4, 4, 32), 2);   // and 2 KB
  EXPECT_EQ(row_dim(500, 4, 4, 16), 0);   // and 1 KB
  EXPECT_EQ(row_dim(500, 4, 2, 64), 0);   // fewer than four, 2 KB apart
}

// Kernels that convert an input once for all rows do so where it is short: longer rows are cut. Calls that no threads share.
TEST(Tiling, CutsRowsThatKernelsWidenOnce) {
  const DType dtypes[] = {DType::kFloat16, DType::kFloat16};
  const int widens = FindOp("squared_difference")->FindKernel(dtypes)->abilities.widens;
  if (widens == 0) GTEST_SKIP() << "this target's instructions do not convert float16: nothing is widened once";
  const std::int64_t l1 = MachineCaches().l1;
  if (l1 < 24 * 1024) GTEST_SKIP() << "an L1 of " << l1 << " bytes: too little for rows that were measured";
  const auto described = [](const char* op, std::int64_t rows, std::int64_t cols, bool column = false) {
    const TensorView x(nullptr, DType::kFloat16, {rows, column ? 1 : cols}), y(nullptr, DType::kFloat16, {cols});
    Plan plan;
    const Status status = Plan::Make(*FindOp(op), {x, y}, MutableTensorView(nullptr, DType::kFloat16, {rows, cols}), {}, &plan);
    EXPECT_TRUE(status.ok()) << status.message();
    return plan.Describe();
  };
  const auto cols_of = [&described](const char* op, std::int64_t rows, std::int64_t cols, bool column = false) {
    return described(op, rows, cols, column).tile_cols;
  };
  const int longest = l1 < 48 * 1024 ? 2048 : 4096;  // as floats, a third of L1
  ASSERT_GE(widens, longest);
  EXPECT_LE(cols_of("squared_difference", 4, longest + 64), longest);
  EXPECT_EQ(cols_of("squared_difference", 4, longest), longest);
  EXPECT_EQ(cols_of("squared_difference", 3, longest + 64), longest + 64) << "too few rows";
  EXPECT_EQ(cols_of("squared_difference", 4, longest + 64, true), longest + 64) << "beside one value for each row";
  // In pieces that threads share, too, tiles have rows enough to be widened once.
  const bool divides_widened = FindOp("divide")->FindKernel(dtypes)->abilities.widens > 0;  // not by instructions for float16
  for (const std::int64_t rows : {4, 5, 6, 7, 8, 9, 24}) {
    if (!divides_widened) break;
    const PlanDescription plan = described("divide", rows, 20'000);
    EXPECT_GE(plan.tile_rows, 4) << rows;
    EXPECT_LE(plan.tile_cols, longest) << rows;
  }
  // Machines on which it takes long enough share it in pieces of a row.
  EXPECT_EQ(cols_of("fmod", 4, longest + 64), cols_of("fmod", 4, longest + 64, true)) << "long arithmetic";
}

// Tiles with a transposed operand are pieces of rows: of rows that are no whole lines, stored past the caches, 3000 x 3000 of
// float32 took 7 times as long as stored into them.
TEST(Tiling, StreamsNoPartsOfLines) {
  for (const char* op : {"add", "remainder"}) {
    for (const std::int64_t side : {100004, 100016}) {
      const Shape shape{side, side};  // no memory is looked at; 40 GB fit no cache
      const TensorView x(nullptr, DType::kFloat32, shape), y(nullptr, DType::kFloat32, shape, {4, 4 * side});
      Plan plan;
      const Status status = Plan::Make(*FindOp(op), {x, y}, MutableTensorView(nullptr, DType::kFloat32, shape), {}, &plan);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(plan.Describe().store == "streaming", side % 16 == 0) << op << " " << side;
    }
  }
}

// Where results leave the caches, rows that follow each other in memory stay neighbours, and are stored past the caches.
TEST(Tiling, StreamsInTheOrderOfMemory) {
  const Shape shape{20000000, 2, 100};  // no memory is looked at; 16 GB fit no cache
  Plan plan;
  const Status status =
      Plan::Make(*FindOp("add"), {TensorView(nullptr, DType::kFloat32, shape), TensorView(nullptr, DType::kFloat32, {2, 1})},
                 MutableTensorView(nullptr, DType::kFloat32, shape), {}, &plan);
  ASSERT_TRUE(status.ok()) << status.message();
  const PlanDescription description = plan.Describe();
  EXPECT_EQ(description.store, "streaming");
  EXPECT_TRUE(description.tile_rows <= 2 || description.tile_cols % 200 == 0)
      << description.tile_rows << " rows x " << description.tile_cols << " cols";
}

}  // namespace
}  // namespace axiscast
