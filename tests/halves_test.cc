// The loops of half vectors, which Zen 4s take (Tile::halves): that they are there. forced_tiling_test sees that their results are
// the same, and so does not see it where there are none.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "axiscast/axiscast.h"
#include "axiscast/kernel.h"

namespace axiscast {
namespace {

// With AVX-512, which Zen 4s have; once they were in no target that builds have by default.
TEST(Halves, HaveLoopsWhereCpusGain) {
  const std::string target = Registry::BuiltIn().target();
  if (target.substr(0, 4) != "AVX3") GTEST_SKIP() << target << " is not a target of the CPUs that gain";
  for (const DType dtype : {DType::kFloat32, DType::kInt8, DType::kFloat16}) {
    const DType dtypes[] = {dtype, dtype};
    const Registry* registry = nullptr;  // of a target that Zen 4s have
    ASSERT_TRUE(Registry::BuiltInFor(target == "AVX3_SPR" ? "AVX3_DL" : target, &registry).ok());
    const Kernel* const kernel = registry->Find("add")->FindKernel(dtypes);
    const auto bytes = 1000 * static_cast<std::int64_t>(SizeOf(dtype));
    Tile tile{1, 1000, {{bytes, false}, {bytes, false}}, bytes, nullptr};
    const KernelFunction whole = kernel->choose(tile);
    tile.halves = true;
    EXPECT_NE(kernel->choose(tile), whole) << NameOf(dtype);
  }
}

}  // namespace
}  // namespace axiscast
