// What the command needs from inside the library.
#include "tools/library_internals.h"

#include "core/attribute.h"
#include "core/bytes_text.h"
#include "core/caches.h"
#include "core/near_names.h"
#include "core/parallel.h"

namespace axiscast::tools {

std::string NoSuch(std::string_view kind, std::string_view wrong, const std::vector<std::string>& names) {
  return UnknownName(kind, wrong, std::vector<std::string_view>(names.begin(), names.end())).message();
}

std::string Printable(std::string_view text) { return axiscast::Printable(text); }

std::string NearestFirst(std::string_view wrong, const std::vector<std::string>& names) {
  std::vector<std::string_view> ranked(names.begin(), names.end());
  RankNames(wrong, &ranked);
  std::string text;
  for (const std::string_view name : ranked) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

std::string BytesText(double bytes) { return axiscast::BytesText(bytes); }

bool ReadNumber(std::string_view text, Attribute* number) { return axiscast::ReadNumber(text, number); }

int ThreadCount(int limit) {
  ExecuteOptions options;
  options.max_threads = limit;
  return Concurrency(options);
}

CacheSizes MachineCacheSizes() {
  const Caches& caches = MachineCaches();
  return {caches.l1, caches.l2, caches.l3};
}

std::string ThreadingLibrary() { return ThreadingVersion(); }

}  // namespace axiscast::tools
