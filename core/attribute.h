// Attributes of a call -> slots of a kernel, or values of another type.
#ifndef AXISCAST_CORE_ATTRIBUTE_H_
#define AXISCAST_CORE_ATTRIBUTE_H_

#include <string>
#include <string_view>

#include "axiscast/plan.h"

namespace axiscast {

// Rounds each attribute of the op, given or absent, to the kernel's attribute dtype. Errors: kUnknownName (near names first),
// kInvalidArgument (missing, given twice, NaN, for an int dtype not a whole number in range); messages begin with `caller`.
Status BindAttributes(const Op& op, const char* caller, const Kernel& kernel, const std::vector<Attribute>& attributes,
                      AttributeSlot* slots);

// What can be said without a kernel: the same errors, but for numbers' ranges.
Status CheckAttributes(const Op& op, const char* caller, const std::vector<Attribute>& attributes);

// One attribute, from where it is given among `attributes`, else its default, rounded to a dtype. Errors: kInvalidArgument.
Status RoundAttribute(const char* caller, const AttributeInfo& info, const std::vector<Attribute>& attributes, DType dtype,
                      AttributeSlot* slot);

// The number that `text` says, an int64 or a uint64 where it is one, else the nearest float64, to *number, which keeps its name;
// false when it is none, or too large for a float64.
bool ReadNumber(std::string_view text, Attribute* number);

// The value, as messages show it.
std::string ToText(const Attribute& attribute);

// A number alone, rounded to a dtype. Error: kInvalidArgument (for an int dtype not a whole number in range).
Status RoundNumber(const char* caller, const Attribute& number, DType dtype, AttributeSlot* slot);

// An attribute's value as an op that is more than elementwise reads it.
struct FormAttribute {
  bool given = false;        // false: the default, as far as there is one
  std::int64_t integer = 0;  // kInteger; kBool: 0 or 1; kName: which of AttributeInfo::names
  Shape shape;               // kShape
};

// The same for the attributes of such an op, by position in its OpInfo. Errors: kUnknownName (an attribute, or the value of one
// that takes a name), kInvalidArgument.
Status BindFormAttributes(const Op& op, const char* caller, const std::vector<Attribute>& attributes, FormAttribute* values);

}  // namespace axiscast

#endif  // AXISCAST_CORE_ATTRIBUTE_H_
