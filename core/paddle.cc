// Paddle's functions: ops by name, in axis mode.
#include "axiscast/paddle.h"

#include <atomic>

#include "core/request.h"

namespace axiscast {
namespace {

Status ApplyAtAxis(const Op& op, const TensorView& x, const TensorView& y, const MutableTensorView& out,
                   std::int64_t axis) noexcept {
  ApplyOptions options;
  options.mode = Mode::kAxis;
  options.axis = axis;
  return ApplyRequest({op, {&x, &y}, nullptr, 0, options}, out, false, {});
}

// A built-in op that is looked up once, which takes 15 ns. While there is no memory for the registry, each call looks again.
struct KnownOp {
  const char* name;
  std::atomic<const Op*> op;

  Status Apply(const TensorView& x, const TensorView& y, const MutableTensorView& out, std::int64_t axis) noexcept {
    const Op* found = op.load(std::memory_order_acquire);
    if (found == nullptr) {
      if (const Status status = Registry::BuiltIn().Find(name, &found); !status.ok()) return status;
      op.store(found, std::memory_order_release);
    }
    return ApplyAtAxis(*found, x, y, out, axis);
  }
};

}  // namespace

Status Elementwise(const char* name, const TensorView& x, const TensorView& y, const MutableTensorView& out,
                   std::int64_t axis) noexcept {
  if (name == nullptr) return Status(StatusCode::kInvalidArgument, "elementwise: the name of the op is null");
  const Op* op;
  if (const Status status = Registry::BuiltIn().Find(name, &op); !status.ok()) return status;
  return ApplyAtAxis(*op, x, y, out, axis);
}

#define AXISCAST_PADDLE_FUNCTION(name)                                                                              \
  Status name(const TensorView& x, const TensorView& y, const MutableTensorView& out, std::int64_t axis) noexcept { \
    static constinit KnownOp op{#name, nullptr};                                                                    \
    return op.Apply(x, y, out, axis);                                                                               \
  }
AXISCAST_FOR_EACH_PADDLE_FUNCTION(AXISCAST_PADDLE_FUNCTION)
#undef AXISCAST_PADDLE_FUNCTION

}  // namespace axiscast
