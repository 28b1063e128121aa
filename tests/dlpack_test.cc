// DLPack tensors as operands: what axiscast/dlpack.h makes of a DLTensor, what it refuses, and calls on what it made.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

// In this order: the header works on the DLTensor that its user has.
// clang-format off
#include "tests/testing/dlpack.h"
#include "axiscast/dlpack.h"
// clang-format on

namespace {

using Dims = std::vector<int64_t>;
constexpr DLDataType kFloat32 = {kDLFloat, 32, 1}, kInt16 = {kDLInt, 16, 1};

// A DLTensor, what it points to, and what the header makes of it.
struct Made {
  Made(void* data, DLDataType dtype, Dims extents, Dims element_strides, uint64_t byte_offset = 0)
      : shape(std::move(extents)), strides(std::move(element_strides)) {
    from = {data,       {kDLCPU, 0},  static_cast<int32_t>(shape.size()),
            dtype,      shape.data(), strides.empty() ? nullptr : strides.data(),
            byte_offset};
  }
  int32_t Make() { return axiscast_tensor_from_dlpack(&from, &tensor, &storage); }

  Dims shape, strides;
  DLTensor from;
  axiscast_tensor tensor = {};
  axiscast_dlpack_storage storage;
};

Dims ByteStrides(const axiscast_tensor& tensor) { return {tensor.byte_strides, tensor.byte_strides + tensor.rank}; }

const axiscast_op* Find(const char* name) {
  const axiscast_op* op = nullptr;
  EXPECT_EQ(axiscast_op_find(nullptr, name, &op), AXISCAST_OK) << axiscast_last_message();
  return op;
}

TEST(DLPack, StridesBecomeBytes) {
  std::array<float, 24> data;
  Made made(data.data(), kFloat32, {2, 3, 4}, {4, 8, -1}, /*byte_offset=*/12);
  ASSERT_EQ(made.Make(), AXISCAST_OK);
  EXPECT_EQ(made.tensor.struct_size, sizeof(axiscast_tensor));
  EXPECT_EQ(made.tensor.data, data.data() + 3);
  EXPECT_EQ(made.tensor.dtype, AXISCAST_FLOAT32);
  EXPECT_EQ(made.tensor.rank, 3);
  EXPECT_EQ(made.tensor.shape, made.from.shape);
  EXPECT_EQ(ByteStrides(made.tensor), (Dims{16, 32, -4}));
}

TEST(DLPack, NullStridesAreDense) {
  int16_t data[6];
  Made made(data, kInt16, {2, 3}, {});
  ASSERT_EQ(made.Make(), AXISCAST_OK);
  EXPECT_EQ(made.tensor.byte_strides, nullptr);
  EXPECT_EQ(made.tensor.dtype, AXISCAST_INT16);
}

TEST(DLPack, NumbersHaveNoDims) {
  float number = 2;
  Made made(&number, kFloat32, {}, {});
  made.from.shape = nullptr;
  ASSERT_EQ(made.Make(), AXISCAST_OK);
  EXPECT_EQ(made.tensor.rank, 0);
  ASSERT_EQ(axiscast_apply_in_place(Find("square"), &made.tensor, nullptr, 0, nullptr, nullptr), AXISCAST_OK);
  EXPECT_EQ(number, 4);
}

TEST(DLPack, SixtyFourDims) {
  float data[2] = {1, 2};
  Dims shape(AXISCAST_MAX_RANK, 1), strides(AXISCAST_MAX_RANK, 1);
  shape[63] = 2;
  strides[63] = -1;
  Made made(data + 1, kFloat32, shape, strides);
  ASSERT_EQ(made.Make(), AXISCAST_OK);
  EXPECT_EQ(made.tensor.byte_strides[63], -4);
  ASSERT_EQ(axiscast_apply_in_place(Find("negative"), &made.tensor, nullptr, 0, nullptr, nullptr), AXISCAST_OK);
  EXPECT_EQ(data[0], -1);
  EXPECT_EQ(data[1], -2);
}

// NumPy once gave such dims the largest stride there is, to find those who step along them.
TEST(DLPack, DimsWithoutStepsMayHaveAnyStride) {
  float data[3] = {1, 2, 3};
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max(), kLowest = std::numeric_limits<int64_t>::min();
  Made made(data, kFloat32, {1, 3, 1}, {kLargest, 1, kLowest});
  ASSERT_EQ(made.Make(), AXISCAST_OK) << made.storage.message;
  EXPECT_EQ(ByteStrides(made.tensor), (Dims{0, 4, 0}));
  Made empty(nullptr, kFloat32, {0, 3}, {kLargest, 1});
  ASSERT_EQ(empty.Make(), AXISCAST_OK) << empty.storage.message;
  EXPECT_EQ(empty.tensor.data, nullptr);
  EXPECT_EQ(ByteStrides(empty.tensor), (Dims{0, 4}));
}

TEST(DLPack, EveryDTypeComesBack) {
  for (int32_t dtype = 0; dtype <= AXISCAST_FLOAT64; ++dtype) {
    DLDataType type;
    ASSERT_EQ(axiscast_dtype_to_dlpack(dtype, &type.code, &type.bits, &type.lanes), AXISCAST_OK);
    double memory[2];
    Made made(memory, type, {2}, {1});
    ASSERT_EQ(made.Make(), AXISCAST_OK) << made.storage.message;
    EXPECT_EQ(made.tensor.dtype, dtype);
    EXPECT_EQ(made.tensor.byte_strides[0], axiscast_dtype_size(dtype));
  }
}

// out = x + y at axis 0 through views that are reversed, transposed and shifted, against a plain loop.
TEST(DLPack, CallsSeeTheViews) {
  constexpr int kRows = 5, kCols = 7;
  std::array<float, kRows * kCols> x, out = {};
  std::array<float, 2 * kRows> y;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * i % 31);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(100 * i);
  Made views[] = {
      {&x[kRows * kCols - 1], kFloat32, {kRows, kCols}, {-kCols, -1}},  // reversed
      {y.data(), kFloat32, {kRows}, {2}, sizeof(float)},                // every other one, from the second
      {out.data(), kFloat32, {kRows, kCols}, {1, kRows}},               // transposed
  };
  axiscast_tensor tensors[3];
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(views[i].Make(), AXISCAST_OK) << views[i].storage.message;
    tensors[i] = views[i].tensor;
  }
  axiscast_options options = {};
  options.struct_size = sizeof(options);
  options.has_axis = 1;
  options.axis = 0;
  ASSERT_EQ(axiscast_apply(Find("add"), tensors, 2, &tensors[2], &options, nullptr), AXISCAST_OK) << axiscast_last_message();
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t col = 0; col < kCols; ++col)
      EXPECT_EQ(out[col * kRows + row], x[x.size() - 1 - (row * kCols + col)] + y[2 * row + 1]) << row << ", " << col;
  }
}

struct Refused {
  const char* name;
  DLDeviceType device;
  DLDataType dtype;
  int64_t stride;
  int32_t code;
  const char* message;
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

class DLPackRefused : public testing::TestWithParam<Refused> {};

TEST_P(DLPackRefused, SaysWhyAndLeavesTheTensorAlone) {
  const Refused& c = GetParam();
  float data[2];
  Made made(data, c.dtype, {3, 2}, {1, c.stride});
  made.from.device.device_type = c.device;
  EXPECT_EQ(made.Make(), c.code);
  EXPECT_STREQ(made.storage.message, c.message);
  EXPECT_EQ(made.tensor.struct_size, 0u);
}

constexpr int64_t kTooFar = int64_t{1} << 61;
INSTANTIATE_TEST_SUITE_P(
    Table, DLPackRefused,
    testing::Values(
        Refused{"device", kDLCUDA, kFloat32, 1, AXISCAST_UNSUPPORTED,
                "axiscast_tensor_from_dlpack: the tensor must be in memory of the CPU, DLPack's device type 1; got device type 2"},
        Refused{"complex",
                kDLCPU,
                {kDLComplex, 64, 1},
                1,
                AXISCAST_UNSUPPORTED_DTYPE,
                "axiscast_dtype_from_dlpack: there is no dtype for DLPack's complex64"},
        Refused{"lanes",
                kDLCPU,
                {kDLFloat, 32, 4},
                1,
                AXISCAST_UNSUPPORTED_DTYPE,
                "axiscast_dtype_from_dlpack: there is no dtype for DLPack's float32 in vectors of 4"},
        Refused{"bits",
                kDLCPU,
                {kDLInt, 4, 1},
                1,
                AXISCAST_UNSUPPORTED_DTYPE,
                "axiscast_dtype_from_dlpack: there is no dtype for DLPack's int4"},
        Refused{"stride", kDLCPU, kFloat32, kTooFar, AXISCAST_INVALID_ARGUMENT,
                "axiscast_tensor_from_dlpack: strides must fit in 64 bits as bytes; got 2305843009213693952 elements of 4 bytes in "
                "dim 1"},
        Refused{"negative_stride", kDLCPU, kFloat32, -kTooFar, AXISCAST_INVALID_ARGUMENT,
                "axiscast_tensor_from_dlpack: strides must fit in 64 bits as bytes; got -2305843009213693952 elements of 4 bytes "
                "in dim "
                "1"}),
    [](const auto& test) { return std::string(test.param.name); });

// Ranks and null pointers are refused by the calls, in their words.
TEST(DLPack, CallsRefuseRanksAndNullShapes) {
  float data[1];
  Made made(data, kFloat32, Dims(65, 2), Dims(65, 1));
  std::strcpy(made.storage.message, "as before");  // what lies behind the strides
  ASSERT_EQ(made.Make(), AXISCAST_OK);
  EXPECT_STREQ(made.storage.message, "as before");
  EXPECT_EQ(axiscast_apply_in_place(Find("abs"), &made.tensor, nullptr, 0, nullptr, nullptr), AXISCAST_INVALID_ARGUMENT);
  EXPECT_STREQ(axiscast_last_message(), "axiscast_apply_in_place: the rank of x must be 0 to 64; got 65");
  made.from.ndim = 2;
  made.from.shape = nullptr;
  ASSERT_EQ(made.Make(), AXISCAST_OK);
  EXPECT_EQ(axiscast_apply_in_place(Find("abs"), &made.tensor, nullptr, 0, nullptr, nullptr), AXISCAST_INVALID_ARGUMENT);
  EXPECT_STREQ(axiscast_last_message(), "axiscast_apply_in_place: the shape of x is null, and its rank 2");
}

}  // namespace
