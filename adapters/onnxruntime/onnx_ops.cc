// The ops of ONNX that can be replaced, and how each is said with ours.
#include "onnxruntime/op_type.h"

namespace axiscast_onnxruntime {
namespace {

struct Row {
  const char* name;
  const char* op;
  Rule rule = Rule::kPlain;
};

const Row kRows[] = {
    {"Abs", "abs"},
    {"Add", "add"},
    {"And", "logical_and"},
    {"BitShift", "right_shift", Rule::kBitShift},
    {"BitwiseAnd", "bitwise_and"},
    {"BitwiseNot", "bitwise_not"},
    {"BitwiseOr", "bitwise_or"},
    {"BitwiseXor", "bitwise_xor"},
    {"Ceil", "ceil"},
    {"Clip", "clip", Rule::kClip},
    {"Div", "divide"},
    {"Equal", "equal"},
    {"Expand", "broadcast_to", Rule::kExpand},
    {"Floor", "floor"},
    {"GatherElements", "gather", Rule::kGather},
    {"Greater", "greater"},
    {"GreaterOrEqual", "greater_equal"},
    {"IsInf", "isinf", Rule::kIsInf},
    {"IsNaN", "isnan"},
    {"Less", "less"},
    {"LessOrEqual", "less_equal"},
    {"Max", "maximum", Rule::kVariadic},
    {"Min", "minimum", Rule::kVariadic},
    {"Mod", "remainder", Rule::kMod},
    {"Mul", "multiply"},
    {"Neg", "negative"},
    {"Not", "logical_not"},
    {"Or", "logical_or"},
    {"Reciprocal", "reciprocal"},
    {"Relu", "relu"},
    {"Round", "round"},
    {"Scatter", "scatter", Rule::kScatter},
    {"ScatterElements", "scatter", Rule::kScatter},
    {"Sign", "sign"},
    {"Sqrt", "sqrt"},
    {"Sub", "subtract"},
    {"Sum", "add", Rule::kVariadic},
    {"Where", "where"},
    {"Xor", "logical_xor"},
};

// The version of ONNX's domain from which on an op of ours is taken. When the host folds constants, it looks among its own kernels
// for one of the node's version, and gives up on the whole model if that kernel's types have other names than our op's. So the
// version is one that none of its kernels is for: theirs begin with 6 and later, but for Not, which begins with 1.
int Since(const std::string& name) { return name == "Not" ? 2 : 1; }

}  // namespace

std::vector<OpType> OnnxOps() {
  std::vector<OpType> types;
  for (const Row& row : kRows) {
    for (OpType& type : Describe(row.name, row.op, row.rule, Since(row.name))) types.push_back(type);
  }
  return types;
}

}  // namespace axiscast_onnxruntime
