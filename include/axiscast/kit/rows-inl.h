// The rows of a tile by the vector: aligned stores, ragged ends, splats.
#if defined(AXISCAST_KIT_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_ROWS_INL_H_
#undef AXISCAST_KIT_ROWS_INL_H_
#else
#define AXISCAST_KIT_ROWS_INL_H_
#endif

#include <type_traits>
#include <utility>

#include "axiscast/kit/abreast-inl.h"
#include "axiscast/kit/operand-inl.h"
#include "axiscast/kit/rows_by_turns-inl.h"
#include "axiscast/kit/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The widest of some lane types: as many elements are taken at once as its full vector holds.
template <typename First, typename... Rest>
struct WidestImpl {
  using Type = First;
};
template <typename First, typename Second, typename... Rest>
struct WidestImpl<First, Second, Rest...>
    : WidestImpl<std::conditional_t<(sizeof(Second) > sizeof(First)), Second, First>, Rest...> {};
template <typename... T>
using Widest = typename WidestImpl<T...>::Type;

template <class Op, typename T, class D, class A, class... V>
HWY_INLINE auto VectorOf(D d, const A& attributes, V... v) {
  if constexpr (Op::kInfo.attribute_count > 0) {
    return Op::template Vector<Computed<T>>(d, v..., attributes);
  } else {
    return Op::template Vector<Computed<T>>(d, v...);
  }
}

template <class Op, typename T, class A, class... X>
HWY_INLINE Computed<OutOf<Op, T>> ScalarOf(const A& attributes, X... x) {
  if constexpr (Op::kInfo.attribute_count > 0) {
    return Op::template Scalar<Computed<T>>(x..., attributes);
  } else {
    return Op::template Scalar<Computed<T>>(x...);
  }
}

// For ops whose rows are computed as all are; a class whose are not has its own (compare-inl.h).
struct NoSpecialRows {
  template <typename T>
  static constexpr bool kTakes = false;
};

// An op by what it says for a second operand that is one value. Its Vector is long: rows are not joined, which would be more
// copies.
template <class Op>
struct BySplat : Op {
  template <typename T, class D, class V, class... Attributes>
  static HWY_INLINE V Vector(D d, V x, V y, const Attributes&... attributes) {
    return Op::template VectorBySplat<T>(d, x, y, attributes...);
  }
};

// An op of its first operand, with what it has of one value of the second in place of attributes.
template <class Op>
struct ByValueOf {
  static constexpr OpInfo kInfo{.name = "by_value", .arity = 1, .doc = "", .attribute_count = 1};
  template <typename T, class D, class V, class Value>
  static HWY_INLINE V Vector(D d, V x, const Value& value) {
    return value.Vector(d, x);
  }
};

// Where SpecialRows::kTakes<T>, SpecialRows::Row computes a row in its own way, or returns false where the row is too short for it.
// streaming, here and below: for rows that are streamed.
// `out` is then no input: recomputed elements are the same.
// kInHalves: long loops load and store half a vector at a time (Tile::halves).
template <class Op, typename T, class SpecialRows = NoSpecialRows, bool kInHalves = false>
struct ElementwiseRows {
  using Out = OutOf<Op, T>;
  using OutLane = Lane<Out>;
  using Joined = JoinedRows<ElementwiseRows, Op, T>;
  using Whole = WholeRows<ElementwiseRows, Op, T>;

  // How many elements are taken at once: as many as a full vector of the widest type holds. Where all is bfloat16, in pairs.
  template <typename... In>
  static HWY_INLINE auto WideTag(TypeList<In...>) {
    if constexpr (InPairs(TypeList<In...>())) {
      return hn::ScalableTag<std::uint16_t>();
    } else {
      return hn::ScalableTag<Widest<Lane<T>, OutLane, Lane<In>...>>();
    }
  }
  template <typename... In>
  static constexpr bool InPairs(TypeList<In...>) {
    return HWY_TARGET != HWY_SCALAR && std::is_same_v<Out, BFloat16> && (std::is_same_v<In, BFloat16> && ...);
  }

  // As many on targets that permute: whose vectors have one length.
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(decltype(WideTag(InputsOf<Op, T>()))()));

  // From vectors of operands to one of results, all as they are stored.
  template <typename... In, class Wide, class A, class... V>
  static HWY_INLINE hn::Vec<StoredTag<Out, Wide>> ResultOf(Wide, const A& attributes, V... v) {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (InPairs(TypeList<In...>())) {
      const hn::Repartition<float, Wide> d;
      const auto lower = VectorOf<Op, T>(d, attributes, WidenLowerOfPairs(d, v)...);
      return RoundToPairs(d, lower, VectorOf<Op, T>(d, attributes, WidenUpperOfPairs(d, v)...));
    }
#endif
    if constexpr (!InPairs(TypeList<In...>())) {
      const hn::Rebind<OutLane, Wide> d_out;
      return ToStored<Out>(
          d_out, VectorOf<Op, T>(hn::Rebind<Lane<T>, Wide>(), attributes, FromStored<In>(hn::Rebind<Lane<In>, Wide>(), v)...));
    }
  }

  // All rows of a tile of at least one vector of cols, each operand X being Streamed or Splat.
  template <class... X>
  static HWY_INLINE void RunPattern(const Tile& tile, const void* const* inputs, void* out) {
    const auto run = [&tile, out](const auto&... x) HWY_ATTR {
      const auto attributes = ReadAttributes<Op, T>(tile);
      if constexpr (kTakesAbreast<Op, T> && std::is_same_v<SpecialRows, NoSpecialRows> && (X::kStreamed && ...)) {
        if (RunsAbreast(tile)) {
          using Abreast = AbreastRows<ElementwiseRows, Op, T>;
          return tile.stream && !tile.into_caches ? Abreast::template Run<true>(tile, out, attributes, x...)
                                                  : Abreast::template Run<false>(tile, out, attributes, x...);
        }
      }
      RunRows(tile, out, attributes, x...);
    };
    WithOperands<X...>(tile, inputs, run, std::index_sequence_for<X...>());
  }
  // The same of a tile that is not streamed and is one row, or rows that follow each other for all operands.
  template <class... X>
  static HWY_INLINE void RunLongRow(const Tile& tile, const void* const* inputs, void* out) {
    const auto run = [&tile, out](const auto&... x) HWY_ATTR { RunOneRow(tile, out, x...); };
    WithOperands<X...>(tile, inputs, run, std::index_sequence_for<X...>());
  }
  template <class... X>
  static HWY_INLINE void RunOneRow(const Tile& tile, void* out, const X&... x) {
    const auto n = static_cast<std::size_t>(tile.rows * tile.cols);
    Row<false>(Streaming(), static_cast<Stored<Out>*>(out), n, ReadAttributes<Op, T>(tile), x...);
  }
  // As RunPattern, for operands that may be of other kinds, not all of them splat.
  template <class A, class... X>
  static HWY_INLINE void RunRows(const Tile& tile, void* out_rows, const A attributes, X... x) {
    if (tile.stream && !(tile.into_caches && kAsksForHalves<X...>)) return StreamedRows(tile, out_rows, attributes, x...);
    JoinedOrSeparateRows<false>(tile, out_rows, attributes, x...);
  }
  // In one function with those that are not streamed, both have too few registers: short rows in L2 take 1.3 times as long.
  template <class A, class... X>
  static HWY_NOINLINE void StreamedRows(const Tile& tile, void* out_rows, const A attributes, X... x) {
    JoinedOrSeparateRows<true>(tile, out_rows, attributes, x...);
  }
  template <bool kStream, class A, class... X>
  static HWY_INLINE void JoinedOrSeparateRows(const Tile& tile, void* out_rows, const A attributes, X... x) {
    const auto cols = static_cast<std::size_t>(tile.cols);
    auto* const out = static_cast<std::byte*>(out_rows);
    constexpr bool kAnySplat = !(X::kStreamed && ...);
    constexpr int kArity = sizeof...(X);
    using D = StoredTag<Out, decltype(WideTag(InputsOf<Op, T>()))>;
    if constexpr (kAnySplat && !SpecialRows::template kTakes<T> && !HasBySplat<Op, T>()) {
      const std::size_t lanes = hn::Lanes(WideTag(InputsOf<Op, T>()));
      const bool dense = tile.out_row_stride == static_cast<std::int64_t>(cols * sizeof(Stored<Out>)) && (x.Joins(cols) && ...);
      if (dense && tile.rows > 1 && cols % lanes != 0) {
        const std::size_t n = static_cast<std::size_t>(tile.rows) * cols;
        return Joined::template Run<kStream>(StreamingOf<Out, D>(tile, kArity), reinterpret_cast<Stored<Out>*>(out), tile.rows,
                                             cols, n, attributes, x...);
      }
    }
    SeparateRows<kStream>(StreamingOf<Out, D>(tile, kArity), out, tile.out_row_stride, tile.rows, cols, attributes, x...);
  }

  // Elements [i, i + lanes), all of the row that the operands stand at.
  template <class Wide, class A, class... X>
  static HWY_INLINE auto Result(Wide wide, std::size_t i, const A& attributes, const X&... x) {
    return ResultOf<typename X::Element...>(wide, attributes, x.Load(StoredTag<typename X::Element, Wide>(), i)...);
  }

  // Whether loops over a long row ask for what comes later although nobody says so: of one stream of halves. Of two, same_shape of
  // bfloat16 takes 1.17 times as long from L3 (Zen 4).
  template <class... X>
  static constexpr bool kAsksForHalves =
      kAsksInCaches && !SpecialRows::template kTakes<T> && (0 + ... + (X::kStreamed && kIsHalf<typename X::Element>)) == 1;
  // What a loop over a long row asks for at element i, before it computes its result.
  template <bool kStream, class... X>
  static HWY_INLINE void AskInLoop(std::size_t i, const X&... x) {
    if constexpr (kStream) {
      Ask(i, x...);
    } else if constexpr (kAsksForHalves<X...>) {
      (x.AskAhead(i), ...);
    }
  }
  // That, and then the result, stored.
  template <class Wide, class A, class... X>
  static HWY_INLINE void StoreAhead(Wide wide, std::size_t i, Stored<Out>* out, const A& attributes, const X&... x) {
    AskInLoop<false>(i, x...);
    if constexpr (kInHalves) {
      const hn::Half<Wide> half;
      const hn::Rebind<Stored<Out>, decltype(half)> d_half;
      const std::size_t lanes = hn::Lanes(half);
      const auto lower = Result(half, i, attributes, x...), upper = Result(half, i + lanes, attributes, x...);
      hn::StoreU(lower, d_half, out + i);
      hn::StoreU(upper, d_half, out + i + lanes);
    } else {
      const hn::Rebind<Stored<Out>, Wide> d_stored;
      hn::StoreU(Result(wide, i, attributes, x...), d_stored, out + i);
    }
  }
  // The same of a loop that streams: whole lines, after Ask(i, x...).
  template <class... X>
  static HWY_INLINE void Ask(std::size_t i, const X&... x) {
    (x.AskToStream(i), ...);
  }
  template <class Wide, class A, class... X>
  static HWY_INLINE auto ResultToStream(Wide wide, std::size_t i, const A& attributes, const X&... x) {
    if constexpr (kInHalves) {
      const hn::Half<Wide> half;
      const auto lower = Result(half, i, attributes, x...), upper = Result(half, i + hn::Lanes(half), attributes, x...);
      return Combine(hn::Rebind<Stored<Out>, Wide>(), upper, lower);  // hn's, by its arguments: HWY_SCALAR has none
    } else {
      return Result(wide, i, attributes, x...);
    }
  }
  template <bool kStream, class Wide, class A, class... X>
  static HWY_INLINE auto ResultOfRun(Wide wide, std::size_t i, const A& attributes, const X&... x) {
    if constexpr (kStream) {
      return ResultToStream(wide, i, attributes, x...);
    } else {
      return Result(wide, i, attributes, x...);
    }
  }

  // Where the vectors begin that are stored one after the other: at the first boundary of a vector behind out[0] or, of what is
  // streamed, at out[0] if that is on one, so that all of its line is streamed at once.
  template <bool kStream, class D>
  static HWY_INLINE std::size_t Begin(D d, const Stored<Out>* out) {
    const std::size_t misalignment = Misalignment(d, out);
    return kStream && misalignment == 0 ? 0 : hn::Lanes(d) - misalignment;
  }

 private:
  template <class... X, class F, std::size_t... kInput>
  static HWY_INLINE void WithOperands(const Tile& tile, const void* const* inputs, const F& run, std::index_sequence<kInput...>) {
    run(X(RowsOf(tile, inputs, kInput))...);
  }

  template <bool kStream, class A, class... X>
  static HWY_INLINE void SeparateRows(Streaming streaming, std::byte* out, std::int64_t out_row_stride, std::int64_t rows,
                                      std::size_t cols, const A attributes, X... x) {
    if constexpr (!SpecialRows::template kTakes<T>) {
      if (Whole::template IsFor<kStream>(out, out_row_stride, cols)) {
        return Whole::template Run<kStream>(streaming, out, out_row_stride, rows, cols, attributes, x...);
      }
    }
    if constexpr (kStream) (x.SetAhead(AheadOfStream(streaming)), ...);
    for (;;) {
      Row<kStream>(streaming, reinterpret_cast<Stored<Out>*>(out), cols, attributes, x...);
      if (--rows == 0) return;  // before NextRow: a splat reads its value there
      out += out_row_stride;
      (x.NextRow(), ...);
    }
  }

  // Computes out[0, n), n being at least a vector. A ragged end is a whole vector that overlaps the one before it, and so is the
  // first vector of a longer row that begins off a vector's boundary, so that the others are stored on it. As `out` may be exactly
  // a streamed input, both are loaded before anything is written. Recomputed elements get the same bits again. A row without ragged
  // ends that is streamed goes straight through: reading the end of a row first costs a tenth where it comes from memory.
  template <bool kStream, class A, class... X>
  static HWY_INLINE void Row(Streaming streaming, Stored<Out>* out, std::size_t n, const A& attributes, const X&... x) {
    if constexpr (SpecialRows::template kTakes<T>) {
      if (!SpecialRows::template Row<kStream, Op, T>(streaming, out, n, attributes, x...)) {
        VectorRow<false>(streaming, out, n, attributes, x...);
      }
    } else {
      VectorRow<kStream>(streaming, out, n, attributes, x...);
    }
  }
  template <bool kStream, class A, class... X>
  static HWY_INLINE void VectorRow(Streaming streaming, Stored<Out>* out, std::size_t n, const A& attributes, const X&... x) {
    const auto wide = WideTag(InputsOf<Op, T>());
    const hn::Rebind<Stored<Out>, decltype(wide)> d_stored;
    const std::size_t lanes = hn::Lanes(wide);
    const OutputRun<Stored<Out>> run(kStream, out, n, streaming);
    const std::size_t last = n - lanes;
    if constexpr (kStream) {
      const std::size_t begin = Begin<kStream>(d_stored, out);
      const bool goes_through = begin == 0 && n % lanes == 0;
      auto first_result = hn::Zero(d_stored), last_result = first_result;
      if (!goes_through) {
        last_result = Result(wide, last, attributes, x...);
        first_result = Result(wide, 0, attributes, x...);
      }
      // The vector that ends at n is stored alone, or is one of all.
      run.StoreVectors(
          d_stored, out, begin,
          goes_through ? n : n - 1, [&](std::size_t i) HWY_ATTR __attribute__((always_inline)) { Ask(i, x...); },
          [&](std::size_t i) HWY_ATTR { return ResultToStream(wide, i, attributes, x...); });
      if (begin > 0) run.StoreFirst(first_result, d_stored, out);
      if (!goes_through) run.StoreLast(last_result, d_stored, out + last);
      return;
    }
    const auto last_result = Result(wide, last, attributes, x...);
    const auto first_result = Result(wide, 0, attributes, x...);
    // Of up to two vectors the first and the last one are all. One between them in some rows, and not in others, is not predicted:
    // 1.02 to 1.25 times as long in L1. From two vectors and an element on, rows that are not aligned take 1.1 times as long.
    const std::size_t begin = n <= 2 * lanes ? lanes : Begin<kStream>(d_stored, out);
    HWY_UNROLL(2)  // 0.75 of the time in L1
    for (std::size_t i = begin; i < last; i += lanes) StoreAhead(wide, i, out, attributes, x...);
    run.StoreFirst(first_result, d_stored, out);
    run.StoreLast(last_result, d_stored, out + last);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
