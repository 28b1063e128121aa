// The sizes of this machine's data caches.
#ifndef AXISCAST_TOOLS_CACHES_H_
#define AXISCAST_TOOLS_CACHES_H_

#include <cstdint>

namespace axiscast::tools {

// Bytes: l1 and l2 of one core, l3 of all that share it. 0 where the system does not say.
struct Caches {
  std::int64_t l1 = 0;
  std::int64_t l2 = 0;
  std::int64_t l3 = 0;
};

Caches ReadCaches();

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_CACHES_H_
