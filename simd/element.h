// What movers know of an element: its size.
#ifndef AXISCAST_SIMD_ELEMENT_H_
#define AXISCAST_SIMD_ELEMENT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace axiscast {

// 16 bytes, which no lane holds.
struct Element16 {
  std::uint64_t low;
  std::uint64_t high;
};

template <typename T>
inline constexpr bool kHasLanes = !std::is_same_v<T, Element16>;

// Views may have any address, so their elements are never dereferenced.
template <typename T>
T ReadUnaligned(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void WriteUnaligned(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof(T));
}

}  // namespace axiscast

#endif  // AXISCAST_SIMD_ELEMENT_H_
