// How many bytes, for people.
#ifndef AXISCAST_CORE_BYTES_TEXT_H_
#define AXISCAST_CORE_BYTES_TEXT_H_

#include <string>

namespace axiscast {

// "12 bytes", "3.00 MiB", "112 GiB": three digits.
std::string BytesText(double bytes);

}  // namespace axiscast

#endif  // AXISCAST_CORE_BYTES_TEXT_H_
