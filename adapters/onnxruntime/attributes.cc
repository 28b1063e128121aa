// Reads attributes of nodes: ours by the registry's list, ONNX's by what each op says there.
#include "onnxruntime/attributes.h"

#include <cstring>
#include <limits>

namespace axiscast_onnxruntime {
namespace {

// Whether the host has answered; a refusal (no such attribute, or of another type) is let go.
bool Answered(OrtStatus* status) {
  if (status == nullptr) return true;
  Api().ReleaseStatus(status);
  return false;
}

// The attribute as the shape inference has it; NULL where the node lacks it.
const OrtOpAttr* Find(const OrtShapeInferContext* context, const char* name) {
  const OrtOpAttr* attribute = nullptr;
  return Answered(Api().ShapeInferContext_GetAttribute(context, name, &attribute)) ? attribute : nullptr;
}

// Reads a scalar, T being what the host has for `type`.
template <typename T>
bool ReadScalar(const OrtShapeInferContext* context, const char* name, OrtOpAttrType type, T* value) {
  const OrtOpAttr* attribute = Find(context, name);
  size_t size = 0;
  return attribute != nullptr && Answered(Api().ReadOpAttr(attribute, type, value, sizeof(T), &size));
}

// Reads text or a list into `values`, whose size is found by a first call.
template <class Values>
bool ReadList(const OrtShapeInferContext* context, const char* name, OrtOpAttrType type, Values* values) {
  constexpr size_t kElement = sizeof((*values)[0]);
  const OrtOpAttr* attribute = Find(context, name);
  size_t bytes = 0;
  if (attribute == nullptr) return false;
  if (!Answered(Api().ReadOpAttr(attribute, type, nullptr, 0, &bytes)) && bytes == 0) return false;
  values->resize(bytes / kElement);
  return bytes == 0 || Answered(Api().ReadOpAttr(attribute, type, values->data(), bytes, &bytes));
}

void Add(Request* request, const char* name, axiscast_attribute value) {
  value.struct_size = sizeof(value);
  value.name = name;
  request->attributes.push_back(value);
}

void AddNumber(Request* request, const char* name, double number) {
  axiscast_attribute value{};
  value.kind = AXISCAST_VALUE_DOUBLE;
  value.value.number = number;
  Add(request, name, value);
}

void AddInteger(Request* request, const char* name, int64_t integer) {
  axiscast_attribute value{};
  value.kind = AXISCAST_VALUE_INT64;
  value.value.integer = integer;
  Add(request, name, value);
}

void AddText(Request* request, const char* name, const std::string& text) {
  axiscast_attribute value{};
  value.kind = AXISCAST_VALUE_TEXT;
  value.value.text = request->texts.emplace_back(text).c_str();
  Add(request, name, value);
}

// Reads one attribute of our op. *found is false where the node has none of that name and type.
void ReadOne(const NodeAttributes& node, const axiscast_attribute_info& known, Request* request, bool* found) {
  int64_t integer = 0;
  float number = 0;
  std::string text;
  std::vector<int64_t> shape;
  *found = true;
  if (known.type == AXISCAST_ATTRIBUTE_NAME) {
    if ((*found = node.Text(known.name, &text))) AddText(request, known.name, text);
  } else if (known.type == AXISCAST_ATTRIBUTE_SHAPE) {
    if (!(*found = node.Integers(known.name, &shape))) return;
    axiscast_attribute value{};
    value.kind = AXISCAST_VALUE_SHAPE;
    value.rank = static_cast<int32_t>(shape.size());
    value.value.shape = request->shapes.emplace_back(shape).data();
    Add(request, known.name, value);
  } else if (node.Integer(known.name, &integer)) {
    AddInteger(request, known.name, integer);
  } else if (known.type == AXISCAST_ATTRIBUTE_NUMBER && node.Number(known.name, &number)) {
    AddNumber(request, known.name, static_cast<double>(number));
  } else {
    *found = false;
  }
}

// Whether the node has an attribute of that name, of any of the types we know.
bool Has(const NodeAttributes& node, const char* name) {
  int64_t integer;
  float number;
  std::string text;
  std::vector<int64_t> integers;
  return node.Integer(name, &integer) || node.Number(name, &number) || node.Text(name, &text) || node.Integers(name, &integers);
}

OrtStatus* WrongType(const OpType& type, const char* name, const char* wanted) {
  return Refuse(type.name + ": the attribute " + name + " must be " + wanted);
}

// In our domain: attributes of the op, and axis and mode, where the op does not itself call something so.
OrtStatus* ReadOurs(const OpType& type, const NodeAttributes& node, Request* request) {
  static const char* const kWanted[] = {"a number", "an integer", "0 or 1", "a text", "a list of integers"};
  bool own_mode = false;
  for (int32_t i = 0; i < type.info.attribute_count; ++i) {
    axiscast_attribute_info known{};
    known.struct_size = sizeof(known);
    if (int32_t code = axiscast_op_attribute(type.op, i, &known)) return LastFailure(code);
    bool found = false;
    ReadOne(node, known, request, &found);
    own_mode = own_mode || std::strcmp(known.name, "mode") == 0;
    if (!found && Has(node, known.name)) return WrongType(type, known.name, kWanted[known.type]);
  }
  if (type.rule != Rule::kAxiscast) return nullptr;
  std::string mode;
  if (node.Integer("axis", &request->options.axis)) {
    request->options.has_axis = 1;
  } else if (Has(node, "axis")) {
    return WrongType(type, "axis", "an integer");
  }
  if (own_mode) return nullptr;
  if (node.Text("mode", &mode)) {
    if (axiscast_mode_find(mode.c_str(), &request->options.mode) != AXISCAST_OK)
      return Refuse(type.name + ": " + axiscast_last_message());
  } else if (Has(node, "mode")) {
    return WrongType(type, "mode", "a text");
  }
  return nullptr;
}

OrtStatus* Choose(const char* name, Request* request) {
  const int32_t code = axiscast_op_find(nullptr, name, &request->op);
  return code == AXISCAST_OK ? nullptr : LastFailure(code);
}

// What ONNX calls a reduction, and what we do.
const char* Reduction(const std::string& onnx) {
  if (onnx == "none") return "assign";
  if (onnx == "max") return "amax";
  if (onnx == "min") return "amin";
  return onnx.c_str();
}

OrtStatus* ReadOnnx(const OpType& type, const NodeAttributes& node, Request* request) {
  int64_t integer = 0;
  std::string text;
  switch (type.rule) {
    case Rule::kMod:
      return node.Integer("fmod", &integer) && integer != 0 ? Choose("fmod", request) : nullptr;
    case Rule::kBitShift:
      return node.Text("direction", &text) && text == "LEFT" ? Choose("left_shift", request) : nullptr;
    case Rule::kIsInf: {
      int64_t negative = 1, positive = 1;
      node.Integer("detect_negative", &negative);
      node.Integer("detect_positive", &positive);
      if (negative == 0 && positive == 0) return Refuse("IsInf: detect_negative and detect_positive must not both be 0");
      if (negative != 0 && positive != 0) return nullptr;
      request->infinity = positive != 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
      return Choose("equal", request);
    }
    case Rule::kGather:
    case Rule::kScatter:
      node.Integer("axis", &integer);
      AddInteger(request, "dim", integer);
      AddText(request, "mode", "prefix");
      AddInteger(request, "wrap_negative", 1);
      if (type.rule == Rule::kScatter && node.Text("reduction", &text)) AddText(request, "reduce", Reduction(text));
      return nullptr;
    default:
      break;
  }
  // Of old: y alone is stretched, from an axis on.
  if (node.Integer("broadcast", &integer) && integer != 0) {
    request->options.mode = AXISCAST_MODE_ONNX_LEGACY;
    request->options.has_axis = node.Integer("axis", &request->options.axis);
  }
  return type.rule == Rule::kExpand ? nullptr : ReadOurs(type, node, request);
}

}  // namespace

bool NodeAttributes::Integer(const char* name, int64_t* value) const {
  if (info != nullptr) return Answered(Api().KernelInfoGetAttribute_int64(info, name, value));
  return ReadScalar(context, name, ORT_OP_ATTR_INT, value);
}

bool NodeAttributes::Number(const char* name, float* value) const {
  if (info != nullptr) return Answered(Api().KernelInfoGetAttribute_float(info, name, value));
  return ReadScalar(context, name, ORT_OP_ATTR_FLOAT, value);
}

bool NodeAttributes::Text(const char* name, std::string* value) const {
  if (info == nullptr) return ReadList(context, name, ORT_OP_ATTR_STRING, value);
  size_t size = 0;
  if (!Answered(Api().KernelInfoGetAttribute_string(info, name, nullptr, &size))) return false;
  value->resize(size);
  if (!Answered(Api().KernelInfoGetAttribute_string(info, name, value->data(), &size))) return false;
  value->resize(size - 1);  // the host counts the final 0
  return true;
}

bool NodeAttributes::Integers(const char* name, std::vector<int64_t>* values) const {
  if (info == nullptr) return ReadList(context, name, ORT_OP_ATTR_INTS, values);
  size_t size = 0;
  if (!Answered(Api().KernelInfoGetAttributeArray_int64(info, name, nullptr, &size))) return false;
  values->resize(size);
  return size == 0 || Answered(Api().KernelInfoGetAttributeArray_int64(info, name, values->data(), &size));
}

OrtStatus* ReadRequest(const OpType& type, const NodeAttributes& node, Request* request) {
  request->op = type.op;
  request->options.struct_size = sizeof(request->options);
  request->options.caller = type.name.c_str();
  OrtStatus* status = type.rule == Rule::kAxiscast ? ReadOurs(type, node, request) : ReadOnnx(type, node, request);
  request->options.attributes = request->attributes.data();
  request->options.attribute_count = static_cast<int64_t>(request->attributes.size());
  return status;
}

}  // namespace axiscast_onnxruntime
