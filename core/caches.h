// The sizes of this machine's data caches, and how to ask for a line of one.
#ifndef AXISCAST_CORE_CACHES_H_
#define AXISCAST_CORE_CACHES_H_

#include <cstddef>
#include <cstdint>

namespace axiscast {

inline constexpr std::int64_t kLineBytes = 64;  // of a cache

// Bytes: l1 and l2 of one core, l3 of all that share it, but of a server's no more than a process finds (core/speed.h). Usual sizes
// where the system does not say.
struct Caches {
  std::int64_t l1;
  std::int64_t l2;
  std::int64_t l3;
};

// Asks the system once. No allocation.
const Caches& MachineCaches() noexcept;

// Asks for the lines of [begin, end). Always inlined: gcc takes calls of functions that only prefetch for calls without effect.
[[gnu::always_inline]] inline void PrefetchLines(const std::byte* begin, const std::byte* end) noexcept {
  const std::byte* line = begin - reinterpret_cast<std::uintptr_t>(begin) % kLineBytes;
  for (; line < end; line += kLineBytes) __builtin_prefetch(line);
}

// Whether so many bytes are too many for the last cache: three quarters of it, as others use it too.
inline bool LeavesCaches(double bytes) noexcept { return bytes > 0.75 * static_cast<double>(MachineCaches().l3); }

}  // namespace axiscast

#endif  // AXISCAST_CORE_CACHES_H_
