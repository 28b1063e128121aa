// A call as it was made, and its plan: op, views and options -> a resolved problem -> a plan, made or found again.
#ifndef AXISCAST_CORE_REQUEST_H_
#define AXISCAST_CORE_REQUEST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "axiscast/plan.h"
#include "core/plan.h"
#include "core/plan_cache.h"
#include "core/registry.h"
#include "core/resolve.h"

namespace axiscast {

// Whether the caller names all inputs. Where one is null, they have the op's own names.
inline bool AreAllNamed(const char* const* names, std::size_t count) noexcept {
  return names != nullptr && std::all_of(names, names + count, [](const char* name) { return name != nullptr; });
}

// What a call asks for: everything but the destination. Refers to its arguments.
struct Request {
  // The inputs are `first`, then `rest`. They are not copied, which takes as long as the look-up of a plan.
  template <typename Options>  // PlanOptions or ApplyOptions
  Request(const Op& asked_op, std::initializer_list<const TensorView*> first, const TensorView* rest, std::size_t rest_count,
          const Options& options)
      : op(asked_op),
        count(first.size() + rest_count),
        mode(options.mode),
        axis(options.axis),
        attributes(options.attributes),
        given_caller(options.caller),
        given_names(AreAllNamed(options.names, std::min(count, static_cast<std::size_t>(asked_op.arity()))) ? options.names
                                                                                                            : nullptr),
        diagnostics(options.diagnostics),
        patterns(options.patterns) {
    std::copy(first.begin(), first.end(), inputs);
    for (std::size_t i = first.size(); i < std::min<std::size_t>(count, kMaxArity); ++i) inputs[i] = rest + (i - first.size());
  }

  const char* caller() const { return given_caller != nullptr ? given_caller : op.name(); }
  const char* const* names() const { return given_names != nullptr ? given_names : op.entry().operand_names; }

  const Op& op;
  const TensorView* inputs[kMaxArity];
  std::size_t count;  // may be more: that is refused
  const std::optional<Mode>& mode;
  const std::optional<std::int64_t>& axis;
  const std::vector<Attribute>& attributes;
  const char* given_caller;
  const char* const* given_names;
  const Diagnostics& diagnostics;
  const Pattern* patterns;
};

// There must be a byte stride for each dim.
Status CheckStrides(const char* caller, const char* name, const Shape& shape, const ByteStrides& strides);

Status CheckOutDType(const char* caller, const Kernel& kernel, const char* out_name, DType dtype);

// The check of an op's checked operand: operand `operand` of the problem, with the view that is looked at. `shapes` are what its
// message ends with: "(x [2, 3], y [3])".
DataCheck MakeCheck(const char* caller, const OpInfo& info, CheckFunction function, int operand, const TensorView& view,
                    const std::string& name, std::string shapes);

// The op's kernel for the inputs' dtypes.
Status FindKernel(const Request& request, const Kernel** kernel);

// "2 inputs".
inline std::string InputsText(std::size_t count) { return std::to_string(count) + (count == 1 ? " input" : " inputs"); }

// The shape that is written, and where each input's dims lie in it.
Status ResolveInputs(const Request& request, const Destination& destination, Shape* shape, int* first);

Status MakePlan(const Request& request, const MutableTensorView& out, std::shared_ptr<const Plan::Impl>* impl);

// What an eager call's key says before its operands, which follow: `count` inputs, and the destination. `further` are flags of what
// comes after them (MakeKey).
inline void AddCall(const Op& op, bool in_place, std::size_t count, const std::optional<Mode>& mode,
                    const std::optional<std::int64_t>& axis, std::uint64_t further, PlanKey* key) noexcept {
  const auto flag = [](bool set, int bit) { return static_cast<std::uint64_t>(set) << bit; };
  key->AddWord(flag(in_place, 0) | flag(mode.has_value(), 1) | flag(axis.has_value(), 2) | further << 3 | count << 8 |
               static_cast<std::uint64_t>(mode.value_or(Mode())) << 32);
  key->AddWord(op.entry().id);
  key->AddWord(reinterpret_cast<std::uintptr_t>(op.name()));  // belongs to the entry: an alias, or the name itself
  key->AddWord(static_cast<std::uint64_t>(axis.value_or(0)));
}

// Everything that making a plan reads. A request that it refuses may give any key: no plan is kept under it.
void MakeKey(const Request& request, const MutableTensorView& out, bool in_place, PlanKey* key);

// Executes the plan that the calling thread keeps under a key, and writes its status. False: it keeps none.
bool ExecuteKept(const PlanKey& key, const void* const* inputs, void* out, const ExecuteOptions& options, Status* status) noexcept;

// Executes the request's plan, which is made unless the calling thread has it. In place, `out` is the first input.
Status ApplyRequest(const Request& request, const MutableTensorView& out, bool in_place, const ExecuteOptions& options) noexcept;

// What an execution refuses of its options.
Status CheckExecuteOptions(const ExecuteOptions& options, const std::string& caller) noexcept;

Status OutOfMemory(const char* caller) noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_REQUEST_H_
