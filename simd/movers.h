// The staging movers of each target, as core/kernel.h declares them.
#ifndef AXISCAST_SIMD_MOVERS_H_
#define AXISCAST_SIMD_MOVERS_H_

#include <cstdint>

#include "core/kernel.h"

namespace axiscast {

Movers MoversFor(std::int64_t target);

}  // namespace axiscast

#endif  // AXISCAST_SIMD_MOVERS_H_
