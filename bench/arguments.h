// The flags of a benchmark program, beside Google Benchmark's.
#ifndef AXISCAST_BENCH_ARGUMENTS_H_
#define AXISCAST_BENCH_ARGUMENTS_H_

#include <string>
#include <vector>

namespace axiscast::bench {

// What `PROGRAM --help` says besides the flags.
struct ProgramText {
  const char* name;      // "pattern_bench"
  const char* about;     // lines
  const char* patterns;  // what --patterns does; null: the program has no such flag, nor --random
};

struct Arguments {
  std::string program;                 // its name
  bool patterns = false;               // every row
  int random = 0;                      // so many random patterns instead
  unsigned seed = 1;                   // of them
  bool quick = false;                  // small sizes, short times
  bool serve = false;                  // answers another program's questions
  std::string other;                   // the program to be compared with; "": none
  std::string target;                  // the instruction set; "": the CPU's best
  std::vector<std::string> benchmark;  // Google Benchmark's flags
};

// The exit status of a program of which no row was chosen: the one that was meant may be another program's.
inline constexpr int kNothingChosen = 3;

// Ends the program: with the text for --help, with a message and status 2 for flags that make no sense.
Arguments ReadArguments(int argc, char** argv, const ProgramText& text);

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_ARGUMENTS_H_
