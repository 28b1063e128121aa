// Cuts a canonical problem into tiles: which dims run along cols, which one along rows, what is staged, what a tile costs.
#include "core/layout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/caches.h"

namespace axiscast {
namespace {

// The numbers behind the choice; each was seen on an AVX-512 server and is good enough within a factor of two anywhere.
constexpr double kRowSeconds = 0.25e-9;               // a kernel's row of whole vectors
constexpr double kJoinedRowSeconds = 0.5e-9;          // one with a ragged end that goes on in the next row
constexpr double kRaggedRowSeconds = 0.8e-9;          // another one with a ragged end
constexpr double kStreamedRunSeconds = 20e-9;         // the first and last line of what is stored past the caches
constexpr double kShortRowSeconds = 2.5e-9;           // a row that does not fill a vector
constexpr double kTileSeconds = 10e-9;                // a tile: moving on, and the kernel's call
constexpr double kStageSeconds = 12e-9;               // a block that is staged, however small
constexpr double kStagedBytesPerSecond = 45e9;        // written to scratch in order, and read again
constexpr double kGatherSeconds = 0.3e-9;             // an element moved on its own
constexpr double kTransposeSeconds = 0.05e-9;         // an element moved in a square
constexpr std::int64_t kSmallStep = 4;                // elements; movers take such steps in whole vectors
constexpr double kByteSeconds = 0.004e-9;             // a step's arithmetic, by the bytes of its widest element
constexpr double kSerialSeconds = 12e-6;              // below this a fork is not worth its 1 to 2 us
constexpr double kGrainSeconds = 4e-6;                // a piece of parallel work
constexpr std::int64_t kVectorBytes = 64;             // the longest of x86-64
constexpr std::int64_t kStreamedRunBytes = 1024;      // shorter ones are not stored past the caches
constexpr std::int64_t kFlattenBytes = 1024;          // joining dims to longer rows than this gains nothing
constexpr std::int64_t kDirectTileBytes = 32 * 1024;  // of the widest operand, when nothing goes through scratch
constexpr std::int64_t kStagedTileBytes = 8 * 1024;   // of the widest operand, when something does
constexpr std::int64_t kChainTileBytes = 4 * 1024;    // when there are several steps
constexpr std::int64_t kSquareTileBytes = 16 * 1024;  // when an operand is transposed: whole cache lines both ways

// Bytes per second of one thread whose operands fit a level of the caches, to three quarters of it.
double BytesPerSecond(double bytes, bool streams) {
  const Caches& caches = MachineCaches();
  if (bytes <= 0.75 * static_cast<double>(caches.l1)) return 400e9;
  if (bytes <= 0.75 * static_cast<double>(caches.l2)) return 200e9;
  if (bytes <= 0.75 * static_cast<double>(caches.l3)) return 105e9;
  return streams ? 54e9 : 38e9;
}

// Non-temporal stores win by a third where the call's bytes do not fit the last cache, and lose up to three times where they do.
bool LeavesCaches(double bytes) { return bytes > 0.75 * static_cast<double>(MachineCaches().l3); }

// Of values that are not negative. Overlapping windows can have more bytes than there are addresses.
std::int64_t SaturatingProduct(std::int64_t x, std::int64_t y) {
  std::int64_t product;
  return __builtin_mul_overflow(x, y, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

struct Chooser {
  const Canonical& canonical;
  const std::vector<std::int64_t>& sizes;
  const LayoutOptions& options;
  std::int64_t widest;         // bytes of the widest element
  std::int64_t flatten_bytes;  // rows of cols are not made longer than this by joining dims
  bool streams;                // the output is to go past the caches

  int rank() const { return canonical.rank(); }
  int count() const { return static_cast<int>(sizes.size()); }
  bool forced(int operand) const { return (options.unaligned >> operand) & 1; }

  std::int64_t Block(int first) const {  // elements of the dims from `first` on
    std::int64_t block = 1;
    for (int d = first; d < rank(); ++d) block *= canonical.extents[d];
    return block;
  }

  // Along the dims from `first` on, is the operand contiguous, or one value?
  bool Streams(int operand, int first) const {
    std::int64_t expected = sizes[operand];
    for (int d = rank() - 1; d >= first; --d) {
      if (canonical.extents[d] == 1) continue;
      if (canonical.strides[operand][d] != expected) return false;
      expected *= canonical.extents[d];
    }
    return true;
  }
  bool Splats(int operand, int first) const {
    for (int d = first; d < rank(); ++d) {
      if (canonical.strides[operand][d] != 0) return false;
    }
    return true;
  }
  bool Stages(int operand, int first) const {
    return forced(operand) || !(Streams(operand, first) || (operand + 1 < count() && Splats(operand, first)));
  }

  // When cols are the dims from `first` on, do the kernel's rows follow each other in memory, so that it can join them?
  bool Joins(int first) const {
    if (first == 0) return false;
    for (int i = 0; i < count(); ++i) {
      const std::int64_t stride = canonical.strides[i][first - 1];
      if (Stages(i, first) ? stride == 0 && !Splats(i, first) : !Splats(i, first) && stride != Block(first) * sizes[i])
        return false;
    }
    return true;
  }

  // Seconds spent on rows and staging when cols are the dims from `first` on.
  double Cost(int first) const {
    const double elements = static_cast<double>(Block(0));
    const std::int64_t row_bytes = SaturatingProduct(Block(first), widest);
    const bool joins = Joins(first);
    double row = row_bytes < kVectorBytes        ? kShortRowSeconds
                 : row_bytes % kVectorBytes == 0 ? kRowSeconds
                 : joins                         ? kJoinedRowSeconds
                                                 : kRaggedRowSeconds;
    if (streams && !(joins && row_bytes >= kVectorBytes && row_bytes % kVectorBytes != 0)) row += kStreamedRunSeconds;
    double seconds = elements / static_cast<double>(Block(first)) * row;
    bool stages = false;
    for (int i = 0; i < count(); ++i) {
      if (!Stages(i, first)) continue;
      stages = true;
      seconds += StagingCost(i, first);
    }
    const double tile = static_cast<double>(stages ? kStagedTileBytes : kDirectTileBytes);
    return seconds + elements * static_cast<double>(widest) / tile * kTileSeconds;
  }

  double StagingCost(int operand, int first) const {
    const std::vector<std::int64_t>& strides = canonical.strides[operand];
    const double size = static_cast<double>(sizes[operand]);
    const double block = static_cast<double>(Block(first)) * size;
    const double tile = std::min(block, static_cast<double>(kStagedTileBytes));
    // Along a stretched first dim, and where a tile holds the whole block, what was staged serves the next tile as well.
    const bool keeps = strides[first] == 0 || block <= tile;
    int outer = first - 1;
    while (keeps && outer >= 0 && strides[outer] == 0) --outer;
    double times = keeps ? 1 : block / tile;
    for (; outer >= 0; --outer) times *= static_cast<double>(canonical.extents[outer]);
    const std::int64_t inner_stride = strides[rank() - 1];
    if (std::abs(inner_stride) <= kSmallStep * sizes[operand]) return times * (kStageSeconds + tile / kStagedBytesPerSecond);
    return times * (kStageSeconds + tile / size * (ContiguousDim(operand, first) >= 0 ? kTransposeSeconds : kGatherSeconds));
  }

  // The first of the dims that are flattened into cols.
  int FirstColDim() const {
    int best = rank() - 1;
    double best_cost = Cost(best);
    for (int first = best; first > 0 && SaturatingProduct(Block(first), widest) < flatten_bytes; --first) {
      const double cost = Cost(first - 1);
      if (cost < best_cost) {
        best = first - 1;
        best_cost = cost;
      }
    }
    return best;
  }

  // The dim outside cols along which the operand is contiguous; -1 when there is none.
  int ContiguousDim(int operand, int first) const {
    for (int d = first - 1; d >= 0; --d) {
      if (std::abs(canonical.strides[operand][d]) == sizes[operand] && canonical.extents[d] > 1) return d;
    }
    return -1;
  }

  // The dim along which a transposed operand is contiguous; -1 when none is transposed.
  int TransposedDim(int first) const {
    for (int i = 0; i < count(); ++i) {
      const std::int64_t inner_stride = canonical.strides[i][rank() - 1];
      if (!Stages(i, first) || inner_stride == 0 || std::abs(inner_stride) == sizes[i]) continue;
      if (const int d = ContiguousDim(i, first); d >= 0) return d;
    }
    return -1;
  }
};

std::int64_t CeilDiv(std::int64_t x, std::int64_t y) { return x / y + (x % y != 0); }

// Cuts `extent` steps of `bytes` into chunks of at most `limit` (at least 1), as even as cache lines allow: no short last chunk,
// and each chunk begins on a line where the first one does. Tiles that began anywhere ran at 0.7 of the speed, streaming at 0.4.
Loop MakeLoop(std::int64_t extent, std::int64_t limit, std::int64_t bytes) {
  limit = std::clamp<std::int64_t>(limit, 1, extent);
  std::int64_t chunk = CeilDiv(extent, CeilDiv(extent, limit));
  const std::int64_t group = kLineBytes / std::gcd(bytes, kLineBytes);
  if (chunk < extent && limit >= group) {
    chunk = CeilDiv(chunk, group) * group;
    if (chunk > limit) chunk -= group;
  }
  return {extent, chunk, CeilDiv(extent, chunk)};
}

// The strided side of a row of cols, with neighbours joined where they are one run.
void MakeBox(const Canonical& canonical, int operand, int first, OperandLayout* layout) {
  const std::vector<std::int64_t>& strides = canonical.strides[operand];
  std::vector<BoxDim> inner;  // innermost first
  for (int d = canonical.rank() - 1; d > first; --d) {
    const BoxDim dim{canonical.extents[d], strides[d]};
    if (dim.extent == 1) continue;
    if (!inner.empty() && IsRun(dim.stride, inner.back().stride, inner.back().extent)) {
      inner.back().extent *= dim.extent;
    } else {
      inner.push_back(dim);
    }
  }
  layout->box_chunk_stride = strides[first];
  if (!inner.empty() && IsRun(strides[first], inner.back().stride, inner.back().extent)) {
    layout->box_chunk_stride = inner.back().stride;
    layout->box_chunk_factor = inner.back().extent;
    inner.pop_back();
  }
  layout->box.assign(inner.rbegin(), inner.rend());
}

// The block of scratch of every step's result but the last. A result takes the block of an operand that it is the last to use, in
// place if their sizes are equal: a chain stays in few of them.
std::vector<int> ResultBlocks(const std::vector<Step>& steps, int input_count) {
  const int count = static_cast<int>(steps.size());
  std::vector<int> last_use(steps.size(), -1);  // the step that uses a result last
  for (int s = 0; s < count; ++s) {
    for (int a = 0; a < steps[s].arity; ++a) {
      if (const int result = steps[s].values[a] - input_count; result >= 0) last_use[result] = s;
    }
  }
  std::vector<int> blocks;
  for (int s = 0; s + 1 < count; ++s) {
    const auto is_free = [&](int block) {
      for (int r = 0; r < s; ++r) {
        if (blocks[r] != block) continue;
        const bool in_place = last_use[r] == s && SizeOf(steps[r].kernel->output) == SizeOf(steps[s].kernel->output);
        if (last_use[r] >= s && !in_place) return false;
      }
      return true;
    };
    int block = 0;
    while (!is_free(block)) ++block;
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

std::int64_t UniqueBytes(const Canonical& canonical, int operand, std::int64_t size) {
  std::int64_t bytes = size;
  for (int d = 0; d < canonical.rank(); ++d) {
    if (canonical.strides[operand][d] != 0) bytes = SaturatingProduct(bytes, canonical.extents[d]);
  }
  return bytes;
}

Layout MakeLayout(const Canonical& canonical, const std::vector<DType>& dtypes, const std::vector<Step>& steps,
                  const LayoutOptions& options) {
  const int count = static_cast<int>(dtypes.size());
  std::vector<std::int64_t> sizes;
  for (const DType dtype : dtypes) sizes.push_back(static_cast<std::int64_t>(SizeOf(dtype)));
  std::int64_t widest = *std::max_element(sizes.begin(), sizes.end());
  for (const Step& step : steps) widest = std::max(widest, static_cast<std::int64_t>(SizeOf(step.kernel->output)));

  // A row of every block that may be needed must fit in the scratch.
  const std::int64_t most_blocks = count + static_cast<std::int64_t>(steps.size());
  double bytes = 0;
  for (int i = 0; i < count; ++i) bytes += static_cast<double>(UniqueBytes(canonical, i, sizes[i]));
  const bool kernel_streams = !steps.empty() && steps.back().kernel->streams;
  const bool streams = kernel_streams && LeavesCaches(bytes);
  const std::int64_t flatten_bytes = std::min(streams ? kStagedTileBytes : kFlattenBytes, kScratchBytes / most_blocks / 64 * 64);
  const Chooser chooser{canonical, sizes, options, widest, flatten_bytes, streams};
  const int first = chooser.FirstColDim();
  Layout layout;
  layout.offsets = canonical.offsets;
  layout.check = options.check;
  layout.inner = chooser.Block(first + 1);

  // Operands, and how many blocks of scratch they and the intermediate results take.
  const std::vector<int> result_blocks = ResultBlocks(steps, count - 1);
  const std::int64_t blocks_of_results =
      result_blocks.empty() ? 0 : *std::max_element(result_blocks.begin(), result_blocks.end()) + 1;
  std::int64_t blocks = blocks_of_results;
  for (int i = 0; i < count; ++i) {
    OperandLayout operand;
    operand.dtype = dtypes[i];
    operand.size_log2 = std::countr_zero(static_cast<std::uint64_t>(sizes[i]));
    operand.splat = chooser.Splats(i, first) && (i + 1 < count || options.check != nullptr);
    operand.delivery = chooser.Stages(i, first) && !(operand.splat && !chooser.forced(i)) ? Delivery::kStaged
                       : operand.splat                                                    ? Delivery::kSplat
                                                                                          : Delivery::kStreamed;
    if (operand.delivery == Delivery::kStaged) {
      MakeBox(canonical, i, first, &operand);
      layout.stages = true;
      ++blocks;
    }
    layout.operands.push_back(operand);
  }

  // The tile: cols from the last loop, rows from the next one out, or from the one along which a transposed operand is contiguous.
  const int transposed = chooser.TransposedDim(first);
  std::int64_t tile_bytes = kDirectTileBytes;
  if (blocks > 0) {
    const std::int64_t wanted = transposed >= 0 ? kSquareTileBytes : steps.size() > 1 ? kChainTileBytes : kStagedTileBytes;
    tile_bytes = std::min(wanted, kScratchBytes / blocks / 64 * 64);
  }
  const std::int64_t tile_elements = std::max<std::int64_t>(tile_bytes / widest, 1);
  std::int64_t cols_limit = tile_elements;
  if (transposed >= 0) {
    cols_limit = static_cast<std::int64_t>(std::sqrt(static_cast<double>(tile_elements)));
    cols_limit = std::max<std::int64_t>(cols_limit / 16 * 16, 16);
  }
  layout.row_loop = transposed >= 0 ? transposed : first - 1;
  for (int d = 0; d <= first; ++d) layout.loops.push_back({canonical.extents[d], 1, canonical.extents[d]});
  Loop& col_loop = layout.loops[first];
  col_loop = MakeLoop(col_loop.extent, cols_limit / layout.inner, layout.inner * sizes[count - 1]);
  const std::int64_t cols = col_loop.chunk * layout.inner;
  std::int64_t rows = 1;
  if (layout.row_loop >= 0) {
    Loop& row_loop = layout.loops[layout.row_loop];
    row_loop = MakeLoop(row_loop.extent, tile_elements / cols, cols * sizes[count - 1]);
    rows = row_loop.chunk;
  }
  for (const Loop& loop : layout.loops) layout.tiles *= loop.count;

  // Scratch blocks and steps.
  std::int64_t scratch = 0;
  const std::int64_t block_bytes = (rows * cols * widest + 63) / 64 * 64;
  for (int i = 0; i < count; ++i) {
    OperandLayout& operand = layout.operands[i];
    operand.row_stride = layout.row_loop >= 0 ? canonical.strides[i][layout.row_loop] : 0;
    for (int d = 0; d <= first; ++d) {  // where there is one chunk, a step to the next one may be more than int64 holds
      operand.advance.push_back(layout.loops[d].count > 1 ? canonical.strides[i][d] * layout.loops[d].chunk : 0);
    }
    if (operand.delivery != Delivery::kStaged) continue;
    operand.scratch = scratch;
    scratch += block_bytes;
  }
  for (const Step& step : steps) {
    StepLayout step_layout;
    step_layout.run = step.kernel->run;
    step_layout.arity = step.arity;
    std::copy_n(step.values, kMaxArity, step_layout.values);
    std::copy_n(step.attributes, kMaxAttributes, step_layout.attributes);
    step_layout.result_size = static_cast<std::int64_t>(SizeOf(step.kernel->output));
    const bool last = &step == &steps.back();
    step_layout.scratch = last ? layout.operands.back().scratch
                               : scratch + result_blocks[static_cast<std::size_t>(&step - steps.data())] * block_bytes;
    layout.steps.push_back(step_layout);
  }
  layout.scratch_bytes = scratch + blocks_of_results * block_bytes;

  // Where to store, the cost, and the pieces of parallel work.
  const std::int64_t run_bytes = SaturatingProduct(chooser.Joins(first) ? rows * cols : cols, sizes[count - 1]);
  const bool all_splat =
      std::all_of(layout.operands.begin(), layout.operands.end() - 1, [](const OperandLayout& operand) { return operand.splat; });
  layout.can_stream = kernel_streams && !all_splat && layout.tiles > 1 && layout.operands.back().delivery == Delivery::kStreamed &&
                      run_bytes >= kStreamedRunBytes;
  layout.streams = layout.can_stream && chooser.streams;
  const double elements = static_cast<double>(chooser.Block(0));
  const double arithmetic =
      kByteSeconds * static_cast<double>(widest * static_cast<std::int64_t>(std::max<std::size_t>(steps.size(), 1)));
  layout.seconds = std::max(bytes / BytesPerSecond(bytes, layout.streams), elements * arithmetic) + chooser.Cost(first);
  const double tile_seconds = layout.seconds / static_cast<double>(layout.tiles);
  layout.grain = std::clamp<std::int64_t>(static_cast<std::int64_t>(kGrainSeconds / tile_seconds), 1, layout.tiles);
  layout.parallel = layout.seconds > kSerialSeconds && layout.tiles > 1;
  return layout;
}

std::string DescribeDelivery(const Layout& layout, int operand) {
  const OperandLayout& o = layout.operands[operand];
  const std::int64_t size = std::int64_t{1} << o.size_log2;
  if (o.delivery == Delivery::kStreamed) return "streamed";
  if (o.delivery == Delivery::kSplat) return "splat";
  if (o.splat) return "staged: unaligned splat";
  if (o.box.empty()) {
    if (o.box_chunk_stride == size) return "staged: unaligned";
    return std::abs(o.row_stride) == size ? "staged: transpose" : "staged: gather";
  }
  if (o.box_chunk_stride == 0) return "staged: pattern";
  if (o.box.back().stride == 0) return "staged: repeat-each";
  return o.box.back().stride == size ? "staged: runs" : "staged: gather";
}

}  // namespace axiscast
