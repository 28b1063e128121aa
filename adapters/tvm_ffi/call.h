// A call from TVM-FFI in the C API's terms: the op, its tensors, and what is said beside them. Errors are thrown as the host's, and
// caught by TVM_FFI_SAFE_CALL_END in what the host calls: none leaves the adapter.
#ifndef ADAPTERS_TVM_FFI_CALL_H_
#define ADAPTERS_TVM_FFI_CALL_H_

#include <dlpack/dlpack.h>
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <string>
#include <vector>

#include "axiscast/c_api.h"
#include "axiscast/dlpack.h"

namespace adapter {

// Throws axiscast's message where the status is not AXISCAST_OK.
void Check(std::int32_t status);

// An op under the name by which it was asked for, and what its function does.
struct Callee {
  enum Form { kInto, kInPlace, kInfer };  // NAME, NAME_, infer_output("NAME", ...)

  const axiscast_op* op = nullptr;
  axiscast_op_info info{};
  Form form = kInto;

  // A status; and whether there is such an op, by the name of its function.
  std::int32_t Find(const std::string& name, Form wanted);
  bool Find(const std::string& function);

  int TensorCount() const { return info.arity + (form == kInto); }
  const char* TensorName(int index) const { return index < info.arity ? info.operands[index] : "out"; }
  std::string Name() const { return info.asked + std::string(form == kInPlace ? "_" : ""); }
  std::string Signature() const;
};

// What a call says beside its tensors. Stays where it is: `options` points to the rest.
struct Details {
  axiscast_options options{};
  axiscast_execute_options execute{};
  std::vector<axiscast_attribute> attributes;
  std::vector<tvm::ffi::String> texts;  // what `attributes` point to
  std::vector<tvm::ffi::Shape> shapes;

  Details() {
    options.struct_size = sizeof(options);
    execute.struct_size = sizeof(execute);
  }

  void ReadAxis(const Callee& callee, tvm::ffi::AnyView axis);
  void ReadAttributes(const Callee& callee, tvm::ffi::AnyView given);
  void ReadOptions(const Callee& callee, tvm::ffi::AnyView given);
};

// The arguments of a call: tensors, then axis, attributes and options, each of which may be absent or None.
struct Arguments {
  axiscast_tensor tensors[AXISCAST_MAX_ARITY + 1];
  axiscast_dlpack_storage storage[AXISCAST_MAX_ARITY + 1];
  Details details;

  Arguments(const Callee& callee, const TVMFFIAny* arguments, std::int32_t count);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
};

}  // namespace adapter

#endif  // ADAPTERS_TVM_FFI_CALL_H_
