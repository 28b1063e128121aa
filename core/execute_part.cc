// A plan in parts, for callers that split the work themselves: what one part cannot do without the others is refused.
#include <string>

#include "core/element_size.h"
#include "core/execute.h"
#include "core/overlap.h"
#include "core/plan.h"
#include "core/request.h"

namespace axiscast {
namespace {

// Whether input i would have to be copied before a write.
bool NeedsCopy(const Plan::Impl& plan, std::size_t i, const void* input, const void* out) {
  const std::intptr_t x = reinterpret_cast<std::intptr_t>(input), y = reinterpret_cast<std::intptr_t>(out);
  if (plan.operands[i].IsClear(static_cast<std::uintptr_t>(x - y))) return false;
  const Operand& operand = plan.problem.operands[i];
  const Operand& destination = plan.problem.operands.back();
  return MayOverlap(plan.problem.shape, operand.byte_strides, SizeInBytes(operand.dtype), plan.problem.shape,
                    destination.byte_strides, SizeInBytes(destination.dtype), y - x);
}

}  // namespace

std::uint32_t Plan::Impl::may_be_out() const noexcept {
  if (routine != nullptr) return routine->may_be_out;
  std::uint32_t inputs = 0;
  for (int i = 0; i < problem.given_count(); ++i) inputs |= std::uint32_t{operands[static_cast<std::size_t>(i)].like_out} << i;
  return inputs;
}

Status Plan::Impl::ExecutePart(const void* const* given, void* out, std::int64_t part, std::int64_t parts,
                               StorePolicy stores) const noexcept try {
  const auto which = [part, parts] { return "got part " + std::to_string(part) + " of " + std::to_string(parts); };
  const auto indivisible = [&](const std::string& why) {
    return Status(StatusCode::kUnsupported, caller + ": " + why + ", so that it runs in one part; " + which());
  };
  if (parts < 1 || part < 0 || part >= parts)
    return Status(StatusCode::kInvalidArgument, caller + ": a part must be one of 0 to parts - 1; " + which());
  if (parts == 1) {
    ExecuteOptions options;
    options.max_threads = 1;
    options.stores = stores;
    return Execute(given, out, options);
  }
  if (empty) return Status();
  ExecuteOptions options;
  options.stores = stores;
  if (const Status status = CheckExecuteOptions(options, caller); !status.ok()) return status;
  const FloatModeScope usual(kUsualFloatMode);
  if (routine != nullptr) return indivisible("the op is more than elementwise");
  if (!checks.empty()) return indivisible("the call looks at data before it writes");
  const void* all[kMaxOperands];
  const void* const* const inputs = WithConstants(given, all);
  std::byte* pointers[kMaxOperands];
  const std::size_t count = problem.operands.size() - 1;
  bool unaligned = false;
  for (std::size_t i = 0; i <= count; ++i) {
    const void* const pointer = i < count ? inputs[i] : out;
    if (pointer == nullptr) {
      return Status(StatusCode::kInvalidArgument,
                    caller + ": the pointer of " + names[i] + " is null, but there are elements behind it");
    }
    unaligned = unaligned || !IsAligned(pointer, problem.operands[i].dtype);
    pointers[i] = const_cast<std::byte*>(static_cast<const std::byte*>(pointer));  // inputs are only read
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (NeedsCopy(*this, i, inputs[i], out))
      return indivisible(names[i] + " overlaps " + names[count] + " and must be copied first");
  }
  axiscast::ExecutePart(layouts[unaligned], *movers, pointers, part, parts, stores);
  return Status();
} catch (...) {
  return Status(StatusCode::kOutOfMemory, "execute: out of memory for a message");
}

}  // namespace axiscast
