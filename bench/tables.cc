// The table of medians, and its summaries.
#include "bench/tables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "axiscast/axiscast.h"
#include "bench/machine.h"
#include "bench/roof_kernels.h"

namespace axiscast::bench {
namespace {

constexpr double kGoodEstimate = 1.5;  // times too much or too little
constexpr std::size_t kWorstRows = 12;

std::string CacheText(std::int64_t bytes) { return std::to_string(bytes >> 10) + " KB"; }

double GeometricMean(const std::vector<double>& values) {
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

// How many times an estimate is off, either way.
double Miss(const Sample& sample) { return std::max(sample.estimate / sample.seconds, sample.seconds / sample.estimate); }

template <class Rows, class Describe>
void PrintList(const char* title, const Rows& rows, const Describe& describe) {
  std::printf("%s:", title);
  const std::size_t count = std::min(kWorstRows, rows.size());
  for (std::size_t i = 0; i < count; ++i) std::printf("%s %s", i > 0 ? "," : "", describe(*rows[i]).c_str());
  std::printf("\n");
}

std::string Formatted(const char* format, const std::string& name, double value) {
  char text[256];
  std::snprintf(text, sizeof(text), format, name.c_str(), value);
  return text;
}

}  // namespace

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

void PrintTable(const std::vector<Row>& rows, bool compared) {
  const Machine& machine = ThisMachine();
  std::printf("target %s, roof in %s; %d threads; caches %s, %s, %s\n", Registry::BuiltIn().target(), RoofTarget(), machine.threads,
              CacheText(machine.caches.l1).c_str(), CacheText(machine.caches.l2).c_str(), CacheText(machine.caches.l3).c_str());
  std::printf("Medians of %zu interleaved repetitions. %s\n\n", rows.front().samples.size(),
              compared
                  ? "Ratio: the other build's time / this one's, measured by turns; above 1 this build is faster."
                  : "GB/s of unique bytes; roof: the same reads and writes by plain loops on the same\n"
                    "memory, which leave the result in the caches it fits; best: also by loops with non-temporal stores there;\n"
                    "ordinary: without such loops anywhere; estimate: the plan's, for one thread.");
  std::size_t name_width = 4, shapes_width = 6;
  for (const Row& row : rows) {
    name_width = std::max(name_width, row.name.size());
    shapes_width = std::max(shapes_width, row.shapes.size());
  }
  const auto line_begin = [&](const std::string& name, const std::string& shapes) {
    std::printf("%-*s  %-*s", static_cast<int>(name_width), name.c_str(), static_cast<int>(shapes_width), shapes.c_str());
  };
  line_begin("row", "shapes");
  std::printf("%s\n", compared ? "        time       other   ratio"
                               : "        time     GB/s        roof  % roof    best  ordinary    estimate");
  for (const Row& row : rows) {
    const Sample median = MedianOf(row);
    line_begin(row.name, row.shapes);
    std::printf("  %10s", TimeText(median.seconds).c_str());
    if (compared) {
      if (median.other > 0) std::printf("  %10s  %6.3f", TimeText(median.other).c_str(), RatioOf(row));
      std::printf(median.other > 0 ? "\n" : "  no such row there\n");
      continue;
    }
    if (row.bytes > 0) {
      std::printf("  %7.1f  %10s  %6.0f  %6.0f  %8.0f", row.bytes / median.seconds * 1e-9,
                  TimeText(median.seconds * median.roof).c_str(), 100 * median.roof, 100 * median.best, 100 * median.ordinary);
    }
    if (median.estimate > 0) std::printf("  %10s", TimeText(median.estimate).c_str());
    if (!row.roof.empty() && row.roof != "bytes")
      std::printf("%s  roof: %s", median.estimate > 0 ? "" : "            ", row.roof.c_str());
    std::printf("\n");
  }
}

void PrintStanding(const std::string& title, std::vector<const Row*> rows) {
  const auto roof = [](const Row* row) { return MedianOf(*row).roof; };
  rows.erase(std::remove_if(rows.begin(), rows.end(), [&](const Row* row) { return roof(row) == 0; }), rows.end());
  if (rows.empty()) return;
  std::sort(rows.begin(), rows.end(), [&](const Row* x, const Row* y) { return roof(x) < roof(y); });
  std::vector<double> times;
  for (const Row* row : rows) times.push_back(1 / roof(row));
  const auto good = std::count_if(rows.begin(), rows.end(), [&](const Row* row) { return roof(row) >= kGoodRoof; });
  std::printf("%s: %td of %zu rows (%.0f %%) at %.1f of the roof or more; geometric mean of time / roof %.2f\n", title.c_str(),
              good, rows.size(), 100 * static_cast<double>(good) / static_cast<double>(rows.size()), kGoodRoof,
              GeometricMean(times));
  PrintList("  worst", rows, [&](const Row& row) { return Formatted("%s %.0f %%", row.name, 100 * roof(&row)); });
}

void PrintEstimates(const std::vector<Row>& rows) {
  std::vector<const Row*> estimated;
  std::vector<double> ratios;
  for (const Row& row : rows) {
    const Sample median = MedianOf(row);
    if (median.estimate == 0) continue;
    estimated.push_back(&row);
    ratios.push_back(median.estimate / median.seconds);
  }
  if (estimated.empty()) return;
  const auto good =
      std::count_if(estimated.begin(), estimated.end(), [](const Row* row) { return Miss(MedianOf(*row)) <= kGoodEstimate; });
  std::printf("estimates, one thread: %td of %zu rows (%.0f %%) within %.1f times; geometric mean of estimate / time %.2f\n", good,
              estimated.size(), 100 * static_cast<double>(good) / static_cast<double>(estimated.size()), kGoodEstimate,
              GeometricMean(ratios));
  std::sort(estimated.begin(), estimated.end(), [](const Row* x, const Row* y) { return Miss(MedianOf(*x)) > Miss(MedianOf(*y)); });
  PrintList("  worst", estimated, [](const Row& row) {
    const Sample median = MedianOf(row);
    return Formatted("%s %.2f", row.name, median.estimate / median.seconds);
  });
}

void PrintComparison(std::vector<Row> rows) {
  rows.erase(std::remove_if(rows.begin(), rows.end(), [](const Row& row) { return RatioOf(row) == 0; }), rows.end());
  if (rows.empty()) return;
  std::vector<double> ratios;
  std::vector<const Row*> ranked;
  for (const Row& row : rows) {
    ratios.push_back(RatioOf(row));
    ranked.push_back(&row);
  }
  std::sort(ranked.begin(), ranked.end(), [](const Row* x, const Row* y) { return RatioOf(*x) < RatioOf(*y); });
  const auto describe = [](const Row& row) { return Formatted("%s %.3f", row.name, RatioOf(row)); };
  std::printf("\ngeometric mean of %zu ratios: %.3f\n", ratios.size(), GeometricMean(ratios));
  PrintList("  worst", ranked, describe);
  std::reverse(ranked.begin(), ranked.end());
  PrintList("  best", ranked, describe);
}

}  // namespace axiscast::bench
