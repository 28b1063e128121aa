// Every kernel of an op against the op's scalar meaning, bit for bit (or within OpInfo::max_ulp): what op_conformance_test does
// with the built-in ops, for any op. Buffers end or begin at pages that fault, and what lies between the rows of a result must stay
// as it was. In a test of one's own: int main() { return axiscast::testing::ConformanceMain(OwnOps()); }
#ifndef AXISCAST_KIT_TESTING_CONFORMANCE_H_
#define AXISCAST_KIT_TESTING_CONFORMANCE_H_

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "axiscast/kit/op.h"
#include "axiscast/kit/testing/operand.h"
#include "axiscast/kit/testing/values.h"
#include "axiscast/registry.h"

namespace axiscast::testing {

/// The checks of one op as it was compiled for one target. Each returns the first thing that is wrong, in words, or "". Where a
/// kernel reads or writes beyond a buffer, the process ends with a segmentation fault.
class Conformance {
 public:
  /// `op` must outlive the checks.
  explicit Conformance(const OpDefinition& op) : info_(op.info), kernels_(op.kernels) {}

  /// A registry takes the op: its texts, dtypes and gradient.
  std::string IsAccepted();
  /// Every kernel has a scalar meaning.
  std::string HasReferences();
  /// One row of every length up to two vectors, each operand streamed or splat, aligned in every way.
  std::string EveryLengthSplatPatternAndMisalignment();
  /// Some rows, one after the other, with gaps, the same one over and over, or backwards.
  std::string RowsAtAnyDistance();
  /// The result over each input that is as large.
  std::string InPlaceOfEveryStreamedInput();
  /// Every pair of special values (all pairs of 8-bit values), in the first and last input; others, if any, take random ones.
  std::string EveryPairOfSpecialValues();
  /// The check sees a refused value wherever it is, and nothing outside of the tile.
  std::string CheckFindsRefusedValues();

 private:
  // One way to lay out a tile: a row stride of 0 is kStill, kBackward is a negative one.
  enum class Rows { kDense, kPadded, kStill, kBackward };
  struct TileShape {
    std::int64_t rows;
    std::int64_t cols;
    unsigned splats;               // bit i: input i
    Rows row_kind[kMaxArity + 1];  // of the inputs and, last, of the result
    bool at_end;
    std::int64_t shift;
  };

  unsigned patterns() const { return 1u << info_.arity; }
  static std::int64_t RowStride(Rows kind, std::int64_t cols, std::int64_t size, int operand);
  static void ReplaceZeros(DType dtype, Values* values);
  const Values& Pool(const Kernel& kernel, int input);
  std::vector<std::int64_t> Lengths(const Kernel& kernel) const;

  void NextAttributes(const Kernel& kernel);
  void SetUpTile(const Kernel& kernel, const TileShape& shape);
  void ComputeExpected(const Kernel& kernel);
  std::string Compare(const Kernel& kernel, const std::byte* actual, std::int64_t r, std::int64_t c) const;
  std::string Describe(const Kernel& kernel, std::int64_t r, std::int64_t c) const;
  std::string Difference(const Kernel& kernel, const GuardedOperand& out);
  std::string Run(const Kernel& kernel, const TileShape& shape);
  std::string RunInPlace(const Kernel& kernel, const TileShape& shape, int target, bool shared);

  const OpInfo& info_;
  const std::vector<Kernel>& kernels_;
  std::map<std::pair<DType, bool>, Values> pools_;
  std::size_t next_value_ = 0;
  unsigned attribute_round_ = 0;
  AttributeSlot slots_[kMaxAttributes] = {};
  GuardedOperand inputs_[kMaxArity];
  GuardedOperand out_;
  Tile tile_ = {};
  std::vector<std::byte> expected_;
  std::vector<std::byte> windows_[kMaxArity];  // of the inputs, before a run
  std::vector<std::byte> window_;
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
  if (failures > 0) std::printf("where only the last bit differs, is the op compiled with -ffp-contract=off?\n");
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
          std::string wrong =
              Run(kernel, {rows, cols, splats, {first, kKinds[kinds >> 2 & 3], first, first, out}, kinds % 2 == 0, 1});
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
            for (const bool shared : {false, true}) {
              std::string wrong =
                  RunInPlace(kernel, {2, cols, splats, {kind, kind, kind, kind, kind}, cols % 2 == 0, 1}, target, shared);
              if (!wrong.empty()) return wrong;
            }
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
    for (int i = 1; i < last; ++i) tile_.in[i] = {Pool(kernel, i).bytes.data(), 0, false};  // longer than the special values
    tile_.in[0] = {firsts.bytes.data(), static_cast<std::int64_t>(firsts.size), true};
    tile_.in[last] = {lasts.bytes.data(), 0, false};  // of the only input too
    ComputeExpected(kernel);
    std::vector<std::byte> actual(expected_.size());
    tile_.out = actual.data();
    tile_.out_row_stride = tile_.cols * static_cast<std::int64_t>(SizeOf(kernel.output));
    kernel.run(tile_);
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
          if (kernel.check(tile_)) return "refuses a tile without a refused value: " + where;
          for (std::int64_t r = 0; r < 3; ++r) {
            for (std::int64_t c = 0; c < x_cols; ++c) {
              std::byte saved[8];
              std::memcpy(saved, x.At(r, c), pool.size);
              std::memset(x.At(r, c), 0, pool.size);
              if (!kernel.check(tile_))
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

inline std::int64_t Conformance::RowStride(Rows kind, std::int64_t cols, std::int64_t size, int operand) {
  switch (kind) {
    case Rows::kDense:
      return cols * size;
    case Rows::kPadded:
      return (cols + 1 + operand) * size;
    case Rows::kStill:
      return 0;
    case Rows::kBackward:
      return -(cols + operand) * size;
  }
  return 0;
}

inline void Conformance::ReplaceZeros(DType dtype, Values* values) {
  WithType(dtype, [values](auto zero) {
    const auto one = static_cast<decltype(zero)>(1);
    for (std::size_t i = 0; i < values->count(); ++i) {
      std::byte* element = values->bytes.data() + i * values->size;
      if (std::memcmp(element, &zero, sizeof(zero)) == 0) std::memcpy(element, &one, sizeof(one));
    }
  });
}

// Values for an input, without those that the op refuses.
inline const Values& Conformance::Pool(const Kernel& kernel, int input) {
  const bool no_zero = kernel.check != nullptr && input == info_.checked_operand;
  Values& pool = pools_[{kernel.inputs[input], no_zero}];
  if (pool.bytes.empty()) {
    pool = Mixture(kernel.inputs[input], 4099, 12345u + static_cast<unsigned>(kernel.inputs[input]));
    if (no_zero) ReplaceZeros(kernel.inputs[input], &pool);
  }
  return pool;
}

// Lengths up to two of the longest x86 vectors and an element, then some longer ones.
inline std::vector<std::int64_t> Conformance::Lengths(const Kernel& kernel) const {
  std::size_t narrowest = SizeOf(kernel.output);
  for (int i = 0; i < info_.arity; ++i) narrowest = std::min(narrowest, SizeOf(kernel.inputs[i]));
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 1; n <= 2 * 64 / static_cast<std::int64_t>(narrowest) + 1; ++n) lengths.push_back(n);
  for (const std::int64_t n : {200, 333}) lengths.push_back(n);
  return lengths;
}

// Attributes for one more call: as absent ones first where the op has defaults, then any but NaN.
inline void Conformance::NextAttributes(const Kernel& kernel) {
  const Values values = Mixture(kernel.attributes, 64, 77u + attribute_round_);
  for (int i = 0; i < info_.attribute_count; ++i) {
    const AttributeInfo& attribute = info_.attributes[i];
    const std::byte* chosen = values.at(static_cast<std::size_t>(i));
    for (std::size_t k = 1; IsNaN(kernel.attributes, chosen); ++k) chosen = values.at(k + static_cast<std::size_t>(i));
    std::memcpy(slots_[i].bytes, chosen, values.size);
    if (attribute_round_ % 3 != 0) continue;
    WithType(kernel.attributes, [&](auto value) {
      using T = decltype(value);
      using Limits = std::numeric_limits<T>;
      constexpr bool kFloat = std::is_floating_point_v<T>;
      if constexpr (std::is_arithmetic_v<T>) {  // as attributes of the kit's ops are
        if (attribute.absent == AttributeDefault::kRequired) return;
        if (attribute.absent == AttributeDefault::kValue) value = static_cast<T>(attribute.value);
        if (attribute.absent == AttributeDefault::kLowest) value = kFloat ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
        if (attribute.absent == AttributeDefault::kHighest) value = kFloat ? Limits::infinity() : Limits::max();
        std::memcpy(slots_[i].bytes, &value, sizeof(value));
      }
    });
  }
  ++attribute_round_;
}

// Lays out the inputs of a tile and fills them; the result goes to `expected_` by the reference.
inline void Conformance::SetUpTile(const Kernel& kernel, const TileShape& shape) {
  tile_ = {};
  tile_.rows = shape.rows;
  tile_.cols = shape.cols;
  if (info_.attribute_count > 0) NextAttributes(kernel);
  tile_.attributes = slots_;
  for (int i = 0; i < info_.arity; ++i) {
    const bool splat = (shape.splats >> i & 1) != 0;
    const auto size = static_cast<std::int64_t>(SizeOf(kernel.inputs[i]));
    const std::int64_t cols = splat ? 1 : shape.cols;
    inputs_[i].Place({shape.rows, cols, RowStride(shape.row_kind[i], cols, size, i), size}, shape.at_end, shape.shift + i);
    const Values& pool = Pool(kernel, i);
    for (std::int64_t r = 0; r < shape.rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) std::memcpy(inputs_[i].At(r, c), pool.at(next_value_++), pool.size);
    }
    tile_.in[i] = inputs_[i].AsInput(splat);
  }
  ComputeExpected(kernel);
}

inline void Conformance::ComputeExpected(const Kernel& kernel) {
  const std::size_t size = SizeOf(kernel.output);
  expected_.assign(static_cast<std::size_t>(tile_.rows * tile_.cols) * size, std::byte{0});
  Tile reference = tile_;
  reference.out = expected_.data();
  reference.out_row_stride = tile_.cols * static_cast<std::int64_t>(size);
  kernel.reference(reference);
}

// Says how an element of the result differs from `expected_`.
inline std::string Conformance::Compare(const Kernel& kernel, const std::byte* actual, std::int64_t r, std::int64_t c) const {
  const std::byte* expected = expected_.data() + (r * tile_.cols + c) * static_cast<std::int64_t>(SizeOf(kernel.output));
  if (SameResult(kernel.output, actual, expected, info_.max_ulp)) return "";
  return "got " + ToText(kernel.output, actual) + ", reference " + ToText(kernel.output, expected) + " at row " +
         std::to_string(r) + ", col " + std::to_string(c) + " of " + std::to_string(tile_.rows) + " x " +
         std::to_string(tile_.cols) + Describe(kernel, r, c);
}

// Operand dtypes and, when they are still there, values.
inline std::string Conformance::Describe(const Kernel& kernel, std::int64_t r, std::int64_t c) const {
  std::string text;
  for (int i = 0; i < info_.arity; ++i) {
    const bool splat = tile_.in[i].splat;
    text.append(i == 0 ? "; " : ", ").append(NameOf(kernel.inputs[i])).append(splat ? " splat" : "");
    const auto* element = static_cast<const std::byte*>(tile_.in[i].data) + r * tile_.in[i].row_stride +
                          (splat ? 0 : c * static_cast<std::int64_t>(SizeOf(kernel.inputs[i])));
    if (tile_.in[i].data != tile_.out) text.append(" ").append(ToText(kernel.inputs[i], element));
  }
  return text;
}

// The first element in which the result differs from `expected_`, or a byte beside it that was written.
inline std::string Conformance::Difference(const Kernel& kernel, const GuardedOperand& out) {
  for (std::int64_t r = 0; r < tile_.rows; ++r) {
    for (std::int64_t c = 0; c < tile_.cols; ++c) {
      std::string wrong = Compare(kernel, out.At(r, c), r, c);
      if (!wrong.empty()) return wrong;
    }
  }
  out.CopyWindow(&window_);
  for (std::int64_t r = 0; r < tile_.rows; ++r) {
    std::memset(window_.data() + (out.At(r, 0) - out.window_begin), static_cast<int>(kSentinel),
                static_cast<std::size_t>(tile_.cols * out.layout.size));
  }
  for (std::size_t i = 0; i < window_.size(); ++i) {
    if (window_[i] != kSentinel) {
      return "wrote byte " + std::to_string(static_cast<std::ptrdiff_t>(i) - (out.data - out.window_begin)) +
             " from the first, outside of the tile of " + std::to_string(tile_.rows) + " x " + std::to_string(tile_.cols);
    }
  }
  return "";
}

inline std::string Conformance::Run(const Kernel& kernel, const TileShape& shape) {
  SetUpTile(kernel, shape);
  for (int i = 0; i < info_.arity; ++i) inputs_[i].CopyWindow(&windows_[i]);
  const auto size = static_cast<std::int64_t>(SizeOf(kernel.output));
  for (const bool stream : {false, true}) {
    out_.Place({shape.rows, shape.cols, RowStride(shape.row_kind[kMaxArity], shape.cols, size, 1), size}, shape.at_end,
               shape.shift);
    tile_.out = out_.data;
    tile_.out_row_stride = out_.layout.row_stride;
    tile_.stream = stream;
    kernel.run(tile_);
    for (int i = 0; i < info_.arity; ++i) {
      inputs_[i].CopyWindow(&window_);
      if (window_ != windows_[i]) return "wrote to input " + std::to_string(i);
    }
    std::string wrong = Difference(kernel, out_);
    if (!wrong.empty()) return wrong + (stream ? ", streamed" : "");
  }
  return "";
}

// The result over streamed input `target`. With `shared`, all inputs of its dtype that are streamed are that one operand.
inline std::string Conformance::RunInPlace(const Kernel& kernel, const TileShape& shape, int target, bool shared) {
  SetUpTile(kernel, shape);
  // Of values that the op refuses, a kernel may make anything: only its checked operand is free of them.
  const int checked = kernel.check == nullptr ? target : info_.checked_operand;
  if (shared && target != checked && !tile_.in[checked].splat) return "";
  for (int i = 0; shared && i < info_.arity; ++i) {
    if (!tile_.in[i].splat && kernel.inputs[i] == kernel.inputs[target]) tile_.in[i] = tile_.in[target];
  }
  ComputeExpected(kernel);
  tile_.out = inputs_[target].data;
  tile_.out_row_stride = inputs_[target].layout.row_stride;
  tile_.stream = shape.cols % 2 == 0;
  kernel.run(tile_);
  std::string wrong = Difference(kernel, inputs_[target]);
  return wrong.empty() ? "" : wrong + ", in place of input " + std::to_string(target) + (shared ? ", shared" : "");
}

}  // namespace axiscast::testing

#endif  // AXISCAST_KIT_TESTING_CONFORMANCE_H_
