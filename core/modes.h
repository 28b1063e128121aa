// The table of modes. A mode says how operands align and which extents of 1 stretch; all that follows is the same for every mode.
#ifndef AXISCAST_CORE_MODES_H_
#define AXISCAST_CORE_MODES_H_

#include <cstddef>
#include <cstdint>

#include "axiscast/resolve.h"
#include "core/resolve_request.h"

namespace axiscast {

// Where the operands' dims lie in the result. Dims that lie beyond it are 1s that hang over.
struct Alignment {
  int rank = 0;
  // The operand that is anchored, and the dim that its first one faces; the others align right.
  std::size_t anchored = static_cast<std::size_t>(-1);
  int anchor = 0;
  // The dims of the anchored operand that do not stretch even if they are 1 (onnx_legacy).
  int rigid_begin = 0;
  int rigid_end = 0;
  bool identical = false;  // no 1 stretches (axis mode, of equal ranks)
  bool paired = false;     // elements are paired in row-major order: nothing else here counts

  const std::int64_t* axes = nullptr;  // ResolveRequest's

  int First(std::size_t operand, int operand_rank) const noexcept {
    if (axes != nullptr && axes[operand] >= 0) return static_cast<int>(axes[operand]);
    return operand == anchored ? anchor : rank - operand_rank;
  }
};

// One row of the table.
struct ModeRule {
  ModeRow row;           // what the public sees of it
  std::size_t operands;  // how many it takes exactly; 0: any number
  const char* extents;   // what messages say of extents that do not fit
  Status (*align)(const ResolveRequest& request, Alignment* alignment) noexcept;
  // Whether an extent of 1 must stay 1 here; null: every 1 stretches.
  bool (*rigid)(const ResolveRequest& request, const Alignment& alignment, std::size_t operand, int dim) noexcept;
  bool gives_first_shape = false;  // the result has the first operand's shape
  bool pairs_at_last = false;      // where operands do not broadcast, elements are paired if the counts of elements allow it
};

// The rule of a mode; null when `mode` is not a value of the enum.
const ModeRule* RuleOf(Mode mode) noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_MODES_H_
