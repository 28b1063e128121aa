// Every built-in kernel of every target against its op's scalar meaning, bit for bit: the checks that the kit has for any op. No op
// is named here.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "axiscast/kit/testing/conformance.h"
#include "core/kernel.h"

namespace axiscast {
namespace {

struct OpCase {
  Target target;
  OpDefinition op;
};
void PrintTo(const OpCase& c, std::ostream* os) { *os << c.op.info.name << " for " << c.target.name; }

// Of each target those kernels that no target before it has: one that two share is checked once.
std::vector<OpCase> Cases(std::map<std::string, int>* shared) {
  using Functions = std::pair<KernelFunction, ChooseFunction>;
  std::vector<OpCase> cases;
  std::set<Functions> seen;
  for (const Target& target : BuiltInTargets()) {
    if (!target.supported) continue;
    std::set<Functions> own;
    for (OpDefinition& op : BuiltInOps(target.bit)) {
      const auto skipped = static_cast<int>(std::erase_if(op.kernels, [&](const Kernel& kernel) {
        own.emplace(kernel.run, kernel.choose);
        return seen.count({kernel.run, kernel.choose}) > 0;
      }));
      if (skipped > 0) op.info.gradient = "";  // which asks for more dtypes than may be left, and is looked at with the whole op
      (*shared)[target.name] += skipped;
      if (!op.kernels.empty()) cases.push_back({target, std::move(op)});
    }
    seen.merge(own);
  }
  return cases;
}

TEST(SharedKernels, AreCheckedOnce) {
  std::map<std::string, int> shared, checked;
  std::set<KernelFunction> functions;
  for (const OpCase& c : Cases(&shared)) {
    checked[c.target.name] += static_cast<int>(c.op.kernels.size());
    for (const Kernel& kernel : c.op.kernels) functions.insert(kernel.run);
  }
  for (const Target& target : BuiltInTargets()) {
    if (!target.supported) continue;
    int all = 0;
    for (const OpDefinition& op : BuiltInOps(target.bit)) {
      all += static_cast<int>(op.kernels.size());
      for (const Kernel& kernel : op.kernels) EXPECT_EQ(functions.count(kernel.run), 1u) << target.name << " " << op.info.name;
    }
    EXPECT_EQ(checked[target.name] + shared[target.name], all) << target.name;
  }
  for (const auto& [target, count] : shared) {
    if (count > 0) std::printf("%d kernels of %s are those of a target before it, and checked there\n", count, target.c_str());
  }
}

class OpConformance : public ::testing::TestWithParam<OpCase> {};

TEST_P(OpConformance, Holds) {
  testing::Conformance conformance(GetParam().op);
  for (const testing::ConformanceCheck& check : testing::kConformanceChecks) {
    EXPECT_EQ((conformance.*check.run)(), "") << check.name;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, OpConformance, ::testing::ValuesIn([] {
                           std::map<std::string, int> shared;
                           return Cases(&shared);
                         }()),
                         [](const auto& i) { return std::string(i.param.target.name) + "_" + i.param.op.info.name; });

}  // namespace
}  // namespace axiscast
