// What tiles cost.
#include "core/tile_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/caches.h"
#include "core/kernel.h"
#include "core/speed.h"

namespace axiscast {
namespace {

// Each was seen on an AVX-512 server. What they are to each other is good enough within a factor of two anywhere.
constexpr double kRowSeconds = 0.25e-9;             // a kernel's row of whole vectors
constexpr double kJoinedRowSeconds = 0.5e-9;        // one with a ragged end that goes on in the next row
constexpr double kRepeatedRowSeconds = 0.3e-9;      // the same beside an input that is the same in all rows
constexpr double kPeriodSeconds = 0.8e-9;           // a period of a recurring input with a ragged end
constexpr double kRowOfPeriodsSeconds = 3.5e-9;     // more for a row of them that is not joined to the next one
constexpr double kRaggedRowSeconds = 0.8e-9;        // another one with a ragged end
constexpr double kTwoVectorsSeconds = 0.15e-9;      // more for a permuted vector that is made of two, or of three that parts share
constexpr double kFourVectorsSeconds = 0.7e-9;      // or of four
constexpr double kLoadedTableSeconds = 0.05e-9;     // more for a permuted vector of a group of many
constexpr double kSlowPermuteSeconds = 0.07e-9;     // more for a vector that several instructions permute (PermutesSlowly)
constexpr double kTwoSlowPermutesSeconds = 0.8e-9;  // the same of two; of four, twice that
constexpr double kByteTableSeconds = 0.1e-9;        // more for one of a group of many with AVX2, of elements of 1 byte
constexpr double kShortTableSeconds = 0.3e-9;       // of 2
constexpr double kLongTableSeconds = 0.15e-9;       // of 8
constexpr double kBesideImageSeconds = 0.06e-9;     // more for a permuted vector beside what comes again for each group
constexpr double kLoadedBesideSeconds = 0.3e-9;     // or for each group of many
constexpr double kPermutedRestSeconds = 1.5e-9;     // more for one that does not fill a group, or is read in parts
constexpr double kFoldedRowSeconds = 1e-9;          // a row of whole groups of a permuted input, of a tile of many
constexpr double kSpreadSeconds = 0.35e-9;          // more for each vector over which one of results is spread
constexpr double kStreamedRunSeconds = 20e-9;       // the first and last line of what is stored past the caches
constexpr double kCutRowSeconds = 18e-9;            // a part of a row that is cut, of many rows
constexpr double kShortRowSeconds = 2.5e-9;         // a row that does not fill a vector
constexpr double kChainedRowSeconds = 3e-9;         // of a chain, where inputs change
constexpr double kRaggedChainedRowSeconds = 7e-9;   // and meet within a vector
constexpr double kBlockedChainedRowSeconds = 0.5e-9;  // a row of blocks
constexpr double kShortBlocksSeconds = 1e-9;          // one of one vector
constexpr double kChainedReadSeconds = 0.2e-9;        // a vector of a staged input of a chain: it is loads that bound those
constexpr double kTileSeconds = 10e-9;                // a tile: moving on, and the kernel's call
constexpr double kInOrderSeconds = 2e-9;              // a vector that is put in order from two or four, to come again
constexpr double kTransposedSeconds = 0.6e-9;         // a vector of a transposed input
constexpr std::int64_t kCutTileRows = 8;              // of a tile of parts of rows that are cut

}  // namespace

TilingEstimate TileCost::Cost(int first) const {
  TilingEstimate estimate;
  const double elements = static_cast<double>(Block(0));
  const std::int64_t fold = Fold(first);
  const bool recurs = RecursAny(first);
  const std::int64_t row_cols = fold > 0 ? fold * Block(first + 1) : recurs ? Block(first + 1) : Block(first);
  const std::int64_t row_bytes = SaturatingProduct(row_cols, problem_.widest), vector = problem_.vector_bytes;
  const bool joins = Joins(first), keeps = Keeps(first, fold), permuted = IsAnyPermuted(first);
  double row = problem_.chained          ? ChainedRowSeconds(first, row_cols)
               : keeps                   ? 0
               : permuted                ? PermutedRowSeconds(first, fold, row_cols)
               : row_bytes < vector      ? kShortRowSeconds
               : row_bytes % vector == 0 ? kRowSeconds
               : recurs                  ? kPeriodSeconds
               : joins                   ? (Repeats(first) ? kRepeatedRowSeconds : kJoinedRowSeconds)
                                         : kRaggedRowSeconds;
  if (problem_.streams) {
    const bool whole_lines = WritesWholeLines(first), joined = joins && row_bytes >= vector && (row_bytes % vector != 0 || recurs);
    const std::int64_t run_cols = recurs ? Block(first) : row_cols;
    const bool too_short = !joins && !whole_lines && SaturatingProduct(run_cols, problem_.sizes.back()) < kStreamedRunBytes;
    if (too_short || !WritesRuns(first)) {
      const double bytes = elements * static_cast<double>(problem_.sizes.back());
      estimate.fetching = {bytes, bytes / MachineSpeed().memory};
    } else if (!joined && !whole_lines) {
      row += kStreamedRunSeconds * static_cast<double>(row_cols) / static_cast<double>(run_cols);
    }
  }
  bool stages = false, large = problem_.result_blocks == 0;  // tiles
  for (int i = 0; i < count(); ++i) {
    stages = stages || Stages(i, first);
    large = large && (!Stages(i, first) || KeepsBlock(i, first, fold));
  }
  const std::int64_t tile = (large ? std::numeric_limits<std::int64_t>::max() : StagedTileBytes(first)) / problem_.widest;
  const std::int64_t tile_cols = std::min(Block(first), tile);
  // Rows that scratch does not hold are cut, and their parts are no longer in the order of memory.
  const bool rows_stay = first == 0 || fold > 0 || problem_.streams || !stages || !large;
  const double parts = rows_stay ? 1
                                 : std::ceil(static_cast<double>(SaturatingProduct(Block(first), problem_.widest)) /
                                             static_cast<double>(StagedTileBytes(first)));
  const std::int64_t most_rows = parts > 1 ? kCutTileRows : tile / tile_cols;
  const std::int64_t tile_rows = first == 0 || fold > 0 ? 1 : std::min(canonical_.extents[RowDim(first)], most_rows);
  for (int i = 0; i < count(); ++i) {
    if (!Stages(i, first)) continue;
    const bool image = fold > 0 && IsImage(i, first);
    AddStaging(i, first, image ? row_cols * problem_.sizes[i] : StagedTileBytes(first), image, tile_rows, &estimate);
    if (problem_.chained && !IsOutput(i)) {
      estimate.staging.seconds += elements * static_cast<double>(problem_.sizes[i]) / kVectorBytes * kChainedReadSeconds;
    }
    // Of what comes from memory, nothing is computed or streamed while it is staged.
    if (problem_.streams && !IsOutput(i)) estimate.staging.seconds += UniqueBytes(i) / MachineSpeed().memory;
  }
  const double tiles = std::ceil(elements / static_cast<double>(tile_cols * tile_rows));
  estimate.tiles = {tiles, tiles * kTileSeconds};
  const double spared = PartSpared(first, fold > 0, fold > 0 ? Block(first) / row_cols : tile_rows, row_cols);
  // This machine's own seconds, and all others are the server's until they are slowed.
  estimate.spared = {spared * problem_.widening.count, spared * problem_.widening.seconds / MachineSpeed().slowness};

  bool dense = joins && !recurs && !Repeats(first);  // a tile's rows are one
  for (int i = 0; i < count(); ++i) dense = dense && !Splats(i, first) && (fold == 0 || !IsImage(i, first));
  const double rows = dense ? tiles : elements / static_cast<double>(row_cols);
  if (IsAnyTransposed(first)) {
    // A tile lies in one step of each other dim. Many small ones cost more than others.
    const auto block = static_cast<double>(SaturatingProduct(canonical_.extents[RowDim(first)], Block(first)));
    if (const double small = elements / block; small >= std::max(tiles, 2.0)) {
      estimate.tiles = {small, small * (kTileSeconds + kStageSeconds)};
    }
    estimate.transposing.Add(elements, SecondsOfSquares(first));
    if (problem_.streams && !WritesWholeLines(first)) estimate.transposing.seconds += rows * kStreamedRunSeconds;
    return estimate;
  }
  estimate.rows = {rows, rows * row};
  if (recurs && !joins) estimate.rows.seconds += elements / static_cast<double>(Block(first)) * kRowOfPeriodsSeconds;
  if (parts > 1) estimate.rows.seconds += rows * parts * kCutRowSeconds;
  if (Spreads(first)) {
    const double gaps = elements * static_cast<double>(canonical_.strides.back()[first] - problem_.sizes.back());  // bytes
    estimate.rows.seconds += gaps / kVectorBytes * kSpreadSeconds;
  }
  if (permuted) {
    estimate.rows.seconds += tiles * kPermutedTileSeconds;
    const Permutation& p = *permutation(first);
    // Of the target's own vectors. What comes again is put in order once for a row of a tile.
    const double of_row = std::min<double>(p.parts, std::ceil(static_cast<double>(row_cols) / p.lanes));
    const double vectors = p.stride > 0 ? elements / static_cast<double>(p.lanes) : std::max(rows, tiles) * of_row;
    const bool many = p.parts > kFewParts, slowly = p.stride > 0 && PermutesSlowly(permuted_input());
    const double of_two = slowly ? kTwoSlowPermutesSeconds : kTwoVectorsSeconds;
    const double of_four = slowly ? 2 * kTwoSlowPermutesSeconds : kFourVectorsSeconds;
    const double of_several = p.stride == 0 ? kInOrderSeconds : p.vectors == 4 ? of_four : of_two;
    if (p.vectors > 1) estimate.rows.seconds += vectors * of_several;
    if (slowly && p.vectors == 1) estimate.rows.seconds += vectors * kSlowPermuteSeconds;
    if (many && p.stride > 0) estimate.rows.seconds += vectors * SlowTableSeconds(problem_.sizes[permuted_input()]);
    if (fold > 0) {
      estimate.rows.seconds += vectors * (many ? kLoadedBesideSeconds : kBesideImageSeconds);
    } else if (many && p.stride > 0) {
      estimate.rows.seconds += vectors * kLoadedTableSeconds;
    }
  }
  return estimate;
}

// Of an input that a kernel widens, the part that it need not: what is the same in all of a tile's rows, or one value for a row, is
// widened once. (What is permuted is widened first, and permutes twice as many vectors then: nothing is gained.)
double TileCost::PartSpared(int first, bool folded, std::int64_t rows, std::int64_t row_cols) const {
  const std::int64_t row_bytes = SaturatingProduct(row_cols, problem_.widest);
  if (problem_.widening.seconds == 0 || row_bytes < problem_.vector_bytes || !WidensOnce(first)) return 0;
  if (SplatsAny(first)) {
    const bool whole = row_bytes % problem_.vector_bytes == 0;  // else a vector of each row is put together from two
    return whole ? 1 : 1 - static_cast<double>(problem_.vector_bytes) / static_cast<double>(row_bytes);
  }
  const bool cuts = !folded && !problem_.streams;  // longer rows, to such as are widened once
  if (rows < kManyRows || (!cuts && static_cast<double>(row_bytes) > problem_.widened_row_bytes)) return 0;
  for (int i = 0; i + 1 < count(); ++i) {
    if (folded ? IsImage(i, first) : first > 0 && canonical_.strides[i][RowDim(first)] == 0) return 1;
  }
  return 0;
}

bool TileCost::ChainsByBlocks(int first) const {
  constexpr std::int64_t kShort = 4, kLong = 16;  // vectors
  if (!problem_.chained || problem_.streams || first == 0) return false;
  const int rows = RowDim(first);
  const std::int64_t bytes = SaturatingProduct(Block(first), problem_.widest), vector = problem_.vector_bytes;
  if (canonical_.extents[rows] < kManyRows || bytes % vector != 0 || bytes > kLong * vector) return false;
  int same = 0;     // inputs that are the same row for all
  int changes = 0;  // that are one value for a row, and another one for the next
  for (int i = 0; i + 1 < count(); ++i) {
    const bool goes_on = canonical_.strides[i][rows] != 0;
    same += !Splats(i, first) && !goes_on;
    changes += Splats(i, first) && goes_on;
  }
  return bytes <= kShort * vector ? same + changes > 0 : same > 1 && problem_.fits_l2;
}

// A row of a chain, where some input is another value there or begins anew.
double TileCost::ChainedRowSeconds(int first, std::int64_t row_cols) const {
  if (Joins(first)) {
    bool goes_on = true;
    for (int i = 0; i < count(); ++i) goes_on = goes_on && (!Splats(i, first) || canonical_.strides[i][RowDim(first)] == 0);
    if (goes_on) return 0;
  }
  const std::int64_t bytes = SaturatingProduct(row_cols, problem_.widest);
  if (ChainsByBlocks(first) && row_cols == Block(first)) {
    return bytes > problem_.vector_bytes ? kBlockedChainedRowSeconds : kShortBlocksSeconds;
  }
  return bytes % problem_.vector_bytes == 0 ? kChainedRowSeconds : kRaggedChainedRowSeconds;
}

// Of a transposed input: what is transposed at once, whole.
double TileCost::SecondsOfSquares(int first) const {
  const std::int64_t rows = canonical_.extents[RowDim(first)], cols = Block(first), side = kLineBytes / problem_.widest;
  const auto waste = [](std::int64_t extent, std::int64_t by) {
    return static_cast<double>((extent + by - 1) / by * by) / static_cast<double>(extent);
  };
  return static_cast<double>(Block(0)) / static_cast<double>(side) * waste(rows, LeastSquareRows(problem_.widest)) *
         waste(cols, side) * kTransposedSeconds;
}

double TileCost::PermutedRowSeconds(int first, std::int64_t fold, std::int64_t row_cols) const {
  const Permutation& p = *permutation(first);
  if (fold > 0) return IsOneGroup(p, row_cols) ? 0 : kFoldedRowSeconds;
  const std::int64_t group = GroupCols(p), cols = Block(first);
  const std::int64_t groups = std::max<std::int64_t>(cols - p.slack, 0) / group;
  return kPermutedRowSeconds + std::ceil(static_cast<double>(cols - groups * group) / p.lanes) * kPermutedRestSeconds;
}

// More for a permuted vector of a group of many, of such elements: AVX2 has other indices than lanes' for all but those of 4 bytes.
double TileCost::SlowTableSeconds(std::int64_t size) const {
  if (problem_.vector_bytes != kSlowVectorBytes || size == 4) return 0;
  return size == 1 ? kByteTableSeconds : size == 2 ? kShortTableSeconds : kLongTableSeconds;
}

}  // namespace axiscast
