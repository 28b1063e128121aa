// Canonical form of a problem's dims; see canonical.h.
#include "core/canonical.h"

#include <algorithm>
#include <cstdlib>

#include "core/element_size.h"

namespace axiscast {
namespace {

// The dims that are left, while they are sorted and merged.
struct Order {
  std::span<const ByteStrides> strides;
  bool reversed[kMaxRank];  // along which the last operand runs backwards

  std::int64_t Stride(std::size_t operand, int dim) const { return reversed[dim] ? -strides[operand][dim] : strides[operand][dim]; }

  // Whether x belongs outside y: by the last operand's stride, then by the others' in order, then as they come.
  bool IsOuter(int x, int y) const {
    const auto differ = [&](std::size_t i) { return std::abs(strides[i][x]) != std::abs(strides[i][y]); };
    const auto larger = [&](std::size_t i) { return std::abs(strides[i][x]) > std::abs(strides[i][y]); };
    const std::size_t last = strides.size() - 1;
    if (differ(last)) return larger(last);
    for (std::size_t i = 0; i < last; ++i) {
      if (differ(i)) return larger(i);
    }
    return x < y;
  }

  // Whether stepping `outer` once is stepping `inner` through its whole extent, for every operand.
  bool CanMerge(int outer, int inner, std::int64_t extent) const {
    for (std::size_t i = 0; i < strides.size(); ++i) {
      if (!IsRun(Stride(i, outer), Stride(i, inner), extent)) return false;
    }
    return true;
  }
};

}  // namespace

bool IsRun(std::int64_t outer, std::int64_t inner, std::int64_t extent) noexcept {
  std::int64_t whole;
  return !__builtin_mul_overflow(inner, extent, &whole) && outer == whole;
}

Canonical Canonicalise(const Shape& shape, std::span<const ByteStrides> strides, std::pmr::memory_resource* memory) {
  const std::size_t count = strides.size();
  Canonical canonical(memory);
  canonical.offsets.assign(count, 0);
  Order order{strides, {}};
  int dims[kMaxRank];
  int rank = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] == 1) continue;
    order.reversed[d] = strides[count - 1][d] < 0;
    for (std::size_t i = 0; i < count && order.reversed[d]; ++i) canonical.offsets[i] += strides[i][d] * (shape[d] - 1);
    dims[rank++] = d;
  }
  std::sort(dims, dims + rank, [&order](int x, int y) { return order.IsOuter(x, y); });

  // Innermost first: the dim whose strides a merged one has, and its extent.
  int inner[kMaxRank];
  std::int64_t extents[kMaxRank];
  int merged = 0;
  for (int n = rank - 1; n >= 0; --n) {
    if (merged > 0 && order.CanMerge(dims[n], inner[merged - 1], extents[merged - 1])) {
      extents[merged - 1] *= shape[dims[n]];
    } else {
      inner[merged] = dims[n];
      extents[merged++] = shape[dims[n]];
    }
  }
  canonical.strides.resize(count);
  canonical.extents.reserve(static_cast<std::size_t>(std::max(merged, 1)));
  for (int n = merged - 1; n >= 0; --n) canonical.extents.push_back(extents[n]);
  if (merged == 0) canonical.extents.push_back(1);
  for (std::size_t i = 0; i < count; ++i) {
    canonical.strides[i].reserve(canonical.extents.size());
    for (int n = merged - 1; n >= 0; --n) canonical.strides[i].push_back(order.Stride(i, inner[n]));
    if (merged == 0) canonical.strides[i].push_back(0);
  }
  return canonical;
}

std::uint64_t UnalignedStrides(const Canonical& canonical, std::span<const DType> dtypes) {
  std::uint64_t unaligned = 0;
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    std::int64_t bits = 0;  // of all strides; sizes are powers of two
    for (const std::int64_t stride : canonical.strides[i]) bits |= stride;
    if ((bits & (SizeInBytes(dtypes[i]) - 1)) != 0) unaligned |= std::uint64_t{1} << i;
  }
  return unaligned;
}

}  // namespace axiscast
