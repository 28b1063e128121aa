// The part of Python's literals that headers of .npy files are written in.
#ifndef AXISCAST_TOOLS_PYTHON_LITERAL_H_
#define AXISCAST_TOOLS_PYTHON_LITERAL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace axiscast::tools {

struct PythonLiteral {
  enum class Kind { kNone, kBool, kInteger, kString, kBytes, kTuple, kList, kDict };
  Kind kind = Kind::kNone;
  bool boolean = false;
  bool fits = true;  // kInteger: false when it does not fit in int64
  std::int64_t integer = 0;
  std::string string;                // kString, kBytes
  std::vector<PythonLiteral> items;  // kTuple, kList; kDict: key, value, key, value, ...
};

// Reads one literal and nothing after it but white space and comments: None, True, False, integers (with Python 2's `L` too),
// strings in either quotes, tuples, lists and dicts. On failure says why and where, and returns false.
bool ParsePythonLiteral(std::string_view text, PythonLiteral* literal, std::string* why);

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_PYTHON_LITERAL_H_
