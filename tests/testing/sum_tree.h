// The definition of core/sum_tree.h as plain recursion, for one sum at a time.
#ifndef AXISCAST_TESTS_TESTING_SUM_TREE_H_
#define AXISCAST_TESTS_TESTING_SUM_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axiscast/tensor.h"

namespace axiscast::test {

// Rule 2: at least one summand, at most 256.
template <typename A>
A SumOfBlock(const std::vector<A>& x) {
  std::vector<A> lanes(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() < 16 ? x.size() : 16));
  for (std::size_t i = 16; i < x.size(); ++i) lanes[i % 16] = static_cast<A>(lanes[i % 16] + x[i]);
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half && l + half < lanes.size(); ++l) lanes[l] = static_cast<A>(lanes[l] + lanes[l + half]);
  }
  return lanes[0];
}

// Rule 3.
template <typename A>
A SumOfGroup(const std::vector<A>& x) {
  if (x.size() <= 256) return SumOfBlock(x);
  std::size_t left = 256;
  while (2 * left < x.size()) left *= 2;
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(left);
  return static_cast<A>(SumOfGroup(std::vector<A>(x.begin(), middle)) + SumOfGroup(std::vector<A>(middle, x.end())));
}

// Rule 1, from the outermost dim that is left. `at(index)` gives a summand; index holds the kept dims' places.
template <typename A, class At>
A SumOfDims(const std::vector<std::int64_t>& shape, const std::vector<bool>& summed, std::size_t d,
            std::vector<std::int64_t>& index, const At& at) {
  while (d < shape.size() && (!summed[d] || shape[d] == 1)) ++d;
  if (d == shape.size()) return at(index);
  std::size_t end = d;  // of the group
  while (end < shape.size() && (summed[end] || shape[end] == 1)) ++end;
  std::int64_t count = 1;
  for (std::size_t i = d; i < end; ++i) count *= shape[i];
  std::vector<A> sums;
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t left = n;
    for (std::size_t i = end; i-- > d; left /= shape[i]) index[i] = left % shape[i];
    sums.push_back(SumOfDims<A>(shape, summed, end, index, at));
  }
  return SumOfGroup(sums);
}

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_SUM_TREE_H_
