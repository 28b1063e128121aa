// Where kernels permute inputs, and where another way is faster. Each call once took 1.2 to 16 times as long, with the same
// results, so no other test sees it.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "axiscast/axiscast.h"
#include "core/caches.h"
#include "tests/testing/strided_call.h"

namespace axiscast {
namespace {

using test::Described;
using test::StridedCall;

// Lanes that kernels of `add` permute; 0: none.
int LanesOf(DType dtype) {
  const DType dtypes[] = {dtype, dtype};
  return FindOp("add")->FindKernel(dtypes)->abilities.permutes;
}
bool PermutesLines(DType dtype) { return LanesOf(dtype) * SizeOf(dtype) == 64; }

std::string DeliveryOf(int input, const StridedCall& call) {
  return Described(*FindOp("add"), call).operands[static_cast<std::size_t>(input)].delivery;
}

// Heads that are split, from memory, each row of a line: permuted, what is asked for ahead is another group's. As rows they are
// asked for in order, but for few rows or heads, and where blocks are not dense.
TEST(PermutedChoice, NotRowsThatAreAskedForInOrder) {
  const auto delivery = [](std::int64_t heads, std::int64_t steps, std::int64_t gap) {
    const std::int64_t block = heads * steps * 16, batch = MachineCaches().l3 / (block * 4);
    const StridedCall call = {
        DType::kFloat32, {batch, heads, steps, 16}, {block + gap, 16, heads * 16, 1}, {block, steps * 16, 16, 1}};
    return DeliveryOf(0, call);
  };
  EXPECT_EQ(delivery(4, 16, 0), "streamed");
  if (!PermutesLines(DType::kFloat32)) GTEST_SKIP() << "kernels permute no vectors of 64 bytes: by way of scratch may be faster";
  EXPECT_EQ(delivery(4, 4, 0), "permuted");
  EXPECT_EQ(delivery(2, 16, 0), "permuted");
  EXPECT_EQ(delivery(4, 16, 8), "permuted");
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

// Of two inputs that both have their elements elsewhere, kernels permute one: when both went through scratch, these took 1.4 to 3
// times as long.
TEST(PermutedChoice, OneOfTwo) {
  const StridedCall calls[] = {{DType::kFloat32, {85, 256, 2, 2}, {512, 2, -1, 0}, {0, 2, 0, 1}},
                               {DType::kInt16, {21, 76, 5}, {5, 0, 1}, {0, 1, 0}},
                               {DType::kInt8, {1613, 5, 32}, {160, 32, -1}, {5, 1, 0}},
                               {DType::kFloat32, {95, 8, 5, 16, 2}, {80, 10, 2, 0, 1}, {0, 80, 16, 1, 0}}};
  for (const StridedCall& call : calls) {
    if (!PermutesLines(call.dtype)) GTEST_SKIP() << "kernels permute no vectors of 64 bytes: by way of scratch may be faster";
    const PlanDescription description = Described(*FindOp("add"), call);
    const std::string x = description.operands[0].delivery, y = description.operands[1].delivery;
    EXPECT_TRUE((x == "permuted") != (y == "permuted")) << call.shape[0] << ": " << x << ", " << y;
  }
}

// Elements that are repeated, in rows with gaps between them: each row cost the mover as much as a short call.
TEST(PermutedChoice, RepeatedElementsOfRowsApart) {
  for (const DType dtype : {DType::kInt8, DType::kInt16}) {
    if (LanesOf(dtype) == 0) GTEST_SKIP() << "kernels permute none of " << NameOf(dtype);
    EXPECT_EQ(DeliveryOf(0, {dtype, {40, 25, 5}, {26, 1, 0}, {125, 5, 1}}), "permuted") << NameOf(dtype);
  }
}

// Strides may be any; no product of them is made, which would overflow (as UBSan sees).
TEST(PermutedChoice, RepeatedElementsOfRowsFarApart) {
  const std::int64_t far = std::int64_t{1} << 62;  // bytes; twice as many are too many
  EXPECT_NE(DeliveryOf(0, {DType::kInt8, {40, 2, 5}, {1, far, 0}, {10, 5, 1}}), "streamed");
}

// Reversed rows of a vector and an element: two vectors of a row are much of what there is of it.
TEST(PermutedChoice, ReversedRowsOfLittleMoreThanAVector) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const std::int64_t cols = LanesOf(dtype) + 1;
    if (cols == 1) GTEST_SKIP() << "kernels permute none of " << NameOf(dtype);
    EXPECT_EQ(DeliveryOf(0, {dtype, {6000 / cols, cols}, {cols, -1}, {cols, 1}}), "permuted") << NameOf(dtype);
  }
}

// AVX2 permutes elements of 1 and 2 bytes in several instructions: what is in two vectors takes up to twice as long as rows of its
// own, or as copied runs; what is in one takes half as long as by way of scratch.
TEST(PermutedChoice, SmallElementsInVectorsOf32Bytes) {
  for (const DType dtype : {DType::kInt8, DType::kInt16}) {
    if (LanesOf(dtype) * SizeOf(dtype) != 32) GTEST_SKIP() << "kernels permute no vectors of 32 bytes";
    EXPECT_NE(DeliveryOf(0, {dtype, {150, 40}, {41, 1}, {40, 1}}), "permuted") << NameOf(dtype);
    EXPECT_NE(DeliveryOf(0, {dtype, {300, 20}, {21, 1}, {20, 1}}), "permuted") << NameOf(dtype);
    EXPECT_EQ(DeliveryOf(0, {dtype, {2000, 3}, {1, 0}, {3, 1}}), "permuted") << NameOf(dtype);
  }
}

}  // namespace
}  // namespace axiscast
