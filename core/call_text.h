// Calls of ops as text, `maximum(add(x, bias@1), 0)`: what users write as an expression, and what an op declares as its gradient.
// What names mean is the affair of those who read them.
#ifndef AXISCAST_CORE_CALL_TEXT_H_
#define AXISCAST_CORE_CALL_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axiscast/plan.h"

namespace axiscast {

// What a call is given. All views are parts of the text.
struct CallValue {
  enum class Kind : std::uint8_t { kName, kNumber, kCall };
  Kind kind;
  std::string_view text;                            // as it is written, with its axis
  std::string_view name = {};                       // of kName
  std::optional<std::int64_t> axis = std::nullopt;  // of kName
  std::optional<Attribute> number = std::nullopt;   // of kNumber, an integer or the nearest float64; without a name
  int index = 0;  // of kCall: its place among those that were read; of kName for its readers to set
};

struct CallAttribute {
  std::string_view name;
  Attribute number;  // without a name
};

struct TextCall {
  std::string_view text;  // all of it
  std::string_view name;
  std::vector<CallValue> values;
  std::vector<CallAttribute> attributes;
};

// What is wrong with a text, thrown to where reading began. The message names the place.
struct Malformed {
  std::string message;
};

// ` at character 9 of "maximum(add(x, y), 0)"`: where a part of a text is. Of a long text, what is around it.
std::string PlaceOf(std::string_view text, std::string_view part);
// `; in "add(x, y)" at character 9 of "maximum(add(x, y), 0)"`, or `; in "add(x, y)"` where that is all of it.
std::string InPart(std::string_view text, std::string_view part);

class CallReader {
 public:
  explicit CallReader(std::string_view text) : text_(text), left_(text) {}

  // Reads what comes next: a call, a name or a number. Calls are added to `calls`, each behind those that it reads. Throws
  // Malformed.
  CallValue Read(std::vector<TextCall>* calls);
  // Skips space, and then `sign` where it comes next.
  bool Skip(std::string_view sign);
  bool AtEnd();
  // Throws `message`, what comes next, and, behind a value, what to write instead of an infix sign.
  [[noreturn]] void Refuse(const std::string& message, bool behind_value = false) const;

 private:
  std::string_view NextWord() const;
  std::string_view Take(std::size_t length);
  // Whether a word comes next and then `sign`.
  bool IsBefore(char sign) const;
  CallValue ReadNameOrNumber();
  Attribute ReadNumber();

  const std::string_view text_;
  std::string_view left_;
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_CALL_TEXT_H_
