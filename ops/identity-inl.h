// A kernel that changes nothing.
#if defined(AXISCAST_OPS_IDENTITY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_OPS_IDENTITY_INL_H_
#undef AXISCAST_OPS_IDENTITY_INL_H_
#else
#define AXISCAST_OPS_IDENTITY_INL_H_
#endif

#include "axiscast/kit/elementwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whose kernel serves every op on the dtypes where it changes nothing.
struct Identity {
  using Class = Unary;
  static constexpr bool kIntegersAlone = true;
  static constexpr OpInfo kInfo{.name = "identity", .arity = 1, .doc = "out = x"};
  template <typename T>
  using KernelType = SameBits<T>;

  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x) {
    return x;
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
