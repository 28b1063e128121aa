// Executes a sum: panels, or pieces of them, over the threads.
#ifndef AXISCAST_CORE_SUM_EXECUTE_H_
#define AXISCAST_CORE_SUM_EXECUTE_H_

#include "core/parallel.h"
#include "core/sum_layout.h"

namespace axiscast {

// `x` is aligned unless the layout is for unaligned ones, `out` has any address. Allocates for partial sums where threads share a
// sum; where there is no memory for that, it works without.
void ExecuteSum(const SumLayout& layout, const Movers& movers, const std::byte* x, std::byte* out,
                const ExecuteOptions& options) noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_SUM_EXECUTE_H_
