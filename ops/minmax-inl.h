// The larger and the smaller of two.
#if defined(AXISCAST_OPS_MINMAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_OPS_MINMAX_INL_H_
#undef AXISCAST_OPS_MINMAX_INL_H_
#else
#define AXISCAST_OPS_MINMAX_INL_H_
#endif

#include <cmath>

#include "axiscast/kit/elementwise-inl.h"
#include "axiscast/kit/table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The larger of two that are not NaN, +0 being larger than -0. hn::Max says nothing about either.
template <typename T>
T LargerOf(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (x == y) return std::signbit(x) ? y : x;
  }
  return x > y ? x : y;
}
template <typename T>
T SmallerOf(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (x == y) return std::signbit(x) ? x : y;
  }
  return x < y ? x : y;
}
// Equal floats have equal bits but for the signs of zeros.
template <typename T, class V>
HWY_INLINE V LargerLanes(V x, V y) {
  if constexpr (hwy::IsFloat<T>()) {
    return hn::IfThenElse(hn::Eq(x, y), hn::And(x, y), hn::Max(x, y));
  } else {
    return hn::Max(x, y);
  }
}
template <typename T, class V>
HWY_INLINE V SmallerLanes(V x, V y) {
  if constexpr (hwy::IsFloat<T>()) {
    return hn::IfThenElse(hn::Eq(x, y), hn::Or(x, y), hn::Min(x, y));
  } else {
    return hn::Min(x, y);
  }
}

// The same where NaN in gives NaN out. Of two zeros, and where either is NaN, x86 gives the second operand: both orders together
// have all bits of a NaN, and both signs. Equal numbers are the same either way.
template <typename T, class V>
HWY_INLINE V LargerOrNan(V x, V y) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE2
  const hn::DFromV<V> d;
  const V second = hn::Max(x, y), first = hn::Max(y, x);
  return hn::Or(hn::And(first, second), hn::AndNot(hn::SignBit(d), hn::Or(first, second)));
#else
  return hn::IfThenElse(hn::IsEitherNaN(x, y), hn::Add(x, y), LargerLanes<T>(x, y));  // a sum with a NaN is one
#endif
}
template <typename T, class V>
HWY_INLINE V SmallerOrNan(V x, V y) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE2
  return hn::Or(hn::Min(x, y), hn::Min(y, x));
#else
  return hn::IfThenElse(hn::IsEitherNaN(x, y), hn::Add(x, y), SmallerLanes<T>(x, y));
#endif
}

struct Maximum {
  using Class = Binary;
  static constexpr bool kIntegersAlone = true;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{.name = "maximum",
                                .arity = 2,
                                .doc = "out = the larger of x and y",
                                .special = "NaN if either is NaN; +0 is larger than -0. On bool it is logical or.",
                                .aliases = "elementwise_max Max",
                                .source = "IEEE 754-2019 maximum; NumPy maximum, Paddle elementwise_max, torch.maximum, ONNX Max",
                                .gradient =
                                    "where(greater(x, y), dout, where(equal(x, y), multiply(dout, 0.5), 0)); where(greater(y, x), "
                                    "dout, where(equal(x, y), multiply(dout, 0.5), 0))"};
  static constexpr Kinds kKinds = kAllKinds;
  template <typename T>
  using KernelType = Float16Itself<T>;

  template <typename T>
  static T Scalar(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return x;
      if (std::isnan(y)) return y;
    }
    return LargerOf(x, y);
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x, V y) {
    if constexpr (hwy::IsFloat<T>()) {
      return LargerOrNan<T>(x, y);
    } else {
      return LargerLanes<T>(x, y);
    }
  }
};

struct Minimum {
  using Class = Binary;
  static constexpr bool kIntegersAlone = true;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{.name = "minimum",
                                .arity = 2,
                                .doc = "out = the smaller of x and y",
                                .special = "NaN if either is NaN; -0 is smaller than +0. On bool it is logical and.",
                                .aliases = "elementwise_min Min",
                                .source = "IEEE 754-2019 minimum; NumPy minimum, Paddle elementwise_min, torch.minimum, ONNX Min",
                                .gradient =
                                    "where(less(x, y), dout, where(equal(x, y), multiply(dout, 0.5), 0)); where(less(y, x), dout, "
                                    "where(equal(x, y), multiply(dout, 0.5), 0))"};
  static constexpr Kinds kKinds = kAllKinds;
  template <typename T>
  using KernelType = Float16Itself<T>;

  template <typename T>
  static T Scalar(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return x;
      if (std::isnan(y)) return y;
    }
    return SmallerOf(x, y);
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x, V y) {
    if constexpr (hwy::IsFloat<T>()) {
      return SmallerOrNan<T>(x, y);
    } else {
      return SmallerLanes<T>(x, y);
    }
  }
};

struct Fmax {
  using Class = Binary;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{
      .name = "fmax",
      .arity = 2,
      .doc = "out = the larger of x and y, ignoring NaN",
      .special = "The other one if one is NaN; NaN if both are; +0 is larger than -0. Exact on integers.",
      .aliases = "elementwise_fmax",
      .source = "IEEE 754-2019 maximumNumber; NumPy fmax, Paddle elementwise_fmax, torch.fmax",
      .gradient =
          "where(logical_or(greater(x, y), isnan(y)), dout, where(equal(x, y), multiply(dout, 0.5), 0)); "
          "where(logical_or(greater_equal(x, y), isnan(y)), where(equal(x, y), multiply(dout, 0.5), 0), dout)"};
  static constexpr Kinds kKinds = kAllKinds;

  template <typename T>
  static constexpr bool kPlainLoops = true;  // of floats
  template <typename T>
  using KernelOp = std::conditional_t<Has<T>(kFloats), Fmax, Maximum>;

  template <typename T>
  static T Scalar(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return y;
      if (std::isnan(y)) return x;
    }
    return LargerOf(x, y);
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x, V y) {
    return hn::IfThenElse(hn::IsNaN(x), y, hn::IfThenElse(hn::IsNaN(y), x, LargerLanes<T>(x, y)));
  }
};

struct Fmin {
  using Class = Binary;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{
      .name = "fmin",
      .arity = 2,
      .doc = "out = the smaller of x and y, ignoring NaN",
      .special = "The other one if one is NaN; NaN if both are; -0 is smaller than +0. Exact on integers.",
      .aliases = "elementwise_fmin",
      .source = "IEEE 754-2019 minimumNumber; NumPy fmin, Paddle elementwise_fmin, torch.fmin",
      .gradient =
          "where(logical_or(less(x, y), isnan(y)), dout, where(equal(x, y), multiply(dout, 0.5), 0)); "
          "where(logical_or(less_equal(x, y), "
          "isnan(y)), where(equal(x, y), multiply(dout, 0.5), 0), dout)"};
  static constexpr Kinds kKinds = kAllKinds;

  template <typename T>
  static constexpr bool kPlainLoops = true;  // of floats
  template <typename T>
  using KernelOp = std::conditional_t<Has<T>(kFloats), Fmin, Minimum>;

  template <typename T>
  static T Scalar(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return y;
      if (std::isnan(y)) return x;
    }
    return SmallerOf(x, y);
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x, V y) {
    return hn::IfThenElse(hn::IsNaN(x), y, hn::IfThenElse(hn::IsNaN(y), x, SmallerLanes<T>(x, y)));
  }
};

// To add an op: write its struct above and its name here. Nothing else.
using MinMaxOps = OpList<Maximum, Minimum, Fmax, Fmin>;

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
