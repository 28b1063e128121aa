// Sums of a program's results slab by slab have the bits of the sum's definition over all results, however they are cut: random
// shapes, masks, strides and threads, with caches so small that small problems are cut. AXISCAST_SEED and AXISCAST_CASES as in
// layout_test.
#include "core/slab_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <latch>
#include <thread>
#include <type_traits>

#include "axiscast/axiscast.h"
#include "axiscast/half.h"
#include "core/caches.h"
#include "core/registry.h"
#include "tests/testing/strided.h"
#include "tests/testing/sum_tree.h"
#include "tests/testing/thread_pools.h"

namespace axiscast::test {
namespace {

struct Seen {
  int cut = 0, whole = 0, pieces = 0, again = 0;
};

struct Case {
  Shape shape;
  std::vector<bool> summed;
  ByteStrides x_strides, y_strides, out_strides;
};

Case RandomProblem(Random& random, std::int64_t size) {
  Case c;
  std::int64_t budget = random.Chance(70) ? 20'000 : 2000;
  const std::int64_t rank = random.In(1, 5), last = random.Chance(40) ? random.In(60, 200) : 0;  // a group that is summed first
  if (last > 0) budget /= last;
  for (int d = 0; d < rank; ++d) {
    const bool long_one = last > 0 && d + 1 == rank;
    const std::int64_t wanted = random.Chance(15)   ? 1
                                : random.Chance(35) ? (random.Chance(30) ? 256 * random.In(1, 9) + 1 : random.In(2, 1500))
                                                    : random.In(2, 12);
    const std::int64_t extent = long_one ? last : std::min(wanted, std::max<std::int64_t>(budget, 1));
    c.shape.push_back(extent);
    c.summed.push_back(extent > 1 && (long_one || random.Chance(50)));
    if (!long_one) budget /= extent;
  }
  const auto any = static_cast<int>(random.Below(rank));
  if (budget > 1 && c.shape[any] > 1 && random.Chance(60)) c.shape[any] *= budget;
  if (std::find(c.summed.begin(), c.summed.end(), true) == c.summed.end()) {
    const auto d = static_cast<std::size_t>(random.Below(rank));
    c.summed[d] = true;
  }
  const auto operand = [&] {
    ByteStrides strides = StridesOf(RandomView(random, c.shape.rank(), size, true), c.shape, size);
    for (int d = 0; d < c.shape.rank(); ++d) {
      if (random.Chance(20)) strides[d] = 0;
      strides[d] -= strides[d] % size;  // the bytes between numbers may be a NaN
    }
    return strides;
  };
  c.x_strides = operand();
  c.y_strides = operand();
  Shape kept = c.shape;
  for (int d = 0; d < kept.rank(); ++d) kept[d] = c.summed[static_cast<std::size_t>(d)] ? 1 : kept[d];
  c.out_strides = StridesOf(RandomView(random, kept.rank(), size, false), kept, size);
  for (int d = 0; d < kept.rank(); ++d) {
    if (c.summed[static_cast<std::size_t>(d)]) c.out_strides[d] = 0;
  }
  return c;
}

// Whole numbers and halves, so that roundings happen and nothing overflows.
template <typename T>
Bytes RandomNumbers(Random& random, std::int64_t bytes) {
  Bytes memory(static_cast<std::size_t>(bytes) / sizeof(T) * sizeof(T));
  for (std::size_t at = 0; at < memory.size(); at += sizeof(T)) {
    const T value(static_cast<float>(random.In(-2000, 2000)) / 1024);
    std::memcpy(memory.data() + at, &value, sizeof(T));
  }
  return memory;
}

// T: an element; A: what it computes and adds up in.
template <typename T, typename A>
void RunCase(std::uint64_t seed, Seen* seen) {
  Random random(seed);
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const Case c = RandomProblem(random, size);
  const Around xa = AroundOf(c.shape, c.x_strides, size), ya = AroundOf(c.shape, c.y_strides, size);
  const auto whole = [](std::int64_t bytes) { return (bytes + 7) / 8 * 8; };
  const Bytes x = RandomNumbers<T>(random, whole(xa.before) + whole(xa.behind)),
              y = RandomNumbers<T>(random, whole(ya.before) + whole(ya.behind));
  Shape kept = c.shape;
  for (int d = 0; d < kept.rank(); ++d) kept[d] = c.summed[static_cast<std::size_t>(d)] ? 1 : kept[d];
  const Around oa = AroundOf(kept, c.out_strides, size);
  Bytes out(static_cast<std::size_t>(oa.before + oa.behind), std::byte{0x5a}), expected = out;

  const DType dtype = kDTypeOf<T>;
  const DType dtypes[] = {dtype, dtype};
  SlabProblem problem;
  problem.program.shape = c.shape;
  problem.program.operands = {{dtype, c.x_strides}, {dtype, c.y_strides}, {dtype, DenseStrides(c.shape, dtype)}};
  problem.program.steps = {{FindOp("multiply")->FindKernel(dtypes), 2, {0, 1}, {}},
                           {FindOp("negative")->FindKernel(dtypes), 1, {3}, {}}};
  problem.program.steps[1].values[0] = 2;
  std::fill(std::begin(problem.summed), std::end(problem.summed), false);
  std::copy(c.summed.begin(), c.summed.end(), problem.summed);
  problem.out_strides = c.out_strides;
  problem.caller = "test";
  problem.names = {"x", "y", "out"};
  const TargetKernels& kernels = *FindOp("sum_to")->entry().kernels;
  const std::int64_t l2 = random.Of(std::vector<std::int64_t>{256, 512, 2048, 8192, 12'288});
  const std::unique_ptr<const SlabSum> slabs = SlabSum::Make(problem, kernels.sums, kernels.movers, l2);
  if (slabs == nullptr) {
    ++seen->whole;
    return;
  }
  ++seen->cut;
  seen->pieces += slabs->pieces() > 1;
  seen->again += slabs->sums_again();
  EXPECT_LE(slabs->slab_bytes(), l2 + 63);

  std::vector<std::int64_t> shape(c.shape.begin(), c.shape.end());
  ForEachIndex(kept, [&](const Index& at) {
    Index index = at;
    const A sum = SumOfDims<A>(shape, c.summed, 0, index, [&](const Index& i) {
      T a, b;
      std::memcpy(&a, x.data() + whole(xa.before) + OffsetAt(i, c.shape, c.x_strides, 0), sizeof(T));
      std::memcpy(&b, y.data() + whole(ya.before) + OffsetAt(i, c.shape, c.y_strides, 0), sizeof(T));
      return static_cast<A>(T(-static_cast<A>(T(static_cast<A>(a) * static_cast<A>(b)))));
    });
    const T rounded(sum);
    std::memcpy(expected.data() + oa.before + OffsetAt(at, kept, c.out_strides, 0), &rounded, sizeof(T));
  });
  const ForeignPool pool(kPoolHabits[static_cast<std::size_t>(random.Below(std::size(kPoolHabits)))]);
  ExecuteOptions options;
  if (random.Chance(50)) options.pool = pool.get();
  if (random.Chance(30)) options.max_threads = static_cast<int>(random.In(1, 3));
  const void* const pointers[] = {x.data() + whole(xa.before), y.data() + whole(ya.before)};
  ASSERT_TRUE(slabs->Execute(pointers, out.data() + oa.before, options));
  ASSERT_TRUE(out == expected);
}

TEST(SlabSum, HasTheBitsOfTheDefinition) {
  const std::uint64_t seed = FromEnvironment("AXISCAST_SEED", 1);
  const std::uint64_t cases = FromEnvironment("AXISCAST_CASES", 2000);
  std::printf("AXISCAST_SEED=%llu AXISCAST_CASES=%llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(cases));
  Seen exact, rounded;
  for (std::uint64_t n = seed; n < seed + cases && !HasFailure(); ++n) {
    SCOPED_TRACE("AXISCAST_SEED=" + std::to_string(n) + " AXISCAST_CASES=1");
    if (n % 4 < 2) RunCase<float, float>(n, &exact);
    if (n % 4 == 2) RunCase<double, double>(n, &exact);
    if (n % 4 == 3) n % 8 == 3 ? RunCase<Float16, float>(n, &rounded) : RunCase<BFloat16, float>(n, &rounded);
  }
  std::printf("cut %d and %d of 16-bit floats, not cut %d and %d; in pieces %d, summed again %d\n", exact.cut, rounded.cut,
              exact.whole, rounded.whole, exact.pieces, exact.again);
  if (cases < 2000) return;
  EXPECT_GT(exact.cut, static_cast<int>(cases) / 8);
  EXPECT_GT(rounded.cut, static_cast<int>(cases) / 40);
  EXPECT_GT(exact.pieces, static_cast<int>(cases) / 40);
  EXPECT_GT(exact.again, static_cast<int>(cases) / 100);
  EXPECT_EQ(rounded.pieces + rounded.again, 0);
}

// The gradient of a stretched operand may be its own memory: what a slab writes no other slab reads.
TEST(SlabSum, MayBeWrittenOverTheStretchedOperand) {
  const std::int64_t rows = 64, cols = MachineCaches().l2 / 64;  // four L2 caches of floats
  Random random(3);
  std::vector<float> x(static_cast<std::size_t>(rows * cols)), dout(x.size()), y(static_cast<std::size_t>(cols)), out(y.size());
  for (std::vector<float>* all : {&x, &dout, &y}) {
    for (float& value : *all) value = static_cast<float>(random.In(-2000, 2000)) / 1024;
  }
  const TensorView inputs[] = {{x.data(), {rows, cols}}, {y.data(), {cols}}, {dout.data(), {rows, cols}}};
  PlanOptions options;
  options.attributes = {{"wrt", 1}};
  Plan plan;
  const Op& op = *FindOp("divide_grad");
  ASSERT_TRUE(Plan::Make(op, inputs, 3, {out.data(), {cols}}, options, &plan).ok());
  const PlanDescription description = plan.Describe();
  const PlanDescription::Operand& summands = description.operands[description.operands.size() - 2];
  EXPECT_NE(summands.delivery.find(" slabs, each summed while it is in cache"), std::string::npos) << summands.delivery;
  EXPECT_LE(summands.unique_bytes, MachineCaches().l2);
  EXPECT_EQ(description.store, "slab by slab");
  ASSERT_TRUE(plan.Execute({x.data(), y.data(), dout.data()}, out.data()).ok());
  for (std::int64_t c = 0; c < cols; c += 997) {
    const auto at = static_cast<std::size_t>(c);
    std::vector<float> column;
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto i = static_cast<std::size_t>(r * cols + c);
      column.push_back(-(dout[i] * (x[i] / y[at] / y[at])));
    }
    if (y[at] != 0) {
      ASSERT_EQ(out[at], SumOfGroup(column)) << c;
    }
  }
  ASSERT_TRUE(plan.Execute({x.data(), y.data(), dout.data()}, y.data()).ok());
  EXPECT_EQ(std::memcmp(y.data(), out.data(), out.size() * sizeof(float)), 0);
}

// A pool may say another number of threads when it is asked again, and run work on more of them than it said: the later ones find
// no scratch, and nothing to do.
TEST(SlabSum, HasScratchForWhoeverComes) {
  std::atomic<int> asked{0};
  const axiscast_thread_pool pool = {
      sizeof(axiscast_thread_pool), &asked,
      [](void*, std::int64_t count, axiscast_thread_pool_body body, void* task) {
        std::vector<std::thread> threads;
        std::latch all(16);
        for (int t = 0; t < 16; ++t) {
          threads.emplace_back([&all, count, body, task] {
            all.arrive_and_wait();
            body(task, 0, count);
          });
        }
        for (std::thread& thread : threads) thread.join();
      },
      [](void* context) { return static_cast<std::atomic<int>*>(context)->fetch_add(1) == 0 ? 1 : 64; }};
  const std::int64_t rows = 16 * MachineCaches().l2 / 4096;
  const Shape shape{rows, 1024}, row{1024};
  std::vector<float> x(static_cast<std::size_t>(rows) * 1024, 1), dout(x.size(), 0.5f), y(1024, 3);
  ApplyOptions options;
  options.attributes = {{"wrt", 1}};
  options.pool = &pool;
  for (int round = 0; round < 5; ++round) {
    asked = 0;
    std::vector<float> gradient(1024);
    const Status status = Apply(*FindOp("multiply_grad"), {{x.data(), shape}, {y.data(), row}, {dout.data(), shape}},
                                {gradient.data(), row}, options);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(gradient, std::vector<float>(1024, 0.5f * static_cast<float>(rows)));
  }
}

}  // namespace
}  // namespace axiscast::test
