// Sets the parts of a plan's estimate, and what sharing cost, against the roofs that were measured beside the call.
#include "bench/reasons.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "bench/tables.h"
#include "core/estimate.h"
#include "core/speed.h"

namespace axiscast::bench {
namespace {

constexpr double kWorthSaying = 0.1;  // of the time beyond the roof
constexpr const char* kUnexplained = "unexplained";

double SecondsOf(const PlanDescription& plan, const char* name) {
  for (const PlanDescription::Part& part : plan.parts) {
    if (part.name == name) return part.seconds;
  }
  return 0;
}

std::string Formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string Joined(const std::set<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

// "12.3 us", without the table's decimals.
std::string ShortTime(double seconds) { return seconds < 0.9995e-6 ? Formatted("%.0f ns", seconds * 1e9) : TimeText(seconds); }

struct Group {
  std::set<std::string> dtypes, threads;
  const Row* worst = nullptr;
  double least = 1, most = 0;  // of the roof
};

}  // namespace

std::vector<Reason> ReasonsOf(const Planned& planned, const Sample& sample) {
  const PlanDescription& plan = planned.plan;
  const double roof = sample.seconds * sample.roof;
  const double share = plan.parallel ? 1.0 / planned.threads : 1;  // of the work, that each thread does
  const bool shared = sample.unshared > 0 && sample.alone > 0;
  // What sharing costs the roof: what it takes beyond a thread's share of what one takes.
  const double sharing_of_roof = shared ? std::max(roof - sample.alone * sample.seconds * share, 0.0) : 0;
  std::vector<Reason> reasons;
  const auto add = [&](const std::string& name, double seconds, const std::string& evidence) {
    if (seconds > 0) reasons.push_back({name, seconds, evidence});
  };
  for (const PlanDescription::Part& part : plan.parts) {
    if (part.name == "bytes" || part.name == "arithmetic" || part.name == "check") continue;
    add(part.name, part.seconds * (part.name == "call" && !shared ? 1 : share), part.counted);
  }
  // The roof has the bytes, a divisor's twice; and some arithmetic.
  if (const double beyond_bytes = SecondsOf(plan, "arithmetic"); beyond_bytes > 0) {
    const double check = SecondsOf(plan, "check");
    const double work = (SecondsOf(plan, "bytes") + beyond_bytes) * share;
    const double cycles = planned.vectors * MachineSpeed().cycle_seconds;
    add("arithmetic", work + check * share - (roof - sharing_of_roof),
        Formatted("%.1f cycles for 64 bytes", work / share / cycles) +
            (check > 0 ? Formatted(", the check %.1f", check / cycles) : "") +
            Formatted("; the roof: %.1f", roof / share / cycles));
  }
  if (plan.store != "streaming") {
    add("stores", sample.seconds * (sample.ordinary - sample.roof), "the roof's go past the caches, the plan's do not");
  }
  // Threads that do not ask are in each other's way, too: what is said here is no longer sharing's.
  const double asking = plan.store == "direct" ? std::max(sample.seconds * (sample.unasked - sample.ordinary), 0.0) : 0;
  add("asking", asking, "the roof asks for the lines of inputs and results ahead, the plan does not");
  if (shared) {
    add("sharing", sample.seconds - sample.unshared * share - sharing_of_roof - asking,
        "one thread takes " + Formatted("%.2f times as long", sample.unshared / sample.seconds) +
            Formatted("; the roof's %.2f times", sample.alone / sample.roof));
  }
  if (planned.threads > 1 && !plan.parallel) {
    add("serial", sample.seconds * (sample.alone - sample.roof), "the roof has a second one, the plan is too short for it");
  }
  std::sort(reasons.begin(), reasons.end(), [](const Reason& x, const Reason& y) { return x.seconds > y.seconds; });
  double rest = sample.seconds - roof;
  for (const Reason& reason : reasons) rest -= reason.seconds;
  reasons.push_back({kUnexplained, rest, ""});
  return reasons;
}

std::string TextOf(const std::vector<Reason>& reasons) {
  double beyond = 0;
  for (const Reason& reason : reasons) beyond += reason.seconds;
  std::string text = ShortTime(beyond) + " beyond the roof: ";
  std::size_t said = 0;
  for (const Reason& reason : reasons) {
    if (std::abs(reason.seconds) < kWorthSaying * beyond) continue;
    if (said++ > 0) text += ", ";
    if (reason.name == kUnexplained) {
      text += reason.seconds > 0 ? "not explained " + ShortTime(reason.seconds)
                                 : "which is " + ShortTime(-reason.seconds) + " too much";
    } else {
      text += reason.name + " " + ShortTime(reason.seconds) + " (" + reason.evidence + ")";
    }
  }
  return said > 0 ? text : text + "many small parts";
}

void PrintReasons(const std::vector<const Row*>& rows) {
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups;  // level, family, largest reason
  for (const Row* row : rows) {
    const Sample median = MedianOf(*row);
    if (!row->planned || median.roof == 0 || median.roof >= kGoodRoof) continue;
    const Planned& planned = *row->planned;
    const std::vector<Reason> reasons = ReasonsOf(planned, median);
    const auto largest =
        std::max_element(reasons.begin(), reasons.end(), [](const Reason& x, const Reason& y) { return x.seconds < y.seconds; });
    Group& group = groups[{planned.level, planned.family, largest->name}];
    group.dtypes.insert(planned.dtype);
    group.threads.insert(std::to_string(planned.threads));
    if (median.roof <= group.least) group.worst = row;
    group.least = std::min(group.least, median.roof);
    group.most = std::max(group.most, median.roof);
  }
  if (groups.empty()) return;
  std::printf(
      "\nBelow %.1f of the roof, and where the time beyond it goes: by the plan's estimate, and the roofs and threads that were\n"
      "measured beside the call. A line stands for the rows of a pattern whose largest part is the same; its numbers are of the "
      "worst.\n",
      kGoodRoof);
  for (const std::string level : {"L1", "L2", "L3", "memory"}) {
    std::vector<std::pair<std::string, const Group*>> of_level;
    for (const auto& [key, group] : groups) {
      if (std::get<0>(key) == level) of_level.emplace_back(std::get<1>(key), &group);
    }
    if (!of_level.empty()) std::printf("%s\n", level.c_str());
    std::stable_sort(of_level.begin(), of_level.end(),
                     [](const auto& x, const auto& y) { return x.second->least < y.second->least; });
    for (const auto& [family, group] : of_level) {
      std::string percent = Formatted("%.0f", 100 * group->least);
      if (const std::string most = Formatted("%.0f", 100 * group->most); most != percent) percent += "-" + most;
      std::printf("  %s (%s) x %s: %s %%; %s\n", family.c_str(), Joined(group->dtypes, " ").c_str(),
                  Joined(group->threads, ", ").c_str(), percent.c_str(),
                  TextOf(ReasonsOf(*group->worst->planned, MedianOf(*group->worst))).c_str());
    }
  }
}

}  // namespace axiscast::bench
