// What is checked of an op's definition before a registry takes it.
#ifndef AXISCAST_CORE_DEFINITION_CHECK_H_
#define AXISCAST_CORE_DEFINITION_CHECK_H_

#include <string>

#include "axiscast/kernel.h"
#include "axiscast/status.h"

namespace axiscast {

struct Form;

// kInvalidArgument: what is wrong, as a whole message.
Status Invalid(const std::string& message);

// What is wrong with a definition, apart from its names. `form` is null for elementwise ops.
Status CheckDefinition(const OpDefinition& definition, const Form* form);

}  // namespace axiscast

#endif  // AXISCAST_CORE_DEFINITION_CHECK_H_
