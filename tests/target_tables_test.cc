// The kernels of every target that was compiled, in their tables: those of targets that this CPU lacks, too.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/kernel.h"

namespace axiscast {
namespace {

// An op's kernel in a target's table, which may be another CPU's: to look at, not to run.
const Kernel& KernelIn(const std::vector<OpDefinition>& definitions, const char* op, DType dtype) {
  for (const OpDefinition& definition : definitions) {
    if (std::strcmp(definition.info.name, op) != 0) continue;
    for (const Kernel& kernel : definition.kernels) {
      if (kernel.inputs[0] == dtype) return kernel;
    }
  }
  static const Kernel kNone = {};
  ADD_FAILURE() << "there is no " << op << " of " << NameOf(dtype);
  return kNone;
}

// What AVX3_DL does not compile itself it has from AVX3, and nothing else; AVX3_SPR computes in float16, and has all else from
// AVX3_DL. Of a target that this CPU lacks, functions run that return a table's address, and no kernel.
TEST(TargetTables, HaveEveryKernelAndShareWhatIsTheSame) {
  std::map<std::string, std::vector<OpDefinition>> all;
  for (const Target& target : BuiltInTargets()) {
    std::vector<OpDefinition>& definitions = all[target.name] = BuiltInOps(target.bit);
    for (const OpDefinition& definition : definitions) {
      for (const Kernel& kernel : definition.kernels) {
        EXPECT_NE(kernel.run, nullptr) << target.name << " " << definition.info.name << " " << NameOf(kernel.inputs[0]);
      }
    }
  }
  const auto shares = [&](const char* op, DType dtype, const char* first, const char* second) {
    return KernelIn(all[first], op, dtype).run == KernelIn(all[second], op, dtype).run;
  };
  if (all.count("AVX3") == 0 || all.count("AVX3_DL") == 0) GTEST_SKIP() << "this build does not have both AVX3 and AVX3_DL";
  for (const DType dtype : {DType::kInt8, DType::kFloat16, DType::kInt32, DType::kFloat64}) {
    EXPECT_EQ(shares("add", dtype, "AVX3", "AVX3_DL"), dtype != DType::kInt8) << NameOf(dtype);
    EXPECT_EQ(shares("less", dtype, "AVX3", "AVX3_DL"), dtype == DType::kFloat16 || dtype == DType::kInt32) << NameOf(dtype);
    for (const auto& [name, unused] : all) {
      const bool is_avx3 = name.substr(0, 4) == "AVX3";
      EXPECT_TRUE(is_avx3 || !shares("add", dtype, name.c_str(), "AVX3")) << name << " " << NameOf(dtype);
    }
  }
  if (all.count("AVX3_SPR") == 0) {
    std::printf("AVX3_SPR, which gcc alone has, is not in this build: float16 is computed in itself nowhere\n");
  } else {
    for (const char* op : {"add", "subtract", "multiply", "maximum", "minimum", "less", "squared_difference", "divide"}) {
      const bool in_itself =
          std::strcmp(op, "less") != 0 && std::strcmp(op, "squared_difference") != 0 && std::strcmp(op, "divide") != 0;
      for (const DType dtype : {DType::kInt8, DType::kFloat16, DType::kBFloat16, DType::kFloat32}) {
        if (std::strcmp(op, "divide") == 0 && dtype == DType::kInt8) continue;  // of floats
        EXPECT_EQ(shares(op, dtype, "AVX3_DL", "AVX3_SPR"), !in_itself || dtype != DType::kFloat16) << op << " " << NameOf(dtype);
      }
    }
  }
  const KernelFunction chain = KernelIn(all["AVX3_DL"], "add", DType::kFloat32).chain;
  EXPECT_NE(chain, nullptr);
  EXPECT_EQ(chain, KernelIn(all["AVX3"], "add", DType::kFloat32).chain);
}

}  // namespace
}  // namespace axiscast
