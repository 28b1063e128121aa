// Shapes before there is data.
#ifndef AXISCAST_ADAPTERS_ONNXRUNTIME_INFER_H_
#define AXISCAST_ADAPTERS_ONNXRUNTIME_INFER_H_

#include "onnxruntime/op_type.h"

namespace axiscast_onnxruntime {

using InferShape = OrtStatus*(ORT_API_CALL*)(const OrtCustomOp*, OrtShapeInferContext*);

// What the host calls while it loads a model, for each node of the rule; NULL where nothing is known before there is data.
InferShape InferFunction(Rule rule);

}  // namespace axiscast_onnxruntime

#endif  // AXISCAST_ADAPTERS_ONNXRUNTIME_INFER_H_
