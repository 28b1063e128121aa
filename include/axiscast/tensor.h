// Shapes, byte strides and views of the caller's memory. Nothing here owns or allocates.
#ifndef AXISCAST_TENSOR_H_
#define AXISCAST_TENSOR_H_

#include <cstdint>
#include <initializer_list>

#include "axiscast/dtype.h"

#pragma GCC visibility push(default)  // exported by the shared library
namespace axiscast {

/// The highest rank of an operand or a result.
inline constexpr int kMaxRank = 64;

/// Up to kMaxRank int64 values, held inline: extents (a shape) or byte strides. Copying costs as many words as the rank.
/// A rank outside [0, kMaxRank] is remembered without its values; every call that is given such a list refuses it.
class Dims {
 public:
  Dims() noexcept = default;
  Dims(std::initializer_list<std::int64_t> values) noexcept : Dims(values.begin(), static_cast<std::int64_t>(values.size())) {}
  /// Copies `rank` values; `values` may be null when rank is 0.
  Dims(const std::int64_t* values, std::int64_t rank) noexcept : rank_(rank) {
    for (int i = 0; i < stored(); ++i) values_[i] = values[i];
  }
  Dims(const Dims& other) noexcept : rank_(other.rank_) { CopyValues(other); }
  Dims& operator=(const Dims& other) noexcept {
    rank_ = other.rank_;
    CopyValues(other);
    return *this;
  }

  /// The rank as it was given; use only after valid() has said that it is in range.
  int rank() const noexcept { return static_cast<int>(rank_); }
  std::int64_t given_rank() const noexcept { return rank_; }
  bool valid() const noexcept { return rank_ >= 0 && rank_ <= kMaxRank; }

  std::int64_t operator[](int i) const noexcept { return values_[i]; }
  std::int64_t& operator[](int i) noexcept { return values_[i]; }
  const std::int64_t* begin() const noexcept { return values_; }
  const std::int64_t* end() const noexcept { return values_ + stored(); }
  /// Appends a value; a full list becomes one of invalid rank.
  void push_back(std::int64_t value) noexcept {
    if (rank_ >= 0 && rank_ < kMaxRank) values_[rank_] = value;
    ++rank_;
  }

  friend bool operator==(const Dims& x, const Dims& y) noexcept {
    if (x.rank_ != y.rank_) return false;
    for (int i = 0; i < x.stored(); ++i) {
      if (x.values_[i] != y.values_[i]) return false;
    }
    return true;
  }
  friend bool operator!=(const Dims& x, const Dims& y) noexcept { return !(x == y); }

 private:
  int stored() const noexcept { return valid() ? static_cast<int>(rank_) : 0; }
  // Two by two: gcc makes `rep movs` of the plain loop, which takes 8 ns for the few values that there are.
  void CopyValues(const Dims& other) noexcept {
    const int count = stored();
    for (int i = 0; i < count; i += 2) {
      values_[i] = other.values_[i];
      if (i + 1 < count) values_[i + 1] = other.values_[i + 1];
    }
  }

  std::int64_t rank_ = 0;
  std::int64_t values_[kMaxRank];
};

/// Extents, outermost first. Rank 0 is a scalar.
using Shape = Dims;
/// Bytes from an element to its neighbour along each dim: any values, negative, 0 and unaligned ones too.
using ByteStrides = Dims;

/// The strides of a dense row-major tensor. Wraps where the tensor could not exist (calls check before they use it).
inline ByteStrides DenseStrides(const Shape& shape, DType dtype) noexcept {
  ByteStrides strides = shape;
  std::uint64_t stride = SizeOf(dtype);
  for (int i = shape.valid() ? shape.rank() - 1 : -1; i >= 0; --i) {
    strides[i] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(shape[i] > 0 ? shape[i] : 1);
  }
  return strides;
}

/// A view of elements that a call reads. `data` points at element [0, ..., 0] and may have any address, not even aligned to its
/// element (an aligned one is faster). It may be null when the view has no elements, and where only a plan is made. Nothing before
/// the first and behind the last element is read; gaps of less than 64 bytes between two of them may be.
struct TensorView {
  TensorView() noexcept = default;
  /// Dense, row-major.
  TensorView(const void* elements, DType element_type, const Shape& extents) noexcept
      : TensorView(elements, element_type, extents, DenseStrides(extents, element_type)) {}
  TensorView(const void* elements, DType element_type, const Shape& extents, const ByteStrides& strides) noexcept
      : data(elements), dtype(element_type), shape(extents), byte_strides(strides) {}
  /// Dense, row-major, with T's dtype: `TensorView(pixels, {8, 3, 224, 224})`.
  template <typename T>
  TensorView(const T* elements, const Shape& extents) noexcept : TensorView(elements, kDTypeOf<T>, extents) {}

  const void* data = nullptr;
  DType dtype = DType::kFloat32;
  Shape shape;
  ByteStrides byte_strides;
};

/// A view of elements that a call writes; otherwise as TensorView.
struct MutableTensorView {
  MutableTensorView() noexcept = default;
  MutableTensorView(void* elements, DType element_type, const Shape& extents) noexcept
      : MutableTensorView(elements, element_type, extents, DenseStrides(extents, element_type)) {}
  MutableTensorView(void* elements, DType element_type, const Shape& extents, const ByteStrides& strides) noexcept
      : data(elements), dtype(element_type), shape(extents), byte_strides(strides) {}
  template <typename T>
  MutableTensorView(T* elements, const Shape& extents) noexcept : MutableTensorView(elements, kDTypeOf<T>, extents) {}

  operator TensorView() const noexcept { return TensorView(data, dtype, shape, byte_strides); }

  void* data = nullptr;
  DType dtype = DType::kFloat32;
  Shape shape;
  ByteStrides byte_strides;
};

}  // namespace axiscast
#pragma GCC visibility pop

#endif  // AXISCAST_TENSOR_H_
