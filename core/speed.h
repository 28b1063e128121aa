// What differs from one class of machines to the other: how fast they are, for estimates, and which loops are the faster ones.
#ifndef AXISCAST_CORE_SPEED_H_
#define AXISCAST_CORE_SPEED_H_

#include <cstdint>

#include "axiscast/kernel.h"

namespace axiscast {

// What one thread of a class of machines was seen to do.
struct Speed {
  double l1, l2, l3;        // bytes per second of operands that fit a cache, to three quarters of it
  double memory, streamed;  // the same of others, whose result is stored into the caches or past them
  double stores;            // so many times a byte counts that is stored into the caches: 2 where its line has to come there first
  double cycle_seconds;     // of what kernels say of their arithmetic
  double slowness;          // factor for the other numbers of tile_cost.cc, staging_cost.cc and layout.cc, and those of calls
  double shared_row;        // of L1: longer rows that four rows or more read are cut, or those rows run abreast
  bool halves;              // Tile::halves
  PartsByTurns by_turns;    // Tile::by_turns
  bool asks_in_caches;      // Tile::into_caches, of calls beyond L2
  int chain_ahead;          // Chain::ahead
  std::int64_t last_cache;  // bytes of a last cache that all of a server's processes share: what one finds, at most
};

// By the CPU's vendor, family, model and instructions. Of a machine whose class nobody measured: a Zen 5's, mostly. No allocation.
const Speed& MachineSpeed() noexcept;

}  // namespace axiscast

#endif  // AXISCAST_CORE_SPEED_H_
