// broadcast_to: a view over a larger shape, without a copy; and the op that writes it out.
#include <bit>
#include <utility>

#include "core/element_size.h"
#include "core/form.h"
#include "core/modes.h"
#include "core/overlap.h"
#include "core/resolve.h"
#include "core/resolve_message.h"

namespace axiscast {
namespace {

Status StretchView(const char* caller, const char* name, const TensorView& view, const Shape& shape,
                   std::optional<std::int64_t> axis, TensorView* result) noexcept {
  const Shape shapes[] = {view.shape, shape};
  const char* const names[] = {name, "shape"};
  ResolveOptions options;
  options.mode = axis ? Mode::kAxis : Mode::kNumpy;
  options.axis = axis;
  options.caller = caller;
  options.names = names;
  Shape resolved;
  int first[2];
  if (Status status = Resolve(shapes, 2, options, {}, &resolved, first); !status.ok()) return status;
  const ResolveRequest request{shapes, 2, options};
  if (resolved != shape) {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Operand(0).Text(" does not stretch to ").Operand(1).Text(": together they give ").Extents(resolved);
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
  if (!ComputeReach(view.shape, view.byte_strides, SizeInBytes(view.dtype), &reach)) {
    return Refuse(request, StatusCode::kInvalidShape, [&](ResolveMessage& message) {
      message.Text("byte offsets must fit in int64; got ").Operand(0).Text(" with byte strides ").Extents(view.byte_strides);
    });
  }
  const ByteStrides strides = FacingStrides(view.shape, view.byte_strides, first[0], shape);
  *result = TensorView(view.data, view.dtype, resolved, strides);
  return Status();
}

Status StretchInput(const FormCall& call, TensorView* result) {
  if (const Status status = CheckNoMode(call.request); !status.ok()) return status;
  return StretchView(call.request.caller(), call.request.names()[0], *call.request.inputs[0], call.attributes[0].shape,
                     call.request.axis, result);
}

Status InferBroadcastTo(const FormCall& call, Shape* shape) {
  TensorView stretched;
  if (const Status status = StretchInput(call, &stretched); !status.ok()) return status;
  *shape = stretched.shape;
  return Status();
}

// A copy of the stretched view: one elementwise step.
Status PlanBroadcastTo(const FormCall& call, const MutableTensorView& out, bool in_place, std::shared_ptr<const Plan::Impl>* impl) {
  TensorView stretched;
  if (const Status status = StretchInput(call, &stretched); !status.ok()) return status;
  const char* const out_name = in_place ? call.request.names()[0] : "out";
  if (const Status status = CheckOutShape(call.request, stretched.shape, out_name, out.shape); !status.ok()) return status;
  return PlanCopy(call, stretched.byte_strides, out_name, out, impl);
}

std::vector<Kernel> EveryDType() {
  std::vector<Kernel> signatures;
  for (const DTypeRow& row : kDTypes) signatures.push_back(Signature({row.dtype}, row.dtype));
  return signatures;
}

constexpr ForeignName kForeign[] = {
    {"Expand expand_as", "with shape, the result's"},
};

}  // namespace

Status PlanCopy(const FormCall& call, const ByteStrides& strides, const char* out_name, const MutableTensorView& out,
                std::shared_ptr<const Plan::Impl>* impl) {
  const TargetKernels& kernels = *call.request.op.entry().kernels;
  const bool is_bool = out.dtype == DType::kBool;
  Kernel kernel = Signature({out.dtype}, out.dtype);
  kernel.run = is_bool ? kernels.index.copy_bool : kernels.movers.copy[std::countr_zero(SizeOf(out.dtype))];
  kernel.streams = !is_bool;
  Problem problem{out.shape, {{out.dtype, strides}, {out.dtype, out.byte_strides}}, {{&kernel, 1, {0}, {}}}};
  return Plan::Impl::Make(std::move(problem), kernels.movers, call.request.caller(), {call.request.names()[0], out_name}, {}, impl);
}

Status BroadcastTo(const TensorView& view, const Shape& shape, std::optional<std::int64_t> axis, TensorView* result) noexcept {
  return StretchView("broadcast_to", "view", view, shape, axis, result);
}

const Form kBroadcastToForm = {
    {.name = "broadcast_to",
     .arity = 1,
     .doc = "out = x, stretched to a shape",
     .special = "The inverse of sum_to. With an axis the dims of x face [axis, axis + rank) of the shape, as in axis mode.",
     .aliases = "expand",
     .source = "NumPy broadcast_to, PyTorch expand, Paddle expand",
     .attributes = {{.name = "shape", .doc = "of the result", .type = AttributeType::kShape}},
     .attribute_count = 1},
    &EveryDType,
    &InferBroadcastTo,
    &PlanBroadcastTo,
    kForeign,
};

}  // namespace axiscast
