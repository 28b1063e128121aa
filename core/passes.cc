// Links steps to passes, and finds blocks of scratch for what passes hand on.
#include "core/passes.h"

#include <algorithm>

#include "core/element_size.h"

namespace axiscast {
namespace {

int UsesOf(const Step& step, int value) { return static_cast<int>(std::count(step.values, step.values + step.arity, value)); }

// Whether a step's only use is as one of the inputs of the next one, in the same chain.
bool Links(std::span<const Step> steps, int step, int input_count) {
  const Step &from = steps[static_cast<std::size_t>(step)], &to = steps[static_cast<std::size_t>(step) + 1];
  if (from.kernel->chain == nullptr || from.kernel->chain != to.kernel->chain) return false;
  int uses = 0;
  for (const Step& user : steps.subspan(static_cast<std::size_t>(step) + 1)) uses += UsesOf(user, input_count + step);
  return uses == 1 && UsesOf(to, input_count + step) == 1;
}

}  // namespace

Passes PassesOf(std::span<const Step> steps, int input_count, bool linked) {
  const int count = static_cast<int>(steps.size());
  Passes passes;
  for (int s = 0; s < count;) {
    Pass& pass = passes.at[passes.count++];
    pass = {s, 1};
    while (linked && pass.last() + 1 < count && pass.count < kMaxLinks && Links(steps, pass.last(), input_count)) ++pass.count;
    s += pass.count;
  }
  return passes;
}

std::vector<int> ResultBlocks(std::span<const Step> steps, const Passes& passes, int input_count) {
  if (passes.count <= 1) return {};
  const auto result_size = [&](int pass) { return SizeOf(steps[static_cast<std::size_t>(passes.at[pass].last())].kernel->output); };
  int last_use[kMaxSteps];  // by pass, the pass that reads its result last
  for (int p = 0; p < passes.count; ++p) {
    last_use[p] = -1;
    for (int user = p + 1; user < passes.count; ++user) {
      for (int s = passes.at[user].first; s <= passes.at[user].last(); ++s) {
        if (UsesOf(steps[static_cast<std::size_t>(s)], input_count + passes.at[p].last()) > 0) last_use[p] = user;
      }
    }
  }
  std::vector<int> blocks;
  for (int p = 0; p + 1 < passes.count; ++p) {
    const auto is_free = [&](int block) {
      for (int r = 0; r < p; ++r) {
        if (blocks[static_cast<std::size_t>(r)] != block) continue;
        const bool in_place = last_use[r] == p && result_size(r) == result_size(p);
        if (last_use[r] >= p && !in_place) return false;
      }
      return true;
    };
    int block = 0;
    while (!is_free(block)) ++block;
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace axiscast
