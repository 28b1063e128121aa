// The classes of machines that were measured, and which one this is.
#include "core/speed.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <cstring>

namespace axiscast {
namespace {

// Measured by `./dev bench --patterns`: of the estimates nine of ten are within 1.5 times (three of four while the machine is
// slow), of a Zen 4's by a Zen 5's numbers four of ten, of an Emerald Rapids' one of twenty: calls took 2 to 7 times as long.
//
// A row of a quarter of a Zen 4's L1 is out of it again by the time that the next one reads it: 64 x 64 of float32 for each head
// and batch, cut, take 0.75 to 0.85 of the time from L2 and L3. A Zen 5, which reads L2 as fast as L1, takes 1.75 times as long in
// L2, and 1.05 times in L3; but with rows of half of its L1 and more, cut, 0.73 to 0.88 of the time from L3 (100 x 10000 of
// float32, 64 x 64 of float64, with one thread and two), and 0.93 to 1.02 from L2.
//
// A Zen 4 moves 64 bytes in two halves. As two loads of 32 bytes and two stores, sums of two arrays take 0.89 of the time in L1,
// 0.95 in L3, 0.9 in L2 with two threads and 1 with one; and in a plain loop 0.88 in memory where they are not streamed, 0.94 where
// they are. Sums of an array and one value take as long.
//
// The Emerald Rapids was 16 virtual cores of a busy server: seven of ten estimates in L1 and L2, by a row with slower L1 and cycles
// that those estimates corrected; this one was not run there, nor any in L3 and memory. How shared rows are cut was not measured.
// Sapphire Rapids, which has the same cores, and Granite Rapids have its row, as it is nearer than a Zen 5's; nobody measured them.
constexpr Speed kZen5 = {400e9, 200e9, 105e9, 38e9, 54e9, 0.25e-9, 1, 0.5, false};
[[maybe_unused]] constexpr Speed kZen4 = {265e9, 112e9, 92e9, 27e9, 34e9, 0.5e-9, 1.4, 0.25, true};
[[maybe_unused]] constexpr Speed kGoldenCove = {400e9, 88e9, 25e9, 12e9, 17e9, 0.6e-9, 1.5, 0.25, false};

#if defined(__x86_64__) || defined(__i386__)
struct Cpuid {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

bool Ask(unsigned leaf, Cpuid* cpuid) noexcept {
  return __get_cpuid_count(leaf, 0, &cpuid->eax, &cpuid->ebx, &cpuid->ecx, &cpuid->edx) != 0;
}

const Speed& OfThisCpu() noexcept {
  Cpuid maker, version, features;
  if (!Ask(0, &maker) || !Ask(1, &version) || !Ask(7, &features)) return kZen5;
  char vendor[12];
  std::memcpy(vendor, &maker.ebx, 4);
  std::memcpy(vendor + 4, &maker.edx, 4);
  std::memcpy(vendor + 8, &maker.ecx, 4);
  const auto is_of = [&](const char* name) { return std::memcmp(vendor, name, sizeof(vendor)) == 0; };
  const unsigned family = (version.eax >> 8 & 0xf) + (version.eax >> 20 & 0xff);
  const unsigned model = (version.eax >> 4 & 0xf) | (version.eax >> 12 & 0xf0);
  const bool has_avx512 = (features.ebx >> 16 & 1) != 0;
  // Zen 4 is of family 0x19, as is Zen 3, which nobody measured and which has no AVX-512.
  if (is_of("AuthenticAMD") && family == 0x19 && has_avx512) return kZen4;
  constexpr unsigned kSapphireRapids = 0x8f, kEmeraldRapids = 0xcf, kGraniteRapids = 0xad;
  if (is_of("GenuineIntel") && family == 6 && (model == kSapphireRapids || model == kEmeraldRapids || model == kGraniteRapids)) {
    return kGoldenCove;
  }
  return kZen5;
}
#else
const Speed& OfThisCpu() noexcept { return kZen5; }
#endif

}  // namespace

const Speed& MachineSpeed() noexcept {
  static const Speed& speed = OfThisCpu();
  return speed;
}

}  // namespace axiscast
