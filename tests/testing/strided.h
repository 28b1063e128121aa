// Strided views of random memory, and the plain loops over their elements that serve as oracle.
#ifndef AXISCAST_TESTS_TESTING_STRIDED_H_
#define AXISCAST_TESTS_TESTING_STRIDED_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "axiscast/tensor.h"

namespace axiscast::test {

using Bytes = std::vector<std::byte>;
using Index = std::vector<std::int64_t>;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::int64_t In(std::int64_t lowest, std::int64_t highest) {
    return std::uniform_int_distribution<std::int64_t>(lowest, highest)(engine_);
  }
  std::int64_t Below(std::int64_t end) { return In(0, end - 1); }
  bool Chance(int percent) { return Below(100) < percent; }
  template <typename T>
  const T& Of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(Below(static_cast<std::int64_t>(values.size())))];
  }
  std::uint64_t Bits() { return engine_(); }
  Bytes RandomBytes(std::int64_t count) {
    Bytes bytes(static_cast<std::size_t>(count));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine_());
    return bytes;
  }

 private:
  std::mt19937_64 engine_;
};

// A number from the environment, for longer runs and for one that failed.
inline std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 0) : otherwise;
}

// Calls visit(index) for every index, in row-major order.
template <typename Visit>
void ForEachIndex(const Shape& shape, Visit visit) {
  Index index(static_cast<std::size_t>(shape.rank()), 0);
  for (const std::int64_t extent : shape) {
    if (extent == 0) return;
  }
  for (;;) {
    visit(index);
    int d = shape.rank() - 1;
    while (d >= 0 && ++index[static_cast<std::size_t>(d)] == shape[d]) index[static_cast<std::size_t>(d--)] = 0;
    if (d < 0) return;
  }
}

// The byte offset of an operand's element that faces `index`, when its dim j faces dim first + j. A 1 faces everything.
inline std::int64_t OffsetAt(const Index& index, const Shape& shape, const ByteStrides& strides, int first) {
  std::int64_t offset = 0;
  for (int j = 0; j < shape.rank(); ++j) {
    if (shape[j] != 1) offset += index[static_cast<std::size_t>(first + j)] * strides[j];
  }
  return offset;
}

// An element's bits are the lower ones of a number, whatever the byte order.
inline std::size_t FirstOfLowerBytes(std::size_t size) {
  return std::endian::native == std::endian::big ? sizeof(std::uint64_t) - size : 0;
}
inline std::uint64_t LoadBits(const std::byte* from, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(reinterpret_cast<std::byte*>(&bits) + FirstOfLowerBytes(size), from, size);
  return bits;
}
inline void StoreBits(std::uint64_t bits, std::byte* to, std::size_t size) {
  std::memcpy(to, reinterpret_cast<const std::byte*>(&bits) + FirstOfLowerBytes(size), size);
}

// How a tensor lies in memory, as the numbers that its strides are made of: each can be shrunk on its own.
struct ViewSpec {
  std::vector<int> order;          // the dims, innermost first
  std::vector<std::int64_t> step;  // per dim: every step-th element of a larger tensor
  std::vector<std::int64_t> pad;   // per dim: bytes left out behind its last element
  std::vector<bool> reversed;
  std::vector<bool> stretched;     // stride 0
  std::int64_t gap = 0;            // bytes between elements, maybe not a multiple of their size
  std::int64_t stride_of_one = 0;  // the stride of dims of extent 1: it must not matter

  static ViewSpec Dense(int rank) {
    ViewSpec spec;
    for (int d = rank - 1; d >= 0; --d) spec.order.push_back(d);
    spec.step.assign(static_cast<std::size_t>(rank), 1);
    spec.pad.assign(static_cast<std::size_t>(rank), 0);
    spec.reversed.assign(static_cast<std::size_t>(rank), false);
    spec.stretched.assign(static_cast<std::size_t>(rank), false);
    return spec;
  }
};

inline ByteStrides StridesOf(const ViewSpec& spec, const Shape& shape, std::int64_t size) {
  ByteStrides strides = shape;
  std::int64_t unit = size + spec.gap;
  for (const int d : spec.order) {
    const auto at = static_cast<std::size_t>(d);
    strides[d] = shape[d] == 1 ? spec.stride_of_one : 0;
    if (shape[d] <= 1 || spec.stretched[at]) continue;
    strides[d] = unit * spec.step[at];
    unit = strides[d] * shape[d] + spec.pad[at];
    if (spec.reversed[at]) strides[d] = -strides[d];
  }
  return strides;
}

// Bytes in front of and behind element [0, ..., 0]'s address that a view touches.
struct Around {
  std::int64_t before = 0;
  std::int64_t behind = 0;
};
inline Around AroundOf(const Shape& shape, const ByteStrides& strides, std::int64_t size) {
  Around around{0, size};
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] == 0) return {};
    const std::int64_t span = shape[d] == 1 ? 0 : (shape[d] - 1) * strides[d];
    (span < 0 ? around.before : around.behind) += span < 0 ? -span : span;
  }
  return around;
}

inline ViewSpec RandomView(Random& random, int rank, std::int64_t size, bool may_overlap_itself) {
  ViewSpec spec = ViewSpec::Dense(rank);
  if (rank == 0 || random.Chance(40)) return spec;
  if (random.Chance(20)) std::reverse(spec.order.begin(), spec.order.end());  // Fortran
  if (random.Chance(35)) {                                                    // a transpose of two dims
    std::swap(spec.order[static_cast<std::size_t>(random.Below(rank))], spec.order[static_cast<std::size_t>(random.Below(rank))]);
  }
  const bool slices = random.Chance(35), reverses = random.Chance(25), stretches = may_overlap_itself && random.Chance(15);
  const bool odd = random.Chance(30);
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    if (slices && random.Chance(40)) spec.step[d] = random.In(2, 3);
    if (slices && random.Chance(40)) spec.pad[d] = size * random.In(1, 5);
    if (odd && random.Chance(60)) spec.pad[d] += random.In(1, size);
    if (reverses && random.Chance(50)) spec.reversed[d] = true;
    if (stretches && random.Chance(50)) spec.stretched[d] = true;
  }
  if (random.Chance(odd ? 45 : 2)) spec.gap = random.In(1, 9);
  if (random.Chance(10)) spec.stride_of_one = random.Of(std::vector<std::int64_t>{-3, 4096, INT64_MIN, INT64_MAX});
  return spec;
}

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_STRIDED_H_
