// How tiles follow each other: on one thread, and where threads share them.
#ifndef AXISCAST_CORE_TILE_ORDER_H_
#define AXISCAST_CORE_TILE_ORDER_H_

#include <cstdint>

#include "core/layout.h"

namespace axiscast {

// As Layout::whole_from. Where nothing of a tile's size goes through scratch, one thread needs no tiles: it would lose 16 ns
// between two of them. In the same order as tile by tile, which decides what caches hold: rows and pieces of cols are not both cut.
int WholeFrom(const Layout& layout);

// Whether that makes one tile of all, with nothing to do between tiles.
bool IsUndivided(const Layout& layout);

// As Layout::alike: of tiles that one thread does not run as one.
int AlikeLoop(const Layout& layout);

// So many tiles as a unit for one thread, or more. Tiles along the loops between rows and cols lie between each other's rows, and
// share lines where those are not whole: a unit has all of those, if they are few. (566,1,185)+(566,2,185) of int8 took two
// threads 1.6 times as long as one.
std::int64_t WithoutSharedLines(const Layout& layout, std::int64_t tiles);

}  // namespace axiscast

#endif  // AXISCAST_CORE_TILE_ORDER_H_
