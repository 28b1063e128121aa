// What an op struct may say beyond its meaning, with the defaults for what it leaves out. Types only; no SIMD here.
// docs/kit.md begins at the beginning.
#ifndef AXISCAST_KIT_OP_H_
#define AXISCAST_KIT_OP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "axiscast/dtype.h"
#include "axiscast/kernel.h"
#include "hwy/base.h"

namespace axiscast {

/// Types, in an order.
template <typename... T>
struct TypeList {};

// The element types of the dtype list, in its order.
template <typename T, typename List>
struct Prepend;
template <typename T, typename... Rest>
struct Prepend<T, TypeList<Rest...>> {
  using Type = TypeList<T, Rest...>;
};
#define AXISCAST_PREPEND(enumerator, name, type, kind) typename Prepend < type,
#define AXISCAST_CLOSE(enumerator, name, type, kind) > ::Type
using ElementTypes = AXISCAST_FOR_EACH_DTYPE(AXISCAST_PREPEND) TypeList<> AXISCAST_FOR_EACH_DTYPE(AXISCAST_CLOSE);
#undef AXISCAST_PREPEND
#undef AXISCAST_CLOSE

/// The dtypes that an op has kernels for, as a set of kinds: `static constexpr Kinds kKinds = kInts | kFloats;` in an op. kFloats
/// has float16 and bfloat16 in it; bool is a kind of its own.
using Kinds = unsigned;
constexpr Kinds SetOf(DTypeKind kind) { return 1u << static_cast<unsigned>(kind); }
inline constexpr Kinds kBools = SetOf(DTypeKind::kBool);
inline constexpr Kinds kSignedInts = SetOf(DTypeKind::kSigned);
inline constexpr Kinds kUnsignedInts = SetOf(DTypeKind::kUnsigned);
inline constexpr Kinds kInts = kSignedInts | kUnsignedInts;
inline constexpr Kinds kFloats = SetOf(DTypeKind::kFloat);
inline constexpr Kinds kNumbers = kInts | kFloats;
inline constexpr Kinds kAllKinds = kNumbers | kBools;

/// Whether T's kind is one of `kinds`.
template <typename T>
constexpr bool Has(Kinds kinds) {
  return (kinds & SetOf(KindOf(kDTypeOf<T>))) != 0;
}

template <typename T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
/// What an op's code is given as T: the element type, but float for the 16-bit floats, which are storage; the result is rounded
/// once.
template <typename T>
using Computed = std::conditional_t<kIsHalf<T>, float, T>;

/// What the lanes of an element type are. A bool's are uint8, made 0 or 1 when they are loaded.
template <typename T>
using Lane = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, Computed<T>>;

// What is in memory. (hwy::float16_t is Float16 where it is what the op computes in: Float16Itself in kit/half-inl.h.)
template <typename T>
using Stored = std::conditional_t<kIsHalf<T> || std::is_same_v<T, hwy::float16_t>, std::uint16_t, Lane<T>>;

template <typename T, bool kInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>>
struct UnsignedOf {
  using Type = T;
};
template <typename T>
struct UnsignedOf<T, true> {
  using Type = std::make_unsigned_t<T>;
};
/// The unsigned type of an integer's width; other types are themselves. For an op whose signed and unsigned results have the same
/// bits: `template <typename T> using KernelType = SameBits<T>;`.
template <typename T>
using SameBits = typename UnsignedOf<T>::Type;

/// Where an integer's arithmetic wraps without undefined behaviour: unsigned, and too wide for promotion to int.
template <typename T>
using Wrapping = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, SameBits<T>>;

// What follows reads an op: `template <typename T> using Out = float;` and so on are optional parts of an op struct.

template <class Op, typename T>
struct OutOfImpl {
  using Type = T;
};
template <class Op, typename T>
requires requires { typename Op::template Out<T>; }
struct OutOfImpl<Op, T> {
  using Type = typename Op::template Out<T>;
};
/// The result's element type: `template <typename T> using Out = float;` in an op, else T.
template <class Op, typename T>
using OutOf = typename OutOfImpl<Op, T>::Type;

template <typename T, int kCount, typename... List>
struct Repeat : Repeat<T, kCount - 1, T, List...> {};
template <typename T, typename... List>
struct Repeat<T, 0, List...> {
  using Type = TypeList<List...>;
};
template <class Op, typename T>
struct InputsOfImpl : Repeat<T, Op::kInfo.arity> {};
template <class Op, typename T>
requires requires { typename Op::template Inputs<T>; }
struct InputsOfImpl<Op, T> {
  using Type = typename Op::template Inputs<T>;
};
/// The element types of all inputs: `template <typename T> using Inputs = TypeList<bool, T, T>;` in an op, else all are T.
template <class Op, typename T>
using InputsOf = typename InputsOfImpl<Op, T>::Type;

template <class Op, typename T>
struct AttributeOfImpl {
  using Type = Computed<T>;
};
template <class Op, typename T>
requires requires { typename Op::template Attribute<T>; }
struct AttributeOfImpl<Op, T> {
  using Type = typename Op::template Attribute<T>;
};
/// The type that attributes are rounded to: `template <typename T> using Attribute = double;` in an op, else what it computes in.
template <class Op, typename T>
using AttributeOf = typename AttributeOfImpl<Op, T>::Type;

template <class Op, typename T>
struct KernelTypeOfImpl {
  using Type = T;
};
template <class Op, typename T>
requires requires { typename Op::template KernelType<T>; }
struct KernelTypeOfImpl<Op, T> {
  using Type = typename Op::template KernelType<T>;
};
/// The type whose kernel serves T too, because the bits are the same: `template <typename T> using KernelType = SameBits<T>;`
/// in an op halves its code. Else T has a kernel of its own.
template <class Op, typename T>
using KernelTypeOf = typename KernelTypeOfImpl<Op, T>::Type;

template <class Op, typename T>
struct KernelOpOfImpl {
  using Type = Op;
};
template <class Op, typename T>
requires requires { typename Op::template KernelOp<T>; }
struct KernelOpOfImpl<Op, T> {
  using Type = typename Op::template KernelOp<T>;
};
/// Another op whose kernel serves T too: `template <typename T> using KernelOp = std::conditional_t<..., Maximum, Fmax>;`.
template <class Op, typename T>
using KernelOpOf = typename KernelOpOfImpl<Op, T>::Type;

/// Whether the op refuses a zero in its checked operand: `template <typename T> static constexpr bool kRefusesZero = ...;`.
template <class Op, typename T>
constexpr bool RefusesZero() {
  if constexpr (requires { Op::template kRefusesZero<T>; }) {
    return Op::template kRefusesZero<T>;
  } else {
    return false;
  }
}

/// Whether exchanging the two inputs, both T, changes no bit of the result, but for which NaN a NaN is: `template <typename T>
/// static constexpr bool kCommutes = true;`. One loop then serves a first and a second input that is one value or repeated, a
/// quarter to a third less code. Of a compact op, whose loop takes all kinds, nothing changes.
template <class Op, typename T>
constexpr bool Commutes() {
  if constexpr (requires { Op::template kCommutes<T>; }) {
    return Op::template kCommutes<T>;
  } else {
    return false;
  }
}

// Whether elements of all these types are integers, or bool.
template <typename... T>
constexpr bool AreIntegers(TypeList<T...>) {
  return (std::is_integral_v<T> && ...);
}

/// Whether the op makes integers of integers without a floating-point instruction: `static constexpr bool kIntegersAlone = true;`.
/// Its kernels for integers are then Kernel::any_float_mode.
template <class Op, typename T>
constexpr bool IsForAnyFloatMode() {
  if constexpr (requires { Op::kIntegersAlone; }) {
    return Op::kIntegersAlone && AreIntegers(InputsOf<Op, T>()) && AreIntegers(TypeList<T, OutOf<Op, T>>());
  } else {
    return false;
  }
}

/// Whether the op asks for one loop for all kinds of inputs, because its Vector is long: `template <typename T> static constexpr
/// bool kCompact = true;`. The build then has two copies of it, for whole vectors and for less, rather than ten or more.
template <class Op, typename T>
constexpr bool IsCompact() {
  if constexpr (requires { Op::template kCompact<T>; }) {
    return Op::template kCompact<T>;
  } else {
    return false;
  }
}

// Whether this build has loops for each kind of inputs of an op that is not compact. AXISCAST_LOOPS_OF names those ops that have
// them, with spaces between; without it all have. One without them is a ninth of its code, and of the time to compile it. The
// library alone is built with it: ops of those who include the kit have their loops.
constexpr bool BuildHasLoops([[maybe_unused]] std::string_view op) {
#ifdef AXISCAST_LOOPS_OF
  for (std::string_view names = AXISCAST_LOOPS_OF; !names.empty();) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == op) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
#else
  return true;
#endif
}

/// Whether a Binary op asks for loops of its own where inputs are streamed or one value, and for none where they are repeated,
/// permuted, transposed or recur: those then go by way of scratch, as all inputs of compact ops do, which is as fast from memory
/// and takes up to three times as long in caches. For ops that seldom meet them: two thirds less code. `template <typename T>
/// static constexpr bool kPlainLoops = true;`.
template <class Op, typename T>
constexpr bool HasPlainLoops() {
  if constexpr (requires { Op::template kPlainLoops<T>; }) {
    return Op::template kPlainLoops<T>;
  } else {
    return false;
  }
}

/// Whether a compact Binary op on nothing but T has a shorter Vector for rows whose second operand is one value: `template
/// <typename T> static constexpr bool kBySplat = true;` and, beside Vector and with the same arguments, VectorBySplat. What it
/// computes from y alone is computed once for a row. ops/division-inl.h has four such ops.
template <class Op, typename T>
constexpr bool HasBySplat() {
  if constexpr (requires { Op::template kBySplat<T>; }) {
    return Op::template kBySplat<T>;
  } else {
    return false;
  }
}

/// Whether an op with kBySplat, and without attributes, has a shorter Vector still for some values of its second operand: `template
/// <typename T> using ByValue = Type;`, void for a T that has none. Type has what is computed from a value, once for a row: `static
/// bool Takes(T y)`, `explicit Type(T y)`, and `template <class D, class V> V Vector(D d, V x) const`. ops/division-inl.h has two
/// such ops.
template <class Op, typename T>
constexpr bool HasByValue() {
  if constexpr (requires { typename Op::template ByValue<T>; }) {
    return !std::is_void_v<typename Op::template ByValue<T>>;
  } else {
    return false;
  }
}

/// What a kernel's arithmetic takes, roughly: cycles of an AVX-512 core for 64 bytes of its widest operand. An op of more than a
/// few instructions says `template <typename T> static constexpr double kCycles = 6;`; rounding the 16-bit floats comes on top.
template <class Op, typename T>
constexpr double CyclesOf() {
  double cycles = 1;
  if constexpr (requires { Op::template kCycles<Computed<T>>; }) cycles = Op::template kCycles<Computed<T>>;
  if constexpr (kIsHalf<T>) return 2 * cycles + (std::is_same_v<T, Float16> ? 4 : 2);
  return cycles;
}

/// The same of long rows whose second operand is one value, of an op with kBySplat: `template <typename T> static constexpr double
/// kCyclesBySplat = 3;`.
template <class Op, typename T>
constexpr double CyclesBySplatOf() {
  if constexpr (requires { Op::template kCyclesBySplat<T>; }) {
    return Op::template kCyclesBySplat<T>;
  } else {
    return 0;
  }
}

/// An op's attributes, by position in OpInfo. Vector code says hn::Set(d, attributes[0]); compilers hoist it.
template <typename T>
struct Attributes {
  T values[kMaxAttributes];
  T operator[](int i) const { return values[i]; }
};

template <class Op, typename T>
Attributes<AttributeOf<Op, T>> ReadAttributes(const AttributeSlot* slots) {
  Attributes<AttributeOf<Op, T>> attributes = {};
  for (int i = 0; i < Op::kInfo.attribute_count; ++i) attributes.values[i] = slots[i].Get<AttributeOf<Op, T>>();
  return attributes;
}
template <class Op, typename T>
Attributes<AttributeOf<Op, T>> ReadAttributes(const Tile& tile) {
  return ReadAttributes<Op, T>(tile.attributes);
}

// A kernel as one target has it. The rest of a Kernel is the same for all targets.
struct TargetRow {
  KernelFunction run;  // null: another target's row serves
  ChooseFunction choose;
  CheckFunction check;
  KernelAbilities abilities;
  double cycles;
};

/// Ops as they were compiled for one target.
struct TargetOps {
  const char* target;  // Highway's name, as in "AVX2"
  std::vector<OpDefinition> ops;
};

}  // namespace axiscast

#endif  // AXISCAST_KIT_OP_H_
