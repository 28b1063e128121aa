// A plan's inside: the problem, and its layouts.
#ifndef AXISCAST_CORE_PLAN_H_
#define AXISCAST_CORE_PLAN_H_

#include <memory>
#include <string>
#include <vector>

#include "axiscast/plan.h"
#include "core/direct_call.h"
#include "core/float_mode.h"
#include "core/layout.h"
#include "core/overlap.h"
#include "core/program.h"
#include "core/routine.h"

namespace axiscast {

// Whether there is nothing in an execution's options that would be refused, nor a pool. One branch, of calls that take 10 ns.
inline bool IsPlain(const ExecuteOptions& options) noexcept {
  const int stores_left = static_cast<int>(StorePolicy::kStream) - static_cast<int>(options.stores);
  return options.pool == nullptr && (options.max_threads | stores_left) >= 0;
}

// An input whose values are looked at, whole, before the first write: an integer divisor.
struct DataCheck {
  int operand;  // of the problem
  Shape shape;  // its own, before the broadcast
  ByteStrides byte_strides;
  StatusCode code;
  std::string message;  // up to the position: "divide: integer division by zero at y"
  std::string shapes;   // after it: "(x [2, 3], y [3])", in an expression with the call
  CheckFunction function;
  Layout layouts[2];  // as Plan::Impl::layouts
};

struct Plan::Impl {
  Problem problem;
  Canonical canonical;
  const Movers* movers = nullptr;
  std::string caller;
  std::vector<std::string> names;  // of the operands; the last one is "out"
  bool empty = false;              // the result has no elements
  bool plain = false;              // has elements, layouts and no checks but one that is a part of `direct`
  bool any_float_mode = false;     // as all its kernels
  DirectCall direct;               // of layouts[0]
  std::vector<Kernel> kernels;     // of the steps: a plan may outlive the registry that it was made from
  Layout layouts[2];               // for aligned pointers, and for pointers that are not aligned to their elements
  std::vector<CheckedOperand> operands;
  std::vector<DataCheck> checks;
  std::unique_ptr<const RoutineCall> routine;  // instead of layouts; null for an elementwise problem

  // Makes the plan of a program. `names` are the operands', the output's last; they are used in messages and descriptions alone.
  // Errors: kInvalidShape, kInvalidArgument (an output that overlaps itself), kUnsupported (more operands or steps than fit),
  // kOutOfMemory.
  static Status Make(Problem problem, const Movers& movers, std::string caller, std::vector<std::string> names,
                     std::vector<DataCheck> checks, std::shared_ptr<const Impl>* impl) noexcept;

  Status Execute(const void* const* inputs, void* out, const ExecuteOptions& options) const noexcept;
  // The same in two parts, the first one inline where nanoseconds count: a direct call, or false; and the whole of it, for all that
  // is none.
  [[gnu::always_inline]] bool ExecuteDirect(const void* const* inputs, void* out, const ExecuteOptions& options) const noexcept {
    return plain && IsPlain(options) && out != nullptr && (any_float_mode || GetFloatMode() == kUsualFloatMode) &&
           direct.Run</*kIsChecked=*/false>(inputs, out, options);
  }
  [[gnu::noinline]] Status ExecuteAny(const void* const* given, void* out, const ExecuteOptions& options) const noexcept;

  // As Plan::ExecutePart; in execute_part.cc.
  Status ExecutePart(const void* const* given, void* out, std::int64_t part, std::int64_t parts, StorePolicy stores) const noexcept;
  bool divisible() const noexcept { return checks.empty() && routine == nullptr; }
  // Inputs (a bit each) that may be exactly the output without a copy.
  std::uint32_t may_be_out() const noexcept;

 private:
  // The pointers of all the problem's inputs, of constants too: in `all`, or those given where there are none.
  const void* const* WithConstants(const void* const* given, const void** all) const noexcept;
  Status Check(std::byte* const* pointers, const ExecuteOptions& options) const;
  // Inputs with a bit in `copied` overlap the output otherwise than exactly, and are copied to the heap first.
  Status ExecuteWithCopies(std::byte* const* pointers, std::uint32_t copied, const ExecuteOptions& options) const;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_PLAN_H_
