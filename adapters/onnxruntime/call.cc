// Between a call of the host's and one of ours.
#include "onnxruntime/call.h"

#include <algorithm>
#include <thread>

namespace axiscast_onnxruntime {
namespace {

// The host tells nobody how many threads a session has. It never runs more of them than it has, whatever is asked for.
int Concurrency(void*) {
  static const int kProcessors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return kProcessors;
}

struct Job {
  axiscast_thread_pool_body body;
  void* task;
};

void RunPart(void* state, size_t index) {
  const Job* job = static_cast<const Job*>(state);
  job->body(job->task, static_cast<int64_t>(index), static_cast<int64_t>(index) + 1);
}

void ParallelFor(void* context, int64_t count, axiscast_thread_pool_body body, void* task) {
  Job job{body, task};
  OrtStatus* status =
      Api().KernelContext_ParallelFor(static_cast<OrtKernelContext*>(context), &RunPart, static_cast<size_t>(count), 0, &job);
  if (status == nullptr) return;
  Api().ReleaseStatus(status);  // it has done nothing
  body(task, 0, count);
}

// Calls `run` with options that lead to the host's threads.
template <class Run>
OrtStatus* WithHostThreads(OrtKernelContext* context, Run run) {
  const axiscast_thread_pool pool{sizeof(pool), context, &ParallelFor, &Concurrency};
  axiscast_execute_options options{};
  options.struct_size = sizeof(options);
  options.pool = &pool;
  const int32_t code = run(options);
  return code == AXISCAST_OK ? nullptr : LastFailure(code);
}

OrtStatus* TooManyDims() { return Refuse("axiscast: a tensor has more than 64 dims"); }

// Copies a shape; there is room for AXISCAST_MAX_RANK extents.
OrtStatus* ReadShape(const OrtValue* value, int64_t* extents, size_t* rank) {
  if (const ShapeReference reference = ShapeReferenceOfHost()) {
    ONNXTensorElementDataType type;
    const int64_t* where = nullptr;
    if (OrtStatus* status = reference(value, &type, &where, rank)) return status;
    if (*rank > AXISCAST_MAX_RANK) return TooManyDims();
    std::copy(where, where + *rank, extents);
    return nullptr;
  }
  OrtTensorTypeAndShapeInfo* info = nullptr;
  if (OrtStatus* status = Api().GetTensorTypeAndShape(value, &info)) return status;
  OrtStatus* status = Api().GetDimensionsCount(info, rank);
  if (status == nullptr) status = *rank > AXISCAST_MAX_RANK ? TooManyDims() : Api().GetDimensions(info, extents, *rank);
  Api().ReleaseTensorTypeAndShapeInfo(info);
  return status;
}

}  // namespace

OrtStatus* AppendInput(const OrtKernelContext* context, size_t index, int32_t dtype, Operands* operands) {
  const OrtValue* value = nullptr;
  size_t rank = 0;
  void* data = nullptr;
  int64_t* key = operands->key + operands->used;
  if (OrtStatus* status = Api().KernelContext_GetInput(context, index, &value)) return status;
  if (OrtStatus* status = ReadShape(value, key + 1, &rank)) return status;
  if (OrtStatus* status = Api().GetTensorMutableData(const_cast<OrtValue*>(value), &data)) return status;
  key[0] = static_cast<int64_t>(rank);
  operands->used += rank + 1;
  operands->data[operands->count] = data;
  operands->tensors[operands->count++] = {sizeof(axiscast_tensor), data, dtype, static_cast<int32_t>(rank), key + 1, nullptr};
  return nullptr;
}

void AppendScalar(const void* data, int32_t dtype, Operands* operands) {
  operands->key[operands->used++] = 0;
  operands->data[operands->count] = data;
  operands->tensors[operands->count++] = {sizeof(axiscast_tensor), const_cast<void*>(data), dtype, 0, nullptr, nullptr};
}

OrtStatus* Output(OrtKernelContext* context, const int64_t* extents, size_t rank, void** data, bool* wanted) {
  OrtValue* value = nullptr;
  if (OrtStatus* status = Api().KernelContext_GetOutput(context, 0, extents, rank, &value)) return status;
  *wanted = value != nullptr;
  return *wanted ? Api().GetTensorMutableData(value, data) : nullptr;
}

OrtStatus* Apply(OrtKernelContext* context, const axiscast_op* op, const axiscast_tensor* inputs, int64_t count,
                 const axiscast_options& options, const axiscast_tensor& out) {
  return WithHostThreads(context, [&](const axiscast_execute_options& execute) {
    return axiscast_apply(op, inputs, count, &out, &options, &execute);
  });
}

OrtStatus* Execute(OrtKernelContext* context, const axiscast_plan* plan, const Operands& operands, void* out) {
  return WithHostThreads(context, [&](const axiscast_execute_options& execute) {
    return axiscast_plan_execute(plan, operands.data, operands.count, out, &execute);
  });
}

}  // namespace axiscast_onnxruntime
