// Memory in calls from C: none in calls that are made again, and no call is lost where there is none to have.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdint>
#include <vector>

#include "axiscast/c_api.h"
#include "core/plan_cache.h"
#include "tests/testing/own_malloc.h"

namespace axiscast {
namespace {

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

}  // namespace
}  // namespace axiscast
