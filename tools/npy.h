// Arrays in .npy files.
#ifndef AXISCAST_TOOLS_NPY_H_
#define AXISCAST_TOOLS_NPY_H_

#include <cstdint>
#include <functional>
#include <string>

#include "axiscast/tensor.h"
#include "tools/memory.h"

namespace axiscast::tools {

struct Array {
  DType dtype = DType::kFloat32;
  Shape shape;
  ByteStrides byte_strides;  // those of a Fortran-order file are not row-major
  std::int64_t bytes = 0;
  Memory data;

  TensorView view() const { return TensorView(data.get(), dtype, shape, byte_strides); }
  MutableTensorView mutable_view() { return MutableTensorView(data.get(), dtype, shape, byte_strides); }
};

// A row-major array of zeros' shape; its elements are not set.
Array MakeArray(DType dtype, const Shape& shape);

// Reads a whole .npy file, or stdin where the path is `-`: versions 1.0, 2.0 and 3.0, either memory order, either byte order. Bytes
// after the array are ignored, as numpy.load does. Fails with kFileError, kUnsupportedDType or kOutOfMemory; the message begins
// with the path.
Array ReadNpy(const std::string& path);

// The same elements in row-major memory; the array itself when it is so already.
Array MakeDense(Array array);

// Writes a row-major array; see ReplaceFile. Fails with kFileError.
void WriteNpy(const std::string& path, const Array& array, const std::function<void()>& report);

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_NPY_H_
