// Finds a permutation by a walk through the first elements of cols, and refuses what kernels cannot read in vectors.
#include "core/permutation.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "core/tiling.h"

namespace axiscast {
namespace {

constexpr int kMaxElements = kMaxParts * kMaxPermutedLanes;  // of a group
constexpr std::int64_t kMaxGapBytes = 64;                    // between two elements, that may be read
// Groups of fewer vectors, each made of two, are joined; those that are in one vector are as large as that allows, but two at
// least.
constexpr std::int64_t kEnoughParts = 3;

// Where the elements of a group lie, counted from the first one.
class Places {
 public:
  static constexpr std::int32_t kMaxSpan = 2 * kMaxElements;

  // Of `steps` steps of `inner` elements. False where they are spread too far.
  bool Find(const Canonical& canonical, int operand, int first, int size_log2, std::int64_t inner, std::int64_t steps) {
    const std::pmr::vector<std::int64_t>& strides = canonical.strides[operand];
    std::int64_t index[kMaxRank] = {};
    std::int64_t place = 0;
    lowest = highest = 0;
    for (std::int64_t q = 0; q < inner; ++q) {
      if (std::abs(place) >= kMaxSpan) return false;
      of[q] = static_cast<std::int16_t>(place);
      lowest = std::min(lowest, static_cast<std::int32_t>(place));
      highest = std::max(highest, static_cast<std::int32_t>(place));
      for (int d = canonical.rank() - 1; d > first; --d) {
        place += strides[d] >> size_log2;
        if (++index[d] < canonical.extents[d]) break;
        place -= canonical.extents[d] * (strides[d] >> size_log2);
        index[d] = 0;
      }
    }
    const std::int64_t step = strides[first] >> size_log2;
    if (highest - lowest + (steps - 1) * step >= kMaxSpan) return false;
    for (std::int64_t q = inner; q < steps * inner; ++q) of[q] = static_cast<std::int16_t>(of[q - inner] + step);
    highest += static_cast<std::int32_t>((steps - 1) * step);
    return true;
  }

  // From the lowest to the highest element, if there were `others` instead of the `steps` steps of `step` elements.
  std::int64_t Span(std::int64_t step, std::int64_t steps, std::int64_t others) const {
    return highest - lowest + (others - steps) * step;
  }

  // The most elements between two of a group's `steps` steps of `inner` elements, of which there are `extent`, or the last one and
  // the first of the next group, `stride` elements away.
  std::int64_t LargestGap(std::int64_t inner, std::int64_t step, std::int64_t steps, std::int64_t extent,
                          std::int64_t stride) const {
    std::int64_t looked_at = std::min(steps, extent), end = highest - lowest + 1;
    if (extent >= steps && step > 0) {
      // Each gap lies within one step, and the largest ones near the group's ends, where fewer steps overlap: it is enough to have
      // as many steps for each end as overlap there.
      const std::int64_t overlapped = Span(step, steps, 1) / step;
      looked_at = std::min(steps, 2 * overlapped + 2);
      end -= (steps - looked_at) * step;
    }
    bool taken[kMaxSpan];
    std::fill_n(taken, end, false);
    for (std::int64_t q = 0; q < looked_at * inner; ++q) taken[of[q] - lowest] = true;
    std::int64_t gap = 0, largest = 0;
    for (std::int64_t i = 0; i < end; ++i) {
      gap = taken[i] ? 0 : gap + 1;
      largest = std::max(largest, gap);
    }
    return std::max(largest, stride - (highest - lowest) - 1);
  }

  static_assert(kMaxSpan <= std::numeric_limits<std::int16_t>::max());
  std::int16_t of[kMaxElements];
  std::int32_t lowest, highest;
};

// The vectors of each part, so many of them, and where its lanes are in them. Returns how many elements behind the first one the
// last of them ends; 0 where they are not enough for a part.
std::int64_t SetParts(const Places& places, std::int64_t size, std::int32_t vectors, Permutation* p) {
  const std::int64_t lanes = p->lanes;
  std::int64_t end = 0;
  p->vectors = vectors;
  for (std::int64_t part = 0; part < p->parts; ++part) {
    const std::int16_t* own = places.of + part * lanes;
    std::int64_t at = places.lowest;
    if (vectors > 1) {
      // On a vector's boundary where the group begins on one, if that will do.
      std::int32_t low = own[0], high = own[0];
      for (std::int64_t lane = 1; lane < lanes; ++lane) {
        low = std::min<std::int32_t>(low, own[lane]);
        high = std::max<std::int32_t>(high, own[lane]);
      }
      at += (low - at) / lanes * lanes;
      if (high - at >= vectors * lanes) at = low;
      if (high - at >= vectors * lanes) return 0;
    }
    p->at[part] = at * size;
    for (std::int64_t lane = 0; lane < lanes; ++lane) p->from[part * lanes + lane] = static_cast<std::uint8_t>(own[lane] - at);
    end = std::max(end, at + vectors * lanes);
  }
  return end;
}

// The same where few parts share three vectors: all of a group, or, where a group is long runs, the first vectors of each of them,
// the second ones and so on. Not where cols are less than two groups: what is no whole group takes longer; nor clusters whose
// vectors end behind the group, as kernels have no loop for their rest. Where it returns 0, the number of parts is as it was.
std::int64_t SetSharingParts(const Canonical& canonical, int operand, int first, const Places& places, std::int64_t size,
                             Permutation* p) {
  const int last = canonical.rank() - 1;
  const std::int64_t lanes = p->lanes, run = canonical.extents[last];
  std::int64_t clusters = 1, cluster_step = 0;
  if (first < last && p->parts * lanes == p->step_cols && run % lanes == 0) {
    clusters = run / lanes;
    cluster_step = (canonical.strides[operand][last] / size) * lanes;
  }
  const std::int64_t parts = p->parts / clusters;
  if (lanes * size != kSharedBytes || parts < 2 || parts > kMaxSharing) return 0;
  if (canonical.extents[first] * p->step_cols < 2 * p->parts * lanes) return 0;
  // Of element q of the parts' first cluster.
  const auto place = [&](std::int64_t q) -> std::int64_t { return places.of[q / lanes * clusters * lanes + q % lanes]; };
  std::int64_t low = place(0), high = low;
  for (std::int64_t q = 1; q < parts * lanes; ++q) {
    low = std::min(low, place(q));
    high = std::max(high, place(q));
  }
  if (high - low < 2 * lanes || high - low >= 3 * lanes) return 0;
  const std::int64_t end = low + 3 * lanes + std::max<std::int64_t>(cluster_step, 0) * (clusters - 1);
  if (clusters > 1 && end > places.highest + 1) return 0;
  for (std::int64_t q = 0; q < parts * lanes; ++q) p->from[q] = static_cast<std::uint8_t>(place(q) - low);
  std::fill_n(p->at, parts, low * size);
  p->parts = static_cast<std::int32_t>(parts);
  p->vectors = 3;
  p->clusters = static_cast<std::int32_t>(clusters);
  p->cluster_bytes = cluster_step * size;
  return end;
}

}  // namespace

bool MakePermutation(const Canonical& canonical, int operand, int first, std::int64_t size, std::int64_t lanes, bool again,
                     Permutation* result) {
  const std::pmr::vector<std::int64_t>& strides = canonical.strides[operand];
  const std::int64_t inner = BlockElements(canonical, first + 1), step = strides[first], extent = canonical.extents[first];
  if (step > Places::kMaxSpan * size) return false;  // and no product below overflows
  if (step < 0 || (step == 0 && !again) || inner / std::gcd(inner, lanes) > kMaxParts) return false;
  const int size_log2 = std::countr_zero(static_cast<std::uint64_t>(size));
  std::int64_t steps = lanes / std::gcd(inner, lanes);
  Places places;
  if (!places.Find(canonical, operand, first, size_log2, inner, steps)) return false;
  bool once = places.highest - places.lowest < lanes;
  if (step > 0) {
    const std::int64_t few = steps;
    const auto is_once = [&](std::int64_t others) { return once && places.Span(step / size, few, others) < lanes; };
    const auto fits = [&](std::int64_t others) { return others <= extent && others * inner <= kFewParts * lanes; };
    while (fits(2 * steps) && is_once(2 * steps)) steps *= 2;
    while (fits(2 * steps) && (once ? steps * inner == lanes : steps * inner < kEnoughParts * lanes)) {
      steps *= 2;
      once = false;
    }
    if (steps > few && !places.Find(canonical, operand, first, size_log2, inner, steps)) return false;
  }
  const std::int64_t stride = steps * step;
  // Where a step's elements are close to each other and to the next step's, there is nothing to look for.
  const bool may_have_gaps = step == 0 || std::max(step, places.Span(step / size, steps, 1) * size) > kMaxGapBytes;
  if (may_have_gaps && places.LargestGap(inner, step / size, steps, extent, stride / size) * size >= kMaxGapBytes) return false;

  Permutation& p = *result;
  p.step_cols = inner;
  p.step_bytes = step;
  p.stride = stride;
  p.parts = static_cast<std::int32_t>(steps * inner / lanes);
  p.lanes = static_cast<std::int32_t>(lanes);
  p.clusters = 1;
  p.cluster_bytes = 0;
  std::int64_t end = once || step == 0 ? 0 : SetSharingParts(canonical, operand, first, places, size, &p);
  if (end == 0) end = SetParts(places, size, once ? 1 : 2, &p);
  if (end == 0) end = SetParts(places, size, 4, &p);
  if (end == 0) return false;
  for (std::int64_t part = p.parts; p.parts <= kFewParts && part < kFewParts + 2; ++part) {
    p.at[part] = p.at[part - p.parts];
    std::copy_n(p.from + (part - p.parts) * lanes, lanes, p.from + part * lanes);
  }
  p.slides = p.vectors == 2 && p.parts > 1 && p.parts <= kMaxSharing;
  for (int part = 1; p.slides && part < p.parts; ++part) p.slides = p.at[part] == p.at[part - 1] + lanes * size;
  p.reach = size;  // from the highest of the first step's elements
  for (int d = first + 1; d < canonical.rank(); ++d) p.reach += std::max<std::int64_t>(strides[d], 0) * (canonical.extents[d] - 1);
  const std::int64_t over = end * size - ((steps - 1) * step + p.reach);  // bytes behind the group's own elements
  p.slack = over <= 0 || step == 0 ? 0 : (over + step - 1) / step * inner;
  return true;
}

}  // namespace axiscast
