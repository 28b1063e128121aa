// What the routines of gather and scatter are made of: the check of the index, the nest of loops, and how they are described.
#ifndef AXISCAST_CORE_INDEX_CALL_H_
#define AXISCAST_CORE_INDEX_CALL_H_

#include <cstddef>
#include <vector>

#include "core/form.h"
#include "core/index_check.h"
#include "core/index_nest.h"
#include "core/index_shapes.h"
#include "core/routine.h"

namespace axiscast {

// An operand of the nest. Its dims face the first of those that are visited; dims of extent 1 are stretched.
struct NestView {
  NestOperand operand;
  TensorView view;
  bool indexed;  // the index chooses along its dim
};

struct IndexCall {
  const IndexKernels* kernels;
  IndexCheck check;
  bool empty;      // nothing is visited
  IndexNest nest;  // unless it is empty
  PlanDescription description;
};

// `ordered`: per dim that is visited, whether its steps may write the same element; empty: none may.
IndexCall MakeIndexCall(const FormCall& call, const IndexShapes& shapes, const RoutineCall& routine,
                        const std::vector<NestView>& views, const std::vector<bool>& ordered);

// The call's inputs and its output, for MakeRoutinePlan.
RoutineCall OperandsOf(const FormCall& call, const MutableTensorView& out, const char* out_name);

// Whether all byte offsets fit in int64. Where they do not, MakeRoutinePlan refuses the call.
bool HaveReaches(const RoutineCall& routine);

bool HasNoElements(const Shape& shape);

}  // namespace axiscast

#endif  // AXISCAST_CORE_INDEX_CALL_H_
