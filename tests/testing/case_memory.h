// The memory of a random call, filled with random bytes.
#ifndef AXISCAST_TESTS_TESTING_CASE_MEMORY_H_
#define AXISCAST_TESTS_TESTING_CASE_MEMORY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/testing/random_case.h"

namespace axiscast::test {

struct CaseMemory {
  std::vector<Bytes> blocks;       // one for each operand; those in out's memory are empty
  std::vector<std::byte*> origin;  // of each operand's element [0, ..., 0]

  explicit CaseMemory(const Case& c) {
    Random random(c.data_seed);
    std::vector<std::int64_t> sizes(c.operands.size(), 0);
    const std::size_t out = c.operands.size() - 1;
    for (std::size_t i = 0; i <= out; ++i) {
      const CaseOperand& operand = c.operands[i];
      const Around around = operand.around();
      std::int64_t& size = sizes[operand.in_outs_memory ? out : i];
      size = std::max(size, operand.at + around.before + around.behind);
    }
    for (const std::int64_t size : sizes) blocks.push_back(random.RandomBytes(size));
    for (std::size_t i = 0; i <= out; ++i) {
      const CaseOperand& operand = c.operands[i];
      origin.push_back(blocks[operand.in_outs_memory ? out : i].data() + operand.at + operand.around().before);
    }
  }
};

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_CASE_MEMORY_H_
