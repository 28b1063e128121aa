// How a kernel of Paddle's calls one of our ops.
#include "paddle/call.h"

#include <omp.h>

#include <algorithm>
#include <memory>

#include "paddle/plans.h"

namespace axiscast_paddle {

std::atomic<std::int64_t> calls{0};
std::atomic<bool> ours{true};

namespace {

[[noreturn]] void ThrowStatus(std::int32_t status) {
  const char* message = axiscast_last_message();
  switch (status) {
    case AXISCAST_OUT_OF_RANGE:
      Throw(common::errors::OutOfRange("%s", message));
    case AXISCAST_UNSUPPORTED_DTYPE:
      Throw(common::errors::Unimplemented("%s", message));
    case AXISCAST_OUT_OF_MEMORY:
      Throw(common::errors::ResourceExhausted("%s", message));
    case AXISCAST_INTERNAL:
      Throw(common::errors::Fatal("%s", message));
    default:
      Throw(common::errors::InvalidArgument("%s", message));
  }
}

// Paddle hands dense tensors to kernels: views are copied before.
axiscast_tensor View(const phi::DenseTensor& tensor, const void* data) {
  const phi::DDim& dims = tensor.dims();
  return {sizeof(axiscast_tensor), const_cast<void*>(data), DTypeOf(tensor.dtype()), dims.size(), dims.Get(), nullptr};
}

// As many threads as Paddle's own kernels may use here: 1 unless OMP_NUM_THREADS or the predictor's settings say otherwise.
constexpr std::int64_t kTooSmallToShare = 1 << 15;
std::int32_t ThreadLimit(std::int64_t elements) { return elements < kTooSmallToShare ? 1 : omp_get_max_threads(); }

// axiscast_apply without options.
std::int32_t ApplyPlan(int row, const axiscast_tensor* inputs, int count, const axiscast_tensor& out,
                       const axiscast_execute_options& execute) {
  thread_local const std::unique_ptr<Plans> plans = std::make_unique<Plans>();
  const axiscast_plan* plan = nullptr;
  if (const std::int32_t status = plans->Get(row, inputs, count, out, &plan); status != AXISCAST_OK) return status;
  const void* pointers[AXISCAST_MAX_ARITY];
  for (int i = 0; i < count; ++i) pointers[i] = inputs[i].data;
  return axiscast_plan_execute(plan, pointers, count, out.data, &execute);
}

}  // namespace

void CheckShape(const phi::DenseTensor& x, const phi::DenseTensor& y, const phi::DenseTensor& out,
                const axiscast_options* options) {
  const axiscast_tensor views[] = {View(x, nullptr), View(y, nullptr)};
  std::int64_t extents[AXISCAST_MAX_RANK];
  std::int32_t rank = 0;
  const std::int32_t status = axiscast_resolve_shape(views, 2, options, extents, AXISCAST_MAX_RANK, &rank);
  if (status != AXISCAST_OK) ThrowStatus(status);
  if (out.dims() == phi::DDim(extents, rank)) return;
  Throw(common::errors::InvalidArgument(
      "%s: the result by its axis must have the shape that Paddle infers, by the trailing dims; got axis "
      "%d (x %s, y %s, inferred %s)",
      options->caller, static_cast<int>(options->axis), x.dims().to_str(), y.dims().to_str(), out.dims().to_str()));
}

void Execute(int row, const phi::CPUContext& context, std::initializer_list<const phi::DenseTensor*> inputs, phi::DenseTensor* out,
             const axiscast_options* options, const void* scalar) {
  const Replacement& replacement = replacements[row];
  axiscast_tensor views[AXISCAST_MAX_ARITY];
  int count = 0;
  std::int64_t elements = out->numel();
  for (const phi::DenseTensor* input : inputs) {
    views[count++] = View(*input, input->initialized() ? input->data() : nullptr);
    elements = std::max(elements, input->numel());
  }
  // Some gradients get operands of which Paddle has kept the shape alone; the op does not read them either, but wants a pointer.
  for (int i = 0; MayLackData(kRows[row]) && i + 1 < count; ++i) {
    if (views[i].data == nullptr) views[i].data = views[count - 1].data;
  }
  const phi::DataType selected = inputs.begin()[SelectsBy(kRows[row], count)]->dtype();
  if (scalar != nullptr) {
    views[count++] = {sizeof(axiscast_tensor), const_cast<void*>(scalar), views[0].dtype, 0, nullptr, nullptr};
  }
  const axiscast_tensor view = View(*out, context.Alloc(out, replacement.to_bool ? phi::DataType::BOOL : selected));
  axiscast_execute_options execute = {};
  execute.struct_size = sizeof(execute);
  execute.max_threads = ThreadLimit(elements);
  calls.fetch_add(1, std::memory_order_relaxed);
  const std::int32_t status = options != nullptr ? axiscast_apply(replacement.op, views, count, &view, options, &execute)
                                                 : ApplyPlan(row, views, count, view, execute);
  if (status != AXISCAST_OK) ThrowStatus(status);
}

}  // namespace axiscast_paddle

extern "C" {

// How many times one of our ops has run.
__attribute__((visibility("default"))) std::int64_t axiscast_paddle_calls() { return axiscast_paddle::calls.load(); }

// 0: every call goes on to the kernel that Paddle came with, for comparisons in one process; 1: ours again.
__attribute__((visibility("default"))) void axiscast_paddle_use(std::int32_t ours) { axiscast_paddle::ours.store(ours != 0); }

}  // extern "C"
