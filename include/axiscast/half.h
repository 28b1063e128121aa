// The 16-bit floats, as storage: they convert exactly to float, and from any float or double by one rounding. Ops compute in float.
#ifndef AXISCAST_HALF_H_
#define AXISCAST_HALF_H_

#include <cstdint>
#include <cstring>

namespace axiscast {
namespace internal {

// A double rounded once, to nearest, ties to even, to a float of 16 bits: a sign, an exponent, mantissa_bits. NaN stays NaN.
inline std::uint16_t RoundTo16Bits(double value, int mantissa_bits) noexcept {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
  const int exponents = 1 << (15 - mantissa_bits);  // the last one is that of infinity
  const int infinity = (exponents - 1) << mantissa_bits;
  constexpr std::uint64_t kInfinity = std::uint64_t{0x7ff} << 52, kImplicit = std::uint64_t{1} << 52;
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  if (magnitude > kInfinity) return static_cast<std::uint16_t>(sign | infinity | 1 << (mantissa_bits - 1));
  int exponent = static_cast<int>(magnitude >> 52) - 1023 + (exponents / 2 - 1);
  if (exponent >= exponents - 1) return static_cast<std::uint16_t>(sign | infinity);
  int shift = 52 - mantissa_bits;
  if (exponent < 1) {  // a subnormal result, or 0
    shift += 1 - exponent;
    exponent = 1;
  }
  if (shift > 54) return sign;
  const std::uint64_t mantissa = (magnitude & (kImplicit - 1)) | kImplicit;
  const std::uint64_t rounded = (mantissa + ((std::uint64_t{1} << (shift - 1)) - 1) + (mantissa >> shift & 1)) >> shift;
  // The mantissa's leading one, and a carry out of it, count the exponent up; past the last one they make infinity.
  return static_cast<std::uint16_t>(sign | ((static_cast<std::uint64_t>(exponent - 1) << mantissa_bits) + rounded));
}

inline float FloatFromBits(std::uint32_t bits) noexcept {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

}  // namespace internal

/// IEEE 754 binary16.
struct Float16 {
  std::uint16_t bits;

  Float16() = default;
  explicit Float16(double value) noexcept : bits(internal::RoundTo16Bits(value, 10)) {}
  explicit operator float() const noexcept {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16, magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00) return internal::FloatFromBits(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    if (magnitude >= 0x0400) return internal::FloatFromBits(sign | ((magnitude << 13) + (112u << 23)));
    const float subnormal = static_cast<float>(magnitude) * 0x1p-24f;
    return sign != 0 ? -subnormal : subnormal;
  }
};

/// bfloat16: the upper half of a float.
struct BFloat16 {
  std::uint16_t bits;

  BFloat16() = default;
  explicit BFloat16(double value) noexcept : bits(internal::RoundTo16Bits(value, 7)) {}
  explicit operator float() const noexcept { return internal::FloatFromBits(static_cast<std::uint32_t>(bits) << 16); }
};

}  // namespace axiscast

#endif  // AXISCAST_HALF_H_
