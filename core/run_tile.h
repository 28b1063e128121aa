// One tile of a layout: staging, the steps of the program, and the output.
#ifndef AXISCAST_CORE_RUN_TILE_H_
#define AXISCAST_CORE_RUN_TILE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/kernel.h"
#include "core/layout.h"

namespace axiscast {

// What all tiles of a call share.
struct alignas(64) TileJob {
  const Layout& layout;
  const Movers& movers;
  std::byte* const* pointers;
  bool stream, into_caches;          // of tiles, whose results are the output; of a check's, the latter alone
  std::atomic<bool> refused{false};  // by the check
  std::byte* few[4] = {};            // the pointers, where threads share them: a worker asks for this line, and has all of it
};

static_assert(sizeof(TileJob) == 64);

// What is in an operand's scratch; kept while the next tile needs the same.
struct Staged {
  const std::byte* from;
  std::int64_t rows, steps;
};

// Where a tile of `rows` rows and `chunk` steps of the layout's last loop is.
struct TilePlace {
  std::byte* const* position;  // of each operand
  std::int64_t rows, chunk;
};

struct TileAt : TilePlace {
  const TilePlace* next;  // of the tile that comes next; null: this is the last one
  std::byte* scratch;     // kScratchBytes
  Staged* staged;         // of each operand, from tile to tile; null: there is but one tile
};

// Two tiles that are streamed may write a part of the same line each, and a store that has to fetch it first holds up all that
// follow: asks for one of the lines of two tiles later. 0.7 of the time from memory where tiles have 1.5 KB (Zen 4).
inline void PrefetchBoundary(const std::byte* out, std::int64_t advance) { __builtin_prefetch(out + 3 * advance); }

// What the layout's check looks at, of so many rows and steps.
Tile CheckedTile(const Layout& layout, std::int64_t rows, std::int64_t chunk);

// Runs a tile, or has the check look at it.
void RunTile(TileJob& job, const TileAt& at);

}  // namespace axiscast

#endif  // AXISCAST_CORE_RUN_TILE_H_
