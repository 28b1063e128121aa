// The rows of a tile of whose two inputs one is transposed and the other streamed: squares are transposed in registers on their way
// into the op. By way of scratch, 256 x 256 of float32 take 1.5 times as long.
#if defined(AXISCAST_KIT_TRANSPOSED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_TRANSPOSED_INL_H_
#undef AXISCAST_KIT_TRANSPOSED_INL_H_
#else
#define AXISCAST_KIT_TRANSPOSED_INL_H_
#endif

#include <type_traits>

#include "axiscast/kit/operand-inl.h"
#include "axiscast/kit/store-inl.h"
#include "axiscast/kit/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether ElementwiseRows of an op heeds TileInput::transposed: of vectors that are whole cache lines. With AVX2, squares of blocks
// of 16 bytes take 1.0 to 1.6 times as long as scratch.
template <class Op, typename T>
inline constexpr bool kTakesTransposed =
    !HWY_HAVE_SCALABLE && HWY_MAX_BYTES == 64 && sizeof(Stored<T>) >= 4 && kHasOrderedLoops<Op, T>;

// Rows is ElementwiseRows of the op and T; the op's operand kTransposed is the transposed one.
template <class Rows, class Op, typename T, int kTransposed>
class TransposedRows {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

 public:
  static HWY_NOINLINE void Run(const Tile& tile, InputRows transposed, InputRows streamed, void* out) {
    const Sides first = {transposed.data,       streamed.data,       static_cast<std::byte*>(out),
                         transposed.row_stride, streamed.row_stride, tile.out_row_stride};
    const auto attributes = ReadAttributes<Op, T>(tile);
    using A = std::remove_const_t<decltype(attributes)>;
    const bool asks = tile.stream;
    const bool overlaps = tile.rows >= kLow && tile.cols >= kSide && first.out != first.streamed;
    const bool streams = asks && !tile.into_caches &&
                         (reinterpret_cast<std::uintptr_t>(out) | static_cast<std::uintptr_t>(tile.out_row_stride)) % 64 == 0;
    // Lines of 64 bytes that are loads of as many take 0.8 to 0.95 of the time of their halves, and in caches 1.1 to 1.15 times as
    // long off lines. From memory, where they are asked for, halves would ask for each line twice as often.
    const bool on_lines =
        (reinterpret_cast<std::uintptr_t>(first.transposed) | static_cast<std::uintptr_t>(first.transposed_stride)) % 64 == 0;
    std::int64_t r = 0;
    if constexpr (kSide > kSquareRows) {
      if (on_lines || asks) r = RunSquares<kSide>(tile, first, r, asks, streams, overlaps, attributes);
    }
    r = RunSquares<kSquareRows>(tile, first, r, asks, streams, overlaps, attributes);
    if constexpr (kLow < kSquareRows) {
      if (tile.rows < kSquareRows || tile.rows - r <= kLow) {
        for (; r < tile.rows; r += kLow) {
          RunRow(tile, first, r, kLow, asks, overlaps, &SquareOf<false, kLow, A>, &SquareOf<false, kLow, A>, attributes);
        }
        return;
      }
    }
    if (r == tile.rows) return;
    RunRow(tile, first, r, kSquareRows, asks, overlaps, &SquareOf<false, kSquareRows, A>, &SquareOf<false, kSquareRows, A>,
           attributes);
  }

 private:
  static constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  static constexpr auto kSide = static_cast<std::int64_t>(hn::MaxLanes(D()));  // cols of what is transposed at once
  static constexpr std::int64_t kLow = LeastSquareRows(kSize);                 // rows of that, where few are left
  static constexpr std::int64_t kVectorBytes = kSide * kSize;

  // Where all that a square needs begins, and how many bytes apart its lines are.
  struct Sides {
    const std::byte* transposed;
    const std::byte* streamed;
    std::byte* out;
    std::int64_t transposed_stride;  // from a col to the next
    std::int64_t streamed_stride, out_stride;

    HWY_INLINE Sides At(std::int64_t row, std::int64_t col) const {
      return {transposed + col * transposed_stride + row * kSize,
              streamed + row * streamed_stride + col * kSize,
              out + row * out_stride + col * kSize,
              transposed_stride,
              streamed_stride,
              out_stride};
    }
  };

  template <class A>
  static HWY_INLINE V Result(V transposed, V streamed, const A& attributes) {
    const decltype(Rows::WideTag(TypeList<T, T>())) wide;
    if constexpr (kTransposed == 0) {
      return Rows::template ResultOf<T, T>(wide, attributes, transposed, streamed);
    } else {
      return Rows::template ResultOf<T, T>(wide, attributes, streamed, transposed);
    }
  }

  // A row of a square, once it is transposed.
  template <bool kStream, class A>
  struct ComputeRow {
    HWY_INLINE void operator()(V transposed) {
      const V result = Result(transposed, hn::LoadU(D(), reinterpret_cast<const T*>(streamed)), attributes);
      if constexpr (kStream) {
        StreamOrStore(result, D(), reinterpret_cast<T*>(out));
      } else {
        hn::StoreU(result, D(), reinterpret_cast<T*>(out));
      }
      streamed += streamed_stride;
      out += out_stride;
    }

    const std::byte* streamed;
    std::byte* out;
    std::int64_t streamed_stride, out_stride;
    A attributes;
  };

  template <class A>
  using Square = void (*)(const Sides& sides, const A& attributes);

  // Squares of so many rows, from row `r` on, as long as rows are whole; returns the row behind them.
  template <std::int64_t kRows, class A>
  static HWY_INLINE std::int64_t RunSquares(const Tile& tile, const Sides& first, std::int64_t r, bool asks, bool streams,
                                            bool overlaps, const A& attributes) {
    const Square<A> part = &SquareOf<false, kRows, A>, whole = streams ? &SquareOf<true, kRows, A> : part;
    for (; r + kRows <= tile.rows; r += kRows) RunRow(tile, first, r, kRows, asks, overlaps, whole, part, attributes);
    return r;
  }
  // A row of squares. Where they are fewer rows, they overlap those above; where the last one has fewer cols, it overlaps the one
  // before it; or what there is of a square is computed alone.
  template <class A>
  static HWY_INLINE void RunRow(const Tile& tile, const Sides& first, std::int64_t r, std::int64_t height, bool asks, bool overlaps,
                                Square<A> whole, Square<A> part, const A& attributes) {
    const std::int64_t rows = HWY_MIN(tile.rows - r, height);
    for (std::int64_t c = 0; c < tile.cols; c += kSide) {
      const std::int64_t cols = HWY_MIN(tile.cols - c, kSide);
      if (asks) AskAhead(tile, first, r, c, height);
      if ((rows < height || cols < kSide) && !overlaps) {
        PartOfSquare(first.At(r, c), rows, cols, attributes);
      } else {
        (cols == kSide ? whole : part)(first.At(r + rows - height, c + cols - kSide), attributes);
      }
    }
  }
  // Asks for what the square has that is four squares later, or as many into the next row of them. From memory, 2048 x 2048 of
  // float32 takes 0.7 to 0.8 of the time that it took when all of it was asked for a tile before, and 43690 x 256 0.82, with two
  // threads 0.63 (a Zen 5).
  static HWY_INLINE void AskAhead(const Tile& tile, const Sides& first, std::int64_t r, std::int64_t c, std::int64_t height) {
    c += 4 * kSide;
    for (; c >= tile.cols; c -= tile.cols) r += height;
    if (r >= tile.rows) return;
    const Sides later = first.At(r, c);
    for (std::int64_t i = 0; i < kSide; ++i) {
      const std::byte* const line = later.transposed + i * later.transposed_stride;
      hwy::Prefetch(line);
      hwy::Prefetch(line + height * kSize - 1);  // off lines it is in two of them
    }
    for (std::int64_t i = 0; i < height; ++i) hwy::Prefetch(later.streamed + i * later.streamed_stride);
    if (!tile.into_caches) return;
    for (std::int64_t i = 0; i < height; ++i) PrefetchToWrite(later.out + i * later.out_stride);
  }
  // Not inlined, as gcc would have the multiples of strides ready on the stack for all squares, which takes 2.5 times as long.
  template <bool kStream, std::int64_t kRows, class A>
  static HWY_NOINLINE void SquareOf(const Sides& sides, const A& attributes) {
    TransposeSquare(D(), std::make_index_sequence<static_cast<std::size_t>(kRows)>(), sides.transposed, sides.transposed_stride,
                    ComputeRow<kStream, A>{sides.streamed, sides.out, sides.streamed_stride, sides.out_stride, attributes});
  }

  // Where a tile ends, and no other square may be computed again, as `out` may be the streamed input.
  template <class A>
  static HWY_NOINLINE void PartOfSquare(const Sides& part, std::int64_t rows, std::int64_t cols, const A& attributes) {
    alignas(64) std::byte ordered[kSide * kVectorBytes];
    TransposePart(hn::RebindToUnsigned<D>(), part.transposed, part.transposed_stride, cols, rows, ordered);
    const auto count = static_cast<std::size_t>(cols);
    for (std::int64_t r = 0; r < rows; ++r) {
      const V transposed = LoadBytes(D(), ordered + r * kVectorBytes);
      const V streamed = hn::LoadN(D(), reinterpret_cast<const T*>(part.streamed + r * part.streamed_stride), count);
      hn::StoreN(Result(transposed, streamed, attributes), D(), reinterpret_cast<T*>(part.out + r * part.out_stride), count);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
