// The rows of a tile whose inputs are one streamed and one permuted: vectors are loaded where its elements lie, and their lanes put
// in order in registers. By way of scratch, calls of float32 in caches take 1.3 to 1.9 times as long with AVX-512; where permuting
// takes more than an instruction (AVX2 but for 4 bytes, SSE4), that is faster.
#if defined(AXISCAST_KIT_PERMUTED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_PERMUTED_INL_H_
#undef AXISCAST_KIT_PERMUTED_INL_H_
#else
#define AXISCAST_KIT_PERMUTED_INL_H_
#endif

#include <type_traits>

#include "axiscast/kit/operand-inl.h"
#include "axiscast/kit/periodic-inl.h"
#include "axiscast/kit/permute-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What is permuted: float16 is widened before, which is once for a group that is in one vector.
template <typename T>
using Permuted = std::conditional_t<std::is_same_v<T, Float16>, float, T>;

// Whether ElementwiseRows of an op heeds TileInput::permutation: two inputs of T, a result of T, and arithmetic so short that they
// gain.
template <class Op, typename T>
inline constexpr bool kTakesPermuted = kPermutesLanes<sizeof(Stored<Permuted<T>>)>&&
                                           std::is_same_v<InputsOf<Op, T>, TypeList<T, T>>&& std::is_same_v<OutOf<Op, T>, T> &&
                                       !IsCompact<Op, T>();

// Rows is ElementwiseRows of the op and T; the op's operand kPermuted is the permuted one.
template <class Rows, class Op, typename T, int kPermuted>
class PermutedRows {
 public:
  static HWY_NOINLINE void Run(const Tile& tile, const TileInput& permuted_input, const TileInput& streamed_input) {
    const Permutation& permutation = *permuted_input.permutation;
    const auto attributes = ReadAttributes<Op, T>(tile);
    const auto cols = static_cast<std::size_t>(tile.cols);
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      const auto* source = static_cast<const std::byte*>(permuted_input.data) + r * permuted_input.row_stride;
      const Element* streamed = ElementOf<T>(streamed_input, r, 0);
      auto* out = reinterpret_cast<Element*>(static_cast<std::byte*>(tile.out) + r * tile.out_row_stride);
      if (permutation.stride == 0) {
        AgainAndAgain(permutation, source, streamed, out, cols, tile.stream, attributes);
        continue;
      }
      std::size_t done;
      if (tile.stream && Rows::Misalignment(D(), out) == 0) {
        done = Groups<true>(permutation, &source, streamed, out, cols, attributes);
      } else {
        done = Groups<false>(permutation, &source, streamed, out, cols, attributes);
      }
      if (done < cols) Rest(permutation, source, streamed + done, out + done, cols - done, attributes);
    }
  }

 private:
  static constexpr int kLanes = Rows::kPermutedLanes;
  using Wide = decltype(Rows::WideTag(TypeList<T, T>()));
  using D = StoredTag<T, Wide>;
  using V = hn::Vec<D>;
  using Element = Stored<T>;
  using DPermuted = StoredTag<Permuted<T>, Wide>;
  using VPermuted = hn::Vec<DPermuted>;
  static constexpr std::int64_t kVectorBytes = kLanes * static_cast<std::int64_t>(sizeof(Element));

  static HWY_INLINE VPermuted ToPermuted(V v) {
    if constexpr (std::is_same_v<T, Permuted<T>>) {
      return v;
    } else {
      return FromStored<T>(DPermuted(), v);
    }
  }
  static HWY_INLINE VPermuted LoadAll(const std::byte* from) {
    return ToPermuted(hn::LoadU(D(), reinterpret_cast<const Element*>(from)));
  }
  // As much of it as lies before `end`.
  static HWY_INLINE VPermuted LoadBefore(const std::byte* end, const std::byte* from) {
    const std::int64_t bytes = end - from;
    if (bytes >= kVectorBytes) return LoadAll(from);
    if (bytes <= 0) return hn::Zero(DPermuted());
    return ToPermuted(hn::LoadN(D(), reinterpret_cast<const Element*>(from), static_cast<std::size_t>(bytes) / sizeof(Element)));
  }
  static HWY_INLINE auto TableOf(const Permutation& permutation, int part) {
    const hn::RebindToUnsigned<DPermuted> d;
    return hn::IndicesFromVec(DPermuted(), LoadTable(d, permutation.from + part * kLanes));
  }
  // A part of a group, of which what lies from `end` on is not read.
  static HWY_INLINE VPermuted PartBefore(const std::byte* end, const Permutation& permutation, int part, const std::byte* source) {
    const std::byte* const at = source + permutation.at[part];
    const auto table = TableOf(permutation, part);
    const VPermuted first = LoadBefore(end, at);
    if (permutation.once) return hn::TableLookupLanes(first, table);
    return hn::TwoTablesLookupLanes(DPermuted(), first, LoadBefore(end, at + kVectorBytes), table);
  }
  template <class A>
  static HWY_INLINE V Result(V streamed, VPermuted permuted, const A& attributes) {
    if constexpr (kPermuted == 0) {
      return Rows::template ResultOf<Permuted<T>, T>(Wide(), attributes, permuted, streamed);
    } else {
      return Rows::template ResultOf<T, Permuted<T>>(Wide(), attributes, streamed, permuted);
    }
  }

  // Whether elements may be the same in all groups: PeriodicRows has them then.
  static constexpr bool kTakesAgain = std::is_same_v<T, Permuted<T>>;

  // A row whose groups all have the same elements: put in order once.
  template <class A>
  static HWY_INLINE void AgainAndAgain(const Permutation& permutation, const std::byte* source, const Element* streamed,
                                       Element* out, std::size_t cols, bool stream, const A& attributes) {
    if constexpr (kTakesAgain) {
      using Periodic = PeriodicRows<Rows, Op, T, kPermuted>;
      HWY_ALIGN Element same[(kMaxParts + 1) * kLanes];  // a group, and its first vector once more
      const auto period = static_cast<std::size_t>(permutation.parts) * kLanes;
      for (int part = 0; part < permutation.parts; ++part) {
        hn::Store(PartBefore(source + permutation.reach, permutation, part, source), D(), same + part * kLanes);
      }
      hn::Store(hn::Load(D(), same), D(), same + period);
      if (cols >= Periodic::LeastCols()) {
        const std::size_t last = cols - kLanes, last_at = last % period;
        if (stream && Rows::Misalignment(D(), out) == 0) {
          Periodic::template LongRow<true>(same, period, last_at, streamed, out, last, attributes);
        } else {
          Periodic::template LongRow<false>(same, period, last_at, streamed, out, last, attributes);
        }
        return;
      }
      for (std::size_t i = 0, at = 0; i < cols; i += kLanes, at = at + kLanes == period ? 0 : at + kLanes) {
        const std::size_t some = HWY_MIN(static_cast<std::size_t>(kLanes), cols - i);
        hn::StoreN(Result(hn::LoadN(D(), streamed + i, some), hn::Load(D(), same + at), attributes), D(), out + i, some);
      }
    }
  }

  template <bool kStream, class A>
  static HWY_INLINE std::size_t Groups(const Permutation& permutation, const std::byte** source, const Element* streamed,
                                       Element* out, std::size_t cols, const A& attributes) {
    if (permutation.once) return WholeGroups<kStream, true>(permutation, source, streamed, out, cols, attributes);
    return WholeGroups<kStream, false>(permutation, source, streamed, out, cols, attributes);
  }

  // Computes as many groups from the first one on as may be read whole, moves `source` on and returns how many cols they are.
  // Tables stay in registers; which parts there are is predicted. A loop over parts inside of another one took twice as long, and
  // tables that are loaded for each part 1.2 to 1.7 times.
  template <bool kStream, bool kOnce, class A>
  static HWY_INLINE std::size_t WholeGroups(const Permutation& permutation, const std::byte** source, const Element* streamed,
                                            Element* out, std::size_t cols, const A attributes) {
    static_assert(kMaxParts == 8);
    const std::size_t lanes = kLanes;
    const int parts = permutation.parts;
    const std::size_t group = static_cast<std::size_t>(parts) * lanes, behind = group + static_cast<std::size_t>(permutation.slack);
    const auto table = [&](int part) HWY_ATTR { return TableOf(permutation, HWY_MIN(part, parts - 1)); };
    const auto t0 = table(0), t1 = table(1), t2 = table(2), t3 = table(3), t4 = table(4), t5 = table(5), t6 = table(6),
               t7 = table(7);
    const auto place = [&](int part) HWY_ATTR { return permutation.at[HWY_MIN(part, parts - 1)]; };
    const std::int64_t p0 = place(0), p1 = place(1), p2 = place(2), p3 = place(3), p4 = place(4), p5 = place(5), p6 = place(6),
                       p7 = place(7);
    const std::byte* from = *source + (kOnce ? permutation.at[0] : 0);
    const std::int64_t stride = permutation.stride;
    std::size_t i = 0;
    for (; i + behind <= cols; i += group, from += stride) {
      VPermuted once = hn::Undefined(DPermuted());
      if constexpr (kOnce) once = LoadAll(from);
      const auto compute = [&](const auto& t, std::int64_t bytes, std::size_t part) HWY_ATTR {
        VPermuted permuted = once;
        if constexpr (kOnce) {
          permuted = hn::TableLookupLanes(once, t);
        } else {
          const std::byte* const at = from + bytes;
          permuted = hn::TwoTablesLookupLanes(DPermuted(), LoadAll(at), LoadAll(at + kVectorBytes), t);
        }
        const std::size_t col = i + part * lanes;
        Rows::template Store<kStream>(Result(hn::LoadU(D(), streamed + col), permuted, attributes), D(), out + col);
      };
      compute(t0, p0, 0);
      if (parts > 1) compute(t1, p1, 1);
      if (parts > 2) compute(t2, p2, 2);
      if (parts > 3) compute(t3, p3, 3);
      if (parts > 4) compute(t4, p4, 4);
      if (parts > 5) compute(t5, p5, 5);
      if (parts > 6) compute(t6, p6, 6);
      if (parts > 7) compute(t7, p7, 7);
    }
    *source = from - (kOnce ? permutation.at[0] : 0);
    return i;
  }

  // The cols that are left, of which the first begins a group: nothing is read behind the last one's element.
  template <class A>
  static HWY_NOINLINE void Rest(const Permutation& permutation, const std::byte* source, const Element* streamed, Element* out,
                                std::size_t cols, const A attributes) {
    const auto steps = static_cast<std::int64_t>(cols / static_cast<std::size_t>(permutation.step_cols));
    const std::byte* const end = source + (steps - 1) * permutation.step_bytes + permutation.reach;
    int part = 0;
    for (std::size_t i = 0; i < cols; i += kLanes) {
      const std::size_t some = HWY_MIN(static_cast<std::size_t>(kLanes), cols - i);
      const VPermuted permuted = PartBefore(end, permutation, part, source);
      hn::StoreN(Result(hn::LoadN(D(), streamed + i, some), permuted, attributes), D(), out + i, some);
      if (++part < permutation.parts) continue;
      part = 0;
      source += permutation.stride;
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
