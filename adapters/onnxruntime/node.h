// A node of a model: made when a session loads it, run by any of the session's threads.
#ifndef AXISCAST_ADAPTERS_ONNXRUNTIME_NODE_H_
#define AXISCAST_ADAPTERS_ONNXRUNTIME_NODE_H_

#include <array>
#include <atomic>

#include "onnxruntime/attributes.h"
#include "onnxruntime/call.h"

namespace axiscast_onnxruntime {

// A plan for the shapes in `key`. Never changes.
struct Prepared {
  std::vector<int64_t> key;
  std::vector<int64_t> out;  // the result's shape
  axiscast_plan* plan = nullptr;

  Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  ~Prepared() { axiscast_plan_free(plan); }
};

struct Node {
  explicit Node(const OpType& op_type) : type(op_type) {}
  ~Node();

  const OpType& type;
  Request request;
  std::vector<int32_t> dtypes;  // of the inputs; -1: not there
  int32_t output = -1;          // dtype
  unsigned char infinity[8]{};  // the further operand that the request may ask for
  // The first shapes that come keep their plans as long as the node lives: found without a lock, as nothing is ever replaced.
  // Later ones go through the thread's cache of the library.
  std::array<std::atomic<const Prepared*>, 4> prepared{};
};

// op(operands...) of any node, by a plan of its own.
OrtStatus* RunPlain(Node* node, OrtKernelContext* context);

// What ONNX says otherwise: op(op(x0, x1), x2)...; bounds that are inputs; a shape that is an input.
OrtStatus* RunVariadic(Node* node, OrtKernelContext* context);
OrtStatus* RunClip(Node* node, OrtKernelContext* context);
OrtStatus* RunExpand(Node* node, OrtKernelContext* context);

// What OrtCustomOp wants. None throws.
OrtStatus* ORT_API_CALL MakeNode(const OrtCustomOp* type, const OrtApi* api, const OrtKernelInfo* info, void** node);
OrtStatus* ORT_API_CALL RunNode(void* node, OrtKernelContext* context);
void ORT_API_CALL FreeNode(void* node);

// How many nodes have run.
int64_t CallCount();

}  // namespace axiscast_onnxruntime

#endif  // AXISCAST_ADAPTERS_ONNXRUNTIME_NODE_H_
