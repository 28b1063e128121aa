// Functions for the ops that are more than elementwise: gather, scatter, sums, gradients. Each is Apply of the op of its name;
// BroadcastTo (resolve.h) stretches without a copy.
#ifndef AXISCAST_FUNCTIONS_H_
#define AXISCAST_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "axiscast/plan.h"

#pragma GCC visibility push(default)  // exported by the shared library
namespace axiscast {

/// How an index faces the data that it chooses from.
enum class IndexMode : std::uint8_t {
  kBroadcast,  // aligned left: dims of the index and of the data are equal or 1, but for `dim`; the index may have fewer
  kPrefix,     // equal ranks; dims of the index are at most the data's, but for `dim`; nothing is stretched (torch.gather, ONNX)
  kSameRank,   // equal ranks; dims are equal or 1, but for `dim` (NumPy's and Paddle's take_along_axis)
};

/// How values that an index puts into one place are combined, in increasing position; kAssign: the last one wins.
enum class ScatterReduce : std::uint8_t { kAssign, kAdd, kMultiply, kMean, kAmin, kAmax };

struct IndexOptions {
  IndexMode mode = IndexMode::kBroadcast;
  bool wrap_negative = false;  // a negative index counts from the end
  bool include_self = true;    // Scatter: a reduction begins with the value that is there
  int max_threads = 0;         // as in ExecuteOptions
  const axiscast_thread_pool* pool = nullptr;
  void* task_arena = nullptr;
};

/// out[..., i, ...] = input[..., index[..., i, ...], ...] along dim `dim` of the index.
///
/// Shapes: see IndexMode. out has the shape of the index, stretched as the mode says, and then input's further dims; it is not
///   stretched. InferOutput of the op "gather" tells it.
/// Dtypes: any of input, and the same of out; index int32 or int64.
/// Errors: kOutOfRange (an index, with its position; dim), kInvalidShape, kUnsupportedDType, kInvalidArgument, kOutOfMemory. All of
///   the index is looked at before the first write: on an error out is untouched.
/// Aliasing: out may overlap input or index in any way; they are then copied first.
/// Threads, strides, cost of planning: as Apply. The time is that of reading the index twice, and of what is moved once.
/// Source: torch.gather, NumPy take_along_axis and take, Paddle take_along_axis, ONNX GatherElements.
///
///   // Rows 2 and 0 of a table: [3, 4], index [2] -> [2, 4].
///   Status status = Gather(table, rows, 0, out);
Status Gather(const TensorView& input, const TensorView& index, std::int64_t dim, const MutableTensorView& out,
              const IndexOptions& options = {}) noexcept;

/// out = self; out[..., index[..., i, ...], ...] = src[..., i, ...], or combined with it as `reduce` says.
///
/// Shapes: of self, index and src as Gather's input, index and out; src may also be 0-d. out has self's shape.
/// Dtypes: self, src and out the same; index int32 or int64. bool is only assigned.
/// Aliasing: in place where out is self, which nothing copies. Otherwise as Gather; errors, threads and cost too.
/// Results: the same bits for any number of threads. 16-bit floats are rounded once.
/// Source: torch.scatter and scatter_reduce, NumPy put_along_axis, Paddle put_along_axis, ONNX ScatterElements.
Status Scatter(const TensorView& self, const TensorView& index, const TensorView& src, std::int64_t dim, ScatterReduce reduce,
               const MutableTensorView& out, const IndexOptions& options = {}) noexcept;

/// Scatter with ScatterReduce::kAdd: the gradient of Gather with respect to its input, where self is zeros and src the result's.
Status ScatterAdd(const TensorView& self, const TensorView& index, const TensorView& src, std::int64_t dim,
                  const MutableTensorView& out, const IndexOptions& options = {}) noexcept;

/// out = x summed over the dims that out's shape, broadcast to x's, would be stretched along: the adjoint of BroadcastTo.
///
/// Shapes: out's must broadcast to x's without stretching it; `axis` anchors it, as in Apply. No summands give 0.
/// Dtypes: any but bool, kept; integers wrap, 16-bit floats are summed as float32 and rounded once.
/// Results: a fixed tree of additions, so the same bits for any threads, strides and target; at most 2.5 log2(n) roundings.
/// Errors, aliasing, threads: as Apply. Source: torch.Tensor.sum_to_size, JAX's unbroadcast.
Status SumTo(const TensorView& x, const MutableTensorView& out, std::optional<std::int64_t> axis = {}) noexcept;

/// out = the gradient of op(inputs...) with respect to input `wrt`, given dout, that of the result: summed to the input's shape.
///
/// op: the forward op's name, as in "multiply", of Registry::BuiltIn(); `axiscast ops multiply` says what its gradient is,
///   Registry::Find of "multiply_grad" whether there is one. Own ops' gradients are in their registry by such names, for Apply.
///   attributes are the forward op's.
/// Shapes: dout has the forward result's, out that of input wrt. Dtypes: floats, all the same (conditions are bool).
/// Errors: kUnknownName (no such op), kUnsupported (no gradient), kInvalidArgument (wrt), and those of Apply.
/// Memory: what is summed is computed in pieces that stay in cache, or else in a temporary of dout's size.
Status ApplyGradient(const char* op, std::initializer_list<TensorView> inputs, const TensorView& dout, int wrt,
                     const MutableTensorView& out, std::optional<std::int64_t> axis = {},
                     std::initializer_list<Attribute> attributes = {}) noexcept;

}  // namespace axiscast
#pragma GCC visibility pop

#endif  // AXISCAST_FUNCTIONS_H_
