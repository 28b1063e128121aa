// Whether threads are likely to be awake, or will stand by: what is guessed from when calls are made, and helped.
#include "core/awake.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace axiscast {
namespace {

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

std::int64_t now_of_test = 0;
int clock_reads = 0;
std::int64_t TestClock() {
  ++clock_reads;
  return now_of_test;
}

TEST(ShortCalls, AreSeenToFollowEachOtherByEveryEighth) {
  ShortCalls calls;
  clock_reads = 0;
  for (int call = 1; call <= 160; ++call) {
    now_of_test = 1'000'000 + 999 * call;
    std::int64_t now = 0;
    const bool follow = calls.FollowEachOther(1000, &TestClock, &now);
    EXPECT_EQ(follow, call % 8 == 0 && call > 8) << call;  // before the first eight there was nothing
    if (follow) {
      EXPECT_EQ(now, now_of_test);
    }
  }
  EXPECT_EQ(clock_reads, 20);
}

TEST(ShortCalls, DoNotWhereOneComesLate) {
  ShortCalls calls;
  for (int call = 1; call <= 160; ++call) {
    now_of_test = 1'000'000 + 100 * call + 8000 * (call / 8);  // the eighth one
    std::int64_t now = 0;
    EXPECT_FALSE(calls.FollowEachOther(1000, &TestClock, &now)) << call;
  }
}

// As many as are shared of so many, of which one of each `uneven` is not even, and one of each `stalled` stalls.
int SharedOf(int count, int uneven, int stalled) {
  ShortCalls calls;
  int shared = 0;
  for (int call = 0; call < count; ++call) {
    if (calls.ArePaused()) continue;
    ++shared;
    calls.Note(shared % uneven != 0, shared % stalled == 0);
  }
  return shared;
}

TEST(ShortCalls, PauseWhereTheyAreUnevenOrStall) {
  constexpr int kCalls = 100'000;
  EXPECT_EQ(SharedOf(kCalls, 4, 2 * kCalls), kCalls);
  EXPECT_LT(SharedOf(kCalls, 2, 2 * kCalls), kCalls / 20);
  EXPECT_LT(SharedOf(kCalls, 1, 2 * kCalls), kCalls / 100);
  EXPECT_LT(SharedOf(kCalls, 2 * kCalls, 500), kCalls / 25);
}

TEST(ShortCalls, PauseLittleWhereTheySeldomStall) {
  constexpr int kCalls = 1'000'000;
  EXPECT_GT(SharedOf(kCalls, 2 * kCalls, 100'000), kCalls * 97 / 100);
  EXPECT_GT(SharedOf(kCalls, 2 * kCalls, 5'000), kCalls / 2);
}

// Nanoseconds that calls take, alone and, by turns, shared.
struct Times {
  std::int64_t alone;
  std::vector<std::int64_t> shared;
};
// As many as are shared of so many.
int SharedWhereTimed(SharingPays* sharing, int count, const Times& times) {
  int shared = 0;
  std::size_t timed = 0;
  for (int call = 0; call < count; ++call) {
    const SharingPays::Turn turn = sharing->Next();
    if (turn == SharingPays::Turn::kAloneTimed) sharing->NoteAlone(times.alone);
    if (turn != SharingPays::Turn::kShared) continue;
    ++shared;
    if (sharing->IsTimed()) sharing->NoteShared(times.shared[timed++ % times.shared.size()]);
  }
  return shared;
}

// Of so many calls as many may run alone to know how long they take.
constexpr int ToKnow(int calls) { return SharingPays::kLearnt * (1 + calls / (SharingPays::kTimed * SharingPays::kKnown)); }

TEST(SharingPays, PausesWhereCallsTakeAsLongAsAlone) {
  constexpr int kCalls = 100'000;
  const auto shared = [](std::vector<std::int64_t> times) {
    SharingPays sharing;
    return SharedWhereTimed(&sharing, kCalls, {1000, times});
  };
  EXPECT_EQ(shared({600}), kCalls - ToKnow(kCalls));
  EXPECT_EQ(shared({940}), kCalls - ToKnow(kCalls));
  EXPECT_GE(shared({1300, 1300, 700}), kCalls - ToKnow(kCalls)) << "now and then";
  EXPECT_LT(shared({960}), kCalls / 100);
  EXPECT_LT(shared({1300}), kCalls / 100);
}

// Threads whose cores are far from each other for a while.
TEST(SharingPays, AgainWhereItPaidBefore) {
  constexpr int kCalls = 100'000;
  const Times far{1000, {1200}}, near{1000, {700}};
  SharingPays sharing;
  EXPECT_GE(SharedWhereTimed(&sharing, kCalls, near), kCalls - ToKnow(kCalls));
  EXPECT_LT(SharedWhereTimed(&sharing, 10'000, far), 1'000);
  EXPECT_GT(SharedWhereTimed(&sharing, kCalls, near), kCalls * 8 / 10);
  EXPECT_LT(SharedWhereTimed(&sharing, 10 * kCalls, far), kCalls / 40);
  EXPECT_GT(SharedWhereTimed(&sharing, kCalls, near), kCalls / 2) << "the longest pause";
  // And then a pause is as the first one was.
  int paused = 0;
  for (int call = 0; call < 100'000; ++call) {
    if (sharing.Next() != SharingPays::Turn::kShared) {
      ++paused;
    } else if (paused > SharingPays::kLearnt) {
      break;
    } else if (paused = 0; sharing.IsTimed()) {
      sharing.NoteShared(1200);
    }
  }
  EXPECT_EQ(paused, SharingPays::kLeastPause);
}

// Calls alone that were slow for a while, all that were timed, do not make those that are shared look good for ever; nor does a
// core that grows slower make them look bad.
TEST(SharingPays, LooksAgainAtCallsAlone) {
  SharingPays sharing;
  EXPECT_LT(SharedWhereTimed(&sharing, 50, {100'000, {1000}}), 50);  // known now, and wrong
  EXPECT_LT(SharedWhereTimed(&sharing, 100'000, {1000, {1150}}), 10'000);
  EXPECT_GT(SharedWhereTimed(&sharing, 100'000, {2000, {1400}}), 80'000);
}

// Two kinds by turns have a place each, wherever they come.
TEST(SharingPays, KindsByTurnsKeepTheirPlaces) {
  for (int other = 2; other < 1000; ++other) {
    KindsOfCalls kinds;
    int shared = 0;
    for (int call = 0; call < 1000; ++call) {
      for (const double kind : {1.0, static_cast<double>(other)}) {
        const SharingPays::Turn turn = kinds.Of(kind).Next();
        if (turn == SharingPays::Turn::kAloneTimed) kinds.Of(kind).NoteAlone(1000);
        if (turn != SharingPays::Turn::kShared) continue;
        ++shared;
        if (kinds.Of(kind).IsTimed()) kinds.Of(kind).NoteShared(1200);
      }
    }
    EXPECT_LT(shared, 700) << other;
  }
}

// Where cores are far from each other, kinds that are new are soon found out.
TEST(SharingPays, KindsLearnFromTheLastOne) {
  const auto shared_of = [](KindsOfCalls* kinds, double kind, std::int64_t time) {
    int shared = 0;
    for (int call = 0; call < 5'000; ++call) {
      SharingPays& sharing = kinds->Of(kind);
      const SharingPays::Turn turn = sharing.Next();
      if (turn == SharingPays::Turn::kAloneTimed) sharing.NoteAlone(1000);
      if (turn != SharingPays::Turn::kShared) continue;
      ++shared;
      if (sharing.IsTimed()) sharing.NoteShared(time);
    }
    return shared;
  };
  KindsOfCalls kinds;
  const int first = shared_of(&kinds, 1, 1200);
  EXPECT_LT(shared_of(&kinds, 2, 1200), first * 3 / 4);
  EXPECT_GT(shared_of(&kinds, 3, 700), 4'900);
  EXPECT_EQ(shared_of(&kinds, 4, 1200), first) << "the last one's paid";
  EXPECT_GT(shared_of(&kinds, 3, 700), 4'900);
  EXPECT_EQ(shared_of(&kinds, 5, 1200), first) << "a known one's did";
}

// So many calls, one gap apart, then another gap.
std::vector<std::int64_t> Burst(std::size_t calls, std::int64_t gap, std::int64_t last_gap) {
  std::vector<std::int64_t> gaps(calls, gap);
  gaps.back() = last_gap;
  return gaps;
}

// Whatever the gaps are, a caller loses no more than a 16th of the time, roughly.
TEST(AwakeGuess, TriesAreRare) {
  for (const std::vector<std::int64_t>& gaps : {std::vector<std::int64_t>{10},
                                                {75},
                                                {79, 81},
                                                {70, 200},
                                                {30, 30, 30, 200},
                                                {1, 90},
                                                {90},
                                                {5, 5, 5, 5, 1000},
                                                Burst(500, 7, 61'000),
                                                Burst(500, 7, 1000)}) {
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

// How long calls that nobody helps try in a row at most, up to some moment.
std::int64_t LongestTry(AwakeGuess& guess, std::int64_t* now, std::int64_t end) {
  std::int64_t longest = 0, begin = -1;
  for (; *now < end; *now += 5 * kMicrosecond) {
    const bool tried = guess.Ask(*now);
    if (tried && begin < 0) begin = *now;
    if (!tried) begin = -1;
    if (tried) longest = std::max(longest, *now - begin);
  }
  return longest;
}

// Schedulers take up to some milliseconds to give a thread that they wake a CPU of its own.
TEST(AwakeGuess, TriesGrowWhileNobodyHelps) {
  AwakeGuess guess;
  std::int64_t now = 0;
  EXPECT_LT(LongestTry(guess, &now, 1000 * kMicrosecond), 100 * kMicrosecond);
  EXPECT_GT(LongestTry(guess, &now, 70'000 * kMicrosecond), 1500 * kMicrosecond);
  const std::int64_t longest = LongestTry(guess, &now, 500'000 * kMicrosecond);
  EXPECT_GT(longest, 3500 * kMicrosecond);
  EXPECT_LT(longest, 4000 * kMicrosecond);
  guess.WasHelped(now);
  now += AwakeGuess::kAwake;
  EXPECT_LT(LongestTry(guess, &now, now + 1000 * kMicrosecond), 100 * kMicrosecond) << "as if it were new";
  LongestTry(guess, &now, now + 500'000 * kMicrosecond);
  now += AwakeGuess::kPause + kMicrosecond;
  const std::int64_t first = LongestTry(guess, &now, now + 1000 * kMicrosecond);
  EXPECT_GT(first, 0) << "soon after a pause";
  EXPECT_LT(first, 100 * kMicrosecond);
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

}  // namespace
}  // namespace axiscast
