// The staging movers beside pages that fault: whatever lies in front of and behind what they move is neither read nor written.
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "axiscast/kit/testing/guarded.h"
#include "core/kernel.h"
#include "tests/testing/mover_case.h"

namespace axiscast {
namespace {

using Bytes = std::vector<std::byte>;

// Where the strided side of a guarded case lies: its first byte behind a page that faults, or its last byte before one, or as many
// bytes away from there.
struct Place {
  bool at_end;
  std::int64_t misalignment;
};
constexpr Place kPlaces[] = {{true, 0}, {false, 0}, {true, 1}, {false, 3}};

class GuardedMoversTest : public test::MoverCaseTest {
 protected:
  GuardedMoversTest() : strided_(std::size_t{1} << 19), dense_(std::size_t{1} << 17) {}

  // The address of element [0, 0] of a view in the strided area, which is filled anew over the view's bytes.
  // spans: bytes from the first to the last element along each dim.
  std::byte* PlaceView(std::initializer_list<std::int64_t> spans, Place place) {
    std::int64_t low = 0;
    std::int64_t high = size_;
    for (const std::int64_t span : spans) (span < 0 ? low : high) += span;
    view_begin_ = place.at_end ? strided_.end() - place.misalignment - (high - low) : strided_.begin() + place.misalignment;
    view_bytes_ = static_cast<std::size_t>(high - low);
    for (std::size_t i = 0; i < view_bytes_; ++i) view_begin_[i] = static_cast<std::byte>((i * 151 + (i >> 8) * 31) & 0xff);
    return view_begin_ - low;
  }
  // Dense elements whose last one ends the dense area.
  std::byte* PlaceDense(std::int64_t bytes) {
    std::byte* data = dense_.end() - bytes;
    for (std::int64_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>((i * 37 + (i >> 7)) & 0xff);
    return data;
  }

  void GatherAndScatter(std::int64_t row_stride, std::int64_t col_stride, std::int64_t rows, std::int64_t cols, Place place) {
    const auto bytes = static_cast<std::size_t>(rows * cols * size_);
    std::byte* const view = PlaceView({(rows - 1) * row_stride, (cols - 1) * col_stride}, place);
    std::byte* const dense = PlaceDense(static_cast<std::int64_t>(bytes));
    Bytes scattered(view_begin_, view_begin_ + view_bytes_);
    Bytes gathered(bytes);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) {
        const std::int64_t at = view - view_begin_ + r * row_stride + c * col_stride;
        std::memcpy(gathered.data() + (r * cols + c) * size_, view_begin_ + at, static_cast<std::size_t>(size_));
        std::memcpy(scattered.data() + at, dense + (r * cols + c) * size_, static_cast<std::size_t>(size_));
      }
    }
    const Bytes before(view_begin_, view_begin_ + view_bytes_);
    const Bytes dense_before(dense, dense + bytes);
    const auto text = [&] {
      return std::to_string(rows) + " x " + std::to_string(cols) + ", strides " + std::to_string(row_stride) + " " +
             std::to_string(col_stride) + (place.at_end ? ", at the end " : ", at the beginning ") +
             std::to_string(place.misalignment);
    };
    movers_.gather[index_](view, row_stride, col_stride, rows, cols, dense);
    ASSERT_EQ(std::memcmp(dense, gathered.data(), bytes), 0) << text();
    ASSERT_EQ(std::memcmp(view_begin_, before.data(), view_bytes_), 0) << text();
    std::memcpy(dense, dense_before.data(), bytes);
    for (const ScatterMover scatter : {movers_.scatter[index_], movers_.scatter_far[index_]}) {
      std::memcpy(view_begin_, before.data(), view_bytes_);
      scatter(dense, rows, cols, view, row_stride, col_stride);
      ASSERT_EQ(std::memcmp(view_begin_, scattered.data(), view_bytes_), 0) << text();
    }
  }

  // Are the elements of three dims in order at `dense`, and is the view as it was?
  void ExpectInOrder(const std::byte* view, const BoxDim* dims, const std::byte* dense, const Bytes& view_before) {
    ASSERT_EQ(std::memcmp(view_begin_, view_before.data(), view_bytes_), 0);
    const std::int64_t rows = dims[1].extent, cols = dims[2].extent;
    for (std::int64_t i = 0; i < dims[0].extent * rows * cols; ++i) {
      const std::byte* from =
          view + i / (rows * cols) * dims[0].stride + i / cols % rows * dims[1].stride + i % cols * dims[2].stride;
      ASSERT_EQ(std::memcmp(dense + i * size_, from, static_cast<std::size_t>(size_)), 0)
          << "element " << i << " of " << dims[0].extent << " x " << rows << " x " << cols << ", strides " << dims[0].stride << " "
          << dims[1].stride << " " << dims[2].stride;
    }
  }

  // `count` transposes, `step` bytes apart, of `cols` lines of `rows` elements; their rows one after the other, or the first rows
  // of all of them, the second ones and so on.
  void TransposeEach(std::int64_t count, std::int64_t step, std::int64_t rows, std::int64_t cols, std::int64_t col_stride,
                     Place place) {
    const BoxDim each{count, step}, row{rows, size_}, col{cols, col_stride};
    const BoxDim orders[][3] = {{each, row, col}, {row, each, col}};
    std::byte* const view = PlaceView({(count - 1) * step, (rows - 1) * size_, (cols - 1) * col_stride}, place);
    const Bytes before(view_begin_, view_begin_ + view_bytes_);
    for (const BoxDim* const dims : orders) {
      std::byte* const dense = PlaceDense(count * rows * cols * size_);
      movers_.transposes[index_](view, dims, dense);
      ExpectInOrder(view, dims, dense, before);
      if (HasFatalFailure()) return;
    }
  }

  // The same of dense boxes, which are taken where the target permutes them; returns whether it did. `row_sign`, `col_sign`:
  // whether a box's dims rise or fall.
  bool PermuteEach(std::int64_t count, std::int64_t step, std::int64_t rows, std::int64_t cols, int row_sign, int col_sign,
                   Place place) {
    const std::int64_t row_stride = row_sign * size_, col_stride = col_sign * rows * size_;
    const BoxDim dims[] = {{count, step}, {rows, row_stride}, {cols, col_stride}};
    std::byte* const view = PlaceView({(count - 1) * step, (rows - 1) * row_stride, (cols - 1) * col_stride}, place);
    const Bytes before(view_begin_, view_begin_ + view_bytes_);
    std::byte* const dense = PlaceDense(count * rows * cols * size_);
    if (!movers_.boxes[index_](view, dims, 3, dense)) return false;
    ExpectInOrder(view, dims, dense, before);
    return true;
  }

  std::byte* view_begin_ = nullptr;
  std::size_t view_bytes_ = 0;
  testing::GuardedArea strided_;
  testing::GuardedArea dense_;
};

// Every count up to two vectors of bytes and one more, and the neighbours of some multiples.
std::vector<std::int64_t> Counts() {
  std::vector<std::int64_t> counts;
  for (std::int64_t count = 1; count <= 130; ++count) counts.push_back(count);
  for (const std::int64_t count : {191, 192, 193, 255, 256, 257}) counts.push_back(count);
  return counts;
}

TEST_P(GuardedMoversTest, Steps) {
  for (const std::int64_t step : {2, 3, 4, 5, -1, -2, -3, -4}) {
    for (const std::int64_t count : Counts()) {
      for (const Place place : kPlaces) {
        GatherAndScatter(0, step * size_, 1, count, place);
        if (HasFatalFailure()) return;
      }
    }
    for (const std::int64_t rows : {2, 3}) {
      for (const std::int64_t cols : {3, 17, 33, 65, 130}) {
        for (const Place place : kPlaces) {
          GatherAndScatter((cols + 1) * std::abs(step) * size_, step * size_, rows, cols, place);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(GuardedMoversTest, BatchesOfTransposes) {
  const std::int64_t extents[] = {2, 3, 4, 5, 8, 12, 16, 17, 33, 64, 65, 130};
  for (const std::int64_t rows : extents) {
    for (const std::int64_t cols : extents) {
      if (rows * cols > 2600) continue;  // three of 16 bytes do not fit the guarded area
      for (const std::int64_t col_stride : {rows * size_, rows * size_ + 3}) {
        const std::int64_t block = cols * col_stride;
        for (const std::int64_t step : {block, block + 1, -block, std::int64_t{0}}) {
          for (const Place place : kPlaces) {
            TransposeEach(3, step, rows, cols, col_stride, place);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

// Boxes of up to four vectors, in rising and falling order, beside each other and with gaps; and steps of no whole elements.
TEST_P(GuardedMoversTest, DenseBoxes) {
  const std::string_view target = GetParam().target.name;
  const bool permutes = target.starts_with("AVX3") && size_ <= 4 && (target != "AVX3" || size_ > 1);
  int taken = 0;  // of those of more than a vector
  for (const std::int64_t rows : {2, 3, 5, 7, 12, 16, 31}) {
    for (const std::int64_t cols : {2, 3, 5, 9, 16, 20, 33}) {
      const std::int64_t box = rows * cols * size_;
      if (box > 256) continue;
      for (const std::int64_t step : {box, box + 3 * size_, -box, -box - size_, box + 1}) {
        for (const std::int64_t count : {4 * (256 / box) + 1, 1300 / box}) {
          for (const Place place : kPlaces) {
            for (const int signs : {0, 1, 2, 3}) {
              const bool permuted = PermuteEach(count, step, rows, cols, signs & 1 ? -1 : 1, signs & 2 ? -1 : 1, place);
              taken += permuted && box > 64;
              if (HasFatalFailure()) return;
            }
          }
        }
      }
    }
  }
  EXPECT_TRUE(taken > 0 || !permutes) << "none of more than a vector";
}

TEST_P(GuardedMoversTest, Transposes) {
  const std::int64_t extents[] = {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 67};
  for (const std::int64_t rows : extents) {
    for (const std::int64_t cols : extents) {
      for (const std::int64_t col_stride : {rows * size_, rows * size_ + 3, -(rows + 2) * size_}) {
        for (const Place place : kPlaces) {
          GatherAndScatter(size_, col_stride, rows, cols, place);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(GuardedMoversTest, Repeat) {
  for (const std::int64_t stride : {size_, 2 * size_, -size_, 5 * size_ + 1}) {
    for (const std::int64_t count : Counts()) {
      for (const std::int64_t repeat : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 25}) {
        for (const Place place : {kPlaces[0], kPlaces[1]}) {
          std::byte* const x = PlaceView({(count - 1) * stride}, place);
          std::byte* const out = PlaceDense(count * repeat * size_);
          movers_.repeat[index_](x, stride, count, repeat, out);
          for (std::int64_t i = 0; i < count * repeat; ++i) {
            ASSERT_EQ(std::memcmp(out + i * size_, x + i / repeat * stride, static_cast<std::size_t>(size_)), 0)
                << "element " << i << ", stride " << stride << ", count " << count << ", repeat " << repeat;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, GuardedMoversTest, ::testing::ValuesIn(test::MoverCases()), test::MoverCaseName);

}  // namespace
}  // namespace axiscast
