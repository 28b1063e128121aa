// What is checked of a call before anything is aligned.
#ifndef AXISCAST_CORE_RESOLVE_CHECK_H_
#define AXISCAST_CORE_RESOLVE_CHECK_H_

#include <cstddef>

#include "axiscast/status.h"
#include "core/resolve_request.h"

namespace axiscast {

// Says what is wrong with an operand, or `out`, whose shape no tensor can have.
Status CheckShape(const ResolveRequest& request, std::size_t operand) noexcept;

// Everything about a call that can be said without aligning anything. Fills in the request's rule and axis.
Status CheckRequest(ResolveRequest* request) noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_RESOLVE_CHECK_H_
