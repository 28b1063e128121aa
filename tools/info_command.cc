// `axiscast info`: the version, and what there is to know of the machine.
#include <string>
#include <vector>

#include "axiscast/registry.h"
#include "tools/command_line.h"
#include "tools/json.h"
#include "tools/library_internals.h"
#include "tools/operators.h"
#include "tools/progress.h"
#include "tools/roof.h"
#include "tools/table.h"
#include "tools/verbs.h"

namespace axiscast::tools {
namespace {

constexpr VerbText kText = {
    "axiscast info [flags]",
    "Shows the version, the targets (instruction sets) of this build and of this CPU, the caches, and the bandwidths that a quick "
    "measurement finds: for out = x (copy) and out = x + y (add), on one thread and on all.",
    "  axiscast info\n"
    "  axiscast info --json\n",
};

std::string Join(const std::vector<const char*>& names) {
  std::string text;
  for (const char* const name : names) text += (text.empty() ? "" : " ") + std::string(name);
  return text;
}

struct Rate {
  Level level;
  Mix mix;
  int threads;
  double bytes_per_second;
};

std::vector<Rate> MeasureRates(int threads) {
  Progress progress;
  progress.Stage("measuring bandwidths");
  std::vector<Rate> rates;
  for (const Level level : {Level::kL1, Level::kL2, Level::kL3, Level::kMemory}) {
    for (const Mix mix : {Mix::kCopy, Mix::kAdd}) {
      rates.push_back({level, mix, 1, Bandwidth(level, mix, 1)});
      if (threads > 1) rates.push_back({level, mix, threads, Bandwidth(level, mix, threads)});
    }
  }
  return rates;
}

}  // namespace

std::string InfoVerb(const std::vector<std::string>& words) {
  CommandLine line(kText);
  if (const auto help = line.Parse(words)) return *help;
  line.RequireOperands(0, 0, "");
  const Value default_target;
  const Registry& registry = ChooseRegistry(default_target);
  const CacheSizes caches = MachineCacheSizes();
  const OpCount count = CountOps(registry);
  const int threads = ThreadCount(0);
  const std::vector<Rate> rates = MeasureRates(threads);
  if (line.json()) {
    Json bandwidths = Json::array();
    for (const Rate& rate : rates) {
      bandwidths.push_back({{"level", NameOf(rate.level)},
                            {"mix", NameOf(rate.mix)},
                            {"threads", rate.threads},
                            {"bytes_per_second", rate.bytes_per_second}});
    }
    return Print({{"version", AXISCAST_VERSION},
                  {"targets_compiled", Registry::CompiledTargets()},
                  {"targets_supported", Registry::SupportedTargets()},
                  {"target", registry.target()},
                  {"caches", {{"l1", caches.l1}, {"l2", caches.l2}, {"l3", caches.l3}}},
                  {"bandwidths", bandwidths},
                  {"onetbb", ThreadingLibrary()},
                  {"threads", threads},
                  {"ops", count.ops},
                  {"gradients", count.gradients}});
  }
  const auto size = [](std::int64_t bytes) { return BytesText(static_cast<double>(bytes)); };
  std::string text =
      Table({{"axiscast", AXISCAST_VERSION},
             {"targets compiled in", Join(Registry::CompiledTargets())},
             {"supported by this CPU", Join(Registry::SupportedTargets())},
             {"chosen", registry.target()},
             {"operators", std::to_string(count.ops) + ", and the gradients of " + std::to_string(count.gradients) + " of them"},
             {"caches", "L1 " + size(caches.l1) + ", L2 " + size(caches.l2) + ", L3 " + size(caches.l3)},
             {"threads", std::to_string(threads)},
             {"threading library", ThreadingLibrary()}});
  std::vector<std::vector<std::string>> rows = {{"bandwidth", "mix", "threads", "rate"}};
  for (const Rate& rate : rates) {
    rows.push_back({NameOf(rate.level), NameOf(rate.mix), std::to_string(rate.threads), RateText(rate.bytes_per_second)});
  }
  return text + "\n" + Table(rows, 2);
}

}  // namespace axiscast::tools
