// The loops behind the roof: they only move bytes, or only compute, in the widest vectors of the CPU.
#ifndef AXISCAST_BENCH_ROOF_KERNELS_H_
#define AXISCAST_BENCH_ROOF_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace axiscast::bench {

// Passes work on whole blocks of this many bytes of output.
inline constexpr std::int64_t kRoofBlock = 512;

// Writes out[0, bytes) from `reads` times as many bytes of input: one stream of them at `x`, or for even `reads` two, at `x` and
// `y`. `bytes` is a multiple of kRoofBlock, out is aligned to 64. Loops that prefetch do so `ahead` bytes before they load.
using RoofPass = void (*)(const std::byte* x, const std::byte* y, std::byte* out, std::int64_t bytes, std::int64_t ahead);

// A way to write the loop. Which one is best depends on the level of the memory, on the mix and on the CPU: all are tried.
struct RoofLoop {
  RoofPass pass;
  std::int64_t ahead;  // 0: does not prefetch
  bool streaming;      // non-temporal stores
};

struct RoofPasses {
  int reads;
  std::vector<RoofLoop> loops;  // the same ways for every mix
};

// For 0, 1, 2, 3, 4, 8 and 16 reads, in this order.
const std::vector<RoofPasses>& AllRoofPasses();

// Passes that read x[0, bytes) and write nothing (`out` is not used).
const std::vector<RoofPass>& ReadOnlyPasses();

// Arithmetic that costs more than the bytes it is done on: a vector instruction, or where there is none that gives the exact
// result, the fewest of them that are known to. Such a roof is one that can be lowered: whoever finds fewer instructions writes
// them here.
enum class Arithmetic : std::uint8_t {
  kNone,
  kDivideFloat32,
  kDivideFloat64,
  kSquareRootFloat32,
  kAddFloat16,    // to as many others
  kAnyOpFloat16,  // by any other op
  kAddBFloat16,
  kAddFloat16ToFew,  // whose conversions are left out
  kAnyOpFloat16ToFew,
  kAddBFloat16ToFew,
  kSumFloat16,
  kCompareFloat32,    // to bool
  kDivideInt32,       // floored, by as many divisors
  kDivideInt32ByOne,  // by one
  kRemainderFloat32,  // floored
  kChainFloat32,      // adding twice, multiplying, and the larger one of two
};

// Does the arithmetic on at least so many elements, in registers or from L1, without waiting for results. Returns how many; 0: it
// has no such way. Which way is the fastest one depends on the CPU; and arrays in L1 lie elsewhere for each of the places, of which
// one or the other may be slow.
inline constexpr int kArithmeticWays = 3, kArithmeticPlaces = 4;
std::int64_t RunArithmetic(Arithmetic arithmetic, int way, std::int64_t elements, int place);

// Highway's name of the target they were compiled for.
const char* RoofTarget();

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_ROOF_KERNELS_H_
