// Shape inference: the host's symbols as our unknown extents and back.
#include "onnxruntime/infer.h"

#include <atomic>

#include "onnxruntime/attributes.h"

namespace axiscast_onnxruntime {
namespace {

// The inputs of a node, with a number for each of the host's symbols.
struct Shapes {
  std::vector<axiscast_tensor> tensors;
  std::deque<std::vector<int64_t>> extents;
  std::vector<std::string> symbols;  // that of -2, of -3, ...
  bool known = true;                 // all extents are numbers
  bool certain = true;               // no shape is missing

  int64_t Number(const std::string& symbol) {
    for (size_t i = 0; i < symbols.size(); ++i) {
      if (symbols[i] == symbol) return -2 - static_cast<int64_t>(i);
    }
    const int64_t number = -2 - static_cast<int64_t>(symbols.size());
    if (number < AXISCAST_LOWEST_UNKNOWN) return AXISCAST_UNKNOWN;
    symbols.push_back(symbol);
    return number;
  }
};

OrtStatus* ReadShape(const OrtShapeInferContext* context, size_t index, Shapes* shapes) {
  OrtTensorTypeAndShapeInfo* info = nullptr;  // the context's
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  if (OrtStatus* status = Api().ShapeInferContext_GetInputTypeShape(context, index, &info)) return status;
  if (OrtStatus* status = Api().GetTensorElementType(info, &type)) return status;
  if (OrtStatus* status = Api().GetDimensionsCount(info, &rank)) return status;
  std::vector<int64_t>& extents = shapes->extents.emplace_back(rank);
  std::vector<const char*> symbols(rank);
  if (OrtStatus* status = Api().GetDimensions(info, extents.data(), rank)) return status;
  if (OrtStatus* status = Api().GetSymbolicDimensions(info, symbols.data(), rank)) return status;
  for (size_t i = 0; i < rank; ++i) {
    if (symbols[i] != nullptr && symbols[i][0] != 0) {
      extents[i] = shapes->Number(symbols[i]);
    } else if (extents[i] < 0) {
      extents[i] = AXISCAST_UNKNOWN;
    }
    shapes->known = shapes->known && extents[i] >= 0;
  }
  // The host shows a shape that it does not know as that of a scalar.
  shapes->certain = shapes->certain && rank > 0;
  shapes->tensors.push_back(
      {sizeof(axiscast_tensor), nullptr, FromOnnx(type), static_cast<int32_t>(rank), extents.data(), nullptr});
  return nullptr;
}

// Tells the host the result's shape. An unknown extent gets a symbol that no other has: equal symbols mean equal extents.
OrtStatus* Write(OrtShapeInferContext* context, const Shapes& shapes, ONNXTensorElementDataType type, const int64_t* extents,
                 size_t rank) {
  static std::atomic<int64_t> unknowns{0};
  std::vector<int64_t> numbers(extents, extents + rank);
  std::deque<std::string> symbols;
  std::vector<const char*> texts;
  for (int64_t& number : numbers) {
    std::string& symbol = symbols.emplace_back();
    if (number <= -2) symbol = shapes.symbols[static_cast<size_t>(-2 - number)];
    if (number == AXISCAST_UNKNOWN) symbol = "axiscast_unknown_" + std::to_string(unknowns.fetch_add(1));
    if (number < 0) number = -1;
    texts.push_back(symbol.c_str());
  }
  OrtTensorTypeAndShapeInfo* info = nullptr;
  OrtStatus* status = Api().CreateTensorTypeAndShapeInfo(&info);
  if (status == nullptr) status = Api().SetTensorElementType(info, type);
  if (status == nullptr) status = Api().SetDimensions(info, numbers.data(), rank);
  if (status == nullptr) status = Api().SetSymbolicDimensions(info, texts.data(), rank);
  if (status == nullptr) status = Api().ShapeInferContext_SetOutputTypeShape(context, 0, info);
  if (info != nullptr) Api().ReleaseTensorTypeAndShapeInfo(info);
  return status;
}

OrtStatus* Infer(const OpType& type, OrtShapeInferContext* context) {
  Request request;
  Shapes shapes;
  size_t count = 0;
  if (OrtStatus* status = ReadRequest(type, {nullptr, context}, &request)) return status;
  if (OrtStatus* status = Api().ShapeInferContext_GetInputCount(context, &count)) return status;
  for (size_t i = 0; i < count; ++i) {
    if (OrtStatus* status = ReadShape(context, i, &shapes)) return status;
  }
  if (!shapes.certain) return nullptr;
  int64_t extents[AXISCAST_MAX_RANK];
  int32_t rank = 0;
  int32_t dtype = 0;
  int32_t code = AXISCAST_OK;
  if (type.info.elementwise != 0) {
    code = axiscast_infer_shape(shapes.tensors.data(), static_cast<int64_t>(count), &request.options, extents, AXISCAST_MAX_RANK,
                                &rank);
  } else if (shapes.known) {
    code = axiscast_infer_output(type.op, shapes.tensors.data(), static_cast<int64_t>(count), &request.options, extents,
                                 AXISCAST_MAX_RANK, &rank, &dtype);
  } else {
    return nullptr;
  }
  if (code != AXISCAST_OK) return LastFailure(code);
  const ONNXTensorElementDataType result =
      type.output != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED ? type.output : ToOnnx(shapes.tensors[type.decides].dtype);
  return Write(context, shapes, result, extents, static_cast<size_t>(rank));
}

}  // namespace

InferShape InferFunction(Rule rule) {
  // The host's own code follows a null pointer where an optional input is missing.
  if (rule == Rule::kClip || rule == Rule::kExpand) return nullptr;
  return [](const OrtCustomOp* type, OrtShapeInferContext* context) -> OrtStatus* {
    try {
      // The host neither heeds nor frees what is returned here; the node itself refuses when it is made or run.
      if (OrtStatus* status = Infer(*static_cast<const OpType*>(type), context)) Api().ReleaseStatus(status);
    } catch (...) {  // no memory: nothing is said of the shape
    }
    return nullptr;
  };
}

}  // namespace axiscast_onnxruntime
