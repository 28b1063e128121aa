// Staging of blocks of any rank, strides and order, on every target, between pages that fault, against a naive loop: what is moved
// is right, nothing else is written, and nothing outside of the block's bytes is read.
#include "core/stage.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "axiscast/kit/testing/guarded.h"
#include "tests/testing/mover_case.h"

namespace axiscast {
namespace {

using Bytes = std::vector<std::byte>;

class StageTest : public test::MoverCaseTest {
 protected:
  StageTest() : strided_(std::size_t{1} << 20), dense_(std::size_t{1} << 17) {}

  std::int64_t Random(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

  // The dims in any order in memory, with gaps, some reversed; some stretched if `in`. Inner dims are short.
  void MakeBlock(bool in) {
    static constexpr std::int64_t kExtents[] = {1, 2, 2, 3, 3, 4, 5, 7, 8, 11, 16, 17, 33, 70};
    dims_.clear();
    std::int64_t elements = 1;
    const std::int64_t rank = Random(1, 4);
    for (std::int64_t d = 0; d < rank; ++d) {
      const std::int64_t most = d == 0 ? 700 : kExtents[Random(0, 13)];
      const std::int64_t extent = std::clamp<std::int64_t>(Random(0, 3) == 0 ? most : Random(1, most), 1, 4000 / elements);
      dims_.push_back({extent, 0});
      elements *= extent;
    }
    std::vector<int> order;
    for (int d = static_cast<int>(rank) - 1; d >= 0; --d) order.push_back(d);
    if (Random(0, 1) == 0) std::shuffle(order.begin(), order.end(), random_);
    const bool unaligned = Random(0, 7) == 0;
    std::int64_t step = size_;
    low_ = 0, high_ = size_;
    for (const int d : order) {
      BoxDim& dim = dims_[static_cast<std::size_t>(d)];
      if (in && Random(0, 5) == 0) continue;
      if (Random(0, 3) == 0) step += Random(1, 5) * (unaligned ? 1 : size_);
      dim.stride = Random(0, 4) == 0 ? -step : step;
      step *= dim.extent;
      (dim.stride < 0 ? low_ : high_) += (dim.extent - 1) * dim.stride;
    }
    bytes_ = elements * size_;
  }

  // Calls move(offset on the strided side, offset on the dense one) for every element.
  template <class Move>
  void ForElements(const Move& move) const {
    std::vector<std::int64_t> index(dims_.size());
    for (std::int64_t dense = 0; dense < bytes_; dense += size_) {
      std::int64_t strided = 0;
      for (std::size_t d = 0; d < dims_.size(); ++d) strided += index[d] * dims_[d].stride;
      move(strided, dense);
      for (std::size_t d = dims_.size(); d-- > 0 && ++index[d] == dims_[d].extent;) index[d] = 0;
    }
  }

  // Element [0, ..., 0] of a view whose bytes all differ from their neighbours', the last one before a page that faults, or the
  // first one behind it.
  std::byte* PlaceView() {
    begin_ = Random(0, 1) == 0 ? strided_.begin() : strided_.end() - (high_ - low_);
    for (std::int64_t i = 0; i < high_ - low_; ++i) begin_[i] = static_cast<std::byte>(i * 151 + (i >> 8) * 31);
    return begin_ - low_;
  }
  std::byte* PlaceDense() {
    std::byte* const dense = dense_.end() - bytes_;
    for (std::int64_t i = 0; i < bytes_; ++i) dense[i] = static_cast<std::byte>(i * 37 + (i >> 7));
    return dense;
  }

  std::string Text() const {
    std::string text;
    for (const BoxDim& dim : dims_) text += std::to_string(dim.extent) + " by " + std::to_string(dim.stride) + ", ";
    return text + (begin_ == strided_.begin() ? "at the beginning" : "at the end");
  }

  std::mt19937 random_{20261122};
  std::vector<BoxDim> dims_;
  std::int64_t low_ = 0, high_ = 0;  // of the strided side's bytes, from element [0, ..., 0]
  std::int64_t bytes_ = 0;           // of the dense side
  std::byte* begin_ = nullptr;
  testing::GuardedArea strided_;
  testing::GuardedArea dense_;
};

TEST_P(StageTest, In) {
  for (int i = 0; i < 2000; ++i) {
    MakeBlock(true);
    const std::byte* const view = PlaceView();
    const Bytes before(begin_, begin_ + (high_ - low_));
    Bytes expected(static_cast<std::size_t>(bytes_));
    ForElements([&](std::int64_t strided, std::int64_t dense) {
      std::memcpy(expected.data() + dense, view + strided, static_cast<std::size_t>(size_));
    });
    std::byte* const dense = PlaceDense();
    const std::byte sentinel = dense[-1];
    StageIn(movers_, GetParam().size_log2, dims_.data(), static_cast<int>(dims_.size()), view, dense);
    ASSERT_EQ(std::memcmp(dense, expected.data(), expected.size()), 0) << Text();
    ASSERT_EQ(dense[-1], sentinel) << Text();
    ASSERT_EQ(std::memcmp(begin_, before.data(), before.size()), 0) << Text();
  }
}

TEST_P(StageTest, Out) {
  for (int i = 0; i < 2000; ++i) {
    MakeBlock(false);
    std::byte* const view = PlaceView();
    const std::byte* const dense = PlaceDense();
    Bytes expected(begin_, begin_ + (high_ - low_));
    ForElements([&](std::int64_t strided, std::int64_t at) {
      std::memcpy(expected.data() + (view - begin_) + strided, dense + at, static_cast<std::size_t>(size_));
    });
    StageOut(movers_, GetParam().size_log2, dims_.data(), static_cast<int>(dims_.size()), dense, view);
    ASSERT_EQ(std::memcmp(begin_, expected.data(), expected.size()), 0) << Text();
  }
}

// Rows that begin or end a page each, between pages that fault: a gap is read only where it is shorter than 64 bytes.
TEST_P(StageTest, LargeGapsAreNotRead) {
  const auto page = static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
  constexpr std::int64_t kRows = 100;
  testing::GuardedArea area(static_cast<std::size_t>(2 * kRows * page));
  for (std::int64_t r = 0; r < kRows; ++r) ASSERT_EQ(mprotect(area.begin() + (2 * r + 1) * page, page, PROT_NONE), 0);
  for (const std::int64_t cols : {1, 2, 3, 5, 8, 17, 70}) {
    for (const std::int64_t step : {1, 2, -1}) {
      const std::int64_t reach = (cols - 1) * step * size_, bytes = std::abs(reach) + size_;
      for (const std::int64_t place : {std::int64_t{0}, page - bytes}) {
        std::byte* const view = area.begin() + place - std::min<std::int64_t>(reach, 0);
        dims_ = {{kRows, 2 * page}, {cols, step * size_}};
        bytes_ = kRows * cols * size_;
        Bytes expected(static_cast<std::size_t>(bytes_));
        const std::byte* const dense = PlaceDense();
        ForElements([&](std::int64_t strided, std::int64_t at) {
          std::memcpy(view + strided, dense + at, static_cast<std::size_t>(size_));
          std::memcpy(expected.data() + at, dense + at, static_cast<std::size_t>(size_));
        });
        StageIn(movers_, GetParam().size_log2, dims_.data(), 2, view, dense_.end() - bytes_);
        ASSERT_EQ(std::memcmp(dense_.end() - bytes_, expected.data(), expected.size()), 0) << cols << " cols, step " << step;
        ForElements([&](std::int64_t strided, std::int64_t) { std::memset(view + strided, 0, static_cast<std::size_t>(size_)); });
        StageOut(movers_, GetParam().size_log2, dims_.data(), 2, dense_.end() - bytes_, view);
        ForElements([&](std::int64_t strided, std::int64_t at) {
          ASSERT_EQ(std::memcmp(view + strided, expected.data() + at, static_cast<std::size_t>(size_)), 0) << at;
        });
      }
    }
  }
}

#if defined(__x86_64__)
// Boxes are moved by permutations where the target has them: what takes their place gives the same results, several times slower.
TEST_P(StageTest, BoxesArePermuted) {
  const bool permutes = GetParam().target.name != std::string("SSE2") && size_ <= 2;  // of longer elements 16 bytes hold too few
  const BoxDim close[] = {{1000, 2 * size_}}, apart[] = {{1000, 256}, {3, size_}};
  dims_.assign(close, close + 1);
  low_ = 0, high_ = 999 * 2 * size_ + size_, bytes_ = 1000 * size_;
  const std::byte* const view = PlaceView();
  EXPECT_TRUE(movers_.boxes[index_](view, close, 1, PlaceDense()) || !permutes);
  EXPECT_FALSE(movers_.boxes[index_](view, apart, 2, PlaceDense()));
}
#endif

INSTANTIATE_TEST_SUITE_P(EveryTarget, StageTest, ::testing::ValuesIn(test::MoverCases()), test::MoverCaseName);

}  // namespace
}  // namespace axiscast
