// The broadcast patterns that matter, as a table: out = x + y in float32 with one free extent, which sets the size.
#ifndef AXISCAST_BENCH_PATTERNS_H_
#define AXISCAST_BENCH_PATTERNS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "bench/roof.h"

namespace axiscast::bench {

inline constexpr std::int64_t kFree = -1;  // the extent that sets the size

enum class Layout { kDense, kInPlace, kTransposedY, kStepTwoX, kStepTwoOut };

// What is expected of a pattern.
enum class Goal {
  kNone,
  kRoof,    // a stated part of the roof, at every size and number of threads
  kScalar,  // a stated multiple of a scalar loop's speed
};

struct Pattern {
  const char* name;
  Shape x, y;
  std::optional<std::int64_t> axis = std::nullopt;
  Goal goal = Goal::kNone;
  Layout layout = Layout::kDense;
};

extern const std::vector<Pattern> kPatterns;

// A pattern with its size chosen, laid out in memory.
struct Problem {
  std::string text;  // "(1023,64)+(64)"
  TensorView x, y;
  MutableTensorView out;
  std::optional<std::int64_t> axis;
  std::int64_t unique_bytes;
  Traffic traffic;
};

// With about so many bytes in all, or with exactly this extent. `memory` must hold three times the bytes.
Problem MakeProblem(const Pattern& pattern, std::int64_t bytes, std::byte* memory);
Problem MakeProblemWithExtent(const Pattern& pattern, std::int64_t extent, std::byte* memory);

// What one writes without a library: a counter for the outer dims, a loop with strides over the innermost one.
class ScalarLoop {
 public:
  explicit ScalarLoop(const Problem& problem);
  void Run() const;

 private:
  TensorView x_, y_;  // stretched to out's shape
  MutableTensorView out_;
};

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_PATTERNS_H_
