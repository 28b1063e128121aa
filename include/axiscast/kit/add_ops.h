// From ops of one's own to a registry of one's own.
#ifndef AXISCAST_KIT_ADD_OPS_H_
#define AXISCAST_KIT_ADD_OPS_H_

#include <string_view>
#include <vector>

#include "axiscast/kit/op.h"
#include "axiscast/registry.h"

namespace axiscast {

/// Adds ops to a registry, as they were compiled for `target`, which is the parent registry's: `parent.target()`. Where they were
/// not compiled for it, the best target of this CPU that they were compiled for serves: results are the same. Errors: those of
/// RegistryBuilder::Add, with the ops before the one that was refused added; kUnsupported (`all` is empty).
///
///   RegistryBuilder builder(Registry::BuiltIn());
///   Status status = AddOps(own::Ops(), Registry::BuiltIn().target(), &builder);
inline Status AddOps(const std::vector<TargetOps>& all, std::string_view target, RegistryBuilder* builder) {
  if (all.empty()) return Status(StatusCode::kUnsupported, "registry: there are no ops for any target of this CPU");
  const TargetOps* chosen = &all.front();
  for (const TargetOps& of_target : all) {
    if (of_target.target == target) chosen = &of_target;
  }
  for (const OpDefinition& op : chosen->ops) {
    if (const Status status = builder->Add(op); !status.ok()) return status;
  }
  return Status();
}

}  // namespace axiscast

#endif  // AXISCAST_KIT_ADD_OPS_H_
