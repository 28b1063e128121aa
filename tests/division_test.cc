// Quotients and remainders of every target where estimates go wrong: at, below and above whole quotients of every size, at powers
// of two, at the ends of a dtype. Expected values come without a division: from x = q * y + r, and for floats from whole numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/kernel.h"

namespace axiscast {
namespace {

__extension__ using Wide = __int128;

constexpr std::size_t kCount = std::size_t{1} << 19;
constexpr std::size_t kBlock = 64;  // elements that have something in common: at least a vector meets its own kind only

// The expected results of all ops, for operands of one dtype.
template <typename T>
struct Cases {
  std::vector<T> x, y, divide, fmod, floor_divide, remainder;
  // Of floats: not that of a larger quotient, which is rounded more than once, as only the op's scalar meaning says.
  std::vector<bool> is_floor_known;
};
template <typename T>
const std::vector<T>* ExpectedOf(const Cases<T>& cases, const std::string& op) {
  if (op == "divide" && std::is_integral_v<T>) return &cases.divide;
  if (op == "fmod") return &cases.fmod;
  if (op == "floor_divide") return &cases.floor_divide;
  return op == "remainder" ? &cases.remainder : nullptr;
}

class Random {
 public:
  std::uint64_t Bits() { return engine_(); }
  int Below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  bool Chance(int one_in) { return Below(one_in) == 0; }
  // Of any size up to `bits` bits; often next to a power of two.
  Wide Magnitude(int bits) {
    const int size = Below(bits + 1);
    const Wide power = Wide{1} << size;
    if (Chance(3)) return power - 1 + Below(3);
    return static_cast<Wide>(Bits()) % power;
  }

 private:
  std::mt19937_64 engine_{20};
};

template <typename T>
Cases<T> IntegerCases() {
  constexpr Wide kLowest = std::numeric_limits<T>::min(), kHighest = std::numeric_limits<T>::max();
  constexpr int kBits = 8 * sizeof(T);
  Random random;
  Cases<T> cases;
  int bits = kBits;
  bool one_divisor = false;  // of a whole block
  while (cases.x.size() < kCount) {
    const bool begins = cases.x.size() % kBlock == 0;
    if (begins) {
      bits = random.Chance(2) ? kBits : 4 + random.Below(kBits - 3);
      one_divisor = random.Chance(2);
    }
    Wide y = random.Magnitude(bits);
    if (std::is_signed_v<T> && random.Chance(2)) y = -y;
    if (one_divisor && !begins) y = cases.y.back();
    if (y == 0 || y < kLowest || y > kHighest) continue;
    const Wide size = y < 0 ? -y : y;
    const Wide most = (Wide{1} << bits) / size;  // a division, but not of what is tested
    Wide q = random.Chance(2) ? random.Magnitude(bits) : most - random.Below(3);
    if (q > most + 1) continue;
    if (std::is_signed_v<T> && random.Chance(2)) q = -q;
    const Wide remainders[] = {0, 1, size - 1, size / 2, static_cast<Wide>(random.Bits()) % size};
    Wide r = remainders[random.Below(5)];
    if (r >= size) continue;
    if (y < 0) r = -r;
    const Wide x = q * y + r;
    const bool wraps = kLowest < 0 && y == -1 && x == kLowest;
    if (x < kLowest || x > kHighest) continue;
    const bool up = r != 0 && (x < 0) != (y < 0);  // from floored to truncated
    cases.x.push_back(static_cast<T>(x));
    cases.y.push_back(static_cast<T>(y));
    cases.divide.push_back(static_cast<T>(wraps ? kLowest : q + (up ? 1 : 0)));
    cases.fmod.push_back(static_cast<T>(up ? r - y : r));
    cases.floor_divide.push_back(static_cast<T>(wraps ? kLowest : q));
    cases.is_floor_known.push_back(true);
    cases.remainder.push_back(static_cast<T>(r));
  }
  return cases;
}

// A float's magnitude as mantissa * 2^exponent, the mantissa being whole and of all its digits.
struct Parts {
  Wide mantissa;
  int exponent;
};
template <typename T>
Parts PartsOf(T v) {
  int exponent = 0;
  const T fraction = std::frexp(std::fabs(v), &exponent);
  constexpr int kDigits = std::numeric_limits<T>::digits;
  return {static_cast<Wide>(std::ldexp(fraction, kDigits)), exponent - kDigits};
}

// Operands whose quotient is near a whole number of up to `bits` bits, or anything at all where bits is 0.
template <typename T>
void DrawFloats(Random& random, int bits, T* x, T* y) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const auto any = [&] {
    const auto raw = static_cast<Bits>(random.Bits());
    T value;
    std::memcpy(&value, &raw, sizeof(value));
    return value;
  };
  const T limits[] = {T{0},
                      std::numeric_limits<T>::infinity(),
                      std::numeric_limits<T>::denorm_min(),
                      std::numeric_limits<T>::max(),
                      std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::quiet_NaN()};
  *x = random.Chance(8) ? limits[random.Below(6)] : any();
  *y = random.Chance(8) ? limits[random.Below(6)] : any();
  if (bits > 0) {
    *y = std::ldexp(static_cast<T>(random.Magnitude(std::numeric_limits<T>::digits)), random.Below(40) - 20);
    *x = static_cast<T>(random.Magnitude(bits)) * *y;
    if (random.Chance(2)) *x = std::nextafter(*x, random.Chance(2) ? T{0} : std::numeric_limits<T>::max());
    if (random.Chance(16)) *x = any();
    if (random.Chance(16)) *y = limits[random.Below(3)];
  }
  if (random.Chance(2)) *x = -*x;
  if (random.Chance(2)) *y = -*y;
}

template <typename T>
Cases<T> FloatCases() {
  constexpr int kDigits = std::numeric_limits<T>::digits;
  Random random;
  Cases<T> cases;
  int bits = 0;
  while (cases.x.size() < kCount) {
    if (cases.x.size() % kBlock == 0) bits = random.Chance(4) ? 0 : 1 + random.Below(kDigits + 4);
    T x, y;
    DrawFloats(random, bits, &x, &y);
    // Not a number where C99 and Python say so.
    T r = std::numeric_limits<T>::quiet_NaN(), floored = r;
    bool known = true;
    if (std::isinf(y) && std::isfinite(x)) {
      r = x;
      floored = x != 0 && std::signbit(x) != std::signbit(y) ? T{-1} : x / y;
    } else if (y == 0) {
      floored = x / y;
    } else if (std::isfinite(x) && std::isfinite(y)) {
      const Parts numerator = PartsOf(x), divisor = PartsOf(y);
      const int shift = numerator.exponent - divisor.exponent;
      Wide left = numerator.mantissa % divisor.mantissa;
      if (x == 0 || shift < 0) {
        r = std::fabs(x);
      } else {
        for (int i = 0; i < shift; ++i) left = 2 * left % divisor.mantissa;
        r = std::ldexp(static_cast<T>(left), divisor.exponent);
      }
      r = std::copysign(r, x);
      known = shift < kDigits - 4;
      if (known) {
        const bool negative = std::signbit(x) != std::signbit(y);
        Wide whole = x == 0 || shift < 0 ? 0 : (numerator.mantissa << shift) / divisor.mantissa;
        if (negative && r != 0) ++whole;
        floored = std::copysign(static_cast<T>(whole), negative ? T{-1} : T{1});
      }
    }
    cases.x.push_back(x);
    cases.y.push_back(y);
    cases.fmod.push_back(r);
    cases.remainder.push_back(r == 0 ? std::copysign(r, y) : (r < 0) != (y < 0) && !std::isnan(r) ? r + y : r);
    cases.floor_divide.push_back(floored);
    cases.is_floor_known.push_back(known);
  }
  return cases;
}

template <typename T>
bool SameBits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

template <typename T>
class DivisionOf : public ::testing::Test {};
struct Names {
  template <typename T>
  static std::string GetName(int) {
    return NameOf(kDTypeOf<T>);
  }
};
using Numbers = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                                 std::uint64_t, float, double>;
TYPED_TEST_SUITE(DivisionOf, Numbers, Names);

// A kernel by one divisor, for each block that has one. Says how many have.
template <typename T>
int CheckBlocksOfOneDivisor(const OpInfo& op, KernelFunction run, const Cases<T>& cases, const std::vector<T>& expected) {
  int blocks = 0;
  T actual[kBlock];
  for (std::size_t begin = 0; begin < kCount; begin += kBlock) {
    const T* y = cases.y.data() + begin;
    if (std::count(y, y + kBlock, *y) < static_cast<std::ptrdiff_t>(kBlock)) continue;
    ++blocks;
    Tile tile = {};
    tile.rows = 1;
    tile.cols = kBlock;
    tile.in[1].splat = true;
    const void* const inputs[] = {cases.x.data() + begin, y};
    run(tile, inputs, actual);
    for (std::size_t i = 0; i < kBlock; ++i) {
      if (SameBits(actual[i], expected[begin + i])) continue;
      ADD_FAILURE() << op.name << "(" << +cases.x[begin + i] << ", " << +*y << ") by one divisor: got " << +actual[i] << ", not "
                    << +expected[begin + i];
      return blocks;
    }
  }
  return blocks;
}

TYPED_TEST(DivisionOf, IsExactOnEveryTarget) {
  Cases<TypeParam> cases;
  if constexpr (std::is_integral_v<TypeParam>) {
    cases = IntegerCases<TypeParam>();
  } else {
    cases = FloatCases<TypeParam>();
  }
  std::vector<TypeParam> actual(kCount);
  for (const Target& target : BuiltInTargets()) {
    if (!target.supported) continue;
    SCOPED_TRACE(target.name);
    int ops = 0;
    for (const OpDefinition& op : BuiltInOps(target.bit)) {
      const std::vector<TypeParam>* expected = ExpectedOf(cases, op.info.name);
      if (expected == nullptr) continue;
      for (const Kernel& kernel : op.kernels) {
        if (kernel.output != kDTypeOf<TypeParam>) continue;
        ++ops;
        Tile tile = {};
        tile.rows = 1;
        tile.cols = kCount;
        const void* const inputs[] = {cases.x.data(), cases.y.data()};
        for (const KernelFunction run : {kernel.run, kernel.reference}) {
          run(tile, inputs, actual.data());
          for (std::size_t i = 0; i < kCount; ++i) {
            if (expected == &cases.floor_divide && !cases.is_floor_known[i]) continue;
            ASSERT_TRUE(SameBits(actual[i], (*expected)[i]))
                << op.info.name << "(" << +cases.x[i] << ", " << +cases.y[i] << "): got " << +actual[i] << ", not "
                << +(*expected)[i] << (run == kernel.run ? "" : ", by its scalar meaning");
          }
        }
        if constexpr (std::is_integral_v<TypeParam>) {
          ASSERT_GT(CheckBlocksOfOneDivisor(op.info, kernel.run, cases, *expected), 1000);
          ASSERT_FALSE(this->HasFailure());
        }
      }
    }
    EXPECT_EQ(ops, std::is_integral_v<TypeParam> ? 4 : 3);
  }
}

// In the machine's own arithmetic, of 64 bits.
std::int64_t ExpectedOf(const std::string& op, std::int64_t x, std::int64_t y) {
  const std::int64_t quotient = x / y, remainder = x % y;
  const bool down = remainder != 0 && (remainder < 0) != (y < 0);
  if (op == "divide") return quotient;
  if (op == "fmod") return remainder;
  return op == "floor_divide" ? quotient - down : remainder + (down ? y : 0);
}

// Long rows, a divisor each: some are divided by a product, others not.
template <typename T>
class RowsByOneDivisor : public ::testing::Test {};
using UpTo32Bits = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::uint8_t, std::uint16_t, std::uint32_t>;
TYPED_TEST_SUITE(RowsByOneDivisor, UpTo32Bits, Names);
TYPED_TEST(RowsByOneDivisor, AreExactOnEveryTarget) {
  using T = TypeParam;
  constexpr T kLowest = std::numeric_limits<T>::min(), kHighest = std::numeric_limits<T>::max();
  constexpr std::int64_t kCols = 2055, kPitch = kCols + 3;
  std::vector<T> divisors;
  for (int bit = 0; bit < std::numeric_limits<T>::digits; ++bit) {
    for (int beside = -1; beside <= 1; ++beside) divisors.push_back(static_cast<T>((T{1} << bit) + beside));
  }
  if (std::is_signed_v<T>) divisors.insert(divisors.end(), {static_cast<T>(-1), static_cast<T>(-7), kLowest});
  divisors.push_back(kHighest);
  divisors.erase(std::remove(divisors.begin(), divisors.end(), T{0}), divisors.end());
  const auto rows = static_cast<std::int64_t>(divisors.size());
  std::vector<T> x(static_cast<std::size_t>(rows * kPitch)), actual(x.size());
  Random random;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T near_ends[] = {static_cast<T>(kLowest + random.Below(3)), static_cast<T>(kHighest - random.Below(3))};
    x[i] = random.Chance(8) ? near_ends[random.Below(2)] : static_cast<T>(random.Bits());
  }
  for (const Target& target : BuiltInTargets()) {
    if (!target.supported) continue;
    SCOPED_TRACE(target.name);
    for (const OpDefinition& op : BuiltInOps(target.bit)) {
      const std::string name = op.info.name;
      if (name != "divide" && name != "fmod" && name != "floor_divide" && name != "remainder") continue;
      for (const Kernel& kernel : op.kernels) {
        if (kernel.output != kDTypeOf<T>) continue;
        Tile tile = {};
        tile.rows = rows;
        tile.cols = kCols;
        tile.in[0].row_stride = tile.out_row_stride = kPitch * static_cast<std::int64_t>(sizeof(T));
        tile.in[1].row_stride = sizeof(T);
        tile.in[1].splat = true;
        std::fill(actual.begin(), actual.end(), T{77});
        const void* const inputs[] = {x.data(), divisors.data()};
        kernel.run(tile, inputs, actual.data());
        for (std::size_t i = 0; i < x.size(); ++i) {
          const auto row = i / kPitch;
          const T y = divisors[row], expected = i % kPitch < kCols ? static_cast<T>(ExpectedOf(name, x[i], y)) : T{77};
          ASSERT_EQ(actual[i], expected) << name << "(" << +x[i] << ", " << +y << ")";
        }
      }
    }
  }
}

}  // namespace
}  // namespace axiscast
