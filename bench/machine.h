// What the benchmarks need to know of this machine, and the memory that they work on.
#ifndef AXISCAST_BENCH_MACHINE_H_
#define AXISCAST_BENCH_MACHINE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/caches.h"

namespace axiscast::bench {

struct Machine {
  Caches caches;
  int threads;  // that oneTBB would use

  // Bytes of all operands together that live in a level ("L1", "L2", "L3", "memory"): a part of the cache, one core's; several
  // times the last cache.
  std::int64_t WorkingSet(const std::string& level) const;
  // The level in which so many bytes of one call live.
  const char* LevelOf(std::int64_t bytes) const;
};

const Machine& ThisMachine();

// Aligned memory of ordinary values in any dtype (not 0, NaN, subnormal or out of range), written once. Inputs are read from its
// beginning, results go to its second half: every call finds the values that the arena began with.
class Arena {
 public:
  explicit Arena(std::int64_t bytes);
  std::byte* data() { return data_.get(); }
  std::byte* second_half() { return data() + size_ / 8192 * 4096; }
  std::int64_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::int64_t size_;
};

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_MACHINE_H_
