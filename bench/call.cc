// Patterns laid out in memory, and their plans.
#include "bench/call.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "core/plan.h"
#include "core/registry.h"

namespace axiscast::bench {
namespace {

constexpr std::int64_t kGap = 5 * 64;  // between operands: they shall not begin at the same place of a page

Shape WithExtent(Shape shape, std::int64_t extent) {
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] == kFree) shape[d] = extent;
  }
  return shape;
}

std::int64_t Elements(const Shape& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  return elements;
}

std::int64_t BytesOf(const Shape& shape, DType dtype) { return Elements(shape) * static_cast<std::int64_t>(SizeOf(dtype)); }

std::string Text(const Shape& shape) {
  std::string text = "(";
  for (int d = 0; d < shape.rank(); ++d) text += (d > 0 ? "," : "") + std::to_string(shape[d]);
  return text + ")";
}

void Require(const Status& status) {
  if (!status.ok()) Fail(status.message());
}

std::vector<std::string> Words(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The ops with their kernels for the pattern's dtype, which is their last input's; or why there are none.
std::string FindSteps(const Pattern& pattern, std::vector<CallStep>* steps) {
  DType dtype;
  if (!FindDType(pattern.dtype, &dtype)) return std::string("this build has no dtype ") + pattern.dtype;
  for (const std::string& name : Words(pattern.ops)) {
    const Op* op = FindOp(name);
    if (op == nullptr) return "this build has no op " + name;
    const auto kernel = std::find_if(op->kernels().begin(), op->kernels().end(),
                                     [&](const Kernel& k) { return k.inputs[op->arity() - 1] == dtype; });
    if (kernel == op->kernels().end()) return name + " has no kernel for " + pattern.dtype;
    steps->push_back({op, &*kernel});
  }
  return "";
}

// The dtypes of the inputs: all of the first step's, of the others all but the first.
std::vector<DType> InputDTypes(const std::vector<CallStep>& steps) {
  std::vector<DType> dtypes;
  for (const CallStep& step : steps) {
    dtypes.insert(dtypes.end(), step.kernel->inputs + (dtypes.empty() ? 0 : 1), step.kernel->inputs + step.op->arity());
  }
  return dtypes;
}

Shape OutputShape(const std::vector<Shape>& inputs, std::optional<std::int64_t> axis) {
  Shape shape = inputs[0];
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const Shape before = shape;
    ResolveOptions options;
    if (before.rank() != inputs[i].rank()) options.axis = axis;
    Require(ResolveShape({before, inputs[i]}, options, &shape));
  }
  return shape;
}

const char* Suffix(Layout layout) {
  switch (layout) {
    case Layout::kDense:
      return "";
    case Layout::kInPlace:
      return " in place";
    case Layout::kTransposedLast:
      return ".T";
    case Layout::kStepTwoFirst:
      return ", input[::2]";
    case Layout::kStepTwoOutput:
      return ", out[::2]";
    case Layout::kPaddedFirst:
      return ", input[:, :-1]";
    case Layout::kReversedFirst:
      return ", input[..., ::-1]";
    case Layout::kChannelsLastFirst:
      return ", input channels last";
    case Layout::kSplitHeadsFirst:
      return ", input heads inside";
  }
  return "";
}

// Where a dense shape's elements lie instead.
struct Placement {
  ByteStrides strides;
  std::int64_t span;   // bytes, gaps included
  std::int64_t first;  // bytes from the lowest address to element [0, ..., 0]
};

// Dense dims in the given order, the outermost first.
ByteStrides StridesInOrder(const Shape& shape, std::initializer_list<int> order, std::int64_t size) {
  ByteStrides strides = DenseStrides(shape, DType::kInt8);
  for (const int* d = order.end(); d-- != order.begin();) {
    strides[*d] = size;
    size *= shape[*d];
  }
  return strides;
}

Placement PlaceFirst(Layout layout, const Shape& shape, DType dtype) {
  const auto size = static_cast<std::int64_t>(SizeOf(dtype));
  Placement placed = {DenseStrides(shape, dtype), BytesOf(shape, dtype), 0};
  switch (layout) {
    case Layout::kStepTwoFirst:
      placed.strides[0] *= 2;
      placed.span *= 2;
      break;
    case Layout::kPaddedFirst:
      placed.strides[0] += size;
      placed.span += shape[0] * size;
      break;
    case Layout::kReversedFirst:
      placed.strides[shape.rank() - 1] = -size;
      placed.first = (shape[shape.rank() - 1] - 1) * size;
      break;
    case Layout::kChannelsLastFirst:
      placed.strides = StridesInOrder(shape, {0, 2, 1}, size);
      break;
    case Layout::kSplitHeadsFirst:
      placed.strides = StridesInOrder(shape, {0, 2, 1, 3}, size);
      break;
    default:
      break;
  }
  return placed;
}

Call MakeCallWithExtent(const Pattern& pattern, std::int64_t extent, std::byte* inputs_at, std::byte* out_at) {
  Call call;
  if (const std::string why = FindSteps(pattern, &call.steps); !why.empty()) Fail(pattern.name + ": " + why);
  const std::vector<DType> dtypes = InputDTypes(call.steps);
  if (dtypes.size() != pattern.inputs.size()) Fail(pattern.name + ": the number of inputs is not what its ops take");
  const bool in_place = pattern.layout == Layout::kInPlace;
  if (in_place) inputs_at = out_at;
  call.axis = pattern.axis;
  call.text = std::string(pattern.ops) + " ";
  std::vector<Shape> shapes;
  const auto rounded = [](std::int64_t bytes) { return (bytes + 63) / 64 * 64; };
  std::int64_t used = 0, read = 0;
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    const Shape shape = WithExtent(pattern.inputs[i], extent);
    auto [strides, span, first] = PlaceFirst(i == 0 ? pattern.layout : Layout::kDense, shape, dtypes[i]);
    call.unique_bytes = (i == 0 ? 0 : call.unique_bytes) + BytesOf(shape, dtypes[i]);
    if (pattern.layout == Layout::kTransposedLast && i + 1 == dtypes.size()) {
      strides = {static_cast<std::int64_t>(SizeOf(dtypes[i])), shape[0] * static_cast<std::int64_t>(SizeOf(dtypes[i]))};
    }
    call.inputs.emplace_back(inputs_at + used + first, dtypes[i], shape, strides);
    call.pointers.push_back(inputs_at + used + first);
    call.text += (i > 0 ? "," : "") + Text(shape);
    shapes.push_back(shape);
    used += rounded(span) + kGap;
    read += span;
  }
  const Shape shape = OutputShape(shapes, pattern.axis);
  const DType dtype = call.steps.back().kernel->output;
  ByteStrides strides = DenseStrides(shape, dtype);
  std::int64_t written = BytesOf(shape, dtype);
  call.unique_bytes += written;
  if (pattern.layout == Layout::kStepTwoOutput) {
    strides[0] *= 2;
    written *= 2;
  }
  std::byte* const out = in_place ? inputs_at : out_at + kGap + used % 4096;  // where it would be behind the inputs, within a page
  call.out = MutableTensorView(out, dtype, shape, strides);
  if (pattern.axis.has_value()) call.text += "@" + std::to_string(*pattern.axis);
  call.text += Suffix(pattern.layout);
  if (std::strcmp(pattern.dtype, "float32") != 0) call.text += std::string(" ") + pattern.dtype;
  call.traffic = {inputs_at, read, out, written};
  const int checked = call.steps[0].op->info().checked_operand;
  if (call.steps[0].kernel->check != nullptr) {
    const TensorView& divisor = call.inputs[static_cast<std::size_t>(checked)];
    call.traffic.checked = static_cast<const std::byte*>(divisor.data);
    call.traffic.checked_bytes = BytesOf(divisor.shape, divisor.dtype);
  }
  call.traffic.arithmetic = pattern.arithmetic;
  call.traffic.elements = Elements(shape);
  call.traffic.others = std::min(Elements(shapes.front()), Elements(shapes.back()));
  call.traffic.keeps_gaps = pattern.layout == Layout::kStepTwoOutput;
  if (call.traffic.keeps_gaps && (read != written || call.traffic.checked_bytes > 0))
    Fail(pattern.name + ": an output with gaps has a roof only where unchecked inputs have as many bytes");
  return call;
}

// A chain is what no public call makes yet: a program of several steps, resolved here.
Plan MakeChain(const Call& call) {
  axiscast::Problem problem;
  problem.shape = call.out.shape;
  std::vector<std::string> names;
  for (const TensorView& input : call.inputs) {
    TensorView stretched;
    const bool anchored = input.shape.rank() < problem.shape.rank();
    Require(BroadcastTo(input, problem.shape, anchored ? call.axis : std::nullopt, &stretched));
    problem.operands.push_back({input.dtype, stretched.byte_strides});
    names.push_back("input " + std::to_string(names.size()));
  }
  problem.operands.push_back({call.out.dtype, call.out.byte_strides});
  names.emplace_back("out");
  int next = 0;  // input
  for (const CallStep& call_step : call.steps) {
    Step step{call_step.kernel, call_step.op->arity(), {}, {}};
    for (int a = 0; a < step.arity; ++a) {
      const bool so_far = a == 0 && !problem.steps.empty();
      step.values[a] = so_far ? problem.input_count() + static_cast<int>(problem.steps.size()) - 1 : next++;
    }
    problem.steps.push_back(step);
  }
  std::shared_ptr<const Plan::Impl> impl;
  Require(Plan::Impl::Make(std::move(problem), call.steps[0].op->entry().kernels->movers, "chain", std::move(names), {}, &impl));
  return Plan(std::move(impl));
}

}  // namespace

void Fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

std::string WhyLeftOut(const Pattern& pattern) {
  std::vector<CallStep> steps;
  return FindSteps(pattern, &steps);
}

bool HasOneSize(const Pattern& pattern) {
  return std::none_of(pattern.inputs.begin(), pattern.inputs.end(),
                      [](const Shape& shape) { return std::count(shape.begin(), shape.end(), kFree) > 0; });
}

std::int64_t LeastBytes(const Pattern& pattern, Arena& arena) {
  return MakeCallWithExtent(pattern, 1, arena.data(), arena.second_half()).unique_bytes;
}

Call MakeCall(const Pattern& pattern, std::int64_t bytes, Arena& arena, int place) {
  constexpr std::int64_t kFurther = 17 * 4096 + 13 * 64;  // other pages, and another place in them: five are spread over a page
  std::byte* const half = arena.second_half() + place * kFurther;
  const std::int64_t one = LeastBytes(pattern, arena);
  const std::int64_t each = MakeCallWithExtent(pattern, 2, arena.data(), half).unique_bytes - one;
  const std::int64_t extent = each == 0 ? 1 : std::max<std::int64_t>((bytes - one) / each + 1, 1);
  return MakeCallWithExtent(pattern, extent, arena.data(), half);
}

void RestoreInputs(const Call& call, Arena& arena) {
  if (call.traffic.in == arena.data()) return;
  const std::int64_t end = call.traffic.read_bytes + static_cast<std::int64_t>(call.inputs.size()) * (kGap + 64);
  std::memcpy(const_cast<std::byte*>(call.traffic.in), arena.data(), static_cast<std::size_t>(end));
}

Plan MakePlan(const Call& call) {
  if (call.steps.size() > 1) return MakeChain(call);
  Plan plan;
  PlanOptions options;
  options.axis = call.axis;
  Require(Plan::Make(*call.steps[0].op, call.inputs.data(), call.inputs.size(), call.out, options, &plan));
  return plan;
}

void Execute(const Plan& plan, const Call& call, int threads, std::int64_t count) {
  ExecuteOptions options;
  options.max_threads = threads;
  for (; count > 0; --count) Require(plan.Execute(call.pointers.data(), call.out.data, options));
}

}  // namespace axiscast::bench
