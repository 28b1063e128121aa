// What the header of a .npy file says: dtype, byte order, memory order and shape.
#ifndef AXISCAST_TOOLS_NPY_HEADER_H_
#define AXISCAST_TOOLS_NPY_HEADER_H_

#include <string>
#include <string_view>

#include "axiscast/dtype.h"
#include "axiscast/tensor.h"

namespace axiscast::tools {

struct NpyHeader {
  DType dtype = DType::kFloat32;
  bool swapped = false;  // elements are in the byte order that this machine does not have
  bool fortran_order = false;
  Shape shape;
  std::int64_t data_bytes = 0;
};

// Reads the dict of a header. Fails with kFileError (a header that lies or cannot be read) or kUnsupportedDType; the message begins
// with `path`.
NpyHeader ReadNpyHeader(std::string_view dict, const std::string& path);

// The whole beginning of a .npy file of version 1.0 for a dense row-major array, byte for byte as NumPy writes it.
std::string NpyPreamble(DType dtype, const Shape& shape);

}  // namespace axiscast::tools

#endif  // AXISCAST_TOOLS_NPY_HEADER_H_
