// Plans of two inputs of which one or both have their elements elsewhere: one is permuted, and what is chosen for the two together.
// Expected are the sums of a naive walk.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

using Extents = std::vector<std::int64_t>;

struct Pair {
  const char* name;
  Extents shape;
  Extents x_strides, y_strides;  // elements
};
void PrintTo(const Pair& pair, std::ostream* os) { *os << pair.name; }

const Pair kPairs[] = {
    {"channels_last_and_pixels", {256, 3, 64}, {192, 1, 3}, {0, 64, 1}},
    {"channels_last_and_channels", {256, 3, 64}, {192, 1, 3}, {0, 1, 0}},
    {"channels_last_and_one_image_of_them", {256, 3, 64}, {192, 1, 3}, {0, 1, 3}},
    {"both_channels_last", {256, 3, 64}, {192, 1, 3}, {192, 1, 3}},
    {"channels_last_and_images", {256, 3, 64}, {192, 1, 3}, {1, 0, 0}},
    {"channels_last_backwards_and_pixels", {256, 3, 64}, {192, 1, -3}, {0, 64, 1}},
    {"channels_last_of_two_vectors_and_pixels", {100, 3, 128}, {384, 1, 3}, {0, 128, 1}},
    {"two_rows_of_channels_last", {2, 50, 3, 64}, {10'000, 192, 1, 3}, {0, 0, 64, 1}},
    {"reversed_and_row", {700, 3}, {3, -1}, {0, 1}},
    {"reversed_and_column", {700, 3}, {3, -1}, {1, 0}},
    {"padded_8_and_row", {700, 8}, {9, 1}, {0, 1}},
    {"padded_4_and_row_backwards", {700, 4}, {5, 1}, {0, -1}},
    {"two_of_three_and_square", {700, 2, 2}, {3, 1, 1}, {0, 2, 1}},
    {"column_and_row", {700, 3}, {1, 0}, {0, 1}},
    {"column_and_long_row", {300, 49}, {1, 0}, {0, 1}},
    {"padded_5_and_row", {409, 5}, {6, 1}, {0, 1}},  // rows of one group each, whose vectors go on in the next one
    {"reversed_8_and_row", {255, 8}, {8, -1}, {0, 1}},
    {"reversed_9_and_square", {121, 3, 9}, {27, 9, -1}, {0, 9, 1}},
    {"reversed_6_and_one_value", {45, 48, 6}, {288, 6, -1}, {0, 0, 0}},
    {"reversed_6_and_one_value_for_48", {45, 48, 6}, {288, 6, -1}, {1, 0, 0}},
    {"channels_last_6_and_one_value", {182, 6, 3}, {18, 1, 6}, {0, 0, 0}},
    {"one_value_and_padded_3", {700, 3}, {0, 0}, {4, 1}},
    {"five_dims_of_cols", {132, 2, 2, 5, 9}, {18, 0, 9, 0, 1}, {0, 90, 45, 9, 1}},
    {"fewer_cols_than_a_group", {17, 45, 33}, {33, 0, 1}, {1485, 33, 1}},
    {"fewer_cols_than_a_group_of_two_vectors", {17, 20, 45}, {45, 0, 1}, {900, 45, 1}},
    // The other one by way of scratch, for itself.
    {"reversed_8_and_column", {1613, 5, 8}, {40, 8, -1}, {5, 1, 0}},
    {"row_for_each_and_column", {210, 76, 5}, {5, 0, 1}, {0, 1, 0}},
    {"channels_last_15_and_column", {20, 97, 15}, {1455, 1, 97}, {97, 1, 0}},
    {"pairs_backwards_and_pairs", {85, 256, 2, 2}, {512, 2, -1, 0}, {0, 2, 0, 1}},
    {"short_runs_again_for_many", {16, 18, 10}, {180, 10, 1}, {10, 0, 1}},
};

class PermutedPlan : public ::testing::TestWithParam<Pair> {};

// Of x or y, as large as its strides say, and element [0, ..., 0] where none lies before the first.
template <typename T>
struct Memory {
  Memory(const Extents& shape, const Extents& strides, int seed) {
    std::int64_t high = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) (strides[d] < 0 ? low : high) += strides[d] * (shape[d] - 1);
    for (std::int64_t i = low; i <= high; ++i) elements.push_back(static_cast<T>(seed + 7 * i % 101));
  }
  const T* origin() const { return elements.data() - low; }

  std::int64_t low = 0;
  std::vector<T> elements;
};

template <typename T>
void ExpectSums(const Pair& pair, const Memory<T>& x, const Memory<T>& y, const std::vector<T>& out) {
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(out.size()); ++i) {
    std::int64_t left = i, from_x = 0, from_y = 0;
    for (std::size_t d = pair.shape.size(); d-- > 0; left /= pair.shape[d]) {
      from_x += left % pair.shape[d] * pair.x_strides[d];
      from_y += left % pair.shape[d] * pair.y_strides[d];
    }
    const T expected = static_cast<T>(x.origin()[from_x] + y.origin()[from_y]);
    ASSERT_EQ(out[static_cast<std::size_t>(i)], expected) << "element " << i << " of " << sizeof(T) << " bytes";
  }
}

template <typename T>
void Check(const Pair& pair) {
  const Shape shape(pair.shape.data(), static_cast<int>(pair.shape.size()));
  Memory<T> x(pair.shape, pair.x_strides, 3), y(pair.shape, pair.y_strides, 50);
  const auto bytes = [&](const Extents& strides) {
    ByteStrides result = DenseStrides(shape, kDTypeOf<T>);
    for (std::size_t d = 0; d < strides.size(); ++d)
      result[static_cast<int>(d)] = strides[d] * static_cast<std::int64_t>(sizeof(T));
    return result;
  };
  std::int64_t count = 1;
  for (const std::int64_t extent : pair.shape) count *= extent;
  std::vector<T> out(static_cast<std::size_t>(count));
  Plan plan;
  const Status status = Plan::Make(*FindOp("add"),
                                   {TensorView(x.origin(), kDTypeOf<T>, shape, bytes(pair.x_strides)),
                                    TensorView(y.origin(), kDTypeOf<T>, shape, bytes(pair.y_strides))},
                                   MutableTensorView(out.data(), shape), {}, &plan);
  ASSERT_TRUE(status.ok()) << status.message();
  for (const StorePolicy stores : {StorePolicy::kCached, StorePolicy::kStream}) {
    std::fill(out.begin(), out.end(), T{});
    ASSERT_TRUE(plan.Execute({x.origin(), y.origin()}, out.data(), {.stores = stores}).ok());
    ExpectSums(pair, x, y, out);
  }
}

TEST_P(PermutedPlan, AddsWhatANaiveWalkAdds) {
  Check<std::int8_t>(GetParam());
  Check<std::int16_t>(GetParam());
  Check<float>(GetParam());
  Check<double>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, PermutedPlan, ::testing::ValuesIn(kPairs), [](const auto& pair) { return pair.param.name; });

}  // namespace
}  // namespace axiscast
