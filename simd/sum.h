// The sums of each target, as core/kernel.h declares them.
#ifndef AXISCAST_SIMD_SUM_H_
#define AXISCAST_SIMD_SUM_H_

#include <cstdint>

#include "core/kernel.h"

namespace axiscast {

SumKernels SumsFor(std::int64_t target);

}  // namespace axiscast

#endif  // AXISCAST_SIMD_SUM_H_
