// Programs of several steps over the same tiles, against evaluation step by step over whole tensors. AXISCAST_SEED and
// AXISCAST_CASES as in layout_test.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <sstream>

#include "core/kernel.h"
#include "core/plan.h"
#include "tests/testing/mix_ops.h"
#include "tests/testing/naive_movers.h"
#include "tests/testing/strided.h"

namespace axiscast::test {
namespace {

struct StepOp {
  const Kernel* kernel;
  int arity;
  std::uint64_t (*meaning)(const std::uint64_t* values, int count);
};

std::uint64_t Sum(const std::uint64_t* values, int) { return values[0] + values[1]; }
std::uint64_t Difference(const std::uint64_t* values, int) { return values[0] - values[1]; }

// Kernels of the library and of our own, on unsigned dtypes of every size, and on those signed ones whose ops make chains.
const std::vector<StepOp>& StepOps() {
  static const std::vector<StepOp>* all = [] {
    static const Registry registry = MixRegistry(Registry::BuiltIn());
    auto* made = new std::vector<StepOp>;
    const auto add = [&](const char* name, std::uint64_t (*meaning)(const std::uint64_t*, int)) {
      const Op* op = registry.Find(name);
      for (const Kernel& kernel : op->kernels()) {
        bool taken = true;
        for (int i = 0; i < op->arity(); ++i) {
          const DTypeKind kind = KindOf(kernel.inputs[i]);
          taken = taken && (kind == DTypeKind::kUnsigned || (kind == DTypeKind::kSigned && kernel.chain != nullptr));
        }
        if (taken) made->push_back({&kernel, op->arity(), meaning});
      }
    };
    for (const char* name : {"mix1", "mix2", "mix3", "mix4"}) add(name, &Mix);
    add("add", &Sum);
    add("subtract", &Difference);
    return made;
  }();
  return *all;
}

// A value: an input, or the result of an earlier step.
struct Value {
  bool is_input;
  int number;
};

struct Program {
  Shape shape;
  std::vector<DType> inputs;
  std::vector<ByteStrides> strides;  // of the inputs, then of the output
  std::vector<StepOp> ops;
  std::vector<std::vector<Value>> values;
  DType output() const { return ops.back().kernel->output; }
};

// Step by step: takes values of the right dtype, the last result if it can; else there is a new input.
Program RandomProgram(Random& random, const Shape& shape, std::int64_t steps, int most_inputs) {
  Program program;
  program.shape = shape;
  while (static_cast<std::int64_t>(program.ops.size()) < steps) {
    const StepOp& op = random.Of(StepOps());
    std::vector<Value> values;
    std::vector<DType> inputs = program.inputs;
    for (int a = 0; a < op.arity; ++a) {
      std::vector<Value> candidates;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] == op.kernel->inputs[a]) candidates.push_back({true, static_cast<int>(i)});
      }
      for (std::size_t s = 0; s < program.ops.size(); ++s) {
        if (program.ops[s].kernel->output == op.kernel->inputs[a]) candidates.push_back({false, static_cast<int>(s)});
      }
      const bool may_add = static_cast<int>(inputs.size()) < most_inputs;
      if (candidates.empty() && !may_add) break;
      if (!candidates.empty() && (random.Chance(70) || !may_add)) {
        values.push_back(random.Chance(60) ? candidates.back() : random.Of(candidates));
      } else {
        values.push_back({true, static_cast<int>(inputs.size())});
        inputs.push_back(op.kernel->inputs[a]);
      }
    }
    if (static_cast<int>(values.size()) < op.arity) continue;
    program.inputs = inputs;
    program.ops.push_back(op);
    program.values.push_back(values);
  }
  for (const DType dtype : program.inputs) {
    const auto size = static_cast<std::int64_t>(SizeOf(dtype));
    ByteStrides strides = StridesOf(RandomView(random, shape.rank(), size, true), shape, size);
    const std::int64_t pattern = random.Below(6);
    const std::int64_t split = random.Below(shape.rank() + 1);
    for (int d = 0; d < shape.rank(); ++d) {
      if ((pattern == 1 && d < split) || (pattern == 2 && d >= split) || (pattern == 3 && d % 2 == 0) || pattern == 4)
        strides[d] = 0;
    }
    program.strides.push_back(strides);
  }
  const auto out_size = static_cast<std::int64_t>(SizeOf(program.output()));
  program.strides.push_back(StridesOf(RandomView(random, shape.rank(), out_size, false), shape, out_size));
  return program;
}

Problem ProblemOf(const Program& program) {
  Problem problem;
  problem.shape = program.shape;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) problem.operands.push_back({program.inputs[i], program.strides[i]});
  problem.operands.push_back({program.output(), program.strides.back()});
  for (std::size_t s = 0; s < program.ops.size(); ++s) {
    Step step{program.ops[s].kernel, program.ops[s].arity, {}, {}};
    for (int a = 0; a < step.arity; ++a) {
      const Value& value = program.values[s][static_cast<std::size_t>(a)];
      step.values[a] = value.is_input ? value.number : problem.input_count() + value.number;
    }
    problem.steps.push_back(step);
  }
  return problem;
}

std::uint64_t Narrow(std::uint64_t bits, DType dtype) {
  if (dtype == DType::kBool) return bits != 0;
  return SizeOf(dtype) == 8 ? bits : bits & ((std::uint64_t{1} << (8 * SizeOf(dtype))) - 1);
}

void Naive(const Program& program, const std::vector<const std::byte*>& inputs, std::byte* out) {
  ForEachIndex(program.shape, [&](const Index& index) {
    std::vector<std::uint64_t> results;
    for (std::size_t s = 0; s < program.ops.size(); ++s) {
      std::uint64_t values[kMaxArity];
      for (std::size_t a = 0; a < program.values[s].size(); ++a) {
        const Value& value = program.values[s][a];
        const auto n = static_cast<std::size_t>(value.number);
        values[a] = value.is_input
                        ? LoadBits(inputs[n] + OffsetAt(index, program.shape, program.strides[n], 0), SizeOf(program.inputs[n]))
                        : results[n];
      }
      results.push_back(Narrow(program.ops[s].meaning(values, program.ops[s].arity), program.ops[s].kernel->output));
    }
    StoreBits(results.back(), out + OffsetAt(index, program.shape, program.strides.back(), 0), SizeOf(program.output()));
  });
}

std::string ToText(const Program& program) {
  std::ostringstream text;
  const auto list = [&](const Dims& dims) {
    text << "[";
    for (int d = 0; d < dims.rank(); ++d) text << (d == 0 ? "" : ", ") << dims[d];
    text << "]";
  };
  text << "shape ";
  list(program.shape);
  for (std::size_t i = 0; i < program.strides.size(); ++i) {
    text << "\n  " << (i < program.inputs.size() ? "input " + std::to_string(i) : "out") << " "
         << NameOf(i < program.inputs.size() ? program.inputs[i] : program.output()) << " ";
    list(program.strides[i]);
  }
  for (std::size_t s = 0; s < program.ops.size(); ++s) {
    text << "\n  step " << s << " of arity " << program.ops[s].arity << ":";
    for (const Value& value : program.values[s]) text << (value.is_input ? " input " : " result ") << value.number;
  }
  return text.str();
}

std::vector<std::string> NamesOf(const Program& program) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) names.emplace_back("x").append(std::to_string(i));
  names.push_back("out");
  return names;
}

std::vector<Movers> AllMovers() {
  std::vector<Movers> all{MakeNaiveMovers()};
  for (const Target& target : BuiltInTargets()) {
    if (target.supported) all.push_back(BuiltInMovers(target.bit));
  }
  return all;
}

// Executes a program on random memory; empty when the result is that of Naive().
std::string Failure(Random& random, const Program& program, const Movers& movers, std::map<std::string, int>* counts) {
  std::vector<Bytes> memory;
  std::vector<std::int64_t> before;
  const std::size_t out = program.inputs.size();
  for (std::size_t i = 0; i <= out; ++i) {
    const auto size = static_cast<std::int64_t>(SizeOf(i < out ? program.inputs[i] : program.output()));
    const Around around = AroundOf(program.shape, program.strides[i], size);
    before.push_back(around.before + (random.Chance(10) ? random.Below(9) : 0));
    memory.push_back(random.RandomBytes(before.back() + around.behind));
  }
  // Sometimes the first input is out itself.
  const bool in_place = program.strides[0] == program.strides[out] && program.inputs[0] == program.output();
  if (in_place) memory[0] = memory[out], before[0] = before[out];
  std::vector<Bytes> expected = memory;
  std::vector<const std::byte*> copies;
  for (std::size_t i = 0; i < out; ++i) copies.push_back(memory[i].data() + before[i]);
  Naive(program, copies, expected[out].data() + before[out]);
  if (in_place) ++(*counts)["in place"];
  std::vector<const void*> pointers;
  for (std::size_t i = 0; i < out; ++i) pointers.push_back(memory[i].data() + before[i]);
  if (in_place) pointers[0] = memory[out].data() + before[out];

  std::shared_ptr<const Plan::Impl> plan;
  if (const Status s = Plan::Impl::Make(ProblemOf(program), movers, "program", NamesOf(program), {}, &plan); !s.ok())
    return s.message();
  if (!plan->empty && plan->layouts[0].tiles > 1) ++(*counts)["several tiles"];
  if (!plan->empty && plan->layouts[0].parallel) ++(*counts)["parallel"];
  if (!plan->empty && plan->layouts[0].stages) ++(*counts)["staged"];
  for (const StepLayout& step : plan->layouts[0].steps) {
    (*counts)["chains"] += step.chain != nullptr;
    (*counts)["by blocks"] += step.chain != nullptr && step.chain->chain.by_blocks;
  }
  if (!plan->empty && plan->layouts[0].fold > 0) ++(*counts)[in_place ? "folded in place" : "folded"];
  const int bad_tiles_before = bad_tiles;
  ExecuteOptions options;
  options.max_threads = static_cast<int>(random.Below(4));
  if (const Status s = plan->Execute(pointers.data(), memory[out].data() + before[out], options); !s.ok()) return s.message();
  if (bad_tiles != bad_tiles_before) return "a kernel was called with a tile that breaks its contract";
  if (!plan->empty && (plan->layouts[0].scratch_bytes > kScratchBytes || plan->layouts[1].scratch_bytes > kScratchBytes)) {
    return "a layout takes more scratch than there is";
  }
  return memory == expected ? "" : "memory differs";
}

TEST(Program, ChainsGiveWhatTheirStepsGive) {
  const std::uint64_t seed = FromEnvironment("AXISCAST_SEED", 1);
  const std::uint64_t cases = FromEnvironment("AXISCAST_CASES", 3000);
  std::printf("AXISCAST_SEED=%llu AXISCAST_CASES=%llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(cases));
  const std::vector<Movers> movers = AllMovers();
  std::map<std::string, int> counts;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Random random(seed + i);
    Shape shape;
    std::int64_t budget = random.Chance(16) ? 30'000 : random.Chance(30) ? 2000 : 100;
    const std::int64_t rank = random.Below(6);
    for (int d = 0; d < rank; ++d) {
      const std::int64_t extent =
          std::min(random.Chance(25) ? random.In(1, 100) : random.In(1, 7), std::max<std::int64_t>(budget, 1));
      shape.push_back(random.Chance(1) ? 0 : extent);
      budget /= extent;
    }
    if (rank > 0 && budget > 1) shape[static_cast<int>(random.Below(rank))] *= budget;
    const bool large = random.Chance(5);  // up to the limits
    const Program program =
        RandomProgram(random, shape, large ? random.In(2, kMaxSteps) : random.In(2, 6), large ? kMaxOperands - 1 : 6);
    ++counts["steps " + std::to_string(program.ops.size())];
    const std::string failure = Failure(random, program, random.Of(movers), &counts);
    ASSERT_EQ(failure, "") << "case " << i << " (AXISCAST_SEED=" << seed + i << " AXISCAST_CASES=1)\n" << ToText(program);
  }
  for (const char* name : {"in place", "several tiles", "parallel", "staged", "folded", "chains"})
    EXPECT_GE(counts[name], cases >= 3000 ? 10 : 0) << name;
  EXPECT_GE(counts["folded in place"], cases >= 3000 ? 3 : 0);
  EXPECT_GE(counts["by blocks"], cases >= 3000 ? 1 : 0);
}

// Every value of the program lies in scratch at once, in rows as long as they get: with ASan, what would not fit is found.
TEST(Program, TheLargestProgramFitsTheScratch) {
  const StepOp* add = nullptr;
  for (const StepOp& op : StepOps()) {
    if (op.meaning == &Sum && op.kernel->output == DType::kUInt64) add = &op;
  }
  ASSERT_NE(add, nullptr);
  Random random(3);
  for (const Shape& shape : {Shape{100}, Shape{10'000}, Shape{47}, Shape{3, 5, 7, 11, 13}, Shape{300, 2}, Shape{2, 300},
                             Shape{6, 8, 49}, Shape{90, 90}}) {
    Program program;
    program.shape = shape;
    program.inputs.assign(kMaxOperands - 1, DType::kUInt64);
    for (int s = 0; s < kMaxSteps; ++s) {
      program.ops.push_back(*add);
      program.values.push_back({s == 0 ? Value{true, 0} : Value{false, s - 1}, {true, s % (kMaxOperands - 1)}});
    }
    for (std::size_t i = 0; i <= program.inputs.size(); ++i) {
      ViewSpec view = ViewSpec::Dense(shape.rank());
      view.gap = 3;
      if (i % 2 == 0) std::reverse(view.order.begin(), view.order.end());
      if (i % 3 == 1 && i < program.inputs.size()) view.stretched[i % view.stretched.size()] = true;
      program.strides.push_back(StridesOf(view, shape, 8));
    }
    std::map<std::string, int> counts;
    for (const Movers& movers : AllMovers()) EXPECT_EQ(Failure(random, program, movers, &counts), "") << ToText(program);
  }
}

TEST(Program, MoreThanTheLimitsAreRefused) {
  Random random(4);
  Program program = RandomProgram(random, {3}, 2, 2);
  Problem problem = ProblemOf(program);
  std::shared_ptr<const Plan::Impl> plan;
  Problem steps = problem;
  while (steps.steps.size() <= kMaxSteps) steps.steps.push_back(steps.steps.back());
  Status status = Plan::Impl::Make(steps, MakeNaiveMovers(), "program", NamesOf(program), {}, &plan);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(status.message(),
            "program: a program has at most 32 operands and 32 steps; got " + std::to_string(problem.operands.size()) + " and 33");
  Problem operands = problem;
  while (operands.operands.size() <= kMaxOperands) operands.operands.push_back(operands.operands.back());
  status = Plan::Impl::Make(operands, MakeNaiveMovers(), "program", std::vector<std::string>(33, "x"), {}, &plan);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_STREQ(status.message(), "program: a program has at most 32 operands and 32 steps; got 33 and 2");
  EXPECT_EQ(plan, nullptr);
}

}  // namespace
}  // namespace axiscast::test
