// The rows of a tile whose inputs are one streamed and one repeated: each vector of the repeated one is loaded once, and its lanes
// are permuted for every vector of results. By way of scratch, calls of float32 in caches take 1.3 to 1.5 times as long with
// AVX-512; where permuting takes more than an instruction (AVX2 but for 4 bytes, SSE4), that is faster.
#if defined(AXISCAST_KIT_REPEATED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_REPEATED_INL_H_
#undef AXISCAST_KIT_REPEATED_INL_H_
#else
#define AXISCAST_KIT_REPEATED_INL_H_
#endif

#include <type_traits>

#include "axiscast/kit/operand-inl.h"
#include "axiscast/kit/permute-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What is permuted: float16 is widened before, once for `repeat` vectors of results.
template <typename T>
using Permuted = std::conditional_t<std::is_same_v<T, Float16>, float, T>;

// Whether ElementwiseRows of an op heeds TileInput::repeat: two inputs of T, a result of T, and arithmetic so short that they gain.
template <class Op, typename T>
inline constexpr bool kTakesRepeated = kPermutesLanes<sizeof(Stored<Permuted<T>>)>&&
                                           std::is_same_v<InputsOf<Op, T>, TypeList<T, T>>&& std::is_same_v<OutOf<Op, T>, T> &&
                                       !IsCompact<Op, T>();

// Rows is ElementwiseRows of the op and T; the op's operand kRepeated is the repeated one.
template <class Rows, class Op, typename T, int kRepeated>
class RepeatedRows {
 public:
  static HWY_NOINLINE void Run(const Tile& tile, const TileInput& repeated_input, const TileInput& streamed_input) {
    const std::size_t lanes = hn::Lanes(Wide());
    const auto attributes = ReadAttributes<Op, T>(tile);
    const auto cols = static_cast<std::size_t>(tile.cols);
    const auto repeat = static_cast<std::size_t>(repeated_input.repeat);
    const std::size_t rest = cols / repeat % lanes * repeat;  // cols of the elements that do not fill a vector
    HWY_ALIGN Index indices[kMaxRepeat * hn::MaxLanes(DIndex())];
    ExpandTable(repeat, indices);
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      const Element* repeated = ElementOf<T>(repeated_input, r, 0);
      const Element* streamed = ElementOf<T>(streamed_input, r, 0);
      auto* out = reinterpret_cast<Element*>(static_cast<std::byte*>(tile.out) + r * tile.out_row_stride);
      if (tile.stream && Rows::Misalignment(D(), out) == 0) {
        WholeVectors<true>(repeated, streamed, out, cols - rest, repeat, indices, attributes);
      } else {
        WholeVectors<false>(repeated, streamed, out, cols - rest, repeat, indices, attributes);
      }
      if (rest == 0) continue;
      const auto v = ToRepeated(hn::LoadN(D(), repeated + (cols - rest) / repeat, rest / repeat));
      for (std::size_t q = 0; q < rest; q += lanes) {
        const std::size_t i = cols - rest + q, some = HWY_MIN(lanes, rest - q);
        hn::StoreN(Result(hn::LoadN(D(), streamed + i, some), Part(v, indices + q), attributes), D(), out + i, some);
      }
    }
  }

 private:
  using Wide = decltype(Rows::WideTag(TypeList<T, T>()));
  using D = StoredTag<T, Wide>;
  using V = hn::Vec<D>;
  using Element = Stored<T>;
  using Repeated = Permuted<T>;
  using DRepeated = StoredTag<Repeated, Wide>;
  using VRepeated = hn::Vec<DRepeated>;

  static HWY_INLINE VRepeated ToRepeated(V v) {
    if constexpr (std::is_same_v<T, Repeated>) {
      return v;
    } else {
      return FromStored<T>(DRepeated(), v);
    }
  }
  // Where the elements of a repeated vector's parts come from.
  using DIndex = hn::RebindToUnsigned<DRepeated>;
  using Index = hn::TFromD<DIndex>;
  static HWY_INLINE void ExpandTable(std::size_t repeat, Index* indices) {
    const std::size_t lanes = hn::Lanes(DIndex());
    for (std::size_t q = 0; q < lanes * repeat; q += lanes) {
      hn::Store(LoadTable(DIndex(), kRepeatTables.of[repeat] + q), DIndex(), indices + q);
    }
  }
  static HWY_INLINE VRepeated Part(VRepeated v, const Index* indices) {
    return hn::TableLookupLanes(v, hn::IndicesFromVec(DRepeated(), hn::Load(DIndex(), indices)));
  }
  template <class A>
  static HWY_INLINE V Result(V streamed, VRepeated repeated, const A& attributes) {
    if constexpr (kRepeated == 0) {
      return Rows::template ResultOf<Repeated, T>(Wide(), attributes, repeated, streamed);
    } else {
      return Rows::template ResultOf<T, Repeated>(Wide(), attributes, streamed, repeated);
    }
  }

  // Computes out[0, n), n being `repeat` times a multiple of the lanes. The tables stay in registers; which parts there are is
  // predicted. A loop over parts inside of another one took twice as long, and tables that are loaded for each part 1.2 times.
  template <bool kStream, class A>
  static HWY_INLINE void WholeVectors(const Element* repeated, const Element* streamed, Element* out, std::size_t n,
                                      std::size_t repeat, const Index* indices, const A attributes) {
    static_assert(kMaxRepeat == 8);
    const std::size_t lanes = hn::Lanes(D());
    const auto table = [&](std::size_t part) HWY_ATTR {
      return hn::IndicesFromVec(DRepeated(), hn::Load(DIndex(), indices + HWY_MIN(part, repeat - 1) * lanes));
    };
    const auto t0 = table(0), t1 = table(1), t2 = table(2), t3 = table(3), t4 = table(4), t5 = table(5), t6 = table(6),
               t7 = table(7);
    for (std::size_t i = 0; i < n; i += repeat * lanes, repeated += lanes) {
      const auto v = ToRepeated(hn::LoadU(D(), repeated));
      const auto compute = [&](const auto& t, std::size_t part) HWY_ATTR {
        const std::size_t at = i + part * lanes;
        Rows::template Store<kStream>(Result(hn::LoadU(D(), streamed + at), hn::TableLookupLanes(v, t), attributes), D(), out + at);
      };
      compute(t0, 0), compute(t1, 1);
      if (repeat > 2) compute(t2, 2);
      if (repeat > 3) compute(t3, 3);
      if (repeat > 4) compute(t4, 4);
      if (repeat > 5) compute(t5, 5);
      if (repeat > 6) compute(t6, 6);
      if (repeat > 7) compute(t7, 7);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
