// What tiles cost, in seconds: a sum of few numbers, for each choice of cols.
#ifndef AXISCAST_CORE_TILE_COST_H_
#define AXISCAST_CORE_TILE_COST_H_

#include <cstdint>

#include "core/estimate.h"
#include "core/staging_cost.h"

namespace axiscast {

inline constexpr double kPermutedRowSeconds = 1.5e-9;  // a row with a permuted input
inline constexpr double kPermutedTileSeconds = 5e-9;   // more for a tile of such rows

// Everywhere, cols are the canonical dims from `first` on.
class TileCost : public StagingCost {
 public:
  using StagingCost::StagingCost;

  // Rows, tiles and staging.
  TilingEstimate Cost(int first) const;

  // Are rows of a chain faster by blocks of four (simd/chain_blocks-inl.h)? Those of one to four vectors, wherever they are, take
  // 0.2 to 0.9 of the time. Longer ones, in L1 and L2, where two inputs or more are the same for all rows: with 16 vectors 0.82 and
  // 0.9. From L3 those take 1.05 to 1.1 times as long, as they do with one such input, and with more vectors everywhere.
  bool ChainsByBlocks(int first) const;

 private:
  double SecondsOfSquares(int first) const;
  double PartSpared(int first, bool folded, std::int64_t rows, std::int64_t row_cols) const;
  double ChainedRowSeconds(int first, std::int64_t row_cols) const;
  double PermutedRowSeconds(int first, std::int64_t fold, std::int64_t row_cols) const;
  double SlowTableSeconds(std::int64_t size) const;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_TILE_COST_H_
