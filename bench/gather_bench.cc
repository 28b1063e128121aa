// Speed of gather and scatter_add: along the last dim, along dim 0 by rows, and 1-d; random, sequential, sorted and all-equal
// indices. The roof of elements is a plain loop that does the same, on the same memory, after reading all of the index: an index
// out of range must be found before the first write. That of rows is the machine's for as many bytes one after the other, which
// rows in random order need not reach. Each result is compared with the loop's.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "axiscast/axiscast.h"
#include "bench/machine.h"
#include "bench/roof_kernels.h"
#include "bench/rows.h"
#include "bench/tables.h"
#include "bench/team.h"

namespace axiscast::bench {
namespace {

constexpr int kRepetitions = 3;
constexpr std::int64_t kQuickElements = 4096;

enum class Order { kRandom, kSequential, kSorted, kEqual };
constexpr const char* kOrderNames[] = {"random", "sequential", "sorted", "equal"};

// float32 [lines, extent, width] with an int64 index [lines, count] along dim 1, or [lines, count, width] where each element has
// its own; lines or width are 1 in most rows of the table.
struct Problem {
  std::int64_t lines, extent, count, width;
  bool of_elements;
  Order order;
  bool adds;
  std::int64_t Indices() const { return of_elements ? width : 1; }  // of a position
  bool MovesRows() const { return width > 1 && !of_elements; }
};

// What is chosen from or added to, what is moved behind it, and the index.
struct Memory {
  explicit Memory(std::int64_t data_floats, std::int64_t moved_floats)
      : floats(static_cast<std::size_t>(data_floats + moved_floats + 32)),
        data(floats.data() + (64 - reinterpret_cast<std::uintptr_t>(floats.data()) % 64) / sizeof(float)),
        moved(data + (data_floats + 15) / 16 * 16) {}
  std::vector<float> floats;
  float* data;   // [lines, extent, width]
  float* moved;  // [lines, count, width]
  std::vector<std::int64_t> index;
};

Memory MakeMemory(const Problem& p) {
  const std::int64_t data_floats = p.lines * p.extent * p.width, moved_floats = p.lines * p.count * p.width;
  Memory memory(data_floats, moved_floats);
  memory.index.resize(static_cast<std::size_t>(p.lines * p.count * p.Indices()));
  for (std::int64_t i = 0; i < data_floats; ++i) memory.data[i] = static_cast<float>(i % 1000);
  for (std::int64_t i = 0; i < moved_floats; ++i) memory.moved[i] = static_cast<float>(i % 7);
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < memory.index.size(); ++i) {
    const std::int64_t sequential = static_cast<std::int64_t>(i) / p.Indices() % p.count % p.extent;
    memory.index[i] = p.order == Order::kSequential ? sequential
                      : p.order == Order::kEqual    ? p.extent / 2
                                                    : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(p.extent));
  }
  if (p.order == Order::kSorted) {
    const std::int64_t line_indices = p.count * p.Indices();
    for (auto line = memory.index.begin(); line != memory.index.end(); line += line_indices) std::sort(line, line + line_indices);
  }
  return memory;
}

// What one writes without a library: lines [first, last), positions [begin, end).
struct Part {
  std::int64_t first, last, begin, end;
};
void PlainLoop(const Problem& p, const std::int64_t* index, float* data, float* moved, const Part& part) {
  for (std::int64_t line = part.first; line < part.last; ++line) {
    const std::int64_t* const chosen = index + line * p.count * p.Indices();
    float* const from = data + line * p.extent * p.width;
    float* const to = moved + line * p.count * p.width;
    if (p.width == 1 && p.adds) {
      for (std::int64_t i = part.begin; i < part.end; ++i) from[chosen[i]] += to[i];
    } else if (p.width == 1) {
      for (std::int64_t i = part.begin; i < part.end; ++i) to[i] = from[chosen[i]];
    } else if (p.of_elements) {
      for (std::int64_t i = part.begin; i < part.end; ++i) {
        for (std::int64_t c = 0; c < p.width; ++c) {
          if (p.adds) from[chosen[i * p.width + c] * p.width + c] += to[i * p.width + c];
          if (!p.adds) to[i * p.width + c] = from[chosen[i * p.width + c] * p.width + c];
        }
      }
    } else {
      for (std::int64_t i = part.begin; i < part.end; ++i) {
        for (std::int64_t c = 0; c < p.width; ++c) {
          if (p.adds) from[chosen[i] * p.width + c] += to[i * p.width + c];
          if (!p.adds) to[i * p.width + c] = from[chosen[i] * p.width + c];
        }
      }
    }
  }
}

// A thread's share: of the lines, else of the positions, which only a gather may share out.
bool ShareOf(const Problem& p, int thread, int threads, Part* part) {
  *part = {0, p.lines, 0, p.count};
  const auto cut = [&](std::int64_t* begin, std::int64_t* end, std::int64_t extent) {
    *begin = extent * thread / threads;
    *end = extent * (thread + 1) / threads;
    return true;
  };
  if (p.lines > 1) return cut(&part->first, &part->last, p.lines);
  if (!p.adds) return cut(&part->begin, &part->end, p.count);
  return thread == 0;
}

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "gather_bench: %s\n", what.c_str());
  std::exit(1);
}

Plan MakePlan(const Problem& p, Memory& memory) {
  const Shape shape = p.of_elements ? Shape{p.lines, p.count, p.width} : Shape{p.lines, p.count};
  const TensorView index(memory.index.data(), shape);
  const MutableTensorView data(memory.data, {p.lines, p.extent, p.width}), moved(memory.moved, {p.lines, p.count, p.width});
  PlanOptions options;
  options.attributes = {{"dim", 1}};
  Plan plan;
  const Status status = p.adds ? Plan::Make(*FindOp("scatter_add"), {data, index, moved}, data, options, &plan)
                               : Plan::Make(*FindOp("gather"), {data, index}, moved, options, &plan);
  if (!status.ok()) Fail(status.message());
  return plan;
}

void Execute(const Problem& p, const Plan& plan, Memory& memory, int threads) {
  ExecuteOptions options;
  options.max_threads = threads;
  const void* const inputs[] = {memory.data, memory.index.data(), memory.moved};
  const Status status = plan.Execute(inputs, p.adds ? memory.data : memory.moved, options);
  if (!status.ok()) Fail(status.message());
}

void Check(const Problem& p, int threads) {
  Memory memory = MakeMemory(p), expected = MakeMemory(p);
  Execute(p, MakePlan(p, memory), memory, threads);
  PlainLoop(p, expected.index.data(), expected.data, expected.moved, {0, p.lines, 0, p.count});
  const std::ptrdiff_t floats = memory.moved - memory.data + p.lines * p.count * p.width;
  if (!std::equal(memory.data, memory.data + floats, expected.data)) Fail("a result is not what a plain loop gives");
}

Sample Measure(const Problem& p, int threads, Team& team, Roof& roof, const Effort& effort) {
  Check(p, threads);
  Memory memory = MakeMemory(p);
  const Plan plan = MakePlan(p, memory);
  const Calls calls = [&](std::int64_t count) {
    for (; count > 0; --count) Execute(p, plan, memory, threads);
  };
  if (p.MovesRows()) {
    const std::int64_t bytes = p.count * p.width * 4, row = p.width * 4;
    const std::int64_t chosen = p.order == Order::kEqual ? row : bytes;
    const auto* data = reinterpret_cast<const std::byte*>(memory.data);
    auto* const out = reinterpret_cast<std::byte*>(p.adds ? memory.data : memory.moved);
    // Of equal indices the chosen row stays in a cache: what is moved is read alone.
    const Traffic traffic = !p.adds                    ? Traffic{data, bytes, out, bytes}
                            : p.order == Order::kEqual ? Traffic{data + bytes - row, bytes + row, out + bytes - row, chosen}
                                                       : Traffic{data, 2 * bytes, out, bytes};
    return MeasureBesideRoof(roof, traffic, threads, calls, effort);
  }
  const Calls loop = [&](std::int64_t count) {
    team.Run(threads, [&](int thread) {
      Part part;
      if (!ShareOf(p, thread, threads, &part)) return;
      const std::int64_t* const index = memory.index.data() + (part.first * p.count + part.begin) * p.Indices();
      const std::int64_t indices = ((part.last - part.first - 1) * p.count + part.end - part.begin) * p.Indices();
      for (std::int64_t pass = count; pass > 0; --pass) {
        ReadOnlyPasses()[0](reinterpret_cast<const std::byte*>(index), nullptr, nullptr, indices * 8, 0);
        PlainLoop(p, memory.index.data(), memory.data, memory.moved, part);
      }
    });
  };
  return MeasureBesideLoop(loop, threads, calls, effort);
}

constexpr ProgramText kText = {
    "gather_bench",
    "Speed of gather and scatter_add, against plain loops that do the same and against this machine's roof.\n"
    "  gather_bench                                         all rows, about two minutes\n"
    "  gather_bench --benchmark_filter='^scatter_add/1d'    some of them\n",
    nullptr};

struct Layout {
  const char* name;
  std::int64_t lines_of_all;  // of the elements of data, so many make a line; 0: one line
  std::int64_t width;
  bool of_elements = false;
};
constexpr Layout kLayouts[] = {{"last_dim", 1024, 1},
                               {"dim0_rows_8", 0, 8},
                               {"dim0_rows_64", 0, 64},
                               {"dim0_rows_1024", 0, 1024},
                               {"dim0_of_8", 0, 8, true},
                               {"dim0_of_64", 0, 64, true},
                               {"1d", 0, 1}};

int Main(int argc, char** argv) {
  const Arguments arguments = ReadArguments(argc, argv, kText);
  const int all_threads = ThisMachine().threads;
  Team team(all_threads);
  Roof roof(all_threads);
  std::vector<Row> rows;
  for (const bool adds : {false, true}) {
    for (const Layout& layout : kLayouts) {
      for (const Order order : {Order::kRandom, Order::kSequential, Order::kSorted, Order::kEqual}) {
        if (!adds && (order == Order::kSorted || order == Order::kEqual)) continue;
        if (adds && order == Order::kSequential) continue;
        for (const char* level : {"L2", "memory"}) {
          // Data, what is moved, and the index: as many positions as there are rows of data.
          const std::int64_t bytes_per_row = 2 * 4 * layout.width + 8 * (layout.of_elements ? layout.width : 1);
          const std::int64_t rows_of_all = std::max<std::int64_t>(
              arguments.quick ? kQuickElements / layout.width : ThisMachine().WorkingSet(level) / bytes_per_row, 1);
          const std::int64_t extent = layout.lines_of_all > 0 ? std::min(layout.lines_of_all, rows_of_all) : rows_of_all;
          const Problem p{rows_of_all / extent, extent, extent, layout.width, layout.of_elements, order, adds};
          for (const int threads : all_threads > 1 ? std::vector<int>{1, all_threads} : std::vector<int>{1}) {
            rows.push_back({std::string(adds ? "scatter_add/" : "gather/") + layout.name + "/" +
                                kOrderNames[static_cast<int>(order)] + "/" + level + "/threads:" + std::to_string(threads),
                            "(" + std::to_string(p.lines) + "," + std::to_string(p.extent) + "," + std::to_string(p.width) + ")",
                            layout.width > 1 && !layout.of_elements ? "bytes in order" : "a plain loop, the index read twice",
                            static_cast<double>(rows_of_all * bytes_per_row),
                            [p, threads, &team, &roof](const Effort& effort) { return Measure(p, threads, team, roof, effort); }});
          }
        }
      }
    }
  }
  const std::vector<Row> measured = RunRows(arguments, std::move(rows), kRepetitions);
  std::vector<const Row*> all;
  for (const Row& row : measured) all.push_back(&row);
  if (!measured.empty()) PrintStanding("gather and scatter_add", all);
  return 0;
}

}  // namespace
}  // namespace axiscast::bench

int main(int argc, char** argv) { return axiscast::bench::Main(argc, argv); }
