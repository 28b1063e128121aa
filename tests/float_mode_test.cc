// Callers that round otherwise, flush subnormals or trap: results are the same bits, no call ends the process or does not end, and
// the mode is as it was.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "axiscast/axiscast.h"

namespace axiscast {
namespace {

const int kModes[] = {
    FE_TONEAREST,
#if defined(FE_UPWARD) && defined(FE_DOWNWARD) && defined(FE_TOWARDZERO)
    FE_UPWARD,
    FE_DOWNWARD,
    FE_TOWARDZERO,
#endif
};

// While it lives, the calling thread rounds so.
class Rounding {
 public:
  explicit Rounding(int mode) : before_(std::fegetround()) { EXPECT_EQ(std::fesetround(mode), 0); }
  ~Rounding() { std::fesetround(before_); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  const int before_;
};

// x / y of so many elements each, or of one y for all.
template <typename T>
std::vector<T> Quotients(const char* op, std::int64_t count, T x, T y, bool one_divisor) {
  const std::vector<T> dividends(static_cast<std::size_t>(count), x), divisors(static_cast<std::size_t>(count), y);
  std::vector<T> out(static_cast<std::size_t>(count));
  const Shape shape{count};
  const Status status =
      Apply(*FindOp(op), {{dividends.data(), shape}, {divisors.data(), one_divisor ? Shape{1} : shape}}, {out.data(), shape});
  EXPECT_TRUE(status.ok()) << status.message();
  return out;
}

// Seen wrong by one, by op, kind of divisor, and mode.
template <typename T>
void ExpectQuotient(const char* op, T x, T y, T expected) {
  for (const int mode : kModes) {
    const Rounding rounding(mode);
    for (const std::int64_t count : {3, 100, 5000}) {
      for (const bool one_divisor : {false, true}) {
        SCOPED_TRACE(std::string(op) + ", rounding " + std::to_string(mode) + ", " + std::to_string(count) + " elements" +
                     (one_divisor ? ", one divisor" : ""));
        EXPECT_EQ(Quotients(op, count, x, y, one_divisor), std::vector<T>(static_cast<std::size_t>(count), expected));
        EXPECT_EQ(std::fegetround(), mode);
      }
    }
  }
}

TEST(FloatMode, QuotientsOfIntegers) {
  ExpectQuotient<std::int8_t>("floor_divide", 99, -89, -2);
  ExpectQuotient<std::int8_t>("divide", 99, -89, -1);
  ExpectQuotient<std::uint32_t>("divide", 2709578575u, 4125068967u, 0);
  ExpectQuotient<std::int32_t>("divide", 11895, 15, 793);
  ExpectQuotient<std::int64_t>("divide", 11895, 15, 793);
  ExpectQuotient<std::int64_t>("remainder", 11895, 15, 0);
}

// 0.1 + 0.2 and what an attribute of 0.1 is, each rounded to nearest.
TEST(FloatMode, SumsAndAttributes) {
  for (const int mode : kModes) {
    const Rounding rounding(mode);
    EXPECT_EQ(Quotients("add", 100, 0.1f, 0.2f, false), std::vector<float>(100, 0x1.333334p-2f)) << mode;
    const float zero = 0;
    float out;
    ApplyOptions options;
    options.attributes = {{"min", 0.1}};
    ASSERT_TRUE(Apply(*FindOp("clip"), {{&zero, {1}}}, {&out, {1}}, options).ok());
    EXPECT_EQ(out, 0x1.99999ap-4f) << mode;
  }
}

// A plan that was made in one mode, and runs in others, whole and in parts.
TEST(FloatMode, PlansAndTheirParts) {
  constexpr std::int64_t kCount = 100'000;
  const std::vector<float> x(kCount, 0.1f), y(kCount, 0.2f), expected(kCount, 0x1.333334p-2f);
  std::vector<float> out(kCount);
  Plan plan;
  const Shape shape{kCount};
  ASSERT_TRUE(Plan::Make(*FindOp("add"), {{x.data(), shape}, {y.data(), shape}}, {out.data(), shape}, {}, &plan).ok());
  for (const int mode : kModes) {
    const Rounding rounding(mode);
    const void* inputs[] = {x.data(), y.data()};
    out.assign(kCount, 0);
    ASSERT_TRUE(plan.Execute(inputs, out.data()).ok());
    EXPECT_EQ(out, expected) << mode;
    out.assign(kCount, 0);
    for (int part = 0; part < 3; ++part) ASSERT_TRUE(plan.ExecutePart(inputs, out.data(), part, 3).ok());
    EXPECT_EQ(out, expected) << mode << ", in parts";
    EXPECT_EQ(std::fegetround(), mode);
  }
}

// Toward zero, a quotient that overflows is the largest number, and not what ends the loop.
TEST(FloatMode, RemaindersOfHugeQuotients) {
  const double expected = std::fmod(1e308, 1e-300);
  for (const int mode : kModes) {
    const Rounding rounding(mode);
    EXPECT_EQ(Quotients("fmod", 16, 1e308, 1e-300, false), std::vector<double>(16, expected)) << mode;
  }
}

#if defined(__SSE2__)
// Lanes behind the last element divide what is there.
TEST(FloatMode, TrapsOfTheCaller) {
  const unsigned before = _mm_getcsr();
  constexpr unsigned kTraps = _MM_MASK_MASK;  // all: planning is not exact either
  for (std::int64_t count = 1; count < 40; ++count) {
    _mm_setcsr(before & ~(kTraps | 0x3f));
    const std::vector<float> floats = Quotients("divide", count, 4.0f, 2.0f, false);
    const std::vector<std::int32_t> ints = Quotients("divide", count, 4, 2, false);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(after & kTraps, 0u) << "the traps are the caller's to mask";
    EXPECT_EQ(floats, std::vector<float>(static_cast<std::size_t>(count), 2.0f));
    EXPECT_EQ(ints, std::vector<std::int32_t>(static_cast<std::size_t>(count), 2));
  }
}

// Calls that do not look at the mode (Kernel::any_float_mode): signalling NaNs and infinities as bits.
TEST(FloatMode, BitsThatAreMovedDoNotTrap) {
  const std::vector<std::uint32_t> x{0x7fa00000, 0xffa00001, 0x7f800000, 0x00000001, 0x80000000, 0x3f800000, 0x7fbfffff};
  std::vector<std::uint32_t> negated(x.size()), chosen(x.size()), expected(x);
  for (std::uint32_t& bits : expected) bits ^= 0x80000000;
  const std::vector<std::uint8_t> yes(x.size(), 1);
  const Shape shape{static_cast<std::int64_t>(x.size())};
  const TensorView floats(x.data(), DType::kFloat32, shape);
  Plan negative, where;
  ASSERT_TRUE(Plan::Make(*FindOp("negative"), {floats}, {negated.data(), DType::kFloat32, shape}, {}, &negative).ok());
  ASSERT_TRUE(Plan::Make(*FindOp("where"), {{yes.data(), DType::kBool, shape}, floats, floats},
                         {chosen.data(), DType::kFloat32, shape}, {}, &where)
                  .ok());
  const unsigned before = _mm_getcsr();
  const unsigned strange = (before & ~(_MM_MASK_MASK | 0x3f)) | _MM_ROUND_UP | 0x8040;
  _mm_setcsr(strange);
  const bool done =
      negative.Execute({x.data()}, negated.data()).ok() && where.Execute({yes.data(), x.data(), x.data()}, chosen.data()).ok();
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_TRUE(done);
  EXPECT_EQ(after, strange);
  EXPECT_EQ(negated, expected);
  EXPECT_EQ(chosen, x);
}

TEST(FloatMode, TrapsWhileExpressionsAreReadAndPlanned) {
  const std::vector<float> x(100, 1), expected(100, 0x1.19999ap+0f);
  std::vector<float> out(100);
  const Shape shape{100};
  Expression sum;
  Plan plan;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before & ~(_MM_MASK_MASK | 0x3f));
  const bool parsed = Expression::Parse("add(x, 0.1)", Registry::BuiltIn(), &sum).ok();
  const bool planned = Plan::Make(sum, {{x.data(), shape}}, {out.data(), shape}, {}, &plan).ok();
  const bool executed = plan.Execute({x.data()}, out.data()).ok();
  _mm_setcsr(before);
  EXPECT_TRUE(parsed && planned && executed);
  EXPECT_EQ(out, expected);
}

TEST(FloatMode, SubnormalsOfACallerThatFlushesThem) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // flushes results, and takes operands for 0
  const std::vector<float> sums = Quotients("add", 100, 1e-40f, 2e-40f, false);
  _mm_setcsr(before);
  EXPECT_EQ(sums, std::vector<float>(100, 1e-40f + 2e-40f));
}
#endif

}  // namespace
}  // namespace axiscast
