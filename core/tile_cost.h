// What tiles cost, in seconds: a sum of few numbers, for each choice of cols.
#ifndef AXISCAST_CORE_TILE_COST_H_
#define AXISCAST_CORE_TILE_COST_H_

#include <cstdint>

#include "core/estimate.h"
#include "core/tile_cols.h"

namespace axiscast {

inline constexpr double kPermutedRowSeconds = 1.5e-9;  // a row with a permuted input
inline constexpr double kPermutedTileSeconds = 5e-9;   // more for a tile of such rows
// Of what is staged (all rows, or one for all of them), and of chains; and where an operand is staged by a transpose: whole cache
// lines both ways.
inline constexpr std::int64_t kStagedTileBytes = 8 * 1024, kSquareTileBytes = 16 * 1024;

// Everywhere, cols are the canonical dims from `first` on.
class TileCost : public TileCols {
 public:
  using TileCols::TileCols;

  // Rows, tiles and staging.
  TilingEstimate Cost(int first) const;

  // What it costs at least to stage the operand, if it is.
  double LeastStagingSeconds(int operand, int first) const;

  // Of the widest operand, where something goes through scratch.
  std::int64_t StagedTileBytes(int first) const;

 private:
  double SecondsOfSquares(int first) const;
  double PartSpared(int first, std::int64_t rows, std::int64_t row_cols) const;
  double ChainedRowSeconds(int first, std::int64_t row_cols) const;
  double PermutedRowSeconds(int first, std::int64_t fold, std::int64_t row_cols) const;
  double SlowTableSeconds(std::int64_t size) const;
  bool PermutesSlowly(int operand) const;
  bool IsBox(int operand, int first) const;
  bool IsMovedInRuns(int operand, int first) const;
  double SecondsOfRun(int operand, int first) const;
  double SecondsOfCalls(int operand, int first, double tile_bytes) const;
  void AddStaging(int operand, int first, std::int64_t block_bytes, bool image, std::int64_t tile_rows,
                  TilingEstimate* estimate) const;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_TILE_COST_H_
