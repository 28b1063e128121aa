// Chains of ops in registers, against the ops' scalar meanings one after the other; and which steps of a program make one.
// AXISCAST_SEED and AXISCAST_CASES as in layout_test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "axiscast/kit/testing/operand.h"
#include "axiscast/kit/testing/values.h"
#include "core/kernel.h"
#include "core/passes.h"
#include "tests/testing/random_case.h"
#include "tests/testing/strided.h"

namespace axiscast::test {
namespace {

using testing::GuardedOperand;

struct LinkOp {
  std::string name;
  const OpInfo* info;
  const Kernel* kernel;
};

// The ops of a target that can be links of a dtype.
std::vector<LinkOp> LinkOps(const std::vector<OpDefinition>& ops, DType dtype) {
  std::vector<LinkOp> links;
  for (const OpDefinition& op : ops) {
    for (const Kernel& kernel : op.kernels) {
      if (kernel.output == dtype && kernel.chain != nullptr) links.push_back({op.info.name, &op.info, &kernel});
    }
  }
  return links;
}

struct Link {
  const LinkOp* op;
  bool exchanged;
  int operand;  // -1: there is none
  AttributeSlot attributes[kMaxAttributes];
};

// A chain over a tile, in guarded memory: operand 0 is what it begins with, the last one the result.
class Case {
 public:
  Case(Random& random, DType dtype, const std::vector<LinkOp>& ops, std::vector<std::unique_ptr<GuardedOperand>>* areas)
      : dtype_(dtype), size_(static_cast<std::int64_t>(SizeOf(dtype))), operands_(*areas) {
    // With gaps of up to 20 elements in what a guarded area holds.
    const bool many = random.Chance(20);  // rows, of which parts take turns where they are streamed
    const std::int64_t elements = many ? 28'000 / size_ : random.Chance(50) ? 600 : 60;
    cols_ = random.Chance(30) ? random.In(1, 9) : random.In(1, elements);
    by_blocks_ = random.Chance(30);
    if (by_blocks_ && random.Chance(80)) cols_ = random.In(1, 17) * 16 / size_;  // vectors of 16 bytes, some of longer ones
    if (many && random.Chance(50)) cols_ = random.In(1, 300);
    const std::int64_t most =
        std::max<std::int64_t>(static_cast<std::int64_t>(testing::kAreaBytes) / ((cols_ + 20) * size_) - 1, 1);
    rows_ = random.Chance(25) ? 1 : random.In(1, std::clamp<std::int64_t>(by_blocks_ ? 13 : elements / cols_, 1, most));
    if (many && random.Chance(50)) rows_ = std::clamp<std::int64_t>(elements / cols_, 1, most);
    const int count = static_cast<int>(random.Chance(10) ? kMaxLinks : random.In(1, 5));
    AddInput(random);
    for (int l = 0; l < count; ++l) {
      Link link{&random.Of(ops), false, -1, {}};
      if (link.op->info->arity == 2) {
        link.exchanged = random.Chance(30) && link.op->name != "copysign";  // whose result shows a NaN's sign
        link.operand = AddInput(random);
      }
      for (int a = 0; a < link.op->info->attribute_count; ++a) SetAttribute(random, &link.attributes[a]);
      links_.push_back(link);
    }
    const std::int64_t row = cols_ * size_;
    const std::int64_t stride = random.Chance(60) ? row : row + size_ * random.In(1, 20);
    out_ = Place(random, {rows_, cols_, stride, size_}, next_++);
    // In place: some input that is as the result is.
    if (random.Chance(30)) {
      const int input = static_cast<int>(random.Below(out_));
      if (!splat_[static_cast<std::size_t>(input)]) {
        Place(random, {rows_, cols_, stride, size_}, input);
        in_place_ = input;
      }
    }
    stream_ = random.Chance(many ? 60 : 20);
  }

  // Empty when all is as the scalar meanings say.
  std::string Failure() {
    std::vector<std::byte> expected = Expected();
    GuardedOperand& out = *operands_[static_cast<std::size_t>(in_place_ >= 0 ? in_place_ : out_)];
    std::vector<std::byte> before;
    out.CopyWindow(&before);
    Chain chain = {};
    const void* inputs[kMaxLinks + 1];
    int count = 0;
    const auto add_input = [&](int operand) {
      const auto& [input, data] = Input(operand);
      chain.in[count] = {input.row_stride, input.splat, false};
      inputs[count] = data;
      return count++;
    };
    add_input(0);
    for (const Link& link : links_) {
      const int input = link.operand < 0 ? 0 : add_input(link.operand);
      chain.links[chain.count++] = {link.op->kernel->link, input, link.exchanged, link.attributes};
    }
    Tile tile;
    tile.rows = rows_;
    tile.cols = cols_;
    tile.out_row_stride = out.layout.row_stride;
    tile.stream = stream_;
    tile.by_turns.chains = kMaxPartsByTurns;
    tile.chain = &chain;
    // A stride that is not to be read.
    for (ChainInput& in : std::span(chain.in, static_cast<std::size_t>(count))) {
      in.dense = !in.splat && in.row_stride == cols_ * size_;
      if (in.dense) in.row_stride = 1 << 20;
    }
    chain.by_blocks = by_blocks_;
    chain.ahead = rows_ % 2 == 0 ? 0 : 4096;
    links_[0].op->kernel->chain(tile, inputs, out.data);
    for (std::int64_t r = 0; r < rows_; ++r) {
      for (std::int64_t c = 0; c < cols_; ++c) {
        const std::byte* wanted = expected.data() + (r * cols_ + c) * size_;
        const bool nans = testing::IsNaN(dtype_, wanted) && testing::IsNaN(dtype_, out.At(r, c));
        if (!nans && std::memcmp(wanted, out.At(r, c), SizeOf(dtype_)) != 0) {
          return "element [" + std::to_string(r) + ", " + std::to_string(c) + "] is wrong";
        }
        std::memcpy(before.data() + (out.At(r, c) - out.window_begin), out.At(r, c), SizeOf(dtype_));
      }
    }
    std::vector<std::byte> after;
    out.CopyWindow(&after);
    return before == after ? "" : "memory beside the result was written";
  }

  std::string ToText() const {
    std::string text = std::string(NameOf(dtype_)) + " " + std::to_string(rows_) + " x " + std::to_string(cols_);
    text += in_place_ >= 0 ? ", in place of " + std::to_string(in_place_) : "";
    text += std::string(by_blocks_ ? ", by blocks" : "") + (stream_ ? ", streamed" : "");
    for (const Link& link : links_) {
      text += "; " + link.op->name + (link.exchanged ? " exchanged" : "");
      if (link.operand >= 0) text += " " + std::to_string(link.operand) + (splat_[link.operand] ? " (splat)" : "");
    }
    return text;
  }
  bool in_place() const { return in_place_ >= 0; }
  // Streamed rows that follow each other, of as many bytes as parts of them take turns from on (AVX-512).
  bool may_take_turns() const {
    const GuardedOperand& out = *operands_[static_cast<std::size_t>(in_place_ >= 0 ? in_place_ : out_)];
    return stream_ && rows_ >= 4 && out.layout.row_stride == cols_ * size_ && rows_ * cols_ * size_ >= 16 * 1024;
  }
  // Rows by blocks: whole vectors of 64 bytes, an odd number of them.
  bool has_odd_blocks() const { return by_blocks_ && !stream_ && rows_ >= 4 && cols_ * size_ % 128 == 64; }
  // Rows that follow each other and meet within vectors of 64 bytes, of which some inputs have another value each, all others being
  // one row, or one value.
  bool has_pairs() const {
    const std::int64_t row = cols_ * size_;
    const auto stride = [&](int operand) { return operands_[static_cast<std::size_t>(operand)]->layout.row_stride; };
    bool pairs = rows_ > 1 && row > 64 && row % 64 != 0 && stride(in_place_ >= 0 ? in_place_ : out_) == row, changes = false;
    for (int i = 0; i < out_; ++i) {
      const bool splat = splat_[static_cast<std::size_t>(i)];
      pairs = pairs && (splat || stride(i) == row);
      changes = changes || (splat && stride(i) != 0);
    }
    return pairs && changes;
  }

 private:
  int AddInput(Random& random) {
    const bool splat = random.Chance(45);
    const std::int64_t cols = splat ? 1 : cols_, row = cols * size_;
    const std::int64_t strides[] = {cols_ * size_, 0, row + size_ * random.In(0, 20), -(row + size_ * random.In(0, 3))};
    splat_.push_back(splat);
    return Place(random, {rows_, cols, strides[splat ? random.In(1, 3) : random.Below(4)], size_}, next_++);
  }
  int Place(Random& random, const testing::OperandLayout& layout, int operand) {
    while (operands_.size() <= static_cast<std::size_t>(operand)) operands_.push_back(std::make_unique<GuardedOperand>());
    GuardedOperand& placed = *operands_[static_cast<std::size_t>(operand)];
    placed.Place(layout, random.Chance(50), random.Below(10));
    const testing::Values values = testing::Mixture(dtype_, 997, static_cast<unsigned>(random.Below(1 << 20)));
    std::size_t next = 0;
    for (std::int64_t r = 0; r < layout.rows; ++r) {
      for (std::int64_t c = 0; c < layout.cols; ++c) std::memcpy(placed.At(r, c), values.at(next++), SizeOf(dtype_));
    }
    return operand;
  }
  void SetAttribute(Random& random, AttributeSlot* slot) const {
    testing::WithType(dtype_, [&](auto zero) {
      const auto value = static_cast<decltype(testing::Widened(zero))>(random.In(-9, 9));
      std::memcpy(slot->bytes, &value, sizeof(value));
    });
  }
  struct InputAt {
    TileInput input;
    const void* data;
  };
  InputAt Input(int operand) const {
    const GuardedOperand& memory = *operands_[static_cast<std::size_t>(operand)];
    return {{memory.layout.row_stride, splat_[static_cast<std::size_t>(operand)]}, memory.data};
  }
  // Dense, link by link.
  std::vector<std::byte> Expected() const {
    const std::int64_t row = cols_ * size_;
    std::vector<std::byte> value(static_cast<std::size_t>(rows_ * row));
    for (std::int64_t r = 0; r < rows_; ++r) {
      for (std::int64_t c = 0; c < cols_; ++c) {
        std::memcpy(value.data() + r * row + c * size_, operands_[0]->At(r, splat_[0] ? 0 : c), SizeOf(dtype_));
      }
    }
    for (const Link& link : links_) {
      std::vector<std::byte> result(value.size());
      Tile tile;
      tile.rows = rows_;
      tile.cols = cols_;
      const void* inputs[2];
      const auto set = [&](int input, const InputAt& from) {
        tile.in[input] = from.input;
        inputs[input] = from.data;
      };
      set(link.exchanged ? 1 : 0, {{row, false}, value.data()});
      if (link.operand >= 0) set(link.exchanged ? 0 : 1, Input(link.operand));
      tile.out_row_stride = row;
      tile.attributes = link.attributes;
      link.op->kernel->reference(tile, inputs, result.data());
      value = result;
    }
    return value;
  }

  const DType dtype_;
  const std::int64_t size_;
  std::int64_t rows_, cols_;
  std::vector<std::unique_ptr<GuardedOperand>>& operands_;
  std::vector<bool> splat_;
  std::vector<Link> links_;
  int next_ = 0, out_ = 0, in_place_ = -1;
  bool stream_, by_blocks_;
};

TEST(Chain, GivesWhatItsOpsGiveOneAfterTheOther) {
  const std::uint64_t seed = FromEnvironment("AXISCAST_SEED", 1);
  const std::uint64_t cases = FromEnvironment("AXISCAST_CASES", 800);
  std::printf("AXISCAST_SEED=%llu AXISCAST_CASES=%llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(cases));
  std::vector<std::unique_ptr<GuardedOperand>> areas;
  for (const Target& target : BuiltInTargets()) {
    if (!target.supported) continue;
    const std::vector<OpDefinition> ops = BuiltInOps(target.bit);
    const bool is_sse2 = std::strcmp(target.name, "SSE2") == 0;
    if (is_sse2) std::printf("SSE2 has no chains, as one loop does for all kinds of inputs\n");
    std::map<std::string, int> counts;
    for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64}) {
      const std::vector<LinkOp> links = LinkOps(ops, dtype);
      if (links.empty()) {
        EXPECT_TRUE(is_sse2 || dtype == DType::kFloat16) << target.name << " " << NameOf(dtype);
        if (!is_sse2) std::printf("%s: float16 has no chain, as its conversions are no instructions\n", target.name);
        continue;
      }
      EXPECT_FALSE(is_sse2);
      EXPECT_GE(links.size(), 15u) << target.name << " " << NameOf(dtype);
      for (std::uint64_t i = 0; i < cases; ++i) {
        Random random(seed + i);
        Case a_case(random, dtype, links, &areas);
        counts["in place"] += a_case.in_place();
        counts["pairs"] += a_case.has_pairs();
        counts["turns"] += a_case.may_take_turns();
        counts["odd blocks"] += a_case.has_odd_blocks();
        ASSERT_EQ(a_case.Failure(), "") << target.name << " case " << i << " (AXISCAST_SEED=" << seed + i << " AXISCAST_CASES=1)\n"
                                        << a_case.ToText();
      }
    }
    if (is_sse2) continue;
    EXPECT_GE(counts["in place"], cases >= 800 ? 100 : 0) << target.name;
    EXPECT_GE(counts["pairs"], cases >= 800 ? 40 : 0) << target.name;
    EXPECT_GE(counts["odd blocks"], cases >= 800 ? 40 : 0) << target.name;
    EXPECT_GE(counts["turns"], cases >= 800 ? 40 : 0) << target.name;
  }
}

// Steps that link have the same chain.
void NoChain(const Tile&, const void* const*, void*) {}
void AnotherChain(const Tile&, const void* const*, void*) {}

std::string PassesText(std::vector<Step> steps, bool linked = true) {
  const Passes passes = PassesOf(steps, 3, linked);
  std::string text;
  for (const Pass& pass : passes.all()) {
    text += (text.empty() ? "" : " ") + std::to_string(pass.first) + "-" + std::to_string(pass.last());
  }
  return text;
}

TEST(Passes, AreStepsWhoseResultsAreReadOnceAndNext) {
  Kernel kernel = {}, other = {}, none = {};
  kernel.chain = &NoChain;
  other.chain = &AnotherChain;
  // Inputs are 0 to 2; the result of step s is 3 + s.
  EXPECT_EQ(PassesText({{&kernel, 2, {0, 1}, {}}, {&kernel, 2, {3, 2}, {}}, {&kernel, 1, {4}, {}}}), "0-2");
  EXPECT_EQ(PassesText({{&kernel, 2, {0, 1}, {}}, {&kernel, 2, {2, 3}, {}}}), "0-1") << "as the second input";
  EXPECT_EQ(PassesText({{&kernel, 2, {0, 1}, {}}, {&kernel, 2, {3, 3}, {}}}), "0-0 1-1") << "as both";
  EXPECT_EQ(PassesText({{&kernel, 2, {0, 1}, {}}, {&kernel, 2, {3, 2}, {}}, {&kernel, 2, {4, 3}, {}}}), "0-0 1-2") << "again later";
  EXPECT_EQ(PassesText({{&kernel, 1, {0}, {}}, {&kernel, 1, {1}, {}}, {&kernel, 2, {3, 4}, {}}}), "0-0 1-2") << "not next";
  EXPECT_EQ(PassesText({{&kernel, 1, {0}, {}}, {&other, 1, {3}, {}}, {&other, 1, {4}, {}}}), "0-0 1-2") << "another chain";
  EXPECT_EQ(PassesText({{&none, 1, {0}, {}}, {&none, 1, {3}, {}}}), "0-0 1-1") << "none";
  EXPECT_EQ(PassesText({{&kernel, 1, {0}, {}}, {&kernel, 1, {3}, {}}}, false), "0-0 1-1") << "not linked";
  std::vector<Step> many;
  for (int s = 0; s < kMaxLinks + 3; ++s) many.push_back({&kernel, 1, {s == 0 ? 0 : 2 + s}, {}});
  EXPECT_EQ(PassesText(many), "0-15 16-18") << "more than a chain has";
}

}  // namespace
}  // namespace axiscast::test
