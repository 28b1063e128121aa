// Paddle's CPU kernels replaced by axiscast's. To load the library is all: import paddle; ctypes.CDLL("libaxiscast_paddle.so").
// Here are the functions that Paddle calls; kernels.h says which of its kernels they replace, call.cc how they call our ops, and
// load.cc puts them in.
#include "paddle/paddle.h"

#include <string>
#include <utility>
#include <vector>

#include "paddle/call.h"
#include "paddle/phi/common/int_array.h"
#include "paddle/phi/common/scalar.h"

namespace axiscast_paddle {

Replacement replacements[kRowCount];

namespace {

using phi::CPUContext;
using phi::DataType;
using phi::DenseTensor;

using In = const DenseTensor&;
using Out = DenseTensor*;
using Number = const phi::Scalar&;
using MaybeIn = const paddle::optional<DenseTensor>&;
using Dims = const phi::IntArray&;
using Extents = const std::vector<std::int64_t>&;
using Inputs = std::initializer_list<const DenseTensor*>;

// Paddle's own kernel, which takes the same.
template <typename... Args>
void Paddle(int row, DataType dtype, const CPUContext& context, Args... args) {
  const int number = DTypeOf(dtype);
  void* function = number < 0 ? nullptr : replacements[row].paddle[number];
  if (function == nullptr) Throw(common::errors::NotFound("Paddle has no kernel %s for this dtype", kRows[row].kernel));
  reinterpret_cast<void (*)(const phi::DeviceContext&, Args...)>(function)(context, args...);
}

void AtAxis(int row, const CPUContext& context, In x, In y, int axis, Out out) {
  if (axis == -1) return Execute(row, context, {&x, &y}, out);
  Options options(row);
  options.Axis(axis);
  if (replacements[row].to_bool) CheckShape(x, y, *out, options.get());
  Execute(row, context, {&x, &y}, out, options.get());
}

// The gradient for input `wrt`; dout comes last of the inputs. Paddle does not ask for all.
void Gradient(int row, const CPUContext& context, Inputs inputs, int wrt, Out out, int axis = -1) {
  if (out == nullptr) return;
  const DenseTensor& dout = **(inputs.end() - 1);
  if (PassesOn(kRows[row], wrt) && out->dims() == dout.dims() && context.Alloc(out, dout.dtype()) == dout.data()) {
    calls.fetch_add(1, std::memory_order_relaxed);  // Paddle has given dx the memory of dout
    return;
  }
  Options options(row);
  options.Axis(axis);
  options.Integer("wrt", wrt);
  Execute(row, context, inputs, out, options.get());
}

// Of two gradients the second is computed first: Paddle may have put dx into dout's memory. Memory is taken in Paddle's own order:
// dy above dx keeps the heap from giving dx's pages back at every call.
void Gradients(int row, const CPUContext& context, Inputs inputs, int first, Out dx, Out dy, int axis = -1) {
  const DataType dtype = (*(inputs.end() - 1))->dtype();
  if (dx != nullptr) context.Alloc(dx, dtype);
  if (dy != nullptr) context.Alloc(dy, dtype);
  Gradient(row, context, inputs, first + 1, dy, axis);
  Gradient(row, context, inputs, first, dx, axis);
}

// As Paddle reads a bound: in the tensor's own dtype.
void Bound(const char* name, Number bound, DataType dtype, Options* options) {
  switch (dtype) {
    case DataType::INT32:
      return options->Integer(name, bound.to<std::int32_t>());
    case DataType::INT64:
      return options->Integer(name, bound.to<std::int64_t>());
    case DataType::FLOAT64:
      return options->Number(name, bound.to<double>());
    default:
      return options->Number(name, bound.to<float>());
  }
}

// clip or its gradient. Paddle refuses what our op would take: a max below min, or NaN.
void Clipped(int row, const CPUContext& context, Inputs inputs, Number min, Number max, Out out) {
  if (!(min.to<double>() <= max.to<double>())) {
    Throw(common::errors::InvalidArgument("max should be greater than or equal to min. But received min = %f, max = %f",
                                          min.to<double>(), max.to<double>()));
  }
  const DataType dtype = (*inputs.begin())->dtype();
  Options options(row);
  Bound("min", min, dtype, &options);
  Bound("max", max, dtype, &options);
  if (inputs.size() == 2) options.Integer("wrt", 0);
  Execute(row, context, inputs, out, options.get());
}

// broadcast_to or sum_to, to the dims that `out` has.
void ToShape(int row, const CPUContext& context, In x, Out out) {
  if (out == nullptr) return;
  Options options(row);
  options.Shape(out->dims());
  Execute(row, context, {&x}, out, options.get());
}

// -1 in a shape to expand to is x's own extent there.
void Expanded(int row, const CPUContext& context, In x, std::vector<std::int64_t> shape, Out out) {
  const std::size_t rank = static_cast<std::size_t>(x.dims().size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && i + rank >= shape.size()) shape[i] = x.dims()[static_cast<int>(i + rank - shape.size())];
    if (shape[i] < 0) Throw(common::errors::InvalidArgument("expand: shape[%d] is %d", i, shape[i]));
  }
  out->Resize(common::make_ddim(shape));
  ToShape(row, context, x, out);
}

// take_along_axis and put_along_axis: no operand is stretched, indices may be negative.
void AlongAxis(int row, const CPUContext& context, Inputs inputs, int axis, const char* reduce, bool include_self, Out out) {
  Options options(row);
  options.Integer("dim", axis);
  options.Text("mode", "prefix");
  options.Integer("wrap_negative", 1);
  if (reduce != nullptr) {
    options.Text("reduce", reduce);
    options.Integer("include_self", include_self);
  }
  Execute(row, context, inputs, out, options.get());
}

// A function for each signature; see kernels.h. The row is a template's argument: Paddle calls them with none.
template <int kRow>
struct Kernel {
  static bool Ours() { return ours.load(std::memory_order_relaxed); }

  static void Unary(const CPUContext& context, In x, Out out) {
    if (!Ours()) return Paddle<In, Out>(kRow, x.dtype(), context, x, out);
    Execute(kRow, context, {&x}, out);
  }
  static void AgainstZero(const CPUContext& context, In x, Out out) {
    if (!Ours()) return Paddle<In, Out>(kRow, x.dtype(), context, x, out);
    static constexpr std::int64_t kZero = 0;  // of any dtype
    Execute(kRow, context, {&x}, out, nullptr, &kZero);
  }
  static void Round(const CPUContext& context, In x, int decimals, Out out) {
    if (!Ours() || decimals != 0) return Paddle<In, int, Out>(kRow, x.dtype(), context, x, decimals, out);
    Execute(kRow, context, {&x}, out);
  }
  static void Clip(const CPUContext& context, In x, Number min, Number max, Out out) {
    if (!Ours()) return Paddle<In, Number, Number, Out>(kRow, x.dtype(), context, x, min, max, out);
    Clipped(kRow, context, {&x}, min, max, out);
  }
  static void Expand(const CPUContext& context, In x, Dims shape, Out out) {
    if (!Ours()) return Paddle<In, Dims, Out>(kRow, x.dtype(), context, x, shape, out);
    Expanded(kRow, context, x, shape.GetData(), out);
  }
  static void ExpandAs(const CPUContext& context, In x, MaybeIn y, Extents shape, Out out) {
    if (!Ours()) return Paddle<In, MaybeIn, Extents, Out>(kRow, x.dtype(), context, x, y, shape, out);
    Expanded(kRow, context, x, shape, out);
  }
  static void ReduceAs(const CPUContext& context, In x, In target, Out out) {
    if (!Ours()) return Paddle<In, In, Out>(kRow, x.dtype(), context, x, target, out);
    ToShape(kRow, context, x, out);
  }
  static void Binary(const CPUContext& context, In x, In y, Out out) {
    if (!Ours()) return Paddle<In, In, Out>(kRow, x.dtype(), context, x, y, out);
    Execute(kRow, context, {&x, &y}, out);
  }
  static void BinaryAxis(const CPUContext& context, In x, In y, int axis, Out out) {
    if (!Ours()) return Paddle<In, In, int, Out>(kRow, x.dtype(), context, x, y, axis, out);
    AtAxis(kRow, context, x, y, axis, out);
  }
  static void Shift(const CPUContext& context, In x, In y, bool is_arithmetic, Out out) {
    if (!Ours() || !is_arithmetic) return Paddle<In, In, bool, Out>(kRow, x.dtype(), context, x, y, is_arithmetic, out);
    Execute(kRow, context, {&x, &y}, out);
  }
  static void Where(const CPUContext& context, In condition, In x, In y, Out out) {
    if (!Ours()) return Paddle<In, In, In, Out>(kRow, x.dtype(), context, condition, x, y, out);
    Execute(kRow, context, {&condition, &x, &y}, out);
  }
  static void Take(const CPUContext& context, In x, In index, int axis, Out out) {
    if (!Ours()) return Paddle<In, In, int, Out>(kRow, x.dtype(), context, x, index, axis, out);
    AlongAxis(kRow, context, {&x, &index}, axis, nullptr, true, out);
  }
  static void Put(const CPUContext& context, In x, In index, In value, int axis, const std::string& reduce, bool include_self,
                  Out out) {
    const bool same = reduce == "assign" || reduce == "add" || reduce == "mul" || reduce == "multiply";
    if (!Ours() || !same) {
      return Paddle<In, In, In, int, const std::string&, bool, Out>(kRow, x.dtype(), context, x, index, value, axis, reduce,
                                                                    include_self, out);
    }
    AlongAxis(kRow, context, {&x, &index, &value}, axis, reduce == "multiply" ? "mul" : reduce.c_str(), include_self, out);
  }
  static void UnaryGrad(const CPUContext& context, In x, In dout, Out dx) {
    if (!Ours()) return Paddle<In, In, Out>(kRow, dout.dtype(), context, x, dout, dx);
    Gradient(kRow, context, {&x, &dout}, 0, dx);
  }
  static void ClipGrad(const CPUContext& context, In x, In dout, Number min, Number max, Out dx) {
    if (!Ours()) return Paddle<In, In, Number, Number, Out>(kRow, dout.dtype(), context, x, dout, min, max, dx);
    Clipped(kRow, context, {&x, &dout}, min, max, dx);
  }
  static void ExpandGrad(const CPUContext& context, In x, In dout, Dims shape, Out dx) {
    if (!Ours()) return Paddle<In, In, Dims, Out>(kRow, dout.dtype(), context, x, dout, shape, dx);
    ToShape(kRow, context, dout, dx);
  }
  static void ExpandAsGrad(const CPUContext& context, In x, In dout, Extents shape, Out dx) {
    if (!Ours()) return Paddle<In, In, Extents, Out>(kRow, dout.dtype(), context, x, dout, shape, dx);
    ToShape(kRow, context, dout, dx);
  }
  static void BinaryGrad(const CPUContext& context, In x, In y, In dout, Out dx, Out dy) {
    if (!Ours()) return Paddle<In, In, In, Out, Out>(kRow, dout.dtype(), context, x, y, dout, dx, dy);
    Gradients(kRow, context, {&x, &y, &dout}, 0, dx, dy);
  }
  static void BinaryAxisGrad(const CPUContext& context, In x, In y, In dout, int axis, Out dx, Out dy) {
    if (!Ours()) return Paddle<In, In, In, int, Out, Out>(kRow, dout.dtype(), context, x, y, dout, axis, dx, dy);
    Gradients(kRow, context, {&x, &y, &dout}, 0, dx, dy, axis);
  }
  static void DivideGrad(const CPUContext& context, In x, In y, In out, In dout, int axis, Out dx, Out dy) {
    if (!Ours()) return Paddle<In, In, In, In, int, Out, Out>(kRow, dout.dtype(), context, x, y, out, dout, axis, dx, dy);
    Gradients(kRow, context, {&x, &y, &dout}, 0, dx, dy, axis);
  }
  static void WhereGrad(const CPUContext& context, In condition, In x, In y, In dout, Out dx, Out dy) {
    if (!Ours()) return Paddle<In, In, In, In, Out, Out>(kRow, dout.dtype(), context, condition, x, y, dout, dx, dy);
    Gradients(kRow, context, {&condition, &x, &y, &dout}, 1, dx, dy);
  }
};

template <auto kFunction>
Function Make() {
  using Impl = phi::KernelImpl<decltype(kFunction), kFunction>;
  return {&Impl::Compute, reinterpret_cast<void*>(&Impl::VariadicCompute),
          &phi::KernelArgsParseFunctor<decltype(kFunction)>::Parse};
}

template <int kRow>
Function Select() {
  constexpr Signature kSignature = kRows[kRow].signature;
  using Row = Kernel<kRow>;
  if constexpr (kSignature == Signature::kUnary) return Make<&Row::Unary>();
  if constexpr (kSignature == Signature::kAgainstZero) return Make<&Row::AgainstZero>();
  if constexpr (kSignature == Signature::kRound) return Make<&Row::Round>();
  if constexpr (kSignature == Signature::kClip) return Make<&Row::Clip>();
  if constexpr (kSignature == Signature::kExpand) return Make<&Row::Expand>();
  if constexpr (kSignature == Signature::kExpandAs) return Make<&Row::ExpandAs>();
  if constexpr (kSignature == Signature::kReduceAs) return Make<&Row::ReduceAs>();
  if constexpr (kSignature == Signature::kBinary) return Make<&Row::Binary>();
  if constexpr (kSignature == Signature::kBinaryAxis) return Make<&Row::BinaryAxis>();
  if constexpr (kSignature == Signature::kShift) return Make<&Row::Shift>();
  if constexpr (kSignature == Signature::kWhere) return Make<&Row::Where>();
  if constexpr (kSignature == Signature::kTake) return Make<&Row::Take>();
  if constexpr (kSignature == Signature::kPut) return Make<&Row::Put>();
  if constexpr (kSignature == Signature::kUnaryGrad) return Make<&Row::UnaryGrad>();
  if constexpr (kSignature == Signature::kClipGrad) return Make<&Row::ClipGrad>();
  if constexpr (kSignature == Signature::kExpandGrad) return Make<&Row::ExpandGrad>();
  if constexpr (kSignature == Signature::kExpandAsGrad) return Make<&Row::ExpandAsGrad>();
  if constexpr (kSignature == Signature::kBinaryGrad) return Make<&Row::BinaryGrad>();
  if constexpr (kSignature == Signature::kBinaryAxisGrad) return Make<&Row::BinaryAxisGrad>();
  if constexpr (kSignature == Signature::kDivideGrad) return Make<&Row::DivideGrad>();
  if constexpr (kSignature == Signature::kWhereGrad) return Make<&Row::WhereGrad>();
}

template <int... kRow>
std::array<Function, kRowCount> SelectAll(std::integer_sequence<int, kRow...> /*rows*/) {
  return {Select<kRow>()...};
}

}  // namespace

std::array<Function, kRowCount> Functions() { return SelectAll(std::make_integer_sequence<int, kRowCount>()); }

}  // namespace axiscast_paddle
