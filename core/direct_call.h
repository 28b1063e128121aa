// A call of one tile, one step and no scratch: straight to the kernel. And one that threads may share, but do not.
#ifndef AXISCAST_CORE_DIRECT_CALL_H_
#define AXISCAST_CORE_DIRECT_CALL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/kernel.h"
#include "core/layout.h"
#include "core/overlap.h"
#include "core/run_tile.h"

namespace axiscast {

// All that such a call needs but its pointers, in one place. A kernel waits for what leads to its first addresses: by way of the
// plan, its layout and the layout's steps, each load after the other, a call of 8 elements took 14 ns instead of 11. And what is
// stored for a kernel waits behind all that the kernel before it stored: as long as the inputs are where the caller says, and in
// that order, it gets the caller's array. Two pointers in an array of ours take 4 to 6 of 64 ns (1360 elements, Zen 4). A check
// of one operand before the first write is a part of it: eight quotients of integers take 17 ns instead of 31 (Zen 5).
class DirectCall {
 public:
  // Of a layout that stays where it is; of one that is not direct, there is no such call. The layout's last inputs are constants,
  // which stay where they are, too.
  void Set(const Layout& layout, std::span<const CheckedOperand> operands, std::span<const AttributeSlot> constants) {
    alone_ = layout.undivided.has_value();
    if (!layout.direct() && !alone_) return;
    const StepLayout& step = layout.steps[0];
    const StepTile& whole = alone_ ? *layout.undivided : step.whole;
    if (step.arity > kMaxInputs) return;
    std::uint32_t read = 0;
    for (int a = 0; a < step.arity; ++a) read |= std::uint32_t{1} << step.values[a];
    if (read + 1 != std::uint32_t{1} << layout.input_count()) return;  // Run looks at no others, which may be null
    const int first_constant = layout.input_count() - static_cast<int>(constants.size());
    in_order_ = layout.offsets.back() == 0;
    arity_ = step.arity;
    for (int a = 0; a < arity_; ++a) {
      const int operand = step.values[a];
      const auto i = static_cast<std::size_t>(operand);
      in_order_ = in_order_ && operand == a && operand < first_constant && layout.offsets[i] == 0;
      if (operand < first_constant) {
        checked_[given_++] = {operand, operands[i]};
        inputs_[a] = {operand, layout.offsets[i], nullptr};
      } else {
        inputs_[a] = {-1, 0, constants[static_cast<std::size_t>(operand - first_constant)].bytes};
      }
    }
    out_low_bits_ = operands.back().low_bits;
    out_offset_ = layout.offsets.back();
    tile_ = whole.tile;
    tile_.attributes = step.attributes;
    run_ = whole.run;
    as_given_ = in_order_;
  }
  // The only check before such a call, of an operand. Returns whether it can be a part of it: it is one tile, as it lies.
  bool SetCheck(int operand, const Layout& layout) {
    const bool given = std::any_of(checked_, checked_ + given_, [operand](const Checked& in) { return in.operand == operand; });
    if (!given || layout.tiles != 1 || layout.operands[0].delivery == Delivery::kStaged) return false;
    as_given_ = false;
    refuses_ = layout.check;
    refused_operand_ = operand;
    refused_offset_ = layout.offsets[0];
    refused_tile_ = CheckedTile(layout, layout.tile_rows(), layout.loops.back().chunk);
    return true;
  }

  // Runs it, or returns false: no such call, or one with a null input, or pointers that are not aligned to their elements, or an
  // output that may overlap an input, or one that threads may share, or that is streamed, or the check refuses an element. `out` is
  // not null. kIsChecked: the check has been made.
  template <bool kIsChecked>
  [[gnu::always_inline]] bool Run(const void* const* inputs, void* out, const ExecuteOptions& options) const noexcept {
    if (given_ == 0) return false;
    if (alone_ && (options.max_threads != 1 || options.stores == StorePolicy::kStream)) return false;
    const auto out_address = reinterpret_cast<std::uintptr_t>(out);
    std::uintptr_t low_bits = out_address & out_low_bits_;
    const Checked* in = checked_;
    do {
      const auto address = reinterpret_cast<std::uintptr_t>(inputs[in->operand]);
      low_bits |= address & in->clearance.low_bits;
      if (address == 0 || !in->clearance.IsClear(address - out_address)) return false;
    } while (++in != checked_ + given_);
    if (low_bits != 0) return false;
    if (!as_given_) return RunOther(inputs, out, kIsChecked);
    run_(tile_, inputs, out);
    return true;
  }

 private:
  struct Checked {
    int operand;
    Clearance clearance;
  };
  struct Input {          // of the kernel
    int operand;          // -1: the constant
    std::int64_t offset;  // bytes, from the operand's pointer
    const void* constant;
  };

  [[gnu::noinline]] bool RunOther(const void* const* inputs, void* out, bool is_checked) const noexcept {
    if (refuses_ != nullptr && !is_checked &&
        refuses_(refused_tile_, static_cast<const std::byte*>(inputs[refused_operand_]) + refused_offset_)) {
      return false;
    }
    if (in_order_) {
      run_(tile_, inputs, out);
      return true;
    }
    const void* moved[kMaxInputs];
    for (int a = 0; a < arity_; ++a) {
      const Input& in = inputs_[a];
      moved[a] = in.operand < 0 ? in.constant : static_cast<const std::byte*>(inputs[in.operand]) + in.offset;
    }
    run_(tile_, moved, static_cast<std::byte*>(out) + out_offset_);
    return true;
  }

  static constexpr int kMaxInputs = 8;  // of longer chains, there are no such calls

  int given_ = 0;       // inputs that are no constants; 0: there is no such call, and nothing of the following
  bool alone_ = false;  // only for one thread
  int arity_;
  bool as_given_;  // in_order_, and without a check
  bool in_order_;  // the kernel's inputs are the plan's, in that order, and nothing is offset
  std::uintptr_t out_low_bits_;
  std::int64_t out_offset_;
  KernelFunction run_;
  Checked checked_[kMaxInputs];
  Input inputs_[kMaxInputs];
  Tile tile_;
  CheckFunction refuses_ = nullptr;  // null: no check, and nothing of the following
  int refused_operand_;
  std::int64_t refused_offset_;
  Tile refused_tile_;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_DIRECT_CALL_H_
