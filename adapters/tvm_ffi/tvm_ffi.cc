// axiscast for all that speaks TVM-FFI: a module whose functions are the ops of the registry, for tensors of any library.
//   library = tvm_ffi.load_module("libaxiscast_tvm_ffi.so")
//   library.NAME(inputs..., out, axis = None, attributes = None, options = None)    NAME_ writes to its first input and has no out
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "tvm_ffi/call.h"

namespace {

using namespace tvm::ffi;  // NOLINT: the host's names, in this file alone
using adapter::Arguments, adapter::Callee, adapter::Check, adapter::Details;

std::atomic<std::uint64_t> calls{0};

int Call(void* self, const TVMFFIAny* arguments, std::int32_t count, TVMFFIAny*) {
  TVM_FFI_SAFE_CALL_BEGIN();
  const Callee& callee = *static_cast<const Callee*>(self);
  const int arity = callee.info.arity;
  const Arguments call(callee, arguments, count);
  const axiscast_tensor* const tensors = call.tensors;
  const Details& details = call.details;
  Check(callee.form == Callee::kInPlace
            ? axiscast_apply_in_place(callee.op, tensors, tensors + 1, arity - 1, &details.options, &details.execute)
            : axiscast_apply(callee.op, tensors, arity, &tensors[arity], &details.options, &details.execute));
  calls.fetch_add(1, std::memory_order_relaxed);
  TVM_FFI_SAFE_CALL_END();
}

constexpr char kInferOutputDoc[] =
    "infer_output(name, inputs..., axis = None, attributes = None, options = None): the output's shape and dtype";

int InferOutput(void*, const TVMFFIAny* arguments, std::int32_t count, TVMFFIAny* result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  const auto name = count > 0 ? reinterpret_cast<const AnyView*>(arguments)->try_cast<String>() : std::nullopt;
  if (!name) TVM_FFI_THROW(TypeError) << "a call is " << kInferOutputDoc;
  Callee callee;
  Check(callee.Find(*name, Callee::kInfer));
  const Arguments call(callee, arguments + 1, count - 1);
  std::int64_t extents[AXISCAST_MAX_RANK];
  std::int32_t rank, dtype;
  Check(axiscast_infer_output(callee.op, call.tensors, callee.info.arity, &call.details.options, extents, AXISCAST_MAX_RANK, &rank,
                              &dtype));
  DLDataType type;
  Check(axiscast_dtype_to_dlpack(dtype, &type.code, &type.bits, &type.lanes));
  Array<Any> shape_and_dtype;
  shape_and_dtype.push_back(Shape(extents, extents + rank));
  shape_and_dtype.push_back(type);
  *reinterpret_cast<Any*>(result) = shape_and_dtype;
  TVM_FFI_SAFE_CALL_END();
}

Array<String> OpNames() {
  Array<String> names;
  std::int64_t count;
  Check(axiscast_op_count(nullptr, &count));
  for (std::int64_t i = 0; i < count; ++i) {
    Callee callee;
    callee.info.struct_size = sizeof(callee.info);
    Check(axiscast_op_at(nullptr, i, &callee.op));
    Check(axiscast_op_describe(callee.op, &callee.info));
    names.push_back(callee.info.name);
  }
  return names;
}

class AxiscastModule final : public ModuleObj {
 public:
  const char* kind() const final { return "axiscast"; }
  int GetPropertyMask() const final { return Module::kRunnable; }

  Optional<Function> GetFunction(const String& name) final {
    if (name == "op_names") return Function::FromTyped(OpNames);
    if (name == "infer_output") return Function::FromExternC(nullptr, InferOutput, nullptr);
    Callee callee;
    if (!callee.Find(name)) return std::nullopt;
    return Function::FromExternC(new Callee(callee), Call, [](void* self) { delete static_cast<Callee*>(self); });
  }

  Optional<String> GetFunctionDoc(const String& name) final {
    if (name == "op_names") return String("op_names(): the names of all ops, in their order");
    if (name == "infer_output") return String(kInferOutputDoc);
    Callee callee;
    if (!callee.Find(name)) return std::nullopt;
    return String(callee.Signature() + "\n" + callee.info.doc + "\n" + callee.info.special);
  }
};

// What the host calls for the library's module; see library_bin.
int MakeModule(void*, const TVMFFIAny*, std::int32_t, TVMFFIAny* result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  // A module's virtual functions are the host's, and no part of what TVM-FFI keeps stable.
  if (version.major != TVM_FFI_VERSION_MAJOR || version.minor != TVM_FFI_VERSION_MINOR || version.patch != TVM_FFI_VERSION_PATCH) {
    TVM_FFI_THROW(RuntimeError) << "axiscast's adapter was built for TVM-FFI " << TVM_FFI_VERSION_MAJOR << "."
                                << TVM_FFI_VERSION_MINOR << "." << TVM_FFI_VERSION_PATCH << "; got " << version.major << "."
                                << version.minor << "." << version.patch << ": build it again";
  }
  if (axiscast_abi_version() != AXISCAST_ABI_VERSION)
    TVM_FFI_THROW(RuntimeError) << "axiscast's adapter was built for ABI " << AXISCAST_ABI_VERSION << "; got "
                                << axiscast_abi_version();
  *reinterpret_cast<Any*>(result) = Module(make_object<AxiscastModule>());
  TVM_FFI_SAFE_CALL_END();
}

const bool registered = [] {
  constexpr char kName[] = "ffi.Module.load_from_bytes.axiscast";
  const TVMFFIByteArray name = {kName, sizeof(kName) - 1};
  TVMFFIObjectHandle function = nullptr;
  if (TVMFFIFunctionCreate(nullptr, MakeModule, nullptr, &function) != 0) return false;
  const bool done = TVMFFIFunctionSetGlobal(&name, function, /*allow_override=*/1) == 0;
  TVMFFIObjectDecRef(function);
  return done;
}();

// What the host reads of a library that holds modules: one, of kind axiscast, without imports. It refuses to read no content.
struct LibraryBin {
  std::uint64_t size = sizeof(LibraryBin) - sizeof(std::uint64_t);
  std::uint64_t import_begin_count = 2, import_begins[2] = {0, 0}, import_count = 0;
  std::uint64_t kind_size = sizeof(kind);
  char kind[8] = {'a', 'x', 'i', 's', 'c', 'a', 's', 't'};
  std::uint64_t content_size = sizeof(content);
  char content[8] = {};
};

}  // namespace

extern "C" {
__attribute__((visibility("default"))) extern const LibraryBin __tvm_ffi__library_bin;
const LibraryBin __tvm_ffi__library_bin;
// How many calls of ops came to an end without an error: the tests' proof that ours ran.
__attribute__((visibility("default"))) std::uint64_t axiscast_tvm_ffi_calls() { return calls; }
}
