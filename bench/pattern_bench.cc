// Speed of every broadcast pattern, against this machine's roof and against a scalar loop; and what a small call costs.
//
//   pattern_bench                                            all rows, about a minute on a quiet machine; a summary at the end
//   pattern_bench --benchmark_filter='channel.*threads:1'    some of them
//   pattern_bench --benchmark_repetitions=15 --benchmark_out=shape.json
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/machine.h"
#include "bench/patterns.h"
#include "bench/rows.h"

namespace axiscast::bench {
namespace {

constexpr int kRepetitions = 5;
constexpr double kRoofGoal = 0.8;         // of the roof, for Goal::kRoof
constexpr double kScalarGoal = 3;         // times a scalar loop, for Goal::kScalar, where the roof allows it
constexpr double kSmallCallGoal = 50e-9;  // seconds: executing a plan of 8 elements
constexpr std::size_t kWorstRows = 8;

struct Size {
  const char* level;
  int threads;
};

std::string NameOf(const std::string& pattern, const Size& size) {
  return pattern + "/" + size.level + "/threads:" + std::to_string(size.threads);
}

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "pattern_bench: %s\n", what.c_str());
  std::exit(1);
}

Plan MakePlan(const Op& op, const Problem& problem) {
  Plan plan;
  PlanOptions options;
  options.axis = problem.axis;
  const Status status = Plan::Make(op, {problem.x, problem.y}, problem.out, options, &plan);
  if (!status.ok()) Fail(status.message());
  return plan;
}

void Execute(const Plan& plan, const Problem& problem, int threads) {
  ExecuteOptions options;
  options.max_threads = threads;
  const Status status = plan.Execute({problem.x.data, problem.y.data}, problem.out.data, options);
  if (!status.ok()) Fail(status.message());
}

// A wrong result can be fast: the plan must do what the scalar loop does.
void Check(const Op& op, const Pattern& pattern, const Size& size) {
  const Problem problem = MakeProblem(pattern, ThisMachine().WorkingSet(size.level), SharedArena().data());
  const auto memory = static_cast<std::size_t>(problem.traffic.write_bytes);
  const std::vector<std::byte> before(problem.traffic.out, problem.traffic.out + memory);
  ScalarLoop(problem).Run();
  const std::vector<std::byte> expected(problem.traffic.out, problem.traffic.out + memory);
  std::memcpy(problem.traffic.out, before.data(), memory);
  Execute(MakePlan(op, problem), problem, size.threads);
  if (std::memcmp(problem.traffic.out, expected.data(), memory) != 0) Fail(problem.text + ": not what a scalar loop gives");
}

Row PatternRow(const Op& op, const Pattern& pattern, const Size& size, Roof& roof, bool scalar_loop) {
  const std::int64_t bytes = ThisMachine().WorkingSet(size.level);
  const Problem shapes = MakeProblem(pattern, bytes, SharedArena().data());
  Row row{NameOf(pattern.name + std::string(scalar_loop ? "/scalar_loop" : ""), size),
          shapes.text,
          static_cast<double>(shapes.unique_bytes),
          {}};
  if (scalar_loop) {
    row.measure = [&pattern, size, &roof, bytes] {
      const Problem problem = MakeProblem(pattern, bytes, SharedArena().data());
      const ScalarLoop loop(problem);
      return MeasureBesideRoof(roof, problem.traffic, size.threads, [&](std::int64_t count) {
        for (; count > 0; --count) loop.Run();
      });
    };
    return row;
  }
  row.measure = [&op, &pattern, size, &roof, bytes, checked = false]() mutable {
    if (!checked && std::strcmp(size.level, "memory") != 0) Check(op, pattern, size);
    checked = true;
    const Problem problem = MakeProblem(pattern, bytes, SharedArena().data());
    const Plan plan = MakePlan(op, problem);
    return MeasureBesideRoof(roof, problem.traffic, size.threads, [&](std::int64_t count) {
      for (; count > 0; --count) Execute(plan, problem, size.threads);
    });
  };
  return row;
}

// The roof itself, for its own sake: GB/s by level, mix and threads.
Row RoofRow(const char* mix, std::int64_t reads, std::int64_t writes, const Size& size, Roof& roof) {
  // Here every thread fills its own L1 or L2; a call's size is the same for any number of threads.
  const bool own_cache = std::strcmp(size.level, "L1") == 0 || std::strcmp(size.level, "L2") == 0;
  const std::int64_t all = ThisMachine().WorkingSet(size.level) * (own_cache ? size.threads : 1);
  const std::int64_t bytes = all / (reads + writes) / 4096 * 4096;
  Row row{NameOf(std::string("roof/") + mix, size), "", static_cast<double>(bytes * (reads + writes)), {}};
  row.measure = [reads, writes, size, &roof, bytes] {
    std::byte* memory = SharedArena().data();
    const Traffic traffic{memory, bytes * reads, memory + bytes * reads + 320, bytes * writes};
    const RoofTime time = roof.Measure(traffic, size.threads, 600e-6);
    return Sample{time.best, 1, time.ordinary / time.best};
  };
  return row;
}

struct SmallCall {
  const char* name;
  Pattern pattern;
  std::int64_t extent;
};

const std::vector<SmallCall> kSmallCalls = {
    {"8", {"8", {kFree}, {kFree}}, 8},
    {"4x4", {"4x4", {kFree, 4}, {4}}, 4},
    {"2x3x4x5", {"2x3x4x5", {kFree, 3, 4, 5}, {3, 4}, 1}, 2},
};

void AddSmallCalls(const Op& op, std::vector<Row>& rows) {
  for (const SmallCall& call : kSmallCalls) {
    const auto problem = [&call] { return MakeProblemWithExtent(call.pattern, call.extent, SharedArena().data()); };
    const std::string text = MakeProblemWithExtent(call.pattern, call.extent, SharedArena().data()).text;
    rows.push_back({std::string("small/execute/") + call.name, text, 0, [&op, problem] {
                      const Problem p = problem();
                      const Plan plan = MakePlan(op, p);
                      return MeasureAlone([&](std::int64_t count) {
                        for (; count > 0; --count) Execute(plan, p, 0);
                      });
                    }});
    rows.push_back({std::string("small/apply/") + call.name, text, 0, [&op, problem] {
                      const Problem p = problem();
                      ApplyOptions options;
                      options.axis = p.axis;
                      return MeasureAlone([&](std::int64_t count) {
                        for (; count > 0; --count) {
                          const Status status = Apply(op, {p.x, p.y}, p.out, options);
                          if (!status.ok()) Fail(status.message());
                        }
                      });
                    }});
    rows.push_back({std::string("small/scalar_loop/") + call.name, text, 0, [problem] {
                      const ScalarLoop loop(problem());
                      return MeasureAlone([&](std::int64_t count) {
                        for (; count > 0; --count) loop.Run();
                      });
                    }});
  }
}

const Row* Find(const std::vector<Row>& rows, const std::string& name) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

// One line per pattern with all its sizes, then what misses its goal.
void PrintSummary(const std::vector<Row>& rows, const std::vector<Size>& sizes, double fork) {
  if (fork > 0)
    std::printf("\nthe roof of several threads has a fork of %s in it, unless one thread is faster\n", TimeText(fork).c_str());
  std::printf("\n%% of the roof (x: times a scalar loop)\n%-14s", "");
  for (const Size& size : sizes) std::printf("  %18s", (std::string(size.level) + " x " + std::to_string(size.threads)).c_str());
  std::printf("\n");
  std::vector<std::string> missed;
  std::vector<const Row*> patterns;
  double logarithms = 0;
  for (const Pattern& pattern : kPatterns) {
    std::string line;
    char text[128];
    bool any = false;
    for (const Size& size : sizes) {
      const Row* row = Find(rows, NameOf(pattern.name, size));
      if (row == nullptr) {
        line += std::string(20, ' ');
        continue;
      }
      any = true;
      patterns.push_back(row);
      const double roof = MedianOf(*row).roof;
      logarithms += std::log(roof);
      const Row* scalar = Find(rows, NameOf(pattern.name + std::string("/scalar_loop"), size));
      const double times = scalar == nullptr ? 0 : roof / MedianOf(*scalar).roof;  // each was measured beside the roof
      std::snprintf(text, sizeof(text), times > 0 ? "%.0f (%.1f x)" : "%.0f", 100 * roof, times);
      line += "  " + std::string(18 - std::min<std::size_t>(std::strlen(text), 18), ' ') + text;
      if (pattern.goal == Goal::kRoof && roof < kRoofGoal) {
        std::snprintf(text, sizeof(text), "%.0f %% of the roof, not %.0f", 100 * roof, 100 * kRoofGoal);
        missed.push_back(row->name + ": " + text);
      } else if (times > 0 && times < kScalarGoal && roof < kRoofGoal) {
        std::snprintf(text, sizeof(text), "%.1f times a scalar loop, not %.0f", times, kScalarGoal);
        missed.push_back(row->name + ": " + text);
      }
    }
    if (any) std::printf("%-14s%s\n", pattern.name, line.c_str());
  }
  if (!patterns.empty()) {
    std::printf("geometric mean of %zu rows: %.0f %%\n", patterns.size(),
                100 * std::exp(logarithms / static_cast<double>(patterns.size())));
    std::sort(patterns.begin(), patterns.end(), [](const Row* x, const Row* y) { return MedianOf(*x).roof < MedianOf(*y).roof; });
    std::printf("worst:");
    for (std::size_t i = 0; i < std::min(kWorstRows, patterns.size()); ++i) {
      std::printf("%s %s %.0f %%", i > 0 ? "," : "", patterns[i]->name.c_str(), 100 * MedianOf(*patterns[i]).roof);
    }
    std::printf("\n");
  }
  const Row* small = Find(rows, "small/execute/8");
  if (small != nullptr && MedianOf(*small).seconds > kSmallCallGoal) {
    missed.push_back(small->name + ": " + TimeText(MedianOf(*small).seconds) + ", not " + TimeText(kSmallCallGoal));
  }
  if (missed.empty()) {
    std::printf("every row that has a goal reaches it\n");
  } else {
    std::printf("below their goal:\n");
    for (const std::string& line : missed) std::printf("  %s\n", line.c_str());
  }
}

int Main(int argc, char** argv) {
  const Op* op = FindOp("add");
  if (op == nullptr) Fail("the registry has no op \"add\"");
  const int all = ThisMachine().threads;
  Roof roof(all);
  std::vector<Size> sizes, levels;
  for (const char* level : {"L2", "memory"}) {
    sizes.push_back({level, 1});
    if (all > 1) sizes.push_back({level, all});
  }
  for (const char* level : {"L1", "L2", "L3", "memory"}) {
    levels.push_back({level, 1});
    if (all > 1) levels.push_back({level, all});
  }
  std::vector<Row> rows;
  for (const Size& size : levels) {
    rows.push_back(RoofRow("fill", 0, 1, size, roof));
    rows.push_back(RoofRow("copy", 1, 1, size, roof));
    rows.push_back(RoofRow("add", 2, 1, size, roof));
    rows.push_back(RoofRow("read", 1, 0, size, roof));
  }
  for (const Pattern& pattern : kPatterns) {
    for (const Size& size : sizes) {
      rows.push_back(PatternRow(*op, pattern, size, roof, false));
      if (pattern.goal == Goal::kScalar && size.threads == 1) rows.push_back(PatternRow(*op, pattern, size, roof, true));
    }
  }
  AddSmallCalls(*op, rows);
  const std::vector<Row> measured = RunRows(argc, argv, std::move(rows), kRepetitions);
  if (!measured.empty()) PrintSummary(measured, sizes, roof.fork());
  return 0;
}

}  // namespace
}  // namespace axiscast::bench

int main(int argc, char** argv) { return axiscast::bench::Main(argc, argv); }
