// Logical ops: any dtype to bool. Non-zero is true, NaN too.
#if defined(AXISCAST_OPS_LOGICAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_OPS_LOGICAL_INL_H_
#undef AXISCAST_OPS_LOGICAL_INL_H_
#else
#define AXISCAST_OPS_LOGICAL_INL_H_
#endif

#include "axiscast/kit/compare-inl.h"
#include "axiscast/kit/table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What all logical ops say. Truth is in the bits but for a float's -0, so integers share kernels by width.
template <class Op>
struct Logical : ToBool<Op> {
  static constexpr bool kIntegersAlone = true;
  static constexpr Kinds kKinds = kAllKinds;
  template <typename T>
  using KernelType = SameBits<T>;

  template <class D, class V>
  static HWY_INLINE hn::Mask<D> IsTrue(D d, V v) {
    return hn::Not(hn::Eq(v, hn::Zero(d)));  // Highway's Ne is false of NaN on some targets (AVX2)
  }
};

struct LogicalAnd : Logical<LogicalAnd> {
  using Class = BinaryPredicate;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{.name = "logical_and",
                                .arity = 2,
                                .doc = "out = x and y",
                                .special = "Non-zero is true: NaN, infinities and subnormals are, -0 is not.",
                                .aliases = "And",
                                .source = "NumPy logical_and, Paddle logical_and, torch.logical_and, ONNX And"};

  template <typename T>
  static bool Scalar(T x, T y) {
    return x != 0 && y != 0;
  }
  template <typename T, class D, class V>
  static HWY_INLINE hn::Mask<D> Mask(D d, V x, V y) {
    return hn::And(IsTrue(d, x), IsTrue(d, y));
  }
};

struct LogicalOr : Logical<LogicalOr> {
  using Class = BinaryPredicate;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{.name = "logical_or",
                                .arity = 2,
                                .doc = "out = x or y",
                                .special = "Non-zero is true: NaN, infinities and subnormals are, -0 is not.",
                                .aliases = "Or",
                                .source = "NumPy logical_or, Paddle logical_or, torch.logical_or, ONNX Or"};

  template <typename T>
  static bool Scalar(T x, T y) {
    return x != 0 || y != 0;
  }
  template <typename T, class D, class V>
  static HWY_INLINE hn::Mask<D> Mask(D d, V x, V y) {
    return hn::Or(IsTrue(d, x), IsTrue(d, y));
  }
};

struct LogicalXor : Logical<LogicalXor> {
  using Class = BinaryPredicate;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{.name = "logical_xor",
                                .arity = 2,
                                .doc = "out = exactly one of x and y",
                                .special = "Non-zero is true: NaN, infinities and subnormals are, -0 is not.",
                                .aliases = "Xor",
                                .source = "NumPy logical_xor, Paddle logical_xor, torch.logical_xor, ONNX Xor"};

  template <typename T>
  static bool Scalar(T x, T y) {
    return (x != 0) != (y != 0);
  }
  template <typename T, class D, class V>
  static HWY_INLINE hn::Mask<D> Mask(D d, V x, V y) {
    return hn::Xor(IsTrue(d, x), IsTrue(d, y));
  }
};

struct LogicalNot : Logical<LogicalNot> {
  using Class = UnaryPredicate;
  static constexpr OpInfo kInfo{.name = "logical_not",
                                .arity = 1,
                                .doc = "out = not x",
                                .special = "Non-zero is true: NaN, infinities and subnormals are, -0 is not.",
                                .aliases = "Not",
                                .source = "NumPy logical_not, Paddle logical_not, torch.logical_not, ONNX Not"};

  template <typename T>
  static bool Scalar(T x) {
    return x == 0;
  }
  template <typename T, class D, class V>
  static HWY_INLINE hn::Mask<D> Mask(D d, V x) {
    return hn::Eq(x, hn::Zero(d));
  }
};

// To add an op: write its struct above and its name here. Nothing else.
using LogicalOps = OpList<LogicalAnd, LogicalOr, LogicalXor, LogicalNot>;

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
