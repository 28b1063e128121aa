// The roof: splits a mix of reads and writes into loops that have it, and times them on one thread or several.
#include "bench/roof.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <thread>
#include <utility>

#include "bench/machine.h"
#include "bench/stopwatch.h"

namespace axiscast::bench {
namespace {

std::int64_t WholeBlocks(std::int64_t bytes) { return bytes / kRoofBlock * kRoofBlock; }

constexpr std::int64_t kForkAlwaysPays = std::int64_t{16} << 20;  // bytes
constexpr std::size_t kFinalists = 2;
constexpr double kArithmeticGuess = 0.2e-9;  // seconds of an element, roughly

// The arithmetic where one operand has few values; kNone: it is no different.
Arithmetic ToFew(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::kAddFloat16:
      return Arithmetic::kAddFloat16ToFew;
    case Arithmetic::kAnyOpFloat16:
      return Arithmetic::kAnyOpFloat16ToFew;
    case Arithmetic::kAddBFloat16:
      return Arithmetic::kAddBFloat16ToFew;
    default:
      return Arithmetic::kNone;
  }
}

// Seconds that one thread needs for an element, in the fastest way that is known and at the best place.
double TimeOfElement(Arithmetic arithmetic, const Effort& effort) {
  const auto elements = static_cast<std::int64_t>(effort.chunk / kArithmeticGuess) / kArithmeticPlaces;
  double best = std::numeric_limits<double>::infinity();
  for (int way = 0; way < kArithmeticWays; ++way) {
    if (RunArithmetic(arithmetic, way, 1, 0) == 0) continue;
    for (int place = 0; place < kArithmeticPlaces; ++place) {
      best = std::min(best, Undisturbed(1, effort, Work::kOfAll, [&] {
                        const double begin = Now(1);
                        const std::int64_t done = RunArithmetic(arithmetic, way, elements, place);
                        return (Now(1) - begin) / static_cast<double>(done);
                      }));
    }
  }
  return best;
}

// Seconds that one thread needs for a call's arithmetic. What is converted of the input that has fewer elements is converted once.
double TimeArithmetic(const Traffic& traffic, const Effort& effort) {
  if (traffic.arithmetic == Arithmetic::kNone) return 0;
  const Arithmetic to_few = ToFew(traffic.arithmetic);
  const std::int64_t others = to_few == Arithmetic::kNone ? traffic.elements : traffic.others;
  const auto time = [&](Arithmetic arithmetic, std::int64_t elements) {
    constexpr std::int64_t kWorthMeasuring = 200;  // of so many elements, one
    return elements * kWorthMeasuring < traffic.elements ? 0 : static_cast<double>(elements) * TimeOfElement(arithmetic, effort);
  };
  return time(traffic.arithmetic, others) + time(to_few, traffic.elements - others);
}

}  // namespace

Roof::Roof(int max_threads) : team_(max_threads) {}

// At most two loops have any mix: so much of the output with the next lower number of reads, the rest with the next higher one.
std::vector<Roof::Part> Roof::Split(const Traffic& traffic) {
  const std::vector<RoofPasses>& passes = AllRoofPasses();
  const std::int64_t read = traffic.read_bytes, write = traffic.write_bytes;
  if (traffic.keeps_gaps) {  // the input is one stream, the output the other one
    const auto two = std::find_if(passes.begin(), passes.end(), [](const RoofPasses& mix) { return mix.reads == 2; });
    return {{static_cast<int>(two - passes.begin()), traffic.in, traffic.out, WholeBlocks(std::min(read, write)),
             traffic.out - traffic.in}};
  }
  std::size_t low = 0;
  while (low + 1 < passes.size() && passes[low + 1].reads * write <= read + read / 50) ++low;
  const auto part = [&](std::size_t index, std::int64_t in, std::int64_t out, std::int64_t bytes) {
    bytes = WholeBlocks(bytes);
    return Part{static_cast<int>(index), traffic.in + in, traffic.out + out, bytes, bytes * passes[index].reads / 2};
  };
  std::int64_t high_bytes = 0;
  if (low + 1 < passes.size()) {
    high_bytes = WholeBlocks((read - passes[low].reads * write) / (passes[low + 1].reads - passes[low].reads));
    if (high_bytes < write / 50) high_bytes = 0;
  }
  std::vector<Part> parts;
  const auto read_only = [&](const std::byte* in, std::int64_t bytes) {
    parts.push_back({kReadOnly, in, nullptr, WholeBlocks(bytes), 0});
  };
  if (traffic.checked_bytes > 0) read_only(traffic.checked, traffic.checked_bytes);
  const std::int64_t low_bytes = std::min(write - high_bytes, passes[low].reads > 0 ? read / passes[low].reads : write);
  parts.push_back(part(low, 0, 0, low_bytes));
  const std::int64_t done = parts.back().bytes, done_in = passes[low].reads * done;
  if (high_bytes > 0) parts.push_back(part(low + 1, done_in, done, high_bytes));
  if (low + 1 == passes.size() && read - done_in > write) read_only(traffic.in + done_in, read - done_in);
  return parts;
}

double Roof::Time(const Traffic& traffic, const std::vector<Part>& parts, int threads, std::size_t loop, const Effort& effort,
                  double guess) {
  std::vector<double> begin(static_cast<std::size_t>(threads)), end(begin.size());
  std::atomic<int> ready{0};
  // Blocks are whole: what they leave out takes its share of the time.
  std::int64_t moved = 0;
  for (const Part& part : parts) {
    moved += part.bytes * (part.passes == kReadOnly ? 1 : AllRoofPasses()[static_cast<std::size_t>(part.passes)].reads + 1);
  }
  const double share = static_cast<double>(traffic.bytes()) / static_cast<double>(std::max(moved, kRoofBlock));
  const double pass = std::max(guess / share, 1e-9);
  const auto passes = std::max<std::int64_t>(static_cast<std::int64_t>(effort.chunk / pass), 1);
  const std::int64_t warm_up = WarmUpPasses(pass, effort);
  const std::function<void(int)> work = [&](int t) {
    // All that a pass needs to know is known before: of 40 ns in L1, finding it took 8.
    struct Share {
      RoofPass pass;
      const std::byte *x, *y;
      std::byte* out;
      std::int64_t bytes, ahead;
    };
    std::vector<Share> shares;
    for (const Part& part : parts) {
      const std::int64_t blocks = part.bytes / kRoofBlock;
      const std::int64_t first = blocks * t / threads * kRoofBlock;
      const std::int64_t bytes = blocks * (t + 1) / threads * kRoofBlock - first;
      if (part.passes == kReadOnly) {
        shares.push_back({ReadOnlyPasses()[loop % ReadOnlyPasses().size()], part.in + first, nullptr, nullptr, bytes, 0});
        continue;
      }
      const RoofPasses& mix = AllRoofPasses()[static_cast<std::size_t>(part.passes)];
      const bool two = mix.reads > 0 && mix.reads % 2 == 0;
      const std::byte* const x = part.in + first * (two ? mix.reads / 2 : mix.reads);
      shares.push_back({mix.loops[loop].pass, x, x + part.second, part.out + first, bytes, mix.loops[loop].ahead});
    }
    const auto run = [&](std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        for (const Share& part : shares) part.pass(part.x, part.y, part.out, part.bytes, part.ahead);
      }
    };
    ready.fetch_add(1);
    while (ready.load() < threads) std::this_thread::yield();
    run(warm_up);
    begin[static_cast<std::size_t>(t)] = Now(threads);
    run(passes);
    end[static_cast<std::size_t>(t)] = Now(threads);
  };
  return Undisturbed(threads, effort, Work::kOfAll, [&] {
    ready.store(0);
    team_.Run(threads, work);
    // Of what they do together: a call that shares its work as they come takes no longer where one CPU is slower than the others.
    double rate = 0;
    for (std::size_t t = 0; t < begin.size(); ++t) rate += 1 / (end[t] - begin[t]);
    return share * static_cast<double>(threads) / rate / static_cast<double>(passes);
  });
}

Roof::Choice Roof::Choose(const Traffic& traffic, const std::vector<Part>& parts, int threads, const Effort& effort) {
  const std::vector<RoofLoop>& loops = AllRoofPasses()[0].loops;
  double guess = static_cast<double>(traffic.bytes()) / 10e9;
  Effort once = effort;
  once.chunk = 0;
  guess = Time(traffic, parts, threads, 0, once, guess);
  // By turns, and the median: whatever disturbs one round decides nothing.
  std::vector<std::vector<double>> seconds(loops.size());
  for (int round = 0; round < effort.rounds_of_choice; ++round) {
    for (std::size_t i = 0; i < loops.size(); ++i) seconds[i].push_back(Time(traffic, parts, threads, i, effort, guess));
  }
  const auto best_of = [&](bool streaming, bool asks = true) {
    std::vector<std::pair<double, std::size_t>> ranked;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (loops[i].streaming == streaming && (asks || loops[i].ahead == 0)) ranked.push_back({Median(seconds[i]), i});
    }
    std::sort(ranked.begin(), ranked.end());
    ranked.resize(std::min(ranked.size(), kFinalists));
    return ranked;
  };
  const auto ordinary = best_of(false), streaming = best_of(true);
  Choice choice{{}, {}, best_of(false, false)[0].second, ordinary[0].first};
  for (const auto& [unused, loop] : ordinary) choice.ordinary.push_back(loop);
  for (const auto& [time, loop] : streaming) {
    if (time < 1.5 * choice.seconds) choice.streaming.push_back(loop);
  }
  return choice;
}

RoofTime Roof::Measure(const Traffic& traffic, int threads, const Effort& effort) {
  const std::vector<Part> parts = Split(traffic);
  const std::byte* const from = traffic.in == traffic.out ? nullptr : traffic.in;  // in place there are places for inputs, too
  const auto [entry, is_new] = choices_.try_emplace({from, traffic.read_bytes, (traffic.out - traffic.in) % 4096,
                                                     traffic.write_bytes, traffic.checked_bytes, traffic.keeps_gaps, threads});
  Choice& choice = entry->second;
  if (is_new) choice = Choose(traffic, parts, threads, effort);
  const auto fastest = [&](const std::vector<std::size_t>& loops) {
    double best = std::numeric_limits<double>::infinity();
    for (const std::size_t loop : loops) best = std::min(best, Time(traffic, parts, threads, loop, effort, choice.seconds));
    return best;
  };
  const double ordinary = fastest(choice.ordinary);
  double arithmetic = TimeArithmetic(traffic, effort) / threads;
  if (arithmetic > 0 && WholeBlocks(traffic.checked_bytes) > 0) {  // the check, which ends before the first write
    arithmetic += Measure({traffic.checked, traffic.checked_bytes, traffic.out, 0}, threads, effort).roof;
  }
  const double best = std::min(ordinary, fastest(choice.streaming));
  const bool in_memory = traffic.bytes() > ThisMachine().caches.l3;
  const bool may_ask = traffic.bytes() > ThisMachine().caches.l2 && choice.unasked != choice.ordinary.front();
  const double unasked = may_ask ? std::max(fastest({choice.unasked}), ordinary) : ordinary;
  return {std::max(in_memory ? best : ordinary, arithmetic), std::max(best, arithmetic), std::max(ordinary, arithmetic),
          std::max(unasked, arithmetic)};
}

double Roof::fork() const { return forks_.empty() ? 0 : Median(forks_); }

// Now, as it is another from minute to minute.
double Roof::Fork(int threads) {
  forks_.push_back(team_.MeasureFork(threads));
  return forks_.back();
}

RoofTime Roof::MeasureCall(const Traffic& traffic, int threads, const Effort& effort) {
  if (threads > 1 && traffic.bytes() > kForkAlwaysPays) {
    const RoofTime parallel = Measure(traffic, threads, effort);
    const double fork = Fork(threads);
    return {parallel.roof + fork, parallel.best + fork, parallel.ordinary + fork, parallel.unasked + fork};
  }
  const RoofTime serial = Measure(traffic, 1, effort);
  if (threads == 1) return {serial.roof, serial.best, serial.ordinary, serial.unasked, serial.roof};
  const RoofTime parallel = Measure(traffic, threads, effort);
  const double fork = Fork(threads);
  const auto faster = [&](double RoofTime::*seconds) { return std::min(serial.*seconds, parallel.*seconds + fork); };
  return {faster(&RoofTime::roof), faster(&RoofTime::best), faster(&RoofTime::ordinary), faster(&RoofTime::unasked), serial.roof};
}

}  // namespace axiscast::bench
