// The table of modes and how each one aligns.
#include "core/modes.h"

#include <algorithm>
#include <exception>
#include <vector>

#include "core/near_names.h"
#include "core/resolve.h"
#include "core/resolve_message.h"
#include "core/resolve_pattern.h"

namespace axiscast {
namespace {

int HighestRank(const ResolveRequest& request) noexcept {
  int rank = 0;
  for (std::size_t i = 0; i < request.count; ++i) rank = std::max(rank, request.rank(i));
  return rank;
}

// Of an operand whose first dim lies at `anchor` of a result of rank `rank`, only 1s, and unknown extents that turn out to be 1,
// may lie behind its end.
Status CheckOverhang(const ResolveRequest& request, std::size_t operand, int anchor, int rank) noexcept {
  for (int d = rank - anchor; d < request.rank(operand); ++d) {
    if (!request.known(operand, d) || request.extent(operand, d) == 1) continue;
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("only trailing 1s may hang over the last dimension of the result; got ").Dim(operand, d);
      message.Text(" in the place of dimension ").Number(anchor + d).Facts();
    });
  }
  return Status();
}

Status AlignRight(const ResolveRequest& request, Alignment* alignment) noexcept {
  alignment->rank = HighestRank(request);
  alignment->axes = request.axes;
  for (std::size_t i = 0; request.axes != nullptr && i < request.count; ++i) {
    if (request.axes[i] < 0) continue;
    const int last = std::max(alignment->rank - 1, 0);
    if (request.axes[i] > last) {
      return Refuse(request, StatusCode::kOutOfRange, [&](ResolveMessage& message) {
        message.Text("an axis must be from 0 to ").Number(last).Text(", as the highest rank is ").Number(alignment->rank);
        message.Text(", or -1, which aligns right; got ").Operand(i).Facts();
      });
    }
    const Status status = CheckOverhang(request, i, static_cast<int>(request.axes[i]), alignment->rank);
    if (!status.ok()) return status;
  }
  return Status();
}

Status AlignSameRank(const ResolveRequest& request, Alignment* alignment) noexcept {
  alignment->rank = request.rank(0);
  for (std::size_t i = 1; i < request.count; ++i) {
    if (request.rank(i) == alignment->rank) continue;
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("ranks must be equal in mode ").Text(request.rule->row.name).Text("; got rank ");
      message.Number(alignment->rank).Text(" of ").Name(0).Text(" and rank ");
      message.Number(request.rank(i)).Text(" of ").Name(i).Facts();
    });
  }
  return Status();
}

// Whether two operands of equal rank have, or can turn out to have, the same shape.
bool CanBeIdentical(const ResolveRequest& request) noexcept {
  for (int d = 0; d < request.rank(0); ++d) {
    if (request.known(0, d) && request.known(1, d) && request.extent(0, d) != request.extent(1, d)) return false;
  }
  return true;
}

// The rules of axis mode, in their order: identical shapes never look at axis; equal ranks want -1 or 0; else a range; a negative
// axis counts from the trailing alignment of the whole operand; trailing 1s may hang over, and unknown extents that turn out to
// be 1.
Status AlignAxis(const ResolveRequest& request, Alignment* alignment) noexcept {
  alignment->rank = HighestRank(request);
  if (request.rank(0) == request.rank(1)) {
    if (request.axis == -1 || request.axis == 0) return Status();
    alignment->identical = CanBeIdentical(request);
    if (alignment->identical) return Status();
    return Refuse(request, StatusCode::kOutOfRange, [&](ResolveMessage& message) {
      message.Text("axis must be -1 or 0 for different shapes of equal rank; got axis ").Number(request.axis).Facts();
    });
  }
  alignment->anchored = request.rank(0) < request.rank(1) ? 0 : 1;
  const int small_rank = request.rank(alignment->anchored);
  const int trailing = alignment->rank - small_rank;
  // Below -(trailing + 1) a negative axis would stay negative; with a 0-d operand the rank is the tighter bound.
  const int lowest = -std::min(alignment->rank, trailing + 1);
  if (request.axis < lowest || request.axis >= alignment->rank) {
    return Refuse(request, StatusCode::kOutOfRange, [&](ResolveMessage& message) {
      message.Text("axis must be from ")
          .Number(lowest)
          .Text(" to ")
          .Number(alignment->rank - 1)
          .Text(" (-1 aligns right); got axis ");
      message.Number(request.axis).Facts();
    });
  }
  alignment->anchor = static_cast<int>(request.axis < 0 ? trailing + request.axis + 1 : request.axis);
  return CheckOverhang(request, alignment->anchored, alignment->anchor, alignment->rank);
}

Status AlignOnnxLegacy(const ResolveRequest& request, Alignment* alignment) noexcept {
  alignment->rank = request.rank(0);
  const int trailing = request.rank(0) - request.rank(1);
  if (trailing < 0) {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("in mode onnx_legacy only ").Name(1).Text(" stretches, so its rank must not be the higher one; got rank ");
      message.Number(request.rank(0)).Text(" of ").Name(0).Text(" and rank ").Number(request.rank(1));
      message.Text(" of ").Name(1).Facts();
    });
  }
  if (request.axis < -1 || request.axis > trailing) {
    return Refuse(request, StatusCode::kOutOfRange, [&](ResolveMessage& message) {
      message.Text("axis must be from -1 to ").Number(trailing).Text(" (-1 aligns right); got axis ").Number(request.axis).Facts();
    });
  }
  alignment->anchored = 1;
  alignment->anchor = request.axis == -1 ? trailing : static_cast<int>(request.axis);
  // An unknown extent may turn out to be one of the 1s at the ends.
  const auto may_be_trimmed = [&request](int d) { return !request.known(1, d) || request.extent(1, d) == 1; };
  alignment->rigid_end = request.rank(1);
  while (alignment->rigid_end > 0 && may_be_trimmed(alignment->rigid_end - 1)) --alignment->rigid_end;
  while (alignment->rigid_begin < alignment->rigid_end && may_be_trimmed(alignment->rigid_begin)) ++alignment->rigid_begin;
  return Status();
}

// Unknown extents are taken to give the right count.
Status AlignPointwise(const ResolveRequest& request, Alignment* alignment) noexcept {
  alignment->paired = true;
  std::size_t counted = request.count;  // an operand whose count is known
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < request.count; ++i) {
    if (request.symbolic() && !request.symbol(i).known()) continue;
    std::int64_t count;
    CountElements(request.shape(i), &count);
    if (counted != request.count && count != elements) {
      return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
        message.Text("numbers of elements must be equal in mode pointwise; got ").Number(elements).Text(" of ").Name(counted);
        message.Text(" and ").Number(count).Text(" of ").Name(i).Facts();
      });
    }
    counted = i;
    elements = count;
  }
  return Status();
}

bool RigidEverywhere(const ResolveRequest&, const Alignment&, std::size_t, int) noexcept { return true; }

bool RigidIfIdentical(const ResolveRequest&, const Alignment& alignment, std::size_t, int) noexcept { return alignment.identical; }

bool RigidOnnxLegacy(const ResolveRequest&, const Alignment& alignment, std::size_t operand, int dim) noexcept {
  return operand != alignment.anchored || (dim >= alignment.rigid_begin && dim < alignment.rigid_end);
}

// To add a mode: its value in the enum, its row here, its name below.
constexpr ModeRule kRules[] = {
    {{Mode::kNumpy, "numpy", "align right, missing dims are 1, either side stretches; any number of operands", false},
     0,
     "dimensions must be equal or 1",
     AlignRight,
     nullptr},
    {{Mode::kAxis, "axis", "Paddle: the operand of lower rank is anchored at axis, either side stretches; two operands", true},
     2,
     "dimensions must be equal or 1",
     AlignAxis,
     RigidIfIdentical},
    {{Mode::kOnnxLegacy, "onnx_legacy", "ONNX < 7, Caffe2: y is anchored at axis and stretches to x's shape; two operands", true},
     2,
     "only leading and trailing 1s of the second operand stretch, other dimensions must be equal",
     AlignOnnxLegacy,
     RigidOnnxLegacy,
     true},
    {{Mode::kNone, "none", "shapes must be identical", false},
     0,
     "dimensions must be equal in mode none",
     AlignSameRank,
     RigidEverywhere},
    {{Mode::kSameRank, "same_rank", "ranks must be equal, 1s stretch; any number of operands", false},
     0,
     "dimensions must be equal or 1",
     AlignSameRank,
     nullptr},
    {{Mode::kPattern, "pattern", "PyTensor: align right, what stretches is declared before; any number of operands", false},
     0,
     "extents of axes that are not declared B must be equal",
     AlignPattern,
     RigidUnlessDeclared},
    {{Mode::kLegacyPointwise, "legacy_pointwise", "PyTorch < 0.4: numpy, or else elements are paired where all counts are equal",
      false},
     0,
     "dimensions must be equal or 1, or the operands' numbers of elements be equal and not 0",
     AlignRight,
     nullptr,
     false,
     true},
    {{Mode::kPointwise, "pointwise", "PyTorch < 0.2: element counts are equal, elements are paired; the shape is the first one's",
      false},
     0,
     nullptr,
     AlignPointwise,
     nullptr},
};

constexpr bool RowsFollowTheEnum() {
  int value = 0;
  for (const ModeRule& rule : kRules) {
    if (static_cast<int>(rule.row.mode) != value++) return false;
  }
  return true;
}
static_assert(RowsFollowTheEnum(), "RuleOf indexes the table by the enum's value");

}  // namespace

constinit const ModeRow kModes[] = {kRules[0].row, kRules[1].row, kRules[2].row, kRules[3].row,
                                    kRules[4].row, kRules[5].row, kRules[6].row, kRules[7].row};
constinit const std::size_t kModeCount = sizeof(kModes) / sizeof(kModes[0]);
static_assert(sizeof(kModes) / sizeof(kModes[0]) == sizeof(kRules) / sizeof(kRules[0]), "every row is public");

const ModeRule* RuleOf(Mode mode) noexcept {
  const auto index = static_cast<std::size_t>(mode);
  return index < kModeCount ? &kRules[index] : nullptr;
}

Status FindMode(std::string_view name, Mode* mode) noexcept {
  for (const ModeRow& row : kModes) {
    if (name != row.name) continue;
    *mode = row.mode;
    return Status();
  }
  try {
    std::vector<std::string_view> names;
    for (const ModeRow& row : kModes) names.push_back(row.name);
    return UnknownName("mode", name, std::move(names));
  } catch (const std::exception&) {
    return Status(StatusCode::kOutOfMemory, "");
  }
}

}  // namespace axiscast
