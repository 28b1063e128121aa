// What a target says of its chains.
#ifndef AXISCAST_SIMD_CHAIN_H_
#define AXISCAST_SIMD_CHAIN_H_

#include <cstdint>

#include "axiscast/dtype.h"
#include "axiscast/kernel.h"

namespace axiscast {

// By dtype, of a list of ops. run: null where there is no chain. links: a bit for each op of the list that may be in it.
struct ChainTable {
  KernelFunction run[kDTypeCount];
  std::uint64_t links[kDTypeCount];
};

}  // namespace axiscast

#endif  // AXISCAST_SIMD_CHAIN_H_
