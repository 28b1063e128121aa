// Selection: where and clip.
#if defined(AXISCAST_OPS_SELECTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_OPS_SELECTION_INL_H_
#undef AXISCAST_OPS_SELECTION_INL_H_
#else
#define AXISCAST_OPS_SELECTION_INL_H_
#endif

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "axiscast/kit/elementwise-inl.h"
#include "axiscast/kit/table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The kernel of where, which takes a condition's bytes as they are: made 0 or 1 first, and compared before they were as wide as x,
// they took three instructions more, and calls in L1 1.13 to 1.26 times as long (AVX2, a Zen 3).
struct WhereNonzero {
  using Class = Ternary;
  static constexpr bool kIntegersAlone = true;
  static constexpr OpInfo kInfo{.name = "where_nonzero", .arity = 3, .doc = "out = condition is not 0 ? x : y"};
  template <typename T>
  using Inputs = TypeList<std::uint8_t, T, T>;
  template <typename T>  // a copy asks for the width alone; a bool's bytes are normalised as well
  using KernelType = std::conditional_t<std::is_same_v<T, bool>, bool, hwy::UnsignedFromSize<sizeof(T)>>;

  template <typename T, class D, class Condition, class V>
  static HWY_INLINE V Vector(D d, Condition condition, V x, V y) {
    if constexpr (sizeof(T) == 1) {
      return Select(d, hn::Eq(condition, hn::Zero(d)), y, x);
    } else if constexpr (kMasksAreVectors) {
      return Select(d, hn::Eq(hn::PromoteTo(d, condition), hn::Zero(d)), y, x);
    } else {
      const hn::Rebind<std::uint8_t, D> d_condition;
      return Select(d, hn::PromoteMaskTo(d, d_condition, hn::Ne(condition, hn::Zero(d_condition))), x, y);
    }
  }

 private:
  // With AVX-512, compilers make one instruction of a blend and of loading x: a load under a mask, from which a CPU does not
  // foresee the next ones. From memory that took twice as long (Zen 5).
  template <class D, class M, class V>
  static HWY_INLINE V Select([[maybe_unused]] D d, M mask, V yes, V no) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    return hn::IfVecThenElse(hn::VecFromMask(d, mask), yes, no);
#else
    return hn::IfThenElse(mask, yes, no);
#endif
  }
};

struct Where {
  using Class = Ternary;
  static constexpr OpInfo kInfo{.name = "where",
                                .arity = 3,
                                .doc = "out = condition ? x : y",
                                .special = "The condition is bool: any non-zero byte is true. x and y are copied bit by bit.",
                                .aliases = "Where",
                                .source = "NumPy where, Paddle where, torch.where, ONNX Where",
                                .operands = "condition x y",
                                .gradient = "none; where(condition, dout, 0); where(condition, 0, dout)"};
  static constexpr Kinds kKinds = kAllKinds;
  template <typename T>
  using Inputs = TypeList<bool, T, T>;
  template <typename T>
  using KernelOp = WhereNonzero;

  template <typename T>
  static T Scalar(bool condition, T x, T y) {
    return condition ? x : y;
  }
};

// What clip compares with, so that zeros of either sign come out as maximum(+0, -0) = +0 and minimum(+0, -0) = -0 have it, at no
// cost per element: +0 as the lower bound replaces whatever is below the smallest positive number, -0 as the upper one likewise.
template <typename T>
T LowerThreshold(T min) {
  return min == 0 && !std::signbit(min) ? std::numeric_limits<T>::denorm_min() : min;
}
template <typename T>
T UpperThreshold(T max) {
  return max == 0 && std::signbit(max) ? -std::numeric_limits<T>::denorm_min() : max;
}

struct Clip {
  using Class = Unary;
  static constexpr bool kIntegersAlone = true;
  static constexpr OpInfo kInfo{
      .name = "clip",
      .arity = 1,
      .doc = "out = minimum(maximum(x, min), max)",
      .special = "NaN stays NaN. Where min > max the result is max. Zeros as maximum and minimum have them. Not offered on bool.",
      .aliases = "clamp Clip",
      .source = "NumPy clip, Paddle clip, torch.clamp, ONNX Clip",
      .attributes = {{.name = "min", .doc = "lower bound", .absent = AttributeDefault::kLowest},
                     {.name = "max", .doc = "upper bound", .absent = AttributeDefault::kHighest}},
      .attribute_count = 2,
      .gradient = "where(logical_and(greater_equal(x, min), less_equal(x, max)), dout, 0)"};
  static constexpr Kinds kKinds = kNumbers;
  template <typename T>
  static constexpr double kCycles = std::is_floating_point_v<T> ? 5 : 2;

  template <typename T>
  static T Scalar(T x, const Attributes<T>& attributes) {
    return Minimum(Maximum(x, attributes[0]), attributes[1]);
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x, const Attributes<T>& attributes) {
    const V min = hn::Set(d, attributes[0]);
    const V max = hn::Set(d, attributes[1]);
    if constexpr (std::is_floating_point_v<T>) {
      const V raised = hn::IfThenElse(hn::Lt(x, hn::Set(d, LowerThreshold(attributes[0]))), min, x);  // NaN is not below
      return hn::IfThenElse(hn::Gt(raised, hn::Set(d, UpperThreshold(attributes[1]))), max, raised);
    } else {
      return hn::Min(hn::Max(x, min), max);
    }
  }

 private:
  // The ops maximum and minimum, for a bound that is not NaN.
  template <typename T>
  static T Maximum(T x, T bound) {
    if constexpr (std::is_floating_point_v<T>) {
      if (x == 0 && bound == 0) return std::signbit(x) ? bound : x;
    }
    return x < bound ? bound : x;
  }
  template <typename T>
  static T Minimum(T x, T bound) {
    if constexpr (std::is_floating_point_v<T>) {
      if (x == 0 && bound == 0) return std::signbit(x) ? x : bound;
    }
    return x > bound ? bound : x;
  }
};

// To add an op: write its struct above and its name here. Nothing else.
using SelectionOps = OpList<Where, Clip>;

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
