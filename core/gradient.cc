// Plans of gradients: one program over the shape of dout, and where the input was stretched a sum_to of its result.
#include "core/gradient.h"

#include <cstring>
#include <optional>
#include <utility>

#include "core/caches.h"
#include "core/copy.h"
#include "core/pair_copy.h"
#include "core/registry.h"
#include "core/resolve.h"
#include "core/routine.h"
#include "core/slab_sum.h"

namespace axiscast {
namespace {

std::int64_t SizeInBytes(DType dtype) { return static_cast<std::int64_t>(SizeOf(dtype)); }

// A call of NAME_grad in the terms of the forward op.
struct GradientCall {
  explicit GradientCall(const Gradient& called) : gradient(called) {}
  const Gradient& gradient;
  int wrt = 0;
  Shape shape;           // of the forward result, and so of dout
  int first[kMaxArity];  // where the inputs' dims lie in it
};

Status ReadCall(const FormCall& call, GradientCall* read) {
  const Request& request = call.request;
  const Gradient& gradient = read->gradient;
  const int inputs = gradient.forward->arity();
  const std::int64_t wrt = call.attributes[gradient.info.attribute_count - 1].integer;
  if (wrt < 0 || wrt >= inputs || !gradient.programs[static_cast<std::size_t>(wrt)].offered) {
    return Status(StatusCode::kInvalidArgument,
                  std::string(request.caller()) + ": attribute wrt must be " + gradient.wrt_doc + "; got " + std::to_string(wrt));
  }
  read->wrt = static_cast<int>(wrt);
  Shape shapes[kMaxArity];
  for (int i = 0; i < inputs; ++i) shapes[i] = request.inputs[i]->shape;
  const ResolveOptions options{request.mode,    request.axis,        request.caller(),
                               request.names(), request.diagnostics, request.patterns};
  if (const Status status = Resolve(shapes, static_cast<std::size_t>(inputs), options, {}, &read->shape, read->first);
      !status.ok()) {
    return status;
  }
  const Shape& dout = request.inputs[inputs]->shape;
  if (dout == read->shape) return Status();
  return Status(StatusCode::kInvalidShape, std::string(request.caller()) + ": " + request.names()[inputs] +
                                               " must have the shape of the forward result " + ListOf(read->shape) + "; got " +
                                               ListOf(dout) + " " + FactsOf(request));
}

// The program's operands: inputs of the call, then constants, which the plan owns.
class Program {
 public:
  Program(const FormCall& call, const GradientCall& read) : call_(call), read_(read) { problem_.shape = read.shape; }

  // The value's place among the operands, its dtype in *dtype; constants get `constant_dtype`.
  Status AddValue(const GradientValue& value, DType constant_dtype, int* place, DType* dtype) {
    const int inputs = read_.gradient.forward->arity();
    if (value.kind == GradientValue::Kind::kStep) {
      *place = kFirstStep + value.index;
      *dtype = problem_.steps[static_cast<std::size_t>(value.index)].kernel->output;
      return Status();
    }
    if (value.kind == GradientValue::Kind::kInput || value.kind == GradientValue::Kind::kDout) {
      const int input = value.kind == GradientValue::Kind::kDout ? inputs : value.index;
      const TensorView& view = *call_.request.inputs[input];
      *dtype = view.dtype;
      for (std::size_t i = 0; i < sources.size(); ++i) {
        if (sources[i] != input) continue;
        *place = static_cast<int>(i);
        return Status();
      }
      *place = static_cast<int>(sources.size());
      sources.push_back(input);
      constants.emplace_back();
      const int first = input < inputs ? read_.first[input] : 0;
      bool copy;
      problem_.operands.push_back(
          {view.dtype, FaceInput(view, first, call_.request.inputs[0]->shape, read_.first[0], read_.shape, &copy)});
      copied |= std::uint32_t{copy} << input;
      return Status();
    }
    *dtype = constant_dtype;
    *place = static_cast<int>(sources.size());
    sources.push_back(-1);
    problem_.operands.push_back({constant_dtype, FacingStrides({}, {}, 0, read_.shape)});
    const AttributeInfo number{.name = "", .absent = AttributeDefault::kValue, .value = value.number};
    const bool given = value.kind == GradientValue::Kind::kAttribute;
    return RoundAttribute(call_.request.caller(), given ? read_.gradient.forward->info().attributes[value.index] : number,
                          call_.request.attributes, constant_dtype, &constants.emplace_back());
  }

  // Constants are of the result's dtype.
  Status AddStep(const GradientStep& step) {
    const Op& op = step.op != nullptr ? *step.op : *read_.gradient.forward;
    const DType data = call_.signature.output;
    Step added{nullptr, op.arity(), {}, {}};
    DType dtypes[kMaxArity];
    for (int a = 0; a < op.arity(); ++a) {
      if (const Status status = AddValue(step.arguments[static_cast<std::size_t>(a)], data, &added.values[a], &dtypes[a]);
          !status.ok())
        return status;
    }
    added.kernel = op.FindKernel(dtypes);
    if (added.kernel == nullptr) {
      return Status(StatusCode::kUnsupportedDType, std::string(call_.request.caller()) + ": the gradient needs a kernel of " +
                                                       op.info().name + " for " + NameOf(dtypes[0]) + ", and there is none");
    }
    if (added.kernel->check != nullptr) {
      return Status(StatusCode::kUnsupported, std::string(call_.request.caller()) + ": the gradient calls " + op.info().name +
                                                  " for " + NameOf(dtypes[0]) + ", which looks at its values first, and cannot");
    }
    std::vector<Attribute> attributes;
    for (const Attribute& attribute : call_.request.attributes) {
      if (step.op == nullptr && attribute.name != nullptr && std::strcmp(attribute.name, "wrt") != 0)
        attributes.push_back(attribute);
    }
    if (const Status status = BindAttributes(op, call_.request.caller(), *added.kernel, attributes, added.attributes);
        !status.ok()) {
      return status;
    }
    problem_.steps.push_back(added);
    return Status();
  }

  // All steps, writing to `out`.
  const Problem& Finish(const ByteStrides& out_strides) {
    const int inputs = static_cast<int>(sources.size());
    for (Step& step : problem_.steps) {
      for (int a = 0; a < step.arity; ++a) {
        if (step.values[a] >= kFirstStep) step.values[a] += inputs - kFirstStep;
      }
    }
    problem_.operands.push_back({call_.signature.output, out_strides});
    return problem_;
  }

  std::vector<std::string> Names(const char* out) const {
    std::vector<std::string> names;
    for (const int source : sources) names.emplace_back(source >= 0 ? call_.request.names()[source] : "a constant");
    names.emplace_back(out);
    return names;
  }

  std::vector<int> sources;              // per operand: the call's input; -1: a constant
  std::vector<AttributeSlot> constants;  // per operand
  std::uint32_t copied = 0;              // inputs of the call (a bit each) that are to be dense copies

 private:
  static constexpr int kFirstStep = 1 << 16;  // until the number of operands is known
  const FormCall& call_;
  const GradientCall& read_;
  Problem problem_;
};

class GradientRoutine : public Routine {
 public:
  std::shared_ptr<const Plan::Impl> program;  // null: dout is summed as it is
  std::shared_ptr<const Plan::Impl> sum;      // null: the input was not stretched; the program writes the output
  std::unique_ptr<const SlabSum> slabs;       // of both, one slab after the other; null: the program's results, then their sum
  std::vector<int> sources;
  std::vector<AttributeSlot> constants;
  int dout = 0;
  std::int64_t temporary_bytes = 0;  // of what is summed
  std::string caller, dout_name;

  Status Execute(const std::byte* const* inputs, std::byte* out, const ExecuteOptions& options) const noexcept override {
    if (program == nullptr) {
      const void* const pointers[] = {inputs[dout]};
      return sum->Execute(pointers, out, options);
    }
    const void* pointers[kMaxOperands];
    for (std::size_t i = 0; i < sources.size(); ++i) {
      pointers[i] = sources[i] >= 0 ? static_cast<const void*>(inputs[sources[i]]) : constants[i].bytes;
    }
    if (sum == nullptr) return program->Execute(pointers, out, options);
    if (slabs != nullptr) {
      return slabs->Execute(pointers, out, options)
                 ? Status()
                 : NoMemory(slabs->MemoryBytes(slabs->Blocks(options)), "for slabs of what is summed");
    }
    const HeapBlock temporary(temporary_bytes);
    if (temporary.data == nullptr) return NoMemory(temporary_bytes, "that are to be summed");
    if (const Status status = program->Execute(pointers, temporary.data, options); !status.ok()) return status;
    const void* const summands[] = {temporary.data};
    return sum->Execute(summands, out, options);
  }

  Status NoMemory(std::int64_t bytes, const char* for_what) const noexcept try {
    return Status(StatusCode::kOutOfMemory, caller + ": there is no memory for " + std::to_string(bytes) + " bytes " + for_what);
  } catch (...) {
    return OutOfMemory("execute");
  }

  // How the program runs, or else the sum; the time is that of both.
  void Describe(PlanDescription* description) const override {
    const Shape shape = description->shape;
    const bool both = program != nullptr && sum != nullptr;
    *description = Plan(program != nullptr ? program : sum).Describe();
    description->shape = shape;
    if (program == nullptr && !description->operands.empty()) description->operands[0].name = dout_name;
    if (!both || description->operands.empty()) return;
    const PlanDescription of_sum = Plan(sum).Describe();
    description->estimated_seconds += of_sum.estimated_seconds;
    description->parts.push_back({"sum_to", of_sum.estimated_seconds, "what was stretched"});
    description->operands.back().name = "summands";
    if (slabs != nullptr) {
      PlanDescription::Operand& summands = description->operands.back();
      summands.delivery = std::to_string(slabs->slabs()) + " slabs, each summed while it is in cache";
      summands.unique_bytes = slabs->slab_bytes();
      description->store = "slab by slab";
    }
    if (!of_sum.operands.empty()) description->operands.push_back(of_sum.operands.back());
  }
};

// A plan of one of the registry's own forms, with a shape for its attribute.
Status PlanWithShape(const Op& op, const Request& request, const TensorView& view, const Shape& shape,
                     std::optional<std::int64_t> axis, const MutableTensorView& out, std::shared_ptr<const Plan::Impl>* impl) {
  PlanOptions options;
  options.axis = axis;
  options.attributes = {{"shape", shape}};
  options.caller = request.caller();
  return MakePlan({op, {}, &view, 1, options}, out, impl);
}

Status InferGradient(const FormCall& call, Shape* shape) {
  GradientCall read(*call.request.op.entry().gradient);
  if (const Status status = ReadCall(call, &read); !status.ok()) return status;
  *shape = call.request.inputs[read.wrt]->shape;
  return Status();
}

Status PlanGradient(const FormCall& call, const MutableTensorView& out, bool in_place, std::shared_ptr<const Plan::Impl>* impl) {
  const Request& request = call.request;
  GradientCall read(*request.op.entry().gradient);
  if (const Status status = ReadCall(call, &read); !status.ok()) return status;
  const Shape& wanted = request.inputs[read.wrt]->shape;
  const char* const out_name = in_place ? request.names()[0] : "out";
  if (const Status status = CheckOutShape(request, wanted, out_name, out.shape); !status.ok()) return status;

  const int inputs = read.gradient.forward->arity();
  const GradientProgram& declared = read.gradient.programs[static_cast<std::size_t>(read.wrt)];
  const bool paired = read.first[read.wrt] == kPaired;
  const bool stretched = !paired && wanted != read.shape;
  std::uint32_t copied = 0;
  ByteStrides reshaped;  // of out, over the result's shape, where its elements are paired with the result's
  const bool reshapes = paired && ReshapeStrides(wanted, out.byte_strides, read.shape, &reshaped);
  const bool direct = paired ? reshapes : !stretched;  // the program writes out
  auto routine = std::make_unique<GradientRoutine>();
  routine->dout = inputs;
  routine->caller = request.caller();
  routine->dout_name = request.names()[inputs];
  TensorView summed = *request.inputs[inputs];  // dout, or what the program makes
  if (!declared.steps.empty()) {
    Program program(call, read);
    for (const GradientStep& step : declared.steps) {
      if (const Status status = program.AddStep(step); !status.ok()) return status;
    }
    if (!direct) summed = TensorView(nullptr, out.dtype, read.shape);
    const Problem& problem = program.Finish(!direct ? summed.byte_strides : paired ? reshaped : out.byte_strides);
    const TargetKernels& kernels = *request.op.entry().kernels;
    const std::vector<std::string> names = program.Names("out");
    if (const Status status = Plan::Impl::Make(problem, kernels.movers, request.caller(), names, {}, &routine->program);
        !status.ok())
      return status;
    std::int64_t elements = 0;
    if (stretched && CountElements(read.shape, &elements) && elements > 0) {
      SlabProblem slabs{
          problem, {}, FacingStrides(wanted, out.byte_strides, read.first[read.wrt], read.shape), request.caller(), names};
      for (int d = 0; d < read.shape.rank(); ++d) {
        const int own = d - read.first[read.wrt];
        slabs.summed[d] = own < 0 || own >= wanted.rank() || wanted[own] != read.shape[d];
      }
      routine->slabs = SlabSum::Make(slabs, kernels.sums, kernels.movers, MachineCaches().l2);
    }
    routine->sources = std::move(program.sources);
    routine->constants = std::move(program.constants);
    copied = program.copied;
    if (paired) summed = TensorView(nullptr, out.dtype, wanted);  // the same elements
  }
  if (!direct || declared.steps.empty()) {
    std::int64_t elements = 0;
    CountElements(read.shape, &elements);
    if (__builtin_mul_overflow(elements, SizeInBytes(out.dtype), &routine->temporary_bytes))
      return Status(StatusCode::kInvalidShape,
                    std::string(request.caller()) + ": the forward result has more bytes than int64 counts");
    const bool anchored = stretched && wanted.rank() < read.shape.rank() && wanted.rank() > 0;  // 0-d is anchored nowhere
    const std::optional<std::int64_t> axis = anchored ? std::optional<std::int64_t>(read.first[read.wrt]) : std::nullopt;
    const Op& op = stretched ? *read.gradient.sum_to : *read.gradient.broadcast_to;
    MutableTensorView to = out;
    if (paired && declared.steps.empty()) {  // dout in out's shape, or out in dout's, or else a copy of dout
      ByteStrides of_dout;
      if (ReshapeStrides(read.shape, summed.byte_strides, wanted, &of_dout)) {
        summed = TensorView(nullptr, out.dtype, wanted, of_dout);
      } else if (reshapes) {
        to = MutableTensorView(nullptr, out.dtype, read.shape, reshaped);
      } else {
        summed = TensorView(nullptr, out.dtype, wanted);
        copied |= std::uint32_t{1} << inputs;
      }
    }
    if (const Status status = PlanWithShape(op, request, summed, to.shape, axis, to, &routine->sum); !status.ok()) {
      return status;
    }
  }
  RoutineCall planned;
  for (std::size_t i = 0; i < request.count; ++i) {
    const TensorView& input = *request.inputs[i];
    planned.operands.push_back({request.names()[i], input.dtype, input.shape, input.byte_strides});
  }
  planned.operands.push_back({out_name, out.dtype, out.shape, out.byte_strides});
  // What is summed is written elsewhere first; else the program is elementwise.
  planned.reads = routine->program == nullptr ? std::uint32_t{1} << inputs : 0;
  for (const int source : routine->sources) planned.reads |= source >= 0 ? std::uint32_t{1} << source : 0;
  for (std::size_t i = 0; i < request.count; ++i) {
    if (request.inputs[i]->shape == out.shape && request.inputs[i]->dtype == out.dtype) planned.may_be_out |= std::uint32_t{1} << i;
  }
  planned.routine = std::move(routine);
  if (copied != 0) planned.routine = CopyFirst(std::move(planned.routine), request, copied);
  return MakeRoutinePlan(std::move(planned), request.op.entry().kernels->movers, request.caller(), impl);
}

}  // namespace

const Form kGradientForm = {{}, nullptr, &InferGradient, &PlanGradient};

}  // namespace axiscast
