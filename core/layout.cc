// Writes a tiling down as loops, blocks of scratch and steps, and estimates how long it takes.
#include "core/layout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/caches.h"
#include "core/element_size.h"
#include "core/parallel.h"
#include "core/passes.h"
#include "core/reordered.h"
#include "core/speed.h"
#include "core/tile_order.h"
#include "core/work_estimate.h"

namespace axiscast {
namespace {

// As the numbers of tile_cost.cc: seen on an AVX-512 server; on others seconds are more, by Speed::slowness.
constexpr double kCallSeconds = 7e-9;   // a plan's execution, before its first tile
constexpr double kLoopSeconds = 15e-9;  // going through the tile loop rather than straight to a kernel
constexpr double kAskedL2 = 2;          // of L2: where each thread has more bytes, they are asked for (Tile::into_caches)
constexpr double kFarTransposed = 0.5;  // of L3: a transpose of more bytes gains by asking for what comes

// Of rows that a kernel widens once for all (KernelAbilities::widens): as floats at most a third of L1, and a power of two. 4096 of
// 48 KB: (24,4096)+(4096) of float16 and channels of 7 x 7 take 0.7 of the time that cut rows take from L2 and L3 (Zen 5). 2048 of
// 32 KB, where 4096 were up to 1.25 times slower from L3.
std::int64_t MostWidenedCols(int widens) {
  const auto floats = static_cast<std::uint64_t>(MachineCaches().l1) / 3 / sizeof(float);
  return std::min<std::int64_t>(widens, static_cast<std::int64_t>(std::bit_floor(floats)));
}

// Cuts `extent` steps of `bytes` into chunks of at most `limit` (at least 1), as even as cache lines allow: no short last chunk,
// and each chunk begins on a line where the first one does. Tiles that began anywhere ran at 0.7 of the speed, streaming at 0.4.
Loop MakeLoop(std::int64_t extent, std::int64_t limit, std::int64_t bytes) {
  if (limit >= extent) return {extent, extent, 1};
  limit = std::max<std::int64_t>(limit, 1);
  std::int64_t chunk = CeilDiv(extent, CeilDiv(extent, limit));
  const std::int64_t group = WholeBlocks(bytes, kLineBytes);
  if (chunk < extent && limit >= group) {
    chunk = CeilDiv(chunk, group) * group;
    if (chunk > limit) chunk -= group;
  }
  return {extent, chunk, CeilDiv(extent, chunk)};
}

// The strided side of a row of cols, with neighbours joined where they are one run.
void MakeBox(const Canonical& canonical, int operand, int first, OperandLayout* layout) {
  const std::pmr::vector<std::int64_t>& strides = canonical.strides[operand];
  BoxDim inner[kMaxRank];  // innermost first
  int count = 0;
  for (int d = canonical.rank() - 1; d > first; --d) {
    const BoxDim dim{canonical.extents[d], strides[d]};
    if (dim.extent == 1) continue;
    if (count > 0 && IsRun(dim.stride, inner[count - 1].stride, inner[count - 1].extent)) {
      inner[count - 1].extent *= dim.extent;
    } else {
      inner[count++] = dim;
    }
  }
  layout->box_chunk_stride = strides[first];
  if (count > 0 && IsRun(strides[first], inner[count - 1].stride, inner[count - 1].extent)) {
    --count;
    layout->box_chunk_stride = inner[count].stride;
    layout->box_chunk_factor = inner[count].extent;
  }
  layout->box.assign(std::make_reverse_iterator(inner + count), std::make_reverse_iterator(inner));
}

// The loops over tiles.
void AddLoops(const Canonical& canonical, const Tiling& tiling, std::int64_t out_size, Layout* layout) {
  layout->inner = BlockElements(canonical, tiling.first + 1);
  layout->fold = tiling.fold;
  layout->row_loop = tiling.rows;
  layout->loops.reserve(static_cast<std::size_t>(tiling.first) + 1);
  for (int d = 0; d <= tiling.first; ++d) layout->loops.push_back({canonical.extents[d], 1, canonical.extents[d]});
  Loop& cols = layout->loops.back();
  cols = MakeLoop(cols.extent, tiling.cols / layout->inner, layout->inner * out_size);
  if (layout->row_loop >= 0) {
    Loop& rows = layout->loops[layout->row_loop];
    // Rows of a transposed operand's lines, or the output's.
    const std::int64_t row_bytes = tiling.transposes ? out_size : layout->tile_cols() * out_size;
    rows = MakeLoop(rows.extent, tiling.elements / layout->tile_cols(), row_bytes);
  }
  for (const Loop& loop : layout->loops) layout->tiles *= loop.count;
}

std::int64_t WholeLineBytes(std::int64_t bytes) { return CeilDiv(bytes, kLineBytes) * kLineBytes; }

// The operands, and blocks of scratch for those that are staged: of all of a tile's rows, of one, or of a folded one.
void AddOperands(const Canonical& canonical, std::span<const DType> dtypes, const Tiling& tiling, std::int64_t widest,
                 Layout* layout) {
  const std::int64_t row_bytes = WholeLineBytes(layout->tile_cols() * widest);
  const std::int64_t block_bytes = WholeLineBytes(layout->tile_rows() * layout->tile_cols() * widest);
  const std::int64_t folded_bytes = tiling.fold * layout->inner * widest;
  layout->operands.reserve(dtypes.size());
  for (int i = 0; i < static_cast<int>(dtypes.size()); ++i) {
    OperandLayout& operand = layout->operands.emplace_back(canonical.memory());
    static_cast<OperandTiling&>(operand) = tiling.operands[i];
    operand.dtype = dtypes[i];
    operand.size_log2 = std::countr_zero(SizeOf(dtypes[i]));
    const std::pmr::vector<std::int64_t>& strides = canonical.strides[i];
    operand.advance.reserve(layout->loops.size());
    if (layout->row_loop >= 0) operand.row_stride = strides[layout->row_loop];
    if (layout->fold > 0 && !operand.image && !operand.splat) {
      const bool permuted = operand.delivery == Delivery::kPermuted;
      operand.row_stride = layout->fold * (permuted ? strides[tiling.first] : layout->inner << operand.size_log2);
    }
    for (int d = 0; d <= tiling.first; ++d) {  // where there is one chunk, a step to the next one may be more than int64 holds
      operand.advance.push_back(layout->loops[d].count > 1 ? strides[d] * layout->loops[d].chunk : 0);
    }
    operand.col_stride = strides[tiling.first];
    if (operand.delivery == Delivery::kStaged) {
      layout->stages = true;
      MakeBox(canonical, i, tiling.first, &operand);
      operand.scratch = layout->scratch_bytes;
      layout->scratch_bytes += operand.image ? folded_bytes : operand.row_stride == 0 ? row_bytes : block_bytes;
    }
  }
}

// The links of a pass of several steps. Where the first one has two inputs, the chain begins with its first one.
void SetChain(std::span<const Step> steps, const Pass& pass, int input_count, bool by_blocks, StepLayout* layout) {
  const Step& first = steps[static_cast<std::size_t>(pass.first)];
  layout->chain = std::make_unique<ChainLayout>();
  layout->run = first.kernel->chain;
  layout->choose = nullptr;
  layout->values[0] = first.values[0];
  layout->arity = 1;
  Chain& chain = layout->chain->chain;
  chain.by_blocks = by_blocks;
  chain.ahead = MachineSpeed().chain_ahead;
  for (int s = pass.first; s <= pass.last(); ++s) {
    const Step& step = steps[static_cast<std::size_t>(s)];
    AttributeSlot* const attributes = layout->chain->attributes[chain.count];
    std::copy_n(step.attributes, kMaxAttributes, attributes);
    ChainLink& link = chain.links[chain.count++];
    link = {step.kernel->link, 0, step.arity == 2 && s > pass.first && step.values[1] == input_count + s - 1, attributes};
    if (step.arity == 1) continue;
    link.input = layout->arity++;
    layout->values[link.input] = step.values[link.exchanged ? 0 : 1];
  }
}

// Where a chain finds its inputs, in all tiles.
void SetChainInputs(const Layout& layout, StepLayout* step) {
  for (int a = 0; a < step->arity; ++a) {
    ChainInput& in = step->chain->chain.in[a];
    in = {0, false, true};  // of a value that another pass made
    if (step->values[a] >= layout.input_count()) continue;
    const OperandLayout& operand = layout.operands[static_cast<std::size_t>(step->values[a])];
    in.splat = operand.splat;
    in.dense = !in.splat && operand.delivery == Delivery::kStaged && operand.row_stride != 0;
    in.row_stride = operand.row_stride_of(layout.tile_cols());
  }
}

// The passes; the results of all but the last one are in blocks behind the operands'.
void AddSteps(std::span<const Step> steps, const Passes& passes, const std::vector<int>& result_blocks, std::int64_t block_bytes,
              bool by_blocks, Layout* layout) {
  layout->steps.reserve(static_cast<std::size_t>(passes.count));
  for (const Pass& pass : passes.all()) {
    StepLayout& step_layout = layout->steps.emplace_back(steps[static_cast<std::size_t>(pass.last())]);
    const bool last = &pass == &passes.all().back();
    step_layout.result = layout->input_count() + pass.last();
    if (pass.count > 1) SetChain(steps, pass, layout->input_count(), by_blocks, &step_layout);
    step_layout.to_output = last && layout->operands.back().delivery != Delivery::kStaged;
    step_layout.scratch =
        last ? layout->operands.back().scratch : layout->scratch_bytes + result_blocks[layout->steps.size() - 1] * block_bytes;
  }
}

// What whole tiles need, so that nothing of it is computed for each of them.
void PrepareWholeTiles(Layout* layout) {
  const std::int64_t rows = layout->tile_rows(), chunk = layout->loops.back().chunk;
  for (StepLayout& step : layout->steps) {
    if (step.chain != nullptr) SetChainInputs(*layout, &step);
    SetTile(*layout, step, rows, chunk, &step.whole);
  }
  for (OperandLayout& operand : layout->operands) {
    if (operand.delivery != Delivery::kStaged) continue;
    BoxDim dims[kMaxBoxDims];
    operand.block.assign(dims, dims + BlockDims(*layout, operand, rows, chunk, dims));
  }
}

// Of the output, what kernels write one element after the other.
std::int64_t RunBytes(const Layout& layout, bool joins, std::int64_t out_size) {
  const std::int64_t cols = layout.tile_cols();
  const std::int64_t row = layout.fold > 0 ? std::min(cols, layout.fold * layout.inner) : cols;
  return SaturatingProduct(joins ? layout.tile_rows() * cols : row, out_size);
}

// Do tiles read each input in the order of its memory? Not where a dim outside of rows is inside of them there, as of heads that
// are split: what is asked for behind a row is not what comes next, and (170,4,16,64) beside (170,16,4,64) takes 1.15 times as long
// from L3 (Zen 5). What is stretched is small, and read again.
bool FollowsMemory(const Canonical& canonical, const Layout& layout) {
  const int rows = layout.row_loop;
  for (int i = 0; i < layout.input_count() && rows > 0; ++i) {
    const std::pmr::vector<std::int64_t>& strides = canonical.strides[i];
    if (std::find(strides.begin(), strides.begin() + rows, 0) != strides.begin() + rows) continue;
    const auto is_inside = [&](std::int64_t stride) { return std::abs(stride) < std::abs(strides[rows]); };
    if (std::any_of(strides.begin(), strides.begin() + rows, is_inside)) return false;
  }
  return true;
}

}  // namespace

Layout MakeLayout(const Canonical& canonical, std::span<const DType> dtypes, std::span<const Step> steps,
                  const LayoutOptions& options) {
  const int count = static_cast<int>(dtypes.size());
  TilingProblem problem;
  std::int64_t sizes[kMaxOperands];
  double bytes = 0;
  for (int i = 0; i < count; ++i) {
    sizes[i] = SizeInBytes(dtypes[i]);
    bytes += BytesWithGaps(canonical, i, sizes[i]);
  }
  problem.sizes = {sizes, dtypes.size()};
  problem.widest = *std::max_element(sizes, sizes + count);
  for (const Step& step : steps) problem.widest = std::max(problem.widest, SizeInBytes(step.kernel->output));
  const Passes passes = PassesOf(steps, count - 1, !options.forced.unlinked);
  const std::vector<int> result_blocks = ResultBlocks(steps, passes, count - 1);
  const bool kernel_streams = !steps.empty() && steps.back().kernel->streams;
  problem.unaligned = options.unaligned;
  problem.passes = passes.count;
  problem.chained = passes.count > 0 && passes.at[0].count > 1;
  problem.result_blocks = result_blocks.empty() ? 0 : *std::max_element(result_blocks.begin(), result_blocks.end()) + 1;
  problem.reads_only = options.check != nullptr;
  const KernelAbilities can = steps.size() == 1 ? steps[0].kernel->abilities : KernelAbilities();
  problem.permuted_lanes = can.permutes;
  problem.transposes = can.transposes;
  problem.spreads = can.spreads;
  problem.keeps = can.keeps;
  const bool takes_both = steps.size() == 1 && count == 3 && steps[0].values[0] != steps[0].values[1];
  problem.least_period = takes_both ? can.recurs : 0;
  problem.vector_bytes = options.vector_bytes;
  // Non-temporal stores win by a third where the call's bytes do not fit the last cache, and lose up to three times where they do.
  problem.streams = kernel_streams && (options.forced.streams || LeavesCaches(bytes));
  Layout layout(canonical.memory());
  const auto elements = static_cast<double>(BlockElements(canonical, 0));
  const double written = problem.reads_only ? 0 : BytesWithGaps(canonical, count - 1, sizes[count - 1]);
  EstimateWork(canonical, steps, passes, bytes, written, problem.streams, &layout.estimate);
  problem.serial = layout.estimate.seconds() < kStandbySeconds;
  problem.seconds = layout.estimate.seconds();
  problem.bytes = elements * static_cast<double>(problem.widest);
  problem.fits_l2 = !options.far && bytes <= static_cast<double>(MachineCaches().l2);
  problem.far = options.far || bytes > kFarTransposed * static_cast<double>(MachineCaches().l3);
  problem.abreast = can.abreast;
  problem.shared_row_bytes = MachineSpeed().shared_row * static_cast<double>(MachineCaches().l1);
  if (can.widens > 0) {
    problem.widened_row_bytes = static_cast<double>(MostWidenedCols(can.widens) * problem.widest);
    problem.widening = Widening(layout.estimate);
  }
  const Tiling tiling = ChooseTiling(canonical, problem, options.forced);

  layout.offsets = canonical.offsets;
  layout.check = options.check;
  layout.far = tiling.transposes ? problem.far : options.far || LeavesCaches(bytes);
  layout.transposes = tiling.transposes;
  layout.halves = MachineSpeed().halves != options.forced.other_halves;
  layout.by_turns = options.forced.by_turns.value_or(MachineSpeed().by_turns);
  layout.abreast = tiling.abreast;
  layout.permutation = tiling.permutation;
  const std::int64_t out_size = problem.sizes.back();
  AddLoops(canonical, tiling, out_size, &layout);
  AddOperands(canonical, dtypes, tiling, problem.widest, &layout);
  if (steps.size() == 1) FindReordered(canonical, &layout);
  const std::int64_t block_bytes = WholeLineBytes(layout.tile_rows() * layout.tile_cols() * problem.widest);
  AddSteps(steps, passes, result_blocks, block_bytes, tiling.by_blocks, &layout);
  layout.scratch_bytes += problem.result_blocks * block_bytes;
  PrepareWholeTiles(&layout);
  // Forced tiles stay tiles.
  layout.whole_from =
      options.forced.tile_bytes > 0 && !options.forced.joins ? static_cast<int>(layout.loops.size()) : WholeFrom(layout);
  layout.alike = AlikeLoop(layout);

  const bool all_splat =
      std::all_of(layout.operands.begin(), layout.operands.end() - 1, [](const OperandLayout& operand) { return operand.splat; });
  const bool joins = tiling.joins && layout.loops.back().count == 1 && !steps.empty() && steps.back().kernel->joins;
  layout.run_bytes = RunBytes(layout, joins, out_size);
  // Where rows are lines that follow each other, a tile's are one run.
  const std::int64_t streamed_run = tiling.whole_lines ? layout.tile_rows() * layout.tile_cols() * out_size : layout.run_bytes;
  // Transposed squares are rows of whole lines, each of which kernels write at once.
  const bool squares = layout.squares();
  const bool writes_lines = squares && out_size == problem.widest && layout.operands.back().row_stride % kLineBytes == 0;
  layout.can_stream = kernel_streams && !all_splat && layout.tiles > 1 && layout.operands.back().delivery == Delivery::kStreamed &&
                      (streamed_run >= kStreamedRunBytes || writes_lines);
  const bool one_run = joins || layout.row_loop < 0 || layout.loops[layout.row_loop].extent == 1;  // all that a tile writes
  if (!one_run) layout.least_off_lines = kStreamedRowBytes;
  const bool on_lines = one_run || layout.operands.back().row_stride % kLineBytes == 0;  // if the first one is
  layout.streams = layout.can_stream && problem.streams && (on_lines || layout.run_bytes >= kStreamedRowBytes);
  // Where rows do not follow each other, what is asked for behind a row's end may be another thread's, but for squares that are
  // transposed: those ask within their tile.
  const bool follow = one_run || layout.operands.back().row_stride == layout.tile_cols() * out_size;
  // Chains take 1.05 to 1.15 times as long.
  const bool may_ask =
      !steps.empty() && steps.back().kernel->abilities.asks && layout.steps.back().chain == nullptr &&
      (squares ? layout.tiles > 1 : layout.can_stream && !problem.streams && follow && FollowsMemory(canonical, layout));
  if (may_ask && (options.forced.asks || (squares && layout.far))) {
    layout.asking_threads = std::numeric_limits<int>::max();
  } else if (may_ask && !squares && MachineSpeed().asks_in_caches) {  // of bytes that fit the last cache
    layout.asking_threads = static_cast<int>(bytes / (kAskedL2 * static_cast<double>(MachineCaches().l2)));
  } else if (problem.reads_only && !layout.far && MachineSpeed().asks_in_caches) {
    layout.asking_threads = static_cast<int>(bytes / static_cast<double>(MachineCaches().l2));
  }
  if (IsUndivided(layout)) {
    SetTile(layout, layout.steps[0], layout.row_loop >= 0 ? layout.loops[layout.row_loop].extent : 1, layout.loops.back().extent,
            &layout.undivided.emplace());
    layout.undivided->tile.stream = layout.undivided->tile.into_caches = layout.asking_threads > 0;
  }
  const double slowness = MachineSpeed().slowness;
  static_cast<TilingEstimate&>(layout.estimate) = tiling.estimate;
  layout.estimate.fetching = {};                                        // is in the bytes, below
  if (layout.direct() || layout.undivided) layout.estimate.tiles = {};  // there is none to move on to
  layout.estimate.Slow(slowness);
  layout.estimate.call = {1, slowness * (kCallSeconds + (layout.tiles > 1 && !layout.undivided ? kLoopSeconds : 0))};
  // Lines that are far apart do not come as fast as others, nor go.
  const bool streams = layout.streams && !layout.transposes;
  if (streams != problem.streams) EstimateWork(canonical, steps, passes, bytes, written, streams, &layout.estimate);
  TakeOffSpared(&layout.estimate);
  const double seconds = layout.estimate.seconds();
  layout.pieces = PiecesOf(layout.tiles, WithoutSharedLines(layout, UnitOf(layout.tiles, seconds)), seconds);
  layout.parallel = seconds > kStandbySeconds && layout.tiles > 1;
  layout.seconds = seconds;
  return layout;
}

std::string DescribeDelivery(const Layout& layout, int operand) {
  const OperandLayout& o = layout.operands[operand];
  const std::int64_t size = std::int64_t{1} << o.size_log2;
  if (o.delivery == Delivery::kStreamed) return "streamed";
  if (o.delivery == Delivery::kRecurring) return "recurring";
  if (o.delivery == Delivery::kSplat) return "splat";
  if (o.delivery == Delivery::kPermuted) return "permuted";
  if (o.delivery == Delivery::kTransposed) return "transposed";
  if (o.delivery == Delivery::kSpread) return "spread";
  if (o.splat) return "staged: unaligned splat";
  if (o.box_chunk_stride == 0) return "staged: pattern";
  if (o.box.empty()) {
    if (o.box_chunk_stride == size) return "staged: unaligned";
    return std::abs(o.row_stride) == size ? "staged: transpose" : "staged: gather";
  }
  if (o.box.back().stride == 0) return "staged: repeat-each";
  return o.box.back().stride == size ? "staged: runs" : "staged: gather";
}

}  // namespace axiscast
