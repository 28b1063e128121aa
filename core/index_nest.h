// The loops of a gather or scatter: dims in the order of memory, merged, with rows and cols for the kernels innermost.
#ifndef AXISCAST_CORE_INDEX_NEST_H_
#define AXISCAST_CORE_INDEX_NEST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axiscast/plan.h"
#include "core/kernel.h"

namespace axiscast {

// What loops step through. Sums and counts are scratch; the constants have no strides.
enum NestOperand { kNestIndex, kNestX, kNestOut, kNestSums, kNestCounts, kNestIdentity, kNestOne, kNestFirstCount, kNestOperands };

struct NestLoop {
  std::int64_t extent;
  std::int64_t strides[kNestOperands] = {};  // bytes
  // Whether steps may write the same element, and so go one after the other; they keep the order in which they were given.
  bool ordered = false;
};

// Along which dim of an operand the index chooses: bytes from one value to the next; 0 where it does not.
struct NestSteps {
  std::int64_t bytes[kNestOperands] = {};
};

// A kernel over the whole nest: from an operand to another one.
struct NestPhase {
  IndexRowsFunction run;
  NestOperand x;
  NestOperand out;
  bool counts = false;  // the kernel is given them
};

class IndexNest {
 public:
  IndexNest() = default;
  // Loops as the shapes have them, outermost first; none of extent 0. Where they are ordered, `ordered_key` takes the place of the
  // output's stride: how far apart the index's neighbours lie there.
  IndexNest(std::vector<NestLoop> loops, const NestSteps& steps, std::int64_t ordered_key, DType index_dtype, std::int64_t wrap);

  // What is behind the loops: the extent that the index chooses from, how many bytes that is at a time, how many are written, and
  // the size of x's elements. Kernels are told where bytes are too many for the caches.
  void SetSizes(std::int64_t extent, double chosen, double written, int x_size_log2);

  // Runs the phases one after the other, over any number of threads. pointers: of each operand that phases use.
  void Run(const IndexKernels& kernels, const NestPhase* phases, int phase_count, std::byte* const* pointers,
           const ExecuteOptions& options) const noexcept;

  // Outermost first; the last two are rows and cols.
  const std::vector<NestLoop>& loops() const { return loops_; }
  // Into how many pieces of work the nest is split for so many threads.
  std::int64_t PiecesFor(std::int64_t threads) const;
  bool parallel() const;  // threads may share it

 private:
  struct Split;
  class Worker;
  double Seconds() const;  // on one thread, roughly
  std::int64_t WantedPieces(std::int64_t threads) const;
  void MakeSplit(std::int64_t pieces, Split* split) const;
  bool CanHaveWindows() const;

  std::vector<NestLoop> loops_;
  NestSteps steps_;
  std::int64_t offsets_[kNestOperands] = {};  // of loops that were turned round
  int index_type_ = 0;
  std::int64_t index_size_ = 0;
  std::int64_t wrap_ = 0;
  double bytes_ = 0;  // that are moved, roughly
  std::int64_t extent_ = 0;
  int x_size_log2_ = 0;
  bool far_ = false;  // as IndexRows has it
  bool stream_ = false;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_INDEX_NEST_H_
