// Resolver cases as text, one per line: NAME | OPTIONS | OPERANDS | EXPECTED. Lines that are empty or begin with # say nothing.
//
// OPTIONS, any of: mode=NAME axis=N caller=TEXT names=A,B patterns=BN;10,N;() out=SHAPE in_place. OPERANDS: shapes between &. A
// shape is 2,3,4, or () for 0-d; 1*64 is sixty-four 1s; an unknown extent is a name or ?. EXPECTED: a shape, or a status code, or a
// status code, a colon and the whole message.
#ifndef AXISCAST_TESTS_TESTING_RESOLVE_CASE_H_
#define AXISCAST_TESTS_TESTING_RESOLVE_CASE_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "axiscast/infer.h"
#include "axiscast/resolve.h"

namespace axiscast {

struct ResolveCase {
  std::string line;  // as it was read
  std::string name;
  std::optional<Mode> mode;
  std::optional<std::int64_t> axis;
  std::string caller;
  std::vector<std::string> names;
  std::vector<Pattern> patterns;
  std::optional<Shape> out;
  bool in_place = false;
  Diagnostics diagnostics = {};  // set by tests
  std::vector<Shape> operands;
  std::string code;  // empty: succeeds
  std::string message;
  Shape result;
};

// The same with unknown extents, which are 0 above.
struct InferCase : ResolveCase {
  std::vector<SymbolicShape> symbols;
  std::optional<SymbolicShape> symbolic_out;
  SymbolicShape symbolic_result;
};

void PrintTo(const ResolveCase& c, std::ostream* stream);
void PrintTo(const Dims& dims, std::ostream* stream);
void PrintTo(const SymbolicShape& shape, std::ostream* stream);

// Throws std::runtime_error, with the line in its text, where it cannot be read: a case that is not understood must not be skipped.
ResolveCase ParseResolveCase(const std::string& line);
InferCase ParseInferCase(const std::string& line);
std::vector<ResolveCase> ReadResolveCases(const std::string& path);
std::vector<InferCase> ReadInferCases(const std::string& path);

// Calls what the case asks for: ResolveInPlace, ResolveOut (*result is then out's shape) or ResolveShape.
Status RunCase(const ResolveCase& c, Shape* result);
// InferInPlace, InferOut or InferShape.
Status RunInferCase(const InferCase& c, SymbolicShape* result);

}  // namespace axiscast

#endif  // AXISCAST_TESTS_TESTING_RESOLVE_CASE_H_
