// The rows of a tile of whose two inputs one has the same elements again after each period of cols: what else would be rows of
// their own is joined, so that the result is stored by aligned vectors, unless periods are whole vectors. (PeriodicRows are those
// of a tile one of whose inputs is the same in all rows.)
#if defined(AXISCAST_KIT_RECURRING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_RECURRING_INL_H_
#undef AXISCAST_KIT_RECURRING_INL_H_
#else
#define AXISCAST_KIT_RECURRING_INL_H_
#endif

#include "axiscast/kit/periodic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether ElementwiseRows of an op may do so: a vector that is in two periods is loaded by masks, or put together from both.
template <class Op, typename T>
inline constexpr bool kTakesRecurring = (kHasMaskedStore || HWY_TARGET == HWY_AVX2) && (kTakesPeriodic<Op, T>);

// Recurring: of a tile's row, `period` elements again and again, of which there is a vector at least. As rows that join (see
// operand-inl.h), each is a period, and `times` of them are the same. From the last one of a row to the next row's it is
// `row_stride` bytes.
template <typename T>
class Recurring {
 public:
  using Element = T;
  static constexpr bool kStreamed = false;
  HWY_INLINE Recurring(const void* data, std::int64_t period, std::int64_t row_stride, std::int64_t times)
      : at_(reinterpret_cast<std::intptr_t>(data)),
        period_bytes_(period * static_cast<std::int64_t>(sizeof(Stored<T>))),
        row_stride_(row_stride),
        times_(times),
        left_(times) {}

  HWY_INLINE void AskAhead(std::size_t) const {}
  HWY_INLINE void AskToStream(std::size_t) const {}
  HWY_INLINE void SetAhead(std::size_t) {}
  HWY_INLINE Recurring Next() const {
    Recurring next = *this;
    const bool ends = left_ == 1;
    next.at_ += (ends ? row_stride_ : 0) - period_bytes_;
    next.left_ = ends ? times_ : left_ - 1;
    return next;
  }
  // Only where the operand stands at the first period.
  HWY_INLINE Recurring After(std::int64_t periods) const {
    Recurring later = *this;
    later.at_ += periods / times_ * row_stride_ - periods * period_bytes_;
    later.left_ = times_ - periods % times_;
    return later;
  }
  template <class D>
  HWY_INLINE hn::VFromD<D> Load(D d, std::size_t i) const {
    return hn::LoadU(d, ElementAt(i));
  }
  template <class D>
  HWY_INLINE hn::VFromD<D> LoadCrossing(D d, std::size_t i, std::size_t own, const Recurring& next) const {
    if constexpr (kHasMaskedStore) {
      const auto mask = hn::FirstN(d, own);
      return hn::MaskedLoadOr(hn::MaskedLoad(mask, d, ElementAt(i)), hn::Not(mask), d, next.ElementAt(i));
    } else {  // from the last vector of this period and the first one of the next, as nothing else may be read
      const hn::RebindToUnsigned<D> d_index;
      const std::size_t lanes = hn::Lanes(d);
      const auto from = hn::Iota(d_index, static_cast<hn::TFromD<decltype(d_index)>>(lanes - own));
      return hn::TwoTablesLookupLanes(d, hn::LoadU(d, ElementAt(i + own - lanes)), hn::LoadU(d, next.ElementAt(i + own)),
                                      hn::IndicesFromVec(d, from));
    }
  }

 private:
  HWY_INLINE const Stored<T>* ElementAt(std::size_t i) const {
    return reinterpret_cast<const Stored<T>*>(at_ + static_cast<std::intptr_t>(i * sizeof(Stored<T>)));
  }

  std::intptr_t at_;  // where the period's elements were, if they were counted from the first one
  std::int64_t period_bytes_, row_stride_, times_;
  std::int64_t left_;  // periods that are the same, from this one on
};

// Rows is ElementwiseRows of the op and T; the op's operand kRecurring is the one that recurs.
template <class Rows, class Op, typename T, int kRecurring>
class RecurringRows {
  using Element = Stored<T>;
  static constexpr std::int64_t kLeastAsked = 512;  // bytes: shorter periods take 1.1 times as long into caches if they stream

 public:
  static HWY_NOINLINE void Run(const Tile& tile, const TileInput& recurring, const void* data, InputRows other, void* out) {
    const std::int64_t period_bytes = recurring.period * static_cast<std::int64_t>(sizeof(Element));
    if (tile.stream && !(tile.into_caches && period_bytes < kLeastAsked)) {
      RunRows<true>(tile, recurring, static_cast<const std::byte*>(data), other, static_cast<std::byte*>(out));
    } else {
      RunRows<false>(tile, recurring, static_cast<const std::byte*>(data), other, static_cast<std::byte*>(out));
    }
  }

 private:
  template <bool kStream>
  static HWY_NOINLINE void RunRows(const Tile& tile, const TileInput& recurring, const std::byte* data, InputRows other,
                                   std::byte* out) {
    const std::int64_t period = recurring.period, times = tile.cols / period;
    const std::int64_t bytes = tile.cols * static_cast<std::int64_t>(sizeof(Element));
    const auto attributes = ReadAttributes<Op, T>(tile);
    using D = StoredTag<T, decltype(Rows::WideTag(TypeList<T, T>()))>;
    const Streaming streaming = StreamingOf<T, D>(tile, 2);
    if (Rows::Whole::template IsFor<kStream>(out, tile.out_row_stride, static_cast<std::size_t>(period))) {
      // A vector is never in two periods. With AVX2 rows of few of them take 1.13 times as long where they look for turns.
      constexpr bool kByTurns = kIsLine<D>;
      const std::int64_t period_bytes = period * static_cast<std::int64_t>(sizeof(Element));
      for (std::int64_t r = 0; r < tile.rows; ++r) {
        const Streamed<T> x({data + r * recurring.row_stride, 0}), y({other.data + r * other.row_stride, period_bytes});
        std::byte* const row = out + r * tile.out_row_stride;
        if constexpr (kRecurring == 0) {
          Rows::Whole::template Run<kStream, kByTurns>(streaming, row, period_bytes, times, static_cast<std::size_t>(period),
                                                       attributes, x, y);
        } else {
          Rows::Whole::template Run<kStream, kByTurns>(streaming, row, period_bytes, times, static_cast<std::size_t>(period),
                                                       attributes, y, x);
        }
      }
      return;
    }
    const bool dense = other.row_stride == bytes && tile.out_row_stride == bytes;
    const std::int64_t joined = dense ? tile.rows : 1;  // all rows of the tile are joined, or the periods of each one
    const auto cols = static_cast<std::size_t>(period), n = static_cast<std::size_t>(joined * tile.cols);
    for (std::int64_t r = 0; r < tile.rows; r += joined) {
      const Recurring<T> x(data + r * recurring.row_stride, period, recurring.row_stride, times);
      const Streamed<T> y({other.data + r * other.row_stride, other.row_stride});
      auto* const row = reinterpret_cast<Element*>(out + r * tile.out_row_stride);
      if constexpr (kRecurring == 0) {
        Rows::Joined::template Run<kStream>(streaming, row, joined * times, cols, n, attributes, x, y);
      } else {
        Rows::Joined::template Run<kStream>(streaming, row, joined * times, cols, n, attributes, y, x);
      }
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
