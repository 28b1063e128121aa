// Runs and describes the parts of a gradient's plan.
#include "core/gradient_routine.h"

#include "core/copy.h"
#include "core/request.h"

namespace axiscast {

Status GradientRoutine::Execute(const std::byte* const* inputs, std::byte* out, const ExecuteOptions& options) const noexcept {
  if (program == nullptr) {
    const void* const pointers[] = {inputs[dout]};
    return sum->Execute(pointers, out, options);
  }
  const void* pointers[kMaxOperands];
  for (std::size_t i = 0; i < sources.size(); ++i) pointers[i] = inputs[sources[i]];
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

Status GradientRoutine::NoMemory(std::int64_t bytes, const char* for_what) const noexcept try {
  return Status(StatusCode::kOutOfMemory, caller + ": there is no memory for " + std::to_string(bytes) + " bytes " + for_what);
} catch (...) {
  return OutOfMemory("execute");
}

void GradientRoutine::Describe(PlanDescription* description) const {
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

}  // namespace axiscast
