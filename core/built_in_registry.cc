// The built-in registries, one for each supported target: how they are made, and which targets there are.
#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "core/form.h"
#include "core/near_names.h"
#include "core/registry_impl.h"

namespace axiscast {
namespace {

char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool SameName(std::string_view x, std::string_view y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](char a, char b) { return Upper(a) == Upper(b); });
}

std::string Join(const std::vector<const char*>& names) {
  std::string text;
  for (const char* name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

std::unique_ptr<Registry::Impl> MakeBuiltIn(const Target& target) {
  auto impl = std::make_unique<Registry::Impl>();
  impl->target = target.name;
  impl->own_kernels = {BuiltInMovers(target.bit), BuiltInSums(target.bit), BuiltInIndexKernels(target.bit)};
  for (OpDefinition& definition : BuiltInOps(target.bit)) {
    // Cannot be refused: built_in_registry_test finds every built-in op, and op_conformance_test runs it.
    (void)impl->Add(std::move(definition), nullptr).ok();
  }
  for (const Form* form : BuiltInForms()) (void)impl->Add({form->info, form->signatures()}, form).ok();
  const FindOpFunction find = [&impl](std::string_view name) {
    const auto found = impl->by_name.find(name);
    return found != impl->by_name.end() ? found->second : nullptr;
  };
  for (std::size_t i = 0, count = impl->entries.size(); i < count; ++i) {
    if (*impl->entries[i].definition.info.gradient != '\0') (void)impl->AddGradient(*find(impl->entries[i].names[0]), find).ok();
  }
  impl->Sort();
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

}  // namespace axiscast
