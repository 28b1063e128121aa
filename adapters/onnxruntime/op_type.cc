// Ops as ONNX Runtime describes them: dtypes, missing inputs, and which inputs the result may lie over.
#include "onnxruntime/op_type.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "onnxruntime/infer.h"
#include "onnxruntime/node.h"

namespace axiscast_onnxruntime {
namespace {

constexpr ONNXTensorElementDataType kAny = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;

const OrtApi* api_of_host = nullptr;
ShapeReference shape_reference_of_host = nullptr;

struct DTypePair {
  int32_t ours;
  ONNXTensorElementDataType onnx;
};
const DTypePair kDTypes[] = {
    {AXISCAST_BOOL, ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL},         {AXISCAST_INT8, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8},
    {AXISCAST_INT16, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16},       {AXISCAST_INT32, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32},
    {AXISCAST_INT64, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64},       {AXISCAST_UINT8, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8},
    {AXISCAST_UINT16, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16},     {AXISCAST_UINT32, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32},
    {AXISCAST_UINT64, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64},     {AXISCAST_FLOAT16, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16},
    {AXISCAST_BFLOAT16, ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16}, {AXISCAST_FLOAT32, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},
    {AXISCAST_FLOAT64, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE},
};

const OpType& Type(const OrtCustomOp* type) { return *static_cast<const OpType*>(type); }

// The host asks without saying of which op, so there is a function for each set of inputs. It reads the two lists, and heeds an
// input only where it has the result's size and nobody reads it later.
template <unsigned kInputs>
size_t ORT_API_CALL MayInPlace(int** inputs, int** outputs) {
  static constexpr std::array<int, AXISCAST_MAX_ARITY> kOutputs{};
  static constexpr auto kNumbers = [] {
    std::array<int, AXISCAST_MAX_ARITY + 1> numbers{};  // the last one: how many
    for (int i = 0; i < AXISCAST_MAX_ARITY; ++i) {
      if ((kInputs >> i & 1) != 0) numbers[static_cast<size_t>(numbers[AXISCAST_MAX_ARITY]++)] = i;
    }
    return numbers;
  }();
  *inputs = const_cast<int*>(kNumbers.data());
  *outputs = const_cast<int*>(kOutputs.data());
  return static_cast<size_t>(kNumbers[AXISCAST_MAX_ARITY]);
}

using MayInPlaceFunction = size_t(ORT_API_CALL*)(int**, int**);

template <unsigned... kInputs>
MayInPlaceFunction MayInPlaceFor(uint32_t inputs, std::integer_sequence<unsigned, kInputs...>) {
  static const MayInPlaceFunction kFunctions[] = {&MayInPlace<kInputs>...};
  return kFunctions[inputs];
}

void SetFunctions(OpType* type) {
  type->version = kApiVersion;
  type->GetName = [](const OrtCustomOp* t) { return Type(t).name.c_str(); };
  type->GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };  // the CPU's
  type->GetInputTypeCount = [](const OrtCustomOp* t) { return Type(t).inputs.size(); };
  type->GetInputType = [](const OrtCustomOp* t, size_t i) { return Type(t).inputs[i]; };
  type->GetInputCharacteristic = [](const OrtCustomOp* t, size_t i) {
    if (Type(t).rule == Rule::kVariadic) return INPUT_OUTPUT_VARIADIC;
    return Type(t).rule == Rule::kClip && i > 0 ? INPUT_OUTPUT_OPTIONAL : INPUT_OUTPUT_REQUIRED;
  };
  type->GetInputMemoryType = [](const OrtCustomOp*, size_t) { return OrtMemTypeDefault; };
  type->GetOutputTypeCount = [](const OrtCustomOp*) -> size_t { return 1; };
  type->GetOutputType = [](const OrtCustomOp* t, size_t) { return Type(t).output; };
  // Of a required output, the host would want that one input alone decides its dtype.
  type->GetOutputCharacteristic = [](const OrtCustomOp*, size_t) { return INPUT_OUTPUT_OPTIONAL; };
  type->GetVariadicInputMinArity = [](const OrtCustomOp*) { return 1; };
  type->GetVariadicInputHomogeneity = [](const OrtCustomOp*) { return 1; };
  type->GetVariadicOutputMinArity = [](const OrtCustomOp*) { return 1; };
  type->GetVariadicOutputHomogeneity = [](const OrtCustomOp*) { return 1; };
  type->GetStartVersion = [](const OrtCustomOp* t) { return Type(t).since; };
  type->GetEndVersion = [](const OrtCustomOp*) { return INT32_MAX; };
  type->CreateKernelV2 = &MakeNode;
  type->KernelComputeV2 = &RunNode;
  type->KernelDestroy = &FreeNode;
  type->InferOutputShapeFn = InferFunction(type->rule);
  type->GetMayInplace = MayInPlaceFor(type->may_be_out, std::make_integer_sequence<unsigned, 1u << AXISCAST_MAX_ARITY>());
  type->ReleaseMayInplace = [](int*, int*) {};
}

std::vector<axiscast_kernel_info> Kernels(const OpType& type) {
  std::vector<axiscast_kernel_info> kernels(static_cast<size_t>(type.info.kernel_count));
  for (size_t k = 0; k < kernels.size(); ++k) {
    kernels[k].struct_size = sizeof(kernels[k]);
    axiscast_op_kernel(type.op, static_cast<int32_t>(k), &kernels[k]);
  }
  return kernels;
}

// Splits an op where the host could not tell the result's dtype: an input either has that dtype and may be anything, or is named.
// The host takes the dtype of the last input that may be anything.
std::vector<OpType> SplitByDTypes(const OpType& whole) {
  const std::vector<axiscast_kernel_info> kernels = Kernels(whole);
  const auto all = [&](auto holds) { return std::all_of(kernels.begin(), kernels.end(), holds); };
  const bool one_result = all([&](const auto& k) { return k.output == kernels[0].output; });
  std::vector<OpType> types;
  for (const axiscast_kernel_info& kernel : kernels) {
    OpType part = whole;
    bool decided = false;
    for (int32_t i = 0; i < whole.info.arity; ++i) {
      const bool free = one_result ? !all([&](const auto& k) { return k.inputs[i] == kernels[0].inputs[i]; })
                                   : all([&](const auto& k) { return k.inputs[i] == k.output; });
      decided = decided || free;
      part.inputs.push_back(free ? kAny : ToOnnx(kernel.inputs[i]));
    }
    part.output = one_result || !decided ? ToOnnx(kernel.output) : kAny;
    const auto same = [&](const OpType& type) { return type.inputs == part.inputs && type.output == part.output; };
    if (std::none_of(types.begin(), types.end(), same)) types.push_back(std::move(part));
  }
  return types;
}

}  // namespace

const OrtApi& Api() { return *api_of_host; }
ShapeReference ShapeReferenceOfHost() { return shape_reference_of_host; }

void SetApi(const OrtApi* api, const char* version) {
  api_of_host = api;
  int major = 0, minor = 0;
  if (std::sscanf(version, "%d.%d", &major, &minor) != 2 || major != 1 || minor < 24) return;
  constexpr size_t kSlot = 414;
  std::memcpy(&shape_reference_of_host, reinterpret_cast<const void* const*>(api) + kSlot, sizeof(shape_reference_of_host));
}

ONNXTensorElementDataType ToOnnx(int32_t dtype) {
  for (const DTypePair& pair : kDTypes) {
    if (pair.ours == dtype) return pair.onnx;
  }
  return kAny;
}

int32_t FromOnnx(ONNXTensorElementDataType type) {
  for (const DTypePair& pair : kDTypes) {
    if (pair.onnx == type) return pair.ours;
  }
  return -1;
}

std::vector<OpType> Describe(const char* name, const char* op, Rule rule, int since) {
  OpType type{};  // the functions that the host may do without are null
  type.name = name;
  type.rule = rule;
  type.since = since;
  type.info.struct_size = sizeof(type.info);
  if (axiscast_op_find(nullptr, op, &type.op) != AXISCAST_OK || axiscast_op_describe(type.op, &type.info) != AXISCAST_OK) return {};
  for (const axiscast_kernel_info& kernel : Kernels(type)) type.may_be_out |= kernel.may_be_out;
  std::vector<OpType> types = SplitByDTypes(type);
  for (OpType& part : types) {
    if (rule == Rule::kVariadic) part.inputs = {kAny};
    if (rule == Rule::kClip) part.inputs = {kAny, kAny, kAny};
    for (size_t i = 0; i < part.inputs.size(); ++i) part.decides = part.inputs[i] == kAny ? i : part.decides;
    if (rule == Rule::kExpand) part.inputs.push_back(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
    SetFunctions(&part);
  }
  return types;
}

OrtStatus* LastFailure(int32_t code) {
  const OrtErrorCode host = code == AXISCAST_UNSUPPORTED || code == AXISCAST_UNSUPPORTED_DTYPE ? ORT_NOT_IMPLEMENTED
                            : code == AXISCAST_OUT_OF_MEMORY || code == AXISCAST_INTERNAL      ? ORT_FAIL
                                                                                               : ORT_INVALID_ARGUMENT;
  return Api().CreateStatus(host, axiscast_last_message());
}

OrtStatus* Refuse(const std::string& message) { return Api().CreateStatus(ORT_INVALID_ARGUMENT, message.c_str()); }

}  // namespace axiscast_onnxruntime
