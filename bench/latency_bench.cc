// How evenly long calls take, and what disturbs them: a busy process beside, many callers at once, a oneTBB loop around, a pool of
// the caller's. latency_bench --help says how it is used.
#include <signal.h>
#include <sys/wait.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "axiscast/axiscast.h"
#include "bench/arguments.h"
#include "bench/call.h"
#include "bench/machine.h"
#include "bench/stopwatch.h"
#include "bench/tables.h"
#include "bench/team.h"

namespace axiscast::bench {
namespace {

constexpr ProgramText kText = {
    "latency_bench",
    "How evenly long calls take, add of float32 on all threads: percentiles of single calls, alone and disturbed.\n"
    "  latency_bench   all of it, about half a minute\n",
    nullptr};

constexpr double kSecondsEach = 1.0;                   // of calls in a row
constexpr std::int64_t kMegabytes[] = {1, 4, 24, 96};  // of each caller
constexpr int kCallers = 8;

// Spins beside this process until it is destroyed.
class BusyProcess {
 public:
  BusyProcess() : child_(fork()) {
    if (child_ < 0) Fail("no process can be started");
    if (child_ > 0) return;
    const pid_t parent = getppid();
    while (getppid() == parent) {
    }
    _exit(0);
  }
  ~BusyProcess() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  BusyProcess(const BusyProcess&) = delete;
  BusyProcess& operator=(const BusyProcess&) = delete;

 private:
  const pid_t child_;
};

// A pool of threads that are not oneTBB's.
class OwnPool {
 public:
  explicit OwnPool(int threads) : threads_(threads), team_(threads) {}
  const axiscast_thread_pool* hook() const { return &hook_; }

 private:
  void Run(std::int64_t count, axiscast_thread_pool_body body, void* task) {
    team_.Run(threads_, [&](int t) { body(task, count * t / threads_, count * (t + 1) / threads_); });
  }

  const int threads_;
  Team team_;
  const axiscast_thread_pool hook_ = {sizeof(axiscast_thread_pool), this,
                                      [](void* pool, std::int64_t count, axiscast_thread_pool_body body, void* task) {
                                        static_cast<OwnPool*>(pool)->Run(count, body, task);
                                      },
                                      [](void* pool) { return static_cast<OwnPool*>(pool)->threads_; }};
};

// Operands of one caller.
struct Operands {
  explicit Operands(std::int64_t bytes) : x(Count(bytes), 1.0F), y(Count(bytes), 2.0F), out(Count(bytes)) {}
  static std::size_t Count(std::int64_t bytes) { return static_cast<std::size_t>(bytes / 12); }
  std::vector<float> x, y, out;
};

// The seconds of each call in a row of them, by one caller. The first one is not counted: where a process was started, it is the
// first to write to pages that both have.
std::vector<double> TimeCalls(const Plan& plan, Operands& operands, const ExecuteOptions& options, double seconds) {
  const auto call = [&] {
    const Status status = plan.Execute({operands.x.data(), operands.y.data()}, operands.out.data(), options);
    if (!status.ok()) Fail(status.message());
  };
  call();
  std::vector<double> times;
  const double end = Now(2) + seconds;
  for (double begin = Now(2); begin < end || times.size() < 3;) {
    call();
    const double now = Now(2);
    times.push_back(now - begin);
    begin = now;
  }
  return times;
}

struct Situation {
  const char* name;
  int callers;
  // Calls caller(i) for every caller.
  std::function<void(const std::function<void(int)>& caller)> run;
  ExecuteOptions options = {};
};

void PrintTimes(const char* name, std::vector<double> times, double wall) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) { return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))]; };
  std::printf("  %-34s  %10s  %10s  %10s  %7.1f  %10.0f  %7zu\n", name, TimeText(at(0.5)).c_str(), TimeText(at(0.99)).c_str(),
              TimeText(times.back()).c_str(), at(0.99) / at(0.5), static_cast<double>(times.size()) / wall, times.size());
}

void Measure(const Situation& situation, const Plan& plan, std::vector<Operands>& operands, double seconds) {
  std::vector<std::vector<double>> times(static_cast<std::size_t>(situation.callers));
  const double begin = Now(2);
  situation.run([&](int caller) {
    const auto at = static_cast<std::size_t>(caller);
    times[at] = TimeCalls(plan, operands[at], situation.options, seconds);
  });
  const double wall = Now(2) - begin;
  std::vector<double> all;
  for (const std::vector<double>& some : times) all.insert(all.end(), some.begin(), some.end());
  PrintTimes(situation.name, std::move(all), wall);
}

int Main(int argc, char** argv) {
  const Arguments arguments = ReadArguments(argc, argv, kText);
  if (!arguments.benchmark.empty() || !arguments.other.empty() || arguments.serve) {
    std::fprintf(stderr, "latency_bench: has no rows to be chosen or compared\n");
    return kNothingChosen;
  }
  const int threads = ThisMachine().threads;
  const int loop_callers = std::min(threads, kCallers);
  OwnPool pool(threads);
  const auto once = [](const std::function<void(int)>& caller) { caller(0); };
  const auto beside_busy_process = [&](const std::function<void(int)>& caller) {
    const BusyProcess busy;
    caller(0);
  };
  const auto at_once = [&](const std::function<void(int)>& caller) {
    std::vector<std::thread> all;
    for (int i = 0; i < kCallers; ++i) all.emplace_back(caller, i);
    for (std::thread& thread : all) thread.join();
  };
  const auto nested = [&](const std::function<void(int)>& caller) {
    const auto one = [&](const tbb::blocked_range<int>& range) { caller(range.begin()); };
    tbb::parallel_for(tbb::blocked_range<int>(0, loop_callers, 1), one, tbb::simple_partitioner());
  };
  const std::string many = std::to_string(kCallers) + " callers at once";
  const std::string many_serial = many + ", one thread each";
  const Situation situations[] = {
      {"one thread", 1, once, {.max_threads = 1}},
      {"one thread beside a busy process", 1, beside_busy_process, {.max_threads = 1}},
      {"alone", 1, once},
      {"beside a busy process", 1, beside_busy_process},
      {"in a oneTBB loop", loop_callers, nested},
      {"the caller's pool, pinned", 1, once, {.pool = pool.hook()}},
      {many.c_str(), kCallers, at_once},
      {many_serial.c_str(), kCallers, at_once, {.max_threads = 1}},
  };
  std::printf("target %s, %d threads\n", Registry::BuiltIn().target(), threads);
  for (const std::int64_t megabytes : kMegabytes) {
    if (arguments.quick && megabytes > 4) break;
    std::vector<Operands> operands(kCallers, Operands(megabytes << 20));
    const auto count = static_cast<std::int64_t>(operands[0].x.size());
    Plan plan;
    const Status status = Plan::Make(*FindOp("add"), {{nullptr, DType::kFloat32, {count}}, {nullptr, DType::kFloat32, {count}}},
                                     {nullptr, DType::kFloat32, {count}}, {}, &plan);
    if (!status.ok()) Fail(status.message());
    std::printf("\n%-36s  %10s  %10s  %10s  %7s  %10s  %7s\n", (std::to_string(megabytes) + " MB in all three operands").c_str(),
                "median", "99 %", "longest", "99/50", "calls/s", "calls");
    for (const Situation& situation : situations) Measure(situation, plan, operands, arguments.quick ? 0.01 : kSecondsEach);
  }
  return 0;
}

}  // namespace
}  // namespace axiscast::bench

int main(int argc, char** argv) { return axiscast::bench::Main(argc, argv); }
