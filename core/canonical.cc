// Canonical form of a problem's dims; see canonical.h.
#include "core/canonical.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace axiscast {
namespace {

using DimStrides = std::vector<std::int64_t>;  // of one dim, per operand

struct Dim {
  std::int64_t extent;
  DimStrides strides;
};

// Whether x belongs outside y: by the last operand's stride, then by the others' in order.
bool IsOuter(const Dim& x, const Dim& y) {
  const std::size_t last = x.strides.size() - 1;
  if (std::abs(x.strides[last]) != std::abs(y.strides[last])) return std::abs(x.strides[last]) > std::abs(y.strides[last]);
  for (std::size_t i = 0; i < last; ++i) {
    if (std::abs(x.strides[i]) != std::abs(y.strides[i])) return std::abs(x.strides[i]) > std::abs(y.strides[i]);
  }
  return false;
}

// Whether stepping `outer` once is stepping `inner` through its whole extent, for every operand.
bool CanMerge(const Dim& outer, const Dim& inner) {
  for (std::size_t i = 0; i < outer.strides.size(); ++i) {
    if (!IsRun(outer.strides[i], inner.strides[i], inner.extent)) return false;
  }
  return true;
}

}  // namespace

bool IsRun(std::int64_t outer, std::int64_t inner, std::int64_t extent) noexcept {
  std::int64_t whole;
  return !__builtin_mul_overflow(inner, extent, &whole) && outer == whole;
}

Canonical Canonicalise(const Shape& shape, const std::vector<ByteStrides>& strides) {
  const std::size_t count = strides.size();
  Canonical canonical;
  canonical.offsets.assign(count, 0);
  std::vector<Dim> dims;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] == 1) continue;
    Dim dim{shape[d], DimStrides(count)};
    for (std::size_t i = 0; i < count; ++i) dim.strides[i] = strides[i][d];
    if (dim.strides.back() < 0) {
      for (std::size_t i = 0; i < count; ++i) {
        canonical.offsets[i] += dim.strides[i] * (dim.extent - 1);
        dim.strides[i] = -dim.strides[i];
      }
    }
    dims.push_back(dim);
  }
  std::stable_sort(dims.begin(), dims.end(), IsOuter);

  std::vector<Dim> merged;  // innermost first
  for (std::size_t d = dims.size(); d-- > 0;) {
    if (!merged.empty() && CanMerge(dims[d], merged.back())) {
      merged.back().extent *= dims[d].extent;
    } else {
      merged.push_back(dims[d]);
    }
  }
  if (merged.empty()) merged.push_back({1, DimStrides(count, 0)});

  canonical.strides.assign(count, {});
  for (std::size_t d = merged.size(); d-- > 0;) {
    canonical.extents.push_back(merged[d].extent);
    for (std::size_t i = 0; i < count; ++i) canonical.strides[i].push_back(merged[d].strides[i]);
  }
  return canonical;
}

std::uint64_t UnalignedStrides(const Canonical& canonical, const std::vector<DType>& dtypes) {
  std::uint64_t unaligned = 0;
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    for (const std::int64_t stride : canonical.strides[i]) {
      if (stride % static_cast<std::int64_t>(SizeOf(dtypes[i])) != 0) unaligned |= std::uint64_t{1} << i;
    }
  }
  return unaligned;
}

}  // namespace axiscast
