// Reach and overlap of views, against lists of all their bytes.
#include "core/overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>

#include "tests/testing/strided.h"

namespace axiscast {
namespace {

using test::Index;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

// The offset of every element.
std::vector<std::int64_t> Elements(const Shape& shape, const ByteStrides& strides) {
  std::vector<std::int64_t> offsets;
  test::ForEachIndex(shape, [&](const Index& index) {
    std::int64_t offset = 0;
    for (int d = 0; d < shape.rank(); ++d) offset += index[static_cast<std::size_t>(d)] * strides[d];
    offsets.push_back(offset);
  });
  return offsets;
}

// The bytes of a view, each with the number of elements that it belongs to.
std::map<std::int64_t, int> BytesOf(const Shape& shape, const ByteStrides& strides, std::int64_t size) {
  std::map<std::int64_t, int> bytes;
  for (const std::int64_t offset : Elements(shape, strides)) {
    for (std::int64_t byte = 0; byte < size; ++byte) ++bytes[offset + byte];
  }
  return bytes;
}

struct View {
  Shape shape;
  ByteStrides strides;
  std::int64_t size;
};

View RandomSmallView(test::Random& random) {
  View view;
  view.size = std::int64_t{1} << random.Below(4);
  const std::int64_t rank = random.Below(5);
  for (int d = 0; d < rank; ++d) {
    view.shape.push_back(random.Chance(4) ? 0 : random.In(1, 5));
    view.strides.push_back(random.Chance(50) ? view.size * random.In(-9, 9) : random.In(-30, 30));
  }
  return view;
}

std::string ToText(const View& view) {
  std::ostringstream text;
  text << "extents and strides:";
  for (int d = 0; d < view.shape.rank(); ++d) text << " " << view.shape[d] << "x" << view.strides[d];
  text << ", elements of " << view.size;
  return text.str();
}

TEST(Overlap, ReachIsFromTheLowestByteToTheLast) {
  test::Random random(test::FromEnvironment("AXISCAST_SEED", 1));
  for (int round = 0; round < 5000; ++round) {
    const View view = RandomSmallView(random);
    const std::map<std::int64_t, int> bytes = BytesOf(view.shape, view.strides, view.size);
    Reach reach;
    ASSERT_TRUE(ComputeReach(view.shape, view.strides, view.size, &reach));
    ASSERT_EQ(reach.lowest, bytes.empty() ? 0 : bytes.begin()->first) << ToText(view);
    ASSERT_EQ(reach.end, bytes.empty() ? 0 : bytes.rbegin()->first + 1) << ToText(view);
  }
}

TEST(Overlap, ReachRefusesOffsetsBeyondInt64) {
  Reach reach;
  EXPECT_TRUE(ComputeReach({kMax}, {1}, 1, &reach));
  EXPECT_EQ(reach.end, kMax);
  EXPECT_FALSE(ComputeReach({kMax}, {1}, 2, &reach)) << "the last byte of the last element";
  EXPECT_FALSE(ComputeReach({kMax}, {2}, 1, &reach));
  EXPECT_FALSE(ComputeReach({2, 2}, {kMax / 2 + 1, kMax / 2 + 1}, 1, &reach)) << "a sum";
  EXPECT_FALSE(ComputeReach({2}, {kMin}, 1, &reach)) << "the span from the lowest byte to the last";
  EXPECT_TRUE(ComputeReach({2}, {-kMax}, 0, &reach));
  EXPECT_FALSE(ComputeReach({3, 3}, {kMax / 2, -kMax / 2}, 8, &reach)) << "each side fits, the span does not";
  EXPECT_TRUE(ComputeReach({kMax, 0}, {kMax, 1}, 8, &reach)) << "no elements";
  EXPECT_TRUE(ComputeReach({1}, {kMin}, 8, &reach)) << "a stride that is never taken";
  EXPECT_TRUE(ComputeReach({kMax}, {0}, 8, &reach)) << "stretched";
}

TEST(Overlap, OverlapsItselfWhenAByteBelongsToTwoElements) {
  test::Random random(test::FromEnvironment("AXISCAST_SEED", 2));
  int overlapping = 0;
  for (int round = 0; round < 20000; ++round) {
    const View view = RandomSmallView(random);
    bool expected = false;
    for (const auto& [byte, owners] : BytesOf(view.shape, view.strides, view.size)) expected = expected || owners > 1;
    overlapping += expected;
    ASSERT_EQ(OverlapsItself(view.shape, view.strides, view.size), expected) << ToText(view);
  }
  EXPECT_GT(overlapping, 2000);
  EXPECT_LT(overlapping, 18000);
}

TEST(Overlap, MayOverlapWhenAByteBelongsToBoth) {
  test::Random random(test::FromEnvironment("AXISCAST_SEED", 3));
  int overlapping = 0;
  for (int round = 0; round < 20000; ++round) {
    const View x = RandomSmallView(random), y = RandomSmallView(random);
    const std::int64_t distance = random.Chance(30) ? random.In(-8, 8) : random.In(-120, 120);
    const std::map<std::int64_t, int> x_bytes = BytesOf(x.shape, x.strides, x.size);
    bool expected = false;
    for (const auto& [byte, owners] : BytesOf(y.shape, y.strides, y.size))
      expected = expected || x_bytes.count(byte + distance) != 0;
    overlapping += expected;
    ASSERT_EQ(MayOverlap(x.shape, x.strides, x.size, y.shape, y.strides, y.size, distance), expected)
        << ToText(x) << "; " << ToText(y) << "; distance " << distance;
  }
  EXPECT_GT(overlapping, 2000);
  EXPECT_LT(overlapping, 18000);
}

TEST(Overlap, LargeViewsAreTold) {
  // Every other element of the same memory, one of 2^40 rows.
  const Shape shape{std::int64_t{1} << 40, 64};
  const ByteStrides strides{1024, 16};
  EXPECT_FALSE(OverlapsItself(shape, strides, 8));
  EXPECT_TRUE(OverlapsItself(shape, {1004, 16}, 8)) << "row 1 begins in the last element of row 0";
  EXPECT_FALSE(OverlapsItself(shape, {1000, 16}, 8)) << "row 1 begins between the last elements of row 0";
  EXPECT_FALSE(MayOverlap(shape, strides, 8, shape, strides, 8, 8));
  EXPECT_TRUE(MayOverlap(shape, strides, 8, shape, strides, 8, 4));
  EXPECT_TRUE(MayOverlap(shape, strides, 8, shape, strides, 8, 1024)) << "one row on";
  EXPECT_FALSE(MayOverlap({5}, {-8}, 8, {5}, {8}, 8, 8)) << "back to back, from the middle";
}

TEST(Overlap, StridesAtTheEndsOfInt64DoNotOverflow) {
  EXPECT_FALSE(OverlapsItself({2, 2}, {kMax / 2, 1}, 1));
  EXPECT_TRUE(OverlapsItself({kMax}, {0}, 1));
  EXPECT_FALSE(MayOverlap({2}, {kMax - 8}, 8, {1}, {0}, 8, kMin)) << "before and far behind";
  EXPECT_TRUE(MayOverlap({2}, {kMax - 8}, 8, {1}, {0}, 8, kMax - 1));
}

}  // namespace
}  // namespace axiscast
