// Every built-in kernel of every target against its op's scalar meaning, bit for bit: the checks that the kit has for any op. No op
// is named here.
#include <gtest/gtest.h>

#include <map>
#include <string>
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

std::vector<OpCase> Cases() {
  std::vector<OpCase> cases;
  for (const Target& target : BuiltInTargets()) {
    if (!target.supported) continue;
    for (OpDefinition& op : BuiltInOps(target.bit)) cases.push_back({target, std::move(op)});
  }
  return cases;
}

class OpConformance : public ::testing::TestWithParam<OpCase> {};

TEST_P(OpConformance, Holds) {
  testing::Conformance conformance(GetParam().op);
  for (const testing::ConformanceCheck& check : testing::kConformanceChecks) {
    EXPECT_EQ((conformance.*check.run)(), "") << check.name;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, OpConformance, ::testing::ValuesIn(Cases()),
                         [](const auto& i) { return std::string(i.param.target.name) + "_" + i.param.op.info.name; });

}  // namespace
}  // namespace axiscast
