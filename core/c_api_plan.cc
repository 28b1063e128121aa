// The C API's plans and eager calls.
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "core/c_api.h"

#ifndef NDEBUG
#include <mutex>
#endif

// A plan handle. The word at its beginning tells it from other memory, and from a plan that was freed.
struct axiscast_plan {
  static constexpr std::uint64_t kAlive = 0x6178697363617374, kFreed = 0x66726565645f7361;
  volatile std::uint64_t word = kAlive;  // written although the memory is then freed
  axiscast::Plan plan;
  std::int64_t input_count = 0;
};

namespace axiscast::c {
namespace {

// The size of version 1.
constexpr std::size_t kPlanInfoSize = 64;

#ifndef NDEBUG
// Handles that were freed last: their memory is kept, so that to use them is found without reading what belongs to others.
class Freed {
 public:
  void Keep(std::unique_ptr<axiscast_plan> handle) {
    const std::lock_guard lock(mutex_);
    handles_[next_++ % std::size(handles_)].swap(handle);
  }

 private:
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::unique_ptr<axiscast_plan> handles_[1024];
} freed;
#endif

Status CheckPlan(const char* function, const axiscast_plan* plan) {
  if (plan == nullptr) return IsNull(function, "the plan");
  if (plan->word == axiscast_plan::kAlive) return Status();
  return Invalid(function, plan->word == axiscast_plan::kFreed ? "the plan has been freed" : "this is no plan");
}

Status CheckInputs(const char* function, const axiscast_plan& plan, const void* const* inputs, std::int64_t count) {
  if (count != plan.input_count) {
    return Invalid(function, "the plan takes " + std::to_string(plan.input_count) + " inputs; got " + std::to_string(count));
  }
  return inputs != nullptr ? Status() : IsNull(function, "the array of inputs");
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
    Status status = Plan::Make(FromHandle(op), operands.views, operands.count, destination, known, &made->plan);
    made->input_count = count;
    if (status.ok()) *plan = made.release();
    return status;
  });
}

int32_t axiscast_plan_free(axiscast_plan* plan) {
  return Call(__func__, [=, function = __func__] {
    if (plan == nullptr) return Status();
    if (Status status = CheckPlan(function, plan); !status.ok()) return status;
    plan->word = axiscast_plan::kFreed;
    std::unique_ptr<axiscast_plan> handle(plan);
    handle->plan = Plan();
#ifndef NDEBUG
    freed.Keep(std::move(handle));
#endif
    return Status();
  });
}

int32_t axiscast_plan_execute(const axiscast_plan* plan, const void* const* inputs, int64_t count, void* out,
                              const axiscast_execute_options* options) {
  return Call(__func__, [=, function = __func__] {
    if (Status status = CheckPlan(function, plan); !status.ok()) return status;
    if (Status status = CheckInputs(function, *plan, inputs, count); !status.ok()) return status;
    ExecuteOptions known;
    if (Status status = ReadExecuteOptions(function, options, &known); !status.ok()) return status;
    return plan->plan.Execute(inputs, out, known);
  });
}

int32_t axiscast_plan_execute_part(const axiscast_plan* plan, const void* const* inputs, int64_t count, void* out, int64_t part,
                                   int64_t parts, const axiscast_execute_options* options) {
  return Call(__func__, [=, function = __func__] {
    if (Status status = CheckPlan(function, plan); !status.ok()) return status;
    if (Status status = CheckInputs(function, *plan, inputs, count); !status.ok()) return status;
    ExecuteOptions known;
    if (Status status = ReadExecuteOptions(function, options, &known); !status.ok()) return status;
    return plan->plan.ExecutePart(inputs, out, part, parts, known.stores);
  });
}

int32_t axiscast_plan_describe(const axiscast_plan* plan, axiscast_plan_info* info) {
  return Call(__func__, [=, function = __func__] {
    if (Status status = CheckPlan(function, plan); !status.ok()) return status;
    if (info == nullptr) return IsNull(function, "the pointer to the info");
    const PlanDescription description = plan->plan.Describe();
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
