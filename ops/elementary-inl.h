// Elementary unary ops: square, sqrt, reciprocal, relu, and rounding to whole numbers.
#if defined(AXISCAST_OPS_ELEMENTARY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_OPS_ELEMENTARY_INL_H_
#undef AXISCAST_OPS_ELEMENTARY_INL_H_
#else
#define AXISCAST_OPS_ELEMENTARY_INL_H_
#endif

#include <cmath>
#include <type_traits>

#include "axiscast/kit/elementwise-inl.h"
#include "axiscast/kit/table-inl.h"
#include "ops/identity-inl.h"
#include "simd/remainder-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Square {
  using Class = Unary;
  static constexpr bool kIntegersAlone = true;
  static constexpr OpInfo kInfo{.name = "square",
                                .arity = 1,
                                .doc = "out = x * x",
                                .special = "Integers wrap. Not offered on bool.",
                                .source = "IEEE 754; NumPy square, Paddle square, torch.square",
                                .gradient = "multiply(multiply(x, 2), dout)"};
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  using KernelType = SameBits<T>;

  template <typename T>
  static T Scalar(T x) {
    return static_cast<T>(static_cast<Wrapping<T>>(x) * static_cast<Wrapping<T>>(x));
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x) {
    return hn::Mul(x, x);
  }
};

struct Sqrt {
  using Class = Unary;
  static constexpr OpInfo kInfo{.name = "sqrt",
                                .arity = 1,
                                .doc = "out = the square root of x, correctly rounded",
                                .special = "-0 gives -0; x < 0 gives NaN. Floats only.",
                                .aliases = "Sqrt",
                                .source = "IEEE 754; NumPy sqrt, Paddle sqrt, torch.sqrt, ONNX Sqrt",
                                .gradient = "divide(multiply(dout, 0.5), sqrt(x))"};
  static constexpr Kinds kKinds = kFloats;
  template <typename T>
  static constexpr double kCycles = sizeof(T);

  template <typename T>
  static T Scalar(T x) {
    return std::sqrt(x);
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x) {
    return hn::Sqrt(x);
  }
};

struct Reciprocal {
  using Class = Unary;
  static constexpr OpInfo kInfo{.name = "reciprocal",
                                .arity = 1,
                                .doc = "out = 1 / x, correctly rounded",
                                .special = "A zero gives the infinity of its sign, and the other way round. Floats only.",
                                .aliases = "Reciprocal",
                                .source = "IEEE 754; NumPy reciprocal, Paddle reciprocal, torch.reciprocal, ONNX Reciprocal",
                                .gradient = "negative(divide(divide(dout, x), x))"};
  static constexpr Kinds kKinds = kFloats;
  template <typename T>
  static constexpr double kCycles = 2;

  template <typename T>
  static T Scalar(T x) {
    return T{1} / x;
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x) {
    return FloatQuotientLanes(d, hn::Set(d, T{1}), x);
  }
};

struct Relu {
  using Class = Unary;
  static constexpr bool kIntegersAlone = true;
  static constexpr OpInfo kInfo{.name = "relu",
                                .arity = 1,
                                .doc = "out = maximum(x, 0)",
                                .special = "NaN stays NaN; -0 gives +0. Not offered on bool.",
                                .aliases = "Relu",
                                .source = "Paddle relu, torch.relu, ONNX Relu",
                                .gradient = "where(greater(x, 0), dout, 0)"};
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  using KernelOp = std::conditional_t<std::is_unsigned_v<T>, Identity, Relu>;

  template <typename T>
  static T Scalar(T x) {
    return x <= 0 ? T{0} : x;
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x) {
    return hn::IfThenZeroElse(hn::Le(x, hn::Zero(d)), x);  // not Max, whose NaNs and zeros differ by target
  }
};

// What all rounding ops say.
template <class Op>
struct Rounding {
  using Class = Unary;
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  using KernelOp = std::conditional_t<std::is_integral_v<T>, Identity, Op>;
};

struct Floor : Rounding<Floor> {
  static constexpr OpInfo kInfo{.name = "floor",
                                .arity = 1,
                                .doc = "out = the largest whole number that is not above x",
                                .special = "A zero result has the sign of x. The identity on integers. Not offered on bool.",
                                .aliases = "Floor",
                                .source = "C99 floor; NumPy floor, Paddle floor, torch.floor, ONNX Floor",
                                .gradient = "add(0, 0)"};

  template <typename T>
  static T Scalar(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::floor(x);
    } else {
      return x;
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x) {
    return hn::CopySign(hn::Floor(x), x);  // Highway's loses the sign of a zero on some targets (SSE2)
  }
};

struct Ceil : Rounding<Ceil> {
  static constexpr OpInfo kInfo{.name = "ceil",
                                .arity = 1,
                                .doc = "out = the smallest whole number that is not below x",
                                .special = "A zero result has the sign of x. The identity on integers. Not offered on bool.",
                                .aliases = "Ceil",
                                .source = "C99 ceil; NumPy ceil, Paddle ceil, torch.ceil, ONNX Ceil",
                                .gradient = "add(0, 0)"};

  template <typename T>
  static T Scalar(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::ceil(x);
    } else {
      return x;
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x) {
    return hn::CopySign(hn::Ceil(x), x);  // Highway's loses the sign of a zero on some targets (SSE2)
  }
};

struct Round : Rounding<Round> {
  static constexpr OpInfo kInfo{
      .name = "round",
      .arity = 1,
      .doc = "out = the whole number nearest to x, ties to the even one",
      .special = "A zero result has the sign of x. The identity on integers. Not offered on bool.",
      .aliases = "rint Round",
      .source = "IEEE 754 roundToIntegralTiesToEven; NumPy rint, torch.round, ONNX Round; Paddle rounds ties away from 0",
      .gradient = "add(0, 0)"};

  template <typename T>
  static T Scalar(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::nearbyint(x);
    } else {
      return x;
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x) {
    return hn::CopySign(hn::Round(x), x);  // Highway's loses the sign of a zero on some targets (SSE2)
  }
};

struct Trunc : Rounding<Trunc> {
  static constexpr OpInfo kInfo{.name = "trunc",
                                .arity = 1,
                                .doc = "out = x without its fraction",
                                .special = "A zero result has the sign of x. The identity on integers. Not offered on bool.",
                                .aliases = "fix",
                                .source = "C99 trunc; NumPy trunc, Paddle trunc, torch.trunc",
                                .gradient = "add(0, 0)"};

  template <typename T>
  static T Scalar(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::trunc(x);
    } else {
      return x;
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x) {
    return hn::CopySign(hn::Trunc(x), x);  // Highway's loses the sign of a zero on some targets (SSE2)
  }
};

// To add an op: write its struct above and its name here. Nothing else.
using ElementaryOps = OpList<Square, Sqrt, Reciprocal, Relu, Floor, Ceil, Round, Trunc>;

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
