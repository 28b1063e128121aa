// Rows that follow each other, and rows of whole vectors: one after the other or, where they are streamed, by turns.
#if defined(AXISCAST_KIT_ROWS_BY_TURNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_ROWS_BY_TURNS_INL_H_
#undef AXISCAST_KIT_ROWS_BY_TURNS_INL_H_
#else
#define AXISCAST_KIT_ROWS_BY_TURNS_INL_H_
#endif

#include <type_traits>

#include "axiscast/kit/operand-inl.h"
#include "axiscast/kit/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows that follow each other without gaps, as one. Rows is ElementwiseRows of the op and T, as it is below.
template <class Rows, class Op, typename T>
class JoinedRows {
  using Out = Stored<OutOf<Op, T>>;

 public:
  // `n` elements of them, as Rows computes one row; of the last row, a vector at least. A vector that belongs to two rows is put
  // together from both.
  template <bool kStream, class A, class... X>
  static HWY_INLINE void Run(Streaming streaming, Out* out, std::int64_t rows, std::size_t cols, std::size_t n, const A& attributes,
                             X... x) {
    if constexpr (kStream) (x.SetAhead(AheadOfStream(streaming)), ...);
    const auto wide = Rows::WideTag(InputsOf<Op, T>());
    const hn::Rebind<Out, decltype(wide)> d_stored;
    const std::size_t lanes = hn::Lanes(wide), last = n - lanes, begin = Rows::template Begin<kStream>(d_stored, out);
    const auto first_result = Rows::Result(wide, 0, attributes, x...);
    const auto last_result = Rows::Result(wide, last, attributes, x.After(rows - 1)...);
    const OutputRun<Out> run(kStream, out, n, {1, streaming.past_caches});
    const std::size_t between = n > begin ? (n - 1 - begin) & (0 - lanes) : 0;  // elements of the vectors that begin there
    if constexpr (kStream && kRowsTakeTurns<OutOf<Op, T>, decltype(d_stored)>) {
      const std::size_t to_line = (0 - reinterpret_cast<std::uintptr_t>(out + begin)) % kLineBytes / sizeof(Out);  // elements
      ForRunsByTurns(static_cast<std::size_t>(streaming.most_parts), HWY_MIN(to_line, between), between, sizeof(Out),
                     [&](std::size_t first, std::size_t stop) HWY_ATTR {
                       const std::size_t row = (begin + first) / cols;
                       Some<kStream>(wide, run, out, begin + first, (row + 1) * cols, begin + stop, cols, attributes,
                                     x.After(static_cast<std::int64_t>(row))...);
                     });
    } else if (between > 0) {
      Some<kStream>(wide, run, out, begin, cols, begin + between, cols, attributes, x...);
    }
    if (begin > 0) run.StoreFirst(first_result, d_stored, out);
    run.StoreLast(last_result, d_stored, out + last);
  }

 private:
  // The vectors of a row that ends at element `end`, from the one at i on, and one at its end that belongs to the next row as well;
  // none that end behind `stop`. Returns where the next one begins. Operands by value: by reference, where the caller changes them,
  // rows take 2 to 3.5 times as long.
  template <bool kStream, class Wide, class A, class... X>
  static HWY_INLINE std::size_t OneRow(Wide wide, const OutputRun<Out>& run, Out* out, std::size_t i, std::size_t end,
                                       std::size_t stop, const A& attributes, const X... x) {
    const hn::Rebind<Out, Wide> d_stored;
    constexpr std::size_t kLeast = kRowsTakeTurns<OutOf<Op, T>, decltype(d_stored)> ? kNoTurns : kLeastByTurns;
    i = run.template StoreVectors<kLeast>(
        d_stored, out, i, HWY_MIN(end, stop), [&](std::size_t at) HWY_ATTR __attribute__((always_inline)) { Rows::Ask(at, x...); },
        [&](std::size_t at) HWY_ATTR { return Rows::template ResultOfRun<kStream>(wide, at, attributes, x...); });
    if (i >= stop || i >= end) return i;
    const auto crossing = [&](const auto& operand) HWY_ATTR {
      using Element = typename std::remove_cvref_t<decltype(operand)>::Element;
      return operand.LoadCrossing(StoredTag<Element, Wide>(), i, end - i, operand.Next());
    };
    run.Store(Rows::template ResultOf<typename X::Element...>(wide, attributes, crossing(x)...), d_stored, out + i);
    return i + hn::Lanes(wide);
  }
  // The same of rows one after the other, of which the first one ends at element `end`.
  template <bool kStream, class Wide, class A, class... X>
  static HWY_INLINE void Some(Wide wide, const OutputRun<Out>& run, Out* out, std::size_t i, std::size_t end, std::size_t stop,
                              std::size_t cols, const A& attributes, X... x) {
    for (;; end += cols) {
      i = OneRow<kStream>(wide, run, out, i, end, stop, attributes, x...);
      if (i >= stop) return;
      ((x = x.Next()), ...);
    }
  }
};

// Rows of whole vectors.
template <class Rows, class Op, typename T>
class WholeRows {
  using Out = Stored<OutOf<Op, T>>;

 public:
  // Whether they are, on vectors' boundaries. Of rows that are streamed: whole lines, and not so many that parts of a row
  // take turns.
  template <bool kStream>
  static HWY_INLINE bool IsFor(const std::byte* out, std::int64_t out_row_stride, std::size_t cols) {
    const std::size_t vector = hn::Lanes(Rows::WideTag(InputsOf<Op, T>())) * sizeof(Out);
    const std::size_t whole = kStream ? HWY_MAX(vector, kLineBytes) : vector;  // powers of two
    using D = hn::Rebind<Out, decltype(Rows::WideTag(InputsOf<Op, T>()))>;
    if (kStream && kLineIsVectors<D> && cols * sizeof(Out) >= kLeastByTurns) return false;
    return ((reinterpret_cast<std::uintptr_t>(out) | static_cast<std::uintptr_t>(out_row_stride) | (cols * sizeof(Out))) &
            (whole - 1)) == 0;
  }

  // Such rows, in the order of memory where they do not take turns: where the ends of rows of 512 bytes are computed first, they
  // take 1.2 times as long in L2. kByTurns: whether they may take turns.
  template <bool kStream, bool kByTurns = true, class A, class... X>
  static HWY_INLINE void Run(Streaming streaming, std::byte* out, std::int64_t out_row_stride, std::int64_t rows, std::size_t cols,
                             const A attributes, X... x) {
    if constexpr (kStream) (x.SetAhead(AheadOfStream(streaming)), ...);
    const auto wide = Rows::WideTag(InputsOf<Op, T>());
    if constexpr (kStream && kByTurns && kRowsTakeTurns<OutOf<Op, T>, hn::Rebind<Out, decltype(wide)>>) {
      ForRunsByTurns(static_cast<std::size_t>(streaming.most_parts), 0, static_cast<std::size_t>(rows) * cols, sizeof(Out),
                     [&](std::size_t first, std::size_t stop) HWY_ATTR {
                       const std::size_t row = first / cols;
                       Some(wide, streaming.past_caches, out + static_cast<std::int64_t>(row) * out_row_stride, out_row_stride,
                            first - row * cols, stop - row * cols, cols, attributes, x.AtRow(static_cast<std::int64_t>(row))...);
                     });
    } else {
      for (;;) {
        OneRow<kStream>(wide, streaming.past_caches, out, 0, cols, attributes, x...);
        if (--rows == 0) return;
        out += out_row_stride;
        (x.NextRow(), ...);
      }
    }
  }

 private:
  // Of one of such rows, elements [i, end). Operands by value, as in JoinedRows.
  template <bool kStream, class Wide, class A, class... X>
  static HWY_INLINE void OneRow(Wide wide, [[maybe_unused]] bool past_caches, std::byte* out, std::size_t i, std::size_t end,
                                const A& attributes, const X... x) {
    auto* const row = reinterpret_cast<Out*>(out);
    if constexpr (kStream) {
      StreamLines<kNoTurns>(
          hn::Rebind<Out, Wide>(), row, i,
          end, [&](std::size_t at) HWY_ATTR __attribute__((always_inline)) { Rows::Ask(at, x...); },
          [&](std::size_t at) HWY_ATTR { return Rows::ResultToStream(wide, at, attributes, x...); }, {1, past_caches});
    } else {
      HWY_UNROLL(2)
      for (; i < end; i += hn::Lanes(wide)) Rows::StoreAhead(wide, i, row, attributes, x...);
    }
  }

  // Of such rows that are streamed, elements [i, stop), counted through from the first one's begin.
  template <class Wide, class A, class... X>
  static HWY_INLINE void Some(Wide wide, bool past_caches, std::byte* out, std::int64_t out_row_stride, std::size_t i,
                              std::size_t stop, std::size_t cols, const A& attributes, X... x) {
    for (;; i = 0, stop -= cols) {
      OneRow<true>(wide, past_caches, out, i, HWY_MIN(cols, stop), attributes, x...);
      if (stop <= cols) return;
      out += out_row_stride;
      (x.NextRow(), ...);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
