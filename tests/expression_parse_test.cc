// Expressions as text: what is read, and of what cannot be read the whole message.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

std::vector<std::string> InputsOf(const Expression& expression) {
  std::vector<std::string> names;
  for (int i = 0; i < expression.input_count(); ++i) names.emplace_back(expression.input_name(i));
  return names;
}

TEST(ExpressionParse, FindsTheInputsInTheOrderOfTheText) {
  struct Row {
    const char* text;
    std::vector<std::string> inputs;
  };
  const Row rows[] = {
      {"add(x, y)", {"x", "y"}},
      {"add(y, x)", {"y", "x"}},
      {"abs(x)", {"x"}},
      {"maximum(add(multiply(x, scale@1), bias@1), skip)", {"x", "scale", "bias", "skip"}},
      {"add(a, multiply(b, c))", {"a", "b", "c"}},  // the inner call is computed first
      {"add(x, multiply(x, x))", {"x"}},
      {"add(x@-1, x)", {"x"}},
      {"add(x@0, abs(x@0))", {"x"}},
      {"  add(\n\tx ,  _y2 @ 1\r\n)\n", {"x", "_y2"}},
      {"elementwise_add(X, x)", {"X", "x"}},
      {"add(add, add)", {"add"}},  // a name that is not called is an input
      {"add(inf_, nano)", {"inf_", "nano"}},
      {"where(less(x, 0), 0, clip(x, max = 1e3))", {"x"}},
      {"clip(x)", {"x"}},
      {"multiply(x, inf)", {"x"}},
  };
  for (const Row& row : rows) {
    Expression expression;
    const Status status = Expression::Parse(row.text, Registry::BuiltIn(), &expression);
    EXPECT_STREQ(status.message(), "") << row.text;
    EXPECT_EQ(InputsOf(expression), row.inputs) << row.text;
    EXPECT_STREQ(expression.text(), row.text);
  }
}

TEST(ExpressionParse, AnEmptyOneHasNothing) {
  const Expression expression;
  EXPECT_TRUE(expression.empty());
  EXPECT_STREQ(expression.text(), "");
  EXPECT_EQ(expression.input_count(), 0);
  EXPECT_EQ(expression.input_name(0), nullptr);
}

TEST(ExpressionParse, NamesAreThoseOfInputsAlone) {
  Expression expression;
  ASSERT_TRUE(Expression::Parse("add(x, y)", Registry::BuiltIn(), &expression).ok());
  EXPECT_EQ(expression.input_name(-1), nullptr);
  EXPECT_EQ(expression.input_name(2), nullptr);
}

struct Refusal {
  const char* name;
  std::string text;
  StatusCode code;
  std::string message;
};
void PrintTo(const Refusal& refusal, std::ostream* os) { *os << refusal.name; }

// The registry's words for an op that there is not.
std::string NoSuchOp(const char* name) {
  const Op* op;
  return Registry::BuiltIn().Find(name, &op).message();
}

// `count` calls, each of the one before it.
std::string Nested(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "abs(";
  return text + "x" + std::string(static_cast<std::size_t>(count), ')');
}

// A sum of as many inputs as there are calls of four inputs to read them.
std::string ManyInputs(int count) {
  std::string text = "x0";
  for (int i = 1; i < count; i += 2) text = "where(" + text + ", y" + std::to_string(i) + ", y" + std::to_string(i + 1) + ")";
  return text;
}

using enum StatusCode;
const Refusal kRefusals[] = {
    {"nothing", "", kInvalidArgument, R"~(a name, a number or a call of an op must come here; got the end of "")~"},
    {"space", " \n", kInvalidArgument, R"~(a name, a number or a call of an op must come here; got the end of " \x0a")~"},
    {"name", "x", kInvalidArgument, R"~(an expression must be a call of an op, as in add(x, y); got "x")~"},
    {"name_with_axis", "x@1", kInvalidArgument, R"~(an expression must be a call of an op, as in add(x, y); got "x@1")~"},
    {"number", "2", kInvalidArgument, R"~(an expression must be a call of an op, as in add(x, y); got "2")~"},
    {"not_closed", "add(x, y", kInvalidArgument, R"~(there must be "," or ")" here; got the end of "add(x, y")~"},
    {"not_closed_twice", "add(x, abs(y)", kInvalidArgument, R"~(there must be "," or ")" here; got the end of "add(x, abs(y)")~"},
    {"closed_twice", "add(x, y))", kInvalidArgument,
     R"~(there must be nothing behind an expression; got ")" at character 10 of "add(x, y))")~"},
    {"behind", "add(x, y); abs(x)", kInvalidArgument,
     R"~(there must be nothing behind an expression; got ";" at character 10 of "add(x, y); abs(x)")~"},
    {"no_comma", "add(x y)", kInvalidArgument, R"~(there must be "," or ")" here; got "y" at character 7 of "add(x y)")~"},
    {"no_operand", "add(x, )", kInvalidArgument,
     R"~(a name, a number or a call of an op must come here; got ")" at character 8 of "add(x, )")~"},
    {"two_commas", "add(x,, y)", kInvalidArgument,
     R"~(a name, a number or a call of an op must come here; got "," at character 7 of "add(x,, y)")~"},
    {"infix", "add(x + 1, y)", kInvalidArgument,
     R"~(there must be "," or ")" here; got "+" at character 7 of "add(x + 1, y)"; arithmetic is written with ops, as in add(x, 1))~"},
    {"infix_alone", "x*y", kInvalidArgument,
     R"~(there must be nothing behind an expression; got "*y" at character 2 of "x*y"; arithmetic is written with ops, as in add(x, 1))~"},
    {"minus", "add(-x, y)", kInvalidArgument,
     R"~(a number must come here, of a size that a float64 has; got "-x" at character 5 of "add(-x, y)")~"},
    {"number_with_letters", "add(x, 3y)", kInvalidArgument,
     R"~(a number must come here, of a size that a float64 has; got "3y" at character 8 of "add(x, 3y)")~"},
    {"number_too_large", "add(x, 1e999)", kInvalidArgument,
     R"~(a number must come here, of a size that a float64 has; got "1e999" at character 8 of "add(x, 1e999)")~"},
    {"other_letters", "add(x, \xc3\xa9t\xc3\xa9)", kInvalidArgument,
     "a name, a number or a call of an op must come here; got \"\xc3\xa9t\xc3\xa9\" at character 8 of \"add(x, "
     "\xc3\xa9t\xc3\xa9)\""},
    {"nul", std::string("add(x,\0y)", 9), kInvalidArgument,
     R"~(a name, a number or a call of an op must come here; got "\x00y" at character 7 of "add(x,\x00y)")~"},
    {"axis_of_a_call", "add(abs(x)@1, y)", kInvalidArgument,
     R"~(there must be "," or ")" here; got "@" at character 11 of "add(abs(x)@1, y)")~"},
    {"axis_of_a_number", "add(inf@1, y)", kInvalidArgument,
     R"~(there must be "," or ")" here; got "@" at character 8 of "add(inf@1, y)")~"},
    {"no_axis", "add(x@, y)", kInvalidArgument,
     R"~(an axis must be a whole number from 0 on, or -1, which aligns right; got "," at character 7 of "add(x@, y)")~"},
    {"negative_axis", "add(x@-2, y)", kInvalidArgument,
     R"~(an axis must be a whole number from 0 on, or -1, which aligns right; got "-2" at character 7 of "add(x@-2, y)")~"},
    {"axis_name", "add(x@channels, y)", kInvalidArgument,
     R"~(an axis must be a whole number from 0 on, or -1, which aligns right; got "channels" at character 7 of "add(x@channels, y)")~"},
    {"axis_with_letters", "add(x@1st, y)", kInvalidArgument,
     R"~(an axis must be a whole number from 0 on, or -1, which aligns right; got "1st" at character 7 of "add(x@1st, y)")~"},
    {"axis_too_large", "add(x@9223372036854775808, y)", kInvalidArgument,
     R"~(an axis must be a whole number from 0 on, or -1, which aligns right; got "9223372036854775808" at character 7 of "add(x@9223372036854775808, y)")~"},
    {"two_axes", "add(x@1, multiply(y, x@2))", kInvalidArgument,
     R"~(an input must have the same axis wherever it occurs; got "x@1" and "x@2" at character 22 of "add(x@1, multiply(y, x@2))")~"},
    {"axis_once", "add(x@1, multiply(y, x))", kInvalidArgument,
     R"~(an input must have the same axis wherever it occurs; got "x@1" and "x" at character 22 of "add(x@1, multiply(y, x))")~"},
    {"axis_once_behind", "add(multiply(y, x), x@1)", kInvalidArgument,
     R"~(an input must have the same axis wherever it occurs; got "x" and "x@1" at character 21 of "add(multiply(y, x), x@1)")~"},
    {"no_such_op", "abs(ad(x, y))", kUnknownName, R"~(at character 5 of "abs(ad(x, y))": )~" + NoSuchOp("ad")},
    {"no_op", "(x)", kInvalidArgument, R"~(a name, a number or a call of an op must come here; got "(" at character 1 of "(x)")~"},
    {"gather", "abs(gather(x, y))", kUnsupported,
     R"~(the ops of an expression must be elementwise; gather is a call by itself; in "gather(x, y)" at character 5 of "abs(gather(x, y))")~"},
    {"gradient", "add_grad(x, y, z)", kUnsupported,
     R"~(the ops of an expression must be elementwise; add_grad is a call by itself; in "add_grad(x, y, z)")~"},
    {"attribute_without_name", "clip(x, 0, 6)", kInvalidArgument,
     R"~(clip takes 1 input, and attributes by name (min, max); got 3; in "clip(x, 0, 6)")~"},
    {"too_few", "abs(add(x))", kInvalidArgument, R"~(add takes 2 inputs; got 1; in "add(x)" at character 5 of "abs(add(x))")~"},
    {"too_many", "abs(x, y)", kInvalidArgument, R"~(abs takes 1 input; got 2; in "abs(x, y)")~"},
    {"none", "elementwise_add()", kInvalidArgument, R"~(elementwise_add takes 2 inputs; got 0; in "elementwise_add()")~"},
    {"attributes_alone", "clip(min=0)", kInvalidArgument,
     R"~(clip takes 1 input, and attributes by name (min, max); got 0; in "clip(min=0)")~"},
    {"attribute_of_another", "abs(clip(x, mn=0))", kUnknownName,
     R"~(there is no attribute of clip "mn"; did you mean min; there are: min, max; in "clip(x, mn=0)" at character 5 of "abs(clip(x, mn=0))")~"},
    {"attribute_of_none", "add(x, y, axis=1)", kUnknownName, R"~(add takes no attributes; got "axis"; in "add(x, y, axis=1)")~"},
    {"attribute_twice", "clip(x, min=0, min=1)", kInvalidArgument,
     R"~(attribute min is given twice: 0 and 1; in "clip(x, min=0, min=1)")~"},
    {"attribute_nan", "clip(x, min=nan)", kInvalidArgument, R"~(attribute min must be a number; got nan; in "clip(x, min=nan)")~"},
    {"attribute_word", "clip(x, min=low)", kInvalidArgument,
     R"~(a number must come here, of a size that a float64 has; got "low" at character 13 of "clip(x, min=low)")~"},
    {"attribute_nothing", "clip(x, min=)", kInvalidArgument,
     R"~(a number must come here, of a size that a float64 has; got ")" at character 13 of "clip(x, min=)")~"},
    {"attribute_first", "clip(min=0, x)", kInvalidArgument,
     R"~(behind an attribute only attributes may come, as in min=0; got "x" at character 13 of "clip(min=0, x)")~"},
    {"attribute_before_a_call", "clip(min=0, abs(x))", kInvalidArgument,
     R"~(behind an attribute only attributes may come, as in min=0; got "abs" at character 13 of "clip(min=0, abs(x))")~"},
    {"comma_behind_an_attribute", "clip(x, min=0,)", kInvalidArgument,
     R"~(behind an attribute only attributes may come, as in min=0; got ")" at character 15 of "clip(x, min=0,)")~"},
    {"numbers_alone", "add(1, abs(2))", kInvalidArgument,
     R"~(an expression must have an input; got numbers alone; in "add(1, abs(2))")~"},
    {"calls_33", Nested(33), kUnsupported, "an expression has at most 32 calls; got 33"},
    {"calls_100000", Nested(100000), kUnsupported, "an expression has at most 32 calls; got 100000"},
    {"inputs_33", ManyInputs(33), kUnsupported, "an expression has at most 31 inputs and numbers; got 33 inputs"},
    {"long_text", "add(" + std::string(150, 'x') + ", " + std::string(150, 'y') + " ?)", kInvalidArgument,
     "there must be \",\" or \")\" here; got \"?\" at character 308 of \"..." + std::string(79, 'y') + " ?)\""},
};

class ExpressionRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(ExpressionRefusal, SaysWhatAndWhere) {
  Expression expression;
  const Status status = Expression::Parse(GetParam().text, Registry::BuiltIn(), &expression);
  EXPECT_EQ(status.code(), GetParam().code);
  EXPECT_EQ(status.message(), "expression: " + GetParam().message);
  EXPECT_TRUE(expression.empty());
}
INSTANTIATE_TEST_SUITE_P(Table, ExpressionRefusal, testing::ValuesIn(kRefusals), [](const auto& row) { return row.param.name; });

TEST(ExpressionParse, KeepsWhatThereWasWhereTheTextIsRefused) {
  Expression expression;
  ASSERT_TRUE(Expression::Parse("add(x, y)", Registry::BuiltIn(), &expression).ok());
  EXPECT_FALSE(Expression::Parse("add(x, ", Registry::BuiltIn(), &expression).ok());
  EXPECT_STREQ(expression.text(), "add(x, y)");
  EXPECT_STREQ(Expression::Parse("add(x, y)", Registry::BuiltIn(), nullptr).message(),
               "expression: the pointer to the expression is null");
}

}  // namespace
}  // namespace axiscast
