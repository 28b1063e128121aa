// BroadcastTo: a view over a larger shape, without a copy.
#include "core/modes.h"
#include "core/overlap.h"
#include "core/resolve.h"
#include "core/resolve_message.h"

namespace axiscast {
Status BroadcastTo(const TensorView& view, const Shape& shape, std::optional<std::int64_t> axis, TensorView* result) noexcept {
  const Shape shapes[] = {view.shape, shape};
  const char* const names[] = {"view", "shape"};
  ResolveOptions options;
  options.mode = Mode::kAxis;  // with axis -1 it is numpy's rule
  options.axis = axis;
  options.caller = "broadcast_to";
  options.names = names;
  Shape resolved;
  int first[2];
  if (Status status = Resolve(shapes, 2, options, {}, &resolved, first); !status.ok()) return status;
  const ResolveRequest request{shapes, 2, options};
  if (resolved != shape) {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("dimensions of the view must be equal to the shape's or 1, and none may be left over; got ");
      message.Operand(0).Text(" for ").Operand(1);
    });
  }
  if (!IsValid(view.dtype)) {
    return Refuse(request, StatusCode::kInvalidArgument, [&](ResolveMessage& message) {
      message.Text("the view's dtype must be a value of the enum; got ").Number(static_cast<std::int64_t>(view.dtype));
    });
  }
  if (view.byte_strides.given_rank() != view.shape.given_rank()) {
    return Refuse(request, StatusCode::kInvalidArgument, [&](ResolveMessage& message) {
      message.Text("a view needs a byte stride for each of its dimensions; got ");
      message.Number(view.byte_strides.given_rank()).Text(" for ").Operand(0);
    });
  }
  Reach reach;
  if (!ComputeReach(view.shape, view.byte_strides, static_cast<std::int64_t>(SizeOf(view.dtype)), &reach)) {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("byte offsets must fit in int64; got ").Operand(0).Text(" with byte strides ").Extents(view.byte_strides);
    });
  }
  const ByteStrides strides = FacingStrides(view.shape, view.byte_strides, first[0], shape);
  *result = TensorView(view.data, view.dtype, resolved, strides);
  return Status();
}

}  // namespace axiscast
