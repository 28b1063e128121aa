// The rows of a tile with a permuted input whose results are streamed, where a vector of them is a line (permuted-inl.h).
#if defined(AXISCAST_KIT_PERMUTED_STREAMED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_PERMUTED_STREAMED_INL_H_
#undef AXISCAST_KIT_PERMUTED_STREAMED_INL_H_
#else
#define AXISCAST_KIT_PERMUTED_STREAMED_INL_H_
#endif

#include "axiscast/kit/permuted_part-inl.h"
#include "axiscast/kit/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// As PermutedRows.
template <class Rows, class Op, typename T, int kPermuted>
class StreamedPermutedRows : PermutedPart<Rows, Op, T, kPermuted> {
  using Part = PermutedPart<Rows, Op, T, kPermuted>;
  using Part::kLanes;
  using Part::kVectorBytes;
  using typename Part::D;
  using typename Part::Element;
  using typename Part::VPermuted;

  // Where in the tile a loop over whole groups is.
  struct Place {
    std::int64_t row;
    const std::byte* source;  // of the group
    std::int64_t back;        // elements, from where the row's other input would be at col 0 to where it is
    std::size_t col;
    int part, cluster;
  };

 public:
  // By tables that each vector loads. Parts of all vectors take turns, as in ForRunsByTurns. (With four instead of two a Zen 5
  // takes 1.3 to 1.8 times as long.)
  template <int kVectors>
  static HWY_NOINLINE void Run(const Tile& tile, const void* const* inputs, void* out_rows, int permuted) {
    const Permutation& permutation = *tile.in[permuted].permutation;
    const InputRows permuted_rows = RowsOf(tile, inputs, permuted), streamed_rows = RowsOf(tile, inputs, 1 - permuted);
    const auto attributes = ReadAttributes<Op, T>(tile);
    const auto groups = Part::GroupsOf(tile, permutation, permuted);  // clang 14 has no bindings in lambdas
    const std::int64_t rows = groups.rows, group_back = static_cast<std::int64_t>(groups.back);
    const std::size_t cols = groups.cols;
    const std::size_t lanes = kLanes, whole = Part::WholeCols(permutation, cols);
    const bool reads_other = Part::ReadsOther(permutation);
    const bool asks_far = tile.by_turns.permuted > 2, asks_both = asks_far && !reads_other;
    const std::size_t other_ahead = (!asks_far ? kAheadOfStream : reads_other ? 4096 : kFarAheadOfStream) / sizeof(Element);
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
        const VPermuted v = Part::template InOrder<kVectors>(permutation, p.part, at);
        if (asks_both) hwy::Prefetch(at + kFarAheadOfStream);
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
    const Turns turns = TurnsOf(most_parts, all, static_cast<std::size_t>(kVectorBytes), LeastRunsByTurns(most_parts));
    Place places[kMaxPartsByTurns];
    for (std::size_t p = 0; p < turns.parts; ++p) places[p] = place_of(p * turns.part);
    for (std::size_t i = 0; i < turns.part; i += turns.turn) {
      for (std::size_t p = 0; p < turns.parts; ++p) places[p] = compute(places[p], turns.turn);
    }
    compute(places[turns.parts - 1], all - turns.parts * turns.part);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
