// Random expressions of all elementwise ops, dtypes, axes, layouts and aliasing, against their ops called one after the other with
// dense results between them. AXISCAST_SEED and AXISCAST_CASES as in layout_test.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/random_expression.h"
#include "tests/testing/sanitizers.h"
#include "tests/testing/strided.h"

namespace axiscast::test {
namespace {

constexpr std::uint64_t kCases = AXISCAST_TEST_SANITIZED ? 3000 : 30000;

// The input as a dense tensor that aligns right: 1s behind its dims, none that hang over.
Value DenseOf(const ExpressionInput& input, const std::byte* origin, int rank) {
  Value value{input.dtype, input.shape, {}};
  ForEachIndex(input.shape, [&](const Index& index) {
    std::int64_t offset = 0;
    for (int d = 0; d < input.shape.rank(); ++d) offset += index[static_cast<std::size_t>(d)] * input.strides[d];
    value.bytes.insert(value.bytes.end(), origin + offset, origin + offset + input.size());
  });
  if (input.axis < 0) return value;
  value.shape = Shape();
  for (int d = static_cast<int>(input.axis); d < rank; ++d) {
    const int own = d - static_cast<int>(input.axis);
    value.shape.push_back(own < input.shape.rank() ? input.shape[own] : 1);
  }
  return value;
}

Status Evaluate(const ExpressionNode& node, const std::vector<Value>& inputs, Value* value) {
  if (node.input >= 0) *value = inputs[static_cast<std::size_t>(node.input)];
  if (node.number) *value = *node.number;
  if (node.op == nullptr) return Status();
  std::vector<Value> arguments(node.arguments.size());
  std::vector<TensorView> views;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    if (const Status status = Evaluate(node.arguments[a], inputs, &arguments[a]); !status.ok()) return status;
    views.push_back(arguments[a].view());
  }
  PlanOptions options;
  options.attributes = node.attributes;
  if (const Status status = InferOutput(*node.op, views.data(), views.size(), options, &value->shape, &value->dtype); !status.ok())
    return status;
  std::int64_t elements = 1;
  for (const std::int64_t extent : value->shape) elements *= extent;
  value->bytes.resize(static_cast<std::size_t>(elements) * SizeOf(value->dtype));
  ApplyOptions apply;
  apply.attributes = node.attributes;
  return Apply(*node.op, views.data(), views.size(), {value->bytes.data(), value->dtype, value->shape}, apply);
}

bool IsNaN(std::uint64_t bits, DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return (bits & 0x7fff) > 0x7c00;
    case DType::kBFloat16:
      return (bits & 0x7fff) > 0x7f80;
    case DType::kFloat32:
      return (bits & 0x7fffffff) > 0x7f800000;
    case DType::kFloat64:
      return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
    default:
      return false;
  }
}

// Empty when the plan writes what the ops give, and nothing else.
std::string Failure(Random& random, ExpressionCase& c, std::map<std::string, int>* counts) {
  std::vector<Value> values;
  std::vector<TensorView> views;
  std::vector<const void*> pointers;
  bool overlaps = false;
  for (const ExpressionInput& input : c.inputs) {
    const std::byte* const origin = (input.in_outs_memory ? c.out_memory : input.memory).data() + input.at;
    values.push_back(DenseOf(input, origin, c.result.rank()));
    views.emplace_back(origin, input.dtype, input.shape, input.strides);
    pointers.push_back(origin);
    overlaps = overlaps || input.in_outs_memory;
  }
  bool empty = false;
  for (const std::int64_t extent : c.out_shape) empty = empty || extent == 0;
  Bytes expected = c.out_memory;
  StatusCode code = StatusCode::kOk;
  if (!empty) {
    Value value;
    const Status evaluated = Evaluate(c.node, values, &value);
    code = evaluated.code();
    if (code != StatusCode::kOk && code != StatusCode::kDivisionByZero) return std::string("the ops: ") + evaluated.message();
    const std::int64_t dense = static_cast<std::int64_t>(SizeOf(value.dtype));
    const ByteStrides strides = DenseStrides(value.shape, value.dtype);
    if (code == StatusCode::kOk) {
      ForEachIndex(c.out_shape, [&](const Index& index) {
        const std::byte* from = value.bytes.data() + OffsetAt(index, value.shape, strides, c.out_shape.rank() - value.shape.rank());
        std::byte* to = expected.data() + c.out_at;
        for (int d = 0; d < c.out_shape.rank(); ++d) to += index[static_cast<std::size_t>(d)] * c.out_strides[d];
        std::memcpy(to, from, static_cast<std::size_t>(dense));
      });
    }
  }

  Expression expression;
  if (const Status s = Expression::Parse(c.node.text, Registry::BuiltIn(), &expression); !s.ok()) return s.message();
  for (int i = 0; i < expression.input_count(); ++i) {
    if (expression.input_name(i) != "x" + std::to_string(i)) return "inputs are not in the order of the text";
  }
  Shape shape;
  DType dtype;
  if (const Status s = InferOutput(expression, views.data(), views.size(), {}, &shape, &dtype); !s.ok()) return s.message();
  if (shape != c.result || dtype != c.node.dtype) return "inferred " + ToText(shape) + " of " + NameOf(dtype);
  Plan plan;
  std::byte* const out = c.out_memory.data() + c.out_at;
  const MutableTensorView to{out, c.node.dtype, c.out_shape, c.out_strides};
  if (const Status s = Plan::Make(expression, views.data(), views.size(), to, {}, &plan); !s.ok()) return s.message();
  Status status;
  if (plan.Describe().divisible && !overlaps && random.Chance(20)) {
    ++(*counts)["in parts"];
    for (int part = 0; part < 3 && status.ok(); ++part) status = plan.ExecutePart(pointers.data(), out, part, 3);
  } else {
    ExecuteOptions options;
    options.max_threads = static_cast<int>(random.Below(4));
    status = plan.Execute(pointers.data(), out, options);
  }
  if (status.code() != code) return std::string("the status is ") + NameOf(status.code()) + " " + status.message();
  ++(*counts)[code == StatusCode::kOk ? "computed" : "divided by 0"];
  if (overlaps && code == StatusCode::kOk) ++(*counts)["overlapping"];
  if (c.out_shape != c.result) ++(*counts)["larger out"];
  if (c.node.text.find('@') != std::string::npos) ++(*counts)["with an axis"];
  // Which NaN a NaN is, is not promised.
  if (!empty && code == StatusCode::kOk) {
    ForEachIndex(c.out_shape, [&](const Index& index) {
      std::int64_t offset = c.out_at;
      for (int d = 0; d < c.out_shape.rank(); ++d) offset += index[static_cast<std::size_t>(d)] * c.out_strides[d];
      const std::size_t size = SizeOf(c.node.dtype);
      const std::uint64_t x = LoadBits(expected.data() + offset, size), y = LoadBits(c.out_memory.data() + offset, size);
      if (IsNaN(x, c.node.dtype) && IsNaN(y, c.node.dtype)) StoreBits(y, expected.data() + offset, size);
    });
  }
  return c.out_memory == expected ? "" : "memory differs";
}

TEST(ExpressionRandom, GivesTheBitsOfItsOps) {
  const std::uint64_t seed = FromEnvironment("AXISCAST_SEED", 1);
  const std::uint64_t cases = FromEnvironment("AXISCAST_CASES", kCases);
  std::printf("AXISCAST_SEED=%llu AXISCAST_CASES=%llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(cases));
  std::map<std::string, int> counts;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Random random(seed + i);
    ExpressionCase c = RandomExpression(random);
    const std::string text = ToText(c);
    ASSERT_EQ(Failure(random, c, &counts), "") << "case " << i << " (AXISCAST_SEED=" << seed + i << " AXISCAST_CASES=1)\n" << text;
  }
  for (const char* name : {"computed", "divided by 0", "overlapping", "larger out", "with an axis", "in parts"})
    EXPECT_GE(counts[name], cases >= 3000 ? 20 : 0) << name;
}

}  // namespace
}  // namespace axiscast::test
