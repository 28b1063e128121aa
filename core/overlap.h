// Which bytes a strided view touches, and whether two views share any.
#ifndef AXISCAST_CORE_OVERLAP_H_
#define AXISCAST_CORE_OVERLAP_H_

#include <cstdint>

#include "axiscast/tensor.h"

namespace axiscast {

// The bytes that a view touches lie in [lowest, end) relative to its data pointer.
struct Reach {
  std::int64_t lowest = 0;
  std::int64_t end = 0;
};

// What every call looks at of a pointer: whether the operand is aligned to its elements and clear of the output.
struct Clearance {
  std::uintptr_t low_bits = 0;  // of the address, which are 0 where it is aligned
  // The operand's bytes are clear of the output's where it lies less than `near_from` bytes behind it, or `near_bytes` or more
  // behind that; or at `may_lie`. All modulo 2^64: few instructions, as calls of few elements are made of them.
  std::uintptr_t near_from = 0, near_bytes = 0, may_lie = 0;

  bool IsClear(std::uintptr_t distance) const { return distance - near_from >= near_bytes || distance == may_lie; }
};

struct CheckedOperand : Clearance {
  Reach reach;
  bool like_out;  // same element size and canonical strides as the output
};

// False when an offset does not fit in int64. A view without elements reaches nothing.
bool ComputeReach(const Shape& shape, const ByteStrides& strides, std::int64_t element_size, Reach* reach) noexcept;

// Whether two different elements of the view provably share a byte. Exact for all but contrived strides; there it says no.
bool OverlapsItself(const Shape& shape, const ByteStrides& strides, std::int64_t element_size) noexcept;

// Whether an element of x may share a byte with an element of y, when y's data pointer lies `distance` bytes after x's. Exact for
// all but contrived strides; there it says yes.
bool MayOverlap(const Shape& x_shape, const ByteStrides& x_strides, std::int64_t x_size, const Shape& y_shape,
                const ByteStrides& y_strides, std::int64_t y_size, std::int64_t distance) noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_OVERLAP_H_
