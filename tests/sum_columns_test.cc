// The kernels that sum columns, on every target this CPU has, against the tree as plain recursion: for x in a near cache and for x
// in memory, which are read in different orders.
#include <gtest/gtest.h>

#include <cstring>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "axiscast/half.h"
#include "core/kernel.h"
#include "core/sum_tree.h"
#include "tests/testing/sum_tree.h"

namespace axiscast {
namespace {

struct ColumnCase {
  Target target;
  bool far;
};
void PrintTo(const ColumnCase& c, std::ostream* os) { *os << c.target.name << (c.far ? ", far" : ", near"); }

std::vector<ColumnCase> ColumnCases() {
  std::vector<ColumnCase> cases;
  for (const Target& target : BuiltInTargets()) {
    if (!target.supported) continue;
    for (const bool far : {false, true}) cases.push_back({target, far});
  }
  return cases;
}

class SumColumnsTest : public ::testing::TestWithParam<ColumnCase> {
 protected:
  // Rows of `cols` elements T that are `gap` elements apart; A is what they are summed in.
  template <typename T, typename A>
  void ExpectTree(DType dtype, std::int64_t n, std::int64_t cols, std::int64_t gap) {
    const SumKernel kernel = BuiltInSums(GetParam().target.bit).of[static_cast<std::size_t>(dtype)];
    const std::int64_t pitch = cols + gap, row_bytes = cols * kernel.size;
    ASSERT_EQ(kernel.size, static_cast<std::int64_t>(sizeof(A)));
    std::vector<T> x(static_cast<std::size_t>(n * pitch));
    std::uint32_t seed = 12345;
    for (T& value : x) {
      seed = seed * 1664525 + 1013904223;
      if constexpr (std::is_integral_v<T>) value = static_cast<T>(seed >> 8);
      if constexpr (!std::is_integral_v<T>) value = T(static_cast<float>(static_cast<std::int32_t>(seed)) * 0x1p-28f);
    }
    const std::int64_t scratch_bytes = SumScratchBytes(kernel, n, row_bytes);
    constexpr std::byte kSentinel{0x5a};
    std::vector<std::byte> scratch(static_cast<std::size_t>(scratch_bytes + 64), kSentinel);
    std::vector<A> out(static_cast<std::size_t>(cols));
    kernel.columns(reinterpret_cast<const std::byte*>(x.data()), pitch * static_cast<std::int64_t>(sizeof(T)), n, cols,
                   GetParam().far, scratch.data(), reinterpret_cast<std::byte*>(out.data()));
    for (std::int64_t c = 0; c < cols; ++c) {
      std::vector<A> column;
      for (std::int64_t r = 0; r < n; ++r) column.push_back(static_cast<A>(x[static_cast<std::size_t>(r * pitch + c)]));
      const A expected = test::SumOfGroup(column);
      ASSERT_EQ(std::memcmp(&out[static_cast<std::size_t>(c)], &expected, sizeof(A)), 0)
          << NameOf(dtype) << ", " << n << " rows of " << cols << " and a gap of " << gap << ": column " << c;
    }
    for (std::size_t i = static_cast<std::size_t>(scratch_bytes); i < scratch.size(); ++i) ASSERT_EQ(scratch[i], kSentinel);
  }
};

TEST_P(SumColumnsTest, AddsUpByTheTree) {
  for (const std::int64_t n : {1, 3, 16, 17, 64, 79, 255, 256, 257, 700}) {
    for (const std::int64_t cols : {1, 3, 7, 16, 32, 49, 64, 100, 133, 185, 239, 255, 257}) {
      for (const std::int64_t gap : {0, 5}) {
        ExpectTree<float, float>(DType::kFloat32, n, cols, gap);
        ExpectTree<double, double>(DType::kFloat64, n, cols, gap);
        ExpectTree<Float16, float>(DType::kFloat16, n, cols, gap);
        ExpectTree<BFloat16, float>(DType::kBFloat16, n, cols, gap);
        ExpectTree<std::uint8_t, std::uint8_t>(DType::kUInt8, n, cols, gap);
        ExpectTree<std::uint32_t, std::uint32_t>(DType::kInt32, n, cols, gap);
      }
    }
  }
  for (const std::int64_t cols : {1024, 5000}) {
    ExpectTree<float, float>(DType::kFloat32, 300, cols, 0);
    ExpectTree<Float16, float>(DType::kFloat16, 300, cols, 0);
    ExpectTree<std::uint8_t, std::uint8_t>(DType::kUInt8, 300, cols, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, SumColumnsTest, ::testing::ValuesIn(ColumnCases()),
                         [](const auto& i) { return std::string(i.param.target.name) + (i.param.far ? "_far" : "_near"); });

}  // namespace
}  // namespace axiscast
