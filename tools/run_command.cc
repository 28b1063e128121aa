// `axiscast run`: computes an op on .npy files.
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "axiscast/plan.h"
#include "tools/command_line.h"
#include "tools/computation.h"
#include "tools/failure.h"
#include "tools/json.h"
#include "tools/library_internals.h"
#include "tools/npy.h"
#include "tools/operators.h"
#include "tools/output_file.h"
#include "tools/progress.h"
#include "tools/shape_text.h"
#include "tools/table.h"
#include "tools/verbs.h"
#include "tools/warnings.h"

namespace axiscast::tools {
namespace {

constexpr VerbText kText = {
    "axiscast run OP IN.npy... -o OUT.npy [flags]",
    "Reads .npy files, computes OP with broadcasting, and writes the result. OUT.npy may be one of the inputs; on an error it is "
    "left as it was. - is stdin among the files, and stdout behind -o: what the run says of itself goes to stderr then. axiscast "
    "ops lists the operators, axiscast ops NAME one with its attributes; the gradient of one is NAME_grad, on its inputs and the "
    "gradient of its result. OP may be an expression of elementwise ops, which are computed in one pass: calls on inputs (with "
    "@AXIS behind the name where they do not align right) and numbers. The files are its inputs in the order in which they first "
    "occur in it.",
    "  Add a bias per channel to a batch of images [8, 64, 7, 7]:\n"
    "    axiscast run add image.npy bias.npy --axis 1 -o sum.npy\n"
    "  Scale the result where it is:\n"
    "    axiscast run multiply sum.npy scale.npy --axis 1 --in-place -o sum.npy\n"
    "  Clamp it:\n"
    "    axiscast run clip sum.npy --attr min=0 --attr max=6 -o clipped.npy\n"
    "  Compare, on one thread, with facts about the run as JSON:\n"
    "    axiscast run less image.npy sum.npy --threads 1 -o mask.npy --json\n"
    "  Pick elements by a mask:\n"
    "    axiscast run where mask.npy image.npy sum.npy -o picked.npy\n"
    "  Several ops in one pass, two inputs anchored at axis 1:\n"
    "    axiscast run 'maximum(add(multiply(x, s@1), b@1), 0)' image.npy scale.npy bias.npy -o relu.npy\n"
    "  Sum over what was stretched; the gradient for the bias:\n"
    "    axiscast run sum_to image.npy --attr shape=64 --axis 1 -o channels.npy\n"
    "    axiscast run add_grad image.npy bias.npy sum.npy --axis 1 --attr wrt=1 -o bias_gradient.npy\n",
};

struct Request {
  std::string name;
  std::vector<std::string> paths;
  std::string out;
  Alignment alignment;
  bool in_place = false;
  int threads = 0;
};

struct Answer {
  Array array;
  double seconds = 0;  // of the library's work, not of the files
};

PlanOptions Options(const Request& request, const std::vector<Attribute>& attributes, Warnings* warnings) {
  PlanOptions options;
  options.mode = request.alignment.mode;
  options.axis = request.alignment.axis;
  options.patterns = request.alignment.declared();
  options.attributes = attributes;
  if (warnings->asked()) options.diagnostics = warnings->diagnostics();
  return options;
}

// An op in place is a call of its own, whose messages say so; a plan of an expression is given its first input as out.
Status ApplyInPlaceTo(const Op& op, Array& x, const std::vector<TensorView>& rest, const PlanOptions& planned,
                      const ExecuteOptions& execute) {
  ApplyOptions options;
  options.mode = planned.mode;
  options.axis = planned.axis;
  options.patterns = planned.patterns;
  options.attributes = planned.attributes;
  options.diagnostics = planned.diagnostics;
  options.max_threads = execute.max_threads;
  switch (rest.size()) {  // an initializer_list has a fixed size
    case 0:
      return ApplyInPlace(op, x.mutable_view(), {}, options);
    case 1:
      return ApplyInPlace(op, x.mutable_view(), {rest[0]}, options);
    case 2:
      return ApplyInPlace(op, x.mutable_view(), {rest[0], rest[1]}, options);
    default:
      return ApplyInPlace(op, x.mutable_view(), {rest[0], rest[1], rest[2]}, options);
  }
}

Answer Compute(const Computation& computation, const Request& request, const std::vector<Attribute>& attributes,
               std::vector<Array> inputs, Warnings* warnings) {
  PlanOptions options = Options(request, attributes, warnings);
  ExecuteOptions execute;
  execute.max_threads = request.threads;
  Answer answer;
  if (request.in_place) {
    answer.array = MakeDense(std::move(inputs[0]));
  } else {
    std::vector<TensorView> views;
    for (const Array& input : inputs) views.push_back(input.view());
    const Diagnostics diagnostics = std::exchange(options.diagnostics, {});  // the plan's are enough
    Shape shape;
    DType dtype = DType::kBool;
    computation.Infer(views, options, &shape, &dtype);
    options.diagnostics = diagnostics;
    answer.array = MakeArray(dtype, shape);
  }
  std::vector<TensorView> views;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    views.push_back(request.in_place && i == 0 ? TensorView(answer.array.mutable_view()) : inputs[i].view());
  const auto begin = std::chrono::steady_clock::now();
  if (request.in_place && computation.op() != nullptr) {
    Check(ApplyInPlaceTo(*computation.op(), answer.array, {views.begin() + 1, views.end()}, options, execute));
  } else {
    std::vector<const void*> pointers;
    for (const TensorView& view : views) pointers.push_back(view.data);
    const Plan plan = computation.MakePlan(views, answer.array.mutable_view(), options);
    Check(plan.Execute(pointers.data(), answer.array.data.get(), execute));
  }
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return answer;
}

std::string Describe(const Request& request, const Answer& answer, const Warnings& warnings, const Computation& computation,
                     const Registry& registry, bool json) {
  const int threads = ThreadCount(request.threads);
  if (json) {
    Json facts = {{computation.kind(), computation.name()},
                  {"shape", DimsToJson(answer.array.shape)},
                  {"dtype", NameOf(answer.array.dtype)},
                  {"target", registry.target()},
                  {"threads", threads},
                  {"seconds", answer.seconds},
                  {"out", request.out}};
    warnings.AddTo(&facts);
    return Print(facts);
  }
  return Printable(IsStdout(request.out) ? "stdout" : request.out) + ": " + NameOf(answer.array.dtype) + " " +
         ShapeText(answer.array.shape) + ", " + computation.name() + " in " + SecondsText(answer.seconds) + " on " +
         registry.target() + ", at most " + std::to_string(threads) + (threads == 1 ? " thread" : " threads") +
         ", planning and first touch of memory included\n";
}

}  // namespace

std::string RunVerb(const std::vector<std::string>& words) {
  CommandLine line(kText);
  Value mode, axis, promote, threads, target, out;
  std::vector<std::string> attribute_texts, patterns;
  Request request;
  line.AddValue("-o", "OUT.npy", "where the result goes; - is stdout", &out);
  line.AddValue("--mode", "M", "how axes face each other: " + ModeNames() + " (numpy, or axis when --axis is given)", &mode);
  line.AddValue("--axis", "N", "where the operand of lower rank is anchored; -1 aligns right", &axis);
  line.AddValues("--pattern", "P", PatternHelp("input"), &patterns);
  line.AddFlag("--in-place", "the first input is the destination: the result must have its shape", &request.in_place);
  line.AddValues("--attr", "KEY=VALUE", "an attribute of the op; may be repeated", &attribute_texts);
  line.AddValue("--promote", "P", "how mixed dtypes meet: none (they must match)", &promote);
  Warnings warnings(&line);
  line.AddValue("--threads", "N", "at most so many threads, 1 or more (as many as there are)", &threads);
  line.AddValue("--target", "T", "an instruction set by Highway's name, as in AVX2 (AXISCAST_TARGET, or the best)", &target);
  if (const auto help = line.Parse(words)) return *help;
  line.RequireOperands(1, static_cast<std::size_t>(-1), "OP");
  line.RequireOperands(2, static_cast<std::size_t>(-1), "IN.npy");
  if (!out) Fail(kUsage, "-o OUT.npy is missing");
  request.name = line.operands()[0];
  request.paths.assign(line.operands().begin() + 1, line.operands().end());
  request.out = *out;
  const bool to_stdout = IsStdout(request.out);
  if (to_stdout && line.json()) Fail(kUsage, "-o " + request.out + ": stdout is one JSON value with --json; name a file");
  request.threads = ReadThreads(threads);
  request.alignment = ReadAlignment(mode, axis, patterns);
  ReadPromotion(promote);

  const Registry& registry = ChooseRegistry(target);
  const Computation computation(registry, request.name);
  const std::vector<Attribute> attributes = computation.ReadAttributes(attribute_texts);
  computation.RequireInputs(request.paths.size());
  if (computation.op() != nullptr) CheckPatterns(request.alignment, PatternCount(*computation.op()), "input");
  CheckWritable(request.out);
  Progress progress;
  std::vector<Array> inputs;
  for (const std::string& path : request.paths) {
    progress.Stage("reading " + path);
    inputs.push_back(ReadNpy(path));
  }
  progress.Stage("computing " + request.name);
  const Answer answer = Compute(computation, request, attributes, std::move(inputs), &warnings);
  if (!line.json()) warnings.Print();
  progress.Stage("writing " + request.out);
  const std::string text = Describe(request, answer, warnings, computation, registry, line.json());
  WriteNpy(request.out, answer.array, [&] {
    if (to_stdout)
      std::fputs(text.c_str(), stderr);  // stdout has the array, and nothing else
    else
      Emit(text);
  });
  return "";
}

}  // namespace axiscast::tools
