// OpenVINO's element types and tensors as axiscast's.
#ifndef AXISCAST_ADAPTERS_OPENVINO_TENSORS_H_
#define AXISCAST_ADAPTERS_OPENVINO_TENSORS_H_

#include <axiscast/c_api.h>

#include <openvino/runtime/tensor.hpp>
#include <utility>

namespace axiscast_openvino {

inline constexpr std::pair<ov::element::Type_t, int32_t> kDTypes[] = {
    {ov::element::boolean, AXISCAST_BOOL}, {ov::element::i8, AXISCAST_INT8},       {ov::element::i16, AXISCAST_INT16},
    {ov::element::i32, AXISCAST_INT32},    {ov::element::i64, AXISCAST_INT64},     {ov::element::u8, AXISCAST_UINT8},
    {ov::element::u16, AXISCAST_UINT16},   {ov::element::u32, AXISCAST_UINT32},    {ov::element::u64, AXISCAST_UINT64},
    {ov::element::f16, AXISCAST_FLOAT16},  {ov::element::bf16, AXISCAST_BFLOAT16}, {ov::element::f32, AXISCAST_FLOAT32},
    {ov::element::f64, AXISCAST_FLOAT64},
};

// -1: axiscast has none like it.
inline int32_t ToDType(const ov::element::Type& type) {
  for (const auto& [theirs, ours] : kDTypes)
    if (type == theirs) return ours;
  return -1;
}

inline ov::element::Type FromDType(int32_t dtype) {
  for (const auto& [theirs, ours] : kDTypes)
    if (dtype == ours) return theirs;
  return ov::element::dynamic;
}

// Extents as axiscast reads them: the same bytes.
inline const int64_t* Extents(const ov::Shape& shape) {
  static_assert(sizeof(ov::Shape::value_type) == sizeof(int64_t));
  return reinterpret_cast<const int64_t*>(shape.data());
}

// Without data. Refers to `shape`.
inline axiscast_tensor View(const ov::element::Type& type, const ov::Shape& shape) {
  axiscast_tensor view{};
  view.struct_size = sizeof(view);
  view.dtype = ToDType(type);
  view.rank = static_cast<int32_t>(shape.size());
  view.shape = Extents(shape);
  return view;
}

// Refers to `tensor`, which is dense: all that OpenVINO evaluates nodes on is, and its own ops count on it too. To ask for the
// strides would cost 0.3 us, for they are only made then.
inline axiscast_tensor View(const ov::Tensor& tensor) {
  axiscast_tensor view = View(tensor.get_element_type(), tensor.get_shape());
  view.data = const_cast<void*>(tensor.data());
  return view;
}

}  // namespace axiscast_openvino

#endif  // AXISCAST_ADAPTERS_OPENVINO_TENSORS_H_
