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

#include "tests/testing/seat.h"

namespace axiscast {
namespace {

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
  SeatJob job;
  EXPECT_TRUE(crew.Call(1, Of(&job, 5)));
  EXPECT_EQ(crew.TakeBack(1, &job, kLate), Crew::Left::kUntaken);
  EXPECT_FALSE(crew.Call(1, Of(&job, 5))) << "it still comes";
  EXPECT_EQ(crew.TakeBack(1, &job, kLate), Crew::Left::kUntaken);
  SeatHelper late;
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
      SeatJob job;
      ASSERT_TRUE(crew.Call(1, Of(&job, 5)));
      SeatHelper helper;
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
    SeatJob job;
    ASSERT_TRUE(crew.Call(1, Of(&job, 5)));
    std::atomic<bool> may_end{false}, has_ended{false};
    SeatHelper helper;
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
  SeatJob job;
  ASSERT_TRUE(crew.Call(1, Of(&job, 5)));
  std::atomic<bool> may_end{false};
  SeatHelper first, second;
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
  SeatJob job;
  ASSERT_TRUE(first->Call(1, Of(&job, 5)));
  ASSERT_EQ(first->TakeBack(1, &job, kLate), Crew::Left::kUntaken);
  crews.GiveBack(first);
  EXPECT_NE(crews.Take(nullptr, 2), first) << "a thread is on its way to it";
  EXPECT_TRUE(first->IsComing(1));
  SeatHelper late;
  first->Serve(1, late);
  EXPECT_NE(crews.Take(nullptr, 3), first) << "of another size";
  EXPECT_EQ(crews.Take(&arena, 2), first);
  EXPECT_TRUE(first->IsFor(&arena, 2));
}

}  // namespace
}  // namespace axiscast
