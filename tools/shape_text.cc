// Shapes and integers as people write them on a command line.
#include "tools/shape_text.h"

#include <charconv>
#include <system_error>

#include "tools/failure.h"

namespace axiscast::tools {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsUnknownExtent(std::string_view text) {
  if (text == "?") return true;
  if (text.empty() || !IsLetter(text[0])) return false;
  for (const char c : text) {
    if (!IsLetter(c) && !IsDigit(c) && c != '_') return false;
  }
  return true;
}

[[noreturn]] void RefuseShape(std::string_view text, const std::string& why) {
  Fail(StatusCode::kInvalidShape,
       "cannot read the shape `" + std::string(text) + "`: " + why + "; shapes are written 2,3,4 or 5 or ()");
}

}  // namespace

IntegerText ReadInteger(std::string_view text, std::int64_t* value) {
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (text.empty() || !IsDigit(text[0])) return IntegerText::kNotAnInteger;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return IntegerText::kNotAnInteger;
  if (error == std::errc::result_out_of_range) return IntegerText::kTooLarge;
  *value = number;
  return IntegerText::kFits;
}

SymbolicShape ReadSymbolicShape(std::string_view text) {
  SymbolicShape shape;
  if (text == "()") return shape;
  if (text.empty()) RefuseShape(text, "it is empty");
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view extent = text.substr(begin, end - begin);
    begin = end + 1;
    if (extent.empty()) RefuseShape(text, "an extent is missing");
    if (IsUnknownExtent(extent)) {
      shape.push_back(extent);
      continue;
    }
    std::int64_t value = 0;
    switch (ReadInteger(extent, &value)) {
      case IntegerText::kFits:
        break;
      case IntegerText::kTooLarge:
        RefuseShape(text, "the extent " + std::string(extent) + " does not fit in int64");
      case IntegerText::kNotAnInteger:
        RefuseShape(text,
                    "`" + std::string(extent) + "` is neither an integer nor a name (a letter, then letters, digits, _) nor ?");
    }
    shape.push_back(value);
  }
  if (!shape.valid()) {
    RefuseShape(text, "it has rank " + std::to_string(shape.given_rank()) + ", and ranks go up to " + std::to_string(kMaxRank));
  }
  return shape;
}

Shape ReadShape(std::string_view text) {
  const SymbolicShape shape = ReadSymbolicShape(text);
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.known(d)) continue;
    Fail(StatusCode::kUnsupported, "the extent `" + ExtentText(shape[d]) + "` in `" + std::string(text) +
                                       "` is unknown, which `axiscast resolve` alone takes; give every extent as a number");
  }
  return shape.extents();
}

Pattern ReadPattern(std::string_view text) {
  Pattern pattern;
  if (text == "()") return pattern;
  if (!text.empty() && text.find_first_not_of("BN") == text.npos) {
    for (const char axis : text) pattern.push_back(axis == 'B' ? kB : kN);
    return pattern;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view axis = text.substr(begin, end - begin);
    begin = end + 1;
    std::int64_t extent = 0;
    if (axis == "B" || axis == "N") {
      pattern.push_back(axis == "B" ? kB : kN);
    } else if (ReadInteger(axis, &extent) == IntegerText::kFits) {
      pattern.push_back(extent);
    } else {
      Fail(kUsage,
           "--pattern: cannot read `" + std::string(text) +
               "`; a pattern is a letter for each axis, B (broadcast) or N (not), as in BN; with fixed extents 10,N; or ()");
    }
  }
  return pattern;
}

std::string ExtentText(const SymbolicDim& dim) {
  if (dim.known()) return std::to_string(dim.extent());
  return dim.name().empty() ? "?" : std::string(dim.name());
}

std::string ShapeText(const SymbolicShape& shape) {
  std::string text = "[";
  for (int d = 0; d < shape.rank(); ++d) text += (d > 0 ? ", " : "") + ExtentText(shape[d]);
  return text + "]";
}

}  // namespace axiscast::tools
