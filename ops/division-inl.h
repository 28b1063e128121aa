// Division: truncated, true and floored quotients, and their remainders.
#if defined(AXISCAST_OPS_DIVISION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_OPS_DIVISION_INL_H_
#undef AXISCAST_OPS_DIVISION_INL_H_
#else
#define AXISCAST_OPS_DIVISION_INL_H_
#endif

#include <cmath>
#include <limits>

#include "axiscast/kit/elementwise-inl.h"
#include "axiscast/kit/table-inl.h"
#include "simd/factor-inl.h"
#include "simd/quotient-inl.h"
#include "simd/remainder-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Measured with AVX-512 in L1, as are the cycles below.
template <typename T>
inline constexpr double kDivisionCycles = std::is_floating_point_v<T> ? 8
                                          : sizeof(T) == 1            ? 18
                                          : sizeof(T) == 2            ? 9
                                                                      : 11;

// What ops on integers say of rows that are divided by one value.
template <Toward kToward>
struct ByOneDivisor {
  // A factor does the same towards zero where there is no sign.
  template <typename T>
  static constexpr bool kHasFactor = kFactorTakes<T> && (std::is_unsigned_v<T> || kToward == Toward::kMinusInfinity);
  template <typename T>
  static constexpr bool kBySplat = std::is_integral_v<T>;
  template <typename T>
  static constexpr double kCyclesBySplat = !std::is_integral_v<T> ? 0
                                           : kHasFactor<T>        ? 3.5
                                           : sizeof(T) == 1       ? 15
                                           : sizeof(T) == 4       ? 5.5
                                                                  : 7;
};
template <Toward kToward>
struct QuotientByOneDivisor : ByOneDivisor<kToward> {
  template <typename T>
  using ByValue = std::conditional_t<ByOneDivisor<kToward>::template kHasFactor<T>, QuotientByFactor<T>, void>;
  template <typename T, class D, class V>
  static HWY_INLINE V VectorBySplat(D d, V x, V y) {
    V unused = x;
    return DivideByOneLanes<kToward>(d, x, y, unused);
  }
};
template <Toward kToward>
struct RemainderByOneDivisor : ByOneDivisor<kToward> {
  template <typename T>
  static constexpr double kCyclesBySplat = std::is_integral_v<T>
                                               ? ByOneDivisor<kToward>::template kCyclesBySplat<T> + (sizeof(T) == 1 ? 3 : 0.5)
                                               : 0;
  template <typename T>
  using ByValue = std::conditional_t<ByOneDivisor<kToward>::template kHasFactor<T>, RemainderByFactor<T>, void>;
  template <typename T, class D, class V>
  static HWY_INLINE V VectorBySplat(D d, V x, V y) {
    V remainder = x;
    (void)DivideByOneLanes<kToward>(d, x, y, remainder);
    return remainder;
  }
};

struct Divide : QuotientByOneDivisor<Toward::kZero> {
  using Class = Binary;
  static constexpr OpInfo kInfo{
      .name = "divide",
      .arity = 2,
      .doc = "out = x / y; integers truncate",
      .special =
          "Floats as IEEE 754: x / 0 is an infinity or NaN. An integer divisor of 0 is an error. The lowest "
          "integer / -1 wraps to itself.",
      .aliases = "elementwise_div Div",
      .source = "IEEE 754; Paddle elementwise_div, ONNX Div",
      .checked_operand = 1,
      .check_code = StatusCode::kDivisionByZero,
      .check_message = "integer division by zero",
      .gradient = "divide(dout, y); negative(multiply(dout, divide(divide(x, y), y)))"};
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  static constexpr bool kCompact = std::is_integral_v<T>;
  template <typename T>
  static constexpr double kCycles = std::is_integral_v<T> ? kDivisionCycles<T>
                                    : sizeof(T) == 8      ? 6
                                                          : 3;
  template <typename T>
  static constexpr bool kRefusesZero = std::is_integral_v<T>;

  template <typename T>
  static T Scalar(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      return x / y;
    } else {
      return TruncatedQuotient(x, y);
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x, V y) {
    if constexpr (std::is_floating_point_v<T>) {
      return FloatQuotientLanes(d, x, y);
    } else {
      V unused = x;
      return DivideLanes<Toward::kZero>(d, x, y, unused);
    }
  }
};

struct TrueDivide {
  using Class = Binary;
  static constexpr OpInfo kInfo{
      .name = "true_divide",
      .arity = 2,
      .doc = "out = x / y; integers give float32",
      .special = "As IEEE 754: x / 0 is an infinity or NaN. Integer operands are each rounded to float32 first.",
      .source = "IEEE 754; torch.true_divide",
      .gradient = "divide(dout, y); negative(multiply(dout, divide(divide(x, y), y)))"};
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  using KernelOp = std::conditional_t<std::is_integral_v<T>, TrueDivide, Divide>;
  // Of integers.
  template <typename T>
  static constexpr bool kCompact = true;
  template <typename T>
  static constexpr double kCycles = 5;
  template <typename T>
  using Out = std::conditional_t<std::is_integral_v<T>, float, T>;

  template <typename T>
  static Out<T> Scalar(T x, T y) {
    return static_cast<Out<T>>(x) / static_cast<Out<T>>(y);
  }
  template <typename T, class D, class V>
  static HWY_INLINE auto Vector(D d, V x, V y) {
    const hn::Rebind<Out<T>, D> d_out;
    return FloatQuotientLanes(d_out, Float(d_out, d, x), Float(d_out, d, y));
  }

 private:
  template <class DOut, class D, class V>
  static HWY_INLINE hn::VFromD<DOut> Float(DOut d_out, D, V x) {
    using T = hn::TFromD<D>;
    if constexpr (sizeof(T) == 8) {
      return hn::DemoteTo(d_out, x);
    } else if constexpr (sizeof(T) == 4) {
      return hn::ConvertTo(d_out, x);
    } else {
      const hn::Rebind<std::int32_t, D> d_int;
      return hn::ConvertTo(d_out, hn::PromoteTo(d_int, x));
    }
  }
};

struct Fmod : RemainderByOneDivisor<Toward::kZero> {
  using Class = Binary;
  static constexpr OpInfo kInfo{
      .name = "fmod",
      .arity = 2,
      .doc = "out = x - y * trunc(x / y), exact",
      .special =
          "Has the sign of x, a zero too. Floats: NaN for an infinite x or y = 0; x for an infinite y. An "
          "integer divisor of 0 is an error.",
      .source = "C99 fmod; NumPy fmod, torch.fmod",
      .checked_operand = 1,
      .check_code = StatusCode::kDivisionByZero,
      .check_message = "integer division by zero",
      .gradient = "dout; negative(multiply(dout, copysign(floor_divide(abs(x), abs(y)), divide(x, y))))"};
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  static constexpr bool kCompact = true;
  template <typename T>
  static constexpr double kCycles = kDivisionCycles<T>;
  template <typename T>
  static constexpr bool kRefusesZero = std::is_integral_v<T>;

  template <typename T>
  static T Scalar(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(x, y);
    } else {
      return TruncatedRemainder(x, y);
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x, V y) {
    if constexpr (std::is_floating_point_v<T>) {
      return FmodLanes(d, x, y);
    } else {
      V remainder = x;
      (void)DivideLanes<Toward::kZero>(d, x, y, remainder);
      return remainder;
    }
  }
};

struct FloorDivide : QuotientByOneDivisor<Toward::kMinusInfinity> {
  using Class = Binary;
  static constexpr OpInfo kInfo{
      .name = "floor_divide",
      .arity = 2,
      .doc = "out = floor(x / y)",
      .special =
          "Floats: the quotient that goes with `remainder`, so -1 / inf gives -1; x / 0 is an infinity or NaN; "
          "an infinite x gives NaN; a zero has the sign of x / y. An integer divisor of 0 is an error. The "
          "lowest integer / -1 wraps to itself.",
      .aliases = "elementwise_floordiv",
      .source = "Python's //; NumPy floor_divide, torch.floor_divide",
      .checked_operand = 1,
      .check_code = StatusCode::kDivisionByZero,
      .check_message = "integer division by zero"};
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  static constexpr bool kCompact = true;
  template <typename T>
  static constexpr double kCycles = kDivisionCycles<T>;
  template <typename T>
  static constexpr bool kRefusesZero = std::is_integral_v<T>;

  template <typename T>
  using KernelOp = std::conditional_t<std::is_unsigned_v<T>, Divide, FloorDivide>;

  template <typename T>
  static T Scalar(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      if (y == 0) return x / y;
      const T r = std::fmod(x, y);
      T quotient = (x - r) / y;  // whole but for rounding
      if (FloorsDown(r, y)) quotient -= 1;
      if (quotient == 0) return std::copysign(T{0}, x / y);
      const T floored = std::floor(quotient);
      return quotient - floored > T{0.5} ? floored + 1 : floored;
    } else if constexpr (std::is_signed_v<T>) {
      const T quotient = TruncatedQuotient(x, y);
      const T r = TruncatedRemainder(x, y);
      return static_cast<T>(quotient - (FloorsDown(r, y) ? 1 : 0));
    } else {
      return TruncatedQuotient(x, y);
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x, V y) {
    if constexpr (std::is_floating_point_v<T>) {
      return FlooredQuotientLanes(d, x, y);
    } else {
      V unused = x;
      return DivideLanes<Toward::kMinusInfinity>(d, x, y, unused);
    }
  }
};

struct Remainder : RemainderByOneDivisor<Toward::kMinusInfinity> {
  using Class = Binary;
  static constexpr OpInfo kInfo{
      .name = "remainder",
      .arity = 2,
      .doc = "out = x - y * floor(x / y), exact but for the last addition",
      .special =
          "Has the sign of y, a zero too. Floats: NaN for an infinite x or y = 0; -1 by inf gives inf. An "
          "integer divisor of 0 is an error.",
      .aliases = "elementwise_mod mod floor_mod",
      .source = "Python's %; NumPy remainder, Paddle elementwise_mod, torch.remainder",
      .checked_operand = 1,
      .check_code = StatusCode::kDivisionByZero,
      .check_message = "integer division by zero",
      .gradient = "dout; negative(multiply(dout, floor_divide(x, y)))"};
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  static constexpr bool kCompact = true;
  template <typename T>
  static constexpr double kCycles = std::is_floating_point_v<T> ? 5 : kDivisionCycles<T>;
  template <typename T>
  static constexpr bool kRefusesZero = std::is_integral_v<T>;

  template <typename T>
  using KernelOp = std::conditional_t<std::is_unsigned_v<T>, Fmod, Remainder>;

  template <typename T>
  static T Scalar(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      const T r = std::fmod(x, y);
      if (r == 0) return std::copysign(T{0}, y);
      return FloorsDown(r, y) ? r + y : r;
    } else {
      const T r = TruncatedRemainder(x, y);
      if constexpr (!std::is_signed_v<T>) return r;
      return static_cast<T>(r + (FloorsDown(r, y) ? y : 0));
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x, V y) {
    if constexpr (std::is_floating_point_v<T>) {
      return FlooredRemainderLanes(d, x, y);
    } else {
      V remainder = x;
      (void)DivideLanes<Toward::kMinusInfinity>(d, x, y, remainder);
      return remainder;
    }
  }
};

// To add an op: write its struct above and its name here. Nothing else.
using DivisionOps = OpList<Divide, TrueDivide, Fmod, FloorDivide, Remainder>;

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
