// The kernel classes Unary, Binary and Ternary: out[c] = op(x[c], ...) over one tile, whose loops are rows-inl.h; an op
// supplies the meaning:
//
//   struct Op {
//     using Class = Binary;
//     static constexpr OpInfo kInfo{...};
//     static constexpr Kinds kKinds = kNumbers;
//     template <typename T> static T Scalar(T x, T y);                                     // the meaning
//     template <typename T, class D, class V> static HWY_INLINE V Vector(D d, V x, V y);   // the same, in lanes of Lane<T>
//   };
//
// T is what the op computes in: the element type, or float for the 16-bit floats (Computed<T>).
// With attributes, both get a last argument `const Attributes<A>& attributes`. What else an op may say is in kit/op.h. Where
// inputs or the result have other types, vectors are partial: Rebind<Lane<input>, D>, and Vector returns Rebind<Lane<Out>, D>.
#if defined(AXISCAST_KIT_ELEMENTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_ELEMENTWISE_INL_H_
#undef AXISCAST_KIT_ELEMENTWISE_INL_H_
#else
#define AXISCAST_KIT_ELEMENTWISE_INL_H_
#endif

#include <concepts>
#include <type_traits>
#include <utility>

#include "axiscast/kit/choose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int kInputs>
struct Elementwise {
  static constexpr int kArity = kInputs;

  // Whether an op has what Reference and Run call; else says what to write.
  template <class Op, typename T>
  static constexpr bool HasMeaning() {
    constexpr bool has = HasScalar<Op, T>(InputsOf<Op, T>());
    static_assert(
        has,
        "axiscast: an op needs its meaning, for every T of kKinds: template <typename T> static T Scalar(T x, ...), with as "
        "many operands as OpInfo::arity and, where the op has attributes, a last argument const Attributes<T>&. T is float "
        "for the 16-bit floats; operands and the result have other types where the op has Inputs or Out (kit/op.h)");
    return has;
  }
  template <class Op, typename T>
  static constexpr bool HasLanes() {
    if constexpr (HasBySplat<Op, T>()) {
      static_assert(
          std::is_same_v<InputsOf<Op, T>, TypeList<T, T>> && std::is_same_v<OutOf<Op, T>, T> && IsCompact<Op, T>() && !kIsHalf<T>,
          "axiscast: kBySplat is for compact Binary ops whose inputs and result are T, which is none of the 16-bit floats; "
          "they say VectorBySplat beside Vector, with the same arguments");
    }
    static_assert(!HasByValue<Op, T>() || (HasBySplat<Op, T>() && Op::kInfo.attribute_count == 0),
                  "axiscast: ByValue is for ops with kBySplat and no attributes");
    constexpr bool has = HasVector<Op, T>(InputsOf<Op, T>());
    static_assert(
        has,
        "axiscast: an op needs its meaning in lanes, for every T of kKinds: template <typename T, class D, class V> static "
        "HWY_INLINE V Vector(D d, V x, ...), with as many vectors as OpInfo::arity and, where the op has attributes, a last "
        "argument const Attributes<T>&. Of an op to bool, whose Class is a predicate: Mask, and ToBool<Op> as its base");
    return has;
  }

  // Whether rows that follow each other are one (Kernel::joins); not so on targets where the op is not short, which costs but time.
  template <class Op, typename T>
  static constexpr bool kJoins = !IsCompact<Op, T>();
  // Kernel::choose, and what the kernel can do. Class is the op's: one with a Run of its own has none of these.
  template <class Class, class Op, typename T>
  static constexpr ChooseFunction Chooses() {
    return HasOwnRun<Class, Op, T>() ? nullptr : &Elementwise::template Choose<Op, T>;
  }
  template <class Class, class Op, typename T>
  static constexpr KernelAbilities Abilities() {
    KernelAbilities abilities;
    if constexpr (!HasOwnRun<Class, Op, T>()) {
      abilities.spreads = kSpreads<Op, T>;
      if constexpr (kTakesPermuted<Op, T>) abilities.permutes = ElementwiseRows<Op, T>::kLanes;
      if constexpr (kTakesRecurring<Op, T>) abilities.recurs = ElementwiseRows<Op, T>::kLanes;
      abilities.transposes = kTakesTransposed<Op, T>;
      abilities.keeps = kTakesPeriodic<Op, T>;
      abilities.widens = kTakesWidened<Op, T> ? kMostWidenedCols : 0;
      abilities.abreast = kTakesAbreast<Op, T>;
      abilities.asks = kAsksForLines && (!IsCompact<Op, T>() || HasBySplat<Op, T>());
    }
    return abilities;
  }

  template <class Op, typename T>
  static KernelFunction Choose(const Tile& tile) {
    return RowsChoice<Op, T>::Choose(tile);
  }
  template <class Op, typename T>
  static void Run(const Tile& tile, const void* const* inputs, void* out) {
    Choose<Op, T>(tile)(tile, inputs, out);
  }

  template <class Op, typename T>
  static void Reference(const Tile& tile, const void* const* inputs, void* out) {
    ReferenceOf<Op, T>(tile, inputs, static_cast<std::byte*>(out), InputsOf<Op, T>(), std::make_index_sequence<kInputs>());
  }

 private:
  template <class Class, class Op, typename T>
  static constexpr bool HasOwnRun() {
    return &Class::template Run<Op, T> != &Elementwise::template Run<Op, T>;
  }
  template <class Op, typename T, typename... In>
  static constexpr bool HasScalar(TypeList<In...>) {
    if constexpr (sizeof...(In) != kInputs) {
      return false;
    } else if constexpr (Op::kInfo.attribute_count > 0) {
      return requires(const Attributes<AttributeOf<Op, T>>& attributes, Computed<In>... x) {
        { Op::template Scalar<Computed<T>>(x..., attributes) } -> std::convertible_to<Computed<OutOf<Op, T>>>;
      };
    } else {
      return requires(Computed<In>... x) {
        { Op::template Scalar<Computed<T>>(x...) } -> std::convertible_to<Computed<OutOf<Op, T>>>;
      };
    }
  }
  template <class Op, typename T, typename... In>
  static constexpr bool HasVector(TypeList<In...>) {
    using Wide = hn::ScalableTag<Widest<Lane<T>, Lane<OutOf<Op, T>>, Lane<In>...>>;
    using D = hn::Rebind<Lane<T>, Wide>;
    using Result = hn::Vec<hn::Rebind<Lane<OutOf<Op, T>>, Wide>>;
    if constexpr (sizeof...(In) != kInputs) {
      return false;
    } else if constexpr (Op::kInfo.attribute_count > 0) {
      return requires(D d, const Attributes<AttributeOf<Op, T>>& attributes, hn::Vec<hn::Rebind<Lane<In>, Wide>>... v) {
        { Op::template Vector<Computed<T>>(d, v..., attributes) } -> std::same_as<Result>;
      };
    } else {
      return requires(D d, hn::Vec<hn::Rebind<Lane<In>, Wide>>... v) {
        { Op::template Vector<Computed<T>>(d, v...) } -> std::same_as<Result>;
      };
    }
  }

  template <class Op, typename T, typename... In, std::size_t... kInput>
  static void ReferenceOf(const Tile& tile, const void* const* inputs, std::byte* out, TypeList<In...>,
                          std::index_sequence<kInput...>) {
    const auto attributes = ReadAttributes<Op, T>(tile);
    for (std::int64_t r = 0; r < tile.rows; ++r, out += tile.out_row_stride) {
      for (std::int64_t c = 0; c < tile.cols; ++c) {
        using Out = OutOf<Op, T>;
        const Computed<Out> value =
            ScalarOf<Op, T>(attributes, ElementAt<In>(RowsOf(tile, inputs, kInput), r, tile.in[kInput].splat ? 0 : c)...);
        if constexpr (kIsHalf<Out>) {
          reinterpret_cast<std::uint16_t*>(out)[c] = Out(value).bits;
        } else {
          reinterpret_cast<Stored<Out>*>(out)[c] = static_cast<Stored<Out>>(value);
        }
      }
    }
  }
};

/// The Class of an op of one, two or three inputs.
using Unary = Elementwise<1>;
using Binary = Elementwise<2>;
using Ternary = Elementwise<3>;

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
