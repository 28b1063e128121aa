// Tiling: which dims of a canonical problem run along a tile's cols and rows, how large tiles are, and how operands reach kernels.
#ifndef AXISCAST_CORE_TILING_H_
#define AXISCAST_CORE_TILING_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "axiscast/kernel.h"
#include "core/canonical.h"
#include "core/estimate.h"

namespace axiscast {

// Scratch for staged operands and intermediate results, on the stack of the thread that runs tiles: half of a 48 KB L1, which is
// the smaller of what the tiles' direct operands leave and what fits a small stack. Kernels of float16 put up to 8 KB there too.
inline constexpr std::int64_t kScratchBytes = 24 * 1024;

// Of the output; shorter runs are not stored past the caches. Those that begin off a cache line have a part of one at both ends,
// which is not either: some 20 ns where tiles share it, which can be asked for, and twice that between rows of one tile. Such rows
// of 1.2 KB take up to twice as long streamed, those of 2.8 KB 0.9 of the time.
inline constexpr std::int64_t kStreamedRunBytes = 1024, kStreamedRowBytes = 2048;

// Where nobody says which target runs.
inline constexpr std::int64_t kUsualVectorBytes = 64;

// kRecurring: TileInput::period. kSpread: of the output alone, Tile::out_step.
enum class Delivery : std::uint8_t { kStreamed, kSplat, kRecurring, kPermuted, kTransposed, kSpread, kStaged };

// Joining dims to longer rows than this gains nothing (seen on an AVX-512 server).
inline constexpr std::int64_t kFlattenBytes = 1024;

struct OperandTiling {
  Delivery delivery;
  bool splat;          // one value along cols (kSplat, or kStaged of one value)
  bool image = false;  // staged, and the block of one folded row serves all folded rows
};

struct Tiling {
  explicit Tiling(std::pmr::memory_resource* memory) : operands(memory) {}

  int first;              // the dims from here on run along cols
  int rows;               // the dim along rows; -1: one row
  std::int64_t fold = 0;  // as Layout::fold
  std::int64_t elements;  // of a tile, at most
  std::int64_t cols;      // of those along cols, at most
  bool transposes;        // rows run along a dim in which an operand that is staged or transposed is contiguous
  bool whole_lines;       // the output's rows are lines that follow each other
  bool abreast = false;   // rows run abreast (Tile::abreast)
  bool joins;             // a tile's rows follow each other in memory, so that kernels can join them
  bool by_blocks;         // Chain::by_blocks
  std::pmr::vector<OperandTiling> operands;
  std::shared_ptr<const Permutation> permutation;  // of the permuted operand; null where there is none
  TilingEstimate estimate;
};

// What is to be tiled besides the canonical problem.
inline constexpr double kNeverCut = std::numeric_limits<double>::infinity();

struct TilingProblem {
  std::span<const std::int64_t> sizes;  // bytes of the operands' elements, the output's last
  std::int64_t widest;                  // of them and of the intermediate results
  std::uint64_t unaligned = 0;          // operands (a bit each) that must be staged
  int passes;
  bool chained = false;                           // the first one is a chain
  int result_blocks = 0;                          // blocks of scratch that intermediate results need
  bool reads_only = false;                        // the last operand is looked at, and not written
  std::int64_t permuted_lanes = 0;                // of the one step's kernel, which heeds TileInput::permutation; 0: it does not
  bool transposes = false;                        // the one step's kernel heeds TileInput::transposed
  bool spreads = false;                           // and Tile::out_step
  bool keeps = false;                             // and is one that keeps inputs
  std::int64_t least_period = 0;                  // and heeds TileInput::period, from so many cols on; 0: it does not
  std::int64_t vector_bytes = kUsualVectorBytes;  // of the target
  bool streams = false;                           // the output is to be stored past the caches
  bool fits_l2 = true;                            // all that the call reads and writes
  bool far = false;                               // so much of the operands is in memory that transposes ask for it early
  bool abreast = false;                           // the one step's kernel heeds Tile::abreast
  double shared_row_bytes = kNeverCut;            // longer rows that kManyRows or more read are cut, or run abreast
  double widened_row_bytes = kNeverCut;  // as shared_row_bytes, of a kernel that widens a shorter row once; staged ones too
  Spent widening;                        // cycles that such a kernel spares where an input is widened once
  bool serial = false;                   // too short for a second thread
  double seconds = 0;                    // of the call, roughly
  double bytes = 0;                      // of the widest operand, in all
};

// Another choice than the cheapest one, for tests: results must not depend on it. 0: no other.
struct ForcedTiling {
  int col_dims = 0;                           // dims along cols; as many of them as fit
  std::int64_t tile_bytes = 0;                // of the widest operand, at most what fits
  bool streams = false;                       // as for results that leave the caches, where the kernel can
  bool asks = false;                          // Tile::into_caches, where the kernel can
  bool unlinked = false;                      // every step is a pass of its own
  bool other_halves = false;                  // Tile::halves is not this CPU's
  std::optional<PartsByTurns> by_turns = {};  // Tile::by_turns
  bool abreast = false;                       // rows beside one that is the same in all run abreast, where the kernel can
  bool joins = false;                         // tiles of forced bytes are joined as others are
};

// In the canonical problem's memory.
Tiling ChooseTiling(const Canonical& canonical, const TilingProblem& problem, const ForcedTiling& forced);

// Elements of the dims from `first` on.
std::int64_t BlockElements(const Canonical& canonical, int first);

inline std::int64_t CeilDiv(std::int64_t x, std::int64_t y) { return x / y + (x % y != 0); }

// How many steps of `bytes` > 0 are whole blocks of so many, a power of two.
std::int64_t WholeBlocks(std::int64_t bytes, std::int64_t block);

// Of values that are not negative; overlapping windows can have more bytes than there are addresses.
std::int64_t SaturatingProduct(std::int64_t x, std::int64_t y);

}  // namespace axiscast

#endif  // AXISCAST_CORE_TILING_H_
