// Chooses how a canonical problem is cut into tiles, by a cost in seconds that is a sum of few numbers.
#include "core/tiling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/caches.h"
#include "core/permutation.h"
#include "core/pieces.h"
#include "core/program.h"
#include "core/tile_cost.h"

namespace axiscast {
namespace {

// Seen on an AVX-512 server, as the costs.
constexpr int kMostPermutedDims = 6;                  // of cols with a permuted input; a try for each input, of up to 1 us for most
constexpr std::int64_t kMostBesideStaged = 64;        // vectors of a group; int8 (49,17,7,17) of more took 4.6 times as long
constexpr std::int64_t kDirectTileBytes = 64 * 1024;  // of the widest operand, when nothing goes through scratch
constexpr std::int64_t kSlowTileBytes = 2 * 1024;     // at least, however slow the op is
constexpr std::int64_t kLongTileBytes = 128 * 1024;   // of a call that is never shared, when nothing goes through scratch
// When kernels transpose: bytes of rows, which are the transposed input's lines, and of cols. Whole lines both ways, and more of
// those that are far apart.
struct SidesInBytes {
  std::int64_t rows, cols;
};
// Where another thread has the rows after a tile's, each of its columns of squares has the CPU fetch some of their lines, which
// that thread then waits for: with two strips of 128 rows, a thread each, 256 x 256 of float32 take two threads 4.5 us, with one
// 3.6 (and one thread 6.7 and 6.0). But lines that squares share are lost where rows are many: 300 x 200 in tiles of 256 rows takes
// 1.16 times as long as in tiles of 128 or 192. Cols of 64 bytes take up to 1.4 times as long on two threads.
constexpr SidesInBytes kTransposedInL2 = {768, 128}, kTransposedInL2OnLines = {1024, 128}, kTransposedInL2Few = {512, 128};
constexpr std::int64_t kFewTransposed = 4;  // of fewer tiles the first ones would be too uneven for two threads: 200 x 200 has 3
// Tiles of 512 by 128 bytes take 1.2 times as long, and those of as many rows as cols, and of 64 KB and more, 1.1 to 1.6 times.
constexpr SidesInBytes kTransposedInL3 = {2048, 64};
// From memory, where kernels ask for what comes, what matters is how often another page of 4 KB is read or written: 2048 x 2048 of
// float32 takes 1.54 ms with cols of 128 bytes, 1.37 with 512, and 1.26 with 2 KB, which would be few tiles. But where the
// transposed input's lines begin off cache lines, each is read twice, and lost in between where cols are many: 43690 x 256 takes
// 3.6 ms with cols of 128 bytes, 3.9 with 256, 5.8 with 1 KB.
constexpr SidesInBytes kTransposedFar = {2048, 128}, kTransposedFarOnLines = {2048, 512};

// Tiles are what threads share; one thread wants none (core/layout.cc), nor does a piece of several that are one.
std::int64_t DirectTileBytes(const TilingProblem& problem, bool joined) {
  if (problem.serial) return kLongTileBytes;
  // Those that pieces do not join cost 37 ns and more each: longer ones.
  const double tile_seconds = joined ? UnitSeconds(problem.seconds) : std::clamp(problem.seconds / 16, 1.3e-6, 4e-6);
  const double bytes = std::min(tile_seconds / problem.seconds * problem.bytes, static_cast<double>(kDirectTileBytes));
  return std::max(static_cast<std::int64_t>(bytes) / kLineBytes * kLineBytes, kSlowTileBytes);
}

// The cheapest cols.
class Chooser : public TileCost {
 public:
  Chooser(const Canonical& canonical, const TilingProblem& problem)
      : TileCost(canonical, problem),
        flatten_bytes_(std::min(problem.streams ? StreamedTileBytes() : kFlattenBytes,
                                kScratchBytes / (count() + problem.passes) / kLineBytes * kLineBytes)) {
    TransposeIfCheaper();
    if (problem.permuted_lanes > 0) ChoosePermuted();
  }

  // The first of the dims that are flattened into cols, and what it costs: `forced_dims` of them where that may be, else the
  // cheapest.
  int FirstColDim(int forced_dims, TilingEstimate* estimate) const {
    int best = rank() - 1;
    *estimate = Cost(best);
    for (int first = best; first > 0 && MayFlatten(first); --first) {
      const TilingEstimate cost = Cost(first - 1);
      if (forced_dims > 0 ? rank() - first < forced_dims : cost.seconds() < estimate->seconds()) {
        best = first - 1;
        *estimate = cost;
      }
    }
    return best;
  }

 private:
  // Kernels take a transposed input as it lies, unless it is cheaper to stage it.
  void TransposeIfCheaper() {
    const int input = TransposedInput(), first = rank() - 1;
    if (input < 0) return;
    const double staged = Cost(first).seconds();
    Transpose(input);
    if (Cost(first).seconds() > staged) Transpose(-1);
  }

  // Are cols so short that the dim before them may be joined to them?
  bool MayFlatten(int first) const { return SaturatingProduct(Block(first), problem_.widest) < flatten_bytes_; }

  // Tries the few choices of cols where an input might be permuted, unless another delivery is cheaper than what that costs at
  // least.
  void ChoosePermuted() {
    TilingEstimate other;
    (void)FirstColDim(0, &other);
    double best = other.seconds();
    int best_input = -1, best_first = -1, tried = 0;
    for (int first = rank() - 1; first >= 0 && first + kMostPermutedDims >= rank(); --first) {
      if (first + 1 < rank() && !MayFlatten(first + 1)) break;  // FirstColDim does not come to it: nothing would be permuted
      const double rows = static_cast<double>(Block(0)) / static_cast<double>(Block(first));
      const double least = rows * kPermutedRowSeconds + kPermutedTileSeconds;
      for (const int input : {0, 1}) {
        if (!MayPermute(input, first) || least + LeastStagingSeconds(1 - input, first) >= best) continue;
        if (!MakePermutation(canonical_, input, first, problem_.sizes[input], problem_.permuted_lanes, problem_.keeps,
                             &permutations_[tried])) {
          continue;
        }
        if (GroupCols(permutations_[tried]) > kMostBesideStaged * permutations_[tried].lanes && Stages(1 - input, first)) continue;
        Permute(input, first, &permutations_[tried]);
        if (const double seconds = Cost(first).seconds(); seconds < best) {
          best = seconds;
          best_input = input;
          best_first = first;
          tried ^= 1;
        }
        Permute(-1, -1, nullptr);
      }
    }
    Permute(best_input, best_first, &permutations_[tried ^ 1]);
  }

  const std::int64_t flatten_bytes_;  // rows of cols are not made longer than this by joining dims
  Permutation permutations_[2];       // the best one, and one that is tried
};

// About so many rows or cols that the last tile has a whole square as well.
std::int64_t WithSquares(std::int64_t extent, std::int64_t about, std::int64_t side) {
  while (about < extent && extent % about != 0 && extent % about < side) about += side;
  return std::min(about, extent);
}

struct Sides {
  std::int64_t rows, cols;
};
// How many rows and cols tiles have, of all that there are.
Sides TransposedSides(const Sides& all, const SidesInBytes& about, const TilingProblem& problem) {
  constexpr std::int64_t kLeastTiles = 128;  // from memory, for many threads, while each has two squares of cols
  const std::int64_t side = kLineBytes / problem.widest, about_rows = about.rows / problem.widest;
  const std::int64_t rows = WithSquares(all.rows, about_rows, side);
  std::int64_t about_cols = std::max<std::int64_t>(about_rows / rows, 1) * about.cols / problem.widest;  // of fewer rows, wider
  const std::int64_t elements = SaturatingProduct(all.rows, all.cols);
  while (problem.far && about_cols >= 4 * side && elements / (rows * about_cols) < kLeastTiles) about_cols /= 2;
  return {rows, WithSquares(all.cols, about_cols, side)};
}
// on_lines: the transposed input's lines begin on cache lines.
Sides TransposedSides(const Sides& all, bool on_lines, const TilingProblem& problem) {
  if (problem.serial) return all;
  if (problem.far) return TransposedSides(all, on_lines ? kTransposedFarOnLines : kTransposedFar, problem);
  if (!problem.fits_l2) return TransposedSides(all, kTransposedInL3, problem);
  const Sides sides = TransposedSides(all, on_lines ? kTransposedInL2OnLines : kTransposedInL2, problem);
  const std::int64_t tiles = CeilDiv(all.rows, sides.rows) * CeilDiv(all.cols, sides.cols);
  return tiles < kFewTransposed ? TransposedSides(all, kTransposedInL2Few, problem) : sides;
}

}  // namespace

std::int64_t BlockElements(const Canonical& canonical, int first) {
  std::int64_t block = 1;
  for (int d = first; d < canonical.rank(); ++d) block *= canonical.extents[d];
  return block;
}

std::int64_t WholeBlocks(std::int64_t bytes, std::int64_t block) { return block / std::min(bytes & -bytes, block); }

std::int64_t SaturatingProduct(std::int64_t x, std::int64_t y) {
  std::int64_t product;
  return __builtin_mul_overflow(x, y, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

Tiling ChooseTiling(const Canonical& canonical, const TilingProblem& problem, const ForcedTiling& forced) {
  const Chooser chooser(canonical, problem);
  const int count = static_cast<int>(problem.sizes.size());
  Tiling tiling(canonical.memory());
  tiling.operands.reserve(problem.sizes.size());
  const int first = tiling.first = chooser.FirstColDim(forced.col_dims, &tiling.estimate);
  tiling.joins = chooser.Joins(first);
  tiling.by_blocks = chooser.ChainsByBlocks(first);
  tiling.whole_lines = chooser.WritesWholeLines(first);
  std::int64_t blocks = problem.result_blocks;
  for (int i = 0; i < count; ++i) {
    tiling.operands.push_back(chooser.TileOperand(i, first));
    if (tiling.operands.back().delivery == Delivery::kStaged) ++blocks;
  }

  if (const Permutation* permutation = chooser.permutation(first); permutation != nullptr) {
    const std::pmr::polymorphic_allocator<Permutation> allocator(canonical.memory());
    tiling.permutation = std::allocate_shared<const Permutation>(allocator, *permutation);
  }

  const int transposed = chooser.TransposedDim(first);
  tiling.transposes = transposed >= 0;
  tiling.rows = chooser.RowDim(first);
  tiling.abreast = chooser.RunsAbreast(first, chooser.SharedRowBytes(first), forced.abreast);
  // Cut rows leave the order of memory, in which it is faster where the results go there.
  const double shared = problem.streams || tiling.abreast ? 0 : static_cast<double>(chooser.SharedRowBytes(first));
  const double widened = chooser.SplatsAny(first) || !chooser.WidensOnce(first) ? kNeverCut : problem.widened_row_bytes;
  const bool shared_rows = shared > std::min(problem.shared_row_bytes, widened);
  const bool next_rows = tiling.rows < 0 || tiling.rows == first - 1;
  const bool joined = blocks == 0 && transposed < 0 && !shared_rows && next_rows;
  std::int64_t bytes = DirectTileBytes(problem, joined), row_bytes = bytes;
  const auto cut_shared_rows = [&](double longest) {
    if (shared > longest) row_bytes = std::min(row_bytes, static_cast<std::int64_t>(longest / 2));
  };
  // As long as they may be, and still kManyRows or more in each tile, or they are not widened once: chunks of up to 2 * kManyRows -
  // 1 rows, as even as MakeLoop makes them, have as many.
  const auto cut_widened_rows = [&] {
    if (shared <= widened) return;
    const std::int64_t rows = std::min(canonical.extents[tiling.rows], 2 * kManyRows - 1);
    row_bytes = std::min({row_bytes, static_cast<std::int64_t>(widened), bytes / rows});
  };
  if (blocks > 0) {
    const std::int64_t block_limit = kScratchBytes / blocks / 64 * 64;
    tiling.fold = chooser.Fold(first);
    if (tiling.fold * BlockElements(canonical, first + 1) * problem.widest > block_limit) tiling.fold = 0;
    bool large = problem.result_blocks == 0 && transposed < 0, only_images = large;
    for (int i = 0; i < count; ++i) {
      OperandTiling& operand = tiling.operands[i];
      operand.image = tiling.fold > 0 && chooser.IsImage(i, first);
      if (operand.delivery != Delivery::kStaged) continue;
      large = large && chooser.KeepsBlock(i, first, tiling.fold);
      only_images = only_images && operand.image;
    }
    // Images take no more scratch when a tile is as large as one that stages nothing; blocks of one row none when it has as many
    // rows.
    if (only_images) {
      bytes = row_bytes = DirectTileBytes(problem, true);
    } else {
      // One row of blocks beside results that go to memory may be as long as scratch: rows that are cut leave memory's order.
      const std::int64_t longest = large && problem.streams ? kScratchBytes : chooser.StagedTileBytes(first);
      row_bytes = std::min(transposed >= 0 ? kSquareTileBytes : longest, block_limit);
      if (!large) {
        bytes = row_bytes;
      } else if (tiling.fold == 0) {
        cut_widened_rows();
        // Tiles of whole rows, of which none has anything of its own in scratch, are joined too.
        const std::int64_t row = SaturatingProduct(BlockElements(canonical, first), problem.widest);
        if (row <= row_bytes && next_rows) bytes = std::max(DirectTileBytes(problem, true), row);
      }
    }
  }
  if (blocks == 0 && transposed < 0 && shared_rows) {
    cut_shared_rows(problem.shared_row_bytes);
    cut_widened_rows();
  }
  if (blocks == 0 && transposed < 0 && tiling.rows >= 0) {
    // All of them in L1, if they are two or three (of 32 KB): (566,1,185)+(566,2,185) takes 0.9 of the time in L2 and L3.
    const std::int64_t all = MachineCaches().l1 * 3 / 8, tiles = chooser.TilesThatMeet(first);
    if (tiles > 1 && tiles <= all / kLeastTileBytes) bytes = std::min(bytes, all / tiles);
  }
  if (forced.tile_bytes > 0) bytes = std::min(bytes, forced.tile_bytes);
  tiling.elements = std::max<std::int64_t>(bytes / problem.widest, 1);

  if (tiling.by_blocks) {
    const std::int64_t rows_of_blocks = kManyRows * BlockElements(canonical, first);
    if (tiling.elements > rows_of_blocks) tiling.elements -= tiling.elements % rows_of_blocks;
  }
  if (tiling.fold > 0) tiling.rows = -1;
  tiling.cols = std::clamp<std::int64_t>(row_bytes / problem.widest, 1, tiling.elements);
  if (chooser.IsAnyTransposed(first)) {
    const std::int64_t side = kLineBytes / problem.widest;
    const auto [rows, cols] =
        TransposedSides({canonical.extents[transposed], canonical.extents[first]}, chooser.IsTransposedOnLines(first), problem);
    // One thread takes all as one tile. Less is cut from cols: of too few rows for squares, 8 x 5000 take 4 times as long.
    const bool whole = (problem.serial || problem.far) && forced.tile_bytes == 0;
    tiling.elements = whole ? rows * cols : std::min(rows * cols, tiling.elements);
    tiling.cols = whole ? cols : std::min({cols, std::max(tiling.elements / rows / side * side, side), tiling.elements});
  } else if (transposed >= 0) {
    const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(tiling.elements)));
    tiling.cols = tiling.elements / std::clamp<std::int64_t>(canonical.extents[transposed], 1, std::max<std::int64_t>(side, 1));
    tiling.cols = std::max<std::int64_t>(tiling.cols / 16 * 16, 16);
  }
  return tiling;
}

}  // namespace axiscast
