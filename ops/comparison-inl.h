// Comparisons and predicates, all to bool: equal, less, ..., isnan, isinf, isfinite, signbit.
#if defined(AXISCAST_OPS_COMPARISON_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_OPS_COMPARISON_INL_H_
#undef AXISCAST_OPS_COMPARISON_INL_H_
#else
#define AXISCAST_OPS_COMPARISON_INL_H_
#endif

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "axiscast/kit/compare-inl.h"
#include "axiscast/kit/table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What all comparisons say: exact on every dtype; false < true.
template <class Op>
struct Comparison : ToBool<Op> {
  static constexpr bool kIntegersAlone = true;
  static constexpr Kinds kKinds = kAllKinds;
};

struct Equal : Comparison<Equal> {
  using Class = BinaryPredicate;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{.name = "equal",
                                .arity = 2,
                                .doc = "out = x == y",
                                .special = "NaN differs from everything, itself too; -0 equals +0. Exact: no tolerance.",
                                .aliases = "eq Equal",
                                .source = "NumPy equal, torch.eq, ONNX Equal; Paddle equal has a tolerance instead"};
  template <typename T>
  using KernelType = SameBits<T>;

  template <typename T>
  static bool Scalar(T x, T y) {
    return x == y;
  }
  template <typename T, class D, class V>
  static HWY_INLINE hn::Mask<D> Mask(D, V x, V y) {
    return hn::Eq(x, y);
  }
};

struct NotEqual : Comparison<NotEqual> {
  using Class = BinaryPredicate;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{.name = "not_equal",
                                .arity = 2,
                                .doc = "out = x != y",
                                .special = "True where either is NaN; -0 equals +0. Exact: no tolerance.",
                                .aliases = "ne",
                                .source = "NumPy not_equal, torch.ne; Paddle not_equal has a tolerance instead"};
  template <typename T>
  using KernelType = SameBits<T>;

  template <typename T>
  static bool Scalar(T x, T y) {
    return x != y;
  }
  template <typename T, class D, class V>
  static HWY_INLINE hn::Mask<D> Mask(D, V x, V y) {
    return hn::Not(hn::Eq(x, y));  // Highway's Ne is false of NaN on some targets (AVX2)
  }
};

struct Less : Comparison<Less> {
  using Class = BinaryPredicate;
  static constexpr OpInfo kInfo{.name = "less",
                                .arity = 2,
                                .doc = "out = x < y",
                                .special = "False where either is NaN; -0 equals +0; false is less than true.",
                                .aliases = "less_than lt Less",
                                .source = "NumPy less, Paddle less_than, torch.lt, ONNX Less"};

  template <typename T>
  static bool Scalar(T x, T y) {
    return x < y;
  }
  template <typename T, class D, class V>
  static HWY_INLINE hn::Mask<D> Mask(D, V x, V y) {
    return hn::Lt(x, y);
  }
};

struct LessEqual : Comparison<LessEqual> {
  using Class = BinaryPredicate;
  static constexpr OpInfo kInfo{.name = "less_equal",
                                .arity = 2,
                                .doc = "out = x <= y",
                                .special = "False where either is NaN; -0 equals +0; false is less than true.",
                                .aliases = "le LessOrEqual",
                                .source = "NumPy less_equal, Paddle less_equal, torch.le, ONNX LessOrEqual"};

  template <typename T>
  static bool Scalar(T x, T y) {
    return x <= y;
  }
  template <typename T, class D, class V>
  static HWY_INLINE hn::Mask<D> Mask(D, V x, V y) {
    return hn::Le(x, y);
  }
};

struct Greater : Comparison<Greater> {
  using Class = ExchangedPredicate;
  using Exchanged = Less;
  static constexpr OpInfo kInfo{.name = "greater",
                                .arity = 2,
                                .doc = "out = x > y",
                                .special = "False where either is NaN; -0 equals +0; false is less than true.",
                                .aliases = "greater_than gt Greater",
                                .source = "NumPy greater, Paddle greater_than, torch.gt, ONNX Greater"};

  template <typename T>
  static bool Scalar(T x, T y) {
    return x > y;
  }
};

struct GreaterEqual : Comparison<GreaterEqual> {
  using Class = ExchangedPredicate;
  using Exchanged = LessEqual;
  static constexpr OpInfo kInfo{.name = "greater_equal",
                                .arity = 2,
                                .doc = "out = x >= y",
                                .special = "False where either is NaN; -0 equals +0; false is less than true.",
                                .aliases = "ge GreaterOrEqual",
                                .source = "NumPy greater_equal, Paddle greater_equal, torch.ge, ONNX GreaterOrEqual"};

  template <typename T>
  static bool Scalar(T x, T y) {
    return x >= y;
  }
};

// What all predicates say. Integers and bools are finite, never NaN: their answer looks at no lane, so bytes serve all widths.
template <class Op>
struct FloatPredicate : ToBool<Op> {
  using Class = UnaryPredicate;
  static constexpr Kinds kKinds = kAllKinds;
  template <typename T>
  using KernelType = std::conditional_t<Has<T>(kFloats), T, std::uint8_t>;
};

struct IsNan : FloatPredicate<IsNan> {
  static constexpr OpInfo kInfo{.name = "isnan",
                                .arity = 1,
                                .doc = "out = x is NaN",
                                .special = "Integers and bools never are. Either sign of NaN is.",
                                .aliases = "isnan_v2 IsNaN",
                                .source = "C99 isnan; NumPy isnan, Paddle isnan_v2, torch.isnan, ONNX IsNaN"};

  template <typename T>
  static bool Scalar(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::isnan(x);
    } else {
      return false;
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE hn::Mask<D> Mask([[maybe_unused]] D d, [[maybe_unused]] V x) {
    if constexpr (std::is_floating_point_v<T>) {
      return hn::IsNaN(x);
    } else {
      return hn::MaskFalse(d);
    }
  }
};

struct IsInf : FloatPredicate<IsInf> {
  static constexpr OpInfo kInfo{.name = "isinf",
                                .arity = 1,
                                .doc = "out = x is +inf or -inf",
                                .special = "Integers and bools never are; NaN is not.",
                                .aliases = "isinf_v2 IsInf",
                                .source = "C99 isinf; NumPy isinf, Paddle isinf_v2, torch.isinf, ONNX IsInf"};

  template <typename T>
  static bool Scalar(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::isinf(x);
    } else {
      return false;
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE hn::Mask<D> Mask([[maybe_unused]] D d, [[maybe_unused]] V x) {
    if constexpr (std::is_floating_point_v<T>) {
      return hn::IsInf(x);
    } else {
      return hn::MaskFalse(d);
    }
  }
};

struct IsFinite : FloatPredicate<IsFinite> {
  static constexpr OpInfo kInfo{.name = "isfinite",
                                .arity = 1,
                                .doc = "out = x is neither NaN nor infinite",
                                .special = "Integers and bools always are.",
                                .aliases = "isfinite_v2",
                                .source = "C99 isfinite; NumPy isfinite, Paddle isfinite_v2, torch.isfinite"};

  template <typename T>
  static bool Scalar(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::isfinite(x);
    } else {
      return true;
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE hn::Mask<D> Mask([[maybe_unused]] D d, [[maybe_unused]] V x) {
    if constexpr (std::is_floating_point_v<T>) {
      return hn::IsFinite(x);
    } else {
      return hn::Eq(x, x);
    }
  }
};

struct SignBit : ToBool<SignBit> {
  using Class = UnaryPredicate;
  static constexpr OpInfo kInfo{
      .name = "signbit",
      .arity = 1,
      .doc = "out = whether the sign bit of x is set",
      .special = "True of -0 and of a NaN whose sign bit is set; x < 0 on integers, so never on unsigned ones or bools.",
      .source = "C99 signbit; NumPy signbit, torch.signbit"};
  static constexpr Kinds kKinds = kAllKinds;
  // A float's sign bit is that of the signed integer with its bits; of the others the answer is the same, so bytes serve them.
  template <typename T>
  using KernelType = std::conditional_t<Has<T>(kFloats | kSignedInts), hwy::SignedFromSize<sizeof(T)>, std::uint8_t>;

  template <typename T>
  static bool Scalar(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::signbit(x);
    } else {
      return std::is_signed_v<T> && x < T{0};
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE hn::Mask<D> Mask(D d, [[maybe_unused]] V x) {
    if constexpr (std::is_signed_v<T>) {
      return hn::Lt(x, hn::Zero(d));
    } else {
      return hn::MaskFalse(d);
    }
  }
};

// To add an op: write its struct above and its name here. Nothing else.
using ComparisonOps = OpList<Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, IsNan, IsInf, IsFinite, SignBit>;

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
