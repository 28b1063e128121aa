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

}  // namespace axiscast

#endif  // AXISCAST_CORE_EXECUTE_H_
