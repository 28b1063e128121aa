// The classes of machines that were measured, and which one this is.
#include "core/speed.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <cstring>
#include <limits>

namespace axiscast {
namespace {

// Measured by `./dev bench --patterns`: of the estimates nine of ten are within 1.5 times (three of four while the machine is
// slow), of a Zen 4's by a Zen 5's numbers four of ten, of an Emerald Rapids' one of twenty: calls took 2 to 7 times as long.
//
// A row of a quarter of a Zen 4's L1 is out of it again by the time that the next one reads it: 64 x 64 of float32 for each head
// and batch, cut, take 0.75 to 0.85 of the time from L2 and L3. A Zen 5, which reads L2 as fast as L1, takes 1.75 times as long in
// L2, and 1.05 times in L3; but with rows of half of its L1 and more, cut, 0.73 to 0.88 of the time from L3 (100 x 10000 of
// float32, 64 x 64 of float64, with one thread and two), and 0.93 to 1.02 from L2. Abreast (kit/abreast-inl.h) it wants the same
// rows: where results are streamed, those of 20 KB take 1.15 to 1.19 of the time that they take one by one, of 32 KB 1.06 with one
// thread and 0.84 with two, of 64 to 200 KB 0.72 to 0.82; in place, where nothing is streamed, nobody measured it.
//
// A Zen 4 moves 64 bytes in two halves. As two loads of 32 bytes and two stores, sums of two arrays take 0.89 of the time in L1,
// 0.95 in L3, 0.9 in L2 with two threads and 1 with one; and in a plain loop 0.88 in memory where they are not streamed, 0.94 where
// they are. Sums of an array and one value take as long.
//
// The Zen 3 was 2 virtual cores of a server. Its vectors are 32 bytes: 64 take twice the cycles of one. By a Zen 5's numbers 14 of
// 356 estimates were within 1.5 times, by its own 292, before that run corrected four of these; on another one later 264 to 294 of
// 367, and 323 since two were corrected again (what is streamed, and slowness). Rows are cut where they are longer
// than L1: whole, those of half of it take 0.83 to 1 of the time from L3; from L2 4000 of float32 take 0.85, but 64 x 64, where all
// operands have the same places in L1, 1.25.
//
// The Emerald Rapids was 16 virtual cores of a server. From L2 it reads 111 GB/s, but fills 41, and copies 62 with reads and writes
// counted; its L3 is far from its cores. It says that L3 has 300 MB. Of sums of two arrays, into a cache or past it, and a loop
// that reads the result after that (ms, one thread), the first is the faster pair up to 48 MB in all: 24 MB 1.24 + 0.52 and 0.85
// + 1.18, 48 MB 2.6 + 0.9 and 1.6 + 1.9, 64 MB 3.6 + 1.3 and 2.2 + 2.6, 80 MB 4.8 + 2.5 and 2.8 + 3.2; outputs alone alike.
// Its L1 and L3 took 1.3 times as long in one run as in another, beside other guests. The row is that of 2 virtual cores of another
// one, where in later runs 94 % of the estimates were within 1.5 times; by the first one's numbers, 87 % there and 77 % here.
// Divisions take twice as long as their cycles say. How shared rows are cut was not measured. Sapphire Rapids, which has the same
// cores, and Granite Rapids have its row, as it is nearer than a Zen 5's; nobody measured them.
//
// Machines of other classes, which the first row is for, nobody measured: it is a Zen 5's, but nothing is asked for in caches.
//
// How many parts take turns was measured on the Zen 3 (rows alone), a Zen 5 and the Emerald Rapids; a Zen 4 has what a Zen 5 has.
constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
constexpr Speed kOther = {.l1 = 600e9,
                          .l2 = 200e9,
                          .l3 = 105e9,
                          .memory = 38e9,
                          .streamed = 54e9,
                          .stores = 1,
                          .cycle_seconds = 0.25e-9,
                          .slowness = 1,
                          .shared_row = 0.5,
                          .halves = false,
                          .by_turns = {2, 2, 1, 2},
                          .asks_in_caches = false,
                          .chain_ahead = 4096,
                          .last_cache = kAll};
[[maybe_unused]] constexpr Speed kZen5 = [] {
  Speed speed = kOther;
  speed.asks_in_caches = true;
  return speed;
}();
[[maybe_unused]] constexpr Speed kZen3 = {.l1 = 128e9,
                                          .l2 = 97e9,
                                          .l3 = 68e9,
                                          .memory = 22e9,
                                          .streamed = 26e9,
                                          .stores = 1,
                                          .cycle_seconds = 0.64e-9,
                                          .slowness = 2.1,
                                          .shared_row = 1,
                                          .halves = false,
                                          .by_turns = {2, 2, 1, 4},
                                          .asks_in_caches = false,
                                          .chain_ahead = 0,
                                          .last_cache = kAll};
[[maybe_unused]] constexpr Speed kZen4 = {.l1 = 265e9,
                                          .l2 = 112e9,
                                          .l3 = 92e9,
                                          .memory = 27e9,
                                          .streamed = 34e9,
                                          .stores = 1,
                                          .cycle_seconds = 0.5e-9,
                                          .slowness = 1.4,
                                          .shared_row = 0.25,
                                          .halves = true,
                                          .by_turns = {2, 2, 1, 2},
                                          .asks_in_caches = false,
                                          .chain_ahead = 0,
                                          .last_cache = kAll};
[[maybe_unused]] constexpr Speed kGoldenCove = {.l1 = 460e9,
                                                .l2 = 112e9,
                                                .l3 = 37e9,
                                                .memory = 17e9,
                                                .streamed = 23.5e9,
                                                .stores = 2,
                                                .cycle_seconds = 0.55e-9,
                                                .slowness = 1.35,
                                                .shared_row = 0.25,
                                                .halves = false,
                                                .by_turns = {4, 4, 4, 4},
                                                .asks_in_caches = false,
                                                .chain_ahead = 0,
                                                .last_cache = 64 << 20};

#if defined(__x86_64__) || defined(__i386__)
struct Cpuid {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

bool Ask(unsigned leaf, Cpuid* cpuid) noexcept {
  return __get_cpuid_count(leaf, 0, &cpuid->eax, &cpuid->ebx, &cpuid->ecx, &cpuid->edx) != 0;
}

const Speed& OfThisCpu() noexcept {
  Cpuid maker, version, features;
  if (!Ask(0, &maker) || !Ask(1, &version) || !Ask(7, &features)) return kOther;
  char vendor[12];
  std::memcpy(vendor, &maker.ebx, 4);
  std::memcpy(vendor + 4, &maker.edx, 4);
  std::memcpy(vendor + 8, &maker.ecx, 4);
  const auto is_of = [&](const char* name) { return std::memcmp(vendor, name, sizeof(vendor)) == 0; };
  const unsigned family = (version.eax >> 8 & 0xf) + (version.eax >> 20 & 0xff);
  const unsigned model = (version.eax >> 4 & 0xf) | (version.eax >> 12 & 0xf0);
  const bool has_avx512 = (features.ebx >> 16 & 1) != 0;
  // Zen 3 and Zen 4 are of one family.
  if (is_of("AuthenticAMD") && family == 0x19) return has_avx512 ? kZen4 : kZen3;
  constexpr unsigned kSapphireRapids = 0x8f, kEmeraldRapids = 0xcf, kGraniteRapids = 0xad;
  if (is_of("GenuineIntel") && family == 6 && (model == kSapphireRapids || model == kEmeraldRapids || model == kGraniteRapids)) {
    return kGoldenCove;
  }
  if (is_of("AuthenticAMD") && family == 0x1a) return kZen5;
  return kOther;
}
#else
const Speed& OfThisCpu() noexcept { return kOther; }
#endif

}  // namespace

const Speed& MachineSpeed() noexcept {
  static const Speed& speed = OfThisCpu();
  return speed;
}

}  // namespace axiscast
