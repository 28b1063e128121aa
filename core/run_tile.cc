// Stages what a tile needs, calls the kernels of the steps, and puts away what they leave in scratch.
#include "core/run_tile.h"

#include <algorithm>

#include "core/caches.h"
#include "core/stage.h"

namespace axiscast {
namespace {

// Where an operand or a step's result is in a tile. What kernels are told besides comes from the layout: a struct that has just
// been written member by member is not forwarded to a load of several members, and copying such ones took 20 ns of a call.
struct Place {
  std::byte* data;
  std::int64_t row_stride;
};

// Cols of the rows that kernels are given: a folded row's, else the tile's.
std::int64_t RowCols(const Layout& layout, std::int64_t tile_cols) {
  return layout.fold > 0 ? layout.fold * layout.inner : tile_cols;
}

// Puts an operand's block into its scratch, unless it is there: a pattern or a splat block serves many tiles.
Place StageOperand(const TileJob& job, const TileAt& at, int i) {
  const Layout& layout = job.layout;
  const OperandLayout& operand = layout.operands[i];
  const std::int64_t rows = operand.row_stride == 0 ? 1 : at.rows;
  const std::int64_t chunk = operand.image ? std::min(at.chunk, layout.fold) : at.chunk;
  const std::int64_t cols = operand.splat ? 1 : chunk * layout.inner;
  std::byte* const data = at.scratch + operand.scratch;
  const Place place = {data, operand.row_stride == 0 ? 0 : RowCols(layout, cols) << operand.size_log2};
  if (at.staged != nullptr) {
    Staged& staged = at.staged[i];
    // A shorter row of one-row blocks is the beginning of a longer one.
    if (staged.from == at.position[i] && staged.rows >= rows && (staged.cols == cols || (rows == 1 && staged.cols > cols)))
      return place;
    staged = {at.position[i], rows, cols};
  }
  BoxDim dims[kMaxBoxDims];
  const int rank = BlockDims(operand, at.rows, chunk, dims);
  StageIn(job.movers, operand.size_log2, dims, rank, at.position[i], data);
  return place;
}

// What an operand reads in a tile: runs of bytes, `stride` apart.
struct Runs {
  std::int64_t count, stride, bytes;
};
Runs RunsOf(const OperandLayout& operand, std::int64_t rows, std::int64_t cols) {
  const bool transposed = operand.delivery == Delivery::kStaged && operand.row_stride == std::int64_t{1} << operand.size_log2;
  if (transposed && operand.box.empty()) return {cols, operand.box_chunk_stride, rows << operand.size_log2};
  if (operand.delivery != Delivery::kStreamed) return {0, 0, 0};
  const std::int64_t bytes = cols << operand.size_log2;
  if (rows == 1 || operand.row_stride == bytes) return {1, 0, rows * bytes};
  return {rows, operand.row_stride, bytes};
}

// Asks for the lines of [begin, end).
[[gnu::always_inline]] inline void PrefetchLines(const std::byte* begin, const std::byte* end) {
  const std::byte* line = begin - reinterpret_cast<std::uintptr_t>(begin) % kLineBytes;
  for (; line < end; line += kLineBytes) __builtin_prefetch(line);
}
// The same, into the second cache, where the first has no room: pieces of many rows, a page or more apart.
[[gnu::always_inline]] inline void PrefetchFarLines(const std::byte* begin, const std::byte* end) {
  const std::byte* line = begin - reinterpret_cast<std::uintptr_t>(begin) % kLineBytes;
  for (; line < end; line += kLineBytes) __builtin_prefetch(line, 0, 2);
}

// Asks for part `part` of as many as there are steps of the lines that the next tile reads from memory, which is idle while a tile
// only touches scratch. A transposed operand: 1.3 times faster. A chain of four: 75 % of memory's roof, 35 without. Always inlined:
// gcc takes calls of functions that only prefetch for calls without effect.
[[gnu::always_inline]] inline void PrefetchNext(const Layout& layout, const TileAt& at, std::size_t part) {
  const auto parts = static_cast<std::int64_t>(layout.steps.size()), this_part = static_cast<std::int64_t>(part);
  std::size_t loop = layout.loops.size() - 1;
  while (loop > 0 && layout.loops[loop].count == 1) --loop;
  for (int i = 0; i < layout.input_count(); ++i) {
    const OperandLayout& operand = layout.operands[i];
    if (operand.advance[loop] == 0) continue;
    const Runs runs = RunsOf(operand, at.rows, at.chunk * layout.inner);
    const std::byte* next = at.position[i] + operand.advance[loop];
    if (runs.count == 1) {
      PrefetchLines(next + runs.bytes * this_part / parts, next + runs.bytes * (this_part + 1) / parts);
      continue;
    }
    const std::int64_t end = runs.count * (this_part + 1) / parts;
    for (std::int64_t r = runs.count * this_part / parts; r < end; ++r) {
      const std::byte* run = next + r * runs.stride;
      PrefetchFarLines(run, run + runs.bytes);
    }
  }
}

// A tile of one row as several, which an image of one serves, and the rest.
void RunFolded(const Layout& layout, const StepLayout& step, Tile& tile) {
  const std::int64_t row_cols = layout.fold * layout.inner;
  const std::int64_t rest = tile.cols % row_cols;
  tile.rows = tile.cols / row_cols;
  tile.cols = row_cols;
  if (tile.rows > 0) step.run(tile);
  if (rest == 0) return;
  for (int a = 0; a < step.arity; ++a) {
    tile.in[a].data = static_cast<const std::byte*>(tile.in[a].data) + tile.rows * tile.in[a].row_stride;
  }
  tile.out = static_cast<std::byte*>(tile.out) + tile.rows * tile.out_row_stride;
  tile.rows = 1;
  tile.cols = rest;
  step.run(tile);
}

}  // namespace

void RunTile(TileJob& job, const TileAt& at) {
  const Layout& layout = job.layout;
  const std::size_t steps = layout.steps.size();
  const bool prefetches = at.staged != nullptr && (job.stream || layout.far) && (steps > 1 || layout.transposes);
  if (prefetches) PrefetchNext(layout, at, 0);
  Place places[kMaxOperands + kMaxSteps];  // of each input, then of each step's result
  const int inputs = layout.check != nullptr ? 1 : layout.input_count();
  for (int i = 0; i < inputs; ++i) {
    const OperandLayout& operand = layout.operands[i];
    places[i] = operand.delivery == Delivery::kStaged ? StageOperand(job, at, i) : Place{at.position[i], operand.row_stride};
  }
  const std::int64_t cols = at.chunk * layout.inner;
  Tile tile;
  if (layout.check != nullptr) {
    tile.rows = at.rows;
    tile.cols = cols;
    tile.in[0] = {places[0].data, places[0].row_stride, layout.operands[0].splat};
    if (layout.check(tile)) job.refused.store(true, std::memory_order_relaxed);
    return;
  }
  const OperandLayout& out = layout.operands[inputs];
  for (std::size_t s = 0; s < steps; ++s) {
    const StepLayout& step = layout.steps[s];
    if (prefetches && s > 0) PrefetchNext(layout, at, s);
    tile.rows = at.rows;
    tile.cols = cols;
    tile.attributes = step.attributes;
    for (int a = 0; a < step.arity; ++a) {
      const ArgumentLayout& argument = step.arguments[a];
      const Place& place = places[argument.value];
      tile.in[a] = {place.data, place.row_stride, argument.splat, argument.repeat};
    }
    if (s + 1 == steps && out.delivery != Delivery::kStaged) {
      tile.out = at.position[inputs];
      tile.out_row_stride = out.row_stride;
      tile.stream = job.stream;
    } else {
      tile.out = at.scratch + step.scratch;
      tile.out_row_stride = RowCols(layout, cols) * step.result_size;
      places[inputs + static_cast<int>(s)] = {at.scratch + step.scratch, tile.out_row_stride};
    }
    if (layout.fold > 0) {
      RunFolded(layout, step, tile);
    } else {
      step.run(tile);
    }
  }
  if (out.delivery == Delivery::kStaged) {
    BoxDim dims[kMaxBoxDims];
    const int rank = BlockDims(out, at.rows, at.chunk, dims);
    StageOut(job.movers, out.size_log2, dims, rank, at.scratch + out.scratch, at.position[inputs]);
  }
}

}  // namespace axiscast
