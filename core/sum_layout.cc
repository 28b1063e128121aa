// How a sum is cut into panels; see sum_layout.h.
#include "core/sum_layout.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "core/caches.h"
#include "core/parallel.h"
#include "core/sum_tree.h"
#include "core/tiling.h"

namespace axiscast {
namespace {

constexpr double kPieceSeconds = 10e-6;  // a piece of parallel work
constexpr std::int64_t kPieces = 64;     // at most so many are aimed at
constexpr std::int64_t kShortRow = 16;   // fewer summands in a row are summed as columns
// Summands in a row of sums; where there are fewer, many rows of sums are staged together: a call of the kernel takes 80 ns, or 10.
constexpr std::int64_t kLeastColumns = 1024;
constexpr std::int64_t kLeastFewColumns = 256;  // of no more than lanes, and of integers
constexpr std::int64_t kFewSummands = 64;
constexpr std::int64_t kRowsBytes = 64 * 1024;  // of a panel of long rows: its rows are near each other
constexpr std::int64_t kIntegerSumsBytes = 24 * 1024;

// Rule 1 of the tree, and the kept dims in the order of x's memory.
void AddDims(const SumProblem& problem, SumLayout* layout) {
  Shape kept;
  ByteStrides kept_out, kept_x;
  std::vector<SumGroup> groups;  // outermost first
  bool in_group = false;
  for (int d = 0; d < problem.shape.rank(); ++d) layout->no_summands |= problem.summed[d] && problem.shape[d] == 0;
  for (int d = 0; d < problem.shape.rank(); ++d) {
    const std::int64_t extent = problem.shape[d], stride = problem.x_strides[d];
    if (extent == 1 || (problem.summed[d] && layout->no_summands)) continue;
    if (!problem.summed[d]) {
      kept.push_back(extent);
      kept_out.push_back(problem.out_strides[d]);
      kept_x.push_back(layout->no_summands ? 0 : stride);  // nothing is read: the strides may be any
      in_group = false;
      continue;
    }
    if (!in_group) groups.push_back({{}, 1, 0, 0, 0, 0});
    in_group = true;
    SumGroup& group = groups.back();
    group.count *= extent;
    if (!group.dims.empty() && IsRun(group.dims.back().stride, stride, extent)) {
      group.dims.back() = {group.dims.back().extent * extent, stride};
    } else {
      group.dims.push_back({extent, stride});
    }
  }
  const Canonical canonical = Canonicalise(kept, {kept_out, kept_x});
  layout->extents.assign(canonical.extents.begin(), canonical.extents.end());
  layout->out_strides.assign(canonical.strides[0].begin(), canonical.strides[0].end());
  layout->x_strides.assign(canonical.strides[1].begin(), canonical.strides[1].end());
  layout->out_offset = canonical.offsets[0];
  layout->x_offset = canonical.offsets[1];
  // Sums that are the same in any order need no groups: few summands of few sums are better with more of them.
  std::int64_t sums = 1;
  for (const std::int64_t extent : kept) sums = SaturatingProduct(sums, extent);
  while (layout->kernel.in_any_order && groups.size() > 1 && SaturatingProduct(groups.back().count, sums) <= kFewSummands) {
    SumGroup& group = groups[groups.size() - 2];
    group.count *= groups.back().count;
    group.dims.insert(group.dims.end(), groups.back().dims.begin(), groups.back().dims.end());
    groups.pop_back();
  }
  for (SumGroup& group : groups) group.blocks = CeilDiv(group.count, layout->block());
  layout->groups.assign(groups.rbegin(), groups.rend());
}

void ChooseDelivery(const SumProblem& problem, SumLayout* layout) {
  layout->delivery = SumDelivery::kStaged;
  if (layout->groups.empty() || problem.unaligned) return;
  const SumGroup& group = layout->groups[0];
  const std::int64_t size = std::int64_t{1} << layout->size_log2;
  if (group.dims.size() > 1) return;
  const std::int64_t least = layout->kernel.in_any_order || group.count <= kSumLanes ? kLeastFewColumns : kLeastColumns;
  const bool alone = layout->extents.size() == 1 || SaturatingProduct(group.count, layout->extents.back()) >= least;
  if (layout->x_strides.back() == size && alone) layout->delivery = SumDelivery::kColumns;
  if (group.dims[0].stride == size && group.count >= kShortRow) layout->delivery = SumDelivery::kRows;
}

// The panel of at most so many sums, and its blocks of scratch. Returns the scratch's bytes.
std::int64_t ChoosePanel(std::int64_t most, std::int64_t batch, SumLayout* layout) {
  std::int64_t inner = 1;
  int dim = static_cast<int>(layout->extents.size()) - 1;
  for (; dim > 0 && layout->extents[dim] <= most / inner; --dim) inner *= layout->extents[dim];
  const std::int64_t extent = layout->extents[dim], limit = std::clamp<std::int64_t>(most / inner, 1, extent);
  std::int64_t chunk = CeilDiv(extent, CeilDiv(extent, limit));
  const std::int64_t line = kLineBytes >> layout->size_log2;
  if (inner == 1 && chunk < extent && CeilDiv(chunk, line) * line <= limit) chunk = CeilDiv(chunk, line) * line;
  layout->panel_dim = dim;
  layout->chunk = chunk;
  layout->panel = chunk * inner;
  layout->panels = CeilDiv(extent, chunk);
  for (int d = 0; d < dim; ++d) layout->panels *= layout->extents[d];
  layout->batch = layout->groups.size() > 1 ? std::min(batch, layout->groups[1].dims.back().extent) : 1;

  std::int64_t bytes = 0;
  const auto place = [&bytes](std::int64_t more) {
    const std::int64_t at = bytes;
    bytes += (more + 63) / 64 * 64;
    return at;
  };
  const std::int64_t size = layout->kernel.size, lanes = layout->kernel.lanes;
  layout->sums = place(layout->panel * size);
  layout->rounded = layout->kernel.round != nullptr ? place(layout->panel << layout->size_log2) : layout->sums;
  for (std::size_t g = 1; g < layout->groups.size(); ++g) {
    SumGroup& group = layout->groups[g];
    group.lanes = place(std::min(group.count, lanes) * layout->panel * size);
    group.rows = place(layout->batch * layout->panel * size);
    group.tree = place((SumTreeRows(group.blocks) - 1) * layout->panel * size);
  }
  if (layout->groups.empty()) return bytes;
  const SumGroup& group = layout->groups[0];
  std::int64_t cols = layout->batch * layout->panel;
  if (layout->delivery == SumDelivery::kColumns)
    cols = dim + 1 == static_cast<int>(layout->extents.size()) ? chunk : layout->extents.back();
  if (layout->delivery == SumDelivery::kStaged)
    layout->staging = place((std::min(group.count, layout->block()) * cols) << layout->size_log2);
  if (layout->delivery == SumDelivery::kStaged) layout->staged_tree = place((SumTreeRows(group.blocks) - 1) * cols * size);
  const std::int64_t at_once = layout->delivery == SumDelivery::kStaged ? std::min(group.count, layout->block()) : group.count;
  if (layout->delivery != SumDelivery::kRows) layout->group0 = place(SumScratchBytes(layout->kernel, at_once, cols * size));
  return bytes;
}

void ChoosePanels(SumLayout* layout) {
  std::int64_t most = kSumScratchBytes;
  if (!layout->groups.empty()) {
    const BoxDim& inner = layout->groups[0].dims.back();
    const std::int64_t row = SaturatingProduct(layout->groups[0].count, std::int64_t{1} << layout->size_log2);
    // Long rows are read one after the other; those of one sum of group 1 lie apart, so there are to be others between them.
    if (layout->delivery == SumDelivery::kRows && layout->groups.size() == 1)
      most = std::clamp<std::int64_t>(kRowsBytes / row, 1, most);
    // Runs of summands that are copied for one sum after the other are not transposed.
    // Integers' sums are loaded and stored once for each row: half of L1. 12000 int32 at a time took 1.3 times as long.
    if (layout->kernel.in_any_order && layout->delivery == SumDelivery::kColumns) most = kIntegerSumsBytes / layout->kernel.size;
    if (layout->delivery == SumDelivery::kStaged && inner.stride == std::int64_t{1} << layout->size_log2 &&
        inner.extent >= kShortRow)
      most = 1;
  }
  std::int64_t batch = layout->delivery == SumDelivery::kColumns ? 1 : kSumLanes;  // each of its rows is a call anyway
  while (ChoosePanel(most, batch, layout) > kSumScratchBytes) {
    if (most > 1) {
      most = std::min(most, layout->panel) * 7 / 8;
    } else {
      batch /= 2;
    }
  }
}

// What threads share: panels, else parts of the outermost group that has enough blocks for them.
void ChooseSplit(SumLayout* layout) {
  const std::int64_t pieces = std::min<std::int64_t>(static_cast<std::int64_t>(layout->seconds / kPieceSeconds), kPieces);
  layout->parallel = layout->seconds > kSharedSeconds;
  layout->split = -1;
  std::int64_t work = layout->panels;  // sums of the group that is looked at, for all panels
  if (!layout->parallel || work >= pieces) return;
  for (int g = static_cast<int>(layout->groups.size()) - 1; g >= 0; --g) {
    const SumGroup& group = layout->groups[static_cast<std::size_t>(g)];
    if (work * group.blocks >= pieces || g == 0) {
      const std::int64_t blocks = static_cast<std::int64_t>(
          std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(work * group.blocks / pieces, 1))));
      layout->split = g;
      layout->split_count = blocks * layout->block();
      layout->split_pieces = CeilDiv(group.blocks, blocks);
      layout->split_sums = work / layout->panels;
      break;
    }
    work *= group.count;
  }
  layout->parallel = layout->split >= 0 && layout->panels * layout->split_sums * layout->split_pieces > 1;
}

// Of the bytes that are read, by the level of the caches that they fit.
double EstimateSeconds(const SumLayout& layout, double bytes) {
  const Caches& caches = MachineCaches();
  const double rate = bytes <= 0.75 * static_cast<double>(caches.l2) ? 100e9 : !LeavesCaches(bytes) ? 60e9 : 30e9;
  const double staged = layout.delivery == SumDelivery::kStaged ? 3 : 1;
  return 50e-9 + staged * bytes / rate + static_cast<double>(layout.panels) * 30e-9;
}

}  // namespace

SumLayout MakeSumLayout(const SumProblem& problem, const SumKernels& kernels) {
  SumLayout layout = {};
  layout.dtype = problem.dtype;
  layout.size_log2 = std::countr_zero(SizeOf(problem.dtype));
  layout.kernel = kernels.of[static_cast<std::size_t>(problem.dtype)];
  AddDims(problem, &layout);
  ChooseDelivery(problem, &layout);
  ChoosePanels(&layout);
  double bytes = static_cast<double>(SizeOf(problem.dtype));
  for (const std::int64_t extent : layout.extents) bytes *= static_cast<double>(extent);
  for (const SumGroup& group : layout.groups) bytes *= static_cast<double>(group.count);
  layout.far = LeavesCaches(bytes);
  layout.seconds = EstimateSeconds(layout, bytes);
  ChooseSplit(&layout);
  return layout;
}

}  // namespace axiscast
