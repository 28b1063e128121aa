// The movers as plain loops: what core/kernel.h says they do, and nothing else.
#ifndef AXISCAST_TESTS_TESTING_NAIVE_MOVERS_H_
#define AXISCAST_TESTS_TESTING_NAIVE_MOVERS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/kernel.h"

namespace axiscast::test {

template <std::size_t kSize>
struct NaiveMovers {
  static constexpr auto kStep = static_cast<std::int64_t>(kSize);

  static void Repeat(const std::byte* x, std::int64_t stride, std::int64_t count, std::int64_t repeat, std::byte* out) {
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t j = 0; j < repeat; ++j) std::memcpy(out + (i * repeat + j) * kStep, x + i * stride, kSize);
    }
  }
  static void Gather(const std::byte* x, std::int64_t row_stride, std::int64_t col_stride, std::int64_t rows, std::int64_t cols,
                     std::byte* out) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) std::memcpy(out + (r * cols + c) * kStep, x + r * row_stride + c * col_stride, kSize);
    }
  }
  static void Transposes(const std::byte* x, const BoxDim* dims, std::byte* out) { Boxes(x, dims, 3, out); }
  static void Scatter(const std::byte* x, std::int64_t rows, std::int64_t cols, std::byte* out, std::int64_t row_stride,
                      std::int64_t col_stride) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) std::memcpy(out + r * row_stride + c * col_stride, x + (r * cols + c) * kStep, kSize);
    }
  }
  static bool Boxes(const std::byte* x, const BoxDim* dims, int rank, std::byte* out) {
    std::int64_t inner = 1;
    for (int d = 1; d < rank; ++d) inner *= dims[d].extent;
    for (std::int64_t i = 0; i < dims[0].extent; ++i, x += dims[0].stride, out += inner * kStep) {
      if (rank == 1) {
        std::memcpy(out, x, kSize);
      } else {
        Boxes(x, dims + 1, rank - 1, out);
      }
    }
    return true;
  }
  static void Copy(const Tile& tile, const void* const* inputs, void* result) {
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      for (std::int64_t c = 0; c < tile.cols; ++c) {
        const std::int64_t from = r * tile.in[0].row_stride + (tile.in[0].splat ? 0 : c * kStep);
        std::memmove(static_cast<std::byte*>(result) + r * tile.out_row_stride + c * kStep,
                     static_cast<const std::byte*>(inputs[0]) + from, kSize);
      }
    }
  }
};

inline void NaiveRuns(const std::byte* x, std::int64_t x_stride, std::byte* out, std::int64_t out_stride, std::int64_t count,
                      std::int64_t bytes) {
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(out + i * out_stride, x + i * x_stride, static_cast<std::size_t>(bytes));
}

template <std::size_t... kLog2>
Movers MakeNaiveMovers(std::index_sequence<kLog2...>) {
  return {{&NaiveMovers<std::size_t{1} << kLog2>::Repeat...},
          {&NaiveMovers<std::size_t{1} << kLog2>::Gather...},
          {&NaiveMovers<std::size_t{1} << kLog2>::Transposes...},
          {&NaiveMovers<std::size_t{1} << kLog2>::Scatter...},
          {&NaiveMovers<std::size_t{1} << kLog2>::Scatter...},  // far
          {&NaiveMovers<std::size_t{1} << kLog2>::Boxes...},
          &NaiveRuns,
          {&NaiveMovers<std::size_t{1} << kLog2>::Copy...},
          [] {},
          64};
}
inline Movers MakeNaiveMovers() { return MakeNaiveMovers(std::make_index_sequence<kElementSizes>()); }

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_NAIVE_MOVERS_H_
