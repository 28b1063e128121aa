// Paddle's elementwise functions under Paddle's names: out = op(x, y) with y (or x) anchored at `axis`.
#ifndef AXISCAST_PADDLE_H_
#define AXISCAST_PADDLE_H_

#include <cstdint>

#include "axiscast/plan.h"

#pragma GCC visibility push(default)  // exported by the shared library
namespace axiscast {

/// Computes `out = op(x, y)` in Paddle's axis mode, for the op of that name; see Apply for shapes, strides, aliasing and errors
/// (kUnknownName when there is no such op).
///
///   float image[8 * 64 * 7 * 7], bias[64];
///   Status status = elementwise_add({image, {8, 64, 7, 7}}, {bias, {64}}, {image, {8, 64, 7, 7}}, 1);
Status Elementwise(const char* name, const TensorView& x, const TensorView& y, const MutableTensorView& out,
                   std::int64_t axis = -1) noexcept;

/// X(name): those that are functions.
#define AXISCAST_FOR_EACH_PADDLE_FUNCTION(X) \
  X(elementwise_add)                         \
  X(elementwise_sub)                         \
  X(elementwise_mul)                         \
  X(elementwise_div)                         \
  X(elementwise_floordiv)                    \
  X(elementwise_mod)                         \
  X(elementwise_max)                         \
  X(elementwise_min)                         \
  X(elementwise_fmax)                        \
  X(elementwise_fmin)
#define AXISCAST_PADDLE_FUNCTION(name) \
  Status name(const TensorView& x, const TensorView& y, const MutableTensorView& out, std::int64_t axis = -1) noexcept;
AXISCAST_FOR_EACH_PADDLE_FUNCTION(AXISCAST_PADDLE_FUNCTION)
#undef AXISCAST_PADDLE_FUNCTION

}  // namespace axiscast
#pragma GCC visibility pop

#endif  // AXISCAST_PADDLE_H_
