// The cache of plans behind eager calls: what must not be taken for the same call, what is dropped, and who may call when.
#include "core/plan_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

constexpr int kPlans = kPlanCacheSets * kPlanCacheWays;

std::string MessageOf(const Status& status) { return status.message(); }

TEST(PlanCache, AnAxisOf0IsNotNoAxis) {
  const std::int32_t x[] = {0, 0, 0, 0}, y[] = {1, 2};
  std::int32_t out[4];
  ApplyOptions at_0, right;
  at_0.axis = 0;
  right.axis = -1;
  for (int round = 0; round < 3; ++round) {
    const Op& add = *FindOp("add");
    const TensorView operands[] = {{x, {1, 2, 2}}, {y, {2}}};
    ApplyOptions at_1 = at_0;
    at_1.axis = 1;
    for (const auto& [options, second] : {std::pair(at_1, 1), std::pair(right, 2), std::pair(ApplyOptions(), 2)}) {
      ASSERT_TRUE(Apply(add, operands, 2, {out, {1, 2, 2}}, options).ok());
      EXPECT_EQ(out[1], second);
    }
    EXPECT_EQ(Apply(add, operands, 2, {out, {1, 2, 2}}, at_0).code(), StatusCode::kInvalidShape);
    const TensorView square[] = {{x, {2, 2}}, {y, {2}}};
    for (const auto& [options, second] : {std::pair(at_0, 1), std::pair(ApplyOptions(), 2)}) {
      ASSERT_TRUE(Apply(add, square, 2, {out, {2, 2}}, options).ok());
      EXPECT_EQ(out[1], second);
    }
  }
}

TEST(PlanCache, AttributesAreTheirBits) {
  const double x = -1;
  const std::int64_t y = 5;
  double out;
  std::int64_t whole;
  const Op& clip = *FindOp("clip");
  const std::int64_t bits_of_1 = 0x3ff0000000000000;
  for (int round = 0; round < 3; ++round) {
    for (const double least : {0.0, -0.0, 2.5}) {
      ApplyOptions options;
      options.attributes = {{"min", least}};
      ASSERT_TRUE(Apply(clip, {{&x, {}}}, {&out, {}}, options).ok());
      EXPECT_EQ(out, least);
      EXPECT_EQ(std::signbit(out), std::signbit(least));
      options.attributes = {{"max", least - 4}};
      ASSERT_TRUE(Apply(clip, {{&x, {}}}, {&out, {}}, options).ok());
      EXPECT_EQ(out, std::min(x, least - 4));
      options.attributes = {{"min", std::numeric_limits<double>::quiet_NaN()}};
      EXPECT_EQ(MessageOf(Apply(clip, {{&x, {}}}, {&out, {}}, options)), "clip: attribute min must be a number; got nan");
    }
    ApplyOptions options;
    options.attributes = {{"min", 1.0}};
    ASSERT_TRUE(Apply(clip, {{&y, {}}}, {&whole, {}}, options).ok());
    EXPECT_EQ(whole, 5);
    options.attributes = {{"min", bits_of_1}};
    ASSERT_TRUE(Apply(clip, {{&y, {}}}, {&whole, {}}, options).ok());
    EXPECT_EQ(whole, bits_of_1);
  }
}

TEST(PlanCache, MessagesAreTheCallsOwn) {
  float x[] = {1, 2};
  const TensorView none(static_cast<float*>(nullptr), {2});
  char caller[8], first[8];
  const char* const names[] = {first, "second"};
  ApplyOptions options;
  options.caller = caller;
  options.names = names;
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(MessageOf(Apply(*FindOp("add"), {{x, {2}}, none}, {x, {2}})),
              "add: the pointer of y is null, but there are elements behind it");
    EXPECT_EQ(MessageOf(ApplyInPlace(*FindOp("add"), {x, {2}}, {none})),
              "add_: the pointer of y is null, but there are elements behind it");
    EXPECT_EQ(MessageOf(Apply(*FindOp("elementwise_add"), {{x, {2}}, none}, {x, {2}})),
              "elementwise_add: the pointer of y is null, but there are elements behind it");
    EXPECT_EQ(MessageOf(elementwise_add({x, {2}}, none, {x, {2}})),
              "elementwise_add: the pointer of y is null, but there are elements behind it");
    for (const char* text : {"f", "g"}) {  // in the same memory
      std::strcpy(caller, text);
      std::strcpy(first, "one");
      EXPECT_EQ(MessageOf(Apply(*FindOp("add"), {{x, {2}}, none}, {x, {2}}, options)),
                std::string(text) + ": the pointer of second is null, but there are elements behind it");
      std::strcpy(first, text);
      EXPECT_EQ(MessageOf(Apply(*FindOp("add"), {none, {x, {2}}}, {x, {2}}, options)),
                std::string(text) + ": the pointer of " + text + " is null, but there are elements behind it");
    }
  }
}

TEST(PlanCache, StridesOfDimsOfExtent1MayBeAnything) {
  const std::int32_t x[] = {1, 2, 3};
  std::int32_t out[3];
  for (int round = 0; round < 3; ++round) {
    for (const std::int64_t stride : {std::int64_t{4}, std::int64_t{-3}, std::numeric_limits<std::int64_t>::min()}) {
      std::memset(out, 0, sizeof(out));
      const TensorView view(x, DType::kInt32, {3, 1}, {4, stride});
      ASSERT_TRUE(Apply(*FindOp("add"), {view, view}, {out, DType::kInt32, {3, 1}, {4, stride}}).ok());
      EXPECT_EQ(out[2], 6);
    }
  }
}

TEST(PlanCache, MoreCallsThanAreKeptAndLargeOnes) {
  std::vector<std::int32_t> x(300), out(300);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int32_t>(i);
  for (int round = 0; round < 3; ++round) {
    for (std::int64_t n = 1; n <= 300; ++n) {
      std::fill(out.begin(), out.end(), -1);
      ASSERT_TRUE(Apply(*FindOp("add"), {{x.data(), {n}}, {x.data(), {n}}}, {out.data(), {n}}).ok());
      EXPECT_EQ(out[static_cast<std::size_t>(n - 1)], 2 * (n - 1));
      EXPECT_EQ(std::count(out.begin(), out.end(), -1), 300 - n);
    }
    for (int rank = 0; rank <= kMaxRank; ++rank) {  // more words than a key has, too
      Shape shape;
      for (int d = 0; d < rank; ++d) shape.push_back(d == rank / 2 ? 7 : 1);
      ASSERT_TRUE(Apply(*FindOp("add"), {{x.data(), shape}, {x.data() + 1, shape}}, {out.data(), shape}).ok());
      EXPECT_EQ(out[rank > 0 ? 6 : 0], rank > 0 ? 13 : 1) << rank;
    }
  }
  const std::string long_name(5000, 'n');
  ApplyOptions options;
  options.caller = long_name.c_str();
  EXPECT_EQ(
      MessageOf(Apply(*FindOp("add"), {{x.data(), {1}}, {x.data(), {1}}}, {static_cast<std::int32_t*>(nullptr), {1}}, options)),
      long_name + ": the pointer of out is null, but there are elements behind it");
}

PlanKey KeyOf(std::initializer_list<std::uint64_t> words) {
  PlanKey key;
  for (const std::uint64_t word : words) key.AddWord(word);
  key.Finish();
  return key;
}

// The hash is a sum of products, so words that differ can be made to have the same.
TEST(PlanCache, TheSameHashIsNotTheSameCall) {
  const std::uint64_t first = KeyOf({1, 0}).hash(), second = KeyOf({0, 1}).hash();
  const PlanKey x = KeyOf({5, 7}), y = KeyOf({5 + second, 7 - first});
  ASSERT_EQ(x.hash(), y.hash());
  const auto plan = std::make_shared<const Plan::Impl>();
  PutPlan(x, plan);
  EXPECT_EQ(TakePlan(y), nullptr);
  EXPECT_EQ(TakePlan(KeyOf({5, 7, 0})), nullptr);  // the same hash, too
  EXPECT_EQ(TakePlan(x), plan);
  EXPECT_EQ(TakePlan(x), nullptr);  // it is out
  PutPlan(y, plan);
  EXPECT_EQ(TakePlan(x), nullptr);
  PutPlan(x, plan);
  PutPlan(KeyOf({5, 8, 0}), plan);
  EXPECT_EQ(TakePlan(KeyOf({5, 8})), nullptr);
  EXPECT_EQ(plan.use_count(), 4);
  ForgetPlans();
  EXPECT_EQ(plan.use_count(), 1);
  EXPECT_EQ(TakePlan(x), nullptr);
}

template <std::int32_t kAdded>
void AddTile(const Tile& tile, const void* const* inputs, void* result) {
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    for (std::int64_t c = 0; c < tile.cols; ++c) {
      const auto* in = reinterpret_cast<const std::int32_t*>(static_cast<const std::byte*>(inputs[0]) + r * tile.in[0].row_stride);
      reinterpret_cast<std::int32_t*>(static_cast<std::byte*>(result) + r * tile.out_row_stride)[c] =
          in[tile.in[0].splat ? 0 : c] + kAdded;
    }
  }
}

Registry RegistryWith(KernelFunction run) {
  RegistryBuilder builder(Registry::BuiltIn());
  const OpInfo info{"own", 1, "out = x + something"};
  if (!builder.Add({info, {{{DType::kInt32}, DType::kInt32, {}, run}}}).ok()) std::abort();
  return builder.Build();
}

TEST(PlanCache, AnOpInThePlaceOfAnotherIsAnother) {
  const std::int32_t x[] = {10, 20};
  std::map<std::vector<const void*>, bool> before;
  int same = 0;
  for (int round = 0; round < 200; ++round) {
    const bool one = round * round % 7 < 2;
    const auto registry = std::make_unique<Registry>(RegistryWith(one ? &AddTile<1> : &AddTile<2>));
    const Op* op = registry->Find("own");
    const auto [place, is_new] = before.try_emplace({op, op->name(), &op->entry()}, one);
    same += !is_new && place->second != one;
    place->second = one;
    for (int call = 0; call < 2; ++call) {
      std::int32_t out[2];
      ASSERT_TRUE(Apply(*op, {{x, {2}}}, {out, {2}}).ok());
      EXPECT_EQ(out[1], one ? 21 : 22);
    }
  }
  std::printf("%d of 199 at the address of another\n", same);
}

// A kernel that makes calls of its own: the same one, and more than are kept.
thread_local int depth = 0;
void CallingTile(const Tile& tile, const void* const* inputs, void* result) {
  AddTile<1>(tile, inputs, result);
  if (++depth <= 2) {
    static const Registry again = RegistryWith(&AddTile<1>);
    std::vector<std::int32_t> memory(100, 1), out(100);
    for (std::int64_t n = 1; n <= 2 * kPlans && n <= 100; ++n) {
      if (!Apply(*again.Find("own"), {{memory.data(), {n}}}, {out.data(), {n}}).ok()) std::abort();
    }
    static const Registry self = RegistryWith(&CallingTile);
    if (!Apply(*self.Find("own"), {{memory.data(), {3, 3}}}, {out.data(), {3, 3}}).ok() || out[8] != 2) std::abort();
    ForgetPlans();
  }
  --depth;
}

TEST(PlanCache, KernelsMayMakeCalls) {
  const Registry registry = RegistryWith(&CallingTile);
  // Transposed, so that the plan is needed after the kernel has run: several tiles, staged.
  std::vector<std::int32_t> x(300 * 300), out(300 * 300);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int32_t>(i);
  ApplyOptions options;
  options.max_threads = 1;
  for (int call = 0; call < 2; ++call) {
    std::fill(out.begin(), out.end(), 0);
    const TensorView view(x.data(), DType::kInt32, {300, 300}, {4, 1200});
    ASSERT_TRUE(Apply(*registry.Find("own"), {view}, {out.data(), {300, 300}}, options).ok());
    std::int64_t wrong = 0;
    for (std::size_t r = 0; r < 300; ++r) {
      for (std::size_t c = 0; c < 300; ++c) wrong += out[r * 300 + c] != static_cast<std::int32_t>(c * 300 + r + 1);
    }
    EXPECT_EQ(wrong, 0);
  }
}

TEST(PlanCache, AHundredThreads) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 100; ++t) {
    threads.emplace_back([&wrong, t] {
      std::vector<std::int32_t> x(200), y(200), out(200);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int32_t>(i) * t, y[i] = static_cast<std::int32_t>(i);
      for (int round = 0; round < 20; ++round) {
        for (std::int64_t n = 1; n <= 2 + t; n += 3) {  // few and many different ones
          std::fill(out.begin(), out.end(), 0);
          wrong += !elementwise_add({x.data(), {2, n}}, {y.data(), {2}}, {out.data(), {2, n}}, 0).ok();
          for (std::int64_t i = 0; i < 2 * n; ++i) wrong += out[static_cast<std::size_t>(i)] != i * t + (i >= n ? 1 : 0);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

bool Works() {
  const float x[] = {1, 2};
  float out[2];
  for (int call = 0; call < 2; ++call) {
    if (!elementwise_add({x, {2}}, {x, {2}}, {out, {2}}).ok() || out[1] != 4) return false;
  }
  return true;
}

std::atomic<bool> worked_at_thread_exit{false};
struct AtThreadExit {
  ~AtThreadExit() { worked_at_thread_exit = Works(); }
};

TEST(PlanCache, CallsWhileAThreadEnds) {
  std::thread([] {
    static thread_local AtThreadExit before_the_first_call;
    (void)&before_the_first_call;
    EXPECT_TRUE(Works());
  }).join();
  EXPECT_TRUE(worked_at_thread_exit);
}

// The first object that is made, and the last one that goes: the cache is not yet, or no longer, there.
struct FirstAndLast {
  FirstAndLast() { Check(); }
  ~FirstAndLast() { Check(); }
  static void Check() {
    if (Works()) return;
    std::fprintf(stderr, "a call before main or after it failed\n");
    std::_Exit(1);
  }
};
[[gnu::init_priority(101)]] FirstAndLast first_and_last;

}  // namespace
}  // namespace axiscast
