// What tiles cost.
#include "core/tile_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/caches.h"
#include "core/kernel.h"
#include "core/speed.h"
#include "core/stage.h"

namespace axiscast {
namespace {

// Each was seen on an AVX-512 server. What they are to each other is good enough within a factor of two anywhere.
constexpr double kRowSeconds = 0.25e-9;             // a kernel's row of whole vectors
constexpr double kJoinedRowSeconds = 0.5e-9;        // one with a ragged end that goes on in the next row
constexpr double kRaggedRowSeconds = 0.8e-9;        // another one with a ragged end
constexpr double kTwoVectorsSeconds = 0.15e-9;      // more for a permuted vector that is made of two, or of three that parts share
constexpr double kFourVectorsSeconds = 0.6e-9;      // or of four
constexpr double kLoadedTableSeconds = 0.05e-9;     // more for a permuted vector of a group of many
constexpr double kSlowPermuteSeconds = 0.07e-9;     // more for a vector that several instructions permute (PermutesSlowly)
constexpr double kTwoSlowPermutesSeconds = 0.8e-9;  // the same of two; of four, twice that
constexpr double kSlowlyMovedSeconds = 0.6e-9;      // more for one on its way to scratch
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
constexpr double kChainedReadSeconds = 0.2e-9;      // a vector of a staged input of a chain: it is loads that bound those
constexpr double kTileSeconds = 10e-9;              // a tile: moving on, and the kernel's call
constexpr double kStageSeconds = 18e-9;             // a block that is staged, however small
constexpr double kStagedBytesPerSecond = 200e9;     // written to scratch in order, and read again
constexpr double kPatternBytesPerSecond = 60e9;     // of what is written over and over, for all of a tile
constexpr double kScatteredSeconds = 0.5e-9;    // more for a vector of results that go from there to every second to fourth element
constexpr double kRunSeconds = 0.3e-9;          // a short run that is moved on its own
constexpr double kLongRunSeconds = 0.7e-9;      // a longer one that is no whole vectors
constexpr double kRunsSeconds = 15e-9;          // the mover's call for runs along one dim, after the first one
constexpr double kBoxesSeconds = 25e-9;         // more for a block of boxes: where their lanes come from
constexpr double kInOrderSeconds = 2e-9;        // a vector that is put in order from two or four, to come again
constexpr double kReversedSeconds = 1e-9;       // an element of one that is reversed
constexpr double kReversedRunSeconds = 1.9e-9;  // a longer one
constexpr double kRepeatedSeconds = 7e-9;       // elements that are repeated, up to a gap
constexpr double kLongRepeatSeconds = 0.7e-9;   // a vector of an element that is repeated more often than tables have it
constexpr double kGatherSeconds = 0.3e-9;       // an element moved on its own
constexpr double kTransposeSeconds = 0.016e-9;  // a byte of an element moved in a square, four at least
constexpr double kTransposedSeconds = 0.6e-9;   // a vector of a transposed input
constexpr std::int64_t kCutTileRows = 8;        // of a tile of parts of rows that are cut
constexpr std::int64_t kSmallStep = 4;          // elements; movers take such steps in whole vectors
constexpr std::int64_t kVectorBytes = 64;       // of the server, in the numbers above
constexpr std::int64_t kSlowVectorBytes = 32;   // of AVX2

}  // namespace

TilingEstimate TileCost::Cost(int first) const {
  TilingEstimate estimate;
  const double elements = static_cast<double>(Block(0));
  const std::int64_t fold = Fold(first);
  const std::int64_t row_cols = fold > 0 ? fold * Block(first + 1) : Block(first);
  const std::int64_t row_bytes = SaturatingProduct(row_cols, problem_.widest), vector = problem_.vector_bytes;
  const bool joins = Joins(first), keeps = Keeps(first, fold), permuted = IsAnyPermuted(first);
  double row = problem_.chained          ? ChainedRowSeconds(first, row_cols)
               : keeps                   ? 0
               : permuted                ? PermutedRowSeconds(first, fold, row_cols)
               : row_bytes < vector      ? kShortRowSeconds
               : row_bytes % vector == 0 ? kRowSeconds
               : joins                   ? kJoinedRowSeconds
                                         : kRaggedRowSeconds;
  if (problem_.streams) {
    const bool whole_lines = WritesWholeLines(first), joined = joins && row_bytes >= vector && row_bytes % vector != 0;
    const bool too_short = !joins && !whole_lines && SaturatingProduct(row_cols, problem_.sizes.back()) < kStreamedRunBytes;
    if (too_short || !WritesRuns(first)) {
      const double bytes = elements * static_cast<double>(problem_.sizes.back());
      estimate.fetching = {bytes, bytes / MachineSpeed().memory};
    } else if (!joined && !whole_lines) {
      row += kStreamedRunSeconds;
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
  const double spared = PartSpared(first, fold > 0 ? Block(first) / row_cols : tile_rows, row_cols);
  // This machine's own seconds, and all others are the server's until they are slowed.
  estimate.spared = {spared * problem_.widening.count, spared * problem_.widening.seconds / MachineSpeed().slowness};

  bool dense = joins && !Repeats(first);  // a tile's rows are one
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
  if (parts > 1) estimate.rows.seconds += rows * parts * kCutRowSeconds;
  if (Spreads(first)) {
    const double gaps = elements * static_cast<double>(canonical_.strides.back()[first] - problem_.sizes.back());  // bytes
    estimate.rows.seconds += gaps / kVectorBytes * kSpreadSeconds;
  }
  if (permuted) {
    estimate.rows.seconds += tiles * kPermutedTileSeconds;
    const Permutation& p = *permutation(first);
    // Of the target's own vectors. What comes again is put in order once for a row.
    const double of_row = std::min<double>(p.parts, std::ceil(static_cast<double>(row_cols) / p.lanes));
    const double vectors = p.stride > 0 ? elements / static_cast<double>(p.lanes) : rows * of_row;
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

double TileCost::LeastStagingSeconds(int operand, int first) const {
  if (!Stages(operand, first) || IsImage(operand, first)) return 0;
  TilingEstimate estimate;
  AddStaging(operand, first, StagedTileBytes(first), false, first > 0 ? canonical_.extents[RowDim(first)] : 1, &estimate);
  return estimate.seconds();
}

// Of an input that a kernel widens, the part that it need not: what is the same in all of a tile's rows, or one value for a row, is
// widened once. (What is permuted is widened first, and permutes twice as many vectors then: nothing is gained.)
double TileCost::PartSpared(int first, std::int64_t rows, std::int64_t row_cols) const {
  const std::int64_t row_bytes = SaturatingProduct(row_cols, problem_.widest);
  if (problem_.widening.seconds == 0 || row_bytes < problem_.vector_bytes || !WidensOnce(first)) return 0;
  if (SplatsAny(first)) {
    const bool whole = row_bytes % problem_.vector_bytes == 0;  // else a vector of each row is put together from two
    return whole ? 1 : 1 - static_cast<double>(problem_.vector_bytes) / static_cast<double>(row_bytes);
  }
  const bool folded = row_cols != Block(first), cuts = !folded && !problem_.streams;  // longer rows, to such as are widened once
  if (rows < kManyRows || (!cuts && static_cast<double>(row_bytes) > problem_.widened_row_bytes)) return 0;
  for (int i = 0; i + 1 < count(); ++i) {
    if (folded ? IsImage(i, first) : first > 0 && canonical_.strides[i][RowDim(first)] == 0) return 1;
  }
  return 0;
}

// A row of a chain, where some input is another value there or begins anew.
double TileCost::ChainedRowSeconds(int first, std::int64_t row_cols) const {
  if (Joins(first)) {
    bool goes_on = true;
    for (int i = 0; i < count(); ++i) goes_on = goes_on && (!Splats(i, first) || canonical_.strides[i][RowDim(first)] == 0);
    if (goes_on) return 0;
  }
  const std::int64_t bytes = SaturatingProduct(row_cols, problem_.widest);
  return bytes % problem_.vector_bytes == 0 ? kChainedRowSeconds : kRaggedChainedRowSeconds;
}

// Of a transposed input: whole squares of a line's elements, along cols and rows, or less high ones where there are fewer rows.
double TileCost::SecondsOfSquares(int first) const {
  const std::int64_t rows = canonical_.extents[RowDim(first)], cols = Block(first), side = kLineBytes / problem_.widest;
  const std::int64_t height = SquareHeight(rows, problem_.widest);
  const auto waste = [](std::int64_t extent, std::int64_t by) {
    return static_cast<double>((extent + by - 1) / by * by) / static_cast<double>(extent);
  };
  return static_cast<double>(Block(0)) / static_cast<double>(side) * waste(rows, height) * waste(cols, side) * kTransposedSeconds;
}

double TileCost::PermutedRowSeconds(int first, std::int64_t fold, std::int64_t row_cols) const {
  const Permutation& p = *permutation(first);
  if (fold > 0) return IsOneGroup(p, row_cols) ? 0 : kFoldedRowSeconds;
  const std::int64_t group = GroupCols(p), cols = Block(first);
  const std::int64_t groups = std::max<std::int64_t>(cols - p.slack, 0) / group;
  return kPermutedRowSeconds + std::ceil(static_cast<double>(cols - groups * group) / p.lanes) * kPermutedRestSeconds;
}

// Of the widest operand, where something goes through scratch. A call that no threads share is one tile as long as L1 holds its
// operands and blocks: 1.1 to 1.3 times faster; beyond, 0.8.
std::int64_t TileCost::StagedTileBytes(int first) const {
  std::int64_t blocks = problem_.result_blocks;
  for (int i = 0; i < count(); ++i) blocks += Stages(i, first);
  const std::int64_t bytes = SaturatingProduct(Block(0), problem_.widest);
  const std::int64_t l1 = MachineCaches().l1;
  if (problem_.serial && SaturatingProduct(bytes, count() + blocks) <= l1) return std::max(bytes, kStagedTileBytes);
  return problem_.streams ? StreamedTileBytes() : kStagedTileBytes;
}

// More for a permuted vector of a group of many, of such elements: AVX2 has other indices than lanes' for all but those of 4 bytes.
double TileCost::SlowTableSeconds(std::int64_t size) const {
  if (problem_.vector_bytes != kSlowVectorBytes || size == 4) return 0;
  return size == 1 ? kByteTableSeconds : size == 2 ? kShortTableSeconds : kLongTableSeconds;
}

// Are lanes of the operand's size permuted by several instructions for each vector, as those of 1 and 2 bytes are with AVX2?
bool TileCost::PermutesSlowly(int operand) const {
  return problem_.vector_bytes == kSlowVectorBytes && problem_.sizes[operand] <= 2;
}

// Do movers permute whole vectors of the operand (simd/boxes-inl.h)?
bool TileCost::IsBox(int operand, int first) const {
  const std::pmr::vector<std::int64_t>& strides = canonical_.strides[operand];
  const std::int64_t size = problem_.sizes[operand];
  if (SaturatingProduct(canonical_.extents[first], 2 * size) < 3 * problem_.vector_bytes) return false;  // too few
  std::int64_t span = size;
  for (int d = first + 1; d < rank(); ++d) span += std::abs(strides[d]) * (canonical_.extents[d] - 1);
  return std::max({span, std::abs(strides[first]), Block(first + 1) * size}) <= problem_.vector_bytes;
}

// Of the runs in a step of a staged block's first dim: are there so few that movers move one after the other, be they copies of
// others or not?
bool TileCost::IsMovedInRuns(int operand, int first) const {
  const std::pmr::vector<std::int64_t>& strides = canonical_.strides[operand];
  return strides[first] != 0 && strides[rank() - 1] == problem_.sizes[operand] &&
         Block(first + 1) <= SaturatingProduct(kFewRuns, canonical_.extents[rank() - 1]);
}

// What a run along a staged block's innermost dim costs, or a repetition, beyond its bytes.
double TileCost::SecondsOfRun(int operand, int first) const {
  const std::pmr::vector<std::int64_t>& strides = canonical_.strides[operand];
  const std::int64_t extent = canonical_.extents[rank() - 1], bytes = SaturatingProduct(extent, problem_.sizes[operand]);
  const double vectors = std::ceil(static_cast<double>(bytes) / kVectorBytes);
  if (strides[rank() - 1] == 0) {
    if (extent > kMaxRepeat) return vectors * kLongRepeatSeconds;
    const int d = rank() - 2;  // along which runs are moved together
    if (d <= first) return 0;
    const std::int64_t run = canonical_.extents[d];
    const bool gap = strides[d - 1] / run != strides[d] || strides[d - 1] % run != 0;  // no product, which might overflow
    return gap ? kRepeatedSeconds / static_cast<double>(run) : 0;
  }
  const bool copied =
      IsMovedInRuns(operand, first) && std::find(strides.begin() + first + 1, strides.end() - 1, 0) != strides.end() - 1;
  const bool apart = copied || std::any_of(strides.begin() + first, strides.end() - 1,
                                           [&](std::int64_t stride) { return stride != 0 && stride != bytes; });
  const bool reversed = strides[rank() - 1] < 0 && !IsBox(operand, first);
  if (reversed && bytes >= problem_.vector_bytes && !PermutesSlowly(operand)) return kReversedRunSeconds;
  if (!apart) return 0;
  if (bytes >= kVectorBytes) return bytes % kVectorBytes != 0 ? kLongRunSeconds : 0;
  return reversed ? static_cast<double>(extent) * kReversedSeconds : kRunSeconds;
}

// Of such runs, those along the longest dim are moved by one call.
double TileCost::SecondsOfCalls(int operand, int first, double tile_bytes) const {
  const double row = static_cast<double>(Block(first + 1)) * static_cast<double>(problem_.sizes[operand]);
  double runs = tile_bytes / row, longest = runs;
  for (int d = first + 1; d < rank() - 1; ++d) {
    const auto extent = static_cast<double>(canonical_.extents[d]);
    runs *= extent;
    longest = std::max(longest, extent);
  }
  return (runs / longest - 1) * kRunsSeconds;
}

// What it costs to stage the operand in blocks of so many bytes, in tiles of so many rows.
void TileCost::AddStaging(int operand, int first, std::int64_t block_bytes, bool image, std::int64_t tile_rows,
                          TilingEstimate* estimate) const {
  const std::pmr::vector<std::int64_t>& strides = canonical_.strides[operand];
  const double size = static_cast<double>(problem_.sizes[operand]);
  const double block = static_cast<double>(Block(first)) * size;
  const double tile = std::min(block, static_cast<double>(block_bytes));
  // Along a stretched first dim, and where a tile holds the whole block, what was staged serves the next tile as well: until the
  // operand is another one there. Rows of one tile that are the same are staged once.
  const std::int64_t cols_bytes = SaturatingProduct(Block(first), image ? problem_.sizes[operand] : problem_.widest);
  const bool keeps = strides[first] == 0 || cols_bytes <= block_bytes;
  // Where results are streamed, rows are taken one after the other: an image for all of them lost a third there.
  const int row_dim = tile_rows > 1 && !problem_.streams ? RowDim(first) : -1;
  double times = keeps ? 1 : block / tile;
  bool same = keeps;
  for (int d = first - 1; d >= 0; --d) {
    const auto extent = static_cast<double>(canonical_.extents[d]);
    if (d == row_dim) {
      const double chunks = std::ceil(extent / static_cast<double>(tile_rows));
      if (strides[d] != 0) {
        times *= extent;
        same = same && chunks == 1;
      } else if (!same) {
        times *= chunks;
      }
    } else {
      same = same && strides[d] == 0;
      if (!same) times *= extent;
    }
  }
  const std::int64_t step = std::abs(strides[rank() - 1]);
  if (step <= kSmallStep * problem_.sizes[operand] || (step <= kVectorBytes / 4 && !IsOutput(operand))) {
    const double span = tile * std::max(1.0, static_cast<double>(step) / size);  // of which the rest is read past
    double runs = strides[first] == 0 ? 1 : tile / size / static_cast<double>(Block(first + 1));
    const bool all = IsMovedInRuns(operand, first);
    for (int d = first + 1; d < rank() - 1; ++d) runs *= strides[d] == 0 && !all ? 1 : static_cast<double>(canonical_.extents[d]);
    const double bytes_per_second = strides[first] == 0 && !image ? kPatternBytesPerSecond : kStagedBytesPerSecond;
    const bool permutes = PermutesSlowly(operand) && !Streams(operand, first) && !all && strides[first] != 0 && step != 0;
    const double permuted = permutes ? tile / kSlowVectorBytes * kSlowlyMovedSeconds : 0;
    const double scattered = IsOutput(operand) && span > tile ? span / kVectorBytes * kScatteredSeconds : 0;
    const bool boxes = !all && first + 1 < rank() && step != 0 && strides[first] != 0 && IsBox(operand, first);
    const double once = kStageSeconds + (boxes ? kBoxesSeconds : 0) + (all ? SecondsOfCalls(operand, first, tile) : 0);
    estimate->staging.Add(times * tile, times * (once + (tile + span) / 2 / bytes_per_second + permuted + scattered +
                                                 runs * SecondsOfRun(operand, first)));
  } else if (ContiguousDim(operand, first) >= 0 || (block <= tile && ContiguousDim(operand, rank()) >= 0)) {
    const double squares = std::ceil(times * tile / static_cast<double>(kSquareTileBytes));
    // Of a pattern, the first copy is transposed.
    const double moved = times * tile / (strides[first] == 0 ? static_cast<double>(canonical_.extents[first]) : 1);
    const double pattern = moved < times * tile ? times * tile / kPatternBytesPerSecond : 0;
    estimate->transposing.Add(moved / size,
                              squares * kStageSeconds + moved / size * std::max(size, 4.0) * kTransposeSeconds + pattern);
  } else {
    estimate->gathering.Add(times * tile / size, times * (kStageSeconds + tile / size * kGatherSeconds));
  }
}

}  // namespace axiscast
