// An element's bytes, as the signed number that strides are counted in.
#ifndef AXISCAST_CORE_ELEMENT_SIZE_H_
#define AXISCAST_CORE_ELEMENT_SIZE_H_

#include <cstdint>

#include "axiscast/dtype.h"

namespace axiscast {

inline std::int64_t SizeInBytes(DType dtype) { return static_cast<std::int64_t>(SizeOf(dtype)); }

// Is the address a multiple of the element's size?
inline bool IsAligned(const void* data, DType dtype) {
  return (reinterpret_cast<std::uintptr_t>(data) & static_cast<std::uintptr_t>(SizeOf(dtype) - 1)) == 0;
}

}  // namespace axiscast

#endif  // AXISCAST_CORE_ELEMENT_SIZE_H_
