// Chooses how a canonical problem is cut into tiles, by a cost in seconds that is a sum of few numbers.
#include "core/tiling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/caches.h"
#include "core/parallel.h"
#include "core/permutation.h"
#include "core/program.h"
#include "core/speed.h"
#include "core/tile_cols.h"

namespace axiscast {
namespace {

// The numbers behind the choice; each was seen on an AVX-512 server. What they are to each other is good enough
// within a factor of two anywhere.
constexpr double kRowSeconds = 0.25e-9;               // a kernel's row of whole vectors
constexpr double kJoinedRowSeconds = 0.5e-9;          // one with a ragged end that goes on in the next row
constexpr double kRaggedRowSeconds = 0.8e-9;          // another one with a ragged end
constexpr double kPermutedRowSeconds = 1.5e-9;        // one with a permuted input
constexpr double kPermutedTileSeconds = 5e-9;         // more for a tile of such rows
constexpr double kTwoVectorsSeconds = 0.15e-9;        // more for a permuted vector that is made of two
constexpr double kPermutedRestSeconds = 1.5e-9;       // more for one that does not fill a group, or is read in parts
constexpr double kStreamedRunSeconds = 20e-9;         // the first and last line of what is stored past the caches
constexpr double kShortRowSeconds = 2.5e-9;           // a row that does not fill a vector
constexpr double kTileSeconds = 10e-9;                // a tile: moving on, and the kernel's call
constexpr double kStageSeconds = 18e-9;               // a block that is staged, however small
constexpr double kStagedBytesPerSecond = 200e9;       // written to scratch in order, and read again
constexpr double kPatternBytesPerSecond = 60e9;       // of what is written over and over, for all of a tile
constexpr double kRunSeconds = 0.3e-9;                // a short run that is moved on its own
constexpr double kReversedSeconds = 1e-9;             // an element of one that is reversed
constexpr double kLongRepeatSeconds = 0.7e-9;         // a vector of an element that is repeated more often than tables have it
constexpr double kGatherSeconds = 0.3e-9;             // an element moved on its own
constexpr double kTransposeSeconds = 0.075e-9;        // an element moved in a square
constexpr double kTransposedSeconds = 0.6e-9;         // a vector of a transposed input
constexpr std::int64_t kSmallStep = 4;                // elements; movers take such steps in whole vectors
constexpr std::int64_t kVectorBytes = 64;             // of the server, in the numbers above
constexpr int kMostPermutedDims = 4;                  // of cols with a permuted input; a try each, of up to 1 us
constexpr std::int64_t kFlattenBytes = 1024;          // joining dims to longer rows than this gains nothing
constexpr std::int64_t kDirectTileBytes = 64 * 1024;  // of the widest operand, when nothing goes through scratch
constexpr std::int64_t kSlowTileBytes = 8 * 1024;     // at least, however slow the op is
constexpr std::int64_t kStagedTileBytes = 8 * 1024;   // of what is staged (all rows, or one for all of them), and of chains
constexpr std::int64_t kLongTileBytes = 128 * 1024;   // of a call that is never shared, when nothing goes through scratch
constexpr std::int64_t kSquareTileBytes = 16 * 1024;  // when an operand is staged by a transpose: whole cache lines both ways
// When kernels transpose: bytes of rows, which are the transposed input's lines, and of cols. Whole lines both ways, and more of
// those that are far apart. From memory fewer cols take 0.75 to 1.1 of the time, in L3 up to 1.5; tiles of as many rows as cols,
// and of 64 KB and more, take 1.1 to 1.6 times as long.
constexpr std::int64_t kTransposedRowBytes = 512, kTransposedColBytes = 128, kFarTransposedColBytes = 64;

// Tiles are what threads share; one thread wants none (core/layout.cc).
std::int64_t DirectTileBytes(const TilingProblem& problem) {
  if (problem.serial) return kLongTileBytes;
  const double bytes =
      std::min(PieceSeconds(problem.seconds) / problem.seconds * problem.bytes, static_cast<double>(kDirectTileBytes));
  return std::max(static_cast<std::int64_t>(bytes) / kLineBytes * kLineBytes, kSlowTileBytes);
}

// The cheapest cols.
class Chooser : public TileCols {
 public:
  Chooser(const Canonical& canonical, const TilingProblem& problem)
      : TileCols(canonical, problem),
        flatten_bytes_(
            std::min(problem.streams ? kStagedTileBytes : kFlattenBytes, kScratchBytes / (count() + problem.steps) / 64 * 64)) {
    TransposeIfCheaper();
    if (problem.permuted_lanes > 0) ChoosePermuted();
  }

  // How the kernel takes the input that is permuted where cols are the dims from `first` on; null where none is.
  const Permutation* permutation(int first) const { return IsAnyPermuted(first) ? &permutations_[chosen_] : nullptr; }

  // Rows, tiles and staging when cols are the dims from `first` on.
  TilingEstimate Cost(int first) const {
    TilingEstimate estimate;
    const double elements = static_cast<double>(Block(0));
    const std::int64_t fold = Fold(first);
    const std::int64_t row_cols = fold > 0 ? fold * Block(first + 1) : Block(first);
    const std::int64_t row_bytes = SaturatingProduct(row_cols, problem_.widest), vector = problem_.vector_bytes;
    const bool joins = Joins(first), keeps = Keeps(first, fold), permuted = IsAnyPermuted(first);
    double row = keeps                     ? 0
                 : permuted                ? PermutedRowSeconds(first)
                 : row_bytes < vector      ? kShortRowSeconds
                 : row_bytes % vector == 0 ? kRowSeconds
                 : joins                   ? kJoinedRowSeconds
                                           : kRaggedRowSeconds;
    const bool joined = joins && row_bytes >= vector && row_bytes % vector != 0;
    if (problem_.streams && !joined && !WritesWholeLines(first)) row += kStreamedRunSeconds;
    bool large = problem_.result_blocks == 0;  // tiles
    for (int i = 0; i < count(); ++i) {
      if (!Stages(i, first)) continue;
      large = large && KeepsBlock(i, first, fold);
      const bool image = fold > 0 && IsImage(i, first);
      AddStaging(i, first, image ? row_cols * problem_.sizes[i] : StagedTileBytes(first), image, &estimate);
    }
    const std::int64_t tile = (large ? std::numeric_limits<std::int64_t>::max() : StagedTileBytes(first)) / problem_.widest;
    const std::int64_t tile_cols = std::min(Block(first), tile);
    const std::int64_t tile_rows = first == 0 || fold > 0 ? 1 : std::min(canonical_.extents[RowDim(first)], tile / tile_cols);
    const double tiles = std::ceil(elements / static_cast<double>(tile_cols * tile_rows));
    estimate.tiles = {tiles, tiles * kTileSeconds};

    bool dense = joins;  // a tile's rows are one
    for (int i = 0; i < count(); ++i) dense = dense && !Splats(i, first) && (fold == 0 || !IsImage(i, first));
    const double rows = dense ? tiles : elements / static_cast<double>(row_cols);
    if (IsAnyTransposed(first)) {
      estimate.transposing.Add(elements, SecondsOfSquares(first));
      if (problem_.streams && !WritesWholeLines(first)) estimate.transposing.seconds += rows * kStreamedRunSeconds;
      return estimate;
    }
    estimate.rows = {rows, rows * row};
    if (permuted) {
      estimate.rows.seconds += tiles * kPermutedTileSeconds;
      if (!permutations_[chosen_].once) {
        estimate.rows.seconds += elements * static_cast<double>(problem_.widest) / kVectorBytes * kTwoVectorsSeconds;
      }
    }
    return estimate;
  }

  // Of a transposed input: whole squares of a line's elements, along cols and rows.
  double SecondsOfSquares(int first) const {
    const std::int64_t side = kLineBytes / problem_.widest, extents[] = {canonical_.extents[RowDim(first)], Block(first)};
    double vectors = static_cast<double>(Block(0)) / static_cast<double>(side);
    for (const std::int64_t extent : extents) {
      vectors *= static_cast<double>((extent + side - 1) / side * side) / static_cast<double>(extent);
    }
    return vectors * kTransposedSeconds;
  }

  double PermutedRowSeconds(int first) const {
    const Permutation& p = permutations_[chosen_];
    const std::int64_t group = p.parts * p.lanes, cols = Block(first);
    const std::int64_t groups = std::max<std::int64_t>(cols - p.slack, 0) / group;
    return kPermutedRowSeconds + std::ceil(static_cast<double>(cols - groups * group) / p.lanes) * kPermutedRestSeconds;
  }

  // Of the widest operand, where something goes through scratch. A call that no threads share is one tile as long as L1 holds its
  // operands and blocks: 1.1 to 1.3 times faster; beyond, 0.8.
  std::int64_t StagedTileBytes(int first) const {
    std::int64_t blocks = problem_.result_blocks;
    for (int i = 0; i < count(); ++i) blocks += Stages(i, first);
    const std::int64_t bytes = SaturatingProduct(Block(0), problem_.widest);
    const std::int64_t l1 = MachineCaches().l1;
    if (problem_.serial && SaturatingProduct(bytes, count() + blocks) <= l1) return std::max(bytes, kStagedTileBytes);
    // In memory L1 holds what the next tile needs besides: of 32 KB, tiles of 8 KB take 1.4 times as long as 5 KB in chains. In L2
    // 5 KB take 1.2 times as long.
    return problem_.streams ? std::min(kStagedTileBytes, l1 / 6 / kLineBytes * kLineBytes) : kStagedTileBytes;
  }

  // Do movers permute whole vectors of the operand (simd/boxes-inl.h)?
  bool IsBox(int operand, int first) const {
    const std::pmr::vector<std::int64_t>& strides = canonical_.strides[operand];
    const std::int64_t size = problem_.sizes[operand];
    if (SaturatingProduct(canonical_.extents[first], 2 * size) < 3 * problem_.vector_bytes) return false;  // too few
    std::int64_t span = size;
    for (int d = first + 1; d < rank(); ++d) span += std::abs(strides[d]) * (canonical_.extents[d] - 1);
    return std::max({span, std::abs(strides[first]), Block(first + 1) * size}) <= problem_.vector_bytes;
  }

  // What a run along a staged block's innermost dim costs, or a repetition, beyond its bytes.
  double SecondsOfRun(int operand, int first) const {
    const std::pmr::vector<std::int64_t>& strides = canonical_.strides[operand];
    const std::int64_t extent = canonical_.extents[rank() - 1], bytes = SaturatingProduct(extent, problem_.sizes[operand]);
    const double vectors = std::ceil(static_cast<double>(bytes) / kVectorBytes);
    if (strides[rank() - 1] == 0) return extent > kMaxRepeat ? vectors * kLongRepeatSeconds : 0;
    const bool apart = std::any_of(strides.begin() + first, strides.end() - 1,
                                   [&](std::int64_t stride) { return stride != 0 && stride != bytes; });
    if (!apart || bytes >= kVectorBytes) return 0;
    return strides[rank() - 1] < 0 && !IsBox(operand, first) ? static_cast<double>(extent) * kReversedSeconds : kRunSeconds;
  }

  // What it costs to stage the operand in blocks of so many bytes.
  void AddStaging(int operand, int first, std::int64_t block_bytes, bool image, TilingEstimate* estimate) const {
    const std::pmr::vector<std::int64_t>& strides = canonical_.strides[operand];
    const double size = static_cast<double>(problem_.sizes[operand]);
    const double block = static_cast<double>(Block(first)) * size;
    const double tile = std::min(block, static_cast<double>(block_bytes));
    // Along a stretched first dim, and where a tile holds the whole block, what was staged serves the next tile as well.
    const bool keeps = strides[first] == 0 || block <= tile;
    int outer = first - 1;
    while (keeps && outer >= 0 && strides[outer] == 0) --outer;
    double times = keeps ? 1 : block / tile;
    for (; outer >= 0; --outer) times *= static_cast<double>(canonical_.extents[outer]);
    const std::int64_t step = std::abs(strides[rank() - 1]);
    if (step <= kSmallStep * problem_.sizes[operand] || (step <= kVectorBytes / 4 && !IsOutput(operand))) {
      const double span = tile * std::max(1.0, static_cast<double>(step) / size);  // of which the rest is read past
      double runs = strides[first] == 0 ? 1 : tile / size / static_cast<double>(Block(first + 1));  // that are not copies of others
      for (int d = first + 1; d < rank() - 1; ++d) runs *= strides[d] == 0 ? 1 : static_cast<double>(canonical_.extents[d]);
      const double bytes_per_second = strides[first] == 0 && !image ? kPatternBytesPerSecond : kStagedBytesPerSecond;
      estimate->staging.Add(times * tile,
                            times * (kStageSeconds + (tile + span) / 2 / bytes_per_second + runs * SecondsOfRun(operand, first)));
    } else if (ContiguousDim(operand, first) >= 0 || (block <= tile && ContiguousDim(operand, rank()) >= 0)) {
      const double squares = std::ceil(times * tile / static_cast<double>(kSquareTileBytes));
      estimate->transposing.Add(times * tile / size, squares * kStageSeconds + times * tile / size * kTransposeSeconds);
    } else {
      estimate->gathering.Add(times * tile / size, times * (kStageSeconds + tile / size * kGatherSeconds));
    }
  }

  // The first of the dims that are flattened into cols, and what it costs: `forced_dims` of them where that may be, else the
  // cheapest.
  int FirstColDim(int forced_dims, TilingEstimate* estimate) const {
    int best = rank() - 1;
    *estimate = Cost(best);
    for (int first = best; first > 0 && SaturatingProduct(Block(first), problem_.widest) < flatten_bytes_; --first) {
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

  // Tries the few choices of cols where an input might be permuted, unless another delivery is cheaper than what that costs at
  // least.
  void ChoosePermuted() {
    TilingEstimate other;
    (void)FirstColDim(0, &other);
    double best = other.seconds();
    int best_input = -1, best_first = -1;
    for (int first = rank() - 1; first >= 0 && first + kMostPermutedDims >= rank(); --first) {
      const int input = StagedInput(first);
      if (input < 0) continue;
      const double rows = static_cast<double>(Block(0)) / static_cast<double>(Block(first));
      if (rows * kPermutedRowSeconds + kPermutedTileSeconds >= best) continue;
      if (!MakePermutation(canonical_, input, first, problem_.sizes[input], problem_.permuted_lanes, problem_.keeps,
                           &permutations_[chosen_])) {
        continue;
      }
      Permute(input, first);
      if (const double seconds = Cost(first).seconds(); seconds < best) {
        best = seconds;
        best_input = input;
        best_first = first;
        chosen_ ^= 1;
      }
      Permute(-1, -1);
    }
    chosen_ ^= 1;  // back to the best one
    Permute(best_input, best_first);
  }

  const std::int64_t flatten_bytes_;  // rows of cols are not made longer than this by joining dims
  Permutation permutations_[2];       // the best one, and one that is tried
  int chosen_ = 0;
};

// About `cols` of them, so many that the last tile has a whole square as well.
std::int64_t ColsOfSquares(std::int64_t extent, std::int64_t cols, std::int64_t side) {
  cols = cols / side * side;
  while (cols < extent && extent % cols != 0 && extent % cols < side) cols += side;
  return std::min(cols, extent);
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
  std::int64_t bytes = DirectTileBytes(problem), row_bytes = bytes;
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
    if (!only_images) {
      row_bytes = std::min(transposed >= 0 ? kSquareTileBytes : chooser.StagedTileBytes(first), block_limit);
      if (!large) bytes = row_bytes;
    }
  }
  const double shared_row = MachineSpeed().shared_row * static_cast<double>(MachineCaches().l1);
  if (blocks == 0 && transposed < 0 && static_cast<double>(chooser.SharedRowBytes(first)) > shared_row) {
    row_bytes = std::min(row_bytes, static_cast<std::int64_t>(shared_row / 2));
  }
  if (forced.tile_bytes > 0) bytes = std::min(bytes, forced.tile_bytes);
  tiling.elements = std::max<std::int64_t>(bytes / problem.widest, 1);

  tiling.rows = tiling.fold > 0 ? -1 : chooser.RowDim(first);
  tiling.cols = std::clamp<std::int64_t>(row_bytes / problem.widest, 1, tiling.elements);
  if (chooser.IsAnyTransposed(first)) {
    if (!problem.serial) {
      const std::int64_t col_bytes = problem.far ? kFarTransposedColBytes : kTransposedColBytes;
      const std::int64_t tile = kTransposedRowBytes / problem.widest * (col_bytes / problem.widest);
      tiling.elements = std::min(tile, tiling.elements);
      const std::int64_t rows = std::min(canonical.extents[transposed], kTransposedRowBytes / problem.widest);
      tiling.cols = std::min(ColsOfSquares(canonical.extents[first], tile / rows, kLineBytes / problem.widest), tiling.elements);
    }
  } else if (transposed >= 0) {
    const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(tiling.elements)));
    tiling.cols = tiling.elements / std::clamp<std::int64_t>(canonical.extents[transposed], 1, std::max<std::int64_t>(side, 1));
    tiling.cols = std::max<std::int64_t>(tiling.cols / 16 * 16, 16);
  }
  return tiling;
}

}  // namespace axiscast
