// Random problems of every layout, executed by Apply and by plans, against a plain loop on copies of the inputs. All memory is
// compared, so that bytes around and between the elements of out must be unchanged. AXISCAST_SEED and AXISCAST_CASES make it
// repeat a run or run longer.
#include "core/layout.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include "axiscast/axiscast.h"
#include "core/caches.h"
#include "core/canonical.h"
#include "tests/testing/any_target.h"
#include "tests/testing/case_memory.h"
#include "tests/testing/mix_ops.h"
#include "tests/testing/random_case.h"
#include "tests/testing/thread_pools.h"

namespace axiscast::test {
namespace {

std::uint64_t Difference(const std::uint64_t* values, int) { return values[0] - values[1]; }

std::vector<CaseOp> Ops() {
  std::vector<CaseOp> ops;
  const Registry mix = MixRegistry(Registry::BuiltIn());
  for (const char* name : {"mix1", "mix2", "mix3", "mix4"}) {
    for (const Kernel& kernel : mix.Find(name)->kernels()) {
      ops.push_back({name, {kernel.inputs, kernel.inputs + mix.Find(name)->arity()}, kernel.output, &Mix});
    }
  }
  for (const DType dtype : {DType::kInt8, DType::kUInt16, DType::kInt32, DType::kInt64, DType::kInt32, DType::kUInt8}) {
    ops.push_back({"subtract", {dtype, dtype}, dtype, &Difference});
  }
  return ops;
}

// For every target of this CPU.
const std::vector<Registry>& Registries() {
  static const std::vector<Registry>* all = [] {
    auto* made = new std::vector<Registry>;
    for (const char* target : Registry::SupportedTargets()) {
      const Registry* registry = nullptr;
      if (Registry::BuiltInFor(target, &registry).ok()) made->push_back(MixRegistry(*registry));
    }
    return made;
  }();
  return *all;
}

std::uint64_t ReadElement(const std::byte* from, DType dtype) {
  const std::size_t size = SizeOf(dtype);
  std::uint64_t bits = LoadBits(from, size);
  if (KindOf(dtype) == DTypeKind::kSigned && size < 8 && (bits >> (8 * size - 1)) != 0) bits |= ~std::uint64_t{0} << (8 * size);
  return bits;
}

void Naive(const Case& c, const CaseMemory& copies, CaseMemory* memory) {
  std::vector<ByteStrides> strides;
  for (const CaseOperand& operand : c.operands) strides.push_back(operand.strides());
  ForEachIndex(c.out().shape, [&](const Index& index) {
    std::uint64_t values[kMaxArity];
    for (std::size_t i = 0; i + 1 < c.operands.size(); ++i) {
      const CaseOperand& operand = c.operands[i];
      values[i] = ReadElement(copies.origin[i] + OffsetAt(index, operand.shape, strides[i], operand.first), operand.dtype);
    }
    std::uint64_t result = c.op.meaning(values, static_cast<int>(c.op.inputs.size()));
    if (c.op.output == DType::kBool) result = result != 0;
    StoreBits(result, memory->origin.back() + OffsetAt(index, c.out().shape, strides.back(), 0), SizeOf(c.op.output));
  });
}

Status Run(const Case& c, const CaseMemory& memory, PlanDescription* description) {
  static tbb::task_arena arena(3);
  const ForeignPool pool(kPoolHabits[c.habit]);
  const auto& registries = Registries();
  const Op& op = *registries[static_cast<std::size_t>(c.target) % registries.size()].Find(c.op.name);
  std::vector<TensorView> inputs;
  std::vector<const void*> pointers;
  for (std::size_t i = 0; i + 1 < c.operands.size(); ++i) {
    const CaseOperand& operand = c.operands[i];
    inputs.emplace_back(memory.origin[i], operand.dtype, operand.shape, operand.strides());
    pointers.push_back(memory.origin[i]);
  }
  const MutableTensorView out(memory.origin.back(), c.op.output, c.out().shape, c.out().strides());
  PlanOptions plan_options;
  plan_options.mode = c.mode;
  plan_options.axis = c.axis;
  Plan plan;
  if (Status status = Plan::Make(op, inputs.data(), inputs.size(), out, plan_options, &plan); !status.ok()) return status;
  if (description != nullptr) *description = plan.Describe();
  ApplyOptions options;
  options.mode = c.mode;
  options.axis = c.axis;
  options.max_threads = c.max_threads;
  if (c.threads == CaseThreads::kOwnArena) options.task_arena = &arena;
  if (c.threads == CaseThreads::kForeignPool) options.pool = pool.get();
  options.stores = c.stores;
  if (c.plan)
    return plan.Execute(pointers.data(), out.data, {options.max_threads, options.pool, options.task_arena, options.stores});
  if (!c.in_place) return Apply(op, inputs.data(), inputs.size(), out, options);
  switch (inputs.size()) {
    case 1:
      return ApplyInPlace(op, out, {}, options);
    case 2:
      return ApplyInPlace(op, out, {inputs[1]}, options);
    case 3:
      return ApplyInPlace(op, out, {inputs[1], inputs[2]}, options);
    default:
      return ApplyInPlace(op, out, {inputs[1], inputs[2], inputs[3]}, options);
  }
}

// What is wrong with a case; empty when nothing is.
std::string Failure(const Case& c, PlanDescription* description = nullptr) {
  const CaseMemory before(c);
  CaseMemory expected(c), memory(c);
  Naive(c, before, &expected);
  const int bad_tiles_before = bad_tiles;
  if (const Status status = Run(c, memory, description); !status.ok()) return std::string("it gives: ") + status.message();
  if (bad_tiles != bad_tiles_before) return "a kernel was called with a tile that breaks its contract";
  for (std::size_t i = 0; i < memory.blocks.size(); ++i) {
    const Bytes &found = memory.blocks[i], &wanted = expected.blocks[i];
    for (std::size_t byte = 0; byte < found.size(); ++byte) {
      if (found[byte] == wanted[byte]) continue;
      return "byte " + std::to_string(byte) + " of the memory of operand " + std::to_string(i) + " is " +
             std::to_string(static_cast<int>(found[byte])) + ", not " + std::to_string(static_cast<int>(wanted[byte])) +
             " (it was " + std::to_string(static_cast<int>(before.blocks[i][byte])) + ")";
    }
  }
  return "";
}

std::int64_t Product(const std::vector<std::int64_t>& extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) product *= extent;
  return product;
}

using Counts = std::map<std::string, int>;

void Count(const Case& c, const PlanDescription& plan, Counts* counts) {
  if (plan.extents.empty()) ++(*counts)["empty"];
  if (c.axis) ++(*counts)["axis"];
  if (c.in_place) ++(*counts)["in place"];
  if (plan.extents.empty()) return;
  for (const auto& operand : plan.operands) ++(*counts)[(&operand == &plan.operands.back() ? "out " : "") + operand.delivery];
  ++(*counts)["store " + plan.store];
  if (plan.parallel) ++(*counts)["parallel " + std::to_string(static_cast<int>(c.threads))];
  if (plan.tiles > 1 && plan.tile_rows > 1) ++(*counts)["several tiles of several rows"];
  if (plan.tiles * plan.tile_rows * plan.tile_cols > Product(plan.extents)) ++(*counts)["ragged tiles"];
  if (plan.extents.size() > 4) ++(*counts)["more than four dims"];
}

TEST(Layout, EveryLayoutGivesWhatAPlainLoopOnCopiesGives) {
  const std::uint64_t seed = FromEnvironment("AXISCAST_SEED", 20240517);
  const std::uint64_t cases = FromEnvironment("AXISCAST_CASES", 32000);
  std::printf("AXISCAST_SEED=%llu AXISCAST_CASES=%llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(cases));
  const std::vector<CaseOp> ops = Ops();
  Counts counts;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Random random(seed + i);
    const std::int64_t dice = random.Below(1000);
    const Case c = RandomCase(random, ops, dice < 25 ? 70'000 : dice < 70 ? 20'000 : dice < 250 ? 3000 : 200);
    PlanDescription description;
    if (const std::string failure = Failure(c, &description); !failure.empty()) {
      const Case small = Shrink(c, [](const Case& simpler) { return !Failure(simpler).empty(); });
      FAIL() << "case " << i << " (AXISCAST_SEED=" << seed + i << " AXISCAST_CASES=1): " << failure << "\n"
             << ToText(c) << "shrunk: " << Failure(small) << "\n"
             << ToText(small);
    }
    Count(c, description, &counts);
  }
  for (const auto& [name, count] : counts) std::printf("  %-32s %d\n", name.c_str(), count);
  if (cases < 30'000) return;  // too few to say anything about how often each kind occurs
  if (AnyTargetPermutes()) {
    EXPECT_GE(counts["permuted"], 5);
  }
  // clang-format off
  for (const char* name :
       {"streamed", "splat", "staged: pattern", "staged: repeat-each", "staged: transpose", "staged: gather", "staged: runs",
        "staged: unaligned", "staged: unaligned splat", "out streamed", "out staged: gather",
        "out staged: runs", "out staged: unaligned", "store direct", "store through scratch", "parallel 0", "parallel 1", "parallel 2",
        "several tiles of several rows", "ragged tiles", "more than four dims", "empty", "axis", "in place"}) {
    EXPECT_GE(counts[name], 5) << name;
  }
  // clang-format on
}

// Windows that lie over each other: a short last tile and the longer one after it may begin at the same address, and what was
// staged for the one must not pass for the other.
TEST(Layout, WindowsThatBeginWhereTheLastTileBegan) {
  constexpr std::int64_t kWindows = 4, kCols = 300, kRowStride = 8 * kCols + 8;
  for (const std::int64_t rows : {17, 20, 23}) {
    for (std::int64_t shift = 1; shift <= rows; ++shift) {
      Random random(static_cast<std::uint64_t>(shift));
      const Bytes x = random.RandomBytes(((kWindows - 1) * shift + rows) * kRowStride);
      const Shape shape{kWindows, rows, kCols};
      const ByteStrides strides{shift * kRowStride, kRowStride, 8};
      std::vector<std::uint32_t> out(static_cast<std::size_t>(kWindows * rows * kCols));
      const TensorView view{x.data(), DType::kUInt32, shape, strides};
      ApplyOptions options;
      options.max_threads = 1;
      ASSERT_TRUE(Apply(*Registries()[0].Find("mix1"), {view}, {out.data(), shape}, options).ok());
      std::size_t i = 0;
      std::int64_t wrong = 0;
      ForEachIndex(shape, [&](const Index& index) {
        const std::uint64_t value = LoadBits(x.data() + OffsetAt(index, shape, strides, 0), 4);
        wrong += out[i++] != static_cast<std::uint32_t>(Mix(&value, 1));
      });
      EXPECT_EQ(wrong, 0) << rows << " rows, windows " << shift << " rows apart";
    }
  }
}

// An input whose rows jump within blocks that a block of the result needs whole is asked for by those, from memory alone.
TEST(Layout, AsksForBlocksInTheirOwnOrder) {
  using Extents = std::vector<std::int64_t>;
  if (MachineCaches().l2 < 256 * 1024)
    GTEST_SKIP() << "an L2 of " << MachineCaches().l2 << " bytes: too little for the blocks here";
  const auto reordered = [](const Extents& shape, const Extents& strides, bool far) {
    const Shape extents(shape.data(), static_cast<int>(shape.size()));
    const ByteStrides dense = DenseStrides(extents, DType::kFloat32);
    ByteStrides x = dense;
    for (std::size_t d = 0; d < strides.size(); ++d) x[static_cast<int>(d)] = strides[d] * 4;
    const DType all[] = {DType::kFloat32, DType::kFloat32, DType::kFloat32};
    const Step step{FindOp("add")->FindKernel(all), 2, {0, 1}, {}};
    LayoutOptions options;
    options.far = far;
    const Layout layout = MakeLayout(Canonicalise(extents, {x, dense, dense}), all, {&step, 1}, options);
    EXPECT_EQ(layout.reordered_elements > 0, layout.operands[0].reordered > 0);
    EXPECT_EQ(layout.operands[1].reordered, 0);
    return layout.operands[0].reordered;
  };
  EXPECT_EQ(reordered({5, 4, 16, 64}, {4096, 64, 256, 1}, true), 4096 * 4);  // heads inside
  EXPECT_EQ(reordered({5, 4, 16, 64}, {4096, 64, 256, 1}, false), 0);
  EXPECT_EQ(reordered({2, 3, 4, 16, 64}, {3 * 4096, 4096, 64, 256, 1}, true), 4096 * 4);
  EXPECT_EQ(reordered({2, 3, 4, 16, 64}, {4096, 8192, 64, 256, 1}, true), 0) << "blocks in another order, whose own is all";
  EXPECT_EQ(reordered({5, 4, 16, 64}, {5000, 64, 256, 1}, true), 0) << "gaps between blocks";
  EXPECT_EQ(reordered({5, 4, 16, 64}, {8192, 128, 512, 1}, true), 0) << "gaps in them";
  EXPECT_EQ(reordered({5, 4, 16, 64}, {4096, 1024, 64, 1}, true), 0) << "in the result's order";
  EXPECT_EQ(reordered({5, 2, 4, 512}, {4096, 512, 1024, 1}, true), 0) << "long rows";
  const std::int64_t most = MachineCaches().l2 / 16, rows = most / 1024;  // bytes of a block, and rows of 256 bytes for 4 heads
  EXPECT_EQ(reordered({5, 4, rows, 64}, {rows * 256, 64, 256, 1}, true), rows * 1024);
  EXPECT_EQ(reordered({5, 4, 2 * rows, 64}, {2 * rows * 256, 64, 256, 1}, true), 0) << "large blocks";
}

template <typename T>
int ExpectTransposes() {
  int transposed = 0;
  for (const std::int64_t rows : {4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 17, 19, 20, 21, 23, 24, 25, 28, 29, 31, 35}) {
    for (const std::int64_t cols : {16, 25, 64}) {
      for (const std::int64_t off : {0, 1}) {  // elements
        const std::int64_t line = (rows + 15) / 16 * 16;
        std::vector<T> memory(static_cast<std::size_t>(cols * line + 16 + off)), y(static_cast<std::size_t>(rows * cols));
        for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<T>(i % 1009);
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(i % 991);
        void* begin = memory.data();
        std::size_t room = memory.size() * sizeof(T);
        const T* const x = static_cast<T*>(std::align(64, sizeof(T), begin, room)) + off;
        const Shape shape{rows, cols};
        constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
        const TensorView views[] = {{x, kDTypeOf<T>, shape, {kSize, kSize * line}}, {y.data(), kDTypeOf<T>, shape}};
        std::vector<T> out(y.size()), expected(y.size());
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t c = 0; c < cols; ++c) {
            const auto at = static_cast<std::size_t>(r * cols + c);
            expected[at] = x[c * line + r] + y[at];
          }
        }
        Plan plan;
        EXPECT_TRUE(Plan::Make(*FindOp("add"), {views[0], views[1]}, {out.data(), kDTypeOf<T>, shape}, {}, &plan).ok());
        transposed += plan.Describe().operands[0].delivery == "transposed";
        const void* const inputs[] = {x, y.data()};
        EXPECT_TRUE(plan.Execute(inputs, out.data()).ok());
        EXPECT_EQ(out, expected) << rows << " x " << cols << ", " << off;
        EXPECT_TRUE(plan.Execute(inputs, y.data()).ok());
        EXPECT_EQ(y, expected) << rows << " x " << cols << ", " << off << ", in place";
      }
    }
  }
  return transposed;
}

// Rows that are less than a square, or leave any number over beside squares whose loads are cache lines, or not; also in place.
TEST(Layout, TransposesOnAndOffCacheLines) {
  const int of_floats = ExpectTransposes<float>(), of_doubles = ExpectTransposes<double>();
  const DType floats[] = {DType::kFloat32, DType::kFloat32};
  if (FindOp("add")->FindKernel(floats)->abilities.transposes) {
    EXPECT_GE(of_floats, 63);  // half of them
    EXPECT_GE(of_doubles, 54);
  }
}

}  // namespace
}  // namespace axiscast::test
