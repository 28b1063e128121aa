// The speed of every kernel of one's own ops, beside its own scalar meaning in a plain loop and beside a copy of as many bytes. In
// a program of one's own: int main(int argc, char** argv) { return axiscast::testing::BenchmarkMain(argc, argv, OwnOps()); }
#ifndef AXISCAST_KIT_TESTING_BENCHMARK_H_
#define AXISCAST_KIT_TESTING_BENCHMARK_H_

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "axiscast/kit/add_ops.h"
#include "axiscast/kit/testing/values.h"
#include "axiscast/plan.h"

namespace axiscast::testing {

// Operands of one kernel, same shape, whose elements are small positive numbers: nothing that a CPU takes longer for.
class BenchmarkCase {
 public:
  /// `bytes`: of all operands together.
  BenchmarkCase(const Op& op, const Kernel& kernel, std::int64_t bytes) : kernel_(kernel), attributes_() {
    std::int64_t per_element = static_cast<std::int64_t>(SizeOf(kernel.output));
    for (int i = 0; i < op.arity(); ++i) per_element += static_cast<std::int64_t>(SizeOf(kernel.inputs[i]));
    elements_ = std::max<std::int64_t>(1, bytes / per_element);
    bytes_ = elements_ * per_element;
    std::vector<TensorView> views;
    for (int i = 0; i < op.arity(); ++i) {
      inputs_.push_back(SmallNumbers(kernel.inputs[i]));
      views.emplace_back(inputs_.back().data(), kernel.inputs[i], Shape{elements_});
      pointers_.push_back(inputs_.back().data());
    }
    out_.resize(static_cast<std::size_t>(elements_) * SizeOf(kernel.output));
    copy_from_.resize(static_cast<std::size_t>(bytes_ / 2), std::byte{1});
    copy_to_.resize(copy_from_.size());
    PlanOptions options;
    for (int a = 0; a < op.info().attribute_count; ++a) {
      const AttributeInfo& attribute = op.info().attributes[a];
      const double value = attribute.absent == AttributeDefault::kValue ? attribute.value : 1;
      options.attributes.emplace_back(attribute.name, value);
      WithType(kernel.attributes, [&](auto slot) {
        slot = static_cast<decltype(slot)>(value);
        std::memcpy(attributes_[a].bytes, &slot, sizeof(slot));
      });
    }
    status_ = Plan::Make(op, views.data(), views.size(), {out_.data(), kernel.output, Shape{elements_}}, options, &plan_);
    if (status_.ok()) status_ = plan_.Execute(pointers_.data(), out_.data(), {});
  }

  const Status& status() const { return status_; }
  std::int64_t elements() const { return elements_; }
  std::int64_t bytes() const { return bytes_; }

  // One call of the op, in this thread alone.
  void Call() {
    ExecuteOptions options;
    options.max_threads = 1;
    static_cast<void>(plan_.Execute(pointers_.data(), out_.data(), options));
  }
  // The same by the op's Scalar, element by element.
  void Scalar() {
    Tile tile = {};
    tile.rows = 1;
    tile.cols = elements_;
    tile.attributes = attributes_;
    kernel_.reference(tile, pointers_.data(), out_.data());
  }
  // Reads and writes as many bytes.
  void Copy() {
    std::memcpy(copy_to_.data(), copy_from_.data(), copy_from_.size());
    asm volatile("" : : "r"(copy_to_.data()) : "memory");  // it is looked at
  }

 private:
  std::vector<std::byte> SmallNumbers(DType dtype) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(elements_) * SizeOf(dtype));
    WithType(dtype, [&](auto value) {
      for (std::int64_t i = 0; i < elements_; ++i) {
        value = static_cast<decltype(value)>(1 + i % 23);
        std::memcpy(bytes.data() + i * static_cast<std::int64_t>(sizeof(value)), &value, sizeof(value));
      }
    });
    return bytes;
  }

  const Kernel& kernel_;
  std::int64_t elements_ = 0, bytes_ = 0;
  std::vector<std::vector<std::byte>> inputs_;
  std::vector<const void*> pointers_;
  std::vector<std::byte> out_, copy_from_, copy_to_;
  AttributeSlot attributes_[kMaxAttributes];
  Plan plan_;
  Status status_;
};

// This thread's own clock, which stands still while the system runs somebody else on its CPU.
inline double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Seconds of one call of f: of so many in a row that they take at least `seconds`.
template <class F>
double SecondsOf(double seconds, const F& f) {
  for (std::int64_t calls = 1;; calls *= 2) {
    const double begin = ThreadSeconds();
    for (std::int64_t i = 0; i < calls; ++i) f();
    const double taken = ThreadSeconds() - begin;
    if (taken >= seconds) return taken / static_cast<double>(calls);
  }
}

/// Prints, for every op, dtype and level of memory, what a call takes in one thread, for the best target of this CPU: by turns with
/// the scalar loop and the copy, medians of some rounds. `--quick` takes one short round of each, to see that it runs. Returns what
/// main should.
inline int BenchmarkMain(int argc, char** argv, const std::vector<TargetOps>& all) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  if (argc > 2 || (argc == 2 && !quick) || all.empty()) return std::fprintf(stderr, "usage: %s [--quick]\n", argv[0]), 2;
  RegistryBuilder builder(Registry::BuiltIn());
  if (const Status status = AddOps(all, all.front().target, &builder); !status.ok())
    return std::fprintf(stderr, "%s\n", status.message()), 1;
  const Registry registry = builder.Build();
  std::printf("target %s, one thread; medians\n%-44s %12s %10s %10s %10s\n", all.front().target, "op/dtypes/bytes", "ns", "GB/s",
              "x scalar", "% of copy");
  for (const OpDefinition& definition : all.front().ops) {
    const Op& op = *registry.Find(definition.info.name);
    for (const Kernel& kernel : op.kernels()) {
      for (const auto& [level, bytes] : {std::pair("16K", 1 << 14), std::pair("256K", 1 << 18), std::pair("64M", 1 << 26)}) {
        if (quick && bytes > 1 << 14) continue;
        BenchmarkCase measured(op, kernel, bytes);
        if (!measured.status().ok()) return std::fprintf(stderr, "%s\n", measured.status().message()), 1;
        std::vector<double> calls, scalars, copies;
        for (int round = 0; round < (quick ? 1 : 7); ++round) {
          const double seconds = quick ? 1e-6 : 500e-6;
          calls.push_back(SecondsOf(seconds, [&] { measured.Call(); }));
          scalars.push_back(SecondsOf(seconds, [&] { measured.Scalar(); }));
          copies.push_back(SecondsOf(seconds, [&] { measured.Copy(); }));
        }
        for (std::vector<double>* times : {&calls, &scalars, &copies}) std::sort(times->begin(), times->end());
        const std::size_t median = calls.size() / 2;
        std::string name = std::string(definition.info.name) + "/";
        for (int i = 0; i < op.arity(); ++i) {
          if (i == 0 || kernel.inputs[i] != kernel.inputs[i - 1]) name.append(i == 0 ? "" : ",").append(NameOf(kernel.inputs[i]));
        }
        std::printf("%-44s %12.0f %10.1f %10.1f %10.0f\n", (name + "/" + level).c_str(), 1e9 * calls[median],
                    1e-9 * static_cast<double>(measured.bytes()) / calls[median], scalars[median] / calls[median],
                    100 * copies[median] / calls[median]);
      }
    }
  }
  return 0;
}

}  // namespace axiscast::testing

#endif  // AXISCAST_KIT_TESTING_BENCHMARK_H_
