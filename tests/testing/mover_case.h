// Tests of the staging movers: one for each target that this CPU has and each size of element.
#ifndef AXISCAST_TESTS_TESTING_MOVER_CASE_H_
#define AXISCAST_TESTS_TESTING_MOVER_CASE_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "core/kernel.h"

namespace axiscast::test {

struct MoverCase {
  Target target;
  int size_log2;
};
inline void PrintTo(const MoverCase& c, std::ostream* os) {
  *os << c.target.name << " with elements of " << (1 << c.size_log2) << " bytes";
}

inline std::vector<MoverCase> MoverCases() {
  std::vector<MoverCase> cases;
  for (const Target& target : BuiltInTargets()) {
    for (int size_log2 = 0; target.supported && size_log2 < kElementSizes; ++size_log2) cases.push_back({target, size_log2});
  }
  return cases;
}

inline std::string MoverCaseName(const ::testing::TestParamInfo<MoverCase>& i) {
  return std::string(i.param.target.name) + "_" + std::to_string(1 << i.param.size_log2);
}

class MoverCaseTest : public ::testing::TestWithParam<MoverCase> {
 protected:
  const std::size_t index_ = static_cast<std::size_t>(GetParam().size_log2);
  const std::int64_t size_ = std::int64_t{1} << GetParam().size_log2;
  const Movers movers_ = BuiltInMovers(GetParam().target.bit);
};

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_MOVER_CASE_H_
