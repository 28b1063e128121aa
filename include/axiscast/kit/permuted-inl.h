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
#include "axiscast/kit/permuted_streamed-inl.h"
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
  using StreamedRows = StreamedPermutedRows<Rows, Op, T, kPermuted>;

  // Whether loops ask for what they read of the other input and write, as Tile::into_caches says: those of elements from one
  // vector, or from three that parts share. Loops for others as well would be another twentieth of the library. (N,3)+(N,1),
  // (N,3,16)+(N,1,16) and channels of 7 x 7 take 0.85 to 0.88 of the time from L3 with two threads, 0.85 to 1.05 with one (a Zen
  // 5).
  static constexpr bool kMayAsk = kAsksForLines && !kIsHalf<T>;
  static HWY_INLINE bool Asks(const Tile& tile) { return tile.stream && tile.into_caches; }
  static HWY_INLINE void AskFor(const Element* streamed, const Element* out) {
    hwy::Prefetch(streamed + kFarAheadOfStream / sizeof(Element));
    PrefetchToWrite(out + kAheadOfStore / sizeof(Element));
  }

  // What is streamed goes by loaded tables: memory takes longer than they do, and it is a quarter less code.
  static HWY_INLINE bool MayStream(const Tile& tile, const void* out) {
    return tile.stream && !tile.into_caches && Misalignment(D(), static_cast<const Element*>(out)) == 0 &&
           (tile.rows == 1 || tile.out_row_stride % kVectorBytes == 0);
  }

  // Rows by whole groups, of which there is at least one, and a rest: where a group that ends with the row may be read whole, that
  // group, some of whose results are computed again (0.9 of reversed rows of three). Not in place.
  // Tables and places stay in registers; which parts there are is predicted. A loop over parts inside of another one took twice as
  // long, and tables that are loaded for each part 1.2 to 1.7 times: only where there are more than eight.
  // Where parts slide, a vector is loaded once for two of them: 0.85 of the time. (With loops for eight such parts, three take 1.1
  // times as long as with loops for four.)
  template <int kVectors, bool kSlides, bool kAsks = false>
  static HWY_NOINLINE void KeptTables(const Tile& tile, const void* const* inputs, void* out_rows, int permuted) {
    static_assert(kFewParts == 8 && kMaxSharing == 4);
    if constexpr (!kAsks) {
      if (MayStream(tile, out_rows)) return LoadedTables<kVectors>(tile, inputs, out_rows, permuted);
    }
    if constexpr (!kAsks && kMayAsk && kVectors == 1) {
      if (Asks(tile)) return KeptTables<kVectors, kSlides, true>(tile, inputs, out_rows, permuted);
    }
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
          if constexpr (kAsks) {
            for (std::size_t col = i; col < i + group; col += lanes) AskFor(streamed + col, out + col);
          }
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
  template <bool kAsks = false>
  static HWY_NOINLINE void Shared(const Tile& tile, const void* const* inputs, void* out_rows, int permuted) {
    static_assert(kMaxSharing == 4);
    if constexpr (!kAsks) {
      if (MayStream(tile, out_rows)) return LoadedTables<4>(tile, inputs, out_rows, permuted);
    }
    if constexpr (!kAsks && kMayAsk) {
      if (Asks(tile)) return Shared<true>(tile, inputs, out_rows, permuted);
    }
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
      // Of one cluster. Where gcc did not inline it, vectors went by way of memory: 3 to 4 times as long.
      const auto store_parts = [&](const std::byte* at, std::size_t col, std::size_t pitch) HWY_ATTR
          __attribute__((always_inline)) {
        if constexpr (kAsks) {
          for (int v = 0; v < 3; ++v) hwy::Prefetch(at + v * kVectorBytes + kFarAheadOfStream);
          for (int part = 0; part < parts; ++part) {
            AskFor(streamed + col + static_cast<std::size_t>(part) * pitch, out + col + static_cast<std::size_t>(part) * pitch);
          }
        }
        load(at);
        store(result(t0, m0, col), col), store(result(t1, m1, col + pitch), col + pitch);
        if (parts > 2) store(result(t2, m2, col + 2 * pitch), col + 2 * pitch);
        if (parts > 3) store(result(t3, m3, col + 3 * pitch), col + 3 * pitch);
      };
      std::size_t i = 0;
      for (std::size_t stop = whole;;) {
        if (clusters == 1) {  // 0.7 of the time of the loop below
          for (; i < stop; i += group, source += permutation.stride, streamed -= back) {
            store_parts(source + permutation.at[0], i, lanes);
          }
        }
        for (; i < stop; i += group, source += permutation.stride, streamed -= back) {
          const std::byte* at = source + permutation.at[0];
          for (std::size_t col = i; col != i + part_cols; col += lanes, at += permutation.cluster_bytes) {
            store_parts(at, col, part_cols);
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
  template <int kVectors, bool kAsks = false>
  static HWY_NOINLINE void LoadedTables(const Tile& tile, const void* const* inputs, void* out_rows, int permuted) {
    const bool streams = MayStream(tile, out_rows);
    if constexpr (kIsLine<D> && !kAsks) {
      if (streams) return StreamedRows::template Run<kVectors>(tile, inputs, out_rows, permuted);
    }
    if constexpr (!kAsks && kMayAsk && kVectors == 1) {
      if (Asks(tile)) return LoadedTables<kVectors, true>(tile, inputs, out_rows, permuted);
    }
    const Permutation& permutation = *tile.in[permuted].permutation;
    const InputRows permuted_rows = RowsOf(tile, inputs, permuted), streamed_rows = RowsOf(tile, inputs, 1 - permuted);
    const auto attributes = ReadAttributes<Op, T>(tile);
    const auto [rows, cols, back] = Part::GroupsOf(tile, permutation, permuted);
    const std::size_t lanes = kLanes;
    [[maybe_unused]] const std::size_t ahead = Part::ReadsOther(permutation) ? 4096 / sizeof(Element) : 0;
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
          if constexpr (kAsks) AskFor(streamed + col, out + col);
          const V result = Part::Result(hn::LoadU(D(), streamed + col), v, attributes);
          if constexpr (!kIsLine<D>) {
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
              store(Part::template InOrder<4>(permutation, part, at), i);
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
            store(Part::template InOrder<kVectors>(permutation, part, source + permutation.at[part]), i);
          }
        }
      }
      if (i < cols) Part::template Rest<kVectors == 1>(permutation, source, row + end, streamed + i, out + i, cols - i, attributes);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
