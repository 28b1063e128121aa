// The op that a command line names.
#include "tools/operators.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "tools/failure.h"
#include "tools/library_internals.h"
#include "tools/not_offered.h"
#include "tools/shape_text.h"

namespace axiscast::tools {
const Registry& ChooseRegistry(const Value& target) {
  const Registry* registry = nullptr;
  if (target) {
    const Status status = Registry::BuiltInFor(*target, &registry);
    if (status.code() == StatusCode::kUnknownName) Fail(kUsage, std::string("--target: ") + status.message());
    Check(status);
    return *registry;
  }
  const char* const environment = std::getenv("AXISCAST_TARGET");
  if (environment == nullptr || *environment == '\0') return Registry::BuiltIn();
  const Status status = Registry::BuiltInFor(environment, &registry);
  if (!status.ok()) Fail(status.code(), std::string("AXISCAST_TARGET: ") + status.message());
  return *registry;
}

const Op& FindOperator(const Registry& registry, const std::string& name) {
  const Op* op = nullptr;
  const Status status = registry.Find(name, &op);
  if (status.ok()) return *op;
  RefuseNotOffered(registry, name);
  Fail(status.code(), status.message());
}

int DataOperand(const Op& op) {
  for (int i = 0; i < op.arity(); ++i) {
    for (const Kernel& kernel : op.kernels()) {
      if (kernel.inputs[i] != op.kernels()[0].inputs[i]) return i;
    }
  }
  return 0;
}

bool IsGradient(const Op& op) { return !op.elementwise() && std::string_view(op.info().name).ends_with(kGradientSuffix); }

OpCount CountOps(const Registry& registry) {
  const auto gradients = static_cast<std::size_t>(
      std::count_if(registry.ops().begin(), registry.ops().end(), [](const Op* op) { return IsGradient(*op); }));
  return {registry.ops().size() - gradients, gradients};
}

std::size_t PatternCount(const Op& op) { return static_cast<std::size_t>(op.arity()) - (IsGradient(op) ? 1 : 0); }

int IndexOperand(const Op& op) {
  const int data = DataOperand(op);
  for (int i = 0; i < op.arity(); ++i) {
    for (const Kernel& kernel : op.kernels()) {
      if (kernel.inputs[data] == op.kernels()[0].inputs[data] && kernel.inputs[i] != op.kernels()[0].inputs[i]) return i;
    }
  }
  return -1;
}

std::vector<DType> DataDTypes(const Op& op) { return DTypesOf(op, DataOperand(op)); }

std::vector<DType> DTypesOf(const Op& op, int operand) {
  std::vector<DType> dtypes;
  for (const DTypeRow& row : kDTypes) {
    const auto has = [&](const Kernel& kernel) { return kernel.inputs[operand] == row.dtype; };
    if (std::any_of(op.kernels().begin(), op.kernels().end(), has)) dtypes.push_back(row.dtype);
  }
  return dtypes;
}

std::vector<std::string> OperandNames(const Op& op) {
  std::istringstream text(*op.info().operands != '\0' ? op.info().operands : "x y z w");
  std::vector<std::string> names;
  for (std::string name; static_cast<int>(names.size()) < op.arity() && text >> name;) names.push_back(name);
  return names;
}

namespace {

// What `--attr KEY=VALUE` says, for an attribute of this type. The text must live as long as the attribute.
Attribute ReadAttribute(const Op& op, const AttributeInfo& info, const char* text) {
  const auto refuse = [&](const char* wanted) {
    Fail(StatusCode::kInvalidArgument,
         std::string("attribute ") + info.name + " of " + op.info().name + " must be " + wanted + "; got `" + text + "`");
  };
  Attribute attribute(info.name, 0);
  switch (info.type) {
    case AttributeType::kName:
      return Attribute(info.name, text);
    case AttributeType::kShape:
      return Attribute(info.name, ReadShape(text));
    case AttributeType::kBool:
      if (std::strcmp(text, "true") == 0 || std::strcmp(text, "false") == 0) return Attribute(info.name, *text == 't');
      refuse("true or false");
      break;
    case AttributeType::kInteger:
      if (!ReadNumber(text, &attribute) || attribute.kind == Attribute::Kind::kDouble) refuse("a whole number");
      break;
    case AttributeType::kNumber:
      if (!ReadNumber(text, &attribute)) refuse("a number");
      break;
  }
  return attribute;
}

}  // namespace

std::vector<Attribute> ReadAttributes(const Op& op, const std::vector<std::string>& texts) {
  const OpInfo& info = op.info();
  std::vector<Attribute> attributes;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) Fail(StatusCode::kInvalidArgument, "--attr takes KEY=VALUE, not `" + text + "`");
    const std::string key = text.substr(0, equals);
    std::vector<std::string> names;
    const AttributeInfo* named = nullptr;  // the registry's own texts: they live longer than the attribute
    for (int i = 0; i < info.attribute_count; ++i) {
      names.emplace_back(info.attributes[i].name);
      if (key == info.attributes[i].name) named = &info.attributes[i];
    }
    if (names.empty()) Fail(StatusCode::kUnknownName, std::string(info.name) + " takes no attributes; got \"" + key + "\"");
    if (named == nullptr) Fail(StatusCode::kUnknownName, NoSuch(std::string("attribute of ") + info.name, key, names));
    for (const Attribute& other : attributes) {
      if (std::strcmp(other.name, named->name) == 0) Fail(StatusCode::kInvalidArgument, "attribute " + key + " is given twice");
    }
    attributes.push_back(ReadAttribute(op, *named, text.c_str() + equals + 1));
  }
  return attributes;
}

void ReadPromotion(const Value& promote) {
  const std::vector<std::string> names = {"none", "paddle", "numpy", "torch"};
  if (!promote || *promote == "none") return;
  if (std::find(names.begin(), names.end(), *promote) == names.end())
    Fail(kUsage, "--promote: " + NoSuch("promotion", *promote, names));
  Fail(StatusCode::kUnsupported, "promotion " + *promote + " is not offered by this build; it has none: dtypes must match");
}

}  // namespace axiscast::tools
