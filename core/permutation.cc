// Finds a permutation by a walk through the first elements of cols, and refuses what kernels cannot read in vectors.
#include "core/permutation.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "core/tiling.h"

namespace axiscast {
namespace {

constexpr int kMaxElements = kMaxParts * kMaxPermutedLanes;  // of a group
constexpr std::int64_t kMaxGapBytes = 64;                    // between two elements, that may be read
constexpr std::int64_t kEnoughParts = 3;                     // so that loops over groups have something to do

// Elements from the group's lowest one to each of a group's, which are at most so many; false where there are more.
class Places {
 public:
  static constexpr std::int32_t kMaxSpan = 2 * kMaxElements;

  // Goes through the `count` elements of cols from the first one on.
  bool Find(const Canonical& canonical, int operand, int first, std::int64_t size, std::int64_t count) {
    const std::pmr::vector<std::int64_t>& strides = canonical.strides[operand];
    std::int64_t index[kMaxRank] = {};
    std::int64_t place = 0;
    for (std::int64_t q = 0; q < count; ++q) {
      if (std::abs(place) >= kMaxSpan) return false;
      of[q] = static_cast<std::int32_t>(place);
      for (int d = canonical.rank() - 1; d >= first; --d) {
        place += strides[d] / size;
        if (d == first || ++index[d] < canonical.extents[d]) break;
        place -= canonical.extents[d] * (strides[d] / size);
        index[d] = 0;
      }
    }
    lowest = *std::min_element(of, of + count);
    highest = *std::max_element(of, of + count);
    return highest - lowest < kMaxSpan;
  }

  // The most elements between two of [0, count), or the last one and the first of the next group, `stride` elements away.
  std::int64_t LargestGap(std::int64_t count, std::int64_t stride) const {
    bool taken[kMaxSpan] = {};
    for (std::int64_t q = 0; q < count; ++q) taken[of[q] - lowest] = true;
    std::int64_t gap = 0, largest = 0;
    for (std::int64_t i = 0; i <= highest - lowest; ++i) {
      gap = taken[i] ? 0 : gap + 1;
      largest = std::max(largest, gap);
    }
    return std::max(largest, stride - (highest - lowest) - 1);
  }

  std::int32_t of[kMaxElements];
  std::int32_t lowest, highest;
};

}  // namespace

bool MakePermutation(const Canonical& canonical, int operand, int first, std::int64_t size, std::int64_t lanes, bool again,
                     Permutation* result) {
  const std::pmr::vector<std::int64_t>& strides = canonical.strides[operand];
  const std::int64_t inner = BlockElements(canonical, first + 1), step = strides[first], extent = canonical.extents[first];
  if (step > Places::kMaxSpan * size) return false;  // and no product below overflows
  if (step < 0 || (step == 0 && !again) || inner / std::gcd(inner, lanes) > kMaxParts) return false;
  std::int64_t steps = lanes / std::gcd(inner, lanes), parts = steps * inner / lanes;
  if (steps > extent) return false;
  for (; step > 0 && parts < kEnoughParts && 2 * steps <= extent; parts *= 2) steps *= 2;
  const std::int64_t count = parts * lanes, stride = steps * step;
  Places places;
  if (!places.Find(canonical, operand, first, size, count)) return false;
  if (places.LargestGap(count, stride / size) * size >= kMaxGapBytes) return false;

  Permutation& p = *result;
  p.step_cols = inner;
  p.step_bytes = step;
  p.stride = stride;
  p.parts = static_cast<std::int32_t>(parts);
  p.lanes = static_cast<std::int32_t>(lanes);
  p.once = places.highest - places.lowest < lanes;
  std::int64_t end = 0;  // elements to behind the last vector that a group reads
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int32_t* own = places.of + part * lanes;
    const std::int64_t low = *std::min_element(own, own + lanes), high = *std::max_element(own, own + lanes);
    // On a vector's boundary where the group begins on one, if that will do.
    std::int64_t at = places.lowest;
    if (!p.once) {
      at = places.lowest + (low - places.lowest) / lanes * lanes;
      if (high - at >= 2 * lanes) at = low;
      if (high - at >= 2 * lanes) return false;
    }
    p.at[part] = at * size;
    for (std::int64_t lane = 0; lane < lanes; ++lane) p.from[part * lanes + lane] = static_cast<std::uint8_t>(own[lane] - at);
    end = std::max(end, at + (p.once ? 1 : 2) * lanes);
  }
  // The highest of the first step's elements.
  std::int64_t reach = size;
  for (int d = first + 1; d < canonical.rank(); ++d) reach += std::max<std::int64_t>(strides[d], 0) * (canonical.extents[d] - 1);
  p.reach = reach;
  const std::int64_t over = end * size - ((steps - 1) * step + reach);  // bytes behind the group's own elements
  p.slack = over <= 0 || step == 0 ? 0 : (over + step - 1) / step * inner;
  return true;
}

}  // namespace axiscast
