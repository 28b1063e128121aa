// The flags of a benchmark program.
#include "bench/arguments.h"

#include <strings.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "axiscast/registry.h"
#include "core/kernel.h"
#include "hwy/targets.h"

namespace axiscast::bench {
namespace {

constexpr const char* kBenchmarkFlags =
    "Google Benchmark's flags, the useful ones:\n"
    "  --benchmark_filter=REGEX       the rows whose names match, as in '^channel.*/L2/threads:1'; '-REGEX' all others\n"
    "  --benchmark_list_tests=true    names of rows\n"
    "  --benchmark_repetitions=N      more repetitions of each row, in random order; the table shows medians\n"
    "  --benchmark_out=FILE           all repetitions as JSON\n";

// The program in a build's folder, or the file itself.
std::string ProgramIn(const std::string& path, const std::string& name) {
  return std::filesystem::is_directory(path) ? path + "/bench/" + name : path;
}

// From here on kernels and roofs are those of a target, as on a CPU that has no other one. Comes before the library looks which
// targets there are, which it does once. Not hwy::DisableTargets: each later look at what is supported, as the library's, would
// give the roof's dispatch all targets back (Highway 1.2).
void UseTarget(const ProgramText& text, const char* said_by, const std::string& name) {
  for (const Target& target : BuiltInTargets()) {
    if (target.supported && strcasecmp(name.c_str(), target.name) == 0) hwy::SetSupportedTargetsForTest(target.bit);
  }
  const Registry* registry = nullptr;
  if (const Status status = Registry::BuiltInFor(name, &registry); !status.ok()) {
    std::fprintf(stderr, "%s: %s: %s\n", text.name, said_by, status.message());
    std::exit(2);
  }
}

}  // namespace

Arguments ReadArguments(int argc, char** argv, const ProgramText& text) {
  Arguments arguments;
  arguments.program = text.name;
  CLI::App app(text.about, text.name);
  app.footer(kBenchmarkFlags);
  app.allow_extras();
  if (text.patterns != nullptr) {
    app.add_flag("--patterns", arguments.patterns, text.patterns);
    app.add_option("--random", arguments.random,
                   "instead of the table: so many random patterns, each in L1, L2 and memory, one thread")
        ->type_name("N")
        ->check(CLI::Range(1, 100'000));
    app.add_option("--seed", arguments.seed, "other random patterns (1)")->type_name("N")->needs("--random");
  }
  app.add_option(
         "--compare", arguments.other,
         "measure each row here and there by turns: OTHER is another build's folder, or its program; both must have the row")
      ->type_name("OTHER");
  app.add_option(
         "--target", arguments.target,
         "another instruction set of this CPU, by Highway's name as `axiscast info` lists them; roofs are of the same. Else what "
         "AXISCAST_TARGET says, or the CPU's best")
      ->type_name("TARGET");
  app.add_flag("--quick", arguments.quick,
               "tiny sizes and times: runs and checks every row in seconds, and measures nothing worth reading");
  app.add_flag("--serve", arguments.serve, "what --compare starts: reads names of rows, writes seconds")->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  arguments.benchmark = app.remaining();
  for (const std::string& word : arguments.benchmark) {
    if (word.starts_with("--benchmark_") || word.starts_with("--v=")) continue;
    std::fprintf(stderr, "%s: there is no flag `%s`; --help shows them all\n", text.name, word.c_str());
    std::exit(2);
  }
  const char* said_by = "--target";
  if (const char* environment = std::getenv("AXISCAST_TARGET"); arguments.target.empty() && environment != nullptr) {
    said_by = "AXISCAST_TARGET";
    arguments.target = environment;
  }
  if (!arguments.target.empty()) UseTarget(text, said_by, arguments.target);
  if (!arguments.other.empty()) {
    arguments.other = ProgramIn(arguments.other, arguments.program);
    if (!std::filesystem::is_regular_file(arguments.other)) {
      std::fprintf(stderr, "%s: --compare: there is no program %s\n", text.name, arguments.other.c_str());
      std::exit(2);
    }
  }
  return arguments;
}

}  // namespace axiscast::bench
