// BroadcastTo: a view over a larger shape, without a copy.
#include "core/modes.h"
#include "core/resolve.h"
#include "core/resolve_message.h"

namespace axiscast {
namespace {

// Whether every byte of the view has an offset that fits in int64.
bool OffsetsFit(const TensorView& view) noexcept {
  std::int64_t lowest = 0, end = static_cast<std::int64_t>(SizeOf(view.dtype));
  for (int d = 0; d < view.shape.rank(); ++d) {
    if (view.shape[d] == 0) return true;
    std::int64_t reach;
    if (__builtin_mul_overflow(view.shape[d] - 1, view.byte_strides[d], &reach)) return false;
    std::int64_t* side = reach < 0 ? &lowest : &end;
    if (__builtin_add_overflow(*side, reach, side)) return false;
  }
  return true;
}

}  // namespace

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
  if (!OffsetsFit(view)) {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("byte offsets must fit in int64; got ").Operand(0).Text(" with byte strides ").Extents(view.byte_strides);
    });
  }
  const ByteStrides strides = FacingStrides(view.shape, view.byte_strides, first[0], shape);
  *result = TensorView(view.data, view.dtype, resolved, strides);
  return Status();
}

}  // namespace axiscast
