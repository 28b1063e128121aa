// What the diagnostics of a call are told: PyTorch's two warnings of old, whole messages.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "axiscast/infer.h"
#include "axiscast/resolve.h"
#include "tests/testing/resolve_case.h"

namespace axiscast {
namespace {

using Reports = std::vector<std::pair<DiagnosticCode, std::string>>;

Diagnostics ReportTo(Reports* reports) {
  Diagnostics diagnostics;
  diagnostics.context = reports;
  diagnostics.report = [](void* context, DiagnosticCode code, const char* message) {
    static_cast<Reports*>(context)->emplace_back(code, message);
  };
  return diagnostics;
}

constexpr DiagnosticCode kBroadcast = DiagnosticCode::kBroadcastNotPaired;
constexpr DiagnosticCode kPaired = DiagnosticCode::kPairedNotBroadcast;
const char* const kMeaning = " have equal numbers of elements and different shapes: they broadcast, their elements are not paired";

struct DiagnosticsCase {
  const char* name;
  const char* line;  // options and operands, as in data/resolve_cases.txt
  Reports reports;   // kBroadcast: the message up to kMeaning
};
void PrintTo(const DiagnosticsCase& c, std::ostream* stream) { *stream << c.name; }

const DiagnosticsCase kCases[] = {
    // The examples of PyTorch's notes on broadcasting.
    {"notes_broadcast", " | 4,1 & 4 | 4,4", {{kBroadcast, "resolve: x [4, 1] and y [4]"}}},
    {"notes_pair",
     "mode=legacy_pointwise | 4 & 2,2 | 4",
     {{kPaired, "resolve: the shapes do not broadcast, so elements are paired in row-major order (x [4], y [2, 2])"}}},
    {"notes_same", " | 5,7,3 & 5,7,3 | 5,7,3", {}},
    {"notes_trailing", " | 5,3,4,1 & 3,1,1 | 5,3,4,1", {}},
    {"notes_in_place", "caller=add_ in_place | 5,3,4,1 & 3,1,1 | 5,3,4,1", {}},
    {"notes_in_place_refused", "caller=add_ in_place | 1,3,1 & 3,1,7 | kInvalidShape", {}},
    {"refused", " | 5,2,4,1 & 3,1,1 | kInvalidShape", {}},

    {"legacy_broadcasts", "mode=legacy_pointwise | 4,1 & 4 | 4,4", {{kBroadcast, "resolve: x [4, 1] and y [4]"}}},
    {"legacy_refused", "mode=legacy_pointwise | 4 & 3,2 | kInvalidShape", {}},
    {"legacy_in_place_refused", "mode=legacy_pointwise in_place | 4,1 & 4 | kInvalidShape", {}},
    {"pointwise_is_asked_for", "mode=pointwise | 4,1 & 4 | 4,1", {}},
    {"none", "mode=none | 4,1 & 4,1 | 4,1", {}},
    {"axis", "caller=add axis=0 | 4,1 & 4 | 4,1", {{kBroadcast, "add: x [4, 1] and y [4]"}}},
    {"onnx", "mode=onnx_legacy axis=0 names=A,B | 4,1 & 4 | 4,1", {{kBroadcast, "resolve: A [4, 1] and B [4]"}}},
    {"rank_alone", " | 3 & 1,3 | 1,3", {{kBroadcast, "resolve: x [3] and y [1, 3]"}}},
    {"no_elements", " | 0 & 2,0 | 2,0", {{kBroadcast, "resolve: x [0] and y [2, 0]"}}},
    {"to_out", "out=6,4,4 | 4,1 & 4 | 6,4,4", {{kBroadcast, "resolve: x [4, 1] and y [4]"}}},
    {"out_is_no_operand", "out=4,1 | 4,1 & 1 | 4,1", {}},
    {"out_refused", "out=4,1 | 4,1 & 4 | kInvalidShape", {}},
    {"each_operand_once",
     " | 4,1 & 1,4 & 4,1 & 1 & 4 | 4,4",
     {{kBroadcast, "resolve: x0 [4, 1] and x1 [1, 4]"},
      {kBroadcast, "resolve: x1 [1, 4] and x2 [4, 1]"},
      {kBroadcast, "resolve: x0 [4, 1] and x4 [4]"}}},
};

class Diagnose : public ::testing::TestWithParam<DiagnosticsCase> {};

TEST_P(Diagnose, ReportsExactly) {
  Reports expected = GetParam().reports;
  for (auto& [code, message] : expected) message += code == kBroadcast ? kMeaning : "";
  InferCase c = ParseInferCase(std::string(GetParam().name) + " | " + GetParam().line);
  Reports reports;
  c.diagnostics = ReportTo(&reports);
  Shape shape;
  Status status = RunCase(c, &shape);
  EXPECT_EQ(status.ok() ? "" : NameOf(status.code()), c.code) << status.message();
  EXPECT_EQ(reports, expected);
  EXPECT_EQ(shape, c.code.empty() ? c.result : Shape());
  reports.clear();
  SymbolicShape inferred;
  status = RunInferCase(c, &inferred);
  EXPECT_EQ(status.ok(), c.code.empty()) << status.message();
  EXPECT_EQ(reports, expected);
}

INSTANTIATE_TEST_SUITE_P(Table, Diagnose, ::testing::ValuesIn(kCases), [](const auto& i) { return i.param.name; });

TEST(Diagnose, SpeaksOfKnownShapesAlone) {
  Reports reports;
  ResolveOptions options;
  options.diagnostics = ReportTo(&reports);
  SymbolicShape inferred;
  ASSERT_TRUE(InferShape({{"N", 1}, {4, 1}, {4}, {"N"}}, options, &inferred).ok());
  EXPECT_EQ(reports, (Reports{{kBroadcast, std::string("resolve: x1 [4, 1] and x2 [4]") + kMeaning}}));
}

TEST(Diagnose, BindReportsAgain) {
  Reports reports;
  ResolveOptions options;
  options.diagnostics = ReportTo(&reports);
  const SymbolicShape declared[] = {{"N", 1}, {"N"}};
  const Shape shapes[] = {{4, 1}, {4}};
  Shape bound;
  ASSERT_TRUE(BindShape(declared, shapes, 2, options, &bound).ok());
  EXPECT_EQ(reports, (Reports{{kBroadcast, std::string("resolve: x [4, 1] and y [4]") + kMeaning}}));
}

}  // namespace
}  // namespace axiscast
