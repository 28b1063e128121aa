// How work is shared by threads: pieces, and when short calls are shared at all.
#include "core/parallel.h"

#include <gtest/gtest.h>

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "axiscast/axiscast.h"
#include "core/awake.h"

namespace axiscast {
namespace {

struct Range {
  std::int64_t begin, end;
  bool operator==(const Range& other) const { return begin == other.begin && end == other.end; }
};

std::vector<Range> TakeAll(Pieces& pieces) {
  std::vector<Range> taken;
  for (Range range; pieces.Take(&range.begin, &range.end);) taken.push_back(range);
  return taken;
}

TEST(Pieces, AreTakenFromTheFrontOfTheOwnShareThenFromTheBackOfTheOthers) {
  Shares shares(70, 10, 2);  // 0 to 39, and 40 to 69
  Pieces second(shares, 1);
  Range range{};
  ASSERT_TRUE(second.Take(&range.begin, &range.end));
  EXPECT_EQ(range, (Range{40, 50}));
  Pieces first(shares, 2);  // worker 2 of 2 has the first one's share
  EXPECT_EQ(TakeAll(first), (std::vector<Range>{{0, 10}, {10, 20}, {20, 30}, {30, 40}, {60, 70}, {50, 60}}));
  EXPECT_FALSE(second.Take(&range.begin, &range.end));
  EXPECT_TRUE(TakeAll(first).empty());
}

TEST(Pieces, CoverEveryCountOnce) {
  for (const std::int64_t count : {1, 2, 7, 64, 1000}) {
    for (const std::int64_t grain : {1, 3, 64, 5000}) {
      for (const std::int64_t workers : {1, 2, 3, 64, 1000}) {
        Shares shares(count, grain, workers);
        std::vector<int> taken(static_cast<std::size_t>(count));
        for (std::int64_t worker = workers; worker-- > 0;) {
          Pieces pieces(shares, worker);
          Range range{};
          if (worker % 2 == 0 && worker > 0) {  // takes but one
            if (pieces.Take(&range.begin, &range.end)) {
              for (std::int64_t i = range.begin; i < range.end; ++i) ++taken[static_cast<std::size_t>(i)];
            }
            continue;
          }
          for (const Range& r : TakeAll(pieces)) {
            EXPECT_LE(r.end - r.begin, grain);
            for (std::int64_t i = r.begin; i < r.end; ++i) ++taken[static_cast<std::size_t>(i)];
          }
        }
        EXPECT_EQ(taken, std::vector<int>(static_cast<std::size_t>(count), 1)) << count << " " << grain << " " << workers;
      }
    }
  }
}

TEST(Pieces, ThereAreAtMostAsManyAsAShareCounts) {
  const std::int64_t count = std::int64_t{1} << 50;
  Shares shares(count, 1, 1);
  Pieces pieces(shares, 0);
  Range range{};
  ASSERT_TRUE(pieces.Take(&range.begin, &range.end));
  EXPECT_EQ(range.begin, 0);
  EXPECT_GE(range.end, std::int64_t{1} << 19);
  Shares two(count, 1, 2);
  Pieces other(two, 1);
  ASSERT_TRUE(other.Take(&range.begin, &range.end));
  EXPECT_NEAR(static_cast<double>(range.begin), static_cast<double>(count) / 2, 1e7);
}

TEST(Pieces, AreTakenOnceByThreadsAtOnce) {
  constexpr std::int64_t kCount = 100'000;
  constexpr int kThreads = 8;
  Shares shares(kCount, 3, kThreads);
  std::vector<std::atomic<int>> taken(kCount);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Pieces pieces(shares, t / 2);  // every other share has no worker of its own
      Range range{};
      while (pieces.Take(&range.begin, &range.end)) {
        for (std::int64_t i = range.begin; i < range.end; ++i) taken[static_cast<std::size_t>(i)].fetch_add(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::int64_t i = 0; i < kCount; ++i) ASSERT_EQ(taken[static_cast<std::size_t>(i)].load(), 1) << i;
}

constexpr std::int64_t kMicrosecond = 1000;

TEST(AwakeGuess, CallsFarFromEachOtherAreNotShared) {
  AwakeGuess guess;
  for (int call = 0; call < 1000; ++call) EXPECT_FALSE(guess.Ask(call * (AwakeGuess::kAwake + kMicrosecond))) << call;
}

TEST(AwakeGuess, CallsThatAreHelpedAreShared) {
  AwakeGuess guess;
  EXPECT_FALSE(guess.Ask(0));
  guess.WasHelped(100 * kMicrosecond);
  EXPECT_TRUE(guess.Ask(100 * kMicrosecond + AwakeGuess::kAwake - 1));
  EXPECT_FALSE(guess.Ask(100 * kMicrosecond + AwakeGuess::kAwake));
}

TEST(AwakeGuess, CloseCallsTryNowAndThen) {
  AwakeGuess guess;
  int tries = 0, in_a_row = 0, longest = 0;
  constexpr int kCalls = 10'000;
  for (int call = 0; call < kCalls; ++call) {  // 50 ms
    const bool tried = guess.Ask(call * 5 * kMicrosecond);
    tries += tried ? 1 : 0;
    in_a_row = tried ? in_a_row + 1 : 0;
    longest = std::max(longest, in_a_row);
  }
  EXPECT_GT(longest * 5 * kMicrosecond, AwakeGuess::kTry / 2);  // threads take a while to wake up
  EXPECT_GT(tries, kCalls / 40);
  EXPECT_LT(tries, kCalls / 10);
}

// Whatever the gaps are, a caller loses no more than what two tries take in a millisecond.
TEST(AwakeGuess, TriesAreRare) {
  for (const std::vector<std::int64_t>& gaps :
       {std::vector<std::int64_t>{10}, {75}, {79, 81}, {70, 200}, {30, 30, 30, 200}, {1, 90}, {90}, {5, 5, 5, 5, 1000}}) {
    AwakeGuess guess;
    constexpr int kCalls = 20'000;
    std::int64_t now = 0, spent = 0;
    for (int call = 0; call < kCalls; ++call) {
      if (guess.Ask(now)) {
        now += 13 * kMicrosecond;
        spent += 13 * kMicrosecond;
      }
      now += gaps[static_cast<std::size_t>(call) % gaps.size()] * kMicrosecond;
    }
    EXPECT_LT(static_cast<double>(spent), 0.07 * static_cast<double>(now)) << gaps[0] << " of " << gaps.size();
  }
}

TEST(AwakeGuess, ATryThatIsHelpedIsTheLastOne) {
  AwakeGuess guess;
  std::int64_t now = 0;
  while (!guess.Ask(now)) now += 5 * kMicrosecond;
  guess.WasHelped(now);
  for (int call = 0; call < 1000; ++call) {
    now += 5 * kMicrosecond;
    EXPECT_TRUE(guess.Ask(now)) << call;
    guess.WasHelped(now);
  }
}

// An op that counts its tiles, and says what was written.
std::atomic<int> tiles{0};
void CountTiles(const Tile& tile) {
  tiles.fetch_add(1);
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const auto* x = reinterpret_cast<const float*>(static_cast<const std::byte*>(tile.in[0].data) + r * tile.in[0].row_stride);
    const auto* y = reinterpret_cast<const float*>(static_cast<const std::byte*>(tile.in[1].data) + r * tile.in[1].row_stride);
    auto* out = reinterpret_cast<float*>(static_cast<std::byte*>(tile.out) + r * tile.out_row_stride);
    for (std::int64_t c = 0; c < tile.cols; ++c) out[c] = x[tile.in[0].splat ? 0 : c] - y[tile.in[1].splat ? 0 : c];
  }
}

// Two threads, of which one does all.
int pool_calls = 0;
axiscast_thread_pool PoolOfTwo() {
  return {sizeof(axiscast_thread_pool), nullptr,
          [](void*, std::int64_t count, axiscast_thread_pool_body body, void* task) {
            ++pool_calls;
            body(task, 0, count);
          },
          [](void*) { return 2; }};
}

// The tiles that one thread, or two, make of x - y; -1: a wrong result.
int TilesOf(const Shape& x_shape, const Shape& y_shape, int threads) {
  static const Registry registry = [] {
    RegistryBuilder builder(Registry::BuiltIn());
    OpDefinition definition{};
    definition.info.name = "counted";
    definition.info.arity = 2;
    definition.info.doc = "out = x - y";
    definition.kernels = {{{DType::kFloat32, DType::kFloat32}, DType::kFloat32, DType::kFloat32, &CountTiles}};
    EXPECT_TRUE(builder.Add(definition).ok());
    return builder.Build();
  }();
  const Op* op = nullptr;
  EXPECT_TRUE(registry.Find("counted", &op).ok());
  const auto count = [](const Shape& shape) {
    return static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
  };
  std::vector<float> x(count(x_shape)), y(count(y_shape));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1001);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(i % 77);
  std::vector<float> out(x.size(), -1);
  Plan plan;
  const Status made = Plan::Make(*op, {{x.data(), DType::kFloat32, x_shape}, {y.data(), DType::kFloat32, y_shape}},
                                 {out.data(), DType::kFloat32, x_shape}, {}, &plan);
  EXPECT_TRUE(made.ok()) << made.message();
  EXPECT_GT(plan.Describe().tiles, 1);
  ExecuteOptions options;
  const axiscast_thread_pool pool = PoolOfTwo();
  options.max_threads = threads;
  options.pool = &pool;
  tiles = 0;
  const void* inputs[] = {x.data(), y.data()};
  EXPECT_TRUE(plan.Execute(inputs, out.data(), options).ok());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t facing = y.size() == 5 ? i / 1000 % 5 : i % y.size();
    if (out[i] != x[i] - y[facing]) return -1;
  }
  return tiles;
}

TEST(OneThread, TakesAsOneTileWhatOnlySharingCuts) {
  EXPECT_EQ(TilesOf({3'000'000}, {3'000'000}, 1), 1);
  EXPECT_GT(TilesOf({3'000'000}, {3'000'000}, 2), 10);
  EXPECT_EQ(TilesOf({3000, 1000}, {1000}, 1), 1);
  EXPECT_EQ(TilesOf({3'000'000}, {1}, 1), 1);
  EXPECT_LE(TilesOf({1'000'000, 3}, {3}, 1), 2);  // folded rows, and what is left
  EXPECT_EQ(TilesOf({10, 300'000}, {300'000}, 1), 1);
  EXPECT_EQ(TilesOf({300, 5, 1000}, {5, 1}, 1), 300);  // rows and cols make a tile
}

// How often the pool is asked to run a plan, some time after any other call.
int PoolCallsOf(const char* op_name, const std::vector<TensorView>& inputs, const Shape& out_shape,
                const std::vector<Attribute>& attributes) {
  std::vector<float> out(1 << 24);
  PlanOptions plan_options;
  plan_options.attributes = attributes;
  Plan plan;
  const Status made = Plan::Make(*FindOp(op_name), inputs.data(), static_cast<int>(inputs.size()),
                                 {out.data(), DType::kFloat32, out_shape}, plan_options, &plan);
  EXPECT_TRUE(made.ok()) << made.message();
  const axiscast_thread_pool pool = PoolOfTwo();
  ExecuteOptions options;
  options.pool = &pool;
  std::vector<const void*> pointers;
  for (const TensorView& input : inputs) pointers.push_back(input.data);
  std::this_thread::sleep_for(std::chrono::nanoseconds(10 * AwakeGuess::kAwake));
  pool_calls = 0;
  EXPECT_TRUE(plan.Execute(pointers.data(), out.data(), options).ok());
  return pool_calls;
}

#if defined(__linux__)
// A pool of two whose second thread does all, on a CPU of its own or on the caller's.
class HelpingPool {
 public:
  explicit HelpingPool(bool own_cpu) : pool_{sizeof(axiscast_thread_pool), this, &ParallelFor, [](void*) { return 2; }} {
    sched_getaffinity(0, sizeof(all_), &all_);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &all_)) cpus_.push_back(cpu);
    }
    Pin(cpus_.front());
    helper_ = std::thread([this, own_cpu] {
      Pin(own_cpu ? cpus_.back() : cpus_.front());
      while (!ends_.load()) {
        if (task_.load() == nullptr) {
          std::this_thread::yield();
          continue;
        }
        body_(task_.load(), 0, 2);
        task_.store(nullptr);
      }
    });
  }
  ~HelpingPool() {
    ends_.store(true);
    helper_.join();
    sched_setaffinity(0, sizeof(all_), &all_);
  }
  std::size_t cpus() const { return cpus_.size(); }
  // Of so many short calls, one after the other and after a long one: in how many the pool was asked.
  int CallsOf(int count) {
    const std::vector<float> x(60'000);
    std::vector<float> out(x.size());
    Plan plan;
    const TensorView view(x.data(), DType::kFloat32, {static_cast<std::int64_t>(x.size())});
    EXPECT_TRUE(Plan::Make(*FindOp("add"), {view, view}, {out.data(), DType::kFloat32, view.shape}, {}, &plan).ok());
    EXPECT_TRUE(plan.Describe().parallel);
    ExecuteOptions options;
    options.pool = &pool_;
    std::this_thread::sleep_for(std::chrono::nanoseconds(10 * AwakeGuess::kAwake));
    RunLong(options);
    calls_ = 0;
    const void* inputs[] = {x.data(), x.data()};
    for (int i = 0; i < count; ++i) EXPECT_TRUE(plan.Execute(inputs, out.data(), options).ok());
    return calls_;
  }

 private:
  static void Pin(int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof(one), &one);
  }
  // A call that is always shared.
  static void RunLong(const ExecuteOptions& options) {
    const std::vector<float> x(8'000'000);
    std::vector<float> out(x.size());
    const TensorView view(x.data(), DType::kFloat32, {static_cast<std::int64_t>(x.size())});
    Plan plan;
    EXPECT_TRUE(Plan::Make(*FindOp("add"), {view, view}, {out.data(), DType::kFloat32, view.shape}, {}, &plan).ok());
    const void* inputs[] = {x.data(), x.data()};
    EXPECT_TRUE(plan.Execute(inputs, out.data(), options).ok());
  }
  static void ParallelFor(void* context, std::int64_t, axiscast_thread_pool_body body, void* task) {
    auto& self = *static_cast<HelpingPool*>(context);
    ++self.calls_;
    self.body_ = body;
    self.task_.store(task);
    while (self.task_.load() != nullptr) std::this_thread::yield();
  }

  cpu_set_t all_;
  std::vector<int> cpus_;
  axiscast_thread_pool pool_;
  int calls_ = 0;
  axiscast_thread_pool_body body_ = nullptr;
  std::atomic<void*> task_{nullptr};
  std::atomic<bool> ends_{false};
  std::thread helper_;  // last: it uses the rest
};

TEST(ShortCalls, AreSharedWithThoseWhoHelp) {
  HelpingPool pool(true);
  if (pool.cpus() < 2) GTEST_SKIP() << "one CPU: nobody can help";
  EXPECT_GT(pool.CallsOf(20'000), 10'000);
}

TEST(ShortCalls, AreNotSharedOnOneCpu) {
  HelpingPool pool(false);
  EXPECT_LT(pool.CallsOf(5'000), 2'500);
}
#endif

TEST(ShortCalls, AreNotSharedWithPoolsThatUseTheCaller) {
  const std::vector<float> x(60'000);
  std::vector<float> out(x.size());
  Plan plan;
  const TensorView view(x.data(), DType::kFloat32, {static_cast<std::int64_t>(x.size())});
  ASSERT_TRUE(Plan::Make(*FindOp("add"), {view, view}, {out.data(), DType::kFloat32, view.shape}, {}, &plan).ok());
  const axiscast_thread_pool pool = PoolOfTwo();
  ExecuteOptions options;
  options.pool = &pool;
  const void* inputs[] = {x.data(), x.data()};
  std::this_thread::sleep_for(std::chrono::nanoseconds(10 * AwakeGuess::kAwake));
  pool_calls = 0;
  for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(plan.Execute(inputs, out.data(), options).ok());
  EXPECT_LT(pool_calls, 10'000);
}

// Of 500 to 900 KB: waking threads takes longer.
TEST(ShortCalls, DoNotWakeThreads) {
  const std::vector<float> x(1 << 24);
  std::vector<std::int64_t> index(1 << 18);
  const auto table = [&](std::int64_t rows) { return TensorView(x.data(), DType::kFloat32, {rows, 64}); };
  const auto rows_of = [&](std::int64_t rows) { return TensorView(index.data(), DType::kInt64, {rows}); };
  EXPECT_EQ(PoolCallsOf("add", {table(1100), table(1100)}, {1100, 64}, {}), 0);
  EXPECT_EQ(PoolCallsOf("sum_to", {table(3000)}, {3000, 1}, {{"shape", Shape{3000, 1}}}), 0);
  EXPECT_EQ(PoolCallsOf("gather", {table(1000), rows_of(1000)}, {1000, 64}, {{"dim", 0}}), 0);
  EXPECT_GT(PoolCallsOf("add", {table(200'000), table(200'000)}, {200'000, 64}, {}), 0);
  EXPECT_GT(PoolCallsOf("sum_to", {table(200'000)}, {200'000, 1}, {{"shape", Shape{200'000, 1}}}), 0);
  EXPECT_GT(PoolCallsOf("gather", {table(200'000), rows_of(200'000)}, {200'000, 64}, {{"dim", 0}}), 0);
}

}  // namespace
}  // namespace axiscast
