// Expressions: elementwise ops one after the other over the same elements, in one pass over memory.
#ifndef AXISCAST_EXPRESSION_H_
#define AXISCAST_EXPRESSION_H_

#include <cstddef>
#include <memory>
#include <string_view>

#include "axiscast/plan.h"
#include "axiscast/registry.h"
#include "axiscast/status.h"
#include "axiscast/tensor.h"

#pragma GCC visibility push(default)  // exported by the shared library
namespace axiscast {

/// Calls of elementwise ops, nested, as a plan computes them in one pass: each input is read once and the result written once, and
/// what is between stays in the nearest cache. Immutable; copies share it; any number of threads may make plans of it at once.
///
///   // A scale and a bias per channel of NCHW, the sum with a tensor of its shape, and a ReLU.
///   Expression expression;
///   const char* const text = "maximum(add(add(multiply(x, scale@1), bias@1), skip), 0)";
///   Status status = Expression::Parse(text, Registry::BuiltIn(), &expression);
///   if (status.ok()) status = Plan::Make(expression, {x, scale, bias, skip}, out, {}, &plan);
///   // Then plan.Execute, as every plan.
///
/// Results: the bits that the ops give when they are called one after the other with dense results between them: every op
///   rounds to its dtype, float16 and bfloat16 too.
/// Source: NumPy broadcasting of any number of operands; Paddle's `axis` for each input.
class Expression {
 public:
  /// An empty expression; making a plan of it is an error.
  Expression() noexcept = default;

  /// Reads `OP(ARGUMENT, ..., NAME=NUMBER, ...)`. OP is an elementwise op of the registry, by any of its names; NAME=NUMBER are its
  /// attributes, as in `clip(x, min=0, max=6)`. An argument is
  /// - another such call;
  /// - an input, by a name of letters, digits and _ that does not begin with a digit. Its dims align right with the result's or,
  ///   with an axis behind the name as in `bias@1`, face [axis, axis + rank) of them; @-1 aligns right. Either side stretches, and
  ///   trailing 1s may hang over, as in mode kAxis. An input that occurs several times has the same axis everywhere;
  /// - a number, as in `multiply(x, -0.5)`, also inf and nan: an element of the dtype of the inputs beside it. It is
  ///   read as an int64 or a uint64 where it is one, else as the nearest float64, and then rounded to that dtype.
  ///
  /// Errors: kInvalidArgument (a text that cannot be read, a wrong number of inputs, attributes), kUnknownName (ops, near names
  ///   first, and attributes), kUnsupported (ops that are more than elementwise; more than one pass takes: 32 calls, and 32
  ///   operands with numbers and the result), kOutOfMemory. Messages name the place. *expression is then untouched.
  /// Lifetime: the registry must outlive the expression; a plan of it may outlive both. Cost: some microseconds. Threads: any.
  static Status Parse(std::string_view text, const Registry& registry, Expression* expression) noexcept;

  bool empty() const noexcept { return impl_ == nullptr; }
  /// The text that was read; "" when empty. Lives as long as any copy of this expression, as do names.
  const char* text() const noexcept;
  /// Inputs in the order in which they first occur in the text. A name is null for what is no number of an input.
  int input_count() const noexcept;
  const char* input_name(int i) const noexcept;

  /// Implementation detail, complete in core/ only.
  struct [[gnu::visibility("hidden")]] Impl;
  const Impl* impl() const noexcept { return impl_.get(); }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// The shape and dtype of the result for these inputs; data pointers are not looked at. Errors as Plan::Make.
Status InferOutput(const Expression& expression, const TensorView* inputs, std::size_t input_count, const PlanOptions& options,
                   Shape* shape, DType* dtype) noexcept;

}  // namespace axiscast
#pragma GCC visibility pop

#endif  // AXISCAST_EXPRESSION_H_
