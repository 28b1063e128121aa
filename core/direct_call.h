// A call of one tile, one step and no scratch: straight to the kernel.
#ifndef AXISCAST_CORE_DIRECT_CALL_H_
#define AXISCAST_CORE_DIRECT_CALL_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/layout.h"
#include "core/overlap.h"

namespace axiscast {

// All that such a call needs but its pointers, in one place. Small calls are made of this: a kernel waits for all that leads to its
// first addresses, so that each load that another one waits for is a nanosecond of ten; and what is stored for it waits behind all
// that the kernel before it stored.
class DirectCall {
 public:
  // Of a layout that stays where it is; nothing where that is no such call.
  void Set(const Layout& layout, std::span<const CheckedOperand> operands) {
    if (layout.tiles != 1 || layout.stages || layout.steps.size() != 1) return;
    const StepLayout& step = layout.steps[0];
    run_ = step.run;
    arity_ = step.arity;
    for (int a = 0; a < arity_; ++a) {
      const auto i = static_cast<std::size_t>(step.values[a]);
      const TileInput& in = step.whole.tile.in[a];
      inputs_[a] = {step.values[a], in.splat, in.transposed, operands[i], layout.offsets[i], in.row_stride, in.permutation};
    }
    out_low_bits_ = operands.back().low_bits;
    rows_ = step.whole.tile.rows;
    cols_ = step.whole.tile.cols;
    out_offset_ = layout.offsets.back();
    out_row_stride_ = step.whole.tile.out_row_stride;
    attributes_ = step.attributes;
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
      tile.in[a].data = reinterpret_cast<const std::byte*>(address) + in.offset;
      tile.in[a].row_stride = in.row_stride;
      tile.in[a].splat = in.splat;
      tile.in[a].transposed = in.transposed;
      tile.in[a].permutation = in.permutation;
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
    std::int32_t operand;
    bool splat, transposed;
    Clearance clearance;
    std::int64_t offset;  // bytes, from the operand's pointer
    std::int64_t row_stride;
    const Permutation* permutation;
  };

  KernelFunction run_ = nullptr;
  int arity_;
  std::uintptr_t out_low_bits_;
  std::int64_t rows_, cols_, out_offset_, out_row_stride_;
  const AttributeSlot* attributes_;
  Input inputs_[kMaxArity];
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_DIRECT_CALL_H_
