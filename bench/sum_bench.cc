// Speed of sum_to beside this machine's roof for reading: channels, columns, rows, everything, mixed masks. In near caches the
// roof of float16 is its conversion.
// sum_bench --help says how it is used.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "bench/call.h"
#include "bench/machine.h"
#include "bench/rows.h"
#include "bench/tables.h"

namespace axiscast::bench {
namespace {

constexpr int kRepetitions = 1;  // of rounds that are medians already
constexpr const char* kDTypesOfRows[] = {"float32", "float16", "int8"};

struct SumPattern {
  const char* name;
  Shape x;  // with a free extent
  Shape shape;
  std::optional<std::int64_t> axis = {};
};

const SumPattern kSumPatterns[] = {
    {"channels_56x56", {kFree, 64, 56, 56}, {64}, 1},
    {"channels_7x7", {kFree, 64, 7, 7}, {64}, 1},
    {"columns_3", {kFree, 3}, {3}},
    {"columns_64", {kFree, 64}, {64}},
    {"columns_1024", {kFree, 1024}, {1024}},
    {"rows_64", {kFree, 64}, {kFree, 1}},
    {"rows_1000", {kFree, 1000}, {kFree, 1}},
    {"scalar", {kFree}, {}},
    {"mixed", {kFree, 12, 64, 32}, {12, 1, 32}},
};

constexpr ProgramText kText = {"sum_bench",
                               "Speed of sum_to beside this machine's roof for reading, on one thread and on all.\n"
                               "  sum_bench                                       all rows, about two minutes\n"
                               "  sum_bench --benchmark_filter='^columns.*/L2'    some of them\n"
                               "  sum_bench --compare ../other/build/release      beside another build, by turns\n",
                               nullptr};

Shape WithFree(Shape shape, std::int64_t extent) {
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] == kFree) shape[d] = extent;
  }
  return shape;
}

std::int64_t Elements(const Shape& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  return elements;
}

double ValueOf(DType dtype, const std::byte* from) {
  if (dtype == DType::kInt8) return static_cast<double>(static_cast<std::int8_t>(*from));
  if (dtype == DType::kFloat16) {
    Float16 value;
    std::memcpy(&value, from, sizeof(value));
    return static_cast<double>(static_cast<float>(value));
  }
  float value;
  std::memcpy(&value, from, sizeof(value));
  return static_cast<double>(value);
}

// A wrong result can be fast: the sum of the sums must be that of x. That of int8 wraps.
void Check(const TensorView& x, const MutableTensorView& out, const char* name) {
  double sums[2] = {0, 0};
  const std::int64_t counts[] = {Elements(x.shape), Elements(out.shape)}, size = static_cast<std::int64_t>(SizeOf(x.dtype));
  const void* const data[] = {x.data, out.data};
  for (int i = 0; i < 2; ++i) {
    for (std::int64_t e = 0; e < counts[i]; ++e) sums[i] += ValueOf(x.dtype, static_cast<const std::byte*>(data[i]) + e * size);
  }
  const double difference = std::abs(sums[0] - sums[1]);
  const bool right =
      x.dtype == DType::kInt8 ? std::fmod(difference, 256) == 0 : difference <= 1e-3 * sums[0] || std::isinf(sums[1]);
  if (!right) Fail(std::string(name) + ": the sum of sums is " + std::to_string(sums[1]) + ", not " + std::to_string(sums[0]));
}

void AddRow(const SumPattern& pattern, DType dtype, const char* level, int threads, bool quick, Roof& roof, Arena& arena,
            std::vector<Row>& rows) {
  const std::int64_t bytes = quick ? 16 << 10 : ThisMachine().WorkingSet(level), size = static_cast<std::int64_t>(SizeOf(dtype));
  const std::int64_t each = Elements(WithFree(pattern.x, 1)) * size, extent = std::max<std::int64_t>(bytes / each, 1);
  const TensorView x(arena.data(), dtype, WithFree(pattern.x, extent));
  const MutableTensorView out(arena.second_half() + 320, dtype, WithFree(pattern.shape, extent));
  const std::int64_t read = extent * each, written = Elements(out.shape) * size;
  Traffic traffic{arena.data(), read, static_cast<std::byte*>(out.data), 50 * written > read ? written : 0};
  if (dtype == DType::kFloat16) traffic.arithmetic = Arithmetic::kSumFloat16, traffic.elements = read / size;
  const auto measure = [=, &roof, name = pattern.name, axis = pattern.axis](const Effort& effort) {
    PlanOptions options;
    options.axis = axis;
    options.attributes = {{"shape", out.shape}};
    Plan plan;
    ExecuteOptions execute;
    execute.max_threads = threads;
    const auto require = [](const Status& status) {
      if (!status.ok()) Fail(status.message());
    };
    require(Plan::Make(*FindOp("sum_to"), {x}, out, options, &plan));
    const Calls calls = [&](std::int64_t count) {
      for (; count > 0; --count) require(plan.Execute({x.data}, out.data, execute));
    };
    calls(1);
    if (read <= 16 << 20) Check(x, out, name);
    Sample sample = MeasureBesideRoof(roof, traffic, threads, calls, effort);
    if (threads == 1) sample.estimate = plan.Describe().estimated_seconds;
    return sample;
  };
  rows.push_back({std::string(pattern.name) + "_" + NameOf(dtype) + "/" + level + "/threads:" + std::to_string(threads),
                  std::string("sum_to ") + std::to_string(extent) + " x " + std::to_string(each / size) + " elements", "bytes",
                  static_cast<double>(read + written), measure});
}

int Main(int argc, char** argv) {
  const Arguments arguments = ReadArguments(argc, argv, kText);
  const std::int64_t memory = arguments.quick ? 1 << 20 : ThisMachine().WorkingSet("memory");
  Arena arena(2 * memory + (1 << 20));
  const int threads = ThisMachine().threads;
  Roof roof(threads);
  std::vector<Row> rows;
  for (const SumPattern& pattern : kSumPatterns) {
    for (const char* name : kDTypesOfRows) {
      DType dtype = DType::kFloat32;
      (void)FindDType(name, &dtype);
      for (const char* level : {"L2", "memory"}) {
        for (const int count : threads > 1 ? std::vector<int>{1, threads} : std::vector<int>{1})
          AddRow(pattern, dtype, level, count, arguments.quick, roof, arena, rows);
      }
    }
  }
  const std::vector<Row> measured = RunRows(arguments, std::move(rows), kRepetitions);
  if (measured.empty()) return 0;
  std::printf("\n");
  std::vector<const Row*> all;
  for (const Row& row : measured) all.push_back(&row);
  PrintStanding("sums", all);
  PrintEstimates(measured);
  return 0;
}

}  // namespace
}  // namespace axiscast::bench

int main(int argc, char** argv) { return axiscast::bench::Main(argc, argv); }
