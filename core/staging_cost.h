// What it costs, in seconds, to move an operand through scratch, for each choice of cols.
#ifndef AXISCAST_CORE_STAGING_COST_H_
#define AXISCAST_CORE_STAGING_COST_H_

#include <cstdint>

#include "core/estimate.h"
#include "core/tile_cols.h"

namespace axiscast {

inline constexpr double kStageSeconds = 18e-9;        // a block that is staged, however small
inline constexpr std::int64_t kVectorBytes = 64;      // of the server on which costs were seen
inline constexpr std::int64_t kSlowVectorBytes = 32;  // of AVX2
// Of what is staged (all rows, or one for all of them), and of chains; and where an operand is staged by a transpose: whole cache
// lines both ways.
inline constexpr std::int64_t kStagedTileBytes = 8 * 1024, kSquareTileBytes = 16 * 1024;

// Everywhere, cols are the canonical dims from `first` on.
class StagingCost : public TileCols {
 public:
  using TileCols::TileCols;

  // Of the widest operand, where something goes through scratch.
  std::int64_t StagedTileBytes(int first) const;

  // What it costs at least to stage the operand, if it is.
  double LeastStagingSeconds(int operand, int first) const;

  // Adds what it costs to stage the operand in blocks of so many bytes, in tiles of so many rows.
  void AddStaging(int operand, int first, std::int64_t block_bytes, bool image, std::int64_t tile_rows,
                  TilingEstimate* estimate) const;

  // Are lanes of the operand's size permuted by several instructions for each vector, as those of 1 and 2 bytes are with AVX2?
  bool PermutesSlowly(int operand) const;

 private:
  bool IsBox(int operand, int first) const;
  bool IsMovedInRuns(int operand, int first) const;
  double SecondsOfRun(int operand, int first) const;
  double SecondsOfCalls(int operand, int first, double tile_bytes) const;
  double InterleavedLines(int operand, int first) const;
  double SecondsOfSmallSteps(int operand, int first, double row_bytes, double lines, bool image) const;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_STAGING_COST_H_
