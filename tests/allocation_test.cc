// Executing a small plan allocates nothing, nor does an eager call that was made before; and wherever memory runs out, the call
// says so, writes nothing and leaks nothing. Allocations are counted, and made to fail, in this program's own malloc, calloc,
// realloc, aligned_alloc and posix_memalign, in front of glibc's; operator new comes down to them.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "axiscast/axiscast.h"
#include "axiscast/c_api.h"
#include "core/plan_cache.h"
#include "tests/testing/thread_pools.h"

// The sanitizers have a malloc of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define AXISCAST_TEST_OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define AXISCAST_TEST_OWN_MALLOC 0
#endif
#endif
#ifndef AXISCAST_TEST_OWN_MALLOC
#define AXISCAST_TEST_OWN_MALLOC 1
#endif

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// Of this thread.
thread_local bool counting = false;
thread_local std::int64_t allocations = 0;
thread_local std::int64_t outstanding = 0;
std::atomic<std::int64_t> outstanding_anywhere{0};  // the same, of all threads
thread_local std::int64_t first_failure = kNever;   // the number of the allocation that fails,
thread_local bool all_after_fail = false;           // and whether those after it do too

[[maybe_unused]] bool MayAllocate() {
  if (!counting) return true;
  const std::int64_t number = allocations++;
  if (number == first_failure || (all_after_fail && number > first_failure)) return false;
  ++outstanding;
  ++outstanding_anywhere;
  return true;
}

}  // namespace

#if AXISCAST_TEST_OWN_MALLOC
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);

void* malloc(std::size_t size) noexcept { return MayAllocate() ? __libc_malloc(size) : nullptr; }
void* calloc(std::size_t count, std::size_t size) noexcept { return MayAllocate() ? __libc_calloc(count, size) : nullptr; }
void* realloc(void* memory, std::size_t size) noexcept {
  if (!MayAllocate()) return nullptr;
  if (counting && memory != nullptr) --outstanding, --outstanding_anywhere;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return MayAllocate() ? __libc_memalign(alignment, size) : nullptr;
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  *memory = MayAllocate() ? __libc_memalign(alignment, size) : nullptr;
  return *memory != nullptr ? 0 : ENOMEM;
}
void free(void* memory) noexcept {
  if (counting && memory != nullptr) --outstanding, --outstanding_anywhere;
  __libc_free(memory);
}
}  // extern "C"
#endif

namespace axiscast {
namespace {

class Allocation : public testing::Test {
 protected:
  void SetUp() override {
    if (AXISCAST_TEST_OWN_MALLOC) return;
    std::printf("skipped: the sanitizer's malloc is in the place of this test's\n");
    GTEST_SKIP() << "the sanitizer's malloc is in the place of this test's";
  }
};

// Runs f with allocations counted; returns how many there were.
std::int64_t CountAllocations(const std::function<void()>& f) {
  allocations = outstanding = 0;
  first_failure = kNever;
  counting = true;
  f();
  counting = false;
  return allocations;
}

TEST_F(Allocation, IsCounted) {
  void* volatile memory = nullptr;
  const auto keep = [&](void* made) { memory = made; };
  EXPECT_EQ(CountAllocations([&] { keep(std::malloc(8)); }), 1);
  EXPECT_EQ(outstanding, 1);
  EXPECT_EQ(CountAllocations([&] { std::free(memory); }), 0);
  EXPECT_EQ(outstanding, -1);
  EXPECT_EQ(CountAllocations([&] { keep(std::aligned_alloc(64, 64)); }), 1);
  std::free(memory);
  EXPECT_EQ(CountAllocations([&] { keep(std::calloc(1, 8)); }), 1);
  std::free(memory);
  EXPECT_EQ(CountAllocations([&] { keep(::operator new(8)); }), 1);
  ::operator delete(memory);
  EXPECT_EQ(CountAllocations([&] { keep(::operator new(128, std::align_val_t(128))); }), 1);
  ::operator delete(memory, std::align_val_t(128));
}

struct SmallPlan {
  const char* name;
  const char* op;
  DType dtype;
  Shape x_shape;
  ByteStrides x_strides;
  Shape y_shape;
  ByteStrides y_strides;
  Shape out_shape;
  ByteStrides out_strides;
  std::int64_t shift = 0;  // of every pointer
};

const SmallPlan kSmallPlans[] = {
    {"eight", "add", DType::kFloat32, {8}, {4}, {8}, {4}, {8}, {4}},
    {"scalar", "add", DType::kFloat32, {}, {}, {}, {}, {}, {}},
    {"row", "add", DType::kFloat32, {4, 4}, {16, 4}, {4}, {4}, {4, 4}, {16, 4}},
    {"short_pattern", "add", DType::kFloat32, {100, 3}, {12, 4}, {3}, {4}, {100, 3}, {12, 4}},
    {"repeat_each", "add", DType::kFloat32, {100, 3}, {12, 4}, {100, 1}, {4, 4}, {100, 3}, {12, 4}},
    {"transposed_input", "add", DType::kInt16, {20, 30}, {2, 40}, {30}, {2}, {20, 30}, {60, 2}},
    {"sliced_out", "add", DType::kInt8, {20, 30}, {30, 1}, {30}, {1}, {20, 30}, {90, 2}},
    {"misaligned", "add", DType::kFloat32, {4, 4}, {16, 4}, {4}, {4}, {4, 4}, {16, 4}, 1},
    {"misaligned_int64", "subtract", DType::kInt64, {33}, {8}, {1}, {8}, {33}, {8}, 3},
    {"odd_strides", "add", DType::kInt32, {9, 3}, {13, 4}, {3}, {4}, {9, 3}, {12, 4}},
    {"divided", "divide", DType::kInt32, {10, 3}, {12, 4}, {3}, {4}, {10, 3}, {12, 4}},
    {"divided_misaligned", "divide", DType::kInt32, {10, 3}, {12, 4}, {3}, {4}, {10, 3}, {12, 4}, 1},
    {"divided_by_reversed", "divide", DType::kInt32, {10, 3}, {12, 4}, {10, 3}, {4, 80}, {10, 3}, {12, 4}},
    {"empty", "add", DType::kFloat32, {0, 4}, {16, 4}, {4}, {4}, {0, 4}, {16, 4}},
};

TEST_F(Allocation, IsNoneWhenASmallPlanIsExecuted) {
  std::vector<std::byte> x(8192, std::byte{1}), y(8192, std::byte{1}), out(8192);
  for (const SmallPlan& c : kSmallPlans) {
    SCOPED_TRACE(c.name);
    const std::byte *xp = x.data() + c.shift, *yp = y.data() + c.shift;
    Plan plan;
    const MutableTensorView result{out.data() + c.shift, c.dtype, c.out_shape, c.out_strides};
    ASSERT_TRUE(
        Plan::Make(*FindOp(c.op), {{xp, c.dtype, c.x_shape, c.x_strides}, {yp, c.dtype, c.y_shape, c.y_strides}}, result, {}, &plan)
            .ok());
    ASSERT_TRUE(c.out_shape == Shape({0, 4}) || !plan.Describe().parallel);
    const void* const inputs[] = {xp, yp};
    Status status, again, from_list;
    EXPECT_EQ(CountAllocations([&] {
                status = plan.Execute(inputs, result.data);
                again = plan.Execute(inputs, result.data, {1, nullptr, nullptr});
                from_list = plan.Execute({xp, yp}, result.data);
              }),
              0);
    EXPECT_TRUE(status.ok() && again.ok() && from_list.ok()) << status.message();
  }
  // In place, exactly.
  Plan plan;
  ASSERT_TRUE(Plan::Make(*FindOp("add"), {{nullptr, DType::kFloat32, {8}}, {nullptr, DType::kFloat32, {8}}},
                         {nullptr, DType::kFloat32, {8}}, {}, &plan)
                  .ok());
  const void* const inputs[] = {x.data(), y.data()};
  Status status;
  EXPECT_EQ(CountAllocations([&] { status = plan.Execute(inputs, x.data()); }), 0);
  EXPECT_TRUE(status.ok());
  // The copy of a partial overlap does allocate: the counter would see it.
  EXPECT_GT(CountAllocations([&] { status = plan.Execute(inputs, x.data() + 4); }), 0);
  EXPECT_TRUE(status.ok());
}

// f is made once; making it again takes no memory, and neither does the same call with other pointers.
void ExpectNoneAgain(const char* name, const std::function<Status()>& f, StatusCode code = StatusCode::kOk) {
  SCOPED_TRACE(name);
  ForgetPlans();
  StatusCode first, second, third;
  EXPECT_GT(CountAllocations([&] { first = f().code(); }), 5);
  EXPECT_EQ(CountAllocations([&] {
              second = f().code();
              third = f().code();
            }),
            0);
  EXPECT_EQ(first, code);
  EXPECT_EQ(second, code);
  EXPECT_EQ(third, code);
}

TEST_F(Allocation, IsNoneWhenAnEagerCallIsMadeAgain) {
  std::vector<std::byte> x(8192, std::byte{1}), y(8192, std::byte{1}), out(8192);
  for (const SmallPlan& c : kSmallPlans) {
    std::int64_t at = c.shift;
    ExpectNoneAgain(c.name, [&] {
      at += 64;
      return Apply(*FindOp(c.op),
                   {{x.data() + at, c.dtype, c.x_shape, c.x_strides}, {y.data() + at, c.dtype, c.y_shape, c.y_strides}},
                   {out.data() + at, c.dtype, c.out_shape, c.out_strides});
    });
  }
  const TensorView image{x.data(), DType::kInt32, {2, 3, 4, 5}}, bias{y.data(), DType::kInt32, {3, 4}};
  const MutableTensorView result{out.data(), DType::kInt32, {2, 3, 4, 5}};
  const char* const names[] = {"the first operand of the call", "the second operand of the call"};
  ApplyOptions options;
  options.axis = 1;
  ExpectNoneAgain("in place", [&] { return ApplyInPlace(*FindOp("squared_difference"), result, {bias}, options); });
  options.caller = "somebody with a name that is long";
  options.names = names;
  ExpectNoneAgain("with names", [&] { return Apply(*FindOp("squared_difference"), {image, bias}, result, options); });
  ExpectNoneAgain("elementwise_add", [&] { return elementwise_add(image, bias, result, 1); });
  ExpectNoneAgain("Elementwise", [&] { return Elementwise("elementwise_floordiv", image, bias, result, 1); });
  ApplyOptions with_attributes;
  with_attributes.attributes = {{"min", 3}, {"max", 7u}};
  ExpectNoneAgain("clip", [&] { return Apply(*FindOp("clip"), {image}, result, with_attributes); });
  ApplyOptions to_shape;
  to_shape.attributes = {{"shape", Shape{3, 1, 5}}};
  const MutableTensorView sums{out.data(), DType::kInt32, {3, 1, 5}};
  ExpectNoneAgain("sum_to", [&] { return Apply(*FindOp("sum_to"), {image}, sums, to_shape); });
}

TEST_F(Allocation, IsBoundedHoweverManyDifferentCalls) {
  std::vector<float> memory(3000), out(3000);
  const auto call = [&](std::int64_t n) {
    EXPECT_TRUE(Apply(*FindOp("add"), {{memory.data(), {n}}, {memory.data(), {n}}}, {out.data(), {n}}).ok());
  };
  call(1);
  ForgetPlans();
  (void)CountAllocations([&] { call(1); });
  const std::int64_t one = outstanding;  // the cache, too
  EXPECT_GT(one, 2);
  ForgetPlans();
  (void)CountAllocations([&] {
    for (std::int64_t n = 1; n <= 3000; ++n) call(n);
  });
  EXPECT_GT(outstanding, one * 10);
  EXPECT_LE(outstanding, one * kPlanCacheSets * kPlanCacheWays);
  const std::int64_t kept = outstanding;
  (void)CountAllocations([&] { ForgetPlans(); });
  EXPECT_EQ(outstanding, -kept);
}

TEST_F(Allocation, EndsWithTheThread) {
  static std::vector<float> memory(8);
  ASSERT_TRUE(elementwise_add({memory.data(), {8}}, {memory.data(), {8}}, {memory.data(), {8}}).ok());
  outstanding_anywhere = 0;
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, nullptr,
                [](void*) -> void* {
                  counting = true;  // until the thread is gone
                  for (std::int64_t n = 1; n <= 8; ++n) {
                    EXPECT_TRUE(elementwise_add({memory.data(), {n}}, {memory.data(), {n}}, {memory.data(), {n}}).ok());
                  }
                  EXPECT_GT(outstanding_anywhere, 50);
                  return nullptr;
                },
                nullptr),
            0);
  pthread_join(thread, nullptr);
  EXPECT_EQ(outstanding_anywhere, 0);
}

// Calls f with each of its allocations failing in turn, alone and with all that follow. f gives a status and drops what it made.
// It must be out of memory and leave `written` as it was, or, where it can do without (a sort's buffer), be right all the same.
// Returns how many allocations f makes when none fails.
std::int64_t FailEach(const std::function<Status()>& f, std::vector<std::byte>* written, StatusCode usual = StatusCode::kOk) {
  const std::vector<std::byte> untouched = *written;
  EXPECT_EQ(f().code(), usual);  // what is made once and kept is made now
  const std::vector<std::byte> finished = *written;
  std::int64_t out_of_memory = 0, made = 0;
  for (const bool all : {false, true}) {
    for (std::int64_t n = 0;; ++n) {
      *written = untouched;
      allocations = outstanding = 0;
      first_failure = n;
      all_after_fail = all;
      counting = true;
      const StatusCode code = f().code();
      counting = false;
      const std::int64_t left = outstanding;
      made = allocations;
      const std::string when = std::string(all ? " from allocation " : " at allocation ") + std::to_string(n) + ": " + NameOf(code);
      EXPECT_EQ(left, 0) << "leaked, failing" << when;
      EXPECT_TRUE(code == usual || code == StatusCode::kOutOfMemory) << when;
      EXPECT_TRUE(*written == (code == StatusCode::kOk ? finished : untouched)) << "wrong bytes, failing" << when;
      out_of_memory += code == StatusCode::kOutOfMemory;
      if (made <= n) break;
    }
  }
  EXPECT_GT(out_of_memory, 0);
  *written = untouched;
  return made;
}

// The same for calls whose plan is kept: as if they were never made before. Keeping it may fail too.
std::int64_t FailEachEager(const std::function<Status()>& f, std::vector<std::byte>* written, StatusCode usual = StatusCode::kOk) {
  const auto forgotten = [&f] {
    const Status status = f();
    ForgetPlans();
    return status;
  };
  ForgetPlans();
  return FailEach(forgotten, written, usual);
}

TEST_F(Allocation, OfGatherAndScatter) {
  std::vector<float> x(60, 1), src(40, 2);
  std::vector<std::byte> out(60 * sizeof(float));
  const std::vector<std::int32_t> index = {1, 2, 1, 0, 3, 1, 2, 2};
  const TensorView view{x.data(), {4, 15}}, rows{index.data(), {8}};
  const MutableTensorView taken{out.data(), DType::kFloat32, {2, 15}}, result{out.data(), DType::kFloat32, {4, 15}};
  const TensorView two{index.data(), {2, 1}};
  ApplyOptions options;
  options.attributes = {{"dim", 0}};
  const auto gather = [&] { return Apply(*FindOp("gather"), {view, two}, taken, options); };
  const auto add = [&] { return Apply(*FindOp("scatter_add"), {view, rows, {src.data(), {1, 1}}}, result, options); };
  ExpectNoneAgain("gather", gather);
  ExpectNoneAgain("scatter_add", add);
  EXPECT_GT(FailEachEager(gather, &out), 5);
  EXPECT_GT(FailEachEager(add, &out), 5);
  // Sums are scratch that every call takes; without it, nothing has been written.
  ApplyOptions mean = options;
  mean.attributes.emplace_back("reduce", "mean");
  EXPECT_GT(FailEachEager([&] { return Apply(*FindOp("scatter"), {view, rows, {src.data(), {1, 1}}}, result, mean); }, &out), 7);
  const std::vector<std::int32_t> bad = {4, 0};
  EXPECT_GT(FailEachEager(
                [&] {
                  return Apply(*FindOp("gather"), {view, {bad.data(), {2}}}, taken, options);
                },
                &out, StatusCode::kOutOfRange),
            5);
}

TEST_F(Allocation, FailingWhilePlanning) {
  std::vector<std::byte> memory(4096, std::byte{1}), out(4096, std::byte{9});
  const Op& add = *FindOp("add");
  const Op& divide = *FindOp("divide");
  const Op& clip = *FindOp("clip");
  const TensorView x{memory.data(), DType::kInt32, {2, 3, 4, 5}}, y{memory.data(), DType::kInt32, {3, 4}};
  const MutableTensorView result{out.data(), DType::kInt32, {2, 3, 4, 5}};
  ApplyOptions options;
  options.axis = 1;
  PlanOptions plan_options;
  plan_options.axis = 1;
  EXPECT_GT(FailEach(
                [&] {
                  Plan plan;
                  const Status status = Plan::Make(add, {x, y}, result, plan_options, &plan);
                  EXPECT_EQ(plan.empty(), !status.ok());
                  return status;
                },
                &out),
            5);
  EXPECT_GT(FailEachEager([&] { return Apply(add, {x, y}, result, options); }, &out), 5);
  EXPECT_GT(FailEachEager([&] { return Apply(divide, {x, y}, result, options); }, &out), 5);
  EXPECT_GT(FailEachEager([&] { return ApplyInPlace(add, result, {y}, options); }, &out), 5);
  EXPECT_GT(FailEachEager([&] { return elementwise_add(x, y, result, 1); }, &out), 5);
  ApplyOptions with_attribute;
  with_attribute.attributes = {{"min", 3}};
  EXPECT_GT(FailEachEager([&] { return Apply(clip, {x}, result, with_attribute); }, &out), 5);
}

TEST_F(Allocation, FailingWhileSomethingIsRefused) {
  std::vector<std::byte> memory(4096, std::byte{0}), out(4096, std::byte{9});
  const TensorView x{memory.data(), DType::kInt32, {2, 30}}, y{memory.data(), DType::kInt32, {30}},
      z{memory.data(), DType::kInt32, {7}};
  const MutableTensorView result{out.data(), DType::kInt32, {2, 30}};
  const Op& divide = *FindOp("divide");
  EXPECT_GT(FailEachEager([&] { return Apply(divide, {x, y}, result); }, &out, StatusCode::kDivisionByZero), 5);
  EXPECT_GT(FailEachEager([&] { return Apply(divide, {x, z}, result); }, &out, StatusCode::kInvalidShape), 1);
  EXPECT_GT(FailEachEager([&] { return Apply(divide, {x}, result); }, &out, StatusCode::kInvalidArgument), 1);
  EXPECT_GT(FailEachEager(
                [&] {
                  return elementwise_add(x, {nullptr, DType::kInt32, {30}}, result);
                },
                &out, StatusCode::kInvalidArgument),
            1);
  EXPECT_GT(FailEachEager([&] { return Elementwise("elementwise_ad", x, y, result); }, &out, StatusCode::kUnknownName), 1);
}

TEST_F(Allocation, FailingForTheCopyOfAnOverlap) {
  std::vector<std::byte> memory(8192, std::byte{3});
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7);
  const Op& add = *FindOp("add");
  Plan plan;
  // x[2::2] += x[:-2:2], and y lies across both.
  const TensorView x{nullptr, DType::kInt32, {30, 20}, {160, 8}}, y{nullptr, DType::kInt32, {20}, {8}};
  ASSERT_TRUE(Plan::Make(add, {x, y}, {nullptr, DType::kInt32, {30, 20}, {160, 8}}, {}, &plan).ok());
  const void* const inputs[] = {memory.data(), memory.data() + 160};
  EXPECT_GT(FailEach([&] { return plan.Execute(inputs, memory.data() + 168); }, &memory), 5);
}

// clip(int32 [2, 30]) from C, with attributes; or, when `wrong`, with one that there is not.
int32_t ClipFromC(const std::byte* x, std::byte* out, bool wrong = false) {
  static const std::int64_t shape[] = {2, 30};
  const axiscast_op* op = nullptr;
  EXPECT_EQ(axiscast_op_find(nullptr, "clip", &op), AXISCAST_OK);
  axiscast_attribute attributes[2] = {{sizeof(axiscast_attribute), "min", AXISCAST_VALUE_INT64, 0, {}},
                                      {sizeof(axiscast_attribute), wrong ? "most" : "max", AXISCAST_VALUE_INT64, 0, {}}};
  attributes[1].value.integer = 7;
  const axiscast_options options{sizeof(options), 0, 0, 0, attributes, 2, nullptr, nullptr};
  const axiscast_tensor input{sizeof(input), const_cast<std::byte*>(x), AXISCAST_INT32, 2, shape, nullptr};
  const axiscast_tensor result{sizeof(result), out, AXISCAST_INT32, 2, shape, nullptr};
  return axiscast_apply(op, &input, 1, &result, &options, nullptr);
}

TEST_F(Allocation, FromCIsNoneForPlansPartsAndCallsThatAreMadeAgain) {
  std::vector<std::byte> x(4096, std::byte{1}), out(4096);
  ForgetPlans();
  EXPECT_GT(CountAllocations([&] { EXPECT_EQ(ClipFromC(x.data(), out.data()), AXISCAST_OK); }), 5);
  EXPECT_EQ(CountAllocations([&] {
              for (std::size_t i = 0; i < 1000; ++i) (void)ClipFromC(x.data() + i, out.data() + i);
            }),
            0);
  const std::int64_t shape[] = {2, 30}, row[] = {30}, transposed[] = {4, 8};
  const axiscast_op* op = nullptr;
  ASSERT_EQ(axiscast_op_find(nullptr, "add", &op), AXISCAST_OK);
  const axiscast_tensor operands[] = {{sizeof(axiscast_tensor), nullptr, AXISCAST_INT32, 2, shape, transposed},
                                      {sizeof(axiscast_tensor), nullptr, AXISCAST_INT32, 1, row, nullptr}};
  const axiscast_tensor result{sizeof(result), nullptr, AXISCAST_INT32, 2, shape, nullptr};
  axiscast_plan* plan = nullptr;
  ASSERT_EQ(axiscast_plan_make(op, operands, 2, &result, nullptr, &plan), AXISCAST_OK);
  const void* const pointers[] = {x.data(), x.data()};
  int32_t codes[4];
  std::int64_t extents[AXISCAST_MAX_RANK];
  int32_t rank;
  EXPECT_EQ(CountAllocations([&] {
              codes[0] = axiscast_plan_execute(plan, pointers, 2, out.data(), nullptr);
              codes[1] = axiscast_plan_execute_part(plan, pointers, 2, out.data(), 1, 2, nullptr);
              codes[2] = axiscast_resolve_shape(operands, 2, nullptr, extents, AXISCAST_MAX_RANK, &rank);
              codes[3] = axiscast_infer_shape(operands, 2, nullptr, extents, AXISCAST_MAX_RANK, &rank);
            }),
            0);
  for (const int32_t code : codes) EXPECT_EQ(code, AXISCAST_OK);
  EXPECT_EQ(axiscast_plan_free(plan), AXISCAST_OK);
}

TEST_F(Allocation, FromCDoesNotGrowOverAMillionCalls) {
  std::vector<std::byte> x(4096, std::byte{1}), out(4096);
  EXPECT_EQ(ClipFromC(x.data(), out.data()), AXISCAST_OK);
  EXPECT_EQ(ClipFromC(x.data(), out.data(), true), AXISCAST_UNKNOWN_NAME);
  (void)CountAllocations([&] {
    for (int i = 0; i < 1000000; ++i) {
      (void)ClipFromC(x.data(), out.data());
      if (i % 1000 == 0) (void)ClipFromC(x.data(), out.data(), true);  // an error, whose message replaces the last one's
    }
  });
  EXPECT_EQ(outstanding, 0);
}

// Each allocation of a call fails in turn, in a thread that has made no call before and leaves nothing when it ends.
TEST_F(Allocation, FailingInCallsFromC) {
  struct Attempt {
    bool wrong;
    std::int64_t failing;
    std::vector<std::byte> x, out;
    std::int32_t code;
    std::int64_t made;
  };
  std::vector<std::byte> memory(240);
  EXPECT_EQ(ClipFromC(memory.data(), memory.data()), AXISCAST_OK);  // what is made once and kept is made now
  for (const bool wrong : {false, true}) {
    int out_of_memory = 0;
    for (std::int64_t n = 0;; ++n) {
      Attempt attempt{wrong, n, std::vector<std::byte>(240, std::byte{9}), std::vector<std::byte>(240), -1, 0};
      const std::vector<std::byte> untouched = attempt.out;
      outstanding_anywhere = 0;
      pthread_t thread;
      ASSERT_EQ(pthread_create(
                    &thread, nullptr,
                    [](void* given) -> void* {
                      Attempt& at = *static_cast<Attempt*>(given);
                      allocations = 0;
                      first_failure = at.failing;
                      counting = true;  // until the thread is gone
                      at.code = ClipFromC(at.x.data(), at.out.data(), at.wrong);
                      at.made = allocations;
                      first_failure = kNever;
                      return nullptr;
                    },
                    &attempt),
                0);
      pthread_join(thread, nullptr);
      EXPECT_EQ(outstanding_anywhere, 0) << "leaked, failing at allocation " << n;
      EXPECT_TRUE(attempt.code == (wrong ? AXISCAST_UNKNOWN_NAME : AXISCAST_OK) || attempt.code == AXISCAST_OUT_OF_MEMORY)
          << attempt.code;
      EXPECT_EQ(attempt.out == untouched, attempt.code != AXISCAST_OK);
      out_of_memory += attempt.code == AXISCAST_OUT_OF_MEMORY;
      if (attempt.made <= n) break;
    }
    EXPECT_GT(out_of_memory, 1);
  }
}

void NothingTile(const Tile&) {}

// Partial sums of threads want memory too, and are done without where there is none.
TEST_F(Allocation, FailingForASum) {
  std::vector<std::int32_t> x(600000, 3);
  std::vector<std::byte> out(4);
  test::ForeignPool pool(test::PoolHabit::kAllOnCaller);
  ApplyOptions options;
  options.attributes = {{"shape", Shape{}}};
  options.pool = pool.get();
  const auto sum = [&] { return Apply(*FindOp("sum_to"), {{x.data(), {600000}}}, {out.data(), DType::kInt32, {}}, options); };
  EXPECT_GT(FailEachEager(sum, &out), 5);
  EXPECT_GT(pool.calls(), 0);
  Plan plan;
  const MutableTensorView result{out.data(), DType::kInt32, {}};
  PlanOptions plan_options;
  plan_options.attributes = options.attributes;
  ASSERT_TRUE(Plan::Make(*FindOp("sum_to"), {{x.data(), {600000}}}, result, plan_options, &plan).ok());
  ExecuteOptions execute;
  execute.pool = pool.get();
  const void* const inputs[] = {x.data()};
  Status status;
  EXPECT_EQ(CountAllocations([&] { status = plan.Execute(inputs, out.data(), execute); }), 1);
  ASSERT_TRUE(status.ok());
  out.assign(4, std::byte{9});
  EXPECT_EQ(CountAllocations([&] {
              first_failure = 0;
              status = plan.Execute(inputs, out.data(), execute);
            }),
            1);
  first_failure = kNever;
  ASSERT_TRUE(status.ok());
  std::int32_t value;
  std::memcpy(&value, out.data(), sizeof(value));
  EXPECT_EQ(value, 1800000);
}

TEST_F(Allocation, FailingWhileAnOpIsAdded) {
  std::vector<std::byte> nothing;
  RegistryBuilder builder(Registry::BuiltIn());
  int made = 0;
  std::vector<std::string> names;  // live as long as the registry
  for (int i = 0; i < 100; ++i) names.push_back("an_op_with_a_long_name_" + std::to_string(i));
  for (std::int64_t n = 0; n < 40; ++n) {
    OpInfo info{names[static_cast<std::size_t>(n)].c_str(), 1, "nothing"};
    info.aliases = n % 2 == 0 ? "alias_that_is_long_enough_for_the_heap another_alias_that_is" : "";
    OpDefinition definition{info, {{{DType::kInt8}, DType::kInt8, {}, &NothingTile}}};
    allocations = 0;
    first_failure = n;
    all_after_fail = false;
    counting = true;
    const Status status = builder.Add(std::move(definition));
    counting = false;
    if (allocations > n) {
      EXPECT_EQ(status.code(), StatusCode::kOutOfMemory) << n;
    } else {
      ASSERT_TRUE(status.ok() || made > 0) << status.message();
      made += status.ok();
    }
  }
  EXPECT_GT(made, 0);
  const Registry registry = builder.Build();
  EXPECT_EQ(registry.ops().size(), Registry::BuiltIn().ops().size() + static_cast<std::size_t>(made));
  for (const Op* op : registry.ops()) EXPECT_EQ(registry.Find(op->name()), op);
}

}  // namespace
}  // namespace axiscast
