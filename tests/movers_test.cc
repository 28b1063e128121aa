// The staging movers of every target this CPU has, against naive loops over bytes; every byte around the result is a sentinel.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/kernel.h"
#include "tests/testing/mover_case.h"

namespace axiscast {
namespace {

using Bytes = std::vector<std::byte>;

// Memory for `rows` x `cols` elements at the given strides, whose bytes all differ from their neighbours.
// The element [0, 0] is at `origin`, 64-byte aligned but for `misalignment`. There are at least 64 bytes in front of the first and
// behind the last element.
struct View {
  View(std::int64_t size, std::int64_t rows, std::int64_t cols, std::int64_t row_stride_, std::int64_t col_stride_,
       std::int64_t misalignment)
      : row_stride(row_stride_), col_stride(col_stride_) {
    std::int64_t low = 0;
    std::int64_t high = size;
    for (const std::int64_t span : {(rows - 1) * row_stride, (cols - 1) * col_stride}) (span < 0 ? low : high) += span;
    memory.resize(static_cast<std::size_t>(high - low + 4 * 64));
    origin = memory.data() + 64 - low;
    origin += (64 - reinterpret_cast<std::uintptr_t>(origin) % 64) % 64 + static_cast<std::uintptr_t>(misalignment);
    Fill(7);
  }
  void Fill(unsigned seed) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>((i * 151 + (i >> 8) * 31 + seed) & 0xff);
  }
  std::byte* At(std::int64_t r, std::int64_t c) { return origin + r * row_stride + c * col_stride; }
  std::int64_t row_stride;
  std::int64_t col_stride;
  Bytes memory;
  std::byte* origin;
};

// A dense result as movers get it: the first element is aligned to 64 bytes, all else is a sentinel.
struct Dense {
  explicit Dense(std::int64_t bytes) : memory(static_cast<std::size_t>(bytes) + 192) {
    data = memory.data() + 64;
    data += (64 - reinterpret_cast<std::uintptr_t>(data) % 64) % 64;
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(0xc0 | (i & 0x1f));
  }
  Bytes memory;
  std::byte* data;
};

class MoversTest : public test::MoverCaseTest {
 protected:
  // Strides between elements: none, contiguous, odd, unaligned, reversed.
  std::vector<std::int64_t> Strides() const { return {0, size_, 3 * size_, 2 * size_ + 1, -size_, -size_ - 1, 1}; }

  void ExpectGather(std::int64_t row_stride, std::int64_t col_stride, std::int64_t rows, std::int64_t cols,
                    std::int64_t misalignment) {
    View x(size_, rows, cols, row_stride, col_stride, misalignment);
    const Bytes before = x.memory;
    Dense out(rows * cols * size_);
    Dense expected(rows * cols * size_);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) {
        std::memcpy(expected.data + (r * cols + c) * size_, x.At(r, c), static_cast<std::size_t>(size_));
      }
    }
    movers_.gather[index_](x.origin, row_stride, col_stride, rows, cols, out.data);
    ASSERT_TRUE(Same(out, expected)) << rows << " x " << cols << ", strides " << row_stride << " " << col_stride;
    ASSERT_EQ(x.memory, before);
  }

  // The strides must not make elements overlap.
  void ExpectScatter(std::int64_t row_stride, std::int64_t col_stride, std::int64_t rows, std::int64_t cols,
                     std::int64_t misalignment) {
    Dense x(rows * cols * size_);
    for (std::int64_t i = 0; i < rows * cols * size_; ++i) x.data[i] = static_cast<std::byte>((i * 37 + (i >> 7)) & 0xff);
    View out(size_, rows, cols, row_stride, col_stride, misalignment);
    out.Fill(99);
    const Bytes original = out.memory;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) {
        std::memcpy(out.At(r, c), x.data + (r * cols + c) * size_, static_cast<std::size_t>(size_));
      }
    }
    const Bytes expected = out.memory;
    for (const ScatterMover scatter : {movers_.scatter[index_], movers_.scatter_far[index_]}) {
      out.memory.assign(original.begin(), original.end());  // same storage, so `origin` stays valid
      scatter(x.data, rows, cols, out.origin, row_stride, col_stride);
      ASSERT_EQ(out.memory, expected) << rows << " x " << cols << ", strides " << row_stride << " " << col_stride;
    }
  }

  // The sentinels count from each one's own start of memory, so only their values relative to `data` are compared.
  static bool Same(const Dense& a, const Dense& b) {
    const auto front = static_cast<std::size_t>(a.data - a.memory.data());
    for (std::size_t i = 0; i < a.memory.size(); ++i) {
      const bool inside = i >= front && i < front + a.memory.size() - 192;
      const std::byte sentinel = static_cast<std::byte>(0xc0 | (i & 0x1f));
      if (a.memory[i] != (inside ? b.data[i - front] : sentinel)) return false;
    }
    return true;
  }
};

TEST_P(MoversTest, Repeat) {
  for (const std::int64_t stride : Strides()) {
    for (const std::int64_t count : {1, 2, 3, 5, 8, 15, 16, 17, 33, 64, 65, 131}) {
      for (const std::int64_t repeat : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 33, 49, 100}) {
        View x(size_, count, 1, stride, 0, stride % size_ == 0 ? 0 : 1);
        Dense out(count * repeat * size_);
        Dense expected(count * repeat * size_);
        for (std::int64_t i = 0; i < count * repeat; ++i) {
          std::memcpy(expected.data + i * size_, x.At(i / repeat, 0), static_cast<std::size_t>(size_));
        }
        movers_.repeat[index_](x.origin, stride, count, repeat, out.data);
        ASSERT_TRUE(Same(out, expected)) << "stride " << stride << ", count " << count << ", repeat " << repeat;
      }
    }
  }
}

TEST_P(MoversTest, GatherWithAnyStrides) {
  for (const std::int64_t row_stride : Strides()) {
    for (const std::int64_t col_stride : Strides()) {
      for (const std::int64_t rows : {1, 2, 3, 7, 16}) {
        for (const std::int64_t cols : {1, 2, 3, 9, 19}) ExpectGather(row_stride, col_stride, rows, cols, row_stride & 1);
      }
    }
  }
}

TEST_P(MoversTest, GatherTransposes) {
  for (const std::int64_t rows : {2, 3, 4, 5, 8, 15, 16, 17, 32, 35, 67}) {
    for (const std::int64_t cols : {2, 3, 4, 5, 8, 15, 16, 17, 35, 66}) {
      for (const std::int64_t col_stride : {rows * size_, rows * size_ + 3, -(rows + 2) * size_}) {
        ExpectGather(size_, col_stride, rows, cols, col_stride % size_ == 0 ? 0 : 1);
      }
    }
  }
}

TEST_P(MoversTest, Scatter) {
  for (const std::int64_t rows : {1, 2, 3, 7, 16, 33}) {
    for (const std::int64_t cols : {1, 2, 3, 4, 9, 16, 19, 35}) {
      for (const std::int64_t inner : {size_, size_ + 1, 2 * size_, -size_, -2 * size_ - 1}) {
        const std::int64_t misalignment = inner % size_ == 0 ? 0 : 1;
        const std::int64_t past_row = (inner < 0 ? -inner : inner) * cols + 1;
        const std::int64_t past_col = (inner < 0 ? -inner : inner) * rows + 1;
        for (const std::int64_t sign : {1, -1}) {
          ExpectScatter(sign * past_row, inner, rows, cols, misalignment);
          ExpectScatter(inner, sign * past_col, rows, cols, misalignment);
        }
      }
    }
  }
}

// Streamed or splat rows at any distance; in place too.
TEST_P(MoversTest, Copy) {
  for (const std::int64_t cols : {1, 2, 3, 15, 16, 17, 63, 64, 65, 130}) {
    for (const std::int64_t rows : {1, 2, 5}) {
      for (const bool splat : {false, true}) {
        for (const std::int64_t row_stride : {std::int64_t{0}, cols * size_, (cols + 3) * size_, -cols * size_}) {
          View x(size_, rows, splat ? 1 : cols, row_stride, size_, 0);
          Dense out(rows * cols * size_);
          Dense expected(rows * cols * size_);
          for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t c = 0; c < cols; ++c) {
              std::memcpy(expected.data + (r * cols + c) * size_, x.At(r, splat ? 0 : c), static_cast<std::size_t>(size_));
            }
          }
          Tile tile = {};
          tile.rows = rows;
          tile.cols = cols;
          tile.in[0] = {row_stride, splat};
          tile.out_row_stride = cols * size_;
          const void* from = x.origin;
          movers_.copy[index_](tile, &from, out.data);
          ASSERT_TRUE(Same(out, expected)) << rows << " x " << cols << ", row stride " << row_stride << ", splat " << splat;
          tile.in[0] = {cols * size_, false};
          from = out.data;
          movers_.copy[index_](tile, &from, out.data);
          ASSERT_TRUE(Same(out, expected)) << "in place";
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, MoversTest, testing::ValuesIn(test::MoverCases()), test::MoverCaseName);

}  // namespace
}  // namespace axiscast
