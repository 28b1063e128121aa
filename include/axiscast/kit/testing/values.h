// Element values that find mistakes, as bytes: every value of 8-bit types, else the special ones and random ones; and how two
// results are compared.
#ifndef AXISCAST_KIT_TESTING_VALUES_H_
#define AXISCAST_KIT_TESTING_VALUES_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "axiscast/dtype.h"

namespace axiscast::testing {

// Calls f(T()) for the C++ type of `dtype`.
template <class F>
void WithType(DType dtype, F f) {
#define AXISCAST_CASE(enumerator, name, type, kind) \
  if (dtype == DType::enumerator) f(type());
  AXISCAST_FOR_EACH_DTYPE(AXISCAST_CASE)
#undef AXISCAST_CASE
}

// A float to compare, classify and print; other types are themselves.
template <typename T>
auto Widened(T value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

// Both ends of every `step`th exponent, the ones in the middle of a mantissa's range, infinities and NaNs, of either sign.
inline std::vector<std::uint16_t> HalfSpecials(int mantissa_bits, int step) {
  std::vector<std::uint16_t> values;
  const int infinity = 0x7fff >> mantissa_bits, one = infinity / 2, last = (1 << mantissa_bits) - 1;
  for (int exponent = 0; exponent <= infinity; ++exponent) {
    const bool edge = exponent < 2 || std::abs(exponent - one) < 3 || exponent > infinity - 2;
    if (!edge && exponent % step != 0) continue;
    for (const int mantissa : {0, 1, last / 2 + 1, last}) {
      values.push_back(static_cast<std::uint16_t>(exponent << mantissa_bits | mantissa));
      values.push_back(static_cast<std::uint16_t>(values.back() | 0x8000));
    }
  }
  return values;
}

template <typename T>
std::vector<T> SpecialsOf() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  if constexpr (!std::is_arithmetic_v<T>) {
    for (const std::uint16_t bits : HalfSpecials(std::is_same_v<T, Float16> ? 10 : 7, std::is_same_v<T, Float16> ? 3 : 24)) {
      values.emplace_back();
      values.back().bits = bits;
    }
  } else if constexpr (std::is_floating_point_v<T>) {
    const T inf = Limits::infinity();
    const T ulp = Limits::epsilon();
    const T integers = std::ldexp(T{1}, Limits::digits);  // from here on all values are integers
    for (const T v : {T{0},
                      Limits::denorm_min(),
                      Limits::min() - Limits::denorm_min(),
                      Limits::min(),
                      Limits::min() * 3,
                      ulp,
                      static_cast<T>(0.1),
                      T{0.25},
                      T{0.5} - ulp / 4,
                      T{0.5},
                      T{0.5} + ulp,
                      T{0.75},
                      1 - ulp / 2,
                      T{1},
                      1 + ulp,
                      T{1.5},
                      T{2},
                      T{2.5},
                      T{3},
                      T{3.5},
                      T{7},
                      T{10},
                      T{127.5},
                      integers / 2 - T{0.5},
                      integers / 2 + T{0.5},
                      integers - 1,
                      integers,
                      integers * 2,
                      T{2147483648.0},
                      T{9223372036854775808.0},
                      std::sqrt(Limits::max()),
                      Limits::max() / 2,
                      Limits::max(),
                      inf,
                      Limits::quiet_NaN()}) {
      values.push_back(v);
      values.push_back(-v);
    }
  } else if constexpr (sizeof(T) == 1) {
    for (int i = 0; i < 256; ++i) values.push_back(static_cast<T>(i));
  } else {
    for (const int shift : {0, 1, 2, 3, 7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 62, 63}) {
      if (shift >= static_cast<int>(8 * sizeof(T))) continue;
      const auto power = static_cast<std::make_unsigned_t<T>>(std::uint64_t{1} << shift);
      for (const int near : {-1, 0, 1}) {
        values.push_back(static_cast<T>(power + static_cast<std::make_unsigned_t<T>>(near)));
        values.push_back(static_cast<T>(0 - (power + static_cast<std::make_unsigned_t<T>>(near))));
      }
    }
    for (const int v : {0, 5, 6, 10, 100, -5, -6, -10, -100}) values.push_back(static_cast<T>(v));
  }
  return values;
}

// The values of a dtype as bytes, one element after the other. A bool's are bytes too: any but 0 is true.
struct Values {
  std::size_t size;  // of an element
  std::vector<std::byte> bytes;
  std::size_t count() const { return bytes.size() / size; }
  const std::byte* at(std::size_t i) const { return bytes.data() + i % count() * size; }
};

inline Values Specials(DType dtype) {
  Values values{SizeOf(dtype), {}};
  WithType(dtype, [&values](auto zero) {
    using T = std::conditional_t<std::is_same_v<decltype(zero), bool>, std::uint8_t, decltype(zero)>;
    const std::vector<T> specials = SpecialsOf<T>();
    values.bytes.resize(specials.size() * sizeof(T));
    std::memcpy(values.bytes.data(), specials.data(), values.bytes.size());
  });
  return values;
}

// `count` values: a third special, a third small whole numbers, a third random bits.
inline Values Mixture(DType dtype, std::size_t count, unsigned seed) {
  const Values specials = Specials(dtype);
  Values values{specials.size, std::vector<std::byte>(count * specials.size)};
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    std::byte* to = values.bytes.data() + i * values.size;
    const std::uint64_t bits = random();
    switch (random() % 3) {
      case 0:
        std::memcpy(to, specials.at(bits), values.size);
        break;
      case 1:
        WithType(dtype, [bits, to](auto zero) {
          using T = std::conditional_t<std::is_same_v<decltype(zero), bool>, std::uint8_t, decltype(zero)>;
          const T value = static_cast<T>(static_cast<int>(bits % 41) - (std::is_unsigned_v<T> ? 0 : 20));
          std::memcpy(to, &value, sizeof(T));
        });
        break;
      default: {
        // The lower bits, wherever they stand: a seed means the same values for every byte order.
        const std::size_t skipped = std::endian::native == std::endian::big ? sizeof(bits) - values.size : 0;
        std::memcpy(to, reinterpret_cast<const std::byte*>(&bits) + skipped, values.size);
      }
    }
  }
  return values;
}

// Whether `dtype` is a float and the element a NaN.
inline bool IsNaN(DType dtype, const std::byte* element) {
  bool nan = false;
  WithType(dtype, [element, &nan](auto value) {
    if constexpr (std::is_floating_point_v<decltype(Widened(value))>) {
      std::memcpy(&value, element, sizeof(value));
      nan = std::isnan(Widened(value));
    }
  });
  return nan;
}

// How many steps from one float to the next lie between two: 0 for equal bits, 1 from -0 to +0.
template <typename T>
double UlpDistance(T x, T y) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::int16_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
  const auto ordered = [](T value) {
    const auto bits = std::bit_cast<Bits>(value);
    return static_cast<long double>(bits < 0 ? static_cast<long double>(std::numeric_limits<Bits>::min()) - bits - 1 : bits);
  };
  return static_cast<double>(std::fabs(ordered(x) - ordered(y)));
}

// Whether `actual` is the result: the same bits, or both NaN, or floats at most max_ulp apart.
inline bool SameResult(DType dtype, const std::byte* actual, const std::byte* expected, double max_ulp) {
  if (std::memcmp(actual, expected, SizeOf(dtype)) == 0) return true;
  if (IsNaN(dtype, actual) || IsNaN(dtype, expected)) return IsNaN(dtype, actual) && IsNaN(dtype, expected);
  bool same = false;
  WithType(dtype, [&](auto x) {
    if constexpr (std::is_floating_point_v<decltype(Widened(x))>) {
      auto y = x;
      std::memcpy(&x, actual, sizeof(x));
      std::memcpy(&y, expected, sizeof(y));
      same = max_ulp > 0 && UlpDistance(x, y) <= max_ulp;
    }
  });
  return same;
}

inline std::string ToText(DType dtype, const std::byte* element) {
  std::ostringstream text;
  WithType(dtype, [&](auto value) {
    using T = std::conditional_t<std::is_same_v<decltype(value), bool>, std::uint8_t, decltype(value)>;
    T copy;
    std::memcpy(&copy, element, sizeof(T));
    text.precision(17);
    if constexpr (sizeof(T) == 1) {
      text << static_cast<int>(copy);
    } else {
      text << Widened(copy);
    }
  });
  return text.str();
}

}  // namespace axiscast::testing

#endif  // AXISCAST_KIT_TESTING_VALUES_H_
