// What the conformance checks share: one tile of an op in guarded memory, filled, run, and compared with the op's scalar meaning.
#ifndef AXISCAST_KIT_TESTING_CONFORMANCE_TILES_H_
#define AXISCAST_KIT_TESTING_CONFORMANCE_TILES_H_

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "axiscast/kernel.h"
#include "axiscast/kit/testing/operand.h"
#include "axiscast/kit/testing/step_order.h"
#include "axiscast/kit/testing/values.h"

namespace axiscast::testing {

class ConformanceTiles {
 protected:
  explicit ConformanceTiles(const OpDefinition& op) : info_(op.info), kernels_(op.kernels) {}

  // One way to lay out a tile: a row stride of 0 is kStill, kBackward is a negative one.
  enum class Rows { kDense, kPadded, kStill, kBackward };
  struct TileShape {
    std::int64_t rows;
    std::int64_t cols;
    unsigned splats;               // bit i: input i
    Rows row_kind[kMaxArity + 1];  // of the inputs and, last, of the result
    bool at_end;
    std::int64_t shift;
    int permuted = -1;  // this input is, in steps of
    StepOrder order = {};
    int transposed = -1;  // this input is
    int recurring = -1;   // this input is, after so many cols
    std::int64_t period = 0;
    std::int64_t out_step = 1;
  };

  unsigned patterns() const { return 1u << info_.arity; }
  static std::int64_t RowStride(Rows kind, std::int64_t cols, std::int64_t size, int operand);
  static void ReplaceZeros(DType dtype, Values* values);
  const Values& Pool(const Kernel& kernel, int input);
  std::vector<std::int64_t> Lengths(const Kernel& kernel) const;

  void NextAttributes(const Kernel& kernel);
  void SetUpTile(const Kernel& kernel, const TileShape& shape);
  void ComputeExpected(const Kernel& kernel);
  const std::byte* Element(const Kernel& kernel, int input, std::int64_t r, std::int64_t c) const;
  std::string Compare(const Kernel& kernel, const std::byte* actual, std::int64_t r, std::int64_t c) const;
  std::string Describe(const Kernel& kernel, std::int64_t r, std::int64_t c) const;
  std::string Difference(const Kernel& kernel, const GuardedOperand& out);
  void RunTile(const Kernel& kernel, void* out);
  std::string SideEffect(const Kernel& kernel) const;
  std::string Run(const Kernel& kernel, const TileShape& shape);
  std::string RunInPlace(const Kernel& kernel, const TileShape& shape, int target, bool shared);

  const OpInfo& info_;
  const std::vector<Kernel>& kernels_;
  std::map<std::pair<DType, bool>, Values> pools_;
  std::size_t next_value_ = 0;
  unsigned attribute_round_ = 0, tile_count_ = 0, run_count_ = 0;
  int float_exceptions_ = 0;  // that the last tile has seen
  AttributeSlot slots_[kMaxAttributes] = {};
  GuardedOperand inputs_[kMaxArity];
  GuardedOperand out_;
  Tile tile_ = {};
  const void* data_[kMaxArity] = {};  // of the tile's inputs
  const void* written_ = nullptr;     // by the last tile
  StepOrder order_ = {};              // of the permuted input
  Permutation permutation_ = {};      // the same
  std::vector<std::byte> expected_;
  std::vector<std::byte> windows_[kMaxArity];  // of the inputs, before a run
  std::vector<std::byte> window_;
};

inline std::int64_t ConformanceTiles::RowStride(Rows kind, std::int64_t cols, std::int64_t size, int operand) {
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

inline void ConformanceTiles::ReplaceZeros(DType dtype, Values* values) {
  WithType(dtype, [values](auto zero) {
    const auto one = static_cast<decltype(zero)>(1);
    for (std::size_t i = 0; i < values->count(); ++i) {
      std::byte* element = values->bytes.data() + i * values->size;
      if (std::memcmp(element, &zero, sizeof(zero)) == 0) std::memcpy(element, &one, sizeof(one));
    }
  });
}

// Values for an input, without those that the op refuses.
inline const Values& ConformanceTiles::Pool(const Kernel& kernel, int input) {
  const bool no_zero = kernel.check != nullptr && input == info_.checked_operand;
  Values& pool = pools_[{kernel.inputs[input], no_zero}];
  if (pool.bytes.empty()) {
    pool = Mixture(kernel.inputs[input], 4099, 12345u + static_cast<unsigned>(kernel.inputs[input]));
    if (no_zero) ReplaceZeros(kernel.inputs[input], &pool);
  }
  return pool;
}

// Lengths up to two of the longest x86 vectors and an element, then some longer ones.
inline std::vector<std::int64_t> ConformanceTiles::Lengths(const Kernel& kernel) const {
  std::size_t narrowest = SizeOf(kernel.output);
  for (int i = 0; i < info_.arity; ++i) narrowest = std::min(narrowest, SizeOf(kernel.inputs[i]));
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 1; n <= 2 * 64 / static_cast<std::int64_t>(narrowest) + 1; ++n) lengths.push_back(n);
  for (const std::int64_t n : {200, 333}) lengths.push_back(n);
  return lengths;
}

// Attributes for one more call: as absent ones first where the op has defaults, then any but NaN.
inline void ConformanceTiles::NextAttributes(const Kernel& kernel) {
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
inline void ConformanceTiles::SetUpTile(const Kernel& kernel, const TileShape& shape) {
  tile_ = {};
  tile_.rows = shape.rows;
  tile_.cols = shape.cols;
  order_ = shape.order;
  if (info_.attribute_count > 0) NextAttributes(kernel);
  tile_.attributes = slots_;
  // Hints, of which results do not depend: each of them in half of the tiles, in no step with any loop over shapes. (Of two parts
  // by turns, of which tiles are 256 KB, and of four with AVX2, 64 KB, there are none here.)
  const unsigned mixed = ++tile_count_ * 2654435761u;
  tile_.abreast = mixed >> 31 != 0;
  tile_.halves = (mixed >> 30 & 1) != 0;
  tile_.into_caches = kernel.abilities.asks && (mixed >> 28 & 1) != 0;  // where they are streamed
  if ((mixed >> 29 & 1) != 0) tile_.by_turns = {kMaxPartsByTurns, kMaxPartsByTurns, kMaxPartsByTurns, kMaxPartsByTurns};
  for (int i = 0; i < info_.arity; ++i) {
    const bool splat = (shape.splats >> i & 1) != 0;
    const auto size = static_cast<std::int64_t>(SizeOf(kernel.inputs[i]));
    const bool permuted = i == shape.permuted, transposed = i == shape.transposed;
    const std::int64_t rows = transposed ? shape.cols : shape.rows;  // in memory
    const std::int64_t cols = splat                  ? 1
                              : permuted             ? shape.order.Elements(shape.cols)
                              : transposed           ? shape.rows
                              : i == shape.recurring ? shape.period
                                                     : shape.cols;
    inputs_[i].Place({rows, cols, RowStride(shape.row_kind[i], cols, size, i), size}, shape.at_end, shape.shift + i);
    const Values& pool = Pool(kernel, i);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) std::memcpy(inputs_[i].At(r, c), pool.at(next_value_++), pool.size);
    }
    tile_.in[i] = inputs_[i].AsInput(splat);
    data_[i] = inputs_[i].data;
    tile_.in[i].transposed = transposed;
    if (i == shape.recurring) tile_.in[i].period = shape.period;
    if (!permuted) continue;
    permutation_ = PermutationOf(shape.order, kernel.abilities.permutes, size);
    tile_.in[i].permutation = &permutation_;
  }
  ComputeExpected(kernel);
}

inline void ConformanceTiles::ComputeExpected(const Kernel& kernel) {
  const std::size_t size = SizeOf(kernel.output);
  expected_.assign(static_cast<std::size_t>(tile_.rows * tile_.cols) * size, std::byte{0});
  Tile reference = tile_;
  reference.out_row_stride = tile_.cols * static_cast<std::int64_t>(size);
  // The reference takes no permuted or transposed input, nor one with a period: it gets it in order.
  std::vector<std::byte> ordered;
  const void* inputs[kMaxArity];
  std::copy_n(data_, kMaxArity, inputs);
  for (int i = 0; i < info_.arity; ++i) {
    TileInput& in = reference.in[i];
    if (in.permutation == nullptr && !in.transposed && in.period == 0) continue;
    const auto in_size = static_cast<std::int64_t>(SizeOf(kernel.inputs[i]));
    ordered.resize(static_cast<std::size_t>(tile_.rows * tile_.cols * in_size));
    for (std::int64_t r = 0; r < tile_.rows; ++r) {
      for (std::int64_t c = 0; c < tile_.cols; ++c) {
        std::memcpy(ordered.data() + (r * tile_.cols + c) * in_size, Element(kernel, i, r, c), static_cast<std::size_t>(in_size));
      }
    }
    in = {tile_.cols * in_size, false};
    inputs[i] = ordered.data();
  }
  kernel.reference(reference, inputs, expected_.data());
}

// An input's element that meets element (r, c) of the result.
inline const std::byte* ConformanceTiles::Element(const Kernel& kernel, int input, std::int64_t r, std::int64_t c) const {
  const TileInput& in = tile_.in[input];
  const std::int64_t line = in.transposed ? c : r;
  const std::int64_t of_line = in.splat                    ? 0
                               : in.transposed             ? r
                               : in.permutation != nullptr ? order_.Element(c)
                               : in.period > 0             ? c % in.period
                                                           : c;
  return static_cast<const std::byte*>(data_[input]) + line * in.row_stride +
         of_line * static_cast<std::int64_t>(SizeOf(kernel.inputs[input]));
}

// Says how an element of the result differs from `expected_`.
inline std::string ConformanceTiles::Compare(const Kernel& kernel, const std::byte* actual, std::int64_t r, std::int64_t c) const {
  const std::byte* expected = expected_.data() + (r * tile_.cols + c) * static_cast<std::int64_t>(SizeOf(kernel.output));
  if (SameResult(kernel.output, actual, expected, info_.max_ulp)) return "";
  return "got " + ToText(kernel.output, actual) + ", reference " + ToText(kernel.output, expected) + " at row " +
         std::to_string(r) + ", col " + std::to_string(c) + " of " + std::to_string(tile_.rows) + " x " +
         std::to_string(tile_.cols) + Describe(kernel, r, c);
}

// Operand dtypes and, when they are still there, values.
inline std::string ConformanceTiles::Describe(const Kernel& kernel, std::int64_t r, std::int64_t c) const {
  std::string text;
  for (int i = 0; i < info_.arity; ++i) {
    const bool splat = tile_.in[i].splat;
    text.append(i == 0 ? "; " : ", ").append(NameOf(kernel.inputs[i])).append(splat ? " splat" : "");
    if (tile_.in[i].permutation != nullptr) text.append(" permuted: ").append(order_.Text());
    if (tile_.in[i].transposed) text.append(" transposed");
    if (tile_.in[i].period > 0) text.append(" recurring after ").append(std::to_string(tile_.in[i].period));
    if (data_[i] != written_) text.append(" ").append(ToText(kernel.inputs[i], Element(kernel, i, r, c)));
  }
  return text;
}

// The first element in which the result differs from `expected_`, or a byte beside it that was written.
inline std::string ConformanceTiles::Difference(const Kernel& kernel, const GuardedOperand& out) {
  for (std::int64_t r = 0; r < tile_.rows; ++r) {
    for (std::int64_t c = 0; c < tile_.cols; ++c) {
      std::string wrong = Compare(kernel, out.At(r, c * tile_.out_step), r, c);
      if (!wrong.empty()) return wrong;
    }
  }
  out.CopyWindow(&window_);
  for (std::int64_t r = 0; r < tile_.rows; ++r) {
    for (std::int64_t c = 0; c < tile_.cols; ++c) {
      std::memset(window_.data() + (out.At(r, c * tile_.out_step) - out.window_begin), static_cast<int>(kSentinel),
                  static_cast<std::size_t>(out.layout.size));
    }
  }
  for (std::size_t i = 0; i < window_.size(); ++i) {
    if (window_[i] != kSentinel) {
      return "wrote byte " + std::to_string(static_cast<std::ptrdiff_t>(i) - (out.data - out.window_begin)) +
             " from the first, outside of the tile of " + std::to_string(tile_.rows) + " x " + std::to_string(tile_.cols) +
             (tile_.out_step > 1 ? ", in steps of " + std::to_string(tile_.out_step) : "");
    }
  }
  return "";
}

// Where the kernel chooses, two tiles of three by what it chooses for a tile that is not streamed. (Streamed are two of four.)
inline void ConformanceTiles::RunTile(const Kernel& kernel, void* out) {
  written_ = out;
  KernelFunction run = kernel.run;
  if (kernel.choose != nullptr && run_count_++ % 3 != 0) {
    Tile planned = tile_;
    planned.stream = false;
    run = kernel.choose(planned);
  }
  std::feclearexcept(FE_ALL_EXCEPT);
  run(tile_, data_, out);
  float_exceptions_ = std::fetestexcept(FE_ALL_EXCEPT);
}

// What is wrong with what the last tile did beside its results.
inline std::string ConformanceTiles::SideEffect(const Kernel& kernel) const {
  if (!kernel.any_float_mode || float_exceptions_ == 0) return "";
  return "computes floats, as flags of their exceptions say: it is not for any floating-point mode (kIntegersAlone)";
}

inline std::string ConformanceTiles::Run(const Kernel& kernel, const TileShape& shape) {
  SetUpTile(kernel, shape);
  for (int i = 0; i < info_.arity; ++i) inputs_[i].CopyWindow(&windows_[i]);
  const auto size = static_cast<std::int64_t>(SizeOf(kernel.output));
  for (const bool stream : {false, true}) {
    const std::int64_t out_cols = (shape.cols - 1) * shape.out_step + 1;
    out_.Place({shape.rows, out_cols, RowStride(shape.row_kind[kMaxArity], out_cols, size, 1), size}, shape.at_end, shape.shift);
    tile_.out_row_stride = out_.layout.row_stride;
    tile_.out_step = shape.out_step;
    tile_.stream = stream;
    RunTile(kernel, out_.data);
    for (int i = 0; i < info_.arity; ++i) {
      inputs_[i].CopyWindow(&window_);
      if (window_ != windows_[i]) return "wrote to input " + std::to_string(i);
    }
    std::string wrong = SideEffect(kernel);
    if (wrong.empty()) wrong = Difference(kernel, out_);
    if (!wrong.empty()) return wrong + (!stream ? "" : tile_.into_caches ? ", streamed into caches" : ", streamed");
    if (shape.out_step > 1) break;  // which are not streamed
  }
  return "";
}

// The result over streamed input `target`. With `shared`, all inputs of its dtype that are streamed are that one operand.
inline std::string ConformanceTiles::RunInPlace(const Kernel& kernel, const TileShape& shape, int target, bool shared) {
  SetUpTile(kernel, shape);
  // Of values that the op refuses, a kernel may make anything: only its checked operand is free of them.
  const int checked = kernel.check == nullptr ? target : info_.checked_operand;
  if (shared && target != checked && !tile_.in[checked].splat) return "";
  for (int i = 0; shared && i < info_.arity; ++i) {
    if (tile_.in[i].splat || kernel.inputs[i] != kernel.inputs[target]) continue;
    tile_.in[i] = tile_.in[target];
    data_[i] = data_[target];
  }
  ComputeExpected(kernel);
  tile_.out_row_stride = inputs_[target].layout.row_stride;
  tile_.stream = (shape.rows + shape.cols + shape.cols / 16) % 2 == 0;  // whole vectors, too
  RunTile(kernel, inputs_[target].data);
  std::string wrong = SideEffect(kernel);
  if (wrong.empty()) wrong = Difference(kernel, inputs_[target]);
  return wrong.empty() ? "" : wrong + ", in place of input " + std::to_string(target) + (shared ? ", shared" : "");
}

}  // namespace axiscast::testing

#endif  // AXISCAST_KIT_TESTING_CONFORMANCE_TILES_H_
