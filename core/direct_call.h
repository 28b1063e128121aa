// A call of one tile, one step and no scratch: straight to the kernel.
#ifndef AXISCAST_CORE_DIRECT_CALL_H_
#define AXISCAST_CORE_DIRECT_CALL_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/kernel.h"
#include "core/layout.h"
#include "core/overlap.h"

namespace axiscast {

// All that such a call needs but its pointers, in one place. A kernel waits for what leads to its first addresses: by way of the
// plan, its layout and the layout's steps, each load after the other, a call of 8 elements took 14 ns instead of 11. And what is
// stored for a kernel waits behind all that the kernel before it stored.
class DirectCall {
 public:
  // Of a layout that stays where it is; of one that is not direct, there is no such call.
  void Set(const Layout& layout, std::span<const CheckedOperand> operands) {
    if (!layout.direct()) return;
    const StepLayout& step = layout.steps[0];
    std::uint32_t read = 0;
    for (int a = 0; a < step.arity; ++a) read |= std::uint32_t{1} << step.values[a];
    if (read + 1 != std::uint32_t{1} << layout.input_count()) return;  // Run looks at no others, which may be null
    const Tile& tile = step.whole.tile;
    for (int a = 0; a < step.arity; ++a) {
      const auto i = static_cast<std::size_t>(step.values[a]);
      inputs_[a] = {.operand = step.values[a], .clearance = operands[i], .offset = layout.offsets[i], .in = tile.in[a]};
    }
    arity_ = step.arity;
    out_low_bits_ = operands.back().low_bits;
    rows_ = tile.rows;
    cols_ = tile.cols;
    out_offset_ = layout.offsets.back();
    out_row_stride_ = tile.out_row_stride;
    attributes_ = step.attributes;
    run_ = step.whole.run;
  }

  // Runs it, or returns false: no such call, or one with a null input, or pointers that are not aligned to their elements, or an
  // output that may overlap an input. `out` is not null.
  [[gnu::always_inline]] bool Run(const void* const* inputs, void* out) const noexcept {
    if (run_ == nullptr) return false;
    const auto out_address = reinterpret_cast<std::uintptr_t>(out);
    std::uintptr_t low_bits = out_address & out_low_bits_;
    // A Tile without its defaults, which are 9 stores that nothing reads.
    alignas(Tile) std::byte memory[sizeof(Tile)];
    Tile& tile = *reinterpret_cast<Tile*>(memory);
    for (int a = 0; a < arity_; ++a) {
      const Input& in = inputs_[a];
      const auto address = reinterpret_cast<std::uintptr_t>(inputs[in.operand]);
      if (address == 0 || !in.clearance.IsClear(address - out_address)) return false;
      low_bits |= address & in.clearance.low_bits;
      tile.in[a] = in.in;
      tile.in[a].data = reinterpret_cast<const std::byte*>(address) + in.offset;
    }
    if (low_bits != 0) return false;
    tile.rows = rows_;
    tile.cols = cols_;
    tile.out = static_cast<std::byte*>(out) + out_offset_;
    tile.out_row_stride = out_row_stride_;
    tile.attributes = attributes_;
    tile.stream = false;
    run_(tile);
    return true;
  }

 private:
  struct Input {
    int operand;
    Clearance clearance;
    std::int64_t offset;  // bytes, from the operand's pointer
    TileInput in;         // but for its data
  };

  KernelFunction run_ = nullptr;  // null: there is no such call, and nothing of the following
  int arity_;
  std::uintptr_t out_low_bits_;
  std::int64_t rows_, cols_, out_offset_, out_row_stride_;
  const AttributeSlot* attributes_;
  Input inputs_[kMaxArity];
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_DIRECT_CALL_H_
