// What gather and scatter run on each target, as core/kernel.h declares it.
#ifndef AXISCAST_OPS_INDEX_H_
#define AXISCAST_OPS_INDEX_H_

#include <cstdint>

#include "core/kernel.h"

namespace axiscast {

IndexKernels IndexKernelsFor(std::int64_t target);

}  // namespace axiscast

#endif  // AXISCAST_OPS_INDEX_H_
