// Reads calls; see call_text.h.
#include "core/call_text.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "core/attribute.h"
#include "core/near_names.h"

namespace axiscast {
namespace {

constexpr std::string_view kSpaceAndSigns = " \t\r\n(),;=@", kSpace = kSpaceAndSigns.substr(0, 4),
                           kSigns = kSpaceAndSigns.substr(4);

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsInWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_'; }
bool BeginsNumber(char c) { return IsDigit(c) || c == '.' || c == '-' || c == '+'; }
// Words that are numbers, wherever they are not the name of an op that is called.
bool IsNumberWord(std::string_view word) { return word == "inf" || word == "nan"; }

// `text` up to a length, or some bytes beyond that: a character of UTF-8 stays whole.
std::string_view Beginning(std::string_view text, std::size_t length) {
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
  return text.substr(0, length);
}

// As much of the text as messages show.
std::string Quote(std::string_view text, std::size_t at) {
  constexpr std::size_t kMost = 200, kAround = 80;
  if (text.size() <= kMost) return "\"" + Printable(text) + "\"";
  const std::size_t before = at > kAround ? Beginning(text, at - kAround).size() : 0;
  const std::string_view shown = Beginning(text.substr(before), at - before + kAround);
  return std::string(before > 0 ? "\"..." : "\"") + Printable(shown) + (before + shown.size() < text.size() ? "...\"" : "\"");
}

}  // namespace

std::string PlaceOf(std::string_view text, std::string_view part) {
  const auto at = static_cast<std::size_t>(part.data() - text.data());
  return " at character " + std::to_string(at + 1) + " of " + Quote(text, at);
}

std::string InPart(std::string_view text, std::string_view part) {
  return "; in " + Quote(part, 0) + (part.size() < text.size() ? PlaceOf(text, part) : "");
}

void CallReader::Refuse(const std::string& message, bool behind_value) const {
  constexpr std::size_t kMost = 40;
  const std::size_t space = left_.find_first_not_of(kSpace);
  const std::string_view rest = left_.substr(space != left_.npos ? space : left_.size());
  if (rest.empty()) throw Malformed{message + "; got the end of " + Quote(text_, text_.size())};
  const bool is_sign = kSigns.find(rest.front()) != kSigns.npos;
  const std::size_t end = is_sign ? 1 : rest.find_first_of(kSpaceAndSigns);
  const std::string_view found = Beginning(rest, std::min({end, rest.size(), kMost}));
  const bool infix = behind_value && found.find_first_of("+-*/") == 0;
  const char* const way_out = infix ? "; arithmetic is written with ops, as in add(x, 1)" : "";
  throw Malformed{message + "; got \"" + Printable(found) + "\"" + PlaceOf(text_, found) + way_out};
}

bool CallReader::Skip(std::string_view sign) {
  left_.remove_prefix(std::min(left_.find_first_not_of(kSpace), left_.size()));
  if (left_.substr(0, sign.size()) != sign) return false;
  left_.remove_prefix(sign.size());
  return true;
}

bool CallReader::AtEnd() {
  Skip("");
  return left_.empty();
}

std::string_view CallReader::NextWord() const {
  std::size_t length = 0;
  while (length < left_.size() && IsInWord(left_[length])) ++length;
  return length > 0 && IsDigit(left_[0]) ? std::string_view() : left_.substr(0, length);
}

std::string_view CallReader::Take(std::size_t length) {
  const std::string_view taken = left_.substr(0, length);
  left_.remove_prefix(length);
  return taken;
}

bool CallReader::IsBefore(char sign) const {
  const std::size_t length = NextWord().size();
  const std::size_t next = left_.find_first_not_of(kSpace, length);
  return length > 0 && next != left_.npos && left_[next] == sign;
}

Attribute CallReader::ReadNumber() {
  std::size_t length = NextWord().size();
  if (!IsNumberWord(NextWord())) {
    length = !left_.empty() && BeginsNumber(left_[0]) ? 1 : 0;
    const auto goes_on = [this, &length] {
      const char c = left_[length], last = left_[length - 1];
      return IsInWord(c) || c == '.' || ((c == '-' || c == '+') && (last == 'e' || last == 'E'));
    };
    while (length > 0 && length < left_.size() && goes_on()) ++length;
  }
  Attribute number("", 0);
  if (!axiscast::ReadNumber(left_.substr(0, length), &number)) Refuse("a number must come here, of a size that a float64 has");
  Take(length);
  return number;
}

CallValue CallReader::ReadNameOrNumber() {
  const std::string_view begin = left_, word = NextWord();
  CallValue value{CallValue::Kind::kName, word};
  if (IsNumberWord(word) || (!left_.empty() && BeginsNumber(left_[0]))) {
    value.kind = CallValue::Kind::kNumber;
    value.number = ReadNumber();
  } else if (word.empty()) {
    Refuse("a name, a number or a call of an op must come here");
  } else {
    value.name = Take(word.size());
    const std::string_view behind = left_;
    if (Skip("@")) {
      Skip("");
      std::int64_t axis = 0;
      const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), axis);
      if (error != std::errc() || axis < -1 || (end != left_.data() + left_.size() && IsInWord(*end)))
        Refuse("an axis must be a whole number from 0 on, or -1, which aligns right");
      Take(static_cast<std::size_t>(end - left_.data()));
      value.axis = axis;
    } else {
      left_ = behind;  // without the space
    }
  }
  value.text = begin.substr(0, begin.size() - left_.size());
  return value;
}

CallValue CallReader::Read(std::vector<TextCall>* calls) {
  std::vector<TextCall> open;  // not by recursion, which a text could make as deep as it is long
  const auto close = [&open, calls, this] {
    TextCall& call = open.back();
    call.text = std::string_view(call.name.data(), static_cast<std::size_t>(left_.data() - call.name.data()));
    CallValue value{CallValue::Kind::kCall, call.text};
    value.index = static_cast<int>(calls->size());
    calls->push_back(std::move(call));
    open.pop_back();
    return value;
  };
  for (;;) {
    Skip("");
    std::optional<CallValue> value;
    const bool is_attribute = !open.empty() && IsBefore('=');
    if (!is_attribute && !open.empty() && !open.back().attributes.empty())
      Refuse("behind an attribute only attributes may come, as in min=0");
    if (IsBefore('(')) {
      open.push_back({{}, Take(NextWord().size()), {}, {}});
      Skip("(");
      if (!Skip(")")) continue;
      value = close();
    } else if (is_attribute) {
      const std::string_view name = Take(NextWord().size());
      Skip("=");
      Skip("");
      open.back().attributes.push_back({name, ReadNumber()});
    } else {
      value = ReadNameOrNumber();
    }
    while (!open.empty()) {
      if (value) open.back().values.push_back(*value);
      if (Skip(",")) break;
      if (!Skip(")")) Refuse("there must be \",\" or \")\" here", true);
      value = close();
    }
    if (open.empty()) return *value;
  }
}

}  // namespace axiscast
