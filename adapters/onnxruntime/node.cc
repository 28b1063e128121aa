// Nodes: what is found out when a session loads one, and the plans it keeps.
#include "onnxruntime/node.h"

#include <cstring>
#include <memory>

namespace axiscast_onnxruntime {
namespace {

std::atomic<int64_t> call_count{0};

const Prepared* Find(const Node& node, const Operands& operands) {
  for (const std::atomic<const Prepared*>& slot : node.prepared) {
    const Prepared* prepared = slot.load(std::memory_order_acquire);
    if (prepared == nullptr) return nullptr;
    if (prepared->key.size() == operands.used &&
        std::memcmp(prepared->key.data(), operands.key, operands.used * sizeof(int64_t)) == 0) {
      return prepared;
    }
  }
  return nullptr;
}

// Keeps a plan in a free slot; *kept is NULL where there is none, or where other threads took it first.
OrtStatus* Prepare(Node* node, const Operands& operands, const axiscast_tensor& out, const Prepared** kept) {
  *kept = nullptr;
  if (node->prepared.back().load(std::memory_order_relaxed) != nullptr) return nullptr;
  auto prepared = std::make_unique<Prepared>();
  prepared->key.assign(operands.key, operands.key + operands.used);
  prepared->out.assign(out.shape, out.shape + out.rank);
  const Request& request = node->request;
  const int32_t code = axiscast_plan_make(request.op, operands.tensors, operands.count, &out, &request.options, &prepared->plan);
  if (code != AXISCAST_OK) return LastFailure(code);
  for (std::atomic<const Prepared*>& slot : node->prepared) {
    const Prepared* empty = nullptr;
    if (slot.compare_exchange_strong(empty, prepared.get(), std::memory_order_acq_rel)) {
      *kept = prepared.release();
      return nullptr;
    }
  }
  return nullptr;
}

// The dtypes of what the node has for inputs.
OrtStatus* ReadInputs(const OrtKernelInfo* info, Node* node) {
  size_t count = 0;
  if (OrtStatus* status = Api().KernelInfo_GetInputCount(info, &count)) return status;
  for (size_t i = 0; i < count; ++i) {
    OrtTypeInfo* type = nullptr;
    const OrtTensorTypeAndShapeInfo* tensor = nullptr;
    ONNXTensorElementDataType dtype = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    if (OrtStatus* status = Api().KernelInfo_GetInputTypeInfo(info, i, &type)) {
      Api().ReleaseStatus(status);  // an optional input that is not there
    } else {
      status = Api().CastTypeInfoToTensorInfo(type, &tensor);
      if (status == nullptr && tensor != nullptr) status = Api().GetTensorElementType(tensor, &dtype);
      Api().ReleaseTypeInfo(type);
      if (status != nullptr) return status;
    }
    node->dtypes.push_back(FromOnnx(dtype));
    if (node->dtypes.back() < 0 && dtype != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) {
      return Refuse(node->type.name + ": axiscast has no such element type; got ONNX's element type " + std::to_string(dtype));
    }
  }
  return nullptr;
}

// Finds the op's kernel for these dtypes, or the library's words for that there is none.
OrtStatus* ChooseKernel(Node* node) {
  Operands operands;
  const Request& request = node->request;
  axiscast_op_info op{};
  op.struct_size = sizeof(op);
  if (int32_t code = axiscast_op_describe(request.op, &op)) return LastFailure(code);
  for (size_t i = 0; i < node->dtypes.size() && static_cast<int32_t>(i) < op.arity; ++i)
    AppendScalar(nullptr, node->dtypes[i], &operands);
  if (node->type.rule == Rule::kVariadic || request.infinity != 0) {
    operands.count = 0;
    for (int32_t i = 0; i < op.arity; ++i) AppendScalar(nullptr, node->dtypes[0], &operands);
  }
  for (int32_t k = 0; k < op.kernel_count; ++k) {
    axiscast_kernel_info kernel{};
    kernel.struct_size = sizeof(kernel);
    if (int32_t code = axiscast_op_kernel(request.op, k, &kernel)) return LastFailure(code);
    bool same = op.arity == operands.count;
    for (int32_t i = 0; i < op.arity && same; ++i) same = kernel.inputs[i] == operands.tensors[i].dtype;
    if (!same) continue;
    node->output = kernel.output;
    return nullptr;
  }
  // Every such call is refused; this one has no shapes that could be refused before.
  axiscast_options options = request.options;
  options.has_axis = 0;
  int64_t extents[AXISCAST_MAX_RANK];
  int32_t rank = 0, dtype = 0;
  const int32_t code =
      axiscast_infer_output(request.op, operands.tensors, operands.count, &options, extents, AXISCAST_MAX_RANK, &rank, &dtype);
  return code == AXISCAST_OK ? Refuse(node->type.name + ": no kernel for these dtypes") : LastFailure(code);
}

// Writes an infinity as an element of a floating dtype.
OrtStatus* WriteInfinity(double value, int32_t dtype, unsigned char* bytes) {
  const float narrow = static_cast<float>(value);
  uint32_t bits = 0;
  std::memcpy(&bits, &narrow, sizeof(bits));
  const uint16_t brain = static_cast<uint16_t>(bits >> 16);
  const uint16_t half = static_cast<uint16_t>(value > 0 ? 0x7c00 : 0xfc00);
  switch (dtype) {
    case AXISCAST_FLOAT64:
      std::memcpy(bytes, &value, sizeof(value));
      break;
    case AXISCAST_FLOAT32:
      std::memcpy(bytes, &narrow, sizeof(narrow));
      break;
    case AXISCAST_BFLOAT16:
      std::memcpy(bytes, &brain, sizeof(brain));
      break;
    case AXISCAST_FLOAT16:
      std::memcpy(bytes, &half, sizeof(half));
      break;
    default:
      return Refuse("IsInf: infinities of one sign are for floating dtypes");
  }
  return nullptr;
}

}  // namespace

Node::~Node() {
  for (std::atomic<const Prepared*>& slot : prepared) delete slot.load();
}

OrtStatus* RunPlain(Node* node, OrtKernelContext* context) {
  Operands operands;
  for (size_t i = 0; i < node->dtypes.size(); ++i) {
    if (OrtStatus* status = AppendInput(context, i, node->dtypes[i], &operands)) return status;
  }
  if (node->request.infinity != 0) AppendScalar(node->infinity, node->dtypes[0], &operands);
  const Prepared* prepared = Find(*node, operands);
  bool wanted = true;
  void* data = nullptr;
  if (prepared == nullptr) {
    const Request& request = node->request;
    int64_t extents[AXISCAST_MAX_RANK];
    axiscast_tensor out{sizeof(out), nullptr, 0, 0, extents, nullptr};
    if (int32_t code = axiscast_infer_output(request.op, operands.tensors, operands.count, &request.options, extents,
                                             AXISCAST_MAX_RANK, &out.rank, &out.dtype)) {
      return LastFailure(code);
    }
    if (OrtStatus* status = Prepare(node, operands, out, &prepared)) return status;
    if (prepared == nullptr) {
      if (OrtStatus* status = Output(context, extents, static_cast<size_t>(out.rank), &out.data, &wanted)) return status;
      return wanted ? Apply(context, request.op, operands.tensors, operands.count, request.options, out) : nullptr;
    }
  }
  if (OrtStatus* status = Output(context, prepared->out.data(), prepared->out.size(), &data, &wanted)) return status;
  return wanted ? Execute(context, prepared->plan, operands, data) : nullptr;
}

OrtStatus* ORT_API_CALL MakeNode(const OrtCustomOp* type, const OrtApi*, const OrtKernelInfo* info, void** made) {
  try {
    auto node = std::make_unique<Node>(*static_cast<const OpType*>(type));
    if (OrtStatus* status = ReadRequest(node->type, {info, nullptr}, &node->request)) return status;
    if (OrtStatus* status = ReadInputs(info, node.get())) return status;
    if (OrtStatus* status = ChooseKernel(node.get())) return status;
    if (const double infinity = node->request.infinity; infinity != 0) {
      if (OrtStatus* status = WriteInfinity(infinity, node->dtypes[0], node->infinity)) return status;
    }
    *made = node.release();
    return nullptr;
  } catch (...) {
    return Api().CreateStatus(ORT_FAIL, "axiscast: out of memory");  // without another string
  }
}

OrtStatus* ORT_API_CALL RunNode(void* made, OrtKernelContext* context) {
  Node* node = static_cast<Node*>(made);
  call_count.fetch_add(1, std::memory_order_relaxed);
  try {
    switch (node->type.rule) {
      case Rule::kVariadic:
        return node->dtypes.size() == 2 ? RunPlain(node, context) : RunVariadic(node, context);
      case Rule::kClip:
        return node->dtypes.size() == 1 ? RunPlain(node, context) : RunClip(node, context);
      case Rule::kExpand:
        return RunExpand(node, context);
      default:
        return RunPlain(node, context);
    }
  } catch (...) {
    return Api().CreateStatus(ORT_FAIL, "axiscast: out of memory");  // without another string
  }
}

void ORT_API_CALL FreeNode(void* node) { delete static_cast<Node*>(node); }

int64_t CallCount() { return call_count.load(std::memory_order_relaxed); }

}  // namespace axiscast_onnxruntime
