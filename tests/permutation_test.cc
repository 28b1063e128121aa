// Permutations against a plain walk through the elements: where each one is, and what kernels may read on their way.
// AXISCAST_SEED and AXISCAST_CASES make the random test repeat a run or run longer.
#include "core/permutation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/tiling.h"
#include "tests/testing/strided.h"

namespace axiscast {
namespace {

// One operand of a canonical problem, strides in elements.
struct Case {
  const char* name;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
  int first;  // of cols
};

Canonical CanonicalOf(const Case& c, std::int64_t size) {
  Canonical canonical;
  canonical.extents.assign(c.extents.begin(), c.extents.end());
  canonical.strides.resize(1);
  for (const std::int64_t stride : c.strides) canonical.strides[0].push_back(stride * size);
  canonical.offsets.resize(1);
  return canonical;
}

// Where each of cols is, in elements from the first one.
std::vector<std::int64_t> Places(const Case& c) {
  std::vector<std::int64_t> places = {0};
  for (std::size_t d = static_cast<std::size_t>(c.first); d < c.extents.size(); ++d) {
    std::vector<std::int64_t> next;
    for (const std::int64_t place : places) {
      for (std::int64_t i = 0; i < c.extents[d]; ++i) next.push_back(place + i * c.strides[d]);
    }
    places = next;
  }
  return places;
}

// What is wrong with a permutation of the case; "" if nothing is.
std::string WrongIn(const Permutation& p, const Case& c, std::int64_t size, std::int64_t lanes) {
  const std::vector<std::int64_t> places = Places(c);
  const auto cols = static_cast<std::int64_t>(places.size());
  const std::int64_t group = p.parts * p.clusters * lanes;
  if (p.lanes != lanes || p.parts < 1 || p.clusters < 1 || p.parts * p.clusters > kMaxParts) return "lanes, parts or clusters";
  const bool shares = p.vectors == 3;
  if (shares && (p.parts < 2 || p.parts > kMaxSharing || lanes * size != kSharedBytes)) return "shares what kernels do not";
  if (p.clusters > 1 && (!shares || group != p.step_cols || p.slack != 0))
    return "clusters of what is not shared, or no single step";
  if (group % p.step_cols != 0 || p.stride != group / p.step_cols * p.step_bytes) return "a group is no whole steps";
  if (p.slides && (p.vectors != 2 || p.parts < 2 || p.parts > kMaxSharing)) return "slides, as kernels do not";
  for (int part = 1; p.slides && part < p.parts; ++part) {
    if (p.at[part] != p.at[part - 1] + lanes * size) return "does not slide";
  }
  for (std::int64_t col = 0; col < cols; ++col) {
    const std::int64_t vector = col % group / lanes, part = vector / p.clusters, cluster = vector % p.clusters;
    const std::int64_t from = p.from[part * lanes + col % lanes];
    if (from >= p.vectors * lanes) return "an element behind the vectors";
    if ((p.vectors == 1 || shares) && p.at[part] != p.at[0]) return "parts are not in the same vectors";
    if (col / group * p.stride + cluster * p.cluster_bytes + p.at[part] + from * size !=
        places[static_cast<std::size_t>(col)] * size) {
      return "col " + std::to_string(col) + " is elsewhere";
    }
  }
  for (int part = p.parts; p.parts <= kFewParts && part < kFewParts + 2; ++part) {
    const std::uint8_t* const first = p.from + (part - p.parts) * lanes;
    const bool again = p.at[part] == p.at[part - p.parts] && std::equal(first, first + lanes, p.from + part * lanes);
    if (!again) return "the first parts are not there again";
  }
  // Bytes that may be read: elements, and gaps of less than 64 bytes between two of them.
  std::int64_t lowest = 0, highest = 0;
  for (const std::int64_t place : places) {
    lowest = std::min(lowest, place);
    highest = std::max(highest, place);
  }
  std::vector<bool> element(static_cast<std::size_t>((highest - lowest + 1) * size), false);
  for (const std::int64_t place : places) {
    for (std::int64_t b = 0; b < size; ++b) element[static_cast<std::size_t>((place - lowest) * size + b)] = true;
  }
  std::vector<bool> readable = element;
  for (std::size_t b = 0, gap = 0; b < element.size(); ++b) {
    gap = element[b] ? 0 : gap + 1;
    if (gap > 0 && b + 1 < element.size() && element[b + 1] && gap < 64) {
      for (std::size_t g = 0; g < gap; ++g) readable[b - g] = true;
    }
  }
  const auto end = (cols / p.step_cols - 1) * p.step_bytes + p.reach;
  if (end != (highest + 1) * size) return "ends elsewhere";
  for (std::int64_t g = 0; g * group < cols; ++g) {
    const bool whole = p.stride > 0 && (g + 1) * group + p.slack <= cols;
    for (int vector = 0; vector < p.parts * p.clusters; ++vector) {
      if (!shares && g * group + vector * lanes >= cols) break;
      const std::int64_t begin = g * p.stride + vector % p.clusters * p.cluster_bytes + p.at[vector / p.clusters];
      const std::int64_t vectors_end = begin + p.vectors * lanes * size;
      // What is not whole is read up to the end of the row, or of the step that comes again.
      if (!whole && begin >= end) continue;
      for (std::int64_t b = begin; b < (whole ? vectors_end : std::min(vectors_end, end)); ++b) {
        const std::int64_t at = b - lowest * size;
        if (at < 0 || at >= static_cast<std::int64_t>(readable.size())) return "reads outside, in group " + std::to_string(g);
        if (!readable[static_cast<std::size_t>(at)]) return "reads a large gap, in group " + std::to_string(g);
      }
    }
  }
  return "";
}

std::string TextOf(const Case& c, std::int64_t size, std::int64_t lanes) {
  std::string text = std::string(c.name) + ", elements of " + std::to_string(size) + ", lanes " + std::to_string(lanes) +
                     ", first " + std::to_string(c.first) + ", extents and strides";
  for (std::size_t d = 0; d < c.extents.size(); ++d) {
    text += " " + std::to_string(c.extents[d]) + "/" + std::to_string(c.strides[d]);
  }
  return text;
}

TEST(Permutation, IsFoundForEveryShortStep) {
  const Case cases[] = {
      {"repeated", {300, 3}, {1, 0}, 0},
      {"repeated_8", {300, 8}, {1, 0}, 0},
      {"reversed", {300, 3}, {3, -1}, 0},
      {"padded", {300, 3}, {4, 1}, 0},
      {"every_second", {900}, {2}, 0},
      {"middle", {300, 3, 4}, {4, 0, 1}, 0},
      {"again", {300, 3}, {0, 1}, 0},
      {"again_reversed", {300, 7}, {0, -1}, 0},
      {"of_a_row", {5, 300, 3}, {1000, 3, -1}, 1},
      {"gaps", {300, 2}, {4, 2}, 0},
      {"few_steps", {3, 3}, {4, 1}, 0},
      {"many_parts", {300, 9}, {1, 0}, 0},
      {"parts_64", {300, 63}, {1, 0}, 0},
      {"parts_127", {300, 127}, {1, 0}, 0},
      {"centres", {300, 25, 3}, {3, 0, 1}, 0},
      {"many_of_two", {300, 3, 5}, {5, 0, 1}, 0},
      {"many_again", {300, 12, 5}, {0, 1, 0}, 0},
      {"every_fourth", {900}, {4}, 0},
      {"channels_last", {300, 3, 64}, {192, 1, 3}, 0},
      {"three_by_three", {300, 3, 3}, {9, 1, 3}, 0},
      {"padded_31", {300, 31}, {32, 1}, 0},
  };
  for (const Case& c : cases) {
    for (const std::int64_t size : {1, 2, 4, 8}) {
      for (const std::int64_t lanes : {64 / size, 32 / size}) {
        SCOPED_TRACE(TextOf(c, size, lanes));
        Permutation permutation;
        ASSERT_TRUE(MakePermutation(CanonicalOf(c, size), 0, c.first, size, lanes, true, &permutation));
        EXPECT_EQ(WrongIn(permutation, c, size, lanes), "");
      }
    }
  }
}

TEST(Permutation, PartsShareThreeVectors) {
  struct Row {
    Case c;
    std::int64_t size;
    int parts, clusters;  // 0: they do not share
    bool slides = false;
  };
  const Row rows[] = {
      {{"reversed", {300, 3}, {3, -1}, 0}, 4, 3, 1},
      {{"reversed_bytes", {300, 3}, {3, -1}, 0}, 1, 3, 1},
      {{"channels_last", {300, 3, 64}, {192, 1, 3}, 0}, 4, 3, 4},
      {{"channels_last_bytes", {300, 3, 64}, {192, 1, 3}, 0}, 1, 3, 1},
      {{"channels_last_backwards", {300, 3, 64}, {192, 1, -3}, 0}, 4, 3, 4},
      {{"long_runs_of_two_channels", {300, 2, 64}, {192, 1, 3}, 0}, 4, 0, 0},  // the last vector ends behind them
      {{"less_than_two_groups", {1, 3, 64}, {192, 1, 3}, 0}, 4, 0, 0},
      {{"of_four", {300, 2, 2}, {3, 1, 1}, 0}, 4, 4, 1},
      {{"padded", {300, 3}, {4, 1}, 0}, 4, 0, 0, true},
      {{"padded_8", {300, 8}, {9, 1}, 0}, 4, 0, 0, true},
      {{"channels_last_4", {300, 4, 64}, {256, 1, 4}, 0}, 4, 0, 0},
      {{"seven_parts", {300, 7}, {7, -1}, 0}, 4, 0, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.c.name);
    const std::int64_t lanes = 64 / row.size;
    Permutation permutation;
    ASSERT_TRUE(MakePermutation(CanonicalOf(row.c, row.size), 0, row.c.first, row.size, lanes, true, &permutation));
    EXPECT_EQ(WrongIn(permutation, row.c, row.size, lanes), "");
    EXPECT_EQ(permutation.vectors == 3, row.parts > 0);
    EXPECT_EQ(permutation.slides, row.slides);
    if (row.parts == 0) continue;
    EXPECT_EQ(permutation.parts, row.parts);
    EXPECT_EQ(permutation.clusters, row.clusters);
  }
}

TEST(Permutation, IsRefusedWhereKernelsWouldNotGain) {
  const Case cases[] = {
      {"more_parts_than_128", {300, 129}, {1, 0}, 0},
      {"backwards", {300, 3}, {-3, 1}, 0},
      {"spread", {300, 3}, {30, 10}, 0},
      {"step_of_17", {300, 3}, {17, 1}, 0},  // gaps of 14 elements: 56 bytes of 4, but six vectors for a part
      {"transposed", {300, 5, 64}, {320, 1, 5}, 0},
      {"far", {300, 2}, {std::int64_t{1} << 40, 1}, 0},
      {"farther", {300, 2}, {1, std::int64_t{1} << 40}, 0},
      {"farthest", {300, 2}, {std::int64_t{1} << 60, 1}, 0},
      {"wide", {300, 2}, {100, -1000}, 0},
      {"gap_between_groups", {300, 48}, {80, 1}, 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(TextOf(c, 4, 16));
    Permutation permutation;
    EXPECT_FALSE(MakePermutation(CanonicalOf(c, 4), 0, c.first, 4, 16, true, &permutation));
  }
  const Case again = {"again", {300, 3}, {0, 1}, 0};
  Permutation permutation;
  EXPECT_FALSE(MakePermutation(CanonicalOf(again, 4), 0, 0, 4, 16, false, &permutation));
  const Case large_gap = {"large_gap", {300, 2}, {20, 1}, 0};  // 18 of 8 bytes, in two vectors of 32 lanes
  EXPECT_FALSE(MakePermutation(CanonicalOf(large_gap, 8), 0, 0, 8, 32, true, &permutation));
  // Short steps of elements that are far from each other: parts have one vector here, and would read another one behind it.
  const Case clusters = {"clusters", {8, 2, 8}, {8, 900, -1}, 0};
  EXPECT_FALSE(MakePermutation(CanonicalOf(clusters, 8), 0, 0, 8, 8, true, &permutation));
  const Case few = {"few", {5, 2}, {1, 91}, 0};  // of the 32 steps of a group there are five, with a gap of 86
  EXPECT_FALSE(MakePermutation(CanonicalOf(few, 1), 0, 0, 1, 64, true, &permutation));
}

TEST(Permutation, RandomSteps) {
  const std::uint64_t seed = test::FromEnvironment("AXISCAST_SEED", 1);
  const std::uint64_t cases = test::FromEnvironment("AXISCAST_CASES", 20000);
  std::uint64_t found = 0, once = 0, three = 0, four = 0, again = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    test::Random random(seed + i);
    const std::int64_t size = std::int64_t{1} << random.Below(4), lanes = std::int64_t{1} << random.In(2, 6);
    Case c = {"random", {}, {}, static_cast<int>(random.Below(2))};
    const std::int64_t inner = random.Below(3);
    const bool few = random.Below(2) == 0, far = random.Below(2) == 0;
    for (int d = 0; d <= c.first + inner; ++d) {
      const bool is_first = d == c.first;
      c.extents.push_back(is_first ? random.In(1, few ? 9 : 200) : random.In(1, random.Below(4) == 0 ? 16 : 8));
      if (far && random.Below(2) == 0) {
        c.strides.push_back(is_first ? random.In(0, 1100) : random.In(-1000, 1000));
      } else {
        c.strides.push_back(is_first ? random.In(-1, 12) : random.In(-4, 5));
      }
    }
    Permutation permutation;
    if (!MakePermutation(CanonicalOf(c, size), 0, c.first, size, lanes, true, &permutation)) continue;
    ++found;
    once += permutation.vectors == 1;
    three += permutation.vectors == 3;
    four += permutation.vectors == 4;
    again += permutation.stride == 0;
    ASSERT_EQ(WrongIn(permutation, c, size, lanes), "") << TextOf(c, size, lanes) << ", AXISCAST_SEED=" << seed + i;
  }
  if (cases < 1000) return;
  EXPECT_GE(found, cases / 20);
  EXPECT_GE(once, cases / 100);
  EXPECT_GE(three, cases / 1000);
  EXPECT_GE(four, cases / 100);
  EXPECT_GE(again, cases / 200);
}

}  // namespace
}  // namespace axiscast
