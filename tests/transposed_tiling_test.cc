// The tiles of sums with a transposed input, which kernels transpose in registers: what they cost is where tiles meet.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "axiscast/axiscast.h"
#include "core/caches.h"

namespace axiscast {
namespace {

class TransposedTiling : public testing::Test {
 protected:
  void SetUp() override {
    const DType dtypes[] = {DType::kFloat32, DType::kFloat32};
    if (!FindOp("add")->FindKernel(dtypes)->abilities.transposes) GTEST_SKIP() << "this CPU's kernels do not transpose";
  }
  // Of float32; no memory is looked at.
  static PlanDescription SumOf(std::int64_t rows, std::int64_t cols) {
    const TensorView x(nullptr, DType::kFloat32, {rows, cols}), y(nullptr, DType::kFloat32, {rows, cols}, {4, 4 * rows});
    Plan plan;
    const Status status = Plan::Make(*FindOp("add"), {x, y}, MutableTensorView(nullptr, DType::kFloat32, {rows, cols}), {}, &plan);
    EXPECT_TRUE(status.ok()) << status.message();
    PlanDescription description = plan.Describe();
    EXPECT_EQ(description.operands[1].delivery, "transposed") << rows << " x " << cols;
    return description;
  }
};

// In L2 one tile has all rows, so that threads do not meet at every column of squares; but not where that would be three tiles.
TEST_F(TransposedTiling, InL2TilesHaveAllRowsOrAreFour) {
  struct Case {
    std::int64_t rows, cols;
    bool all_rows;
  };
  int checked = 0;
  for (const Case& c : {Case{256, 128, true}, Case{170, 256, true}, Case{200, 200, false}}) {
    SCOPED_TRACE(std::to_string(c.rows) + " x " + std::to_string(c.cols));
    if (c.rows * c.cols * 12 > MachineCaches().l2) continue;  // of 512 KB all fit
    const PlanDescription description = SumOf(c.rows, c.cols);
    if (!description.parallel) continue;  // of this CPU's speed
    ++checked;
    EXPECT_EQ(description.tile_rows == c.rows, c.all_rows);
    EXPECT_GE(description.tiles, 4);
  }
  if (checked == 0) GTEST_SKIP() << "this CPU's L2 is small, or such calls are short for it";
}

// From memory, kernels that transpose ask for squares to come: tiles are long, but many, and wide where rows are few.
TEST_F(TransposedTiling, FromMemoryTilesAreLongAndMany) {
  const std::int64_t bytes = MachineCaches().l3;
  struct Case {
    std::int64_t rows, cols, tile_rows, least_cols;
  };
  const std::int64_t side =
      static_cast<std::int64_t>(std::sqrt(static_cast<double>(bytes) / 6)) / 512 * 512 + 512;  // 2560, of 32 MB
  for (const Case& c : {Case{side, side, 512, 32}, Case{bytes / 256, 64, 512, 32}, Case{16, bytes / 64, 16, 1024}}) {
    SCOPED_TRACE(std::to_string(c.rows) + " x " + std::to_string(c.cols));
    const PlanDescription description = SumOf(c.rows, c.cols);
    EXPECT_EQ(description.tile_rows, c.tile_rows);
    EXPECT_GE(description.tile_cols, c.least_cols);
    EXPECT_GE(description.tiles, 128);
    EXPECT_EQ(description.store, "streaming");
  }
}

}  // namespace
}  // namespace axiscast
