// Memory that is there to be used.
#ifndef AXISCAST_TOOLS_MEMORY_H_
#define AXISCAST_TOOLS_MEMORY_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

namespace axiscast::tools {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, FreeMemory>;

// `bytes` of memory aligned to 64, at least one. Fails with kOutOfMemory, naming `what_for`, also where the system would promise
// memory that this machine or container does not have, and end the process later.
Memory Allocate(std::int64_t bytes, const std::string& what_for);

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_MEMORY_H_
