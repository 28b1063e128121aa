// Rows of a benchmark program, between Google Benchmark, which repeats and interleaves them, and the people who read the table.
#include "bench/rows.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <regex>

#include "axiscast/axiscast.h"
#include "bench/machine.h"
#include "bench/roof_kernels.h"

namespace axiscast::bench {
namespace {

// Results come in bursts when repetitions are interleaved: the table at the end says it better.
class NoReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

// Says on stderr how much is left: every second on a terminal, every 20 in a log.
class Progress {
 public:
  void Start(std::size_t samples) {
    samples_ = samples;
    start_ = last_ = std::chrono::steady_clock::now();
  }
  void Step() {
    ++done_;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::seconds(terminal_ ? 1 : 20) || done_ >= samples_) return;
    last_ = now;
    const double so_far = std::chrono::duration<double>(now - start_).count();
    const double left = so_far * static_cast<double>(samples_ - done_) / static_cast<double>(done_);
    std::fprintf(stderr, "%s%zu of %zu samples, about %.0f s left%s", terminal_ ? "\r" : "", done_, samples_, left,
                 terminal_ ? "  " : "\n");
  }
  void End() const {
    if (terminal_) std::fprintf(stderr, "\r%50s\r", "");
  }

 private:
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::size_t samples_ = 0, done_ = 0;
  std::chrono::steady_clock::time_point start_, last_;
};

// The value of a flag where it is given last, or nothing.
const char* FlagValue(const std::vector<char*>& arguments, const char* flag) {
  const std::size_t length = std::strlen(flag);
  const char* value = nullptr;
  for (const char* argument : arguments) {
    if (std::strncmp(argument, flag, length) == 0 && argument[length] == '=') value = argument + length + 1;
  }
  return value;
}

std::size_t CountSamples(const std::vector<char*>& arguments, const std::vector<Row>& rows) {
  const char* repetitions = FlagValue(arguments, "--benchmark_repetitions");
  std::string filter = FlagValue(arguments, "--benchmark_filter") == nullptr ? "." : FlagValue(arguments, "--benchmark_filter");
  const bool inverted = filter.starts_with('-');
  if (inverted) filter.erase(0, 1);
  if (filter == "all" || filter.empty()) filter = ".";
  std::size_t matches = rows.size();
  try {
    const std::regex regex(filter, std::regex::extended);
    matches = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](const Row& row) {
      return std::regex_search(row.name + "/iterations:1/manual_time", regex) != inverted;
    }));
  } catch (const std::regex_error&) {
    // Google Benchmark will say so.
  }
  return matches * static_cast<std::size_t>(std::max(std::atoi(repetitions), 1));
}

void Register(Row& row, Progress& progress) {
  auto* benchmark = benchmark::RegisterBenchmark(row.name.c_str(), [&row, &progress](benchmark::State& state) {
    for (auto _ : state) {
      row.samples.push_back(row.measure());
      state.SetIterationTime(row.samples.back().seconds);
    }
    if (row.bytes > 0) {
      state.counters["bytes_per_second"] = row.bytes / row.samples.back().seconds;
      state.counters["of_roof"] = row.samples.back().roof;
      state.counters["of_ordinary_roof"] = row.samples.back().ordinary;
    }
    state.SetLabel(row.shapes);
    progress.Step();
  });
  benchmark->Iterations(1)->UseManualTime()->Unit(benchmark::kNanosecond);
}

std::string CacheText(std::int64_t bytes) { return std::to_string(bytes >> 10) + " KB"; }

void PrintTable(const std::vector<Row>& rows) {
  const Machine& machine = ThisMachine();
  std::printf("target %s, roof in %s; %d threads; caches %s, %s, %s\n", Registry::BuiltIn().target(), RoofTarget(), machine.threads,
              CacheText(machine.caches.l1).c_str(), CacheText(machine.caches.l2).c_str(), CacheText(machine.caches.l3).c_str());
  std::printf(
      "Medians of %zu interleaved repetitions. GB/s of unique bytes; roof: the same reads and writes by plain loops on the same\n"
      "memory, ordinary: by loops without non-temporal stores.\n\n",
      rows.front().samples.size());
  std::size_t name_width = 4, shapes_width = 6;
  for (const Row& row : rows) {
    name_width = std::max(name_width, row.name.size());
    shapes_width = std::max(shapes_width, row.shapes.size());
  }
  std::printf("%-*s  %-*s  %10s  %7s  %6s  %8s\n", static_cast<int>(name_width), "row", static_cast<int>(shapes_width), "shapes",
              "time", "GB/s", "% roof", "ordinary");
  for (const Row& row : rows) {
    const Sample median = MedianOf(row);
    std::printf("%-*s  %-*s  %10s", static_cast<int>(name_width), row.name.c_str(), static_cast<int>(shapes_width),
                row.shapes.c_str(), TimeText(median.seconds).c_str());
    if (row.bytes > 0) {
      std::printf("  %7.1f  %6.0f  %8.0f", row.bytes / median.seconds * 1e-9, 100 * median.roof, 100 * median.ordinary);
    }
    std::printf("\n");
  }
}

}  // namespace

Sample MedianOf(const Row& row) {
  std::vector<double> seconds, roof, ordinary;
  for (const Sample& sample : row.samples) {
    seconds.push_back(sample.seconds);
    roof.push_back(sample.roof);
    ordinary.push_back(sample.ordinary);
  }
  return {Median(seconds), Median(roof), Median(ordinary)};
}

std::string TimeText(double seconds) {
  char text[32];
  if (seconds < 9.9995e-6) {
    std::snprintf(text, sizeof(text), "%.1f ns", seconds * 1e9);
  } else if (seconds < 9.9995e-3) {
    std::snprintf(text, sizeof(text), "%.1f us", seconds * 1e6);
  } else {
    std::snprintf(text, sizeof(text), "%.1f ms", seconds * 1e3);
  }
  return text;
}

std::vector<Row> RunRows(int argc, char** argv, std::vector<Row> rows, int repetitions) {
  std::string interleave = "--benchmark_enable_random_interleaving=true";
  std::string repeat = "--benchmark_repetitions=" + std::to_string(repetitions);
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, {interleave.data(), repeat.data()});
  const std::size_t samples = CountSamples(arguments, rows);
  const bool own_format = FlagValue(arguments, "--benchmark_format") != nullptr;
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) std::exit(1);

  Progress progress;
  progress.Start(samples);
  for (Row& row : rows) Register(row, progress);
  NoReporter none;
  if (own_format) {
    benchmark::RunSpecifiedBenchmarks();
  } else {
    benchmark::RunSpecifiedBenchmarks(&none);
  }
  progress.End();
  benchmark::Shutdown();

  std::vector<Row> measured;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(measured), [](const Row& row) { return !row.samples.empty(); });
  if (own_format) return {};  // stdout is for that format alone
  if (!measured.empty()) PrintTable(measured);
  return measured;
}

}  // namespace axiscast::bench
