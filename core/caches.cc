// The sizes of this machine's data caches, as Linux and the C library know them.
#include "core/caches.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/speed.h"

namespace axiscast {
namespace {

// The first word of a small file; "" when there is none.
struct Word {
  char text[32] = "";
};
Word ReadWord(int index, const char* name) {
  char path[96];
  std::snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name);
  Word word;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return word;
  const auto length = read(file, word.text, sizeof(word.text) - 1);
  close(file);
  word.text[std::max<std::int64_t>(length, 0)] = '\0';
  word.text[std::strcspn(word.text, " \n")] = '\0';
  return word;
}

// "32768K" and the like.
std::int64_t SizeFromText(const char* text) {
  std::int64_t size = 0;
  for (; *text != '\0'; ++text) {
    if (*text >= '0' && *text <= '9') size = size * 10 + (*text - '0');
    if (*text == 'K') size <<= 10;
    if (*text == 'M') size <<= 20;
  }
  return size;
}

Caches AskSystem() noexcept {
  std::int64_t sizes[3] = {};
  for (int i = 0; i < 8; ++i) {
    const Word level = ReadWord(i, "level");
    if (level.text[0] < '1' || level.text[0] > '3' || std::strcmp(ReadWord(i, "type").text, "Instruction") == 0) continue;
    sizes[level.text[0] - '1'] = SizeFromText(ReadWord(i, "size").text);
  }
#ifdef _SC_LEVEL1_DCACHE_SIZE
  constexpr int kNames[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  for (int level = 0; level < 3; ++level) {
    if (sizes[level] <= 0) sizes[level] = sysconf(kNames[level]);
  }
#endif
  if (sizes[0] <= 0) sizes[0] = 32 << 10;
  if (sizes[1] <= 0) sizes[1] = 1 << 20;
  if (sizes[2] <= 0) sizes[2] = std::max<std::int64_t>(16 << 20, sizes[1]);
  return {sizes[0], sizes[1], std::min(sizes[2], MachineSpeed().last_cache)};
}

}  // namespace

const Caches& MachineCaches() noexcept {
  static const Caches caches = AskSystem();
  return caches;
}

}  // namespace axiscast
