// What kernels and movers are given of one tile of a layout.
#include <algorithm>

#include "core/layout.h"

namespace axiscast {

namespace {

// The row stride of a value in tiles of so many cols.
std::int64_t RowStrideOf(const Layout& layout, int value, std::int64_t cols) {
  if (value < layout.input_count()) return layout.operands[static_cast<std::size_t>(value)].row_stride_of(cols);
  const auto made = std::find_if(layout.steps.begin(), layout.steps.end(), [&](const StepLayout& s) { return s.result == value; });
  return cols * made->result_size;
}

}  // namespace

void SetTile(const Layout& layout, const StepLayout& step, std::int64_t rows, std::int64_t chunk, StepTile* step_tile) {
  const std::int64_t cols = chunk * layout.inner;
  Tile& tile = step_tile->tile;
  tile.rows = rows;
  tile.cols = cols;
  step_tile->rest = 0;
  if (layout.fold > 0) {
    tile.cols = layout.fold * layout.inner;
    tile.rows = cols / tile.cols;
    step_tile->rest = cols % tile.cols;
  }
  tile.out_row_stride = step.to_output ? layout.operands.back().row_stride : tile.cols * step.result_size;
  const OperandLayout& out = layout.operands.back();
  tile.out_step = step.to_output && out.delivery == Delivery::kSpread ? out.col_stride >> out.size_log2 : 1;
  tile.halves = layout.halves;
  tile.by_turns = layout.by_turns;
  tile.abreast = layout.abreast;
  step_tile->run = step.run;
  if (step.chain != nullptr) {  // whose inputs are the same in all tiles
    tile.chain = &step.chain->chain;
    return;
  }
  bool dense = tile.rows > 1;  // rows follow each other in memory, for all operands
  for (int a = 0; a < step.arity; ++a) {
    TileInput& in = tile.in[a];
    in.row_stride = RowStrideOf(layout, step.values[a], tile.cols);
    if (step.values[a] >= layout.input_count()) {
      in.splat = false;
      in.transposed = false;
      in.permutation = nullptr;
      in.period = 0;
    } else {
      const OperandLayout& operand = layout.operands[static_cast<std::size_t>(step.values[a])];
      in.splat = operand.splat;
      in.transposed = operand.delivery == Delivery::kTransposed;
      in.permutation = operand.delivery == Delivery::kPermuted ? layout.permutation.get() : nullptr;
      in.period = operand.delivery == Delivery::kRecurring ? layout.inner : 0;
      dense = dense && !in.splat && !in.transposed && in.period == 0 && in.permutation == nullptr &&
              in.row_stride == tile.cols << operand.size_log2;
    }
  }
  if (dense && tile.out_step == 1 && tile.out_row_stride == tile.cols * step.result_size) {
    for (int a = 0; a < step.arity; ++a) tile.in[a].row_stride *= tile.rows;
    tile.out_row_stride *= tile.rows;
    tile.cols *= tile.rows;
    tile.rows = 1;
  }
  if (step.choose != nullptr) step_tile->run = step.choose(tile);
}

int BlockDims(const Layout& layout, const OperandLayout& operand, std::int64_t rows, std::int64_t chunk, BoxDim* dims) {
  int rank = 0;
  if (rows > 1 && operand.row_stride != 0) dims[rank++] = {rows, operand.row_stride};
  if (operand.splat) {
    if (rank == 0) dims[rank++] = {1, 0};
    return rank;
  }
  if (operand.image) chunk = std::min(chunk, layout.fold);
  const std::int64_t extent = chunk * operand.box_chunk_factor;
  if (extent > 1 || operand.box.empty()) dims[rank++] = {extent, operand.box_chunk_stride};
  for (const BoxDim& dim : operand.box) dims[rank++] = dim;
  return rank;
}

}  // namespace axiscast
