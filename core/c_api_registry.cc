// The C API's list of ops and targets.
#include <algorithm>
#include <string>
#include <vector>

#include "core/c_api.h"
#include "core/registry.h"

namespace axiscast::c {
namespace {

static_assert(AXISCAST_ATTRIBUTE_NUMBER == static_cast<int>(AttributeType::kNumber));
static_assert(AXISCAST_ATTRIBUTE_INTEGER == static_cast<int>(AttributeType::kInteger));
static_assert(AXISCAST_ATTRIBUTE_BOOL == static_cast<int>(AttributeType::kBool));
static_assert(AXISCAST_ATTRIBUTE_NAME == static_cast<int>(AttributeType::kName));
static_assert(AXISCAST_ATTRIBUTE_SHAPE == static_cast<int>(AttributeType::kShape));
static_assert(AXISCAST_ABSENT_REQUIRED == static_cast<int>(AttributeDefault::kRequired));
static_assert(AXISCAST_ABSENT_VALUE == static_cast<int>(AttributeDefault::kValue));
static_assert(AXISCAST_ABSENT_LOWEST == static_cast<int>(AttributeDefault::kLowest));
static_assert(AXISCAST_ABSENT_HIGHEST == static_cast<int>(AttributeDefault::kHighest));

// The sizes of version 1.
constexpr std::size_t kOpInfoSize = 88, kKernelInfoSize = 32, kAttributeInfoSize = 48;

// While there is no memory for the built-in ops, there is a registry without any.
Status CheckBuiltIn(const axiscast_registry* registry) {
  const Op* op;
  return registry != nullptr || !Registry::BuiltIn().ops().empty() ? Status() : Registry::BuiltIn().Find("", &op);
}

bool Contains(const std::vector<const char*>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace
}  // namespace axiscast::c

using namespace axiscast;     // NOLINT: what follows is C's
using namespace axiscast::c;  // NOLINT

int32_t axiscast_target_count(int32_t* count) {
  return Call(__func__, [=, function = __func__] {
    if (count == nullptr) return IsNull(function, "the pointer to the count");
    *count = static_cast<int32_t>(Registry::CompiledTargets().size());
    return Status();
  });
}

int32_t axiscast_target_at(int32_t index, const char** name, int32_t* supported) {
  return Call(__func__, [=, function = __func__] {
    if (name == nullptr || supported == nullptr) return IsNull(function, "the pointer to the name or to supported");
    const std::vector<const char*> targets = Registry::CompiledTargets();
    const auto count = static_cast<int64_t>(targets.size());
    if (index < 0 || index >= count) return OutOfRange(function, "a target", index, count);
    const char* const found = targets[static_cast<std::size_t>(index)];
    *supported = Contains(Registry::SupportedTargets(), found);
    *name = found;
    return Status();
  });
}

int32_t axiscast_registry_for_target(const char* target, const axiscast_registry** registry) {
  return Call(__func__, [=, function = __func__] {
    if (target == nullptr) return IsNull(function, "the target's name");
    if (registry == nullptr) return IsNull(function, "the pointer to the registry");
    const Registry* found;
    Status status = Registry::BuiltInFor(target, &found);
    if (status.ok()) *registry = ToHandle(found);
    return status;
  });
}

int32_t axiscast_registry_target(const axiscast_registry* registry, const char** target) {
  return Call(__func__, [=, function = __func__] {
    if (target == nullptr) return IsNull(function, "the pointer to the target");
    if (Status status = CheckBuiltIn(registry); !status.ok()) return status;
    *target = FromHandle(registry).target();
    return Status();
  });
}

int32_t axiscast_op_count(const axiscast_registry* registry, int64_t* count) {
  return Call(__func__, [=, function = __func__] {
    if (count == nullptr) return IsNull(function, "the pointer to the count");
    if (Status status = CheckBuiltIn(registry); !status.ok()) return status;
    *count = static_cast<int64_t>(FromHandle(registry).ops().size());
    return Status();
  });
}

int32_t axiscast_op_at(const axiscast_registry* registry, int64_t index, const axiscast_op** op) {
  return Call(__func__, [=, function = __func__] {
    if (op == nullptr) return IsNull(function, "the pointer to the op");
    if (Status status = CheckBuiltIn(registry); !status.ok()) return status;
    const std::vector<const Op*>& ops = FromHandle(registry).ops();
    const auto count = static_cast<int64_t>(ops.size());
    if (index < 0 || index >= count) return OutOfRange(function, "an op", index, count);
    *op = ToHandle(ops[static_cast<std::size_t>(index)]);
    return Status();
  });
}

int32_t axiscast_op_find(const axiscast_registry* registry, const char* name, const axiscast_op** op) {
  return Call(__func__, [=, function = __func__] {
    if (name == nullptr) return IsNull(function, "the name of the op");
    if (op == nullptr) return IsNull(function, "the pointer to the op");
    const Op* found;
    Status status = FromHandle(registry).Find(name, &found);
    if (status.ok()) *op = ToHandle(found);
    return status;
  });
}

int32_t axiscast_op_gradient(const axiscast_registry* registry, const axiscast_op* op, const axiscast_op** gradient) {
  return Call(__func__, [=, function = __func__] {
    if (op == nullptr) return IsNull(function, "the op");
    if (gradient == nullptr) return IsNull(function, "the pointer to the gradient");
    const Op* const found = FromHandle(registry).Find(std::string(FromHandle(op).info().name) + "_grad");
    *gradient = ToHandle(found != nullptr && found->entry().gradient != nullptr ? found : nullptr);
    return Status();
  });
}

int32_t axiscast_op_describe(const axiscast_op* op, axiscast_op_info* info) {
  return Call(__func__, [=, function = __func__] {
    if (op == nullptr) return IsNull(function, "the op");
    if (info == nullptr) return IsNull(function, "the pointer to the info");
    const Op& known = FromHandle(op);
    const OpInfo& text = known.info();
    axiscast_op_info filled{};
    filled.name = text.name;
    filled.asked = known.name();
    filled.aliases = text.aliases;
    filled.doc = text.doc;
    filled.special = text.special;
    filled.source = text.source;
    filled.operands = known.entry().operand_names;
    filled.max_ulp = text.max_ulp;
    filled.arity = text.arity;
    filled.elementwise = known.elementwise();
    filled.attribute_count = text.attribute_count;
    filled.kernel_count = static_cast<int32_t>(known.kernels().size());
    return Write(function, "the info", filled, kOpInfoSize, info);
  });
}

int32_t axiscast_op_kernel(const axiscast_op* op, int32_t index, axiscast_kernel_info* info) {
  return Call(__func__, [=, function = __func__] {
    if (op == nullptr) return IsNull(function, "the op");
    if (info == nullptr) return IsNull(function, "the pointer to the info");
    const Op& known = FromHandle(op);
    const auto count = static_cast<int64_t>(known.kernels().size());
    if (index < 0 || index >= count) return OutOfRange(function, "a kernel", index, count);
    const Kernel& kernel = known.kernels()[static_cast<std::size_t>(index)];
    axiscast_kernel_info filled{};
    for (int i = 0; i < AXISCAST_MAX_ARITY; ++i) {
      filled.inputs[i] = i < known.arity() ? static_cast<int32_t>(kernel.inputs[i]) : -1;
      // As a plan has it (Plan::Impl::like_out). Other ops say it of each plan.
      if (i < known.arity() && known.elementwise() && SizeOf(kernel.inputs[i]) == SizeOf(kernel.output))
        filled.may_be_out |= 1u << i;
    }
    filled.output = static_cast<int32_t>(kernel.output);
    return Write(function, "the info", filled, kKernelInfoSize, info);
  });
}

int32_t axiscast_op_attribute(const axiscast_op* op, int32_t index, axiscast_attribute_info* info) {
  return Call(__func__, [=, function = __func__] {
    if (op == nullptr) return IsNull(function, "the op");
    if (info == nullptr) return IsNull(function, "the pointer to the info");
    const OpInfo& text = FromHandle(op).info();
    if (index < 0 || index >= text.attribute_count) return OutOfRange(function, "an attribute", index, text.attribute_count);
    const AttributeInfo& attribute = text.attributes[index];
    axiscast_attribute_info filled{};
    filled.name = attribute.name;
    filled.doc = attribute.doc;
    filled.names = attribute.names;
    filled.value = attribute.value;
    filled.type = static_cast<int32_t>(attribute.type);
    filled.absent = static_cast<int32_t>(attribute.absent);
    return Write(function, "the info", filled, kAttributeInfoSize, info);
  });
}
