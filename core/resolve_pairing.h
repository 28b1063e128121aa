// Pairing elements in row-major order instead of broadcasting, and what callers want to hear of either (PyTorch's modes of old).
#ifndef AXISCAST_CORE_RESOLVE_PAIRING_H_
#define AXISCAST_CORE_RESOLVE_PAIRING_H_

#include "core/modes.h"

namespace axiscast {

// Whether all operands have the same number of elements, and some. All extents are known.
bool CanPair(const ResolveRequest& request) noexcept;

// Tells the request's diagnostics about operands that were paired, or broadcast, and could be meant otherwise.
void ReportPairing(const ResolveRequest& request, const Alignment& alignment) noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_RESOLVE_PAIRING_H_
