// Arithmetic that no operand is refused for; ops/division-inl.h has the rest.
#if defined(AXISCAST_OPS_ARITHMETIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_OPS_ARITHMETIC_INL_H_
#undef AXISCAST_OPS_ARITHMETIC_INL_H_
#else
#define AXISCAST_OPS_ARITHMETIC_INL_H_
#endif

#include "axiscast/kit/elementwise-inl.h"
#include "axiscast/kit/table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Add {
  using Class = Binary;
  static constexpr bool kIntegersAlone = true;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{.name = "add",
                                .arity = 2,
                                .doc = "out = x + y",
                                .special = "Integers wrap. On bool it is logical or.",
                                .aliases = "elementwise_add Add",
                                .source = "IEEE 754; NumPy add, Paddle elementwise_add, torch.add, ONNX Add",
                                .gradient = "dout; dout"};
  static constexpr Kinds kKinds = kAllKinds;
  template <typename T>
  using KernelType = Float16Itself<SameBits<T>>;

  template <typename T>
  static T Scalar(T x, T y) {
    if constexpr (std::is_same_v<T, bool>) {
      return x || y;
    } else {
      return static_cast<T>(static_cast<Wrapping<T>>(x) + static_cast<Wrapping<T>>(y));
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x, V y) {
    if constexpr (std::is_same_v<T, bool>) {
      return hn::Or(x, y);
    } else {
      return hn::Add(x, y);
    }
  }
};

struct Subtract {
  using Class = Binary;
  static constexpr bool kIntegersAlone = true;
  static constexpr OpInfo kInfo{.name = "subtract",
                                .arity = 2,
                                .doc = "out = x - y",
                                .special = "Integers wrap. Not offered on bool.",
                                .aliases = "elementwise_sub sub Sub",
                                .source = "IEEE 754; NumPy subtract, Paddle elementwise_sub, torch.sub, ONNX Sub",
                                .gradient = "dout; negative(dout)"};
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  using KernelType = Float16Itself<SameBits<T>>;

  template <typename T>
  static T Scalar(T x, T y) {
    return static_cast<T>(static_cast<Wrapping<T>>(x) - static_cast<Wrapping<T>>(y));
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x, V y) {
    return hn::Sub(x, y);
  }
};

struct Multiply {
  using Class = Binary;
  static constexpr bool kIntegersAlone = true;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{.name = "multiply",
                                .arity = 2,
                                .doc = "out = x * y",
                                .special = "Integers wrap. On bool it is logical and.",
                                .aliases = "elementwise_mul mul Mul",
                                .source = "IEEE 754; NumPy multiply, Paddle elementwise_mul, torch.mul, ONNX Mul",
                                .gradient = "multiply(dout, y); multiply(dout, x)"};
  static constexpr Kinds kKinds = kAllKinds;
  template <typename T>
  using KernelType = Float16Itself<SameBits<T>>;

  template <typename T>
  static T Scalar(T x, T y) {
    if constexpr (std::is_same_v<T, bool>) {
      return x && y;
    } else {
      return static_cast<T>(static_cast<Wrapping<T>>(x) * static_cast<Wrapping<T>>(y));
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x, V y) {
    if constexpr (std::is_same_v<T, bool>) {
      return hn::And(x, y);
    } else {
      return hn::Mul(x, y);
    }
  }
};

struct SquaredDifference {
  using Class = Binary;
  static constexpr bool kIntegersAlone = true;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{
      .name = "squared_difference",
      .arity = 2,
      .doc = "out = (x - y) * (x - y)",
      .special = "The difference and the product are each rounded once, of 16-bit floats the result alone. Integers wrap.",
      .source = "TensorFlow squared_difference",
      .gradient = "multiply(multiply(subtract(x, y), 2), dout); multiply(multiply(subtract(y, x), 2), dout)"};
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  using KernelType = SameBits<T>;

  template <typename T>
  static T Scalar(T x, T y) {
    const T difference = Subtract::Scalar<T>(x, y);
    return Multiply::Scalar<T>(difference, difference);
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x, V y) {
    const V difference = hn::Sub(x, y);
    return hn::Mul(difference, difference);
  }
};

// To add an op: write its struct above and its name here. Nothing else.
using ArithmeticOps = OpList<Add, Subtract, Multiply, SquaredDifference>;

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
