// Which of the ops that are short can follow each other in registers.
#ifndef AXISCAST_OPS_CHAIN_H_
#define AXISCAST_OPS_CHAIN_H_

#include <cstdint>
#include <vector>

#include "axiscast/kernel.h"

namespace axiscast {

// Sets Kernel::chain and Kernel::link where the target has them.
void LinkOps(std::int64_t target, std::vector<OpDefinition>* ops);

}  // namespace axiscast

#endif  // AXISCAST_OPS_CHAIN_H_
