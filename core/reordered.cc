// Which inputs have reordered blocks, and tiles that ask for the next ones.
#include "core/reordered.h"

#include <algorithm>
#include <limits>

#include "core/caches.h"
#include "core/run_tile.h"

namespace axiscast {
namespace {

constexpr std::int64_t kMostRowBytes = 1024;  // CPUs foresee longer ones, of which this takes 1.1 to 1.3 times as long
constexpr std::int64_t kStripBytes = 1024;    // of the result

// Of a block, which waits in a core's cache. Of 100 to 200 KB one thread still takes 0.84 to 0.98 of the time, two threads 1.0
// to 1.1, and from 400 KB on, where half of the operands is in L3, one takes 1.1 to 1.4 (Zen 4, 1 MB of L2).
std::int64_t MostBlockBytes() { return MachineCaches().l2 / 16; }

}  // namespace

std::int64_t ReorderedBytes(const Canonical& canonical, int operand, int row_dim, std::int64_t size) {
  const std::pmr::vector<std::int64_t>& strides = canonical.strides[operand];
  std::int64_t elements = 1, last = 0;  // of a block, and the offset of its last element
  for (int d = canonical.rank() - 1; d > 0; --d) {
    if (strides[d] <= 0) return 0;
    const std::int64_t way = SaturatingProduct(canonical.extents[d] - 1, strides[d]);
    if (way > std::numeric_limits<std::int64_t>::max() - last) return 0;
    last += way;
    elements = SaturatingProduct(elements, canonical.extents[d]);
    if (d > row_dim || last != SaturatingProduct(elements - 1, size)) continue;
    // Blocks themselves follow each other as the result's do.
    std::int64_t block = SaturatingProduct(elements, size);
    if (block > MostBlockBytes()) return 0;
    for (int outer = d - 1; outer >= 0; --outer) {
      if (strides[outer] != block) return 0;
      block = SaturatingProduct(block, canonical.extents[outer]);
    }
    return SaturatingProduct(elements, size);
  }
  return 0;
}

void FindReordered(const Canonical& canonical, Layout* layout) {
  if (!layout->far || layout->stages || layout->transposes || layout->permutation != nullptr) return;
  const int row_dim = static_cast<int>(layout->loops.size()) - 2;
  if (row_dim < 0 || layout->row_loop != row_dim || layout->loops.back().count > 1) return;  // a tile is one piece of the result
  const OperandLayout& out = layout->operands.back();
  std::int64_t dense = std::int64_t{1} << out.size_log2;
  for (int d = canonical.rank() - 1; d >= 0; --d) {
    if (canonical.strides.back()[d] != dense) return;
    dense = SaturatingProduct(dense, canonical.extents[d]);
  }
  for (int i = 0; i < layout->input_count(); ++i) {
    OperandLayout& operand = layout->operands[i];
    const std::int64_t row = layout->tile_cols() << operand.size_log2;
    if (operand.delivery != Delivery::kStreamed || operand.row_stride <= row || row > kMostRowBytes) continue;
    operand.reordered = ReorderedBytes(canonical, i, row_dim, std::int64_t{1} << operand.size_log2);
    if (operand.reordered > 0) layout->reordered_elements = BlockElements(canonical, 0);
  }
}

void RunReordered(const TileJob& job, const StepLayout& step, const StepTile& whole, const void* const* inputs, std::byte* out) {
  const Layout& layout = job.layout;
  const std::size_t last = layout.operands.size() - 1;
  const std::int64_t rows = whole.tile.rows, strip = std::max<std::int64_t>(kStripBytes / (whole.tile.cols * step.result_size), 1);
  std::int64_t element = (out - job.pointers[last] - layout.offsets[last]) / step.result_size;
  Tile tile = whole.tile;
  KernelFunction run = whole.run;
  const void* at[kMaxArity];
  std::copy_n(inputs, step.arity, at);
  for (std::int64_t row = 0; row < rows; row += strip) {
    if (const std::int64_t some = std::min(strip, rows - row); some != tile.rows) {
      tile.rows = some;
      run = step.choose != nullptr ? step.choose(tile) : step.run;
    }
    const std::int64_t elements = tile.rows * tile.cols;
    for (std::size_t i = 0; i < last; ++i) {
      const OperandLayout& operand = layout.operands[i];
      const std::int64_t ahead = element + (operand.reordered >> operand.size_log2);
      if (operand.reordered == 0 || ahead + elements > layout.reordered_elements) continue;
      const std::byte* const begin = job.pointers[i] + layout.offsets[i] + (ahead << operand.size_log2);
      PrefetchLines(begin, begin + (elements << operand.size_log2));
    }
    run(tile, at, out);
    for (int a = 0; a < step.arity; ++a) at[a] = static_cast<const std::byte*>(at[a]) + tile.rows * tile.in[a].row_stride;
    out += tile.rows * tile.out_row_stride;
    element += elements;
  }
}

}  // namespace axiscast
