// The loops of gather and scatter: made once, split over threads in each call. Threads never share an element of the output:
// ordered loops are not split, and steps of the others write different elements. Where nothing but a long ordered loop is there,
// each thread goes through all of it and writes what the index puts into a window of its own.
#include "core/index_nest.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/caches.h"
#include "core/canonical.h"
#include "core/element_size.h"
#include "core/parallel.h"

namespace axiscast {
namespace {

constexpr int kMaxLoops = kMaxRank + 2;
constexpr std::int64_t kIndexBlock = 1024;                 // indices that are read at once where they must be converted
constexpr double kLeastPieceBytes = 64 * 1024;             // half a microsecond, as a fork
constexpr double kBytesPerSecond = 120e9;                  // of one thread, in the second cache; it decides what is worth a fork
constexpr std::int64_t kPiecesPerThread = 4;               // so that a stalled thread delays a part of its share alone
constexpr std::int64_t kLeastPieceWidth = 4 * kLineBytes;  // of a piece of a dense row: threads keep to cache lines of their own

// What a step costs besides its bytes: reading the index, and a line that is not its neighbour's.
constexpr double kBytesPerRow = 16;

std::int64_t Magnitude(std::int64_t stride) { return stride < 0 ? -stride : stride; }

bool CanMerge(const NestLoop& outer, const NestLoop& inner) {
  if (outer.ordered != inner.ordered) return false;
  for (int i = 0; i < kNestOperands; ++i) {
    if (!IsRun(outer.strides[i], inner.strides[i], inner.extent)) return false;
  }
  return true;
}

}  // namespace

IndexNest::IndexNest(std::vector<NestLoop> loops, const NestSteps& steps, std::int64_t ordered_key, DType index_dtype,
                     std::int64_t wrap)
    : steps_(steps), index_type_(index_dtype == DType::kInt64 ? 1 : 0), index_size_(SizeInBytes(index_dtype)), wrap_(wrap) {
  loops.erase(std::remove_if(loops.begin(), loops.end(), [](const NestLoop& loop) { return loop.extent == 1; }), loops.end());
  double elements = 1;
  for (NestLoop& loop : loops) {
    elements *= static_cast<double>(loop.extent);
    if (loop.ordered || loop.strides[kNestOut] >= 0) continue;
    for (int i = 0; i < kNestOperands; ++i) {
      offsets_[i] += loop.strides[i] * (loop.extent - 1);
      loop.strides[i] = -loop.strides[i];
    }
  }
  const auto key = [ordered_key](const NestLoop& loop) { return Magnitude(loop.ordered ? ordered_key : loop.strides[kNestOut]); };
  std::stable_sort(loops.begin(), loops.end(), [&key](const NestLoop& x, const NestLoop& y) { return key(x) > key(y); });
  for (const NestLoop& loop : loops) {
    if (!loops_.empty() && CanMerge(loops_.back(), loop)) {
      const std::int64_t outer = loops_.back().extent;
      loops_.back() = loop;
      loops_.back().extent *= outer;
    } else {
      loops_.push_back(loop);
    }
  }
  // Cols are elements that share an index; where the innermost loop has one of its own for each step, it runs along rows.
  if (loops_.empty() || loops_.back().strides[kNestIndex] != 0) loops_.push_back({1});
  if (loops_.size() == 1) loops_.insert(loops_.begin(), {1});
  bytes_ = elements / static_cast<double>(loops_.back().extent) * kBytesPerRow +
           elements * static_cast<double>(std::min<std::int64_t>(Magnitude(loops_.back().strides[kNestOut]), kLineBytes));
}

void IndexNest::SetSizes(std::int64_t extent, double chosen, double written, int x_size_log2) {
  const Caches& caches = MachineCaches();
  extent_ = extent;
  x_size_log2_ = x_size_log2;
  far_ = chosen > static_cast<double>(caches.l2);
  stream_ = written > static_cast<double>(caches.l3);
}

// Looking at all of the index takes a thread as long as writing to a near cache: windows pay where what is written is far.
bool IndexNest::CanHaveWindows() const {
  return far_ && loops_.size() == 2 && loops_[0].ordered && loops_[1].extent == 1 && !loops_[1].ordered;
}

// How each loop is cut: into counts[l] ranges of `chunks[l]` steps; or else what the index chooses from, into windows.
struct IndexNest::Split {
  std::int64_t window = 0;  // values of the index; 0: all of them
  std::int64_t chunks[kMaxLoops];
  std::int64_t counts[kMaxLoops];
  std::int64_t total = 1;
};

std::int64_t IndexNest::WantedPieces(std::int64_t threads) const {
  if (threads <= 1) return 1;
  const double worthwhile = std::min(bytes_ / kLeastPieceBytes, 1e9);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(worthwhile), 1, threads * kPiecesPerThread);
}

std::int64_t IndexNest::PiecesFor(std::int64_t threads) const {
  Split split;
  MakeSplit(WantedPieces(threads), &split);
  return split.total;
}

double IndexNest::Seconds() const { return bytes_ / kBytesPerSecond; }

bool IndexNest::parallel() const { return Seconds() > kSharedSeconds && PiecesFor(2) > 1; }

void IndexNest::MakeSplit(std::int64_t pieces, Split* split) const {
  if (pieces > 1 && CanHaveWindows()) {
    const std::int64_t windows = std::max<std::int64_t>(pieces / kPiecesPerThread, 1);
    split->window = (extent_ / windows / kIndexBlock + 1) * kIndexBlock;
    split->chunks[0] = loops_[0].extent;
    split->chunks[1] = split->counts[0] = split->counts[1] = 1;
    split->total = (extent_ + split->window - 1) / split->window;
    return;
  }
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    const NestLoop& loop = loops_[l];
    std::int64_t parts = loop.ordered ? 1 : std::min(pieces, loop.extent);
    const std::int64_t stride = Magnitude(loop.strides[kNestOut]);
    if (parts > 1 && stride > 0 && stride < kLeastPieceWidth)
      parts = std::clamp<std::int64_t>(loop.extent / (kLeastPieceWidth / stride), 1, parts);
    split->chunks[l] = (loop.extent + parts - 1) / parts;
    split->counts[l] = (loop.extent + split->chunks[l] - 1) / split->chunks[l];
    split->total *= split->counts[l];
    pieces = (pieces + split->counts[l] - 1) / split->counts[l];
  }
}

class IndexNest::Worker {
 public:
  Worker(const IndexNest& nest, const Split& split, const IndexKernels& kernels, const NestPhase* phases, int phase_count,
         std::byte* const* pointers, bool stream)
      : nest_(nest),
        split_(split),
        kernels_(kernels),
        phases_(phases),
        phase_count_(phase_count),
        pointers_(pointers),
        stream_(stream),
        outer_(static_cast<int>(nest.loops_.size()) - 2) {}

  void RunPiece(std::int64_t piece) {
    std::byte* start[kNestOperands];
    for (int i = 0; i < kNestOperands; ++i) start[i] = pointers_[i] != nullptr ? pointers_[i] + nest_.offsets_[i] : nullptr;
    if (split_.window > 0) {
      lowest_ = piece * split_.window;
      highest_ = std::min(nest_.extent_, lowest_ + split_.window) - 1;
      piece = 0;
    }
    for (int l = outer_ + 1; l >= 0; --l) {
      const std::int64_t first = piece % split_.counts[l] * split_.chunks[l];
      piece /= split_.counts[l];
      extents_[l] = std::min(split_.chunks[l], nest_.loops_[static_cast<std::size_t>(l)].extent - first);
      Step(l, first, start);
    }
    for (int p = 0; p < phase_count_; ++p) {
      std::copy_n(start, kNestOperands, position_);
      RunPhase(phases_[p]);
    }
  }

 private:
  const NestLoop& LoopAt(int l) const { return nest_.loops_[static_cast<std::size_t>(l)]; }

  void Step(int l, std::int64_t steps, std::byte** position) const {
    for (int i = 0; i < kNestOperands; ++i) {
      if (position[i] != nullptr) position[i] += steps * LoopAt(l).strides[i];
    }
  }

  void RunPhase(const NestPhase& phase) {
    std::int64_t at[kMaxLoops] = {};
    const bool joins = JoinsRows(phase);
    for (;;) {
      joins ? RunJoinedRows(phase) : RunRows(phase);
      int l = joins ? outer_ - 2 : outer_ - 1;
      for (; l >= 0; --l) {
        if (++at[l] < extents_[l]) break;
        Step(l, -(at[l] - 1), position_);
        at[l] = 0;
      }
      if (l < 0) return;
      Step(l, 1, position_);
    }
  }

  IndexSide SideOf(NestOperand operand) const {
    return {position_[operand], LoopAt(outer_).strides[operand], LoopAt(outer_ + 1).strides[operand], nest_.steps_.bytes[operand]};
  }

  bool IsAsKernelsTakeIt(const std::byte* index, std::int64_t stride) const {
    return nest_.index_size_ == sizeof(std::int64_t) && nest_.wrap_ == 0 && stride == sizeof(std::int64_t) &&
           reinterpret_cast<std::uintptr_t>(index) % sizeof(std::int64_t) == 0;
  }

  void RunRows(const NestPhase& phase) {
    IndexRows rows{nullptr, 0, extents_[outer_ + 1], SideOf(phase.x), SideOf(phase.out), {}, nest_.far_, stream_};
    if (phase.counts) rows.counts = SideOf(kNestCounts);
    const std::int64_t stride = LoopAt(outer_).strides[kNestIndex];
    const std::byte* index = position_[kNestIndex];
    const bool as_it_is = IsAsKernelsTakeIt(index, extents_[outer_] == 1 ? std::int64_t{sizeof(std::int64_t)} : stride);
    const bool windowed = split_.window > 0;
    const std::int64_t block = as_it_is && !windowed ? extents_[outer_] : std::min(extents_[outer_], kIndexBlock);
    for (std::int64_t first = 0; first < extents_[outer_]; first += block) {
      rows.rows = std::min(block, extents_[outer_] - first);
      rows.index = as_it_is ? reinterpret_cast<const std::int64_t*>(index) : Read(index, stride, rows.rows);
      if (windowed) {
        RunInWindow(phase, rows);
      } else {
        phase.run(rows);
      }
      index += rows.rows * stride;
      rows.x.data += rows.rows * rows.x.row_stride;
      rows.out.data += rows.rows * rows.out.row_stride;
      if (phase.counts) rows.counts.data += rows.rows * rows.counts.row_stride;
    }
  }

  // Whether the rows of the loop outside theirs can be run in one go: an element each, of which one side is chosen, and the other
  // one and the index go on from loop to loop. Rows that are short, (N, 8) along dim 0, took 4 to 16 times as long one by one.
  bool JoinsRows(const NestPhase& phase) const {
    if (outer_ == 0 || extents_[outer_ + 1] != 1 || phase.counts || split_.window > 0) return false;
    const NestLoop &loop = LoopAt(outer_ - 1), &rows = LoopAt(outer_);
    const auto is_run = [&](NestOperand operand) { return IsRun(loop.strides[operand], rows.strides[operand], extents_[outer_]); };
    const bool in_x = nest_.steps_.bytes[phase.x] != 0, in_out = nest_.steps_.bytes[phase.out] != 0;
    return in_x != in_out && is_run(kNestIndex) && is_run(in_x ? phase.out : phase.x);
  }

  // The chosen side's places in its rows become part of the indices, which count bytes.
  void RunJoinedRows(const NestPhase& phase) {
    const bool in_x = nest_.steps_.bytes[phase.x] != 0;
    const NestOperand chosen = in_x ? phase.x : phase.out;
    const std::int64_t steps = nest_.steps_.bytes[chosen], period = extents_[outer_], total = extents_[outer_ - 1] * period;
    const std::int64_t across = LoopAt(outer_).strides[chosen];
    const std::int64_t back = LoopAt(outer_ - 1).strides[chosen] - period * across;  // from the end of a row to the next one
    const std::int64_t stride = LoopAt(outer_).strides[kNestIndex];
    IndexRows rows{block_, 0, 1, SideOf(phase.x), SideOf(phase.out), {}, nest_.far_, stream_};
    IndexSide &side = in_x ? rows.x : rows.out, &own = in_x ? rows.out : rows.x;
    side.row_stride = 0;
    side.index_stride = 1;
    const std::byte* index = position_[kNestIndex];
    read_from_ = nullptr;
    for (std::int64_t first = 0, place = 0, offset = 0; first < total; first += kIndexBlock) {
      rows.rows = std::min(kIndexBlock, total - first);
      const std::int64_t* values = block_;
      if (IsAsKernelsTakeIt(index, stride)) {
        values = reinterpret_cast<const std::int64_t*>(index);
      } else {
        kernels_.read[nest_.index_type_](index, stride, rows.rows, nest_.wrap_, block_);
      }
      for (std::int64_t r = 0; r < rows.rows;) {
        const std::int64_t end = std::min(rows.rows, r + period - place);
        place += end - r;
        for (; r < end; ++r, offset += across) block_[r] = values[r] * steps + offset;
        if (place == period) place = 0, offset += back;
      }
      phase.run(rows);
      index += rows.rows * stride;
      own.data += rows.rows * own.row_stride;
    }
  }

  // Whether all of the block's indices lie in [lowest, highest].
  bool InRange(const IndexRows& rows, std::int64_t lowest, std::int64_t highest) const {
    const auto* index = reinterpret_cast<const std::byte*>(rows.index);
    return kernels_.in_range[1](index, sizeof(std::int64_t), rows.rows, lowest, highest);
  }

  // The rows whose index lies in the window, in their order.
  void RunInWindow(const NestPhase& phase, const IndexRows& block) {
    if (InRange(block, lowest_, highest_)) return phase.run(block);
    if (lowest_ > 0 && InRange(block, 0, lowest_ - 1)) return;
    if (highest_ < nest_.extent_ - 1 && InRange(block, highest_ + 1, nest_.extent_ - 1)) return;
    const std::int64_t* const index = block.index;
    const std::int64_t count = block.rows, lowest = lowest_;
    const auto window = static_cast<std::uint64_t>(highest_ - lowest);
    std::int64_t chosen = 0;
    for (std::int64_t r = 0; r < count; ++r) {
      chosen_[chosen] = index[r];
      rows_of_[chosen] = r;
      chosen += static_cast<std::uint64_t>(index[r] - lowest) <= window;
    }
    if (chosen == 0) return;
    IndexRows rows = block;
    rows.rows = chosen;
    if (phase.x == kNestX && block.x.row_stride != 0) {
      const std::int64_t size = std::int64_t{1} << nest_.x_size_log2_;
      rows.index = rows_of_;
      rows.x = {block.x.data, 0, 0, block.x.row_stride};
      rows.out = {x_, size, 0, 0};
      kernels_.gather[nest_.x_size_log2_](rows);
      rows.x = {x_, size, 0, 0};
      rows.out = block.out;
    }
    rows.index = chosen_;
    phase.run(rows);
  }

  // Indices as kernels take them, unless they are there: one row of them may serve many.
  const std::int64_t* Read(const std::byte* index, std::int64_t stride, std::int64_t count) {
    if (index != read_from_ || count != read_count_) {
      kernels_.read[nest_.index_type_](index, stride, count, nest_.wrap_, block_);
      read_from_ = index;
      read_count_ = count;
    }
    return block_;
  }

  const IndexNest& nest_;
  const Split& split_;
  const IndexKernels& kernels_;
  const NestPhase* const phases_;
  const int phase_count_;
  std::byte* const* const pointers_;
  const bool stream_;
  const int outer_;                  // loops outside rows and cols
  std::int64_t extents_[kMaxLoops];  // of this piece
  std::byte* position_[kNestOperands];
  const std::byte* read_from_ = nullptr;  // what is in block_
  std::int64_t read_count_ = 0;
  std::int64_t block_[kIndexBlock];
  std::int64_t lowest_ = 0, highest_ = 0;  // of the window
  std::int64_t chosen_[kIndexBlock], rows_of_[kIndexBlock];
  alignas(8) std::byte x_[kIndexBlock * 8];
};

void IndexNest::Run(const IndexKernels& kernels, const NestPhase* phases, int phase_count, std::byte* const* pointers,
                    const ExecuteOptions& options) const noexcept {
  struct Job {
    const IndexNest& nest;
    Split split;
    const IndexKernels& kernels;
    const NestPhase* phases;
    int phase_count;
    std::byte* const* pointers;
    bool stream;
  } job{*this, {}, kernels, phases, phase_count, pointers, stream_};
  if (options.stores != StorePolicy::kAuto) job.stream = options.stores == StorePolicy::kStream;
  MakeSplit(IsShared(Seconds(), options) ? WantedPieces(Concurrency(options)) : 1, &job.split);
  const Work work = [](void* state, Pieces& pieces) {
    const Job& j = *static_cast<const Job*>(state);
    std::int64_t begin, end;
    if (!pieces.Take(&begin, &end)) return;
    Worker worker(j.nest, j.split, j.kernels, j.phases, j.phase_count, j.pointers, j.stream);
    do {
      for (; begin < end; ++begin) worker.RunPiece(begin);
    } while (pieces.Take(&begin, &end));
  };
  RunParallel(job.split.total, {1}, options, work, &job);
}

}  // namespace axiscast
