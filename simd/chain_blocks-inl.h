// Chains over rows of whole vectors, four rows at a time: by blocks of two vectors of each, or one. An input that is the same row
// for all is then loaded once for four, and no row begins anew. Where that pays, the planner says (core/tile_cost.h).
#if defined(AXISCAST_SIMD_CHAIN_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_CHAIN_BLOCKS_INL_H_
#undef AXISCAST_SIMD_CHAIN_BLOCKS_INL_H_
#else
#define AXISCAST_SIMD_CHAIN_BLOCKS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "simd/link-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T, class... Ops>
class ChainBlocks {
  using Code = ChainCode<T, Ops...>;
  using D = typename Code::D;
  using V = typename Code::V;
  using Element = typename Code::Element;
  using Link = typename Code::Link;
  using Operand = typename Code::Operand;

 public:
  static constexpr std::int64_t kRows = Code::kBlockRows;

  static HWY_INLINE bool IsFor(const Tile& tile) {
    return tile.chain->by_blocks && tile.rows >= kRows && tile.cols % static_cast<std::int64_t>(hn::Lanes(D())) == 0 &&
           !tile.stream;
  }

  // As many rows as are whole blocks; what is left of tile.rows is not computed.
  static void Run(const Tile& tile, const void* const* inputs, void* out) {
    const Chain& chain = *tile.chain;
    const int last = chain.count + 1;
    Link links[kMaxLinks + 2];
    links[0] = LinkOf(tile, inputs, 0, nullptr);
    const Operand first = OperandOf(chain.in[0]);
    for (int l = 1; l < last; ++l) {
      const ChainLink& link = chain.links[l - 1];
      const bool binary = link.input > 0;
      links[l] = binary ? LinkOf(tile, inputs, link.input, link.attributes) : Link{nullptr, link.attributes, 0, 0, 0};
      links[l].codes = Code::kTable.of[link.op][link.exchanged][binary ? OperandOf(chain.in[link.input]) : Code::kVectors];
    }
    links[last] = {&Code::kStoreBlock, nullptr, reinterpret_cast<std::uintptr_t>(out), Code::kAlong,
                   static_cast<std::uintptr_t>(tile.out_row_stride)};

    const std::uintptr_t vector = hn::Lanes(D()) * sizeof(Element), end = static_cast<std::uintptr_t>(tile.cols) * sizeof(Element);
    for (std::int64_t rows = tile.rows; rows >= kRows; rows -= kRows) {
      std::uintptr_t at = 0;
      for (; at + 2 * vector <= end; at += 2 * vector) RunBlock(links, first, at, V0(), V0(), V0(), V0(), V0(), V0(), V0(), V0());
      if (at < end) RunBlock(links, first, at, V0(), V0(), V0(), V0());
      for (int l = 0; l <= last; ++l) links[l].data += Code::kBlockRows * links[l].row_stride;
    }
  }

  // Where that row of each input begins.
  static void FindRow(const Tile& tile, const void* const* inputs, std::int64_t row, const void** row_inputs) {
    for (int l = 0; l <= tile.chain->count; ++l) {
      const int a = l == 0 ? 0 : tile.chain->links[l - 1].input;
      row_inputs[a] = static_cast<const std::byte*>(inputs[a]) + row * RowStride(tile, tile.chain->in[a]);
    }
  }

 private:
  static std::int64_t RowStride(const Tile& tile, const ChainInput& in) {
    return RowStrideOf(in, tile.cols * static_cast<std::int64_t>(sizeof(Element)));
  }
  static Operand OperandOf(const ChainInput& in) {
    const bool same = !in.dense && in.row_stride == 0;  // for all rows
    if (in.splat) return same ? Code::kSplat : Code::kSplatOfRows;
    return same ? Code::kOfOneRow : Code::kOfRows;
  }
  static Link LinkOf(const Tile& tile, const void* const* inputs, int input, const void* context) {
    const ChainInput& in = tile.chain->in[input];
    return {nullptr, context, reinterpret_cast<std::uintptr_t>(inputs[input]), in.splat ? 0 : Code::kAlong,
            static_cast<std::uintptr_t>(RowStride(tile, in))};
  }
  static HWY_INLINE V V0() { return hn::Zero(D()); }

  // From `at` bytes of each row on.
  template <class... Vs>
  static HWY_INLINE void RunBlock(const Link* links, Operand first, std::uintptr_t at, Vs... v) {
    const auto set = [](V& value, V operand) HWY_ATTR { value = operand; };
    if (first == Code::kOfRows) {
      Code::template WithOperands<Code::kOfRows>(*links, at, set, v...);
    } else if (first == Code::kOfOneRow) {
      Code::template WithOperands<Code::kOfOneRow>(*links, at, set, v...);
    } else {  // of one value for all, the rows' stride is 0
      Code::template WithOperands<Code::kSplatOfRows>(*links, at, set, v...);
    }
    links[1].codes->template Of<Vs...>()(links + 1, at, v...);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
