// Measures a call and its roof by turns.
#include "bench/measure.h"

#include <algorithm>
#include <vector>

#include "bench/stopwatch.h"
#include "bench/team.h"

namespace axiscast::bench {
namespace {

double Seconds(const Calls& calls, std::int64_t count, int threads) {
  const double begin = Now(threads);
  calls(count);
  return Now(threads) - begin;
}

// Seconds per call. Each attempt begins with calls that are not timed, as the roof's do, and without a pause after them: what
// Undisturbed asks the system takes 20 us, after which short calls have no help at first.
double TimeCalls(const Calls& calls, double guess, int threads, const Effort& effort) {
  if (threads > 1) calls(WarmUpPasses(guess, effort, kPoolWarmUp));
  return Undisturbed(threads, effort, Work::kOfAny, [&] {
    const std::int64_t passes = WarmUpPasses(guess, effort);
    const double warm = passes > 0 ? Seconds(calls, passes, threads) / static_cast<double>(passes) : guess;
    const std::int64_t count =
        std::max(static_cast<std::int64_t>(effort.chunk / std::max(std::min(warm, guess), 1e-9)), std::int64_t{1});
    return Seconds(calls, count, threads) / static_cast<double>(count);
  });
}

// One call's time, roughly; it has then been made at least once before.
double Guess(const Calls& calls, int threads) {
  for (std::int64_t count = 1;; count *= 4) {
    const double seconds = Seconds(calls, count, threads);
    if (seconds > 20e-6) return seconds / static_cast<double>(count);
  }
}

int Rounds(double guess, const Effort& effort) {
  return guess < kLong ? effort.rounds_of_short_calls : effort.rounds_of_long_calls;
}

}  // namespace

Sample MeasureBesideRoof(Roof& roof, const Traffic& traffic, int threads, const Calls& calls, const Effort& effort) {
  if (!effort.roof) return MeasureAlone(threads, calls, effort);
  const OnOwnCpus own_cpus(threads);
  const double guess = Guess(calls, threads);
  std::vector<double> seconds, roofs, best, ordinary, unasked, alone;
  for (int round = Rounds(guess, effort); round > 0; --round) {
    if (threads > 1) LetThreadsSleep();  // on the CPUs that the roof's want
    const RoofTime time = roof.MeasureCall(traffic, threads, effort);
    seconds.push_back(TimeCalls(calls, guess, threads, effort));
    roofs.push_back(time.roof / seconds.back());
    best.push_back(time.best / seconds.back());
    ordinary.push_back(time.ordinary / seconds.back());
    unasked.push_back(time.unasked / seconds.back());
    alone.push_back(time.alone / seconds.back());
  }
  return {.seconds = Median(seconds),
          .roof = Median(roofs),
          .best = Median(best),
          .ordinary = Median(ordinary),
          .unasked = Median(unasked),
          .alone = Median(alone)};
}

Sample MeasureBesideLoop(const Calls& loop, int threads, const Calls& calls, const Effort& effort) {
  if (!effort.roof) return MeasureAlone(threads, calls, effort);
  const OnOwnCpus own_cpus(threads);
  const double guess = Guess(calls, threads), loop_guess = Guess(loop, threads);
  std::vector<double> seconds, ratios;
  for (int round = Rounds(guess, effort); round > 0; --round) {
    const double roof = TimeCalls(loop, loop_guess, threads, effort);
    seconds.push_back(TimeCalls(calls, guess, threads, effort));
    ratios.push_back(roof / seconds.back());
  }
  const double ratio = Median(ratios);
  return {.seconds = Median(seconds), .roof = ratio, .best = ratio, .ordinary = ratio};
}

Sample MeasureAlone(int threads, const Calls& calls, const Effort& effort) {
  const OnOwnCpus own_cpus(threads);
  const double guess = Guess(calls, threads);
  std::vector<double> seconds;
  for (int round = Rounds(guess, effort); round > 0; --round) seconds.push_back(TimeCalls(calls, guess, threads, effort));
  return {.seconds = Median(seconds)};
}

}  // namespace axiscast::bench
