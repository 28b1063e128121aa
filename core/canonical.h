// Canonical form: the fewest dims, in the order of the last operand's memory, that describe the same elements.
#ifndef AXISCAST_CORE_CANONICAL_H_
#define AXISCAST_CORE_CANONICAL_H_

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "axiscast/dtype.h"
#include "axiscast/tensor.h"

namespace axiscast {

// In the memory that it was made with, as the layouts that are made of it: a plan's is the heap, a call's that binds a plan for
// patterns is on its stack.
struct Canonical {
  explicit Canonical(std::pmr::memory_resource* memory = std::pmr::new_delete_resource())
      : extents(memory), strides(memory), offsets(memory) {}
  // In the same memory. A pmr container's own copy would be in the process's default resource, which may be gone before a plan is.
  Canonical(const Canonical& other)
      : extents(other.extents, other.memory()), strides(other.strides, other.memory()), offsets(other.offsets, other.memory()) {}
  Canonical(Canonical&&) = default;
  Canonical& operator=(const Canonical&) = default;
  Canonical& operator=(Canonical&&) = default;

  std::pmr::vector<std::int64_t> extents;                    // outermost first, at least one
  std::pmr::vector<std::pmr::vector<std::int64_t>> strides;  // [operand][dim], bytes
  std::pmr::vector<std::int64_t> offsets;                    // [operand]: bytes to add to the pointer, where dims were turned round

  int rank() const { return static_cast<int>(extents.size()); }
  std::pmr::memory_resource* memory() const { return extents.get_allocator().resource(); }
};

// Whether a step of `outer` bytes is `extent` steps of `inner` bytes, which may be more than int64 holds.
bool IsRun(std::int64_t outer, std::int64_t inner, std::int64_t extent) noexcept;

// Drops extents of 1, turns dims round along which the last operand (the output) runs backwards, sorts dims by the last operand's
// strides (then the others'), and merges neighbours whose strides allow it for all operands. (4, 5, 6) & (4, 1, 1) becomes 2-d,
// a channel operand on NCHW 3-d, same-shape 1-d, a single element one dim of extent 1. No extent may be 0.
// Cost: O(operands * rank) where dims come in the order of memory; else they are sorted.
Canonical Canonicalise(const Shape& shape, std::span<const ByteStrides> strides,
                       std::pmr::memory_resource* memory = std::pmr::new_delete_resource());
inline Canonical Canonicalise(const Shape& shape, const std::vector<ByteStrides>& strides) {
  return Canonicalise(shape, std::span<const ByteStrides>(strides));
}

// Operands (a bit each) whose strides already break their element's alignment.
std::uint64_t UnalignedStrides(const Canonical& canonical, std::span<const DType> dtypes);

}  // namespace axiscast

#endif  // AXISCAST_CORE_CANONICAL_H_
