// What the adapter's two sources share: the functions that replace Paddle's, and what is kept of those.
#ifndef AXISCAST_ADAPTERS_PADDLE_PADDLE_H_
#define AXISCAST_ADAPTERS_PADDLE_PADDLE_H_

#include <array>

#include "axiscast/c_api.h"
#include "paddle/kernels.h"
#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/kernel_registry.h"

namespace axiscast_paddle {

// Axiscast's number of Paddle's dtypes, in the order of phi::DataType; -1: it has none.
constexpr signed char kDTypes[] = {
    -1,
    AXISCAST_BOOL,
    AXISCAST_UINT8,
    AXISCAST_INT8,
    AXISCAST_UINT16,
    AXISCAST_INT16,
    AXISCAST_UINT32,
    AXISCAST_INT32,
    AXISCAST_UINT64,
    AXISCAST_INT64,
    AXISCAST_FLOAT32,
    AXISCAST_FLOAT64,
    -1,
    -1,
    -1,
    AXISCAST_FLOAT16,
    AXISCAST_BFLOAT16,
};
constexpr int kDTypeCount = sizeof(kDTypes);
static_assert(static_cast<int>(phi::DataType::INT64) == 9 && static_cast<int>(phi::DataType::FLOAT64) == 11 &&
              static_cast<int>(phi::DataType::BFLOAT16) == kDTypeCount - 1);

inline int DTypeOf(phi::DataType dtype) {
  const auto index = static_cast<unsigned>(dtype);
  return index < kDTypeCount ? kDTypes[index] : -1;
}

// What a row of the table has become. Written when the library is loaded, and never after.
struct Replacement {
  const axiscast_op* op = nullptr;
  bool to_bool = false;   // the result is bool whatever the inputs are
  void* paddle[13] = {};  // the kernels that Paddle came with, by axiscast's dtypes; null: it has none
};
extern Replacement replacements[kRowCount];

// A function that replaces a kernel of Paddle's, in the three forms that a registration takes.
struct Function {
  phi::KernelFn compute;
  void* variadic;
  phi::KernelArgsParseFn parse;
};
std::array<Function, kRowCount> Functions();

}  // namespace axiscast_paddle

#endif  // AXISCAST_ADAPTERS_PADDLE_PADDLE_H_
