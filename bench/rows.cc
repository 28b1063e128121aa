// Rows of a benchmark program, between Google Benchmark, which repeats and interleaves them, and the people who read the table.
#include "bench/rows.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <regex>
#include <utility>

#include "axiscast/axiscast.h"
#include "bench/machine.h"
#include "bench/peer.h"
#include "bench/reasons.h"
#include "bench/roof_kernels.h"
#include "bench/stopwatch.h"
#include "bench/tables.h"

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
std::string FlagValue(const std::vector<std::string>& arguments, const std::string& flag) {
  std::string value;
  for (const std::string& argument : arguments) {
    if (argument.starts_with(flag + "=")) value = argument.substr(flag.size() + 1);
  }
  return value;
}

std::size_t CountSamples(const std::vector<std::string>& arguments, const std::vector<Row>& rows) {
  const std::string repetitions = FlagValue(arguments, "--benchmark_repetitions");
  std::string filter = FlagValue(arguments, "--benchmark_filter");
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
  return matches * static_cast<std::size_t>(std::max(std::atoi(repetitions.c_str()), 1));
}

// The program of this build and that of another one, both as children: of a process with more memory and its child, which were the
// same program, a Zen 3 took 1.05 to 1.25 times as long in the first one.
struct Builds {
  explicit Builds(const Arguments& arguments)
      : here(std::filesystem::read_symlink("/proc/self/exe").string(), arguments), there(arguments.other, arguments) {}

  // Here, there, there, here: a machine that grows slower meanwhile is slower for both.
  Sample MeasureByTurns(const Row& row) {
    const double first = here.Seconds(row.name), other = there.Seconds(row.name);
    Sample sample;
    sample.other = (other + there.Seconds(row.name)) / 2;
    sample.seconds = (first + here.Seconds(row.name)) / 2;
    return sample;
  }

  Peer here, there;
};

void Register(Row& row, Progress& progress, Builds* builds, const Effort& effort) {
  auto* benchmark = benchmark::RegisterBenchmark(row.name.c_str(), [&row, &progress, builds, effort](benchmark::State& state) {
    for (auto _ : state) {
      row.samples.push_back(builds != nullptr ? builds->MeasureByTurns(row) : row.measure(effort));
      state.SetIterationTime(row.samples.back().seconds);
    }
    const Sample& sample = row.samples.back();
    const auto count = [&](const char* name, double value) {
      if (value > 0) state.counters[name] = value;
    };
    count("bytes", row.bytes);
    count("bytes_per_second", row.bytes / sample.seconds);
    count("roof_seconds", sample.roof * sample.seconds);
    count("of_roof", sample.roof);
    count("of_best_roof", sample.best);
    count("of_ordinary_roof", sample.ordinary);
    count("estimated_seconds", sample.estimate);
    count("other_seconds", sample.other);
    std::string label = row.roof.empty() ? row.shapes : row.shapes + "; roof: " + row.roof;
    if (builds == nullptr && row.planned && sample.roof < kGoodRoof) {
      const std::vector<Reason> reasons = ReasonsOf(*row.planned, sample);
      for (const Reason& reason : reasons) state.counters[reason.name + "_seconds"] = reason.seconds;
      label += "; " + TextOf(reasons);
    }
    state.SetLabel(label);
    progress.Step();
  });
  benchmark->Iterations(1)->UseManualTime()->Unit(benchmark::kNanosecond);
}

}  // namespace

Sample MedianOf(const Row& row) {
  const auto median = [&](double Sample::*field) {
    std::vector<double> values;
    for (const Sample& sample : row.samples) {
      if (sample.*field > 0) values.push_back(sample.*field);
    }
    return Median(std::move(values));
  };
  return {median(&Sample::seconds),  median(&Sample::roof),     median(&Sample::best),
          median(&Sample::ordinary), median(&Sample::unasked),  median(&Sample::alone),
          median(&Sample::unshared), median(&Sample::estimate), median(&Sample::other)};
}

double RatioOf(const Row& row) {
  std::vector<double> ratios;
  for (const Sample& sample : row.samples) ratios.push_back(sample.other / sample.seconds);
  return Median(std::move(ratios));
}

std::vector<Row> RunRows(const Arguments& arguments, std::vector<Row> rows, int repetitions) {
  const Effort effort = arguments.quick ? kQuickEffort : Effort{};
  if (arguments.serve) {
    Effort alone = effort;
    alone.roof = false;
    Serve(rows, alone);
    return {};
  }
  std::vector<std::string> words = {arguments.program, "--benchmark_enable_random_interleaving=true",
                                    "--benchmark_repetitions=" + std::to_string(arguments.quick ? 1 : repetitions)};
  words.insert(words.end(), arguments.benchmark.begin(), arguments.benchmark.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) std::exit(2);
  const bool own_format = !FlagValue(words, "--benchmark_format").empty();
  const Machine& machine = ThisMachine();
  benchmark::AddCustomContext("axiscast_target", Registry::BuiltIn().target());
  benchmark::AddCustomContext("roof_target", RoofTarget());
  benchmark::AddCustomContext("threads", std::to_string(machine.threads));

  std::optional<Builds> builds;
  if (!arguments.other.empty()) builds.emplace(arguments);
  Progress progress;
  progress.Start(CountSamples(words, rows));
  for (Row& row : rows) Register(row, progress, builds ? &*builds : nullptr, effort);
  NoReporter none;
  const std::size_t chosen = own_format ? benchmark::RunSpecifiedBenchmarks() : benchmark::RunSpecifiedBenchmarks(&none);
  if (chosen == 0) std::exit(kNothingChosen);  // Google Benchmark has said why
  progress.End();
  benchmark::Shutdown();

  std::vector<Row> measured;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(measured), [](const Row& row) { return !row.samples.empty(); });
  if (own_format || measured.empty()) return {};  // stdout is for that format alone
  PrintTable(measured, builds.has_value());
  if (builds) {
    PrintComparison(measured);
    return {};
  }
  return measured;
}

}  // namespace axiscast::bench
