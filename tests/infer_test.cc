// Shapes with unknown extents: the cases of data/infer_cases.txt, and that nothing else happens to shapes that are known.
#include "axiscast/infer.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "tests/testing/resolve_case.h"

namespace axiscast {
namespace {

class Infer : public ::testing::TestWithParam<InferCase> {};

TEST_P(Infer, GivesTheShapeOrTheWholeMessage) {
  const InferCase& c = GetParam();
  const SymbolicShape untouched = {17, "untouched"};
  SymbolicShape result = untouched;
  const Status status = RunInferCase(c, &result);
  EXPECT_EQ(status.message(), c.message);
  EXPECT_EQ(NameOf(status.code()), c.code.empty() ? std::string("kOk") : c.code);
  EXPECT_EQ(result, c.code.empty() ? c.symbolic_result : untouched);
}

INSTANTIATE_TEST_SUITE_P(Data, Infer, ::testing::ValuesIn(ReadInferCases(AXISCAST_TEST_DATA "/infer_cases.txt")),
                         [](const auto& i) { return i.param.name; });

// Cases by oracle/numpy_unknowns.py, which has the rules of its own.
TEST(Infer, AgreesWithTheModel) {
  int fit = 0, refused = 0, wrong = 0;
  for (const InferCase& c : ReadInferCases(AXISCAST_ORACLE_DATA "/numpy_unknowns.data")) {
    SymbolicShape result;
    const Status status = RunInferCase(c, &result);
    ++(c.code.empty() ? fit : refused);
    const bool right = c.code.empty() ? status.ok() && result == c.symbolic_result : NameOf(status.code()) == c.code;
    if (right || ++wrong > 5) continue;
    ADD_FAILURE() << c.line << "\n  gives " << ::testing::PrintToString(result) << " " << status.message();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(fit, 15000);
  EXPECT_GT(refused, 5000);
}

TEST(InferKnown, IsResolve) {
  int count = 0;
  for (const char* const file : {AXISCAST_TEST_DATA "/resolve_cases.txt", AXISCAST_TEST_DATA "/resolve_messages.txt"}) {
    for (const InferCase& c : ReadInferCases(file)) {
      Shape resolved = {17, 4};
      SymbolicShape inferred = resolved;
      const Status status = RunCase(c, &resolved);
      const Status inferred_status = RunInferCase(c, &inferred);
      EXPECT_EQ(inferred_status.code(), status.code()) << c.line;
      EXPECT_STREQ(inferred_status.message(), status.message()) << c.line;
      EXPECT_EQ(inferred, SymbolicShape(resolved)) << c.line;
      ++count;
    }
  }
  EXPECT_GT(count, 150);
}

TEST(Infer, NeedsAnOperand) {
  SymbolicShape result;
  const SymbolicShape* const none = nullptr;
  EXPECT_STREQ(InferShape(none, 0, {}, &result).message(), "resolve: needs one operand or more; got 0");
  EXPECT_STREQ(InferShape(none, 2, {}, &result).message(), "resolve: needs a pointer to the operands' shapes; got null");
}

TEST(Infer, ResultMayBeAnOperand) {
  SymbolicShape shapes[] = {{"N"}, {2, 1}};
  ASSERT_TRUE(InferShape(shapes, 2, {}, &shapes[0]).ok());
  EXPECT_EQ(shapes[0], (SymbolicShape{2, "N"}));
}

TEST(SymbolicShape, IsWrittenAsItReads) {
  const std::string name = "batch";
  const SymbolicShape shape = {0, "N", "?", "", std::string_view(name), 7u};
  ASSERT_EQ(shape.rank(), 6);
  EXPECT_TRUE(shape[0].known());
  EXPECT_EQ(shape[0].extent(), 0);
  EXPECT_FALSE(shape[1].known());
  EXPECT_EQ(shape[1].name(), "N");
  for (const int anonymous : {2, 3}) {
    EXPECT_FALSE(shape[anonymous].known());
    EXPECT_EQ(shape[anonymous].name(), "");
  }
  EXPECT_EQ(shape[4].name().data(), name.data());
  EXPECT_EQ(shape[5].extent(), 7);
  EXPECT_FALSE(shape.known());
  EXPECT_EQ(shape, SymbolicShape(shape));
  EXPECT_NE(shape, (SymbolicShape{0, "M", "?", "", "batch", 7}));
  const SymbolicShape known = Shape{2, 3};
  EXPECT_TRUE(known.known());
  EXPECT_EQ(known.extents(), (Shape{2, 3}));
  SymbolicShape full;
  for (int d = 0; d < kMaxRank + 1; ++d) full.push_back("N");
  EXPECT_FALSE(full.valid());
  EXPECT_EQ(full.given_rank(), kMaxRank + 1);
}

struct BindCase {
  const char* name;
  std::vector<SymbolicShape> declared;
  std::vector<Shape> shapes;
  Shape result;
  const char* message;  // empty: the result
};
void PrintTo(const BindCase& c, std::ostream* stream) { *stream << c.name; }

const BindCase kBindCases[] = {
    {"fits", {{"N", 1, 5}, {"N", 4, 1}}, {{2, 1, 5}, {2, 4, 1}}, {2, 4, 5}, ""},
    {"unknown_is_1", {{30, 1, 5}, {"a", 4, 1}, {4, "b"}}, {{30, 1, 5}, {1, 4, 1}, {4, 5}}, {30, 4, 5}, ""},
    {"unknown_is_0", {{"N"}, {"M"}}, {{0}, {1}}, {0}, ""},
    {"anonymous_differ", {{"?", "?"}}, {{2, 3}}, {2, 3}, ""},
    {"rank",
     {{"N"}, {"M"}},
     {{2}, {2, 2}},
     {},
     "resolve: a shape must have its declared rank, from 0 to 64; got rank 2 of y, declared rank 1"},
    {"known",
     {{"N", 3}, {"M"}},
     {{2, 4}, {4}},
     {},
     "resolve: a known extent must be the declared one; got x[1] = 4 for 3 (declared x [N, 3], bound x [2, 4])"},
    {"name_in_two_operands",
     {{"N", 3}, {"N", 1}},
     {{2, 3}, {1, 1}},
     {},
     "resolve: an unknown must turn out to be one extent everywhere; got x[0] = 2 and y[0] = 1 for N (declared x [N, 3], bound x "
     "[2, 3]) (declared y [N, 1], bound y [1, 1])"},
    {"name_in_one_operand",
     {{"N", "N"}},
     {{2, 3}},
     {},
     "resolve: an unknown must turn out to be one extent everywhere; got x[0] = 2 and x[1] = 3 for N (declared x [N, N], bound x "
     "[2, 3])"},
    {"resolver_refuses",
     {{"N"}, {"M"}},
     {{2}, {3}},
     {},
     "resolve: dimensions must be equal or 1; got x[0] = 2 and y[0] = 3 (x [2], y [3])"},
    {"negative", {{"N"}}, {{-2}}, {}, "resolve: dimensions must not be negative; got x[0] = -2 (x [-2])"},
};

class Bind : public ::testing::TestWithParam<BindCase> {};

TEST_P(Bind, GivesTheShapeOrTheWholeMessage) {
  const BindCase& c = GetParam();
  const Shape untouched = {17, 4};
  Shape result = untouched;
  const Status status = BindShape(c.declared.data(), c.shapes.data(), c.shapes.size(), {}, &result);
  EXPECT_STREQ(status.message(), c.message);
  EXPECT_EQ(result, status.ok() ? c.result : untouched);
  EXPECT_EQ(status.code(), c.message[0] == '\0' ? StatusCode::kOk : StatusCode::kInvalidShape);
}

INSTANTIATE_TEST_SUITE_P(Table, Bind, ::testing::ValuesIn(kBindCases), [](const auto& i) { return i.param.name; });

TEST(Bind, NeedsShapes) {
  const SymbolicShape declared = {"N"};
  const Shape shape = {2};
  Shape result;
  EXPECT_STREQ(BindShape(&declared, &shape, 0, {}, &result).message(), "resolve: needs one operand or more; got 0");
  EXPECT_STREQ(BindShape(&declared, nullptr, 1, {}, &result).message(),
               "resolve: needs pointers to the operands' shapes; got null");
  EXPECT_STREQ(BindShape(nullptr, &shape, 1, {}, &result).message(), "resolve: needs pointers to the operands' shapes; got null");
}

}  // namespace
}  // namespace axiscast
