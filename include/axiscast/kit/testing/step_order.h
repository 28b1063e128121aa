// Orders of a permuted input's elements, and the Permutation of each, made in the plainest way.
#ifndef AXISCAST_KIT_TESTING_STEP_ORDER_H_
#define AXISCAST_KIT_TESTING_STEP_ORDER_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "axiscast/kernel.h"

namespace axiscast::testing {

/// Col j of step s is element s * pitch + places[j] of a row.
struct StepOrder {
  std::int64_t pitch = 0;
  std::vector<std::int64_t> places;
  std::int64_t run = 1;     // vectors of each of the runs that places are, of parts that may share
  bool on_vectors = false;  // parts begin whole vectors behind the group
  std::int64_t times = 1;   // as many steps in a group as need be, so many times

  std::int64_t Element(std::int64_t col) const {
    const auto cols = static_cast<std::int64_t>(places.size());
    return col / cols * pitch + places[static_cast<std::size_t>(col % cols)];
  }
  /// From the first one to behind the last one that so many cols read: whole steps.
  std::int64_t Elements(std::int64_t cols) const {
    return (cols / static_cast<std::int64_t>(places.size()) - 1) * pitch + *std::max_element(places.begin(), places.end()) + 1;
  }
  std::string Text() const {
    std::string text = "steps of ";
    text.append(std::to_string(pitch)).append(":");  // gcc 12 sees an overlap in what operator+ does
    for (const std::int64_t place : places) text.append(" ").append(std::to_string(place));
    return text;
  }
};

/// For kernels of so many lanes. The order must be one that kernels take: parts in four vectors at most, and small gaps.
inline Permutation PermutationOf(const StepOrder& order, std::int64_t lanes, std::int64_t size) {
  const auto cols = static_cast<std::int64_t>(order.places.size());
  const std::int64_t steps = lanes / std::gcd(lanes, cols) * order.times, count = steps * cols;
  Permutation p = {};
  p.step_cols = cols;
  p.step_bytes = order.pitch * size;
  p.reach = order.Elements(cols) * size;
  p.stride = steps * p.step_bytes;
  p.parts = static_cast<std::int32_t>(count / lanes);
  p.lanes = static_cast<std::int32_t>(lanes);
  std::int64_t first = order.Element(0), last = first;
  for (std::int64_t q = 0; q < count; ++q) {
    first = std::min(first, order.Element(q));
    last = std::max(last, order.Element(q));
  }
  const auto range = [&](std::int64_t part) {
    std::int64_t low = order.Element(part * lanes), high = low;
    for (std::int64_t q = part * lanes; q < (part + 1) * lanes; ++q) {
      low = std::min(low, order.Element(q));
      high = std::max(high, order.Element(q));
    }
    return std::pair(low, high);
  };
  p.vectors = last - first < lanes ? 1 : 2;
  for (std::int64_t part = 0; part < p.parts; ++part) {
    if (const auto [low, high] = range(part); p.vectors > 1 && high - low >= 2 * lanes) p.vectors = 4;
  }
  p.clusters = 1;
  std::int64_t end = 0;
  // The first vectors of each run, which parts of vectors of 64 bytes may share.
  const std::int64_t shared = p.parts / order.run;
  std::int64_t low = order.Element(0), high = low;
  for (std::int64_t q = 0; q < count; ++q) {
    if (q / lanes % order.run != 0) continue;
    low = std::min(low, order.Element(q));
    high = std::max(high, order.Element(q));
  }
  const bool few = lanes * size == kSharedBytes && shared >= 2 && shared <= kMaxSharing;
  const std::int64_t cluster_step = order.run > 1 ? order.Element(lanes) - order.Element(0) : 0;
  const std::int64_t shared_end = low + 3 * lanes + std::max<std::int64_t>(cluster_step, 0) * (order.run - 1);
  const bool shares = order.pitch > 0 && few && p.vectors > 1 && high - low >= 2 * lanes && high - low < 3 * lanes &&
                      (order.run == 1 || shared_end <= order.Elements(count));
  if (shares) {
    p.vectors = 3;
    p.parts = static_cast<std::int32_t>(shared);
    p.clusters = static_cast<std::int32_t>(order.run);
    p.cluster_bytes = cluster_step * size;
    for (std::int64_t part = 0; part < p.parts; ++part) {
      p.at[part] = low * size;
      for (std::int64_t q = 0; q < lanes; ++q) {
        p.from[part * lanes + q] = static_cast<std::uint8_t>(order.Element(part * order.run * lanes + q) - low);
      }
    }
    end = shared_end;
  }
  for (std::int64_t part = 0; part < p.parts && !shares; ++part) {
    std::int64_t at = p.vectors == 1 ? first : range(part).first;
    if (order.on_vectors) at -= (at - first) % lanes;
    p.at[part] = at * size;
    for (std::int64_t q = part * lanes; q < (part + 1) * lanes; ++q) p.from[q] = static_cast<std::uint8_t>(order.Element(q) - at);
    end = std::max(end, at + p.vectors * lanes);
  }
  for (std::int64_t part = p.parts; p.parts <= kFewParts && part < kFewParts + 2; ++part) {
    p.at[part] = p.at[part - p.parts];
    std::copy_n(p.from + (part - p.parts) * lanes, lanes, p.from + part * lanes);
  }
  p.slides = p.vectors == 2 && p.parts > 1 && p.parts <= kMaxSharing;
  for (int part = 1; p.slides && part < p.parts; ++part) p.slides = p.at[part] == p.at[part - 1] + lanes * size;
  while (order.pitch > 0 && order.Elements(count + p.slack) < end) p.slack += cols;
  return p;
}

/// Orders of all kinds, that kernels of so many lanes take.
inline std::vector<StepOrder> OrdersFor(std::int64_t lanes) {
  std::vector<StepOrder> orders;
  for (const std::int64_t repeat : {2, 3, 4, 5, 6, 7, 8, 9, 13, 33}) {  // of so many parts, or fewer
    orders.push_back({1, std::vector<std::int64_t>(static_cast<std::size_t>(repeat), 0)});
  }
  orders.push_back({1, {2, 2}});
  orders.push_back({3, {2, 1, 0}});
  orders.push_back({4, {0, 1, 2}});
  orders.push_back({4, {0, 1, 2}, 1, true});  // parts slide, in vectors that are long enough
  orders.push_back({4, {3, 1, 2}});
  orders.push_back({2, {0}});
  orders.push_back({2, {1}});
  orders.push_back({7, {0, 6, 1, 5, 2, 4, 3}});
  orders.push_back({4, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}});
  orders.push_back({2, {1, 1, 0, 0, 1}});
  orders.push_back({3, {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}});
  orders.push_back({10, {0, 1, 2, 3, 4, 5, 6, 7, 8}});
  StepOrder centres = {3, {}};  // of 25 points each: 75 parts
  for (std::int64_t col = 0; col < 75; ++col) centres.places.push_back(col % 3);
  orders.push_back(centres);
  orders.push_back({3, {0}});
  orders.push_back({4, {1}});
  orders.push_back({20, {0, 4, 8, 12, 16, 1, 5, 9, 13, 17, 2, 6, 10, 14, 18, 3, 7, 11, 15, 19}});
  if (lanes >= 4) {
    orders.push_back({3, {0, 2}});
    // Groups of two, four, six and eight parts, from one vector, two, and three that they share.
    const std::vector<std::int64_t> six_times(6, 0), eight_times(8, 0);
    for (const std::int64_t times : {2, 4, 8}) orders.push_back({1, {0, 0}, 1, false, times});
    orders.push_back({1, six_times, 1, false, 2});
    orders.push_back({1, eight_times, 1, false, 8});
    orders.push_back({5, {0, 1, 2, 3}, 1, true, 4});
    orders.push_back({9, {0, 1, 2, 3, 4, 5, 6, 7}, 1, true, 2});
    orders.push_back({3, {0, 1, 1, 2}, 1, false, 4});
  }
  // Channels that are last, of one vector each and of two, forwards and backwards, and with an element between steps.
  for (const std::int64_t run : {1, 2}) {
    const std::int64_t pixels = run * lanes;
    StepOrder channels = {3 * pixels, {}, run};
    for (std::int64_t col = 0; col < 3 * pixels; ++col) channels.places.push_back(col % pixels * 3 + col / pixels);
    orders.push_back(channels);
    std::reverse(channels.places.begin(), channels.places.end());
    ++channels.pitch;
    orders.push_back(channels);
    channels.places.resize(static_cast<std::size_t>(2 * pixels));  // two of the three, which end earlier
    orders.push_back(channels);
  }
  for (const std::vector<std::int64_t>& places :
       std::vector<std::vector<std::int64_t>>{{0, 1, 2},
                                              {0, 1, 2, 3},
                                              {0, 1, 2, 3, 4, 5, 6},
                                              {1, 0},
                                              {4, 2, 0},
                                              {0, 0, 1, 1},
                                              {0, 1, 1, 0, 2},
                                              {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 0}}) {
    orders.push_back({0, places});
  }
  std::vector<std::int64_t> two_vectors;
  for (std::int64_t place = 0; place < lanes + lanes / 2; ++place) two_vectors.push_back(place);
  orders.push_back({0, two_vectors});
  return orders;
}

}  // namespace axiscast::testing

#endif  // AXISCAST_KIT_TESTING_STEP_ORDER_H_
