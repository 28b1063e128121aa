// Plans: what they say of themselves, huge ones, ones shared by threads, and the threads that they run on.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/thread_pools.h"

namespace axiscast {
namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 62;

TEST(Plan, InferOutputSaysWhatApplyWouldWrite) {
  const TensorView inputs[] = {{nullptr, DType::kFloat64, {2, 3, 4}}, {nullptr, DType::kFloat64, {3}}};
  PlanOptions options;
  options.axis = 1;
  Shape shape{9};
  DType dtype = DType::kInt8;
  ASSERT_TRUE(InferOutput(*FindOp("less"), inputs, 2, options, &shape, &dtype).ok());
  EXPECT_EQ(shape, (Shape{2, 3, 4}));
  EXPECT_EQ(dtype, DType::kBool);
  shape = {9};
  options.axis = 0;
  EXPECT_EQ(InferOutput(*FindOp("less"), inputs, 2, options, &shape, &dtype).code(), StatusCode::kInvalidShape);
  EXPECT_EQ(shape, (Shape{9}));
}

TEST(Plan, InferOutputRefusesAttributesAsPlansDo) {
  const TensorView x{nullptr, DType::kFloat32, {3}};
  PlanOptions options;
  options.attributes = {{"mim", 1}};
  Shape shape{9};
  DType dtype = DType::kInt8;
  const Status status = InferOutput(*FindOp("clip"), &x, 1, options, &shape, &dtype);
  EXPECT_EQ(status.code(), StatusCode::kUnknownName);
  EXPECT_STREQ(status.message(), "clip: there is no attribute of clip \"mim\"; did you mean min; there are: min, max");
  EXPECT_EQ(shape, (Shape{9}));
  EXPECT_EQ(dtype, DType::kInt8);
}

// Plans outlive the call that makes them; std::pmr's default resource is the user's, and may not.
TEST(Plan, KeepsNothingInTheDefaultResource) {
  struct Counting : std::pmr::memory_resource {
    int allocations = 0;
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
      ++allocations;
      return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override {
      std::pmr::new_delete_resource()->deallocate(data, bytes, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
  } counting;
  std::pmr::memory_resource* const before = std::pmr::set_default_resource(&counting);
  std::vector<std::int32_t> x(120, 1), y(12, 2), out(120);
  ApplyOptions options;
  options.axis = 1;
  EXPECT_TRUE(Apply(*FindOp("add"), {{x.data(), {2, 3, 4, 5}}, {y.data(), {3, 4}}}, {out.data(), {2, 3, 4, 5}}, options).ok());
  // Overlapping: the input is copied first.
  EXPECT_TRUE(Apply(*FindOp("negative"), {{x.data(), {100}}}, {x.data() + 3, {100}}).ok());
  options.attributes = {{"shape", Shape{3, 4}}};
  EXPECT_TRUE(Apply(*FindOp("sum_to"), {{x.data(), {2, 3, 4, 5}}}, {y.data(), {3, 4}}, options).ok());
  EXPECT_EQ(counting.allocations, 0);
  std::pmr::set_default_resource(before);
}

TEST(Plan, DescribesItself) {
  // A channel operand on NCHW: 3 dims, and y's bytes count once.
  Plan plan;
  PlanOptions options;
  options.axis = 1;
  const TensorView x{nullptr, DType::kFloat32, {4, 64, 28, 28}}, y{nullptr, DType::kFloat32, {64}};
  ASSERT_TRUE(Plan::Make(*FindOp("add"), {x, y}, {nullptr, DType::kFloat32, {4, 64, 28, 28}}, options, &plan).ok());
  EXPECT_EQ(plan.shape(), (Shape{4, 64, 28, 28}));
  const PlanDescription description = plan.Describe();
  EXPECT_EQ(description.shape, (Shape{4, 64, 28, 28}));
  EXPECT_EQ(description.extents, (std::vector<std::int64_t>{4, 64, 784}));
  ASSERT_EQ(description.operands.size(), 3u);
  EXPECT_EQ(description.operands[0].name, "x");
  EXPECT_EQ(description.operands[1].name, "y");
  EXPECT_EQ(description.operands[2].name, "out");
  EXPECT_EQ(description.operands[0].byte_strides, (std::vector<std::int64_t>{200704, 3136, 4}));
  EXPECT_EQ(description.operands[1].byte_strides, (std::vector<std::int64_t>{0, 4, 0}));
  EXPECT_EQ(description.operands[0].delivery, "streamed");
  EXPECT_EQ(description.operands[1].delivery, "splat");
  EXPECT_EQ(description.operands[0].unique_bytes, 4 * 64 * 784 * 4);
  EXPECT_EQ(description.operands[1].unique_bytes, 64 * 4);
  EXPECT_EQ(description.store, "direct");
  EXPECT_GE(description.tiles * description.tile_rows * description.tile_cols, 4 * 64 * 784);
  EXPECT_TRUE(description.parallel);
  EXPECT_GT(description.estimated_seconds, 1e-6);
  EXPECT_LT(description.estimated_seconds, 1e-2);

  ASSERT_TRUE(
      Plan::Make(*FindOp("add"), {{nullptr, DType::kFloat32, {0, 3}}, y}, {nullptr, DType::kFloat32, {0, 3}}, {}, &plan).code() ==
      StatusCode::kInvalidShape);
  ASSERT_TRUE(
      Plan::Make(*FindOp("sqrt"), {{nullptr, DType::kFloat32, {0, 3}}}, {nullptr, DType::kFloat32, {0, 3}}, {}, &plan).ok());
  EXPECT_EQ(plan.Describe().store, "nothing to write");
  EXPECT_TRUE(Plan().Describe().operands.empty());
}

void Nothing(const Tile&, const void* const*, void*) {}
bool RefuseNothing(const Tile&, const void*) { return false; }

PlanDescription DescribeOwnOp(const Kernel& kernel) {
  OpDefinition definition{};
  definition.info.name = "own";
  definition.info.arity = 1;
  definition.info.doc = "for its estimate";
  if (kernel.check != nullptr) {
    definition.info.checked_operand = 0;
    definition.info.check_code = StatusCode::kInvalidArgument;
    definition.info.check_message = "refused";
  }
  definition.kernels = {kernel};
  RegistryBuilder builder(Registry::BuiltIn());
  EXPECT_TRUE(builder.Add(definition).ok());
  const Registry registry = builder.Build();
  const Shape shape{10'000};
  Plan plan;
  EXPECT_TRUE(
      Plan::Make(*registry.Find("own"), {{nullptr, DType::kFloat32, shape}}, {nullptr, DType::kFloat32, shape}, {}, &plan).ok());
  return plan.Describe();
}

// 120 KB each way are not worth a second thread, a hundred cycles for every 64 bytes of them are.
TEST(Plan, KnowsWhatAnOpsArithmeticTakes) {
  Kernel kernel{{DType::kFloat32}, DType::kFloat32, DType::kFloat32, &Nothing};
  const PlanDescription light = DescribeOwnOp(kernel);
  EXPECT_FALSE(light.parallel);
  kernel.check = &RefuseNothing;
  EXPECT_GT(DescribeOwnOp(kernel).estimated_seconds, 1.2 * light.estimated_seconds) << "the check reads its operand once more";
  kernel.check = nullptr;
  kernel.cycles = 100;
  const PlanDescription heavy = DescribeOwnOp(kernel);
  EXPECT_TRUE(heavy.parallel);
  EXPECT_GT(heavy.estimated_seconds, 5 * light.estimated_seconds);
}

// What a division by one value takes is counted where kernels do it: not for short rows of a value each.
TEST(Plan, KnowsWhatAnOpTakesByOneValue) {
  const auto arithmetic_of = [](const Shape& x, const Shape& y) {
    Plan plan;
    EXPECT_TRUE(Plan::Make(*FindOp("floor_divide"), {{nullptr, DType::kInt32, x}, {nullptr, DType::kInt32, y}},
                           {nullptr, DType::kInt32, x}, {}, &plan)
                    .ok());
    for (const PlanDescription::Part& part : plan.Describe().parts) {
      if (part.name == "arithmetic") return part.seconds;
    }
    return 0.0;
  };
  const double full = arithmetic_of({100, 256}, {100, 256});
  EXPECT_LT(arithmetic_of({100, 256}, {}), full / 2);
  EXPECT_LT(arithmetic_of({100, 256}, {100, 1}), full / 2);
  EXPECT_GT(arithmetic_of({200, 128}, {200, 1}), full / 2) << "rows of 512 bytes may be joined to longer ones";
}

// A second thread would be late for 1 us of work: few tiles. One that pays finds tiles small enough to be shared evenly.
TEST(Plan, CutsSmallWhatThreadsShare) {
  Plan plan;
  const auto tiles = [&](const Shape& x, const Shape& y) {
    EXPECT_TRUE(Plan::Make(*FindOp("add"), {{nullptr, DType::kFloat32, x}, {nullptr, DType::kFloat32, y}},
                           {nullptr, DType::kFloat32, x}, {}, &plan)
                    .ok());
    return plan.Describe().tiles;
  };
  EXPECT_EQ(tiles({10'000}, {}), 1);
  EXPECT_EQ(tiles({3'000, 3}, {3}), 1) << "an image is staged, of which one is enough";
  EXPECT_GE(tiles({1 << 20}, {}), 64);
  EXPECT_GE(tiles({1 << 20, 3}, {3}), 64);
}

double SumOf(const PlanDescription& description) {
  double sum = 0;
  for (const PlanDescription::Part& part : description.parts) sum += part.seconds;
  return sum;
}

std::string NamesOf(const PlanDescription& description) {
  std::string names;
  for (const PlanDescription::Part& part : description.parts) {
    EXPECT_GT(part.seconds, 0) << part.name;
    EXPECT_NE(part.counted, "") << part.name;
    names += (names.empty() ? "" : " ") + part.name;
  }
  return names;
}

// A part of a plan is refused where an input must be copied first, so that this says which bytes count as shared.
TEST(Plan, SeesEveryByteThatAnInputSharesWithOut) {
  alignas(64) static std::int8_t memory[500], y[100];
  std::int8_t* const out = memory + 200;
  Plan dense, every_second, backwards;
  const TensorView x = {nullptr, DType::kInt8, {50}}, gaps = {nullptr, DType::kInt8, {50}, {2}},
                   back = {nullptr, DType::kInt8, {50}, {-1}};
  const TensorView y_view = {nullptr, DType::kInt8, {50}};
  const MutableTensorView out_view = {nullptr, DType::kInt8, {50}};
  ASSERT_TRUE(Plan::Make(*FindOp("add"), {x, y_view}, out_view, {}, &dense).ok());
  ASSERT_TRUE(Plan::Make(*FindOp("add"), {gaps, y_view}, out_view, {}, &every_second).ok());
  ASSERT_TRUE(Plan::Make(*FindOp("add"), {back, y_view}, out_view, {}, &backwards).ok());
  const auto shares = [&](const Plan& plan, int distance) {
    const void* inputs[] = {out + distance, y};
    const Status status = plan.ExecutePart(inputs, out, 0, 2);
    EXPECT_TRUE(status.ok() || status.code() == StatusCode::kUnsupported) << status.message();
    return !status.ok();
  };
  for (int distance = -100; distance <= 100; ++distance) {
    SCOPED_TRACE(distance);
    EXPECT_EQ(shares(dense, distance), distance > -50 && distance < 50 && distance != 0);
    EXPECT_EQ(shares(every_second, distance), distance > -99 && distance < 50);
    EXPECT_EQ(shares(backwards, distance), distance >= 0 && distance < 99);
  }
}

TEST(Plan, SaysWhatItsEstimateIsTheSumOf) {
  // What comes again in every row is staged, and kept in registers; or put in order by the kernel.
  const DType inputs[] = {DType::kFloat32, DType::kFloat32};
  const bool permutes = FindOp("add")->FindKernel(inputs)->abilities.permutes > 0;
  const bool transposes = FindOp("add")->FindKernel(inputs)->abilities.transposes;
  struct Row {
    const char* op;
    DType dtype;
    Shape x, y;
    ByteStrides y_strides;
    std::string parts;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"add", DType::kFloat32, {5000}, {5000}, {4}, "bytes rows call"},
           {"divide", DType::kFloat32, {1000}, {1000}, {4}, "bytes arithmetic rows call"},
           {"remainder", DType::kFloat32, {5000, 3}, {3}, {4}, "bytes arithmetic rows tiles staging call"},
           {"add", DType::kFloat32, {5000, 2}, {2}, {4}, permutes ? "bytes rows call" : "bytes tiles staging call"},
           {"add", DType::kFloat32, {5000, 32}, {32}, {4}, "bytes call"},
           {"add",
            DType::kFloat32,
            {256, 256},
            {256, 256},
            {4, 1024},
            transposes ? "bytes tiles transposing call" : "bytes rows tiles transposing call"},
           {"remainder", DType::kFloat32, {40, 40}, {40, 40}, {4, 160}, "bytes arithmetic rows tiles transposing call"},
           {"add", DType::kFloat32, {5000}, {5000}, {400}, "bytes rows tiles gathering call"},
           {"floor_divide", DType::kInt32, {5000}, {5000}, {4}, "bytes arithmetic rows call check"}}) {
    Plan plan;
    ASSERT_TRUE(Plan::Make(*FindOp(row.op), {{nullptr, row.dtype, row.x}, {nullptr, row.dtype, row.y, row.y_strides}},
                           {nullptr, row.dtype, row.x}, {}, &plan)
                    .ok());
    const PlanDescription description = plan.Describe();
    EXPECT_EQ(NamesOf(description), row.parts) << row.op;
    EXPECT_NEAR(SumOf(description), description.estimated_seconds, 1e-6 * description.estimated_seconds) << row.op;
  }
  const PlanDescription nothing = Plan().Describe();
  EXPECT_TRUE(nothing.parts.empty());
}

// Sizes of nothing that could be memory, but that a plan can be made for: nothing in planning overflows.
TEST(Plan, PlansForHugeViewsWithoutOverflow) {
  Plan plan;
  const Shape shape{std::int64_t{1} << 30, std::int64_t{1} << 31};
  const TensorView window{nullptr, DType::kFloat64, shape, {8, 8}}, one{nullptr, DType::kFloat64, {}};
  ASSERT_TRUE(Plan::Make(*FindOp("less"), {window, one}, {nullptr, DType::kBool, shape}, {}, &plan).ok());
  EXPECT_GT(plan.Describe().operands[0].unique_bytes, 0);
  const TensorView flat{nullptr, DType::kFloat64, {kHuge}, {0}};
  ASSERT_TRUE(Plan::Make(*FindOp("less"), {flat, one}, {nullptr, DType::kBool, {kHuge}}, {}, &plan).ok());
  ASSERT_TRUE(Plan::Make(*FindOp("less"), {one, one}, {nullptr, DType::kBool, {2, 2}, {1, kHuge}}, {}, &plan).ok());
}

TEST(Plan, IsSharedByAHundredThreads) {
  constexpr std::int64_t kRows = 64, kCols = 48;
  Plan plan;
  PlanOptions options;
  options.axis = 0;
  // One input transposed, so that threads stage too.
  const TensorView x{nullptr, DType::kInt32, {kRows, kCols}, {4, 4 * kRows}}, y{nullptr, DType::kInt32, {kRows}};
  ASSERT_TRUE(Plan::Make(*FindOp("subtract"), {x, y}, {nullptr, DType::kInt32, {kRows, kCols}}, options, &plan).ok());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 100; ++t) {
    threads.emplace_back([&plan, &wrong, t] {
      std::vector<std::int32_t> image(kRows * kCols), bias(kRows), out(kRows * kCols);
      for (std::int64_t i = 0; i < kRows * kCols; ++i) image[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * (t + 1));
      for (std::int64_t r = 0; r < kRows; ++r) bias[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(r * t);
      for (int round = 0; round < 20; ++round) {
        const Plan mine = plan;
        if (!mine.Execute({image.data(), bias.data()}, out.data()).ok()) ++wrong;
        for (std::int64_t r = 0; r < kRows; ++r) {
          for (std::int64_t c = 0; c < kCols; ++c) {
            wrong += out[static_cast<std::size_t>(r * kCols + c)] != (c * kRows + r) * (t + 1) - r * t;
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Plan, RunsOnTheThreadsThatItIsGiven) {
  std::vector<float> x(1 << 20, 1), out(1 << 20, 0);
  const TensorView view{x.data(), {1 << 20}};
  for (const test::PoolHabit habit : test::kPoolHabits) {
    const test::ForeignPool pool(habit);
    ApplyOptions options;
    options.pool = pool.get();
    ASSERT_TRUE(Apply(*FindOp("add"), {view, view}, {out.data(), {1 << 20}}, options).ok());
    EXPECT_EQ(pool.calls(), 1);
    EXPECT_EQ(out, std::vector<float>(1 << 20, 2));
    out.assign(1 << 20, 0);
    options.max_threads = 1;  // the calling thread alone
    ASSERT_TRUE(Apply(*FindOp("add"), {view, view}, {out.data(), {1 << 20}}, options).ok());
    EXPECT_EQ(pool.calls(), 1);
    EXPECT_EQ(out, std::vector<float>(1 << 20, 2));
    out.assign(1 << 20, 0);
  }
}

}  // namespace
}  // namespace axiscast
