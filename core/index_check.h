// Whether every value of an index is in range: looked at before the first write.
#ifndef AXISCAST_CORE_INDEX_CHECK_H_
#define AXISCAST_CORE_INDEX_CHECK_H_

#include <string>

#include "core/canonical.h"
#include "core/form.h"

namespace axiscast {

class IndexCheck {
 public:
  // Input 1 of the call chooses from `extent` values along dim `dim` of input 0.
  IndexCheck(const FormCall& call, int dim, std::int64_t extent, bool wrap_negative);

  // Error: kOutOfRange, naming the first bad value in row-major order.
  Status Run(const IndexKernels& kernels, const std::byte* index, const ExecuteOptions& options) const;

 private:
  bool InRange(const IndexKernels& kernels, const std::byte* index, const ExecuteOptions& options) const;
  Status Refuse(const std::byte* index) const;

  std::string caller_, name_, data_name_, facts_;
  Shape data_shape_;
  int dim_;
  std::int64_t lowest_, highest_;
  int type_;  // as IndexKernels has it
  Shape shape_;
  ByteStrides byte_strides_;
  bool empty_;
  Canonical canonical_;  // of its distinct elements
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_INDEX_CHECK_H_
