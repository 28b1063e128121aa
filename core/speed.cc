// The classes of machines that were measured, and which one this is.
#include "core/speed.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <cstring>

namespace axiscast {
namespace {

// Measured by `./dev bench --patterns`: of the estimates nine of ten are within 1.5 times (three of four while the machine is
// slow), of a Zen 4's by a Zen 5's numbers four of ten.
//
// A row of a quarter of a Zen 4's L1 is out of it again by the time that the next one reads it: 64 x 64 of float32 for each head
// and batch, cut, take 0.75 to 0.85 of the time from L2 and L3. A Zen 5, which reads L2 as fast as L1, takes 1.75 times as long in
// L2, and 1.05 times in L3; but with rows of half of its L1 and more, cut, 0.73 to 0.88 of the time from L3 (100 x 10000 of
// float32, 64 x 64 of float64, with one thread and two), and 0.93 to 1.02 from L2.
//
// A Zen 4 moves 64 bytes in two halves. As two loads of 32 bytes and two stores, sums of two arrays take 0.89 of the time in L1,
// 0.95 in L3, 0.9 in L2 with two threads and 1 with one; and in a plain loop 0.88 in memory where they are not streamed, 0.94 where
// they are. Sums of an array and one value take as long.
constexpr Speed kZen5 = {400e9, 200e9, 105e9, 38e9, 54e9, 0.25e-9, 1, 0.5, false};
constexpr Speed kZen4 = {265e9, 112e9, 92e9, 27e9, 34e9, 0.5e-9, 1.4, 0.25, true};

#if defined(__x86_64__) || defined(__i386__)
// Zen 4 is of family 0x19, as is Zen 3, which nobody measured and which has no AVX-512.
bool IsZen4() noexcept {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) return false;
  char vendor[12];
  std::memcpy(vendor, &ebx, 4);
  std::memcpy(vendor + 4, &edx, 4);
  std::memcpy(vendor + 8, &ecx, 4);
  if (std::memcmp(vendor, "AuthenticAMD", sizeof(vendor)) != 0) return false;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (eax >> 8 & 0xf) + (eax >> 20 & 0xff) != 0x19) return false;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx >> 16 & 1) != 0;
}
#else
bool IsZen4() noexcept { return false; }
#endif

}  // namespace

const Speed& MachineSpeed() noexcept {
  static const Speed& speed = IsZen4() ? kZen4 : kZen5;
  return speed;
}

}  // namespace axiscast
