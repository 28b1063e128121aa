// Inputs whose elements are paired with the first one's and whose strides cannot say so: dense copies of them are made first.
#ifndef AXISCAST_CORE_PAIR_COPY_H_
#define AXISCAST_CORE_PAIR_COPY_H_

#include <cstdint>
#include <memory>

#include "core/request.h"
#include "core/routine.h"

namespace axiscast {

// The strides of an input over `shape`: `first` is where its dims lie in it, or kPaired; `first_shape` and `first_first` the same
// of the first input. *copied: they are those of a dense copy.
ByteStrides FaceInput(const TensorView& input, int first, const Shape& first_shape, int first_first, const Shape& shape,
                      bool* copied);

// A routine that makes dense copies of the call's inputs `copied` (a bit each) and runs `then` on those instead.
std::unique_ptr<const Routine> CopyFirst(std::unique_ptr<const Routine> then, const Request& request, std::uint32_t copied);

// The plan of an elementwise problem, as a routine.
std::unique_ptr<const Routine> RunPlan(std::shared_ptr<const Plan::Impl> plan);

}  // namespace axiscast

#endif  // AXISCAST_CORE_PAIR_COPY_H_
