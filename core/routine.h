// What a plan runs where the tiles of one elementwise problem will not do: a gather, a sum, several problems one after the other.
#ifndef AXISCAST_CORE_ROUTINE_H_
#define AXISCAST_CORE_ROUTINE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "axiscast/plan.h"
#include "core/kernel.h"

namespace axiscast {

class Routine {
 public:
  virtual ~Routine() = default;
  // Runs on pointers of any alignment that are not null where there are elements. No input overlaps the output but those that may
  // be it and are it exactly. Errors (in the data) come before the first write. Called from many threads at once.
  virtual Status Execute(const std::byte* const* inputs, std::byte* out, const ExecuteOptions& options) const noexcept = 0;
  // Fills in what there is to say beside the result's shape.
  virtual void Describe(PlanDescription* description) const = 0;
};

// An operand as the caller has it.
struct RoutineOperand {
  std::string name;
  DType dtype;
  Shape shape;
  ByteStrides byte_strides;
};

struct RoutineCall {
  std::vector<RoutineOperand> operands;  // the inputs, then the output
  std::uint32_t may_be_out = 0;          // inputs (a bit each) that may be exactly the output: same pointer, shape, strides
  std::unique_ptr<const Routine> routine;
  std::uint32_t reads = ~std::uint32_t{0};  // inputs (a bit each) whose elements are looked at, and not their shapes alone
};

// A plan that runs a routine. Errors: kInvalidShape (byte offsets that int64 does not hold), kInvalidArgument (an output that
// overlaps itself).
Status MakeRoutinePlan(RoutineCall call, const Movers& movers, std::string caller, std::shared_ptr<const Plan::Impl>* impl);

// Runs it: null pointers and overlap are dealt with here.
Status ExecuteRoutine(const Plan::Impl& plan, const void* const* inputs, void* out, const ExecuteOptions& options) noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_ROUTINE_H_
