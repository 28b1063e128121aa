// What is built in: the targets and the families of ops.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "axiscast/kit/dispatch.h"
#include "core/kernel.h"
#include "hwy/highway.h"
#include "ops/chain.h"
#include "ops/index.h"
#include "simd/movers.h"
#include "simd/sum.h"

namespace axiscast {

// A family's ops with its kernels for one target; each is defined at the end of ops/<family>.cc.
using Family = std::vector<OpDefinition>(std::int64_t target);

// To add a family: declare it here and add its row.
Family ArithmeticFamily;
Family DivisionFamily;
Family MinMaxFamily;
Family ComparisonFamily;
Family LogicalFamily;
Family BitwiseFamily;
Family ElementaryFamily;
Family SelectionFamily;
Family SignFamily;

namespace {
constexpr Family* kFamilies[] = {
    &ArithmeticFamily, &DivisionFamily,   &MinMaxFamily,    &ComparisonFamily, &LogicalFamily,
    &BitwiseFamily,    &ElementaryFamily, &SelectionFamily, &SignFamily,
};
}  // namespace

std::vector<Target> BuiltInTargets() {
  std::vector<Target> targets;
  ForEachTarget([&](std::int64_t bit, const char* name, bool supported) { targets.push_back({bit, name, supported}); });
  return targets;
}

std::vector<OpDefinition> BuiltInOps(std::int64_t target) {
  std::vector<OpDefinition> ops;
  for (Family* family : kFamilies) {
    for (OpDefinition& definition : family(target)) ops.push_back(std::move(definition));
  }
  LinkOps(target, &ops);
  return ops;
}

Movers BuiltInMovers(std::int64_t target) { return MoversFor(target); }
SumKernels BuiltInSums(std::int64_t target) { return SumsFor(target); }

IndexKernels BuiltInIndexKernels(std::int64_t target) { return IndexKernelsFor(target); }

}  // namespace axiscast
