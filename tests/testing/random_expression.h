// Random expressions of all elementwise ops and dtypes, with inputs of every layout and axis, and an output.
#ifndef AXISCAST_TESTS_TESTING_RANDOM_EXPRESSION_H_
#define AXISCAST_TESTS_TESTING_RANDOM_EXPRESSION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/strided.h"

namespace axiscast::test {

struct ExpressionInput {
  DType dtype;
  Shape shape;
  std::int64_t axis;  // -1: right
  ByteStrides strides;
  bool in_outs_memory = false;  // else it has its own
  Bytes memory = {};
  std::int64_t at = 0;  // of element [0, ..., 0] in its memory

  std::int64_t size() const { return static_cast<std::int64_t>(SizeOf(dtype)); }
};

// A dense tensor that aligns right.
struct Value {
  DType dtype;
  Shape shape;
  Bytes bytes;
  TensorView view() const { return {bytes.data(), dtype, shape}; }
};

// A part of an expression: its text, and how its value comes about.
struct ExpressionNode {
  std::string text;
  DType dtype;
  int input = -1;
  std::optional<Value> number = std::nullopt;
  const Op* op = nullptr;
  std::vector<ExpressionNode> arguments = {};
  std::vector<Attribute> attributes = {};
};

struct ExpressionCase {
  ExpressionNode node;
  std::vector<ExpressionInput> inputs;
  Shape result;     // of the inputs
  Shape out_shape;  // the result's, or a larger one
  ByteStrides out_strides;
  Bytes out_memory;
  std::int64_t out_at = 0;

  std::int64_t out_size() const { return static_cast<std::int64_t>(SizeOf(node.dtype)); }
};

ExpressionCase RandomExpression(Random& random);

std::string ToText(const Dims& dims);
std::string ToText(const ExpressionCase& c);

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_RANDOM_EXPRESSION_H_
