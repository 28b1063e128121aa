// The ops of ONNX that can be replaced, and how each is said with ours.
#include "onnxruntime/op_type.h"

namespace axiscast_onnxruntime {
namespace {

struct Row {
  const char* name;
  const char* op;
  int since;  // ONNX's first version with today's broadcasting and inputs: the host's own fusions look for one of these versions
  Rule rule = Rule::kPlain;
  bool legacy = false;  // version 1 has attributes broadcast and axis
};

const Row kRows[] = {
    {"Abs", "abs", 6},
    {"Add", "add", 7, Rule::kPlain, true},
    {"And", "logical_and", 7, Rule::kPlain, true},
    {"BitShift", "right_shift", 11, Rule::kBitShift},
    {"BitwiseAnd", "bitwise_and", 18},
    {"BitwiseNot", "bitwise_not", 18},
    {"BitwiseOr", "bitwise_or", 18},
    {"BitwiseXor", "bitwise_xor", 18},
    {"Ceil", "ceil", 6},
    {"Clip", "clip", 6, Rule::kClip},
    {"Div", "divide", 7, Rule::kPlain, true},
    {"Equal", "equal", 7, Rule::kPlain, true},
    {"Expand", "broadcast_to", 8, Rule::kExpand},
    {"Floor", "floor", 6},
    {"GatherElements", "gather", 11, Rule::kGather},
    {"Greater", "greater", 7, Rule::kPlain, true},
    {"GreaterOrEqual", "greater_equal", 12},
    {"IsInf", "isinf", 10, Rule::kIsInf},
    {"IsNaN", "isnan", 9},
    {"Less", "less", 7, Rule::kPlain, true},
    {"LessOrEqual", "less_equal", 12},
    {"Max", "maximum", 8, Rule::kVariadic},
    {"Min", "minimum", 8, Rule::kVariadic},
    {"Mod", "remainder", 10, Rule::kMod},
    {"Mul", "multiply", 7, Rule::kPlain, true},
    {"Neg", "negative", 6},
    {"Not", "logical_not", 1},
    {"Or", "logical_or", 7, Rule::kPlain, true},
    {"Reciprocal", "reciprocal", 6},
    {"Relu", "relu", 6},
    {"Round", "round", 11},
    {"Scatter", "scatter", 9, Rule::kScatter},
    {"ScatterElements", "scatter", 11, Rule::kScatter},
    {"Sign", "sign", 9},
    {"Sqrt", "sqrt", 6},
    {"Sub", "subtract", 7, Rule::kPlain, true},
    {"Sum", "add", 8, Rule::kVariadic},
    {"Where", "where", 9},
    {"Xor", "logical_xor", 7, Rule::kPlain, true},
};

}  // namespace

std::vector<OpType> OnnxOps(bool legacy) {
  std::vector<OpType> types;
  for (const Row& row : kRows) {
    for (OpType& type : Describe(row.name, row.op, row.rule, legacy && row.legacy ? 1 : row.since)) types.push_back(type);
  }
  return types;
}

}  // namespace axiscast_onnxruntime
