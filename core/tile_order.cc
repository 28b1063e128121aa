// Which loops one thread runs as one, and what threads take together.
#include "core/tile_order.h"

#include <algorithm>

#include "core/caches.h"

namespace axiscast {

int WholeFrom(const Layout& layout) {
  const int last = static_cast<int>(layout.loops.size()) - 1;
  if (layout.transposes)
    return last + 1;  // from memory their shape is how few pages they change between; in caches it takes no longer
  if (layout.steps.size() > 1 || (layout.tile_rows() > 1 && layout.loops[last].count > 1)) return last + 1;
  bool blocks = false;  // one row of them is staged for all rows
  for (const OperandLayout& operand : layout.operands) {
    if (operand.delivery != Delivery::kStaged || operand.image) continue;
    if (operand.row_stride != 0) return last + 1;
    blocks = true;
  }
  if (blocks && layout.loops[last].count > 1) return last + 1;
  return layout.row_loop >= 0 && layout.row_loop == last - 1 ? last - 1 : last;
}

bool IsUndivided(const Layout& layout) {
  if (layout.tiles == 1 || layout.streams || !layout.is_plain() || layout.reordered_elements > 0) return false;
  return std::all_of(layout.loops.begin(), layout.loops.begin() + layout.whole_from,
                     [](const Loop& loop) { return loop.count == 1; });
}

int AlikeLoop(const Layout& layout) {
  int only = -1;
  if (!layout.is_plain() || layout.steps[0].whole.rest > 0) return only;
  for (int i = 0; i < static_cast<int>(layout.loops.size()); ++i) {
    const Loop& loop = layout.loops[i];
    if (loop.count == 1) continue;
    if (only >= 0 || i >= layout.whole_from || loop.extent != loop.count * loop.chunk) return -1;
    only = i;
  }
  return only;
}

std::int64_t WithoutSharedLines(const Layout& layout, std::int64_t tiles) {
  if (layout.row_loop < 0 || layout.check != nullptr) return tiles;
  const OperandLayout& out = layout.operands.back();
  bool whole = out.row_stride % kLineBytes == 0;
  std::int64_t between = 1;
  for (auto loop = static_cast<std::size_t>(layout.row_loop) + 1; loop + 1 < layout.loops.size(); ++loop) {
    between *= layout.loops[loop].count;
    whole = whole && out.advance[loop] % kLineBytes == 0;
  }
  constexpr std::int64_t kMostUnits = 4;  // that become one
  const std::int64_t units = CeilDiv(tiles, between);
  if (whole || between > kMostUnits * tiles || units * between >= layout.tiles) return tiles;
  return units * between;
}

}  // namespace axiscast
