// The tree by which sums are added up. It depends on the logical shapes alone, so results have the same bits whatever the strides,
// the vectors, the threads and the tiles are:
//
//   1. Dims of extent 1 go. Summed dims that are neighbours then are one group, in row-major order. The innermost group is summed
//      first, its sums by the next group, and so on outwards: NCHW -> C sums H * W summands, then N of those sums.
//   2. A group's n summands are cut into blocks of 256. In a block, lane l adds up the summands l, l + 16, l + 32, ... in order;
//      then lane l takes lane l + 8, l + 4, l + 2, l + 1 in turn, as far as there are so many. Lane 0 is the block's sum.
//   3. Blocks are added in pairs: the largest power of two below their number makes the left subtree, the others the right one.
//   4. The 16-bit floats are summed as float, in all groups, and rounded once. No summand is added to a zero that is not there.
//
// A group of n summands thus takes ceil(n / 16) - 1 + 4 additions in a row at most for n <= 256, and 19 + log2(n / 256), rounded
// up, beyond: never more than 2.5 * log2(n). The same blocks can be evaluated along a vector, where summands are contiguous (a
// vector is 16 lanes or a part of them), and across vectors, where sums are (16 rows of accumulators).
#ifndef AXISCAST_CORE_SUM_TREE_H_
#define AXISCAST_CORE_SUM_TREE_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/kernel.h"

namespace axiscast {

inline constexpr std::int64_t kSumLanes = 16;  // of floats
inline constexpr std::int64_t kSumSteps = 16;  // summands of a lane in a block

// The rows that a BlockTree over so many blocks needs.
inline std::int64_t SumTreeRows(std::int64_t blocks) {
  return blocks <= 1 ? 1 : static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(blocks - 1))) + 1;
}

// The scratch of SumKernel::columns: the lanes of a block, or of several where cols are few, and a tree. Whole vectors reach behind
// the lanes. Integers need a group's bytes at most, and no more summands than lanes nothing more.
inline constexpr std::int64_t kSumGroupBytes = 8 * 1024;
inline std::int64_t SumLanesBytes(std::int64_t lanes, std::int64_t row_bytes) {
  return (lanes * row_bytes > kSumGroupBytes ? lanes * row_bytes : kSumGroupBytes) + 256;
}
inline std::int64_t SumScratchBytes(const SumKernel& kernel, std::int64_t n, std::int64_t row_bytes) {
  const std::int64_t block = kernel.lanes * kSumSteps;
  if (kernel.in_any_order || n <= kSumLanes) return SumLanesBytes(0, row_bytes);
  return SumLanesBytes(kernel.lanes, row_bytes) + (SumTreeRows(n / block + (n % block != 0)) - 1) * row_bytes;
}

// Rule 3, for rows of many sums side by side, as the blocks come: a binary counter. add(x, y) adds row y to row x.
template <class Add>
class BlockTree {
 public:
  // Row 0 is `out`, where the sum will be; the others lie one after the other at `rows`.
  BlockTree(std::byte* out, std::byte* rows, std::int64_t row_bytes, const Add& add)
      : out_(out), rows_(rows), row_bytes_(row_bytes), add_(add) {}

  // Where the next block's sums belong.
  std::byte* Next() const { return Row(depth_); }
  // They are there.
  void Push() {
    ++depth_;
    for (std::uint64_t left = ++blocks_; (left & 1) == 0; left >>= 1) Merge();
  }
  void Finish() {
    while (depth_ > 1) Merge();
  }

 private:
  std::byte* Row(std::int64_t i) const { return i == 0 ? out_ : rows_ + (i - 1) * row_bytes_; }
  void Merge() {
    add_(Row(depth_ - 2), Row(depth_ - 1));
    --depth_;
  }

  std::byte* const out_;
  std::byte* const rows_;
  const std::int64_t row_bytes_;
  const Add& add_;
  std::int64_t depth_ = 0;
  std::uint64_t blocks_ = 0;
};

// Rule 2's end: adds the `count` lanes up into the first one. add(to, from, lanes) adds lanes to lanes.
template <class Add>
void FoldSumLanes(std::int64_t lanes, std::int64_t count, const Add& add) {
  for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
    if (count <= half) continue;
    add(std::int64_t{0}, half, count - half);
    count = half;
  }
}

}  // namespace axiscast

#endif  // AXISCAST_CORE_SUM_TREE_H_
