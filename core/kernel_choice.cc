// Kernels by dtypes; see kernel_choice.h.
#include "core/kernel_choice.h"

namespace axiscast {
namespace {

std::string ListOf(const std::vector<std::string>& words) {
  std::string text = "(";
  for (const std::string& word : words) text += (text.size() > 1 ? ", " : "") + word;
  return text + ")";
}

std::string InputsOf(const Kernel& kernel, int arity) {
  std::vector<std::string> names;
  for (int i = 0; i < arity; ++i) names.emplace_back(NameOf(kernel.inputs[i]));
  return ListOf(names);
}

// The first dtype that is settled and not that of all kernels.
std::optional<DType> DataDType(const Op& op, const std::optional<DType>* dtypes) {
  for (int i = 0; i < op.arity(); ++i) {
    if (!dtypes[i]) continue;
    for (const Kernel& kernel : op.kernels()) {
      if (kernel.inputs[i] != *dtypes[i]) return dtypes[i];
    }
  }
  return std::nullopt;
}

}  // namespace

std::string NoKernel(const Op& op, const std::vector<std::string>& given, DType first) {
  const auto list = [&](bool first_alone) {
    std::string text;
    for (const Kernel& kernel : op.kernels()) {
      if (!first_alone || kernel.inputs[0] == first) text += (text.empty() ? "" : ", ") + InputsOf(kernel, op.arity());
    }
    return text;
  };
  const std::string name = op.info().name;
  std::string supported = op.elementwise() ? "" : list(true), with;
  if (!supported.empty()) with = std::string("with ") + NameOf(first) + " ";
  if (supported.empty()) supported = list(false);
  return "no kernel for " + name + ListOf(given) + "; " + with + name + " supports " + supported;
}

const Kernel* ChooseKernel(const Op& op, const std::optional<DType>* dtypes, bool* several) {
  const std::optional<DType> beside = DataDType(op, dtypes);
  const Kernel *any = nullptr, *like_inputs = nullptr;
  int fitting = 0, fitting_like_inputs = 0;
  for (const Kernel& kernel : op.kernels()) {
    bool fits = true, is_like_inputs = true;
    for (int i = 0; i < op.arity(); ++i) {
      fits = fits && (!dtypes[i] || kernel.inputs[i] == *dtypes[i]);
      is_like_inputs = is_like_inputs && (dtypes[i] || kernel.inputs[i] == beside);
    }
    if (!fits) continue;
    any = &kernel;
    ++fitting;
    if (!is_like_inputs) continue;
    like_inputs = &kernel;
    ++fitting_like_inputs;
  }
  *several = fitting > 1 && fitting_like_inputs != 1;
  return *several ? nullptr : fitting > 1 ? like_inputs : any;
}

}  // namespace axiscast
