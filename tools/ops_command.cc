// `axiscast ops`: what the registry holds.
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "axiscast/registry.h"
#include "tools/command_line.h"
#include "tools/json.h"
#include "tools/not_offered.h"
#include "tools/operators.h"
#include "tools/table.h"
#include "tools/verbs.h"

namespace axiscast::tools {
namespace {

constexpr VerbText kText = {
    "axiscast ops [NAME] [flags]",
    "Lists the operators by the number of their inputs, or tells the whole story of one: meaning, special values, dtypes, "
    "attributes, error bound and source. Aliases work wherever a name does.",
    "  axiscast ops\n"
    "  axiscast ops add\n"
    "  axiscast ops elementwise_add --json\n",
};

std::vector<std::string> Words(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string Join(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<std::string> DTypeNames(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(NameOf(dtype));
  return names;
}

// Runs of dtypes by kind, for a table: "ints floats".
std::string DTypeSummary(const Op& op) {
  const std::vector<DType> dtypes = DataDTypes(op);
  bool has[4] = {};
  int have = 0, exist = 0;
  for (const DType dtype : dtypes) has[static_cast<int>(KindOf(dtype))] = true;
  for (const DTypeRow& row : kDTypes) exist += has[static_cast<int>(row.kind)] ? 1 : 0;
  have = static_cast<int>(dtypes.size());
  if (have != exist) return Join(DTypeNames(dtypes), " ");
  std::vector<std::string> kinds;
  const bool both_ints = has[static_cast<int>(DTypeKind::kSigned)] && has[static_cast<int>(DTypeKind::kUnsigned)];
  if (has[static_cast<int>(DTypeKind::kBool)]) kinds.emplace_back("bool");
  if (both_ints) kinds.emplace_back("ints");
  if (!both_ints && has[static_cast<int>(DTypeKind::kSigned)]) kinds.emplace_back("signed ints");
  if (!both_ints && has[static_cast<int>(DTypeKind::kUnsigned)]) kinds.emplace_back("unsigned ints");
  if (has[static_cast<int>(DTypeKind::kFloat)]) kinds.emplace_back("floats");
  return Join(kinds, ", ");
}

std::string NumberText(double value) {
  char text[32];
  for (int digits = 1; digits <= 17; ++digits) {  // the shortest that reads back as the same value
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    if (std::stod(text) == value) break;
  }
  return text;
}

const char* TypeText(AttributeType type) {
  constexpr const char* kTexts[] = {"number", "integer", "bool", "name", "shape"};
  return kTexts[static_cast<int>(type)];
}

std::string DefaultText(const AttributeInfo& info) {
  switch (info.absent) {
    case AttributeDefault::kRequired:
      return "required";
    case AttributeDefault::kValue:
      if (info.type == AttributeType::kBool) return info.value != 0 ? "default true" : "default false";
      return "default " + (info.type == AttributeType::kName ? Words(info.names)[0] : NumberText(info.value));
    default:
      return "default: no bound";
  }
}

std::string ErrorBound(double max_ulp) {
  return max_ulp == 0 ? "none: exactly the stated meaning, the same bits on every target"
                      : "at most " + NumberText(max_ulp) + " ulp of the result";
}

// "(bool, T, T) -> T for T = int8, float32", T being what differs from kernel to kernel.
std::string SignatureOf(const Op& op, const std::vector<const Kernel*>& kernels) {
  const auto same = [&](auto dtype_of) {
    for (const Kernel* kernel : kernels) {
      if (dtype_of(*kernel) != dtype_of(*kernels[0])) return std::string("T");
    }
    return std::string(NameOf(dtype_of(*kernels[0])));
  };
  // T is the data operand's dtype; another input whose dtype is its own affair (an index) says which ones it may have.
  const auto input = [&](int i) {
    std::vector<std::string> others;
    bool is_data = true;
    for (const Kernel* kernel : kernels) {
      is_data = is_data && kernel->inputs[i] == kernel->inputs[DataOperand(op)];
      if (const std::string name = NameOf(kernel->inputs[i]); std::find(others.begin(), others.end(), name) == others.end())
        others.push_back(name);
    }
    return is_data || others.size() == 1 ? same([i](const Kernel& kernel) { return kernel.inputs[i]; }) : Join(others, " | ");
  };
  std::vector<std::string> inputs, dtypes;
  for (int i = 0; i < op.arity(); ++i) inputs.push_back(input(i));
  for (const Kernel* kernel : kernels) {
    const std::string name = NameOf(kernel->inputs[DataOperand(op)]);
    if (std::find(dtypes.begin(), dtypes.end(), name) == dtypes.end()) dtypes.push_back(name);
  }
  return "(" + Join(inputs, ", ") + ") -> " + same([](const Kernel& kernel) { return kernel.output; }) +
         " for T = " + Join(dtypes, ", ");
}

// The same of all kernels; where some results are of the data's dtype and others of one that is not theirs, of each by itself.
std::string Signatures(const Op& op) {
  std::vector<const Kernel*> all, kept, changed;
  bool is_one = true;  // dtype, of all results
  for (const Kernel& kernel : op.kernels()) {
    all.push_back(&kernel);
    (kernel.output == kernel.inputs[DataOperand(op)] ? kept : changed).push_back(&kernel);
    is_one = is_one && kernel.output == op.kernels()[0].output;
  }
  if (is_one || kept.empty() || changed.empty()) return SignatureOf(op, all);
  return SignatureOf(op, kept) + "; " + SignatureOf(op, changed);
}

// A paragraph under a heading; nothing when there is nothing to say.
std::string Section(const char* heading, const std::string& text) {
  return text.empty() ? "" : std::string("\n") + heading + "\n" + Wrap(text, 2);
}

std::string Story(const Op& op) {
  const OpInfo& info = op.info();
  std::string text = std::string(info.name) + "(" + Join(OperandNames(op), ", ") + ")\n" + Wrap(info.doc, 2);
  text += Section("Special values", info.special);
  text += Section("Dtypes", Signatures(op));
  if (info.attribute_count > 0) {
    std::vector<std::vector<std::string>> rows;
    for (int i = 0; i < info.attribute_count; ++i) {
      const AttributeInfo& attribute = info.attributes[i];
      const std::string values =
          attribute.type == AttributeType::kName ? Join(Words(attribute.names), " | ") : TypeText(attribute.type);
      rows.push_back({std::string("  ") + attribute.name, values, DefaultText(attribute), attribute.doc});
    }
    text += "\nAttributes (--attr NAME=VALUE)\n" + Table(rows);
  }
  text += Section("Error", ErrorBound(info.max_ulp));
  text += Section("Refuses", info.check_message);
  if (*info.gradient != '\0')
    text += Section("Gradient", info.name + std::string(kGradientSuffix) + ", by input: " + info.gradient);
  text += Section("Aliases", info.aliases);
  text += Section("Source", info.source);
  return text;
}

std::string List(const Registry& registry, const std::vector<const Op*>& ops) {
  constexpr const char* kHeadings[] = {"", "One input", "Two inputs", "Three inputs", "Four inputs"};
  std::string text;
  for (int arity = 1; arity <= kMaxArity; ++arity) {
    std::vector<std::vector<std::string>> rows;
    for (const Op* const op : ops) {
      if (op->arity() == arity) rows.push_back({std::string("  ") + op->info().name, DTypeSummary(*op), op->info().doc});
    }
    if (!rows.empty()) text += (text.empty() ? "" : "\n") + std::string(kHeadings[arity]) + "\n" + Table(rows);
  }
  const OpCount count = CountOps(registry);
  return text + "\n" + std::to_string(count.ops) + " operators, and NAME_grad for the " + std::to_string(count.gradients) +
         " that have gradients; axiscast ops NAME tells the whole story of one\n\n" +
         Wrap("Not offered by this build:" + NamesNotOffered() + ".", 0);
}

Json ToJson(const Op& op) {
  const OpInfo& info = op.info();
  Json attributes = Json::array();
  for (int i = 0; i < info.attribute_count; ++i) {
    const AttributeInfo& attribute = info.attributes[i];
    Json value(nullptr);
    if (attribute.absent == AttributeDefault::kValue) {
      value = attribute.value;
      if (attribute.type == AttributeType::kInteger) value = static_cast<std::int64_t>(attribute.value);
      if (attribute.type == AttributeType::kBool) value = attribute.value != 0;
      if (attribute.type == AttributeType::kName) value = Words(attribute.names)[0];
    }
    attributes.push_back({{"name", attribute.name},
                          {"type", TypeText(attribute.type)},
                          {"default", value},
                          {"required", attribute.absent == AttributeDefault::kRequired},
                          {"doc", attribute.doc}});
    if (attribute.type == AttributeType::kName) attributes.back()["values"] = Words(attribute.names);
  }
  Json signatures = Json::array();
  for (const Kernel& kernel : op.kernels()) {
    Json inputs = Json::array();
    for (int i = 0; i < op.arity(); ++i) inputs.push_back(NameOf(kernel.inputs[i]));
    signatures.push_back({{"inputs", inputs}, {"output", NameOf(kernel.output)}});
  }
  return {{"name", info.name},
          {"aliases", Words(info.aliases)},
          {"arity", info.arity},
          {"elementwise", op.elementwise()},
          {"operands", OperandNames(op)},
          {"dtypes", DTypeNames(DataDTypes(op))},
          {"signatures", signatures},
          {"attributes", attributes},
          {"doc", info.doc},
          {"special", info.special},
          {"max_ulp", info.max_ulp},
          {"gradient", *info.gradient != '\0'},
          {"source", info.source}};
}

}  // namespace

std::string OpsVerb(const std::vector<std::string>& words) {
  CommandLine line(kText);
  if (const auto help = line.Parse(words)) return *help;
  line.RequireOperands(0, 1, "");
  const Value default_target;
  const Registry& registry = ChooseRegistry(default_target);
  std::vector<const Op*> ops = registry.ops();
  // Gradients are named with their ops.
  ops.erase(std::remove_if(ops.begin(), ops.end(), [](const Op* op) { return IsGradient(*op); }), ops.end());
  const bool one = !line.operands().empty();
  if (one) ops = {&FindOperator(registry, line.operands()[0])};
  if (!line.json()) return one ? Story(*ops[0]) : List(registry, ops);
  Json json = Json::array();
  for (const Op* const op : ops) json.push_back(ToJson(*op));
  return Print(json);
}

}  // namespace axiscast::tools
