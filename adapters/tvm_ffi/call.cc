// What the host hands over, read one by one; what is not as it should be is said in terms of the call.
#include "tvm_ffi/call.h"

#include <tvm/ffi/container/map.h>
#include <tvm/ffi/error.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace adapter {
namespace {

using namespace tvm::ffi;  // NOLINT: the host's names, in this file alone

template <typename T>
T As(const Callee& callee, const std::string& what, const char* expected, AnyView value) {
  const auto cast = value.try_cast<T>();
  if (!cast) {
    TVM_FFI_THROW(TypeError) << callee.Name() << ": " << what << " must be " << expected << "; got " << value.GetTypeKey();
  }
  return *cast;
}

// Whole numbers from 2^63 to 2^64 - 1, which the host holds as words of two's complement.
std::optional<std::uint64_t> AsNatural(const Any& value) {
  if (value.type_index() != kTVMFFIBigInt) return std::nullopt;
  const TVMFFIByteArray bytes = TVMFFIBigIntGetContentByteArray(reinterpret_cast<const TVMFFIAny*>(&value));
  std::uint64_t words[2];
  if (bytes.size != sizeof(words)) return std::nullopt;
  std::memcpy(words, bytes.data, sizeof(words));
  return words[1] == 0 ? std::optional(words[0]) : std::nullopt;
}

axiscast_attribute ReadAttribute(const Callee& callee, const String& name, const Any& value, Details* details) {
  axiscast_attribute attribute{};
  attribute.struct_size = sizeof(attribute);
  attribute.name = details->texts.emplace_back(name).c_str();
  if (const auto integer = value.try_cast<std::int64_t>()) {
    attribute.kind = AXISCAST_VALUE_INT64;
    attribute.value.integer = *integer;
  } else if (const auto natural = AsNatural(value)) {
    attribute.kind = AXISCAST_VALUE_UINT64;
    attribute.value.natural = *natural;
  } else if (const auto number = value.try_cast<double>()) {
    attribute.kind = AXISCAST_VALUE_DOUBLE;
    attribute.value.number = *number;
  } else if (const auto text = value.try_cast<String>()) {
    attribute.kind = AXISCAST_VALUE_TEXT;
    attribute.value.text = details->texts.emplace_back(*text).c_str();
  } else {
    const Shape& shape = details->shapes.emplace_back(
        As<Shape>(callee, "attribute " + std::string(name), "a number, a str or a sequence of ints", value));
    attribute.kind = AXISCAST_VALUE_SHAPE;
    attribute.rank = static_cast<std::int32_t>(std::min<std::size_t>(shape.size(), AXISCAST_MAX_RANK + 1));
    attribute.value.shape = shape.data();
  }
  return attribute;
}

const DLTensor* TensorOf(const TVMFFIAny& argument) {
  if (argument.type_index == kTVMFFITensor) return TVMFFITensorGetDLTensorPtr(argument.v_ptr);
  return argument.type_index == kTVMFFIDLTensorPtr ? static_cast<const DLTensor*>(argument.v_ptr) : nullptr;
}

}  // namespace

void Check(std::int32_t status) {
  if (status == AXISCAST_OK) return;
  if (status == AXISCAST_OUT_OF_MEMORY) TVM_FFI_THROW(MemoryError) << axiscast_last_message();
  TVM_FFI_THROW(ValueError) << axiscast_last_message();
}

std::int32_t Callee::Find(const std::string& name, Form wanted) {
  form = wanted;
  info.struct_size = sizeof(info);
  const std::int32_t status = axiscast_op_find(nullptr, name.c_str(), &op);
  return status == AXISCAST_OK ? axiscast_op_describe(op, &info) : status;
}

bool Callee::Find(const std::string& function) {
  const bool in_place = !function.empty() && function.back() == '_';
  return Find(function.substr(0, function.size() - in_place), in_place ? kInPlace : kInto) == AXISCAST_OK;
}

std::string Callee::Signature() const {
  std::string text = form == kInfer ? "infer_output(\"" + Name() + "\", " : Name() + "(";
  for (int i = 0; i < TensorCount(); ++i) text += std::string(TensorName(i)) + ", ";
  return text + "axis = None, attributes = None, options = None)";
}

void Details::ReadAxis(const Callee& callee, AnyView axis) {
  options.has_axis = 1;
  options.axis = As<std::int64_t>(callee, "axis", "an int or None", axis);
}

void Details::ReadAttributes(const Callee& callee, AnyView given) {
  const auto map = As<Map<String, Any>>(callee, "attributes", "a dict with names as keys, or None", given);
  texts.reserve(2 * map.size());  // what is pointed to stays where it is
  shapes.reserve(map.size());
  for (const auto& [name, value] : map) attributes.push_back(ReadAttribute(callee, name, value, this));
  options.attributes = attributes.data();
  options.attribute_count = static_cast<std::int64_t>(attributes.size());
}

void Details::ReadOptions(const Callee& callee, AnyView given) {
  const auto map = As<Map<String, Any>>(callee, "options", "a dict with names as keys, or None", given);
  for (const auto& [name, value] : map) {
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
}

Arguments::Arguments(const Callee& callee, const TVMFFIAny* arguments, std::int32_t count) {
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
  constexpr void (Details::*kReaders[])(const Callee&, AnyView) = {&Details::ReadAxis, &Details::ReadAttributes,
                                                                   &Details::ReadOptions};
  for (int i = tensor_count; i < count; ++i) {
    if (views[i] != nullptr) (details.*kReaders[i - tensor_count])(callee, views[i]);
  }
}

}  // namespace adapter
