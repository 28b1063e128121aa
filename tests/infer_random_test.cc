// Inference against the resolver: in a million random calls some extents become unknown. What is inferred must be what the call
// gives, and what inference refuses the call must refuse. AXISCAST_INFER_CASES asks for another number of calls, AXISCAST_SEED for
// other ones.
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "axiscast/infer.h"
#include "tests/testing/resolve_case.h"
#include "tests/testing/strided.h"

namespace axiscast {
namespace {

using test::FromEnvironment;

struct Call {
  std::vector<Shape> shapes;
  std::vector<SymbolicShape> symbols;
  ResolveOptions options;
  std::vector<Pattern> patterns;  // the options' in mode pattern
  bool in_place = false;
  bool has_out = false;  // the last of the shapes
  std::size_t count() const { return shapes.size() - (has_out ? 1 : 0); }
};

void PrintTo(const Call& call, std::ostream* stream) {
  if (call.options.mode) *stream << "mode " << kModes[static_cast<int>(*call.options.mode)].name;
  for (const Pattern& pattern : call.patterns) {
    *stream << " ";
    for (int d = 0; d < pattern.rank(); ++d) {
      if (pattern[d].fixed()) *stream << pattern[d].extent();
      if (!pattern[d].fixed()) *stream << (pattern[d].stretches() ? 'B' : 'N');
    }
  }
  if (call.options.axis) *stream << " axis " << *call.options.axis;
  if (call.in_place) *stream << " in place";
  if (call.has_out) *stream << " out";
  for (std::size_t i = 0; i < call.shapes.size(); ++i) {
    *stream << "\n  " << ::testing::PrintToString(call.symbols[i]) << " = " << ::testing::PrintToString(call.shapes[i]);
  }
}

class Randomly {
 public:
  explicit Randomly(std::uint64_t seed) : engine_(seed) {}

  int From(int low, int high) { return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1)); }
  bool Chance(int percent) { return From(1, 100) <= percent; }

  Call MakeCall() {
    static constexpr Mode kChoices[] = {Mode::kNumpy, Mode::kNumpy,    Mode::kAxis,    Mode::kOnnxLegacy,
                                        Mode::kNone,  Mode::kSameRank, Mode::kPattern, Mode::kPointwise};
    Call call;
    const Mode mode = kChoices[From(0, 7)];
    if (mode != Mode::kNumpy || Chance(50)) call.options.mode = mode;
    const bool two = mode == Mode::kAxis || mode == Mode::kOnnxLegacy;
    const Shape whole = MakeShape(From(0, 5));
    const int count = two ? 2 : From(1, 4);
    for (int i = 0; i < count; ++i) call.shapes.push_back(Spoil(PartOf(whole, mode)));
    if (two && Chance(90)) call.options.axis = Chance(95) ? From(-4, 4) : From(-1000, 1000);
    if (two && call.options.axis && Chance(60)) Anchor(whole, &call);
    if (Chance(10)) call.shapes[1 % call.shapes.size()] = call.shapes[0];
    for (std::size_t i = 0; mode == Mode::kPattern && i < call.shapes.size(); ++i) {
      call.patterns.push_back(Declare(call.shapes[i]));
    }
    if (Chance(15)) {
      call.in_place = true;
    } else if (Chance(15)) {
      call.has_out = true;
      call.shapes.push_back(Spoil(Chance(70) ? whole : MakeShape(From(0, 6))));
    }
    Forget(&call);
    return call;
  }

 private:
  std::int64_t Extent() {
    static constexpr std::int64_t kExtents[] = {0, 1, 1, 2, 2, 3, 4};
    return kExtents[From(0, 6)];
  }
  Shape MakeShape(int rank) {
    Shape shape;
    for (int d = 0; d < rank; ++d) shape.push_back(Extent());
    return shape;
  }
  // An operand that goes with `whole`, more or less.
  Shape PartOf(const Shape& whole, Mode mode) {
    const bool keeps_rank = mode == Mode::kNone || mode == Mode::kSameRank;
    const int dropped = keeps_rank || Chance(50) ? 0 : From(0, whole.rank());
    Shape part(whole.begin() + dropped, whole.rank() - dropped);
    for (int d = 0; d < part.rank(); ++d) {
      if (mode != Mode::kNone && Chance(30)) part[d] = 1;
    }
    return part;
  }
  Shape Spoil(Shape shape) {
    if (shape.rank() > 0 && Chance(15)) shape[From(0, shape.rank() - 1)] = Extent();
    if (Chance(5)) shape.push_back(1);
    return shape;
  }
  // What is declared of a shape, mostly in truth.
  Pattern Declare(const Shape& shape) {
    Pattern pattern;
    for (const std::int64_t extent : shape) {
      const PatternAxis truth = extent == 1 && Chance(80) ? PatternAxis(kB) : Chance(70) ? PatternAxis(kN) : PatternAxis(extent);
      pattern.push_back(Chance(98) ? truth : Chance(50) ? PatternAxis(kB) : PatternAxis(kN));
    }
    return pattern;
  }
  // One of the two is a middle part of the other, with 1s that may hang over, and the axis is (mostly) where it was.
  void Anchor(const Shape& whole, Call* call) {
    const int begin = From(0, whole.rank());
    const int length = From(0, whole.rank() - begin);
    Shape small(whole.begin() + begin, length);
    for (int d = 0; d < length; ++d) {
      if (Chance(20)) small[d] = 1;
    }
    for (int ones = Chance(30) ? From(1, 3) : 0; ones > 0; --ones) small.push_back(1);
    call->options.axis = begin + (Chance(20) ? small.rank() - whole.rank() - 1 : 0);
    const bool first = call->options.mode == Mode::kAxis && Chance(50);
    call->shapes[first ? 0 : 1] = Spoil(small);
    call->shapes[first ? 1 : 0] = Spoil(whole);
  }
  // Extents become unknown; those of one name are equal.
  void Forget(Call* call) {
    static constexpr const char* kNames[][2] = {{"A", "B"}, {"C", "D"}, {"E", "F"}, {"G", "H"}, {"I", "J"}};
    const int percent = From(0, 3) * 30;
    for (const Shape& shape : call->shapes) {
      SymbolicShape symbols;
      for (const std::int64_t extent : shape) {
        if (!Chance(percent)) {
          symbols.push_back(extent);
        } else if (Chance(20)) {
          symbols.push_back("?");
        } else {
          symbols.push_back(kNames[extent][From(0, 1)]);
        }
      }
      call->symbols.push_back(symbols);
    }
  }

  std::mt19937_64 engine_;
};

ResolveOptions OptionsOf(const Call& call) {
  ResolveOptions options = call.options;
  options.patterns = call.patterns.empty() ? nullptr : call.patterns.data();
  return options;
}

Status Infer(const Call& call, SymbolicShape* result) {
  const SymbolicShape* const shapes = call.symbols.data();
  if (call.in_place) return InferInPlace(shapes, call.count(), OptionsOf(call), result);
  if (call.has_out) return InferOut(shapes, call.count(), OptionsOf(call), call.symbols.back(), result);
  return InferShape(shapes, call.count(), OptionsOf(call), result);
}

Status Resolve(const Call& call, Shape* result) {
  *result = call.in_place ? call.shapes[0] : call.shapes.back();
  if (call.in_place) return ResolveInPlace(call.shapes.data(), call.count(), OptionsOf(call));
  if (call.has_out) return ResolveOut(call.shapes.data(), call.count(), OptionsOf(call), call.shapes.back());
  return ResolveShape(call.shapes.data(), call.count(), OptionsOf(call), result);
}

// Whether `shape` is what `symbols` can turn out to be: a name is the extent that it stands for in the call.
bool Means(const Call& call, const SymbolicShape& symbols, const Shape& shape) {
  if (symbols.rank() != shape.rank()) return false;
  for (int d = 0; d < shape.rank(); ++d) {
    if (symbols.known(d) && symbols[d].extent() != shape[d]) return false;
    for (std::size_t i = 0; i < call.symbols.size() && !symbols[d].name().empty(); ++i) {
      for (int own = 0; own < call.symbols[i].rank(); ++own) {
        if (call.symbols[i][own].name() == symbols[d].name() && call.shapes[i][own] != shape[d]) return false;
      }
    }
  }
  return true;
}

// Whether the operands may change places.
bool IsSymmetric(const Call& call) {
  return call.options.mode != Mode::kOnnxLegacy && call.options.mode != Mode::kPointwise && !call.in_place;
}

struct Tally {
  std::uint64_t calls = 0, fit = 0, refused_early = 0, refused_at_bind = 0, known = 0, named = 0, anonymous = 0;
};

// What is wrong with inference for this call; empty: nothing.
std::string Fault(const Call& call, std::mt19937_64* engine, Tally* tally) {
  SymbolicShape inferred;
  Shape resolved;
  const Status early = Infer(call, &inferred);
  const Status late = Resolve(call, &resolved);
  ++tally->calls;
  if (IsSymmetric(call)) {
    Call turned = call;
    for (std::size_t i = call.count() - 1; i > 0; --i) {
      const std::size_t other = (*engine)() % (i + 1);
      std::swap(turned.symbols[i], turned.symbols[other]);
      if (!call.patterns.empty()) std::swap(turned.patterns[i], turned.patterns[other]);
    }
    SymbolicShape of_turned;
    if (Infer(turned, &of_turned).code() != early.code()) return "another order of operands is judged otherwise";
    if (early.ok() && of_turned != inferred) return "another order of operands gives " + ::testing::PrintToString(of_turned);
  }
  if (!early.ok()) {
    ++tally->refused_early;
    // Whether the axis is right for equal ranks may show at bind alone, and a destination be wrong before.
    const bool axis_was_open = late.code() == StatusCode::kOutOfRange && call.shapes[0].rank() == call.shapes[1].rank();
    if (early.code() == late.code() || (axis_was_open && !late.ok())) return "";
    return "inference refuses: " + std::string(early.message());
  }
  if (Status status = BindUnknowns(call.symbols.data(), call.shapes.data(), call.shapes.size(), {}); !status.ok())
    return std::string("bind refuses: ") + status.message();
  if (!call.in_place && !call.has_out) {
    Shape bound = call.shapes.back();
    const Status status = BindShape(call.symbols.data(), call.shapes.data(), call.shapes.size(), OptionsOf(call), &bound);
    if (status.code() != late.code() || std::string(status.message()) != late.message() || bound != resolved)
      return "bind gives " + ::testing::PrintToString(bound) + " " + status.message();
  }
  ++(late.ok() ? tally->fit : tally->refused_at_bind);
  for (int d = 0; late.ok() && d < inferred.rank(); ++d) {
    ++(inferred.known(d) ? tally->known : inferred[d].name().empty() ? tally->anonymous : tally->named);
  }
  if (late.ok() && !Means(call, inferred, resolved)) return "inferred was " + ::testing::PrintToString(inferred);
  return "";
}

TEST(Infer, ThenBindIsTheCallWithKnownExtents) {
  const std::uint64_t count = FromEnvironment("AXISCAST_INFER_CASES", 1000000);
  const std::uint64_t seed = FromEnvironment("AXISCAST_SEED", 20240607);
  Randomly randomly(seed);
  std::mt19937_64 engine(seed);
  Tally tally;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Call call = randomly.MakeCall();
    const std::string fault = Fault(call, &engine, &tally);
    if (fault.empty()) continue;
    FAIL() << "call " << i << " of seed " << seed << ": " << ::testing::PrintToString(call) << "\n" << fault;
  }
  std::printf(
      "%llu calls: %llu fit, %llu refused at bind, %llu refused early; dims inferred: %llu known, %llu named, %llu anonymous\n",
      static_cast<unsigned long long>(tally.calls), static_cast<unsigned long long>(tally.fit),
      static_cast<unsigned long long>(tally.refused_at_bind), static_cast<unsigned long long>(tally.refused_early),
      static_cast<unsigned long long>(tally.known), static_cast<unsigned long long>(tally.named),
      static_cast<unsigned long long>(tally.anonymous));
  if (count < 100000) return;
  for (const std::uint64_t part : {tally.fit, tally.refused_at_bind, tally.refused_early}) EXPECT_GT(part, count / 20);
  for (const std::uint64_t part : {tally.known, tally.named, tally.anonymous}) EXPECT_GT(part, count / 20);
}

}  // namespace
}  // namespace axiscast
