// What a tile makes of its operands (tile_operands.h): rows that kernels join or keep, images, and inputs taken as they lie.
#ifndef AXISCAST_CORE_TILE_COLS_H_
#define AXISCAST_CORE_TILE_COLS_H_

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "core/reordered.h"
#include "core/tile_operands.h"

namespace axiscast {

inline constexpr std::int64_t kLeastFoldBytes = 128;    // of a pattern's image, where vectors are short
inline constexpr std::int64_t kLeastFolded = 2 * 1024;  // bytes of cols; with fewer, many rows in one tile are faster

// Of the widest operand, of a tile that goes through scratch on its way past the caches, and of a folded one's rows: L1 holds what
// the next tile needs besides. Of 32 KB, tiles of 8 KB take 1.4 times as long as 5 KB in chains. In L2 5 KB take 1.2 times as long.
inline std::int64_t StreamedTileBytes() {
  return std::min<std::int64_t>(8 * 1024, MachineCaches().l1 / 6 / kLineBytes * kLineBytes);
}

class TileCols : public TileOperands {
 public:
  using TileOperands::TileOperands;

  // Do the kernel's rows follow each other in memory, so that it can join them? One input may be the same in all
  // (KernelAbilities::keeps).
  bool Joins(int first) const {
    if (first == 0 || RowDim(first) != first - 1 || Spreads(first)) return false;
    int same = 0, splats = 0;
    bool recurs = false;
    for (int i = 0; i < count(); ++i) {
      if (IsPermuted(i, first) || IsTransposed(i, first)) return false;
      const std::int64_t stride = canonical_.strides[i][first - 1];
      if (Splats(i, first)) {
        ++splats;
      } else if (Recurs(i, first)) {
        recurs = true;  // wherever its rows are
      } else if (stride == 0) {
        ++same;
      } else if (!Stages(i, first) && stride != Block(first) * problem_.sizes[i]) {
        return false;
      }
    }
    return same == 0 || (same == 1 && splats == 0 && problem_.keeps && !recurs);
  }
  // Of such rows: is an input the same in all?
  bool Repeats(int first) const {
    for (int i = 0; i < count(); ++i) {
      if (canonical_.strides[i][first - 1] == 0 && !Splats(i, first)) return true;
    }
    return false;
  }

  // Are rows of the output whole lines, and follow each other, so that they are streamed as one run where it begins on a line, as
  // all do if the first one does?
  bool WritesWholeLines(int first) const {
    const std::pmr::vector<std::int64_t>& strides = canonical_.strides[count() - 1];
    const std::int64_t bytes = SaturatingProduct(Block(first), problem_.sizes.back());
    if (first == 0 || bytes % kLineBytes != 0 || !WritesRuns(first) || strides[RowDim(first)] != bytes) return false;
    return std::all_of(strides.begin(), strides.begin() + first, [](std::int64_t stride) { return stride % kLineBytes == 0; });
  }

  // Is what is staged of the operand the same in every step of the first of cols?
  bool IsImage(int operand, int first) const {
    return Stages(operand, first) && canonical_.strides[operand][first] == 0 && !Splats(operand, first);
  }

  // The most bytes of a row that kernels keep.
  std::int64_t MostKeptBytes() const { return std::min(kMaxKept * problem_.vector_bytes, kMaxKeptBytes); }

  // Are rows of cols, or the folded ones, such as cost kernels no more than one long row (KernelAbilities::keeps)?
  bool Keeps(int first, std::int64_t fold) const {
    if (IsAnyPermuted(first) || Spreads(first)) return false;
    const std::int64_t bytes = SaturatingProduct(fold > 0 ? fold * Block(first + 1) : Block(first), problem_.widest);
    if (!problem_.keeps || bytes > MostKeptBytes() || bytes % problem_.vector_bytes != 0) return false;
    if (fold == 0 && (first == 0 || RowDim(first) != first - 1)) return false;
    int same = 0;
    for (int i = 0; i < count(); ++i) {
      if (Splats(i, first) || Recurs(i, first)) return false;
      if (fold > 0) {  // what is no image is one long row, staged or not
        same += IsImage(i, first);
        continue;
      }
      const std::int64_t stride = canonical_.strides[i][first - 1];
      if (Stages(i, first) || IsTransposed(i, first) || (stride != 0 && stride != Block(first) * problem_.sizes[i])) return false;
      same += stride == 0;
    }
    return same == 1;
  }

  // How many steps of the first of cols make a row that can be handed to kernels again and again, an operand's image serving all of
  // them, so that rows begin on vectors' boundaries where the first does (on cache lines, if they are streamed). 0: no operand has
  // an image, cols are less than two such rows, or rows were too long, or a tile's rows are something else. Rows of a permuted
  // input are whole groups, each read whole, or joined.
  std::int64_t Fold(int first) const {
    if (problem_.reads_only || TransposedDim(first) >= 0 || Spreads(first)) return 0;
    const Permutation* const permuted = permutation(first);
    if (permuted != nullptr && permuted->stride == 0) return 0;
    bool any = false;
    for (int i = 0; i < count(); ++i) any = any || IsImage(i, first);
    if (!any || (Block(first) < Block(0) && SaturatingProduct(Block(first), problem_.widest) < kLeastFolded)) return 0;
    const std::int64_t inner = Block(first + 1);
    if (SaturatingProduct(inner, problem_.widest) > StreamedTileBytes()) return 0;
    // Kernels keep so few vectors in registers, and the loops of those that do not end as predicted.
    const std::int64_t bytes = problem_.streams ? StreamedTileBytes() : std::max(MostKeptBytes(), kLeastFoldBytes);
    std::int64_t group = WholeBlocks(inner * problem_.sizes.back(), problem_.streams ? kLineBytes : problem_.vector_bytes);
    if (permuted != nullptr) group = std::lcm(group, GroupCols(*permuted) / inner);
    const std::int64_t least = group * inner * problem_.widest;
    if (least > StreamedTileBytes()) return 0;
    if (permuted != nullptr && IsOneGroup(*permuted, group * inner) && permuted->slack <= group * inner) {
      return 2 * group <= canonical_.extents[first] ? group : 0;
    }
    if (permuted != nullptr && permuted->slack > 0) return 0;
    const std::int64_t fold = std::max<std::int64_t>(bytes / least, 1) * group;
    return 2 * fold <= canonical_.extents[first] ? fold : 0;
  }

  // Are so many cols a row that kernels join to the next one, beside an image?
  bool IsOneGroup(const Permutation& permutation, std::int64_t cols) const {
    return !problem_.streams && cols == GroupCols(permutation);
  }

  // Of an operand that is staged: does its block stay as it is when a tile gets more rows, as an image, or the same in all of them?
  bool KeepsBlock(int operand, int first, std::int64_t fold) const {
    return fold > 0 ? IsImage(operand, first) : first > 0 && canonical_.strides[operand][RowDim(first)] == 0;
  }

  // Bytes of the longest row that many rows read; 0: none.
  std::int64_t SharedRowBytes(int first) const {
    if (first == 0 || IsAnyPermuted(first) || canonical_.extents[RowDim(first)] < kManyRows) return 0;
    std::int64_t bytes = 0;
    for (int i = 0; i < count(); ++i) {
      const bool same = canonical_.strides[i][RowDim(first)] == 0 && !Splats(i, first) && !IsOutput(i);
      const std::int64_t elements = Recurs(i, first) ? Block(first + 1) : Block(first);
      if (same) bytes = std::max(bytes, SaturatingProduct(elements, problem_.sizes[i]));
    }
    return bytes;
  }

  // Do rows beside one that is the same in all, and has so many bytes, run abreast? Where the results do not go to memory, not
  // where they are cut to be widened once; nor beside results of which not all rows begin at the same place of a line: from L3 cut
  // ones take 0.94 of the time (a Zen 5). From L3 so many that most of a thread's pieces have several: cut ones take no longer
  // where pieces have two to four.
  bool RunsAbreast(int first, std::int64_t shared_row_bytes, bool forced) const {
    constexpr std::int64_t kManyRowsFromL3 = 64;
    if (!problem_.abreast || shared_row_bytes == 0) return false;
    for (int i = 0; i < count(); ++i) {
      if (TileOperand(i, first).delivery != Delivery::kStreamed) return false;
    }
    if (forced) return true;
    return static_cast<double>(shared_row_bytes) > problem_.shared_row_bytes &&
           (problem_.streams || (problem_.widened_row_bytes == kNeverCut &&
                                 (problem_.fits_l2 || canonical_.extents[RowDim(first)] >= kManyRowsFromL3) &&
                                 canonical_.strides[count() - 1][RowDim(first)] % kLineBytes == 0));
  }

  // How many tiles there are along the dims between rows and cols, if any of them meet: have parts of the same lines. 1: none do.
  std::int64_t TilesThatMeet(int first) const {
    std::int64_t tiles = 1;
    bool meet = false;
    for (int d = RowDim(first) + 1; d < first; ++d) {
      tiles = SaturatingProduct(tiles, canonical_.extents[d]);
      for (int i = 0; i < count(); ++i) {
        meet = meet || (!Splats(i, first) && canonical_.strides[i][d] % kLineBytes != 0);
      }
    }
    return meet ? tiles : 1;
  }

  // Might kernels take this input permuted, instead of staged or transposed? The other one is then contiguous, or staged.
  bool MayPermute(int input, int first) const {
    return !(problem_.streams && IsReorderedInRows(input, first)) && count() == 3 && problem_.unaligned == 0 && Streams(2, first) &&
           !Streams(input, first) && !Splats(input, first);
  }

  // Are the last dim's rows some lines each, of blocks that are read in the order of memory where they are rows
  // (core/reordered.h)? From four places or more at once: heads of 64 bytes then take 0.56 to 0.79 of the time that they take
  // permuted, and from two or three 1.2 to 1.5 times as long (Zen 5).
  bool IsReorderedInRows(int input, int first) const {
    constexpr std::int64_t kLeastPlaces = 4;
    const int rows = rank() - 2;
    return rows >= 1 && first <= rows && Streams(count() - 1, 0) && canonical_.extents[rows - 1] >= kLeastPlaces &&
           canonical_.extents[rows] >= kEnoughRows && Block(rank() - 1) * problem_.sizes[input] % kLineBytes == 0 &&
           ReorderedBytes(canonical_, input, rows, problem_.sizes[input]) > 0;
  }

  // The only input that would be staged where cols are the last dim; -1: there is none.
  int StagedInput() const {
    const int first = rank() - 1;
    if (count() != 3 || problem_.unaligned != 0) return -1;
    int staged = -1;
    for (int i = 0; i < count(); ++i) {
      if (Streams(i, first)) continue;
      if (staged >= 0 || IsOutput(i) || Splats(i, first)) return -1;
      staged = i;
    }
    return staged;
  }

  // The input that kernels may take transposed where cols are the last dim: it and the others are as kernels want them, and there
  // are enough cols and rows for squares. -1: there is none.
  int TransposedInput() const {
    if (!problem_.transposes) return -1;
    const int input = StagedInput(), dim = input < 0 ? -1 : ContiguousDim(input, rank() - 1);
    if (dim < 0) return -1;
    const std::int64_t size = problem_.sizes[input];
    if (canonical_.strides[input][dim] != size || canonical_.extents[dim] < LeastSquareRows(size)) return -1;
    if (problem_.far && canonical_.extents[dim] * size < kLineBytes) return -1;
    if (canonical_.extents[rank() - 1] * size < kLineBytes) return -1;
    // Lines that are all multiples of 4 KB apart fall into the same few places of an L1: a square's evict each other. By way of
    // scratch it then takes 0.7 of the time, but not from memory.
    std::int64_t strides = canonical_.strides[input][rank() - 1];
    for (int i = 0; i < count(); ++i) {
      if (i != input) strides |= canonical_.strides[i][dim];
    }
    return strides % kSetBytes == 0 && !problem_.far ? -1 : input;
  }
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_TILE_COLS_H_
