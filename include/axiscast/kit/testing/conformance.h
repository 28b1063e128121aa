// Every kernel of an op against the op's scalar meaning, bit for bit (or within OpInfo::max_ulp): what op_conformance_test does
// with the built-in ops, for any op. Buffers end or begin at pages that fault, and what lies between the rows of a result must stay
// as it was. In a test of one's own: int main() { return axiscast::testing::ConformanceMain(OwnOps()); }
#ifndef AXISCAST_KIT_TESTING_CONFORMANCE_H_
#define AXISCAST_KIT_TESTING_CONFORMANCE_H_

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "axiscast/kit/op.h"
#include "axiscast/kit/testing/conformance_tiles.h"
#include "axiscast/registry.h"

namespace axiscast::testing {

/// The checks of one op as it was compiled for one target. Each returns the first thing that is wrong, in words, or "". Where a
/// kernel reads or writes beyond a buffer, the process ends with a segmentation fault.
class Conformance : private ConformanceTiles {
 public:
  /// `op` must outlive the checks.
  explicit Conformance(const OpDefinition& op) : ConformanceTiles(op) {}

  /// A registry takes the op: its texts, dtypes and gradient.
  std::string IsAccepted();
  /// Every kernel has a scalar meaning.
  std::string HasReferences();
  /// One row of every length up to two vectors, each operand streamed or splat, aligned in every way.
  std::string EveryLengthSplatPatternAndMisalignment();
  /// Some rows, one after the other, with gaps, the same one over and over, or backwards.
  std::string RowsAtAnyDistance();
  /// Each input the same in many rows.
  std::string ManyRowsBesideOne();
  /// Each input permuted, where kernels take that: repeated, reversed, with gaps, over and over; parts of groups; also over the
  /// other input.
  std::string PermutedInputs();
  /// Each input transposed, where kernels take that: parts of squares, rows at any distance; also over the other input.
  std::string TransposedInputs();
  /// Each input the same again after a period, where kernels take that; also over the other input.
  std::string RecurringInputs();
  /// Results a few elements apart, where kernels take that: of every length, what is between stays as it was.
  std::string SpreadResults();
  /// The result over each input that is as large.
  std::string InPlaceOfEveryStreamedInput();
  /// Every pair of special values (all pairs of 8-bit values), in the first and last input; others, if any, take random ones.
  std::string EveryPairOfSpecialValues();
  /// The check sees a refused value wherever it is, and nothing outside of the tile.
  std::string CheckFindsRefusedValues();
};

/// All checks, in their order.
struct ConformanceCheck {
  const char* name;
  std::string (Conformance::*run)();
};
inline constexpr ConformanceCheck kConformanceChecks[] = {
    {"IsAccepted", &Conformance::IsAccepted},
    {"HasReferences", &Conformance::HasReferences},
    {"EveryLengthSplatPatternAndMisalignment", &Conformance::EveryLengthSplatPatternAndMisalignment},
    {"RowsAtAnyDistance", &Conformance::RowsAtAnyDistance},
    {"ManyRowsBesideOne", &Conformance::ManyRowsBesideOne},
    {"PermutedInputs", &Conformance::PermutedInputs},
    {"TransposedInputs", &Conformance::TransposedInputs},
    {"RecurringInputs", &Conformance::RecurringInputs},
    {"SpreadResults", &Conformance::SpreadResults},
    {"InPlaceOfEveryStreamedInput", &Conformance::InPlaceOfEveryStreamedInput},
    {"EveryPairOfSpecialValues", &Conformance::EveryPairOfSpecialValues},
    {"CheckFindsRefusedValues", &Conformance::CheckFindsRefusedValues},
};

/// Runs all checks of all ops for all targets; prints a line for each op and target, and what is wrong. A line that has not ended
/// when the process does names the op that touched memory outside of its tile. Returns what main should: 0 when all is well.
inline int ConformanceMain(const std::vector<TargetOps>& all) {
  int checked = 0, failures = 0;
  for (const TargetOps& of_target : all) {
    for (const OpDefinition& op : of_target.ops) {
      std::printf("%-10s %-24s", of_target.target, op.info.name);
      std::fflush(stdout);
      Conformance conformance(op);
      std::string wrong;
      for (const ConformanceCheck& check : kConformanceChecks) {
        wrong = (conformance.*check.run)();
        if (!wrong.empty()) {
          wrong = std::string(check.name) + ": " + wrong;
          break;
        }
      }
      std::printf(" %s\n", wrong.empty() ? "ok" : wrong.c_str());
      ++checked;
      failures += wrong.empty() ? 0 : 1;
    }
  }
  std::printf("%d of %d failed\n", failures, checked);
  if (failures > 0)
    std::printf(
        "where only the last bit differs, is the op compiled with -ffp-contract=off?\n"
        "where one input is one value (splat) or permuted, does an op that says kCommutes commute?\n");
  return failures == 0 && checked > 0 ? 0 : 1;
}

// The rest says how.

inline std::string Conformance::IsAccepted() {
  RegistryBuilder builder(Registry::BuiltIn());
  const Status status = builder.Add({info_, kernels_});
  return status.ok() ? "" : status.message();
}

inline std::string Conformance::HasReferences() {
  for (const Kernel& kernel : kernels_) {
    if (kernel.reference == nullptr) return "a kernel has no reference";
  }
  return "";
}

inline std::string Conformance::EveryLengthSplatPatternAndMisalignment() {
  for (const Kernel& kernel : kernels_) {
    for (unsigned splats = 0; splats < patterns(); ++splats) {
      for (const std::int64_t cols : Lengths(kernel)) {
        for (const std::int64_t shift : {-1, 0, 1, 3}) {
          std::string wrong = Run(kernel, {1, cols, splats, {}, shift < 0, shift < 0 ? 0 : shift});
          if (!wrong.empty()) return wrong;
        }
      }
    }
  }
  return "";
}

inline std::string Conformance::RowsAtAnyDistance() {
  constexpr Rows kKinds[] = {Rows::kDense, Rows::kPadded, Rows::kStill, Rows::kBackward};
  for (const Kernel& kernel : kernels_) {
    for (unsigned splats = 0; splats < patterns(); ++splats) {
      for (const std::int64_t cols : {1, 3, 16, 67}) {
        for (unsigned kinds = 0; kinds < 64; ++kinds) {  // of the first two inputs and of the result; others follow the first
          const Rows first = kKinds[kinds & 3];
          const Rows out = kKinds[kinds >> 4];
          if (out == Rows::kStill) continue;
          const std::int64_t rows = 2 + static_cast<std::int64_t>(kinds % 3);
          for (const bool at_end : {false, true}) {
            std::string wrong = Run(kernel, {rows, cols, splats, {first, kKinds[kinds >> 2 & 3], first, first, out}, at_end, 1});
            if (!wrong.empty()) return wrong;
          }
        }
      }
    }
  }
  return "";
}

// One input that is the same in many rows, of some lengths, also abreast; of float16 also where its rows become too long to be
// widened.
inline std::string Conformance::ManyRowsBesideOne() {
  for (const Kernel& kernel : kernels_) {
    for (int same = 0; info_.arity > 1 && same < info_.arity; ++same) {
      // Rows that a kernel may keep in registers: few whole vectors, whatever the target's are.
      const std::int64_t widest = static_cast<std::int64_t>(std::max(SizeOf(kernel.output), SizeOf(kernel.inputs[same])));
      const std::int64_t least = std::max<std::int64_t>(16 / widest, 1);
      for (const std::int64_t cols : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 36}) {
        for (const std::int64_t shift : {-1, 0, 1}) {
          TileShape shape = {41, cols * least, 0, {}, shift < 0, shift < 0 ? 0 : shift};
          shape.row_kind[same] = Rows::kStill;
          std::string wrong = Run(kernel, shape);
          for (int i = 0; wrong.empty() && i <= kMaxArity; ++i) {  // the other rows and the result's have gaps, one after the other
            if (i == same || (i >= info_.arity && i < kMaxArity)) continue;
            shape.row_kind[i] = Rows::kPadded;
            wrong = Run(kernel, shape);
            shape.row_kind[i] = Rows::kDense;
          }
          for (int other = 0; wrong.empty() && other < info_.arity; ++other) {
            const bool as_large = SizeOf(kernel.inputs[other]) == SizeOf(kernel.output);
            if (other != same && as_large) wrong = RunInPlace(kernel, shape, other, false);
          }
          if (!wrong.empty()) return wrong;
        }
      }
      std::vector<std::int64_t> lengths = {16, 33, 70, 201};  // of bool results 201 have two whole lines, wherever rows begin
      if (const std::int64_t most = kernel.abilities.widens; most > 0) lengths.insert(lengths.end(), {most - 1, most, most + 1});
      for (const std::int64_t cols : lengths) {
        TileShape shape = {cols > 100 ? 5 : 9, cols, 0, {}, cols % 2 == 0, 1};
        shape.row_kind[same] = Rows::kStill;
        std::string wrong = Run(kernel, shape);
        if (!wrong.empty()) return wrong;
      }
    }
  }
  return "";
}

inline std::string Conformance::PermutedInputs() {
  constexpr Rows kKinds[] = {Rows::kDense, Rows::kPadded, Rows::kStill, Rows::kBackward};
  for (const Kernel& kernel : kernels_) {
    if (kernel.abilities.permutes == 0) continue;
    if (info_.arity != 2) return "KernelAbilities::permutes is for ops with two inputs";
    const std::int64_t lanes = kernel.abilities.permutes;
    unsigned round = 0;
    for (const StepOrder& order : OrdersFor(lanes)) {
      if (order.pitch == 0 && !kernel.abilities.keeps) continue;
      for (int permuted = 0; permuted < 2; ++permuted) {
        const auto step_cols = static_cast<std::int64_t>(order.places.size());
        for (const std::int64_t steps :
             {std::int64_t{1}, std::int64_t{2}, lanes - 1, lanes, lanes + 1, 4 * lanes + 3, 43 * lanes / step_cols}) {
          const std::int64_t cols = steps * step_cols;
          if (cols > 45 * lanes) continue;  // as many as there is room for
          const Rows kind = kKinds[++round % 4], other = round % 3 == 0 ? Rows::kDense : Rows::kPadded;
          TileShape shape = {1 + round % 3, cols, 0, {other, other, other, other, other}, round % 5 < 3, round % 7};
          shape.row_kind[permuted] = kind;
          shape.permuted = permuted;
          shape.order = order;
          std::string wrong = Run(kernel, shape);
          const bool as_large = SizeOf(kernel.inputs[1 - permuted]) == SizeOf(kernel.output);
          if (wrong.empty() && as_large) wrong = RunInPlace(kernel, shape, 1 - permuted, false);
          // Beside it one that is the same in all rows, which have loops of their own where neither is permuted.
          if (wrong.empty() && other == Rows::kDense) {
            shape.row_kind[1 - permuted] = Rows::kStill;
            wrong = Run(kernel, shape);
          }
          if (!wrong.empty()) return wrong;
        }
      }
    }
  }
  return "";
}

inline std::string Conformance::TransposedInputs() {
  constexpr Rows kKinds[] = {Rows::kDense, Rows::kPadded, Rows::kBackward};
  for (const Kernel& kernel : kernels_) {
    if (!kernel.abilities.transposes) continue;
    if (info_.arity != 2) return "KernelAbilities::transposes is for ops with two inputs";
    unsigned round = 0;
    for (const std::int64_t rows : {1, 2, 3, 4, 5, 7, 8, 9, 11, 15, 16, 17, 20, 32, 35}) {
      for (const std::int64_t cols : {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48}) {
        for (int transposed = 0; transposed < 2; ++transposed) {
          const Rows kind = kKinds[++round % 3], other = kKinds[round / 3 % 3];
          TileShape shape = {rows, cols, 0, {other, other, other, other, kKinds[round / 9 % 3]}, round % 5 < 3, round % 7};
          shape.row_kind[transposed] = kind;
          shape.transposed = transposed;
          std::string wrong = Run(kernel, shape);
          const bool as_large = SizeOf(kernel.inputs[1 - transposed]) == SizeOf(kernel.output);
          if (wrong.empty() && as_large) wrong = RunInPlace(kernel, shape, 1 - transposed, false);
          // As above.
          if (wrong.empty() && shape.row_kind[kMaxArity] == Rows::kDense) {
            shape.row_kind[1 - transposed] = Rows::kStill;
            wrong = Run(kernel, shape);
          }
          if (!wrong.empty()) return wrong;
        }
      }
    }
  }
  return "";
}

inline std::string Conformance::RecurringInputs() {
  constexpr Rows kKinds[] = {Rows::kDense, Rows::kPadded, Rows::kBackward, Rows::kStill};
  for (const Kernel& kernel : kernels_) {
    if (kernel.abilities.recurs == 0) continue;
    if (info_.arity != 2) return "KernelAbilities::recurs is for ops with two inputs";
    const std::int64_t least = kernel.abilities.recurs;
    unsigned round = 0;
    for (const std::int64_t period : {least, least + 1, 2 * least - 1, 3 * least + 5}) {
      for (const std::int64_t times : {1, 2, 3}) {
        for (int recurring = 0; recurring < 2; ++recurring) {
          for (unsigned kinds = 0; kinds < 48; ++kinds, ++round) {  // of the recurring input, the other one, and the result
            const std::int64_t rows = 1 + static_cast<std::int64_t>(round % 5);
            TileShape shape = {rows, period * times, 0, {}, round % 7 < 4, round / 5 % 3};
            shape.row_kind[recurring] = kKinds[kinds % 4];
            shape.row_kind[1 - recurring] = kKinds[kinds / 4 % 4];
            shape.row_kind[kMaxArity] = kKinds[kinds / 16];  // never still
            shape.recurring = recurring;
            shape.period = period;
            std::string wrong = Run(kernel, shape);
            const bool as_large = SizeOf(kernel.inputs[1 - recurring]) == SizeOf(kernel.output);
            const bool own_rows = kKinds[kinds / 4 % 4] != Rows::kStill;
            if (wrong.empty() && as_large && own_rows) wrong = RunInPlace(kernel, shape, 1 - recurring, false);
            if (!wrong.empty()) return wrong;
          }
        }
      }
    }
  }
  return "";
}

inline std::string Conformance::SpreadResults() {
  constexpr Rows kKinds[] = {Rows::kDense, Rows::kPadded, Rows::kBackward, Rows::kStill};
  for (const Kernel& kernel : kernels_) {
    if (!kernel.abilities.spreads) continue;
    unsigned round = 0;
    for (std::int64_t step = 2; step <= kMaxOutStep; ++step) {
      for (unsigned splats = 0; splats < patterns(); ++splats) {
        for (const std::int64_t cols : Lengths(kernel)) {
          const Rows kind = kKinds[++round % 4], out = kKinds[round / 4 % 3];
          TileShape shape = {1 + round % 3, cols, splats, {kind, kind, kind, kind, out}, round % 5 < 3, round % 7};
          shape.out_step = step;
          std::string wrong = Run(kernel, shape);
          if (!wrong.empty()) return wrong;
        }
      }
    }
  }
  return "";
}

inline std::string Conformance::InPlaceOfEveryStreamedInput() {
  for (const Kernel& kernel : kernels_) {
    for (unsigned splats = 0; splats < patterns(); ++splats) {
      for (int target = 0; target < info_.arity; ++target) {
        if ((splats >> target & 1) != 0 || SizeOf(kernel.inputs[target]) != SizeOf(kernel.output)) continue;
        for (const std::int64_t cols : Lengths(kernel)) {
          for (const Rows kind : {Rows::kDense, Rows::kPadded, Rows::kBackward}) {
            TileShape shape = {2, cols, splats, {kind, kind, kind, kind, kind}, cols % 2 == 0, 1};
            for (const bool shared : {false, true}) {
              std::string wrong = RunInPlace(kernel, shape, target, shared);
              if (!wrong.empty()) return wrong;
            }
            shape.rows = 9;  // which all face the same row of the others
            std::fill_n(shape.row_kind, info_.arity, Rows::kStill);
            shape.row_kind[target] = kind;
            std::string wrong = RunInPlace(kernel, shape, target, false);
            if (!wrong.empty()) return wrong;
          }
        }
      }
    }
  }
  return "";
}

inline std::string Conformance::EveryPairOfSpecialValues() {
  for (const Kernel& kernel : kernels_) {
    const int last = info_.arity - 1;
    Values firsts = Specials(kernel.inputs[0]);
    Values lasts = Specials(kernel.inputs[last]);
    if (kernel.check != nullptr && info_.checked_operand == last) ReplaceZeros(kernel.inputs[last], &lasts);
    if (kernel.check != nullptr && info_.checked_operand == 0) ReplaceZeros(kernel.inputs[0], &firsts);
    tile_ = {};
    tile_.rows = static_cast<std::int64_t>(info_.arity == 1 ? 1 : firsts.count());
    tile_.cols = static_cast<std::int64_t>(lasts.count());
    if (info_.attribute_count > 0) NextAttributes(kernel);
    tile_.attributes = slots_;
    for (int i = 1; i < last; ++i) data_[i] = Pool(kernel, i).bytes.data();  // longer than the special values
    tile_.in[0] = {static_cast<std::int64_t>(firsts.size), true};
    data_[0] = firsts.bytes.data();
    tile_.in[last] = {0, false};  // of the only input too
    data_[last] = lasts.bytes.data();
    ComputeExpected(kernel);
    std::vector<std::byte> actual(expected_.size());
    tile_.out_row_stride = tile_.cols * static_cast<std::int64_t>(SizeOf(kernel.output));
    kernel.run(tile_, data_, actual.data());
    for (std::int64_t r = 0; r < tile_.rows; ++r) {
      for (std::int64_t c = 0; c < tile_.cols; ++c) {
        const std::int64_t at = (r * tile_.cols + c) * static_cast<std::int64_t>(SizeOf(kernel.output));
        std::string wrong = Compare(kernel, actual.data() + at, r, c);
        if (!wrong.empty()) return wrong;
      }
    }
  }
  return "";
}

inline std::string Conformance::CheckFindsRefusedValues() {
  for (const Kernel& kernel : kernels_) {
    if (kernel.check == nullptr) continue;
    const DType dtype = kernel.inputs[info_.checked_operand];
    const auto size = static_cast<std::int64_t>(SizeOf(dtype));
    const Values& pool = Pool(kernel, info_.checked_operand);
    for (const bool splat : {false, true}) {
      for (const std::int64_t cols : {1, 2, 3, 7, 16, 31, 65, 129, 300}) {
        for (const Rows kind : {Rows::kDense, Rows::kPadded, Rows::kStill, Rows::kBackward}) {
          GuardedOperand& x = inputs_[0];
          const std::int64_t x_cols = splat ? 1 : cols;
          x.Place({3, x_cols, RowStride(kind, x_cols, size, 1), size}, cols % 2 == 0, 2);
          std::memset(x.window_begin, 0, static_cast<std::size_t>(x.window_end - x.window_begin));  // refused, and outside
          for (std::int64_t r = 0; r < 3; ++r) {
            for (std::int64_t c = 0; c < x_cols; ++c) std::memcpy(x.At(r, c), pool.at(next_value_++), pool.size);
          }
          tile_ = {};
          tile_.rows = 3;
          tile_.cols = cols;
          tile_.in[0] = x.AsInput(splat);
          const std::string where = std::string(NameOf(dtype)) + ", 3 x " + std::to_string(cols) + (splat ? ", splat" : "");
          if (kernel.check(tile_, x.data)) return "refuses a tile without a refused value: " + where;
          for (std::int64_t r = 0; r < 3; ++r) {
            for (std::int64_t c = 0; c < x_cols; ++c) {
              std::byte saved[8];
              std::memcpy(saved, x.At(r, c), pool.size);
              std::memset(x.At(r, c), 0, pool.size);
              if (!kernel.check(tile_, x.data))
                return "does not see a zero at row " + std::to_string(r) + ", col " + std::to_string(c) + ": " + where;
              std::memcpy(x.At(r, c), saved, pool.size);
            }
          }
        }
      }
    }
  }
  return "";
}

}  // namespace axiscast::testing

#endif  // AXISCAST_KIT_TESTING_CONFORMANCE_H_
