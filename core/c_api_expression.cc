// The C API's expressions.
#include <memory>
#include <vector>

#include "core/c_api.h"
#include "core/c_api_handle.h"

using namespace axiscast;     // NOLINT: what follows is C's
using namespace axiscast::c;  // NOLINT

int32_t axiscast_expression_create(const axiscast_registry* registry, const char* text, axiscast_expression** expression) {
  return Call(__func__, [=, function = __func__] {
    if (text == nullptr) return IsNull(function, "the text");
    if (expression == nullptr) return IsNull(function, "the pointer to the expression");
    auto made = std::make_unique<axiscast_expression>();
    Status status = Expression::Parse(text, FromHandle(registry), &made->held);
    if (status.ok()) *expression = made.release();
    return status;
  });
}

int32_t axiscast_expression_free(axiscast_expression* expression) {
  return Call(__func__, [=, function = __func__] { return FreeHandle(function, expression); });
}

int32_t axiscast_expression_input_count(const axiscast_expression* expression, int32_t* count) {
  return Call(__func__, [=, function = __func__] {
    if (Status status = CheckHandle(function, expression); !status.ok()) return status;
    if (count == nullptr) return IsNull(function, "the pointer to the count");
    *count = expression->held.input_count();
    return Status();
  });
}

int32_t axiscast_expression_input_name(const axiscast_expression* expression, int32_t index, const char** name) {
  return Call(__func__, [=, function = __func__] {
    if (Status status = CheckHandle(function, expression); !status.ok()) return status;
    if (name == nullptr) return IsNull(function, "the pointer to the name");
    const int count = expression->held.input_count();
    if (index < 0 || index >= count) return OutOfRange(function, "an input", index, count);
    *name = expression->held.input_name(index);
    return Status();
  });
}

int32_t axiscast_expression_infer_output(const axiscast_expression* expression, const axiscast_tensor* inputs, int64_t count,
                                         const axiscast_options* options, int64_t* extents, int32_t capacity, int32_t* rank,
                                         int32_t* dtype) {
  return Call(__func__, [=, function = __func__] {
    if (Status status = CheckHandle(function, expression); !status.ok()) return status;
    if (rank == nullptr || dtype == nullptr) return IsNull(function, "the pointer to the rank or the dtype");
    std::vector<TensorView> views;
    if (Status status = ReadOperands(function, inputs, count, expression->held.input_count(), &views); !status.ok()) return status;
    CallOptions known;
    if (Status status = ReadOptions(function, options, &known); !status.ok()) return status;
    Shape shape;
    DType output;
    Status status = InferOutput(expression->held, views.data(), static_cast<std::size_t>(count), known, &shape, &output);
    if (status.ok()) status = WriteShape(function, shape, extents, capacity, rank);
    if (status.ok()) *dtype = static_cast<int32_t>(output);
    return status;
  });
}

int32_t axiscast_plan_make_expression(const axiscast_expression* expression, const axiscast_tensor* inputs, int64_t count,
                                      const axiscast_tensor* out, const axiscast_options* options, axiscast_plan** plan) {
  return Call(__func__, [=, function = __func__] {
    if (Status status = CheckHandle(function, expression); !status.ok()) return status;
    if (plan == nullptr) return IsNull(function, "the pointer to the plan");
    std::vector<TensorView> views;
    if (Status status = ReadOperands(function, inputs, count, expression->held.input_count(), &views); !status.ok()) return status;
    MutableTensorView destination;
    if (Status status = ReadTensor(function, "out", out, &destination); !status.ok()) return status;
    CallOptions known;
    if (Status status = ReadOptions(function, options, &known); !status.ok()) return status;
    auto made = std::make_unique<axiscast_plan>();
    Status status = Plan::Make(expression->held, views.data(), static_cast<std::size_t>(count), destination, known, &made->held);
    made->input_count = count;
    if (status.ok()) *plan = made.release();
    return status;
  });
}
