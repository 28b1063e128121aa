// Attributes of a call -> slots of a kernel; see attribute.h.
#include "core/attribute.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>

#include "core/float_mode.h"
#include "core/near_names.h"
#include "core/registry.h"

namespace axiscast {
namespace {

std::string ToText(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.17g", number);
  return text;
}

bool IsNumber(const Attribute& attribute) {
  return attribute.kind != Attribute::Kind::kShape && attribute.kind != Attribute::Kind::kName;
}

bool IsNaN(const Attribute& attribute) { return attribute.kind == Attribute::Kind::kDouble && std::isnan(attribute.number_double); }

template <typename T>
inline constexpr bool kIsFloat = KindOf(kDTypeOf<T>) == DTypeKind::kFloat;

// What a double holds of an integer, with the last bit set where some were lost: rounded to fewer bits, it is what the integer is,
// rounded once.
double RoundedToOdd(std::uint64_t number) {
  const int lost = std::max(static_cast<int>(std::bit_width(number)) - 53, 0);
  const std::uint64_t kept = number >> lost;
  return std::ldexp(static_cast<double>(kept | static_cast<std::uint64_t>(kept << lost != number)), lost);
}
double RoundedToOdd(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? -RoundedToOdd(-bits) : RoundedToOdd(bits);
}

// Converts to T; false when T is an int type and the number is not a whole one in its range.
template <typename T>
bool Convert(const Attribute& attribute, T* value) {
  if constexpr (kIsFloat<T>) {
    const auto from_integer = [](auto number) {
      if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(number);
      } else {  // the 16-bit floats are made from doubles
        return static_cast<T>(RoundedToOdd(number));
      }
    };
    *value = attribute.kind == Attribute::Kind::kInt64    ? from_integer(attribute.number_int64)
             : attribute.kind == Attribute::Kind::kUInt64 ? from_integer(attribute.number_uint64)
                                                          : static_cast<T>(attribute.number_double);
    return true;
  } else {
    if (attribute.kind == Attribute::Kind::kDouble) {
      // 2^digits is one more than the largest T, and exact as a double, which the largest int64 and uint64 are not.
      const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
      const double number = attribute.number_double;
      const double lowest = std::is_signed_v<T> ? -end : 0.0;
      if (!(number >= lowest && number < end) || number != std::trunc(number)) return false;
      *value = static_cast<T>(number);
      return true;
    }
    if (attribute.kind == Attribute::Kind::kUInt64) {
      if (attribute.number_uint64 > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return false;
      *value = static_cast<T>(attribute.number_uint64);
      return true;
    }
    const std::int64_t number = attribute.number_int64;
    if (number < 0 ? !std::is_signed_v<T> || number < static_cast<std::int64_t>(std::numeric_limits<T>::min())
                   : static_cast<std::uint64_t>(number) > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
      return false;
    }
    *value = static_cast<T>(number);
    return true;
  }
}

template <typename T>
T Bound(bool highest) {
  using Limits = std::numeric_limits<T>;
  if constexpr (kIsFloat<T>) {
    const double infinity = std::numeric_limits<double>::infinity();
    return static_cast<T>(highest ? infinity : -infinity);
  } else {
    return highest ? Limits::max() : Limits::lowest();
  }
}

// Rounds `given`, or the default when it is null, to T.
template <typename T>
bool Fill(const AttributeInfo& info, const Attribute* given, AttributeSlot* slot, std::string* range) {
  T value;
  if (given == nullptr && info.absent != AttributeDefault::kValue) {
    value = Bound<T>(info.absent == AttributeDefault::kHighest);
  } else if (!Convert(given != nullptr ? *given : Attribute(info.name, info.value), &value)) {
    if constexpr (!kIsFloat<T>) {
      *range = "a whole number in [" + std::to_string(std::numeric_limits<T>::lowest()) + ", " +
               std::to_string(std::numeric_limits<T>::max()) + "]";
    }
    return false;
  }
  std::memset(slot->bytes, 0, sizeof(slot->bytes));
  std::memcpy(slot->bytes, &value, sizeof(value));
  return true;
}

bool FillAs(DType dtype, const AttributeInfo& info, const Attribute* given, AttributeSlot* slot, std::string* range) {
  const FloatModeScope usual(kUsualFloatMode);  // it rounds
  switch (dtype) {
#define AXISCAST_CASE(enumerator, name, type, kind) \
  case DType::enumerator:                           \
    return Fill<type>(info, given, slot, range);
    AXISCAST_FOR_EACH_DTYPE(AXISCAST_CASE)
#undef AXISCAST_CASE
  }
  return false;
}

// Which of a call's attributes belongs to which of the op's.
Status MatchAttributes(const Op& op, const std::string& who, const std::vector<Attribute>& attributes, const Attribute** given) {
  const OpInfo& info = op.info();
  for (const Attribute& attribute : attributes) {
    if (attribute.name == nullptr) return Status(StatusCode::kInvalidArgument, who + "the name of an attribute is null");
    int a = 0;
    while (a < info.attribute_count && std::strcmp(info.attributes[a].name, attribute.name) != 0) ++a;
    if (info.attribute_count == 0) {
      return Status(StatusCode::kUnknownName, who + info.name + " takes no attributes; got \"" + Printable(attribute.name) + "\"");
    }
    if (a == info.attribute_count) {
      std::vector<std::string_view> names;
      for (int i = 0; i < info.attribute_count; ++i) names.emplace_back(info.attributes[i].name);
      const Status unknown = UnknownName(std::string("attribute of ") + info.name, attribute.name, std::move(names));
      return Status(unknown.code(), who + unknown.message());
    }
    if (given[a] != nullptr) {
      return Status(StatusCode::kInvalidArgument,
                    who + "attribute " + attribute.name + " is given twice: " + ToText(*given[a]) + " and " + ToText(attribute));
    }
    if (IsNaN(attribute)) {
      return Status(StatusCode::kInvalidArgument, who + "attribute " + attribute.name + " must be a number; got nan");
    }
    if (attribute.kind == Attribute::Kind::kName && attribute.text == nullptr)
      return Status(StatusCode::kInvalidArgument, who + "the text of attribute " + attribute.name + " is null");
    given[a] = &attribute;
  }
  for (int a = 0; a < info.attribute_count; ++a) {
    const AttributeInfo& row = info.attributes[a];
    if (given[a] == nullptr && row.absent == AttributeDefault::kRequired)
      return Status(StatusCode::kInvalidArgument, who + "attribute " + row.name + " is required: " + row.doc);
  }
  return Status();
}

const char* TypeText(AttributeType type) {
  switch (type) {
    case AttributeType::kInteger:
      return "a whole number";
    case AttributeType::kBool:
      return "true or false";
    case AttributeType::kName:
      return "a name";
    case AttributeType::kShape:
      return "a shape";
    default:
      return "a number";
  }
}

Status WrongType(const std::string& who, const AttributeInfo& info, const Attribute& given) {
  return Status(StatusCode::kInvalidArgument,
                who + "attribute " + info.name + " must be " + TypeText(info.type) + "; got " + ToText(given));
}

// The value of a name: its place among those that there are.
Status BindName(const std::string& who, const AttributeInfo& info, const Attribute& given, std::int64_t* value) {
  const std::vector<std::string> names = SplitWords(info.names);
  const auto found = std::find(names.begin(), names.end(), given.text);
  *value = found - names.begin();
  if (found != names.end()) return Status();
  const Status unknown = UnknownName(std::string("value of attribute ") + info.name, given.text, {names.begin(), names.end()});
  return Status(unknown.code(), who + unknown.message());
}

}  // namespace

std::string ToText(const Attribute& attribute) {
  if (attribute.kind == Attribute::Kind::kName) return attribute.text != nullptr ? attribute.text : "null";
  if (attribute.kind == Attribute::Kind::kShape) {
    std::string text = "[";
    for (const std::int64_t extent : *attribute.shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
    return text + "]";
  }
  if (attribute.kind == Attribute::Kind::kInt64) return std::to_string(attribute.number_int64);
  if (attribute.kind == Attribute::Kind::kUInt64) return std::to_string(attribute.number_uint64);
  return ToText(attribute.number_double);
}

Status BindAttributes(const Op& op, const char* caller, const Kernel& kernel, const std::vector<Attribute>& attributes,
                      AttributeSlot* slots) {
  const OpInfo& info = op.info();
  const std::string who = std::string(caller) + ": ";
  const Attribute* given[kMaxAttributes] = {};
  if (const Status status = MatchAttributes(op, who, attributes, given); !status.ok()) return status;
  for (int a = 0; a < info.attribute_count; ++a) {
    const AttributeInfo& row = info.attributes[a];
    if (given[a] != nullptr && !IsNumber(*given[a])) return WrongType(who, row, *given[a]);
    std::string range;
    if (!FillAs(kernel.attributes, row, given[a], &slots[a], &range)) {
      return Status(StatusCode::kInvalidArgument, who + "attribute " + row.name + " must be " + range + " for " +
                                                      NameOf(kernel.attributes) + "; got " +
                                                      (given[a] != nullptr ? ToText(*given[a]) : ToText(row.value)));
    }
  }
  return Status();
}

Status CheckAttributes(const Op& op, const char* caller, const std::vector<Attribute>& attributes) {
  const Attribute* given[kMaxAttributes] = {};
  return MatchAttributes(op, std::string(caller) + ": ", attributes, given);
}

bool ReadNumber(std::string_view text, Attribute* number) {
  const FloatModeScope usual(kUsualFloatMode);  // libraries read decimals as if they were in it
  const std::string copy(text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text);
  const char *const begin = copy.data(), *const end = begin + copy.size();
  const auto read = [begin, end](auto* value) {
    const auto [at, error] = std::from_chars(begin, end, *value);
    return at == end && begin != end ? error : std::errc::invalid_argument;
  };
  std::int64_t signed_number = 0;
  std::uint64_t unsigned_number = 0;
  double real = 0;
  if (read(&signed_number) == std::errc() && (signed_number != 0 || *begin != '-')) {
    *number = Attribute(number->name, signed_number);
  } else if (read(&unsigned_number) == std::errc()) {
    *number = Attribute(number->name, unsigned_number);
  } else {
    const std::errc error = read(&real);
    if (error == std::errc::result_out_of_range) {
      // Too small rounds to 0, as everywhere. So few digits alone are neither too small nor too large.
      if (copy.size() > 300 || (copy.find("e-") == copy.npos && copy.find("E-") == copy.npos)) return false;
      real = *begin == '-' ? -0.0 : 0.0;
    } else if (error != std::errc()) {
      return false;
    }
    *number = Attribute(number->name, real);
  }
  return true;
}

Status RoundNumber(const char* caller, const Attribute& number, DType dtype, AttributeSlot* slot) {
  std::string range;
  if (FillAs(dtype, {.name = ""}, &number, slot, &range)) return Status();
  return Status(StatusCode::kInvalidArgument,
                std::string(caller) + ": a number must be " + range + " for " + NameOf(dtype) + "; got " + ToText(number));
}

Status RoundAttribute(const char* caller, const AttributeInfo& info, const std::vector<Attribute>& attributes, DType dtype,
                      AttributeSlot* slot) {
  const Attribute* given = nullptr;
  for (const Attribute& attribute : attributes) {
    if (std::strcmp(attribute.name, info.name) == 0) given = &attribute;
  }
  std::string range;
  if (FillAs(dtype, info, given, slot, &range)) return Status();
  return Status(StatusCode::kInvalidArgument,
                std::string(caller) + ": attribute " + info.name + " must be " + range + " for " + NameOf(dtype));
}

Status BindFormAttributes(const Op& op, const char* caller, const std::vector<Attribute>& attributes, FormAttribute* values) {
  const OpInfo& info = op.info();
  const std::string who = std::string(caller) + ": ";
  const Attribute* given[kMaxAttributes] = {};
  if (const Status status = MatchAttributes(op, who, attributes, given); !status.ok()) return status;
  for (int a = 0; a < info.attribute_count; ++a) {
    const AttributeInfo& row = info.attributes[a];
    FormAttribute& value = values[a];
    value.given = given[a] != nullptr;
    value.integer = static_cast<std::int64_t>(row.value);
    if (!value.given) continue;
    const Attribute& attribute = *given[a];
    if (row.type == AttributeType::kNumber) {  // its value belongs to the steps of a program
      if (!IsNumber(attribute)) return WrongType(who, row, attribute);
      continue;
    }
    if (row.type == AttributeType::kName || row.type == AttributeType::kShape) {
      if (attribute.kind != (row.type == AttributeType::kName ? Attribute::Kind::kName : Attribute::Kind::kShape))
        return WrongType(who, row, attribute);
      if (row.type == AttributeType::kShape) {
        value.shape = *attribute.shape;
        continue;
      }
      if (const Status status = BindName(who, row, attribute, &value.integer); !status.ok()) return status;
    } else if (!IsNumber(attribute) || !Convert(attribute, &value.integer) ||
               (row.type == AttributeType::kBool && value.integer != 0 && value.integer != 1)) {
      return WrongType(who, row, attribute);
    }
  }
  return Status();
}

}  // namespace axiscast
