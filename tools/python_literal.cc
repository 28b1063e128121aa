// The part of Python's literals that headers of .npy files are written in: a recursive-descent parser.
#include "tools/python_literal.h"

#include <limits>

namespace axiscast::tools {
namespace {

using Kind = PythonLiteral::Kind;

constexpr int kMaxDepth = 32;  // a file must not choose how deep the stack grows

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

int DigitValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool Whole(PythonLiteral* literal) {
    if (!Value(literal, 0)) return false;
    SkipSpace();
    return at_ == text_.size() || Refuse("something after the literal");
  }

  std::string why() const { return why_ + " at character " + std::to_string(at_); }

 private:
  bool Refuse(const char* why) {
    if (why_.empty()) why_ = why;
    return false;
  }
  char Peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void SkipSpace() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f') {
        return;
      }
    }
  }

  bool Value(PythonLiteral* literal, int depth) {
    if (depth > kMaxDepth) return Refuse("brackets nested too deep");
    SkipSpace();
    const char c = Peek();
    if (c == '{') return Sequence('}', Kind::kDict, literal, depth);
    if (c == '[') return Sequence(']', Kind::kList, literal, depth);
    if (c == '(') return Sequence(')', Kind::kTuple, literal, depth);
    if (c == '\'' || c == '"') return Strings(literal);
    if (IsDigit(c) || c == '-' || c == '+') return Integer(literal);
    if (IsNameStart(c)) return Name(literal);
    return Refuse(at_ == text_.size() ? "the text ends too early" : "an unexpected character");
  }

  // Everything between brackets. `(value)` is the value itself, `(value,)` and `()` are tuples.
  bool Sequence(char close, Kind kind, PythonLiteral* literal, int depth) {
    literal->kind = kind;
    ++at_;
    bool comma = true;
    bool any_comma = false;
    for (SkipSpace(); Peek() != close; SkipSpace()) {
      if (!comma) return Refuse("a comma or a closing bracket is missing");
      if (!Item(kind, literal, depth)) return false;
      SkipSpace();
      comma = Peek() == ',';
      any_comma = any_comma || comma;
      if (comma) ++at_;
    }
    ++at_;
    if (kind == Kind::kTuple && literal->items.size() == 1 && !any_comma) {
      PythonLiteral inner = std::move(literal->items[0]);
      *literal = std::move(inner);
    }
    return true;
  }

  bool Item(Kind kind, PythonLiteral* literal, int depth) {
    PythonLiteral value;
    if (!Value(&value, depth + 1)) return false;
    literal->items.push_back(std::move(value));
    if (kind != Kind::kDict) return true;
    SkipSpace();
    if (Peek() != ':') return Refuse("a colon is missing");
    ++at_;
    PythonLiteral second;
    if (!Value(&second, depth + 1)) return false;
    literal->items.push_back(std::move(second));
    return true;
  }

  bool Name(PythonLiteral* literal) {
    const std::size_t begin = at_;
    while (IsNameStart(Peek()) || IsDigit(Peek())) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (Peek() == '\'' || Peek() == '"') {  // u'...', b'...', r'...'
      if (name == "u" || name == "U") return Strings(literal);
      if (name == "b" || name == "B") {
        if (!Strings(literal)) return false;
        literal->kind = Kind::kBytes;
        return true;
      }
      at_ = begin;
      return Refuse("a string prefix that is not read");
    }
    literal->kind = name == "None" ? Kind::kNone : Kind::kBool;
    literal->boolean = name == "True";
    if (name == "None" || name == "True" || name == "False") return true;
    at_ = begin;
    return Refuse("a name that is no literal");
  }

  bool Integer(PythonLiteral* literal) {
    literal->kind = Kind::kInteger;
    bool negative = false;
    for (; Peek() == '-' || Peek() == '+'; ++at_, SkipSpace()) negative = negative != (Peek() == '-');
    std::uint64_t base = 10;
    if (Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X')) base = 16;
    if (Peek() == '0' && (Peek(1) == 'o' || Peek(1) == 'O')) base = 8;
    if (Peek() == '0' && (Peek(1) == 'b' || Peek(1) == 'B')) base = 2;
    if (base != 10) at_ += 2;
    std::uint64_t magnitude = 0;
    int digits = 0;
    for (;; ++at_) {
      const char c = Peek();
      if (c == '_' && digits > 0) continue;
      const auto digit = static_cast<std::uint64_t>(DigitValue(c));
      if (digit >= base) break;
      if (magnitude > (std::numeric_limits<std::uint64_t>::max() - digit) / base) literal->fits = false;
      magnitude = magnitude * base + digit;
      ++digits;
    }
    if (digits == 0) return Refuse("a number without digits");
    if (Peek() == 'L' || Peek() == 'l') ++at_;
    if (Peek() == '.' || IsNameStart(Peek())) return Refuse("a number that is no integer");
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (magnitude > kMax + (negative ? 1 : 0)) literal->fits = false;
    if (literal->fits)
      literal->integer = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
    else
      literal->integer = negative ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
    return true;
  }

  // One string, or several side by side, which Python joins.
  bool Strings(PythonLiteral* literal) {
    literal->kind = Kind::kString;
    while (Peek() == '\'' || Peek() == '"') {
      const char quote = Peek();
      for (++at_; Peek() != quote; ++at_) {
        if (at_ >= text_.size() || Peek() == '\n') return Refuse("a string without its closing quote");
        if (Peek() != '\\')
          literal->string += Peek();
        else if (!Escape(literal))
          return false;
      }
      ++at_;
      SkipSpace();
    }
    return true;
  }

  bool Escape(PythonLiteral* literal) {
    ++at_;
    const char c = Peek();
    if (c == '\\' || c == '\'' || c == '"') {
      literal->string += c;
    } else if (c == 'x' && DigitValue(Peek(1)) < 16 && DigitValue(Peek(2)) < 16) {
      literal->string += static_cast<char>(DigitValue(Peek(1)) * 16 + DigitValue(Peek(2)));
      at_ += 2;
    } else {
      return Refuse("an escape that is not read");
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string why_;
};

}  // namespace

bool ParsePythonLiteral(std::string_view text, PythonLiteral* literal, std::string* why) {
  Parser parser(text);
  *literal = PythonLiteral();
  if (parser.Whole(literal)) return true;
  *why = parser.why();
  return false;
}

}  // namespace axiscast::tools
