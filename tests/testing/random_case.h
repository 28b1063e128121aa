// Random calls of ops: shapes, modes, layouts, aliasing and threads, as plain numbers that can be printed and shrunk.
#ifndef AXISCAST_TESTS_TESTING_RANDOM_CASE_H_
#define AXISCAST_TESTS_TESTING_RANDOM_CASE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "axiscast/axiscast.h"
#include "tests/testing/strided.h"

namespace axiscast::test {

// An op for some dtypes, with its meaning on bits (sign-extended where the dtype is signed).
struct CaseOp {
  std::string name;
  std::vector<DType> inputs;
  DType output;
  std::uint64_t (*meaning)(const std::uint64_t* values, int count);
};

struct CaseOperand {
  DType dtype;
  Shape shape;
  int first = 0;  // its dim j faces dim first + j of out
  ViewSpec view;
  bool in_outs_memory = false;  // else it has its own
  std::int64_t at = 0;          // where in its memory its lowest byte is

  ByteStrides strides() const { return StridesOf(view, shape, static_cast<std::int64_t>(SizeOf(dtype))); }
  Around around() const { return AroundOf(shape, strides(), static_cast<std::int64_t>(SizeOf(dtype))); }
};

enum class CaseThreads { kDefault, kOwnArena, kForeignPool };

struct Case {
  CaseOp op;
  std::vector<CaseOperand> operands;  // the inputs, then out
  std::optional<Mode> mode;
  std::optional<std::int64_t> axis;
  bool in_place = false;  // by ApplyInPlace: input 0 is out
  bool plan = false;      // by Plan::Make and Execute
  int max_threads = 0;
  StorePolicy stores = StorePolicy::kAuto;
  CaseThreads threads = CaseThreads::kDefault;
  int habit = 0;  // of the foreign pool
  int target = 0;
  std::uint64_t data_seed = 0;

  const CaseOperand& out() const { return operands.back(); }
};

// `budget` bounds the elements of out.
Case RandomCase(Random& random, const std::vector<CaseOp>& ops, std::int64_t budget);

std::string ToText(const Case& c);

// A simpler case that still fails.
Case Shrink(Case failing, const std::function<bool(const Case&)>& fails);

}  // namespace axiscast::test

#endif  // AXISCAST_TESTS_TESTING_RANDOM_CASE_H_
