// The functions of functions.h: ops by name, with their attributes.
#include "axiscast/functions.h"

#include <new>
#include <string>
#include <utility>
#include <vector>

#include "axiscast/registry.h"

namespace axiscast {
namespace {

// Looks the op up and calls it; `fill` sets the attributes, and says what is wrong with them.
template <class Fill>
Status ApplyNamed(std::string_view name, const std::initializer_list<TensorView>& inputs, const MutableTensorView& out,
                  const Fill& fill) noexcept try {
  const Op* op = nullptr;
  if (const Status status = Registry::BuiltIn().Find(name, &op); !status.ok()) return status;
  ApplyOptions options;
  if (const Status status = fill(&options); !status.ok()) return status;
  return Apply(*op, inputs, out, options);
} catch (const std::bad_alloc&) {
  return Status(StatusCode::kOutOfMemory, "out of memory");
}

constexpr const char* kModes[] = {"broadcast", "prefix", "same_rank"};
constexpr const char* kReductions[] = {"assign", "add", "mul", "mean", "amin", "amax"};

// Whether a number is an enum's, of which each value has a name.
template <std::size_t n>
Status CheckValue(const char* op, const char* what, std::size_t value, const char* const (&)[n]) {
  if (value < n) return Status();
  return Status(StatusCode::kInvalidArgument, std::string(op) + ": " + what + " must be a value of its enum, 0 to " +
                                                  std::to_string(n - 1) + "; got " + std::to_string(value));
}

Status SetIndexOptions(const char* op, const IndexOptions& from, std::int64_t dim, ApplyOptions* to) {
  if (const Status status = CheckValue(op, "the mode", static_cast<std::size_t>(from.mode), kModes); !status.ok()) return status;
  to->attributes = {{"dim", dim}, {"mode", kModes[static_cast<std::size_t>(from.mode)]}, {"wrap_negative", from.wrap_negative}};
  to->max_threads = from.max_threads;
  to->pool = from.pool;
  to->task_arena = from.task_arena;
  return Status();
}

}  // namespace

Status Gather(const TensorView& input, const TensorView& index, std::int64_t dim, const MutableTensorView& out,
              const IndexOptions& options) noexcept {
  return ApplyNamed("gather", {input, index}, out, [&](ApplyOptions* to) { return SetIndexOptions("gather", options, dim, to); });
}

Status Scatter(const TensorView& self, const TensorView& index, const TensorView& src, std::int64_t dim, ScatterReduce reduce,
               const MutableTensorView& out, const IndexOptions& options) noexcept {
  return ApplyNamed("scatter", {self, index, src}, out, [&](ApplyOptions* to) {
    if (const Status status = SetIndexOptions("scatter", options, dim, to); !status.ok()) return status;
    const auto index_of_reduce = static_cast<std::size_t>(reduce);
    if (const Status status = CheckValue("scatter", "reduce", index_of_reduce, kReductions); !status.ok()) return status;
    to->attributes.push_back({"reduce", kReductions[index_of_reduce]});
    to->attributes.push_back({"include_self", options.include_self});
    return Status();
  });
}

Status ScatterAdd(const TensorView& self, const TensorView& index, const TensorView& src, std::int64_t dim,
                  const MutableTensorView& out, const IndexOptions& options) noexcept {
  return ApplyNamed("scatter_add", {self, index, src}, out,
                    [&](ApplyOptions* to) { return SetIndexOptions("scatter_add", options, dim, to); });
}

Status SumTo(const TensorView& x, const MutableTensorView& out, std::optional<std::int64_t> axis) noexcept {
  return ApplyNamed("sum_to", {x}, out, [&](ApplyOptions* to) {
    to->attributes = {{"shape", out.shape}};
    to->axis = axis;
    return Status();
  });
}

Status ApplyGradient(const char* op, std::initializer_list<TensorView> inputs, const TensorView& dout, int wrt,
                     const MutableTensorView& out, std::optional<std::int64_t> axis,
                     std::initializer_list<Attribute> attributes) noexcept try {
  if (op == nullptr) return Status(StatusCode::kInvalidArgument, "gradient: the name of the op is null");
  const Op* gradient = nullptr;
  if (const Status status = Registry::BuiltIn().Find(std::string(op) + "_grad", &gradient); !status.ok()) return status;
  std::vector<TensorView> all(inputs);
  all.push_back(dout);
  ApplyOptions options;
  options.axis = axis;
  options.attributes = attributes;
  options.attributes.push_back({"wrt", wrt});
  return Apply(*gradient, all.data(), all.size(), out, options);
} catch (const std::bad_alloc&) {
  return Status(StatusCode::kOutOfMemory, "out of memory");
}

}  // namespace axiscast
