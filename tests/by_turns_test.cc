// How runs of results that are streamed are split into parts that take turns.
#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <vector>

#include "axiscast/kit/store-inl.h"

HWY_BEFORE_NAMESPACE();  // what is inlined here wants the target's instructions
namespace axiscast {
namespace HWY_NAMESPACE {
namespace {

struct Runs {
  std::size_t most_parts, head, n, bytes;
};
void PrintTo(const Runs& r, std::ostream* os) {
  *os << r.most_parts << " parts, head " << r.head << ", " << r.n << " elements of " << r.bytes;
}

class ByTurns : public testing::TestWithParam<Runs> {};

// Whatever is split, each element is computed once, and behind the head every run begins where a line does.
TEST_P(ByTurns, EachElementOnceAndRunsOfWholeLines) {
  const std::size_t most_parts = GetParam().most_parts, head = GetParam().head, n = GetParam().n, bytes = GetParam().bytes;
  const std::size_t line = kLineBytes / bytes;
  std::vector<int> computed(n);
  std::size_t runs = 0, last_end = 0, jumps = 0;
  ForRunsByTurns(most_parts, head, n, bytes, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    ASSERT_LT(begin, end);
    ASSERT_LE(end, n);
    if (begin != 0) {
      EXPECT_EQ((begin - head) % line, 0u) << begin;
    }
    for (std::size_t i = begin; i < end; ++i) ++computed[i];
    jumps += begin != last_end ? 1 : 0;
    last_end = end;
    ++runs;
  });
  EXPECT_EQ(computed, std::vector<int>(n, 1));
  const bool takes_turns = most_parts > 1 && (n - head) * bytes >= LeastRunsByTurns(most_parts);
  EXPECT_EQ(jumps > 0, takes_turns);
  if (!takes_turns) {
    EXPECT_EQ(runs, (head > 0 ? 1u : 0u) + (n > head ? 1u : 0u));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, ByTurns,
                         testing::Values(Runs{1, 0, 1 << 20, 4}, Runs{2, 0, 1 << 20, 4}, Runs{4, 0, 1 << 20, 4},
                                         Runs{4, 8, (1 << 20) + 8, 4}, Runs{2, 8, (1 << 18) + 123, 4}, Runs{4, 4, 12345, 8},
                                         Runs{4, 0, 70000, 1}, Runs{4, 32, 70001, 1}, Runs{4, 5, 5, 4}, Runs{4, 0, 1, 4},
                                         Runs{4, 0, 0, 4}, Runs{2, 8, 40000, 4}));

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();
