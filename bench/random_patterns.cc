// Draws patterns.
#include "bench/random_patterns.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace axiscast::bench {
namespace {

constexpr std::int64_t kMostInner = 1500;  // elements behind the free dim, so that L1 holds several of them

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  // Not std::uniform_int_distribution, whose numbers are each library's own.
  std::int64_t In(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool Chance(int percent) { return In(1, 100) <= percent; }
  template <typename T>
  T Of(std::initializer_list<T> values) {
    return values.begin()[In(0, static_cast<std::int64_t>(values.size()) - 1)];
  }

 private:
  std::mt19937_64 random_;
};

std::int64_t DrawExtent(Draw& draw) {
  if (draw.Chance(40)) return draw.In(2, 9);
  if (draw.Chance(60)) return draw.In(10, 100);
  return draw.Of<std::int64_t>({8, 16, 32, 64, 128, 256, 512});
}

// Inner dims of two inputs, each stretched here and there, behind a free one that only the second input may lack.
void DrawShapes(Draw& draw, Pattern* pattern) {
  Shape x{kFree}, y{draw.Chance(55) ? kFree : 1};
  const std::int64_t rank = draw.In(1, 4);
  std::int64_t inner = 1;
  for (std::int64_t d = 0; d < rank; ++d) {
    const std::int64_t extent = std::min(DrawExtent(draw), kMostInner / inner);
    if (extent < 2) break;
    inner *= extent;
    const std::int64_t who = draw.In(1, 100);  // stretches
    x.push_back(who > 90 ? 1 : extent);
    y.push_back(who <= 40 ? 1 : extent);
  }
  pattern->inputs = {x, y};
}

Layout DrawLayout(Draw& draw, const Pattern& pattern) {
  const Shape &x = pattern.inputs[0], &y = pattern.inputs[1];
  const bool same = x == y;
  if (draw.Chance(60)) return Layout::kDense;
  if (x.rank() == 2 && same && draw.Chance(40)) return Layout::kTransposedLast;
  if (x.rank() == 3 && draw.Chance(40)) return Layout::kChannelsLastFirst;
  if (x.rank() == 4 && draw.Chance(40)) return Layout::kSplitHeadsFirst;
  return draw.Of({Layout::kPaddedFirst, Layout::kReversedFirst, Layout::kStepTwoFirst, Layout::kDense});
}

}  // namespace

std::vector<Pattern> RandomPatterns(int count, std::uint64_t seed) {
  std::vector<Pattern> patterns;
  for (int i = 0; i < count; ++i) {
    Draw draw(seed * 1'000'000 + static_cast<std::uint64_t>(i));
    Pattern pattern;
    pattern.name = "random_" + std::to_string(seed) + "_" + std::to_string(i);
    DrawShapes(draw, &pattern);
    pattern.layout = DrawLayout(draw, pattern);
    pattern.ops = draw.Of({"add", "add", "multiply", "maximum", "subtract"});
    if (draw.Chance(50)) pattern.dtype = draw.Of({"int8", "int16", "int64", "float64", "float16", "bfloat16"});
    SetConversions(&pattern);
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

}  // namespace axiscast::bench
