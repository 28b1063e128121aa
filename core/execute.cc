// The tile loop. One worker walks pieces of the tile index space.
#include "core/execute.h"

#include <algorithm>

#include "core/caches.h"
#include "core/reordered.h"
#include "core/run_tile.h"

namespace axiscast {
namespace {

class Worker {
 public:
  // whole: all tiles are this worker's.
  Worker(TileJob& job, bool whole)
      : job_(job), layout_(job.layout), whole_from_(whole ? layout_.whole_from : LoopCount()), inner_(LoopCount() - 1) {
    while (inner_ > 0 && Count(inner_) == 1) --inner_;
    joins_ = inner_ >= layout_.whole_from;
    joins_rows_ = inner_ > layout_.whole_from;
    for (int i = 0; i < OperandCount(); ++i) staged_[i].from = nullptr;
  }

  void Run(std::int64_t begin, std::int64_t end) {
    MoveTo(begin);
    if (layout_.is_plain()) return RunPlain(end - begin);
    for (TilePlace next = PlaceOf(end - begin);;) {
      std::byte* position[kMaxOperands];
      std::copy_n(position_, OperandCount(), position);
      const TilePlace tile = {position, next.rows, next.chunk};
      if ((begin += joined_ * joined_rows_) == end) return RunTile(job_, {tile, nullptr, scratch_, staged_});
      MoveToNext();
      next = PlaceOf(end - begin);
      RunTile(job_, {tile, &next, scratch_, staged_});
    }
  }
  std::int64_t Tiles() const {
    std::int64_t tiles = 1;
    for (int loop = 0; loop < LoopCount(); ++loop) tiles *= Count(loop);
    return tiles;
  }
  void Finish() {
    if (job_.stream && !job_.into_caches) job_.movers.fence();
  }

 private:
  int OperandCount() const { return static_cast<int>(layout_.operands.size()); }
  int LoopCount() const { return static_cast<int>(layout_.loops.size()); }
  std::int64_t Count(int loop) const { return loop < whole_from_ ? layout_.loops[loop].count : 1; }
  // The part of a loop's extent that the current chunk covers, or those that are joined.
  std::int64_t ChunkExtent(int loop) const {
    const Loop& l = layout_.loops[loop];
    if (loop >= whole_from_) return l.extent;
    const std::int64_t chunks = loop == inner_ ? joined_ : loop == inner_ - 1 ? joined_rows_ : 1;
    return index_[loop] + chunks < l.count ? chunks * l.chunk : l.extent - index_[loop] * l.chunk;
  }

  // Of the current tile.
  std::int64_t Rows() const { return layout_.row_loop >= 0 ? ChunkExtent(layout_.row_loop) : 1; }

  void MoveTo(std::int64_t tile) {
    for (int i = 0; i < OperandCount(); ++i) position_[i] = job_.pointers[i] + layout_.offsets[i];
    for (int loop = LoopCount() - 1; loop >= 0; --loop) {
      index_[loop] = 0;  // here, and not by a call of memset, which makes what reads it next wait: 2 ns
      if (tile == 0) continue;
      index_[loop] = tile % Count(loop);
      tile /= Count(loop);
      for (int i = 0; i < OperandCount(); ++i) position_[i] += index_[loop] * layout_.operands[i].advance[loop];
    }
  }

  // So many tiles of a layout that is plain: 20 ns less for each than RunTile takes.
  void RunPlain(std::int64_t tiles) {
    const StepLayout& step = layout_.steps[0];
    const int out = layout_.input_count(), last = LoopCount() - 1;
    StepTile step_tile = step.whole;
    Tile& tile = step_tile.tile;
    tile.attributes = step.attributes;
    tile.stream = job_.stream;
    tile.into_caches = job_.into_caches;
    const void* inputs[kMaxPassInputs];
    std::int64_t rows = layout_.tile_rows(), chunk = layout_.loops.back().chunk;  // for which it is set
    for (;;) {
      const std::int64_t ahead = joins_ ? Join(tiles) : std::min(Count(inner_) - index_[inner_], tiles);
      for (int a = 0; a < step.arity; ++a) inputs[a] = position_[step.values[a]];
      std::byte* result = position_[out];
      for (std::int64_t i = joins_ ? ahead : 1;; ++i) {
        if (Rows() != rows || ChunkExtent(last) != chunk) {
          rows = Rows();
          chunk = ChunkExtent(last);
          SetTile(layout_, step, rows, chunk, &step_tile);
        }
        if (job_.stream) PrefetchBoundary(result, layout_.operands[out].advance[inner_]);
        if (layout_.reordered_elements > 0) {
          RunReordered(job_, step, step_tile, inputs, result);
        } else {
          step_tile.run(tile, inputs, result);
        }
        if (i == ahead) break;
        ++index_[inner_];
        for (int a = 0; a < step.arity; ++a) {
          inputs[a] = static_cast<const std::byte*>(inputs[a]) + layout_.operands[step.values[a]].advance[inner_];
        }
        result += layout_.operands[out].advance[inner_];
      }
      if ((tiles -= ahead) == 0) return;
      if (!joins_) {  // its index has moved already
        for (int i = 0; i <= out; ++i) position_[i] += (ahead - 1) * layout_.operands[i].advance[inner_];
      }
      MoveToNext();
    }
  }

  // So many of these tiles, from the current one on, become one: chunks of the inner loop, or whole rows of them.
  std::int64_t Join(std::int64_t tiles) {
    joined_ = std::min(Count(inner_) - index_[inner_], tiles);
    joined_rows_ = 1;
    if (joins_rows_ && joined_ == Count(inner_)) {
      joined_rows_ = std::min(tiles / joined_, Count(inner_ - 1) - index_[inner_ - 1]);
    }
    return joined_ * joined_rows_;
  }

  // Where the current tile is, and those that are joined with it, of so many that are left.
  TilePlace PlaceOf(std::int64_t tiles) {
    if (joins_) (void)Join(tiles);
    return {position_, Rows(), ChunkExtent(LoopCount() - 1)};
  }

  // From a tile, or those that are joined, to the next one.
  void MoveToNext() {
    if (joined_ > 1) Skip(inner_, joined_ - 1);
    if (joined_rows_ > 1) Skip(inner_ - 1, joined_rows_ - 1);
    for (int loop = LoopCount() - 1; loop >= 0; --loop) {
      if (++index_[loop] < Count(loop)) {
        for (int i = 0; i < OperandCount(); ++i) position_[i] += layout_.operands[i].advance[loop];
        return;
      }
      index_[loop] = 0;
      for (int i = 0; i < OperandCount(); ++i) {
        position_[i] -= (Count(loop) - 1) * layout_.operands[i].advance[loop];
      }
    }
  }

  void Skip(int loop, std::int64_t chunks) {
    index_[loop] += chunks;
    for (int i = 0; i < OperandCount(); ++i) position_[i] += chunks * layout_.operands[i].advance[loop];
  }

  alignas(64) std::byte scratch_[kScratchBytes];
  TileJob& job_;
  const Layout& layout_;
  const int whole_from_;               // loops from here on have one chunk
  int inner_;                          // the innermost loop of several chunks
  bool joins_;                         // chunks of it that follow each other are run as one: 37 ns less for each
  bool joins_rows_;                    // and so are rows of them: 50 ns less for each
  std::int64_t joined_ = 1;            // so many chunks of it are, in the current tile
  std::int64_t joined_rows_ = 1;       // and so many rows of them
  std::byte* position_[kMaxOperands];  // of each operand, at the current tile
  Staged staged_[kMaxOperands];
  std::int64_t index_[kMaxRank];  // of the current chunk of each loop
};

// The only tile: without a Worker's state for the next one, 8 ns of a call's 45. Not inlined, as its scratch would be in the frame
// of calls that need none.
[[gnu::noinline]] void RunOnlyTile(TileJob& job) {
  const Layout& layout = job.layout;
  alignas(64) std::byte scratch[kScratchBytes];
  std::byte* position[kMaxOperands];
  for (std::size_t i = 0; i < layout.operands.size(); ++i) position[i] = job.pointers[i] + layout.offsets[i];
  RunTile(job, {{position, layout.tile_rows(), layout.loops.back().chunk}, nullptr, scratch, nullptr});
}

// Runs `whole`, a tile of the layout's only step, which needs no scratch.
void RunOnlyStep(const Layout& layout, const StepTile& whole, std::byte* const* pointers) {
  const StepLayout& step = layout.steps[0];
  const void* inputs[kMaxPassInputs];
  for (int a = 0; a < step.arity; ++a) {
    const auto i = static_cast<std::size_t>(step.values[a]);
    inputs[a] = pointers[i] + layout.offsets[i];
  }
  Tile tile = whole.tile;
  tile.attributes = step.attributes;
  whole.run(tile, inputs, pointers[layout.input_count()] + layout.offsets.back());
}

// All tiles of a layout that has but one loop of them, of one size (Layout::alike): 40 ns less than by a Worker.
void RunAlike(const Layout& layout, std::byte* const* pointers) {
  const StepLayout& step = layout.steps[0];
  const Loop& loop = layout.loops[layout.alike];
  const void* inputs[kMaxPassInputs];
  std::int64_t advance[kMaxPassInputs];
  for (int a = 0; a < step.arity; ++a) {
    const auto i = static_cast<std::size_t>(step.values[a]);
    inputs[a] = pointers[i] + layout.offsets[i];
    advance[a] = layout.operands[i].advance[layout.alike];
  }
  std::byte* out = pointers[layout.input_count()] + layout.offsets.back();
  const std::int64_t out_advance = layout.operands.back().advance[layout.alike];
  Tile tile = step.whole.tile;
  tile.attributes = step.attributes;
  for (std::int64_t left = loop.count;;) {
    step.whole.run(tile, inputs, out);
    if (--left == 0) return;
    for (int a = 0; a < step.arity; ++a) inputs[a] = static_cast<const std::byte*>(inputs[a]) + advance[a];
    out += out_advance;
  }
}

// Tiles [begin, end) of a job, on this thread.
void RunTiles(TileJob& job, std::int64_t begin, std::int64_t end) {
  Worker worker(job, false);
  worker.Run(begin, end);
  worker.Finish();
}

// All tiles, on this thread.
void RunAll(TileJob& job) {
  if ((!job.stream || job.into_caches) && job.layout.undivided) return RunOnlyStep(job.layout, *job.layout.undivided, job.pointers);
  if (job.layout.alike >= 0 && !job.stream) return RunAlike(job.layout, job.pointers);
  Worker worker(job, true);
  worker.Run(0, worker.Tiles());
  worker.Finish();
}

void RunPieces(void* state, Pieces& pieces) {
  Worker worker(*static_cast<TileJob*>(state), false);
  std::int64_t begin, end;
  while (pieces.Take(&begin, &end)) worker.Run(begin, end);
  worker.Finish();
}

void RunJob(TileJob& job, const ExecuteOptions& options) {
  if (job.layout.tiles == 1) return RunOnlyTile(job);
  AloneCall alone;
  if (job.layout.parallel && IsShared(job.layout.seconds, options, &alone)) {
    // What each thread's own L2 has, takes 1.04 to 1.16 times as long if it is asked for.
    if (job.into_caches && Concurrency(options) > job.layout.asking_threads) job.stream = job.into_caches = false;
    if (const std::size_t count = job.layout.operands.size(); count <= 4) {
      std::copy_n(job.pointers, count, job.few);
      job.pointers = job.few;
    }
    RunParallel(job.layout.tiles, job.layout.pieces, options, &RunPieces, &job);
  } else {
    RunAll(job);
  }
}

// Whether what is far is run by loops of its own, and whether the output then goes into the caches all the same. In place its lines
// have just been read, and are in them.
struct Stores {
  bool stream, into_caches;
};
Stores StoresOf(const Layout& layout, std::byte* const* pointers, StorePolicy stores) {
  constexpr Stores kNear = {false, false}, kInto = {true, true}, kPast = {true, false};
  const int out = layout.input_count();
  const auto address = reinterpret_cast<std::uintptr_t>(pointers[out] + layout.offsets[out]);
  const bool long_runs = layout.can_stream && (address % kLineBytes == 0 || layout.run_bytes >= layout.least_off_lines);
  if (long_runs && stores == StorePolicy::kStream) return kPast;
  if (long_runs && stores == StorePolicy::kAuto && layout.streams &&
      std::find(pointers, pointers + out, pointers[out]) == pointers + out) {
    return kPast;
  }
  return layout.asking_threads > 0 && (long_runs || layout.squares()) ? kInto : kNear;
}

}  // namespace

void Execute(const Layout& layout, const Movers& movers, std::byte* const* pointers, const ExecuteOptions& options) noexcept {
  if (layout.direct()) return RunOnlyStep(layout, layout.steps[0].whole, pointers);  // plans have core/direct_call.h
  const Stores stores = StoresOf(layout, pointers, options.stores);
  TileJob job{layout, movers, pointers, stores.stream, stores.into_caches};
  RunJob(job, options);
}

void ExecutePart(const Layout& layout, const Movers& movers, std::byte* const* pointers, std::int64_t part, std::int64_t parts,
                 StorePolicy stores) noexcept {
  // The first `tiles % parts` parts have one tile more.
  const std::int64_t size = layout.tiles / parts, more = layout.tiles % parts;
  const std::int64_t begin = part * size + std::min(part, more);
  const std::int64_t end = begin + size + (part < more);
  if (begin == end) return;
  Stores how = StoresOf(layout, pointers, stores);
  if (how.into_caches && parts > layout.asking_threads) how = {false, false};  // as in RunJob
  TileJob job{layout, movers, pointers, how.stream, how.into_caches};
  RunTiles(job, begin, end);
}

bool ExecuteCheck(const Layout& layout, const Movers& movers, const std::byte* pointer, const ExecuteOptions& options) noexcept {
  if (layout.tiles == 1 && layout.operands[0].delivery != Delivery::kStaged) {  // without a job: 9 of 38 ns less
    return layout.check(CheckedTile(layout, layout.tile_rows(), layout.loops.back().chunk), pointer + layout.offsets[0]);
  }
  std::byte* pointers[] = {const_cast<std::byte*>(pointer)};  // a check only reads
  TileJob job{layout, movers, pointers, false, layout.asking_threads > 0};
  RunJob(job, options);
  return job.refused.load(std::memory_order_relaxed);
}

}  // namespace axiscast
