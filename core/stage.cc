// Staging in terms of the movers: every block comes down to repeats, runs, 2-d gathers and copies of what is already there.
#include "core/stage.h"

namespace axiscast {
namespace {

std::int64_t Elements(const BoxDim* dims, int rank) {
  std::int64_t elements = 1;
  for (int d = 0; d < rank; ++d) elements *= dims[d].extent;
  return elements;
}

}  // namespace

void StageIn(const Movers& movers, int size_log2, const BoxDim* dims, int rank, const std::byte* x, std::byte* out) {
  const BoxDim& outer = dims[0];
  if (rank == 1) {
    if (outer.stride == 0) {
      movers.repeat[size_log2](x, 0, 1, outer.extent, out);
    } else {
      movers.gather[size_log2](x, 0, outer.stride, 1, outer.extent, out);
    }
    return;
  }
  if (rank == 2) {
    const BoxDim& inner = dims[1];
    if (inner.stride == 0) {
      movers.repeat[size_log2](x, outer.stride, outer.extent, inner.extent, out);
    } else {
      movers.gather[size_log2](x, outer.stride, inner.stride, outer.extent, inner.extent, out);
    }
    return;
  }
  const std::int64_t elements = Elements(dims + 1, rank - 1), bytes = elements << size_log2;
  if (outer.stride == 0) {
    StageIn(movers, size_log2, dims + 1, rank - 1, x, out);
    if (outer.extent > 1) movers.gather[size_log2](out, 0, std::int64_t{1} << size_log2, outer.extent - 1, elements, out + bytes);
    return;
  }
  for (std::int64_t i = 0; i < outer.extent; ++i) {
    StageIn(movers, size_log2, dims + 1, rank - 1, x + i * outer.stride, out + i * bytes);
  }
}

void StageOut(const Movers& movers, int size_log2, const BoxDim* dims, int rank, const std::byte* x, std::byte* out) {
  if (rank == 1) {
    movers.scatter[size_log2](x, 1, dims[0].extent, out, 0, dims[0].stride);
    return;
  }
  if (rank == 2) {
    movers.scatter[size_log2](x, dims[0].extent, dims[1].extent, out, dims[0].stride, dims[1].stride);
    return;
  }
  const std::int64_t bytes = Elements(dims + 1, rank - 1) << size_log2;
  for (std::int64_t i = 0; i < dims[0].extent; ++i) {
    StageOut(movers, size_log2, dims + 1, rank - 1, x + i * bytes, out + i * dims[0].stride);
  }
}

}  // namespace axiscast
