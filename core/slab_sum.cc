// Slabs of a program's results; see slab_sum.h.
#include "core/slab_sum.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "core/canonical.h"
#include "core/copy.h"
#include "core/element_size.h"
#include "core/stage.h"
#include "core/sum_execute.h"
#include "core/sum_tree.h"

namespace axiscast {
namespace {

constexpr std::int64_t kLeastSlabBytes = 64 * 1024;  // below this two plans' calls for each slab show
constexpr std::int64_t kSlabsForThreads = 64;        // so many are aimed at
constexpr std::int64_t kLeastApart = 64;             // summands; sums of fewer would be much of what is saved

}  // namespace

struct SlabSum::Job {
  const SlabSum& slabs;
  const void* const* pointers;
  std::byte* out;
  std::byte* partial;  // [piece][sum]
  std::byte* scratch;  // a block for each of the first `blocks` workers, who leave nothing to those that come later
  std::int64_t blocks;
  std::atomic<std::int64_t> workers{0};
};

void SlabSum::MergeDims(const SlabProblem& problem, bool apart) {
  const Problem& program = problem.program;
  bool innermost = true;  // no dim that is kept has come behind one that is summed
  bool any = false;
  for (int d = program.shape.rank() - 1; d >= 0; --d) {
    if (program.shape[d] == 1) continue;
    innermost = innermost && (problem.summed[d] || !any);
    any = any || problem.summed[d];
    const Kind kind = !problem.summed[d] ? Kind::kKept : innermost || !apart ? Kind::kSummed : Kind::kSummedAfter;
    Dim dim{program.shape[d], kind, {}, problem.summed[d] ? 0 : problem.out_strides[d]};
    for (int i = 0; i < program.input_count(); ++i)
      dim.strides.push_back(program.operands[static_cast<std::size_t>(i)].byte_strides[d]);
    bool merges = !dims_.empty() && dims_.back().kind == kind;
    for (std::size_t i = 0; merges && i < dim.strides.size(); ++i)
      merges = IsRun(dim.strides[i], dims_.back().strides[i], dims_.back().extent);
    merges = merges && (kind != Kind::kKept || IsRun(dim.out_stride, dims_.back().out_stride, dims_.back().extent));
    if (merges) {
      dims_.back().extent *= dim.extent;
    } else {
      dims_.push_back(std::move(dim));
    }
  }
  std::reverse(dims_.begin(), dims_.end());
  for (std::size_t d = dims_.size(); d-- > 0;) {
    if (dims_[d].kind == Kind::kSummed) continue;
    dims_[d].partial_stride = sums_ * size_;
    sums_ *= dims_[d].extent;
    sums_again_ = sums_again_ || dims_[d].kind == Kind::kSummedAfter;
  }
}

// False where no cut makes slabs that are small enough. Slabs of a quarter of the L2 cache are aimed at, beside the operands that
// stream through it; whole rows of memory are worth more than that.
bool SlabSum::ChooseCuts(std::int64_t block, bool apart, std::int64_t l2) {
  std::int64_t bytes = size_;
  int summed_dims = 0, longest = -1, leading = 0;  // dims in front of all that are summed
  for (int d = 0; d < static_cast<int>(dims_.size()); ++d) {
    const Dim& dim = dims_[static_cast<std::size_t>(d)];
    bytes *= dim.extent;
    if (dim.kind == Kind::kSummed) {
      ++summed_dims;
      piece_dim_ = d;
      continue;
    }
    if (summed_dims == 0) leading = d + 1;
    if (longest < 0 || dim.extent > dims_[static_cast<std::size_t>(longest)].extent) longest = d;
  }
  if (bytes <= 2 * l2 || summed_dims == 0) return false;
  const std::int64_t most = l2 / 4, limit = std::clamp(bytes / kSlabsForThreads, std::min(kLeastSlabBytes, most), most);
  const auto cut = [&](int dim, std::int64_t most_cuts) {
    kept_ = dim;
    cuts_ = std::clamp<std::int64_t>(CeilDiv(bytes, limit), 1, most_cuts);
    bytes = bytes / KeptExtent() * CeilDiv(KeptExtent(), cuts_);
  };
  for (int d = 0; d < leading && bytes > limit && cuts_ == KeptExtent(); ++d) {
    outer_ *= KeptExtent();
    outer_dims_ = d;
    cut(d, dims_[static_cast<std::size_t>(d)].extent);
  }
  if (bytes > l2 && summed_dims == 1 && apart) {
    const std::int64_t count = dims_[static_cast<std::size_t>(piece_dim_)].extent;
    const std::int64_t blocks = std::max<std::int64_t>(limit / (bytes / count * block), 1);
    piece_ = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(blocks))) * block;
    pieces_ = CeilDiv(count, piece_);
    if (pieces_ > 1) bytes = bytes / count * piece_;
  }
  // A dim of one step is none: where groups lie on both sides of it, they would become one.
  if (bytes > l2 && kept_ < 0 && longest >= 0)
    cut(longest, dims_[static_cast<std::size_t>(longest)].extent / (summed_dims > 1 ? 2 : 1));
  if (pieces_ == 1) piece_dim_ = -1;
  partial_ = pieces_ > 1 || sums_again_;
  slab_bytes_ = (bytes + 63) / 64 * 64;
  return bytes <= l2;
}

Status SlabSum::MakeSlabs(const SlabProblem& problem, const SumKernels& sums) {
  const std::int64_t rest = piece_dim_ >= 0 ? dims_[static_cast<std::size_t>(piece_dim_)].extent - (pieces_ - 1) * piece_ : 0;
  for (int last = 0; last < 2; ++last) {
    for (int more = 0; more < 2; ++more) {
      if ((more == 1 && KeptExtent() % cuts_ == 0) || (last == 0 && pieces_ == 1)) continue;  // there are none
      Problem program;
      program.steps = problem.program.steps;
      program.constants = problem.program.constants;
      program.far = true;
      SumProblem sum = {};
      sum.dtype = dtype_;
      for (int d = 0; d < static_cast<int>(dims_.size()); ++d) {
        const Dim& dim = dims_[static_cast<std::size_t>(d)];
        const std::int64_t pieced = last == 1 ? rest : piece_;
        program.shape.push_back(d < outer_dims_   ? 1
                                : d == kept_      ? KeptExtent() / cuts_ + more
                                : d == piece_dim_ ? pieced
                                                  : dim.extent);
        sum.summed[d] = dim.kind == Kind::kSummed;
        sum.out_strides.push_back(partial_ ? dim.partial_stride : dim.out_stride);
      }
      for (std::size_t i = 0; i < static_cast<std::size_t>(problem.program.input_count()); ++i) {
        ByteStrides strides;
        for (const Dim& dim : dims_) strides.push_back(dim.strides[i]);
        program.operands.push_back({problem.program.operands[i].dtype, strides});
      }
      sum.shape = program.shape;
      sum.x_strides = DenseStrides(program.shape, dtype_);
      program.operands.push_back({dtype_, sum.x_strides});
      Slab& slab = slab_[last][more];
      if (piece_dim_ >= 0 && program.shape[piece_dim_] == 1) {
        for (int d = 0; d < sum.shape.rank(); ++d) slab.copied.push_back({sum.shape[d], sum.out_strides[d]});
      } else {
        slab.sum = MakeSumLayout(sum, sums);
      }
      if (Status status = Plan::Impl::Make(std::move(program), *movers_, problem.caller, problem.names, {}, &slab.program);
          !status.ok()) {
        return status;
      }
    }
  }
  return Status();
}

void SlabSum::MakeFinish(const SumKernels& sums) {
  SumProblem sum = {};
  sum.dtype = dtype_;
  for (const Dim& dim : dims_) {
    if (dim.kind == Kind::kSummed) continue;
    sum.summed[sum.shape.rank()] = dim.kind == Kind::kSummedAfter;
    sum.shape.push_back(dim.extent);
    sum.x_strides.push_back(dim.partial_stride);
    sum.out_strides.push_back(dim.out_stride);
  }
  finish_ = MakeSumLayout(sum, sums);
}

std::unique_ptr<const SlabSum> SlabSum::Make(const SlabProblem& problem, const SumKernels& sums, const Movers& movers,
                                             std::int64_t l2) {
  auto slabs = std::make_unique<SlabSum>();
  slabs->movers_ = &movers;
  slabs->dtype_ = problem.program.steps.back().kernel->output;
  slabs->size_ = SizeInBytes(slabs->dtype_);
  slabs->kernel_ = sums.of[static_cast<std::size_t>(slabs->dtype_)];
  slabs->input_count_ = problem.program.given_count();
  const bool exact = slabs->kernel_.round == nullptr;  // sums have the type that they are added up in
  std::int64_t innermost = 1;
  int d = problem.program.shape.rank() - 1;
  while (d >= 0 && !problem.summed[d]) --d;
  for (; d >= 0 && (problem.summed[d] || problem.program.shape[d] == 1); --d) innermost *= problem.program.shape[d];
  slabs->MergeDims(problem, exact && innermost >= kLeastApart);
  if (!slabs->ChooseCuts(slabs->kernel_.lanes * kSumSteps, exact, l2)) return nullptr;
  if (!slabs->MakeSlabs(problem, sums).ok()) return nullptr;
  if (slabs->sums_again_) slabs->MakeFinish(sums);
  return slabs;
}

std::int64_t SlabSum::MemoryBytes(std::int64_t blocks) const { return blocks * slab_bytes_ + PartialBytes(); }

std::int64_t SlabSum::Blocks(const ExecuteOptions& options) const { return std::min<std::int64_t>(Concurrency(options), slabs()); }

bool SlabSum::Execute(const void* const* pointers, std::byte* out, const ExecuteOptions& options) const noexcept {
  const std::int64_t blocks = Blocks(options);  // a pool may say another number when it is asked again
  const HeapBlock memory(MemoryBytes(blocks));
  if (memory.data == nullptr) return false;
  Job job{*this, pointers, out, memory.data, memory.data + PartialBytes(), blocks};
  RunParallel(slabs(), {1}, options, &Run, &job);
  if (partial_) Finish(job, options);
  return true;
}

void SlabSum::Run(void* state, Pieces& pieces) {
  Job& job = *static_cast<Job*>(state);
  const std::int64_t worker = job.workers.fetch_add(1);
  if (worker >= job.blocks) return;
  std::byte* const scratch = job.scratch + worker * job.slabs.slab_bytes_;
  std::int64_t begin, end;
  while (pieces.Take(&begin, &end)) {
    for (std::int64_t i = begin; i < end; ++i) job.slabs.RunSlab(job, i, scratch);
  }
}

void SlabSum::RunSlab(const Job& job, std::int64_t number, std::byte* scratch) const {
  const std::int64_t cut = number % cuts_, longer = KeptExtent() % cuts_;
  const std::int64_t piece = number / cuts_ % pieces_;
  const Slab& slab = slab_[piece + 1 == pieces_][cut < longer];
  const std::byte* data[kMaxOperands];
  std::byte* out = partial_ ? job.partial + piece * sums_ * size_ : job.out;
  for (int i = 0; i < input_count_; ++i) data[i] = static_cast<const std::byte*>(job.pointers[i]);
  const auto move = [&](int dim, std::int64_t steps) {
    const Dim& along = dims_[static_cast<std::size_t>(dim)];
    for (int i = 0; i < input_count_; ++i) data[i] += steps * along.strides[static_cast<std::size_t>(i)];
    if (along.kind != Kind::kSummed) out += steps * (partial_ ? along.partial_stride : along.out_stride);
  };
  std::int64_t outer = number / cuts_ / pieces_;
  for (int d = outer_dims_ - 1; d >= 0; --d) {
    const std::int64_t extent = dims_[static_cast<std::size_t>(d)].extent;
    move(d, outer % extent);
    outer /= extent;
  }
  if (kept_ >= 0) move(kept_, cut * (KeptExtent() / cuts_) + std::min(cut, longer));
  if (piece_dim_ >= 0) move(piece_dim_, piece * piece_);
  const void* pointers[kMaxOperands];
  std::copy_n(data, input_count_, pointers);
  ExecuteOptions one;
  one.max_threads = 1;
  // Cannot fail: nothing is null, and nothing overlaps the scratch.
  (void)slab.program->Execute(pointers, scratch, one).ok();
  if (slab.copied.empty()) return ExecuteSum(slab.sum, *movers_, scratch, out, one);
  StageOut(*movers_, std::countr_zero(SizeOf(dtype_)), slab.copied.data(), static_cast<int>(slab.copied.size()), scratch, out);
}

void SlabSum::Finish(const Job& job, const ExecuteOptions& options) const {
  const std::int64_t row = sums_ * size_;
  for (std::int64_t step = 1; step < pieces_; step *= 2) {  // the same pairs as a BlockTree's
    for (std::int64_t i = 0; i + step < pieces_; i += 2 * step) {
      kernel_.add(job.partial + i * row, job.partial + (i + step) * row, sums_);
    }
  }
  if (sums_again_) return ExecuteSum(finish_, *movers_, job.partial, job.out, options);
  BoxDim dims[kMaxRank];
  int rank = 0;
  for (const Dim& dim : dims_) {
    if (dim.kind == Kind::kKept) dims[rank++] = {dim.extent, dim.out_stride};
  }
  if (rank == 0) dims[rank++] = {1, 0};
  StageOut(*movers_, std::countr_zero(SizeOf(dtype_)), dims, rank, job.partial, job.out);
}

}  // namespace axiscast
