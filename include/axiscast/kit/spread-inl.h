// The rows of a tile whose results lie a few elements apart: vectors are spread in registers, and stored by masks, so that what
// lies between is not touched. By way of scratch, every second element of float32 takes 1.7 times as long in L1, 1.15 times in L2.
#if defined(AXISCAST_KIT_SPREAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_SPREAD_INL_H_
#undef AXISCAST_KIT_SPREAD_INL_H_
#else
#define AXISCAST_KIT_SPREAD_INL_H_
#endif

#include <type_traits>
#include <utility>

#include "axiscast/kit/operand-inl.h"
#include "axiscast/kit/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether ElementwiseRows of an op heeds Tile::out_step: short arithmetic, and results of 2 bytes or more.
template <class Op, typename T>
inline constexpr bool kSpreads = (kHasMaskedStore) && (kHasLoops<Op, T>)&&(sizeof(Stored<OutOf<Op, T>>) >= 2);

// Rows is ElementwiseRows of the op and T.
template <class Rows, class Op, typename T>
class SpreadRows {
 public:
  static HWY_NOINLINE void Run(const Tile& tile, const void* const* inputs, void* out) {
    RunOf(tile, inputs, static_cast<std::byte*>(out), InputsOf<Op, T>(), std::make_index_sequence<Op::kInfo.arity>());
  }

 private:
  using Out = Stored<OutOf<Op, T>>;
  using Wide = decltype(Rows::WideTag(InputsOf<Op, T>()));
  using D = StoredTag<OutOf<Op, T>, Wide>;
  using V = hn::Vec<D>;
  using DIndex = hn::RebindToUnsigned<D>;
  using Index = hn::TFromD<DIndex>;

  // An input's row: element i is at data[i & along].
  template <typename In>
  struct Row {
    using DIn = StoredTag<In, Wide>;
    HWY_INLINE hn::Vec<DIn> Load(std::size_t i) const { return hn::LoadU(DIn(), data + (i & along)); }
    HWY_INLINE hn::Vec<DIn> LoadSome(std::size_t i, std::size_t n) const { return hn::LoadN(DIn(), data + (i & along), n); }
    const Stored<In>* data;
    std::size_t along;  // all bits, or none
  };
  // An input. Of a row that is one value there is a vector.
  template <typename In>
  class Input {
   public:
    HWY_INLINE Input(InputRows rows, bool splat) : rows_(rows), splat_(splat) {}
    HWY_INLINE Row<In> At(std::int64_t row) {
      const Stored<In>* const data = rows_.Row<In>(row);
      if (!splat_) return {data, ~std::size_t{0}};
      hn::Store(hn::Set(StoredTag<In, Wide>(), *data), StoredTag<In, Wide>(), value_);
      return {value_, 0};
    }

   private:
    const InputRows rows_;
    const bool splat_;
    HWY_ALIGN Stored<In> value_[hn::MaxLanes(StoredTag<In, Wide>())];
  };

  template <typename... In, std::size_t... kInput>
  static HWY_INLINE void RunOf(const Tile& tile, const void* const* inputs, std::byte* out, TypeList<In...>,
                               std::index_sequence<kInput...>) {
    RunRows<In...>(tile, out, Input<In>(RowsOf(tile, inputs, kInput), tile.in[kInput].splat)...);
  }

  // One of the vectors over which a vector of results is spread: which results are in its lanes, and the lanes that are stored. (Of
  // vectors without a size there are no members: those targets have no masked stores of this kind.)
  struct Part {
    HWY_INLINE Part(std::size_t part, std::size_t step)
        : from(Results(part * hn::Lanes(D()), step)), mask(Stores(from, part * hn::Lanes(D()), step)) {}
    HWY_INLINE void Store(V v, hn::Mask<D> stored, Out* to) const {
      hwy::Prefetch(to + kMaskedStorePrefetch / sizeof(Out));
      hn::BlendedStore(hn::TableLookupLanes(v, hn::IndicesFromVec(D(), from)), stored, D(), to);
    }
    // Of them, those that are less than `span` lanes from the first one.
    HWY_INLINE void StoreBefore(std::size_t span, V v, Out* to) const {
      if (span > 0) Store(v, hn::And(mask, hn::FirstN(D(), HWY_MIN(span, hn::Lanes(D())))), to);
    }
    const hn::Vec<DIndex> from;
    const hn::Mask<D> mask;
  };

  template <typename... In>
  static HWY_INLINE void RunRows(const Tile& tile, std::byte* out, Input<In>&&... inputs) {
    static_assert(kMaxOutStep == 4);
    const std::size_t cols = static_cast<std::size_t>(tile.cols), step = static_cast<std::size_t>(tile.out_step);
    const Part p0(0, step), p1(1, step), p2(2, step), p3(3, step);  // which stay in registers
    for (std::int64_t r = 0; r < tile.rows; ++r, out += tile.out_row_stride) {
      RunRow(cols, step, reinterpret_cast<Out*>(out), ReadAttributes<Op, T>(tile), p0, p1, p2, p3, inputs.At(r)...);
    }
  }
  template <class A, typename... In>
  static HWY_INLINE void RunRow(std::size_t cols, std::size_t step, Out* out, const A& attributes, const Part& p0, const Part& p1,
                                const Part& p2, const Part& p3, Row<In>... x) {
    const Wide wide;
    const std::size_t lanes = hn::Lanes(D());
    std::size_t i = 0;
    for (; i + lanes <= cols; i += lanes) {
      const V v = Rows::template ResultOf<In...>(wide, attributes, x.Load(i)...);
      Out* const to = out + i * step;
      p0.Store(v, p0.mask, to), p1.Store(v, p1.mask, to + lanes);
      if (step == 2) continue;
      p2.Store(v, p2.mask, to + 2 * lanes);
      if (step == 3) continue;
      p3.Store(v, p3.mask, to + 3 * lanes);
    }
    if (i == cols) return;
    const V v = Rows::template ResultOf<In...>(wide, attributes, x.LoadSome(i, cols - i)...);
    const std::size_t span = (cols - i - 1) * step + 1;  // from the first of them to the last one
    Out* const to = out + i * step;
    const auto behind = [=](std::size_t part) { return span > part * lanes ? span - part * lanes : 0; };
    p0.StoreBefore(span, v, to), p1.StoreBefore(behind(1), v, to + lanes);
    p2.StoreBefore(behind(2), v, to + 2 * lanes), p3.StoreBefore(behind(3), v, to + 3 * lanes);
  }

  // Which results are in the lanes of a vector that begins with lane `at` of all: lane / step, of less than 4 * 32 lanes. Of those,
  // lane / 3 is lane * 171 >> 9.
  static HWY_INLINE hn::Vec<DIndex> Results(std::size_t at, std::size_t step) {
    const DIndex d;
    const auto lane = hn::Iota(d, static_cast<Index>(at));
    if (step != 3) return step == 2 ? hn::ShiftRight<1>(lane) : hn::ShiftRight<2>(lane);
    return hn::ShiftRight<9>(hn::Mul(lane, hn::Set(d, static_cast<Index>(171))));
  }
  // The lanes in which a result is stored.
  static HWY_INLINE hn::Mask<D> Stores(hn::Vec<DIndex> results, std::size_t at, std::size_t step) {
    const DIndex d;
    const auto twice = hn::Add(results, results);
    const auto first = step == 2 ? twice : step == 3 ? hn::Add(twice, results) : hn::Add(twice, twice);
    return hn::RebindMask(D(), hn::Eq(first, hn::Iota(d, static_cast<Index>(at))));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
