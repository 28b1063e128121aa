// What happens when the library is loaded: checks, all of them before the first change, and then the registration.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "paddle/paddle.h"

namespace paddle {
// "version: 3.3.1\ncommit: ...\n". Of the inference library, whose header the wheel lacks; weak, so that a Paddle without it is
// refused too.
__attribute__((weak)) std::string get_version();
}  // namespace paddle

namespace axiscast_paddle {
namespace {

// The texts live as long as the library, which is never unloaded.
std::string refusal;   // why nothing was replaced
std::string replaced;  // a line for each kernel

// What tells this build from another: tests look for it in the file.
const char built_for[] = "axiscast_paddle was built for Paddle " AXISCAST_PADDLE_VERSION;

struct Registration {
  phi::KernelKeyMap* kernels;
  phi::KernelKey key;
  phi::Kernel kernel;
};

bool Refuse(const std::string& reason) {
  refusal = reason;
  return false;
}

// Whether two kernels take and give the same; `theirs` was made by Paddle's own registration.
bool SameSignature(const phi::KernelArgsDef& ours, const phi::KernelArgsDef& theirs) {
  const auto same_tensor = [](const phi::TensorArgDef& x, const phi::TensorArgDef& y) { return x.type_index == y.type_index; };
  const auto same_attribute = [](const phi::AttributeArgDef& x, const phi::AttributeArgDef& y) {
    return x.type_index == y.type_index;
  };
  return std::equal(ours.input_defs().begin(), ours.input_defs().end(), theirs.input_defs().begin(), theirs.input_defs().end(),
                    same_tensor) &&
         std::equal(ours.output_defs().begin(), ours.output_defs().end(), theirs.output_defs().begin(), theirs.output_defs().end(),
                    same_tensor) &&
         std::equal(ours.attribute_defs().begin(), ours.attribute_defs().end(), theirs.attribute_defs().begin(),
                    theirs.attribute_defs().end(), same_attribute);
}

// What Paddle has to know of a kernel's arguments, told for another dtype.
phi::KernelArgsDef ForDType(const phi::KernelArgsDef& known, phi::DataType from, phi::DataType to) {
  phi::KernelArgsDef args = known;
  for (auto& input : args.input_defs()) {
    if (input.dtype == from) input.dtype = to;
  }
  for (auto& output : args.output_defs()) {
    if (output.dtype == from) output.dtype = to;
  }
  return args;
}

phi::KernelKey KeyOf(int dtype) {
  return phi::KernelKey(phi::Backend::CPU, phi::DataLayout::ALL_LAYOUT, static_cast<phi::DataType>(dtype));
}

// The dtypes that the op has for the operand by which Paddle selects a kernel, a bit each.
std::uint32_t DTypesOf(const axiscast_op* op, const Row& row, bool* to_bool) {
  axiscast_op_info info = {};
  info.struct_size = sizeof(info);
  if (axiscast_op_describe(op, &info) != AXISCAST_OK) return 0;
  std::uint32_t dtypes = 0;
  for (std::int32_t i = 0; i < info.kernel_count; ++i) {
    axiscast_kernel_info kernel = {};
    kernel.struct_size = sizeof(kernel);
    if (axiscast_op_kernel(op, i, &kernel) != AXISCAST_OK) continue;
    const std::int32_t selected = kernel.inputs[SelectsBy(row, info.arity)];
    dtypes |= 1u << selected;
    *to_bool = *to_bool || (kernel.output == AXISCAST_BOOL && selected != AXISCAST_BOOL);
  }
  return dtypes;
}

bool PrepareRow(int row, const Function& function, std::vector<Registration>* registrations) {
  const Row& names = kRows[row];
  Replacement& replacement = replacements[row];
  if (axiscast_op_find(nullptr, names.op, &replacement.op) != AXISCAST_OK) return Refuse(axiscast_last_message());
  auto& factory = phi::KernelFactory::Instance().kernels();
  const auto found = factory.find(names.kernel);
  if (found == factory.end()) return Refuse(std::string("Paddle has no kernel ") + names.kernel);
  const std::uint32_t dtypes = names.dtypes & DTypesOf(replacement.op, names, &replacement.to_bool);

  // Any dtype that Paddle has tells what a kernel takes; bool comes last, as it says nothing of a result that is always bool.
  const phi::KernelArgsDef* known = nullptr;
  auto known_dtype = phi::DataType::UNDEFINED;
  for (int i = kDTypeCount - 1; i > 0; --i) {
    const auto kernel = found->second.find(KeyOf(i));
    if (kernel == found->second.end() || kDTypes[i] < 0) continue;
    replacement.paddle[kDTypes[i]] = kernel->second.GetVariadicKernelFn<void*>();
    if (known != nullptr) continue;
    known = &kernel->second.args_def();
    known_dtype = static_cast<phi::DataType>(i);
  }
  phi::KernelArgsDef parsed;
  function.parse(KeyOf(static_cast<int>(known_dtype)), &parsed);
  if (known == nullptr || !SameSignature(parsed, *known)) {
    return Refuse(std::string("Paddle's kernel ") + names.kernel +
                  " takes other arguments than in Paddle " AXISCAST_PADDLE_VERSION);
  }

  replaced += names.kernel;
  replaced += std::string(" ") + names.op;
  for (int i = 1; i < kDTypeCount; ++i) {
    if (kDTypes[i] < 0 || (dtypes >> kDTypes[i] & 1) == 0) continue;
    phi::Kernel kernel(function.compute, function.variadic);
    const auto own = found->second.find(KeyOf(i));
    *kernel.mutable_args_def() =
        own != found->second.end() ? own->second.args_def() : ForDType(*known, known_dtype, static_cast<phi::DataType>(i));
    registrations->push_back({&found->second, KeyOf(i), kernel});
    replaced += own != found->second.end() ? " " : " +";
    replaced += axiscast_dtype_name(kDTypes[i]);
  }
  replaced += "\n";
  return true;
}

bool Load() {
  const std::string version = paddle::get_version == nullptr ? "nothing" : paddle::get_version();
  if (version.find("version: " AXISCAST_PADDLE_VERSION "\n") == std::string::npos) {
    return Refuse(std::string(built_for) + " and refuses any other; this one says " + version.substr(0, version.find('\n')));
  }
  if (axiscast_abi_version() != AXISCAST_ABI_VERSION)
    return Refuse("libaxiscast.so has another ABI than axiscast_paddle was built for");
  std::vector<Registration> registrations;
  const auto functions = Functions();
  for (int row = 0; row < kRowCount; ++row) {
    if (!PrepareRow(row, functions[static_cast<std::size_t>(row)], &registrations)) return false;
  }
  for (const Registration& registration : registrations) (*registration.kernels)[registration.key] = registration.kernel;
  return true;
}

bool LoadOrRefuse() {
  try {
    if (Load()) return true;
  } catch (const std::exception& error) {
    refusal = error.what();
  }
  replaced.clear();
  std::fprintf(stderr, "axiscast_paddle: %s; Paddle's kernels stay as they are\n", refusal.c_str());
  return false;
}

// When the library is loaded. Below the texts, which have to be there first.
[[maybe_unused]] const bool loaded = LoadOrRefuse();

}  // namespace
}  // namespace axiscast_paddle

extern "C" {

// Why nothing was replaced; null when all was.
__attribute__((visibility("default"))) const char* axiscast_paddle_refusal() {
  return axiscast_paddle::refusal.empty() ? nullptr : axiscast_paddle::refusal.c_str();
}

// What was replaced: a line "kernel op dtype..." for each kernel; + marks dtypes for which Paddle has none.
__attribute__((visibility("default"))) const char* axiscast_paddle_replaced() { return axiscast_paddle::replaced.c_str(); }

}  // extern "C"
