// Sums of what a program computes, slab by slab: its results go to scratch that stays in a near cache, and are summed from there.
#ifndef AXISCAST_CORE_SLAB_SUM_H_
#define AXISCAST_CORE_SLAB_SUM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel.h"
#include "core/parallel.h"
#include "core/plan.h"
#include "core/program.h"
#include "core/sum_layout.h"

namespace axiscast {

// What is to be summed: the program's results, over its shape. The strides of its output count for nothing.
struct SlabProblem {
  Problem program;
  bool summed[kMaxRank];    // per dim of the program's shape
  ByteStrides out_strides;  // of the sums, over the dims that are kept
  std::string caller;
  std::vector<std::string> names;  // of the program's operands
};

// Cuts the program's shape into slabs, each with all summands of some of the sums, or with whole subtrees of them
// (core/sum_tree.h): the bits are those of a sum over all results at once. Sums over several groups of dims are made of the
// innermost one's; these, and subtrees, go through memory, a small part of what all results take. Sums of a type that is summed in
// a wider one are not taken apart: they would be rounded on the way.
class [[gnu::visibility("hidden")]] SlabSum {
 public:
  // Null where there is nothing to gain, as all results fit a near cache, and where no cut makes slabs that do. l2: the cache's
  // bytes.
  static std::unique_ptr<const SlabSum> Make(const SlabProblem& problem, const SumKernels& sums, const Movers& movers,
                                             std::int64_t l2);

  // pointers: the program's inputs, but constants. False, with nothing written, where there is no memory for the slabs.
  bool Execute(const void* const* pointers, std::byte* out, const ExecuteOptions& options) const noexcept;

  std::int64_t slabs() const { return outer_ * pieces_ * cuts_; }
  std::int64_t slab_bytes() const { return slab_bytes_; }
  std::int64_t pieces() const { return pieces_; }
  bool sums_again() const { return sums_again_; }
  // Of scratch: one for each thread that may run.
  std::int64_t Blocks(const ExecuteOptions& options) const;
  std::int64_t MemoryBytes(std::int64_t blocks) const;

 private:
  enum class Kind : std::uint8_t {
    kKept,
    kSummed,
    kSummedAfter,  // of another group than the innermost one
  };
  // A dim of the program's shape, neighbours of a kind merged.
  struct Dim {
    std::int64_t extent;
    Kind kind;
    std::vector<std::int64_t> strides;  // of the inputs
    std::int64_t out_stride;            // of the results
    std::int64_t partial_stride = 0;    // of the sums where they go through memory: row-major
  };
  // How one slab runs: all are of one of four shapes.
  struct Slab {
    std::shared_ptr<const Plan::Impl> program;
    SumLayout sum;
    std::vector<BoxDim> copied;  // instead of a sum, where there is one summand: the dims that it goes to
  };
  struct Job;

  void MergeDims(const SlabProblem& problem, bool apart);
  bool ChooseCuts(std::int64_t block, bool apart, std::int64_t l2);
  Status MakeSlabs(const SlabProblem& problem, const SumKernels& sums);
  void MakeFinish(const SumKernels& sums);
  static void Run(void* state, Pieces& pieces);
  void RunSlab(const Job& job, std::int64_t number, std::byte* scratch) const;
  // Adds up the pieces of each sum, and puts the sums where they belong.
  void Finish(const Job& job, const ExecuteOptions& options) const;
  const Dim& KeptDim() const { return dims_[static_cast<std::size_t>(kept_)]; }
  std::int64_t KeptExtent() const { return kept_ >= 0 ? KeptDim().extent : 1; }
  std::int64_t PartialBytes() const { return partial_ ? (pieces_ * sums_ * size_ + 63) / 64 * 64 : 0; }

  const Movers* movers_ = nullptr;
  DType dtype_ = DType::kFloat32;
  std::int64_t size_ = 0;  // of an element
  SumKernel kernel_ = {};
  std::vector<Dim> dims_;
  int input_count_ = 0;     // without constants
  int outer_dims_ = 0;      // dims that a slab has one step of
  std::int64_t outer_ = 1;  // their steps
  int kept_ = -1;           // the dim behind them, not summed in slabs, that is cut into `cuts_` parts as even as can be; -1: none
  std::int64_t cuts_ = 1;
  int piece_dim_ = -1;  // the summed dim that is cut into `pieces_` of `piece_` summands and a rest; -1: none
  std::int64_t piece_ = 0;
  std::int64_t pieces_ = 1;
  std::int64_t sums_ = 1;    // of slabs, in all
  bool partial_ = false;     // they go through memory
  bool sums_again_ = false;  // and are summed there
  std::int64_t slab_bytes_ = 0;
  Slab slab_[2][2];        // [the last piece][a part of one step more]
  SumLayout finish_ = {};  // where they are summed again
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_SLAB_SUM_H_
