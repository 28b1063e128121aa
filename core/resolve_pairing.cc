// Pairing elements in row-major order; see resolve_pairing.h.
#include "core/resolve_pairing.h"

#include <optional>

#include "core/resolve.h"
#include "core/resolve_message.h"

namespace axiscast {
namespace {

// Unset where an extent is unknown.
std::optional<std::int64_t> ElementsOf(const ResolveRequest& request, std::size_t operand) noexcept {
  if (request.symbolic() && !request.symbol(operand).known()) return std::nullopt;
  std::int64_t elements = 0;
  CountElements(request.shape(operand), &elements);
  return elements;
}

template <typename Write>
void Report(const ResolveRequest& request, DiagnosticCode code, Write write) noexcept {
  const Diagnostics& diagnostics = request.options.diagnostics;
  // A status holds the message, or none where there is no memory for one.
  const Status status = Refuse(request, StatusCode::kInternal, write);
  diagnostics.report(diagnostics.context, code, status.message());
}

}  // namespace

bool CanPair(const ResolveRequest& request) noexcept {
  const std::optional<std::int64_t> elements = ElementsOf(request, 0);
  bool can = elements != 0;
  for (std::size_t i = 1; can && i < request.count; ++i) can = ElementsOf(request, i) == elements;
  return can;
}

void ReportPairing(const ResolveRequest& request, const Alignment& alignment) noexcept {
  if (alignment.paired) {
    if (!request.rule->pairs_at_last) return;
    return Report(request, DiagnosticCode::kPairedNotBroadcast, [&](ResolveMessage& message) {
      message.Text("the shapes do not broadcast, so elements are paired in row-major order").Facts();
    });
  }
  for (std::size_t i = 1; i < request.count; ++i) {
    const std::optional<std::int64_t> elements = ElementsOf(request, i);
    for (std::size_t before = 0; elements && before < i; ++before) {
      if (ElementsOf(request, before) != elements || request.shape(before) == request.shape(i)) continue;
      Report(request, DiagnosticCode::kBroadcastNotPaired, [&](ResolveMessage& message) {
        message.Operand(before).Text(" and ").Operand(i);
        message.Text(" have equal numbers of elements and different shapes: they broadcast, their elements are not paired");
      });
      break;
    }
  }
}

}  // namespace axiscast
