/* DLPack tensors as operands of the C API: inline, over the caller's own dlpack.h (0.6 to 1.3), which is included first. C99,
 * C++17. */
#ifndef AXISCAST_DLPACK_H_
#define AXISCAST_DLPACK_H_

#ifndef DLPACK_DLPACK_H_
#error "include your dlpack.h before axiscast/dlpack.h, which works on the DLTensor that it declares"
#endif

#include <stdio.h>

#include "axiscast/c_api.h"

/** What a tensor that was made from a DLTensor points to. It stays where it is for as long as the tensor is used. */
typedef struct axiscast_dlpack_storage {
  int64_t byte_strides[AXISCAST_MAX_RANK];
  char message[160]; /* what was wrong, where the code is not AXISCAST_OK */
} axiscast_dlpack_storage;

/** Makes a view of the DLTensor's memory: no copy, any strides. `storage` comes as it is, uninitialised; *tensor points into it and
 * at from->shape. Ranks and null pointers are left to the calls that take the tensor.
 *
 * DLPack does not say here whether memory may be written: who makes an output of a DLManagedTensorVersioned heeds its flags.
 *
 * Errors, with storage->message: AXISCAST_UNSUPPORTED (a device that is not the CPU), AXISCAST_UNSUPPORTED_DTYPE (vectors of lanes
 * too), AXISCAST_INVALID_ARGUMENT (a stride that does not fit in 64 bits as bytes); *tensor is then untouched. */
static inline int32_t axiscast_tensor_from_dlpack(const DLTensor* from, axiscast_tensor* tensor, axiscast_dlpack_storage* storage) {
  int32_t dtype, dim, status;
  int64_t size;
  const int has_strides = from->strides != NULL && from->shape != NULL && from->ndim <= AXISCAST_MAX_RANK;
  if (from->device.device_type != kDLCPU) {
    snprintf(storage->message, sizeof(storage->message),
             "axiscast_tensor_from_dlpack: the tensor must be in memory of the CPU, DLPack's device type 1; got device type %d",
             (int)from->device.device_type);
    return AXISCAST_UNSUPPORTED;
  }
  status = axiscast_dtype_from_dlpack(from->dtype.code, from->dtype.bits, from->dtype.lanes, &dtype);
  if (status != AXISCAST_OK) {
    snprintf(storage->message, sizeof(storage->message), "%s", axiscast_last_message());
    return status;
  }
  size = from->dtype.bits / 8;
  for (dim = 0; has_strides && dim < from->ndim; ++dim) {
    const int64_t stride = from->shape[dim] > 1 ? from->strides[dim] : 0; /* others may be anything: no step is taken */
    if (stride > INT64_MAX / size || stride < -(INT64_MAX / size)) {
      snprintf(storage->message, sizeof(storage->message),
               "axiscast_tensor_from_dlpack: strides must fit in 64 bits as bytes; got %lld elements of %d bytes in dim %d",
               (long long)stride, (int)size, (int)dim);
      return AXISCAST_INVALID_ARGUMENT;
    }
    storage->byte_strides[dim] = stride * size;
  }
  tensor->struct_size = sizeof(*tensor);
  tensor->data = from->byte_offset == 0 ? from->data : (char*)from->data + from->byte_offset;
  tensor->dtype = dtype;
  tensor->rank = from->ndim;
  tensor->shape = from->shape;
  tensor->byte_strides = has_strides ? storage->byte_strides : NULL;
  return AXISCAST_OK;
}

#endif /* AXISCAST_DLPACK_H_ */
