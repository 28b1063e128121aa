// Ops that the command's users may look for, and that this build does not have.
#ifndef AXISCAST_TOOLS_NOT_OFFERED_H_
#define AXISCAST_TOOLS_NOT_OFFERED_H_

#include <string>
#include <string_view>

#include "axiscast/registry.h"

namespace axiscast::tools {

// Their canonical names, each behind a space.
std::string NamesNotOffered();

// Fails with kUnsupported where `name` is one of them, by another library's name or as a gradient too, with what there is instead.
void RefuseNotOffered(const Registry& registry, std::string_view name);

// The same for the ops that an expression calls.
void RefuseCallsNotOffered(const Registry& registry, std::string_view expression);

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_NOT_OFFERED_H_
