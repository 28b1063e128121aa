// The canonical form describes the same elements: the same set of addresses, of all operands together.
#include "core/canonical.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "tests/testing/strided.h"

namespace axiscast {
namespace {

using test::Index;

// One element of the result: where it is in each operand.
using Addresses = std::vector<std::int64_t>;

std::vector<Addresses> AllAddresses(const Shape& shape, const std::vector<ByteStrides>& strides,
                                    const std::pmr::vector<std::int64_t>& offsets) {
  std::vector<Addresses> all;
  test::ForEachIndex(shape, [&](const Index& index) {
    Addresses addresses(offsets.begin(), offsets.end());
    for (std::size_t i = 0; i < strides.size(); ++i) {
      for (int d = 0; d < shape.rank(); ++d) addresses[i] += index[static_cast<std::size_t>(d)] * strides[i][d];
    }
    all.push_back(addresses);
  });
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::int64_t> Plain(const std::pmr::vector<std::int64_t>& values) { return {values.begin(), values.end()}; }

std::vector<std::vector<std::int64_t>> Plain(const std::pmr::vector<std::pmr::vector<std::int64_t>>& values) {
  std::vector<std::vector<std::int64_t>> plain;
  for (const auto& row : values) plain.push_back(Plain(row));
  return plain;
}

Shape ShapeOf(const Canonical& canonical) { return Shape(canonical.extents.data(), canonical.rank()); }

std::vector<ByteStrides> StridesOf(const Canonical& canonical) {
  std::vector<ByteStrides> all;
  for (const auto& strides : canonical.strides) all.emplace_back(strides.data(), canonical.rank());
  return all;
}

struct Known {
  const char* name;
  Shape shape;
  std::vector<ByteStrides> strides;  // the output's last
  std::vector<std::int64_t> extents;
  std::vector<std::vector<std::int64_t>> canonical;
};
void PrintTo(const Known& known, std::ostream* os) { *os << known.name; }

const Known kKnown[] = {
    // float32; same shape 1-d, (4, 5, 6) & (4, 1, 1) 2-d, a channel operand on NCHW 3-d.
    {"scalar", {}, {{}, {}}, {1}, {{0}, {0}}},
    {"same_shape", {4, 5, 6}, {{120, 24, 4}, {120, 24, 4}, {120, 24, 4}}, {120}, {{4}, {4}, {4}}},
    {"leading_dim", {4, 5, 6}, {{120, 24, 4}, {4, 0, 0}, {120, 24, 4}}, {4, 30}, {{120, 4}, {4, 0}, {120, 4}}},
    {"channel",
     {8, 64, 7, 7},
     {{12544, 196, 28, 4}, {0, 4, 0, 0}, {12544, 196, 28, 4}},
     {8, 64, 49},
     {{12544, 196, 4}, {0, 4, 0}, {12544, 196, 4}}},
    {"trailing_bias", {2, 3, 4}, {{48, 16, 4}, {0, 0, 4}, {48, 16, 4}}, {6, 4}, {{16, 4}, {0, 4}, {16, 4}}},
    {"ones_in_between", {1, 4, 1, 6, 1}, {{9, 24, 7, 4, 5}, {1, 24, 2, 4, 3}}, {24}, {{4}, {4}}},
    {"fortran_out", {4, 5}, {{4, 16}, {4, 16}}, {20}, {{4}, {4}}},
    {"transposed_input", {4, 5}, {{4, 16}, {20, 4}}, {4, 5}, {{4, 16}, {20, 4}}},
    {"reversed_out", {6}, {{4}, {-4}}, {6}, {{-4}, {4}}},
    {"both_reversed", {6}, {{-4}, {-4}}, {6}, {{4}, {4}}},
    {"rows_with_gaps", {4, 5}, {{24, 4}, {20, 4}}, {4, 5}, {{24, 4}, {20, 4}}},
};

class CanonicalKnown : public testing::TestWithParam<Known> {};

TEST_P(CanonicalKnown, HasTheseDims) {
  const Known& known = GetParam();
  const Canonical canonical = Canonicalise(known.shape, known.strides);
  EXPECT_EQ(Plain(canonical.extents), known.extents);
  EXPECT_EQ(Plain(canonical.strides), known.canonical);
}
INSTANTIATE_TEST_SUITE_P(Table, CanonicalKnown, testing::ValuesIn(kKnown), [](const auto& row) { return row.param.name; });

TEST(Canonical, ReversedDimsMoveThePointers) {
  EXPECT_EQ(Plain(Canonicalise({6}, {{4}, {-4}}).offsets), (std::vector<std::int64_t>{20, -20}));
  EXPECT_EQ(Plain(Canonicalise({6, 2}, {{0, 8}, {-4, 24}}).offsets), (std::vector<std::int64_t>{0, -20}));
}

TEST(Canonical, KeepsTheAddressesOfRandomProblems) {
  test::Random random(test::FromEnvironment("AXISCAST_SEED", 1));
  const std::vector<std::int64_t> strides_of_inputs = {-8, -4, 0, 0, 0, 1, 3, 4, 4, 8, 12, 16, 24, 48};
  for (int round = 0; round < 5000; ++round) {
    Shape shape;
    const std::int64_t rank = random.Below(6);
    for (int d = 0; d < rank; ++d) shape.push_back(random.In(1, 4));
    std::vector<ByteStrides> strides;
    const std::int64_t inputs = random.In(0, 3);
    for (std::int64_t i = 0; i < inputs; ++i) {
      ByteStrides s = shape;
      for (int d = 0; d < shape.rank(); ++d) s[d] = random.Of(strides_of_inputs);
      strides.push_back(random.Chance(50) ? s : DenseStrides(shape, DType::kFloat32));
    }
    strides.push_back(test::StridesOf(test::RandomView(random, shape.rank(), 4, false), shape, 4));
    const Canonical canonical = Canonicalise(shape, strides);
    ASSERT_GE(canonical.rank(), 1);
    ASSERT_EQ(AllAddresses(shape, strides, std::pmr::vector<std::int64_t>(strides.size(), 0)),
              AllAddresses(ShapeOf(canonical), StridesOf(canonical), canonical.offsets))
        << "round " << round;
    // In the order of the output's memory, and with nothing left to merge.
    for (int d = 0; d + 1 < canonical.rank(); ++d) {
      ASSERT_GE(canonical.strides.back()[static_cast<std::size_t>(d)], canonical.strides.back()[static_cast<std::size_t>(d) + 1]);
      bool mergeable = true;
      for (const auto& s : canonical.strides) {
        mergeable = mergeable && s[static_cast<std::size_t>(d)] ==
                                     s[static_cast<std::size_t>(d) + 1] * canonical.extents[static_cast<std::size_t>(d) + 1];
      }
      ASSERT_FALSE(mergeable) << "round " << round;
    }
  }
}

TEST(Canonical, StridesAtTheEndsOfInt64DoNotOverflow) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  const Canonical canonical = Canonicalise({2, 2}, {{0, 0}, {1, kHuge}});
  EXPECT_EQ(Plain(canonical.extents), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(Plain(canonical.strides), (std::vector<std::vector<std::int64_t>>{{0, 0}, {kHuge, 1}}));
}

}  // namespace
}  // namespace axiscast
