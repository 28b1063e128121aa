// The rows of a tile of whose inputs one is permuted and the same again and again: every group has the same elements, which are put
// in order once for a row.
#if defined(AXISCAST_KIT_PERMUTED_AGAIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_PERMUTED_AGAIN_INL_H_
#undef AXISCAST_KIT_PERMUTED_AGAIN_INL_H_
#else
#define AXISCAST_KIT_PERMUTED_AGAIN_INL_H_
#endif

#include "axiscast/kit/periodic-inl.h"
#include "axiscast/kit/permuted_part-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows is ElementwiseRows of the op and T, of which kTakesPeriodic holds; the op's operand kPermuted is the permuted one, which is
// the tile's input `permuted`.
template <class Rows, class Op, typename T, int kPermuted>
class PermutedAgainRows : PermutedPart<Rows, Op, T, kPermuted> {
  using Part = PermutedPart<Rows, Op, T, kPermuted>;
  using Periodic = PeriodicRows<Rows, Op, T, kPermuted>;
  using Part::kLanes;
  using typename Part::D;
  using typename Part::Element;
  using typename Part::VPermuted;

 public:
  // Whether groups are few vectors, put in order from one, and there is one long row: the group stays in registers.
  static HWY_INLINE bool IsKept(const Tile& tile, const Permutation& permutation) {
    return permutation.vectors == 1 && permutation.parts <= kFewParts && tile.rows == 1 && tile.cols >= LeastCols();
  }
  // Such a tile. With the other loops in one function, which leave no registers, calls in L1 took 5 ns more.
  static HWY_NOINLINE void RunKept(const Tile& tile, const void* const* inputs, void* out, int permuted) {
    if (tile.stream) return Run(tile, inputs, out, permuted);
    const Permutation& permutation = *tile.in[permuted].permutation;
    const auto* const source = static_cast<const std::byte*>(inputs[permuted]);
    const VPermuted once = Part::LoadBefore(source + permutation.reach, source + permutation.at[0]);
    const auto load = [&](std::size_t at) HWY_ATTR { return hn::TableLookupLanes(once, Part::TableFrom(permutation, at)); };
    const auto period = static_cast<std::size_t>(permutation.parts) * kLanes;
    Periodic::template LongRowOf<true>(tile, load, period, static_cast<const Element*>(inputs[1 - permuted]),
                                       static_cast<Element*>(out), static_cast<std::size_t>(tile.cols) - kLanes);
  }

  // Any other.
  static HWY_NOINLINE void Run(const Tile& tile, const void* const* inputs, void* out_rows, int permuted) {
    const InputRows permuted_rows = RowsOf(tile, inputs, permuted), streamed_rows = RowsOf(tile, inputs, 1 - permuted);
    const Permutation& permutation = *tile.in[permuted].permutation;
    const auto attributes = ReadAttributes<Op, T>(tile);
    HWY_ALIGN Element same[(kMaxParts + 1) * kLanes];  // a group, and its first vector once more
    const auto period = static_cast<std::size_t>(permutation.parts) * kLanes, cols = static_cast<std::size_t>(tile.cols);
    static_assert(kFewParts <= kMaxKept);  // registers hold the group
    const bool keeps = permutation.parts <= kFewParts && tile.cols >= LeastCols() && !tile.stream;
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      const Element* const streamed = streamed_rows.Row<T>(r);
      Element* const out = Part::OutOf(tile, out_rows, r);
      if (cols < period) {
        RunOnce(permutation, Part::SourceOf(permuted_rows, r), streamed, out, cols, attributes);
        continue;
      }
      PutInOrder(permutation, Part::SourceOf(permuted_rows, r), same);
      if (keeps) {
        Periodic::LongRow(tile, same, period, streamed, out, cols - kLanes);
        continue;
      }
      std::size_t i = 0;
      if (tile.stream && cols >= period) {
        Tile periods = tile;
        periods.rows = static_cast<std::int64_t>(Part::Quotient(cols, period));
        periods.cols = static_cast<std::int64_t>(period);
        periods.out_row_stride = static_cast<std::int64_t>(period * sizeof(Element));
        Periodic::RunJoined(periods, same, streamed, out);
        i = static_cast<std::size_t>(periods.rows) * period;
      } else {
        i = WholePeriods(same, period, streamed, out, cols, attributes);
      }
      for (std::size_t at = 0; i < cols; i += kLanes, at += kLanes) {
        Part::StoreSome(hn::Load(D(), same + at), streamed, out, i, cols, attributes);
      }
    }
  }

 private:
  static HWY_INLINE std::int64_t LeastCols() { return static_cast<std::int64_t>(Periodic::LeastCols()); }

  // A row's group, and its first vector once more.
  static HWY_INLINE void PutInOrder(const Permutation& permutation, const std::byte* source, Element* same) {
    const std::byte* const end = source + permutation.reach;
    if (permutation.vectors == 1) {
      const VPermuted once = Part::LoadBefore(end, source + permutation.at[0]);
      for (int part = 0; part < permutation.parts; ++part) {
        hn::Store(hn::TableLookupLanes(once, Part::TableOf(permutation, part)), D(), same + part * kLanes);
      }
    } else {
      for (int part = 0; part < permutation.parts; ++part) {
        hn::Store(Part::PartBefore(end, permutation, part, source + permutation.at[part]), D(), same + part * kLanes);
      }
    }
    hn::Store(hn::Load(D(), same), D(), same + permutation.parts * kLanes);
  }

  // Cols that are fewer than a group's: nothing comes again.
  template <class A>
  static HWY_INLINE void RunOnce(const Permutation& permutation, const std::byte* source, const Element* streamed, Element* out,
                                 std::size_t cols, const A& attributes) {
    const std::byte* const end = source + permutation.reach;
    const auto store = [&](VPermuted v, std::size_t i) HWY_ATTR { Part::StoreSome(v, streamed, out, i, cols, attributes); };
    if (permutation.vectors == 1) {
      const VPermuted once = Part::LoadBefore(end, source + permutation.at[0]);
      for (std::size_t i = 0; i < cols; i += kLanes) store(hn::TableLookupLanes(once, Part::TableFrom(permutation, i)), i);
      return;
    }
    for (std::size_t i = 0; i < cols; i += kLanes) {
      const int part = static_cast<int>(i / kLanes);
      store(Part::PartBefore(end, permutation, part, source + permutation.at[part]), i);
    }
  }

  // Cols that meet what is at `same` again and again, as long as whole periods of it are left. Returns where.
  template <class A>
  static HWY_INLINE std::size_t WholePeriods(const Element* same, std::size_t period, const Element* streamed, Element* out,
                                             std::size_t cols, const A& attributes) {
    std::size_t i = 0;
    for (; i + period <= cols; i += period) {
      for (std::size_t at = 0; at < period; at += kLanes) {
        hn::StoreU(Part::Result(hn::LoadU(D(), streamed + i + at), hn::Load(D(), same + at), attributes), D(), out + i + at);
      }
    }
    return i;
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
