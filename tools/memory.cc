// Memory that is there to be used.
#include "tools/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "tools/failure.h"

namespace axiscast::tools {
namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kAlwaysTried = 64 << 20;  // not worth asking the system

// The number behind `key` in lines of "key number"; of a file with a number alone, for an empty key.
std::int64_t NumberIn(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    if (key.empty() || word == key) {
      std::int64_t number = 0;
      if (!key.empty() && !(file >> word)) break;
      for (const char c : word) {
        if (c < '0' || c > '9' || number > kUnknown / 16) return kUnknown;  // "max", or no limit by being huge
        number = number * 10 + (c - '0');
      }
      return number;
    }
  }
  return kUnknown;
}

// What a control group (version 2, then 1) still allows, files in its cache not counted: they are given up for us.
std::int64_t LeftIn(const std::string& limit_path, const std::string& used_path, const std::string& stat_path) {
  const std::int64_t limit = NumberIn(limit_path, "");
  const std::int64_t used = NumberIn(used_path, "");
  if (limit == kUnknown || used == kUnknown) return kUnknown;
  const std::int64_t inactive = NumberIn(stat_path, "inactive_file");
  const std::int64_t active = NumberIn(stat_path, "active_file");
  const std::int64_t files = (inactive == kUnknown ? 0 : inactive) + (active == kUnknown ? 0 : active);
  return std::max<std::int64_t>(limit - std::max<std::int64_t>(used - files, 0), 0);
}

std::int64_t AvailableMemory() {
  const std::int64_t kilobytes = NumberIn("/proc/meminfo", "MemAvailable:");
  std::int64_t available = kilobytes == kUnknown ? kUnknown : kilobytes * 1024;
  const std::string group = "/sys/fs/cgroup/";
  available = std::min(available, LeftIn(group + "memory.max", group + "memory.current", group + "memory.stat"));
  const std::string old = group + "memory/memory.";
  return std::min(available, LeftIn(old + "limit_in_bytes", old + "usage_in_bytes", old + "stat"));
}

}  // namespace

Memory Allocate(std::int64_t bytes, const std::string& what_for) {
  constexpr std::size_t kAlignment = 64;
  void* memory = nullptr;
  const std::int64_t available = bytes > kAlwaysTried ? AvailableMemory() : kUnknown;
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  if (bytes > available || posix_memalign(&memory, kAlignment, size) != 0) {
    Fail(StatusCode::kOutOfMemory, what_for + ": no memory for " + std::to_string(bytes) + " bytes" +
                                       (available < kUnknown ? "; there are " + std::to_string(available) : ""));
  }
  return Memory(memory);
}

}  // namespace axiscast::tools
