// Results of the C API against a naive loop: parts of every number and in every order, pools, strides, 64 threads on one plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "axiscast/c_api.h"
#include "tests/testing/strided.h"
#include "tests/testing/thread_pools.h"

namespace axiscast::test {
namespace {

const axiscast_op* Find(const char* name) {
  const axiscast_op* op = nullptr;
  EXPECT_EQ(axiscast_op_find(nullptr, name, &op), AXISCAST_OK) << axiscast_last_message();
  return op;
}

constexpr int32_t kInt = AXISCAST_INT32;

// squared_difference of int32 x [batch, channels, rows, cols] (any dims transposed) and y [channels] at axis 1.
struct Call {
  std::vector<int64_t> shape;
  std::vector<int> order;      // x's dims from the outermost in memory
  std::vector<int> out_order;  // the same of the result
  int64_t misaligned = 0;      // bytes to add to x
};

class Problem {
 public:
  explicit Problem(const Call& call) : shape_(call.shape), misaligned_(call.misaligned) {
    count_ = std::accumulate(shape_.begin(), shape_.end(), int64_t{1}, std::multiplies<>());
    x_strides_ = StridesOf(call.order);
    out_strides_ = StridesOf(call.out_order);
    x_.resize(static_cast<std::size_t>(count_) * 4 + 8);
    out_.assign(static_cast<std::size_t>(count_), -1);
    expected_ = out_;
    y_.resize(static_cast<std::size_t>(shape_[1]));
    for (std::size_t c = 0; c < y_.size(); ++c) y_[c] = static_cast<int32_t>(c * c) - 5;
    std::vector<int64_t> at(shape_.size());
    for (int64_t i = 0; i < count_; ++i) {
      int64_t rest = i, x_offset = 0, out_offset = 0;
      for (std::size_t d = shape_.size(); d-- > 0;) {
        at[d] = rest % shape_[d];
        rest /= shape_[d];
        x_offset += at[d] * x_strides_[d];
        out_offset += at[d] * out_strides_[d];
      }
      const auto value = static_cast<int32_t>(i * 7 % 1000 - 400);
      std::memcpy(x_.data() + misaligned_ + x_offset, &value, sizeof(value));
      const int32_t difference = value - y_[static_cast<std::size_t>(at[1])];
      expected_[static_cast<std::size_t>(out_offset / 4)] = difference * difference;
    }
    operands_[0] = {sizeof(axiscast_tensor), x(), kInt, rank(), shape_.data(), x_strides_.data()};
    operands_[1] = {sizeof(axiscast_tensor), y_.data(), kInt, 1, &shape_[1], nullptr};
    result_ = {sizeof(axiscast_tensor), out_.data(), kInt, rank(), shape_.data(), out_strides_.data()};
    pointers_[0] = x();
    pointers_[1] = y_.data();
    options_ = {sizeof(axiscast_options), AXISCAST_MODE_DEFAULT, 1, 1, nullptr, 0, nullptr, nullptr};
  }

  axiscast_plan* Make() {
    axiscast_plan* plan = nullptr;
    EXPECT_EQ(axiscast_plan_make(Find("squared_difference"), operands_, 2, &result_, &options_, &plan), AXISCAST_OK)
        << axiscast_last_message();
    return plan;
  }
  int32_t Apply(const axiscast_execute_options* execute) {
    return axiscast_apply(Find("squared_difference"), operands_, 2, &result_, &options_, execute);
  }
  // And forgets it.
  bool IsRight() {
    const bool right = out_ == expected_;
    out_.assign(out_.size(), -1);
    return right;
  }
  const void* const* pointers() const { return pointers_; }
  std::vector<int32_t>& out() { return out_; }
  const std::vector<int32_t>& expected() const { return expected_; }

 private:
  int32_t rank() const { return static_cast<int32_t>(shape_.size()); }
  std::byte* x() { return x_.data() + misaligned_; }
  std::vector<int64_t> StridesOf(const std::vector<int>& order) const {
    std::vector<int64_t> strides(shape_.size());
    int64_t stride = 4;
    for (std::size_t i = order.size(); i-- > 0;) {
      const auto d = static_cast<std::size_t>(order[i]);
      strides[d] = stride;
      stride *= shape_[d];
    }
    return strides;
  }

  std::vector<int64_t> shape_, x_strides_, out_strides_;
  int64_t misaligned_, count_;
  std::vector<std::byte> x_;
  std::vector<int32_t> y_, out_, expected_;
  axiscast_tensor operands_[2], result_;
  axiscast_options options_;
  const void* pointers_[2];
};

const Call kCalls[] = {
    {{2, 3, 4, 5}, {0, 1, 2, 3}, {0, 1, 2, 3}},
    {{5, 7, 100, 100}, {0, 1, 2, 3}, {0, 1, 2, 3}},
    {{5, 7, 100, 100}, {0, 2, 3, 1}, {0, 1, 2, 3}},
    {{5, 7, 100, 100}, {3, 2, 1, 0}, {0, 1, 3, 2}},
    {{5, 7, 100, 100}, {0, 1, 2, 3}, {0, 1, 2, 3}, 1},
    {{1000, 3}, {0, 1}, {0, 1}},
    {{1000, 3}, {1, 0}, {0, 1}},
    {{3, 0, 5}, {0, 1, 2}, {0, 1, 2}},
    {{1, 1}, {0, 1}, {0, 1}},
};

TEST(CApiCalls, PlansAndEagerCallsAreRightOverPools) {
  for (const Call& call : kCalls) {
    SCOPED_TRACE(testing::PrintToString(call.shape));
    Problem problem(call);
    axiscast_plan* plan = problem.Make();
    ASSERT_NE(plan, nullptr);
    axiscast_execute_options execute{sizeof(axiscast_execute_options), 0, AXISCAST_STORES_AUTO, nullptr, nullptr};
    for (const int32_t stores : {AXISCAST_STORES_AUTO, AXISCAST_STORES_CACHED, AXISCAST_STORES_STREAM}) {
      execute.stores = stores;
      EXPECT_EQ(axiscast_plan_execute(plan, problem.pointers(), 2, problem.out().data(), &execute), AXISCAST_OK);
      EXPECT_TRUE(problem.IsRight());
    }
    for (const PoolHabit habit : kPoolHabits) {
      ForeignPool pool(habit);
      execute.pool = pool.get();
      EXPECT_EQ(axiscast_plan_execute(plan, problem.pointers(), 2, problem.out().data(), &execute), AXISCAST_OK);
      EXPECT_TRUE(problem.IsRight());
      EXPECT_EQ(problem.Apply(&execute), AXISCAST_OK);
      EXPECT_TRUE(problem.IsRight());
      axiscast_plan_info info{};
      info.struct_size = sizeof(info);
      EXPECT_EQ(axiscast_plan_describe(plan, &info), AXISCAST_OK);
      if (info.parallel == 0 || info.estimated_seconds < 3.2e-6) {
        EXPECT_EQ(pool.calls(), 0);
      } else if (info.estimated_seconds > 4e-6) {
        EXPECT_EQ(pool.calls(), 2);
      }
    }
    EXPECT_EQ(axiscast_plan_free(plan), AXISCAST_OK);
  }
}

TEST(CApiCalls, PartsAreDisjointAndCover) {
  std::uint64_t state = 1;
  for (const Call& call : kCalls) {
    SCOPED_TRACE(testing::PrintToString(call.shape));
    Problem problem(call);
    axiscast_plan* plan = problem.Make();
    ASSERT_NE(plan, nullptr);
    for (const int64_t parts : {1, 2, 3, 7, 64, 1000}) {
      std::vector<int64_t> order(static_cast<std::size_t>(parts));
      std::iota(order.begin(), order.end(), 0);
      for (std::size_t i = order.size(); i > 1; --i) {  // any order
        state = state * 6364136223846793005u + 1442695040888963407u;
        std::swap(order[i - 1], order[(state >> 33) % i]);
      }
      std::vector<bool> written(problem.out().size(), false);
      for (const int64_t part : order) {
        std::vector<int32_t>& out = problem.out();
        out.assign(out.size(), -1);
        ASSERT_EQ(axiscast_plan_execute_part(plan, problem.pointers(), 2, out.data(), part, parts, nullptr), AXISCAST_OK)
            << axiscast_last_message();
        for (std::size_t i = 0; i < out.size(); ++i) {
          if (out[i] == -1) continue;  // no square is
          ASSERT_FALSE(written[i]) << "part " << part << " of " << parts << " wrote element " << i << " again";
          ASSERT_EQ(out[i], problem.expected()[i]);
          written[i] = true;
        }
      }
      EXPECT_EQ(std::count(written.begin(), written.end(), false), 0) << parts << " parts";
    }
    // No number of parts is too large.
    for (const int64_t part : {int64_t{0}, int64_t{1} << 40, INT64_MAX - 1}) {
      EXPECT_EQ(axiscast_plan_execute_part(plan, problem.pointers(), 2, problem.out().data(), part, INT64_MAX, nullptr),
                AXISCAST_OK);
    }
    EXPECT_EQ(axiscast_plan_free(plan), AXISCAST_OK);
  }
}

TEST(CApiCalls, PartsRunAtOnceAndInPlace) {
  const int64_t n = 100000, shape[] = {n};
  std::vector<int32_t> x(n), y(n), expected(n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<int32_t>(i);
    y[i] = static_cast<int32_t>(i * i);
    expected[i] = x[i] + y[i];
  }
  const axiscast_tensor operands[] = {{sizeof(axiscast_tensor), nullptr, kInt, 1, shape, nullptr},
                                      {sizeof(axiscast_tensor), nullptr, kInt, 1, shape, nullptr}};
  axiscast_plan* plan = nullptr;
  ASSERT_EQ(axiscast_plan_make(Find("add"), operands, 2, &operands[0], nullptr, &plan), AXISCAST_OK);
  const void* pointers[] = {x.data(), y.data()};
  std::vector<std::thread> threads;
  for (int64_t part = 0; part < 8; ++part) {
    threads.emplace_back(
        [&, part] { EXPECT_EQ(axiscast_plan_execute_part(plan, pointers, 2, x.data(), part, 8, nullptr), AXISCAST_OK); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(x, expected);
  EXPECT_EQ(axiscast_plan_free(plan), AXISCAST_OK);
}

TEST(CApiCalls, SixtyFourThreadsOnOnePlan) {
  Problem problem(kCalls[2]);
  axiscast_plan* plan = problem.Make();
  std::vector<std::thread> threads;
  for (int t = 0; t < 64; ++t) {
    threads.emplace_back([&, t] {
      std::vector<int32_t> out(problem.expected().size());
      for (int round = 0; round < 5; ++round) {
        axiscast_execute_options execute{sizeof(axiscast_execute_options), t % 3, AXISCAST_STORES_AUTO, nullptr, nullptr};
        std::fill(out.begin(), out.end(), -1);
        EXPECT_EQ(axiscast_plan_execute(plan, problem.pointers(), 2, out.data(), &execute), AXISCAST_OK);
        EXPECT_EQ(out, problem.expected());
        EXPECT_EQ(axiscast_plan_execute(plan, problem.pointers(), t, out.data(), &execute) == AXISCAST_OK, t == 2);
        const std::string message = "axiscast_plan_execute: the plan takes 2 inputs; got " + std::to_string(t);
        if (t != 2) {
          EXPECT_EQ(axiscast_last_message(), message);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(axiscast_plan_free(plan), AXISCAST_OK);
}

// A call in the pool of a call: the outer one's attributes are not lost.
TEST(CApiCalls, ACallInsideACall) {
  static const int64_t n = 1 << 20;
  static std::vector<float> x(n, 5), out(n);
  static int calls;
  calls = 0;
  static const auto clip = [](float highest, const axiscast_thread_pool* pool) {
    axiscast_attribute attribute{sizeof(axiscast_attribute), "max", AXISCAST_VALUE_DOUBLE, 0, {}};
    attribute.value.number = static_cast<double>(highest);
    const axiscast_options options{sizeof(axiscast_options), 0, 0, 0, &attribute, 1, nullptr, nullptr};
    const axiscast_execute_options execute{sizeof(axiscast_execute_options), 0, 0, pool, nullptr};
    const axiscast_tensor operand{sizeof(axiscast_tensor), x.data(), AXISCAST_FLOAT32, 1, &n, nullptr};
    const axiscast_tensor result{sizeof(axiscast_tensor), out.data(), AXISCAST_FLOAT32, 1, &n, nullptr};
    ASSERT_EQ(axiscast_apply(Find("clip"), &operand, 1, &result, &options, &execute), AXISCAST_OK) << axiscast_last_message();
    EXPECT_EQ(std::count(out.begin(), out.end(), highest), n);
  };
  const axiscast_thread_pool pool{sizeof(axiscast_thread_pool), nullptr,
                                  [](void*, int64_t count, axiscast_thread_pool_body body, void* task) {
                                    if (++calls == 1) clip(2, nullptr);
                                    body(task, 0, count);
                                  },
                                  [](void*) { return 2; }};
  clip(3, &pool);
  clip(4, &pool);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace axiscast::test
