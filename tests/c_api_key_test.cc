// Eager calls from C find the plans of C++'s, and go the long way round where something about them is unusual.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "axiscast/c_api.h"
#include "core/c_api.h"
#include "core/plan_cache.h"

namespace axiscast {
namespace {

std::vector<std::uint64_t> WordsOf(const PlanKey& key) { return {key.words(), key.words() + key.count()}; }

// A tensor's shape and strides, whose addresses C's struct has.
struct Tensor {
  std::int32_t dtype;
  std::vector<std::int64_t> shape;
  std::optional<std::vector<std::int64_t>> strides;  // none: dense

  axiscast_tensor FromC(void* data) const {
    return {sizeof(axiscast_tensor),
            data,
            dtype,
            static_cast<std::int32_t>(shape.size()),
            shape.data(),
            strides.has_value() ? strides->data() : nullptr};
  }
  MutableTensorView View() const {
    const auto rank = static_cast<std::int64_t>(shape.size());
    const Shape extents(shape.data(), rank);
    const auto element = static_cast<DType>(dtype);
    if (!strides.has_value()) return {nullptr, element, extents};
    return {nullptr, element, extents, ByteStrides(strides->data(), rank)};
  }
};

struct Call {
  const char* name;
  const char* op;
  std::vector<Tensor> inputs;
  Tensor out;
  std::optional<Mode> mode = std::nullopt;
  std::optional<std::int64_t> axis = std::nullopt;
  bool in_place = false;
};

const std::vector<Call> kCalls = {
    {"short_rows", "add", {{AXISCAST_FLOAT32, {8}, {}}, {AXISCAST_FLOAT32, {8}, {}}}, {AXISCAST_FLOAT32, {8}, {}}},
    {"scalars", "add", {{AXISCAST_FLOAT32, {}, {}}, {AXISCAST_FLOAT32, {}, {}}}, {AXISCAST_FLOAT32, {}, {}}},
    {"alias", "Add", {{AXISCAST_FLOAT32, {8}, {}}, {AXISCAST_FLOAT32, {8}, {}}}, {AXISCAST_FLOAT32, {8}, {}}},
    {"axis",
     "elementwise_add",
     {{AXISCAST_INT16, {2, 3, 4, 5}, {}}, {AXISCAST_INT16, {3, 4}, {}}},
     {AXISCAST_INT16, {2, 3, 4, 5}, {}},
     std::nullopt,
     1},
    {"no_elements_and_back",
     "less",
     {{AXISCAST_FLOAT64, {4, 1, 0, 3}, {}}, {AXISCAST_FLOAT64, {3}, {{-8}}}},
     {AXISCAST_BOOL, {4, 1, 0, 3}, {{3, 3, 3, 1}}},
     Mode::kNumpy},
    {"half_transposed", "sqrt", {{AXISCAST_FLOAT16, {5, 6}, {{2, 10}}}}, {AXISCAST_FLOAT16, {5, 6}, {}}},
    {"three_inputs_value",
     "where",
     {{AXISCAST_BOOL, {7}, {}}, {AXISCAST_INT64, {7}, {{0}}}, {AXISCAST_INT64, {1}, {}}},
     {AXISCAST_INT64, {7}, {{1 << 20}}}},
    {"in_place",
     "multiply",
     {{AXISCAST_UINT8, {3, 9}, {}}, {AXISCAST_UINT8, {9}, {}}},
     {AXISCAST_UINT8, {3, 9}, {}},
     Mode::kNumpy,
     std::nullopt,
     true},
    {"beyond_int64",
     "add",
     {{AXISCAST_FLOAT32, {INT64_MAX, INT64_MAX}, {}}, {AXISCAST_FLOAT32, {-1}, {}}},
     {AXISCAST_FLOAT32, {INT64_MAX, INT64_MAX}, {}}},
};

const axiscast_op* Find(const char* name) {
  const axiscast_op* op = nullptr;
  EXPECT_EQ(axiscast_op_find(nullptr, name, &op), AXISCAST_OK) << axiscast_last_message();
  return op;
}

PlanKey KeyOfRequest(const Call& call) {
  TensorView inputs[kMaxArity];
  for (std::size_t i = 0; i < call.inputs.size(); ++i) inputs[i] = call.inputs[i].View();
  PlanOptions options;
  options.mode = call.mode;
  options.axis = call.axis;
  PlanKey key;
  const Op& op = c::FromHandle(Find(call.op));
  MakeKey({op, {}, inputs, call.inputs.size(), options}, call.out.View(), call.in_place, &key);
  return key;
}

// A call's structs.
struct FromC {
  explicit FromC(const Call& call) : op(Find(call.op)), in_place(call.in_place) {
    for (const Tensor& input : call.inputs) tensors.push_back(input.FromC(nullptr));
    tensors.push_back(call.out.FromC(nullptr));
    options.mode = call.mode.has_value() ? static_cast<std::int32_t>(*call.mode) + 1 : AXISCAST_MODE_DEFAULT;
    options.has_axis = call.axis.has_value();
    options.axis = call.axis.value_or(77);
  }
  bool MakeKey(const axiscast_options* given, PlanKey* key) const {
    const axiscast_tensor* operands[kMaxArity + 1];
    for (std::size_t i = 0; i < tensors.size(); ++i) operands[i] = &tensors[i];
    return c::MakeKey(op, operands, static_cast<std::int64_t>(tensors.size()) - 1, in_place, given, key);
  }

  const axiscast_op* op;
  bool in_place;
  std::vector<axiscast_tensor> tensors;
  axiscast_options options{sizeof(axiscast_options), 0, 0, 0, nullptr, 0, nullptr, nullptr};
};

TEST(KeyFromC, IsThatOfItsRequest) {
  for (const Call& call : kCalls) {
    SCOPED_TRACE(call.name);
    const FromC from_c(call);
    PlanKey key;
    ASSERT_TRUE(from_c.MakeKey(&from_c.options, &key));
    const PlanKey expected = KeyOfRequest(call);
    ASSERT_TRUE(expected.valid());
    EXPECT_EQ(WordsOf(key), WordsOf(expected));
    EXPECT_EQ(key.hash(), expected.hash());
    PlanKey without_options;
    ASSERT_TRUE(from_c.MakeKey(nullptr, &without_options));
    EXPECT_EQ(WordsOf(without_options) == WordsOf(expected), !call.mode.has_value() && !call.axis.has_value());
  }
}

TEST(KeyFromC, IsNoneWhereACallIsUnusual) {
  const auto is_usual = [](const std::function<void(FromC&)>& change) {
    FromC call(kCalls[0]);
    change(call);
    PlanKey key;
    return call.MakeKey(&call.options, &key);
  };
  EXPECT_TRUE(is_usual([](FromC&) {}));
  EXPECT_FALSE(is_usual([](FromC& call) { call.op = nullptr; }));
  EXPECT_FALSE(is_usual([](FromC& call) { call.options.struct_size += 8; }));
  EXPECT_FALSE(is_usual([](FromC& call) { call.options.mode = AXISCAST_MODE_PATTERN; }));
  EXPECT_FALSE(is_usual([](FromC& call) { call.options.mode = -1; }));
  EXPECT_FALSE(is_usual([](FromC& call) { call.options.mode = 99; }));
  EXPECT_FALSE(is_usual([](FromC& call) { call.options.attribute_count = 1; }));
  EXPECT_FALSE(is_usual([](FromC& call) { call.options.caller = "me"; }));
  static const char* const names[] = {"left", "right"};
  EXPECT_FALSE(is_usual([](FromC& call) { call.options.names = names; }));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(is_usual([=](FromC& call) { call.tensors[i].struct_size += 8; }));
    EXPECT_FALSE(is_usual([=](FromC& call) { call.tensors[i].dtype = -1; }));
    EXPECT_FALSE(is_usual([=](FromC& call) { call.tensors[i].dtype = 99; }));
    EXPECT_FALSE(is_usual([=](FromC& call) { call.tensors[i].rank = -1; }));
    EXPECT_FALSE(is_usual([=](FromC& call) { call.tensors[i].rank = kMaxRank + 1; }));
    EXPECT_FALSE(is_usual([=](FromC& call) { call.tensors[i].shape = nullptr; }));
  }
}

// What a call from C++ planned serves C.
TEST(KeyFromC, FindsThePlanOfACallFromCPlusPlus) {
  ForgetPlans();
  const FromC call(kCalls[0]);
  PlanKey key;
  ASSERT_TRUE(call.MakeKey(nullptr, &key));
  EXPECT_EQ(TakePlan(key), nullptr);
  float x[8] = {}, out[8];
  ASSERT_TRUE(Apply(c::FromHandle(call.op), {{x, {8}}, {x, {8}}}, {out, {8}}).ok());
  EXPECT_NE(TakePlan(key), nullptr);
}

// The first call is planned, the second one finds the plan; and both read what they refuse.
TEST(CallsFromC, AreRefusedAlikeWhenMadeAgain) {
  ForgetPlans();
  std::int32_t x[] = {4, 6}, y[] = {2, 0};
  const std::int64_t shape[] = {2};
  const auto tensor = [&](std::int32_t* data) {
    return axiscast_tensor{sizeof(axiscast_tensor), data, AXISCAST_INT32, 1, shape, nullptr};
  };
  const axiscast_op* const divide = Find("divide");
  for (const bool in_place : {false, true}) {
    const auto message_of = [&](std::int32_t* divisor, const axiscast_execute_options* options) {
      const axiscast_tensor operands[] = {tensor(x), tensor(divisor)};
      const std::int32_t code = in_place ? axiscast_apply_in_place(divide, &operands[0], &operands[1], 1, nullptr, options)
                                         : axiscast_apply(divide, operands, 2, &operands[0], nullptr, options);
      return code == AXISCAST_OK ? std::string() : std::to_string(code) + " " + axiscast_last_message();
    };
    for (std::int32_t* const divisor : {y, static_cast<std::int32_t*>(nullptr)}) {
      const std::string first = message_of(divisor, nullptr);
      EXPECT_NE(first, "");
      EXPECT_EQ(message_of(divisor, nullptr), first);
    }
    const axiscast_execute_options negative{sizeof(negative), -1, 0, nullptr, nullptr};
    y[1] = 3;
    EXPECT_NE(message_of(y, &negative).find("max_threads must be 0 or more; got -1"), std::string::npos);
    EXPECT_EQ(x[0], in_place ? 2 : 4) << "nothing was written by what was refused";
    EXPECT_EQ(message_of(y, nullptr), "");
    EXPECT_EQ(x[0], in_place ? 1 : 2);
    y[1] = 0;
  }
}

// More words than a key has are no key.
TEST(KeyFromC, IsNoneOfTheLongest) {
  const std::vector<std::int64_t> ones(kMaxRank, 1);
  const Tensor tensor{AXISCAST_INT8, ones, {}};
  const Call call{"rank_64", "add", {tensor, tensor}, tensor};
  PlanKey key;
  EXPECT_FALSE(FromC(call).MakeKey(nullptr, &key));
  EXPECT_FALSE(KeyOfRequest(call).valid());
}

}  // namespace
}  // namespace axiscast
