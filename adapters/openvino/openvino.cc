// axiscast in OpenVINO: what ov::Core::add_extension finds. Nodes of ONNX's domain "axiscast" (any op of the registry, by any of
// its names), Paddle's elementwise_* with their axis and, when asked for, ONNX's own ops become nodes of one type, Elementwise.
#include <atomic>
#include <charconv>
#include <openvino/core/op_extension.hpp>
#include <openvino/frontend/onnx/extension/conversion.hpp>
#include <openvino/frontend/paddle/extension/conversion.hpp>
#include <openvino/op/convert.hpp>
#include <sstream>

#include "openvino/elementwise.h"

namespace axiscast_openvino {
namespace {

using ov::frontend::NodeContext;

std::atomic<bool> replace_onnx{false};

std::string Text(const ov::Any& value) {
  if (value.empty()) return {};
  if (!value.is<float>() && !value.is<double>()) return value.as<std::string>();
  char digits[32];  // every digit, whatever the locale
  const double number = value.is<float>() ? static_cast<double>(value.as<float>()) : value.as<double>();
  return std::string(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

Attributes ReadAttributes(const NodeContext& node, const axiscast_op* op) {
  Attributes attributes;
  for (const std::string& name : AttributeNames(op)) attributes[name] = Text(node.get_attribute_as_any(name));
  return attributes;
}

ov::OutputVector MakeNode(const ov::OutputVector& inputs, const std::string& op, const Attributes& attributes) {
  const auto node = std::make_shared<Elementwise>(inputs, op, attributes);
  if (!node->gives_boolean()) return node->outputs();
  return std::make_shared<ov::op::v0::Convert>(node, ov::element::boolean)->outputs();
}

ov::OutputVector Inputs(const NodeContext& node) {
  ov::OutputVector inputs;
  for (size_t i = 0; i < node.get_input_size(); ++i) inputs.push_back(node.get_input(static_cast<int>(i)));
  return inputs;
}

// An op of the registry under one of its names.
struct Named {
  std::string name;
  const axiscast_op* op;
  int32_t arity;
};

std::vector<Named> ElementwiseOps() {
  std::vector<Named> names;
  const axiscast_op* op = nullptr;
  for (int64_t i = 0; axiscast_op_at(nullptr, i, &op) == AXISCAST_OK; ++i) {
    axiscast_op_info info{};
    info.struct_size = sizeof(info);
    if (axiscast_op_describe(op, &info) != AXISCAST_OK || !info.elementwise) continue;
    std::istringstream all(std::string(info.name) + " " + info.aliases);
    for (std::string name; all >> name;) names.push_back({name, op, info.arity});
  }
  return names;
}

// A node of domain "axiscast": attributes axis, mode and the op's own.
ov::OutputVector FromOwnDomain(const NodeContext& node, const Named& op) {
  return MakeNode(Inputs(node), op.name, ReadAttributes(node, op.op));
}

// Paddle's elementwise_*.
std::map<std::string, ov::OutputVector> FromPaddle(const NodeContext& node, const Named& op) {
  const ov::OutputVector inputs = {node.get_input("X"), node.get_input("Y")};
  return {{"Out", MakeNode(inputs, op.name, ReadAttributes(node, op.op))}};
}

// ONNX's own op. Before opset 7 two operands could face each other as attributes say; Max and Min take any number of operands.
ov::OutputVector FromOnnx(const NodeContext& node, const Named& op) {
  Attributes attributes;
  if (node.get_attribute<int64_t>("broadcast", 0) == 1)
    attributes = {{"mode", "onnx_legacy"}, {"axis", Text(node.get_attribute_as_any("axis"))}};
  ov::OutputVector inputs = Inputs(node);
  if (op.arity != 2 || inputs.size() == 2) return MakeNode(inputs, op.name, attributes);
  ov::OutputVector result = {inputs.at(0)};
  for (size_t i = 1; i < inputs.size(); ++i) result = MakeNode({result[0], inputs[i]}, op.name, attributes);
  return result;
}

// Whether the registry's name is that of an ONNX op and means the same for every ONNX node of that name.
bool IsOnnx(const std::string& name) {
  if (name == "Clip") return false;   // its bounds are operands since opset 11
  if (name == "IsInf") return false;  // may look for one of the infinities alone
  return name[0] >= 'A' && name[0] <= 'Z';
}

std::vector<ov::Extension::Ptr> Extensions() {
  OPENVINO_ASSERT(axiscast_abi_version() == AXISCAST_ABI_VERSION, "axiscast: this adapter was built for another axiscast: ABI ",
                  AXISCAST_ABI_VERSION, "; the one loaded is ", axiscast_version(), " with ABI ", axiscast_abi_version());
  std::vector<ov::Extension::Ptr> extensions = {std::make_shared<ov::OpExtension<Elementwise>>()};
  const auto onnx = [&](const Named& op, const char* domain, auto* convert) {
    extensions.push_back(std::make_shared<ov::frontend::onnx::ConversionExtension>(
        op.name, domain, [op, convert](const NodeContext& node) { return convert(node, op); }));
  };
  for (const Named& op : ElementwiseOps()) {
    onnx(op, "axiscast", &FromOwnDomain);
    if (replace_onnx && IsOnnx(op.name)) onnx(op, "", &FromOnnx);
    if (op.name.rfind("elementwise_", 0) == 0) {
      extensions.push_back(std::make_shared<ov::frontend::paddle::ConversionExtension>(
          op.name, [op](const NodeContext& node) { return FromPaddle(node, op); }));
    }
  }
  return extensions;
}

}  // namespace
}  // namespace axiscast_openvino

OPENVINO_CREATE_EXTENSIONS(axiscast_openvino::Extensions())

// How many times a node of ours has been evaluated in this process.
extern "C" OPENVINO_CORE_EXPORTS int64_t axiscast_openvino_calls() { return axiscast_openvino::Calls(); }

// Whether add_extension, from now on, also gives ONNX's own ops (Add, Mul, ...) of models to axiscast. Nodes of ours are never
// fused with their neighbours, so this is for models whose time goes into broadcasts, and for comparisons.
extern "C" OPENVINO_CORE_EXPORTS void axiscast_openvino_replace_onnx(int32_t replace) {
  axiscast_openvino::replace_onnx = replace != 0;
}
