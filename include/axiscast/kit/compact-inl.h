// The rows of any tile in a loop that chooses at run time: for rows shorter than a vector, for operands that are all splat, and
// for ops without loops for each splat pattern (kHasLoops): a copy for each would cost more than the choices.
#if defined(AXISCAST_KIT_COMPACT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_COMPACT_INL_H_
#undef AXISCAST_KIT_COMPACT_INL_H_
#else
#define AXISCAST_KIT_COMPACT_INL_H_
#endif

#include <utility>

#include "axiscast/kit/operand-inl.h"
#include "axiscast/kit/store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Where a row of an operand of either kind is read, for loops that keep it in registers.
template <typename T>
struct EitherPointer {
  // Elements [i, i + lanes).
  template <class D>
  HWY_INLINE hn::VFromD<D> LoadWhole(D d, std::size_t i) const {
    return hn::LoadU(d, from + i * step);
  }
  // Elements [i, i + min(left, lanes)); other lanes are 0. Reads nothing behind them.
  template <class D>
  HWY_INLINE hn::VFromD<D> LoadUpTo(D d, std::size_t i, std::size_t left) const {
    if (HWY_LIKELY(left >= hn::Lanes(d))) return LoadWhole(d, i);
    return hn::LoadN(d, from + i * step, left);
  }

  // Asks for what comes so many bytes behind an element.
  HWY_INLINE void AskAhead(std::size_t i, std::size_t bytes) const { hwy::Prefetch(from + (i + bytes / sizeof(Stored<T>)) * step); }

  const Stored<T>* from;
  std::size_t step;
};

// A row of an operand of either kind, which is seen at run time, for vectors of D, as they are stored. A splat becomes a vector in
// memory that is read over and over, so the loop that reads it has no branch for it.
template <typename T, class D>
class EitherRow {
 public:
  HWY_INLINE EitherRow(const Stored<T>* row, bool splat) : pointer_{row, splat ? 0u : 1u} {
    if (!splat) return;
    hn::Store(hn::Set(D(), *pointer_.from), D(), splat_);
    pointer_.from = splat_;
  }
  EitherRow(const EitherRow&) = delete;
  EitherRow& operator=(const EitherRow&) = delete;

  HWY_INLINE EitherPointer<T> pointer() const { return pointer_; }

 private:
  EitherPointer<T> pointer_;
  HWY_ALIGN Stored<T> splat_[hn::MaxLanes(D())];
};

// Rows is ElementwiseRows of the op and T.
template <class Rows, class Op, typename T>
class CompactRows {
 public:
  template <typename... In>
  static HWY_NOINLINE void Run(const Tile& tile, const void* const* inputs, void* out, TypeList<In...>) {
    AllRows<In...>(tile, inputs, static_cast<std::byte*>(out), std::index_sequence_for<In...>());
  }

 private:
  using Element = Stored<OutOf<Op, T>>;

  template <typename... In, std::size_t... kInput>
  static HWY_INLINE void AllRows(const Tile& tile, const void* const* inputs, std::byte* out, std::index_sequence<kInput...>) {
    using Wide = decltype(Rows::WideTag(TypeList<In...>()));
    const auto n = static_cast<std::size_t>(tile.cols);
    const auto attributes = ReadAttributes<Op, T>(tile);
    const std::size_t ahead = AheadOfStream({tile.by_turns.rows});
    const bool stream = tile.stream && !tile.into_caches;  // asking took 1.11 times as long from L3, two threads 0.94
    const auto row = [&](Element* to, const EitherRow<In, StoredTag<In, Wide>>&... x)
                         HWY_ATTR { Row<In...>(to, n, stream, ahead, attributes, x.pointer()...); };
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      row(reinterpret_cast<Element*>(out + r * tile.out_row_stride),
          {RowsOf(tile, inputs, kInput).template Row<In>(r), tile.in[kInput].splat}...);
    }
  }
  // Where all is passed by value: what a loop reads by way of a pointer, it reads again after every store.
  template <typename... In, class A>
  static HWY_INLINE void Row(Element* out, std::size_t n, bool stream, [[maybe_unused]] std::size_t ahead, const A& attributes,
                             EitherPointer<In>... x) {
    const auto wide = Rows::WideTag(TypeList<In...>());
    const hn::Rebind<Element, decltype(wide)> d_stored;
    const std::size_t lanes = hn::Lanes(wide);
    const OutputRun<Element> run(stream, out, n);
    constexpr bool kIsLong = IsCompact<Op, T>();  // or it comes here as all ops do with SSE2, or in a build without its loops
    const std::size_t before = stream ? Misalignment(d_stored, out) : 0;
    std::size_t i = 0, some = 0;
    if constexpr (!kHasLoops<Op, T>) {
      // Whole vectors, without what others need, for a twentieth more code: remainders of float32 take 0.92 of the time in L1 and
      // L2, floored quotients of int32 0.98, and 0.72 to 0.86 where the core's other thread is busy. Of long ops those that are
      // streamed have a loop of their own: 0.8 to 0.9, 0.98 and 0.82 to 0.87 of what is left. (Short ops come here for less than a
      // vector, mostly.)
      if (kIsLong ? !stream : before == 0) {
        for (; i + lanes <= n; i += lanes) {
          const auto result = Rows::template ResultOf<In...>(wide, attributes, x.LoadWhole(StoredTag<In, decltype(wide)>(), i)...);
          if constexpr (kIsLong) {
            hn::StoreU(result, d_stored, out + i);
          } else {
            run.Store(result, d_stored, out + i);
          }
        }
      }
    }
    for (; i < n; i += some) {
      if constexpr (kIsLong) {
        // Whole lines of what is streamed. An op that computes much leaves the core no time to see what comes next: asked for it,
        // remainders of float32 and float64 take 0.83 of the time from memory, floored quotients of int32 0.94 (a Zen 3), and a Zen
        // 5's 0.98 and 1, but 1.4 and 1.2 times as long if it asks 1 KB ahead. GCC would call the function, for 1.2
        // times as long.
        if (stream && reinterpret_cast<std::uintptr_t>(out + i) % kLineBytes == 0) {
          const auto vector = [&](std::size_t at) HWY_ATTR __attribute__((always_inline)) {
            return Rows::template ResultOf<In...>(wide, attributes, x.LoadWhole(StoredTag<In, decltype(wide)>(), at)...);
          };
          i = StreamLines<kNoTurns>(
              d_stored, out, i, n, [&](std::size_t at) HWY_ATTR __attribute__((always_inline)) { (x.AskAhead(at, ahead), ...); },
              vector, Streaming());
          if (i == n) return;
        }
      }
      // The first vector of what is streamed ends on a vector's boundary.
      some = HWY_MIN(n - i, lanes - (stream ? Misalignment(d_stored, out + i) : 0));
      const auto result = Rows::template ResultOf<In...>(wide, attributes, x.LoadUpTo(StoredTag<In, decltype(wide)>(), i, some)...);
      if (HWY_UNLIKELY(some < lanes)) {
        run.StoreSome(result, d_stored, out + i, some);
      } else {
        run.Store(result, d_stored, out + i);
      }
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
