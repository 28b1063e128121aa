// Columns of text for a terminal.
#ifndef AXISCAST_TOOLS_TABLE_H_
#define AXISCAST_TOOLS_TABLE_H_

#include <string>
#include <utility>
#include <vector>

namespace axiscast::tools {

// Lines up the cells of `rows`, two spaces between columns, no spaces at the end of a line. Columns from `right_from` on are
// aligned right, the others left.
std::string Table(const std::vector<std::vector<std::string>>& rows, std::size_t right_from = static_cast<std::size_t>(-1));

// Two columns, the second one broken at spaces into lines that end at `width`.
std::string Glossary(const std::vector<std::pair<std::string, std::string>>& rows, std::size_t width = 100);

// Breaks `text` at spaces into lines of at most `width` characters, each after `indent` spaces.
std::string Wrap(const std::string& text, std::size_t indent, std::size_t width = 100);

// "1.23 ms".
std::string SecondsText(double seconds);
// "31.4 GB/s".
std::string RateText(double bytes_per_second);

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_TABLE_H_
