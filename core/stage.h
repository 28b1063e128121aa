// Staging: moves a strided block of an operand into dense scratch, or a dense block out into a strided output.
#ifndef AXISCAST_CORE_STAGE_H_
#define AXISCAST_CORE_STAGE_H_

#include "core/kernel.h"
#include "core/layout.h"

namespace axiscast {

// The most dims that a block can have: rows, and the canonical dims of cols.
inline constexpr int kMaxBoxDims = kMaxRank + 2;

// Copies the block with these dims (outermost first, at least one) at `x` to dense `out`.
void StageIn(const Movers& movers, int size_log2, const BoxDim* dims, int rank, const std::byte* x, std::byte* out);

// Copies dense `x` to the block with these dims at `out`.
void StageOut(const Movers& movers, int size_log2, const BoxDim* dims, int rank, const std::byte* x, std::byte* out);

// The dims of an operand's block in a tile of `rows` rows and `chunk` steps of the last loop; returns their number. Rows are left
// out when the operand has the same values in all of them.
int BlockDims(const OperandLayout& operand, std::int64_t rows, std::int64_t chunk, BoxDim* dims);

}  // namespace axiscast

#endif  // AXISCAST_CORE_STAGE_H_
