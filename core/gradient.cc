// Plans of gradients: one program over the shape of dout, and where the input was stretched a sum_to of its result.
#include "core/gradient.h"

#include <optional>
#include <utility>

#include "core/caches.h"
#include "core/element_size.h"
#include "core/gradient_problem.h"
#include "core/gradient_routine.h"
#include "core/pair_copy.h"
#include "core/registry.h"
#include "core/resolve.h"

namespace axiscast {
namespace {

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

Status InferGradient(const FormCall& call, Shape* shape) {
  GradientCall read(*call.request.op.entry().gradient);
  if (const Status status = ReadCall(call, &read); !status.ok()) return status;
  *shape = call.request.inputs[read.wrt]->shape;
  return Status();
}

// A plan of one of the registry's own forms, with a shape for its attribute.
Status PlanWithShape(const Op& op, const Request& request, const TensorView& view, const Shape& shape,
                     std::optional<std::int64_t> axis, const MutableTensorView& out, std::shared_ptr<const Plan::Impl>* impl) {
  PlanOptions options;
  options.axis = axis;
  options.attributes = {{"shape", shape}};
  options.caller = request.caller();
  return MakePlan({op, {}, &view, 1, options}, out, impl);
}

// One call's plan: first the program, which makes what is summed or, where nothing is, writes out; then the sum. An input that was
// not stretched but paired with others in row-major order has a gradient of as many elements in another shape.
class GradientPlanner {
 public:
  GradientPlanner(const FormCall& call, const GradientCall& read, const MutableTensorView& out)
      : call_(call), request_(call.request), read_(read), out_(out) {
    routine_->dout = dout_;
    routine_->caller = request_.caller();
    routine_->dout_name = request_.names()[dout_];
  }

  Status Make(const char* out_name, std::shared_ptr<const Plan::Impl>* impl) {
    const bool has_steps = !read_.program().steps.empty();
    if (has_steps) {
      if (const Status status = PlanProgram(); !status.ok()) return status;
    }
    if (!direct_ || !has_steps) {
      if (const Status status = PlanSum(); !status.ok()) return status;
    }
    return PlanRoutine(out_name, impl);
  }

 private:
  Status PlanProgram() {
    GradientProblem made(call_, read_);
    for (const GradientStep& step : read_.program().steps) {
      if (const Status status = made.AddStep(step); !status.ok()) return status;
    }
    if (!direct_) summed_ = TensorView(nullptr, out_.dtype, read_.shape);
    std::vector<std::string> names;
    const Problem problem = made.Finish(!direct_ ? summed_.byte_strides : paired_ ? reshaped_ : out_.byte_strides, &names);
    if (const Status status = Plan::Impl::Make(problem, kernels_.movers, request_.caller(), names, {}, &routine_->program);
        !status.ok()) {
      return status;
    }
    if (stretched_) CutIntoSlabs(problem, names);
    routine_->sources = std::move(made.sources);
    copied_ = made.copied;
    if (paired_) summed_ = TensorView(nullptr, out_.dtype, wanted_);  // the same elements
    return Status();
  }

  // Where that gains something: the program's results, summed while they are in cache.
  void CutIntoSlabs(const Problem& problem, const std::vector<std::string>& names) {
    std::int64_t elements = 0;
    if (!CountElements(read_.shape, &elements) || elements == 0) return;
    SlabProblem slabs{problem, {}, FacingStrides(wanted_, out_.byte_strides, first_, read_.shape), request_.caller(), names};
    for (int d = 0; d < read_.shape.rank(); ++d) {
      const int own = d - first_;
      slabs.summed[d] = own < 0 || own >= wanted_.rank() || wanted_[own] != read_.shape[d];
    }
    routine_->slabs = SlabSum::Make(slabs, kernels_.sums, kernels_.movers, MachineCaches().l2);
  }

  // Of what was stretched; else a copy.
  Status PlanSum() {
    std::int64_t elements = 0;
    CountElements(read_.shape, &elements);
    if (__builtin_mul_overflow(elements, SizeInBytes(out_.dtype), &routine_->temporary_bytes))
      return Status(StatusCode::kInvalidShape,
                    std::string(request_.caller()) + ": the forward result has more bytes than int64 counts");
    const bool anchored = stretched_ && wanted_.rank() < read_.shape.rank() && wanted_.rank() > 0;  // 0-d is anchored nowhere
    const std::optional<std::int64_t> axis = anchored ? std::optional<std::int64_t>(first_) : std::nullopt;
    const Op& op = stretched_ ? *read_.gradient.sum_to : *read_.gradient.broadcast_to;
    const MutableTensorView to = paired_ && routine_->program == nullptr ? PairDout() : out_;
    return PlanWithShape(op, request_, summed_, to.shape, axis, to, &routine_->sum);
  }

  // Where dout itself is the gradient: dout in out's shape, or out in dout's, or else a copy of dout. Returns out.
  MutableTensorView PairDout() {
    ByteStrides of_dout;
    if (ReshapeStrides(read_.shape, summed_.byte_strides, wanted_, &of_dout)) {
      summed_ = TensorView(nullptr, out_.dtype, wanted_, of_dout);
    } else if (reshapes_) {
      return MutableTensorView(nullptr, out_.dtype, read_.shape, reshaped_);
    } else {
      summed_ = TensorView(nullptr, out_.dtype, wanted_);
      copied_ |= std::uint32_t{1} << dout_;
    }
    return out_;
  }

  Status PlanRoutine(const char* out_name, std::shared_ptr<const Plan::Impl>* impl) {
    RoutineCall planned;
    for (std::size_t i = 0; i < request_.count; ++i) {
      const TensorView& input = *request_.inputs[i];
      planned.operands.push_back({request_.names()[i], input.dtype, input.shape, input.byte_strides});
      // What is summed is written elsewhere first; else the program is elementwise.
      if (input.shape == out_.shape && input.dtype == out_.dtype) planned.may_be_out |= std::uint32_t{1} << i;
    }
    planned.operands.push_back({out_name, out_.dtype, out_.shape, out_.byte_strides});
    planned.reads = routine_->program == nullptr ? std::uint32_t{1} << dout_ : 0;
    for (const int source : routine_->sources) planned.reads |= std::uint32_t{1} << source;
    planned.routine = std::move(routine_);
    if (copied_ != 0) planned.routine = CopyFirst(std::move(planned.routine), request_, copied_);
    return MakeRoutinePlan(std::move(planned), kernels_.movers, request_.caller(), impl);
  }

  const FormCall& call_;
  const Request& request_;
  const GradientCall& read_;
  const MutableTensorView& out_;
  const TargetKernels& kernels_ = *request_.op.entry().kernels;
  const Shape& wanted_ = request_.inputs[read_.wrt]->shape;
  const int dout_ = read_.gradient.forward->arity();
  const int first_ = read_.first[read_.wrt];
  const bool paired_ = first_ == kPaired;
  const bool stretched_ = !paired_ && wanted_ != read_.shape;
  ByteStrides reshaped_;  // of out, over the result's shape, where its elements are paired with the result's
  const bool reshapes_ = paired_ && ReshapeStrides(wanted_, out_.byte_strides, read_.shape, &reshaped_);
  const bool direct_ = paired_ ? reshapes_ : !stretched_;  // the program writes out
  TensorView summed_ = *request_.inputs[dout_];            // dout, or what the program makes
  std::uint32_t copied_ = 0;                               // inputs (a bit each) that are to be dense copies
  std::unique_ptr<GradientRoutine> routine_ = std::make_unique<GradientRoutine>();
};

Status PlanGradient(const FormCall& call, const MutableTensorView& out, bool in_place, std::shared_ptr<const Plan::Impl>* impl) {
  const Request& request = call.request;
  GradientCall read(*request.op.entry().gradient);
  if (const Status status = ReadCall(call, &read); !status.ok()) return status;
  const char* const out_name = in_place ? request.names()[0] : "out";
  if (const Status status = CheckOutShape(request, request.inputs[read.wrt]->shape, out_name, out.shape); !status.ok())
    return status;
  return GradientPlanner(call, read, out).Make(out_name, impl);
}

}  // namespace

const Form kGradientForm = {{}, nullptr, &InferGradient, &PlanGradient};

}  // namespace axiscast
