// Stages what a tile needs, calls the kernels of the steps, and puts away what they leave in scratch.
#include "core/run_tile.h"

#include <algorithm>
#include <span>

#include "core/caches.h"
#include "core/stage.h"

namespace axiscast {
namespace {

// The dims of an operand's block in a tile: those that are ready, or such as are written to `room`.
std::span<const BoxDim> BlockOf(const Layout& layout, const OperandLayout& operand, const TileAt& at, bool whole, BoxDim* room) {
  if (whole) return operand.block;
  return {room, static_cast<std::size_t>(BlockDims(layout, operand, at.rows, at.chunk, room))};
}

// Puts an operand's block into its scratch, unless it is there: a pattern or a splat block serves many tiles.
const std::byte* StageOperand(const TileJob& job, const TileAt& at, bool whole, int i) {
  const Layout& layout = job.layout;
  const OperandLayout& operand = layout.operands[i];
  std::byte* const data = at.scratch + operand.scratch;
  if (at.staged != nullptr) {
    const std::int64_t rows = operand.row_stride == 0 ? 1 : at.rows;
    const std::int64_t steps = operand.splat ? 0 : operand.image ? std::min(at.chunk, layout.fold) : at.chunk;
    Staged& staged = at.staged[i];
    // A shorter row of one-row blocks is the beginning of a longer one.
    if (staged.from == at.position[i] && staged.rows >= rows && (staged.steps == steps || (rows == 1 && staged.steps > steps)))
      return data;
    staged = {at.position[i], rows, steps};
  }
  BoxDim room[kMaxBoxDims];
  const std::span<const BoxDim> block = BlockOf(layout, operand, at, whole, room);
  StageIn(job.movers, operand.size_log2, block.data(), static_cast<int>(block.size()), at.position[i], data);
  return data;
}

// What is read or written of an operand in a tile: runs of bytes, `stride` apart.
struct Runs {
  std::int64_t count, stride, bytes;
};
Runs RunsOf(const OperandLayout& operand, std::int64_t rows, std::int64_t cols) {
  const bool staged = operand.delivery == Delivery::kStaged && operand.row_stride == std::int64_t{1} << operand.size_log2;
  if (staged && operand.box.empty()) return {cols, operand.box_chunk_stride, rows << operand.size_log2};
  if (operand.delivery != Delivery::kStreamed) return {0, 0, 0};
  const std::int64_t bytes = cols << operand.size_log2;
  if (rows == 1 || operand.row_stride == bytes) return {1, 0, rows * bytes};
  return {rows, operand.row_stride, bytes};
}

// As PrefetchLines, into the second cache, where the first has no room: pieces of many rows, a page or more apart.
[[gnu::always_inline]] inline void PrefetchFarLines(const std::byte* begin, const std::byte* end) {
  const std::byte* line = begin - reinterpret_cast<std::uintptr_t>(begin) % kLineBytes;
  for (; line < end; line += kLineBytes) __builtin_prefetch(line, 0, 2);
}

// Asks for part `part` of `parts` of the lines that the next tile reads from memory, which is idle while a tile only touches
// scratch; and of those that it writes there line by line and not past the caches. An operand that is transposed by way of
// scratch: 1.3 times faster. A chain of four: 75 % of memory's roof, 35 without. Always inlined: gcc takes calls of functions that
// only prefetch for calls without effect.
[[gnu::always_inline]] inline void PrefetchNext(const TileJob& job, const TileAt& at, std::int64_t part, std::int64_t parts) {
  const Layout& layout = job.layout;
  const int operands = layout.input_count() + (layout.transposes && (!job.stream || job.into_caches));
  for (int i = 0; i < operands; ++i) {
    const OperandLayout& operand = layout.operands[i];
    const std::byte* const next = at.next->position[i];
    if (next == at.position[i]) continue;
    const Runs runs = RunsOf(operand, at.next->rows, at.next->chunk * layout.inner);
    if (runs.count == 1) {
      PrefetchLines(next + runs.bytes * part / parts, next + runs.bytes * (part + 1) / parts);
      continue;
    }
    const std::int64_t end = runs.count * (part + 1) / parts;
    for (std::int64_t r = runs.count * part / parts; r < end; ++r) {
      const std::byte* run = next + r * runs.stride;
      PrefetchFarLines(run, run + runs.bytes);
    }
  }
}

// Of an input of a step, in a tile.
std::int64_t RowStrideOf(const StepLayout& step, const Tile& tile, int a) {
  return tile.chain == nullptr ? tile.in[a].row_stride : RowStrideOf(tile.chain->in[a], tile.cols * step.result_size);
}

// The cols that are left after a folded tile's rows.
void RunRest(const StepLayout& step, std::int64_t rest, Tile& tile, const void** inputs, std::byte* out) {
  for (int a = 0; a < step.arity; ++a) {
    inputs[a] = static_cast<const std::byte*>(inputs[a]) + tile.rows * RowStrideOf(step, tile, a);
  }
  out += tile.rows * tile.out_row_stride;
  tile.rows = 1;
  tile.cols = rest;
  step.run(tile, inputs, out);
}

}  // namespace

Tile CheckedTile(const Layout& layout, std::int64_t rows, std::int64_t chunk) {
  const OperandLayout& operand = layout.operands[0];
  Tile tile = {};
  tile.rows = rows;
  tile.cols = chunk * layout.inner;
  tile.in[0] = {operand.row_stride_of(tile.cols), operand.splat};
  return tile;
}

void RunTile(TileJob& job, const TileAt& at) {
  const Layout& layout = job.layout;
  const std::size_t steps = layout.steps.size();
  // A check has no steps.
  const bool prefetches = at.next != nullptr && layout.far && (steps > 1 || (steps == 1 && layout.transposes && layout.stages));
  if (prefetches) PrefetchNext(job, at, 0, static_cast<std::int64_t>(steps));
  const bool whole = at.rows == layout.tile_rows() && at.chunk == layout.loops.back().chunk;
  const std::byte* values[kMaxOperands + kMaxSteps];  // of each input, then of each step's result
  const int inputs = layout.check != nullptr ? 1 : layout.input_count();
  for (int i = 0; i < inputs; ++i) {
    values[i] = layout.operands[i].delivery == Delivery::kStaged ? StageOperand(job, at, whole, i) : at.position[i];
  }
  if (layout.check != nullptr) {
    Tile tile = CheckedTile(layout, at.rows, at.chunk);
    tile.into_caches = job.into_caches && layout.operands[0].delivery != Delivery::kStaged;
    if (layout.check(tile, values[0])) job.refused.store(true, std::memory_order_relaxed);
    return;
  }
  if (job.stream) PrefetchBoundary(at.position[inputs], layout.operands[inputs].advance[layout.inner_loop()]);
  for (std::size_t s = 0; s < steps; ++s) {
    const StepLayout& step = layout.steps[s];
    if (prefetches && s > 0) PrefetchNext(job, at, static_cast<std::int64_t>(s), static_cast<std::int64_t>(steps));
    StepTile step_tile = step.whole;
    Tile& tile = step_tile.tile;
    std::byte* const out = step.to_output ? at.position[inputs] : at.scratch + step.scratch;
    values[step.result] = out;
    tile.stream = job.stream && step.to_output;
    tile.into_caches = job.into_caches;
    if (!whole) SetTile(layout, step, at.rows, at.chunk, &step_tile);
    tile.attributes = step.attributes;
    const void* step_inputs[kMaxPassInputs];
    for (int a = 0; a < step.arity; ++a) step_inputs[a] = values[step.values[a]];
    if (tile.rows > 0) step_tile.run(tile, step_inputs, out);
    if (step_tile.rest > 0) RunRest(step, step_tile.rest, tile, step_inputs, out);
  }
  const OperandLayout& out = layout.operands[inputs];
  if (out.delivery == Delivery::kStaged) {
    BoxDim room[kMaxBoxDims];
    const std::span<const BoxDim> block = BlockOf(layout, out, at, whole, room);
    StageOut(job.movers, out.size_log2, block.data(), static_cast<int>(block.size()), at.scratch + out.scratch, at.position[inputs],
             layout.far);
  }
}

}  // namespace axiscast
