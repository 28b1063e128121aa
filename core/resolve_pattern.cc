// Mode pattern; see resolve_pattern.h.
#include "core/resolve_pattern.h"

#include <algorithm>

#include "core/resolve_message.h"

namespace axiscast {
namespace {

// Says what is wrong with the patterns, whatever the shapes.
Status CheckPatterns(const ResolveRequest& request) noexcept {
  const Pattern* const patterns = request.options.patterns;
  for (std::size_t i = 0; i < request.count; ++i) {
    if (patterns[i].valid()) continue;
    return Refuse(request, StatusCode::kInvalidArgument, [&](ResolveMessage& message) {
      if (patterns[i].rank() > kMaxRank) {
        message.Text("a pattern must have at most ").Number(kMaxRank).Text(" axes; got more of ").Name(i);
      } else {
        message.Text("a fixed extent must not be negative; got ").Name(i).Text(" as ").Declared(patterns[i]);
      }
    });
  }
  if (const PatternConflict conflict = FindFixedConflict(patterns, request.count); conflict.found) {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("fixed extents of an axis must be equal; got ").Conflict(conflict).Facts();
    });
  }
  if (!request.in_place) return Status();
  if (const PatternConflict conflict = FindStretchedDestination(patterns, request.count); conflict.found) {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("a destination must not be declared B where another operand is not; got ").Conflict(conflict).Facts();
    });
  }
  return Status();
}

Status Check(ResolveRequest request, Pattern* result) noexcept {
  if (request.count == 0 || request.options.patterns == nullptr) {
    return Refuse(request, StatusCode::kInvalidArgument, [&](ResolveMessage& message) {
      if (request.count == 0) message.Text("needs one operand or more; got 0");
      if (request.count != 0) message.Text("mode pattern needs a pattern for each operand; got null");
    });
  }
  request.rule = RuleOf(Mode::kPattern);
  if (Status status = CheckPatterns(request); !status.ok()) return status;
  *result = BroadcastPatterns(request.options.patterns, request.count);
  return Status();
}

}  // namespace

Status AlignPattern(const ResolveRequest& request, Alignment* alignment) noexcept {
  if (Status status = CheckPatterns(request); !status.ok()) return status;
  alignment->rank = 0;
  for (std::size_t i = 0; i < request.count; ++i) {
    const Pattern& pattern = request.options.patterns[i];
    alignment->rank = std::max(alignment->rank, request.rank(i));
    if (pattern.rank() != request.rank(i)) {
      return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
        message.Text("a shape must have the rank of its pattern; got rank ").Number(request.rank(i)).Text(" of ").Name(i).Facts();
      });
    }
    for (int d = pattern.rank() - 1; d >= 0; --d) {
      const std::int64_t extent = request.extent(i, d);
      if (pattern[d].stretches() && extent != 1) {
        return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
          message.Text("an axis declared B must have extent 1; got ").Dim(i, d).Facts();
        });
      }
      if (pattern[d].fixed() && extent != pattern[d].extent()) {
        return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
          message.Text("an axis must have its declared extent; got ").Dim(i, d).Text(" for ").Number(pattern[d].extent()).Facts();
        });
      }
    }
  }
  return Status();
}

bool RigidUnlessDeclared(const ResolveRequest& request, const Alignment&, std::size_t operand, int dim) noexcept {
  return !request.options.patterns[operand][dim].stretches();
}

Status ResolvePatterns(std::size_t count, const ResolveOptions& options, Pattern* result) noexcept {
  return Check({nullptr, count, options}, result);
}

Status ResolvePatternsInPlace(std::size_t count, const ResolveOptions& options, Pattern* result) noexcept {
  ResolveRequest request{nullptr, count, options};
  request.in_place = true;
  return Check(request, result);
}

}  // namespace axiscast
