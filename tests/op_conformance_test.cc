// Every built-in kernel of every target against its op's scalar meaning, bit for bit: no op is named here. Buffers end or begin at
// pages that fault, and what lies between the rows of a result must stay as it was.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel.h"
#include "tests/testing/guarded.h"
#include "tests/testing/values.h"

namespace axiscast {
namespace {

using testing::GuardedArea;
using testing::Values;

struct OpCase {
  Target target;
  OpDefinition op;
};
void PrintTo(const OpCase& c, std::ostream* os) { *os << c.op.info.name << " for " << c.target.name; }

std::vector<OpCase> Cases() {
  std::vector<OpCase> cases;
  for (const Target& target : BuiltInTargets()) {
    if (!target.supported) continue;
    for (OpDefinition& op : BuiltInOps(target.bit)) cases.push_back({target, std::move(op)});
  }
  return cases;
}

constexpr std::size_t kAreaBytes = 1 << 15;
constexpr std::byte kSentinel{0xa5};

// Where an operand's elements lie, relative to its first.
struct Layout {
  std::int64_t rows;
  std::int64_t cols;  // 1 for a splat
  std::int64_t row_stride;
  std::int64_t size;

  std::int64_t low() const { return std::min<std::int64_t>(0, (rows - 1) * row_stride); }
  std::int64_t high() const { return std::max<std::int64_t>(0, (rows - 1) * row_stride) + cols * size; }
};

// A guarded area with one operand in it, flush with the area's end or `shift` elements behind its begin.
struct Operand {
  Operand() : area(kAreaBytes) {}
  void Place(const Layout& new_layout, bool at_end, std::int64_t shift) {
    layout = new_layout;
    data = at_end ? area.end() - layout.high() : area.begin() - layout.low() + shift * layout.size;
    ASSERT_GE(data + layout.low(), area.begin());
    ASSERT_LE(data + layout.high(), area.end());
    window_begin = data + layout.low() - std::min<std::ptrdiff_t>(128, data + layout.low() - area.begin());
    window_end = data + layout.high() + std::min<std::ptrdiff_t>(128, area.end() - data - layout.high());
    std::memset(window_begin, static_cast<int>(kSentinel), static_cast<std::size_t>(window_end - window_begin));
  }
  std::byte* At(std::int64_t r, std::int64_t c) const { return data + r * layout.row_stride + c * layout.size; }
  TileInput AsInput(bool splat) const { return {data, layout.row_stride, splat}; }
  std::vector<std::byte> Window() const { return {window_begin, window_end}; }

  GuardedArea area;
  Layout layout = {};
  std::byte* data = nullptr;
  std::byte* window_begin = nullptr;
  std::byte* window_end = nullptr;
};

// One way to lay out a tile. Strides are in elements beyond a dense row; kStill is a row stride of 0 and kBackward goes backward.
enum class Rows { kDense, kPadded, kStill, kBackward };
struct Shape {
  std::int64_t rows;
  std::int64_t cols;
  unsigned splats;               // bit i: input i
  Rows row_kind[kMaxArity + 1];  // of the inputs and, last, of the result
  bool at_end;
  std::int64_t shift;
};

class OpConformance : public ::testing::TestWithParam<OpCase> {
 protected:
  const OpInfo& info() const { return GetParam().op.info; }
  const std::vector<Kernel>& kernels() const { return GetParam().op.kernels; }
  unsigned patterns() const { return 1u << info().arity; }

  // Values for an input, without those that the op refuses.
  const Values& Pool(const Kernel& kernel, int input) {
    const bool no_zero = kernel.check != nullptr && input == info().checked_operand;
    Values& pool = pools_[{kernel.inputs[input], no_zero}];
    if (pool.bytes.empty()) {
      pool = testing::Mixture(kernel.inputs[input], 4099, 12345u + static_cast<unsigned>(kernel.inputs[input]));
      if (no_zero) ReplaceZeros(kernel.inputs[input], &pool);
    }
    return pool;
  }
  static void ReplaceZeros(DType dtype, Values* values) {
    testing::WithType(dtype, [values](auto zero) {
      const auto one = static_cast<decltype(zero)>(1);
      for (std::size_t i = 0; i < values->count(); ++i) {
        std::byte* element = values->bytes.data() + i * values->size;
        if (std::memcmp(element, &zero, sizeof(zero)) == 0) std::memcpy(element, &one, sizeof(one));
      }
    });
  }

  static std::int64_t RowStride(Rows kind, std::int64_t cols, std::int64_t size, int operand) {
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

  // Attributes for one more call: as absent ones first where the op has defaults, then any but NaN.
  void NextAttributes(const Kernel& kernel) {
    const Values values = testing::Mixture(kernel.attributes, 64, 77u + attribute_round_);
    for (int i = 0; i < info().attribute_count; ++i) {
      const AttributeInfo& attribute = info().attributes[i];
      const std::byte* chosen = values.at(static_cast<std::size_t>(i));
      for (std::size_t k = 1; testing::IsNaN(kernel.attributes, chosen); ++k) chosen = values.at(k + static_cast<std::size_t>(i));
      std::memcpy(slots_[i].bytes, chosen, values.size);
      if (attribute_round_ % 3 != 0) continue;
      testing::WithType(kernel.attributes, [&](auto value) {
        using T = decltype(value);
        using Limits = std::numeric_limits<T>;
        constexpr bool kFloat = std::is_floating_point_v<T>;
        if constexpr (std::is_arithmetic_v<T>) {  // as attributes of built-in ops are
          if (attribute.absent == AttributeDefault::kRequired) return;
          if (attribute.absent == AttributeDefault::kValue) value = static_cast<T>(attribute.value);
          if (attribute.absent == AttributeDefault::kLowest)
            value = kFloat ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
          if (attribute.absent == AttributeDefault::kHighest) value = kFloat ? Limits::infinity() : Limits::max();
          std::memcpy(slots_[i].bytes, &value, sizeof(value));
        }
      });
    }
    ++attribute_round_;
  }

  // Lays out the inputs of a tile and fills them; the result goes to `expected_` by the reference.
  void SetUpTile(const Kernel& kernel, const Shape& shape) {
    tile_ = {};
    tile_.rows = shape.rows;
    tile_.cols = shape.cols;
    if (info().attribute_count > 0) NextAttributes(kernel);
    tile_.attributes = slots_;
    for (int i = 0; i < info().arity; ++i) {
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
  void ComputeExpected(const Kernel& kernel) {
    const std::size_t size = SizeOf(kernel.output);
    expected_.assign(static_cast<std::size_t>(tile_.rows * tile_.cols) * size, std::byte{0});
    Tile reference = tile_;
    reference.out = expected_.data();
    reference.out_row_stride = tile_.cols * static_cast<std::int64_t>(size);
    kernel.reference(reference);
  }

  // Says the first element in which the result differs from `expected_`, or that a byte beside it was written.
  ::testing::AssertionResult Matches(const Kernel& kernel, const Operand& out) {
    for (std::int64_t r = 0; r < tile_.rows; ++r) {
      for (std::int64_t c = 0; c < tile_.cols; ++c) {
        const std::byte* expected = expected_.data() + (r * tile_.cols + c) * out.layout.size;
        if (testing::SameResult(kernel.output, out.At(r, c), expected, info().max_ulp)) continue;
        return ::testing::AssertionFailure() << "got " << testing::ToText(kernel.output, out.At(r, c)) << ", reference "
                                             << testing::ToText(kernel.output, expected) << " at row " << r << ", col " << c
                                             << " of " << tile_.rows << " x " << tile_.cols << Describe(kernel, r, c);
      }
    }
    return SentinelsAreIntact(out);
  }
  ::testing::AssertionResult SentinelsAreIntact(const Operand& out) {
    std::vector<std::byte> window = out.Window();
    for (std::int64_t r = 0; r < tile_.rows; ++r) {
      std::memset(window.data() + (out.At(r, 0) - out.window_begin), static_cast<int>(kSentinel),
                  static_cast<std::size_t>(tile_.cols * out.layout.size));
    }
    for (std::size_t i = 0; i < window.size(); ++i) {
      if (window[i] != kSentinel) {
        return ::testing::AssertionFailure() << "wrote byte " << static_cast<std::ptrdiff_t>(i) - (out.data - out.window_begin)
                                             << " from the first, outside of the tile of " << tile_.rows << " x " << tile_.cols;
      }
    }
    return ::testing::AssertionSuccess();
  }
  // Operand dtypes and, when they are still there, values.
  std::string Describe(const Kernel& kernel, std::int64_t r, std::int64_t c) const {
    std::string text;
    for (int i = 0; i < info().arity; ++i) {
      const bool splat = tile_.in[i].splat;
      text.append(i == 0 ? "; " : ", ").append(NameOf(kernel.inputs[i])).append(splat ? " splat" : "");
      const auto* element = static_cast<const std::byte*>(tile_.in[i].data) + r * tile_.in[i].row_stride +
                            (splat ? 0 : c * static_cast<std::int64_t>(SizeOf(kernel.inputs[i])));
      if (tile_.in[i].data != tile_.out) text.append(" ").append(testing::ToText(kernel.inputs[i], element));
    }
    return text;
  }

  void ExpectRunMatches(const Kernel& kernel, const Shape& shape) {
    ASSERT_NO_FATAL_FAILURE(SetUpTile(kernel, shape));
    std::vector<std::vector<std::byte>> before;
    for (int i = 0; i < info().arity; ++i) before.push_back(inputs_[i].Window());
    const auto size = static_cast<std::int64_t>(SizeOf(kernel.output));
    for (const bool stream : {false, true}) {
      out_.Place({shape.rows, shape.cols, RowStride(shape.row_kind[kMaxArity], shape.cols, size, 1), size}, shape.at_end,
                 shape.shift);
      tile_.out = out_.data;
      tile_.out_row_stride = out_.layout.row_stride;
      tile_.stream = stream;
      kernel.run(tile_);
      ASSERT_TRUE(Matches(kernel, out_)) << (stream ? "streamed" : "");
    }
    for (int i = 0; i < info().arity; ++i) ASSERT_EQ(inputs_[i].Window(), before[static_cast<std::size_t>(i)]) << "input " << i;
  }

  // The result over streamed input `target`. With `shared`, all inputs of its dtype that are streamed are that one operand.
  void ExpectInPlaceMatches(const Kernel& kernel, const Shape& shape, int target, bool shared) {
    ASSERT_NO_FATAL_FAILURE(SetUpTile(kernel, shape));
    // Of values that the op refuses, a kernel may make anything: only its checked operand is free of them.
    const int checked = kernel.check == nullptr ? target : info().checked_operand;
    if (shared && target != checked && !tile_.in[checked].splat) return;
    for (int i = 0; shared && i < info().arity; ++i) {
      if (!tile_.in[i].splat && kernel.inputs[i] == kernel.inputs[target]) tile_.in[i] = tile_.in[target];
    }
    ComputeExpected(kernel);
    tile_.out = inputs_[target].data;
    tile_.out_row_stride = inputs_[target].layout.row_stride;
    tile_.stream = shape.cols % 2 == 0;
    kernel.run(tile_);
    ASSERT_TRUE(Matches(kernel, inputs_[target])) << "in place of input " << target << (shared ? ", shared" : "");
  }

  std::map<std::pair<DType, bool>, Values> pools_;
  std::size_t next_value_ = 0;
  unsigned attribute_round_ = 0;
  AttributeSlot slots_[kMaxAttributes] = {};
  Operand inputs_[kMaxArity];
  Operand out_;
  Tile tile_ = {};
  std::vector<std::byte> expected_;
};

// Lengths up to two of the longest x86 vectors and an element, then some longer ones.
std::vector<std::int64_t> Lengths(DType widest) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 1; n <= 2 * 64 / static_cast<std::int64_t>(SizeOf(widest)) + 1; ++n) lengths.push_back(n);
  for (const std::int64_t n : {200, 333}) lengths.push_back(n);
  return lengths;
}

DType Narrowest(const Kernel& kernel, int arity) {
  DType narrowest = kernel.output;
  for (int i = 0; i < arity; ++i) {
    if (SizeOf(kernel.inputs[i]) < SizeOf(narrowest)) narrowest = kernel.inputs[i];
  }
  return narrowest;
}

TEST_P(OpConformance, HasAReferenceAndOneKernelPerCombination) {
  std::map<std::vector<DType>, int> seen;
  for (const Kernel& kernel : kernels()) {
    ASSERT_NE(kernel.run, nullptr);
    ASSERT_NE(kernel.reference, nullptr);
    EXPECT_EQ(1, ++seen[std::vector<DType>(kernel.inputs, kernel.inputs + info().arity)]);
    if (kernel.check != nullptr) {
      EXPECT_GE(info().checked_operand, 0);
      EXPECT_NE(info().check_code, StatusCode::kOk);
    }
  }
  EXPECT_FALSE(kernels().empty());
}

TEST_P(OpConformance, EveryLengthSplatPatternAndMisalignment) {
  for (const Kernel& kernel : kernels()) {
    for (unsigned splats = 0; splats < patterns(); ++splats) {
      for (const std::int64_t cols : Lengths(Narrowest(kernel, info().arity))) {
        for (const std::int64_t shift : {-1, 0, 1, 3}) {
          ASSERT_NO_FATAL_FAILURE(ExpectRunMatches(kernel, {1, cols, splats, {}, shift < 0, shift < 0 ? 0 : shift}));
        }
      }
    }
  }
}

TEST_P(OpConformance, RowsAtAnyDistance) {
  constexpr Rows kKinds[] = {Rows::kDense, Rows::kPadded, Rows::kStill, Rows::kBackward};
  for (const Kernel& kernel : kernels()) {
    for (unsigned splats = 0; splats < patterns(); ++splats) {
      for (const std::int64_t cols : {1, 3, 16, 67}) {
        for (unsigned kinds = 0; kinds < 64; ++kinds) {  // of the first two inputs and of the result; others follow the first
          const Rows first = kKinds[kinds & 3];
          const Rows out = kKinds[kinds >> 4];
          if (out == Rows::kStill) continue;
          const std::int64_t rows = 2 + static_cast<std::int64_t>(kinds % 3);
          const Shape shape = {rows, cols, splats, {first, kKinds[kinds >> 2 & 3], first, first, out}, kinds % 2 == 0, 1};
          ASSERT_NO_FATAL_FAILURE(ExpectRunMatches(kernel, shape));
        }
      }
    }
  }
}

TEST_P(OpConformance, InPlaceOfEveryStreamedInput) {
  for (const Kernel& kernel : kernels()) {
    for (unsigned splats = 0; splats < patterns(); ++splats) {
      for (int target = 0; target < info().arity; ++target) {
        if ((splats >> target & 1) != 0 || SizeOf(kernel.inputs[target]) != SizeOf(kernel.output)) continue;
        for (const std::int64_t cols : Lengths(Narrowest(kernel, info().arity))) {
          for (const Rows kind : {Rows::kDense, Rows::kPadded, Rows::kBackward}) {
            const Shape shape = {2, cols, splats, {kind, kind, kind, kind, kind}, cols % 2 == 0, 1};
            ASSERT_NO_FATAL_FAILURE(ExpectInPlaceMatches(kernel, shape, target, false));
            ASSERT_NO_FATAL_FAILURE(ExpectInPlaceMatches(kernel, shape, target, true));
          }
        }
      }
    }
  }
}

// Every pair of special values (all pairs of 8-bit values), in the first and last input; others, if any, take random ones.
TEST_P(OpConformance, EveryPairOfSpecialValues) {
  for (const Kernel& kernel : kernels()) {
    const int last = info().arity - 1;
    Values firsts = testing::Specials(kernel.inputs[0]);
    Values lasts = testing::Specials(kernel.inputs[last]);
    if (kernel.check != nullptr && info().checked_operand == last) ReplaceZeros(kernel.inputs[last], &lasts);
    if (kernel.check != nullptr && info().checked_operand == 0) ReplaceZeros(kernel.inputs[0], &firsts);
    tile_ = {};
    tile_.rows = static_cast<std::int64_t>(info().arity == 1 ? 1 : firsts.count());
    tile_.cols = static_cast<std::int64_t>(lasts.count());
    if (info().attribute_count > 0) NextAttributes(kernel);
    tile_.attributes = slots_;
    for (int i = 1; i < last; ++i) {
      const Values& pool = Pool(kernel, i);
      ASSERT_GE(pool.count(), lasts.count());
      tile_.in[i] = {pool.bytes.data(), 0, false};
    }
    tile_.in[0] = {firsts.bytes.data(), static_cast<std::int64_t>(firsts.size), true};
    tile_.in[last] = {lasts.bytes.data(), 0, false};  // of the only input too
    ComputeExpected(kernel);
    std::vector<std::byte> actual(expected_.size());
    tile_.out = actual.data();
    tile_.out_row_stride = tile_.cols * static_cast<std::int64_t>(SizeOf(kernel.output));
    kernel.run(tile_);
    for (std::int64_t r = 0; r < tile_.rows; ++r) {
      for (std::int64_t c = 0; c < tile_.cols; ++c) {
        const auto at = static_cast<std::size_t>(r * tile_.cols + c) * SizeOf(kernel.output);
        ASSERT_TRUE(testing::SameResult(kernel.output, actual.data() + at, expected_.data() + at, info().max_ulp))
            << "got " << testing::ToText(kernel.output, actual.data() + at) << ", reference "
            << testing::ToText(kernel.output, expected_.data() + at) << Describe(kernel, r, c);
      }
    }
  }
}

// The check sees a refused value wherever it is, and nothing outside of the tile.
TEST_P(OpConformance, CheckFindsRefusedValues) {
  for (const Kernel& kernel : kernels()) {
    if (kernel.check == nullptr) continue;
    const DType dtype = kernel.inputs[info().checked_operand];
    const auto size = static_cast<std::int64_t>(SizeOf(dtype));
    const Values& pool = Pool(kernel, info().checked_operand);
    for (const bool splat : {false, true}) {
      for (const std::int64_t cols : {1, 2, 3, 7, 16, 31, 65, 129, 300}) {
        for (const Rows kind : {Rows::kDense, Rows::kPadded, Rows::kStill, Rows::kBackward}) {
          Operand& x = inputs_[0];
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
          ASSERT_FALSE(kernel.check(tile_)) << NameOf(dtype) << ", " << cols << " cols";
          for (std::int64_t r = 0; r < 3; ++r) {
            for (std::int64_t c = 0; c < x_cols; ++c) {
              std::byte saved[8];
              std::memcpy(saved, x.At(r, c), pool.size);
              std::memset(x.At(r, c), 0, pool.size);
              ASSERT_TRUE(kernel.check(tile_)) << NameOf(dtype) << ", row " << r << ", col " << c << " of " << cols;
              std::memcpy(x.At(r, c), saved, pool.size);
            }
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, OpConformance, ::testing::ValuesIn(Cases()),
                         [](const auto& i) { return std::string(i.param.target.name) + "_" + i.param.op.info.name; });

}  // namespace
}  // namespace axiscast
