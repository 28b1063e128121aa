// A node's attributes, read from whichever of the host's two objects there is, as options of a call of ours.
#ifndef AXISCAST_ADAPTERS_ONNXRUNTIME_ATTRIBUTES_H_
#define AXISCAST_ADAPTERS_ONNXRUNTIME_ATTRIBUTES_H_

#include <deque>

#include "onnxruntime/op_type.h"

namespace axiscast_onnxruntime {

// While a kernel is made there is a kernel info; while shapes are inferred, a context.
struct NodeAttributes {
  const OrtKernelInfo* info = nullptr;
  const OrtShapeInferContext* context = nullptr;

  bool Integer(const char* name, int64_t* value) const;
  bool Number(const char* name, float* value) const;
  bool Text(const char* name, std::string* value) const;
  bool Integers(const char* name, std::vector<int64_t>* values) const;
};

// The op that a node runs, and its options; not copied, as options point into it.
struct Request {
  const axiscast_op* op = nullptr;
  axiscast_options options{};
  std::vector<axiscast_attribute> attributes;
  std::deque<std::string> texts;
  std::deque<std::vector<int64_t>> shapes;
  double infinity = 0;  // not 0: a further operand, of one element, with this value
};

// Reads what a node of this type says. An error is the host's; the request is then of no use.
OrtStatus* ReadRequest(const OpType& type, const NodeAttributes& node, Request* request);

}  // namespace axiscast_onnxruntime

#endif  // AXISCAST_ADAPTERS_ONNXRUNTIME_ATTRIBUTES_H_
