// How fast the calls of `./dev demo` run once a plan is made, against the machine's own roof, measured here too: the speed at which
// plain copies move as many bytes between buffers of the same size, on as many threads.
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

// Bytes read and written per second by copies of an image, a part of it on each thread: the fastest of 11 rounds of 10 copies each,
// so that the threads' meeting between rounds costs next to nothing.
double CopySpeed(int threads, const std::vector<float>& from, std::vector<float>& to) {
  const std::size_t part = kPixels / static_cast<std::size_t>(threads);
  std::vector<double> marks;  // the times of the meetings
  std::barrier meeting(threads, [&marks]() noexcept { marks.push_back(Now()); });
  marks.reserve(12);
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < static_cast<std::size_t>(threads); ++i) {
    workers.emplace_back([&, i] {
      for (int round = 0; round < 12; ++round) {
        for (int copy = 0; copy < 10; ++copy) std::memcpy(to.data() + i * part, from.data() + i * part, part * sizeof(float));
        meeting.arrive_and_wait();
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  double fastest = marks[1] - marks[0];
  for (std::size_t i = 2; i < marks.size(); ++i) fastest = std::min(fastest, marks[i] - marks[i - 1]);
  return 2.0 * 10 * static_cast<double>(part * sizeof(float)) * threads / fastest;
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
  std::vector<double> times;
  for (int i = 0; i < 42 && status.ok(); ++i) {
    const double begin = Now();
    status = plan.Execute({x.data(), y.data()}, out, execute);
    if (i > 0) times.push_back(Now() - begin);  // the first one meets new memory
  }
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message()), 1;
  const double seconds = Median(times);
  const double bytes = static_cast<double>((x.size() + y.size() + kPixels) * sizeof(float));
  const std::vector<float>& image = x.size() == kPixels ? x : y;
  const double roof_seconds = bytes / CopySpeed(threads, image, copy);
  std::printf(
      "  speed: %.0f us (plan made once; median of 41 runs, threads: %d), %.1f GB/s; the roof, copying: %.0f us, so %.0f %% of "
      "it\n",
      seconds * 1e6, threads, bytes / seconds * 1e-9, roof_seconds * 1e6, 100 * roof_seconds / seconds);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const int threads = count > 2 ? std::atoi(words[2]) : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (const Call& call : kCalls) {
    if (count > 1 && threads > 0 && words[1] == std::string(call.name)) return Measure(call, threads);
  }
  std::fprintf(stderr, "demo_speed scaled|biased|shifted|in_place|anchored [THREADS]\n");
  return 2;
}
