// Which of an op's kernels dtypes ask for, and what is said where none does.
#ifndef AXISCAST_CORE_KERNEL_CHOICE_H_
#define AXISCAST_CORE_KERNEL_CHOICE_H_

#include <optional>
#include <string>
#include <vector>

#include "axiscast/registry.h"

namespace axiscast {

// "no kernel for add(float32, int8); add supports (bool, bool), ...". `given` are the dtypes as they are to be shown. Of an op that
// is more than elementwise, what it supports with the first input's dtype alone, if there is any.
std::string NoKernel(const Op& op, const std::vector<std::string>& given, DType first);

// The kernel for dtypes of which some are not settled: those of numbers, which take any. Of several that fit, the one that gives
// numbers the dtype of the inputs beside them; an input whose dtype is the same in all kernels, as the condition of where, does not
// count. Null where none fits, or several do, which is said by `several`.
const Kernel* ChooseKernel(const Op& op, const std::optional<DType>* dtypes, bool* several);

}  // namespace axiscast

#endif  // AXISCAST_CORE_KERNEL_CHOICE_H_
