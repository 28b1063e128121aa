// Random eager calls, made again and again beside calls that differ from them in one thing: each gives what it gives in a thread
// that has made no call before. AXISCAST_SEED and AXISCAST_CASES make it repeat a run or run longer.
#include <gtest/gtest.h>

#include <cstdio>
#include <thread>

#include "tests/testing/case_memory.h"
#include "tests/testing/mix_ops.h"
#include "tests/testing/random_case.h"

namespace axiscast::test {
namespace {

std::vector<CaseOp> Ops() {
  std::vector<CaseOp> ops;
  const Registry mix = MixRegistry(Registry::BuiltIn());
  const auto add = [&](const char* name, const std::vector<DType>& dtypes) {
    const Op& op = *mix.Find(name);
    for (const Kernel& kernel : op.kernels()) {
      const std::vector<DType> inputs(kernel.inputs, kernel.inputs + op.arity());
      if (std::find(dtypes.begin(), dtypes.end(), inputs[0]) != dtypes.end()) ops.push_back({name, inputs, kernel.output, nullptr});
    }
  };
  for (const char* name : {"add", "elementwise_add", "subtract", "divide", "less", "clip"}) {
    add(name, {DType::kInt8, DType::kInt32, DType::kFloat32});
  }
  for (const char* name : {"mix1", "mix2", "mix3", "mix4"}) add(name, {DType::kUInt8, DType::kUInt16, DType::kUInt64});
  return ops;
}

struct Call {
  Case c;
  std::vector<Attribute> attributes;
  std::string caller;              // empty: not given
  std::vector<std::string> names;  // the same
  int null_operand = -1;
};

struct Outcome {
  StatusCode code;
  std::string message;
  std::vector<Bytes> memory;
  bool operator==(const Outcome& other) const { return code == other.code && message == other.message && memory == other.memory; }
};

Outcome OutcomeOf(const Call& call, const Registry* registries) {
  const Case& c = call.c;
  CaseMemory memory(c);
  const auto at = [&](std::size_t i) { return static_cast<int>(i) == call.null_operand ? nullptr : memory.origin[i]; };
  std::vector<TensorView> inputs;
  const std::size_t count = c.operands.size() - 1;
  for (std::size_t i = 0; i < count; ++i)
    inputs.emplace_back(at(i), c.operands[i].dtype, c.operands[i].shape, c.operands[i].strides());
  const MutableTensorView out(at(count), c.out().dtype, c.out().shape, c.out().strides());
  ApplyOptions options;
  options.mode = c.mode;
  options.axis = c.axis;
  options.attributes = call.attributes;
  options.max_threads = c.max_threads;
  char caller[32];  // the same address, whatever the text
  std::snprintf(caller, sizeof(caller), "%s", call.caller.c_str());
  if (!call.caller.empty()) options.caller = caller;
  const char* names[kMaxArity];
  for (std::size_t i = 0; i < call.names.size(); ++i) names[i] = call.names[i].c_str();
  if (!call.names.empty()) options.names = names;
  const Op& op = *registries[c.target % 2].Find(c.op.name);
  Status status;
  if (!c.in_place) {
    status = Apply(op, inputs.data(), count, out, options);
  } else if (count == 1) {
    status = ApplyInPlace(op, out, {}, options);
  } else if (count == 2) {
    status = ApplyInPlace(op, out, {inputs[1]}, options);
  } else {
    status = ApplyInPlace(op, out, {inputs[1], inputs[2]}, options);
  }
  return {status.code(), status.message(), memory.blocks};
}

Outcome OutcomeInFreshThread(const Call& call, const Registry* registries) {
  Outcome outcome;
  std::thread([&] { outcome = OutcomeOf(call, registries); }).join();
  return outcome;
}

// One thing changes. What then is no call at all gives the same error.
Call Neighbour(Random& random, const std::vector<CaseOp>& ops, Call call) {
  Case& c = call.c;
  CaseOperand& operand = c.operands[static_cast<std::size_t>(random.Below(static_cast<std::int64_t>(c.operands.size())))];
  const int dim = static_cast<int>(operand.shape.rank() > 0 ? random.Below(operand.shape.rank()) : 0);
  const auto at = static_cast<std::size_t>(dim);
  switch (random.Below(14)) {
    case 0:
      c.axis = random.Of(std::vector<std::optional<std::int64_t>>{std::nullopt, -2, -1, 0, 1});
      break;
    case 1:
      c.mode = random.Of(std::vector<std::optional<Mode>>{std::nullopt, Mode::kNumpy, Mode::kAxis, Mode::kOnnxLegacy, Mode::kNone,
                                                          Mode::kSameRank});
      break;
    case 2:
      c.in_place = !c.in_place && c.operands.size() < 5;
      if (c.in_place) c.operands[0] = c.out();
      break;
    case 3:
      if (operand.shape.rank() > 0) operand.shape[dim] = random.In(0, 3);
      break;
    case 4:
      if (at < operand.view.reversed.size()) operand.view.reversed[at] = !operand.view.reversed[at];
      break;
    case 5:
      if (at < operand.view.stretched.size()) operand.view.stretched[at] = !operand.view.stretched[at];
      break;
    case 6:
      operand.view.stride_of_one = random.In(-2, 2);
      break;
    case 7:
      operand.dtype = random.Of(std::vector<DType>{DType::kInt8, DType::kUInt8, DType::kInt32, DType::kFloat32});
      break;
    case 8:
      c.op.name = random.Of(ops).name;
      break;
    case 9:
      c.target = 1 - c.target % 2;
      break;
    case 10:
      call.caller = random.Of(std::vector<std::string>{"", "me", "us"});
      break;
    case 11:
      call.names =
          random.Of(std::vector<std::vector<std::string>>{{}, {"a", "b", "c", "d"}, {"a", "b", "c", ""}, {"ab", "", "c", "d"}});
      break;
    case 12:
      call.null_operand = static_cast<int>(random.In(-1, 2));
      break;
    default:
      call.attributes = random.Of(std::vector<std::vector<Attribute>>{
          {}, {{"min", 0.0}}, {{"min", -0.0}}, {{"min", 1}}, {{"min", 1u}}, {{"max", 1}}, {{"min", 1}, {"max", 5}}, {{"mix", 1}}});
  }
  return call;
}

std::string ToText(const Call& call, const Outcome& outcome) {
  std::string text = ToText(call.c) + "caller " + call.caller + " null " + std::to_string(call.null_operand) + " attributes";
  for (const Attribute& attribute : call.attributes) text += std::string(" ") + attribute.name;
  return text + "\n" + NameOf(outcome.code) + " " + outcome.message;
}

TEST(PlanCache, RandomCallsGiveWhatTheyGiveInAFreshThread) {
  const std::uint64_t seed = FromEnvironment("AXISCAST_SEED", 20251121);
  const std::uint64_t runs = FromEnvironment("AXISCAST_CASES", 12000);
  std::printf("AXISCAST_SEED=%llu AXISCAST_CASES=%llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(runs));
  const std::vector<CaseOp> ops = Ops();
  const Registry registries[] = {MixRegistry(Registry::BuiltIn()), MixRegistry(Registry::BuiltIn())};
  Random random(seed);
  std::vector<std::pair<Call, Outcome>> calls;
  std::uint64_t refused = 0, failed = 0, again = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    // 150 calls, twice as many as are kept; of those most are made that are near the end.
    if (calls.size() < 2 || random.Chance(30)) {
      Call call;
      if (calls.empty() || random.Chance(15)) {
        call.c = RandomCase(random, ops, 200);
      } else {
        const auto* base = &random.Of(calls);
        while (base->second.code != StatusCode::kOk && !random.Chance(10)) base = &random.Of(calls);
        call = Neighbour(random, ops, base->first);
      }
      Outcome expected = OutcomeInFreshThread(call, registries);
      refused += expected.code != StatusCode::kOk;
      calls.emplace_back(std::move(call), std::move(expected));
      if (calls.size() > 150) calls.erase(calls.begin() + random.Below(150));
    } else {
      ++again;
    }
    const auto size = static_cast<std::int64_t>(calls.size());
    const auto& [call, expected] =
        calls[static_cast<std::size_t>(random.Chance(50) ? size - 1 - random.Below(size) / 8 : random.Below(size))];
    const Outcome outcome = OutcomeOf(call, registries);
    failed += outcome.code != StatusCode::kOk;
    ASSERT_TRUE(outcome == expected) << "run " << run << "\n"
                                     << ToText(call, outcome) << "\nin a thread of its own: " << NameOf(expected.code) << " "
                                     << expected.message;
  }
  std::printf("%llu of the calls made before, %llu with an error; %llu different ones with an error\n",
              static_cast<unsigned long long>(again), static_cast<unsigned long long>(failed),
              static_cast<unsigned long long>(refused));
  EXPECT_EQ(bad_tiles, 0);
}

}  // namespace
}  // namespace axiscast::test
