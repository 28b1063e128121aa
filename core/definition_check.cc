// What is wrong with an op's definition: texts, attributes, operands, kernels.
#include "core/definition_check.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "core/registry.h"

namespace axiscast {
namespace {

// As every reader of lists and expressions takes names apart.
bool IsOneWord(const char* name) {
  const std::string_view text(name);
  return !text.empty() && text.find_first_of(" \t\r\n") == text.npos;
}

bool IsCycles(double cycles) { return std::isfinite(cycles) && cycles >= 0; }

bool SameInputs(const Kernel& x, const Kernel& y, int arity) { return std::equal(x.inputs, x.inputs + arity, y.inputs); }

}  // namespace

Status Invalid(const std::string& message) { return Status(StatusCode::kInvalidArgument, message); }

Status CheckDefinition(const OpDefinition& definition, const Form* form) {
  const OpInfo& info = definition.info;
  if (info.name == nullptr || *info.name == '\0') return Invalid("registry: an op needs a name");
  if (!IsOneWord(info.name)) return Invalid(std::string("registry: an op's name must be one word; got \"") + info.name + "\"");
  const std::string who = std::string("registry: op ") + info.name;
  if (info.arity < 1 || info.arity > kMaxArity) {
    return Invalid(who + ": arity must be 1 to " + std::to_string(kMaxArity) + "; got " + std::to_string(info.arity));
  }
  if (info.doc == nullptr || info.special == nullptr || info.aliases == nullptr || info.source == nullptr ||
      info.operands == nullptr || info.check_message == nullptr || info.gradient == nullptr) {
    return Invalid(who + ": a text is null; use \"\"");
  }
  const std::size_t operands = SplitWords(info.operands).size();
  if (operands != 0 && operands != static_cast<std::size_t>(info.arity)) {
    return Invalid(who + ": operands must name " + std::to_string(info.arity) + " inputs; got \"" + info.operands + "\"");
  }
  if (info.attribute_count < 0 || info.attribute_count > kMaxAttributes) {
    return Invalid(who + ": at most " + std::to_string(kMaxAttributes) + " attributes; got " +
                   std::to_string(info.attribute_count));
  }
  for (int a = 0; a < info.attribute_count; ++a) {
    const AttributeInfo& attribute = info.attributes[a];
    if (attribute.name == nullptr) return Invalid(who + ": attribute " + std::to_string(a) + " has no name");
    if (!IsOneWord(attribute.name)) {
      return Invalid(who + ": an attribute's name must be one word; got \"" + attribute.name + "\"");
    }
    if (attribute.doc == nullptr) return Invalid(who + ": the doc of attribute " + attribute.name + " is null; use \"\"");
    if (attribute.type != AttributeType::kNumber && form == nullptr)
      return Invalid(who + ": the type of attribute " + attribute.name + " must be kNumber, as all of an elementwise op");
    for (int b = 0; b < a; ++b) {
      if (std::string_view(attribute.name) == info.attributes[b].name) {
        return Invalid(who + ": attribute " + attribute.name + " is there twice");
      }
    }
  }
  if (info.checked_operand < -1 || info.checked_operand >= info.arity) {
    return Invalid(who + ": checked_operand must be -1 or an input; got " + std::to_string(info.checked_operand));
  }
  if (definition.kernels.empty()) return Invalid(who + ": an op needs a kernel");
  for (std::size_t k = 0; k < definition.kernels.size(); ++k) {
    const Kernel& kernel = definition.kernels[k];
    const std::string which = who + ": kernel " + std::to_string(k);
    if (kernel.run == nullptr && form == nullptr) return Invalid(which + " has no function");
    bool valid = IsValid(kernel.output) && IsValid(kernel.attributes);
    for (int i = 0; i < info.arity; ++i) valid = valid && IsValid(kernel.inputs[i]);
    if (!valid) return Invalid(which + " has an invalid dtype");
    const KernelAbilities& can = kernel.abilities;
    if ((can.permutes != 0 || can.transposes || can.keeps || can.recurs != 0 || can.widens != 0) && info.arity != 2) {
      const char* const says = can.permutes != 0 ? " permutes"
                               : can.transposes  ? " transposes"
                               : can.keeps       ? " keeps"
                               : can.recurs != 0 ? " takes recurring"
                                                 : " widens";
      return Invalid(which + says + " inputs, which is for ops with two; this one has " + std::to_string(info.arity));
    }
    if (can.permutes < 0 || can.permutes > kMaxPermutedLanes) {
      return Invalid(which + ": permutes must be 0 to " + std::to_string(kMaxPermutedLanes) + " lanes; got " +
                     std::to_string(can.permutes));
    }
    if (!IsCycles(kernel.cycles) || !IsCycles(kernel.cycles_by_splat)) {
      return Invalid(which + ": cycles and cycles_by_splat must be finite and not negative; got " + std::to_string(kernel.cycles) +
                     " and " + std::to_string(kernel.cycles_by_splat));
    }
    if (can.recurs < 0) return Invalid(which + ": recurs must not be negative; got " + std::to_string(can.recurs));
    if (can.widens < 0) return Invalid(which + ": widens must not be negative; got " + std::to_string(can.widens));
    if (kernel.check != nullptr && info.checked_operand < 0) return Invalid(which + " has a check, but checked_operand is -1");
    const bool is_code = info.check_code > StatusCode::kOk && info.check_code <= StatusCode::kInternal;
    if (kernel.check != nullptr && (!is_code || *info.check_message == '\0')) {
      return Invalid(which + " has a check, so the op needs a check_code, one other than kOk, and a check_message");
    }
    for (std::size_t j = 0; j < k; ++j) {
      if (SameInputs(kernel, definition.kernels[j], info.arity)) {
        return Invalid(which + " has the dtypes of kernel " + std::to_string(j));
      }
    }
  }
  return Status();
}

}  // namespace axiscast
