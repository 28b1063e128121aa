// A registry's inside: its ops, and how they get in.
#ifndef AXISCAST_CORE_REGISTRY_IMPL_H_
#define AXISCAST_CORE_REGISTRY_IMPL_H_

#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "axiscast/registry.h"
#include "core/gradient.h"
#include "core/registry.h"

namespace axiscast {

struct Registry::Impl {
  const Impl* parent = nullptr;  // which stays where it is when its registry is moved
  const char* target = "";
  TargetKernels own_kernels{};                  // of a built-in registry
  const TargetKernels* kernels = &own_kernels;  // or the parent's
  std::deque<Op::Entry> entries;                // addresses stay
  std::deque<Op> names;                         // a canonical name or alias each
  std::deque<Gradient> gradients;
  std::unordered_map<std::string_view, const Op*> by_name;
  std::vector<const Op*> sorted;  // under canonical names, the parent's included

  // Adds an op; `form` is null for an elementwise one. Error: kInvalidArgument, what is wrong with the definition or which name is
  // taken; nothing is then added, nor when memory runs out.
  Status Add(OpDefinition&& definition, const Form* form);
  // Adds the op NAME_grad of an op that declares its gradient. `find` knows every op that the declaration may name.
  Status AddGradient(const Op& forward, const FindOpFunction& find);
  // Takes back the op that was added last.
  void RemoveLast();
  // Its own op of that name, or the parent's; null: there is none.
  const Op* Find(std::string_view name) const noexcept;
  // Lists the ops, and those of the parent that they do not hide.
  void Sort();
};

}  // namespace axiscast

#endif  // AXISCAST_CORE_REGISTRY_IMPL_H_
