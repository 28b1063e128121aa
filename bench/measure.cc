// Measures a call and its roof by turns.
#include "bench/measure.h"

#include <algorithm>
#include <vector>

#include "bench/stopwatch.h"

namespace axiscast::bench {
namespace {

constexpr double kChunk = 600e-6;   // seconds in a row: short of a scheduler's time slice, long beside a fork
constexpr double kWarmUp = 150e-6;  // the roof's
constexpr int kRoundsOfShortCalls = 9;
constexpr int kRoundsOfLongCalls = 5;

double Seconds(const Calls& calls, std::int64_t count, int threads) {
  const double begin = Now(threads);
  calls(count);
  return Now(threads) - begin;
}

// Seconds per call, after a warm-up for short calls.
double TimeCalls(const Calls& calls, double guess, int threads) {
  if (guess < kWarmUp) calls(static_cast<std::int64_t>(kWarmUp / guess) + 1);
  const auto count = std::max<std::int64_t>(static_cast<std::int64_t>(kChunk / guess), 1);
  return Undisturbed(threads, [&] { return Seconds(calls, count, threads) / static_cast<double>(count); });
}

// One call's time, roughly; it has then been made at least once before.
double Guess(const Calls& calls, int threads) {
  for (std::int64_t count = 1;; count *= 4) {
    const double seconds = Seconds(calls, count, threads);
    if (seconds > 20e-6) return seconds / static_cast<double>(count);
  }
}

}  // namespace

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Sample MeasureBesideRoof(Roof& roof, const Traffic& traffic, int threads, const Calls& calls) {
  const double guess = Guess(calls, threads);
  const int rounds = guess < kLong ? kRoundsOfShortCalls : kRoundsOfLongCalls;
  std::vector<double> seconds, best, ordinary;
  for (int round = 0; round < rounds; ++round) {
    const RoofTime time = roof.MeasureCall(traffic, threads, kChunk);
    seconds.push_back(TimeCalls(calls, guess, threads));
    best.push_back(time.best / seconds.back());
    ordinary.push_back(time.ordinary / seconds.back());
  }
  return {Median(seconds), Median(best), Median(ordinary)};
}

Sample MeasureAlone(const Calls& calls) {
  const double guess = Guess(calls, 1);
  std::vector<double> seconds;
  for (int round = 0; round < kRoundsOfShortCalls; ++round) seconds.push_back(TimeCalls(calls, guess, 1));
  return {Median(seconds), 0, 0};
}

}  // namespace axiscast::bench
