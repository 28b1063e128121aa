// Near names by edit distance.
#include "core/near_names.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

namespace axiscast {
namespace {

constexpr std::size_t kMaxSuggestions = 5;
constexpr std::size_t kMaxComparedLength = 64;  // nobody means a name by something longer; keeps the work bounded
constexpr std::size_t kNotNear = kMaxComparedLength + 1;

// What names are compared by: `floordiv` is how others spell the beginning of floor_divide.
std::string WithoutCaseAndUnderscores(std::string_view text) {
  std::string letters;
  for (const char letter : text) {
    if (letter != '_') letters += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return letters;
}

// The fewest single-letter insertions, deletions, changes and swaps of neighbours that make y of x.
std::size_t EditDistance(std::string_view x, std::string_view y) {
  std::vector<std::size_t> before, above(y.size() + 1), row(y.size() + 1);
  for (std::size_t j = 0; j <= y.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= x.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= y.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (x[i - 1] == y[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[y.size()];
}

bool BeginsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// How far a name is from what was typed: (cost, distance), or kNotNear.
std::pair<std::size_t, std::size_t> Farness(std::string_view wrong, std::string_view name) {
  if (wrong.empty() || wrong.size() > kMaxComparedLength || name.size() > kMaxComparedLength) return {kNotNear, 0};
  const std::size_t distance = EditDistance(wrong, name);
  const std::size_t shorter = std::min(wrong.size(), name.size());
  const std::size_t allowed = std::max<std::size_t>(1, std::min<std::size_t>(3, wrong.size() / 3));
  std::size_t cost = distance <= allowed && distance < shorter ? distance : kNotNear;
  if (shorter >= 2 && (BeginsWith(name, wrong) || BeginsWith(wrong, name))) cost = std::min<std::size_t>(cost, 1);
  if (shorter >= 3 && (name.find(wrong) != name.npos || wrong.find(name) != wrong.npos)) cost = std::min<std::size_t>(cost, 2);
  return {cost, distance};
}

std::string Join(const std::vector<std::string_view>& names, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::string Printable(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string printable;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte >= 0x20 && byte != 0x7f) {
      printable += letter;
    } else {
      printable += "\\x";
      printable += kDigits[byte / 16];
      printable += kDigits[byte % 16];
    }
  }
  return printable;
}

std::size_t RankNames(std::string_view wrong, std::vector<std::string_view>* names) {
  const std::string letters = WithoutCaseAndUnderscores(wrong);
  struct Ranked {
    std::pair<std::size_t, std::size_t> farness;
    std::string_view name;
  };
  std::vector<Ranked> ranked;
  for (const std::string_view name : *names) {
    std::pair<std::size_t, std::size_t> farness = Farness(letters, WithoutCaseAndUnderscores(name));
    if (farness.first == kNotNear) farness.second = 0;  // all equally far: they keep their order
    ranked.push_back({farness, name});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& x, const Ranked& y) { return x.farness < y.farness; });
  std::size_t near = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    (*names)[i] = ranked[i].name;
    if (ranked[i].farness.first != kNotNear) ++near;
  }
  return near;
}

std::string NearNames(std::string_view wrong, std::vector<std::string_view> names) {
  if (names.empty()) return "there are none";
  const std::size_t near = RankNames(wrong, &names);
  const std::string all = "there are: " + Join(names, names.size());
  if (near == 0) return all;
  return "did you mean " + Join(names, std::min(near, kMaxSuggestions)) + "; " + all;
}

Status UnknownName(std::string_view kind, std::string_view wrong, std::vector<std::string_view> names) noexcept {
  try {
    std::string text = "there is no ";
    text += kind;
    text += " \"" + Printable(wrong) + "\"; " + NearNames(wrong, std::move(names));
    return Status(StatusCode::kUnknownName, text);
  } catch (const std::exception&) {
    return Status(StatusCode::kOutOfMemory, "");
  }
}

}  // namespace axiscast
