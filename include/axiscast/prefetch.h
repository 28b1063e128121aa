// Asking for a cache line that will be written to.
#ifndef AXISCAST_PREFETCH_H_
#define AXISCAST_PREFETCH_H_

namespace axiscast {

// Without flags for newer CPUs gcc makes of __builtin_prefetch's such a request one to read; those of x86-64 that do not have this
// instruction do nothing.
inline void PrefetchToWrite(const void* line) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

}  // namespace axiscast

#endif  // AXISCAST_PREFETCH_H_
