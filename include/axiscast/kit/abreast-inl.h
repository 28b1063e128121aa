// The rows of a tile where one input is the same in all of them and long, beside others from memory: some of them abreast.
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

// Some rows at a time, a few lines of each after the other: what is the same for all of them and long does not come from L2 for
// each. Row by row, sums of float32 of 16 KB take 1.3 times as long from memory, of float64 1.5 times, and of 64 KB 1.6 times
// (Zen 4, L1 of 32 KB; rows of 8 KB stay there). One line of each at a time takes 1.1 times as long as four, and so do eight.
template <class Rows, class Op, typename T>
class AbreastRows {
  using Out = Stored<OutOf<Op, T>>;

 public:
  template <bool kStream, class A, class... X>
  static HWY_INLINE void Run(const Tile& tile, void* out_rows, const A& attributes, X... x) {
    if constexpr (kStream) (x.SetAhead(AheadOfStream({tile.by_turns.rows})), ...);
    const std::int64_t out_row_stride = tile.out_row_stride;
    const auto cols = static_cast<std::size_t>(tile.cols);
    auto* out = static_cast<std::byte*>(out_rows);
    const auto wide = Rows::WideTag(InputsOf<Op, T>());
    const hn::Rebind<Out, decltype(wide)> d_stored;
    const std::size_t lanes = hn::Lanes(wide), line = HWY_MAX(lanes, kLineBytes / sizeof(Out));
    const std::size_t step = HWY_MAX(line, kBytesAbreast / sizeof(Out));
    for (std::int64_t rows = tile.rows;;) {
      const std::int64_t some = HWY_MIN(rows, kRowsAbreast);
      // What lies before a row's first boundary of a vector and behind its last one, alone: `out` may be exactly an input.
      const auto store_ends = [&](Out* row, const X&... at) HWY_ATTR {
        Out* const last = row + (cols - lanes);
        if (Misalignment(d_stored, row) == 0 && Misalignment(d_stored, last) == 0) return;
        const OutputRun<Out> ends(true, row, cols);
        const auto first_result = Rows::Result(wide, 0, attributes, at...);
        const auto last_result = Rows::Result(wide, cols - lanes, attributes, at...);
        if (Misalignment(d_stored, row) != 0) ends.StoreFirst(first_result, d_stored, row);
        if (Misalignment(d_stored, last) != 0) ends.StoreLast(last_result, d_stored, last);
      };
      ForRows(store_ends, out, out_row_stride, some, x...);
      for (std::size_t begin = 0; begin < cols; begin += step) {
        const auto store_part = [&](Out* row, const X&... at) HWY_ATTR {
          // Parts end where lines do: of those that are streamed, both halves come at once.
          const std::size_t offset = ElementsBefore(line, row);
          const OutputRun<Out> run(kStream, row, cols);
          std::size_t i = begin == 0 ? ElementsBefore(lanes, row) : begin + offset;
          if constexpr (kStream) {
            run.template StoreVectors<kNoTurns>(
                d_stored, row, i, HWY_MIN(begin + offset + step, cols),
                [&](std::size_t col) HWY_ATTR __attribute__((always_inline)) { Rows::Ask(col, at...); },
                [&](std::size_t col) HWY_ATTR { return Rows::ResultToStream(wide, col, attributes, at...); });
          } else {
            for (; i < begin + offset + step && i + lanes <= cols; i += lanes) Rows::StoreAhead(wide, i, row, attributes, at...);
          }
        };
        ForRows(store_part, out, out_row_stride, some, x...);
      }
      if ((rows -= some) == 0) return;
      for (std::int64_t row = 0; row < some; ++row) (x.NextRow(), ...);
      out += some * out_row_stride;
    }
  }

 private:
  static constexpr std::int64_t kRowsAbreast = 8;
  static constexpr std::size_t kBytesAbreast = 256;

  // Elements from a row's begin to the next boundary of so many, a power of two.
  static HWY_INLINE std::size_t ElementsBefore(std::size_t boundary, const Out* row) {
    return (0 - reinterpret_cast<std::uintptr_t>(row) / sizeof(Out)) % boundary;
  }
  // f(a row of results, operands at it) for so many rows.
  template <class F, class... X>
  static HWY_INLINE void ForRows(const F& f, std::byte* out, std::int64_t out_row_stride, std::int64_t rows, X... x) {
    for (;;) {
      f(reinterpret_cast<Out*>(out), x...);
      if (--rows == 0) return;
      out += out_row_stride;
      (x.NextRow(), ...);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
