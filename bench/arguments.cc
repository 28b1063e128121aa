// The flags of a benchmark program.
#include "bench/arguments.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

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

}  // namespace

Arguments ReadArguments(int argc, char** argv, const ProgramText& text) {
  Arguments arguments;
  arguments.program = text.name;
  CLI::App app(text.about, text.name);
  app.footer(kBenchmarkFlags);
  app.allow_extras();
  if (text.patterns != nullptr) app.add_flag("--patterns", arguments.patterns, text.patterns);
  app.add_option(
         "--compare", arguments.other,
         "measure each row here and there by turns: OTHER is another build's folder, or its program; both must have the row")
      ->type_name("OTHER");
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
