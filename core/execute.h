// Executes a layout: tiles -> staging -> the steps of the program.
#ifndef AXISCAST_CORE_EXECUTE_H_
#define AXISCAST_CORE_EXECUTE_H_

#include "core/layout.h"
#include "core/parallel.h"

namespace axiscast {

// Runs every tile. pointers[i] is element [0, ..., 0] of operand i, the output last. No allocation, no lock.
void Execute(const Layout& layout, const Movers& movers, std::byte* const* pointers, const ExecuteOptions& options) noexcept;

// Runs the tiles of part `part` of `parts` in the calling thread. 0 <= part < parts.
void ExecutePart(const Layout& layout, const Movers& movers, std::byte* const* pointers, std::int64_t part, std::int64_t parts,
                 StorePolicy stores) noexcept;

// For a layout with a check: whether it refuses any element of the one operand.
bool ExecuteCheck(const Layout& layout, const Movers& movers, const std::byte* pointer, const ExecuteOptions& options) noexcept;

// As Execute, for a layout that is `direct`: straight to the kernel. Small calls are made of this, and what it stores waits behind
// all stores of the kernel before it, a cycle each: so it writes what is needed, once.
inline void ExecuteDirect(const Layout& layout, const void* const* inputs, void* out) noexcept {
  const StepLayout& step = *layout.steps.data();
  const std::int64_t* const offsets = layout.offsets.data();
  const Tile& whole = step.whole.tile;
  Tile tile;
  tile.rows = whole.rows;
  tile.cols = whole.cols;
  for (int a = 0; a < step.arity; ++a) {
    const int i = step.values[a];
    tile.in[a] = {static_cast<const std::byte*>(inputs[i]) + offsets[i], whole.in[a].row_stride, whole.in[a].splat,
                  whole.in[a].transposed, whole.in[a].permutation};
  }
  tile.out = static_cast<std::byte*>(out) + offsets[layout.out];
  tile.out_row_stride = whole.out_row_stride;
  tile.attributes = step.attributes;
  step.run(tile);
}

}  // namespace axiscast

#endif  // AXISCAST_CORE_EXECUTE_H_
