// More than 2^31 elements and byte offsets beyond 2^31.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

// Pages that are there once they are touched; null when the machine has none.
class Pages {
 public:
  explicit Pages(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data_ = memory != MAP_FAILED ? static_cast<std::byte*>(memory) : nullptr;
  }
  ~Pages() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::byte* data() const { return data_; }

 private:
  std::size_t bytes_;
  std::byte* data_;
};

std::int64_t AvailableBytes() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (std::int64_t number; file >> name >> number >> unit;) {
    if (name == "MemAvailable:") return number * 1024;
  }
  return 0;
}

TEST(Large, MoreElementsThanInt32Counts) {
  constexpr std::int64_t kRows = 3, kCols = (std::int64_t{1} << 31) / 3 + 1001;
  constexpr std::int64_t kBytes = kRows * kCols;
  static_assert(kBytes > (std::int64_t{1} << 31));
  if (AvailableBytes() < kBytes + (std::int64_t{1} << 29)) {
    std::printf("skipped: %lld bytes are available, %lld are needed\n", static_cast<long long>(AvailableBytes()),
                static_cast<long long>(kBytes + (std::int64_t{1} << 29)));
    GTEST_SKIP() << "too little memory";
  }
  const Pages out(kBytes);
  ASSERT_NE(out.data(), nullptr);
  // Both inputs are stretched: out[r, c] = x[r] + y.
  const std::int8_t x[kRows] = {10, 20, 30}, y = 7;
  const Status status = Apply(*FindOp("add"), {{x, {kRows, 1}}, {&y, {}}}, {out.data(), DType::kInt8, {kRows, kCols}});
  ASSERT_TRUE(status.ok()) << status.message();
  std::int64_t wrong = 0;
  for (std::int64_t r = 0; r < kRows; ++r) {
    // A row is one value: its first byte, and every byte the same as the one before.
    const std::byte* row = out.data() + r * kCols;
    wrong += row[0] != static_cast<std::byte>(x[r] + y);
    wrong += std::memcmp(row, row + 1, static_cast<std::size_t>(kCols - 1)) != 0;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Large, ByteOffsetsBeyondInt32) {
  // 3 x 5 elements, rows more than 2^31 bytes apart: few pages of much address space.
  constexpr std::int64_t kStride = (std::int64_t{1} << 31) + 4096;
  const Pages x(2 * kStride + 4096), out(2 * kStride + 4096);
  ASSERT_NE(x.data(), nullptr);
  ASSERT_NE(out.data(), nullptr);
  for (std::int64_t r = 0; r < 3; ++r) {
    for (std::int64_t c = 0; c < 5; ++c) {
      const auto value = static_cast<std::int32_t>(100 * r + c + 1);
      std::memcpy(x.data() + r * kStride + 8 * c, &value, sizeof(value));
    }
  }
  const std::int32_t one = 1;
  // Forwards in x, backwards in out.
  const TensorView input{x.data(), DType::kInt32, {3, 5}, {kStride, 8}};
  const MutableTensorView result{out.data() + 2 * kStride, DType::kInt32, {3, 5}, {-kStride, 4}};
  const Status status = Apply(*FindOp("add"), {input, {&one, {}}}, result);
  ASSERT_TRUE(status.ok()) << status.message();
  for (std::int64_t r = 0; r < 3; ++r) {
    for (std::int64_t c = 0; c < 5; ++c) {
      std::int32_t found;
      std::memcpy(&found, out.data() + (2 - r) * kStride + 4 * c, sizeof(found));
      EXPECT_EQ(found, 100 * r + c + 2);
    }
  }
  // An integer divisor is looked at over the same distances.
  const std::int32_t zero = 0;
  std::memcpy(x.data() + 2 * kStride + 8 * 4, &zero, sizeof(zero));
  const Status divided = Apply(*FindOp("divide"), {{&one, {}}, input}, result);
  EXPECT_STREQ(divided.message(), "divide: integer division by zero at y[2, 4] (x [], y [3, 5])");
}

}  // namespace
}  // namespace axiscast
