// The passes behind the roof: loops that only move bytes, in the widest vectors of the CPU.
#ifndef AXISCAST_BENCH_ROOF_KERNELS_H_
#define AXISCAST_BENCH_ROOF_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace axiscast::bench {

// Passes work on whole blocks of this many bytes of output.
inline constexpr std::int64_t kRoofBlock = 1024;

// Writes out[0, bytes) from `reads` times as many bytes of input: one stream of them at `x`, or for even `reads` two, at `x` and
// `y`. `bytes` is a multiple of kRoofBlock, out is aligned to 64.
using RoofPass = void (*)(const std::byte* x, const std::byte* y, std::byte* out, std::int64_t bytes);

struct RoofPasses {
  int reads;
  std::vector<RoofPass> ordinary;   // the same with more or less unrolling
  std::vector<RoofPass> streaming;  // with non-temporal stores
};

// For 0, 1, 2, 3, 4, 8 and 16 reads, in this order.
const std::vector<RoofPasses>& AllRoofPasses();

// Passes that read x[0, bytes) and write nothing (`out` is not used).
const std::vector<RoofPass>& ReadOnlyPasses();

// Highway's name of the target they were compiled for.
const char* RoofTarget();

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_ROOF_KERNELS_H_
