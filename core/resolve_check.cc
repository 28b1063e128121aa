// What is checked of a call before anything is aligned; see resolve_check.h.
#include "core/resolve_check.h"

#include "core/modes.h"
#include "core/resolve.h"
#include "core/resolve_message.h"

namespace axiscast {

Status CheckShape(const ResolveRequest& request, std::size_t operand) noexcept {
  const Shape& shape = request.shape(operand);
  if (!shape.valid()) {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("ranks must be from 0 to ").Number(kMaxRank).Text("; got rank ").Number(shape.given_rank());
      message.Text(" of ").Name(operand);
    });
  }
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] >= 0) continue;
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("dimensions must not be negative; got ").Dim(operand, d).Text(" (").Operand(operand).Text(")");
    });
  }
  std::int64_t elements;
  if (CountElements(shape, &elements)) return Status();  // also with unknown extents: they may turn out to be 0, as they are here
  return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
    message.Text("the number of elements must be less than 2^63; got ").Operand(operand);
  });
}

Status CheckRequest(ResolveRequest* request) noexcept {
  const ResolveOptions& options = request->options;
  if (request->count == 0 || (request->shapes == nullptr && request->symbols == nullptr)) {
    return Refuse(*request, StatusCode::kInvalidArgument, [&](ResolveMessage& message) {
      if (request->count == 0) message.Text("needs one operand or more; got 0");
      if (request->count != 0) message.Text("needs a pointer to the operands' shapes; got null");
    });
  }
  const Mode unsaid = options.patterns != nullptr ? Mode::kPattern : options.axis ? Mode::kAxis : Mode::kNumpy;
  const Mode mode = options.mode.value_or(unsaid);
  const ModeRule* rule = RuleOf(mode);
  if (rule == nullptr) {
    return Refuse(*request, StatusCode::kInvalidArgument, [&](ResolveMessage& message) {
      message.Text("the mode must be a value of the enum, from 0 to ").Number(static_cast<std::int64_t>(kModeCount) - 1);
      message.Text("; got ").Number(static_cast<std::int64_t>(mode));
    });
  }
  if (options.axis && !rule->row.takes_axis) {
    return Refuse(*request, StatusCode::kInvalidArgument, [&](ResolveMessage& message) {
      message.Text("mode ").Text(rule->row.name).Text(" takes no axis, unlike");
      const char* separator = " ";
      for (const ModeRow* row = kModes; row != kModes + kModeCount; ++row) {
        if (!row->takes_axis) continue;
        message.Text(separator).Text(row->name);
        separator = ", ";
      }
      message.Text("; got axis ").Number(*options.axis);
    });
  }
  if ((mode == Mode::kPattern) != (options.patterns != nullptr)) {
    return Refuse(*request, StatusCode::kInvalidArgument, [&](ResolveMessage& message) {
      if (mode == Mode::kPattern) message.Text("mode pattern needs a pattern for each operand; got null");
      if (mode != Mode::kPattern) message.Text("mode ").Text(rule->row.name).Text(" takes no patterns, unlike pattern");
    });
  }
  if (rule->operands != 0 && rule->operands != request->count) {
    return Refuse(*request, StatusCode::kInvalidArgument, [&](ResolveMessage& message) {
      message.Text("mode ").Text(rule->row.name).Text(" takes exactly ").Number(static_cast<std::int64_t>(rule->operands));
      message.Text(" operands; got ").Number(static_cast<std::int64_t>(request->count));
    });
  }
  for (std::size_t i = 0; i < request->count; ++i) {
    if (Status status = CheckShape(*request, i); !status.ok()) return status;
    if (!rule->pairs_at_last || !request->symbolic() || request->symbol(i).known()) continue;
    return Refuse(*request, StatusCode::kInvalidArgument, [&](ResolveMessage& message) {
      message.Text("mode ")
          .Text(rule->row.name)
          .Text(" takes known extents alone, without which not even the result's rank is known");
      message.Text("; got ").Operand(i);
    });
  }
  request->rule = rule;
  request->axis = options.axis.value_or(-1);
  return Status();
}

}  // namespace axiscast
