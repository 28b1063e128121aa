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

}  // namespace axiscast

#endif  // AXISCAST_CORE_KERNEL_H_
