// Where the elements of a repeated vector come from. Once for all targets.
#ifndef AXISCAST_SIMD_REPEAT_TABLES_H_
#define AXISCAST_SIMD_REPEAT_TABLES_H_

#include <cstddef>
#include <cstdint>

#include "core/kernel.h"

namespace axiscast {

// kRepeatTables.of[p][q] = q / p: where element q of a p times repeated vector comes from.
inline constexpr std::size_t kMaxTableLanes = kMaxPermutedLanes;
struct RepeatTables {
  std::uint8_t of[kMaxRepeat + 1][kMaxRepeat * kMaxTableLanes];
};
constexpr RepeatTables MakeRepeatTables() {
  RepeatTables tables = {};
  for (std::size_t p = 1; p <= kMaxRepeat; ++p) {
    for (std::size_t q = 0; q < p * kMaxTableLanes; ++q) tables.of[p][q] = static_cast<std::uint8_t>(q / p);
  }
  return tables;
}
inline constexpr RepeatTables kRepeatTables = MakeRepeatTables();

}  // namespace axiscast

#endif  // AXISCAST_SIMD_REPEAT_TABLES_H_
