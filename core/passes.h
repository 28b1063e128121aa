// Passes: which steps of a program follow each other in registers, and what of it goes through scratch.
#ifndef AXISCAST_CORE_PASSES_H_
#define AXISCAST_CORE_PASSES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/program.h"

namespace axiscast {

// Steps [first, first + count): one, or a chain whose results stay in registers but for the last one.
struct Pass {
  int first, count;
  int last() const { return first + count - 1; }
};

struct Passes {
  int count = 0;
  Pass at[kMaxSteps];

  std::span<const Pass> all() const& { return {at, static_cast<std::size_t>(count)}; }
  std::span<const Pass> all() && = delete;  // of one that ends before what reads it
};

// As few as there can be in the order of the steps. linked: false makes one of each step, for tests.
Passes PassesOf(std::span<const Step> steps, int input_count, bool linked);

// The block of scratch of every pass's result but the last one's. A result takes the block of one that is read for the last time
// where it is made, in place if their sizes are equal: long programs stay in few blocks. Of one pass, nothing is allocated.
std::vector<int> ResultBlocks(std::span<const Step> steps, const Passes& passes, int input_count);

}  // namespace axiscast

#endif  // AXISCAST_CORE_PASSES_H_
