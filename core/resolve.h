// Shapes + mode -> what is written, and which of its dims each operand's dims face. Above this, the axis is gone.
#ifndef AXISCAST_CORE_RESOLVE_H_
#define AXISCAST_CORE_RESOLVE_H_

#include <cstddef>

#include "axiscast/resolve.h"

namespace axiscast {

// What the result goes to.
struct Destination {
  const Shape* out = nullptr;  // a destination of this shape: never stretched, the operands may be stretched to it
  bool in_place = false;       // the first operand is the destination
};

// first[i] of an operand whose elements are paired with those of the first operand.
inline constexpr int kPaired = -1;

// Resolves `count` operands and a destination. On success *shape is the shape that is written, and dim d of operand i faces dim
// first[i] + d of it. Dims of an operand that would face beyond the last dim of *shape are 1s that hang over (axis mode, rule 5).
// In the modes that pair elements, first[i] of operands of other shapes than the first one is kPaired. Errors as ResolveShape;
// *shape and *first are then untouched. Does not allocate unless it fails or reports.
// `axes` is for mode numpy: one for each operand, the dim of the operands' result that its first dim faces, as in mode axis, or -1,
// which aligns it right. An axis beyond the highest rank is kOutOfRange.
Status Resolve(const Shape* shapes, std::size_t count, const ResolveOptions& options, const Destination& destination, Shape* shape,
               int* first, const std::int64_t* axes = nullptr) noexcept;

// The strides with which the elements of an operand, in row-major order, are those of `shape`, which has as many. False where no
// strides do: its dims would have to be merged and cannot.
bool ReshapeStrides(const Shape& operand, const ByteStrides& strides, const Shape& shape, ByteStrides* reshaped) noexcept;

// The operand's strides over the dims of `shape`, given the first dim that it faces: 0 where it is stretched or has no dim.
ByteStrides FacingStrides(const Shape& operand, const ByteStrides& strides, int first, const Shape& shape) noexcept;

// The number of elements of a shape with valid rank and extents >= 0: 0 when any extent is 0, however large the others are. False
// when it does not fit in int64.
bool CountElements(const Shape& shape, std::int64_t* count) noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_RESOLVE_H_
