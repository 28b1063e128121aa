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
// Nothing but the named elements is written, and nothing read but them and gaps of less than 64 bytes between two of them. Counts
// are >= 1.

// A dim of a block that is staged: how many elements, how many bytes apart on the strided side.
struct BoxDim {
  std::int64_t extent;
  std::int64_t stride;
};

// Up to so often, elements are repeated by tables.
inline constexpr int kMaxRepeat = 8;
// out[i * repeat + j] = x[i], x's elements being `stride` bytes apart: i < count, j < repeat.
using RepeatMover = void (*)(const std::byte* x, std::int64_t stride, std::int64_t count, std::int64_t repeat, std::byte* out);
// out[r * cols + c] = x[r, c]. A stride may be 0.
using GatherMover = void (*)(const std::byte* x, std::int64_t row_stride, std::int64_t col_stride, std::int64_t rows,
                             std::int64_t cols, std::byte* out);
// out = the elements of three dims, outermost first, of which the first or the second one steps by one element and the third by
// more than that.
using TransposesMover = void (*)(const std::byte* x, const BoxDim* dims, std::byte* out);
// out[r, c] = x[r * cols + c].
using ScatterMover = void (*)(const std::byte* x, std::int64_t rows, std::int64_t cols, std::byte* out, std::int64_t row_stride,
                              std::int64_t col_stride);

// out = the elements of dims[0, rank) at x, outermost first; or false, and nothing: only boxes of dims[1, rank) that are
// small and close to each other are taken, and few elements that come again in each step of dims[0].
using BoxesMover = bool (*)(const std::byte* x, const BoxDim* dims, int rank, std::byte* out);
// `count` runs of `bytes` each, from one distance to another.
using RunsMover = void (*)(const std::byte* x, std::int64_t x_stride, std::byte* out, std::int64_t out_stride, std::int64_t count,
                           std::int64_t bytes);

struct Movers {
  RepeatMover repeat[kElementSizes];
  GatherMover gather[kElementSizes];  // transposes in squares where row_stride is one element
  TransposesMover transposes[kElementSizes];
  ScatterMover scatter[kElementSizes];
  ScatterMover scatter_far[kElementSizes];  // the same to memory: no stores that wait for their lines
  BoxesMover boxes[kElementSizes];
  RunsMover runs;
  KernelFunction copy[kElementSizes];  // a unary kernel: out = in[0]
  void (*fence)();                     // makes what was streamed visible to other threads
  std::int64_t vector_bytes;           // of the target
};

// Sums of one dtype, by the tree of core/sum_tree.h. They go to accumulators: float for the 16-bit floats, else the dtype itself. x
// has its elements' alignment, accumulators have theirs. Counts are >= 1.
struct SumKernel {
  std::int64_t lanes;  // of a block; integers, whose sums are the same in any order, have as many as are fast
  std::int64_t size;   // bytes of an accumulator
  bool in_any_order;   // integers
  // out[i] = the sum of the n elements that lie one after the other at x + i * stride: i < count.
  void (*rows)(const std::byte* x, std::int64_t stride, std::int64_t count, std::int64_t n, std::byte* out);
  // out[c] = the sum over r < n of the element c of the row at x + r * pitch: c < cols. far: x is in no cache. scratch:
  // SumScratchBytes(*this, n, a row of accumulators).
  void (*columns)(const std::byte* x, std::int64_t pitch, std::int64_t n, std::int64_t cols, bool far, std::byte* scratch,
                  std::byte* out);
  // x[i] += y[i], accumulators both.
  void (*add)(std::byte* x, const std::byte* y, std::int64_t count);
  // out[i] = x[i], rounded to the dtype; null where accumulators are elements.
  void (*round)(const std::byte* x, std::int64_t count, std::byte* out);
};

struct SumKernels {
  SumKernel of[kDTypeCount];  // by dtype; bool has none
};

// Gather and scatter: rows that an index chooses. Addresses, strides and alignment are arbitrary.

// One side of what is moved. Element (r, c) is at data + r * row_stride + index[r] * index_stride + c * col_stride.
struct IndexSide {
  std::byte* data;  // only read where it is an input
  std::int64_t row_stride;
  std::int64_t col_stride;
  std::int64_t index_stride;
};

struct IndexRows {
  const std::int64_t* index;  // of each row
  std::int64_t rows;          // >= 1
  std::int64_t cols;          // >= 1
  IndexSide x;
  IndexSide out;
  IndexSide counts;  // int64; what `store` divides by. No data: it does not
  bool far;          // what the index chooses is in no near cache: ask for it ahead
  bool stream;       // nobody reads `out` soon: gather writes dense rows past the caches, and fences
};
// Rows come one after the other, as do the elements of one: later ones see what earlier ones wrote.
using IndexRowsFunction = void (*)(const IndexRows& rows);

// How values that meet in one place become one.
enum class Reduction : std::uint8_t { kAdd, kMultiply, kMinimum, kMaximum };
inline constexpr int kReductions = 4;
inline constexpr int kIndexTypes = 2;  // int32 and int64

struct IndexKernels {
  // Whether `count` indices, `stride` bytes apart, all lie in [lowest, highest].
  bool (*in_range[kIndexTypes])(const std::byte* index, std::int64_t stride, std::int64_t count, std::int64_t lowest,
                                std::int64_t highest);
  // values[i] = index[i], and `wrap` more where it is negative.
  void (*read[kIndexTypes])(const std::byte* index, std::int64_t stride, std::int64_t count, std::int64_t wrap,
                            std::int64_t* values);
  // out = x, by element size. The index belongs to one side: gather has it in x, scatter in out.
  IndexRowsFunction gather[kElementSizes];
  IndexRowsFunction scatter[kElementSizes];
  // The same for bool, whose results are 0 or 1 whatever byte stood for true; and out = in[0] as a kernel.
  IndexRowsFunction gather_bool;
  IndexRowsFunction scatter_bool;
  KernelFunction copy_bool;
  // By dtype, null for bool. `out` has what the dtype computes in: float for the 16-bit floats, else the dtype itself.
  IndexRowsFunction reduce[kReductions][kDTypeCount];  // out = reduction(out, x); the index belongs to out
  IndexRowsFunction load[kDTypeCount];                 // out = x; the index belongs to both sides, here and in `store`
  // out = x, divided by its count where there are counts: ints truncate, 16-bit floats are rounded once.
  IndexRowsFunction store[kDTypeCount];
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

// What gather and scatter run, compiled for a supported target.
IndexKernels BuiltInIndexKernels(std::int64_t target);

}  // namespace axiscast

#endif  // AXISCAST_CORE_KERNEL_H_
