// The worker that sums panels: from group to group, each by the tree of core/sum_tree.h.
#include "core/sum_execute.h"

#include <algorithm>
#include <cstring>

#include "core/copy.h"
#include "core/stage.h"
#include "core/sum_tree.h"

namespace axiscast {
namespace {

enum class SumPart : std::uint8_t {
  kAll,      // a piece of work is a panel
  kPieces,   // of the sums of the group that is split, into memory for partial sums
  kCombine,  // from there, a panel each
};

struct SumJob {
  const SumLayout& layout;
  const Movers& movers;
  const std::byte* x;
  std::byte* out;
  SumPart part = SumPart::kAll;
  std::byte* partial = nullptr;  // [sum of the split group][piece][panel][sum of the panel]
};

class SumWorker {
 public:
  explicit SumWorker(const SumJob& job) : job_(job), layout_(job.layout) {}

  void Run(Pieces& pieces) {
    std::int64_t begin, end;
    while (pieces.Take(&begin, &end)) {
      for (std::int64_t i = begin; i < end; ++i) job_.part == SumPart::kPieces ? SumPiece(i) : SumPanel(i);
    }
  }

 private:
  std::int64_t RowBytes() const { return layout_.panel * layout_.kernel.size; }
  std::byte* Scratch(std::int64_t at) { return scratch_ + at; }
  const SumGroup& Group(int g) const { return layout_.groups[static_cast<std::size_t>(g)]; }

  void MoveTo(std::int64_t panel) {
    panel_ = panel;
    x_ = job_.x + layout_.x_offset;
    out_ = job_.out + layout_.out_offset;
    const auto dim = static_cast<std::size_t>(layout_.panel_dim);
    const std::int64_t extent = layout_.extents[dim], chunks = extent / layout_.chunk + (extent % layout_.chunk != 0);
    const std::int64_t begin = panel % chunks * layout_.chunk;
    panel /= chunks;
    chunk_ = std::min(layout_.chunk, extent - begin);
    sums_ = layout_.panel / layout_.chunk * chunk_;
    x_ += begin * layout_.x_strides[dim];
    out_ += begin * layout_.out_strides[dim];
    for (std::size_t d = dim; d-- > 0; panel /= layout_.extents[d]) {
      x_ += panel % layout_.extents[d] * layout_.x_strides[d];
      out_ += panel % layout_.extents[d] * layout_.out_strides[d];
    }
  }

  // The panel's dims on one side; returns their number.
  int PanelDims(const std::vector<std::int64_t>& strides, BoxDim* dims) const {
    int rank = 0;
    for (std::size_t d = static_cast<std::size_t>(layout_.panel_dim); d < layout_.extents.size(); ++d) {
      const std::int64_t extent = d == static_cast<std::size_t>(layout_.panel_dim) ? chunk_ : layout_.extents[d];
      dims[rank++] = {extent, strides[d]};
    }
    return rank;
  }

  void SumPanel(std::int64_t panel) {
    MoveTo(panel);
    std::byte* const sums = Scratch(layout_.sums);
    if (layout_.no_summands) {
      std::memset(sums, 0, static_cast<std::size_t>(sums_ * layout_.kernel.size));
    } else {
      Sum(static_cast<int>(layout_.groups.size()) - 1, x_, 0, 1, 0, sums);
    }
    if (layout_.kernel.round != nullptr) layout_.kernel.round(sums, sums_, Scratch(layout_.rounded));
    BoxDim dims[kMaxRank];
    const int rank = PanelDims(layout_.out_strides, dims);
    StageOut(job_.movers, layout_.size_log2, dims, rank, Scratch(layout_.rounded), out_);
  }

  // Piece `work` of all: those of one sum of the group lie one after the other, and so do panels.
  void SumPiece(std::int64_t work) {
    std::byte* const to = job_.partial + work * RowBytes();
    MoveTo(work % layout_.panels);
    work /= layout_.panels;
    const std::int64_t piece = work % layout_.split_pieces, sum = work / layout_.split_pieces;
    const std::byte* x = x_;
    std::int64_t left = sum;
    for (std::size_t g = static_cast<std::size_t>(layout_.split) + 1; g < layout_.groups.size(); ++g) {
      x += Offset(layout_.groups[g], left % layout_.groups[g].count);
      left /= layout_.groups[g].count;
    }
    const std::int64_t begin = piece * layout_.split_count;
    SumRange(layout_.split, x, sum, begin, std::min(begin + layout_.split_count, Group(layout_.split).count), to);
  }

  // Of a group's summand number i, in bytes.
  static std::int64_t Offset(const SumGroup& group, std::int64_t i) {
    std::int64_t offset = 0;
    for (std::size_t d = group.dims.size(); d-- > 0; i /= group.dims[d].extent) {
      offset += i % group.dims[d].extent * group.dims[d].stride;
    }
    return offset;
  }

  // The panel's sums over groups 0 to g, for `count` places that are `stride` bytes apart, one after the other into `out`. `index`
  // counts the sums of group g, of which this makes some.
  void Sum(int g, const std::byte* x, std::int64_t index, std::int64_t count, std::int64_t stride, std::byte* out) {
    if (g == layout_.split && job_.part == SumPart::kCombine) {
      for (std::int64_t i = 0; i < count; ++i) Combine(index + i, out + i * sums_ * layout_.kernel.size);
    } else if (g == 0) {
      SumInnermost(x, 0, Group(0).count, count, stride, out);
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        SumRange(g, x + i * stride, index + i, 0, Group(g).count, out + i * sums_ * layout_.kernel.size);
      }
    }
  }

  // Summands [begin, end) of one place, begin being the first of a block.
  void SumRange(int g, const std::byte* x, std::int64_t index, std::int64_t begin, std::int64_t end, std::byte* out) {
    if (g == 0) return SumInnermost(x, begin, end, 1, 0, out);
    const SumGroup& group = Group(g);
    const std::int64_t lanes = layout_.kernel.lanes, row = sums_ * layout_.kernel.size;
    const auto add = [&](std::byte* to, const std::byte* from) { layout_.kernel.add(to, from, sums_); };
    BlockTree tree(out, Scratch(group.tree), row, add);
    for (std::int64_t block = begin; block < end; block += layout_.block()) {
      const std::int64_t stop = std::min(block + layout_.block(), end);
      for (std::int64_t i = block; i < stop;) {
        const std::int64_t lane = i % lanes, extent = group.dims.back().extent;
        const std::int64_t count = std::min({layout_.batch, lanes - lane, stop - i, extent - i % extent});
        std::byte* const to = Scratch(group.lanes) + lane * row;
        const bool first = i - block < lanes;
        std::byte* const sums = first ? to : Scratch(group.rows);
        Sum(g - 1, x + Offset(group, i), index * group.count + i, count, group.dims.back().stride, sums);
        if (!first) layout_.kernel.add(to, sums, count * sums_);
        i += count;
      }
      std::byte* const first_lane = Scratch(group.lanes);
      FoldSumLanes(lanes, std::min(lanes, stop - block), [&](std::int64_t to, std::int64_t from, std::int64_t count) {
        layout_.kernel.add(first_lane + to * row, first_lane + from * row, count * sums_);
      });
      std::memcpy(tree.Next(), first_lane, static_cast<std::size_t>(row));
      tree.Push();
    }
    tree.Finish();
  }

  // Adds the pieces up that the threads have left, where they are: the same pairs as a BlockTree's.
  void Combine(std::int64_t index, std::byte* out) {
    const std::int64_t pieces = layout_.split_pieces, stride = layout_.panels * RowBytes();
    std::byte* const first = job_.partial + index * pieces * stride + panel_ * RowBytes();
    for (std::int64_t step = 1; step < pieces; step *= 2) {
      for (std::int64_t i = 0; i + step < pieces; i += 2 * step) {
        layout_.kernel.add(first + i * stride, first + (i + step) * stride, sums_);
      }
    }
    std::memcpy(out, first, static_cast<std::size_t>(sums_ * layout_.kernel.size));
  }

  // Group 0: summands [begin, end) of `count` places.
  void SumInnermost(const std::byte* x, std::int64_t begin, std::int64_t end, std::int64_t count, std::int64_t stride,
                    std::byte* out) {
    BoxDim dims[kMaxBoxDims];
    int rank = 0;
    if (count > 1) dims[rank++] = {count, stride};
    rank += PanelDims(layout_.x_strides, dims + rank);
    if (layout_.delivery == SumDelivery::kStaged) return SumStaged(x, begin, end, dims, rank, out);
    // The innermost dim is the kernel's: of a row of sums, or of many rows of summands.
    if (layout_.delivery == SumDelivery::kRows && dims[rank - 1].extent == 1 && rank > 1) --rank;
    x += begin * Group(0).dims[0].stride;
    SumBox(x, end - begin, dims, rank, &out);
  }

  void SumBox(const std::byte* x, std::int64_t n, const BoxDim* dims, int rank, std::byte** out) {
    if (rank > 1) {
      for (std::int64_t i = 0; i < dims[0].extent; ++i) SumBox(x + i * dims[0].stride, n, dims + 1, rank - 1, out);
      return;
    }
    if (layout_.delivery == SumDelivery::kRows) {
      layout_.kernel.rows(x, dims[0].stride, dims[0].extent, n, *out);
    } else {
      layout_.kernel.columns(x, Group(0).dims[0].stride, n, dims[0].extent, layout_.far, Scratch(layout_.group0), *out);
    }
    *out += dims[0].extent * layout_.kernel.size;
  }

  // A block after the other, its summands moved into rows; those of one sum are one row.
  void SumStaged(const std::byte* x, std::int64_t begin, std::int64_t end, const BoxDim* places, int place_rank, std::byte* out) {
    const SumGroup& group = Group(0);
    BoxDim box[kMaxBoxDims];  // two dims of summands, and the places
    int rank = 2;
    std::int64_t cols = 1;
    for (int d = 0; d < place_rank; ++d) {
      if (places[d].extent == 1) continue;
      cols *= places[d].extent;
      if (rank > 2 && IsRun(box[rank - 1].stride, places[d].stride, places[d].extent)) {
        box[rank - 1] = {box[rank - 1].extent * places[d].extent, places[d].stride};
      } else {
        box[rank++] = places[d];
      }
    }
    const std::int64_t row = cols << layout_.size_log2, sums = cols * layout_.kernel.size;
    std::byte* const staging = Scratch(layout_.staging);
    const auto add = [&](std::byte* to, const std::byte* from) { layout_.kernel.add(to, from, cols); };
    BlockTree tree(out, Scratch(layout_.staged_tree), sums, add);
    for (std::int64_t block = begin; block < end; block += layout_.block()) {
      const std::int64_t stop = std::min(block + layout_.block(), end);
      for (std::int64_t i = block; i < stop;) {
        const int first = NextSummands(group, i, stop, box);
        StageIn(job_.movers, layout_.size_log2, box + first, rank - first, x + Offset(group, i), staging + (i - block) * row);
        i += box[1].extent * (first == 0 ? box[0].extent : 1);
      }
      if (cols == 1) {
        layout_.kernel.rows(staging, row, 1, stop - block, tree.Next());
      } else {
        layout_.kernel.columns(staging, row, stop - block, cols, false, Scratch(layout_.group0), tree.Next());
      }
      tree.Push();
    }
    tree.Finish();
  }

  // The summands from number i on that make a box: what is left of the innermost dim, as box[1], or all of it and steps of the next
  // one, box[0]. Returns the first of both that counts.
  static int NextSummands(const SumGroup& group, std::int64_t i, std::int64_t stop, BoxDim* box) {
    const BoxDim& inner = group.dims.back();
    const std::int64_t at = i % inner.extent;
    box[1] = {std::min(stop - i, inner.extent - at), inner.stride};
    if (group.dims.size() == 1 || at != 0 || stop - i < inner.extent) return 1;
    const BoxDim& outer = group.dims[group.dims.size() - 2];
    box[0] = {std::min((stop - i) / inner.extent, outer.extent - i / inner.extent % outer.extent), outer.stride};
    return 0;
  }

  alignas(64) std::byte scratch_[kSumScratchBytes];
  const SumJob& job_;
  const SumLayout& layout_;
  std::int64_t panel_ = 0, chunk_ = 0, sums_ = 0;  // the panel: its number, extent along panel_dim, sums
  const std::byte* x_ = nullptr;
  std::byte* out_ = nullptr;
};

void RunSum(void* state, Pieces& pieces) {
  SumWorker worker(*static_cast<const SumJob*>(state));
  worker.Run(pieces);
}

PieceSizes PiecesOf(const SumLayout& layout, std::int64_t items) {
  PieceSizes sizes = axiscast::PiecesOf(items, UnitOf(items, layout.seconds), layout.seconds);
  sizes.learns = false;  // panels are not run as one, and are read once
  return sizes;
}

}  // namespace

void ExecuteSum(const SumLayout& layout, const Movers& movers, const std::byte* x, std::byte* out,
                const ExecuteOptions& options) noexcept {
  SumJob job{layout, movers, x, out};
  if (!layout.parallel || !IsShared(layout.seconds, options)) return RunSerial(layout.panels, &RunSum, &job);
  if (layout.split < 0) return RunParallel(layout.panels, PiecesOf(layout, layout.panels), options, &RunSum, &job);
  const std::int64_t pieces = layout.panels * layout.split_sums * layout.split_pieces;
  const HeapBlock partial(pieces * layout.panel * layout.kernel.size);
  if (partial.data != nullptr) {
    job.partial = partial.data;
    job.part = SumPart::kPieces;
    RunParallel(pieces, PiecesOf(layout, pieces), options, &RunSum, &job);
    job.part = SumPart::kCombine;
  }
  RunSerial(layout.panels, &RunSum, &job);
}

}  // namespace axiscast
