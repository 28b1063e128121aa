// What people read at the end: the table of medians, and what it says in short.
#ifndef AXISCAST_BENCH_TABLES_H_
#define AXISCAST_BENCH_TABLES_H_

#include <string>
#include <vector>

#include "bench/rows.h"

namespace axiscast::bench {

inline constexpr double kGoodRoof = 0.9;

// One line per row: beside the roof, or compared with another build.
void PrintTable(const std::vector<Row>& rows, bool compared);

// How many of the rows reach 0.9 of the roof, the geometric mean of time / roof, and the worst; rows without a roof do not count.
void PrintStanding(const std::string& title, std::vector<const Row*> rows);
// How near the plans' estimates are to the times, of the rows that have one.
void PrintEstimates(const std::vector<Row>& rows);
// The geometric mean of the ratios to the other build, the worst and the best.
void PrintComparison(std::vector<Row> rows);

// "12.3 us" in a fixed width.
std::string TimeText(double seconds);

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_TABLES_H_
