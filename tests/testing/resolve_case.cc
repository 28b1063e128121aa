// Reads and runs resolver cases.
#include "tests/testing/resolve_case.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace axiscast {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::string Trim(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::int64_t ParseNumber(const std::string& text) {
  std::size_t used = 0;
  const std::int64_t number = std::stoll(text, &used);
  if (used != text.size()) throw std::invalid_argument("not a number: " + text);
  return number;
}

Shape ParseShape(const std::string& text) {
  std::vector<std::int64_t> extents;
  if (text != "()") {
    for (const std::string& part : Split(text, ',')) {
      const std::size_t star = part.find('*');
      const std::int64_t times = star == part.npos ? 1 : ParseNumber(part.substr(star + 1));
      for (std::int64_t i = 0; i < times; ++i) extents.push_back(ParseNumber(part.substr(0, star)));
    }
    if (extents.empty()) throw std::invalid_argument("not a shape: " + text);
  }
  return Shape(extents.data(), static_cast<std::int64_t>(extents.size()));
}

Mode ParseMode(const std::string& name) {
  for (std::size_t i = 0; i < kModeCount; ++i) {
    if (name == kModes[i].name) return kModes[i].mode;
  }
  if (name == "invalid") return static_cast<Mode>(99);
  throw std::invalid_argument("not a mode: " + name);
}

void ParseOption(const std::string& option, ResolveCase* c) {
  const std::size_t equals = option.find('=');
  const std::string key = option.substr(0, equals);
  const std::string value = equals == option.npos ? "" : option.substr(equals + 1);
  if (key == "mode") {
    c->mode = ParseMode(value);
  } else if (key == "axis") {
    c->axis = ParseNumber(value);
  } else if (key == "caller") {
    c->caller = value;
  } else if (key == "names") {
    c->names = Split(value, ',');
  } else if (key == "out") {
    c->out = ParseShape(value);
  } else if (option == "in_place") {
    c->in_place = true;
  } else {
    throw std::invalid_argument("not an option: " + option);
  }
}

}  // namespace

ResolveCase ParseResolveCase(const std::string& line) {
  try {
    ResolveCase c;
    c.line = line;
    const std::vector<std::string> fields = Split(line, '|');
    if (fields.size() != 4) throw std::invalid_argument("not four fields");
    c.name = Trim(fields[0]);
    std::istringstream options(fields[1]);
    for (std::string option; options >> option;) ParseOption(option, &c);
    for (const std::string& operand : Split(fields[2], '&')) c.operands.push_back(ParseShape(Trim(operand)));
    const std::string expected = Trim(fields[3]);
    if (expected.rfind('k', 0) == 0) {
      const std::size_t colon = expected.find(": ");
      c.code = expected.substr(0, colon);
      if (colon != expected.npos) c.message = expected.substr(colon + 2);
    } else {
      c.result = ParseShape(expected);
    }
    return c;
  } catch (const std::exception& error) {
    throw std::runtime_error("cannot read the case \"" + line + "\": " + error.what());
  }
}

std::vector<ResolveCase> ReadResolveCases(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::vector<ResolveCase> cases;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') cases.push_back(ParseResolveCase(line));
  }
  return cases;
}

void PrintTo(const ResolveCase& c, std::ostream* stream) { *stream << c.name; }

Status RunCase(const ResolveCase& c, Shape* result) {
  std::vector<const char*> names;
  for (const std::string& name : c.names) names.push_back(name.c_str());
  ResolveOptions options;
  options.mode = c.mode;
  options.axis = c.axis;
  options.caller = c.caller.empty() ? nullptr : c.caller.c_str();
  options.names = names.empty() ? nullptr : names.data();
  const Shape* shapes = c.operands.data();
  if (c.in_place) {
    if (Status status = ResolveInPlace(shapes, c.operands.size(), options); !status.ok()) return status;
    *result = shapes[0];
    return Status();
  }
  if (c.out) {
    if (Status status = ResolveOut(shapes, c.operands.size(), options, *c.out); !status.ok()) return status;
    *result = *c.out;
    return Status();
  }
  return ResolveShape(shapes, c.operands.size(), options, result);
}

void PrintTo(const Dims& dims, std::ostream* stream) {
  *stream << "rank " << dims.given_rank() << " (";
  for (const std::int64_t value : dims) *stream << ' ' << value;
  *stream << " )";
}

}  // namespace axiscast
