// sum_to on random calls: any shape, mask, axis, strides, address, dtype, target and threads, compared bit by bit with the tree's
// definition as plain recursion. AXISCAST_SUM_CASES and AXISCAST_SUM_SEED: more of them, and one that failed again.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/strided.h"
#include "tests/testing/sum_tree.h"
#include "tests/testing/thread_pools.h"

namespace axiscast::test {
namespace {

template <typename T>
using Accumulator = std::conditional_t<std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>, float,
                                       std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>>;

struct SumCase {
  DType dtype;
  Shape x_shape, shape;
  int first;  // the dim of x that the shape's first one faces
  std::optional<std::int64_t> axis;
  ViewSpec x_view, out_view;
  std::int64_t x_at, out_at;  // bytes before the views
  int max_threads;
  int pool;  // -1: none
  std::string target;
};

std::string Text(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : ",") + std::to_string(extent);
  return "(" + text + ")";
}

std::int64_t Size(const SumCase& c) { return static_cast<std::int64_t>(SizeOf(c.dtype)); }

SumCase RandomSum(Random& random, std::int64_t budget) {
  SumCase c;
  c.dtype = static_cast<DType>(random.In(1, kDTypeCount - 1));
  const int rank = static_cast<int>(random.Chance(3) ? random.In(6, 12) : random.In(0, 5));
  std::int64_t left = budget;
  for (int d = 0; d < rank; ++d) {
    std::int64_t extent =
        random.Chance(15) ? 1 : random.In(1, std::max<std::int64_t>(1, std::min<std::int64_t>(left, random.Chance(20) ? left : 9)));
    if (random.Chance(1)) extent = 0;
    c.x_shape.push_back(extent);
    left /= std::max<std::int64_t>(extent, 1);
  }
  for (int d = 0; d < rank; ++d) std::swap(c.x_shape[d], c.x_shape[static_cast<int>(random.Below(rank))]);
  const int small = static_cast<int>(random.In(0, rank)), kept = static_cast<int>(10 * random.In(0, 10));
  c.first = static_cast<int>(random.In(0, std::max(rank - std::max(small, 1), 0)));
  for (int j = 0; j < small; ++j) c.shape.push_back(random.Chance(kept) ? c.x_shape[c.first + j] : 1);
  // A last 1 faces a dim that is summed, or hangs over; but not where ranks would be equal, which has no axis.
  if (small + 1 < rank && random.Chance(10)) c.shape.push_back(1);
  if (small < rank && (c.first + c.shape.rank() != rank || random.Chance(30))) c.axis = c.first;
  c.x_view = RandomView(random, rank, Size(c), true);
  c.out_view = RandomView(random, c.shape.rank(), Size(c), false);
  const auto tame = [&](const Shape& shape, ViewSpec* view) {  // steps in many dims take much memory
    if (AroundOf(shape, StridesOf(*view, shape, Size(c)), Size(c)).behind > 32 << 20) *view = ViewSpec::Dense(shape.rank());
  };
  tame(c.x_shape, &c.x_view);
  tame(c.shape, &c.out_view);
  c.x_at = random.Chance(15) ? random.In(0, 20) : 0;
  c.out_at = random.Chance(15) ? random.In(0, 20) : 0;
  c.max_threads = static_cast<int>(random.In(0, 3));
  c.pool = random.Chance(20) ? static_cast<int>(random.Below(4)) : -1;
  c.target = random.Of(Registry::SupportedTargets());
  return c;
}

template <typename T>
T RandomValue(Random& random) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random.Bits());
  } else {
    const std::uint64_t bits = random.Bits();
    const double value = std::ldexp(static_cast<double>(bits >> 12) * 0x1p-52 - 0.5, static_cast<int>(bits % 12) - 6);
    return T(static_cast<Accumulator<T>>(value));
  }
}

template <typename T>
T Read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void RunSum(const SumCase& c, Random& random) {
  const int rank = c.x_shape.rank();
  const ByteStrides x_strides = StridesOf(c.x_view, c.x_shape, Size(c)), out_strides = StridesOf(c.out_view, c.shape, Size(c));
  const Around x_around = AroundOf(c.x_shape, x_strides, Size(c)), out_around = AroundOf(c.shape, out_strides, Size(c));
  Bytes x_memory(static_cast<std::size_t>(c.x_at + x_around.before + x_around.behind));
  Bytes out_memory(static_cast<std::size_t>(c.out_at + out_around.before + out_around.behind), std::byte{0x5a});
  std::byte* const x = x_memory.data() + c.x_at + x_around.before;
  std::byte* const out = out_memory.data() + c.out_at + out_around.before;
  ForEachIndex(c.x_shape, [&](const Index& index) {
    const T value = RandomValue<T>(random);
    std::memcpy(x + OffsetAt(index, c.x_shape, x_strides, 0), &value, sizeof(T));
  });
  Bytes expected = out_memory;
  const std::vector<std::int64_t> extents(c.x_shape.begin(), c.x_shape.end());
  std::vector<bool> summed;
  bool no_summands = false;
  for (int d = 0; d < rank; ++d) {
    const int j = d - c.first;
    summed.push_back(j < 0 || j >= c.shape.rank() || c.shape[j] == 1);
    no_summands = no_summands || (summed.back() && c.x_shape[d] == 0);
  }
  ForEachIndex(c.shape, [&](const Index& out_index) {
    Index index(static_cast<std::size_t>(rank), 0);
    for (int j = 0; j < c.shape.rank(); ++j) {
      if (c.shape[j] != 1) index[static_cast<std::size_t>(c.first + j)] = out_index[static_cast<std::size_t>(j)];
    }
    const auto at = [&](const Index& i) { return static_cast<Accumulator<T>>(Read<T>(x + OffsetAt(i, c.x_shape, x_strides, 0))); };
    const T sum = no_summands ? T(Accumulator<T>(0)) : static_cast<T>(SumOfDims<Accumulator<T>>(extents, summed, 0, index, at));
    std::memcpy(expected.data() + (out - out_memory.data()) + OffsetAt(out_index, c.shape, out_strides, 0), &sum, sizeof(T));
  });
  ApplyOptions options;
  options.axis = c.axis;
  options.attributes = {{"shape", c.shape}};
  options.max_threads = c.max_threads;
  const ForeignPool pool(static_cast<PoolHabit>(std::max(c.pool, 0)));
  if (c.pool >= 0) options.pool = pool.get();
  const Registry* registry = nullptr;
  ASSERT_TRUE(Registry::BuiltInFor(c.target, &registry).ok());
  const Status status = Apply(*registry->Find("sum_to"), {TensorView(x, c.dtype, c.x_shape, x_strides)},
                              MutableTensorView(out, c.dtype, c.shape, out_strides), options);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_TRUE(out_memory == expected) << "wrong sums, or bytes between them";
}

void RunSum(const SumCase& c, Random& random) {
  switch (c.dtype) {
#define AXISCAST_RUN(enumerator, name, type, kind) \
  case DType::enumerator:                          \
    if constexpr (!std::is_same_v<type, bool>) return RunSum<type>(c, random);
    AXISCAST_FOR_EACH_DTYPE(AXISCAST_RUN)
#undef AXISCAST_RUN
  }
}

void RunCases(std::uint64_t count, std::uint64_t seed, std::int64_t budget) {
  for (std::uint64_t i = 0; i < count; ++i) {
    Random random(seed + i);
    const SumCase c = RandomSum(random, budget);
    RunSum(c, random);
    if (testing::Test::HasFailure()) {
      FAIL() << "AXISCAST_SUM_SEED=" << seed + i << " AXISCAST_SUM_CASES=1, budget " << budget << ": " << NameOf(c.dtype) << " "
             << Text(c.x_shape) << " strides " << Text(StridesOf(c.x_view, c.x_shape, Size(c))) << " to " << Text(c.shape)
             << " strides " << Text(StridesOf(c.out_view, c.shape, Size(c))) << " at dim " << c.first << (c.axis ? " by axis" : "")
             << ", x at " << c.x_at << ", out at " << c.out_at << ", threads " << c.max_threads << ", pool " << c.pool << ", "
             << c.target;
    }
  }
}

std::uint64_t Seed() { return FromEnvironment("AXISCAST_SUM_SEED", 20260101); }

TEST(SumToRandom, SmallCalls) { RunCases(FromEnvironment("AXISCAST_SUM_CASES", 100000), Seed(), 700); }
TEST(SumToRandom, BlocksOfBlocks) { RunCases(FromEnvironment("AXISCAST_SUM_CASES", 100000) / 20, Seed(), 12000); }
TEST(SumToRandom, CallsForThreads) { RunCases(FromEnvironment("AXISCAST_SUM_CASES", 100000) / 1000, Seed(), 1500000); }

}  // namespace
}  // namespace axiscast::test
