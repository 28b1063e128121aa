// A pattern with its size chosen and laid out in memory: a call that can be planned, executed, checked and compared with its roof.
#ifndef AXISCAST_BENCH_CALL_H_
#define AXISCAST_BENCH_CALL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "bench/machine.h"
#include "bench/patterns.h"
#include "bench/roof.h"

namespace axiscast::bench {

// One op of a call, found in the registry.
struct CallStep {
  const Op* op;
  const Kernel* kernel;
};

struct Call {
  std::string text;  // "add (1023,64),(64)"
  std::vector<CallStep> steps;
  std::vector<TensorView> inputs;
  std::vector<const void*> pointers;  // of the inputs
  MutableTensorView out;
  std::optional<std::int64_t> axis;
  std::int64_t unique_bytes;
  Traffic traffic;
};

// Why this build cannot run a pattern: "this build has no dtype float16". Empty: it can.
std::string WhyLeftOut(const Pattern& pattern);

// The bytes that the pattern has at least, in all: of its only size, or with a free extent of 1.
std::int64_t LeastBytes(const Pattern& pattern, Arena& arena);
bool HasOneSize(const Pattern& pattern);

// With about so many bytes in all, of which views take at most three times as many. In place, everything lies in the second half
// of the arena, and RestoreInputs copies the values there. What is in caches depends on how far results lie from inputs, modulo a
// page: where loads of 64 bytes come soon after stores 64 bytes to 1 KB behind them, a Zen 4 takes 1.2 to 6 times as long. So there
// are several places for results.
inline constexpr int kPlaces = 5;
Call MakeCall(const Pattern& pattern, std::int64_t bytes, Arena& arena, int place = 0);
void RestoreInputs(const Call& call, Arena& arena);

// Ends the program where the library refuses: the table is wrong then.
Plan MakePlan(const Call& call);
// `count` times, as engines do: with options that were made before.
void Execute(const Plan& plan, const Call& call, int threads, std::int64_t count = 1);

// What one writes without a library: a counter for the outer dims and a loop with strides over the innermost one. Plain float32
// additions are a plain loop; other calls go element by element through the ops' scalar meaning, to be compared with and not timed.
class NaiveLoop {
 public:
  explicit NaiveLoop(const Call& call);
  void Run() const;

 private:
  void AddRow(const std::byte* const* from, std::byte* to) const;
  void StepRow(const std::byte* const* from, std::byte* to) const;

  const Call& call_;
  std::vector<TensorView> inputs_;  // stretched to out's shape
  bool plain_add_;
};

// Ends the program with a message.
[[noreturn]] void Fail(const std::string& what);

}  // namespace axiscast::bench

#endif  // AXISCAST_BENCH_CALL_H_
