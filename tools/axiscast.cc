// The `axiscast` command: finds the verb, runs it, and turns what goes wrong into a message and an exit status.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "tools/failure.h"
#include "tools/json.h"
#include "tools/library_internals.h"
#include "tools/output_file.h"
#include "tools/table.h"
#include "tools/verbs.h"

namespace axiscast::tools {
namespace {

struct VerbRow {
  const char* name;
  const char* about;
  VerbFunction* run;
};

constexpr VerbRow kVerbs[] = {
    {"ops", "list the operators, or tell the whole story of one", &OpsVerb},
    {"resolve", "show how shapes face each other and what they broadcast to", &ResolveVerb},
    {"run", "compute an operator, or an expression of several, on .npy files", &RunVerb},
    {"explain", "show how a call would run, and what the machine's memory allows", &ExplainVerb},
    {"info", "show the version, the CPU's targets, caches, bandwidths and threads", &InfoVerb},
};

constexpr const char* kUsageLine = "axiscast VERB ... (axiscast --help lists the verbs)";

constexpr const char* kExamples =
    "  axiscast resolve 8,64,7,7 64 --axis 1\n"
    "  axiscast run add image.npy bias.npy --axis 1 -o sum.npy\n"
    "  axiscast ops add\n";

constexpr const char* kEnd =
    "Exit status: 0 done; 1 the request was refused; 2 the command line was wrong. Messages go to stderr, results to stdout; with "
    "--json stdout is exactly one JSON value, on errors too.";

std::string Help() {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const VerbRow& row : kVerbs) rows.emplace_back(std::string("  ") + row.name, row.about);
  return "Usage: axiscast VERB ...\n\nBroadcasting operator kernels for CPUs, from a shell.\n\nVerbs (axiscast VERB --help tells "
         "more):\n" +
         Glossary(rows) + "\n  --version prints the version\n\nExamples:\n" + kExamples + "\n" + Wrap(kEnd, 0);
}

std::vector<std::string> VerbNames() {
  std::vector<std::string> names;
  for (const VerbRow& row : kVerbs) names.emplace_back(row.name);
  return names;
}

// No verb, or a flag before it.
void RequireVerbFirst(const std::vector<std::string>& words) {
  const std::vector<std::string> names = VerbNames();
  const auto is_verb = [&](const std::string& word) { return std::find(names.begin(), names.end(), word) != names.end(); };
  const bool flag_first = !words.empty() && words[0].starts_with('-') && std::any_of(words.begin(), words.end(), is_verb);
  if (!flag_first && !words.empty() && words[0] != "--json") return;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  const std::string what =
      flag_first ? "a verb must come first, its flags after it; got \"" + words[0] + "\"" : "a verb is missing";
  Fail(kUsage, what + "; there are: " + list + "; usage: " + kUsageLine);
}

std::string Run(const std::vector<std::string>& words, bool json) {
  if (words.empty() || (words[0] != "--help" && words[0] != "-h" && words[0] != "--version")) RequireVerbFirst(words);
  if (words[0] == "--help" || words[0] == "-h") return json ? Print(Json{{"help", Help()}}) : Help();
  if (words[0] == "--version") return json ? Print(Json{{"version", AXISCAST_VERSION}}) : std::string(AXISCAST_VERSION) + "\n";
  for (const VerbRow& row : kVerbs) {
    if (words[0] == row.name) return row.run(std::vector<std::string>(words.begin() + 1, words.end()));
  }
  if (words[0][0] == '-') Fail(kUsage, NoSuch("flag", words[0], {"--help", "--version", "--json"}) + "; usage: " + kUsageLine);
  Fail(kUsage, NoSuch("verb", words[0], VerbNames()) + "; usage: " + kUsageLine);
}

// Whether errors go to stdout as JSON too: known even where the command line cannot be read.
bool WantsJson(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == "--json") return true;
  }
  return false;
}

int Report(const Failure& failure, bool json) {
  const std::string message = Printable(failure.message);  // paths and names may have anything in them
  std::fprintf(stderr, "axiscast: %s\n", message.c_str());
  if (json) {
    const Json error = {{"error", {{"code", failure.code}, {"message", message}}}};
    std::fputs(Print(error).c_str(), stdout);
  }
  return failure.exit_status();
}

int Main(const std::vector<std::string>& words) {
  const bool json = WantsJson(words);
  // A pipe that nobody reads and a file that grows too large are errors of write(), not the end: what was begun is tidied up.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    Emit(Run(words, json));
    return 0;
  } catch (const Failure& failure) {
    return Report(failure, json);
  } catch (const std::bad_alloc&) {
    return Report({NameOf(StatusCode::kOutOfMemory), "out of memory"}, json);
  } catch (const std::exception& error) {
    return Report({NameOf(StatusCode::kInternal), error.what()}, json);
  }
}

}  // namespace
}  // namespace axiscast::tools

int main(int argc, char** argv) { return axiscast::tools::Main(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc)); }
