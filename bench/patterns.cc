// The table of patterns.
#include "bench/patterns.h"

#include <cstring>

namespace axiscast::bench {
namespace {

constexpr const char* kTwiceOrDivision = "bytes, divisor's twice, or exact quotients behind its check";
constexpr const char* kOrConversion = "bytes or conversions";
constexpr const char* kOrComparison = "bytes or comparisons";
constexpr const char* kOrDivision = "bytes or divisions";
constexpr const char* kOrRemainder = "bytes or exact remainders";
constexpr const char* kOrChain = "bytes or the four ops";
constexpr const char* kOrSquareRoot = "bytes or square roots";

const std::vector<Pattern> kTable = {
    {.name = "same_shape", .inputs = {{kFree}, {kFree}}, .always = true, .other_dtypes = kEveryOtherDType},
    {.name = "in_place", .inputs = {{kFree}, {kFree}}, .layout = Layout::kInPlace, .always = true},
    {.name = "scalar", .inputs = {{kFree}, {}}, .always = true, .other_dtypes = kEveryOtherDType},

    // Rows, short and long.
    {.name = "inner_3", .inputs = {{kFree, 3}, {3}}, .scalar_loop = true, .always = true, .other_dtypes = kEveryOtherDType},
    {.name = "inner_4", .inputs = {{kFree, 4}, {4}}, .scalar_loop = true, .always = true},
    {.name = "inner_7", .inputs = {{kFree, 7}, {7}}, .scalar_loop = true, .always = true},
    {.name = "row_bias_16", .inputs = {{kFree, 16}, {16}}},
    {.name = "row_bias_64", .inputs = {{kFree, 64}, {64}}, .always = true, .other_dtypes = kEveryOtherDType},
    {.name = "row_bias_1000", .inputs = {{kFree, 1000}, {1000}}, .always = true},
    {.name = "row_bias_16384", .inputs = {{kFree, 16384}, {16384}}},  // longer than L1: embeddings of positions
    {.name = "column_3", .inputs = {{kFree, 3}, {kFree, 1}}, .scalar_loop = true, .always = true, .other_dtypes = kEveryOtherDType},
    {.name = "column_7", .inputs = {{kFree, 7}, {kFree, 1}}, .ops = "multiply"},

    // NCHW with a value for each channel.
    {.name = "channel_56x56", .inputs = {{kFree, 8, 56, 56}, {8}}, .axis = 1, .always = true},
    {.name = "channel_14x14", .inputs = {{kFree, 64, 14, 14}, {64}}, .axis = 1, .always = true},
    {.name = "channel_7x7", .inputs = {{kFree, 64, 7, 7}, {64}}, .axis = 1, .always = true, .other_dtypes = kEveryOtherDType},
    {.name = "channel_2x2", .inputs = {{kFree, 64, 2, 2}, {64}}, .axis = 1, .always = true},
    {.name = "channel_1x1", .inputs = {{kFree, 64, 1, 1}, {64}}, .axis = 1},

    // Attention: batch, heads, queries, keys.
    {.name = "mask_of_batch", .inputs = {{kFree, 12, 64, 64}, {kFree}}, .axis = 0},
    {.name = "mask_of_heads", .inputs = {{kFree, 12, 64, 64}, {12}}, .axis = 1},
    {.name = "mask_of_keys", .inputs = {{kFree, 12, 64, 64}, {kFree, 1, 1, 64}}, .always = true},
    {.name = "mask_of_pairs", .inputs = {{kFree, 12, 64, 64}, {64, 64}}, .always = true, .other_dtypes = kEveryOtherDType},

    // Both operands stretched, odd layouts.
    {.name = "two_sided", .inputs = {{kFree, 1, 128}, {1, 256, 1}}},
    {.name = "pairs_3", .inputs = {{kFree, 1}, {1, 3}}, .always = true, .other_dtypes = {"int8"}},
    {.name = "outer_product", .inputs = {{kFree, 1}, {512}}, .ops = "multiply", .always = true},
    {.name = "transposed", .inputs = {{kFree, 256}, {kFree, 256}}, .layout = Layout::kTransposedLast, .always = true},
    {.name = "transposed_256", .inputs = {{256, 256}, {256, 256}}, .layout = Layout::kTransposedLast},
    {.name = "transposed_2048", .inputs = {{2048, 2048}, {2048, 2048}}, .layout = Layout::kTransposedLast},
    {.name = "step_2_input", .inputs = {{kFree}, {kFree}}, .layout = Layout::kStepTwoFirst, .always = true},
    {.name = "step_2_output", .inputs = {{kFree}, {kFree}}, .layout = Layout::kStepTwoOutput, .always = true},
    {.name = "padded_3",
     .inputs = {{kFree, 3}, {kFree, 3}},
     .layout = Layout::kPaddedFirst,
     .always = true,
     .other_dtypes = {"int8"}},
    {.name = "reversed_3", .inputs = {{kFree, 3}, {kFree, 3}}, .layout = Layout::kReversedFirst, .other_dtypes = {"int8"}},
    {.name = "channels_last_3",
     .inputs = {{kFree, 3, 64}, {kFree, 3, 64}},
     .layout = Layout::kChannelsLastFirst,
     .always = true,
     .other_dtypes = {"int8"}},
    {.name = "split_heads",
     .inputs = {{kFree, 4, 16, 64}, {kFree, 4, 16, 64}},
     .layout = Layout::kSplitHeadsFirst,
     .other_dtypes = {"int8"}},
    {.name = "middle_3x4", .inputs = {{kFree, 3, 4}, {kFree, 1, 4}}},
    {.name = "middle_3x16", .inputs = {{kFree, 3, 16}, {kFree, 1, 16}}},
    {.name = "middle_25x3", .inputs = {{kFree, 25, 3}, {kFree, 1, 3}}},                                // groups of 75 vectors
    {.name = "middle_2x185", .inputs = {{kFree, 1, 185}, {kFree, 2, 185}}, .other_dtypes = {"int8"}},  // rows that begin anywhere
    {.name = "anchored_3x4", .inputs = {{kFree, 3, 4, 5}, {3, 4}}, .axis = 1, .scalar_loop = true, .always = true},

    // Other ops. The condition of where is true everywhere: vector code takes its time regardless.
    {.name = "less", .inputs = {{kFree}, {kFree}}, .ops = "less", .arithmetic = Arithmetic::kCompareFloat32, .roof = kOrComparison},
    {.name = "less_scalar",
     .inputs = {{kFree}, {}},
     .ops = "less",
     .arithmetic = Arithmetic::kCompareFloat32,
     .roof = kOrComparison},
    {.name = "where", .inputs = {{kFree}, {kFree}, {kFree}}, .ops = "where"},
    {.name = "where_mask_of_pairs", .inputs = {{64, 64}, {kFree, 12, 64, 64}, {}}, .ops = "where"},
    {.name = "divide",
     .inputs = {{kFree}, {kFree}},
     .ops = "divide",
     .arithmetic = Arithmetic::kDivideFloat32,
     .roof = kOrDivision},
    {.name = "divide_row_64",
     .inputs = {{kFree, 64}, {64}},
     .ops = "divide",
     .arithmetic = Arithmetic::kDivideFloat32,
     .roof = kOrDivision},
    {.name = "divide_float64",
     .inputs = {{kFree}, {kFree}},
     .ops = "divide",
     .dtype = "float64",
     .arithmetic = Arithmetic::kDivideFloat64,
     .roof = kOrDivision},
    {.name = "sqrt", .inputs = {{kFree}}, .ops = "sqrt", .arithmetic = Arithmetic::kSquareRootFloat32, .roof = kOrSquareRoot},
    {.name = "remainder_float32",
     .inputs = {{kFree}, {kFree}},
     .ops = "remainder",
     .arithmetic = Arithmetic::kRemainderFloat32,
     .roof = kOrRemainder},
    {.name = "floor_divide_int32",
     .inputs = {{kFree}, {kFree}},
     .ops = "floor_divide",
     .dtype = "int32",
     .arithmetic = Arithmetic::kDivideInt32,
     .roof = kTwiceOrDivision},
    {.name = "floor_divide_int32_scalar",
     .inputs = {{kFree}, {}},
     .ops = "floor_divide",
     .dtype = "int32",
     .arithmetic = Arithmetic::kDivideInt32ByOne,
     .roof = kTwiceOrDivision},
    {.name = "remainder_int32",
     .inputs = {{kFree}, {kFree}},
     .ops = "remainder",
     .dtype = "int32",
     .arithmetic = Arithmetic::kDivideInt32,
     .roof = kTwiceOrDivision},

    // Four ops in one pass: bias, scale, residual, relu.
    {.name = "chain_4",
     .inputs = {{kFree, 64, 14, 14}, {64}, {64}, {kFree, 64, 14, 14}, {}},
     .ops = "add multiply add maximum",
     .axis = 1,
     .arithmetic = Arithmetic::kChainFloat32,
     .roof = kOrChain},
    {.name = "chain_4_rows",
     .inputs = {{kFree, 256}, {256}, {256}, {kFree, 256}, {}},
     .ops = "add multiply add maximum",
     .arithmetic = Arithmetic::kChainFloat32,
     .roof = kOrChain},
};

}  // namespace

void SetConversions(Pattern* pattern) {
  if (std::strcmp(pattern->dtype, "float16") == 0) {
    const bool adds = std::strcmp(pattern->ops, "add") == 0 || std::strcmp(pattern->ops, "subtract") == 0;
    pattern->arithmetic = adds ? Arithmetic::kAddFloat16 : Arithmetic::kAnyOpFloat16;
  } else if (std::strcmp(pattern->dtype, "bfloat16") == 0) {
    pattern->arithmetic = Arithmetic::kAddBFloat16;
  } else {
    return;
  }
  pattern->roof = kOrConversion;
}

const std::vector<Pattern>& Patterns() {
  static const std::vector<Pattern> all = [] {
    std::vector<Pattern> rows;
    for (const Pattern& pattern : kTable) {
      rows.push_back(pattern);
      for (const char* dtype : pattern.other_dtypes) {
        Pattern other = pattern;
        other.name += std::string("_") + dtype;
        other.dtype = dtype;
        SetConversions(&other);
        other.scalar_loop = other.always = false;
        other.other_dtypes = {dtype};
        rows.push_back(other);
      }
    }
    return rows;
  }();
  return all;
}

}  // namespace axiscast::bench
