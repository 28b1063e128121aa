// Random bytes as calls of the C API: no crash, no byte that is not the call's, and the same from all its functions. AXISCAST_SEED
// and AXISCAST_CASES make it repeat a run or run longer.
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "tests/testing/c_api_bytes.h"
#include "tests/testing/strided.h"

namespace axiscast::test {
namespace {

TEST(CApiRandom, BytesAsCalls) {
  const std::uint64_t seed = FromEnvironment("AXISCAST_SEED", 1);
  const std::uint64_t cases = FromEnvironment("AXISCAST_CASES", 20000);
  std::printf("AXISCAST_SEED=%llu AXISCAST_CASES=%llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(cases));
  std::int64_t executed = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Random random(seed + i);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(random.In(1, 200)));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.Bits());
    ASSERT_EQ(RunBytes(bytes.data(), bytes.size(), &executed), "") << "AXISCAST_SEED=" << seed + i << " AXISCAST_CASES=1";
  }
  std::printf("%lld calls were executed\n", static_cast<long long>(executed));
  if (cases >= 1000) {
    EXPECT_GT(executed, static_cast<std::int64_t>(cases / 10));  // it does reach the kernels
  }
}

}  // namespace
}  // namespace axiscast::test
