// Random calls of gather, scatter and scatter_add against plain loops over multi-indices: modes, dtypes, strides, reductions,
// aliasing, refusals, threads and targets. AXISCAST_SEED and AXISCAST_CASES choose others and more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/index_oracle.h"
#include "tests/testing/sanitizers.h"
#include "tests/testing/thread_pools.h"

namespace axiscast::test {
namespace {

constexpr std::uint64_t kSmallCases = AXISCAST_TEST_SANITIZED ? 20000 : 120000;  // with AddressSanitizer ten times as long each

const std::vector<std::string> kModes = {"broadcast", "prefix", "same_rank"};
const std::vector<std::string> kReduces = {"assign", "add", "mul", "mean", "amin", "amax"};

struct IndexCase {
  std::string op;
  IndexArguments arguments;
  DType dtype;
  DType index_dtype;
  std::vector<Shape> shapes;  // of the inputs
  bool in_place;
  bool bad_index;
  std::uint64_t seed;
  std::int64_t budget;  // elements: small calls run on one thread
};

std::string ToText(const IndexCase& c) {
  std::string text = c.op + " mode " + c.arguments.mode + " dim " + std::to_string(c.arguments.dim) + " reduce " +
                     c.arguments.reduce + (c.arguments.include_self ? " include_self" : "") +
                     (c.arguments.wrap_negative ? " wrap_negative" : "") + " " + NameOf(c.dtype) + " " + NameOf(c.index_dtype) +
                     (c.in_place ? " in place" : "") + (c.bad_index ? " bad index" : "");
  for (const Shape& shape : c.shapes) {
    text += " [";
    for (const std::int64_t extent : shape) text += (text.back() == '[' ? "" : ", ") + std::to_string(extent);
    text += "]";
  }
  return text + " seed " + std::to_string(c.seed);
}

std::int64_t ExtentIn(Random& random, std::int64_t highest) {
  if (random.Chance(20)) return 1;
  return random.Chance(4) ? 0 : random.In(1, highest);
}

// Shapes that fit, but for one in ten, in which something is changed.
IndexCase RandomIndexCase(Random& random, std::int64_t budget) {
  IndexCase c;
  c.budget = budget;
  c.op = random.Of(std::vector<std::string>{"gather", "scatter", "scatter_add"});
  IndexArguments& a = c.arguments;
  a = {random.Of(kModes), 0, random.Chance(30), "assign", true};
  if (c.op == "scatter") a.reduce = random.Of(kReduces), a.include_self = random.Chance(60);
  if (c.op == "scatter_add") a.reduce = "add";
  do {
    c.dtype = kDTypes[random.Below(kDTypeCount)].dtype;
  } while (c.dtype == DType::kBool && a.reduce != "assign");
  c.index_dtype = random.Chance(50) ? DType::kInt32 : DType::kInt64;
  const int rank = static_cast<int>(random.Chance(5) ? 0 : random.In(1, budget > 1000 ? 3 : 4));
  const std::int64_t highest = budget > 1000 ? (rank == 1 ? 20 * budget : rank == 2 ? 300 : 60) : 5;
  Shape data, index, src;
  const int index_rank = rank == 0               ? static_cast<int>(random.Below(2))
                         : a.mode == "broadcast" ? static_cast<int>(random.In(rank == 1 ? 0 : 1, rank))
                                                 : rank;
  const int counted = std::max(index_rank, 1);
  a.dim = random.In(-counted, counted - 1);
  const int d = static_cast<int>(a.dim < 0 ? a.dim + counted : a.dim);
  for (int i = 0; i < rank; ++i) {
    data.push_back(ExtentIn(random, highest));
    const std::int64_t free = ExtentIn(random, highest);
    std::int64_t of_index = i == d ? free : random.Chance(70) || data[i] == 1 ? data[i] : 1;
    if (a.mode == "prefix" && i != d) of_index = random.In(0, data[i]);
    if (a.mode != "prefix" && data[i] == 1 && random.Chance(40)) of_index = i == d ? of_index : free;
    if (i < index_rank) index.push_back(of_index);
    const std::int64_t facing = i >= index_rank ? (i == d ? 1 : data[i]) : i == d ? of_index : of_index == 1 ? data[i] : of_index;
    std::int64_t of_src = a.mode == "prefix" ? (i < index_rank ? of_index : 1) + random.Below(3) : random.Chance(70) ? facing : 1;
    if (a.mode == "broadcast" && facing == 1 && random.Chance(30)) of_src = ExtentIn(random, highest);
    src.push_back(of_src);
  }
  if (rank == 0 && index_rank == 1) index = {a.mode == "prefix" ? 1 : ExtentIn(random, highest)};
  if (random.Chance(10)) src = {};
  Shape* const changed = std::vector<Shape*>{&data, &index, &src}[static_cast<std::size_t>(random.Below(3))];
  if (random.Chance(8) && changed->rank() > 0) (*changed)[static_cast<int>(random.Below(changed->rank()))] = ExtentIn(random, 5);
  if (random.Chance(2)) a.dim += random.In(-2, 2);
  if (random.Chance(2)) changed->push_back(1);
  c.shapes = {data, index};
  if (c.op != "gather") c.shapes.push_back(src);
  c.in_place = random.Chance(25);
  c.bad_index = random.Chance(8);
  c.seed = random.Bits();
  return c;
}

// An operand in memory of its own, or in that of the result.
struct Placed {
  Shape shape;
  DType dtype;
  ByteStrides strides;
  std::int64_t before;  // bytes in front of its first element
  Bytes* memory;
  std::int64_t at = 0;

  std::byte* data() const { return memory->data() + at + before; }
  TensorView view() const { return {data(), dtype, shape, strides}; }
  DenseArray Read() const {
    DenseArray dense{dtype, shape, {}};
    ForEachIndex(shape, [&](const Index& index) {
      const std::byte* from = data() + OffsetAt(index, shape, strides, 0);
      dense.bytes.insert(dense.bytes.end(), from, from + SizeOf(dtype));
    });
    return dense;
  }
};

Placed Place(Random& random, const Shape& shape, DType dtype, bool may_overlap_itself, Bytes* memory, bool shared) {
  const auto size = static_cast<std::int64_t>(SizeOf(dtype));
  const ByteStrides strides = StridesOf(RandomView(random, shape.rank(), size, may_overlap_itself), shape, size);
  const Around around = AroundOf(shape, strides, size);
  Placed placed{shape, dtype, strides, around.before, memory};
  placed.at = random.Chance(20) ? random.Below(16) : 0;
  if (shared) placed.at = random.Below(static_cast<std::int64_t>(memory->size()) + 1);
  const auto needed = static_cast<std::size_t>(placed.at + around.before + around.behind + 16);
  while (memory->size() < needed) memory->push_back(static_cast<std::byte>(random.Bits()));
  return placed;
}

// Ordinary and special values: random bytes are seldom equal, infinite or small.
void FillValues(Random& random, const Placed& placed) {
  const testing::Values values = testing::Mixture(placed.dtype, 64, static_cast<unsigned>(random.Bits()));
  ForEachIndex(placed.shape, [&](const Index& index) {
    std::memcpy(placed.data() + OffsetAt(index, placed.shape, placed.strides, 0),
                values.at(static_cast<std::size_t>(random.Below(64))), values.size);
  });
}

void FillIndex(Random& random, const IndexCase& c, const Placed& placed, std::int64_t extent) {
  const bool clustered = random.Chance(30);
  ForEachIndex(placed.shape, [&](const Index& index) {
    const std::int64_t lowest = c.arguments.wrap_negative ? -extent : 0;
    std::int64_t value = extent > 0 ? random.In(lowest, clustered ? std::min<std::int64_t>(extent - 1, 1) : extent - 1) : 0;
    if (c.bad_index && random.Chance(10))
      value = random.Of(std::vector<std::int64_t>{extent, -extent - 1, INT32_MAX, INT32_MIN, -1});
    std::memcpy(placed.data() + OffsetAt(index, placed.shape, placed.strides, 0), &value, SizeOf(placed.dtype));
  });
}

// What is wrong, or nothing.
std::string RunIndexCase(const IndexCase& c) {
  Random random(c.seed);
  const IndexArguments& a = c.arguments;
  const bool gather = c.op == "gather";
  const IndexedShapes shapes = ShapesOf(a, c.shapes[0], c.shapes[1], gather ? nullptr : &c.shapes[2]);
  const bool fits = shapes.fits && (!c.in_place || shapes.result == c.shapes[0]);
  const Shape out_shape = c.in_place ? c.shapes[0] : fits ? shapes.result : Shape{2, 2};

  // Memory, all of it before any of it is written: operands that share the result's would otherwise move.
  std::vector<Bytes> blocks(4);
  for (Bytes& block : blocks) block.reserve(1 << 20);
  const bool overlaps = random.Chance(25);
  const Placed out = Place(random, out_shape, c.dtype, false, &blocks[3], false);
  std::vector<Placed> inputs;
  for (std::size_t i = 0; i < c.shapes.size(); ++i) {
    const bool shared = overlaps && random.Chance(40);
    if (i == 0 && c.in_place) {
      inputs.push_back(out);
    } else if (i == 0 && random.Chance(10) && c.shapes[0] == out_shape) {
      inputs.push_back(out);  // exactly the result, and not in place
    } else {
      inputs.push_back(Place(random, c.shapes[i], i == 1 ? c.index_dtype : c.dtype, true, &blocks[shared ? 3 : i], shared));
    }
  }
  FillValues(random, out);
  FillValues(random, inputs[0]);
  if (!gather) FillValues(random, inputs[2]);
  const std::int64_t extent = shapes.fits ? (c.shapes[0].rank() == 0 ? 1 : c.shapes[0][shapes.d]) : 1;
  FillIndex(random, c, inputs[1], extent);

  DenseArray index = inputs[1].Read();
  const bool in_range = fits && AllInRange(a, index, extent);
  Bytes expected = blocks[3];
  DenseArray result{c.dtype, {}, {}};
  if (in_range) {
    result = gather ? NaiveGather(a, inputs[0].Read(), index)
                    : NaiveScatter(a, inputs[0].Read(), index, inputs[2].Read(), c.in_place || inputs[0].data() == out.data());
  }

  const std::vector<const char*> targets = Registry::SupportedTargets();
  const Registry* registry = nullptr;
  if (!Registry::BuiltInFor(random.Of(targets), &registry).ok()) return "no target";
  const Op& op = *registry->Find(c.op);
  ApplyOptions options;
  options.attributes = {{"dim", a.dim}, {"mode", a.mode.c_str()}, {"wrap_negative", a.wrap_negative}};
  if (c.op == "scatter") {
    options.attributes.emplace_back("reduce", a.reduce.c_str());
    options.attributes.emplace_back("include_self", a.include_self);
  }
  const ForeignPool pool(kPoolHabits[random.Below(4)], static_cast<int>(random.In(1, 5)));
  if (random.Chance(60)) options.pool = pool.get();
  options.max_threads = static_cast<int>(random.Below(4));
  const MutableTensorView destination(out.data(), out.dtype, out.shape, out.strides);
  Status status;
  if (c.in_place) {
    status = gather ? ApplyInPlace(op, destination, {inputs[1].view()}, options)
                    : ApplyInPlace(op, destination, {inputs[1].view(), inputs[2].view()}, options);
  } else {
    std::vector<TensorView> views;
    for (const Placed& input : inputs) views.push_back(input.view());
    status = Apply(op, views.data(), views.size(), destination, options);
  }
  const StatusCode wanted = in_range ? StatusCode::kOk : StatusCode::kOutOfRange;
  if (fits && status.code() != wanted)
    return std::string("must be ") + NameOf(wanted) + "; got " + NameOf(status.code()) + ": " + status.message();
  if (!fits && status.code() != StatusCode::kInvalidShape && status.code() != StatusCode::kOutOfRange)
    return std::string("must be refused; got ") + NameOf(status.code());
  std::string wrong;
  if (in_range) {
    ForEachIndex(out.shape, [&](const Index& at) {
      const std::int64_t offset = out.at + out.before + OffsetAt(at, out.shape, out.strides, 0);
      const std::byte* value = result.Facing(at);
      std::byte* actual = blocks[3].data() + offset;
      if (!testing::SameResult(c.dtype, actual, value, 0)) {
        if (wrong.empty()) wrong = "an element is " + testing::ToText(c.dtype, actual) + ", not " + testing::ToText(c.dtype, value);
        return;
      }
      std::memcpy(expected.data() + offset, actual, SizeOf(c.dtype));  // a NaN is any NaN
    });
  }
  if (wrong.empty() && expected != blocks[3]) wrong = "bytes that are not the result's were written";
  return wrong;
}

void RunCases(const char* what, std::int64_t count, std::int64_t budget) {
  const std::uint64_t seed = FromEnvironment("AXISCAST_SEED", 20240611);
  std::printf("%s: AXISCAST_SEED=%llu, %lld cases\n", what, static_cast<unsigned long long>(seed), static_cast<long long>(count));
  Random random(seed);
  std::int64_t fitting = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const IndexCase c = RandomIndexCase(random, budget);
    fitting += ShapesOf(c.arguments, c.shapes[0], c.shapes[1], c.op == "gather" ? nullptr : &c.shapes[2]).fits;
    const std::string wrong = RunIndexCase(c);
    ASSERT_EQ(wrong, "") << "case " << i << ": " << ToText(c);
  }
  EXPECT_GT(fitting, count * 6 / 10);
  EXPECT_LT(fitting, count * 99 / 100);
}

TEST(GatherRandom, SmallCallsAreWhatPlainLoopsGive) {
  RunCases("small", static_cast<std::int64_t>(FromEnvironment("AXISCAST_CASES", kSmallCases)), 100);
}

TEST(GatherRandom, LargeCallsAreWhatPlainLoopsGiveOnAnyThreads) {
  RunCases("large", static_cast<std::int64_t>(FromEnvironment("AXISCAST_CASES", 300)), 30000);
}

}  // namespace
}  // namespace axiscast::test
