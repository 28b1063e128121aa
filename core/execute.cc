// The tile loop. One worker walks pieces of the tile index space; what was staged for a tile is kept while the next one needs the
// same.
#include "core/execute.h"

#include <algorithm>

#include "core/caches.h"
#include "core/stage.h"

namespace axiscast {
namespace {

struct Job {
  const Layout& layout;
  const Movers& movers;
  std::byte* const* pointers;
  bool stream;                       // the output goes past the caches
  std::atomic<bool> refused{false};  // by the check
};

// Where a value (an operand or a step's result) is in the current tile.
struct Place {
  std::byte* data;
  std::int64_t row_stride;
  bool splat;
};

class Worker {
 public:
  explicit Worker(Job& job) : job_(job), layout_(job.layout) {
    for (int i = 0; i < OperandCount(); ++i) {
      places_[i] = {nullptr, layout_.operands[i].row_stride, layout_.operands[i].splat};
      staged_from_[i] = nullptr;
    }
  }

  void Run(std::int64_t begin, std::int64_t end) {
    MoveTo(begin);
    for (;;) {
      RunTile();
      if (++begin == end) break;
      MoveToNext();
    }
  }
  void Finish() {
    if (job_.stream) job_.movers.fence();
  }

 private:
  int OperandCount() const { return static_cast<int>(layout_.operands.size()); }
  int LoopCount() const { return static_cast<int>(layout_.loops.size()); }
  // The part of a loop's extent that the current chunk covers.
  std::int64_t ChunkExtent(int loop) const {
    const Loop& l = layout_.loops[loop];
    return index_[loop] + 1 < l.count ? l.chunk : l.extent - index_[loop] * l.chunk;
  }

  // Cols of the rows that kernels are given: a folded row's, else the tile's.
  std::int64_t RowCols(std::int64_t tile_cols) const { return layout_.fold > 0 ? layout_.fold * layout_.inner : tile_cols; }

  void MoveTo(std::int64_t tile) {
    for (int i = 0; i < OperandCount(); ++i) position_[i] = job_.pointers[i] + layout_.offsets[i];
    for (int loop = LoopCount() - 1; loop >= 0; --loop) {
      index_[loop] = 0;  // here, and not by a call of memset, which waits until its bytes can be read: 4 ns
      if (tile == 0) continue;
      index_[loop] = tile % layout_.loops[loop].count;
      tile /= layout_.loops[loop].count;
      for (int i = 0; i < OperandCount(); ++i) position_[i] += index_[loop] * layout_.operands[i].advance[loop];
    }
  }

  void MoveToNext() {
    for (int loop = LoopCount() - 1; loop >= 0; --loop) {
      if (++index_[loop] < layout_.loops[loop].count) {
        for (int i = 0; i < OperandCount(); ++i) position_[i] += layout_.operands[i].advance[loop];
        return;
      }
      index_[loop] = 0;
      for (int i = 0; i < OperandCount(); ++i) {
        position_[i] -= (layout_.loops[loop].count - 1) * layout_.operands[i].advance[loop];
      }
    }
  }

  // Puts an operand's block into its scratch, unless it is there: a pattern or a splat block serves many tiles.
  void Stage(int i, std::int64_t rows, std::int64_t chunk) {
    const OperandLayout& operand = layout_.operands[i];
    const std::int64_t block_rows = operand.row_stride == 0 ? 1 : rows;
    if (operand.repeats) chunk = std::min(chunk, layout_.fold);
    places_[i].data = scratch_ + operand.scratch;
    const std::int64_t cols = operand.splat ? 1 : chunk * layout_.inner;
    places_[i].row_stride = operand.row_stride == 0 ? 0 : RowCols(cols) << operand.size_log2;
    // A shorter row of one-row blocks is the beginning of a longer one.
    const bool same = staged_from_[i] == position_[i] && staged_rows_[i] >= block_rows &&
                      (staged_cols_[i] == cols || (block_rows == 1 && staged_cols_[i] > cols));
    if (same) return;
    BoxDim dims[kMaxBoxDims];
    const int rank = BlockDims(operand, rows, chunk, dims);
    StageIn(job_.movers, operand.size_log2, dims, rank, position_[i], places_[i].data);
    staged_from_[i] = position_[i];
    staged_rows_[i] = block_rows;
    staged_cols_[i] = cols;
  }

  // Asks for part `part` of `parts` of the lines that the next tile streams in: memory is idle in steps that only touch scratch. A
  // chain of four: 75 % of memory's roof, 35 without. Always inlined: gcc takes calls of functions that only prefetch for calls
  // without effect.
  [[gnu::always_inline]] void PrefetchNext(int part, int parts, std::int64_t rows, std::int64_t cols) {
    int loop = LoopCount() - 1;
    while (loop > 0 && layout_.loops[loop].count == 1) --loop;
    for (int i = 0; i < layout_.input_count(); ++i) {
      const OperandLayout& operand = layout_.operands[i];
      const std::int64_t row_bytes = cols << operand.size_log2;
      if (operand.delivery != Delivery::kStreamed || operand.advance[loop] == 0) continue;
      if (rows > 1 && operand.row_stride != row_bytes) continue;
      const std::byte* next = position_[i] + operand.advance[loop];
      const std::int64_t end = rows * row_bytes * (part + 1) / parts;
      for (std::int64_t at = rows * row_bytes * part / parts; at < end; at += kLineBytes) __builtin_prefetch(next + at);
    }
  }

  // A tile of one row as several, which an image of one serves, and the rest.
  void RunFolded(const StepLayout& step, Tile tile) {
    const std::int64_t row_cols = layout_.fold * layout_.inner;
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

  void RunTile() {
    const std::int64_t rows = layout_.row_loop >= 0 ? ChunkExtent(layout_.row_loop) : 1;
    const std::int64_t chunk = ChunkExtent(LoopCount() - 1);
    Tile tile;
    tile.rows = rows;
    tile.cols = chunk * layout_.inner;
    const int inputs = layout_.check != nullptr ? 1 : layout_.input_count();
    for (int i = 0; i < inputs; ++i) {
      if (layout_.operands[i].delivery == Delivery::kStaged) {
        Stage(i, rows, chunk);
      } else {
        places_[i].data = position_[i];
      }
    }
    if (layout_.check != nullptr) {
      tile.in[0] = {places_[0].data, places_[0].row_stride, places_[0].splat};
      if (layout_.check(tile)) job_.refused.store(true, std::memory_order_relaxed);
      return;
    }
    const OperandLayout& out = layout_.operands.back();
    const bool prefetches = (job_.stream || layout_.far) && layout_.steps.size() > 1;
    for (const StepLayout& step : layout_.steps) {
      const bool last = &step == &layout_.steps.back();
      if (prefetches)
        PrefetchNext(static_cast<int>(&step - layout_.steps.data()), static_cast<int>(layout_.steps.size()), rows, tile.cols);
      for (int a = 0; a < step.arity; ++a) {
        const Place& place = places_[step.values[a]];
        tile.in[a] = {place.data, place.row_stride, place.splat};
      }
      tile.attributes = step.attributes;
      if (last && out.delivery != Delivery::kStaged) {
        tile.out = position_[inputs];
        tile.out_row_stride = out.row_stride;
        tile.stream = job_.stream;
      } else {
        Place& result = places_[inputs + (&step - layout_.steps.data())];
        result = {scratch_ + step.scratch, RowCols(tile.cols) * step.result_size, false};
        tile.out = result.data;
        tile.out_row_stride = result.row_stride;
      }
      if (layout_.fold > 0) {
        RunFolded(step, tile);
      } else {
        step.run(tile);
      }
    }
    if (out.delivery == Delivery::kStaged) {
      BoxDim dims[kMaxBoxDims];
      const int rank = BlockDims(out, rows, chunk, dims);
      StageOut(job_.movers, out.size_log2, dims, rank, scratch_ + out.scratch, position_[inputs]);
    }
  }

  alignas(64) std::byte scratch_[kScratchBytes];
  Job& job_;
  const Layout& layout_;
  std::byte* position_[kMaxOperands];           // of each operand, at the current tile
  Place places_[kMaxOperands + kMaxSteps];      // of each input, then of each step's result
  const std::byte* staged_from_[kMaxOperands];  // what is in the operand's scratch
  std::int64_t staged_rows_[kMaxOperands], staged_cols_[kMaxOperands];
  std::int64_t index_[kMaxRank];  // of the current chunk of each loop
};

// Tiles [begin, end) of a job, on this thread.
void RunTiles(Job& job, std::int64_t begin, std::int64_t end) {
  Worker worker(job);
  worker.Run(begin, end);
  worker.Finish();
}

void RunPieces(void* state, Pieces& pieces) {
  Worker worker(*static_cast<Job*>(state));
  std::int64_t begin, end;
  while (pieces.Take(&begin, &end)) worker.Run(begin, end);
  worker.Finish();
}

void RunJob(Job& job, const ExecuteOptions& options) {
  const Layout& layout = job.layout;
  if (layout.parallel) {
    RunParallel(layout.tiles, layout.grain, options, &RunPieces, &job);
  } else {
    RunTiles(job, 0, layout.tiles);
  }
}

// Whether the output goes past the caches. In place its lines have just been read, and are in them.
bool Streams(const Layout& layout, std::byte* const* pointers, StorePolicy stores) {
  if (stores != StorePolicy::kAuto) return stores == StorePolicy::kStream && layout.can_stream;
  const int out = layout.input_count();
  const auto address = reinterpret_cast<std::uintptr_t>(pointers[out] + layout.offsets[out]);
  return layout.streams && (address % kLineBytes == 0 || layout.run_bytes >= kUnalignedRunBytes) &&
         std::find(pointers, pointers + out, pointers[out]) == pointers + out;
}

// One step, one tile, nothing staged: straight to the kernel. Small calls are made of this.
void RunOnlyTile(const Layout& layout, std::byte* const* pointers) {
  Tile tile;
  tile.rows = layout.row_loop >= 0 ? layout.loops[layout.row_loop].extent : 1;
  tile.cols = layout.loops.back().extent * layout.inner;
  const StepLayout& step = layout.steps[0];
  for (int a = 0; a < step.arity; ++a) {
    const int i = step.values[a];
    tile.in[a] = {pointers[i] + layout.offsets[i], layout.operands[i].row_stride, layout.operands[i].splat};
  }
  const int out = layout.input_count();
  tile.out = pointers[out] + layout.offsets[out];
  tile.out_row_stride = layout.operands[out].row_stride;
  tile.attributes = step.attributes;
  step.run(tile);
}

}  // namespace

void Execute(const Layout& layout, const Movers& movers, std::byte* const* pointers, const ExecuteOptions& options) noexcept {
  if (layout.tiles == 1 && !layout.stages && layout.steps.size() == 1) {
    RunOnlyTile(layout, pointers);
    return;
  }
  Job job{layout, movers, pointers, Streams(layout, pointers, options.stores)};
  RunJob(job, options);
}

void ExecutePart(const Layout& layout, const Movers& movers, std::byte* const* pointers, std::int64_t part, std::int64_t parts,
                 StorePolicy stores) noexcept {
  // The first `tiles % parts` parts have one tile more.
  const std::int64_t size = layout.tiles / parts, more = layout.tiles % parts;
  const std::int64_t begin = part * size + std::min(part, more);
  const std::int64_t end = begin + size + (part < more);
  if (begin == end) return;
  Job job{layout, movers, pointers, Streams(layout, pointers, stores)};
  RunTiles(job, begin, end);
}

bool ExecuteCheck(const Layout& layout, const Movers& movers, const std::byte* pointer, const ExecuteOptions& options) noexcept {
  std::byte* pointers[] = {const_cast<std::byte*>(pointer)};  // a check only reads
  Job job{layout, movers, pointers, false};
  RunJob(job, options);
  return job.refused.load(std::memory_order_relaxed);
}

}  // namespace axiscast
