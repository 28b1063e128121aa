// Layout: how a problem is cut into tiles, and how each operand reaches the kernel there. Made once, never changed.
#ifndef AXISCAST_CORE_LAYOUT_H_
#define AXISCAST_CORE_LAYOUT_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/canonical.h"
#include "core/element_size.h"
#include "core/estimate.h"
#include "core/kernel.h"
#include "core/pieces.h"
#include "core/program.h"
#include "core/tiling.h"

namespace axiscast {

// A loop over a canonical dim: `extent` steps, taken `chunk` at a time.
struct Loop {
  std::int64_t extent;
  std::int64_t chunk;
  std::int64_t count;  // of chunks; the last may be shorter
};

// The most dims that a block can have: rows, and the canonical dims of cols.
inline constexpr int kMaxBoxDims = kMaxRank + 2;

struct OperandLayout : OperandTiling {
  explicit OperandLayout(std::pmr::memory_resource* memory) : OperandTiling(), advance(memory), box(memory), block(memory) {}

  DType dtype;
  int size_log2;
  std::int64_t row_stride = 0;  // bytes on the operand's own side, from a tile's row to the next; folded: to kernels' next row
  std::pmr::vector<std::int64_t> advance;  // bytes per chunk of each loop
  std::int64_t col_stride = 0;             // bytes from a step of cols to the next
  // Staging: a row of cols is box_chunk (chunk * box_chunk_factor elements), times the dims of `box`, outermost first.
  std::int64_t box_chunk_stride = 0;
  std::int64_t box_chunk_factor = 1;
  std::pmr::vector<BoxDim> box;
  std::pmr::vector<BoxDim> block;  // the dims of what is staged in a whole tile
  std::int64_t scratch = 0;        // offset of its block
  std::int64_t reordered = 0;      // bytes of blocks of an input: each has the elements of a block of the result, in another order.
                                   // 0: there are none that are worth asking for

  // TileInput::row_stride for kernels whose rows are so many cols.
  std::int64_t row_stride_of(std::int64_t cols) const {
    if (delivery == Delivery::kTransposed) return col_stride;
    const bool dense = delivery == Delivery::kStaged && row_stride != 0;
    return dense ? (splat ? 1 : cols) << size_log2 : row_stride;
  }
};

// A step's tile but for its attributes: whole rows, and what is left of a folded tile's cols, which is one row more.
struct StepTile {
  Tile tile;
  KernelFunction run;  // Kernel::choose's for its whole rows
  std::int64_t rest;
};

// Steps that follow each other in registers.
struct ChainLayout {
  Chain chain;
  AttributeSlot attributes[kMaxLinks][kMaxAttributes];  // of its links
};

inline constexpr int kMaxPassInputs = std::max(kMaxArity, kMaxLinks + 1);

// A pass: a step, or a chain of them.
struct StepLayout {
  // Of its own: without, the whole struct is cleared first.
  explicit StepLayout(const Step& step)
      : run(step.kernel->run), choose(step.kernel->choose), arity(step.arity), result_size(SizeInBytes(step.kernel->output)) {
    std::copy_n(step.values, arity, values);
    std::copy_n(step.attributes, kMaxAttributes, attributes);
  }

  KernelFunction run;
  ChooseFunction choose;
  int arity;
  int values[kMaxPassInputs];          // its inputs, as Step::values
  int result;                          // what its own result is called there
  std::unique_ptr<ChainLayout> chain;  // of a chain, whose kernel `run` is
  bool to_output = false;              // else to scratch
  std::int64_t scratch;                // offset of the result's block there
  std::int64_t result_size;
  AttributeSlot attributes[kMaxAttributes];
  StepTile whole;  // of a tile that no end of a loop cuts short
};

struct Layout {
  explicit Layout(std::pmr::memory_resource* memory = std::pmr::new_delete_resource())
      : offsets(memory), loops(memory), operands(memory), steps(memory) {}

  std::pmr::vector<std::int64_t> offsets;  // per operand, bytes to add to its pointer
  std::pmr::vector<Loop> loops;            // outermost first; the last one runs along cols
  int row_loop = -1;                       // the loop that runs along rows; -1: one row
  std::int64_t inner = 1;                  // elements of cols per step of the last loop
  std::int64_t fold = 0;  // steps; a tile's one row is handed to kernels as rows of so many, and a rest. 0: as it is
  std::pmr::vector<OperandLayout> operands;        // inputs, then the output
  std::shared_ptr<const Permutation> permutation;  // of the permuted operand; null where there is none
  std::pmr::vector<StepLayout> steps;              // passes
  CheckFunction check = nullptr;                   // instead of steps: looks at the one operand
  std::int64_t tiles = 1;
  PieceSizes pieces = {1};            // of parallel work, in tiles
  bool parallel = false;              // threads may share it
  double seconds = 0;                 // on one thread, by the estimate
  int whole_from = 0;                 // chunks of the loops from this one on need not be tiles of their own: only sharing cuts them
  std::optional<StepTile> undivided;  // of a plain layout, all as one tile, where only sharing cuts it
  int alike = -1;           // of a plain layout, the only loop of several tiles, all of one size; -1: there is no such loop
  bool stages = false;      // any operand is staged
  bool halves = false;      // Tile::halves
  PartsByTurns by_turns;    // Tile::by_turns
  bool abreast = false;     // Tile::abreast
  bool transposes = false;  // as Tiling::transposes
  std::int64_t reordered_elements = 0;               // of the result, where any input has reordered blocks; 0: none has
  std::int64_t run_bytes = 0;                        // of the output, that kernels write one element after the other
  std::int64_t least_off_lines = kStreamedRunBytes;  // of them, where they begin off a line
  bool can_stream = false;                           // the output has runs that are long enough to be stored past the caches
  bool streams = false;                              // and the call's bytes do not fit them
  int asking_threads = 0;          // or each of so many threads, or fewer, has more than twice its L2 (a check: than that):
                                   // Tile::into_caches
  bool far = false;                // what tiles read comes from memory; of transposes, much of it
  std::int64_t scratch_bytes = 0;  // of all blocks, at most kScratchBytes
  Estimate estimate;

  // Kernels transpose them.
  bool squares() const { return transposes && !stages; }
  // One tile, one step, and no scratch.
  bool direct() const { return tiles == 1 && !stages && steps.size() == 1; }
  // One step and no scratch.
  bool is_plain() const { return check == nullptr && !stages && steps.size() == 1; }
  int input_count() const { return static_cast<int>(operands.size()) - 1; }
  // The innermost one of several chunks: from its chunk to the next one, tiles follow each other.
  std::size_t inner_loop() const {
    std::size_t loop = loops.size() - 1;
    while (loop > 0 && loops[loop].count == 1) --loop;
    return loop;
  }
  // Elements of a whole tile.
  std::int64_t tile_rows() const { return row_loop >= 0 ? loops[row_loop].chunk : 1; }
  std::int64_t tile_cols() const { return loops.back().chunk * inner; }
};

// What the layout is for besides the problem.
struct LayoutOptions {
  std::uint64_t unaligned = 0;    // operands (a bit each) that must be staged because they break their element's alignment
  CheckFunction check = nullptr;  // the problem has one operand, which is read and handed to this
  ForcedTiling forced = {};
  bool far = false;                               // as Problem::far
  std::int64_t vector_bytes = kUsualVectorBytes;  // of the target
};

// The canonical problem must not be empty. In its memory; of one step, from nowhere else. Cost: O(operands * rank), 0.3 to 1.5
// us, and up to some us more where a permutation is looked for (core/permutation.h).
Layout MakeLayout(const Canonical& canonical, std::span<const DType> dtypes, std::span<const Step> steps,
                  const LayoutOptions& options);

// A tile of `rows` rows and `chunk` steps of the layout's last loop as the kernel of a step sees it, folded or not: all but the
// pointers and the attributes.
void SetTile(const Layout& layout, const StepLayout& step, std::int64_t rows, std::int64_t chunk, StepTile* step_tile);

// The dims of an operand's block in such a tile, outermost first; returns their number. Rows are left out when the operand has the
// same values in all of them.
int BlockDims(const Layout& layout, const OperandLayout& operand, std::int64_t rows, std::int64_t chunk, BoxDim* dims);

// How an operand reaches the kernel, for people: "streamed", "splat", "staged: pattern"...
std::string DescribeDelivery(const Layout& layout, int operand);

}  // namespace axiscast

#endif  // AXISCAST_CORE_LAYOUT_H_
