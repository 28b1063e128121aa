// An operand of a tile in guarded memory, at any distance of rows: what it touches beside its elements is seen.
#ifndef AXISCAST_KIT_TESTING_OPERAND_H_
#define AXISCAST_KIT_TESTING_OPERAND_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "axiscast/kernel.h"
#include "axiscast/kit/testing/guarded.h"

namespace axiscast::testing {

inline constexpr std::size_t kAreaBytes = 48 * 1024;
inline constexpr std::byte kSentinel{0xa5};

// Where an operand's elements lie, relative to its first.
struct OperandLayout {
  std::int64_t rows;
  std::int64_t cols;  // of its own: 1 for a splat
  std::int64_t row_stride;
  std::int64_t size;

  std::int64_t low() const { return std::min<std::int64_t>(0, (rows - 1) * row_stride); }
  std::int64_t high() const { return std::max<std::int64_t>(0, (rows - 1) * row_stride) + cols * size; }
};

// A guarded area with one operand in it, flush with the area's end or `shift` elements behind its begin.
struct GuardedOperand {
  GuardedOperand() : area(kAreaBytes) {}

  // The layout must fit the area: a few rows of some hundred elements, or of 4096 halves.
  void Place(const OperandLayout& new_layout, bool at_end, std::int64_t shift) {
    layout = new_layout;
    data = at_end ? area.end() - layout.high() : area.begin() - layout.low() + shift * layout.size;
    if (data + layout.low() < area.begin() || data + layout.high() > area.end()) std::abort();
    window_begin = data + layout.low() - std::min<std::ptrdiff_t>(128, data + layout.low() - area.begin());
    window_end = data + layout.high() + std::min<std::ptrdiff_t>(128, area.end() - data - layout.high());
    std::memset(window_begin, static_cast<int>(kSentinel), static_cast<std::size_t>(window_end - window_begin));
  }
  std::byte* At(std::int64_t r, std::int64_t c) const { return data + r * layout.row_stride + c * layout.size; }
  TileInput AsInput(bool splat) const { return {layout.row_stride, splat}; }
  void CopyWindow(std::vector<std::byte>* to) const { to->assign(window_begin, window_end); }

  GuardedArea area;
  OperandLayout layout = {};
  std::byte* data = nullptr;
  std::byte* window_begin = nullptr;  // the elements, and up to 128 bytes on both sides
  std::byte* window_end = nullptr;
};

}  // namespace axiscast::testing

#endif  // AXISCAST_KIT_TESTING_OPERAND_H_
