// The rows of a tile whose inputs are one streamed and one permuted: vectors are loaded where its elements lie, and their lanes put
// in order in registers. By way of scratch, long calls of float32 in caches take 1.3 to 1.9 times as long with AVX-512. With AVX2
// they take 1.4 to 3.3 times as long for 8 bytes, and for lanes of 1 and 2 bytes, which take some instructions for each vector, up
// to 2.4 times where that is one, 0.5 to 1.5 where it is two (core/tile_cost.cc), and 2 to 16 times where rows of few elements have
// gaps between them. With SSE4 scratch is faster. Rows of few vectors cost more than their share: some 5 ns for tables, and as much
// for a rest that is not read as a whole group.
#if defined(AXISCAST_KIT_PERMUTED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_PERMUTED_INL_H_
#undef AXISCAST_KIT_PERMUTED_INL_H_
#else
#define AXISCAST_KIT_PERMUTED_INL_H_
#endif

#include <type_traits>

#include "axiscast/kit/permuted_again-inl.h"
#include "axiscast/kit/permuted_part-inl.h"
#include "axiscast/kit/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether ElementwiseRows of an op heeds TileInput::permutation.
template <class Op, typename T>
inline constexpr bool kTakesPermuted =
    (kPermutesLanes<sizeof(Stored<Permuted<T>>)> || HWY_TARGET == HWY_AVX2) && kHasOrderedLoops<Op, T>;

// The loops there are. In one function, they all saved the registers that some of them need: 5 ns of a call.
enum class PermutedLoops {
  kAgainKept,   // stride 0: the same elements again and again, in registers
  kAgain,       // or put in order in memory
  kKeptOnce,    // few vectors of results, whose tables registers hold; from one vector of elements
  kKept,        // each from two
  kSliding,     // each from two, of which one is the next one's too
  kShared,      // from the same three
  kLoadedOnce,  // vectors of results load their tables: they are many, or one, or rows shorter; from one vector of elements
  kLoaded,      // each from two
  kLoadedOfFour,
  kCount,
};

// Rows is ElementwiseRows of the op and T; the op's operand kPermuted is the permuted one, which is the tile's input `permuted`.
template <class Rows, class Op, typename T, int kPermuted>
class PermutedRows : PermutedPart<Rows, Op, T, kPermuted> {
  using Part = PermutedPart<Rows, Op, T, kPermuted>;
  using Part::kLanes;
  using Part::kVectorBytes;
  using typename Part::D;
  using typename Part::DPermuted;
  using typename Part::Element;
  using typename Part::V;
  using typename Part::VPermuted;

 public:
  static HWY_INLINE PermutedLoops Choose(const Tile& tile, const Permutation& permutation) {
    if constexpr (kTakesPeriodic<Op, T>) {  // as KernelAbilities::keeps says, without which there is no stride of 0
      if (permutation.stride == 0) return Again::IsKept(tile, permutation) ? PermutedLoops::kAgainKept : PermutedLoops::kAgain;
    }
    if (permutation.vectors == 3) return PermutedLoops::kShared;
    const bool once = permutation.vectors == 1, keeps_tables = permutation.parts > 1 && permutation.parts <= kFewParts;
    const std::size_t cols = Part::GroupsOf(tile, permutation, tile.in[0].permutation == &permutation ? 0 : 1).cols;
    if (keeps_tables && permutation.vectors <= 2 && Part::WholeCols(permutation, cols) > 0) {
      return once ? PermutedLoops::kKeptOnce : permutation.slides ? PermutedLoops::kSliding : PermutedLoops::kKept;
    }
    return once ? PermutedLoops::kLoadedOnce : permutation.vectors == 2 ? PermutedLoops::kLoaded : PermutedLoops::kLoadedOfFour;
  }

  template <PermutedLoops kLoops>
  static HWY_INLINE void Run(const Tile& tile, const void* const* inputs, void* out, int permuted) {
    if constexpr (kTakesPeriodic<Op, T>) {
      if constexpr (kLoops == PermutedLoops::kAgainKept) return Again::RunKept(tile, inputs, out, permuted);
      if constexpr (kLoops == PermutedLoops::kAgain) return Again::Run(tile, inputs, out, permuted);
    }
    if constexpr (kLoops == PermutedLoops::kKeptOnce) return KeptTables<1, false>(tile, inputs, out, permuted);
    if constexpr (kLoops == PermutedLoops::kKept) return KeptTables<2, false>(tile, inputs, out, permuted);
    if constexpr (kLoops == PermutedLoops::kSliding) return KeptTables<2, true>(tile, inputs, out, permuted);
    if constexpr (kLoops == PermutedLoops::kShared && kVectorBytes == kSharedBytes) return Shared(tile, inputs, out, permuted);
    if constexpr (kLoops == PermutedLoops::kLoadedOnce) return LoadedTables<1>(tile, inputs, out, permuted);
    if constexpr (kLoops == PermutedLoops::kLoaded) return LoadedTables<2>(tile, inputs, out, permuted);
    if constexpr (kLoops == PermutedLoops::kLoadedOfFour) return LoadedTables<4>(tile, inputs, out, permuted);
    HWY_DASSERT(false);  // loops that Choose does not name for such kernels
  }

 private:
  using Again = PermutedAgainRows<Rows, Op, T, kPermuted>;

  // What is streamed goes by loaded tables: memory takes longer than they do, and it is a quarter less code.
  static HWY_INLINE bool MayStream(const Tile& tile, const void* out) {
    return tile.stream && Misalignment(D(), static_cast<const Element*>(out)) == 0 &&
           (tile.rows == 1 || tile.out_row_stride % kVectorBytes == 0);
  }

  // Rows by whole groups, of which there is at least one, and a rest: where a group that ends with the row may be read whole, that
  // group, some of whose results are computed again (0.9 of reversed rows of three). Not in place.
  // Tables and places stay in registers; which parts there are is predicted. A loop over parts inside of another one took twice as
  // long, and tables that are loaded for each part 1.2 to 1.7 times: only where there are more than eight.
  // Where parts slide, a vector is loaded once for two of them: 0.85 of the time. (With loops for eight such parts, three take 1.1
  // times as long as with loops for four.)
  template <int kVectors, bool kSlides>
  static HWY_NOINLINE void KeptTables(const Tile& tile, const void* const* inputs, void* out_rows, int permuted) {
    static_assert(kFewParts == 8 && kMaxSharing == 4);
    if (MayStream(tile, out_rows)) return LoadedTables<kVectors>(tile, inputs, out_rows, permuted);
    const Permutation& permutation = *tile.in[permuted].permutation;
    const InputRows permuted_rows = RowsOf(tile, inputs, permuted), streamed_rows = RowsOf(tile, inputs, 1 - permuted);
    const auto attributes = ReadAttributes<Op, T>(tile);
    const auto [rows, cols, back] = Part::GroupsOf(tile, permutation, permuted);
    const std::size_t lanes = kLanes, group = static_cast<std::size_t>(GroupCols(permutation));
    const int parts = permutation.parts;
    const auto table = [&](int part) HWY_ATTR { return Part::TableOf(permutation, part); };
    const auto t0 = table(0), t1 = table(1), t2 = table(2), t3 = table(3), t4 = table(4), t5 = table(5), t6 = table(6),
               t7 = table(7);
    // Counted from the first part's: with fewer numbers that all stay in registers, L1 rows take 0.85 of the time.
    const auto place = [&](int part) HWY_ATTR { return permutation.at[part] - permutation.at[0]; };
    const std::int64_t p1 = place(1), p2 = place(2), p3 = place(3), p4 = place(4), p5 = place(5), p6 = place(6), p7 = place(7);
    const std::int64_t end = Part::EndOf(permutation, cols), stride = permutation.stride;
    const std::size_t last = cols - group - static_cast<std::size_t>(permutation.slack);  // a group's first col
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::byte* const row_end = Part::SourceOf(permuted_rows, r) + end;
      const std::byte* source = Part::SourceOf(permuted_rows, r) + permutation.at[0];
      const Element* streamed = streamed_rows.Row<T>(r);
      Element* const out = Part::OutOf(tile, out_rows, r);
      for (std::size_t i = 0;;) {
        for (; i <= last; i += group, source += stride, streamed -= back) {
          VPermuted once = hn::Zero(DPermuted());
          if constexpr (kVectors == 1 || kSlides) once = Part::LoadAll(source);
          const auto compute = [&](const auto& t, std::int64_t bytes, std::size_t part) HWY_ATTR {
            VPermuted v = once;
            if constexpr (kVectors == 1) {
              v = hn::TableLookupLanes(once, t);
            } else if constexpr (kSlides) {
              const VPermuted next = Part::LoadAll(source + static_cast<std::int64_t>(part + 1) * kVectorBytes);
              v = hn::TwoTablesLookupLanes(DPermuted(), once, next, t);
              once = next;
            } else {
              const std::byte* const at = source + bytes;
              v = hn::TwoTablesLookupLanes(DPermuted(), Part::LoadAll(at), Part::LoadAll(at + kVectorBytes), t);
            }
            const std::size_t col = i + part * lanes;
            hn::StoreU(Part::Result(hn::LoadU(D(), streamed + col), v, attributes), D(), out + col);
          };
          compute(t0, 0, 0), compute(t1, p1, 1);
          if (parts == 2) continue;
          compute(t2, p2, 2);
          if (parts == 3) continue;
          compute(t3, p3, 3);
          if (kSlides || parts == 4) continue;
          compute(t4, p4, 4);
          if (parts == 5) continue;
          compute(t5, p5, 5);
          if (parts == 6) continue;
          compute(t6, p6, 6);
          if (parts == 7) continue;
          compute(t7, p7, 7);
        }
        if (i >= cols) break;
        if (permutation.slack != 0 || streamed == out) {
          Part::template Rest<kVectors == 1>(permutation, source - permutation.at[0], row_end, streamed + i, out + i, cols - i,
                                             attributes);
          break;
        }
        i = last;
        source = Part::LastGroup(permutation, row_end) + permutation.at[0];
      }
    }
  }

  // The same where parts share three vectors, each of which is loaded once for all of them: 0.45 to 0.8 of the time in L1. A row
  // may have no whole group.
  static HWY_NOINLINE void Shared(const Tile& tile, const void* const* inputs, void* out_rows, int permuted) {
    static_assert(kMaxSharing == 4);
    if (MayStream(tile, out_rows)) return LoadedTables<4>(tile, inputs, out_rows, permuted);
    const Permutation& permutation = *tile.in[permuted].permutation;
    const InputRows permuted_rows = RowsOf(tile, inputs, permuted), streamed_rows = RowsOf(tile, inputs, 1 - permuted);
    const auto attributes = ReadAttributes<Op, T>(tile);
    const auto [rows, cols, back] = Part::GroupsOf(tile, permutation, permuted);
    const std::size_t lanes = kLanes, group = static_cast<std::size_t>(GroupCols(permutation));
    const int parts = permutation.parts, clusters = permutation.clusters;
    const std::size_t part_cols = static_cast<std::size_t>(clusters) * lanes, whole = Part::WholeCols(permutation, cols);
    const std::int64_t end = Part::EndOf(permutation, cols);
    const auto from = [&](int part) HWY_ATTR { return Part::FromOf(permutation, part); };
    const auto from0 = from(0), from1 = from(1), from2 = from(2), from3 = from(3);
    const auto t0 = Part::LowerTable(from0), t1 = Part::LowerTable(from1), t2 = Part::LowerTable(from2),
               t3 = Part::LowerTable(from3);
    const auto m0 = Part::IsUpper(from0), m1 = Part::IsUpper(from1), m2 = Part::IsUpper(from2), m3 = Part::IsUpper(from3);
    const bool ends = whole > 0 && permutation.slack == 0;
    const std::int64_t extra_bytes = permutation.stride - clusters * permutation.cluster_bytes;
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::byte* source = Part::SourceOf(permuted_rows, r);
      const std::byte* const row_end = source + end;
      const Element* streamed = streamed_rows.Row<T>(r);
      Element* const out = Part::OutOf(tile, out_rows, r);
      VPermuted first, second, third;
      const auto load = [&](const std::byte* at) HWY_ATTR {
        first = Part::LoadAll(at), second = Part::LoadAll(at + kVectorBytes), third = Part::LoadAll(at + 2 * kVectorBytes);
      };
      const auto result = [&](const auto& t, const auto& m, std::size_t col) HWY_ATTR {
        // Of indices of the first two vectors' lanes, x86 heeds the lower bits here.
        const VPermuted v =
            hn::IfThenElse(m, hn::TableLookupLanes(third, t), hn::TwoTablesLookupLanes(DPermuted(), first, second, t));
        return Part::Result(hn::LoadU(D(), streamed + col), v, attributes);
      };
      const auto store = [&](V v, std::size_t col) HWY_ATTR { hn::StoreU(v, D(), out + col); };
      std::size_t i = 0;
      for (std::size_t stop = whole;;) {
        for (int left = clusters; i < stop;) {
          load(source + permutation.at[0]);
          store(result(t0, m0, i), i), store(result(t1, m1, i + part_cols), i + part_cols);
          if (parts > 2) store(result(t2, m2, i + 2 * part_cols), i + 2 * part_cols);
          if (parts > 3) store(result(t3, m3, i + 3 * part_cols), i + 3 * part_cols);
          i += lanes;
          source += permutation.cluster_bytes;
          if (--left == 0) {
            left = clusters;
            i += group - part_cols;
            streamed -= back;
            source += extra_bytes;
          }
        }
        if (i == cols) break;
        if (!ends || streamed == out) {
          Part::template Rest<false>(permutation, source, row_end, streamed + i, out + i, cols - i, attributes);
          break;
        }
        stop = cols;
        i = cols - group;
        source = Part::LastGroup(permutation, row_end);
      }
    }
  }

  // The same for groups of more vectors than registers hold tables of. And for parts in four vectors, few or many: each takes some
  // twelve instructions, beside which the loop and the load are little.
  template <int kVectors>
  static HWY_NOINLINE void LoadedTables(const Tile& tile, const void* const* inputs, void* out_rows, int permuted) {
    const bool streams = MayStream(tile, out_rows);
    if constexpr (kRowsTakeTurns<D>) {
      if (streams) return StreamedTables<kVectors>(tile, inputs, out_rows, permuted);
    }
    const Permutation& permutation = *tile.in[permuted].permutation;
    const InputRows permuted_rows = RowsOf(tile, inputs, permuted), streamed_rows = RowsOf(tile, inputs, 1 - permuted);
    const auto attributes = ReadAttributes<Op, T>(tile);
    const auto [rows, cols, back] = Part::GroupsOf(tile, permutation, permuted);
    const std::size_t lanes = kLanes;
    [[maybe_unused]] const std::size_t ahead = ReadsOther(permutation) ? 4096 / sizeof(Element) : 0;
    const int parts = permutation.parts;
    const std::size_t whole = Part::WholeCols(permutation, cols);
    const std::int64_t end = Part::EndOf(permutation, cols);
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::byte* const row = Part::SourceOf(permuted_rows, r);
      const std::byte* source = row;
      const Element* streamed = streamed_rows.Row<T>(r);
      Element* const out = Part::OutOf(tile, out_rows, r);
      [[maybe_unused]] const OutputRun<Element> run(streams, out, whole);
      std::size_t i = 0;
      for (; i < whole; source += permutation.stride, streamed -= back) {
        const auto store = [&](VPermuted v, std::size_t col) HWY_ATTR {
          const V result = Part::Result(hn::LoadU(D(), streamed + col), v, attributes);
          if constexpr (!kRowsTakeTurns<D>) {
            if (HWY_UNLIKELY(streams)) {  // out of the way of what stays in caches
              hwy::Prefetch(streamed + col + ahead);
              return run.Store(result, D(), out + col);
            }
          }
          hn::StoreU(result, D(), out + col);
        };
        if constexpr (kVectors == 4) {  // or three that parts share, in the order of results
          for (int part = 0; part < parts; ++part) {
            const std::byte* at = source + permutation.at[part];
            for (int cluster = 0; cluster < permutation.clusters; ++cluster, at += permutation.cluster_bytes, i += lanes) {
              store(InOrder<4>(permutation, part, at), i);
            }
          }
          continue;
        }
        [[maybe_unused]] VPermuted once = hn::Zero(DPermuted());
        if constexpr (kVectors == 1) once = Part::LoadAll(source + permutation.at[0]);
        HWY_UNROLL(2)
        for (int part = 0; part < parts; ++part, i += lanes) {
          if constexpr (kVectors == 1) {
            store(hn::TableLookupLanes(once, Part::TableOf(permutation, part)), i);
          } else {
            store(InOrder<kVectors>(permutation, part, source + permutation.at[part]), i);
          }
        }
      }
      if (i < cols) Part::template Rest<kVectors == 1>(permutation, source, row + end, streamed + i, out + i, cols - i, attributes);
    }
  }

  // A vector of results from what begins at `at`.
  template <int kVectors>
  static HWY_INLINE VPermuted InOrder(const Permutation& permutation, int part, const std::byte* at) {
    if constexpr (kVectors == 1) {
      return hn::TableLookupLanes(Part::LoadAll(at), Part::TableOf(permutation, part));
    } else if constexpr (kVectors == 2) {
      return hn::TwoTablesLookupLanes(DPermuted(), Part::LoadAll(at), Part::LoadAll(at + kVectorBytes),
                                      Part::TableOf(permutation, part));
    } else {
      const VPermuted third = Part::LoadAll(at + 2 * kVectorBytes);
      const VPermuted fourth = permutation.vectors == 3 ? third : Part::LoadAll(at + 3 * kVectorBytes);
      return Part::OfFour(permutation, part, Part::LoadAll(at), Part::LoadAll(at + kVectorBytes), third, fourth);
    }
  }

  // Whether most of what is read is the other input. A loop that streams then asks for that one 4 KB ahead: (N,3)+(N,1) of any
  // dtype takes 0.83 to 0.9 of the time from memory with AVX2 (a Zen 3), of float16 0.75 to 0.85 with AVX-512, of float32 0.96, and
  // (N,256)+(256) 0.8 (an Emerald Rapids). Where as much is read of both, it asks for both 1 KB ahead if parts take turns, and rows
  // reversed, with gaps or whose channels are last take 0.86 to 0.97 (and 0.94 to 1.08 without); else for what has just come. Where
  // parts are two, a Zen 5's, it asks for the other one alone, as loops over rows do: 0.9 to 0.97 of the time of 1 KB. For both, a
  // Zen 5 takes 1.25 to 3 times as long.
  static HWY_INLINE bool ReadsOther(const Permutation& permutation) {
    return 2 * permutation.stride <= GroupCols(permutation) * static_cast<std::int64_t>(sizeof(Element));
  }

  // Where in the tile a loop over whole groups is.
  struct Place {
    std::int64_t row;
    const std::byte* source;  // of the group
    std::int64_t back;        // elements, from where the row's other input would be at col 0 to where it is
    std::size_t col;
    int part, cluster;
  };
  // The same for results that are streamed, whose vectors are lines: parts of all of them take turns, as in ForRunsByTurns. (Of
  // four instead of two, a Zen 5 takes 1.3 to 1.8 times as long.)
  template <int kVectors>
  static HWY_NOINLINE void StreamedTables(const Tile& tile, const void* const* inputs, void* out_rows, int permuted) {
    const Permutation& permutation = *tile.in[permuted].permutation;
    const InputRows permuted_rows = RowsOf(tile, inputs, permuted), streamed_rows = RowsOf(tile, inputs, 1 - permuted);
    const auto attributes = ReadAttributes<Op, T>(tile);
    const auto groups = Part::GroupsOf(tile, permutation, permuted);  // clang 14 has no bindings in lambdas
    const std::int64_t rows = groups.rows, group_back = static_cast<std::int64_t>(groups.back);
    const std::size_t cols = groups.cols;
    const std::size_t lanes = kLanes, whole = Part::WholeCols(permutation, cols);
    const bool reads_other = ReadsOther(permutation);
    const bool asks_far = tile.by_turns.permuted > 2, asks_both = asks_far && !reads_other;
    const std::size_t other_ahead = (!asks_far ? kAheadOfStream : reads_other ? 4096 : 1024) / sizeof(Element);
    const int parts = permutation.parts, clusters = kVectors == 4 ? permutation.clusters : 1;
    const std::int64_t end = Part::EndOf(permutation, cols);
    const auto other_of = [&](const Place& p)
                              HWY_ATTR { return streamed_rows.Row<T>(p.row) + (static_cast<std::int64_t>(p.col) - p.back); };
    const auto rest = [&](const Place& p) HWY_ATTR {
      if (whole == cols) return;
      Part::template Rest<kVectors == 1>(permutation, p.source, Part::SourceOf(permuted_rows, p.row) + end, other_of(p),
                                         Part::OutOf(tile, out_rows, p.row) + p.col, cols - whole, attributes);
    };
    const auto row_of = [&](std::int64_t row) HWY_ATTR { return Place{row, Part::SourceOf(permuted_rows, row), 0, 0, 0, 0}; };
    if (whole == 0) {
      for (std::int64_t r = 0; r < rows; ++r) rest(row_of(r));
      return;
    }
    const std::size_t row_vectors = whole / lanes, group_vectors = static_cast<std::size_t>(parts * clusters);
    const auto place_of = [&](std::size_t vector) HWY_ATTR {
      Place p = row_of(static_cast<std::int64_t>(vector / row_vectors));
      const std::size_t in_row = vector % row_vectors, in_group = in_row % group_vectors;
      const auto group = static_cast<std::int64_t>(in_row / group_vectors);
      p.source += group * permutation.stride;
      p.back = group * group_back;
      p.col = in_row * lanes;
      p.part = static_cast<int>(in_group) / clusters, p.cluster = static_cast<int>(in_group) % clusters;
      return p;
    };
    // So many vectors from a place on. Returns where the next one is.
    const auto compute = [&](Place p, std::size_t vectors) HWY_ATTR {
      const Element* other = streamed_rows.Row<T>(p.row) - p.back;
      Element* out = Part::OutOf(tile, out_rows, p.row);
      for (; vectors > 0; --vectors) {
        const std::byte* const at = p.source + permutation.at[kVectors == 1 ? 0 : p.part] + p.cluster * permutation.cluster_bytes;
        const VPermuted v = InOrder<kVectors>(permutation, p.part, at);
        if (asks_both) hwy::Prefetch(at + 1024);
        hwy::Prefetch(other + p.col + other_ahead);
        hn::Stream(Part::Result(hn::LoadU(D(), other + p.col), v, attributes), D(), out + p.col);
        p.col += lanes;
        if (++p.cluster < clusters) continue;
        p.cluster = 0;
        if (++p.part < parts) continue;
        p.part = 0;
        p.source += permutation.stride;
        p.back += group_back;
        other -= group_back;
        if (p.col < whole) continue;
        rest(p);
        if (p.row + 1 == rows) break;
        p = row_of(p.row + 1);
        other = streamed_rows.Row<T>(p.row);
        out = Part::OutOf(tile, out_rows, p.row);
      }
      return p;
    };
    const std::size_t all = static_cast<std::size_t>(rows) * row_vectors;
    const auto most_parts = static_cast<std::size_t>(tile.by_turns.permuted);
    const bool by_turns = all * static_cast<std::size_t>(kVectorBytes) >= LeastRunsByTurns(most_parts);
    const std::size_t parts_by_turns = by_turns ? most_parts : 1;
    const std::size_t turn = kTurnsBytes / static_cast<std::size_t>(kVectorBytes) / parts_by_turns;
    const std::size_t part = all / parts_by_turns / turn * turn;
    Place places[kMaxPartsByTurns];
    for (std::size_t p = 0; p < parts_by_turns; ++p) places[p] = place_of(p * part);
    for (std::size_t i = 0; i < part; i += turn) {
      for (std::size_t p = 0; p < parts_by_turns; ++p) places[p] = compute(places[p], turn);
    }
    compute(places[parts_by_turns - 1], all - parts_by_turns * part);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
