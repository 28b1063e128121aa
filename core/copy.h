// Elements from one view of the caller's memory to another, and the memory for that.
#ifndef AXISCAST_CORE_COPY_H_
#define AXISCAST_CORE_COPY_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "axiscast/plan.h"
#include "core/kernel.h"

namespace axiscast {

// Heap memory that is given back; null when there is none to have.
struct HeapBlock {
  explicit HeapBlock(std::int64_t bytes) : data(static_cast<std::byte*>(std::aligned_alloc(64, RoundUp(bytes)))) {}
  ~HeapBlock() { std::free(data); }
  HeapBlock(HeapBlock&& other) noexcept : data(other.data) { other.data = nullptr; }
  HeapBlock(const HeapBlock&) = delete;
  HeapBlock& operator=(const HeapBlock&) = delete;
  static std::size_t RoundUp(std::int64_t bytes) { return (static_cast<std::size_t>(bytes) + 64) / 64 * 64; }  // of 0 too
  std::byte* data;
};

// The shape and strides of a view's distinct elements: its dims without those that are stretched.
struct Distinct {
  Shape shape;
  ByteStrides byte_strides;
};
Distinct DistinctElements(const Shape& shape, const ByteStrides& strides);

// to = from, for every element; the views must not overlap, nor `to` itself. Any addresses. Throws std::bad_alloc alone.
void CopyElements(const Movers& movers, DType dtype, const Shape& shape, const ByteStrides& from_strides, const std::byte* from,
                  const ByteStrides& to_strides, std::byte* to, const ExecuteOptions& options);

}  // namespace axiscast

#endif  // AXISCAST_CORE_COPY_H_
