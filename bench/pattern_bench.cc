// Speed of every broadcast pattern, against this machine's roof and against a scalar loop; and what a small call costs.
// pattern_bench --help says how it is used.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "bench/call.h"
#include "bench/random_patterns.h"
#include "bench/reasons.h"
#include "bench/rows.h"
#include "bench/tables.h"

namespace axiscast::bench {
namespace {

constexpr int kRepetitions = 5;
constexpr std::int64_t kQuickBytes = 16 << 10;
constexpr std::int64_t kCheckedBytes = 64 << 20;  // larger calls are not checked again: the smaller ones of the pattern were

constexpr ProgramText kText = {
    "pattern_bench",
    "Speed of every broadcast pattern, against this machine's roof and against a scalar loop; and what a small call costs.\n"
    "  pattern_bench                                               the best known patterns, about two minutes\n"
    "  pattern_bench --patterns                                    all patterns, dtypes and levels of memory: twelve minutes "
    "with two threads, half an hour with sixteen\n"
    "  pattern_bench --patterns --benchmark_repetitions=1          a fifth of that, and what is noise is not seen\n"
    "  pattern_bench --patterns --benchmark_filter='^channel.*L2'  some of them\n"
    "  pattern_bench --patterns --compare ../other/build/release   beside another build, by turns\n"
    "  pattern_bench --patterns --target AVX2                      another instruction set, with its own roof\n"
    "  pattern_bench --random 100                                  patterns that nobody chose, about four minutes\n",
    "all patterns, every dtype, and sizes for every level of memory: L1, L2, L3 too"};

struct Size {
  const char* level;
  int threads;
};

// What all rows share.
struct Bench {
  const Arguments& arguments;
  const std::vector<Pattern>& patterns;
  Roof& roof;
  Arena& arena;
  std::vector<Row> rows = {};
};

std::int64_t BytesOf(const Arguments& arguments, const char* level) {
  return arguments.quick ? kQuickBytes : ThisMachine().WorkingSet(level);
}

std::string NameOf(const std::string& pattern, const Size& size) {
  return pattern + "/" + size.level + "/threads:" + std::to_string(size.threads);
}

std::string FamilyOf(const Pattern& pattern) {
  const std::string suffix = std::string("_") + pattern.dtype;
  return !pattern.other_dtypes.empty() && pattern.name.ends_with(suffix)
             ? pattern.name.substr(0, pattern.name.size() - suffix.size())
             : pattern.name;
}

// A wrong result can be fast: the plan must do what the naive loop does.
void Check(const std::string& name, const Call& call, int threads, Arena& arena) {
  const auto memory = static_cast<std::size_t>(call.traffic.write_bytes);
  RestoreInputs(call, arena);
  const std::vector<std::byte> before(call.traffic.out, call.traffic.out + memory);
  NaiveLoop(call).Run();
  const std::vector<std::byte> expected(call.traffic.out, call.traffic.out + memory);
  std::memcpy(call.traffic.out, before.data(), memory);
  Execute(MakePlan(call), call, threads);
  if (std::memcmp(call.traffic.out, expected.data(), memory) != 0)
    Fail(name + ": " + call.text + " is not what a naive loop gives");
}

void AddPatternRow(const Pattern& pattern, const Size& size, Bench& bench) {
  const std::int64_t bytes = BytesOf(bench.arguments, size.level);
  const Call shapes = MakeCall(pattern, bytes, bench.arena);
  const auto measure = [&pattern, size, bytes, &roof = bench.roof, &arena = bench.arena, place = 0](const Effort& effort) mutable {
    const Call call = MakeCall(pattern, bytes, arena, place % kPlaces);  // samples differ in it; the median is of all
    if (place++ < kPlaces && call.unique_bytes <= kCheckedBytes) Check(pattern.name, call, size.threads, arena);
    RestoreInputs(call, arena);
    const Plan plan = MakePlan(call);
    const Calls calls = [&](std::int64_t count) { Execute(plan, call, size.threads, count); };
    Sample sample = MeasureBesideRoof(roof, call.traffic, size.threads, calls, effort);
    if (size.threads == 1) sample.estimate = plan.Describe().estimated_seconds;
    if (effort.roof && size.threads > 1 && plan.Describe().parallel && sample.roof < kGoodRoof) {
      const Calls unshared = [&](std::int64_t count) { Execute(plan, call, 1, count); };
      sample.unshared = MeasureAlone(1, unshared, effort).seconds;
      if (sample.alone == 0) sample.alone = roof.Measure(call.traffic, 1, effort).roof / sample.seconds;
    }
    return sample;
  };
  std::size_t widest = 1;
  PlanDescription plan = MakePlan(shapes).Describe();
  for (const PlanDescription::Operand& operand : plan.operands) widest = std::max(widest, SizeOf(operand.dtype));
  const double vectors = static_cast<double>(shapes.traffic.elements) * static_cast<double>(widest) / 64;
  bench.rows.push_back({NameOf(pattern.name, size), shapes.text, pattern.roof, static_cast<double>(shapes.unique_bytes), measure,
                        Planned{FamilyOf(pattern), pattern.dtype, size.level, size.threads, vectors, std::move(plan)}});
}

void AddScalarLoopRow(const Pattern& pattern, const Size& size, Bench& bench) {
  const std::int64_t bytes = BytesOf(bench.arguments, size.level);
  const Call shapes = MakeCall(pattern, bytes, bench.arena);
  const auto measure = [&pattern, bytes, &roof = bench.roof, &arena = bench.arena](const Effort& effort) {
    const Call call = MakeCall(pattern, bytes, arena);
    const NaiveLoop loop(call);
    const Calls calls = [&](std::int64_t count) {
      for (; count > 0; --count) loop.Run();
    };
    return MeasureBesideRoof(roof, call.traffic, 1, calls, effort);
  };
  bench.rows.push_back(
      {NameOf(pattern.name + "/scalar_loop", size), shapes.text, pattern.roof, static_cast<double>(shapes.unique_bytes), measure});
}

// The roof itself, for its own sake: GB/s by level, mix and threads.
void AddRoofRow(const char* mix, std::int64_t reads, std::int64_t writes, const Size& size, Bench& bench) {
  // Here every thread fills its own L1 or L2; a call's size is the same for any number of threads.
  const bool own_cache = std::strcmp(size.level, "L1") == 0 || std::strcmp(size.level, "L2") == 0;
  const std::int64_t all = BytesOf(bench.arguments, size.level) * (own_cache ? size.threads : 1);
  const std::int64_t bytes = all / (reads + writes) / 4096 * 4096;
  const auto measure = [reads, writes, size, bytes, &roof = bench.roof, &arena = bench.arena](const Effort& effort) {
    const Traffic traffic{arena.data(), bytes * reads, arena.second_half() + 320, bytes * writes};
    const RoofTime time = roof.Measure(traffic, size.threads, effort);
    return Sample{.seconds = time.roof, .roof = 1, .best = time.best / time.roof, .ordinary = time.ordinary / time.roof};
  };
  bench.rows.push_back({NameOf(std::string("roof/") + mix, size), "", "", static_cast<double>(bytes * (reads + writes)), measure});
}

void AddSmallCalls(Bench& bench) {
  static const std::vector<Pattern> kSmall = {
      {.name = "8", .inputs = {{8}, {8}}},
      {.name = "4x4", .inputs = {{4, 4}, {4}}},
      {.name = "2x3x4x5", .inputs = {{2, 3, 4, 5}, {3, 4}}, .axis = 1},
  };
  for (const Pattern& pattern : kSmall) {
    Arena& arena = bench.arena;
    const std::string text = MakeCall(pattern, 0, arena).text;
    const auto add = [&](const char* kind, std::function<Sample(const Effort&)> measure) {
      bench.rows.push_back({std::string("small/") + kind + "/" + pattern.name, text, "", 0, std::move(measure)});
    };
    add("execute", [&pattern, &arena](const Effort& effort) {
      const Call call = MakeCall(pattern, 0, arena);
      const Plan plan = MakePlan(call);
      const Calls calls = [&](std::int64_t count) { Execute(plan, call, 0, count); };
      return MeasureAlone(1, calls, effort);
    });
    add("apply", [&pattern, &arena](const Effort& effort) {
      const Call call = MakeCall(pattern, 0, arena);
      ApplyOptions options;
      options.axis = call.axis;
      const Calls calls = [&](std::int64_t count) {
        for (; count > 0; --count) {
          const Status status = Apply(*call.steps[0].op, call.inputs.data(), call.inputs.size(), call.out, options);
          if (!status.ok()) Fail(status.message());
        }
      };
      return MeasureAlone(1, calls, effort);
    });
    add("scalar_loop", [&pattern, &arena](const Effort& effort) {
      const Call call = MakeCall(pattern, 0, arena);
      const NaiveLoop loop(call);
      const Calls calls = [&](std::int64_t count) {
        for (; count > 0; --count) loop.Run();
      };
      return MeasureAlone(1, calls, effort);
    });
  }
}

// A pattern of one size belongs to one level. The others are left out of levels that are too small for them.
bool Fits(const Pattern& pattern, const char* level, Bench& bench) {
  const std::int64_t least = LeastBytes(pattern, bench.arena);
  if (HasOneSize(pattern)) return std::strcmp(ThisMachine().LevelOf(least), level) == 0;
  return bench.arguments.quick || 2 * least <= 3 * BytesOf(bench.arguments, level);
}

void AddPatterns(const std::vector<Size>& sizes, bool all, Bench& bench) {
  std::string left_out;
  for (const Pattern& pattern : bench.patterns) {
    if (!pattern.always && !all) continue;
    if (const std::string why = WhyLeftOut(pattern); !why.empty()) {
      left_out += "  " + pattern.name + ": " + why + "\n";
      continue;
    }
    for (const Size& size : sizes) {
      if (!Fits(pattern, size.level, bench)) continue;
      AddPatternRow(pattern, size, bench);
      if (pattern.scalar_loop && size.threads == 1) AddScalarLoopRow(pattern, size, bench);
    }
  }
  if (!left_out.empty() && !bench.arguments.serve) std::fprintf(stderr, "left out:\n%s", left_out.c_str());
}

const Row* Find(const std::vector<Row>& rows, const std::string& name) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

// One line per pattern with all its sizes, then how the whole stands.
void PrintSummary(const std::vector<Pattern>& patterns, const std::vector<Row>& rows, const std::vector<Size>& sizes, double fork) {
  if (fork > 0)
    std::printf("\nthe roof of several threads has %s in it for sharing the work, unless one thread is faster\n",
                TimeText(fork).c_str());
  std::printf("\n%% of the roof (x: times a scalar loop)\n%-26s", "");
  for (const Size& size : sizes) std::printf("  %13s", (std::string(size.level) + " x " + std::to_string(size.threads)).c_str());
  std::printf("\n");
  std::vector<const Row*> of_patterns;
  for (const Pattern& pattern : patterns) {
    std::string line;
    bool any = false;
    for (const Size& size : sizes) {
      const Row* row = Find(rows, NameOf(pattern.name, size));
      char text[64] = "";
      if (row != nullptr) {
        any = true;
        of_patterns.push_back(row);
        const double roof = MedianOf(*row).roof;
        const Row* scalar = Find(rows, NameOf(pattern.name + "/scalar_loop", size));
        const double times = scalar == nullptr ? 0 : roof / MedianOf(*scalar).roof;  // each was measured beside the roof
        std::snprintf(text, sizeof(text), times > 0 ? "%.0f (%.1f x)" : "%.0f", 100 * roof, times);
      }
      line += "  " + std::string(13 - std::min<std::size_t>(std::strlen(text), 13), ' ') + text;
    }
    if (any) std::printf("%-26s%s\n", pattern.name.c_str(), line.c_str());
  }
  std::printf("\n");
  PrintStanding("patterns", of_patterns);
  PrintEstimates(rows);
  PrintReasons(of_patterns);
}

int Main(int argc, char** argv) {
  const Arguments arguments = ReadArguments(argc, argv, kText);
  const bool random = arguments.random > 0, all_rows = arguments.patterns || arguments.serve || random;
  const std::vector<Pattern> patterns = random ? RandomPatterns(arguments.random, arguments.seed) : Patterns();
  Arena arena(std::max(3 * std::max(BytesOf(arguments, "memory"), BytesOf(arguments, "L3")), std::int64_t{128} << 20));
  const int threads = ThisMachine().threads;
  Roof roof(threads);
  std::vector<Size> sizes, levels;
  for (const char* level : {"L1", "L2", "L3", "memory"}) {
    const bool always = std::strcmp(level, "L2") == 0 || std::strcmp(level, "memory") == 0;
    for (const int count : threads > 1 ? std::vector<int>{1, threads} : std::vector<int>{1}) {
      if (random && (count > 1 || std::strcmp(level, "L3") == 0)) continue;
      levels.push_back({level, count});
      if (always || all_rows) sizes.push_back({level, count});
    }
  }
  Bench bench{arguments, patterns, roof, arena};
  for (const Size& size : levels) {
    if (!arguments.other.empty()) break;  // there is nothing of the library in the roof
    AddRoofRow("fill", 0, 1, size, bench);
    AddRoofRow("copy", 1, 1, size, bench);
    AddRoofRow("add", 2, 1, size, bench);
    AddRoofRow("read", 1, 0, size, bench);
  }
  AddPatterns(sizes, all_rows, bench);
  if (!random) AddSmallCalls(bench);
  const std::vector<Row> measured = RunRows(arguments, std::move(bench.rows), kRepetitions);
  if (!measured.empty()) PrintSummary(patterns, measured, sizes, roof.fork());
  return 0;
}

}  // namespace
}  // namespace axiscast::bench

int main(int argc, char** argv) { return axiscast::bench::Main(argc, argv); }
