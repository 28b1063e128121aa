// Diagnostics of calls that plan and execute: each call tells, also one whose plan the thread has kept.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

void Note(void* notes, DiagnosticCode, const char* message) {
  static_cast<std::vector<std::string>*>(notes)->emplace_back(message);
}

constexpr const char* kTold =
    "add: x [4, 1] and y [4] have equal numbers of elements and different shapes: they broadcast, their elements are not paired";

TEST(ApplyDiagnostics, TellsInEveryCall) {
  const std::vector<float> x = {1, 2, 3, 4};
  std::vector<float> out(16);
  const auto call = [&](const Diagnostics& diagnostics) {
    ApplyOptions options;
    options.diagnostics = diagnostics;
    ASSERT_TRUE(Apply(*FindOp("add"), {{x.data(), {4, 1}}, {x.data(), {4}}}, {out.data(), {4, 4}}, options).ok());
  };
  std::vector<std::string> notes;
  call({});  // the plan is kept
  EXPECT_TRUE(notes.empty());
  call({&Note, &notes});
  call({&Note, &notes});
  EXPECT_EQ(notes, std::vector<std::string>(2, kTold));
}

TEST(ApplyDiagnostics, TellsWhenAPlanIsMade) {
  std::vector<std::string> notes;
  PlanOptions options;
  options.diagnostics = {&Note, &notes};
  std::vector<float> memory(16);
  Plan plan;
  ASSERT_TRUE(
      Plan::Make(*FindOp("add"), {{memory.data(), {4, 1}}, {memory.data(), {4}}}, {memory.data(), {4, 4}}, options, &plan).ok());
  EXPECT_EQ(notes, std::vector<std::string>{kTold});
}

}  // namespace
}  // namespace axiscast
