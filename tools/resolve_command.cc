// `axiscast resolve`: how shapes face each other, and what they broadcast to.
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
#include "tools/table.h"
#include "tools/verbs.h"
#include "tools/warnings.h"

namespace axiscast::tools {
namespace {

constexpr VerbText kText = {
    "axiscast resolve SHAPE... [flags]",
    "Shows how the axes of shapes face each other, which of them are stretched, and the shape of the result. No data is involved. "
    "Shapes are written 2,3,4; one axis 5; a scalar '()'. An extent that is not known yet is a name or ?.",
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
    "  With what stretches declared before, as in PyTensor:\n"
    "    axiscast resolve 1,3 3,3 --pattern BN --pattern NN\n"
    "  With PyTorch's warnings of old:\n"
    "    axiscast resolve 4 2,2 --mode legacy_pointwise --warn\n"
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

struct Request {
  std::vector<SymbolicShape> shapes;
  Alignment alignment;
  ResolveOptions options;
  std::optional<SymbolicShape> out;
  bool in_place = false;
};

// What is written, and what the operands give before an `out` stretches it.
struct Answer {
  SymbolicShape written;
  SymbolicShape operands;
  bool paired = false;  // elements are, whatever axes face each other
};

Answer Resolve(const Request& request, Warnings* warnings) {
  const SymbolicShape* const shapes = request.shapes.data();
  const std::size_t count = request.shapes.size();
  Answer answer;
  ResolveOptions options = request.options;
  Check(InferShape(shapes, count, options, &answer.operands));
  // The whole call, which says its diagnostics.
  options.diagnostics = warnings->diagnostics();
  if (request.in_place) {
    Check(InferInPlace(shapes, count, options, &answer.written));
  } else if (request.out) {
    Check(InferOut(shapes, count, options, *request.out, &answer.written));
  } else {
    Check(InferShape(shapes, count, options, &answer.written));
  }
  answer.paired = request.options.mode == Mode::kPointwise || warnings->paired();
  return answer;
}

std::string DrawPairs(const Request& request, const Answer& answer) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < request.shapes.size(); ++i) {
    rows.push_back({OperandName(i, request.shapes.size()), ShapeText(request.shapes[i])});
  }
  return Table(rows) +
         "\nelements are paired in row-major order; the shape is the first one's\n\nresult: " + ShapeText(answer.written) + "\n";
}

std::string Draw(const Request& request, const Answer& answer) {
  if (answer.paired) return DrawPairs(request, answer);
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
  Request request;
  line.AddValue("--mode", "M", "how axes face each other: " + ModeNames() + " (numpy, or axis when --axis is given)", &mode);
  line.AddValue("--axis", "N", "where the operand of lower rank is anchored; -1 aligns right", &axis);
  line.AddFlag("--in-place", "the first shape is also the destination", &request.in_place);
  line.AddValue("--out", "SHAPE", "the destination has this shape", &out);
  line.AddValues("--pattern", "P", PatternHelp("shape"), &patterns);
  Warnings warnings(&line);
  if (const auto help = line.Parse(words)) return *help;
  line.RequireOperands(1, static_cast<std::size_t>(-1), "a SHAPE");
  if (request.in_place && out)
    Fail(kUsage, "--in-place and --out exclude each other: the destination is either the first shape or another");
  request.alignment = ReadAlignment(mode, axis, patterns);
  CheckPatterns(request.alignment, line.operands().size(), "shape");
  request.options.mode = request.alignment.mode;
  request.options.axis = request.alignment.axis;
  request.options.patterns = request.alignment.declared();
  for (const std::string& word : line.operands()) request.shapes.push_back(ReadSymbolicShape(word));
  if (out) request.out = ReadSymbolicShape(*out);
  const Answer answer = Resolve(request, &warnings);
  if (!line.json()) {
    warnings.Print();
    return Draw(request, answer);
  }
  Json json = {{"shape", ShapeToJson(answer.written)}};
  warnings.AddTo(&json);
  return Print(json);
}

}  // namespace axiscast::tools
