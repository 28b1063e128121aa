// Which names are offered for one that does not exist.
#include "core/near_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace axiscast {
namespace {

struct NearCase {
  const char* name;
  std::string wrong;
  std::vector<std::string_view> names;
  std::string text;
};

void PrintTo(const NearCase& c, std::ostream* stream) { *stream << c.name; }

const NearCase kNearCases[] = {
    {"letter_missing", "maxmum", {"minimum", "add", "maximum"}, "did you mean maximum; there are: maximum, minimum, add"},
    {"letter_added", "addd", {"sub", "add"}, "did you mean add; there are: add, sub"},
    {"letter_wrong", "nunpy", {"axis", "numpy"}, "did you mean numpy; there are: numpy, axis"},
    {"letters_swapped", "asb", {"sqrt", "abs"}, "did you mean abs; there are: abs, sqrt"},
    {"case_does_not_count", "AVX_2", {"SSE2", "AVX2"}, "did you mean AVX2; there are: AVX2, SSE2"},
    {"underscores_do_not_count",
     "floordiv",
     {"floor", "add", "floor_divide"},
     "did you mean floor, floor_divide; there are: floor, floor_divide, add"},
    {"beginning", "onnx", {"none", "onnx_legacy"}, "did you mean onnx_legacy; there are: onnx_legacy, none"},
    {"begins_with_it", "add_numbers", {"sub", "add"}, "did you mean add; there are: add, sub"},
    {"contained", "legacy", {"numpy", "onnx_legacy"}, "did you mean onnx_legacy; there are: onnx_legacy, numpy"},
    {"contains_it", "elementwise_maximum", {"add", "maximum"}, "did you mean maximum; there are: maximum, add"},
    {"nearest_first",
     "less",
     {"less_equal", "lest", "loss", "greater"},
     "did you mean lest, loss, less_equal; there are: lest, loss, less_equal, greater"},
    {"none_is_near", "diagonal", {"numpy", "axis"}, "there are: numpy, axis"},
    {"all_letters_differ", "x", {"y", "z"}, "there are: y, z"},
    {"short_names_are_not_near", "abs", {"add", "gcd"}, "there are: add, gcd"},
    {"empty", "", {"a", "b"}, "there are: a, b"},
    {"very_long", std::string(100000, 'a'), {"a", "aa"}, "there are: a, aa"},
    {"nothing_exists", "add", {}, "there are none"},
    {"at_most_five",
     "is",
     {"is1", "is2", "is3", "is4", "is5", "is6"},
     "did you mean is1, is2, is3, is4, is5; there are: is1, is2, is3, is4, is5, is6"},
};

class Near : public ::testing::TestWithParam<NearCase> {};

TEST_P(Near, NamesComeFirst) { EXPECT_EQ(NearNames(GetParam().wrong, GetParam().names), GetParam().text); }

INSTANTIATE_TEST_SUITE_P(Table, Near, ::testing::ValuesIn(kNearCases), [](const auto& i) { return i.param.name; });

TEST(UnknownName, RepeatsTheName) {
  const Status status = UnknownName("target", "AVX9", {"AVX2", "SSE2"});
  EXPECT_EQ(status.code(), StatusCode::kUnknownName);
  EXPECT_STREQ(status.message(), "there is no target \"AVX9\"; did you mean AVX2; there are: AVX2, SSE2");
}

TEST(UnknownName, WritesControlCharactersAsText) {
  const Status status = UnknownName("op", std::string_view("a\0b\n", 4), {"add"});
  EXPECT_STREQ(status.message(), "there is no op \"a\\x00b\\x0a\"; there are: add");
}

}  // namespace
}  // namespace axiscast
