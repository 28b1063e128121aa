// The roof: splits a mix of reads and writes into loops that have it, and times them on one thread or several.
#include "bench/roof.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "bench/stopwatch.h"

namespace axiscast::bench {
namespace {

std::int64_t WholeBlocks(std::int64_t bytes) { return bytes / kRoofBlock * kRoofBlock; }

constexpr std::int64_t kForkAlwaysPays = std::int64_t{16} << 20;  // bytes
constexpr double kWarmUp = 150e-6;  // seconds; idle threads of a pool have gone to sleep by then, and the caches are filled

// Keeps the calling thread on one of the CPUs that the process may use, or, with index -1, lets it go back to all of them. Without
// it, threads that a busy system wakes on the same CPU take turns there. Elsewhere than on Linux the system decides.
class Pinning {
 public:
#if defined(__linux__)
  Pinning() { known_ = sched_getaffinity(0, sizeof(all_), &all_) == 0; }
  void Pin(int index) const {
    if (!known_) return;
    cpu_set_t chosen = all_;
    if (index >= 0) {
      CPU_ZERO(&chosen);
      for (int cpu = 0, found = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &all_) && found++ == index) CPU_SET(cpu, &chosen);
      }
      if (CPU_COUNT(&chosen) == 0) return;
    }
    sched_setaffinity(0, sizeof(chosen), &chosen);
  }

 private:
  cpu_set_t all_;
  bool known_;
#else
  void Pin(int) const {}
#endif
};

// A range that is done by the thread that has just done another one is no fork: each waits a while for all of them to begin.
double MeasureFork(int threads) {
  constexpr int kForks = 50, kRounds = 15, kPatience = 5000;
  std::vector<double> seconds;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = Now(threads);
    for (int i = 0; i < kForks; ++i) {
      std::atomic<int> begun{0};
      const auto meet = [&](const tbb::blocked_range<int>&) {
        begun.fetch_add(1);
        for (int wait = 0; wait < kPatience && begun.load(std::memory_order_relaxed) < threads; ++wait) {
        }
      };
      tbb::parallel_for(tbb::blocked_range<int>(0, threads, 1), meet, tbb::simple_partitioner());
    }
    seconds.push_back((Now(threads) - begin) / kForks);
  }
  std::nth_element(seconds.begin(), seconds.begin() + kRounds / 2, seconds.end());
  return seconds[kRounds / 2];
}

}  // namespace

// Threads that wait for something to do; asleep, so that they take nothing from the call that is measured in between.
class Roof::Team {
 public:
  explicit Team(int threads) {
    for (int t = 1; t < threads; ++t) {
      helpers_.emplace_back([this, t] { Wait(t); });
    }
  }
  ~Team() {
    threads_ = 0;
    Wake();
    for (std::thread& helper : helpers_) helper.join();
  }

  // Calls work(t) for 0 <= t < threads, on a thread each.
  void Run(int threads, const std::function<void(int)>& work) {
    if (threads == 1) {
      work(0);
      return;
    }
    work_ = &work;
    threads_ = threads;
    left_.store(static_cast<int>(helpers_.size()));
    Wake();
    pinning_.Pin(0);
    work(0);
    pinning_.Pin(-1);
    while (left_.load() != 0) std::this_thread::yield();
  }

 private:
  void Wake() {
    generation_.fetch_add(1);
    generation_.notify_all();
  }
  void Wait(int t) {
    pinning_.Pin(t);
    for (int seen = 0;;) {
      generation_.wait(seen);
      seen = generation_.load();
      if (threads_ == 0) return;
      if (t < threads_) (*work_)(t);
      left_.fetch_sub(1);
    }
  }

  const Pinning pinning_;
  std::atomic<int> generation_{0};
  std::atomic<int> left_{0};
  const std::function<void(int)>* work_ = nullptr;
  int threads_ = 1;
  std::vector<std::thread> helpers_;  // last: they use the rest
};

Roof::Roof(int max_threads) : team_(std::make_unique<Team>(max_threads)) {
  if (max_threads > 1) fork_ = MeasureFork(max_threads);
}

Roof::~Roof() = default;

// At most two loops have any mix: so much of the output with the next lower number of reads, the rest with the next higher one.
std::vector<Roof::Part> Roof::Split(const Traffic& traffic) {
  const std::vector<RoofPasses>& passes = AllRoofPasses();
  const std::int64_t read = traffic.read_bytes, write = traffic.write_bytes;
  std::size_t low = 0;
  while (low + 1 < passes.size() && passes[low + 1].reads * write <= read + read / 50) ++low;
  const auto part = [&](std::size_t index, std::int64_t in, std::int64_t out, std::int64_t bytes) {
    bytes = WholeBlocks(bytes);
    return Part{static_cast<int>(index), in, out, bytes, bytes * passes[index].reads / 2};
  };
  std::int64_t high_bytes = 0;
  if (low + 1 < passes.size()) {
    high_bytes = WholeBlocks((read - passes[low].reads * write) / (passes[low + 1].reads - passes[low].reads));
    if (high_bytes < write / 50) high_bytes = 0;
  }
  std::vector<Part> parts = {
      part(low, 0, 0, std::min(write - high_bytes, passes[low].reads > 0 ? read / passes[low].reads : write))};
  if (high_bytes > 0) parts.push_back(part(low + 1, passes[low].reads * parts[0].bytes, parts[0].bytes, high_bytes));
  if (low + 1 == passes.size()) {
    const std::int64_t done = passes[low].reads * parts[0].bytes;
    if (read - done > write) parts.push_back({-1, done, 0, WholeBlocks(read - done), 0});
  }
  return parts;
}

double Roof::Time(const Traffic& traffic, const std::vector<Part>& parts, int threads, std::size_t variant, bool streaming,
                  double chunk, double guess) {
  std::vector<double> begin(static_cast<std::size_t>(threads)), end(begin.size());
  std::atomic<int> ready{0};
  const auto passes = std::max<std::int64_t>(static_cast<std::int64_t>(chunk / guess), 1);
  const std::int64_t warm_up = guess > kWarmUp ? 0 : static_cast<std::int64_t>(kWarmUp / guess) + 1;
  const std::function<void(int)> work = [&](int t) {
    const auto run = [&](std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        for (const Part& part : parts) {
          const std::int64_t blocks = part.bytes / kRoofBlock;
          const std::int64_t first = blocks * t / threads * kRoofBlock;
          const std::int64_t bytes = blocks * (t + 1) / threads * kRoofBlock - first;
          if (part.passes < 0) {
            ReadOnlyPasses()[variant % ReadOnlyPasses().size()](traffic.in + part.in + first, nullptr, nullptr, bytes);
            continue;
          }
          const RoofPasses& loops = AllRoofPasses()[static_cast<std::size_t>(part.passes)];
          const bool two = loops.reads > 0 && loops.reads % 2 == 0;
          const std::byte* x = traffic.in + part.in + first * (two ? loops.reads / 2 : loops.reads);
          (streaming ? loops.streaming : loops.ordinary)[variant](x, x + part.second, traffic.out + part.out + first, bytes);
        }
      }
    };
    ready.fetch_add(1);
    while (ready.load() < threads) std::this_thread::yield();
    run(warm_up);
    begin[static_cast<std::size_t>(t)] = Now(threads);
    run(passes);
    end[static_cast<std::size_t>(t)] = Now(threads);
  };
  return Undisturbed(threads, [&] {
    ready.store(0);
    team_->Run(threads, work);
    return (*std::max_element(end.begin(), end.end()) - *std::min_element(begin.begin(), begin.end())) /
           static_cast<double>(passes);
  });
}

RoofTime Roof::Measure(const Traffic& traffic, int threads, double chunk) {
  const std::vector<Part> parts = Split(traffic);
  const auto mix = static_cast<int>(100 * traffic.read_bytes / std::max<std::int64_t>(traffic.write_bytes, 1));
  const auto [entry, is_new] = choices_.try_emplace({mix, traffic.bytes(), threads});
  Choice& choice = entry->second;
  if (is_new) {
    choice.seconds = static_cast<double>(traffic.bytes()) / 10e9;
    choice.seconds = Time(traffic, parts, threads, 0, false, 0, choice.seconds);
    const auto best_of = [&](bool streaming, std::size_t count, std::size_t* variant) {
      double best = 0;
      for (std::size_t v = 0; v < count; ++v) {
        for (int round = 0; round < 3; ++round) {
          const double seconds = Time(traffic, parts, threads, v, streaming, chunk, choice.seconds);
          if (best != 0 && seconds >= best) continue;
          best = seconds;
          *variant = v;
        }
      }
      return best;
    };
    const double ordinary = best_of(false, AllRoofPasses()[0].ordinary.size(), &choice.ordinary);
    choice.seconds = ordinary;
    choice.may_stream = best_of(true, AllRoofPasses()[0].streaming.size(), &choice.streaming) < 1.5 * ordinary;
  }
  RoofTime time;
  time.ordinary = Time(traffic, parts, threads, choice.ordinary, false, chunk, choice.seconds);
  time.best = time.ordinary;
  if (choice.may_stream) {
    time.best = std::min(time.best, Time(traffic, parts, threads, choice.streaming, true, chunk, choice.seconds));
  }
  return time;
}

RoofTime Roof::MeasureCall(const Traffic& traffic, int threads, double chunk) {
  const RoofTime serial = threads > 1 && traffic.bytes() > kForkAlwaysPays ? RoofTime{1, 1} : Measure(traffic, 1, chunk);
  if (threads == 1) return serial;
  const RoofTime parallel = Measure(traffic, threads, chunk);
  return {std::min(serial.best, parallel.best + fork_), std::min(serial.ordinary, parallel.ordinary + fork_)};
}

}  // namespace axiscast::bench
