// Why a row is below its roof, of samples and plans made by hand: what each part is, and what is left unexplained.
#include "bench/reasons.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace axiscast::bench {
namespace {

constexpr double kNanosecond = 1e-9;

Planned PlannedFor(int threads, bool parallel, std::vector<PlanDescription::Part> parts) {
  Planned planned = {"family", "float32", "L2", threads, 10, {}};
  planned.plan.parallel = parallel;
  planned.plan.store = "direct";
  planned.plan.parts = std::move(parts);
  for (PlanDescription::Part& part : planned.plan.parts) part.seconds *= kNanosecond;
  return planned;
}

// A call of 100 ns on one thread.
Sample SampleOf(double roof) {
  Sample sample;
  sample.seconds = 100 * kNanosecond;
  sample.roof = sample.ordinary = roof;
  return sample;
}

// Nanoseconds of each reason, the largest first.
std::map<std::string, double> Nanoseconds(const Planned& planned, const Sample& sample) {
  const std::vector<Reason> reasons = ReasonsOf(planned, sample);
  std::map<std::string, double> all;
  double before = 1;
  for (const Reason& reason : reasons) {
    all[reason.name] = reason.seconds / kNanosecond;
    if (reason.name == "unexplained") continue;
    EXPECT_LE(reason.seconds, before) << reason.name;
    before = reason.seconds;
  }
  EXPECT_EQ(reasons.back().name, "unexplained");
  return all;
}

using Expected = std::map<std::string, double>;

void ExpectReasons(const Planned& planned, const Sample& sample, const Expected& expected) {
  const std::map<std::string, double> found = Nanoseconds(planned, sample);
  ASSERT_EQ(found.size(), expected.size()) << TextOf(ReasonsOf(planned, sample));
  for (const auto& [name, nanoseconds] : expected) {
    ASSERT_TRUE(found.contains(name)) << name;
    EXPECT_NEAR(found.at(name), nanoseconds, 1e-6) << name;
  }
}

TEST(Reasons, PartsOfTheEstimateThatTheRoofLacks) {
  ExpectReasons(PlannedFor(1, false, {{"bytes", 60, ""}, {"rows", 5, ""}, {"tiles", 10, ""}, {"call", 3, ""}}), SampleOf(0.7),
                {{"rows", 5}, {"tiles", 10}, {"call", 3}, {"unexplained", 12}});
}

TEST(Reasons, PartsThatExplainTooMuch) {
  ExpectReasons(PlannedFor(1, false, {{"bytes", 60, ""}, {"staging", 35, ""}}), SampleOf(0.8),
                {{"staging", 35}, {"unexplained", -15}});
}

TEST(Reasons, ArithmeticBeyondTheRoofsAndTheCheck) {
  // 90 ns of work and 4 of a check are 24 more than the roof's 70.
  ExpectReasons(PlannedFor(1, false, {{"bytes", 50, ""}, {"arithmetic", 40, ""}, {"check", 4, ""}}), SampleOf(0.7),
                {{"arithmetic", 24}, {"unexplained", 6}});
  // The roof has more of it: that explains nothing.
  ExpectReasons(PlannedFor(1, false, {{"bytes", 50, ""}, {"arithmetic", 10, ""}}), SampleOf(0.7), {{"unexplained", 30}});
}

TEST(Reasons, StoresThatAreNotStreamed) {
  Sample sample = SampleOf(0.6);
  sample.ordinary = 0.9;
  Planned planned = PlannedFor(1, false, {{"bytes", 60, ""}});
  planned.level = "memory";
  ExpectReasons(planned, sample, {{"stores", 30}, {"unexplained", 10}});
  planned.plan.store = "streaming";
  ExpectReasons(planned, sample, {{"unexplained", 40}});
}

TEST(Reasons, LinesThatOnlyTheRoofAsksFor) {
  Sample sample = SampleOf(0.6);
  sample.ordinary = 0.7;
  sample.unasked = 0.85;
  Planned planned = PlannedFor(1, false, {{"bytes", 60, ""}});
  ExpectReasons(planned, sample, {{"asking", 15}, {"stores", 10}, {"unexplained", 15}});
  planned.plan.store = "direct, asked for ahead";
  ExpectReasons(planned, sample, {{"stores", 10}, {"unexplained", 30}});
}

TEST(Reasons, SharingBeyondWhatItCostsTheRoof) {
  Sample sample = SampleOf(0.8);        // the roof takes 80 ns on two threads,
  sample.alone = 1.5;                   // 150 on one: of 80, 5 are for sharing
  sample.unshared = 170 * kNanosecond;  // of 100, 15
  ExpectReasons(PlannedFor(2, true, {{"bytes", 150, ""}, {"rows", 12, ""}, {"call", 4, ""}}), sample,
                {{"sharing", 10}, {"rows", 6}, {"call", 2}, {"unexplained", 2}});
  // What the roof loses where it does not ask ahead is no reason twice.
  sample.ordinary = 0.8;
  sample.unasked = 0.84;
  ExpectReasons(PlannedFor(2, true, {{"bytes", 150, ""}, {"rows", 12, ""}, {"call", 4, ""}}), sample,
                {{"sharing", 6}, {"asking", 4}, {"rows", 6}, {"call", 2}, {"unexplained", 2}});
  sample.unasked = 0;
  // Without the times on one thread there is nothing to say of sharing; the call is one thread's.
  sample.alone = sample.unshared = 0;
  ExpectReasons(PlannedFor(2, true, {{"bytes", 150, ""}, {"rows", 12, ""}, {"call", 4, ""}}), sample,
                {{"rows", 6}, {"call", 4}, {"unexplained", 10}});
}

TEST(Reasons, PlansTooShortForTheRoofsSecondThread) {
  Sample sample = SampleOf(0.7);
  sample.alone = 0.95;
  ExpectReasons(PlannedFor(2, false, {{"bytes", 90, ""}, {"rows", 2, ""}}), sample,
                {{"serial", 25}, {"rows", 2}, {"unexplained", 3}});
}

TEST(Reasons, InWordsWithoutTheSmallOnes) {
  const Planned planned = PlannedFor(1, false, {{"bytes", 60, ""}, {"rows", 2, "3 of 1 ns"}, {"tiles", 15, "1 of 15 ns"}});
  EXPECT_EQ(TextOf(ReasonsOf(planned, SampleOf(0.7))), "30 ns beyond the roof: tiles 15 ns (1 of 15 ns), not explained 13 ns");
  EXPECT_EQ(TextOf(ReasonsOf(planned, SampleOf(0.88))),
            "12 ns beyond the roof: tiles 15 ns (1 of 15 ns), rows 2 ns (3 of 1 ns), which is 5 ns too much");
}

}  // namespace
}  // namespace axiscast::bench
