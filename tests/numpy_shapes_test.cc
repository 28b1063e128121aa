// The resolver against NumPy: the cases that oracle/numpy_shapes.py writes.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "axiscast/resolve.h"
#include "tests/testing/resolve_case.h"

namespace axiscast {
namespace {

struct Tally {
  int succeed = 0;
  int fail = 0;
  int wrong = 0;
};

// A dense float32 view of the operand over c.out: its strides where an element of the result depends on them.
Status RunBroadcastTo(const ResolveCase& c, Shape* strides) {
  TensorView result;
  const TensorView view(nullptr, DType::kFloat32, c.operands[0]);
  if (Status status = BroadcastTo(view, *c.out, c.axis, &result); !status.ok()) return status;
  EXPECT_EQ(result.shape, *c.out) << c.line;
  *strides = result.byte_strides;
  bool empty = false;
  for (const std::int64_t extent : result.shape) empty = empty || extent == 0;
  for (int d = 0; d < strides->rank(); ++d) {
    if (empty || result.shape[d] == 1) (*strides)[d] = c.code.empty() ? c.result[d] : 0;
  }
  return Status();
}

bool IsRight(const ResolveCase& c) {
  const Shape untouched = {17, 4};
  Shape result = untouched;
  const Status status = c.name == "broadcast_to" ? RunBroadcastTo(c, &result) : RunCase(c, &result);
  if (c.code.empty()) return status.ok() && result == c.result;
  return NameOf(status.code()) == c.code && result == untouched;
}

TEST(NumPy, AgreesOnEveryCase) {
  std::map<std::string, Tally> tallies;
  for (const ResolveCase& c : ReadResolveCases(AXISCAST_ORACLE_DATA "/numpy_shapes.data")) {
    Tally& tally = tallies[c.name];
    ++(c.code.empty() ? tally.succeed : tally.fail);
    if (IsRight(c)) continue;
    if (++tally.wrong > 5) continue;  // the first few tell enough
    Shape result;
    const Status status = RunCase(c, &result);
    ADD_FAILURE() << c.line << "\n  gives " << ::testing::PrintToString(result) << " " << status.message();
  }
  for (const auto& [kind, tally] : tallies) {
    std::printf("%-14s %6d cases fit, %6d do not, %d wrong\n", kind.c_str(), tally.succeed, tally.fail, tally.wrong);
    EXPECT_EQ(tally.wrong, 0) << kind;
    EXPECT_GE(tally.fail, (tally.succeed + tally.fail) / 5) << kind;
    EXPECT_GE(tally.succeed, (tally.succeed + tally.fail) / 5) << kind;
  }
  const struct {
    const char* kind;
    int least;
  } expected[] = {{"numpy", 100000},           {"model", 1000},      {"axis", 40000},
                  {"onnx_legacy", 20000},      {"none", 6000},       {"same_rank", 10000},
                  {"legacy_pointwise", 12000}, {"pointwise", 10000}, {"out", 25000},
                  {"in_place", 15000},         {"mode_out", 15000},  {"mode_in_place", 15000},
                  {"broadcast_to", 20000},     {"pattern", 15000}};
  for (const auto& [kind, least] : expected) EXPECT_GE(tallies[kind].succeed + tallies[kind].fail, least) << kind;
  EXPECT_EQ(tallies.size(), std::size(expected));
}

}  // namespace
}  // namespace axiscast
