// The patterns that matter, as a table: ops, dtypes, shapes and layouts.
#ifndef AXISCAST_BENCH_PATTERNS_H_
#define AXISCAST_BENCH_PATTERNS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "bench/roof_kernels.h"

namespace axiscast::bench {

inline constexpr std::int64_t kFree = -1;  // the extent that sets the size

// Of the first input, the last one or the output; the others are dense.
enum class Layout {
  kDense,
  kInPlace,
  kTransposedLast,
  kStepTwoFirst,
  kStepTwoOutput,
  kPaddedFirst,        // rows that are a part of rows one element longer, as colours without alpha
  kReversedFirst,      // the last dim, as BGR
  kChannelsLastFirst,  // (N, C, ...) that lies as (N, ..., C)
  kSplitHeadsFirst,    // (N, heads, queries, width) that lies as (N, queries, heads, width)
};

struct Pattern {
  std::string name;
  std::vector<Shape> inputs;              // without a free extent, the pattern has one size
  const char* ops = "add";                // several in sequence: the later ones take the result so far and the next input
  const char* dtype = "float32";          // of the data; not of where's condition and of less's result
  std::optional<std::int64_t> axis = {};  // where inputs of lower rank are anchored
  Layout layout = Layout::kDense;
  Arithmetic arithmetic = Arithmetic::kNone;   // what may take longer than the bytes
  const char* roof = "bytes";                  // what the roof is made of, for people
  bool scalar_loop = false;                    // is compared with what one writes without a library
  bool always = false;                         // is measured without --patterns too
  std::vector<const char*> other_dtypes = {};  // has rows for these too
};

// A new dtype's rows are one word here. A build that lacks a dtype leaves its rows out and says so.
inline const std::vector<const char*> kEveryOtherDType = {"int8", "int16", "int64", "float64", "float16", "bfloat16"};

// Of the 16-bit floats, conversions may take longer than the bytes.
void SetConversions(Pattern* pattern);

// The table, with a row for each dtype: same_shape, same_shape_int8, ...
const std::vector<Pattern>& Patterns();

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_PATTERNS_H_
