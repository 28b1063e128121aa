// Nodes of ONNX whose inputs say what are attributes of ours, or which have any number of inputs.
#include <cmath>
#include <cstring>

#include "onnxruntime/node.h"

namespace axiscast_onnxruntime {
namespace {

// out = x in the shape of out.
OrtStatus* Stretch(OrtKernelContext* context, const char* caller, const axiscast_tensor& x, const axiscast_tensor& out) {
  const axiscast_op* stretch = nullptr;
  if (int32_t code = axiscast_op_find(nullptr, "broadcast_to", &stretch)) return LastFailure(code);
  axiscast_attribute shape{};
  shape.struct_size = sizeof(shape);
  shape.name = "shape";
  shape.kind = AXISCAST_VALUE_SHAPE;
  shape.rank = out.rank;
  shape.value.shape = out.shape;
  axiscast_options options{};
  options.struct_size = sizeof(options);
  options.caller = caller;
  options.attributes = &shape;
  options.attribute_count = 1;
  return Apply(context, stretch, &x, 1, options, out);
}

template <typename T>
T Load(const void* data) {
  T value;
  std::memcpy(&value, data, sizeof(value));
  return value;
}

double HalfToDouble(uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int fraction = half & 1023;
  // Normal numbers have 1024 above their fraction; the others stand in the place of exponent 1.
  double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31) size = fraction == 0 ? HUGE_VAL : NAN;
  return half >> 15 ? -size : size;
}

axiscast_attribute Bound(const char* name, const void* data, int32_t dtype) {
  axiscast_attribute bound{};
  bound.struct_size = sizeof(bound);
  bound.name = name;
  bound.kind = AXISCAST_VALUE_INT64;
  switch (dtype) {
    case AXISCAST_INT8:
      bound.value.integer = Load<int8_t>(data);
      return bound;
    case AXISCAST_INT16:
      bound.value.integer = Load<int16_t>(data);
      return bound;
    case AXISCAST_INT32:
      bound.value.integer = Load<int32_t>(data);
      return bound;
    case AXISCAST_INT64:
      bound.value.integer = Load<int64_t>(data);
      return bound;
    case AXISCAST_UINT8:
      bound.value.integer = Load<uint8_t>(data);
      return bound;
    case AXISCAST_UINT16:
      bound.value.integer = Load<uint16_t>(data);
      return bound;
    case AXISCAST_UINT32:
      bound.value.integer = Load<uint32_t>(data);
      return bound;
    default:
      break;
  }
  bound.kind = AXISCAST_VALUE_UINT64;
  if (dtype == AXISCAST_UINT64) {
    bound.value.natural = Load<uint64_t>(data);
    return bound;
  }
  bound.kind = AXISCAST_VALUE_DOUBLE;
  const uint32_t brain = static_cast<uint32_t>(Load<uint16_t>(data)) << 16;
  switch (dtype) {
    case AXISCAST_FLOAT16:
      bound.value.number = HalfToDouble(Load<uint16_t>(data));
      break;
    case AXISCAST_BFLOAT16:
      bound.value.number = static_cast<double>(Load<float>(&brain));
      break;
    case AXISCAST_FLOAT32:
      bound.value.number = static_cast<double>(Load<float>(data));
      break;
    default:
      bound.value.number = Load<double>(data);
      break;
  }
  return bound;
}

}  // namespace

OrtStatus* RunVariadic(Node* node, OrtKernelContext* context) {
  const size_t count = node->dtypes.size();
  std::vector<Operands> inputs(count);
  std::vector<axiscast_tensor> tensors(count);
  for (size_t i = 0; i < count; ++i) {
    if (OrtStatus* status = AppendInput(context, i, node->dtypes[i], &inputs[i])) return status;
    tensors[i] = inputs[i].tensors[0];
  }
  const axiscast_options& options = node->request.options;
  int64_t extents[AXISCAST_MAX_RANK];
  axiscast_tensor out{sizeof(out), nullptr, node->output, 0, extents, nullptr};
  if (int32_t code =
          axiscast_resolve_shape(tensors.data(), static_cast<int64_t>(count), &options, extents, AXISCAST_MAX_RANK, &out.rank)) {
    return LastFailure(code);
  }
  bool wanted = true;
  if (OrtStatus* status = Output(context, extents, static_cast<size_t>(out.rank), &out.data, &wanted)) return status;
  if (!wanted) return nullptr;
  if (count == 1) return Stretch(context, options.caller, tensors[0], out);
  for (size_t i = 1; i < count; ++i) {
    const axiscast_tensor pair[] = {i == 1 ? tensors[0] : out, tensors[i]};
    if (OrtStatus* status = Apply(context, node->request.op, pair, 2, options, out)) return status;
  }
  return nullptr;
}

OrtStatus* RunClip(Node* node, OrtKernelContext* context) {
  Operands operands;
  if (OrtStatus* status = AppendInput(context, 0, node->dtypes[0], &operands)) return status;
  axiscast_attribute bounds[2];
  axiscast_options options = node->request.options;
  options.attributes = bounds;
  options.attribute_count = 0;
  for (size_t i = 1; i < node->dtypes.size() && i < 3; ++i) {
    if (node->dtypes[i] < 0) continue;
    Operands bound;
    if (OrtStatus* status = AppendInput(context, i, node->dtypes[i], &bound)) return status;
    const axiscast_tensor& scalar = bound.tensors[0];
    if (scalar.dtype != node->dtypes[0]) return Refuse("Clip: min and max must have the dtype of x");
    if (scalar.rank > 1 || (scalar.rank == 1 && scalar.shape[0] != 1)) return Refuse("Clip: min and max must be scalars");
    bounds[options.attribute_count++] = Bound(i == 1 ? "min" : "max", bound.data[0], node->dtypes[i]);
  }
  const axiscast_tensor& x = operands.tensors[0];
  axiscast_tensor out = x;
  bool wanted = true;
  if (OrtStatus* status = Output(context, x.shape, static_cast<size_t>(x.rank), &out.data, &wanted)) return status;
  return wanted ? Apply(context, node->request.op, &x, 1, options, out) : nullptr;
}

OrtStatus* RunExpand(Node* node, OrtKernelContext* context) {
  Operands operands;
  for (size_t i = 0; i < 2; ++i) {
    if (OrtStatus* status = AppendInput(context, i, node->dtypes[i], &operands)) return status;
  }
  const axiscast_tensor& shape = operands.tensors[1];
  if (shape.rank != 1 || shape.shape[0] > AXISCAST_MAX_RANK)
    return Refuse("Expand: the shape must have 1 dim and at most 64 elements");
  const axiscast_tensor shapes[] = {operands.tensors[0],
                                    {sizeof(axiscast_tensor), nullptr, node->dtypes[0], static_cast<int32_t>(shape.shape[0]),
                                     static_cast<const int64_t*>(shape.data), nullptr}};
  int64_t extents[AXISCAST_MAX_RANK];
  axiscast_tensor out{sizeof(out), nullptr, node->dtypes[0], 0, extents, nullptr};
  if (int32_t code = axiscast_resolve_shape(shapes, 2, &node->request.options, extents, AXISCAST_MAX_RANK, &out.rank))
    return LastFailure(code);
  bool wanted = true;
  if (OrtStatus* status = Output(context, extents, static_cast<size_t>(out.rank), &out.data, &wanted)) return status;
  return wanted ? Stretch(context, node->request.options.caller, shapes[0], out) : nullptr;
}

}  // namespace axiscast_onnxruntime
