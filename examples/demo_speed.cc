// How fast the calls of `./dev demo` run once a plan is made, against the machine's own roof, measured here too, by turns with
// them: the speed at which plain loops move as many bytes between buffers of the same size, on as many threads.
//   demo_speed NAME [THREADS]    NAME: scaled, biased, shifted, in_place or anchored
#include <axiscast/axiscast.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

using axiscast::MutableTensorView;
using axiscast::Shape;
using axiscast::TensorView;

const Shape kImage = {8, 64, 56, 56};
constexpr std::size_t kPixels = 8 * 64 * 56 * 56;
constexpr int kMostThreads = 1024;  // so that each has some lines

struct Call {
  const char* name;
  const char* op;
  Shape x, y;
  int axis;       // -1 aligns right
  bool in_place;  // the result is written over x
};

const Call kCalls[] = {
    {"scaled", "elementwise_mul", kImage, {64}, 1, false},   {"biased", "elementwise_add", kImage, {64}, 1, false},
    {"shifted", "elementwise_add", kImage, {56}, -1, false}, {"in_place", "elementwise_add", kImage, kImage, -1, true},
    {"anchored", "elementwise_sub", {64}, kImage, 1, false},
};

std::size_t Count(const Shape& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void Copy(const float* from, float* to, std::size_t count) { std::memcpy(to, from, count * sizeof(float)); }
// A line at a time, which compilers turn into vectors without being asked to.
void Double(const float* __restrict from, float* __restrict to, std::size_t count) {
  for (; count >= 16; count -= 16, from += 16, to += 16) {
    for (int i = 0; i < 16; ++i) to[i] = from[i] + from[i];
  }
}
void AddTo(const float* __restrict from, float* __restrict to, std::size_t count) {
  for (; count >= 16; count -= 16, from += 16, to += 16) {
    for (int i = 0; i < 16; ++i) to[i] += from[i];
  }
}

// Bytes read and written per second where an image is copied, or doubled, whichever is faster, or added in place: a part of it on
// each thread, in rounds of 10, so that the threads' meeting between rounds costs next to nothing.
double RoofSpeed(int threads, bool in_place, const std::vector<float>& from, std::vector<float>& to) {
  constexpr int kRounds = 5, kPasses = 10;  // the first round, of which no meeting tells the begin, does not count
  const std::size_t part = kPixels / static_cast<std::size_t>(threads) / 16 * 16;  // whole lines
  std::vector<double> meetings;
  meetings.reserve(kRounds);
  std::barrier meeting(threads, [&meetings]() noexcept { meetings.push_back(Now()); });
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < static_cast<std::size_t>(threads); ++i) {
    workers.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round) {
        const auto loop = in_place ? AddTo : round % 2 == 0 ? Copy : Double;
        for (int pass = 0; pass < kPasses; ++pass) loop(&from[i * part], &to[i * part], part);
        meeting.arrive_and_wait();
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  double fastest = meetings[1] - meetings[0];
  for (std::size_t i = 2; i < meetings.size(); ++i) fastest = std::min(fastest, meetings[i] - meetings[i - 1]);
  return (in_place ? 3.0 : 2.0) * kPasses * static_cast<double>(part * sizeof(float)) * threads / fastest;
}

int Measure(const Call& call, int threads) {
  std::vector<float> x(Count(call.x), 1.5F), y(Count(call.y), 0.5F), result(call.in_place ? 0 : kPixels), copy(kPixels);
  float* out = call.in_place ? x.data() : result.data();
  axiscast::PlanOptions options;
  options.axis = call.axis;
  axiscast::ExecuteOptions execute;
  execute.max_threads = threads;
  axiscast::Plan plan;
  const axiscast::Op* op = nullptr;
  axiscast::Status status = axiscast::Registry::BuiltIn().Find(call.op, &op);
  if (status.ok()) {
    status = axiscast::Plan::Make(*op, {TensorView(x.data(), call.x), TensorView(y.data(), call.y)}, MutableTensorView(out, kImage),
                                  options, &plan);
  }
  constexpr int kTurns = 9, kRuns = 10;
  const double bytes = static_cast<double>((x.size() + y.size() + kPixels) * sizeof(float));
  const std::vector<float>& image = x.size() == kPixels ? x : y;
  std::vector<double> times, roofs;
  for (int turn = 0; turn < kTurns && status.ok(); ++turn) {
    roofs.push_back(bytes / RoofSpeed(threads, call.in_place, image, copy));
    for (int run = -1; run < kRuns && status.ok(); ++run) {
      const double begin = Now();
      status = plan.Execute({x.data(), y.data()}, out, execute);
      if (run >= 0) times.push_back(Now() - begin);  // the first one of a turn meets what copies left in the caches
    }
  }
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message()), 1;
  const double seconds = Median(times), roof_seconds = Median(roofs);
  std::printf(
      "  speed: %.0f us (plan made once; median of %d runs, threads: %d), %.1f GB/s; "
      "the roof, the fastest of plain loops: %.0f us, so %.0f %% of it\n",
      seconds * 1e6, kTurns * kRuns, threads, bytes / seconds * 1e-9, roof_seconds * 1e6, 100 * roof_seconds / seconds);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const int threads =
      count > 2 ? std::atoi(words[2]) : static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 1U * kMostThreads));
  for (const Call& call : kCalls) {
    if (count > 1 && threads > 0 && threads <= kMostThreads && words[1] == std::string(call.name)) return Measure(call, threads);
  }
  std::fprintf(stderr, "demo_speed scaled|biased|shifted|in_place|anchored [THREADS, at most %d]\n", kMostThreads);
  return 2;
}
