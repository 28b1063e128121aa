// What the benchmarks need to know of this machine, and the memory that they work on.
#include "bench/machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "core/parallel.h"

namespace axiscast::bench {
namespace {

constexpr std::int64_t kLeastMemory = std::int64_t{64} << 20;
constexpr std::int64_t kMostMemory = std::int64_t{512} << 20;  // more takes too long to fill

}  // namespace

std::int64_t Machine::WorkingSet(const std::string& level) const {
  if (level == "L1") return caches.l1 / 2;
  if (level == "L2") return caches.l2 / 2;
  if (level == "L3") return std::max(caches.l3 / 4, 2 * caches.l2);
  return std::clamp(4 * caches.l3, kLeastMemory, kMostMemory);
}

const char* Machine::LevelOf(std::int64_t bytes) const {
  return bytes <= caches.l1 ? "L1" : bytes <= caches.l2 ? "L2" : bytes <= caches.l3 ? "L3" : "memory";
}

const Machine& ThisMachine() {
  static const Machine machine{MachineCaches(), Concurrency({})};
  return machine;
}

Arena::Arena(std::int64_t bytes) : size_((bytes + 4095) / 4096 * 4096) {
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(4096, static_cast<std::size_t>(size_))));
  if (data_ == nullptr) throw std::bad_alloc();
  // Bytes 0x3f and 0x40 in no simple order: floats of both sizes are then about 1e-3 to 32, int8 63 or 64.
  std::uint32_t state = 1;
  for (std::int64_t i = 0; i < size_; ++i) {
    state = state * 1664525u + 1013904223u;
    data_.get()[i] = static_cast<std::byte>(0x3f + (state >> 31));
  }
}

void Arena::Free::operator()(std::byte* data) const { std::free(data); }

}  // namespace axiscast::bench
