// Staging: moves a strided block of an operand into dense scratch, or a dense block out into a strided output.
#ifndef AXISCAST_CORE_STAGE_H_
#define AXISCAST_CORE_STAGE_H_

#include "core/kernel.h"
#include "core/layout.h"

namespace axiscast {

// So many runs within a step of the outermost dim take as long as the calls that find something better for that step, as a pattern.
inline constexpr std::int64_t kFewRuns = 24;

// Copies the block with these dims (outermost first, at least one) at `x` to dense `out`.
void StageIn(const Movers& movers, int size_log2, const BoxDim* dims, int rank, const std::byte* x, std::byte* out);

// Copies dense `x` to the block with these dims at `out`; far: which is not in the caches.
void StageOut(const Movers& movers, int size_log2, const BoxDim* dims, int rank, const std::byte* x, std::byte* out,
              bool far = false);

}  // namespace axiscast

#endif  // AXISCAST_CORE_STAGE_H_
