// The C API's plans and eager calls.
#include <memory>
#include <string>

#include "core/c_api.h"
#include "core/c_api_handle.h"
#include "core/request.h"

namespace axiscast::c {
namespace {

// The size of version 1.
constexpr std::size_t kPlanInfoSize = 64;

Status CheckInputs(const char* function, const axiscast_plan& plan, const void* const* inputs, std::int64_t count) {
  if (count != plan.input_count) {
    return Invalid(function,
                   "the plan takes " + InputsText(static_cast<std::size_t>(plan.input_count)) + "; got " + std::to_string(count));
  }
  return inputs != nullptr ? Status() : IsNull(function, "the array of inputs");
}

// Whether an execution is in order, but for its options.
bool IsExecutable(const axiscast_plan* plan, const void* const* inputs, std::int64_t count) noexcept {
  return plan != nullptr && plan->word == axiscast_plan::kAlive && inputs != nullptr && count == plan->input_count;
}

// An eager call whose plan the calling thread keeps, with as many operands as an op may have: false where it keeps none, or the
// call is not in order. In place, `first` is both the first of the inputs and the destination; else it is null.
bool ApplyKept(const axiscast_op* op, const axiscast_tensor* first, const axiscast_tensor* rest, std::int64_t rest_count,
               const axiscast_tensor* out, const axiscast_options* options, const axiscast_execute_options* execute_options,
               Status* status) noexcept {
  const std::int64_t before = first != nullptr;
  if (rest_count < 0 || rest_count > kMaxArity - before || (rest_count > 0 && rest == nullptr) || out == nullptr) return false;
  const axiscast_tensor* operands[kMaxArity + 1] = {first};
  for (std::int64_t i = 0; i < rest_count; ++i) operands[before + i] = rest + i;
  const std::int64_t inputs = before + rest_count;
  operands[inputs] = out;
  PlanKey key;
  ExecuteOptions execute;
  if (!MakeKey(op, operands, inputs, first != nullptr, options, &key) || !IsInOrder(execute_options, &execute)) return false;
  const void* pointers[kMaxArity];
  for (std::int64_t i = 0; i < inputs; ++i) pointers[i] = operands[i]->data;
  return ExecuteKept(key, pointers, out->data, execute, status);
}

}  // namespace
}  // namespace axiscast::c

using namespace axiscast;     // NOLINT: what follows is C's
using namespace axiscast::c;  // NOLINT

int32_t axiscast_plan_make(const axiscast_op* op, const axiscast_tensor* inputs, int64_t count, const axiscast_tensor* out,
                           const axiscast_options* options, axiscast_plan** plan) {
  return Call(__func__, [=, function = __func__] {
    if (op == nullptr) return IsNull(function, "the op");
    if (plan == nullptr) return IsNull(function, "the pointer to the plan");
    Operands operands;
    if (Status status = ReadOperands(function, inputs, count, &operands); !status.ok()) return status;
    MutableTensorView destination;
    if (Status status = ReadTensor(function, "out", out, &destination); !status.ok()) return status;
    CallOptions known;
    if (Status status = ReadOptions(function, options, &known); !status.ok()) return status;
    auto made = std::make_unique<axiscast_plan>();
    Status status = Plan::Make(FromHandle(op), operands.views, operands.count, destination, known, &made->held);
    made->input_count = count;
    if (status.ok()) *plan = made.release();
    return status;
  });
}

int32_t axiscast_plan_free(axiscast_plan* plan) {
  return Call(__func__, [=, function = __func__] { return FreeHandle(function, plan); });
}

int32_t axiscast_plan_execute(const axiscast_plan* plan, const void* const* inputs, int64_t count, void* out,
                              const axiscast_execute_options* options) {
  ExecuteOptions known;
  if (IsExecutable(plan, inputs, count) && IsInOrder(options, &known)) return Report(plan->held.Execute(inputs, out, known));
  return Call(__func__, [=, function = __func__] {
    if (Status status = CheckHandle(function, plan); !status.ok()) return status;
    if (Status status = CheckInputs(function, *plan, inputs, count); !status.ok()) return status;
    ExecuteOptions some;  // of another version's
    if (Status status = ReadExecuteOptions(function, options, &some); !status.ok()) return status;
    return plan->held.Execute(inputs, out, some);
  });
}

int32_t axiscast_plan_execute_part(const axiscast_plan* plan, const void* const* inputs, int64_t count, void* out, int64_t part,
                                   int64_t parts, const axiscast_execute_options* options) {
  return Call(__func__, [=, function = __func__] {
    if (Status status = CheckHandle(function, plan); !status.ok()) return status;
    if (Status status = CheckInputs(function, *plan, inputs, count); !status.ok()) return status;
    ExecuteOptions known;
    if (Status status = ReadExecuteOptions(function, options, &known); !status.ok()) return status;
    return plan->held.ExecutePart(inputs, out, part, parts, known.stores);
  });
}

int32_t axiscast_plan_describe(const axiscast_plan* plan, axiscast_plan_info* info) {
  return Call(__func__, [=, function = __func__] {
    if (Status status = CheckHandle(function, plan); !status.ok()) return status;
    if (info == nullptr) return IsNull(function, "the pointer to the info");
    const PlanDescription description = plan->held.Describe();
    axiscast_plan_info filled{};
    filled.input_count = static_cast<int32_t>(plan->input_count);
    filled.rank = description.shape.rank();
    filled.tiles = description.tiles;
    filled.tile_rows = description.tile_rows;
    filled.tile_cols = description.tile_cols;
    filled.estimated_seconds = description.estimated_seconds;
    filled.parallel = description.parallel;
    filled.divisible = description.divisible;
    filled.may_be_out = description.may_be_out;
    return Write(function, "the info", filled, kPlanInfoSize, info);
  });
}

int32_t axiscast_apply(const axiscast_op* op, const axiscast_tensor* inputs, int64_t count, const axiscast_tensor* out,
                       const axiscast_options* options, const axiscast_execute_options* execute_options) {
  Status kept;
  if (ApplyKept(op, nullptr, inputs, count, out, options, execute_options, &kept)) return Report(kept);
  return Call(__func__, [=, function = __func__] {
    if (op == nullptr) return IsNull(function, "the op");
    Operands operands;
    if (Status status = ReadOperands(function, inputs, count, &operands); !status.ok()) return status;
    MutableTensorView destination;
    if (Status status = ReadTensor(function, "out", out, &destination); !status.ok()) return status;
    CallOptions known;
    if (Status status = ReadOptions(function, options, &known); !status.ok()) return status;
    ExecuteOptions execute;
    if (Status status = ReadExecuteOptions(function, execute_options, &execute); !status.ok()) return status;
    return ApplyRequest({FromHandle(op), {}, operands.views, operands.count, known}, destination, false, execute);
  });
}

int32_t axiscast_apply_in_place(const axiscast_op* op, const axiscast_tensor* x, const axiscast_tensor* rest, int64_t rest_count,
                                const axiscast_options* options, const axiscast_execute_options* execute_options) {
  Status kept;
  if (x != nullptr && ApplyKept(op, x, rest, rest_count, x, options, execute_options, &kept)) return Report(kept);
  return Call(__func__, [=, function = __func__] {
    if (op == nullptr) return IsNull(function, "the op");
    MutableTensorView destination;
    if (Status status = ReadTensor(function, "x", x, &destination); !status.ok()) return status;
    Operands operands;
    if (Status status = ReadOperands(function, rest, rest_count, &operands); !status.ok()) return status;
    CallOptions known;
    if (Status status = ReadOptions(function, options, &known); !status.ok()) return status;
    ExecuteOptions execute;
    if (Status status = ReadExecuteOptions(function, execute_options, &execute); !status.ok()) return status;
    const TensorView first = destination;
    return ApplyRequest({FromHandle(op), {&first}, operands.views, operands.count, known}, destination, true, execute);
  });
}
