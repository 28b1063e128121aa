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

// Extents and strides as axiscast reads them: the same bytes.
template <typename Extents>
const int64_t* Pointer(const Extents& extents) {
  static_assert(sizeof(typename Extents::value_type) == sizeof(int64_t));
  return reinterpret_cast<const int64_t*>(extents.data());
}

// Dense, and without data. Refers to `shape`.
inline axiscast_tensor View(const ov::element::Type& type, const ov::Shape& shape) {
  axiscast_tensor view{};
  view.struct_size = sizeof(view);
  view.dtype = ToDType(type);
  view.rank = static_cast<int32_t>(shape.size());
  view.shape = Pointer(shape);
  return view;
}

// Refers to `tensor` and `strides`, which it sets.
inline axiscast_tensor View(const ov::Tensor& tensor, ov::Strides* strides) {
  axiscast_tensor view = View(tensor.get_element_type(), tensor.get_shape());
  *strides = tensor.get_strides();
  view.byte_strides = Pointer(*strides);
  view.data = const_cast<void*>(tensor.data());
  return view;
}

}  // namespace axiscast_openvino

#endif  // AXISCAST_ADAPTERS_OPENVINO_TENSORS_H_
