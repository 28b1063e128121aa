// Reads and runs resolver cases.
#include "tests/testing/resolve_case.h"

#include <cctype>
#include <fstream>
#include <set>
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

SymbolicDim ParseDim(const std::string& text) {
  static std::set<std::string> names;  // live as long as the cases
  if (text == "?") return SymbolicDim();
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text[0])) == 0) return ParseNumber(text);
  return std::string_view(*names.insert(text).first);
}

SymbolicShape ParseShape(const std::string& text) {
  SymbolicShape shape;
  if (text == "()") return shape;
  for (const std::string& part : Split(text, ',')) {
    const std::size_t star = part.find('*');
    const std::int64_t times = star == part.npos ? 1 : ParseNumber(part.substr(star + 1));
    for (std::int64_t i = 0; i < times; ++i) shape.push_back(ParseDim(part.substr(0, star)));
  }
  if (shape.given_rank() == 0) throw std::invalid_argument("not a shape: " + text);
  return shape;
}

// NN, or 10,N, or N*65
Pattern ParsePattern(const std::string& text) {
  Pattern pattern;
  if (text == "()") return pattern;
  const bool letters = text.find_first_not_of("BN") == text.npos;
  for (std::size_t i = 0; letters && i < text.size(); ++i) pattern.push_back(text[i] == 'B' ? kB : kN);
  if (letters) return pattern;
  for (const std::string& part : Split(text, ',')) {
    const std::size_t star = part.find('*');
    const std::string axis = part.substr(0, star);
    for (std::int64_t i = star == part.npos ? 1 : ParseNumber(part.substr(star + 1)); i > 0; --i) {
      pattern.push_back(axis == "B" ? PatternAxis(kB) : axis == "N" ? PatternAxis(kN) : PatternAxis(ParseNumber(axis)));
    }
  }
  return pattern;
}

Mode ParseMode(const std::string& name) {
  for (std::size_t i = 0; i < kModeCount; ++i) {
    if (name == kModes[i].name) return kModes[i].mode;
  }
  if (name == "invalid") return static_cast<Mode>(99);
  throw std::invalid_argument("not a mode: " + name);
}

void ParseOption(const std::string& option, InferCase* c) {
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
  } else if (key == "patterns") {
    for (const std::string& pattern : Split(value, ';')) c->patterns.push_back(ParsePattern(pattern));
  } else if (key == "out") {
    c->symbolic_out = ParseShape(value);
    c->out = c->symbolic_out->extents();
  } else if (option == "in_place") {
    c->in_place = true;
  } else {
    throw std::invalid_argument("not an option: " + option);
  }
}

template <typename Case>
std::vector<Case> ReadCases(const std::string& path, Case (*parse)(const std::string& line)) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') cases.push_back(parse(line));
  }
  return cases;
}

}  // namespace

ResolveCase ParseResolveCase(const std::string& line) { return ParseInferCase(line); }

InferCase ParseInferCase(const std::string& line) {
  try {
    InferCase c;
    c.line = line;
    const std::vector<std::string> fields = Split(line, '|');
    if (fields.size() != 4) throw std::invalid_argument("not four fields");
    c.name = Trim(fields[0]);
    std::istringstream options(fields[1]);
    for (std::string option; options >> option;) ParseOption(option, &c);
    for (const std::string& operand : Split(fields[2], '&')) {
      c.symbols.push_back(ParseShape(Trim(operand)));
      c.operands.push_back(c.symbols.back().extents());
    }
    const std::string expected = Trim(fields[3]);
    if (expected.size() > 1 && expected[0] == 'k' && std::isupper(static_cast<unsigned char>(expected[1])) != 0) {
      const std::size_t colon = expected.find(": ");
      c.code = expected.substr(0, colon);
      if (colon != expected.npos) c.message = expected.substr(colon + 2);
    } else {
      c.symbolic_result = ParseShape(expected);
      c.result = c.symbolic_result.extents();
    }
    return c;
  } catch (const std::exception& error) {
    throw std::runtime_error("cannot read the case \"" + line + "\": " + error.what());
  }
}

std::vector<ResolveCase> ReadResolveCases(const std::string& path) { return ReadCases(path, ParseResolveCase); }
std::vector<InferCase> ReadInferCases(const std::string& path) { return ReadCases(path, ParseInferCase); }

void PrintTo(const ResolveCase& c, std::ostream* stream) { *stream << c.name; }

namespace {

// The case's options; `names` keeps what they point to.
ResolveOptions OptionsOf(const ResolveCase& c, std::vector<const char*>* names) {
  for (const std::string& name : c.names) names->push_back(name.c_str());
  ResolveOptions options;
  options.mode = c.mode;
  options.axis = c.axis;
  options.caller = c.caller.empty() ? nullptr : c.caller.c_str();
  options.diagnostics = c.diagnostics;
  options.patterns = c.patterns.empty() ? nullptr : c.patterns.data();
  options.names = names->empty() ? nullptr : names->data();
  return options;
}

}  // namespace

Status RunCase(const ResolveCase& c, Shape* result) {
  std::vector<const char*> names;
  const ResolveOptions options = OptionsOf(c, &names);
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

Status RunInferCase(const InferCase& c, SymbolicShape* result) {
  std::vector<const char*> names;
  const ResolveOptions options = OptionsOf(c, &names);
  if (c.in_place) return InferInPlace(c.symbols.data(), c.symbols.size(), options, result);
  if (c.out) return InferOut(c.symbols.data(), c.symbols.size(), options, *c.symbolic_out, result);
  return InferShape(c.symbols.data(), c.symbols.size(), options, result);
}

void PrintTo(const Dims& dims, std::ostream* stream) {
  *stream << "rank " << dims.given_rank() << " (";
  for (const std::int64_t value : dims) *stream << ' ' << value;
  *stream << " )";
}

void PrintTo(const SymbolicShape& shape, std::ostream* stream) {
  *stream << "rank " << shape.given_rank() << " (";
  for (int d = 0; shape.valid() && d < shape.rank(); ++d) {
    *stream << ' ';
    if (shape.known(d)) {
      *stream << shape[d].extent();
    } else {
      *stream << (shape[d].name().empty() ? "?" : shape[d].name());
    }
  }
  *stream << " )";
}

}  // namespace axiscast
