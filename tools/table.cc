// Columns of text for a terminal.
#include "tools/table.h"

#include <algorithm>
#include <cstdio>

namespace axiscast::tools {
namespace {

// The characters of a UTF-8 text: good enough for columns.
std::size_t Width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Three digits and a unit.
std::string Number(double value, const char* unit) {
  char text[64];
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::snprintf(text, sizeof(text), "%.*f %s", decimals, value, unit);
  return text;
}

}  // namespace

std::string Table(const std::vector<std::vector<std::string>>& rows, std::size_t right_from) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - Width(row[i]), ' ');
      line += (i > 0 ? "  " : "") + (i >= right_from ? padding + row[i] : row[i] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string Wrap(const std::string& text, std::size_t indent, std::size_t width) {
  std::string wrapped;
  std::string line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      wrapped += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return line.empty() ? wrapped : wrapped + std::string(indent, ' ') + line + "\n";
}

std::string Glossary(const std::vector<std::pair<std::string, std::string>>& rows, std::size_t width) {
  std::size_t first = 0;
  for (const auto& row : rows) first = std::max(first, Width(row.first));
  std::string text;
  for (const auto& [term, meaning] : rows) {
    const std::string lines = Wrap(meaning, first + 2, width);
    const std::size_t taken = std::min(Width(term), lines.size());
    text += term + (lines.empty() ? "\n" : lines.substr(taken));
  }
  return text;
}

std::string SecondsText(double seconds) {
  if (seconds < 1e-6) return Number(seconds * 1e9, "ns");
  if (seconds < 1e-3) return Number(seconds * 1e6, "us");
  if (seconds < 1) return Number(seconds * 1e3, "ms");
  return Number(seconds, "s");
}

std::string RateText(double bytes_per_second) { return Number(bytes_per_second * 1e-9, "GB/s"); }

}  // namespace axiscast::tools
