// Where kernels permute inputs, and where another way is faster. Each call once took 1.2 to 16 times as long, with the same
// results, so no other test sees it.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "axiscast/axiscast.h"
#include "tests/testing/strided_call.h"

namespace axiscast {
namespace {

using test::Described;
using test::StridedCall;

// Lanes that kernels of `add` permute; 0: none.
int LanesOf(DType dtype) {
  const DType dtypes[] = {dtype, dtype};
  return FindOp("add")->FindKernel(dtypes)->permutes;
}
bool PermutesLines(DType dtype) { return LanesOf(dtype) * SizeOf(dtype) == 64; }

std::string DeliveryOf(int input, const StridedCall& call) {
  return Described(*FindOp("add"), call).operands[static_cast<std::size_t>(input)].delivery;
}

// Runs that are shorter than a vector, and boxes of them that no mover takes in whole vectors, took 4 to 25 times as long by
// element.
TEST(PermutedChoice, ShortReversedRuns) {
  const char* const delivery = LanesOf(DType::kFloat32) > 0 ? "permuted" : "staged: gather";
  const StridedCall calls[] = {
      {DType::kFloat32, {64, 5, 3}, {20, 3, -1}, {15, 3, 1}},
      {DType::kFloat32, {300, 2, 2, 3}, {13, -6, 3, -1}, {12, 6, 3, 1}},
      {DType::kFloat32, {300, 2, 2, 2, 2}, {17, 8, -4, 2, -1}, {16, 8, 4, 2, 1}},
  };
  for (const StridedCall& call : calls) EXPECT_EQ(DeliveryOf(0, call), delivery) << call.shape[0] << ", rank " << call.shape.size();
}

// Long rows of small images, each with one element of y: what is found for cols that tiles do not have is no use, and hid this.
TEST(PermutedChoice, ElementsOfSmallImages) {
  if (!PermutesLines(DType::kFloat32)) GTEST_SKIP() << "kernels permute no vectors of 64 bytes: by way of scratch may be faster";
  EXPECT_EQ(DeliveryOf(1, {DType::kFloat32, {7, 64, 2, 2}, {256, 4, 2, 1}, {0, 1, 0, 0}}), "permuted");
  if (!PermutesLines(DType::kInt8)) GTEST_SKIP() << "none of int8";
  EXPECT_EQ(DeliveryOf(1, {DType::kInt8, {2, 64, 7, 7}, {3136, 49, 7, 1}, {0, 1, 0, 0}}), "permuted");
}

// One value beside what kernels permute is written to scratch for a group; by way of scratch, the other took 1.2 to 1.7 times as
// long. So it took beside a row, where groups' vectors go on in what follows them.
TEST(PermutedChoice, BesideAValueOrARow) {
  const Op& add = *FindOp("add");
  const StridedCall calls[] = {{DType::kFloat32, {45, 48, 6}, {288, 6, -1}, {0, 0, 0}},
                               {DType::kInt64, {1820, 6, 3}, {18, 1, 6}, {0, 0, 0}},
                               {DType::kFloat32, {13'106, 5}, {6, 1}, {0, 1}},
                               {DType::kInt16, {1323, 2, 2, 5, 9}, {18, 0, 9, 0, 1}, {0, 90, 45, 9, 1}}};
  for (const StridedCall& call : calls) {
    if (!PermutesLines(call.dtype)) GTEST_SKIP() << "kernels permute no vectors of 64 bytes: by way of scratch may be faster";
    const PlanDescription description = Described(add, call);
    EXPECT_TRUE(description.operands[0].delivery == "permuted" || description.operands[1].delivery == "permuted")
        << call.shape[0] << ": " << description.operands[0].delivery << ", " << description.operands[1].delivery;
    EXPECT_EQ(description.tile_rows, 1) << call.shape[0];
  }
}

}  // namespace
}  // namespace axiscast
