// The kernel classes to bool, UnaryPredicate and BinaryPredicate: out[c] = op(x[c], ...) as a byte 0 or 1. In place of Vector an op
// says
//
//   template <typename T, class D, class V> static HWY_INLINE hn::Mask<D> Mask(D d, V x, V y);
//
// and derives from ToBool<Op>. The rest is as in elementwise-inl.h.
#if defined(AXISCAST_KIT_COMPARE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_COMPARE_INL_H_
#undef AXISCAST_KIT_COMPARE_INL_H_
#else
#define AXISCAST_KIT_COMPARE_INL_H_
#endif

#include <utility>

#include "axiscast/kit/elementwise-inl.h"
#include "axiscast/kit/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A mask of D as bytes 0 and 1.
template <class D>
HWY_INLINE hn::Vec<hn::Rebind<std::uint8_t, D>> BytesOf(D d, hn::Mask<D> mask) {
  const hn::Rebind<std::uint8_t, D> d_bytes;
  const auto one = hn::Set(d_bytes, std::uint8_t{1});
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    return hn::IfThenElseZero(hn::RebindMask(d_bytes, mask), one);
  } else {
    return hn::IfThenElseZero(hn::DemoteMaskTo(d_bytes, d, mask), one);
  }
}

/// What all ops to bool say: the base of an op whose Class is UnaryPredicate or BinaryPredicate.
template <class Op>
struct ToBool {
  template <typename T>
  using Out = bool;

  template <typename T, class D, class... Arguments>
  static HWY_INLINE auto Vector(D d, const Arguments&... arguments) {
    return BytesOf(d, Op::template Mask<T>(d, arguments...));
  }
};

template <class Op, typename T, class D, class A, class... V>
HWY_INLINE hn::Mask<D> MaskOf(D d, const A& attributes, V... v) {
  if constexpr (Op::kInfo.attribute_count > 0) {
    return Op::template Mask<Computed<T>>(d, v..., attributes);
  } else {
    return Op::template Mask<Computed<T>>(d, v...);
  }
}

#if HWY_TARGET != HWY_SCALAR
// Two masks as one of lanes half as wide.
template <class DTo, class DFrom>
HWY_INLINE hn::Mask<DTo> SideBySide(DTo d_to, DFrom d_from, hn::Mask<DFrom> first, hn::Mask<DFrom> second) {
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3  // masks are vectors; there, demoting 64 bits saturates in many instructions
  if constexpr (sizeof(hn::TFromD<DFrom>) == 8) {
    const auto low = hn::BitCast(d_to, hn::VecFromMask(d_from, first));  // either half of a lane will do
    return hn::MaskFromVec(hn::ConcatEven(d_to, hn::BitCast(d_to, hn::VecFromMask(d_from, second)), low));
  }
#endif
  return hn::OrderedDemote2MasksTo(d_to, d_from, first, second);
}

#if HWY_TARGET == HWY_AVX2
// Four masks of d as one of bytes, put in order by one instruction at the end, and not by three on the way: 0.74 to 0.85 of the
// time in L1 (a Zen 3).
template <class DTo, class D, class M = hn::Mask<D>>
HWY_INLINE hn::Mask<DTo> FourSideBySide(DTo d_to, D d, M first, M second, M third, M fourth) {
  const hn::RebindToSigned<D> d_words;
  const hn::Repartition<std::int16_t, D> d_halves;
  const hn::Repartition<std::int8_t, D> d_bytes;
  const auto words = [d, d_words](M mask) HWY_ATTR { return hn::BitCast(d_words, hn::VecFromMask(d, mask)); };
  const auto lower = hn::ReorderDemote2To(d_halves, words(first), words(second));
  const auto upper = hn::ReorderDemote2To(d_halves, words(third), words(fourth));
  const auto bytes = hn::BitCast(d_words, hn::ReorderDemote2To(d_bytes, lower, upper));
  HWY_ALIGN static constexpr std::int32_t kOrder[] = {0, 4, 1, 5, 2, 6, 3, 7};
  return hn::MaskFromVec(hn::BitCast(d_to, hn::TableLookupLanes(bytes, hn::SetTableIndices(d_words, kOrder))));
}

// Two masks of 8 bytes as one of 4 bytes, from each in turn; and four such, side by side, in the order of the eight: 0.58 to 0.8 of
// the time in L1 and L2.
template <class DTo, class D, class M = hn::Mask<D>>
HWY_INLINE hn::Mask<DTo> InTurn(DTo d_to, D d, M first, M second) {
  return hn::MaskFromVec(hn::OddEven(hn::BitCast(d_to, hn::VecFromMask(d, second)), hn::BitCast(d_to, hn::VecFromMask(d, first))));
}
template <class DTo>
HWY_INLINE hn::Mask<DTo> OutOfTurn(DTo d_to, hn::Mask<DTo> mask) {
  const auto from = hn::Dup128VecFromValues(d_to, 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);
  return hn::MaskFromVec(hn::TableLookupBytes(hn::VecFromMask(d_to, mask), from));
}
#endif

// The masks of as many elements from i on as d_to has lanes, which takes several vectors of d where d_to's lanes are narrower:
// halves of the elements are masks of lanes twice as wide, put side by side.
template <class Op, typename T, class DTo, class D, class A, class... X>
HWY_INLINE hn::Mask<DTo> GroupMask(DTo d_to, D d, std::size_t i, const A& attributes, const X&... x) {
  constexpr std::size_t kSize = sizeof(hn::TFromD<DTo>);
  if constexpr (kSize == sizeof(Lane<T>)) {
    return hn::RebindMask(d_to, MaskOf<Op, T>(d, attributes, FromStored<T>(d, x.Load(StoredTag<T, D>(), i))...));
#if HWY_TARGET == HWY_AVX2
  } else if constexpr (kSize == 1 && sizeof(Lane<T>) == 4) {
    constexpr std::size_t kLanes = hn::MaxLanes(D());
    return FourSideBySide(
        d_to, d, GroupMask<Op, T>(d, d, i, attributes, x...), GroupMask<Op, T>(d, d, i + kLanes, attributes, x...),
        GroupMask<Op, T>(d, d, i + 2 * kLanes, attributes, x...), GroupMask<Op, T>(d, d, i + 3 * kLanes, attributes, x...));
  } else if constexpr (kSize == 1 && sizeof(Lane<T>) == 8) {
    const hn::Repartition<std::int32_t, D> d_pair;
    constexpr std::size_t kLanes = hn::MaxLanes(D());
    const auto pair = [&](std::size_t v) HWY_ATTR __attribute__((always_inline)) {
      return InTurn(d_pair, d, GroupMask<Op, T>(d, d, i + v * kLanes, attributes, x...),
                    GroupMask<Op, T>(d, d, i + (v + 1) * kLanes, attributes, x...));
    };
    return OutOfTurn(d_to, FourSideBySide(d_to, d_pair, pair(0), pair(2), pair(4), pair(6)));
#endif
  } else {
    const hn::Repartition<hwy::UnsignedFromSize<2 * kSize>, DTo> d_half;
    return SideBySide(d_to, d_half, GroupMask<Op, T>(d_half, d, i, attributes, x...),
                      GroupMask<Op, T>(d_half, d, i + hn::Lanes(d_half), attributes, x...));
  }
}
#endif

// Whole vectors of bytes, each from sizeof(T) vectors of inputs; a ragged end is one that overlaps the one before it.
struct ByteVectors {
  template <typename T>
  static constexpr bool kTakes = HWY_TARGET != HWY_SCALAR && sizeof(Lane<T>) > 1;

#if HWY_TARGET != HWY_SCALAR
  template <bool kStream, class Op, typename T, class A, class... X>
  static HWY_INLINE bool Row(Streaming streaming, std::uint8_t* out, std::size_t n, const A& attributes, const X&... x) {
    const hn::ScalableTag<Lane<T>> d;
    const hn::Repartition<std::uint8_t, decltype(d)> d_group;
    const std::size_t group = hn::Lanes(d_group);
    if (n < group) return false;
    const auto bytes = [&](std::size_t i) HWY_ATTR {
      return hn::IfThenElseZero(GroupMask<Op, T>(d_group, d, i, attributes, x...), hn::Set(d_group, std::uint8_t{1}));
    };
    const OutputRun<std::uint8_t> run(kStream, out, n, streaming);
    std::size_t i = 0;
    if constexpr (kStream) {
      if (const std::size_t misalignment = Misalignment(d_group, out); misalignment > 0) {
        run.StoreFirst(bytes(0), d_group, out);
        i = group - misalignment;
      }
    }
    // Past the caches comparisons with one value take 0.95 to 0.97 of the time so, of float64 0.75, of two arrays 0.82 to 1.0, of
    // int32 1.0 to 1.02; asked for farther ahead than 256 bytes 1.07 to 1.2 (a Zen 5).
    const auto ask = [&](std::size_t at) HWY_ATTR __attribute__((always_inline)) {
      if constexpr (kStream) {
        for (std::size_t v = 0; v < group; v += hn::Lanes(d)) (x.AskToStream(at + v), ...);
      }
    };
    // From results of 8 KB on: what is read is 2 to 16 times as much. (With AVX-512 long rows take 0.82 to 0.97 of the time by
    // turns; short ones nobody measured.)
    i = run.template StoreVectors<8192, 1>(d_group, out, i, n, ask, bytes);
    if (i < n) run.StoreLast(bytes(n - group), d_group, out + n - group);
    return true;
  }
#endif
};

template <int kInputs>
struct Predicate : Elementwise<kInputs> {
  template <class Op, typename T>
  static constexpr bool kJoins = !ByteVectors::kTakes<T> && !IsCompact<Op, T>();
  template <class Class, class Op, typename T>
  static constexpr ChooseFunction Chooses() {
    return &Class::template Run<Op, T> == &Predicate::template Run<Op, T> ? &Predicate::template Choose<Op, T> : nullptr;
  }
  template <class Class, class Op, typename T>
  static constexpr KernelAbilities Abilities() {
    KernelAbilities abilities;
    abilities.asks = kAsksForLines && Class::template Chooses<Class, Op, T>() != nullptr;
    return abilities;
  }
  template <class Op, typename T>
  static constexpr bool HasLanes() {
    constexpr bool has = std::is_base_of_v<ToBool<Op>, Op> && HasMask<Op, T>(InputsOf<Op, T>());
    static_assert(
        has,
        "axiscast: an op to bool, whose Class is a predicate, needs ToBool<Op> as its base and its meaning in lanes, for "
        "every T of kKinds: template <typename T, class D, class V> static HWY_INLINE hn::Mask<D> Mask(D d, V x, ...), with "
        "as many vectors as OpInfo::arity and, where the op has attributes, a last argument const Attributes<T>&");
    return has;
  }
  template <class Op, typename T>
  static KernelFunction Choose(const Tile& tile) {
    return RowsChoice<Op, T, ByteVectors>::Choose(tile);
  }
  template <class Op, typename T>
  static void Run(const Tile& tile, const void* const* inputs, void* out) {
    Choose<Op, T>(tile)(tile, inputs, out);
  }

 private:
  template <class Op, typename T, typename... In>
  static constexpr bool HasMask(TypeList<In...>) {
    using Wide = hn::ScalableTag<Widest<Lane<T>, Lane<In>...>>;
    using D = hn::Rebind<Lane<T>, Wide>;
    if constexpr (sizeof...(In) != kInputs) {
      return false;
    } else if constexpr (Op::kInfo.attribute_count > 0) {
      return requires(D d, const Attributes<AttributeOf<Op, T>>& attributes, hn::Vec<hn::Rebind<Lane<In>, Wide>>... v) {
        { Op::template Mask<Computed<T>>(d, v..., attributes) } -> std::same_as<hn::Mask<D>>;
      };
    } else {
      return requires(D d, hn::Vec<hn::Rebind<Lane<In>, Wide>>... v) {
        { Op::template Mask<Computed<T>>(d, v...) } -> std::same_as<hn::Mask<D>>;
      };
    }
  }
};

/// The Class of an op to bool, of one or two inputs.
using UnaryPredicate = Predicate<1>;
using BinaryPredicate = Predicate<2>;

/// For ops that are another one with its inputs exchanged, as greater is less: `using Exchanged = Less;` in the op. Costs the copy
/// of a tile per call and saves the other op's code.
struct ExchangedPredicate : BinaryPredicate {
  template <class Op, typename T>
  static constexpr bool HasLanes() {
    return BinaryPredicate::HasLanes<typename Op::Exchanged, T>();
  }
  // The other op's loops would have to be told of the exchange: Run decides anew for each tile.
  template <class Class, class Op, typename T>
  static constexpr ChooseFunction Chooses() {
    return nullptr;
  }
  template <class, class Op, typename T>
  static constexpr KernelAbilities Abilities() {
    return BinaryPredicate::Abilities<BinaryPredicate, typename Op::Exchanged, T>();
  }
  template <class Op, typename T>
  static void Run(const Tile& tile, const void* const* inputs, void* out) {
    Tile exchanged = tile;
    std::swap(exchanged.in[0], exchanged.in[1]);
    const void* const exchanged_inputs[] = {inputs[1], inputs[0]};
    BinaryPredicate::Run<typename Op::Exchanged, T>(exchanged, exchanged_inputs, out);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
