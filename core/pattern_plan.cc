// Plans for declared patterns: what does not depend on shapes is looked up and checked once; the rest is made on the stack for each
// call. Whatever does not go that way is planned as every other call is, which also finds the words for what is wrong.
#include "axiscast/pattern_plan.h"

#include <algorithm>
#include <cstring>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "core/attribute.h"
#include "core/copy.h"
#include "core/element_size.h"
#include "core/execute.h"
#include "core/layout.h"
#include "core/overlap.h"
#include "core/request.h"

namespace axiscast {
namespace {

// What a call of the highest rank and arity takes; a check of its divisor may take more, from the heap.
constexpr std::size_t kBindBytes = 24 * 1024;

// The shapes with the fewest elements that fit the patterns, whose result is `result`.
void SmallestShapes(const Pattern* patterns, std::size_t count, const Pattern& result, Shape* shapes) {
  for (std::size_t i = 0; i < count; ++i) {
    for (int d = 0; d < patterns[i].rank(); ++d) {
      const PatternAxis axis = result[result.rank() - patterns[i].rank() + d];
      shapes[i].push_back(patterns[i][d].stretches() ? 1 : axis.fixed() ? axis.extent() : 0);
    }
  }
}

}  // namespace

struct PatternPlan::Impl {
  explicit Impl(const Op& planned) : op(planned) {}

  Op op;
  Kernel kernel;
  Step step{};  // of `kernel`
  std::vector<Pattern> patterns;
  Pattern result;
  std::vector<DType> dtypes;  // of the inputs, then of the output
  std::string caller;
  std::vector<std::string> names;
  std::vector<const char*> name_pointers;
  PlanOptions options;  // all that an ordinary plan is made with; points into this

  // A call bound to its views: what would be a plan's. In the memory of the call.
  struct Bound {
    explicit Bound(std::pmr::memory_resource* memory) : canonical(memory), layout(memory) {}
    Shape shape;
    ByteStrides strides[kMaxArity + 1];
    std::byte* pointers[kMaxArity + 1];
    Canonical canonical;
    Layout layout;
    bool empty = false;
  };

  std::size_t input_count() const { return patterns.size(); }

  // Whether the shapes fit the patterns and their result is out's; gives it, and the operands' strides over it.
  bool FitShapes(const TensorView* inputs, const MutableTensorView& out, Bound* bound) const {
    if (out.shape.given_rank() != result.rank() || out.byte_strides.given_rank() != result.rank()) return false;
    for (std::size_t i = 0; i < input_count(); ++i) {
      const Pattern& pattern = patterns[i];
      const Shape& shape = inputs[i].shape;
      if (shape.given_rank() != pattern.rank() || inputs[i].byte_strides.given_rank() != pattern.rank()) return false;
      if (inputs[i].dtype != dtypes[i]) return false;
      bound->strides[i] = out.byte_strides;  // for its rank
      const int missing = result.rank() - pattern.rank();
      for (int d = 0; d < missing; ++d) bound->strides[i][d] = 0;
      for (int d = 0; d < pattern.rank(); ++d) {
        const bool stretches = pattern[d].stretches();
        const std::int64_t wanted = stretches ? 1 : pattern[d].fixed() ? pattern[d].extent() : out.shape[missing + d];
        if (shape[d] != wanted || shape[d] < 0) return false;
        if (!stretches && wanted != out.shape[missing + d]) return false;
        bound->strides[i][missing + d] = stretches ? 0 : inputs[i].byte_strides[d];
      }
    }
    for (int d = 0; d < result.rank(); ++d) {
      if (result[d].stretches() && out.shape[d] != 1) return false;
    }
    bound->shape = out.shape;
    bound->strides[input_count()] = out.byte_strides;
    return true;
  }

  // Whether the views' memory is there, and may be read while out is written.
  bool FitMemory(const TensorView* inputs, const MutableTensorView& out, Bound* bound) const {
    Reach reach, out_reach;
    const ByteStrides& out_strides = bound->strides[input_count()];
    if (!ComputeReach(bound->shape, out_strides, SizeInBytes(out.dtype), &out_reach)) return false;
    if (OverlapsItself(bound->shape, out_strides, SizeInBytes(out.dtype)) || out.data == nullptr) return false;
    const auto out_address = reinterpret_cast<std::intptr_t>(out.data);
    for (std::size_t i = 0; i < input_count(); ++i) {
      const ByteStrides& strides = bound->strides[i];
      const std::int64_t size = SizeInBytes(inputs[i].dtype);
      if (!ComputeReach(bound->shape, strides, size, &reach) || inputs[i].data == nullptr) return false;
      const auto address = reinterpret_cast<std::intptr_t>(inputs[i].data);
      const bool apart =
          address + reach.end <= out_address + out_reach.lowest || out_address + out_reach.end <= address + reach.lowest;
      const bool is_out = address == out_address && inputs[i].dtype == out.dtype && strides == out_strides;
      if (!apart && !is_out &&
          MayOverlap(bound->shape, strides, size, bound->shape, out_strides, SizeInBytes(out.dtype), out_address - address))
        return false;
      bound->pointers[i] = const_cast<std::byte*>(static_cast<const std::byte*>(inputs[i].data));  // inputs are only read
    }
    bound->pointers[input_count()] = static_cast<std::byte*>(out.data);
    return true;
  }

  // False where the call goes the other way. Throws std::bad_alloc alone.
  bool Bind(const TensorView* inputs, std::size_t count, const MutableTensorView& out, Bound* bound) const {
    if (count != input_count() || out.dtype != dtypes.back() || !FitShapes(inputs, out, bound)) return false;
    std::int64_t elements;
    for (std::size_t i = 0; i < count; ++i) {
      if (!CountElements(inputs[i].shape, &elements)) return false;
    }
    if (!CountElements(bound->shape, &elements)) return false;
    bound->empty = elements == 0;
    if (bound->empty) return true;
    if (!FitMemory(inputs, out, bound)) return false;
    bool unaligned = false;
    for (std::size_t i = 0; i <= count; ++i) unaligned = unaligned || !IsAligned(bound->pointers[i], dtypes[i]);
    bound->canonical = Canonicalise(bound->shape, {bound->strides, count + 1}, bound->canonical.memory());
    const std::uint64_t staged = unaligned ? ~std::uint64_t{0} : UnalignedStrides(bound->canonical, dtypes);
    bound->layout = MakeLayout(bound->canonical, dtypes, {&step, 1},
                               {.unaligned = staged, .vector_bytes = op.entry().kernels->movers.vector_bytes});
    return true;
  }

  // Whether the values of an integer divisor are refused.
  bool Refuses(const TensorView* inputs, const ExecuteOptions& execute, std::pmr::memory_resource* memory) const {
    if (kernel.check == nullptr) return false;
    const auto checked = static_cast<std::size_t>(op.info().checked_operand);
    const TensorView& input = inputs[checked];
    const Distinct distinct = DistinctElements(input.shape, input.byte_strides);
    const Canonical canonical = Canonicalise(distinct.shape, {&distinct.byte_strides, 1}, memory);
    const std::uint64_t staged = IsAligned(input.data, input.dtype) ? UnalignedStrides(canonical, {&input.dtype, 1}) : 1;
    const Layout layout = MakeLayout(canonical, {&input.dtype, 1}, {}, {staged, kernel.check});
    return ExecuteCheck(layout, op.entry().kernels->movers, static_cast<const std::byte*>(input.data), execute);
  }

  // As every call without a plan for patterns.
  Status PlanAndExecute(const TensorView* inputs, std::size_t count, const MutableTensorView& out,
                        const ExecuteOptions& execute) const {
    std::shared_ptr<const Plan::Impl> planned;
    if (const Status status = MakePlan({op, {}, inputs, count, options}, out, &planned); !status.ok()) return status;
    const void* pointers[kMaxArity];
    for (std::size_t i = 0; i < count; ++i) pointers[i] = inputs[i].data;
    return planned->Execute(pointers, out.data, execute);
  }

  std::string DTypesText(const DType* of) const {
    std::string text;
    for (std::size_t i = 0; i < input_count(); ++i) text += std::string(i > 0 ? ", " : "(") + NameOf(of[i]);
    return text + ") -> " + NameOf(of[input_count()]);
  }

  // A plan is for its dtypes: others would be another kernel, and attributes rounded otherwise.
  Status CheckDTypes(const TensorView* inputs, const MutableTensorView& out) const {
    DType given[kMaxArity + 1];
    for (std::size_t i = 0; i < input_count(); ++i) given[i] = inputs[i].dtype;
    given[input_count()] = out.dtype;
    if (std::equal(dtypes.begin(), dtypes.end(), given)) return Status();
    return Status(StatusCode::kUnsupportedDType,
                  caller + ": the plan is for other dtypes, " + DTypesText(dtypes.data()) + "; got " + DTypesText(given));
  }

  Status Execute(const TensorView* inputs, std::size_t count, const MutableTensorView& out, const ExecuteOptions& execute) const {
    if (count == input_count()) {
      if (Status status = CheckDTypes(inputs, out); !status.ok()) return status;
    }
    alignas(64) std::byte memory[kBindBytes];
    std::pmr::monotonic_buffer_resource resource(memory, sizeof(memory));
    Bound bound(&resource);
    if (!Bind(inputs, count, out, &bound)) return PlanAndExecute(inputs, count, out, execute);
    if (bound.empty) return Status();
    if (!IsPlain(execute)) {
      if (const Status status = CheckExecuteOptions(execute, caller); !status.ok()) return status;
    }
    if (Refuses(inputs, execute, &resource)) return PlanAndExecute(inputs, count, out, execute);
    axiscast::Execute(bound.layout, op.entry().kernels->movers, bound.pointers, execute);
    return Status();
  }
};

Status PatternPlan::Make(const Op& op, const DType* dtypes, std::size_t input_count, const PlanOptions& options,
                         PatternPlan* plan) noexcept try {
  const std::string who = std::string(options.caller != nullptr ? options.caller : op.name()) + ": ";
  if (plan == nullptr) return Status(StatusCode::kInvalidArgument, who + "the pointer to the plan is null");
  if (!op.elementwise()) {
    return Status(StatusCode::kUnsupported,
                  who + "a plan for declared patterns is of an elementwise op, which " + op.info().name + " is not");
  }
  auto impl = std::make_shared<Impl>(op);
  impl->options = options;
  impl->options.diagnostics = {};
  TensorView inputs[kMaxArity];
  for (std::size_t i = 0; i < std::min<std::size_t>(input_count, kMaxArity); ++i) inputs[i].dtype = dtypes[i];
  const Request request{op, {}, inputs, input_count, impl->options};
  const Kernel* kernel;
  if (const Status status = FindKernel(request, &kernel); !status.ok()) return status;
  ResolveOptions resolved{options.mode, options.axis, request.caller(), request.names(), {}, options.patterns};
  if (const Status status = ResolvePatterns(input_count, resolved, &impl->result); !status.ok()) return status;
  Shape shapes[kMaxArity], shape;
  SmallestShapes(options.patterns, input_count, impl->result, shapes);
  if (const Status status = ResolveShape(shapes, input_count, resolved, &shape); !status.ok()) return status;
  impl->kernel = *kernel;
  impl->step.kernel = &impl->kernel;
  impl->step.arity = op.arity();
  if (const Status status = BindAttributes(op, request.caller(), *kernel, options.attributes, impl->step.attributes); !status.ok())
    return status;

  // From here on nothing is refused: what the options point to is copied.
  for (std::size_t i = 0; i < input_count; ++i) {
    impl->step.values[i] = static_cast<int>(i);
    impl->patterns.push_back(options.patterns[i]);
    impl->dtypes.push_back(dtypes[i]);
    impl->names.emplace_back(request.names()[i]);
  }
  impl->dtypes.push_back(kernel->output);
  for (const std::string& name : impl->names) impl->name_pointers.push_back(name.c_str());
  impl->caller = request.caller();
  for (Attribute& attribute : impl->options.attributes) {
    for (int a = 0; a < op.info().attribute_count; ++a) {
      if (std::strcmp(attribute.name, op.info().attributes[a].name) == 0) attribute.name = op.info().attributes[a].name;
    }
  }
  impl->options.caller = impl->caller.c_str();
  impl->options.names = impl->name_pointers.data();
  impl->options.patterns = impl->patterns.data();
  plan->impl_ = std::move(impl);
  return Status();
} catch (...) {
  return OutOfMemory(op.name());
}

Status PatternPlan::Make(const Op& op, std::initializer_list<DType> dtypes, const PlanOptions& options,
                         PatternPlan* plan) noexcept {
  return Make(op, dtypes.begin(), dtypes.size(), options, plan);
}

Status PatternPlan::Execute(const TensorView* inputs, std::size_t input_count, const MutableTensorView& out,
                            const ExecuteOptions& options) const noexcept try {
  if (impl_ == nullptr) return Status(StatusCode::kInvalidArgument, "execute: the plan is empty; make it with PatternPlan::Make");
  return impl_->Execute(inputs, input_count, out, options);
} catch (...) {
  return OutOfMemory("execute");
}

Status PatternPlan::Execute(std::initializer_list<TensorView> inputs, const MutableTensorView& out,
                            const ExecuteOptions& options) const noexcept {
  return Execute(inputs.begin(), inputs.size(), out, options);
}

Pattern PatternPlan::result() const noexcept { return impl_ != nullptr ? impl_->result : Pattern(); }

DType PatternPlan::dtype() const noexcept { return impl_ != nullptr ? impl_->dtypes.back() : DType::kBool; }

}  // namespace axiscast
