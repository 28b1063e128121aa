// What a problem's bytes and arithmetic take, however it is tiled.
#ifndef AXISCAST_CORE_WORK_ESTIMATE_H_
#define AXISCAST_CORE_WORK_ESTIMATE_H_

#include <cstdint>
#include <span>

#include "core/canonical.h"
#include "core/estimate.h"
#include "core/passes.h"
#include "core/program.h"

namespace axiscast {

// Bytes of the distinct elements of an operand: what is stretched counts once.
std::int64_t UniqueBytes(const Canonical& canonical, int operand, std::int64_t size);
// And of what lies between them within lines, where they are apart along all dims.
double BytesWithGaps(const Canonical& canonical, int operand, std::int64_t size);

// Sets an estimate's bytes and arithmetic: whichever takes longer, the other one is done meanwhile. `bytes`: BytesWithGaps of all
// operands; `written`: of the output among them, also in place, which plans do not know; `streams`: it goes past the caches.
void EstimateWork(const Canonical& canonical, std::span<const Step> steps, const Passes& passes, double bytes, double written,
                  bool streams, Estimate* estimate);

// The cycles of such an estimate's arithmetic that widen one input of float16, and what they take beyond the bytes.
Spent Widening(const Estimate& estimate);

// Takes off the arithmetic what a tiling spares of it.
void TakeOffSpared(Estimate* estimate);

}  // namespace axiscast

#endif  // AXISCAST_CORE_WORK_ESTIMATE_H_
