// Which loops compute a tile: by its kinds of inputs, rows, cols and strides, which a plan knows long before the pointers.
#if defined(AXISCAST_KIT_CHOOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_CHOOSE_INL_H_
#undef AXISCAST_KIT_CHOOSE_INL_H_
#else
#define AXISCAST_KIT_CHOOSE_INL_H_
#endif

#include <type_traits>
#include <utility>

#include "axiscast/kit/compact-inl.h"
#include "axiscast/kit/periodic-inl.h"
#include "axiscast/kit/permuted-inl.h"
#include "axiscast/kit/recurring-inl.h"
#include "axiscast/kit/rows-inl.h"
#include "axiscast/kit/spread-inl.h"
#include "axiscast/kit/transposed-inl.h"
#include "axiscast/kit/widened-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Of an op whose rows are ElementwiseRows. Chosen for each call anew, a call of 16 elements takes 15 ns instead of 10.
template <class Op, typename T, class SpecialRows = NoSpecialRows>
class RowsChoice {
  static_assert(!Commutes<Op, T>() || std::is_same_v<InputsOf<Op, T>, TypeList<T, T>>,
                "axiscast: kCommutes is for ops whose two inputs are T");
  using Rows = ElementwiseRows<Op, T, SpecialRows>;
  using RowsInHalves = ElementwiseRows<Op, T, SpecialRows, true>;
  // Whether there are loops for Tile::halves: with AVX-512, of ops that take less than what they load, and of those ops with
  // float16 too (an addition takes 0.89 of the time in L1). Half as long, divisions take 1.1 times as long in L1, and `where`,
  // whose inputs are of two sizes, 1.15 times.
  static constexpr bool kIsStoredOrFloat16 = std::is_same_v<T, Float16> || sizeof(Stored<T>) == sizeof(Lane<T>);
  static constexpr bool kMayHalve = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3 && !std::is_same_v<T, hwy::float16_t> &&
                                    std::is_same_v<SpecialRows, NoSpecialRows> && kHasLoops<Op, T> &&
                                    std::is_same_v<InputsOf<Op, T>, TypeList<T, T>> && std::is_same_v<OutOf<Op, T>, T> &&
                                    kIsStoredOrFloat16 && CyclesOf<Op, Computed<T>>() <= 1;

 public:
  // As Kernel::choose.
  static HWY_INLINE KernelFunction Choose(const Tile& tile) {
    if constexpr (kSpreads<Op, T> && std::is_same_v<SpecialRows, NoSpecialRows>) {
      if (tile.out_step > 1) return &SpreadRows<Rows, Op, T>::Run;
    }
    if constexpr (std::is_same_v<SpecialRows, NoSpecialRows> && Op::kInfo.arity == 2) {
      if (const KernelFunction first = OfOrder<0>(tile); first != nullptr) return first;
      if (const KernelFunction second = OfOrder<1>(tile); second != nullptr) return second;
      if (!RunsAbreast(tile)) {
        if (const KernelFunction first = OfSameRows<0>(tile); first != nullptr) return first;
        if (const KernelFunction second = OfSameRows<1>(tile); second != nullptr) return second;
      }
    }
    bool all_splat = true;
    for (int i = 0; i < Op::kInfo.arity; ++i) all_splat = all_splat && tile.in[i].splat;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(Rows::WideTag(InputsOf<Op, T>())));
    if constexpr (HasBySplat<Op, T>()) {
      // Computing what depends on the one value is worth some vectors.
      const bool pays = tile.in[1].row_stride == 0 || tile.cols >= 8 * lanes;
      if (tile.in[1].splat && !tile.in[0].splat && tile.cols >= lanes && pays) {
        return &BySplatValue;
      }
    }
    if constexpr (kHasLoops<Op, T>) {
      if (!all_splat && tile.cols >= lanes) return OfSplatPattern(tile, InputsOf<Op, T>());
    }
    return &Compact;
  }

 private:
  // As which an op's input takes part in loops for either: those of one that commutes are compiled once.
  template <int kInput>
  static constexpr int kAs = Commutes<Op, T>() ? 1 : kInput;

  // The loops for an input that is permuted, transposed or recurring; null: it is none of these.
  template <int kInput>
  static HWY_INLINE KernelFunction OfOrder([[maybe_unused]] const Tile& tile) {
    if constexpr (kTakesPermuted<Op, T>) {
      if (const Permutation* const permutation = tile.in[kInput].permutation; permutation != nullptr) {
        return PermutedKernel<kInput>(PermutedRows<Rows, Op, T, kAs<kInput>>::Choose(tile, *permutation),
                                      std::make_index_sequence<static_cast<std::size_t>(PermutedLoops::kCount)>());
      }
    }
    if constexpr (kTakesTransposed<Op, T>) {
      if (tile.in[kInput].transposed) return &Transposed<kInput>;
    }
    if constexpr (kTakesRecurring<Op, T>) {
      if (tile.in[kInput].period > 0) return &Recurring<kInput>;
    }
    return nullptr;
  }
  // The loops for an input that is the same in all rows, neither input being of those; null: it is not.
  template <int kInput>
  static HWY_INLINE KernelFunction OfSameRows(const Tile& tile) {
    [[maybe_unused]] const TileInput &input = tile.in[kInput], &other = tile.in[1 - kInput];
    if constexpr (kTakesWidened<Op, T>) {
      if (WidenedRows<Rows, Op, T, kAs<kInput>>::Pays(tile, input, other)) return &Widened<kInput>;
    }
    if constexpr (kTakesPeriodic<Op, T>) {
      using Periodic = PeriodicRows<Rows, Op, T, kAs<kInput>>;
      if (Periodic::Repeats(tile, input, other)) {
        return Periodic::IsRagged(tile) ? &Joined<kInput> : Periodic::Pays(tile) ? &Kept<kInput> : &Whole<kInput>;
      }
    }
    return nullptr;
  }
  template <int kInput, std::size_t... kLoops>
  static HWY_INLINE KernelFunction PermutedKernel(PermutedLoops loops, std::index_sequence<kLoops...>) {
    static constexpr KernelFunction kKernels[] = {&Permuted<kInput, static_cast<PermutedLoops>(kLoops)>...};
    return kKernels[static_cast<std::size_t>(loops)];
  }
  template <int kInput, PermutedLoops kLoops>
  static void Permuted(const Tile& tile, const void* const* inputs, void* out) {
    PermutedRows<Rows, Op, T, kAs<kInput>>::template Run<kLoops>(tile, inputs, out, kInput);
  }
  template <int kInput>
  static void Transposed(const Tile& tile, const void* const* inputs, void* out) {
    TransposedRows<Rows, Op, T, kAs<kInput>>::Run(tile, RowsOf(tile, inputs, kInput), RowsOf(tile, inputs, 1 - kInput), out);
  }
  template <int kInput>
  static void Widened(const Tile& tile, const void* const* inputs, void* out) {
    WidenedRows<Rows, Op, T, kAs<kInput>>::Run(tile, RowsOf(tile, inputs, kInput), RowsOf(tile, inputs, 1 - kInput), out);
  }
  template <int kInput>
  static void Recurring(const Tile& tile, const void* const* inputs, void* out) {
    RecurringRows<Rows, Op, T, kAs<kInput>>::Run(tile, tile.in[kInput], inputs[kInput], RowsOf(tile, inputs, 1 - kInput), out);
  }
  template <int kInput>
  static void Joined(const Tile& tile, const void* const* inputs, void* out) {
    PeriodicRows<Rows, Op, T, kAs<kInput>>::RunJoined(tile, inputs[kInput], inputs[1 - kInput], out);
  }
  template <int kInput>
  static void Kept(const Tile& tile, const void* const* inputs, void* out) {
    if (tile.stream && !(tile.into_caches && kIsHalf<T>)) return Whole<kInput>(tile, inputs, out);
    PeriodicRows<Rows, Op, T, kAs<kInput>>::Run(tile, inputs[kInput], inputs[1 - kInput], out);
  }
  // Rows of whole vectors. Streamed, short ones and those off a vector's boundary are joined.
  template <int kInput>
  static void Whole(const Tile& tile, const void* const* inputs, void* out) {
    using Periodic = PeriodicRows<Rows, Op, T, kAs<kInput>>;
    if (tile.stream && Periodic::IsJoined(tile, out)) return Joined<kInput>(tile, inputs, out);
    if constexpr (kMayHalve) {
      if (tile.halves) return PatternInHalves<Streamed<T>, Streamed<T>>(tile, inputs, out);
    }
    Pattern<Streamed<T>, Streamed<T>>(tile, inputs, out);
  }

  // Of at least one vector of cols, at least one input being streamed. One row has loops of its own where that is one more for an
  // op: with splat inputs as well, other than of ops that commute (RowAndSplat), the library would be a sixth larger.
  template <class... X>
  static HWY_INLINE KernelFunction OfSplatPattern(const Tile& tile, TypeList<>) {
    if constexpr (kMayHalve && (X::kStreamed && ...)) {
      if (tile.halves) {
        const bool long_row = tile.rows == 1 || IsDense<X...>(tile, std::index_sequence_for<X...>());
        return long_row ? &LongRowInHalves<X...> : &PatternInHalves<X...>;
      }
    }
    if constexpr ((X::kStreamed && ...)) {
      return tile.rows == 1 || IsDense<X...>(tile, std::index_sequence_for<X...>()) ? &LongRow<X...> : &Pattern<X...>;
    } else if constexpr ((X::kStreamed || ...)) {
      return &Pattern<X...>;
    } else {
      return &Compact;
    }
  }
  template <class... X, typename In, typename... Rest>
  static HWY_INLINE KernelFunction OfSplatPattern(const Tile& tile, TypeList<In, Rest...>) {
    if constexpr (Commutes<Op, T>() && sizeof...(X) == 0) {
      if (tile.in[0].splat || tile.in[1].splat) return tile.rows == 1 ? &RowAndSplat : &RowsAndSplat;
      return OfSplatPattern<Streamed<T>, Streamed<T>>(tile, TypeList<>());
    } else {
      if (tile.in[sizeof...(X)].splat) return OfSplatPattern<X..., Splat<In>>(tile, TypeList<Rest...>());
      return OfSplatPattern<X..., Streamed<In>>(tile, TypeList<Rest...>());
    }
  }
  // Do rows follow each other, for all operands?
  template <class... X, std::size_t... kInput>
  static HWY_INLINE bool IsDense(const Tile& tile, std::index_sequence<kInput...>) {
    const auto follows = [&tile](std::int64_t row_stride, std::size_t size)
                             HWY_ATTR { return row_stride == tile.cols * static_cast<std::int64_t>(size); };
    return follows(tile.out_row_stride, sizeof(Stored<OutOf<Op, T>>)) &&
           (follows(tile.in[kInput].row_stride, sizeof(Stored<typename X::Element>)) && ...);
  }
  template <class... X>
  static HWY_NOINLINE void LongRow(const Tile& tile, const void* const* inputs, void* out) {
    if (tile.stream) return Pattern<X...>(tile, inputs, out);
    Rows::template RunLongRow<X...>(tile, inputs, out);
  }
  template <class... X>
  static HWY_NOINLINE void Pattern(const Tile& tile, const void* const* inputs, void* out) {
    Rows::template RunPattern<X...>(tile, inputs, out);
  }
  template <class... X>
  static HWY_NOINLINE void LongRowInHalves(const Tile& tile, const void* const* inputs, void* out) {
    if (tile.stream) return PatternInHalves<X...>(tile, inputs, out);
    RowsInHalves::template RunLongRow<X...>(tile, inputs, out);
  }
  template <class... X>
  static HWY_NOINLINE void PatternInHalves(const Tile& tile, const void* const* inputs, void* out) {
    RowsInHalves::template RunPattern<X...>(tile, inputs, out);
  }
  // Either input of an op that commutes being splat. With a loop for many rows beside it, one of 2047 elements takes 5 ns more for
  // the registers that are saved.
  static HWY_NOINLINE void RowAndSplat(const Tile& tile, const void* const* inputs, void* out) {
    if (tile.stream) return RowsAndSplat(tile, inputs, out);
    const int splat = tile.in[0].splat ? 0 : 1;
    Rows::RunOneRow(tile, out, Streamed<T>(RowsOf(tile, inputs, 1 - splat)), Splat<T>(RowsOf(tile, inputs, splat)));
  }
  static HWY_NOINLINE void RowsAndSplat(const Tile& tile, const void* const* inputs, void* out) {
    const int splat = tile.in[0].splat ? 0 : 1;
    Rows::RunRows(tile, out, ReadAttributes<Op, T>(tile), Streamed<T>(RowsOf(tile, inputs, 1 - splat)),
                  Splat<T>(RowsOf(tile, inputs, splat)));
  }

  static HWY_NOINLINE void BySplatValue(const Tile& tile, const void* const* inputs, void* out) {
    using BySplatRows = ElementwiseRows<BySplat<Op>, T>;
    if constexpr (HasByValue<Op, T>()) {
      using Value = typename Op::template ByValue<T>;
      Tile part = tile;  // of one value
      if (tile.in[1].row_stride != 0) part.rows = 1;
      InputRows x = RowsOf(tile, inputs, 0), y = RowsOf(tile, inputs, 1);
      auto* result = static_cast<std::byte*>(out);
      for (std::int64_t left = tile.rows; left > 0; left -= part.rows) {
        if (const T value = *y.Row<T>(0); Value::Takes(value)) {
          ElementwiseRows<ByValueOf<Op>, T>::RunRows(part, result, Value(value), Streamed<T>(x));
        } else {
          BySplatRows::RunRows(part, result, ReadAttributes<Op, T>(tile), Streamed<T>(x), Splat<T>(y));
        }
        x.data += x.row_stride, y.data += y.row_stride, result += tile.out_row_stride;
      }
    } else {
      BySplatRows::template RunPattern<Streamed<T>, Splat<T>>(tile, inputs, out);
    }
  }
  static HWY_NOINLINE void Compact(const Tile& tile, const void* const* inputs, void* out) {
    CompactRows<Rows, Op, T>::Run(tile, inputs, out, InputsOf<Op, T>());
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
