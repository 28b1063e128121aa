// `axiscast resolve`: how shapes face each other, and what they broadcast to.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "axiscast/infer.h"
#include "axiscast/resolve.h"
#include "tools/command_line.h"
#include "tools/failure.h"
#include "tools/json.h"
#include "tools/picture.h"
#include "tools/shape_text.h"
#include "tools/verbs.h"

namespace axiscast::tools {
namespace {

constexpr VerbText kText = {
    "axiscast resolve SHAPE... [flags]",
    "Shows how the axes of shapes face each other, which of them are stretched, and the shape of the result.\n"
    "No data is involved. Shapes are written 2,3,4; one axis 5; a scalar '()'. An extent that is not known yet is a name or ?.",
    "  Align right, as NumPy and PyTorch do:\n"
    "    axiscast resolve 2,3,4 3,1\n"
    "  A bias per channel, anchored at axis 1 (Paddle's elementwise_add(x, y, axis=1)):\n"
    "    axiscast resolve 8,64,7,7 64 --axis 1\n"
    "  The operand of lower rank may come first:\n"
    "    axiscast resolve 3 2,3,4 --axis 1\n"
    "  Could the first one be the destination (x += y)?\n"
    "    axiscast resolve 8,64,7,7 64,1,1 --in-place\n"
    "  Into a larger destination:\n"
    "    axiscast resolve 1,3 3 --out 5,4,3\n"
    "  Before all extents are known:\n"
    "    axiscast resolve N,1,5 N,4,1\n"
    "  For a script:\n"
    "    axiscast resolve 30,1,5 1,4,1 '()' --json\n",
};

// "x", "y", "z"; more than three are x0, x1, ...: as the library's messages call them.
std::string OperandName(std::size_t i, std::size_t count) {
  if (count > 3) return "x" + std::to_string(i);
  return std::string(1, static_cast<char>('x' + i));
}

double Elements(const Shape& shape) {
  double count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<double>(extent);
  return count;
}

// PyTorch's two warnings of old; this build's modes can give the first.
std::vector<std::string> Warnings(const std::vector<SymbolicShape>& shapes) {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = i + 1; j < shapes.size(); ++j) {
      if (!shapes[i].known() || !shapes[j].known()) continue;
      if (shapes[i] == shapes[j] || Elements(shapes[i].extents()) != Elements(shapes[j].extents())) continue;
      warnings.push_back(OperandName(i, shapes.size()) + " " + ShapeText(shapes[i]) + " and " + OperandName(j, shapes.size()) +
                         " " + ShapeText(shapes[j]) +
                         " have equal element counts but different shapes: they broadcast, their elements are not paired");
    }
  }
  return warnings;
}

struct Request {
  std::vector<SymbolicShape> shapes;
  ResolveOptions options;
  std::optional<SymbolicShape> out;
  bool in_place = false;
};

// What is written, and what the operands give before an `out` stretches it.
struct Answer {
  SymbolicShape written;
  SymbolicShape operands;
};

Answer Resolve(const Request& request) {
  const SymbolicShape* const shapes = request.shapes.data();
  const std::size_t count = request.shapes.size();
  Answer answer;
  Check(InferShape(shapes, count, request.options, &answer.operands));
  answer.written = answer.operands;
  if (request.in_place) Check(InferInPlace(shapes, count, request.options, &answer.written));
  if (request.out) Check(InferOut(shapes, count, request.options, *request.out, &answer.written));
  return answer;
}

std::string Draw(const Request& request, const Answer& answer) {
  const std::vector<int> first = FirstFacingDims(request.shapes, request.options.mode, request.options.axis);
  const int before = answer.written.rank() - answer.operands.rank();  // dims that only `out` has
  std::vector<PictureRow> operands;
  for (std::size_t i = 0; i < request.shapes.size(); ++i) {
    operands.push_back({OperandName(i, request.shapes.size()), request.shapes[i], before + first[i]});
  }
  std::string result = request.out ? "out" : "result";
  if (request.in_place) result = operands[0].name + ", written";
  return Picture(operands, {{result, answer.written, 0}}, answer.written) + "\nresult: " + ShapeText(answer.written) + "\n";
}

}  // namespace

std::string ResolveVerb(const std::vector<std::string>& words) {
  CommandLine line(kText);
  Value mode, axis, out;
  std::vector<std::string> patterns;
  bool warn = false;
  Request request;
  line.AddValue("--mode", "M", "how axes face each other: " + ModeNames() + " (numpy, or axis when --axis is given)", &mode);
  line.AddValue("--axis", "N", "where the operand of lower rank is anchored; -1 aligns right", &axis);
  line.AddFlag("--in-place", "the first shape is also the destination", &request.in_place);
  line.AddValue("--out", "SHAPE", "the destination has this shape", &out);
  line.AddValues("--pattern", "P", "a declared pattern per shape (not offered by this build)", &patterns);
  line.AddFlag("--warn", "say where shapes with equal element counts broadcast (on stderr)", &warn);
  if (const auto help = line.Parse(words)) return *help;
  line.RequireOperands(1, static_cast<std::size_t>(-1), "a SHAPE");
  if (request.in_place && out)
    Fail(kUsage, "--in-place and --out exclude each other: the destination is either the first shape or another");
  if (!patterns.empty() && axis) Fail(kUsage, "mode pattern takes no axis; got --axis " + *axis);
  const Alignment alignment = ReadAlignment(mode, axis);
  request.options.mode = alignment.mode;
  request.options.axis = alignment.axis;
  if (!patterns.empty())
    Fail(StatusCode::kUnsupported, "declared patterns (--pattern " + patterns[0] + ") are not offered by this build");
  for (const std::string& word : line.operands()) request.shapes.push_back(ReadSymbolicShape(word));
  if (out) request.out = ReadSymbolicShape(*out);
  const Answer answer = Resolve(request);
  const std::vector<std::string> warnings = warn ? Warnings(request.shapes) : std::vector<std::string>();
  if (!line.json()) {
    for (const std::string& warning : warnings) std::fprintf(stderr, "axiscast: warning: %s\n", warning.c_str());
    return Draw(request, answer);
  }
  Json json = {{"shape", ShapeToJson(answer.written)}};
  if (warn) json["warnings"] = warnings;
  return Print(json);
}

}  // namespace axiscast::tools
