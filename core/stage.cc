// Staging in terms of the movers: every block comes down to repeats, runs, small boxes, 2-d gathers and copies of what is already
// there.
#include "core/stage.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace axiscast {
namespace {

// So few patterns are made one after the other, in whole vectors, which what comes next need not wait for.
constexpr std::int64_t kFewPatterns = 16;
constexpr std::int64_t kShortPatternBytes = 128;  // longer ones are moved as well as runs

std::int64_t Elements(const BoxDim* dims, int rank) {
  std::int64_t elements = 1;
  for (int d = 0; d < rank; ++d) elements *= dims[d].extent;
  return elements;
}

// Whether the innermost dim is a run of as many bytes as an element of `wide_log2` has, and some other dim steps by that much: such
// elements are transposed, which is faster than moving runs.
bool TransposesRuns(int size_log2, const BoxDim* dims, int rank, int* wide_log2) {
  const BoxDim& run = dims[rank - 1];
  if (run.stride != std::int64_t{1} << size_log2 || run.extent > 16 || !std::has_single_bit(static_cast<unsigned>(run.extent)))
    return false;
  *wide_log2 = size_log2 + std::countr_zero(static_cast<unsigned>(run.extent));
  return *wide_log2 < kElementSizes &&
         std::any_of(dims, dims + rank - 1, [&](const BoxDim& dim) { return dim.stride == std::int64_t{1} << *wide_log2; });
}

// Runs of `run` bytes, at the steps of dims[0, rank) on the strided side and one after the other on the dense one. The longest dim
// is left to the mover, as calls for few runs cost more than the runs.
class RunMover {
 public:
  RunMover(const Movers& movers, const BoxDim* dims, int rank, std::int64_t run, bool in)
      : movers_(movers), dims_(dims), rank_(rank), run_(run), in_(in) {
    longest_ = static_cast<int>(
        std::max_element(dims, dims + rank, [](const BoxDim& a, const BoxDim& b) { return a.extent < b.extent; }) - dims);
  }

  void Move(const std::byte* from, std::byte* to) const { Move(0, Elements(dims_, rank_) * run_, from, to); }

 private:
  void Move(int d, std::int64_t dense, const std::byte* from, std::byte* to) const {
    if (d == rank_) {
      const BoxDim& dim = dims_[longest_];
      const std::int64_t step = Elements(dims_ + longest_ + 1, rank_ - longest_ - 1) * run_;
      movers_.runs(from, in_ ? dim.stride : step, to, in_ ? step : dim.stride, dim.extent, run_);
      return;
    }
    const BoxDim& dim = dims_[d];
    dense /= dim.extent;
    const std::int64_t steps = d == longest_ ? 1 : dim.extent;
    for (std::int64_t i = 0; i < steps; ++i) {
      Move(d + 1, dense, from + i * (in_ ? dim.stride : dense), to + i * (in_ ? dense : dim.stride));
    }
  }

  const Movers& movers_;
  const BoxDim* dims_;
  int rank_;
  std::int64_t run_;
  bool in_;
  int longest_;
};

}  // namespace

void StageIn(const Movers& movers, int size_log2, const BoxDim* dims, int rank, const std::byte* x, std::byte* out) {
  const BoxDim& outer = dims[0];
  const std::int64_t size = std::int64_t{1} << size_log2;
  if (rank == 1) {
    if (outer.stride == 0) {
      movers.repeat[size_log2](x, 0, 1, outer.extent, out);
    } else {
      movers.gather[size_log2](x, 0, outer.stride, 1, outer.extent, out);
    }
    return;
  }
  if (rank == 2) {
    const BoxDim& inner = dims[1];
    if (inner.stride == 0) {
      movers.repeat[size_log2](x, outer.stride, outer.extent, inner.extent, out);
    } else {
      movers.gather[size_log2](x, outer.stride, inner.stride, outer.extent, inner.extent, out);
    }
    return;
  }
  const std::int64_t elements = Elements(dims + 1, rank - 1), bytes = elements << size_log2;
  if (outer.stride == 0) {
    StageIn(movers, size_log2, dims + 1, rank - 1, x, out);
    if (outer.extent > 1) movers.gather[size_log2](out, 0, size, outer.extent - 1, elements, out + bytes);
    return;
  }
  int wide_log2;
  if (TransposesRuns(size_log2, dims, rank, &wide_log2)) {
    StageIn(movers, wide_log2, dims, rank - 1, x, out);
    return;
  }
  if (movers.boxes[size_log2](x, dims, rank, out)) return;
  const bool few_patterns = dims[1].stride == 0 && outer.extent < kFewPatterns && bytes <= dims[1].extent * kShortPatternBytes;
  if (dims[rank - 1].stride == size && Elements(dims + 1, rank - 2) <= kFewRuns && !few_patterns) {
    RunMover(movers, dims, rank - 1, dims[rank - 1].extent << size_log2, true).Move(x, out);
    return;
  }
  // What is contiguous along the outermost dim, element by element.
  if (elements <= kFewRuns && std::abs(outer.stride) == size) return RunMover(movers, dims, rank, size, true).Move(x, out);
  const auto steps_along_lines = [&](const BoxDim& dim) {
    return dim.stride == size && dim.extent > 1 && dims[2].stride >= dim.extent * size;
  };
  if (rank == 3 && (steps_along_lines(dims[1]) || steps_along_lines(outer))) {
    movers.transposes[size_log2](x, dims, out);
    return;
  }
  for (std::int64_t i = 0; i < outer.extent; ++i) {
    StageIn(movers, size_log2, dims + 1, rank - 1, x + i * outer.stride, out + i * bytes);
  }
}

void StageOut(const Movers& movers, int size_log2, const BoxDim* dims, int rank, const std::byte* x, std::byte* out, bool far) {
  const std::int64_t size = std::int64_t{1} << size_log2;
  const ScatterMover scatter = (far ? movers.scatter_far : movers.scatter)[size_log2];
  if (rank == 1) {
    scatter(x, 1, dims[0].extent, out, 0, dims[0].stride);
    return;
  }
  if (rank == 2) {
    scatter(x, dims[0].extent, dims[1].extent, out, dims[0].stride, dims[1].stride);
    return;
  }
  int wide_log2;
  if (TransposesRuns(size_log2, dims, rank, &wide_log2)) {
    StageOut(movers, wide_log2, dims, rank - 1, x, out, far);
    return;
  }
  if (dims[rank - 1].stride == size && Elements(dims + 1, rank - 2) <= kFewRuns) {
    RunMover(movers, dims, rank - 1, dims[rank - 1].extent << size_log2, false).Move(x, out);
    return;
  }
  const std::int64_t elements = Elements(dims + 1, rank - 1), bytes = elements << size_log2;
  if (elements <= kFewRuns && std::abs(dims[0].stride) == size) return RunMover(movers, dims, rank, size, false).Move(x, out);
  for (std::int64_t i = 0; i < dims[0].extent; ++i) {
    StageOut(movers, size_log2, dims + 1, rank - 1, x + i * bytes, out + i * dims[0].stride, far);
  }
}

}  // namespace axiscast
