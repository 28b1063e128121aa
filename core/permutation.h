// Permutations: where kernels find the elements of an input that are not one after the other.
#ifndef AXISCAST_CORE_PERMUTATION_H_
#define AXISCAST_CORE_PERMUTATION_H_

#include <cstdint>

#include "axiscast/kernel.h"
#include "core/canonical.h"

namespace axiscast {

// Writes how kernels of so many lanes find an operand's elements of `size` bytes whose cols are the canonical dims from `first` on.
// False, where they do not: a group would have more vectors than kMaxParts, or one of them elements from more than four vectors or
// behind gaps of 64 bytes, or the first of cols runs backwards, or is stretched and not `again`. The operand is aligned. Cost: 2
// ns for each element of a group, which has up to kMaxParts * lanes: 0.1 us for most, 11 us at most; and 33 KB of stack.
bool MakePermutation(const Canonical& canonical, int operand, int first, std::int64_t size, std::int64_t lanes, bool again,
                     Permutation* result);

}  // namespace axiscast

#endif  // AXISCAST_CORE_PERMUTATION_H_
