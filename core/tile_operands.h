// What each operand of a problem is to a tile, by which of its dims are cols.
#ifndef AXISCAST_CORE_TILE_OPERANDS_H_
#define AXISCAST_CORE_TILE_OPERANDS_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "core/caches.h"
#include "core/program.h"
#include "core/tiling.h"

namespace axiscast {

inline constexpr std::int64_t kLeastTileBytes = 4 * 1024;    // rows run along another dim where that makes larger tiles,
inline constexpr std::int64_t kEnoughRows = 8;               // and these are fewer than so many,
inline constexpr std::int64_t kEnoughTileBytes = 1024;       // or less than so much
inline constexpr std::int64_t kManyRows = 4;                 // where so many read the same, it matters where that is
inline constexpr std::int64_t kShortSharedBytes = 2 * 1024;  // of what recurs in many rows: scratch holds one for all
inline constexpr std::int64_t kMostTimes = 64;               // that a recurring input's elements come; where more, rows share them
inline constexpr std::int64_t kSetBytes = 4096;              // of an L1 of 64 sets of lines

// Everywhere, cols are the canonical dims from `first` on.
class TileOperands {
 public:
  TileOperands(const Canonical& canonical, const TilingProblem& problem) : canonical_(canonical), problem_(problem) {
    blocks_[rank()] = 1;
    for (int d = rank() - 1; d >= 0; --d) blocks_[d] = blocks_[d + 1] * canonical_.extents[d];
    for (int i = 0; i < count(); ++i) {
      const std::pmr::vector<std::int64_t>& strides = canonical_.strides[i];
      const auto is_contiguous = [&](int d) {
        return canonical_.extents[d] == 1 || strides[d] == problem_.sizes[i] * blocks_[d + 1];
      };
      int from = rank();
      while (from > 0 && is_contiguous(from - 1)) --from;
      streams_from_[i] = from;
      from = rank();
      while (from > 0 && strides[from - 1] == 0) --from;
      splats_from_[i] = from;
    }
  }

  OperandTiling TileOperand(int operand, int first) const {
    const bool splat = Splats(operand, first) && (!IsOutput(operand) || problem_.reads_only);
    const bool staged = Stages(operand, first) && !(splat && !IsUnaligned(operand));
    if (IsPermuted(operand, first)) return {Delivery::kPermuted, false};
    if (IsTransposed(operand, first)) return {Delivery::kTransposed, false};
    if (IsOutput(operand) && Spreads(first)) return {Delivery::kSpread, false};
    if (Recurs(operand, first)) return {Delivery::kRecurring, false};
    return {staged ? Delivery::kStaged : splat ? Delivery::kSplat : Delivery::kStreamed, splat};
  }

  // Along cols, is the operand contiguous, or one value?
  bool Streams(int operand, int first) const { return first >= streams_from_[operand]; }
  // Beside one that is permuted, none is: what is one value becomes an image of it.
  bool Splats(int operand, int first) const { return first >= splats_from_[operand] && !IsAnyPermuted(first); }
  bool SplatsAny(int first) const {
    for (int i = 0; i < count(); ++i) {
      if (Splats(i, first)) return true;
    }
    return false;
  }
  bool IsPermuted(int operand, int first) const { return operand == permuted_ && first == permuted_first_; }
  bool IsTransposed(int operand, int first) const {
    return operand == transposed_ && first == rank() - 1 && !IsPermuted(operand, first);
  }
  // Do the output's elements lie a few elements apart, as the kernel writes them?
  bool Spreads(int first) const {
    const int out = count() - 1;
    if (!problem_.spreads || first != rank() - 1 || IsUnaligned(out)) return false;
    const std::int64_t stride = canonical_.strides[out][first], size = problem_.sizes[out];
    return stride >= 2 * size && stride <= kMaxOutStep * size && stride % size == 0;
  }
  bool Stages(int operand, int first) const {
    if (IsPermuted(operand, first) || IsTransposed(operand, first) || (IsOutput(operand) && Spreads(first))) return false;
    if (Recurs(operand, first)) return false;
    return IsUnaligned(operand) || !(Streams(operand, first) || (!IsOutput(operand) && Splats(operand, first)));
  }

  // Is an input the same in each step of the first of cols, and contiguous in those, the other operands being so in all of them, so
  // that kernels take it as it lies (TileInput::period)?
  bool Recurs(int operand, int first) const {
    if (problem_.least_period == 0 || IsOutput(operand) || first == 0 || first + 1 >= rank()) return false;
    if (canonical_.strides[operand][first] != 0 || canonical_.extents[first] > kMostTimes) return false;
    if (problem_.unaligned != 0 || IsAnyPermuted(first) || !Streams(operand, first + 1)) return false;
    if (!Streams(1 - operand, first) || !Streams(2, first) || Block(first + 1) < problem_.least_period) return false;
    // Many rows that take the same have it from scratch: (181,1,10,9)+(7,1,9) of float32 takes 0.43 of the time with AVX2, others
    // of up to 2 KB 0.3 to 1.
    const int rows = DimOfRows(first);
    const bool shared = canonical_.strides[operand][rows] == 0 && canonical_.extents[rows] >= kManyRows;
    return !shared || SaturatingProduct(Block(first), problem_.widest) > kShortSharedBytes;
  }
  bool RecursAny(int first) const { return problem_.least_period > 0 && (Recurs(0, first) || Recurs(1, first)); }

  // Do kernels write the output where it is, one element after the other?
  bool WritesRuns(int first) const { return !Stages(count() - 1, first) && !Spreads(first); }

  // Do kernels that widen rows once (KernelAbilities::widens) do so?
  bool WidensOnce(int first) const { return !IsAnyPermuted(first) && !Spreads(first); }

  // The dim outside cols that runs along a tile's rows: the one along which a transposed operand is contiguous, else the next one
  // out, or the longest where that would make tiles of few bytes. Results that are streamed stay in the order of memory: rows of
  // 400 bytes that lie 800 apart took 1.6 times as long. So do 8 rows or more, of 1 KB in all, where no operand's are nearer to
  // each other along the longest dim: in 16 rows of 64 bytes, of an input in another order, (680,4,16,16) takes 0.28 of the time
  // from L3; in three rows of 80 bytes (3000,5,3,20) takes 1.35 times as long. And four or more where the longest dim's would lie 2
  // or 4 KB apart: (600,4,4,64) takes 0.62 of the time, (2000,4,8,16) 0.4 (Zen 5).
  int RowDim(int first) const {
    const int transposed = TransposedDim(first);
    return transposed >= 0 ? transposed : DimOfRows(first);
  }
  int DimOfRows(int first) const {
    const std::int64_t row_bytes = SaturatingProduct(Block(first), problem_.widest);
    int dim = first - 1;
    if (dim < 0 || problem_.streams) return dim;
    const std::int64_t bytes = SaturatingProduct(canonical_.extents[dim], row_bytes);
    if (bytes >= kLeastTileBytes) return dim;
    const bool enough = canonical_.extents[dim] >= kEnoughRows && bytes >= kEnoughTileBytes;
    const bool several = canonical_.extents[dim] >= kManyRows;
    for (int d = dim - 1; d >= 0; --d) {
      if (canonical_.extents[d] <= canonical_.extents[dim] || (several && MeetInSets(d))) continue;
      if (!enough || AreNearer(d, first - 1)) dim = d;
    }
    return dim;
  }
  // Are any operand's rows nearer to each other along that dim than along the other one?
  bool AreNearer(int dim, int other) const {
    for (int i = 0; i < count(); ++i) {
      const std::int64_t stride = std::abs(canonical_.strides[i][dim]);
      if (stride != 0 && stride < std::abs(canonical_.strides[i][other])) return true;
    }
    return false;
  }
  // Do an operand's rows along a dim have the same two places in an L1, or one?
  bool MeetInSets(int dim) const {
    for (int i = 0; i < count(); ++i) {
      const std::int64_t stride = canonical_.strides[i][dim];
      if (stride != 0 && stride % (kSetBytes / 2) == 0) return true;
    }
    return false;
  }

  // The dim before `end` along which the operand is contiguous; -1 when there is none.
  int ContiguousDim(int operand, int end) const {
    for (int d = end - 1; d >= 0; --d) {
      if (std::abs(canonical_.strides[operand][d]) == problem_.sizes[operand] && canonical_.extents[d] > 1) return d;
    }
    return -1;
  }

  // The dim along which a transposed operand is contiguous; -1 when none is transposed.
  int TransposedDim(int first) const {
    for (int i = 0; i < count(); ++i) {
      if (IsTransposed(i, first)) return ContiguousDim(i, first);
      const std::int64_t inner_stride = canonical_.strides[i][rank() - 1];
      if (!Stages(i, first) || inner_stride == 0 || std::abs(inner_stride) == problem_.sizes[i]) continue;
      if (const int d = ContiguousDim(i, first); d >= 0) return d;
    }
    return -1;
  }

  bool IsAnyPermuted(int first) const { return permuted_ >= 0 && first == permuted_first_; }
  // How the kernel takes the input that is permuted where cols are the dims from `first` on; null where none is.
  const Permutation* permutation(int first) const { return IsAnyPermuted(first) ? permutation_ : nullptr; }
  int permuted_input() const { return permuted_; }  // -1: none
  // Kernels take that input transposed; -1: none.
  void Transpose(int input) { transposed_ = input; }
  bool IsAnyTransposed(int first) const { return transposed_ >= 0 && IsTransposed(transposed_, first); }
  // Do that input's lines all begin on cache lines, if the first one does?
  bool IsTransposedOnLines(int first) const {
    return IsAnyTransposed(first) && canonical_.strides[transposed_][first] % kLineBytes == 0;
  }
  // Kernels take that input as it lies, where cols are the dims from `first` on; -1: none.
  void Permute(int input, int first, const Permutation* permutation) {
    permuted_ = input;
    permuted_first_ = first;
    permutation_ = permutation;
  }

  int rank() const { return canonical_.rank(); }
  int count() const { return static_cast<int>(problem_.sizes.size()); }
  bool IsOutput(int operand) const { return operand + 1 == count(); }
  bool IsUnaligned(int operand) const { return (problem_.unaligned >> operand) & 1; }
  // Bytes of an operand's elements; what is stretched counts once.
  double UniqueBytes(int operand) const {
    double bytes = static_cast<double>(problem_.sizes[operand]);
    for (int d = 0; d < rank(); ++d) bytes *= canonical_.strides[operand][d] != 0 ? static_cast<double>(canonical_.extents[d]) : 1;
    return bytes;
  }
  // Elements of the dims from `first` on.
  std::int64_t Block(int first) const { return blocks_[first]; }

 protected:
  const Canonical& canonical_;
  const TilingProblem& problem_;

 private:
  std::int64_t blocks_[kMaxRank + 1];
  int streams_from_[kMaxOperands], splats_from_[kMaxOperands];  // the first dim from which on an operand does
  int transposed_ = -1;
  int permuted_ = -1, permuted_first_ = -1;
  const Permutation* permutation_ = nullptr;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_TILE_OPERANDS_H_
