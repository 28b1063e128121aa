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
struct TileJob {
  const Layout& layout;
  const Movers& movers;
  std::byte* const* pointers;
  bool stream;                       // the output goes past the caches
  std::atomic<bool> refused{false};  // by the check
};

// What is in an operand's scratch; kept while the next tile needs the same.
struct Staged {
  const std::byte* from;
  std::int64_t rows, steps;
};

// A tile of `rows` rows and `chunk` steps of the layout's last loop.
struct TileAt {
  std::byte* const* position;  // of each operand
  std::int64_t rows, chunk;
  std::byte* scratch;  // kScratchBytes
  Staged* staged;      // of each operand, from tile to tile; null: there is but one tile
};

// Runs it, or has the check look at it.
void RunTile(TileJob& job, const TileAt& at);

}  // namespace axiscast

#endif  // AXISCAST_CORE_RUN_TILE_H_
