// What the command needs from inside the library: the one file of tools/ that looks behind the public headers.
#ifndef AXISCAST_TOOLS_LIBRARY_INTERNALS_H_
#define AXISCAST_TOOLS_LIBRARY_INTERNALS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "axiscast/plan.h"

namespace axiscast::tools {

// The library's words for a name that does not exist: it is repeated, with those that do, near ones first.
std::string NoSuch(std::string_view kind, std::string_view wrong, const std::vector<std::string>& names);

// With control characters written out: they would change the user's terminal.
std::string Printable(std::string_view text);

// "numpy, axis, none": the names, near ones first.
std::string NearestFirst(std::string_view wrong, const std::vector<std::string>& names);

// "3.00 MiB", "12 bytes".
std::string BytesText(double bytes);

// The exact number that `text` says, to *number, which keeps its name; false when it is none.
bool ReadNumber(std::string_view text, Attribute* number);

// The threads that a call with this limit (0: none) may run on.
int ThreadCount(int limit);

// Bytes: l1 and l2 of one core, l3 of all that share it. Usual sizes where the system does not say.
struct CacheSizes {
  std::int64_t l1, l2, l3;
};
CacheSizes MachineCacheSizes();

// The version of oneTBB that is loaded.
std::string ThreadingLibrary();

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_LIBRARY_INTERNALS_H_
