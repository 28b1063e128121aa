// Two ops of one's own, compiled for every target of the CPU family: what they mean, and the few lines that make a list of them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "own_ops.cc"  // this file: it is compiled once for each target
#include <axiscast/kit/kit-inl.h>

HWY_BEFORE_NAMESPACE();
namespace own {
namespace HWY_NAMESPACE {
using namespace axiscast;
using namespace axiscast::HWY_NAMESPACE;

// The gate of squeeze-and-excitation blocks: x a feature map, y a value for each channel.
struct HardGate {
  using Class = Binary;
  static constexpr OpInfo kInfo{
      .name = "hard_gate",
      .arity = 2,
      .doc = "out = x * gate, gate = slope * y + 0.5, at least 0 and at most 1",
      .special = "Product, sum and product are each rounded once. NaN where x or y is NaN.",
      .attributes = {{.name = "slope", .doc = "of the gate", .absent = AttributeDefault::kValue, .value = 0.25}},
      .attribute_count = 1,
      .gradient =
          "hard_gate(dout, y);"
          "where(logical_and(greater(hard_gate(1, y), 0), less(hard_gate(1, y), 1)), multiply(multiply(slope, x), dout), 0)"};
  static constexpr Kinds kKinds = kFloats;

  template <typename T>
  static T Scalar(T x, T y, const Attributes<T>& attributes) {
    const T gate = attributes[0] * y + T{0.5};
    return x * (gate < 0 ? T{0} : gate > 1 ? T{1} : gate);
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x, V y, const Attributes<T>& attributes) {
    const V zero = hn::Zero(d), one = hn::Set(d, T{1});
    V gate = hn::Add(hn::Mul(hn::Set(d, attributes[0]), y), hn::Set(d, T{0.5}));
    gate = hn::IfThenElse(hn::Lt(gate, zero), zero, gate);  // not hn::Max, in which targets differ over NaN
    gate = hn::IfThenElse(hn::Gt(gate, one), one, gate);
    return hn::Mul(x, gate);
  }
};

// To bool: Mask in place of Vector.
struct OppositeSigns : ToBool<OppositeSigns> {
  using Class = BinaryPredicate;
  static constexpr OpInfo kInfo{.name = "opposite_signs", .arity = 2, .doc = "out = whether one of x and y is below 0, not both"};
  static constexpr Kinds kKinds = kSignedInts | kFloats;

  template <typename T>
  static bool Scalar(T x, T y) {
    return (x < 0) != (y < 0);
  }
  template <typename T, class D, class V>
  static HWY_INLINE hn::Mask<D> Mask(D d, V x, V y) {
    return hn::Xor(hn::Lt(x, hn::Zero(d)), hn::Lt(y, hn::Zero(d)));
  }
};

// To add an op: write its struct above and its name here.
using OwnOps = OpList<HardGate, OppositeSigns>;
const TargetRow* OwnRows() { return RowsOf(OwnOps()); }

}  // namespace HWY_NAMESPACE
}  // namespace own
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "own_ops.h"
namespace own {
HWY_EXPORT(OwnRows);
std::vector<axiscast::TargetOps> Ops() { return HWY_NAMESPACE::OpsOfTargets(HWY_NAMESPACE::OwnOps(), HWY_DISPATCH_TABLE(OwnRows)); }
}  // namespace own
#endif  // HWY_ONCE
