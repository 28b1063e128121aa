// The words for an estimate's parts.
#include "core/estimate.h"

#include <cstdio>

#include "core/bytes_text.h"

namespace axiscast {
namespace {

std::string Text(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string CountText(double count) { return Text(count < 1e6 ? "%.0f" : "%.3g", count); }

// "127 of 0.25 ns", "1 of 20400 ns".
std::string EachText(const Spent& spent) {
  const double nanoseconds = spent.seconds / spent.count * 1e9;
  return CountText(spent.count) + " of " + Text(nanoseconds < 1000 ? "%.3g ns" : "%.0f ns", nanoseconds);
}

}  // namespace

std::vector<PlanDescription::Part> DescribeEstimate(const Estimate& estimate) {
  std::vector<PlanDescription::Part> parts;
  const auto add = [&](const char* name, const Spent& spent, const std::string& counted) {
    if (spent.seconds > 0) parts.push_back({name, spent.seconds, counted});
  };
  add("bytes", estimate.bytes,
      BytesText(estimate.bytes.count) + " at " + Text("%.0f GB/s", estimate.bytes.count / estimate.bytes.seconds * 1e-9));
  add("arithmetic", estimate.arithmetic,
      "beyond the bytes: " + Text("%.1f", estimate.arithmetic.count / estimate.vectors) + " cycles for 64 of them");
  add("rows", estimate.rows, EachText(estimate.rows));
  add("tiles", estimate.tiles, EachText(estimate.tiles));
  add("staging", estimate.staging, BytesText(estimate.staging.count) + " written to scratch and read again");
  add("transposing", estimate.transposing, CountText(estimate.transposing.count) + " elements in squares");
  add("gathering", estimate.gathering, CountText(estimate.gathering.count) + " elements moved one by one by way of scratch");
  add("call", estimate.call, "before the first tile");
  add("check", estimate.check, BytesText(estimate.check.count) + " looked at before the first write");
  return parts;
}

}  // namespace axiscast
