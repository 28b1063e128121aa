// The 16-bit floats: their conversions against arithmetic on doubles, and the vector code of every target against them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "axiscast/kit/testing/values.h"
#include "core/kernel.h"

namespace axiscast {
namespace {

template <typename T>
struct Format;
template <>
struct Format<Float16> {
  static constexpr int kMantissaBits = 10, kBias = 15;
};
template <>
struct Format<BFloat16> {
  static constexpr int kMantissaBits = 7, kBias = 127;
};

template <typename T>
T FromBits(unsigned bits) {
  T half;
  half.bits = static_cast<std::uint16_t>(bits);
  return half;
}

template <typename T>
constexpr unsigned InfinityBits() {
  return 0x7fffu >> Format<T>::kMantissaBits << Format<T>::kMantissaBits;
}

// What IEEE 754 says the bits below infinity stand for; at infinity's, the value that one more step would have.
template <typename T>
double ValueOf(unsigned magnitude) {
  constexpr int kBits = Format<T>::kMantissaBits;
  const int exponent = static_cast<int>(magnitude >> kBits);
  const int mantissa = static_cast<int>(magnitude & ((1u << kBits) - 1));
  const int scale = 1 - Format<T>::kBias - kBits;
  return exponent == 0 ? std::ldexp(mantissa, scale) : std::ldexp(mantissa + (1 << kBits), scale + exponent - 1);
}

template <typename T>
class Half : public ::testing::Test {};
struct Names {
  template <typename T>
  static std::string GetName(int) {
    return NameOf(kDTypeOf<T>);
  }
};
using Halves = ::testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(Half, Halves, Names);

TYPED_TEST(Half, EveryValueBecomesItsFloat) {
  for (unsigned magnitude = 0; magnitude < InfinityBits<TypeParam>(); ++magnitude) {
    const auto value = static_cast<float>(ValueOf<TypeParam>(magnitude));
    const float up = static_cast<float>(FromBits<TypeParam>(magnitude)),
                down = static_cast<float>(FromBits<TypeParam>(magnitude | 0x8000));
    ASSERT_EQ(up, value) << std::hex << magnitude;
    ASSERT_EQ(down, -value) << std::hex << magnitude;
    ASSERT_EQ(std::signbit(down), true) << std::hex << magnitude;
  }
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(static_cast<float>(FromBits<TypeParam>(InfinityBits<TypeParam>())), infinity);
  EXPECT_EQ(static_cast<float>(FromBits<TypeParam>(InfinityBits<TypeParam>() | 0x8000)), -infinity);
  for (unsigned magnitude = InfinityBits<TypeParam>() + 1; magnitude < 0x8000; ++magnitude) {
    ASSERT_TRUE(std::isnan(static_cast<float>(FromBits<TypeParam>(magnitude)))) << std::hex << magnitude;
  }
}

// Between every two neighbours: the middle goes to the even one, what is next to the middle to the nearer one.
TYPED_TEST(Half, EveryDoubleIsRoundedToTheNearestTiesToEven) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (unsigned low = 0; low < InfinityBits<TypeParam>(); ++low) {
    const double below = ValueOf<TypeParam>(low), above = ValueOf<TypeParam>(low + 1), middle = (below + above) / 2;
    const unsigned even = low % 2 == 0 ? low : low + 1;
    for (const unsigned sign : {0u, 0x8000u}) {
      const double one = sign == 0 ? 1 : -1;
      ASSERT_EQ(TypeParam(one * below).bits, sign | low);
      ASSERT_EQ(TypeParam(one * std::nextafter(below, infinity)).bits, sign | low);
      ASSERT_EQ(TypeParam(one * std::nextafter(middle, 0)).bits, sign | low);
      ASSERT_EQ(TypeParam(one * middle).bits, sign | even);
      ASSERT_EQ(TypeParam(one * std::nextafter(middle, infinity)).bits, sign | (low + 1));
      ASSERT_EQ(TypeParam(one * std::nextafter(above, 0)).bits, sign | (low + 1));
    }
  }
  EXPECT_EQ(TypeParam(infinity).bits, InfinityBits<TypeParam>());
  EXPECT_EQ(TypeParam(-std::numeric_limits<double>::max()).bits, 0x8000 | InfinityBits<TypeParam>());
  EXPECT_EQ(TypeParam(-std::numeric_limits<double>::denorm_min()).bits, 0x8000);
  EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(std::numeric_limits<double>::quiet_NaN()))));
  EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(std::numeric_limits<double>::signaling_NaN()))));
}

// x op y for every x and many y, by every target: products and sums meet every tie, subnormal, overflow and NaN.
TYPED_TEST(Half, EveryTargetRoundsAsTheReference) {
  constexpr std::int64_t kCount = 1 << 16;
  std::vector<TypeParam> x(kCount), expected(kCount), actual(kCount);
  for (unsigned i = 0; i < kCount; ++i) x[i] = FromBits<TypeParam>(i);
  std::vector<TypeParam> y = testing::SpecialsOf<TypeParam>();
  std::mt19937 random(7);
  for (int i = 0; i < 64; ++i) y.push_back(FromBits<TypeParam>(random() & 0xffff));
  for (const Target& target : BuiltInTargets()) {
    if (!target.supported) continue;
    SCOPED_TRACE(target.name);
    int ops = 0;
    for (const OpDefinition& op : BuiltInOps(target.bit)) {
      if (std::string(op.info.name) != "add" && std::string(op.info.name) != "multiply") continue;
      for (const Kernel& kernel : op.kernels) {
        if (kernel.output != kDTypeOf<TypeParam>) continue;
        ++ops;
        for (const TypeParam& value : y) {
          Tile tile = {};
          tile.rows = 1;
          tile.cols = kCount;
          tile.in[1].splat = true;
          const void* const inputs[] = {x.data(), &value};
          kernel.reference(tile, inputs, expected.data());
          kernel.run(tile, inputs, actual.data());
          for (std::size_t i = 0; i < kCount; ++i) {
            if (actual[i].bits == expected[i].bits) continue;
            const float got = static_cast<float>(actual[i]), wanted = static_cast<float>(expected[i]);
            ASSERT_TRUE(std::isnan(got) && std::isnan(wanted))
                << op.info.name << "(" << static_cast<float>(x[i]) << ", " << static_cast<float>(value) << "): got " << got
                << ", not " << wanted;
          }
        }
      }
    }
    EXPECT_EQ(ops, 2);
  }
}

// As NumPy has it: the sign is a bit, and a NaN keeps its others.
TYPED_TEST(Half, SignsAreBitsOnEveryTarget) {
  constexpr unsigned kCount = 1 << 16, kSign = 0x8000;
  std::vector<TypeParam> x(kCount), y(kCount), actual(kCount);
  for (unsigned i = 0; i < kCount; ++i) x[i] = FromBits<TypeParam>(i), y[i] = FromBits<TypeParam>(i * 40503u);
  const std::map<std::string, unsigned (*)(unsigned, unsigned)> ops = {
      {"negative", [](unsigned v, unsigned) { return v ^ kSign; }},
      {"abs", [](unsigned v, unsigned) { return v & ~kSign; }},
      {"copysign", [](unsigned v, unsigned sign) { return (v & ~kSign) | (sign & kSign); }},
  };
  for (const Target& target : BuiltInTargets()) {
    if (!target.supported) continue;
    std::size_t found = 0;
    for (const OpDefinition& op : BuiltInOps(target.bit)) {
      const auto expected = ops.find(op.info.name);
      if (expected == ops.end()) continue;
      for (const Kernel& kernel : op.kernels) {
        if (kernel.output != kDTypeOf<TypeParam>) continue;
        ++found;
        SCOPED_TRACE(std::string(op.info.name) + " for " + target.name);
        Tile tile = {};
        tile.rows = 1;
        tile.cols = kCount;
        const void* const inputs[] = {x.data(), y.data()};
        kernel.run(tile, inputs, actual.data());
        for (unsigned i = 0; i < kCount; ++i) {
          ASSERT_EQ(actual[i].bits, expected->second(x[i].bits, y[i].bits)) << "of the bits " << i << " and " << y[i].bits;
        }
      }
    }
    EXPECT_EQ(found, ops.size());
  }
}

// As an operand of an expression. By way of a double it would be rounded twice: 2^54 is half of what two bfloat16 are apart there,
// and with the 1 it is more.
TEST(HalfNumber, OfAnIntegerIsRoundedOnce) {
  struct Row {
    const char* text;
    double expected;
  };
  const Row rows[] = {
      {"multiply(x, 4629700416936869889)", 0x1.02p62},  // 2^62 + 2^54 + 1
      {"multiply(x, 4629700416936869888)", 0x1p62},     // 2^62 + 2^54, to even
      {"multiply(x, 4629700416936869887)", 0x1p62},     // 2^62 + 2^54 - 1
      {"multiply(x, -4629700416936869889)", -0x1.02p62}, {"multiply(x, -9223372036854775808)", -0x1p63},
      {"multiply(x, 9259400833873739777)", 0x1.02p63},  // 2^63 + 2^55 + 1, which int64 has not
  };
  for (const Row& row : rows) {
    const BFloat16 one(1.0);
    BFloat16 out;
    Expression expression;
    Plan plan;
    ASSERT_TRUE(Expression::Parse(row.text, Registry::BuiltIn(), &expression).ok());
    const Status status = Plan::Make(expression, {{&one, {}}}, {&out, {}}, {}, &plan);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_TRUE(plan.Execute({&one}, &out).ok());
    EXPECT_EQ(static_cast<float>(out), row.expected) << row.text;
  }
}

}  // namespace
}  // namespace axiscast
