// The rows of a tile of whose two inputs one is the same in all rows, while the other's rows and the result's follow each other.
// Where they are no whole vectors, or streamed and off a vector's boundary or short, they are joined. Of few whole vectors, the
// first one stays in registers. Where it is read again for each row, (N,64)+(64) of float32 from L1 takes 1.15 times as long with
// AVX-512 and 1.7 times with AVX2, and 1.25 times from L2; rows of one vector 1.4 to 2 times.
#if defined(AXISCAST_KIT_PERIODIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_PERIODIC_INL_H_
#undef AXISCAST_KIT_PERIODIC_INL_H_
#else
#define AXISCAST_KIT_PERIODIC_INL_H_
#endif

#include <cstring>
#include <type_traits>

#include "axiscast/kit/operand-inl.h"
#include "axiscast/kit/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether ElementwiseRows of an op may do so.
template <class Op, typename T>
inline constexpr bool kTakesPeriodic = !std::is_same_v<T, Float16> && kHasOrderedLoops<Op, T>;

// Rows is ElementwiseRows of the op and T; the op's operand kSame is the one that is the same in all rows.
template <class Rows, class Op, typename T, int kSame>
class PeriodicRows {
  using D = StoredTag<T, decltype(Rows::WideTag(TypeList<T, T>()))>;
  using V = hn::Vec<D>;
  using Element = Stored<T>;

 public:
  // Whether `same` is, and rows are more than one, not shorter than a vector, and follow each other.
  static HWY_INLINE bool Repeats(const Tile& tile, const TileInput& same, const TileInput& other) {
    const auto bytes = tile.cols * static_cast<std::int64_t>(sizeof(Element));
    return same.row_stride == 0 && !same.splat && !other.splat && tile.rows > 1 && tile.cols >= Lanes() &&
           other.row_stride == bytes && tile.out_row_stride == bytes;
  }
  // Such rows are computed as one where they are ragged and, of whole vectors that are streamed, where IsJoined says so.
  static HWY_INLINE bool IsRagged(const Tile& tile) { return tile.cols % Lanes() != 0; }
  static HWY_INLINE bool IsJoined(const Tile& tile, const void* out) {
    const auto bytes = tile.cols * static_cast<std::int64_t>(sizeof(Element));
    return (kLineIsVectors<D> && bytes < kShortBytes) ||
           (tile.cols > Lanes() && Misalignment(D(), static_cast<const Element*>(out)) != 0);
  }
  // And from registers where they are not streamed (halves: not past the caches) and this holds.
  static HWY_INLINE bool Pays(const Tile& tile) {
    const auto bytes = tile.cols * static_cast<std::int64_t>(sizeof(Element));
    return tile.cols <= kMostVectors * Lanes() && bytes <= kMaxKeptBytes && tile.rows * tile.cols >= kLeastVectors * Lanes();
  }

  static HWY_NOINLINE void Run(const Tile& tile, const void* same_row, const void* other, void* out_rows) {
    auto* const out = static_cast<Element*>(out_rows);
    if (Misalignment(D(), out) != 0) return RunFromCopy(tile, same_row, other, out);
    LongRow(tile, static_cast<const Element*>(same_row), static_cast<std::size_t>(tile.cols), static_cast<const Element*>(other),
            out, static_cast<std::size_t>(tile.rows * tile.cols - Lanes()));
  }

  // What comes again in rows that are streamed is repeated to longer ones first: from memory (N,16)+(16) of float32 takes 0.79 to
  // 0.83 of the time, (N,3)+(3) 0.83 to 0.89 and (N,7)+(7) 0.9 (a Zen 3).
  static HWY_NOINLINE void RunJoined(const Tile& tile, const void* same_row, const void* other, void* out) {
    const auto cols = static_cast<std::size_t>(tile.cols);
    if (!tile.stream) return RunPeriods<false>(tile, same_row, cols, tile.rows, other, out);
    if (tile.rows == 1 || 2 * cols * sizeof(Element) > kLongBytes) {
      return RunPeriods<true>(tile, same_row, cols, tile.rows, other, out);
    }
    HWY_ALIGN Element copies[kLongBytes / sizeof(Element)];
    std::memcpy(copies, same_row, cols * sizeof(Element));
    std::size_t copied = cols;
    std::int64_t rows = tile.rows;
    for (; rows > 1 && 2 * copied * sizeof(Element) <= kLongBytes; rows = (rows + 1) / 2, copied *= 2) {
      std::memcpy(copies + copied, copies, copied * sizeof(Element));
    }
    RunPeriods<true>(tile, copies, copied, rows, other, out);
  }

  // The least cols for LongRow.
  static HWY_INLINE std::size_t LeastCols() { return static_cast<std::size_t>(kLeastVectors) * hn::Lanes(D()); }

  // One row of results that is not streamed, of which the last vector is at `last`. `same` is `cols` elements, whole vectors, that
  // come again; and then the first vector once more, where a vector of results begins off a vector's boundary.
  static HWY_NOINLINE void LongRow(const Tile& tile, const Element* same, std::size_t cols, const Element* other, Element* out,
                                   std::size_t last) {
    const auto load = [same](std::size_t at) HWY_ATTR { return hn::LoadU(D(), same + at); };
    LongRowOf<false>(tile, load, cols, other, out, last);
  }
  // The same of what load(at) gives, a vector of `same` from `at` on. `kGoesOn`: load also knows what follows, as
  // many vectors as registers hold. To wrap their places is 1.5 ns for those.
  // By groups of so many vectors, and a rest: a loop for each number of vectors is no faster, and four times as much code.
  template <bool kGoesOn, class Load>
  static HWY_INLINE void LongRowOf(const Tile& tile, const Load& load, std::size_t cols, const Element* other, Element* out,
                                   std::size_t last) {
    const auto attributes = ReadAttributes<Op, T>(tile);
    const std::size_t lanes = hn::Lanes(D()), group = kGroups[cols / lanes];
    // As in ElementwiseRows: the ends are loaded before anything is written, all between them is stored on a vector's boundary.
    const V first_result = Result(load(0), hn::LoadU(D(), other), attributes);
    const V last_other = hn::LoadU(D(), other + last);
    std::size_t i = lanes - Misalignment(D(), out), at = Wrapped(i, cols);
    const auto next = [&]() HWY_ATTR {
      const V v = load(at);
      at = kGoesOn ? at + lanes : Wrapped(at + lanes, cols);
      return v;
    };
    const std::size_t begin_at = at;
    const V s0 = next(), s1 = next(), s2 = next(), s3 = next(), s4 = next(), s5 = next(), s6 = next(), s7 = next();
    const auto compute = [&](V s, std::size_t col) HWY_ATTR {
      if constexpr (kAsksInCaches) Streamed<T>::AskAhead(other + col);
      hn::StoreU(Result(s, hn::LoadU(D(), other + col), attributes), D(), out + col);
    };
    const std::size_t step = group * lanes, last_group = last - step;
    for (; i <= last_group; i += step) {
      compute(s0, i), compute(s1, i + lanes), compute(s2, i + 2 * lanes), compute(s3, i + 3 * lanes), compute(s4, i + 4 * lanes);
      if (group > 5) compute(s5, i + 5 * lanes);
      if (group > 6) compute(s6, i + 6 * lanes);
      if (group > 7) compute(s7, i + 7 * lanes);
    }
    if constexpr (kGoesOn) {
      at = begin_at + last - i;
      for (std::size_t behind = begin_at - i; i < last; i += lanes) compute(load(behind + i), i);
    } else {
      for (at = begin_at; i < last; i += lanes) compute(next(), i);
      const std::size_t over = i - last;  // less than a vector
      at = at >= over ? at - over : at + cols - over;
    }
    const V last_result = Result(load(at), last_other, attributes);
    hn::StoreU(first_result, D(), out);
    hn::StoreU(last_result, D(), out + last);
  }

 private:
  // Off a vector's boundary: from the row and its beginning once more.
  static HWY_NOINLINE void RunFromCopy(const Tile& tile, const void* same_row, const void* other, Element* out) {
    const auto* const same = static_cast<const Element*>(same_row);
    const std::size_t lanes = hn::Lanes(D()), cols = static_cast<std::size_t>(tile.cols);
    HWY_ALIGN Element twice[kMaxKeptBytes / sizeof(Element) + hn::MaxLanes(D())];
    for (std::size_t i = 0; i < cols; i += lanes) hn::Store(hn::LoadU(D(), same + i), D(), twice + i);
    hn::Store(hn::LoadU(D(), same), D(), twice + cols);
    LongRow(tile, twice, cols, static_cast<const Element*>(other), out, static_cast<std::size_t>(tile.rows) * cols - lanes);
  }

  static HWY_INLINE std::int64_t Lanes() { return static_cast<std::int64_t>(hn::Lanes(D())); }

  // The tile's elements as `periods` rows of `cols`, of which the last one may be cut, but not to less than a vector.
  template <bool kStream>
  static HWY_NOINLINE void RunPeriods(const Tile& tile, const void* same_row, std::size_t cols, std::int64_t periods,
                                      const void* other_rows, void* out_rows) {
    HWY_ALIGN Element ends[2 * hn::MaxLanes(D())];
    const Repeated<T> same(D(), same_row, cols, ends);
    const Streamed<T> other({static_cast<const std::byte*>(other_rows), tile.out_row_stride});
    const auto attributes = ReadAttributes<Op, T>(tile);
    auto* const out = static_cast<Element*>(out_rows);
    const auto n = static_cast<std::size_t>(tile.rows * tile.cols);
    if constexpr (kSame == 0) {
      Rows::Joined::template Run<kStream>(StreamingOf<T, D>(tile, 2), out, periods, cols, n, attributes, same, other);
    } else {
      Rows::Joined::template Run<kStream>(StreamingOf<T, D>(tile, 2), out, periods, cols, n, attributes, other, same);
    }
  }

  // Of rows that are streamed: those of whole vectors that are shorter are joined, as ragged ones are (those of 256 bytes take 1.08
  // times as long joined; with AVX-512 those of a line 0.94 of the time); and to how long ones what is joined is repeated.
  static constexpr std::int64_t kShortBytes = 128;
  static constexpr std::size_t kLongBytes = 1024;
  static constexpr std::int64_t kMostVectors = kMaxKept;  // of 16 registers
  static constexpr std::int64_t kLeastVectors = 32;       // of results
  // Of rows of so many vectors, how many of them are computed at once: whole rows, that registers hold, and at least five vectors.
  static constexpr std::uint8_t kGroups[kMostVectors + 1] = {0, 8, 8, 6, 8, 5, 6, 7, 8};

  template <class A>
  static HWY_INLINE V Result(V same, V other, const A& attributes) {
    const decltype(Rows::WideTag(TypeList<T, T>())) wide;
    if constexpr (kSame == 0) {
      return Rows::template ResultOf<T, T>(wide, attributes, same, other);
    } else {
      return Rows::template ResultOf<T, T>(wide, attributes, other, same);
    }
  }

  // A col's place in its row, of one that is at most in the next row: a division takes as long as ten vectors.
  static HWY_INLINE std::size_t Wrapped(std::size_t col, std::size_t cols) { return col < cols ? col : col - cols; }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
