// Which rows run abreast: long ones beside one that is the same in all of them (kit/abreast-inl.h).
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "axiscast/axiscast.h"
#include "core/caches.h"
#include "core/canonical.h"
#include "core/layout.h"
#include "core/speed.h"
#include "core/tiling.h"

namespace axiscast {
namespace {

// From which length on is the machine's to say.
TEST(AbreastTiling, OfStreamedRowsAsTheMachineWants) {
  const DType dtypes[] = {DType::kFloat32, DType::kFloat32, DType::kFloat32};
  const Step step{FindOp("add")->FindKernel(dtypes), 2, {0, 1}, {}};
  if (!step.kernel->abilities.abreast) GTEST_SKIP() << "this target's kernel does not";
  const auto runs = [&](std::int64_t lines) {
    const std::int64_t bytes = lines * kLineBytes;
    LayoutOptions options;
    options.forced.streams = true;
    const std::vector<ByteStrides> strides = {{bytes, 4}, {0, 4}, {bytes, 4}};
    return MakeLayout(Canonicalise({8, bytes / 4}, strides), dtypes, {&step, 1}, options).abreast;
  };
  const double longest = MachineSpeed().shared_row * static_cast<double>(MachineCaches().l1);
  const std::int64_t lines = static_cast<std::int64_t>(longest) / kLineBytes;
  EXPECT_FALSE(runs(lines));
  EXPECT_TRUE(runs(lines + 1));
}

// Instead of being cut they run abreast where kernels can, all of their results begin at the same place of a line, and not all of a
// row is to be widened once; from L3 where there are enough of them. And where results go to memory, from four rows on.
TEST(AbreastTiling, OfLongRowsThatManyRead) {
  const auto runs = [](std::int64_t rows, std::int64_t bytes, bool streams, bool fits_l2 = false, double widened = kNeverCut,
                       bool can = true, std::int64_t gap = 0) {
    const std::int64_t sizes[] = {4, 4, 4};
    TilingProblem problem;
    problem.sizes = sizes;
    problem.widest = 4;
    problem.streams = streams;
    problem.fits_l2 = fits_l2;
    problem.serial = true;  // tiles are as large as any
    problem.abreast = can;
    problem.shared_row_bytes = 8192;
    problem.widened_row_bytes = widened;
    const std::vector<ByteStrides> strides = {{bytes + gap, 4}, {0, 4}, {bytes, 4}};
    const Tiling tiling = ChooseTiling(Canonicalise({rows, bytes / 4}, strides), problem, {});
    EXPECT_TRUE(!tiling.abreast || tiling.cols * 4 >= bytes) << "they are not cut";
    return tiling.abreast;
  };
  EXPECT_TRUE(runs(64, 20'032, false));
  EXPECT_TRUE(runs(64, 20'032, false, false, kNeverCut, true, 8));
  EXPECT_FALSE(runs(64, 20'000, false));
  EXPECT_TRUE(runs(4, 20'000, true));
  EXPECT_FALSE(runs(63, 20'032, false));
  EXPECT_FALSE(runs(64, 8192, false));
  EXPECT_TRUE(runs(4, 20'032, false, true));
  EXPECT_FALSE(runs(3, 20'032, false, true));
  EXPECT_FALSE(runs(64, 20'032, false, false, 8192));
  EXPECT_FALSE(runs(64, 20'032, false, false, kNeverCut, false));
  EXPECT_TRUE(runs(4, 20'032, true, false, 8192));
  EXPECT_FALSE(runs(3, 20'032, true));
  EXPECT_FALSE(runs(4, 8192, true));
}

}  // namespace
}  // namespace axiscast
