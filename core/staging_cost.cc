// What it costs to move operands through scratch, by what the movers do there (core/stage.cc).
#include "core/staging_cost.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/caches.h"
#include "core/kernel.h"
#include "core/stage.h"

namespace axiscast {
namespace {

// As those of core/tile_cost.cc.
constexpr double kSlowlyMovedSeconds = 0.6e-9;   // more for a vector that several instructions permute
constexpr double kStagedBytesPerSecond = 200e9;  // written to scratch in order, and read again
constexpr double kPatternBytesPerSecond = 60e9;  // of what is written over and over, for all of a tile
constexpr double kAgainSeconds = 25e-9;          // more for what comes again and again: it waits behind all that was stored before
constexpr double kScatteredSeconds = 0.5e-9;    // more for a vector of results that go from there to every second to fourth element
constexpr double kRunSeconds = 0.3e-9;          // a short run that is moved on its own
constexpr double kLongRunSeconds = 0.7e-9;      // a longer one that is no whole vectors
constexpr double kReversedSeconds = 1e-9;       // an element of one that is reversed
constexpr double kReversedRunSeconds = 1.9e-9;  // a longer one
constexpr double kRunsSeconds = 15e-9;          // the mover's call for runs along one dim, after the first one
constexpr double kBoxesSeconds = 25e-9;         // more for a block of boxes: where their lanes come from
constexpr double kRepeatedSeconds = 7e-9;       // elements that are repeated, up to a gap
constexpr double kLongRepeatSeconds = 0.7e-9;   // a vector of an element that is repeated more often than tables have it
constexpr double kGatherSeconds = 0.3e-9;       // an element moved on its own
constexpr double kTransposeSeconds = 0.016e-9;  // a byte of an element moved in a square, four at least
constexpr std::int64_t kSmallStep = 4;          // elements; movers take such steps in whole vectors

}  // namespace

// Of the widest operand, where something goes through scratch. A call that no threads share is one tile as long as L1 holds its
// operands and blocks: 1.1 to 1.3 times faster; beyond, 0.8.
std::int64_t StagingCost::StagedTileBytes(int first) const {
  std::int64_t blocks = problem_.result_blocks;
  for (int i = 0; i < count(); ++i) blocks += Stages(i, first);
  const std::int64_t bytes = SaturatingProduct(Block(0), problem_.widest);
  const std::int64_t l1 = MachineCaches().l1;
  if (problem_.serial && SaturatingProduct(bytes, count() + blocks) <= l1) return std::max(bytes, kStagedTileBytes);
  return problem_.streams ? StreamedTileBytes() : kStagedTileBytes;
}

double StagingCost::LeastStagingSeconds(int operand, int first) const {
  if (!Stages(operand, first) || IsImage(operand, first)) return 0;
  TilingEstimate estimate;
  const std::int64_t all = SaturatingProduct(Block(0), problem_.widest);
  AddStaging(operand, first, all, false, first > 0 ? canonical_.extents[RowDim(first)] : 1, &estimate);
  return estimate.seconds();
}

bool StagingCost::PermutesSlowly(int operand) const {
  return problem_.vector_bytes == kSlowVectorBytes && problem_.sizes[operand] <= 2;
}

// Do movers permute whole vectors of the operand (simd/boxes-inl.h)?
bool StagingCost::IsBox(int operand, int first) const {
  const std::pmr::vector<std::int64_t>& strides = canonical_.strides[operand];
  const std::int64_t size = problem_.sizes[operand];
  if (SaturatingProduct(canonical_.extents[first], 2 * size) < 3 * problem_.vector_bytes) return false;  // too few
  std::int64_t span = size;
  for (int d = first + 1; d < rank(); ++d) span += std::abs(strides[d]) * (canonical_.extents[d] - 1);
  return std::max({span, std::abs(strides[first]), Block(first + 1) * size}) <= problem_.vector_bytes;
}

// Of the runs in a step of a staged block's first dim: are there so few that movers move one after the other, be they copies of
// others or not?
bool StagingCost::IsMovedInRuns(int operand, int first) const {
  const std::pmr::vector<std::int64_t>& strides = canonical_.strides[operand];
  return strides[first] != 0 && strides[rank() - 1] == problem_.sizes[operand] &&
         Block(first + 1) <= SaturatingProduct(kFewRuns, canonical_.extents[rank() - 1]);
}

// What a run along a staged block's innermost dim costs, or a repetition, beyond its bytes.
double StagingCost::SecondsOfRun(int operand, int first) const {
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

// Of such runs, those along the longest dim are moved by one call. Dims that follow each other in memory are one dim, or one run.
double StagingCost::SecondsOfCalls(int operand, int first, double tile_bytes) const {
  const std::pmr::vector<std::int64_t>& strides = canonical_.strides[operand];
  const double step = static_cast<double>(Block(first + 1)) * static_cast<double>(problem_.sizes[operand]);
  double runs = 1, longest = 1, dim = 1;
  bool in_run = true;
  for (int d = rank() - 2; d >= first; --d) {
    const bool joins = IsRun(strides[d], strides[d + 1], canonical_.extents[d + 1]);
    in_run = in_run && joins;
    if (in_run) continue;
    const double extent = d > first ? static_cast<double>(canonical_.extents[d]) : tile_bytes / step;
    runs *= extent;
    dim = joins ? dim * extent : extent;
    longest = std::max(longest, dim);
  }
  return (runs / longest - 1) * kRunsSeconds;
}

// How many lines of a staged block's elements are interleaved: an innermost step of several elements has one of each.
double StagingCost::InterleavedLines(int operand, int first) const {
  const std::pmr::vector<std::int64_t>& strides = canonical_.strides[operand];
  for (int d = first; d < rank() - 1; ++d) {
    if (strides[d] == problem_.sizes[operand]) return static_cast<double>(canonical_.extents[d]);
  }
  return 1;
}

// To stage a block whose elements are a few apart: so many bytes of each of its rows, of which so many are interleaved lines.
double StagingCost::SecondsOfSmallSteps(int operand, int first, double row_bytes, double lines, bool image) const {
  const std::pmr::vector<std::int64_t>& strides = canonical_.strides[operand];
  const std::int64_t step = std::abs(strides[rank() - 1]);
  const double size = static_cast<double>(problem_.sizes[operand]), bytes = row_bytes * lines;
  // Beside what lies in the gaps, and is not of the block.
  const double gap = static_cast<double>(step) / size, filled = std::max(lines, InterleavedLines(operand, first));
  const double span = bytes * std::max(1.0, gap / filled);
  double runs = strides[first] == 0 ? 1 : bytes / size / static_cast<double>(Block(first + 1));
  const bool all = IsMovedInRuns(operand, first);
  for (int d = first + 1; d < rank() - 1; ++d) runs *= strides[d] == 0 && !all ? 1 : static_cast<double>(canonical_.extents[d]);
  const bool is_kept = image && problem_.keeps && row_bytes <= static_cast<double>(MostKeptBytes());  // in registers
  const bool again = strides[first] == 0 && !Splats(operand, first) && !is_kept;
  const double bytes_per_second = strides[first] == 0 && !image ? kPatternBytesPerSecond : kStagedBytesPerSecond;
  const bool permutes = PermutesSlowly(operand) && !Streams(operand, first) && !all && strides[first] != 0 && step != 0;
  const double permuted = permutes ? bytes / kSlowVectorBytes * kSlowlyMovedSeconds : 0;
  const double scattered = IsOutput(operand) && step > problem_.sizes[operand] ? span / kVectorBytes * kScatteredSeconds : 0;
  const bool boxes = !all && first + 1 < rank() && step != 0 && strides[first] != 0 && IsBox(operand, first);
  const double calls = all ? SecondsOfCalls(operand, first, row_bytes) : 0;
  return kStageSeconds + (again ? kAgainSeconds : 0) + (boxes ? kBoxesSeconds : 0) + calls + (bytes + span) / 2 / bytes_per_second +
         permuted + scattered + runs * SecondsOfRun(operand, first);
}

void StagingCost::AddStaging(int operand, int first, std::int64_t block_bytes, bool image, std::int64_t tile_rows,
                             TilingEstimate* estimate) const {
  const std::pmr::vector<std::int64_t>& strides = canonical_.strides[operand];
  const std::int64_t step = std::abs(strides[rank() - 1]);
  const bool small_steps = step <= kSmallStep * problem_.sizes[operand] || (step <= kVectorBytes / 4 && !IsOutput(operand));
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
  double lines = 1;  // rows that one call moves, as they are interleaved
  bool same = keeps;
  for (int d = first - 1; d >= 0; --d) {
    const auto extent = static_cast<double>(canonical_.extents[d]);
    if (d == row_dim) {
      const double chunks = std::ceil(extent / static_cast<double>(tile_rows));
      if (strides[d] != 0) {
        const bool interleaved = small_steps && strides[d] == problem_.sizes[operand] && step > strides[d];
        if (interleaved) lines = std::min(extent, static_cast<double>(tile_rows));
        times *= extent / lines;
        same = same && chunks == 1;
      } else if (!same) {
        times *= chunks;
      }
    } else {
      same = same && strides[d] == 0;
      if (!same) times *= extent;
    }
  }
  if (small_steps) {
    estimate->staging.Add(times * tile * lines, times * SecondsOfSmallSteps(operand, first, tile, lines, image));
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
