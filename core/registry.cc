// Immutable registries, one for each supported target, and the builder for registries of one's own.
#include "axiscast/registry.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "core/form.h"
#include "core/gradient.h"
#include "core/near_names.h"
#include "core/registry.h"

namespace axiscast {

struct Registry::Impl {
  const Registry* parent = nullptr;
  const char* target = "";
  TargetKernels own_kernels{};                  // of a built-in registry
  const TargetKernels* kernels = &own_kernels;  // or the parent's
  std::deque<Op::Entry> entries;                // addresses stay
  std::deque<Op> names;                         // a canonical name or alias each
  std::deque<Gradient> gradients;
  std::unordered_map<std::string_view, const Op*> by_name;
  std::vector<const Op*> sorted;  // under canonical names, the parent's included
};

namespace {

Status Invalid(const std::string& message) { return Status(StatusCode::kInvalidArgument, message); }

bool SameInputs(const Kernel& x, const Kernel& y, int arity) { return std::equal(x.inputs, x.inputs + arity, y.inputs); }

// What is wrong with a definition, apart from its names.
Status CheckDefinition(const OpDefinition& definition, const Form* form) {
  const OpInfo& info = definition.info;
  if (info.name == nullptr || *info.name == '\0') return Invalid("registry: an op needs a name");
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
    if (kernel.check != nullptr && info.checked_operand < 0) return Invalid(which + " has a check, but checked_operand is -1");
    if (kernel.check != nullptr && (info.check_code == StatusCode::kOk || *info.check_message == '\0')) {
      return Invalid(which + " has a check, so the op needs a check_code other than kOk and a check_message");
    }
    for (std::size_t j = 0; j < k; ++j) {
      if (SameInputs(kernel, definition.kernels[j], info.arity)) {
        return Invalid(which + " has the dtypes of kernel " + std::to_string(j));
      }
    }
  }
  return Status();
}

// Takes back the op that was added last.
void RemoveLast(Registry::Impl& impl) {
  while (!impl.names.empty() && &impl.names.back().entry() == &impl.entries.back()) {
    impl.by_name.erase(impl.names.back().name());
    impl.names.pop_back();
  }
  impl.entries.pop_back();
}

Status AddTo(Registry::Impl& impl, OpDefinition&& definition, const Form* form) {
  if (const Status status = CheckDefinition(definition, form); !status.ok()) return status;
  std::vector<std::string> names = SplitWords(definition.info.aliases);
  names.insert(names.begin(), definition.info.name);
  for (std::size_t n = 0; n < names.size(); ++n) {
    if (impl.by_name.count(names[n]) != 0 || std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(n), names[n]) !=
                                                 names.begin() + static_cast<std::ptrdiff_t>(n)) {
      return Invalid(std::string("registry: op ") + definition.info.name + ": the name " + names[n] + " is already taken");
    }
  }
  static std::atomic<std::uint64_t> next_id{1};
  Op::Entry& entry = impl.entries.emplace_back();
  try {
    entry.id = next_id.fetch_add(1, std::memory_order_relaxed);
    entry.definition = std::move(definition);
    entry.form = form;
    entry.kernels = impl.kernels;
    entry.names = std::move(names);
    entry.operands = SplitWords(entry.definition.info.operands);
    if (entry.operands.empty()) entry.operands = {"x", "y", "z", "w"};
    for (int i = 0; i < entry.definition.info.arity; ++i) {
      entry.operand_names[i] = entry.operands[static_cast<std::size_t>(i)].c_str();
    }
    for (const std::string& name : entry.names) {
      const Op& op = impl.names.emplace_back(name.c_str(), &entry);
      impl.by_name.emplace(op.name(), &op);
    }
  } catch (...) {  // out of memory: nothing is added
    RemoveLast(impl);
    throw;
  }
  return Status();
}

// The op NAME_grad of an op that declares its gradient. `find` knows every op that the declaration may name.
Status AddGradient(Registry::Impl& impl, const Op& forward, const FindOpFunction& find) {
  if (forward.arity() == kMaxArity) {
    return Invalid(std::string("registry: op ") + forward.name() + ": an op of " + std::to_string(kMaxArity) +
                   " inputs cannot have a gradient, which would take one more");
  }
  if (forward.info().attribute_count == kMaxAttributes) {
    return Invalid(std::string("registry: op ") + forward.name() + ": an op of " + std::to_string(kMaxAttributes) +
                   " attributes cannot have a gradient, which would take one more");
  }
  const auto has_form = [&find](const char* name, const Form& form) {
    const Op* const op = find(name);
    return op != nullptr && op->entry().form == &form;
  };
  if (!has_form("sum_to", kSumToForm) || !has_form("broadcast_to", kBroadcastToForm))
    return Invalid(std::string("registry: op ") + forward.name() + ": its gradient needs the built-in ops sum_to and broadcast_to");
  Gradient& gradient = impl.gradients.emplace_back();
  Status status;
  try {
    gradient.sum_to = find("sum_to");
    gradient.broadcast_to = find("broadcast_to");
    status = ReadGradient(forward.info(), find, &gradient.programs);
    if (status.ok()) {
      DescribeGradient(forward, &gradient);
      status = AddTo(impl, {gradient.info, GradientSignatures(forward, gradient.programs)}, &kGradientForm);
    }
  } catch (...) {
    impl.gradients.pop_back();
    throw;
  }
  if (status.ok()) {
    impl.entries.back().gradient = &gradient;
  } else {
    impl.gradients.pop_back();
  }
  return status;
}

// Lists the ops of `impl`, and those of its parent that it does not hide.
void Sort(Registry::Impl& impl) {
  for (const Op::Entry& entry : impl.entries) impl.sorted.push_back(impl.by_name.at(entry.names[0]));
  if (impl.parent != nullptr) {
    for (const Op* op : impl.parent->ops()) {
      if (impl.by_name.count(op->name()) == 0) impl.sorted.push_back(op);
    }
  }
  std::sort(impl.sorted.begin(), impl.sorted.end(),
            [](const Op* x, const Op* y) { return std::string_view(x->name()) < std::string_view(y->name()); });
}

char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool SameName(std::string_view x, std::string_view y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](char a, char b) { return Upper(a) == Upper(b); });
}

std::string Join(const std::vector<const char*>& names) {
  std::string text;
  for (const char* name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

}  // namespace

// Not by a stream: it would keep an exception to itself, and lose words when memory runs out.
std::vector<std::string> SplitWords(std::string_view text) {
  constexpr const char* kSpace = " \t\n";
  std::vector<std::string> words;
  for (std::size_t begin = text.find_first_not_of(kSpace); begin != text.npos; begin = text.find_first_not_of(kSpace, begin)) {
    const std::size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

const OpInfo& Op::info() const noexcept { return entry_->definition.info; }
bool Op::elementwise() const noexcept { return entry_->form == nullptr; }
const std::vector<Kernel>& Op::kernels() const noexcept { return entry_->definition.kernels; }

const Kernel* Op::FindKernel(const DType* inputs) const noexcept {
  for (const Kernel& kernel : kernels()) {
    if (std::equal(inputs, inputs + arity(), kernel.inputs)) return &kernel;
  }
  return nullptr;
}

Registry::Registry(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Registry::Registry(Registry&&) noexcept = default;
Registry& Registry::operator=(Registry&&) noexcept = default;
Registry::~Registry() = default;

const Op* Registry::Find(std::string_view name) const noexcept {
  for (const Registry* registry = this; registry != nullptr && registry->impl_ != nullptr; registry = registry->impl_->parent) {
    const auto found = registry->impl_->by_name.find(name);
    if (found != registry->impl_->by_name.end()) return found->second;
  }
  return nullptr;
}

Status Registry::Find(std::string_view name, const Op** op) const noexcept try {
  if (const Op* found = Find(name)) {
    *op = found;
    return Status();
  }
  if (impl_ == nullptr) return Status(StatusCode::kOutOfMemory, "registry: there is no memory for the built-in ops");
  constexpr std::string_view kGradient = "_grad";
  if (name.ends_with(kGradient)) {
    if (const Op* forward = Find(name.substr(0, name.size() - kGradient.size()))) {
      return Status(StatusCode::kUnsupported,
                    "there is no op \"" + std::string(name) + "\": the op " + forward->info().name + " has no gradient");
    }
  }
  std::vector<std::string_view> names;
  const bool gradients = name.ends_with(kGradient);  // else their names are half of the list
  const auto is_listed = [gradients](const Op* known) { return (known->entry().gradient != nullptr) == gradients; };
  for (const Op* known : ops()) {
    if (is_listed(known)) names.emplace_back(known->name());
  }
  for (const Op* known : ops()) {
    const std::vector<std::string>& all = known->entry().names;
    if (is_listed(known)) names.insert(names.end(), all.begin() + 1, all.end());
  }
  return UnknownName("op", name, std::move(names));
} catch (...) {
  return Status(StatusCode::kOutOfMemory, "registry: out of memory");
}

const std::vector<const Op*>& Registry::ops() const noexcept {
  static const std::vector<const Op*> none;
  return impl_ != nullptr ? impl_->sorted : none;
}
const char* Registry::target() const noexcept { return impl_ != nullptr ? impl_->target : ""; }

namespace {

std::unique_ptr<Registry::Impl> MakeBuiltIn(const Target& target) {
  auto impl = std::make_unique<Registry::Impl>();
  impl->target = target.name;
  impl->own_kernels = {BuiltInMovers(target.bit), BuiltInSums(target.bit), BuiltInIndexKernels(target.bit)};
  for (OpDefinition& definition : BuiltInOps(target.bit)) {
    // Cannot be refused: registry_test finds every built-in op, and op_conformance_test runs it.
    (void)AddTo(*impl, std::move(definition), nullptr).ok();
  }
  for (const Form* form : BuiltInForms()) (void)AddTo(*impl, {form->info, form->signatures()}, form).ok();
  const FindOpFunction find = [&impl](std::string_view name) {
    const auto found = impl->by_name.find(name);
    return found != impl->by_name.end() ? found->second : nullptr;
  };
  for (std::size_t i = 0, count = impl->entries.size(); i < count; ++i) {
    if (*impl->entries[i].definition.info.gradient != '\0') (void)AddGradient(*impl, *find(impl->entries[i].names[0]), find).ok();
  }
  Sort(*impl);
  return impl;
}

// A registry for each target, made on first use and never destroyed: plans may outlive main.
struct BuiltInRegistry {
  Target target;
  std::once_flag once;
  std::unique_ptr<Registry> registry;
};

std::deque<BuiltInRegistry>& AllBuiltIn() {
  static std::deque<BuiltInRegistry>* all = [] {
    auto* made = new std::deque<BuiltInRegistry>;
    for (const Target& target : BuiltInTargets()) made->emplace_back().target = target;
    return made;
  }();
  return *all;
}

}  // namespace

Status Registry::BuiltInFor(std::string_view name, const Registry** registry) noexcept try {
  for (BuiltInRegistry& row : AllBuiltIn()) {
    if (!SameName(name, row.target.name)) continue;
    if (!row.target.supported) {
      return Status(StatusCode::kUnsupported,
                    std::string("target ") + row.target.name + " is not supported by this CPU; it has " + Join(SupportedTargets()));
    }
    std::call_once(row.once, [&row] { row.registry.reset(new Registry(MakeBuiltIn(row.target))); });
    *registry = row.registry.get();
    return Status();
  }
  std::vector<std::string_view> names;
  for (const char* target : CompiledTargets()) names.emplace_back(target);
  return UnknownName("target", name, std::move(names));
} catch (...) {
  return Status(StatusCode::kOutOfMemory, "registry: out of memory");
}

const Registry& Registry::BuiltIn() noexcept {
  static const Registry out_of_memory(nullptr);  // holds nothing; only as long as memory lasts for nothing else
  static std::atomic<const Registry*> best{nullptr};
  if (const Registry* made = best.load(std::memory_order_acquire)) return *made;
  try {
    const Registry* made = nullptr;
    for (const BuiltInRegistry& row : AllBuiltIn()) {
      if (row.target.supported && BuiltInFor(row.target.name, &made).ok()) {
        best.store(made, std::memory_order_release);
        return *made;
      }
    }
  } catch (...) {  // no memory for the list of targets
  }
  return out_of_memory;
}

std::vector<const char*> Registry::CompiledTargets() {
  std::vector<const char*> names;
  for (const BuiltInRegistry& row : AllBuiltIn()) names.push_back(row.target.name);
  return names;
}

std::vector<const char*> Registry::SupportedTargets() {
  std::vector<const char*> names;
  for (const BuiltInRegistry& row : AllBuiltIn()) {
    if (row.target.supported) names.push_back(row.target.name);
  }
  return names;
}

RegistryBuilder::RegistryBuilder(const Registry& parent) : impl_(std::make_unique<Registry::Impl>()) {
  impl_->parent = &parent;
  impl_->target = parent.target();
  if (parent.impl_ != nullptr) impl_->kernels = parent.impl_->kernels;
}

RegistryBuilder::~RegistryBuilder() = default;

Status RegistryBuilder::Add(OpDefinition definition) noexcept try {
  if (impl_ == nullptr) return Status(StatusCode::kInvalidArgument, "registry: the builder has been used; make a new one");
  const bool has_gradient = definition.info.gradient != nullptr && *definition.info.gradient != '\0';
  if (const Status status = AddTo(*impl_, std::move(definition), nullptr); !status.ok() || !has_gradient) return status;
  const Op& forward = *impl_->by_name.at(impl_->entries.back().names[0]);
  try {
    const Status status = AddGradient(*impl_, forward, [this](std::string_view name) {
      const auto found = impl_->by_name.find(name);
      return found != impl_->by_name.end() ? found->second : impl_->parent->Find(name);
    });
    if (!status.ok()) RemoveLast(*impl_);
    return status;
  } catch (...) {
    RemoveLast(*impl_);
    throw;
  }
} catch (...) {
  return Status(StatusCode::kOutOfMemory, "registry: out of memory");
}

Registry RegistryBuilder::Build() {
  if (impl_ == nullptr) impl_ = std::make_unique<Registry::Impl>();
  Sort(*impl_);
  return Registry(std::move(impl_));
}

}  // namespace axiscast
