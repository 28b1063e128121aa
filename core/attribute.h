// Attributes of a call -> slots of a kernel.
#ifndef AXISCAST_CORE_ATTRIBUTE_H_
#define AXISCAST_CORE_ATTRIBUTE_H_

#include "axiscast/plan.h"

namespace axiscast {

// Rounds each attribute of the op, given or absent, to the kernel's attribute dtype. Errors: kUnknownName (near names first),
// kInvalidArgument (missing, given twice, NaN, for an int dtype not a whole number in range); messages begin with `caller`.
Status BindAttributes(const Op& op, const char* caller, const Kernel& kernel, const std::vector<Attribute>& attributes,
                      AttributeSlot* slots);

}  // namespace axiscast

#endif  // AXISCAST_CORE_ATTRIBUTE_H_
