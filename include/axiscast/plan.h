// Plans: everything that depends on shapes, dtypes and strides, worked out once; and Apply, which plans and executes in one call.
#ifndef AXISCAST_PLAN_H_
#define AXISCAST_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "axiscast/registry.h"
#include "axiscast/resolve.h"
#include "axiscast/status.h"
#include "axiscast/tensor.h"
#include "axiscast/thread_pool.h"

#pragma GCC visibility push(default)  // exported by the shared library
namespace axiscast {

/// The value of an attribute; a number is kept exactly until it is rounded to the dtype of the call.
struct Attribute {
  /// From any integer or floating-point number; true and false are 1 and 0.
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Attribute(const char* attribute_name, Number number) noexcept : name(attribute_name) {
    if constexpr (std::is_floating_point_v<Number>) {
      kind = Kind::kDouble;
      number_double = static_cast<double>(number);
    } else if constexpr (std::is_signed_v<Number>) {
      kind = Kind::kInt64;
      number_int64 = number;
    } else {
      kind = Kind::kUInt64;
      number_uint64 = number;
    }
  }

  /// A word, as in {"mode", "prefix"}; it must live until the call returns.
  Attribute(const char* attribute_name, const char* attribute_text) noexcept
      : name(attribute_name), kind(Kind::kName), text(attribute_text) {}
  /// Copies the shape; throws std::bad_alloc alone.
  Attribute(const char* attribute_name, const Shape& attribute_shape)
      : name(attribute_name), kind(Kind::kShape), number_uint64(0), shape(std::make_shared<const Shape>(attribute_shape)) {}

  enum class Kind : std::uint8_t { kDouble, kInt64, kUInt64, kName, kShape };
  const char* name;  // must live until the call returns
  Kind kind;
  union {
    double number_double;
    std::int64_t number_int64;
    std::uint64_t number_uint64;
    const char* text;
  };
  std::shared_ptr<const Shape> shape;  // of kShape
};

/// What a plan is made for, beside the op and the views.
struct PlanOptions {
  std::optional<Mode> mode;            // unset: kAxis when axis is set, else kNumpy
  std::optional<std::int64_t> axis;    // see ResolveOptions
  std::vector<Attribute> attributes;   // the op's; those that are absent have their defaults
  const char* caller = nullptr;        // what messages begin with; null: the op's name as it was looked up
  const char* const* names = nullptr;  // what messages call the inputs; null, or one of them: the op's own names
  Diagnostics diagnostics = {};        // told when the plan is made
  const Pattern* patterns = nullptr;   // kPattern: what is declared of each input; see ResolveOptions
};

/// How a result goes to memory. Results never depend on it.
enum class StorePolicy : std::uint8_t {
  kAuto,    // past the caches where the call's bytes are more than they hold
  kCached,  // into the caches: the result is read soon
  kStream,  // past the caches: nobody reads the result soon
};

/// How a call runs. Results never depend on it, nor on how many threads share it. None do where it takes less than 1.7 us by
/// estimate, or 3.2 on a pool; and where the others would save less than 12 us, only while threads have helped in some call of the
/// process in the last 80 us, or one stands by that helped in the caller's last one, or is on its way to this one. Calls that are
/// less than that apart try it in a 16th of the time, some milliseconds at most; those below 3.2 us where eight follow each other
/// by less than 2.3 us. Where those of a thread find others late, or far from its core, its next 125 run alone, and where one had
/// lost its CPU, 2000; twice as many each time that it comes again soon, up to 32000.
struct ExecuteOptions {
  int max_threads = 0;                         // 0: as many as the pool or arena has; 1: the calling thread alone
  const axiscast_thread_pool* pool = nullptr;  // the caller's own pool; null: oneTBB
  void* task_arena = nullptr;  // a tbb::task_arena* of the caller's; null: the current one. Beside a pool not looked at
  StorePolicy stores = StorePolicy::kAuto;  // kStream is heeded where there are several tiles with runs of 1 KB or more
};

/// PlanOptions and ExecuteOptions for the calls that plan and execute at once.
struct ApplyOptions {
  std::optional<Mode> mode;
  std::optional<std::int64_t> axis;
  std::vector<Attribute> attributes;
  int max_threads = 0;
  const axiscast_thread_pool* pool = nullptr;
  void* task_arena = nullptr;
  StorePolicy stores = StorePolicy::kAuto;
  const char* caller = nullptr;
  const char* const* names = nullptr;
  Diagnostics diagnostics = {};  // told by each call, which is then planned anew
  const Pattern* patterns = nullptr;
};

/// How a plan will run, for people and tools. Operand i is input i; the last one is the output.
struct PlanDescription {
  struct Operand {
    std::string name;
    DType dtype;
    std::vector<std::int64_t> byte_strides;  // over the canonical dims; 0 where it is stretched
    std::string delivery;                    // how it reaches the kernel: "streamed", "splat", "staged: pattern", ...
    std::int64_t unique_bytes;               // a stretched operand's bytes count once
  };
  struct Part {
    std::string name;     // "bytes", "arithmetic", "rows", "tiles", "staging", "transposing", "gathering", "call" or "check"
    double seconds;       // above 0
    std::string counted;  // of what it has so many: "12.0 KiB at 600 GB/s"
  };
  Shape shape;                        // of the result, before canonicalisation
  std::vector<std::int64_t> extents;  // canonical, outermost first
  std::vector<Operand> operands;
  std::int64_t tile_rows, tile_cols;  // elements
  std::int64_t tiles;                 // what threads share; a thread may run several that follow each other as one
  std::int64_t grain_tiles;           // tiles in the smallest piece of parallel work
  bool parallel;                      // threads may share it, a pool's from some 3 us on; false: runs in the calling thread,
                                      // whatever the options
  // "direct"; "direct, asked for ahead" (the lines that are written, and those read, unless so many threads share the call that
  // their own caches hold them); "streaming" (past the caches, unless in place, and short runs off a line); "through scratch"...
  std::string store;
  double estimated_seconds;  // one thread, an integer divisor's check with it
  std::vector<Part> parts;   // what estimated_seconds is the sum of
  bool divisible;            // whether ExecutePart takes more than one part
  std::uint32_t may_be_out;  // inputs (a bit each) that may be exactly the output without a copy
};

class Expression;

/// An op, or an expression of several, bound to shapes, dtypes and strides. Immutable; copies share it; any number of threads may
/// execute it at once.
class Plan {
 public:
  /// An empty plan; executing it is an error.
  Plan() noexcept = default;

  /// Makes a plan for out = op(inputs...). The views' data pointers are not looked at.
  ///
  /// Shapes: see Mode. The result may have fewer or smaller dims than `out`; it is then stretched to it. out itself never is.
  /// Dtypes: the op must have a kernel for the inputs' dtypes; out must have that kernel's output dtype.
  /// Strides: in bytes, any for inputs; `out` must not overlap itself.
  /// Errors: kInvalidShape, kUnsupportedDType, kInvalidArgument (attributes, number of inputs, an out that overlaps itself),
  ///   kOutOfRange (axis), kUnknownName (attribute), kOutOfMemory; *plan is then untouched.
  /// Cost: some microseconds and allocations; a process's first plan also asks the system for the sizes of the caches (100 us).
  /// Threads: any. Lifetime: the plan may outlive a registry of one's own; its kernels' code must stay loaded.
  static Status Make(const Op& op, const TensorView* inputs, std::size_t input_count, const MutableTensorView& out,
                     const PlanOptions& options, Plan* plan) noexcept;
  static Status Make(const Op& op, std::initializer_list<TensorView> inputs, const MutableTensorView& out,
                     const PlanOptions& options, Plan* plan) noexcept;

  /// Makes a plan for out = expression(inputs...); the inputs are in the order of Expression::input_name. Of an empty expression,
  /// or where something does not fit, an error.
  ///
  /// Shapes: the result is what all inputs broadcast to, each aligned right or at its axis, whatever ops read it; otherwise as
  ///   above, also for a larger `out`. Dtypes: each op must have a kernel for the dtypes of what it reads, as nothing is promoted;
  ///   out has the last op's dtype. Options: a mode other than kNumpy, an axis, attributes and patterns are refused, as the text
  ///   has them.
  /// Errors: as above, and kUnsupported (more operands or steps than one pass takes, or an op that looks at what another one
  ///   computes before it writes: an integer divisor must be an input or a number), kDivisionByZero (by the number 0). Messages
  ///   name the part of the text. *plan is then untouched. Cost: as above, for each op some tens of nanoseconds more.
  static Status Make(const Expression& expression, const TensorView* inputs, std::size_t input_count, const MutableTensorView& out,
                     const PlanOptions& options, Plan* plan) noexcept;
  static Status Make(const Expression& expression, std::initializer_list<TensorView> inputs, const MutableTensorView& out,
                     const PlanOptions& options, Plan* plan) noexcept;

  /// Runs the plan on memory of the planned shapes and strides; inputs[i] points at element [0, ..., 0] of input i.
  ///
  /// Aliasing: `out` may be exactly an input (same pointer, shape, strides). Any other overlap gives the result as if the inputs
  ///   had been copied first; the copy is taken from the heap, and only then does this call of an elementwise op allocate or plan
  ///   again. Gradients that are summed, and some of scatter, allocate for what is summed.
  /// Errors: kInvalidArgument (options; a null pointer with elements behind it), kDivisionByZero (an integer divisor is 0),
  ///   kOutOfRange (an index), kOutOfMemory (the copy); out is then untouched. Never throws.
  /// Results: the same bits for any thread count, pool, position and (for ops with max_ulp 0) target; only which NaN a NaN is, its
  ///   sign and payload, is not promised. Computed to nearest, with subnormals, without traps, whatever the caller's floating-point
  ///   mode, which stays as it is; exceptions' flags may be set.
  /// Cost: no allocation, lock or thread for small plans; larger ones run over tiles on up to max_threads threads, and a thread's
  ///   first one allocates, as it calls its helpers. Stack: up to 40 KB for elementwise ops, 100 KB for sums, gradients and
  ///   PatternPlan.
  Status Execute(const void* const* inputs, void* out, const ExecuteOptions& options = {}) const noexcept;
  Status Execute(std::initializer_list<const void*> inputs, void* out, const ExecuteOptions& options = {}) const noexcept;

  /// Runs part `part` of `parts` in the calling thread, for callers that split the work themselves: parts 0 to parts - 1, each
  /// called once with the same pointers, write disjoint elements, and together what Execute writes. They may run in any order, at
  /// once, in any threads; none waits for another.
  ///
  /// One part of one is the whole, and always runs. Errors: as Execute; kInvalidArgument (a part that there is not); kUnsupported
  ///   where one of several parts cannot go without the others: a plan that is not divisible (it looks at data before it writes, or
  ///   it is more than elementwise), or pointers for which an input would have to be copied first. Nothing is then written.
  Status ExecutePart(const void* const* inputs, void* out, std::int64_t part, std::int64_t parts,
                     StorePolicy stores = StorePolicy::kAuto) const noexcept;

  bool empty() const noexcept { return impl_ == nullptr; }
  /// The shape that is written: out's.
  Shape shape() const noexcept;
  /// Throws std::bad_alloc alone.
  PlanDescription Describe() const;

  /// Implementation detail, complete in core/ only.
  struct [[gnu::visibility("hidden")]] Impl;
  explicit Plan(std::shared_ptr<const Impl> impl) noexcept;

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Computes `out = op(inputs...)`, broadcasting as options.mode and options.axis say.
///
/// Shapes: in axis mode, say the operand of higher rank has R dims, the other S. The S dims face [axis, axis + S); axis -1 means
///   R - S (NumPy's rule). An axis without a mode means the axis mode. Facing dims must be equal, or one of them 1. Zero-sized dims
///   are allowed; then nothing is written.
/// Strides, aliasing, errors, results: as Plan::Make and Plan::Execute. On an error `out` is untouched.
/// Cost: each thread keeps the plans of its last calls, at most 64 of some 5 KB (10 with a permuted input), until it ends. A call
///   like one of them (same op, dtypes, shapes, strides, mode, axis, patterns, attributes, caller and names; any pointers, any
///   ExecuteOptions) costs 30 to 50 ns more than the plan's Execute, and neither allocates nor locks. Calls whose shapes and
///   strides are more than 128 numbers (three operands of 20 dims), or with long texts, are planned each time.
/// Threads: safe to call concurrently on distinct outputs; uses at most options.max_threads.
/// Source: Paddle `elementwise_*` (axis), NumPy broadcasting.
///
///   // Adds a per-channel bias to NCHW: [8, 64, 7, 7] + [64] along axis 1.
///   Status status = axiscast::Apply(*axiscast::FindOp("add"), {image, bias}, image, {.axis = 1});  // C++20 initialiser
Status Apply(const Op& op, std::initializer_list<TensorView> inputs, const MutableTensorView& out,
             const ApplyOptions& options = {}) noexcept;
Status Apply(const Op& op, const TensorView* inputs, std::size_t input_count, const MutableTensorView& out,
             const ApplyOptions& options) noexcept;

/// Computes `x = op(x, rest...)`: x takes part in the broadcast, and the result must have x's shape. Messages begin with the op's
/// name and "_", as in "add_". Otherwise as Apply.
Status ApplyInPlace(const Op& op, const MutableTensorView& x, std::initializer_list<TensorView> rest,
                    const ApplyOptions& options = {}) noexcept;

/// The shape and dtype that Apply would write for these inputs; data pointers are not looked at. Errors as Plan::Make.
Status InferOutput(const Op& op, const TensorView* inputs, std::size_t input_count, const PlanOptions& options, Shape* shape,
                   DType* dtype) noexcept;

}  // namespace axiscast
#pragma GCC visibility pop

#endif  // AXISCAST_PLAN_H_
