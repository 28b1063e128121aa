// Speed of every kernel of the registry, against this machine's roof: same-shape operands, one thread. A new op needs no line here.
//
//   op_bench                                              all rows, about two minutes; a summary at the end
//   op_bench --benchmark_filter='^(add|where)/'           some of them
//   op_bench --help                                       the rest
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "axiscast/axiscast.h"
#include "bench/machine.h"
#include "bench/rows.h"
#include "bench/tables.h"

namespace axiscast::bench {
namespace {

constexpr int kRepetitions = 3;
constexpr const char* kLevels[] = {"L2", "memory"};
// All rows of memory together shall not take long: their size is what just leaves the caches.
constexpr std::int64_t kMostMemory = std::int64_t{96} << 20;
constexpr std::int64_t kQuickBytes = 16 << 10;

std::string DTypesText(const OpInfo& info, const Kernel& kernel) {
  std::string text;
  for (int i = 0; i < info.arity; ++i) {
    if (i == 0 || kernel.inputs[i] != kernel.inputs[i - 1])
      text += (text.empty() ? "" : ",") + std::string(NameOf(kernel.inputs[i]));
  }
  return text;
}

std::int64_t BytesPerElement(const OpInfo& info, const Kernel& kernel) {
  std::int64_t bytes = static_cast<std::int64_t>(SizeOf(kernel.output));
  for (int i = 0; i < info.arity; ++i) bytes += static_cast<std::int64_t>(SizeOf(kernel.inputs[i]));
  return bytes;
}

Sample Measure(const Op& op, const Kernel& kernel, std::int64_t elements, Roof& roof, Arena& arena, const Effort& effort) {
  const Shape shape = {elements};
  std::vector<TensorView> inputs;
  std::vector<const void*> pointers;
  std::int64_t used = 0;
  for (int i = 0; i < op.arity(); ++i) {
    inputs.emplace_back(arena.data() + used, kernel.inputs[i], shape);
    pointers.push_back(inputs.back().data);
    used += (elements * static_cast<std::int64_t>(SizeOf(kernel.inputs[i])) + 63) / 64 * 64;
  }
  const MutableTensorView out(arena.second_half() + 320, kernel.output, shape);
  PlanOptions options;
  for (int a = 0; a < op.info().attribute_count; ++a) {
    if (op.info().attributes[a].absent == AttributeDefault::kRequired)
      options.attributes.emplace_back(op.info().attributes[a].name, 1);
  }
  ExecuteOptions execute;
  execute.max_threads = 1;
  Plan plan;
  Status status = Plan::Make(op, inputs.data(), inputs.size(), out, options, &plan);
  if (status.ok()) status = plan.Execute(pointers.data(), out.data, execute);
  if (!status.ok()) {
    std::fprintf(stderr, "op_bench: %s\n", status.message());
    std::exit(1);
  }
  const Traffic traffic{arena.data(), used, static_cast<std::byte*>(out.data),
                        elements * static_cast<std::int64_t>(SizeOf(kernel.output))};
  const Calls calls = [&](std::int64_t count) {
    for (; count > 0; --count) (void)plan.Execute(pointers.data(), out.data, execute);
  };
  return MeasureBesideRoof(roof, traffic, 1, calls, effort);
}

// The geometric mean of each op's dtypes is no use (a slow one hides); so the mean of all, and the slowest rows.
void PrintSummary(const std::vector<Row>& rows) {
  std::printf("\n");
  for (const char* level : kLevels) {
    std::vector<const Row*> of_level;
    for (const Row& row : rows) {
      if (row.name.ends_with(std::string("/") + level)) of_level.push_back(&row);
    }
    PrintStanding(level, of_level);
  }
}

constexpr ProgramText kText = {
    "op_bench",
    "Speed of every kernel of the registry, against this machine's roof: same-shape operands, one thread.\n"
    "  op_bench                                      all rows, about two minutes; a summary at the end\n"
    "  op_bench --benchmark_filter='^(add|where)/'   some of them\n",
    nullptr};

int Main(int argc, char** argv) {
  const Arguments arguments = ReadArguments(argc, argv, kText);
  const auto bytes_of = [&](const char* level) {
    return arguments.quick ? kQuickBytes : std::min(ThisMachine().WorkingSet(level), kMostMemory);
  };
  Arena arena(3 * bytes_of("memory") + (1 << 20));
  Roof roof(1);
  std::vector<Row> rows;
  for (const Op* op : Registry::BuiltIn().ops()) {
    if (!op->elementwise()) continue;
    for (const Kernel& kernel : op->kernels()) {
      for (const char* level : kLevels) {
        const std::int64_t bytes = bytes_of(level);
        const std::int64_t per_element = BytesPerElement(op->info(), kernel);
        const std::int64_t elements = bytes / per_element;
        rows.push_back({std::string(op->info().name) + "/" + DTypesText(op->info(), kernel) + "/" + level,
                        "(" + std::to_string(elements) + ")", "bytes", static_cast<double>(elements * per_element),
                        [op, &kernel, elements, &roof, &arena](const Effort& effort) {
                          return Measure(*op, kernel, elements, roof, arena, effort);
                        }});
      }
    }
  }
  const std::vector<Row> measured = RunRows(arguments, std::move(rows), kRepetitions);
  if (!measured.empty()) PrintSummary(measured);
  return 0;
}

}  // namespace
}  // namespace axiscast::bench

int main(int argc, char** argv) { return axiscast::bench::Main(argc, argv); }
