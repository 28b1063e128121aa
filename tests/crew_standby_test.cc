// Threads that stand by a seat, and leave it while they are called: a seat is never believed to have one that has gone.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "core/crew.h"
#include "tests/testing/seat.h"

namespace axiscast {
namespace {

TEST(Crew, KnowsWhoStandsBy) {
  Crew crew(nullptr, 2);
  SeatJob job, next, last;
  SeatHelper helper;
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
  SeatJob job, next;
  SeatHelper helper, newcomer;
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

// A thread that such a scheduler called takes the call of one that stands by, and does not stay.
TEST(Crew, KnowsThatNobodyStandsByBesidesWhoWasCalledForNothing) {
  Crew crew(nullptr, 2);
  SeatJob job;
  std::atomic<bool> may_look{false}, may_end{false};
  SeatHelper stander, newcomer;
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
        SeatHelper helper;
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
        SeatJob job;
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
    SeatJob job;
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
      SeatJob next;
      if (crew.Call(1, Of(&next, 1))) servers.Call();
      (void)crew.TakeBack(1, &next, kLate);
    }
    while (servers.IsOneThere()) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace axiscast
