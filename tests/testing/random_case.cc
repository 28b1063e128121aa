// Making, printing and shrinking random calls; see random_case.h.
#include "tests/testing/random_case.h"

#include <sstream>

namespace axiscast::test {
namespace {

Shape RandomShape(Random& random, std::int64_t budget) {
  const bool many_ones = random.Chance(3);
  const std::int64_t rank =
      many_ones ? random.In(9, kMaxRank) : random.Of(std::vector<std::int64_t>{0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7, 8});
  Shape shape;
  const int favoured = static_cast<int>(rank > 0 ? random.Below(rank) : 0);  // gets what is left of the budget
  for (int d = 0; d < rank; ++d) {
    std::int64_t extent = random.In(2, 9);
    if (random.Chance(20)) extent = random.In(10, 70);
    if (random.Chance(many_ones ? 85 : 12)) extent = 1;
    if (random.Chance(1)) extent = 0;
    if (extent > 1 && extent > budget) extent = 1;
    if (extent > 1) budget /= extent;
    shape.push_back(extent);
  }
  if (rank > 0 && budget > 1 && shape[favoured] > 0 && random.Chance(60)) shape[favoured] *= random.In(1, budget);
  return shape;
}

// Which of an operand's dims become 1: none, the leading or trailing ones, every other one, any, all.
void Stretch(Random& random, Shape* shape) {
  const std::int64_t pattern = random.Below(8);
  const std::int64_t split = random.Below(shape->rank() + 1);
  const std::int64_t parity = random.Below(2);
  for (int d = 0; d < shape->rank(); ++d) {
    const bool one = (pattern == 3 && d < split) || (pattern == 4 && d >= split) || (pattern == 5 && d % 2 == parity) ||
                     (pattern == 6 && random.Chance(40)) || (pattern == 7 && random.Chance(90));
    if (one) (*shape)[d] = 1;
  }
}

Shape Part(const Shape& shape, int first, int rank) { return Shape(shape.begin() + first, rank); }

// Two operands of axis mode: one has all dims of the result, which are the last ones of out; the other is anchored in it.
void MakeAxisOperands(Random& random, const Shape& out, Case* c) {
  const int missing = c->in_place || random.Chance(85) ? 0 : static_cast<int>(random.Below(out.rank() + 1));
  const int rank = out.rank() - missing;
  const bool swap = !c->in_place && random.Chance(40);
  CaseOperand& big = c->operands[swap ? 1 : 0];
  CaseOperand& small = c->operands[swap ? 0 : 1];
  big.first = missing;
  big.shape = Part(out, missing, rank);
  if (!c->in_place && random.Chance(40)) Stretch(random, &big.shape);
  c->mode = random.Chance(50) ? std::optional<Mode>(Mode::kAxis) : std::nullopt;
  if (rank == 0 || random.Chance(15)) {  // equal ranks
    small.first = missing;
    small.shape = Part(out, missing, rank);
    Stretch(random, &small.shape);
    c->axis = random.Chance(50) ? -1 : 0;
    if (rank == 0) c->axis = -1;
    return;
  }
  const int length = static_cast<int>(random.Below(rank));
  const int anchor = static_cast<int>(random.Below(rank - length + 1));
  small.first = missing + anchor;
  small.shape = Part(out, small.first, length);
  Stretch(random, &small.shape);
  if (anchor == rank) {  // a scalar behind the last dim: no axis says that
    small.first = missing + rank - 1;
    c->axis = rank - 1;
    return;
  }
  // Trailing 1s may hang over the end, as long as the rank stays the lower one.
  if (anchor + length == rank && random.Chance(30)) {
    while (small.shape.rank() + 1 < rank && random.Chance(50)) small.shape.push_back(1);
  }
  const std::int64_t negative = anchor - (rank - small.shape.rank()) - 1;
  c->axis = negative < 0 && negative >= -rank && random.Chance(40) ? negative : anchor;
}

void MakeNumpyOperands(Random& random, const Shape& out, Case* c) {
  if (random.Chance(30)) c->mode = Mode::kNumpy;
  for (std::size_t i = 0; i + 1 < c->operands.size(); ++i) {
    CaseOperand& operand = c->operands[i];
    operand.first = random.Chance(60) ? 0 : static_cast<int>(random.Below(out.rank() + 1));
    operand.shape = Part(out, operand.first, out.rank() - operand.first);
    Stretch(random, &operand.shape);
  }
}

// One input has a single element for each row of the last dim.
void MakeColumnOperands(Random& random, const Shape& out, Case* c) {
  const int column = c->in_place ? 1 : static_cast<int>(random.Below(2));
  for (int i = 0; i < 2; ++i) c->operands[static_cast<std::size_t>(i)].shape = out;
  c->operands[static_cast<std::size_t>(column)].shape[out.rank() - 1] = 1;
}

}  // namespace

Case RandomCase(Random& random, const std::vector<CaseOp>& ops, std::int64_t budget) {
  Case c;
  c.op = random.Of(ops);
  const std::size_t inputs = c.op.inputs.size();
  c.operands.resize(inputs + 1);
  CaseOperand& out = c.operands.back();
  for (std::size_t i = 0; i < inputs; ++i) c.operands[i].dtype = c.op.inputs[i];
  out.dtype = c.op.output;
  out.shape = RandomShape(random, budget);
  const auto size_of = [](const CaseOperand& operand) { return static_cast<std::int64_t>(SizeOf(operand.dtype)); };
  const bool column = inputs == 2 && out.shape.rank() >= 2 && random.Chance(6);
  const auto view_of = [&](const CaseOperand& operand, bool may_overlap_itself) {
    if (column) return ViewSpec::Dense(operand.shape.rank());
    return RandomView(random, operand.shape.rank(), size_of(operand), may_overlap_itself);
  };
  out.view = view_of(out, false);
  out.in_outs_memory = true;
  out.at = random.Chance(15) ? random.Below(17) : size_of(out) * random.Below(9);

  const bool may_be_out = c.op.inputs[0] == c.op.output;
  c.in_place = may_be_out && random.Chance(10);
  if (column) {
    MakeColumnOperands(random, out.shape, &c);
  } else if (inputs == 2 && random.Chance(35)) {
    MakeAxisOperands(random, out.shape, &c);
  } else {
    MakeNumpyOperands(random, out.shape, &c);
  }
  const bool exact = c.in_place || (may_be_out && random.Chance(8));
  const Around around = out.around();
  for (std::size_t i = 0; i < inputs; ++i) {
    CaseOperand& operand = c.operands[i];
    if (i == 0 && exact) {
      if (c.in_place || operand.shape == out.shape) operand = out;
      continue;
    }
    operand.view = view_of(operand, true);
    operand.at = random.Chance(15) ? random.Below(17) : size_of(operand) * random.Below(9);
    if (!random.Chance(12)) continue;
    operand.in_outs_memory = true;
    operand.at = std::max<std::int64_t>(0, out.at + random.In(-64, around.before + around.behind));
    if (operand.shape == out.shape && operand.dtype == out.dtype && random.Chance(60)) {  // shifted, as x[1:] += x[:-1]
      operand.view = out.view;
      operand.at = out.at + size_of(out) * random.In(-std::min<std::int64_t>(3, out.at / size_of(out)), 3);
    }
  }

  c.plan = !c.in_place && random.Chance(50);
  c.max_threads = random.Of(std::vector<int>{0, 0, 1, 2, 3, 64});
  c.stores = random.Of(std::vector<StorePolicy>{StorePolicy::kAuto, StorePolicy::kCached, StorePolicy::kStream});
  c.threads = random.Of(std::vector<CaseThreads>{CaseThreads::kDefault, CaseThreads::kOwnArena, CaseThreads::kForeignPool});
  c.habit = static_cast<int>(random.Below(4));
  c.target = static_cast<int>(random.Below(16));
  c.data_seed = random.Bits();
  return c;
}

std::string ToText(const Case& c) {
  std::ostringstream text;
  const auto list = [&](const char* name, const Dims& dims) {
    text << " " << name << " [";
    for (int d = 0; d < dims.rank(); ++d) text << (d == 0 ? "" : ", ") << dims[d];
    text << "]";
  };
  text << c.op.name << (c.in_place ? "_ (in place)" : c.plan ? " (plan)" : "");
  if (c.mode) text << " mode " << kModes[static_cast<int>(*c.mode)].name;
  if (c.axis) text << " axis " << *c.axis;
  text << " max_threads " << c.max_threads << " stores " << static_cast<int>(c.stores) << " threads " << static_cast<int>(c.threads)
       << " habit " << c.habit << " target " << c.target << "\n";
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    const CaseOperand& operand = c.operands[i];
    text << "  " << (i + 1 == c.operands.size() ? "out" : "input ") << (i + 1 == c.operands.size() ? "" : std::to_string(i)) << " "
         << NameOf(operand.dtype);
    list("shape", operand.shape);
    list("byte strides", operand.strides());
    text << (operand.in_outs_memory ? ", lowest byte in out's memory at " : ", lowest byte in its memory at ") << operand.at
         << ", first facing dim " << operand.first << "\n";
  }
  return text.str();
}

namespace {

// Every way to make a case simpler by one step.
std::vector<Case> Simpler(const Case& c) {
  std::vector<Case> cases;
  const auto with = [&](auto change) {
    Case simpler = c;
    change(simpler);
    if (simpler.in_place) simpler.operands[0] = simpler.out();
    if (ToText(simpler) != ToText(c)) cases.push_back(simpler);
  };
  const Shape shape = c.out().shape;
  for (int d = 0; d < shape.rank(); ++d) {
    for (const std::int64_t extent : {std::int64_t{1}, shape[d] / 2, shape[d] - 1}) {
      if (extent < 1) continue;
      with([&](Case& simpler) {
        for (CaseOperand& operand : simpler.operands) {
          const int own = d - operand.first;
          if (own >= 0 && own < operand.shape.rank() && operand.shape[own] != 1) operand.shape[own] = extent;
        }
      });
    }
  }
  with([](Case& simpler) { simpler.threads = CaseThreads::kDefault; });
  with([](Case& simpler) { simpler.max_threads = 1; });
  with([](Case& simpler) { simpler.plan = false; });
  with([](Case& simpler) { simpler.target = simpler.habit = 0; });
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    const auto with_view = [&](auto change) { with([&](Case& simpler) { change(simpler.operands[i]); }); };
    const int rank = c.operands[i].shape.rank();
    const ViewSpec dense = ViewSpec::Dense(rank);
    with_view([&](CaseOperand& operand) { operand.view = dense; });
    with_view([&](CaseOperand& operand) { operand.view.order = dense.order; });
    with_view([&](CaseOperand& operand) { operand.view.gap = operand.view.stride_of_one = 0; });
    with_view([&](CaseOperand& operand) { operand.at = 0; });
    with_view([&](CaseOperand& operand) { operand.in_outs_memory = i + 1 == c.operands.size(); });
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
      with_view([&](CaseOperand& operand) { operand.view.step[d] = 1; });
      with_view([&](CaseOperand& operand) { operand.view.pad[d] = 0; });
      with_view([&](CaseOperand& operand) { operand.view.reversed[d] = false; });
      with_view([&](CaseOperand& operand) { operand.view.stretched[d] = false; });
    }
  }
  return cases;
}

}  // namespace

Case Shrink(Case failing, const std::function<bool(const Case&)>& fails) {
  for (bool shrunk = true; shrunk;) {
    shrunk = false;
    for (const Case& simpler : Simpler(failing)) {
      if (!fails(simpler)) continue;
      failing = simpler;
      shrunk = true;
      break;
    }
  }
  return failing;
}

}  // namespace axiscast::test
