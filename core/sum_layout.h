// Layout of a sum: in what pieces its elements are read, so that the tree of core/sum_tree.h is evaluated over them in about the
// order of memory. Made once, never changed.
#ifndef AXISCAST_CORE_SUM_LAYOUT_H_
#define AXISCAST_CORE_SUM_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "core/kernel.h"
#include "core/layout.h"
#include "core/sum_tree.h"

namespace axiscast {

// Scratch on the stack of the thread that sums: lanes and a tree for 512 columns of float32, half of 1024.
inline constexpr std::int64_t kSumScratchBytes = 56 * 1024;

// A sum, resolved: every dim of x is either kept, and then has a stride in the output, or summed.
struct SumProblem {
  DType dtype;
  Shape shape;  // of x
  ByteStrides x_strides;
  ByteStrides out_strides;  // of kept dims
  bool summed[kMaxRank];
  bool unaligned;  // the pointer of x, or a stride of it, breaks its element's alignment
};

// A group of summed dims that are neighbours (core/sum_tree.h, rule 1), as few dims as its strides in x allow.
struct SumGroup {
  std::vector<BoxDim> dims;  // outermost first
  std::int64_t count;        // of summands
  std::int64_t blocks;
  // Offsets in scratch of what its tree needs; unused by group 0, whose summands are not sums.
  std::int64_t lanes, rows, tree;
};

// How the summands of the innermost group reach the kernel.
enum class SumDelivery : std::uint8_t {
  kColumns,  // sums are contiguous in x
  kRows,     // summands are contiguous in x
  kStaged,   // neither, or not aligned: moved into scratch, as columns
};

struct SumLayout {
  DType dtype;
  int size_log2;  // of an element
  SumKernel kernel;
  std::int64_t x_offset, out_offset;  // bytes to add to the pointers
  // Kept dims, outermost first in x's memory, at least one.
  std::vector<std::int64_t> extents, x_strides, out_strides;
  std::vector<SumGroup> groups;  // innermost first; none: nothing is summed
  bool far;                      // x is in no cache
  bool no_summands;              // every sum is 0
  SumDelivery delivery;

  // A panel is what is summed at a time: `chunk` steps of the kept dim `panel_dim`, and all of the dims inside it.
  int panel_dim;
  std::int64_t chunk;
  std::int64_t panel;   // its sums
  std::int64_t panels;  // their number
  std::int64_t batch;   // so many sums of group 0 for each sum of a panel are made at a time, for group 1
  // Offsets in scratch: the panel's sums, rounded; what group 0 needs, and staged the tree over its blocks.
  std::int64_t sums, rounded, staging, group0, staged_tree;

  // Threads share panels; where those are too few, each panel's sums of group `split` are first made in pieces of so many summands.
  bool parallel;
  int split;                  // -1: not
  std::int64_t split_count;   // summands of a piece: a power of two of blocks
  std::int64_t split_pieces;  // of each sum of the group
  std::int64_t split_sums;    // sums of the group for each sum of a panel
  double seconds;             // estimate, one thread

  std::int64_t block() const { return kernel.lanes * kSumSteps; }
};

// `out_elements` is not 0.
SumLayout MakeSumLayout(const SumProblem& problem, const SumKernels& kernels);

}  // namespace axiscast

#endif  // AXISCAST_CORE_SUM_LAYOUT_H_
