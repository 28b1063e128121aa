// How the work of a call is shared: shares, the pieces that workers take of them, and how even they were.
#include "core/pieces.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

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
  Shares shares(70, {10}, 2, false);  // 0 to 39, and 40 to 69
  Pieces second(shares, 1);
  Range range{};
  ASSERT_TRUE(second.Take(&range.begin, &range.end));
  EXPECT_EQ(range, (Range{40, 50}));
  Pieces first(shares, 2);  // worker 2 of 2 has the first one's share
  EXPECT_EQ(TakeAll(first), (std::vector<Range>{{0, 10}, {10, 20}, {20, 30}, {30, 40}, {60, 70}, {50, 60}}));
  EXPECT_FALSE(second.Take(&range.begin, &range.end));
  EXPECT_TRUE(TakeAll(first).empty());
}

TEST(Pieces, AreHalfOfWhatIsLeftUpToTheMost) {
  Shares shares(64, {1, 8}, 2, false);  // 0 to 31, and 32 to 63
  Pieces first(shares, 0);
  Range range{};
  for (const Range& expected :
       {Range{0, 8}, Range{8, 16}, Range{16, 24}, Range{24, 28}, Range{28, 30}, Range{30, 31}, Range{31, 32}, Range{56, 64}}) {
    ASSERT_TRUE(first.Take(&range.begin, &range.end));
    EXPECT_EQ(range, expected);
  }
  Pieces second(shares, 1);
  ASSERT_TRUE(second.Take(&range.begin, &range.end));
  EXPECT_EQ(range, (Range{32, 40}));
}

// Of 21 units, a caller that leads by 3 has 12 and the other worker 9; of 22 it has 13, the next whole number to 12.5.
TEST(Pieces, AreOneOrTwoOfOnesOwnInAShortCallOfWhichTheCallerHasMore) {
  const PieceSizes sizes{10, 2, 3, 2};
  {
    Shares shares(205, sizes, 2, true);
    Pieces first(shares, 0), second(shares, 1);
    EXPECT_EQ(TakeAll(first),
              (std::vector<Range>{{0, 60}, {60, 120}, {190, 205}, {170, 190}, {150, 170}, {140, 150}, {130, 140}, {120, 130}}));
    EXPECT_TRUE(TakeAll(second).empty());
    EXPECT_FALSE(first.was_even());
    EXPECT_TRUE(second.was_even());
  }
  {
    Shares shares(215, sizes, 2, true);
    Pieces second(shares, 1), first(shares, 0);
    Range range{};
    ASSERT_TRUE(second.Take(&range.begin, &range.end));
    EXPECT_EQ(range, (Range{130, 180}));
    ASSERT_TRUE(first.Take(&range.begin, &range.end));
    EXPECT_EQ(range, (Range{0, 70}));
    ASSERT_TRUE(second.Take(&range.begin, &range.end));
    EXPECT_EQ(range, (Range{180, 215}));
    EXPECT_EQ(TakeAll(first), (std::vector<Range>{{70, 130}}));
    EXPECT_TRUE(first.was_even());
  }
  {
    Shares shares(205, {10, 2, 3, 1}, 2, true);
    Pieces second(shares, 1), first(shares, 0);
    Range range{};
    ASSERT_TRUE(second.Take(&range.begin, &range.end));
    EXPECT_EQ(range, (Range{120, 205}));
    EXPECT_EQ(TakeAll(first), (std::vector<Range>{{0, 120}}));
  }
  Shares even(205, sizes, 2, false);  // with a pool of the caller's own nobody knows who begins first
  Pieces second(even, 1);
  Range range{};
  ASSERT_TRUE(second.Take(&range.begin, &range.end));
  EXPECT_EQ(range, (Range{110, 160}));
}

// Of four workers each has two pieces, whatever the caller's lead.
TEST(Pieces, OfOnesOwnAreOnesOwnShare) {
  Shares shares(20, {1, 2, 3, 2}, 4, true);  // 7, 5, 4 and 4 units
  Pieces last(shares, 3);
  Range range{};
  ASSERT_TRUE(last.Take(&range.begin, &range.end));
  EXPECT_EQ(range, (Range{16, 18}));
}

// Threads of an arena with more places than workers may come to the same share; the second one has another that nobody has begun.
TEST(Pieces, OfASecondWorkerOfAShareAreThoseOfANewOne) {
  Shares shares(80, {1, 2, 0, 2}, 4, false);
  Pieces first(shares, 1), second(shares, 5), third(shares, 9);
  Range range{};
  ASSERT_TRUE(first.Take(&range.begin, &range.end));
  EXPECT_EQ(range, (Range{20, 30}));
  ASSERT_TRUE(first.Take(&range.begin, &range.end));
  EXPECT_EQ(range, (Range{30, 40}));
  ASSERT_TRUE(second.Take(&range.begin, &range.end));
  EXPECT_EQ(range, (Range{0, 10}));
  ASSERT_TRUE(third.Take(&range.begin, &range.end));
  EXPECT_EQ(range, (Range{40, 50}));
  ASSERT_TRUE(second.Take(&range.begin, &range.end));
  EXPECT_EQ(range, (Range{10, 20}));
  EXPECT_TRUE(second.was_even());
  ASSERT_TRUE(second.Take(&range.begin, &range.end));  // the next share's last two units
  EXPECT_EQ(range, (Range{58, 60}));
  EXPECT_FALSE(second.was_even());
}

// Of 64 units on two threads, 32 are a share: a worker that took two of the other's was even, one that took three was not.
TEST(Pieces, AreEvenWhereNextToNothingIsAnothers) {
  for (const bool even : {true, false}) {
    Shares shares(64, {1, 1}, 2, false);
    Pieces first(shares, 0), second(shares, 1);
    Range range{};
    for (int unit = 0; unit < (even ? 30 : 29); ++unit) ASSERT_TRUE(second.Take(&range.begin, &range.end));
    EXPECT_EQ(range.end, even ? 62 : 61);
    EXPECT_EQ(TakeAll(first).back(), (Range{range.end, range.end + 1}));
    EXPECT_EQ(first.was_even(), even);
    EXPECT_TRUE(second.was_even());
  }
}

// Two pieces of one's own in short calls; nothing to learn of long ones. Of eight workers a call has four times the length of two.
TEST(Sharing, IsOfTheSharesLength) {
  for (const std::int64_t workers : {2, 8}) {
    const auto sharing_of = [&](double share_seconds) {
      return SharingOf(PiecesOf(6000, 10, share_seconds * static_cast<double>(workers)), workers);
    };
    const Sharing is_short = sharing_of(10e-6), middle = sharing_of(50e-6), is_long = sharing_of(100e-6);
    EXPECT_EQ(is_short.of_own, 2);
    EXPECT_EQ(middle.of_own, 0);
    EXPECT_EQ(is_long.of_own, 0);
    EXPECT_EQ(is_short.late, 50);
    EXPECT_EQ(middle.late, 125) << "a 16th of the share, 25 ns each";
    EXPECT_EQ(is_long.late, 0);
    EXPECT_EQ(is_short.workers, workers);
  }
}

TEST(Sharing, IsAmongNoMoreThanHaveSomethingToDo) {
  const PieceSizes six_microseconds = PiecesOf(6000, 10, 6.5e-6);
  EXPECT_EQ(SharingOf(six_microseconds, 16).workers, 8);
  EXPECT_EQ(SharingOf(six_microseconds, 6).workers, 6);
  EXPECT_EQ(SharingOf(PiecesOf(6000, 10, 0.1e-6), 16).workers, 2);
  EXPECT_EQ(SharingOf(PiecesOf(6000, 10, 0.1e-6), 1).workers, 1);
  EXPECT_EQ(SharingOf(PieceSizes{1}, 16).workers, 16) << "whose length nobody knows";
}

// Of 128 workers two have each share. In one piece it would be all the first one's.
TEST(Sharing, LearnsNothingWhereTwoHaveAShare) {
  EXPECT_GT(SharingOf(PiecesOf(60'000, 10, 640e-6), kMaxShares).late, 0);
  const Sharing two_each = SharingOf(PiecesOf(60'000, 10, 640e-6), 2 * kMaxShares);
  EXPECT_EQ(two_each.workers, 2 * kMaxShares);
  EXPECT_EQ(two_each.late, 0);
  EXPECT_EQ(two_each.of_own, 2) << "of shares of 10 us";
}

TEST(Sharing, LearnsNothingWhereItIsNotAskedTo) {
  PieceSizes sizes = PiecesOf(6000, 10, 20e-6);
  sizes.learns = false;
  EXPECT_EQ(SharingOf(sizes, 2).late, 0);
  EXPECT_EQ(SharingOf(sizes, 2).of_own, 0);
}

TEST(Evenness, OnePieceAfterFourEvenCallsAndNowAndThenSeveral) {
  Evenness evenness{1024};
  const auto note = [&](int calls, bool was_even) {
    for (int i = 0; i < calls; ++i) evenness.Note(was_even);
    return evenness.IsOnePieceEnough();
  };
  EXPECT_FALSE(note(3, true));
  EXPECT_TRUE(note(1, true));
  EXPECT_FALSE(note(1, false));
  EXPECT_FALSE(note(3, true));
  EXPECT_TRUE(note(1, true));
  EXPECT_TRUE(note(1020, true));
  EXPECT_FALSE(note(1, true)) << "a look at whether they still are";
}

TEST(Pieces, TellWhatIsLeft) {
  Shares shares(2, {1}, 2, false);
  EXPECT_TRUE(shares.AreLeft());
  std::int64_t begin, end;
  Pieces other(shares, 1);
  ASSERT_TRUE(other.Take(&begin, &end));
  EXPECT_TRUE(shares.AreLeft()) << "the caller's";
  ASSERT_TRUE(other.Take(&begin, &end));
  EXPECT_FALSE(shares.AreLeft());
}

// The leader's first piece, whoever comes first.
TEST(Pieces, AreTheLeadersToBeginWith) {
  Shares shares(20, {1, 2}, 2, true);  // 10 units each
  Pieces other(shares, 1), leader(shares, 0);
  const std::vector<Range> others = TakeAll(other);
  EXPECT_EQ(others.back(), (Range{2, 3})) << "the last one, from the back of the leader's share";
  EXPECT_FALSE(shares.AreLeft());
  EXPECT_EQ(TakeAll(leader), (std::vector<Range>{{0, 2}}));
}

TEST(Pieces, CoverEveryCountOnce) {
  int way = 0;
  for (const std::int64_t count : {1, 2, 7, 64, 1000}) {
    for (const std::int64_t grain : {1, 3, 64, 5000}) {
      for (const std::int64_t workers : {1, 2, 3, 64, 1000}) {
        const std::int64_t most = 1 + way % 4, lead = way % 3;
        ++way;
        Shares shares(count, {grain, most, static_cast<double>(lead), way % 3}, workers, way % 4 > 0);
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
  Shares shares(count, {1}, 1, false);
  Pieces pieces(shares, 0);
  Range range{};
  ASSERT_TRUE(pieces.Take(&range.begin, &range.end));
  EXPECT_EQ(range.begin, 0);
  EXPECT_GE(range.end, std::int64_t{1} << 19);
  Shares two(count, {1}, 2, false);
  Pieces other(two, 1);
  ASSERT_TRUE(other.Take(&range.begin, &range.end));
  EXPECT_NEAR(static_cast<double>(range.begin), static_cast<double>(count) / 2, 1e7);
}

TEST(Pieces, AreTakenOnceByThreadsAtOnce) {
  constexpr std::int64_t kCount = 100'000;
  constexpr int kThreads = 8;
  for (const PieceSizes& sizes : {PieceSizes{3}, {3, 5}, {3, 500}, {3, 5, 100, 2}, {3, 5, 100, 1}}) {
    const bool leads = sizes.lead > 0;
    Shares shares(kCount, sizes, kThreads, leads);
    std::vector<std::atomic<int>> taken(kCount);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        // The caller leads alone; of a pool's every other share has no worker of its own.
        Pieces pieces(shares, leads ? t : t / 2);
        Range range{};
        while (pieces.Take(&range.begin, &range.end)) {
          for (std::int64_t i = range.begin; i < range.end; ++i) taken[static_cast<std::size_t>(i)].fetch_add(1);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::int64_t i = 0; i < kCount; ++i) ASSERT_EQ(taken[static_cast<std::size_t>(i)].load(), 1) << i << ", " << sizes.most;
  }
}

}  // namespace
}  // namespace axiscast
