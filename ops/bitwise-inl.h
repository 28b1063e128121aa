// Bitwise ops on bools and integers, shifts on integers.
#if defined(AXISCAST_OPS_BITWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_OPS_BITWISE_INL_H_
#undef AXISCAST_OPS_BITWISE_INL_H_
#else
#define AXISCAST_OPS_BITWISE_INL_H_
#endif

#include <type_traits>

#include "axiscast/kit/elementwise-inl.h"
#include "axiscast/kit/table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What all bitwise ops say.
struct Bitwise {
  static constexpr bool kIntegersAlone = true;
  static constexpr Kinds kKinds = kBools | kInts;
  template <typename T>
  using KernelType = SameBits<T>;
};

struct BitwiseAnd : Bitwise {
  using Class = Binary;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{.name = "bitwise_and",
                                .arity = 2,
                                .doc = "out = x & y",
                                .special = "On bool it is logical_and. Not offered on floats.",
                                .aliases = "BitwiseAnd",
                                .source = "NumPy bitwise_and, Paddle bitwise_and, torch.bitwise_and, ONNX BitwiseAnd"};

  template <typename T>
  static T Scalar(T x, T y) {
    return static_cast<T>(x & y);
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x, V y) {
    return hn::And(x, y);
  }
};

struct BitwiseOr : Bitwise {
  using Class = Binary;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{.name = "bitwise_or",
                                .arity = 2,
                                .doc = "out = x | y",
                                .special = "On bool it is logical_or. Not offered on floats.",
                                .aliases = "BitwiseOr",
                                .source = "NumPy bitwise_or, Paddle bitwise_or, torch.bitwise_or, ONNX BitwiseOr"};

  template <typename T>
  static T Scalar(T x, T y) {
    return static_cast<T>(x | y);
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x, V y) {
    return hn::Or(x, y);
  }
};

struct BitwiseXor : Bitwise {
  using Class = Binary;
  template <typename T>
  static constexpr bool kCommutes = true;
  static constexpr OpInfo kInfo{.name = "bitwise_xor",
                                .arity = 2,
                                .doc = "out = x ^ y",
                                .special = "On bool it is logical_xor. Not offered on floats.",
                                .aliases = "BitwiseXor",
                                .source = "NumPy bitwise_xor, Paddle bitwise_xor, torch.bitwise_xor, ONNX BitwiseXor"};

  template <typename T>
  static T Scalar(T x, T y) {
    return static_cast<T>(x ^ y);
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x, V y) {
    return hn::Xor(x, y);
  }
};

struct BitwiseNot : Bitwise {
  using Class = Unary;
  static constexpr OpInfo kInfo{.name = "bitwise_not",
                                .arity = 1,
                                .doc = "out = ~x",
                                .special = "On bool it is logical_not. Not offered on floats.",
                                .aliases = "BitwiseNot bitwise_invert invert",
                                .source = "NumPy invert, Paddle bitwise_not, torch.bitwise_not, ONNX BitwiseNot"};

  template <typename T>
  static T Scalar(T x) {
    if constexpr (std::is_same_v<T, bool>) {
      return !x;
    } else {
      return static_cast<T>(~x);
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector([[maybe_unused]] D d, V x) {
    if constexpr (std::is_same_v<T, bool>) {
      return hn::Xor(x, hn::Set(d, std::uint8_t{1}));
    } else {
      return hn::Not(x);
    }
  }
};

// The count of a shift as an unsigned number: negative ones are huge, hence outside [0, width) as well.
template <typename T>
inline constexpr SameBits<T> kWidth = 8 * sizeof(T);

struct LeftShift {
  using Class = Binary;
  static constexpr OpInfo kInfo{
      .name = "left_shift",
      .arity = 2,
      .doc = "out = x << y",
      .special = "Bits that leave are lost (wraps). A count y outside [0, width) gives 0. Not offered on bool.",
      .aliases = "bitwise_left_shift",
      .source = "NumPy left_shift, Paddle bitwise_left_shift, torch.bitwise_left_shift"};
  static constexpr Kinds kKinds = kInts;
  template <typename T>
  static constexpr bool kPlainLoops = true;
  template <typename T>
  using KernelType = SameBits<T>;

  template <typename T>
  static T Scalar(T x, T y) {
    const auto count = static_cast<SameBits<T>>(y);
    return count < kWidth<T> ? static_cast<T>(static_cast<Wrapping<T>>(x) << count) : T{0};
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x, V y) {
    const V count = hn::And(y, hn::Set(d, static_cast<T>(kWidth<T> - 1)));
    return hn::IfThenElseZero(hn::Lt(y, hn::Set(d, kWidth<T>)), hn::Shl(x, count));
  }
};

struct LogicalRightShift {
  using Class = Binary;
  static constexpr OpInfo kInfo{
      .name = "logical_right_shift",
      .arity = 2,
      .doc = "out = x >> y, zeros coming in from the left",
      .special = "A negative x is shifted as its two's complement bits. A count y outside [0, width) gives 0. Not offered on bool.",
      .source = "Paddle bitwise_right_shift with is_arithmetic=False"};
  static constexpr Kinds kKinds = kInts;
  template <typename T>
  static constexpr bool kPlainLoops = true;
  template <typename T>
  using KernelType = SameBits<T>;

  template <typename T>
  static T Scalar(T x, T y) {
    const auto count = static_cast<SameBits<T>>(y);
    return count < kWidth<T> ? static_cast<T>(static_cast<SameBits<T>>(x) >> count) : T{0};
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x, V y) {
    const V count = hn::And(y, hn::Set(d, static_cast<T>(kWidth<T> - 1)));
    return hn::IfThenElseZero(hn::Lt(y, hn::Set(d, kWidth<T>)), hn::Shr(x, count));
  }
};

struct RightShift {
  using Class = Binary;
  static constexpr OpInfo kInfo{
      .name = "right_shift",
      .arity = 2,
      .doc = "out = x >> y, copies of the sign coming in from the left",
      .special = "Rounds to -inf. A count y outside [0, width) gives 0, or -1 where x is negative. Not offered on bool.",
      .aliases = "bitwise_right_shift",
      .source = "NumPy right_shift, Paddle bitwise_right_shift, torch.bitwise_right_shift"};
  static constexpr Kinds kKinds = kInts;
  template <typename T>
  static constexpr bool kPlainLoops = true;
  template <typename T>
  using KernelOp = std::conditional_t<std::is_unsigned_v<T>, LogicalRightShift, RightShift>;

  template <typename T>
  static T Scalar(T x, T y) {
    const auto count = static_cast<SameBits<T>>(y);
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(x >> (count < kWidth<T> ? count : kWidth<T> - 1));
    } else {
      return count < kWidth<T> ? static_cast<T>(x >> count) : T{0};
    }
  }
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D d, V x, V y) {
    const hn::RebindToUnsigned<D> d_count;
    const auto last = hn::Set(d_count, static_cast<SameBits<T>>(kWidth<T> - 1));  // leaves the sign in every bit
    return hn::Shr(x, hn::BitCast(d, hn::Min(hn::BitCast(d_count, y), last)));
  }
};

// To add an op: write its struct above and its name here. Nothing else.
using BitwiseOps = OpList<BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot, LeftShift, RightShift, LogicalRightShift>;

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
