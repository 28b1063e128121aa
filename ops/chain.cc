// Chains of the short ops of all families, compiled for every target. An op takes part by being in its family's list.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/chain.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/arithmetic-inl.h"
#include "ops/division-inl.h"
#include "ops/elementary-inl.h"
#include "ops/minmax-inl.h"
#include "ops/selection-inl.h"
#include "ops/sign-inl.h"
#include "simd/chain-inl.h"

HWY_BEFORE_NAMESPACE();
namespace axiscast {
namespace HWY_NAMESPACE {

template <class... Lists>
struct Joined;
template <class... Ops>
struct Joined<OpList<Ops...>> {
  using Type = OpList<Ops...>;
};
template <class... First, class... Second, class... Rest>
struct Joined<OpList<First...>, OpList<Second...>, Rest...> : Joined<OpList<First..., Second...>, Rest...> {};

using AllOps = Joined<ArithmeticOps, DivisionOps, MinMaxOps, ElementaryOps, SelectionOps, SignOps>::Type;
// Other dtypes go through scratch, from op to op.
using ChainTypes = TypeList<Float16, BFloat16, float, double, std::int32_t, std::int64_t>;

const ChainTable* AllChains() {
  static constexpr ChainTable kTable = ChainsOf(AllOps(), ChainTypes());
  return &kTable;
}

}  // namespace HWY_NAMESPACE
}  // namespace axiscast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <string_view>

#include "axiscast/kit/dispatch.h"
#include "ops/chain.h"
namespace axiscast {
HWY_EXPORT(AllChains);
namespace {

// The place of each op of a list.
template <class... Ops>
int PlaceOf(HWY_NAMESPACE::OpList<Ops...>, std::string_view name) {
  int place = 0;
  const bool found = ((name == Ops::kInfo.name || (++place, false)) || ...);
  return found ? place : -1;
}

}  // namespace

void LinkOps(std::int64_t target, std::vector<OpDefinition>* ops) {
  const ChainTable& chains = *ForTarget(HWY_DISPATCH_TABLE(AllChains), target)();
  for (OpDefinition& op : *ops) {
    const int place = PlaceOf(HWY_NAMESPACE::AllOps(), op.info.name);
    if (place < 0) continue;
    for (Kernel& kernel : op.kernels) {
      const auto dtype = static_cast<std::size_t>(kernel.output);
      const bool same = std::all_of(kernel.inputs, kernel.inputs + op.info.arity, [&](DType in) { return in == kernel.output; });
      if (!same || (chains.links[dtype] >> place & 1) == 0) continue;
      kernel.chain = chains.run[dtype];
      kernel.link = place;
    }
  }
}

}  // namespace axiscast
#endif  // HWY_ONCE
