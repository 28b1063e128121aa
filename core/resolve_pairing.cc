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

bool ReshapeStrides(const Shape& operand, const ByteStrides& strides, const Shape& shape, ByteStrides* reshaped) noexcept {
  *reshaped = shape;
  std::int64_t elements = 0;
  CountElements(operand, &elements);
  int next = operand.rank() - 1;  // of its dims, from the right, the first that is not in `run`
  std::int64_t run = 1;           // elements of its dims that are `step` apart and have no place in `shape` yet
  std::int64_t step = 0;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    (*reshaped)[d] = 0;
    if (shape[d] == 1 || elements == 0) continue;
    while (run % shape[d] != 0) {
      while (operand[next] == 1) --next;
      std::int64_t behind;  // the run's end, where the next dim's second element must be
      if (run != 1 && (__builtin_mul_overflow(run, step, &behind) || strides[next] != behind)) return false;
      if (run == 1) step = strides[next];
      run *= operand[next--];
    }
    (*reshaped)[d] = step;
    run /= shape[d];
    if (run != 1 && __builtin_mul_overflow(step, shape[d], &step)) return false;
  }
  return true;
}

}  // namespace axiscast
