// Mode pattern: what is checked of declared patterns without shapes, and with them.
#ifndef AXISCAST_CORE_RESOLVE_PATTERN_H_
#define AXISCAST_CORE_RESOLVE_PATTERN_H_

#include "core/modes.h"

namespace axiscast {

Status AlignPattern(const ResolveRequest& request, Alignment* alignment) noexcept;
bool RigidUnlessDeclared(const ResolveRequest& request, const Alignment& alignment, std::size_t operand, int dim) noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_RESOLVE_PATTERN_H_
