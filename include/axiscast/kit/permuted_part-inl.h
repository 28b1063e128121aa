// One part of a group, and what is left of a row behind whole groups (permuted-inl.h).
#if defined(AXISCAST_KIT_PERMUTED_PART_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_PERMUTED_PART_INL_H_
#undef AXISCAST_KIT_PERMUTED_PART_INL_H_
#else
#define AXISCAST_KIT_PERMUTED_PART_INL_H_
#endif

#include <type_traits>

#include "axiscast/kit/operand-inl.h"
#include "axiscast/kit/permute-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What is permuted: float16 is widened before, which is once for a group that is in one vector.
template <typename T>
using Permuted = std::conditional_t<std::is_same_v<T, Float16>, float, T>;

// Rows is ElementwiseRows of the op and T; the op's operand kPermuted is the permuted one.
template <class Rows, class Op, typename T, int kPermuted>
class PermutedPart {
 protected:
  static constexpr int kLanes = Rows::kLanes;
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
  // Of a vector of results of the first group that begins at any element.
  static HWY_INLINE auto TableFrom(const Permutation& permutation, std::size_t element) {
    return hn::IndicesFromVec(DPermuted(), LoadTable(hn::RebindToUnsigned<DPermuted>(), permutation.from + element));
  }
  static HWY_INLINE auto TableOf(const Permutation& permutation, int part) {
    return hn::IndicesFromVec(DPermuted(), FromOf(permutation, part));
  }
  // A part that is in two vectors or more, the first of them at `at`, of which what lies from `end` on is not read.
  static HWY_INLINE VPermuted PartBefore(const std::byte* end, const Permutation& permutation, int part, const std::byte* at) {
    const VPermuted first = LoadBefore(end, at);
    const VPermuted second = LoadBefore(end, at + kVectorBytes);
    if (permutation.vectors == 2) return hn::TwoTablesLookupLanes(DPermuted(), first, second, TableOf(permutation, part));
    const VPermuted third = LoadBefore(end, at + 2 * kVectorBytes);
    const VPermuted fourth = permutation.vectors == 3 ? third : LoadBefore(end, at + 3 * kVectorBytes);
    return OfFour(permutation, part, first, second, third, fourth);
  }
  static HWY_INLINE auto FromOf(const Permutation& permutation, int part) {
    return LoadTable(hn::RebindToUnsigned<DPermuted>(), permutation.from + part * kLanes);
  }
  // Of a part in three or four vectors, which lanes come from the third or fourth, and where from in a pair.
  template <class VFrom>
  static HWY_INLINE auto IsUpper(VFrom from) {
    const hn::DFromV<VFrom> d;
    return hn::RebindMask(DPermuted(), hn::TestBit(from, hn::Set(d, static_cast<hn::TFromD<decltype(d)>>(2 * kLanes))));
  }
  template <class VFrom>
  static HWY_INLINE auto LowerTable(VFrom from) {
    const hn::DFromV<VFrom> d;
    return hn::IndicesFromVec(DPermuted(), hn::And(from, hn::Set(d, static_cast<hn::TFromD<decltype(d)>>(2 * kLanes - 1))));
  }
  // A part whose elements are in four vectors.
  static HWY_INLINE VPermuted OfFour(const Permutation& permutation, int part, VPermuted first, VPermuted second, VPermuted third,
                                     VPermuted fourth) {
    const auto from = FromOf(permutation, part);
    const auto table = LowerTable(from);
    return hn::IfThenElse(IsUpper(from), hn::TwoTablesLookupLanes(DPermuted(), third, fourth, table),
                          hn::TwoTablesLookupLanes(DPermuted(), first, second, table));
  }
  template <class A>
  static HWY_INLINE V Result(V streamed, VPermuted permuted, const A& attributes) {
    if constexpr (kPermuted == 0) {
      return Rows::template ResultOf<Permuted<T>, T>(Wide(), attributes, permuted, streamed);
    } else {
      return Rows::template ResultOf<T, Permuted<T>>(Wide(), attributes, streamed, permuted);
    }
  }

  static HWY_INLINE const std::byte* SourceOf(InputRows in, std::int64_t row) { return in.data + row * in.row_stride; }
  static HWY_INLINE Element* OutOf(const Tile& tile, void* out, std::int64_t row) {
    return reinterpret_cast<Element*>(static_cast<std::byte*>(out) + row * tile.out_row_stride);
  }

  // The rows of a tile, and how many elements the streamed input goes back after a group. Rows that are a group each, beside a
  // streamed input that is the same in all of them, are one row, of which at most the last group may not be read whole: 1.4 ns less
  // for each.
  struct Groups {
    std::int64_t rows;
    std::size_t cols, back;
  };
  static HWY_INLINE Groups GroupsOf(const Tile& tile, const Permutation& permutation, int permuted) {
    const std::int64_t group = GroupCols(permutation);
    const bool one = tile.cols == group && tile.in[1 - permuted].row_stride == 0 && permutation.slack <= group &&
                     tile.in[permuted].row_stride == permutation.stride &&
                     tile.out_row_stride == group * static_cast<std::int64_t>(sizeof(Element));
    if (one) return {1, static_cast<std::size_t>(tile.rows * group), static_cast<std::size_t>(group)};
    return {tile.rows, static_cast<std::size_t>(tile.cols), 0};
  }

  // A division of 32 bits takes half as long.
  static HWY_INLINE std::size_t Quotient(std::size_t x, std::size_t y) {
    return x < (std::size_t{1} << 32) ? static_cast<std::uint32_t>(x) / static_cast<std::uint32_t>(y) : x / y;
  }

  // Bytes from a row's first element to behind the last one in memory.
  static HWY_INLINE std::int64_t EndOf(const Permutation& permutation, std::size_t cols) {
    const auto step_cols = static_cast<std::size_t>(permutation.step_cols);
    const std::size_t steps = Quotient(cols, step_cols);
    return static_cast<std::int64_t>(steps - 1) * permutation.step_bytes + permutation.reach;
  }

  // Up to a vector of results, at col i of `cols`.
  template <class A>
  static HWY_INLINE void StoreSome(VPermuted permuted, const Element* streamed, Element* out, std::size_t i, std::size_t cols,
                                   const A& attributes) {
    if (i + kLanes <= cols) {
      hn::StoreU(Result(hn::LoadU(D(), streamed + i), permuted, attributes), D(), out + i);
    } else {
      hn::StoreN(Result(hn::LoadN(D(), streamed + i, cols - i), permuted, attributes), D(), out + i, cols - i);
    }
  }

  // Cols of which the first begins a group: nothing is read behind `end`. `kOnce`: a group is in one vector. Inlined in all loops
  // it was an eighth of the code.
  template <bool kOnce, class A>
  static HWY_NOINLINE void Rest(const Permutation& permutation, const std::byte* source, const std::byte* end,
                                const Element* streamed, Element* out, std::size_t cols, const A& attributes) {
    for (std::size_t i = 0; i < cols; source += permutation.stride) {
      VPermuted once = hn::Zero(DPermuted());
      if constexpr (kOnce) once = LoadBefore(end, source + permutation.at[0]);
      for (int part = 0; part < permutation.parts && i < cols; ++part, i += kLanes) {
        if constexpr (kOnce) {
          StoreSome(hn::TableLookupLanes(once, TableOf(permutation, part)), streamed, out, i, cols, attributes);
        } else {
          StoreSome(PartBefore(end, permutation, part, source + permutation.at[part]), streamed, out, i, cols, attributes);
        }
      }
    }
  }

  // Cols of groups that may be read whole.
  static HWY_INLINE std::size_t WholeCols(const Permutation& permutation, std::size_t cols) {
    const auto group = static_cast<std::size_t>(GroupCols(permutation)),
               behind = group + static_cast<std::size_t>(permutation.slack);
    return cols < behind ? 0 : (Quotient(cols - behind, group) + 1) * group;
  }
  // Where the elements begin of a group that ends with the row, as `row_end` says.
  static HWY_INLINE const std::byte* LastGroup(const Permutation& permutation, const std::byte* row_end) {
    return row_end - permutation.reach + permutation.step_bytes - permutation.stride;
  }

  // A vector of results from what begins at `at`.
  template <int kVectors>
  static HWY_INLINE VPermuted InOrder(const Permutation& permutation, int part, const std::byte* at) {
    if constexpr (kVectors == 1) {
      return hn::TableLookupLanes(LoadAll(at), TableOf(permutation, part));
    } else if constexpr (kVectors == 2) {
      return hn::TwoTablesLookupLanes(DPermuted(), LoadAll(at), LoadAll(at + kVectorBytes), TableOf(permutation, part));
    } else {
      const VPermuted third = LoadAll(at + 2 * kVectorBytes);
      const VPermuted fourth = permutation.vectors == 3 ? third : LoadAll(at + 3 * kVectorBytes);
      return OfFour(permutation, part, LoadAll(at), LoadAll(at + kVectorBytes), third, fourth);
    }
  }

  // Whether most of what is read is the other input. A loop that streams then asks for that one 4 KB ahead: (N,3)+(N,1) of any
  // dtype takes 0.83 to 0.9 of the time from memory with AVX2 (a Zen 3), of float16 0.75 to 0.85 with AVX-512, of float32 0.96, and
  // (N,256)+(256) 0.8 (an Emerald Rapids). Where as much is read of both, it asks for both 1 KB ahead if four parts take turns, and
  // rows reversed, with gaps or whose channels are last take 0.86 to 0.97 (and 0.94 to 1.08 without); else for what has just come.
  // Where parts are two, a Zen 5's, it asks for the other one alone, as loops over rows do: 0.9 to 0.97 of the time of 1 KB. For
  // both, a Zen 5 takes 1.25 to 3 times as long.
  static HWY_INLINE bool ReadsOther(const Permutation& permutation) {
    return 2 * permutation.stride <= GroupCols(permutation) * static_cast<std::int64_t>(sizeof(Element));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
