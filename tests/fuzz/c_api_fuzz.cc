// libFuzzer's program: any bytes as calls of the C API. ./dev fuzz --c-api runs it; c_api_fuzz FILE repeats one input.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/plan_cache.h"
#include "tests/testing/c_api_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  axiscast::ForgetPlans();  // so that an input alone repeats what it did after others
  std::int64_t executed = 0;
  const std::string failure = axiscast::test::RunBytes(bytes, size, &executed);
  if (failure.empty()) return 0;
  std::fprintf(stderr, "%s", failure.c_str());
  std::abort();
}
