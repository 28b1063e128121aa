// axiscast for all that speaks TVM-FFI: a module whose functions are the ops of the registry, for tensors of any library.
//   library = tvm_ffi.load_module("libaxiscast_tvm_ffi.so")
//   library.NAME(inputs..., out, axis = None, attributes = None, options = None)    NAME_ writes to its first input and has no out
#include <dlpack/dlpack.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "axiscast/c_api.h"
#include "axiscast/dlpack.h"

namespace {

using namespace tvm::ffi;  // NOLINT: the host's names, in this file alone

std::atomic<std::uint64_t> calls{0};

// What is thrown here never leaves this file: whatever the host calls has TVM_FFI_SAFE_CALL_END in it.
void Check(std::int32_t status) {
  if (status == AXISCAST_OK) return;
  if (status == AXISCAST_OUT_OF_MEMORY) TVM_FFI_THROW(MemoryError) << axiscast_last_message();
  TVM_FFI_THROW(ValueError) << axiscast_last_message();
}

// An op under the name by which it was asked for, and what its function does.
struct Callee {
  enum Form { kInto, kInPlace, kInfer };  // NAME, NAME_, infer_output("NAME", ...)

  const axiscast_op* op = nullptr;
  axiscast_op_info info{};
  Form form = kInto;

  std::int32_t Find(std::string name, Form wanted) {
    form = wanted;
    info.struct_size = sizeof(info);
    const std::int32_t status = axiscast_op_find(nullptr, name.c_str(), &op);
    return status == AXISCAST_OK ? axiscast_op_describe(op, &info) : status;
  }
  bool Find(const std::string& name) {
    const bool in_place = !name.empty() && name.back() == '_';
    return Find(name.substr(0, name.size() - in_place), in_place ? kInPlace : kInto) == AXISCAST_OK;
  }

  int TensorCount() const { return info.arity + (form == kInto); }
  const char* TensorName(int index) const { return index < info.arity ? info.operands[index] : "out"; }
  std::string Name() const { return info.asked + std::string(form == kInPlace ? "_" : ""); }
  std::string Signature() const {
    std::string text = form == kInfer ? "infer_output(\"" + Name() + "\", " : Name() + "(";
    for (int i = 0; i < TensorCount(); ++i) text += std::string(TensorName(i)) + ", ";
    return text + "axis = None, attributes = None, options = None)";
  }
};

template <typename T>
T As(const Callee& callee, const std::string& what, const char* expected, AnyView value) {
  const auto cast = value.try_cast<T>();
  if (!cast) {
    TVM_FFI_THROW(TypeError) << callee.Name() << ": " << what << " must be " << expected << "; got " << value.GetTypeKey();
  }
  return *cast;
}

// What a call says beside its tensors.
struct Details {
  axiscast_options options{};
  axiscast_execute_options execute{};
  std::vector<axiscast_attribute> attributes;
  std::vector<String> texts;  // what `attributes` point to
  std::vector<Shape> shapes;

  Details() {
    options.struct_size = sizeof(options);
    execute.struct_size = sizeof(execute);
  }

  void Read(const Callee& callee, AnyView axis, AnyView given_attributes, AnyView given_options) {
    if (axis != nullptr) {
      options.has_axis = 1;
      options.axis = As<std::int64_t>(callee, "axis", "an int or None", axis);
    }
    if (given_attributes != nullptr) {
      const auto map = As<Map<String, Any>>(callee, "attributes", "a dict with names as keys, or None", given_attributes);
      texts.reserve(2 * map.size());
      shapes.reserve(map.size());
      for (const auto& [name, value] : map) attributes.push_back(Attribute(callee, name, value));
      options.attributes = attributes.data();
      options.attribute_count = static_cast<std::int64_t>(attributes.size());
    }
    if (given_options != nullptr) {
      for (const auto& [name, value] : As<Map<String, Any>>(callee, "options", "a dict with names as keys, or None", given_options))
        SetOption(callee, name, value);
    }
  }

  axiscast_attribute Attribute(const Callee& callee, const String& name, const Any& value) {
    axiscast_attribute attribute{};
    attribute.struct_size = sizeof(attribute);
    attribute.name = texts.emplace_back(name).c_str();
    if (const auto integer = value.try_cast<std::int64_t>()) {
      attribute.kind = AXISCAST_VALUE_INT64;
      attribute.value.integer = *integer;
    } else if (const auto number = value.try_cast<double>()) {
      attribute.kind = AXISCAST_VALUE_DOUBLE;
      attribute.value.number = *number;
    } else if (const auto text = value.try_cast<String>()) {
      attribute.kind = AXISCAST_VALUE_TEXT;
      attribute.value.text = texts.emplace_back(*text).c_str();
    } else {
      const Shape& shape =
          shapes.emplace_back(As<Shape>(callee, "attribute " + std::string(name), "a number, a str or a sequence of ints", value));
      attribute.kind = AXISCAST_VALUE_SHAPE;
      attribute.rank = static_cast<std::int32_t>(std::min<std::size_t>(shape.size(), AXISCAST_MAX_RANK + 1));
      attribute.value.shape = shape.data();
    }
    return attribute;
  }

  void SetOption(const Callee& callee, const String& name, const Any& value) {
    if (name == "mode") {
      Check(axiscast_mode_find(As<String>(callee, "option mode", "a str", value).c_str(), &options.mode));
    } else if (name == "max_threads") {
      constexpr std::int64_t kLowest = INT32_MIN, kHighest = INT32_MAX;
      const auto threads = As<std::int64_t>(callee, "option max_threads", "an int", value);
      execute.max_threads = static_cast<std::int32_t>(std::clamp(threads, kLowest, kHighest));
    } else {
      TVM_FFI_THROW(ValueError) << callee.Name() << ": there is no option " << name << "; there are mode and max_threads";
    }
  }
};

const DLTensor* TensorOf(const TVMFFIAny& argument) {
  if (argument.type_index == kTVMFFITensor) return TVMFFITensorGetDLTensorPtr(argument.v_ptr);
  return argument.type_index == kTVMFFIDLTensorPtr ? static_cast<const DLTensor*>(argument.v_ptr) : nullptr;
}

struct Arguments {
  axiscast_tensor tensors[AXISCAST_MAX_ARITY + 1];
  axiscast_dlpack_storage storage[AXISCAST_MAX_ARITY + 1];
  Details details;

  Arguments(const Callee& callee, const TVMFFIAny* arguments, std::int32_t count) {
    const AnyView* const views = reinterpret_cast<const AnyView*>(arguments);
    const int tensor_count = callee.TensorCount();
    if (count < tensor_count || count > tensor_count + 3)
      TVM_FFI_THROW(TypeError) << "a call is " << callee.Signature() << "; got " << count << " arguments";
    for (int i = 0; i < tensor_count; ++i) {
      const DLTensor* const tensor = TensorOf(arguments[i]);
      if (tensor == nullptr) {
        TVM_FFI_THROW(TypeError) << callee.Name() << ": " << callee.TensorName(i) << " must be a tensor; got "
                                 << views[i].GetTypeKey();
      }
      if (axiscast_tensor_from_dlpack(tensor, &tensors[i], &storage[i]) != AXISCAST_OK)
        TVM_FFI_THROW(ValueError) << callee.Name() << ": " << callee.TensorName(i) << ": " << storage[i].message;
    }
    const auto detail = [=](int index) { return tensor_count + index < count ? views[tensor_count + index] : AnyView(); };
    details.Read(callee, detail(0), detail(1), detail(2));
  }
};

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
