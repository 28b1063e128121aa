// Look-ups in a registry: ops by name, kernels by dtypes, and what is said of a name that is not there.
#include "axiscast/registry.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/form.h"
#include "core/near_names.h"
#include "core/registry.h"
#include "core/registry_impl.h"

namespace axiscast {
namespace {

// How an op is to be asked for what another library calls `name`; null when it does nothing of that name.
const char* MeaningOf(std::string_view name, const Op& op) {
  if (op.elementwise()) return nullptr;
  for (const ForeignName& foreign : op.entry().form->foreign) {
    const std::vector<std::string> names = SplitWords(foreign.names);
    if (std::find(names.begin(), names.end(), name) != names.end()) return foreign.how;
  }
  return nullptr;
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

const Op* Registry::Impl::Find(std::string_view name) const noexcept {
  for (const Impl* impl = this; impl != nullptr; impl = impl->parent) {
    const auto found = impl->by_name.find(name);
    if (found != impl->by_name.end()) return found->second;
  }
  return nullptr;
}

const Op* Registry::Find(std::string_view name) const noexcept { return impl_ != nullptr ? impl_->Find(name) : nullptr; }

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
  for (const Op* known : ops()) {
    if (const char* const how = MeaningOf(name, *known)) {
      return Status(StatusCode::kUnknownName, "there is no op \"" + std::string(name) + "\"; that is " + known->name() + " " + how);
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

}  // namespace axiscast
