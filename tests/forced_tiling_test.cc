// No result depends on the path chosen. Random calls of real ops, with the number of dims along cols (which decides what is staged
// and how), tile sizes, stores, pieces of parallel work, threads and targets forced, against the ops' scalar meaning element by
// element. AXISCAST_SEED and AXISCAST_CASES as in layout_test.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "axiscast/axiscast.h"
#include "core/caches.h"
#include "core/canonical.h"
#include "core/execute.h"
#include "core/registry.h"
#include "tests/testing/any_target.h"
#include "tests/testing/strided.h"

namespace axiscast::test {
namespace {

struct Operand {
  DType dtype;
  ByteStrides strides;
  Bytes memory;
  std::int64_t origin;  // of element [0, ..., 0] in it

  std::int64_t size() const { return static_cast<std::int64_t>(SizeOf(dtype)); }
};

struct Call {
  const char* op;
  std::size_t kernel;  // of the op's
  Shape shape;
  std::vector<Operand> operands;  // the inputs, then out
};

// Whole numbers from 1 to 100, over 7 for floats: nothing is NaN, a divisor of 0 or infinite.
std::uint64_t RandomElement(Random& random, DType dtype) {
  const std::int64_t magnitude = random.In(1, 100);
  const std::int64_t whole = KindOf(dtype) != DTypeKind::kUnsigned && random.Chance(50) ? -magnitude : magnitude;
  const double fraction = static_cast<double>(whole) / 7;
  std::uint64_t bits = 0;
  const auto put = [&](auto value) { std::memcpy(&bits, &value, sizeof(value)); };
  switch (dtype) {
    case DType::kBool:
      put(whole > 0);
      break;
    case DType::kFloat16:
      put(Float16(static_cast<float>(fraction)).bits);
      break;
    case DType::kBFloat16:
      put(BFloat16(static_cast<float>(fraction)).bits);
      break;
    case DType::kFloat32:
      put(static_cast<float>(fraction));
      break;
    case DType::kFloat64:
      put(fraction);
      break;
    default:
      put(whole);  // the lowest bytes
  }
  return bits;
}

// Some dims stretched for all but out, which has its elements once.
ByteStrides RandomStrides(Random& random, const Shape& shape, std::int64_t size, bool is_out) {
  ByteStrides strides = StridesOf(RandomView(random, shape.rank(), size, !is_out), shape, size);
  const std::int64_t kind = is_out ? 0 : random.Below(6);
  const std::int64_t split = random.Below(shape.rank() + 1);
  for (int d = 0; d < shape.rank(); ++d) {
    if ((kind == 1 && d < split) || (kind == 2 && d >= split) || (kind == 3 && d % 2 == 0) || kind == 4) strides[d] = 0;
  }
  return strides;
}

// Of an input with a single element for each row of the last dim.
ByteStrides ColumnStrides(const Shape& shape, std::int64_t size) {
  Shape column = shape;
  column[shape.rank() - 1] = 1;
  return StridesOf(ViewSpec::Dense(shape.rank()), column, size);
}

// Of an input whose dims `last` and the one before it are in the other order in memory.
ByteStrides SwappedStrides(const Shape& shape, std::int64_t size, int last) {
  if (last < 1) return ColumnStrides(shape, size);
  Shape swapped = shape;
  std::swap(swapped[last - 1], swapped[last]);
  ByteStrides strides = StridesOf(ViewSpec::Dense(shape.rank()), swapped, size);
  std::swap(strides[last - 1], strides[last]);
  return strides;
}

ByteStrides TransposedStrides(const Shape& shape, std::int64_t size) { return SwappedStrides(shape, size, shape.rank() - 1); }
// Of one whose rows jump about.
ByteStrides JumpingStrides(const Shape& shape, std::int64_t size) { return SwappedStrides(shape, size, shape.rank() - 2); }

// Of an input that has the last dim's elements once for all of the one before it.
ByteStrides RecurringStrides(const Shape& shape, std::int64_t size) {
  if (shape.rank() < 2) return ColumnStrides(shape, size);
  Shape once = shape;
  once[shape.rank() - 2] = 1;
  ByteStrides strides = StridesOf(ViewSpec::Dense(shape.rank()), once, size);
  strides[shape.rank() - 2] = 0;
  return strides;
}

Call RandomCall(Random& random) {
  Call call;
  const bool is_transposed = random.Chance(20), has_column = !is_transposed && random.Chance(10);
  const bool recurs = !is_transposed && !has_column && random.Chance(15);
  const bool jumps = !is_transposed && !has_column && !recurs && random.Chance(10);
  call.op = recurs || jumps ? random.Of(std::vector<const char*>{"add", "subtract"})
            : has_column || is_transposed
                ? "add"
                : random.Of(std::vector<const char*>{"abs", "add", "divide", "floor_divide", "less", "remainder", "where"});
  const std::vector<Kernel>& kernels = FindOp(call.op)->kernels();
  call.kernel = static_cast<std::size_t>(random.Below(static_cast<std::int64_t>(kernels.size())));
  std::int64_t budget = random.Chance(20) ? 20'000 : random.Chance(50) ? 3000 : 300;
  const std::int64_t rank = is_transposed ? random.Below(2) : recurs ? random.In(1, 2) : random.In(1, 4);
  for (int d = 0; d < rank; ++d) {
    const std::int64_t extent =
        std::min(random.Chance(30) ? random.In(1, 100) : random.In(1, 8), std::max<std::int64_t>(budget, 1));
    call.shape.push_back(extent);
    budget /= extent;
  }
  if (is_transposed) {  // squares, and parts of them
    call.shape.push_back(random.In(10, 60));
    call.shape.push_back(random.Chance(30) ? call.shape[call.shape.rank() - 1] : random.In(10, 60));  // as dense as if it were not
    budget = 1;
  }
  if (recurs) {
    call.shape.push_back(random.In(2, 12));
    call.shape.push_back(random.In(4, 150));
    budget = 1;
  }
  if (jumps) {
    call.shape = {random.In(2, 5), random.In(2, 6), random.In(2, 9), random.In(4, 100)};
    budget = 1;
  }
  if (budget > 1) call.shape[static_cast<int>(random.Below(rank))] *= budget;
  const int arity = FindOp(call.op)->arity();
  const std::int64_t special = has_column || is_transposed || recurs || jumps ? random.Below(arity) : -1;
  const std::int64_t gap =
      recurs && random.Chance(30) ? random.In(1, 20) : 0;  // elements, behind what all but one have for a step of dim 0
  for (int i = 0; i <= arity; ++i) {
    Operand operand;
    operand.dtype = i < arity ? kernels[call.kernel].inputs[i] : kernels[call.kernel].output;
    operand.strides = i == special   ? (is_transposed ? TransposedStrides
                                        : recurs      ? RecurringStrides
                                        : jumps       ? JumpingStrides
                                                      : ColumnStrides)(call.shape, operand.size())
                      : special >= 0 ? StridesOf(ViewSpec::Dense(call.shape.rank()), call.shape, operand.size())
                                     : RandomStrides(random, call.shape, operand.size(), i == arity);
    if (i != special && gap > 0) operand.strides[0] += gap * operand.size();
    if (i == special && recurs && call.shape.rank() > 2 && random.Chance(30)) operand.strides[0] *= random.Chance(50) ? 0 : -1;
    const Around around = AroundOf(call.shape, operand.strides, operand.size());
    operand.origin = around.before + (random.Chance(15) ? random.Below(9) : 0);
    operand.memory = random.RandomBytes(operand.origin + around.behind);
    if (i < arity) {
      ForEachIndex(call.shape, [&](const Index& index) {
        StoreBits(RandomElement(random, operand.dtype),
                  operand.memory.data() + operand.origin + OffsetAt(index, call.shape, operand.strides, 0), SizeOf(operand.dtype));
      });
    }
    call.operands.push_back(std::move(operand));
  }
  return call;
}

// All of out's memory when every element has the op's scalar meaning.
Bytes Expected(const Call& call) {
  const Kernel& kernel = FindOp(call.op)->kernels()[call.kernel];
  const int arity = FindOp(call.op)->arity();
  const Operand& out = call.operands.back();
  Bytes memory = out.memory;
  ForEachIndex(call.shape, [&](const Index& index) {
    alignas(16) std::byte elements[kMaxArity + 1][16];
    Tile tile = {};
    tile.rows = tile.cols = 1;
    const void* inputs[kMaxArity];
    for (int i = 0; i < arity; ++i) {
      const Operand& operand = call.operands[static_cast<std::size_t>(i)];
      std::memcpy(elements[i], operand.memory.data() + operand.origin + OffsetAt(index, call.shape, operand.strides, 0),
                  SizeOf(operand.dtype));
      inputs[i] = elements[i];
    }
    kernel.reference(tile, inputs, elements[kMaxArity]);
    std::memcpy(memory.data() + out.origin + OffsetAt(index, call.shape, out.strides, 0), elements[kMaxArity], SizeOf(out.dtype));
  });
  return memory;
}

// Which paths were taken.
using Counts = std::map<std::string, int>;

// Executes the call in a way that chance chooses; out's memory.
Bytes Execute(Random& random, const Call& call, std::string* way, Counts* counts) {
  const auto targets = Registry::SupportedTargets();
  const char* const target = random.Of(targets);
  const Registry* registry = nullptr;
  EXPECT_TRUE(Registry::BuiltInFor(target, &registry).ok());
  const Op& op = *registry->Find(call.op);

  std::vector<DType> dtypes;
  std::vector<ByteStrides> strides;
  std::vector<std::byte*> pointers;
  Bytes out = call.operands.back().memory;
  LayoutOptions options;
  for (const Operand& operand : call.operands) {
    const bool is_out = &operand == &call.operands.back();
    pointers.push_back((is_out ? out.data() : const_cast<std::byte*>(operand.memory.data())) + operand.origin);
    bool aligned = reinterpret_cast<std::uintptr_t>(pointers.back()) % SizeOf(operand.dtype) == 0;
    for (const std::int64_t stride : operand.strides) aligned = aligned && stride % operand.size() == 0;
    if (!aligned || random.Chance(10)) options.unaligned |= std::uint64_t{1} << dtypes.size();
    dtypes.push_back(operand.dtype);
    strides.push_back(operand.strides);
  }
  options.forced.col_dims = static_cast<int>(random.Below(5));
  options.forced.streams = random.Chance(25);
  options.forced.asks = random.Chance(50);
  options.forced.abreast = random.Chance(50);
  options.forced.joins = random.Chance(50);
  options.forced.other_halves = random.Chance(50);
  if (random.Chance(50)) options.forced.by_turns = {kMaxPartsByTurns, kMaxPartsByTurns, kMaxPartsByTurns, kMaxPartsByTurns};
  options.far = random.Chance(50);
  options.vector_bytes = random.Of(std::vector<std::int64_t>{1, 16, 32, 64, 128});
  options.forced.tile_bytes = random.Of(std::vector<std::int64_t>{0, 1, 64, 500, 2048, 5000, 100'000});
  Step step{&op.kernels()[call.kernel], op.arity(), {}, {}};
  for (int i = 0; i < op.arity(); ++i) step.values[i] = i;
  Layout layout = MakeLayout(Canonicalise(call.shape, strides), dtypes, {&step, 1}, options);
  EXPECT_LE(layout.scratch_bytes, kScratchBytes);
  layout.parallel = layout.tiles > 1 && random.Chance(50);
  if (layout.parallel) layout.seconds = 1;  // is shared, then
  layout.pieces = {random.In(1, std::min<std::int64_t>(layout.tiles, 5)), random.In(1, 4), static_cast<double>(random.In(0, 3)),
                   random.In(0, 2)};
  ExecuteOptions execute_options;
  execute_options.max_threads = static_cast<int>(random.In(0, 3));
  execute_options.stores = random.Of(std::vector<StorePolicy>{StorePolicy::kAuto, StorePolicy::kStream, StorePolicy::kCached});
  axiscast::Execute(layout, op.entry().kernels->movers, pointers.data(), execute_options);

  *way = std::string(target) + ", " + std::to_string(options.forced.col_dims) + " dims along cols, tiles of " +
         std::to_string(options.forced.tile_bytes) + " bytes, " + std::to_string(layout.tiles) + " tiles";
  for (int i = 0; i < static_cast<int>(call.operands.size()); ++i) {
    const bool is_out = i + 1 == static_cast<int>(call.operands.size());
    ++(*counts)[(is_out ? "out " : "") + DescribeDelivery(layout, i)];
  }
  if (layout.fold > 0) ++(*counts)[options.forced.streams ? "folded for streaming" : "folded"];
  if (layout.parallel) ++(*counts)["parallel"];
  if (!layout.parallel && layout.undivided) ++(*counts)["undivided"];
  if (layout.abreast) ++(*counts)["abreast"];
  if (layout.reordered_elements > 0 && layout.tiles > 1) ++(*counts)["reordered"];
  if (layout.parallel && layout.whole_from < static_cast<int>(layout.loops.size())) ++(*counts)["parallel, tiles joined"];
  if (layout.can_stream && execute_options.stores == StorePolicy::kStream) ++(*counts)["stored past the caches"];
  if (layout.can_stream && execute_options.stores != StorePolicy::kStream) {
    ++(*counts)[layout.asking_threads > 0 ? "stored into the caches, asked for" : "stored into the caches"];
  }
  return out;
}

// x's elements, whichever side is transposed, as another type.
template <typename T>
void ConvertFirst(const Tile& tile, const void* const* inputs, void* result) {
  const TileInput& x = tile.in[0];
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    for (std::int64_t c = 0; c < tile.cols; ++c) {
      const auto* line = static_cast<const std::byte*>(inputs[0]) + (x.transposed ? c : r) * x.row_stride;
      float value;
      std::memcpy(&value, line + (x.transposed ? r : c) * std::int64_t{4}, sizeof(value));
      reinterpret_cast<T*>(static_cast<std::byte*>(result) + r * tile.out_row_stride)[c] = static_cast<T>(value);
    }
  }
}

template <typename T>
void ExpectConverted(DType dtype) {
  constexpr std::int64_t kRows = 750, kCols = 310;
  std::vector<float> x(kRows * kCols), y(kRows * kCols);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 251);
  std::vector<T> out(x.size());
  Kernel kernel = {{DType::kFloat32, DType::kFloat32}, dtype, dtype, &ConvertFirst<T>};
  kernel.abilities.transposes = true;
  const Step step{&kernel, 2, {0, 1}, {}};
  constexpr std::int64_t kSize = sizeof(T);
  const std::vector<ByteStrides> strides = {{4, 4 * kRows}, {4 * kCols, 4}, {kSize * kCols, kSize}};
  const std::vector<DType> dtypes = {DType::kFloat32, DType::kFloat32, dtype};
  LayoutOptions options;
  options.far = true;
  Layout layout = MakeLayout(Canonicalise({kRows, kCols}, strides), dtypes, {&step, 1}, options);
  ASSERT_EQ(DescribeDelivery(layout, 0), "transposed");
  ASSERT_GT(layout.tiles, 1);
  std::byte* const pointers[] = {reinterpret_cast<std::byte*>(x.data()), reinterpret_cast<std::byte*>(y.data()),
                                 reinterpret_cast<std::byte*>(out.data())};
  axiscast::Execute(layout, FindOp("add")->entry().kernels->movers, pointers, {});
  for (std::int64_t r = 0; r < kRows; ++r) {
    for (std::int64_t c = 0; c < kCols; ++c) {
      ASSERT_EQ(out[static_cast<std::size_t>(r * kCols + c)], static_cast<T>(x[static_cast<std::size_t>(c * kRows + r)]))
          << r << ", " << c;
    }
  }
}

// Nobody's divisors lie like this, but they may.
TEST(ForcedTiling, ChecksOfTransposesReadNoNextTile) {
  constexpr std::int64_t kRows = 600, kCols = 500;
  const DType dtypes[] = {DType::kInt32};
  LayoutOptions options;
  const DType both[] = {DType::kInt32, DType::kInt32};
  options.check = FindOp("floor_divide")->FindKernel(both)->check;
  options.unaligned = 1;
  options.far = true;
  const Layout layout = MakeLayout(Canonicalise({kRows, kCols}, std::vector<ByteStrides>{{4, 2}}), dtypes, {}, options);
  ASSERT_TRUE(layout.transposes && layout.far);
  ASSERT_GT(layout.tiles, 1);
  std::vector<std::byte> memory(4 * kRows + 2 * kCols + 2, std::byte{1});
  const Movers& movers = FindOp("add")->entry().kernels->movers;
  EXPECT_FALSE(ExecuteCheck(layout, movers, memory.data(), {}));
  const std::int32_t zero = 0;
  std::memcpy(memory.data() + 321 * 4 + 234 * 2, &zero, sizeof(zero));
  EXPECT_TRUE(ExecuteCheck(layout, movers, memory.data(), {}));
}

// No built-in kernel takes a transposed input to a result of another size; own ones may.
TEST(ForcedTiling, TransposedTilesHaveResultsOfAnySize) {
  ExpectConverted<double>(DType::kFloat64);
  ExpectConverted<float>(DType::kFloat32);
  ExpectConverted<std::uint8_t>(DType::kUInt8);
}

// (batch, n, 1) and (batch, 1, m): both are stretched along short rows. Returns how often one was permuted.
template <typename T>
int ExpectPairs() {
  int permuted = 0;
  for (const std::int64_t batch : {1, 3}) {
    for (const std::int64_t n : {2, 17, 100, 2000}) {
      for (const std::int64_t m : {2, 3, 5, 8, 13, 16, 31}) {
        for (const bool exchanged : {false, true}) {
          const auto count = [](std::int64_t extent) { return static_cast<std::size_t>(extent); };
          std::vector<T> x(count(batch * n)), y(count(batch * m)), out(count(batch * n * m + 1), T{99});
          for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i % 53);
          for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(i % 37);
          TensorView views[] = {{x.data(), kDTypeOf<T>, {batch, n, 1}}, {y.data(), kDTypeOf<T>, {batch, 1, m}}};
          if (exchanged) std::swap(views[0], views[1]);
          Plan plan;
          const Status made =
              Plan::Make(*FindOp("subtract"), {views[0], views[1]}, {out.data(), kDTypeOf<T>, {batch, n, m}}, {}, &plan);
          EXPECT_TRUE(made.ok()) << made.message();
          const PlanDescription description = plan.Describe();
          permuted += description.operands[exchanged ? 1 : 0].delivery == "permuted";
          for (const int threads : {1, 0}) {
            const void* const inputs[] = {views[0].data, views[1].data};
            ExecuteOptions options;
            options.max_threads = threads;
            EXPECT_TRUE(plan.Execute(inputs, out.data(), options).ok());
            for (std::int64_t i = 0; i < batch * n * m; ++i) {
              const T a = x[count(i / m)], b = y[count(i / (n * m) * m + i % m)];
              const T expected = static_cast<T>(exchanged ? b - a : a - b);
              EXPECT_EQ(out[count(i)], expected) << batch << " x " << n << " x " << m << ", element " << i;
              if (out[count(i)] != expected) return -1;
            }
            EXPECT_EQ(out.back(), T{99});
          }
        }
      }
    }
  }
  return permuted;
}

TEST(ForcedTiling, PairsOfShortRows) {
  const int permuted = ExpectPairs<std::int8_t>() + ExpectPairs<std::int16_t>() + ExpectPairs<float>() + ExpectPairs<double>();
  if (AnyTargetPermutes()) {
    EXPECT_GE(permuted, 20);
  }
}

TEST(ForcedTiling, NoResultDependsOnThePath) {
  const std::uint64_t seed = FromEnvironment("AXISCAST_SEED", 4);
  const std::uint64_t cases = FromEnvironment("AXISCAST_CASES", 3000);
  std::printf("AXISCAST_SEED=%llu AXISCAST_CASES=%llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(cases));
  Counts counts;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Random random(seed + i);
    const Call call = RandomCall(random);
    const Bytes expected = Expected(call);
    for (int ways = 0; ways < 6; ++ways) {
      std::string way;
      const Bytes found = Execute(random, call, &way, &counts);
      const std::size_t byte =
          static_cast<std::size_t>(std::mismatch(expected.begin(), expected.end(), found.begin()).first - expected.begin());
      ASSERT_EQ(byte, expected.size()) << "case " << i << " (AXISCAST_SEED=" << seed + i << " AXISCAST_CASES=1): " << call.op << " "
                                       << NameOf(call.operands.front().dtype) << ", " << way << "; the first byte that differs";
    }
  }
  for (const auto& [name, count] : counts) std::printf("  %-32s %d\n", name.c_str(), count);
  if (cases < 3000) return;  // too few to say anything about how often each kind occurs
  if (AnyTargetPermutes()) {
    EXPECT_GE(counts["permuted"], 20);
  }
  if (AnyTargetTransposes()) {
    EXPECT_GE(counts["transposed"], 20);
  }
  if (AnyTargetRecurs()) {
    EXPECT_GE(counts["recurring"], 20);
  }
  if (AnyTargetSpreads()) {
    EXPECT_GE(counts["out spread"], 20);
  }
  if (AnyTargetAsks()) {
    EXPECT_GE(counts["stored into the caches, asked for"], 20);
  }
  EXPECT_GE(counts["abreast"], 20);
  EXPECT_GE(counts["reordered"], 20);
  EXPECT_GE(counts["undivided"], 20);
  for (const char* name : {"streamed", "splat", "staged: pattern", "staged: repeat-each", "staged: transpose", "staged: gather",
                           "staged: runs", "staged: unaligned", "staged: unaligned splat", "out streamed", "out staged: gather",
                           "out staged: runs", "out staged: unaligned", "folded", "folded for streaming", "parallel",
                           "parallel, tiles joined", "stored past the caches", "stored into the caches"}) {
    EXPECT_GE(counts[name], 20) << name;
  }
}

}  // namespace
}  // namespace axiscast::test
