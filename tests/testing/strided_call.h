// Calls of two inputs on views, and how they are planned.
#ifndef AXISCAST_TESTS_TESTING_STRIDED_CALL_H_
#define AXISCAST_TESTS_TESTING_STRIDED_CALL_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "axiscast/axiscast.h"

namespace axiscast::test {

using Extents = std::vector<std::int64_t>;

// A call of two inputs, by their strides in elements.
struct StridedCall {
  DType dtype;
  Extents shape, x_strides, y_strides;
};
inline PlanDescription Described(const Op& op, const StridedCall& call) {
  const Shape shape(call.shape.data(), static_cast<int>(call.shape.size()));
  const auto view = [&](const Extents& strides) {
    ByteStrides bytes = DenseStrides(shape, call.dtype);
    for (std::size_t d = 0; d < strides.size(); ++d) {
      bytes[static_cast<int>(d)] = strides[d] * static_cast<std::int64_t>(SizeOf(call.dtype));
    }
    return TensorView(nullptr, call.dtype, shape, bytes);
  };
  Plan plan;
  const Status status =
      Plan::Make(op, {view(call.x_strides), view(call.y_strides)}, MutableTensorView(nullptr, call.dtype, shape), {}, &plan);
  EXPECT_TRUE(status.ok()) << status.message();
  return plan.Describe();
}

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_STRIDED_CALL_H_
