// Plans for declared patterns: made before shapes are known, they serve every shape that fits, without planning anew.
#ifndef AXISCAST_PATTERN_PLAN_H_
#define AXISCAST_PATTERN_PLAN_H_

#include <cstddef>
#include <initializer_list>
#include <memory>

#include "axiscast/plan.h"

#pragma GCC visibility push(default)  // exported by the shared library
namespace axiscast {

/// An op bound to dtypes and declared patterns (PlanOptions::patterns). Immutable; copies share it; any number of threads may
/// execute it at once.
///
///   using Call = DeclaredCall<MatrixPattern, RowPattern>;  // conflicts do not compile
///   PlanOptions options;
///   options.patterns = Call::kPatterns;
///   PatternPlan plan;
///   Status status = PatternPlan::Make(*FindOp("add"), {DType::kFloat32, DType::kFloat32}, options, &plan);
///   status = plan.Execute({{x, {2, 3}}, {row, {1, 3}}}, {out, {2, 3}});  // and for any other extents
class PatternPlan {
 public:
  /// An empty plan; executing it is an error.
  PatternPlan() noexcept = default;

  /// Makes a plan for out = op(inputs of these dtypes and patterns).
  ///
  /// Options: patterns, one for each input; attributes, caller and names as for Plan::Make; all are copied. Of diagnostics nothing
  ///   is told: patterns say what is meant.
  /// Errors: as Plan::Make; kUnsupported for an op that is more than elementwise. *plan is then untouched.
  /// Cost: some microseconds and allocations. Threads: any. Lifetime: the op's registry must outlive the plan.
  static Status Make(const Op& op, const DType* dtypes, std::size_t input_count, const PlanOptions& options,
                     PatternPlan* plan) noexcept;
  static Status Make(const Op& op, std::initializer_list<DType> dtypes, const PlanOptions& options, PatternPlan* plan) noexcept;

  /// Binds the plan to these views and runs it: the results, messages and codes of Apply with the same options.
  ///
  /// Shapes: each has its pattern's rank, 1 where it is B, its fixed extents; all other facing extents are equal.
  /// Dtypes: as planned, else kUnsupportedDType. Strides, aliasing, results: as Plan::Execute.
  /// Errors: as Plan::Make and Plan::Execute, before the first write.
  /// Cost: binding takes O(inputs * rank), 0.4 microseconds where all is contiguous, else 0.7 to 1.7, up to 11 more where many
  ///   vectors of one-byte elements are permuted, without allocation or lock (Apply keeps plans, and takes 40 ns for shapes that it
  ///   has seen). What is rare is planned anew, some microseconds: an error, an `out` of another shape than the result's (which is
  ///   stretched to it), and an input that shares memory with `out` and is not exactly it.
  /// Threads: safe to call concurrently on distinct outputs.
  Status Execute(const TensorView* inputs, std::size_t input_count, const MutableTensorView& out,
                 const ExecuteOptions& options = {}) const noexcept;
  Status Execute(std::initializer_list<TensorView> inputs, const MutableTensorView& out,
                 const ExecuteOptions& options = {}) const noexcept;

  bool empty() const noexcept { return impl_ == nullptr; }
  /// What the patterns say of the result.
  Pattern result() const noexcept;
  /// The dtype of the result.
  DType dtype() const noexcept;

  /// Implementation detail, complete in core/ only.
  struct [[gnu::visibility("hidden")]] Impl;

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace axiscast
#pragma GCC visibility pop

#endif  // AXISCAST_PATTERN_PLAN_H_
