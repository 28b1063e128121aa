// The sizes of this machine's data caches, as Linux and the C library know them.
#include "tools/caches.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace axiscast::tools {
namespace {

std::string FirstWord(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// "32768K" and the like.
std::int64_t SizeFromText(const std::string& text) {
  std::int64_t size = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') size = size * 10 + (c - '0');
    if (c == 'K') size <<= 10;
    if (c == 'M') size <<= 20;
  }
  return size;
}

std::int64_t FromLibrary(int name) { return std::max<std::int64_t>(sysconf(name), 0); }

}  // namespace

Caches ReadCaches() {
  Caches caches;
  for (int i = 0; i < 8; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::string level = FirstWord(folder + "level");
    if (level.empty()) break;
    if (FirstWord(folder + "type") == "Instruction") continue;
    const std::int64_t size = SizeFromText(FirstWord(folder + "size"));
    if (level == "1") caches.l1 = size;
    if (level == "2") caches.l2 = size;
    if (level == "3") caches.l3 = size;
  }
#ifdef _SC_LEVEL1_DCACHE_SIZE
  if (caches.l1 == 0) caches.l1 = FromLibrary(_SC_LEVEL1_DCACHE_SIZE);
  if (caches.l2 == 0) caches.l2 = FromLibrary(_SC_LEVEL2_CACHE_SIZE);
  if (caches.l3 == 0) caches.l3 = FromLibrary(_SC_LEVEL3_CACHE_SIZE);
#endif
  return caches;
}

}  // namespace axiscast::tools
