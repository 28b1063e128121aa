// Copies as plans of one step: the mover that copies, over the tiles of the two views.
#include "core/copy.h"

#include <bit>
#include <vector>

#include "core/execute.h"
#include "core/layout.h"
#include "core/resolve.h"

namespace axiscast {

Distinct DistinctElements(const Shape& shape, const ByteStrides& strides) {
  Distinct distinct;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] == 1 || strides[d] == 0) continue;
    distinct.shape.push_back(shape[d]);
    distinct.byte_strides.push_back(strides[d]);
  }
  return distinct;
}

void CopyElements(const Movers& movers, DType dtype, const Shape& shape, const ByteStrides& from_strides, const std::byte* from,
                  const ByteStrides& to_strides, std::byte* to, const ExecuteOptions& options) {
  std::int64_t elements;
  if (!CountElements(shape, &elements) || elements == 0) return;
  const int size_log2 = std::countr_zero(SizeOf(dtype));
  Kernel kernel{};
  kernel.inputs[0] = kernel.output = dtype;
  kernel.run = movers.copy[size_log2];
  const std::vector<Step> steps{{&kernel, 1, {0}, {}}};
  const Canonical canonical = Canonicalise(shape, {from_strides, to_strides});
  const std::vector<DType> dtypes = {dtype, dtype};
  const auto unaligned = [size_log2](const std::byte* data) {
    return (reinterpret_cast<std::uintptr_t>(data) & ((std::uintptr_t{1} << size_log2) - 1)) != 0;
  };
  const std::uint64_t staged =
      UnalignedStrides(canonical, dtypes) | (unaligned(from) ? std::uint64_t{1} : 0) | (unaligned(to) ? std::uint64_t{2} : 0);
  const Layout layout = MakeLayout(canonical, dtypes, steps, {staged, nullptr});
  std::byte* const pointers[] = {const_cast<std::byte*>(from), to};  // inputs are only read
  Execute(layout, movers, pointers, options);
}

}  // namespace axiscast
