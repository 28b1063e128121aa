// How many bytes, for people.
#include "core/bytes_text.h"

#include <cstdio>

namespace axiscast {

std::string BytesText(double bytes) {
  if (bytes < 1000) return std::to_string(static_cast<int>(bytes)) + " bytes";
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  int unit = -1;
  while (bytes >= 1000 && unit < 5) {
    bytes /= 1024;
    ++unit;
  }
  const int decimals = bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f %s", decimals, bytes, units[unit]);
  return text;
}

}  // namespace axiscast
