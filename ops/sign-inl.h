// Signs: taken away, turned round, asked for, and that of one on another.
#if defined(AXISCAST_OPS_SIGN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_OPS_SIGN_INL_H_
#undef AXISCAST_OPS_SIGN_INL_H_
#else
#define AXISCAST_OPS_SIGN_INL_H_
#endif

#include <cmath>
#include <type_traits>

#include "axiscast/kit/elementwise-inl.h"
#include "axiscast/kit/table-inl.h"
#include "ops/identity-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whose kernels serve the ops on floats, whose sign is a bit of its own: the 16-bit ones are not converted.
template <typename T>
inline constexpr T kSignBit = static_cast<T>(T{1} << (8 * sizeof(T) - 1));
struct FlipSignBit {
  using Class = Unary;
  static constexpr bool kIntegersAlone = true;
  static constexpr OpInfo kInfo{.name = "flip_sign_bit", .arity = 1, .doc = "out = x with its highest bit flipped"};
  template <typename T>
  using KernelType = hwy::UnsignedFromSize<sizeof(T)>;

  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x) {
    return hn::Xor(x, hn::Set(d, kSignBit<T>));
  }
};
struct ClearSignBit {
  using Class = Unary;
  static constexpr bool kIntegersAlone = true;
  static constexpr OpInfo kInfo{.name = "clear_sign_bit", .arity = 1, .doc = "out = x without its highest bit"};
  template <typename T>
  using KernelType = hwy::UnsignedFromSize<sizeof(T)>;

  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x) {
    return hn::AndNot(hn::Set(d, kSignBit<T>), x);
  }
};
struct CopysignOfBits {
  using Class = Binary;
  static constexpr bool kIntegersAlone = true;
  static constexpr OpInfo kInfo{.name = "copysign_of_bits", .arity = 2, .doc = "out = x with the highest bit of y"};
  template <typename T>
  using KernelType = hwy::UnsignedFromSize<sizeof(T)>;
  template <typename T>
  static constexpr bool kPlainLoops = true;

  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x, V y) {
    return hn::BitwiseIfThenElse(hn::Set(d, kSignBit<T>), y, x);
  }
};

struct Negative {
  using Class = Unary;
  static constexpr bool kIntegersAlone = true;
  static constexpr OpInfo kInfo{
      .name = "negative",
      .arity = 1,
      .doc = "out = -x",
      .special = "Integers wrap: the most negative one gives itself, unsigned ones 2^width - x. Not offered on bool.",
      .aliases = "neg Neg",
      .source = "IEEE 754; NumPy negative, Paddle neg, torch.neg, ONNX Neg",
      .gradient = "negative(dout)"};
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  using KernelOp = std::conditional_t<Has<T>(kFloats), FlipSignBit, Negative>;
  template <typename T>
  using KernelType = SameBits<T>;

  template <typename T>
  static T Scalar(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return -x;
    } else {
      return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x));
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x) {
    return hn::Sub(hn::Zero(d), x);
  }
};

struct Abs {
  using Class = Unary;
  static constexpr bool kIntegersAlone = true;
  static constexpr OpInfo kInfo{.name = "abs",
                                .arity = 1,
                                .doc = "out = |x|",
                                .special = "The most negative integer wraps to itself. Not offered on bool.",
                                .aliases = "absolute Abs",
                                .source = "C99 fabs; NumPy absolute, Paddle abs, torch.abs, ONNX Abs",
                                .gradient = "multiply(dout, sign(x))"};
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  using KernelOp = std::conditional_t<Has<T>(kFloats), ClearSignBit, std::conditional_t<std::is_unsigned_v<T>, Identity, Abs>>;

  template <typename T>
  static T Scalar(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fabs(x);
    } else {
      return x < 0 ? Negative::Scalar(x) : x;
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x) {
    return hn::Abs(x);
  }
};

struct Sign {
  using Class = Unary;
  static constexpr bool kIntegersAlone = true;
  static constexpr OpInfo kInfo{.name = "sign",
                                .arity = 1,
                                .doc = "out = -1, 0 or 1, as x is less than, equal to or greater than 0",
                                .special = "Both zeros give +0; NaN gives NaN. Not offered on bool.",
                                .aliases = "Sign",
                                .source = "NumPy sign, Paddle sign, ONNX Sign; torch.sign but for NaN",
                                .gradient = "add(0, 0)"};
  static constexpr Kinds kKinds = kNumbers;

  template <typename T>
  static T Scalar(T x) {
    if (x > 0) return T{1};
    if (x == 0) return T{0};
    if constexpr (std::is_signed_v<T>) {  // floats too
      if (x < 0) return T{-1};
    }
    return x;  // NaN
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x) {
    const V one = hn::Set(d, T{1});
    if constexpr (std::is_floating_point_v<T>) {
      const V unit = hn::IfThenElse(hn::IsNaN(x), x, hn::CopySignToAbs(one, x));
      return hn::IfThenZeroElse(hn::Eq(x, hn::Zero(d)), unit);
    } else if constexpr (std::is_signed_v<T>) {
      return hn::Max(hn::Min(x, one), hn::Set(d, T{-1}));
    } else {
      return hn::Min(x, one);
    }
  }
};

struct Copysign {
  using Class = Binary;
  static constexpr OpInfo kInfo{
      .name = "copysign",
      .arity = 2,
      .doc = "out = |x| with the sign of y",
      .special =
          "The sign of a zero or a NaN counts. Integers: 0 has no sign; the lowest integer has no absolute "
          "value and wraps to itself; unsigned x stays x.",
      .source = "C99 copysign; NumPy copysign, torch.copysign",
      .gradient = "multiply(dout, multiply(sign(x), sign(copysign(x, y)))); add(0, 0)"};
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  using KernelOp = std::conditional_t<Has<T>(kFloats), CopysignOfBits, Copysign>;
  template <typename T>
  static constexpr bool kCompact = true;  // of integers

  template <typename T>
  static T Scalar(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::copysign(x, y);
    } else if constexpr (std::is_signed_v<T>) {
      return (x < 0) != (y < 0) ? static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x)) : x;
    } else {
      return x;
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x, V y) {
    if constexpr (std::is_signed_v<T>) {
      return hn::IfNegativeThenElse(hn::Xor(x, y), hn::Neg(x), x);
    } else {
      return x;
    }
  }
};

// To add an op: write its struct above and its name here. Nothing else.
using SignOps = OpList<Negative, Abs, Sign, Copysign>;

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
