// The whole contract between core (which knows shapes, plans and threads) and simd/ops (which know element types and meanings).
#ifndef AXISCAST_CORE_KERNEL_H_
#define AXISCAST_CORE_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axiscast/kernel.h"

namespace axiscast {

// Element sizes are 1 << size_log2 bytes: 1, 2, 4, 8 and 16.
inline constexpr int kElementSizes = 5;

// Staging moves elements between a strided view and dense scratch. Movers know the element's size, never its type or the op.
// The strided side has any address and strides; the dense side is aligned to the element.
// Nothing but the named elements is written, and nothing read but them and gaps of a few elements between two of them. Counts are
// >= 1.

// out[i * repeat + j] = x[i], x's elements being `stride` bytes apart: i < count, j < repeat.
using RepeatMover = void (*)(const std::byte* x, std::int64_t stride, std::int64_t count, std::int64_t repeat, std::byte* out);
// out[r * cols + c] = x[r, c].
using GatherMover = void (*)(const std::byte* x, std::int64_t row_stride, std::int64_t col_stride, std::int64_t rows,
                             std::int64_t cols, std::byte* out);
// out[r, c] = x[r * cols + c].
using ScatterMover = void (*)(const std::byte* x, std::int64_t rows, std::int64_t cols, std::byte* out, std::int64_t row_stride,
                              std::int64_t col_stride);

struct Movers {
  RepeatMover repeat[kElementSizes];
  GatherMover gather[kElementSizes];  // transposes in squares where row_stride is one element
  ScatterMover scatter[kElementSizes];
  KernelFunction copy[kElementSizes];  // a unary kernel: out = in[0]
  void (*fence)();                     // makes what was streamed visible to other threads
};

// Sums of one dtype, by the tree of core/sum_tree.h. They go to accumulators: float for the 16-bit floats, else the dtype itself. x
// has its elements' alignment, accumulators have theirs. Counts are >= 1.
struct SumKernel {
  std::int64_t lanes;  // of a block; integers, whose sums are the same in any order, have as many as are fast
  std::int64_t size;   // bytes of an accumulator
  // out[i] = the sum of the n elements that lie one after the other at x + i * stride: i < count.
  void (*rows)(const std::byte* x, std::int64_t stride, std::int64_t count, std::int64_t n, std::byte* out);
  // out[c] = the sum over r < n of the element c of the row at x + r * pitch: c < cols. scratch: SumScratchBytes(lanes, n, a
  // row of accumulators).
  void (*columns)(const std::byte* x, std::int64_t pitch, std::int64_t n, std::int64_t cols, std::byte* scratch, std::byte* out);
  // x[i] += y[i], accumulators both.
  void (*add)(std::byte* x, const std::byte* y, std::int64_t count);
  // out[i] = x[i], rounded to the dtype; null where accumulators are elements.
  void (*round)(const std::byte* x, std::int64_t count, std::byte* out);
};

struct SumKernels {
  SumKernel of[kDTypeCount];  // by dtype; bool has none
};

// A target of this build.
struct Target {
  std::int64_t bit;  // Highway's HWY_AVX2 and so on
  const char* name;  // Highway's name, as in "AVX2"
  bool supported;    // by this CPU
};

// What is compiled in, best target first; at least one is supported. Defined in ops/builtin.cc, as all that follows.
std::vector<Target> BuiltInTargets();

// All built-in ops, compiled for a supported target.
std::vector<OpDefinition> BuiltInOps(std::int64_t target);

// The movers, compiled for a supported target.
Movers BuiltInMovers(std::int64_t target);

// The sums, compiled for a supported target.
SumKernels BuiltInSums(std::int64_t target);

}  // namespace axiscast

#endif  // AXISCAST_CORE_KERNEL_H_
