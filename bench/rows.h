// Rows of a benchmark program: registered with Google Benchmark, measured beside their roof or beside another build.
#ifndef AXISCAST_BENCH_ROWS_H_
#define AXISCAST_BENCH_ROWS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "axiscast/plan.h"
#include "bench/arguments.h"
#include "bench/measure.h"

namespace axiscast::bench {

// The plan behind a row of patterns.
struct Planned {
  std::string family, dtype, level;  // families are patterns that differ in dtype alone
  int threads;
  double vectors;  // of 64 bytes of the widest operand
  PlanDescription plan;
};

struct Row {
  std::string name;    // for --benchmark_filter: "row_bias_64/L2/threads:1"
  std::string shapes;  // for people: "add (1023,64),(64)"
  std::string roof;    // for people: what the roof is made of; "" for rows without one
  double bytes = 0;    // the unique bytes of a call; 0: a row of time alone
  std::function<Sample(const Effort&)> measure;
  std::optional<Planned> planned = {};
  std::vector<Sample> samples = {};  // one per repetition
};

// Medians over a row's repetitions, of each field over those that measured it.
Sample MedianOf(const Row& row);
// Seconds there / seconds here, the median over pairs taken by turns: above 1, this build is faster. 0: not compared.
double RatioOf(const Row& row);

// Runs the rows that --benchmark_filter chooses, by default `repetitions` times each, in random order; prints the table. Returns
// the rows that ran, for a summary; none when the arguments asked for something else, which is then done. Ends the program with
// status 2 on bad arguments, with kNothingChosen where the filter matches no row.
// The defaults come before the program's own arguments, so that every flag of Google Benchmark can be given.
std::vector<Row> RunRows(const Arguments& arguments, std::vector<Row> rows, int repetitions);

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_ROWS_H_
