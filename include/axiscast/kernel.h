// What a kernel is: the contract between an op and the library that runs it over any shape. For authors of own ops; no SIMD here.
#ifndef AXISCAST_KERNEL_H_
#define AXISCAST_KERNEL_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "axiscast/dtype.h"
#include "axiscast/status.h"

#pragma GCC visibility push(default)  // exported by the shared library
namespace axiscast {

inline constexpr int kMaxArity = 4;
inline constexpr int kMaxAttributes = 6;
inline constexpr int kMaxParts = 128;
inline constexpr int kFewParts = 8;               // whose tables registers hold
inline constexpr int kMaxSharing = 4;             // parts that share vectors
inline constexpr std::int64_t kSharedBytes = 64;  // of such a vector: with shorter ones, it takes 1.2 times as long
inline constexpr int kMaxPermutedLanes = 64;
inline constexpr std::int64_t kSquareRows = 8;           // of most squares that kernels transpose
inline constexpr std::int64_t kMaxOutStep = 4;           // of results that are not one after the other
inline constexpr int kMaxLinks = 16;                     // of a chain
inline constexpr std::int64_t kMaxKept = 8;              // vectors of the target
inline constexpr std::int64_t kMaxKeptBytes = 2 * 1024;  // of all of them

/// Rows that are worth a transposed input, of elements of so many bytes: of 8 bytes, 4 to 7 take 1.0 to 1.2 times as long as by way
/// of scratch in L1.
constexpr std::int64_t LeastSquareRows(std::int64_t element_size) { return element_size == 4 ? kSquareRows / 2 : kSquareRows; }

/// An attribute's value, already rounded to the kernel's attribute dtype; Get<T>() reads it as that dtype's C++ type.
struct AttributeSlot {
  alignas(8) unsigned char bytes[8];
  template <typename T>
  T Get() const noexcept {
    T value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
};

/// Where an input's elements lie that are not one after the other: repeated, reversed, with gaps, in another order of dims, or a
/// few that come again. Vectors of results, `clusters` for each of `parts`, are a group; every group takes its elements from the
/// same places of its own memory. Col c is in group c / (parts * clusters * lanes), and there in vector v and lane q; that vector
/// is of part v / clusters and cluster v % clusters. Its element lies at `stride` bytes for each group, `cluster_bytes` for each
/// cluster, at[part], and from[part * lanes + q] elements, which is less than vectors * lanes: each part is in so many vectors that
/// follow each other. Where that is one vector, or three, at[] is the same for all parts, which share them. With a `stride` of 0,
/// which is only for kernels that say `keeps`, all steps have the same elements. Where there are no more than kFewParts parts, at[]
/// and from[] have kFewParts + 2 of them: the first ones again and again. Nothing is read but the elements, and gaps of less than
/// 64 bytes between two of them.
struct Permutation {
  std::int64_t step_cols;   // cols are whole steps of so many
  std::int64_t step_bytes;  // >= 0; from a step's elements to the next one's
  std::int64_t reach;       // bytes to the end of the first step's last element in memory: what follows the last step's is not read
  std::int64_t stride;      // bytes; a group is whole steps
  std::int64_t slack;       // a group's vectors may be read whole where so many cols follow it
  std::int64_t cluster_bytes;  // from a cluster's elements to the next one's; any value
  std::int32_t clusters;       // 1, or more where parts share three vectors, a group is one step, and slack 0
  std::int32_t parts;          // to kMaxParts; parts * clusters too
  std::int32_t lanes;          // KernelAbilities::permutes
  std::int32_t vectors;        // 1, 2 or 4; or 3, of kSharedBytes, which two to kMaxSharing parts share
  bool slides;                 // two to kMaxSharing parts are in two vectors each, of which the second is the next part's first
  std::int64_t at[kMaxParts];
  // Where tables of 64 bytes are in two lines each, rows of int8 in L1 take 1.4 times as long.
  alignas(64) std::uint8_t from[kMaxParts * kMaxPermutedLanes];
};

/// The cols of a group.
constexpr std::int64_t GroupCols(const Permutation& permutation) {
  return std::int64_t{permutation.parts} * permutation.clusters * permutation.lanes;
}

/// One input of a tile. Along cols it is streamed (contiguous) or, when `splat`, one value; or, for kernels that say so, recurring
/// (with a period), permuted or transposed: of their two inputs, the other one is then streamed.
struct TileInput {
  std::int64_t row_stride;  // bytes from a row to the next; any value. Of a transposed input: from a col to the next
  bool splat;
  bool transposed = false;  // contiguous along rows
  const Permutation* permutation = nullptr;
  // So many cols are contiguous, and then come again; cols are whole periods, each of as many as KernelAbilities::recurs or more.
  // 0: streamed.
  std::int64_t period = 0;
};

/// An input of a chain: streamed or, when `splat`, one value.
struct ChainInput {
  std::int64_t row_stride;  // bytes from a row to the next; any value
  bool splat;
  bool dense;  // rows follow each other: row_stride, which is then not read, would be `cols` elements
};

/// Bytes from a row of it to the next, in a tile whose rows have so many bytes.
constexpr std::int64_t RowStrideOf(const ChainInput& input, std::int64_t row_bytes) {
  return input.dense ? row_bytes : input.row_stride;
}

/// An op of a chain, on the value that the links before it gave.
struct ChainLink {
  int op;                           // Kernel::link
  int input;                        // of the chain's inputs, the op's other one; 0: the op has one input
  bool exchanged;                   // that value is the op's second input
  const AttributeSlot* attributes;  // as Tile::attributes
};

/// Several ops, one after the other: links[0, count), on what in[0] holds. Their results stay in registers.
struct Chain {
  int count;               // >= 1
  bool by_blocks = false;  // several rows at a time are faster than one after the other, where they are whole vectors
  int ahead = 0;           // where it streams, it asks for what comes so many bytes later, at least
  ChainLink links[kMaxLinks];
  ChainInput in[kMaxLinks + 1];
};

/// As many parts of a tile, by the kind of loop, take turns where it is streamed, if it is long: from as many places a core of this
/// CPU reads the most. 1 (no turns), 2 or kMaxPartsByTurns. Results are the same. `rows_of_one`: of rows where at most one input
/// goes on in memory; a value, and a row or a period that is the same in all rows, does not.
struct PartsByTurns {
  std::int8_t rows = 2, permuted = 2, chains = 1, rows_of_one = 2;
};
inline constexpr int kMaxPartsByTurns = 4;

/// All that a kernel ever sees but pointers: a 2-d block of the result, contiguous along cols but for `out_step`, and the inputs
/// that face it. Broadcasting beyond `splat`, `permutation`, `period` and `row_stride` 0, strides beyond `transposed` and unaligned
/// memory are dealt with before a kernel is called.
struct Tile {
  std::int64_t rows;  // >= 1
  std::int64_t cols;  // >= 1
  TileInput in[kMaxArity];
  std::int64_t out_row_stride;  // bytes
  const AttributeSlot* attributes;
  const Chain* chain = nullptr;  // for kernels that compute chains, instead of `in` and `attributes`
  bool stream = false;  // nobody reads `out` soon: write it past the caches. The caller fences, but where `into_caches`. Only for
                        // kernels that say so.
  // Where `stream`: yet into the caches, by ordinary stores alone, as nobody fences. What is read, and the lines that are written,
  // are in a far cache or in memory: ask for them ahead. Only for kernels that say so (KernelAbilities::asks), and, without
  // `stream`, for checks.
  bool into_caches = false;
  PartsByTurns by_turns = {};  // where `stream`, but not `into_caches`
  bool halves = false;         // half a vector at a time is faster on this CPU, where long ones are streamed. Results are the same
  bool abreast = false;  // some rows at a time are faster: an input that is the same in all of them is long. Results are the same
  // Elements from a col of the result to the next one's, to kMaxOutStep: what lies between them is not written. Others than 1 only
  // for `run` of kernels that say so, not with `stream`, and of inputs that are neither recurring, permuted nor transposed nor
  // `out`.
  std::int64_t out_step = 1;
};

/// Computes a tile, whose element [0, 0] is at `out`, and at inputs[i] for tile.in[i]; all are aligned to their elements. They come
/// beside the tile, as plans have one for all calls: copied into it, they and the rest took 4 ns of a call.
/// `out` may be exactly a streamed input (in place): element i is read before it is written.
/// Reads and writes nothing outside the tile. Called from several threads at once, on disjoint outputs.
using KernelFunction = void (*)(const Tile& tile, const void* const* inputs, void* out);

/// What computes all tiles that differ from this one in `stream` and `into_caches` alone, which it does not look at: what there is
/// to find out of rows, cols, strides and kinds of inputs is found out once. Never null. Called when a plan is made, and by a
/// worker for tiles of other sizes.
using ChooseFunction = KernelFunction (*)(const Tile& tile);

/// Says whether any element of tile.in[0], which begins at `input`, is one that the op refuses (an integer divisor of 0). Of the
/// tile, rows, cols, in[0] and `into_caches` are set, which says here that what is looked at is in a far cache; there are no
/// attributes. Called before the first write, for one tile or several, by several threads at once, and, where it refuses one, for
/// elements one by one until the first is found: it looks at each element for itself, and says the same of it each time.
using CheckFunction = bool (*)(const Tile& tile, const void* input);

/// What a kernel's `run` knows beyond tiles of rows that are streamed or splat.
struct KernelAbilities {
  int permutes = 0;         // it heeds TileInput::permutation, of so many lanes; of any dtypes, for two inputs. 0: it does not
  bool transposes = false;  // it heeds TileInput::transposed; of any dtypes, for two inputs. Only itself asks ahead for what comes
                            // from memory, where it `asks`
  bool spreads = false;     // it heeds Tile::out_step; of any dtypes
  bool keeps = false;       // it has no cost for rows that follow each other, where one input is the same in all and rows are
                            // whole vectors, up to kMaxKept and kMaxKeptBytes: it keeps that input in registers. Others, with
                            // ragged ends, or streamed and short or off a line, it joins; but with Tile::abreast
  int recurs = 0;           // it heeds TileInput::period, of so many cols at least; of any dtypes, for two inputs. 0: it does not
  int widens = 0;           // it converts an input that is the same in all of four rows or more once, not once for each of them,
                            // beside another one that is streamed, where cols are no more than so many; for two inputs. 0: it
                            // does not, or has nothing to convert; and it does not with Tile::abreast
  bool abreast = false;     // it heeds Tile::abreast, where all inputs are streamed
  bool asks = false;        // it heeds Tile::into_caches: then it makes no non-temporal store
};

/// An op for one combination of dtypes.
struct Kernel {
  DType inputs[kMaxArity];
  DType output;
  DType attributes;  // what attribute values are rounded to; unused without attributes
  KernelFunction run = nullptr;
  ChooseFunction choose = nullptr;     // beside `run`, which tiles that differ still go to; may be null
  KernelFunction reference = nullptr;  // the op's scalar meaning in two plain loops; may be null for own ops
  CheckFunction check = nullptr;       // null: the op refuses no value
  bool streams = false;                // `run` heeds Tile::stream
  bool joins = false;                  // `run` stores dense rows that follow each other as one: none but the first begins a run;
                                       // but with Tile::abreast
  bool any_float_mode =
      false;          // its bits do not depend on the floating-point mode, nor does it set flags or trap: `run` and `check` have
                      // no floating-point instruction, and calls do without a look at the mode, 4 of 11 ns (Zen 5)
  double cycles = 1;  // of a core for 64 bytes of its widest operand in L1, roughly: decides when threads pay
  double cycles_by_splat = 0;  // the same where its second input is one value for all or for a long row; 0: no other ones
  KernelAbilities abilities = {};
  KernelFunction chain = nullptr;  // computes tiles with a Chain of ops whose kernels have the same one here; null for own ops
  int link = 0;                    // which op this is there
};

/// What an attribute is when the caller does not give it.
enum class AttributeDefault : std::uint8_t { kRequired, kValue, kLowest, kHighest };  // lowest, highest: no bound

/// What an attribute's value is. The attributes of elementwise ops are numbers.
enum class AttributeType : std::uint8_t { kNumber, kInteger, kBool, kName, kShape };

/// An attribute of an op.
struct AttributeInfo {
  const char* name;
  const char* doc = "";
  AttributeDefault absent = AttributeDefault::kRequired;
  double value = 0;  // with AttributeDefault::kValue
  AttributeType type = AttributeType::kNumber;
  const char* names = "";  // of kName: the values there are, space-separated; the first one is the default
};

/// The text and constants of an op. All pointers must outlive every registry that holds the op: string literals.
struct OpInfo {
  const char* name;           // canonical, one word, as in "squared_difference"
  int arity;                  // 1 to kMaxArity
  const char* doc;            // one line: "out = (x - y)^2"
  const char* special = "";   // special values and corner cases
  double max_ulp = 0;         // largest error in ulp of the result; 0: exactly the stated meaning, bitwise on every target
  const char* aliases = "";   // space-separated
  const char* source = "";    // where the meaning comes from
  const char* operands = "";  // space-separated names for messages; "": x y z w
  AttributeInfo attributes[kMaxAttributes] = {};
  int attribute_count = 0;
  int checked_operand = -1;  // the input that Kernel::check reads, whole, before the first write
  StatusCode check_code = StatusCode::kOk;
  const char* check_message = "";  // "integer division by zero"
  /// What makes the op NAME_grad: for each input, in their order and separated by `;`, the gradient of its elements times `dout`,
  /// as calls of elementwise ops of the registry on operands, attributes, numbers and `dout`; or `none`. "multiply(dout, y);
  /// multiply(dout, x)". "": the op has no gradient. Sums over what was stretched come by themselves.
  const char* gradient = "";
};

/// An op: its text and its kernels, at most one for each combination of input dtypes.
struct OpDefinition {
  OpInfo info;
  std::vector<Kernel> kernels;
};

}  // namespace axiscast
#pragma GCC visibility pop

#endif  // AXISCAST_KERNEL_H_
