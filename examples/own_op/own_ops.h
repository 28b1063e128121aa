// The ops of this project.
#ifndef OWN_OPS_H_
#define OWN_OPS_H_

#include <axiscast/kit/op.h>

#include <vector>

namespace own {

// As they were compiled for each target that this CPU has, best first.
std::vector<axiscast::TargetOps> Ops();

}  // namespace own

#endif  // OWN_OPS_H_
