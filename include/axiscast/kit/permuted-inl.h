// The rows of a tile whose inputs are one streamed and one permuted: vectors are loaded where its elements lie, and their lanes put
// in order in registers. By way of scratch, long calls of float32 in caches take 1.3 to 1.9 times as long with AVX-512; where
// permuting takes more than an instruction (AVX2 but for 4 bytes, SSE4), that is faster. Rows of few vectors cost more than their
// share: some 5 ns for tables, and as much for a rest.
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
#include "axiscast/kit/store-inl.h"

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
    std::is_same_v<InputsOf<Op, T>, TypeList<T, T>>&& std::is_same_v<OutOf<Op, T>, T>&& kIsShort<Op, T>;

// Rows is ElementwiseRows of the op and T; the op's operand kPermuted is the permuted one.
template <class Rows, class Op, typename T, int kPermuted>
class PermutedRows {
 public:
  static HWY_NOINLINE void Run(const Tile& tile, const Permutation& permutation, InputRows permuted_rows, InputRows streamed,
                               void* out) {
    const auto attributes = ReadAttributes<Op, T>(tile);
    const bool on_vectors =
        Misalignment(D(), static_cast<Element*>(out)) == 0 && (tile.rows == 1 || tile.out_row_stride % kVectorBytes == 0);
    if (permutation.stride == 0) {
      AgainAndAgain(tile, permutation, permuted_rows, streamed, out, attributes);
    } else if (tile.stream && on_vectors) {
      RunGroups<true>(tile, permutation, permuted_rows, streamed, out, attributes);
    } else {
      RunGroups<false>(tile, permutation, permuted_rows, streamed, out, attributes);
    }
  }

  // Whether all groups of such a tile have the same elements, few and from one vector, and rows are long: the group stays in
  // registers.
  static HWY_INLINE bool IsKept([[maybe_unused]] const Tile& tile, [[maybe_unused]] const Permutation& permutation) {
    if constexpr (kTakesPeriodic<Op, T>) {
      const auto least = static_cast<std::int64_t>(PeriodicRows<Rows, Op, T, kPermuted>::LeastCols());
      return permutation.stride == 0 && permutation.vectors == 1 && permutation.parts <= kFewParts && tile.cols >= least;
    }
    return false;
  }
  // Such a tile. As a part of Run, whose many loops leave no registers, calls in L1 took 5 ns more.
  static HWY_NOINLINE void RunKept(const Tile& tile, const Permutation& permutation, InputRows permuted_rows, InputRows streamed,
                                   void* out) {
    if constexpr (kTakesPeriodic<Op, T>) {
      const auto attributes = ReadAttributes<Op, T>(tile);
      const auto period = static_cast<std::size_t>(permutation.parts) * kLanes, last = static_cast<std::size_t>(tile.cols) - kLanes;
      for (std::int64_t r = 0; r < tile.rows; ++r) {
        const std::byte* const source = SourceOf(permuted_rows, r);
        const VPermuted once = LoadBefore(source + permutation.reach, source + permutation.at[0]);
        const auto load = [&](std::size_t at) HWY_ATTR { return hn::TableLookupLanes(once, TableFrom(permutation, at)); };
        PeriodicRows<Rows, Op, T, kPermuted>::LongRowOf(tile.stream, load, period, streamed.Row<T>(r), OutOf(tile, out, r), last,
                                                        attributes);
      }
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
  static HWY_INLINE auto TableFrom(const Permutation& permutation, std::size_t element) {
    const hn::RebindToUnsigned<DPermuted> d;
    return hn::IndicesFromVec(DPermuted(), LoadTable(d, permutation.from + element));
  }
  static HWY_INLINE auto TableOf(const Permutation& permutation, int part) {
    return TableFrom(permutation, static_cast<std::size_t>(part) * kLanes);
  }
  // A part of a group that is in two vectors or four, of which what lies from `end` on is not read.
  static HWY_INLINE VPermuted PartBefore(const std::byte* end, const Permutation& permutation, int part, const std::byte* source) {
    const std::byte* const at = source + permutation.at[part];
    const VPermuted first = LoadBefore(end, at);
    const VPermuted second = LoadBefore(end, at + kVectorBytes);
    if (permutation.vectors == 2) return hn::TwoTablesLookupLanes(DPermuted(), first, second, TableOf(permutation, part));
    return OfFour(permutation, part, first, second, LoadBefore(end, at + 2 * kVectorBytes), LoadBefore(end, at + 3 * kVectorBytes));
  }
  // A part whose elements are in four vectors.
  static HWY_INLINE VPermuted OfFour(const Permutation& permutation, int part, VPermuted first, VPermuted second, VPermuted third,
                                     VPermuted fourth) {
    const hn::RebindToUnsigned<DPermuted> d;
    using Index = hn::TFromD<decltype(d)>;
    const auto from = LoadTable(d, permutation.from + part * kLanes);
    const auto upper = hn::TestBit(from, hn::Set(d, static_cast<Index>(2 * kLanes)));
    const auto table = hn::IndicesFromVec(DPermuted(), hn::And(from, hn::Set(d, static_cast<Index>(2 * kLanes - 1))));
    return hn::IfThenElse(hn::RebindMask(DPermuted(), upper), hn::TwoTablesLookupLanes(DPermuted(), third, fourth, table),
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

  // A division of 32 bits takes half as long.
  static HWY_INLINE std::size_t Quotient(std::size_t x, std::size_t y) {
    return x < (std::size_t{1} << 32) ? static_cast<std::uint32_t>(x) / static_cast<std::uint32_t>(y) : x / y;
  }

  // Rows whose groups all have the same elements: put in order once for a row.
  template <class A>
  static HWY_INLINE void AgainAndAgain(const Tile& tile, const Permutation& permutation, InputRows permuted_rows,
                                       InputRows streamed_rows, void* out_rows, const A& attributes) {
    if constexpr (kTakesPeriodic<Op, T>) {  // as Kernel::keeps says, without which there is no stride of 0
      using Periodic = PeriodicRows<Rows, Op, T, kPermuted>;
      HWY_ALIGN Element same[(kMaxParts + 1) * kLanes];  // a group, and its first vector once more
      const auto period = static_cast<std::size_t>(permutation.parts) * kLanes, cols = static_cast<std::size_t>(tile.cols);
      for (std::int64_t r = 0; r < tile.rows; ++r) {
        const std::byte* const source = SourceOf(permuted_rows, r);
        const Element* const streamed = streamed_rows.Row<T>(r);
        Element* const out = OutOf(tile, out_rows, r);
        const std::byte* const end = source + permutation.reach;
        static_assert(kFewParts <= kMaxKept);  // registers hold the group
        const bool keeps = permutation.parts <= kFewParts && cols >= Periodic::LeastCols();
        if (permutation.vectors == 1) {
          const VPermuted once = LoadBefore(end, source + permutation.at[0]);
          for (int part = 0; part < permutation.parts; ++part) {
            hn::Store(hn::TableLookupLanes(once, TableOf(permutation, part)), D(), same + part * kLanes);
          }
        } else {
          for (int part = 0; part < permutation.parts; ++part) {
            hn::Store(PartBefore(end, permutation, part, source), D(), same + part * kLanes);
          }
        }
        hn::Store(hn::Load(D(), same), D(), same + period);
        if (keeps) {
          Periodic::LongRow(tile.stream, same, period, streamed, out, cols - kLanes, attributes);
          continue;
        }
        std::size_t i = 0;
        if (tile.stream && cols >= period) {
          const auto bytes = static_cast<std::int64_t>(period * sizeof(Element));
          Tile periods = tile;
          periods.rows = static_cast<std::int64_t>(Quotient(cols, period));
          periods.cols = static_cast<std::int64_t>(period);
          periods.out_row_stride = bytes;
          Periodic::RunJoined(periods, same, streamed, out);
          i = static_cast<std::size_t>(periods.rows) * period;
        } else {
          i = WholePeriods(same, period, streamed, out, cols, attributes);
        }
        for (std::size_t at = 0; i < cols; i += kLanes, at += kLanes) {
          StoreSome(hn::Load(D(), same + at), streamed, out, i, cols, attributes);
        }
      }
    }
  }

  // Cols that meet what is at `same` again and again, as long as whole periods of it are left. Returns where.
  template <class A>
  static HWY_INLINE std::size_t WholePeriods(const Element* same, std::size_t period, const Element* streamed, Element* out,
                                             std::size_t cols, const A& attributes) {
    std::size_t i = 0;
    for (; i + period <= cols; i += period) {
      for (std::size_t at = 0; at < period; at += kLanes) {
        hn::StoreU(Result(hn::LoadU(D(), streamed + i + at), hn::Load(D(), same + at), attributes), D(), out + i + at);
      }
    }
    return i;
  }

  // What is streamed goes by loaded tables: memory takes longer than they do, and it is a quarter less code.
  template <bool kStream, class A>
  static HWY_INLINE void RunGroups(const Tile& tile, const Permutation& permutation, InputRows permuted_rows, InputRows streamed,
                                   void* out, const A& attributes) {
    if constexpr (!kStream) {
      if (permutation.parts <= kFewParts && permutation.vectors < 4) {
        if (permutation.vectors == 2) return KeptTables<2>(tile, permutation, permuted_rows, streamed, out, attributes);
        return KeptTables<1>(tile, permutation, permuted_rows, streamed, out, attributes);
      }
    }
    if (permutation.vectors == 4) {
      LoadedTables<kStream, 4>(tile, permutation, permuted_rows, streamed, out, attributes);
    } else if (permutation.vectors == 2) {
      LoadedTables<kStream, 2>(tile, permutation, permuted_rows, streamed, out, attributes);
    } else {
      LoadedTables<kStream, 1>(tile, permutation, permuted_rows, streamed, out, attributes);
    }
  }

  // Rows by whole groups, as long as those may be read whole, and a rest. Tables and places stay in registers; which parts there
  // are is predicted. A loop over parts inside of another one took twice as long, and tables that are loaded for each part 1.2
  // to 1.7 times: only where there are more than eight.
  template <int kVectors, class A>
  static HWY_INLINE void KeptTables(const Tile& tile, const Permutation& permutation, InputRows permuted_rows,
                                    InputRows streamed_rows, void* out_rows, const A attributes) {
    static_assert(kFewParts == 8);
    const std::size_t lanes = kLanes, cols = static_cast<std::size_t>(tile.cols);
    const int parts = permutation.parts;
    const std::size_t group = static_cast<std::size_t>(parts) * lanes, behind = group + static_cast<std::size_t>(permutation.slack);
    const std::int64_t end = EndOf(permutation, cols), stride = permutation.stride;
    if (cols < behind || parts < 2) {  // too short for tables to be worth it
      for (std::int64_t r = 0; r < tile.rows; ++r) {
        const std::byte* const source = SourceOf(permuted_rows, r);
        Rest<kVectors>(permutation, source, source + end, streamed_rows.Row<T>(r), OutOf(tile, out_rows, r), cols, attributes);
      }
      return;
    }
    const auto table = [&](int part) HWY_ATTR { return TableOf(permutation, HWY_MIN(part, parts - 1)); };
    const auto t0 = table(0), t1 = table(1), t2 = table(2), t3 = table(3), t4 = table(4), t5 = table(5), t6 = table(6),
               t7 = table(7);
    // Counted from the first part's: with fewer numbers that all stay in registers, L1 rows take 0.85 of the time.
    const auto place = [&](int part) HWY_ATTR { return permutation.at[HWY_MIN(part, parts - 1)] - permutation.at[0]; };
    const std::int64_t p1 = place(1), p2 = place(2), p3 = place(3), p4 = place(4), p5 = place(5), p6 = place(6), p7 = place(7);
    const std::size_t last = cols - behind;  // a group's first col
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      const std::byte* const row_end = SourceOf(permuted_rows, r) + end;
      const std::byte* source = SourceOf(permuted_rows, r) + permutation.at[0];
      const Element* const streamed = streamed_rows.Row<T>(r);
      Element* const out = OutOf(tile, out_rows, r);
      std::size_t i = 0;
      for (; i <= last; i += group, source += stride) {
        VPermuted once = hn::Zero(DPermuted());
        if constexpr (kVectors == 1) once = LoadAll(source);
        const auto compute = [&](const auto& t, std::int64_t bytes, std::size_t part) HWY_ATTR {
          VPermuted permuted = once;
          if constexpr (kVectors == 1) {
            permuted = hn::TableLookupLanes(once, t);
          } else {
            const std::byte* const at = source + bytes;
            permuted = hn::TwoTablesLookupLanes(DPermuted(), LoadAll(at), LoadAll(at + kVectorBytes), t);
          }
          const std::size_t col = i + part * lanes;
          hn::StoreU(Result(hn::LoadU(D(), streamed + col), permuted, attributes), D(), out + col);
        };
        compute(t0, 0, 0), compute(t1, p1, 1);
        if (parts == 2) continue;
        compute(t2, p2, 2);
        if (parts == 3) continue;
        compute(t3, p3, 3);
        if (parts == 4) continue;
        compute(t4, p4, 4);
        if (parts == 5) continue;
        compute(t5, p5, 5);
        if (parts == 6) continue;
        compute(t6, p6, 6);
        if (parts == 7) continue;
        compute(t7, p7, 7);
      }
      source -= permutation.at[0];
      if (i < cols) Rest<kVectors>(permutation, source, row_end, streamed + i, out + i, cols - i, attributes);
    }
  }

  // The same for groups of more vectors than registers hold tables of. And for parts in four vectors, few or many: each takes some
  // twelve instructions, beside which the loop and the load are little.
  template <bool kStream, int kVectors, class A>
  static HWY_INLINE void LoadedTables(const Tile& tile, const Permutation& permutation, InputRows permuted_rows,
                                      InputRows streamed_rows, void* out_rows, const A attributes) {
    const std::size_t lanes = kLanes, cols = static_cast<std::size_t>(tile.cols);
    const int parts = permutation.parts;
    const std::size_t group = static_cast<std::size_t>(parts) * lanes, behind = group + static_cast<std::size_t>(permutation.slack);
    const std::size_t whole = cols < behind ? 0 : (Quotient(cols - behind, group) + 1) * group;  // cols of whole groups
    const std::int64_t end = EndOf(permutation, cols);
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      const std::byte* const row = SourceOf(permuted_rows, r);
      const std::byte* source = row;
      const Element* const streamed = streamed_rows.Row<T>(r);
      Element* const out = OutOf(tile, out_rows, r);
      const OutputRun<Element> run(kStream, out, whole);
      std::size_t i = 0;
      for (; i < whole; source += permutation.stride) {
        VPermuted once = hn::Zero(DPermuted());
        if constexpr (kVectors == 1) once = LoadAll(source + permutation.at[0]);
        HWY_UNROLL(2)
        for (int part = 0; part < parts; ++part, i += lanes) {
          VPermuted permuted = once;
          if constexpr (kVectors == 1) {
            permuted = hn::TableLookupLanes(once, TableOf(permutation, part));
          } else {
            const std::byte* const at = source + permutation.at[part];
            const VPermuted first = LoadAll(at), second = LoadAll(at + kVectorBytes);
            if constexpr (kVectors == 2) {
              permuted = hn::TwoTablesLookupLanes(DPermuted(), first, second, TableOf(permutation, part));
            } else {
              permuted = OfFour(permutation, part, first, second, LoadAll(at + 2 * kVectorBytes), LoadAll(at + 3 * kVectorBytes));
            }
          }
          run.Store(Result(hn::LoadU(D(), streamed + i), permuted, attributes), D(), out + i);
        }
      }
      if (i < cols) Rest<kVectors>(permutation, source, row + end, streamed + i, out + i, cols - i, attributes);
    }
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

  // Cols of which the first begins a group: nothing is read behind `end`. Inlined in all loops it was an eighth of the code.
  template <int kVectors, class A>
  static HWY_NOINLINE void Rest(const Permutation& permutation, const std::byte* source, const std::byte* end,
                                const Element* streamed, Element* out, std::size_t cols, const A& attributes) {
    for (std::size_t i = 0; i < cols; source += permutation.stride) {
      VPermuted once = hn::Zero(DPermuted());
      if constexpr (kVectors == 1) once = LoadBefore(end, source + permutation.at[0]);
      for (int part = 0; part < permutation.parts && i < cols; ++part, i += kLanes) {
        if constexpr (kVectors == 1) {
          StoreSome(hn::TableLookupLanes(once, TableOf(permutation, part)), streamed, out, i, cols, attributes);
        } else {
          StoreSome(PartBefore(end, permutation, part, source), streamed, out, i, cols, attributes);
        }
      }
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
