// What to say of a name that does not exist: the names that do, those that may have been meant first.
#ifndef AXISCAST_CORE_NEAR_NAMES_H_
#define AXISCAST_CORE_NEAR_NAMES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "axiscast/status.h"

namespace axiscast {

// "did you mean numpy; there are: numpy, axis, none", or "there are: axis, none" when none is near: the near ones first by
// distance, the others in the order given. A name is near by few typing errors (letters missing, added, wrong or swapped; case does
// not count), and when one of the two begins with or contains the other. Throws std::bad_alloc.
std::string NearNames(std::string_view wrong, std::vector<std::string_view> names);

// Puts the near ones first, as above, and returns how many there are. Throws std::bad_alloc.
std::size_t RankNames(std::string_view wrong, std::vector<std::string_view>* names);

// With control characters written out: they would garble the caller's log, and a NUL would end the message.
std::string Printable(std::string_view text);

// kUnknownName: there is no mode "nunpy"; did you mean numpy; there are: ...
Status UnknownName(std::string_view kind, std::string_view wrong, std::vector<std::string_view> names) noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_NEAR_NAMES_H_
