// The movers of one target: repeat, gather, scatter and copy for every element size.
#if defined(AXISCAST_SIMD_MOVERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AXISCAST_SIMD_MOVERS_INL_H_
#undef AXISCAST_SIMD_MOVERS_INL_H_
#else
#define AXISCAST_SIMD_MOVERS_INL_H_
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "axiscast/kit/elementwise-inl.h"
#include "core/kernel.h"
#include "hwy/cache_control.h"
#include "simd/boxes-inl.h"
#include "simd/repeat-inl.h"
#include "simd/runs-inl.h"
#include "simd/step-inl.h"
#include "simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {

// Repeats the first `bytes` of out until there are `count` copies, doubling what is there.
inline void Replicate(std::byte* out, std::int64_t bytes, std::int64_t count) {
  const std::int64_t total = bytes * count;
  for (std::int64_t done = bytes; done < total;) {
    const std::int64_t more = std::min(done, total - done);
    std::memcpy(out + done, out, static_cast<std::size_t>(more));
    done += more;
  }
}

// Whether rows that are not contiguous are moved col by col, an element of each row: short ones, whose calls cost more than they;
// where steps are small, and a vector of 16 bytes takes a row at once, only still shorter ones.
template <typename T>
bool MovesColByCol(std::int64_t rows, std::int64_t cols, std::int64_t col_stride) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  return cols < rows && cols < (std::abs(col_stride) <= 4 * kSize ? 16 / kSize : 16);
}

template <typename T>
void Gather(const std::byte* x, std::int64_t row_stride, std::int64_t col_stride, std::int64_t rows, std::int64_t cols,
            std::byte* out) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t out_row = cols * kSize;
  const BoxDim dims[] = {{rows, row_stride}, {cols, col_stride}};
  if (row_stride == 0 && rows > 1 && cols > 1) {
    if constexpr (kHasLanePermute<T>) {
      if (col_stride == kSize && static_cast<std::size_t>(cols) <= hn::Lanes(hn::CappedTag<T, kMaxTableLanes>())) {
        return Cycle<T>(x, 0, 1, static_cast<std::size_t>(cols), static_cast<std::size_t>(rows * cols), reinterpret_cast<T*>(out));
      }
    }
    Gather<T>(x, 0, col_stride, 1, cols, out);
    Replicate(out, out_row, rows);
  } else if (col_stride == kSize || cols == 1) {
    if (cols == 1 && rows > 1) {
      Gather<T>(x, 0, row_stride, 1, rows, out);
    } else if (row_stride == out_row || rows == 1) {
      std::memcpy(out, x, static_cast<std::size_t>(rows * out_row));
    } else if (!GatherBoxes<T>(x, dims, 2, out)) {
      MoveRuns(x, row_stride, out, out_row, rows, out_row);
    }
  } else if (col_stride == 0) {
    RepeatEach<T>(x, row_stride, rows, cols, out);
  } else if (rows > 1 && GatherBoxes<T>(x, dims, 2, out)) {
    return;
  } else if (row_stride == kSize && rows > 1) {
    Transpose<T>({x, out}, col_stride, cols, rows, out_row);
  } else if (MovesColByCol<T>(rows, cols, col_stride)) {
    for (std::int64_t c = 0; c < cols; ++c) MoveRuns(x + c * col_stride, row_stride, out + c * kSize, out_row, rows, kSize);
  } else {
    for (std::int64_t r = 0; r < rows; ++r) {
      GatherRow<T>(x + r * row_stride, col_stride, cols, reinterpret_cast<T*>(out + r * out_row));
    }
  }
}

// A transpose for each step of the other one of the first two dims.
template <typename T>
void GatherTransposes(const std::byte* x, const BoxDim* dims, std::byte* out) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const bool inner = dims[1].stride == kSize;  // the second dim steps by one element
  const BoxDim &rows = dims[inner ? 1 : 0], &other = dims[inner ? 0 : 1], &cols = dims[2];
  const std::int64_t line = cols.extent * kSize, block = dims[1].extent * line;
  Transpose<T>({x, out, other.extent, other.stride, inner ? block : line}, cols.stride, cols.extent, rows.extent,
               inner ? line : block);
}

// A few elements again and again, others in each step of the outermost dim. As runs, (340,45,3)+(340,1,3) of float32 takes 1.4
// times as long, two inputs that are such of (503,61,3) of int16 1.7 times (Zen 5). Steps of fewer are faster as runs: what is read
// of them by a mask takes 1.1 to 2.8 times as long with AVX2 and SSE4, 1.4 times with AVX-512 where they come twice or three times.
template <typename T>
bool GatherCycles(const std::byte* x, const BoxDim* dims, int rank, std::byte* out) {
  if constexpr (kHasLanePermute<T>) {
    constexpr std::int64_t kLeastTimes = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3 ? 4 : 12;
    const auto most = static_cast<std::int64_t>(hn::Lanes(hn::CappedTag<T, kMaxTableLanes>()));
    if (rank != 3 || dims[1].extent < kLeastTimes || dims[1].stride != 0 ||
        dims[2].stride != static_cast<std::int64_t>(sizeof(T)) || dims[2].extent > most)
      return false;
    Cycle<T>(x, dims[0].stride, static_cast<std::size_t>(dims[0].extent), static_cast<std::size_t>(dims[2].extent),
             static_cast<std::size_t>(dims[1].extent * dims[2].extent), reinterpret_cast<T*>(out));
    return true;
  } else {
    return false;
  }
}

template <typename T>
bool GatherAnyBoxes(const std::byte* x, const BoxDim* dims, int rank, std::byte* out) {
  if (GatherBoxes<T>(x, dims, rank, out) || GatherCycles<T>(x, dims, rank, out)) return true;
  const bool runs = rank == 2 || dims[rank - 1].stride == static_cast<std::int64_t>(sizeof(T));
  return !runs && GatherDenseBoxes<T>(x, dims, rank, out);
}

template <typename T, bool kFar = false>
void Scatter(const std::byte* x, std::int64_t rows, std::int64_t cols, std::byte* out, std::int64_t row_stride,
             std::int64_t col_stride) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t x_row = cols * kSize;
  const BoxDim dims[] = {{rows, row_stride}, {cols, col_stride}};
  if (col_stride == kSize || cols == 1) {
    if (cols == 1 && rows > 1) {
      Scatter<T, kFar>(x, 1, rows, out, 0, row_stride);
    } else if (row_stride == x_row || rows == 1) {
      std::memcpy(out, x, static_cast<std::size_t>(rows * x_row));
    } else if (!ScatterBoxes<T>(x, dims, 2, out)) {
      MoveRuns(x, x_row, out, row_stride, rows, x_row);
    }
  } else if (rows > 1 && ScatterBoxes<T>(x, dims, 2, out)) {
    return;
  } else if (row_stride == kSize && rows > 1) {
    Transpose<T>({x, out}, x_row, rows, cols, col_stride);
  } else if (MovesColByCol<T>(rows, cols, col_stride)) {
    for (std::int64_t c = 0; c < cols; ++c) MoveRuns(x + c * kSize, x_row, out + c * col_stride, row_stride, rows, kSize);
  } else {
    for (std::int64_t r = 0; r < rows; ++r) {
      ScatterRow<kFar>(reinterpret_cast<const T*>(x + r * x_row), cols, out + r * row_stride, col_stride);
    }
  }
}

// out = x: a unary kernel that no registry lists.
struct Copy {
  static constexpr OpInfo kInfo{.name = "copy", .arity = 1, .doc = "out = x"};
  template <typename T, class D, class V>
  static HWY_INLINE V Vector(D, V x) {
    return x;
  }
};

template <typename T>
void CopyTile(const Tile& tile, const void* const* inputs, void* out) {
  if constexpr (kHasLanes<T>) {
    Unary::Run<Copy, T>(tile, inputs, out);
  } else {
    const TileInput& x = tile.in[0];
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      const auto* from = static_cast<const std::byte*>(inputs[0]) + r * x.row_stride;
      auto* to = static_cast<std::byte*>(out) + r * tile.out_row_stride;
      for (std::int64_t c = 0; c < tile.cols; ++c) {
        const std::int64_t at = c * static_cast<std::int64_t>(sizeof(T));
        WriteUnaligned(ReadUnaligned<T>(x.splat ? from : from + at), to + at);
      }
    }
  }
}

template <typename T>
void SetMovers(int size_log2, Movers& movers) {
  movers.repeat[size_log2] = &RepeatEach<T>;
  movers.gather[size_log2] = &Gather<T>;
  movers.transposes[size_log2] = &GatherTransposes<T>;
  movers.scatter[size_log2] = &Scatter<T>;
  constexpr bool kFar = sizeof(T) >= 4;  // of smaller elements, as many stores take longer than their lines
  movers.scatter_far[size_log2] = &Scatter<T, kFar>;
  movers.boxes[size_log2] = &GatherAnyBoxes<T>;
  movers.copy[size_log2] = &CopyTile<T>;
}

inline void FenceStreams() { hwy::FlushStream(); }

inline Movers TargetMovers() {
  Movers movers = {};
  movers.fence = &FenceStreams;
  movers.vector_bytes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<std::uint8_t>()));
  movers.runs = &MoveRuns;
  SetMovers<std::uint8_t>(0, movers);
  SetMovers<std::uint16_t>(1, movers);
  SetMovers<std::uint32_t>(2, movers);
  SetMovers<std::uint64_t>(3, movers);
  SetMovers<Element16>(4, movers);
  return movers;
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
