// The resolver: checks the operands, lets the mode align them, and works out the one shape that they and the destination give.
#include "core/resolve.h"

#include <algorithm>

#include "core/modes.h"
#include "core/resolve_message.h"

namespace axiscast {
namespace {

// Says what is wrong with a shape that no tensor can have. `name` adds the shape's name to a message.
template <typename Name>
Status CheckShape(const ResolveRequest& request, const Shape& shape, Name name) noexcept {
  if (!shape.valid()) {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("ranks must be from 0 to ").Number(kMaxRank).Text("; got rank ").Number(shape.given_rank()).Text(" of ");
      name(message);
    });
  }
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] >= 0) continue;
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("dimensions must not be negative; got ");
      name(message);
      message.Dim("", shape, d).Text(" (");
      name(message);
      message.Text(" ").Extents(shape).Text(")");
    });
  }
  std::int64_t elements;
  if (CountElements(shape, &elements)) return Status();
  return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
    message.Text("the number of elements must be less than 2^63; got ");
    name(message);
    message.Text(" ").Extents(shape);
  });
}

// Everything about a call that can be said without aligning anything. Fills in the request's rule and axis.
Status CheckRequest(ResolveRequest* request) noexcept {
  const ResolveOptions& options = request->options;
  if (request->count == 0 || request->shapes == nullptr) {
    return Refuse(*request, StatusCode::kInvalidArgument, [&](ResolveMessage& message) {
      if (request->count == 0) message.Text("needs one operand or more; got 0");
      if (request->count != 0) message.Text("needs a pointer to the operands' shapes; got null");
    });
  }
  const Mode mode = options.mode.value_or(options.axis ? Mode::kAxis : Mode::kNumpy);
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
  if (rule->operands != 0 && rule->operands != request->count) {
    return Refuse(*request, StatusCode::kInvalidArgument, [&](ResolveMessage& message) {
      message.Text("mode ").Text(rule->row.name).Text(" takes exactly ").Number(static_cast<std::int64_t>(rule->operands));
      message.Text(" operands; got ").Number(static_cast<std::int64_t>(request->count));
    });
  }
  for (std::size_t i = 0; i < request->count; ++i) {
    const auto name = [i](ResolveMessage& message) { message.Name(i); };
    if (Status status = CheckShape(*request, request->shapes[i], name); !status.ok()) return status;
  }
  request->rule = rule;
  request->axis = options.axis.value_or(-1);
  return Status();
}

// The extent that dim `dim` of the result gets: all that face each other are equal, or 1 where the mode lets a 1 stretch.
Status ResolveDim(const ResolveRequest& request, const Alignment& alignment, int dim, std::int64_t* extent) noexcept {
  const auto mismatch = [&](std::size_t i, std::size_t j) noexcept {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text(request.rule->extents).Text("; got ");
      message.Dim(i, dim - alignment.First(i, request.shapes[i])).Text(" and ");
      message.Dim(j, dim - alignment.First(j, request.shapes[j])).Facts();
    });
  };
  std::size_t decider = 0;
  *extent = 1;
  for (std::size_t i = 0; i < request.count; ++i) {
    const int own = dim - alignment.First(i, request.shapes[i]);
    if (own < 0 || own >= request.shapes[i].rank()) continue;
    const std::int64_t facing = request.shapes[i][own];
    if (facing == 1 || facing == *extent) continue;
    if (*extent != 1) return mismatch(decider, i);
    *extent = facing;
    decider = i;
  }
  if (request.rule->rigid == nullptr || *extent == 1) return Status();
  for (std::size_t i = 0; i < request.count; ++i) {
    const int own = dim - alignment.First(i, request.shapes[i]);
    if (own < 0 || own >= request.shapes[i].rank() || request.shapes[i][own] == *extent) continue;
    if (request.rule->rigid(alignment, i, own)) return mismatch(std::min(i, decider), std::max(i, decider));
  }
  return Status();
}

// The shape that the operands alone give. Of several mismatches the first one from the right is reported; in a mode with an axis
// the first one from the anchor on.
Status ResolveOperands(const ResolveRequest& request, const Alignment& alignment, Shape* result) noexcept {
  const bool from_anchor = request.rule->row.takes_axis;
  std::int64_t extents[kMaxRank];
  for (int step = 0; step < alignment.rank; ++step) {
    const int dim = from_anchor ? step : alignment.rank - 1 - step;  // in front of the anchor an operand is alone
    if (Status status = ResolveDim(request, alignment, dim, &extents[dim]); !status.ok()) return status;
  }
  *result = Shape(extents, alignment.rank);
  std::int64_t elements;
  if (CountElements(*result, &elements)) return Status();
  return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
    message.Text("the number of elements must be less than 2^63; got result ").Extents(*result).Facts();
  });
}

Status CheckInPlace(const ResolveRequest& request, const Shape& result) noexcept {
  if (result == request.shapes[0]) return Status();
  return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
    message.Text("the result ").Extents(result).Text(" does not have the shape of ").Operand(0);
  });
}

Status CheckOut(const ResolveRequest& request, const Shape& result, const Shape& out) noexcept {
  Status status = CheckShape(request, out, [](ResolveMessage& message) { message.Text("out"); });
  if (!status.ok()) return status;
  const int missing = out.rank() - result.rank();
  if (missing < 0) {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("out is never stretched, so its rank must be that of the result or higher; got rank ").Number(out.rank());
      message.Text(" of out and rank ").Number(result.rank()).Text(" of the result").Facts(&result, &out);
    });
  }
  for (int d = result.rank() - 1; d >= 0; --d) {
    if (result[d] == 1 || result[d] == out[missing + d]) continue;
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("out is never stretched, so dimensions of the result must be equal to out's or 1; got ");
      message.Dim("result", result, d).Text(" and ").Dim("out", out, missing + d).Facts(&result, &out);
    });
  }
  return Status();
}

}  // namespace

bool CountElements(const Shape& shape, std::int64_t* count) noexcept {
  std::int64_t product = 1;
  bool fits = true;
  for (const std::int64_t extent : shape) {
    if (extent == 0) {  // no elements, however large the other extents are and wherever the 0 stands
      *count = 0;
      return true;
    }
    if (fits && __builtin_mul_overflow(product, extent, &product)) fits = false;
  }
  if (fits) *count = product;
  return fits;
}

Status Resolve(const Shape* shapes, std::size_t count, const ResolveOptions& options, const Destination& destination, Shape* shape,
               int* first) noexcept {
  ResolveRequest request{shapes, count, options};
  if (Status status = CheckRequest(&request); !status.ok()) return status;
  Alignment alignment;
  if (Status status = request.rule->align(request, &alignment); !status.ok()) return status;
  Shape result;
  if (Status status = ResolveOperands(request, alignment, &result); !status.ok()) return status;
  if (destination.in_place) {
    if (Status status = CheckInPlace(request, result); !status.ok()) return status;
  }
  int missing = 0;
  if (destination.out != nullptr) {
    if (Status status = CheckOut(request, result, *destination.out); !status.ok()) return status;
    missing = destination.out->rank() - result.rank();
    result = *destination.out;
  }
  if (first != nullptr) {
    for (std::size_t i = 0; i < count; ++i) first[i] = missing + alignment.First(i, shapes[i]);
  }
  *shape = result;  // last: it may be one of the operands
  return Status();
}

ByteStrides FacingStrides(const Shape& operand, const ByteStrides& strides, int first, const Shape& shape) noexcept {
  ByteStrides facing = shape;
  for (int d = 0; d < shape.rank(); ++d) {
    const int own = d - first;
    const bool faces = own >= 0 && own < operand.rank() && operand[own] == shape[d];
    facing[d] = faces ? strides[own] : 0;
  }
  return facing;
}

Status ResolveShape(const Shape* shapes, std::size_t count, const ResolveOptions& options, Shape* result) noexcept {
  return Resolve(shapes, count, options, {}, result, nullptr);
}

Status ResolveShape(std::initializer_list<Shape> shapes, const ResolveOptions& options, Shape* result) noexcept {
  return ResolveShape(shapes.begin(), shapes.size(), options, result);
}

Status ResolveInPlace(const Shape* shapes, std::size_t count, const ResolveOptions& options) noexcept {
  Shape result;
  return Resolve(shapes, count, options, {nullptr, true}, &result, nullptr);
}

Status ResolveOut(const Shape* shapes, std::size_t count, const ResolveOptions& options, const Shape& out) noexcept {
  Shape result;
  return Resolve(shapes, count, options, {&out, false}, &result, nullptr);
}

}  // namespace axiscast
