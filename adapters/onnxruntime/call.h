// One call of a node: its operands, the memory for its result, and the threads, all from the host.
#ifndef AXISCAST_ADAPTERS_ONNXRUNTIME_CALL_H_
#define AXISCAST_ADAPTERS_ONNXRUNTIME_CALL_H_

#include "onnxruntime/op_type.h"

namespace axiscast_onnxruntime {

// The operands of a call. Their shapes stand one behind the other, each after its rank: that is the key of a plan.
struct Operands {
  int64_t count = 0;
  size_t used = 0;
  const void* data[AXISCAST_MAX_ARITY];
  axiscast_tensor tensors[AXISCAST_MAX_ARITY];
  int64_t key[AXISCAST_MAX_ARITY * (AXISCAST_MAX_RANK + 1)];
};

// Appends the node's input `index`, which is there, of our dtype `dtype`.
OrtStatus* AppendInput(const OrtKernelContext* context, size_t index, int32_t dtype, Operands* operands);

// Appends an operand of one element.
void AppendScalar(const void* data, int32_t dtype, Operands* operands);

// The host's memory for a result; *data is untouched and *wanted false where nobody wants it.
OrtStatus* Output(OrtKernelContext* context, const int64_t* extents, size_t rank, void** data, bool* wanted);

// Computes out = op(inputs...) on the host's threads through the plans that the calling thread keeps.
OrtStatus* Apply(OrtKernelContext* context, const axiscast_op* op, const axiscast_tensor* inputs, int64_t count,
                 const axiscast_options& options, const axiscast_tensor& out);

// The same by a plan.
OrtStatus* Execute(OrtKernelContext* context, const axiscast_plan* plan, const Operands& operands, void* out);

}  // namespace axiscast_onnxruntime

#endif  // AXISCAST_ADAPTERS_ONNXRUNTIME_CALL_H_
