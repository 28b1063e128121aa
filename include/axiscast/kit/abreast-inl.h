// The rows of a tile where one input is the same in all of them and long: some of them abreast.
#if defined(AXISCAST_KIT_ABREAST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_ABREAST_INL_H_
#undef AXISCAST_KIT_ABREAST_INL_H_
#else
#define AXISCAST_KIT_ABREAST_INL_H_
#endif

#include "axiscast/kit/operand-inl.h"
#include "axiscast/kit/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether ElementwiseRows of an op heeds Tile::abreast.
template <class Op, typename T>
inline constexpr bool kTakesAbreast = Op::kInfo.arity > 1 && kHasLoops<Op, T>;

// Whether rows of a tile, if all inputs are streamed, are computed abreast.
HWY_INLINE bool RunsAbreast(const Tile& tile) { return tile.abreast && tile.rows > 1; }

// Four rows at a time, two vectors of each: what is the same for all of them and long comes from L2 once for them, and all is read
// before anything is stored, as what one row reads may have the place in L1 of what another stores. Beside one of 64 to 200 KB sums
// take 0.72 to 0.82 of the time from memory, and 0.79 to 0.97 of what rows take from L3 that are cut so that L1 keeps it. Eight
// rows, or one vector or four of each, take as long; eight rows of which each is stored before the next one is read, 1.2 to 1.4
// times (a Zen 5, AVX-512). Fewer than four rows are computed one by one.
template <class Rows, class Op, typename T>
class AbreastRows {
  using Out = Stored<OutOf<Op, T>>;
  using Wide = decltype(Rows::WideTag(InputsOf<Op, T>()));
  using D = hn::Rebind<Out, Wide>;

 public:
  template <bool kStream, class A, class... X>
  static HWY_INLINE void Run(const Tile& tile, void* out_rows, const A& attributes, X... x) {
    if constexpr (kStream) (x.SetAhead(AheadOfStream({tile.by_turns.rows})), ...);
    const std::int64_t out_row_stride = tile.out_row_stride;
    const auto cols = static_cast<std::size_t>(tile.cols);
    auto* out = static_cast<std::byte*>(out_rows);
    for (std::int64_t rows = tile.rows;;) {
      const std::int64_t some = HWY_MIN(rows, kRowsAbreast);
      const std::size_t abreast = some < kRowsAbreast ? 0 : ElementsAbreast(out, out_row_stride, cols);
      for (std::int64_t row = 0; row < some; ++row) {
        StoreRest<kStream>(RowAt(out, out_row_stride, row), cols, abreast, attributes, x.AtRow(row)...);
      }
      if (abreast > 0) StoreAbreast<kStream>(out, out_row_stride, abreast, attributes, x...);
      if ((rows -= some) == 0) return;
      out += some * out_row_stride;
      ((x = x.AtRow(some)), ...);
    }
  }

 private:
  static constexpr std::int64_t kRowsAbreast = 4;

  static HWY_INLINE Out* RowAt(std::byte* out, std::int64_t out_row_stride, std::int64_t row) {
    return reinterpret_cast<Out*>(out + row * out_row_stride);
  }
  static HWY_INLINE std::size_t LineOrVector() { return HWY_MAX(hn::Lanes(D()), kLineBytes / sizeof(Out)); }
  // Elements from a row's begin to the next boundary of so many, a power of two.
  static HWY_INLINE std::size_t ElementsBefore(std::size_t boundary, const Out* row) {
    return (0 - reinterpret_cast<std::uintptr_t>(row) / sizeof(Out)) % boundary;
  }

  // How many elements of each of four rows, from its first boundary of a line on, are stored abreast: whole lines, an even number
  // of vectors.
  static HWY_INLINE std::size_t ElementsAbreast(std::byte* out, std::int64_t out_row_stride, std::size_t cols) {
    const std::size_t line = LineOrVector(), both = HWY_MAX(line, 2 * hn::Lanes(D()));
    std::size_t before = 0;
    for (std::int64_t row = 0; row < kRowsAbreast; ++row) {
      before = HWY_MAX(before, ElementsBefore(line, RowAt(out, out_row_stride, row)));
    }
    return cols < before ? 0 : (cols - before) / both * both;
  }

  template <bool kStream, class A, class... X>
  static HWY_INLINE void StoreAbreast(std::byte* out, std::int64_t out_row_stride, std::size_t count, const A& attributes,
                                      const X&... x) {
    const Wide wide;
    const D d;
    const std::size_t lanes = hn::Lanes(d), line = LineOrVector();
    Out *const row0 = RowAt(out, out_row_stride, 0), *const row1 = RowAt(out, out_row_stride, 1);
    Out *const row2 = RowAt(out, out_row_stride, 2), *const row3 = RowAt(out, out_row_stride, 3);
    std::size_t i0 = ElementsBefore(line, row0), i1 = ElementsBefore(line, row1);
    std::size_t i2 = ElementsBefore(line, row2), i3 = ElementsBefore(line, row3);
    const auto result = [&](std::size_t i, const X&... at) HWY_ATTR {
      Rows::template AskInLoop<kStream>(i, at...);
      return Rows::ResultToStream(wide, i, attributes, at...);
    };
    const auto store = [d](hn::VFromD<D> v, Out* at) HWY_ATTR {
      if constexpr (kStream) {
        StreamOrStore(v, d, at);
      } else {
        hn::StoreU(v, d, at);
      }
    };
    for (const std::size_t end = i0 + count; i0 < end; i0 += 2 * lanes, i1 += 2 * lanes, i2 += 2 * lanes, i3 += 2 * lanes) {
      const auto first0 = result(i0, x.AtRow(0)...), second0 = result(i0 + lanes, x.AtRow(0)...);
      const auto first1 = result(i1, x.AtRow(1)...), second1 = result(i1 + lanes, x.AtRow(1)...);
      const auto first2 = result(i2, x.AtRow(2)...), second2 = result(i2 + lanes, x.AtRow(2)...);
      const auto first3 = result(i3, x.AtRow(3)...), second3 = result(i3 + lanes, x.AtRow(3)...);
      store(first0, row0 + i0), store(second0, row0 + i0 + lanes), store(first1, row1 + i1), store(second1, row1 + i1 + lanes);
      store(first2, row2 + i2), store(second2, row2 + i2 + lanes), store(first3, row3 + i3), store(second3, row3 + i3 + lanes);
    }
  }

  // What of a row is before its first boundary of a line and behind the `abreast` elements from there on; 0: all of it. What is
  // before its first boundary of a vector and behind its last one, alone: `out` may be exactly an input.
  template <bool kStream, class A, class... X>
  static HWY_INLINE void StoreRest(Out* row, std::size_t cols, std::size_t abreast, const A& attributes, const X&... x) {
    const Wide wide;
    const D d;
    const std::size_t lanes = hn::Lanes(d), first_line = ElementsBefore(LineOrVector(), row);
    Out* const last = row + (cols - lanes);
    if (Misalignment(d, row) != 0 || Misalignment(d, last) != 0) {
      const OutputRun<Out> ends(true, row, cols);
      const auto first_result = Rows::Result(wide, 0, attributes, x...);
      const auto last_result = Rows::Result(wide, cols - lanes, attributes, x...);
      if (Misalignment(d, row) != 0) ends.StoreFirst(first_result, d, row);
      if (Misalignment(d, last) != 0) ends.StoreLast(last_result, d, last);
    }
    const OutputRun<Out> run(kStream, row, cols);
    for (std::size_t i = ElementsBefore(lanes, row), stop = abreast > 0 ? first_line : cols;;) {
      if constexpr (kStream) {
        run.template StoreVectors<kNoTurns>(
            d, row, i, stop, [&](std::size_t at) HWY_ATTR __attribute__((always_inline)) { Rows::Ask(at, x...); },
            [&](std::size_t at) HWY_ATTR { return Rows::ResultToStream(wide, at, attributes, x...); });
      } else {
        for (; i + lanes <= stop; i += lanes) Rows::StoreAhead(wide, i, row, attributes, x...);
      }
      if (stop == cols) return;
      i = first_line + abreast, stop = cols;
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
