// The rows of a tile of float16 of whose two inputs one is the same in all rows: that one is widened once for all of them, not
// once for each. Calls in L2 take 1.25 to 1.4 times as long without, with native conversions (AVX2, AVX-512).
#if defined(AXISCAST_KIT_WIDENED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_KIT_WIDENED_INL_H_
#undef AXISCAST_KIT_WIDENED_INL_H_
#else
#define AXISCAST_KIT_WIDENED_INL_H_
#endif

#include <type_traits>

#include "axiscast/kit/operand-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether ElementwiseRows of an op may do so: of float16. bfloat16 is widened by a shift.
template <class Op, typename T>
inline constexpr bool kTakesWidened = HWY_TARGET != HWY_SCALAR&& std::is_same_v<T, Float16>&& kHasOrderedLoops<Op, T>;

inline constexpr int kMostWidenedCols = 4096;  // 16 KB of floats, on the stack

// Rows is ElementwiseRows of the op and T; the op's operand kSame is the one that is the same in all rows.
template <class Rows, class Op, typename T, int kSame>
class WidenedRows {
 public:
  // Whether `same` is the same in all rows, and they are many and short enough.
  static HWY_INLINE bool Pays(const Tile& tile, const TileInput& same, const TileInput& other) {
    return tile.rows >= kLeastRows && tile.cols <= kMostWidenedCols && tile.cols >= static_cast<std::int64_t>(hn::Lanes(Wide())) &&
           same.row_stride == 0 && !same.splat && !other.splat;
  }

  static HWY_NOINLINE void Run(const Tile& tile, InputRows same_rows, InputRows other_rows, void* out) {
    HWY_ALIGN float widened[kMostWidenedCols];
    const StoredTag<float, Wide> d;
    const StoredTag<T, Wide> d_stored;
    const auto cols = static_cast<std::size_t>(tile.cols);
    const Stored<T>* from = same_rows.Row<T>(0);
    const std::size_t lanes = hn::Lanes(d);
    // The last vector may have some of the one before it: by LoadN, without masks, calls in L2 took twice as long.
    const auto widen = [&](std::size_t i) HWY_ATTR { hn::StoreU(FromStored<T>(d, hn::LoadU(d_stored, from + i)), d, widened + i); };
    for (std::size_t i = 0; i + lanes < cols; i += lanes) widen(i);
    widen(cols - lanes);
    const Streamed<float, /*kAsked=*/false> same({reinterpret_cast<const std::byte*>(widened), 0});
    const Streamed<T> other(other_rows);
    if constexpr (kSame == 0) {
      Rows::RunRows(tile, out, ReadAttributes<Op, T>(tile), same, other);
    } else {
      Rows::RunRows(tile, out, ReadAttributes<Op, T>(tile), other, same);
    }
  }

 private:
  using Wide = decltype(Rows::WideTag(TypeList<T, T>()));

  static constexpr std::int64_t kLeastRows = 4;
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
