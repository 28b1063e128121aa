// Plans of routines; see routine.h.
#include "core/routine.h"

#include <utility>

#include "core/copy.h"
#include "core/element_size.h"
#include "core/form.h"
#include "core/overlap.h"
#include "core/plan.h"
#include "core/resolve.h"

namespace axiscast {
namespace {

bool IsEmpty(const RoutineOperand& operand) {
  std::int64_t elements;
  return CountElements(operand.shape, &elements) && elements == 0;
}

// Whether the input may be read while the output is written.
bool MayRunOn(const Plan::Impl& plan, std::size_t input, const void* x_data, const void* out_data) {
  const RoutineCall& call = *plan.routine;
  const Reach &x_reach = plan.operands[input].reach, &out_reach = plan.operands.back().reach;
  const auto x_address = reinterpret_cast<std::intptr_t>(x_data), out_address = reinterpret_cast<std::intptr_t>(out_data);
  if (x_address + x_reach.end <= out_address + out_reach.lowest || out_address + out_reach.end <= x_address + x_reach.lowest)
    return true;  // the common case, in no time
  const RoutineOperand& x = call.operands[input];
  const RoutineOperand& out = call.operands.back();
  const std::int64_t x_size = SizeInBytes(x.dtype), out_size = SizeInBytes(out.dtype);
  if (((call.may_be_out >> input) & 1) != 0 && x_data == out_data && x_size == out_size && x.shape == out.shape &&
      x.byte_strides == out.byte_strides) {
    return true;
  }
  return !MayOverlap(x.shape, x.byte_strides, x_size, out.shape, out.byte_strides, out_size, out_address - x_address);
}

}  // namespace

Status MakeRoutinePlan(RoutineCall call, const Movers& movers, std::string caller, std::shared_ptr<const Plan::Impl>* impl) {
  auto plan = std::make_shared<Plan::Impl>();
  for (const RoutineOperand& operand : call.operands) {
    Reach reach;
    if (!ComputeReach(operand.shape, operand.byte_strides, SizeInBytes(operand.dtype), &reach)) {
      return Status(StatusCode::kInvalidShape, caller + ": the byte offsets of " + operand.name + " do not fit in int64 (" +
                                                   operand.name + " " + ListOf(operand.shape) + ", byte strides " +
                                                   ListOf(operand.byte_strides) + ")");
    }
    plan->operands.push_back({{}, reach, false});  // no byte counts as near: routines look for overlap themselves
    plan->problem.operands.push_back({operand.dtype, operand.byte_strides});
    plan->names.push_back(operand.name);
  }
  const RoutineOperand& out = call.operands.back();
  if (!IsEmpty(out) && OverlapsItself(out.shape, out.byte_strides, SizeInBytes(out.dtype))) {
    return Status(StatusCode::kInvalidArgument,
                  caller + ": " + out.name + " overlaps itself, so that elements of the result would be written over each other; " +
                      "use a destination with memory of its own for each element (" + out.name + " " + ListOf(out.shape) +
                      ", byte strides " + ListOf(out.byte_strides) + ")");
  }
  plan->problem.shape = out.shape;
  plan->movers = &movers;
  plan->caller = std::move(caller);
  plan->routine = std::make_unique<const RoutineCall>(std::move(call));
  *impl = std::move(plan);
  return Status();
}

Status ExecuteRoutine(const Plan::Impl& plan, const void* const* inputs, void* out, const ExecuteOptions& options) noexcept try {
  const RoutineCall& call = *plan.routine;
  const std::size_t count = call.operands.size() - 1;
  const std::byte* pointers[kMaxArity];
  for (std::size_t i = 0; i <= count; ++i) {
    const void* const pointer = i < count ? inputs[i] : out;
    if (i < count) pointers[i] = static_cast<const std::byte*>(pointer);
    if (pointer != nullptr || IsEmpty(call.operands[i]) || (i < count && ((call.reads >> i) & 1) == 0)) continue;
    return Status(StatusCode::kInvalidArgument,
                  plan.caller + ": the pointer of " + call.operands[i].name + " is null, but there are elements behind it");
  }
  std::vector<HeapBlock> copies;
  for (std::size_t i = 0; i < count; ++i) {
    const RoutineOperand& x = call.operands[i];
    if (((call.reads >> i) & 1) == 0 || IsEmpty(x) || IsEmpty(call.operands.back()) || MayRunOn(plan, i, inputs[i], out)) continue;
    // The copy has the operand's own strides, which the routine was made for.
    const Reach& reach = plan.operands[i].reach;
    copies.emplace_back(reach.end - reach.lowest);
    if (copies.back().data == nullptr) {
      return Status(StatusCode::kOutOfMemory, plan.caller + ": " + x.name + " overlaps " + call.operands.back().name +
                                                  ", and there is no memory for a copy of " +
                                                  std::to_string(reach.end - reach.lowest) + " bytes");
    }
    std::byte* const copy = copies.back().data - reach.lowest;
    const Distinct distinct = DistinctElements(x.shape, x.byte_strides);
    CopyElements(*plan.movers, x.dtype, distinct.shape, distinct.byte_strides, pointers[i], distinct.byte_strides, copy, options);
    pointers[i] = copy;
  }
  return call.routine->Execute(pointers, static_cast<std::byte*>(out), options);
} catch (...) {
  return Status(StatusCode::kOutOfMemory, "execute: out of memory for a message or a copy");
}

}  // namespace axiscast
