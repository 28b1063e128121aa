// Who takes a call that is put in a seat, and who waits for whom.
#include "core/crew.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

namespace axiscast {
namespace {

struct alignas(64) Job {
  std::int64_t number = -1;  // that its helper was told
};
const int kFirstRead = 0;
constexpr int kLate = 50;  // pauses
constexpr std::int64_t kStay = 7;

Crew::What Of(Job* job, std::int64_t number, std::int64_t stay = kStay) { return {job, number, &kFirstRead, stay}; }

// A helper that works until it may end, and stays for so many looks at whether to.
struct Helper {
  mutable int looks = 0;
  bool even = true;
  const std::atomic<bool>* may_end = nullptr;
  const std::atomic<bool>* may_look = nullptr;
  mutable std::atomic<bool> looks_now{false};
  std::atomic<int> calls{0};

  void Expect(void* what, const void* first_read) {
    EXPECT_NE(what, nullptr);
    EXPECT_EQ(first_read, &kFirstRead);
  }
  void Begin(void* what, std::int64_t number, std::int64_t stay) {
    EXPECT_TRUE(stay == 0 || stay == kStay) << stay;
    static_cast<Job*>(what)->number = number;
    ++calls;
  }
  bool Work() const {
    while (may_end != nullptr && !*may_end) std::this_thread::yield();
    return even;
  }
  void End() {}
  bool Stays() const {
    looks_now = true;
    while (may_look != nullptr && !*may_look) std::this_thread::yield();
    return looks-- > 0;
  }
};

// Calls all of a part, and says how many calls away from its first worker the last one is.
int CallAll(std::int64_t first, std::int64_t workers, std::vector<int>* called) {
  ++(*called)[static_cast<std::size_t>(first)];
  int calls = 0, last = 0;
  ForEachPart(workers, [&](std::int64_t other, std::int64_t part) {
    last = std::max(last, 1 + CallAll(first + other, part, called));
    ++calls;
  });
  EXPECT_LE(calls, kMostParts);
  return last;
}

TEST(Parts, CallEachWorkerOnceByWayOfFewOthers) {
  for (std::int64_t workers = 1; workers <= 300; ++workers) {
    std::vector<int> called(static_cast<std::size_t>(workers));
    const int last = CallAll(0, workers, &called);
    for (const int times : called) ASSERT_EQ(times, 1) << workers;
    EXPECT_LE(last, workers <= 7 ? 1 : workers <= 31 ? 2 : workers <= 127 ? 3 : 4) << workers;
  }
}

TEST(Parts, AreNoMoreThanTheirRoom) {
  constexpr std::int64_t kMost = std::int64_t{7} << 28;  // of which there are most parts, found by trying
  for (const std::int64_t workers : {kMost, std::int64_t{1} << 31, (std::int64_t{1} << 31) - 1}) {
    int parts = 0;
    std::int64_t end = workers;
    ForEachPart(workers, [&](std::int64_t other, std::int64_t part) {
      EXPECT_EQ(other + part, end);
      end = other;
      ++parts;
    });
    EXPECT_EQ(end, 1);
    EXPECT_LE(parts, kMostParts);
    if (workers == kMost) {
      EXPECT_EQ(parts, kMostParts);
    }
  }
}

TEST(Crew, NeedsAThreadWhereNoneIsOnItsWay) {
  Crew crew(nullptr, 2);
  Job job;
  EXPECT_TRUE(crew.Call(1, Of(&job, 5)));
  EXPECT_EQ(crew.TakeBack(1, &job, kLate), Crew::Left::kUntaken);
  EXPECT_FALSE(crew.Call(1, Of(&job, 5))) << "it still comes";
  EXPECT_EQ(crew.TakeBack(1, &job, kLate), Crew::Left::kUntaken);
  Helper late;
  crew.Serve(1, late);
  EXPECT_EQ(late.calls, 0);
  EXPECT_TRUE(crew.Call(1, Of(&job, 5))) << "it came, and left";
  EXPECT_TRUE(crew.CancelCall(1, &job));
  EXPECT_TRUE(crew.Call(1, Of(&job, 5)));
}

TEST(Crew, SaysWhatItsHelperSaw) {
  for (const bool even : {true, false}) {
    for (const int late : {kLate, 0}) {  // no pause is late, too
      Crew crew(nullptr, 2);
      Job job;
      ASSERT_TRUE(crew.Call(1, Of(&job, 5)));
      Helper helper;
      helper.even = even;
      crew.Serve(1, helper);
      EXPECT_EQ(job.number, 5);
      EXPECT_EQ(crew.TakeBack(1, &job, late), even && late > 0 ? Crew::Left::kEven : Crew::Left::kUneven);
      EXPECT_FALSE(crew.IsStandingBy(1));
    }
  }
}

TEST(Crew, WaitsForWhoHasBegun) {
  for (const int late : {kLate, std::numeric_limits<int>::max()}) {
    Crew crew(nullptr, 2);
    Job job;
    ASSERT_TRUE(crew.Call(1, Of(&job, 5)));
    std::atomic<bool> may_end{false}, has_ended{false};
    Helper helper;
    helper.may_end = &may_end;
    std::thread thread([&] { crew.Serve(1, helper); });
    while (helper.calls == 0) std::this_thread::yield();
    std::thread waker([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      has_ended = true;
      may_end = true;
    });
    const auto begin = std::chrono::steady_clock::now();
    const Crew::Left left = crew.TakeBack(1, &job, late);
    const bool waited = std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(5);  // this thread may have been away
    if (waited) {
      EXPECT_EQ(left, Crew::Left::kStalled) << "20 ms, whether " << late << " pauses are late or not";
    }
    EXPECT_TRUE(has_ended);
    waker.join();
    thread.join();
  }
}

// A scheduler may fail, and have called a thread all the same.
TEST(Crew, LetsNobodyInBesidesWhoIsAtWork) {
  Crew crew(nullptr, 2);
  Job job;
  ASSERT_TRUE(crew.Call(1, Of(&job, 5)));
  std::atomic<bool> may_end{false};
  Helper first, second;
  first.may_end = &may_end;
  std::thread thread([&] { crew.Serve(1, first); });
  while (first.calls == 0) std::this_thread::yield();
  EXPECT_FALSE(crew.CancelCall(1, &job));
  crew.Serve(1, second);
  EXPECT_EQ(second.calls, 0);
  std::atomic<bool> has_ended{false};
  std::thread waker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    has_ended = true;
    may_end = true;
  });
  EXPECT_NE(crew.TakeBack(1, &job, kLate), Crew::Left::kUntaken);
  EXPECT_TRUE(has_ended);
  waker.join();
  thread.join();
}

TEST(Crew, HasItsHelpersButNotItsCallerLeaveTheCallersCpu) {
  Crew crew(nullptr, 2);
  EXPECT_EQ(crew.CpuToLeave(), -1) << "not known";
  crew.SetCaller(std::this_thread::get_id(), 5);
  EXPECT_EQ(crew.CpuToLeave(), -1);
  int cpu = -1;
  std::thread([&] { cpu = crew.CpuToLeave(); }).join();
  EXPECT_EQ(cpu, 5);
}

TEST(Crews, AreUsedAgainWhereNobodyIsOnTheWay) {
  static Crews crews;  // what it has stays for ever, as threads may
  const int arena = 0;
  Crew* const first = crews.Take(nullptr, 2);
  EXPECT_NE(crews.Take(nullptr, 2), first) << "it is taken";
  Job job;
  ASSERT_TRUE(first->Call(1, Of(&job, 5)));
  ASSERT_EQ(first->TakeBack(1, &job, kLate), Crew::Left::kUntaken);
  crews.GiveBack(first);
  EXPECT_NE(crews.Take(nullptr, 2), first) << "a thread is on its way to it";
  EXPECT_TRUE(first->IsComing(1));
  Helper late;
  first->Serve(1, late);
  EXPECT_NE(crews.Take(nullptr, 3), first) << "of another size";
  EXPECT_EQ(crews.Take(&arena, 2), first);
  EXPECT_TRUE(first->IsFor(&arena, 2));
}

TEST(Crew, KnowsWhoStandsBy) {
  Crew crew(nullptr, 2);
  Job job, next, last;
  Helper helper;
  helper.looks = 1'000'000'000;
  ASSERT_TRUE(crew.Call(1, Of(&job, 0)));
  std::thread thread([&] { crew.Serve(1, helper); });
  while (!crew.IsStandingBy(1)) std::this_thread::yield();
  EXPECT_NE(crew.TakeBack(1, &job, kLate), Crew::Left::kUntaken);
  EXPECT_FALSE(crew.Call(1, Of(&next, 1, 0))) << "one stands by";
  thread.join();  // as it does not stay
  EXPECT_EQ(next.number, 1);
  EXPECT_NE(crew.TakeBack(1, &next, kLate), Crew::Left::kUntaken);
  EXPECT_FALSE(crew.IsStandingBy(1));
  EXPECT_TRUE(crew.Call(1, Of(&last, 2))) << "it left";
}

// A thread that was called by a scheduler that said that it failed.
TEST(Crew, KnowsThatWhoStoodByWasSentAway) {
  Crew crew(nullptr, 2);
  Job job, next;
  Helper helper, newcomer;
  helper.looks = 1'000'000'000;
  ASSERT_TRUE(crew.Call(1, Of(&job, 0)));
  std::thread thread([&] { crew.Serve(1, helper); });
  while (!crew.IsStandingBy(1)) std::this_thread::yield();
  EXPECT_NE(crew.TakeBack(1, &job, kLate), Crew::Left::kUntaken);
  crew.Serve(1, newcomer);
  thread.join();
  EXPECT_FALSE(crew.IsStandingBy(1));
  EXPECT_TRUE(crew.Call(1, Of(&next, 1)));
}

// The call of one that stands by is taken by a thread that was called so, and does not stay.
TEST(Crew, KnowsThatNobodyStandsByBesidesWhoWasCalledForNothing) {
  Crew crew(nullptr, 2);
  Job job;
  std::atomic<bool> may_look{false}, may_end{false};
  Helper stander, newcomer;
  stander.looks = 1'000'000'000;
  stander.may_look = &may_look;
  newcomer.may_end = &may_end;
  ASSERT_TRUE(crew.Call(1, Of(&job, 0)));
  std::thread first([&] { crew.Serve(1, stander); });
  while (!stander.looks_now) std::this_thread::yield();
  EXPECT_NE(crew.TakeBack(1, &job, kLate), Crew::Left::kUntaken);
  EXPECT_FALSE(crew.Call(1, Of(&job, 1, 0)));
  std::thread second([&] { crew.Serve(1, newcomer); });
  while (newcomer.calls == 0) std::this_thread::yield();
  may_look = true;
  first.join();
  may_end = true;
  second.join();
  EXPECT_NE(crew.TakeBack(1, &job, kLate), Crew::Left::kUntaken);
  EXPECT_FALSE(crew.IsStandingBy(1));
  EXPECT_TRUE(crew.Call(1, Of(&job, 2)));
}

// Threads of a pool, which serve a seat whenever one is called to it, until the object is destroyed.
class Servers {
 public:
  Servers(Crew* crew, int threads, int looks) : crew_(crew), looks_(looks) {
    for (int t = 0; t < threads; ++t) threads_.emplace_back([this] { Run(); });
  }
  ~Servers() { End(); }

  void Call() { coming_.fetch_add(1); }
  bool IsOneThere() const { return coming_ > 0 || there_ > 0; }
  void End() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  int taken() const { return taken_; }

 private:
  void Run() {
    for (int round = 0; !over_ || coming_ > 0; ++round) {
      int coming = coming_;
      if (coming == 0) {
        std::this_thread::yield();
        continue;
      }
      there_.fetch_add(1);
      if (coming_.compare_exchange_strong(coming, coming - 1)) {
        Helper helper;
        helper.looks = looks_ < 4 ? (looks_ + round) % 4 : looks_;
        crew_->Serve(1, helper);
        taken_.fetch_add(helper.calls);
      }
      there_.fetch_sub(1);
    }
  }

  Crew* const crew_;
  const int looks_;
  std::atomic<int> coming_{0}, there_{0}, taken_{0};
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

// Each of many calls is taken once or taken back, with threads that stay for long, or hardly, or not, and come anew; and a seat is
// never one to which nobody comes any more.
TEST(Crew, TakesEachCallOnce) {
  for (const int looks : {0, 1, 2, 1'000'000}) {
    for (const int threads : {1, 3}) {
      Crew crew(nullptr, 2);
      Servers servers(&crew, threads, looks);
      int seen_taken = 0, missed = 0;
      for (int call = 0; call < 50'000; ++call) {
        Job job;
        if (crew.Call(1, Of(&job, call, call % 5 == 0 ? 0 : kStay))) servers.Call();
        if (call % 3 == 0) std::this_thread::yield();
        const bool was_taken = crew.TakeBack(1, &job, kLate) != Crew::Left::kUntaken;
        ASSERT_EQ(job.number, was_taken ? call : -1);
        seen_taken += was_taken;
        missed = was_taken || servers.IsOneThere() ? 0 : missed + 1;
        ASSERT_LT(missed, 10) << "call " << call << ", " << threads << " threads, " << looks << " looks: nobody is called";
      }
      servers.End();
      EXPECT_EQ(servers.taken(), seen_taken) << looks;
      EXPECT_GT(seen_taken, 0) << looks;
    }
  }
}

// A thread leaves while it is called: after a call or two more another one is called.
TEST(Crew, KnowsWhoHasLeft) {
  Crew crew(nullptr, 2);
  Servers servers(&crew, 3, 3);
  for (int round = 0; round < 20'000; ++round) {
    Job job;
    bool is_called = false;
    for (int tries = 0; tries < 3 && !is_called; ++tries) {
      is_called = crew.Call(1, Of(&job, 0));
      if (!is_called) {
        ASSERT_EQ(crew.TakeBack(1, &job, kLate), Crew::Left::kUntaken);
      }
    }
    ASSERT_TRUE(is_called) << "in round " << round << " nobody is there, nor comes";
    servers.Call();
    while (!crew.IsStandingBy(1) && servers.IsOneThere()) std::this_thread::yield();
    (void)crew.TakeBack(1, &job, kLate);
    for (int wait = 0; wait < round % 300; ++wait) Pause();
    for (int calls = 0; calls < 3; ++calls) {
      Job next;
      if (crew.Call(1, Of(&next, 1))) servers.Call();
      (void)crew.TakeBack(1, &next, kLate);
    }
    while (servers.IsOneThere()) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace axiscast
