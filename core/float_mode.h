// The mode in which a thread computes floating point: how it rounds, and whether subnormals are flushed to 0.
#ifndef AXISCAST_CORE_FLOAT_MODE_H_
#define AXISCAST_CORE_FLOAT_MODE_H_

#if defined(__SSE2__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

#include <cstdint>

namespace axiscast {

// In which calls compute, whatever the caller's is, but those of one kernel that computes no floats (Kernel::any_float_mode): to
// nearest, with subnormals, and without traps. Kernels take whole vectors where less is left, and so divide zeros; quotients of
// integers are those of floats, put right by less than one, and wrong where these are not rounded to nearest; and a remainder's
// loop ends by what rounds to infinity.
#if defined(__SSE2__)
inline constexpr std::uint32_t kFloatFlags = 0x3f;  // exceptions that were seen so far, which are no mode
inline constexpr std::uint32_t kUsualFloatMode = 0x1f80;
#elif defined(__aarch64__)
inline constexpr std::uint32_t kUsualFloatMode = 0;
#else
inline constexpr std::uint32_t kUsualFloatMode = FE_TONEAREST;
#endif

// A few cycles on x86 and AArch64. Elsewhere the rounding alone: the standard library knows no more.
inline std::uint32_t GetFloatMode() noexcept {
#if defined(__SSE2__)
  return _mm_getcsr() & ~kFloatFlags;
#elif defined(__aarch64__)
  std::uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return static_cast<std::uint32_t>(mode);  // its upper half is reserved
#else
  return static_cast<std::uint32_t>(std::fegetround());
#endif
}

inline void SetFloatMode(std::uint32_t mode) noexcept {
#if defined(__SSE2__)
  _mm_setcsr(mode | (_mm_getcsr() & kFloatFlags));  // a thread of a pool keeps what it has seen
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{mode}));
#else
  std::fesetround(static_cast<int>(mode));
#endif
}

// While it lives, this thread computes in a mode, which mostly is its own.
class FloatModeScope {
 public:
  explicit FloatModeScope(std::uint32_t mode) noexcept : own_(GetFloatMode()), differs_(own_ != mode) {
    if (differs_) SetFloatMode(mode);
  }
  ~FloatModeScope() {
    if (differs_) SetFloatMode(own_);
  }
  FloatModeScope(const FloatModeScope&) = delete;
  FloatModeScope& operator=(const FloatModeScope&) = delete;

 private:
  const std::uint32_t own_;
  const bool differs_;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_FLOAT_MODE_H_
