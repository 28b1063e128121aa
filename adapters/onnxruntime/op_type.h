// What we tell ONNX Runtime of an op: its name, inputs, dtypes, and how a node of it computes.
#ifndef AXISCAST_ADAPTERS_ONNXRUNTIME_OP_TYPE_H_
#define AXISCAST_ADAPTERS_ONNXRUNTIME_OP_TYPE_H_

#include <axiscast/c_api.h>
#include <onnxruntime_c_api.h>

#include <string>
#include <vector>

namespace axiscast_onnxruntime {

// The oldest runtime whose C API has all we use: OrtCustomOp::GetMayInplace and KernelContext_ParallelFor.
constexpr uint32_t kApiVersion = 18;

// The runtime's functions; set when it loads us.
const OrtApi& Api();
void SetApi(const OrtApi* api, const char* version);

// GetTensorElementTypeAndShapeDataReference: a shape where it lies, without an allocation. Runtimes have it from 1.24 on, and our
// header does not: ONNX Runtime's table keeps every function in its slot for ever. NULL in older runtimes.
using ShapeReference = OrtStatus*(ORT_API_CALL*)(const OrtValue*, ONNXTensorElementDataType*, const int64_t**, size_t*);
ShapeReference ShapeReferenceOfHost();

// How a node computes. All but the first two are ops of ONNX that say in inputs or attributes what ours say otherwise.
enum class Rule {
  kPlain,     // op(inputs...), with the op's own attributes
  kAxiscast,  // the same, in our domain: with axis and mode too
  kVariadic,  // op(op(x0, x1), x2)...; one input is copied
  kClip,      // bounds are optional inputs, or attributes
  kMod,       // attribute fmod: whose sign the result has
  kBitShift,  // attribute direction
  kIsInf,     // attributes detect_negative and detect_positive
  kExpand,    // the shape is an input
  kGather,    // axis, and indices from the end
  kScatter,   // the same, and a reduction
};

struct OpType : OrtCustomOp {
  std::string name;
  const axiscast_op* op = nullptr;
  axiscast_op_info info{};
  Rule rule = Rule::kPlain;
  int since = 1;  // the first version of the domain that it serves
  std::vector<ONNXTensorElementDataType> inputs;
  ONNXTensorElementDataType output = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;  // the dtype of the last input that may be anything
  uint32_t may_be_out = 0;  // inputs (a bit each) that the host may give us as the output's memory
  size_t decides = 0;       // the input whose dtype is the output's, where `output` does not say it
};

// Our dtype as ONNX's and back; UNDEFINED and -1 where there is none.
ONNXTensorElementDataType ToOnnx(int32_t dtype);
int32_t FromOnnx(ONNXTensorElementDataType type);

// The op types that serve `op` under a name: one where the host can tell the result's dtype from it, else some.
std::vector<OpType> Describe(const char* name, const char* op, Rule rule, int since);

// The ops of ONNX that we have, in all its versions.
std::vector<OpType> OnnxOps();

// A status of the host for the calling thread's last failure, and for our own.
OrtStatus* LastFailure(int32_t code);
OrtStatus* Refuse(const std::string& message);

}  // namespace axiscast_onnxruntime

#endif  // AXISCAST_ADAPTERS_ONNXRUNTIME_OP_TYPE_H_
