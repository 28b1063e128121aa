// How ops get into a registry: their definitions, the gradients that they declare; and the builder of registries of one's own.
#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <utility>

#include "core/definition_check.h"
#include "core/form.h"
#include "core/registry_impl.h"

namespace axiscast {

Status Registry::Impl::Add(OpDefinition&& definition, const Form* form) {
  if (const Status status = CheckDefinition(definition, form); !status.ok()) return status;
  std::vector<std::string> wanted = SplitWords(definition.info.aliases);
  wanted.insert(wanted.begin(), definition.info.name);
  for (auto name = wanted.begin(); name != wanted.end(); ++name) {
    if (by_name.count(*name) != 0 || std::find(wanted.begin(), name, *name) != name)
      return Invalid(std::string("registry: op ") + definition.info.name + ": the name " + *name + " is already taken");
  }
  static std::atomic<std::uint64_t> next_id{1};
  Op::Entry& entry = entries.emplace_back();
  try {
    entry.id = next_id.fetch_add(1, std::memory_order_relaxed);
    entry.definition = std::move(definition);
    entry.form = form;
    entry.kernels = kernels;
    entry.names = std::move(wanted);
    entry.operands = SplitWords(entry.definition.info.operands);
    if (entry.operands.empty()) entry.operands = {"x", "y", "z", "w"};
    for (int i = 0; i < entry.definition.info.arity; ++i) {
      entry.operand_names[i] = entry.operands[static_cast<std::size_t>(i)].c_str();
    }
    for (const std::string& name : entry.names) {
      const Op& op = names.emplace_back(name.c_str(), &entry);
      by_name.emplace(op.name(), &op);
    }
  } catch (...) {  // out of memory: nothing is added
    RemoveLast();
    throw;
  }
  return Status();
}

void Registry::Impl::RemoveLast() {
  while (!names.empty() && &names.back().entry() == &entries.back()) {
    by_name.erase(names.back().name());
    names.pop_back();
  }
  entries.pop_back();
}

Status Registry::Impl::AddGradient(const Op& forward, const FindOpFunction& find) {
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
  Gradient& gradient = gradients.emplace_back();
  Status status;
  try {
    gradient.sum_to = find("sum_to");
    gradient.broadcast_to = find("broadcast_to");
    status = ReadGradient(forward.info(), find, &gradient.programs);
    if (status.ok() && std::none_of(gradient.programs.begin(), gradient.programs.end(), [](const auto& p) { return p.offered; })) {
      status = Invalid(std::string("registry: op ") + forward.name() + ": its gradient is none for every input; leave it empty");
    }
    if (status.ok()) {
      DescribeGradient(forward, &gradient);
      status = Add({gradient.info, GradientSignatures(forward, gradient.programs)}, &kGradientForm);
    }
  } catch (...) {
    gradients.pop_back();
    throw;
  }
  if (status.ok()) {
    entries.back().gradient = &gradient;
  } else {
    gradients.pop_back();
  }
  return status;
}

void Registry::Impl::Sort() {
  for (const Op::Entry& entry : entries) sorted.push_back(by_name.at(entry.names[0]));
  if (parent != nullptr) {
    for (const Op* op : parent->sorted) {
      if (by_name.count(op->name()) == 0) sorted.push_back(op);
    }
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Op* x, const Op* y) { return std::string_view(x->name()) < std::string_view(y->name()); });
}

RegistryBuilder::RegistryBuilder(const Registry& parent) : impl_(std::make_unique<Registry::Impl>()) {
  impl_->parent = parent.impl_.get();
  impl_->target = parent.target();
  if (parent.impl_ != nullptr) impl_->kernels = parent.impl_->kernels;
}

RegistryBuilder::~RegistryBuilder() = default;

Status RegistryBuilder::Add(OpDefinition definition) noexcept try {
  if (impl_ == nullptr) return Status(StatusCode::kInvalidArgument, "registry: the builder has been used; make a new one");
  const bool has_gradient = definition.info.gradient != nullptr && *definition.info.gradient != '\0';
  if (const Status status = impl_->Add(std::move(definition), nullptr); !status.ok() || !has_gradient) return status;
  const Op& forward = *impl_->by_name.at(impl_->entries.back().names[0]);
  try {
    const Status status = impl_->AddGradient(forward, [this](std::string_view name) { return impl_->Find(name); });
    if (!status.ok()) impl_->RemoveLast();
    return status;
  } catch (...) {
    impl_->RemoveLast();
    throw;
  }
} catch (...) {
  return Status(StatusCode::kOutOfMemory, "registry: out of memory");
}

Registry RegistryBuilder::Build() {
  if (impl_ == nullptr) impl_ = std::make_unique<Registry::Impl>();
  impl_->Sort();
  return Registry(std::move(impl_));
}

}  // namespace axiscast
