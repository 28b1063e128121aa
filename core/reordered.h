// Inputs in memory whose rows jump about, though a block of the result needs a block of them whole: (batch, seq, heads, size) read
// as (batch, heads, seq, size). They are asked for a block ahead, in the order in which they lie there.
#ifndef AXISCAST_CORE_REORDERED_H_
#define AXISCAST_CORE_REORDERED_H_

#include <cstddef>
#include <cstdint>

#include "core/canonical.h"
#include "core/layout.h"

namespace axiscast {

struct TileJob;

// The bytes of the smallest blocks that an input has in another order than the result, both dense: of the dims from one outside of
// `row_dim` on, blocks that follow each other as the result's do, and wait in a core's cache. 0: there are none.
std::int64_t ReorderedBytes(const Canonical& canonical, int operand, int row_dim, std::int64_t size);

// Sets OperandLayout::reordered of a layout's inputs, and Layout::reordered_elements, where its tiles are rows that follow each
// other in the result, of which nothing is staged. For layouts of one step. Cost: O(operands * rank).
void FindReordered(const Canonical& canonical, Layout* layout);

// Computes a tile of such a layout, `out` being its first result, in strips of rows, before each of which it asks for as much of
// the next blocks: memory gives 1.1 to 2 times as much so (Zen 4). To ask for what the next tile needs gains half of that; for all
// of a tile's before it, nothing.
void RunReordered(const TileJob& job, const StepLayout& step, const StepTile& whole, const void* const* inputs, std::byte* out);

}  // namespace axiscast

#endif  // AXISCAST_CORE_REORDERED_H_
