// Paddle's CPU kernels replaced by axiscast's. To load the library is all: import paddle; ctypes.CDLL("libaxiscast_paddle.so").
// kernels.h says which kernels; here is how one is called, and load.cc puts them in.
#include "paddle/paddle.h"

#include <omp.h>

#include <atomic>
#include <initializer_list>
#include <utility>

#include "paddle/phi/core/enforce.h"

namespace axiscast_paddle {

Replacement replacements[kRowCount];

namespace {

using phi::CPUContext;
using phi::DataType;
using phi::DenseTensor;

std::atomic<std::int64_t> calls{0};
std::atomic<bool> ours{true};

// Paddle's way to report: its Python makes exceptions of it.
template <typename Error>
[[noreturn]] void Throw(const Error& error) {
  throw common::enforce::EnforceNotMet(common::ErrorSummary(error), "axiscast_paddle", __LINE__);
}

[[noreturn]] void ThrowStatus(std::int32_t status) {
  const char* message = axiscast_last_message();
  switch (status) {
    case AXISCAST_OUT_OF_RANGE: Throw(common::errors::OutOfRange("%s", message));
    case AXISCAST_UNSUPPORTED_DTYPE: Throw(common::errors::Unimplemented("%s", message));
    case AXISCAST_OUT_OF_MEMORY: Throw(common::errors::ResourceExhausted("%s", message));
    case AXISCAST_INTERNAL: Throw(common::errors::Fatal("%s", message));
    default: Throw(common::errors::InvalidArgument("%s", message));
  }
}

// Paddle hands dense tensors to kernels: views are copied before.
axiscast_tensor View(const DenseTensor& tensor, const void* data) {
  const phi::DDim& dims = tensor.dims();
  return {sizeof(axiscast_tensor), const_cast<void*>(data), DTypeOf(tensor.dtype()), dims.size(), dims.Get(), nullptr};
}

// As many threads as Paddle's own kernels may use here: 1 unless OMP_NUM_THREADS or the predictor's settings say otherwise.
constexpr std::int64_t kTooSmallToShare = 1 << 15;
std::int32_t ThreadLimit(std::int64_t elements) { return elements < kTooSmallToShare ? 1 : omp_get_max_threads(); }

// Computes out = op(inputs...), `out` having its dims already. An input may be `out` itself: all that is known of it is read first,
// and its memory stays, which was large enough for x.
void Execute(int row, const CPUContext& context, std::initializer_list<const DenseTensor*> inputs, DenseTensor* out,
             const axiscast_options* options, const void* scalar = nullptr) {
  axiscast_tensor views[AXISCAST_MAX_ARITY];
  int count = 0;
  for (const DenseTensor* input : inputs) {
    views[count++] = View(*input, input->initialized() ? input->data() : nullptr);
  }
  // Gradients get tensors of which Paddle has kept the shape alone; the op does not read them either.
  for (int i = 0; i + 1 < count; ++i) {
    if (views[i].data == nullptr) views[i].data = views[count - 1].data;
  }
  if (scalar != nullptr) {
    views[count++] = {sizeof(axiscast_tensor), const_cast<void*>(scalar), views[0].dtype, 0, nullptr, nullptr};
  }
  const DataType dtype = replacements[row].to_bool ? DataType::BOOL : (*(inputs.end() - 1))->dtype();
  void* data = context.Alloc(out, dtype);
  const axiscast_tensor view = View(*out, data);
  axiscast_execute_options execute = {};
  execute.struct_size = sizeof(execute);
  execute.max_threads = ThreadLimit(out->numel());
  calls.fetch_add(1, std::memory_order_relaxed);
  const std::int32_t status = axiscast_apply(replacements[row].op, views, count, &view, options, &execute);
  if (status != AXISCAST_OK) ThrowStatus(status);
}

void ExecuteAtAxis(int row, const CPUContext& context, const DenseTensor& x, const DenseTensor& y, int axis, DenseTensor* out) {
  axiscast_options options = {};
  options.struct_size = sizeof(options);
  options.has_axis = 1;
  options.axis = axis;
  Execute(row, context, {&x, &y}, out, axis == -1 ? nullptr : &options);
}

axiscast_attribute Integer(const char* name, std::int64_t value) {
  axiscast_attribute attribute = {sizeof(axiscast_attribute), name, AXISCAST_VALUE_INT64, 0, {}};
  attribute.value.integer = value;
  return attribute;
}

// As Paddle reads a bound: in the tensor's own dtype.
axiscast_attribute Bound(const char* name, const phi::Scalar& bound, DataType dtype) {
  if (dtype == DataType::INT32) return Integer(name, bound.to<std::int32_t>());
  if (dtype == DataType::INT64) return Integer(name, bound.to<std::int64_t>());
  axiscast_attribute attribute = {sizeof(axiscast_attribute), name, AXISCAST_VALUE_DOUBLE, 0, {}};
  attribute.value.number = dtype == DataType::FLOAT64 ? bound.to<double>() : static_cast<double>(bound.to<float>());
  return attribute;
}

// clip or its gradient. Paddle refuses what our op would take: a max below min, or NaN.
void Clipped(int row, const CPUContext& context, std::initializer_list<const DenseTensor*> inputs, DataType dtype,
             const phi::Scalar& min, const phi::Scalar& max, DenseTensor* out) {
  if (!(min.to<double>() <= max.to<double>())) {
    Throw(common::errors::InvalidArgument("max should be greater than or equal to min. But received min = %f, max = %f",
                                          min.to<double>(), max.to<double>()));
  }
  const axiscast_attribute attributes[] = {Bound("min", min, dtype), Bound("max", max, dtype), Integer("wrt", 0)};
  axiscast_options options = {};
  options.struct_size = sizeof(options);
  options.attributes = attributes;
  options.attribute_count = inputs.size() == 1 ? 2 : 3;
  Execute(row, context, inputs, out, &options);
}

// The gradient for input `wrt`. Paddle does not ask for all.
void Gradient(int row, const CPUContext& context, std::initializer_list<const DenseTensor*> inputs, int wrt, DenseTensor* out,
              int axis = -1) {
  if (out == nullptr) return;
  const axiscast_attribute attribute = Integer("wrt", wrt);
  axiscast_options options = {};
  options.struct_size = sizeof(options);
  options.attributes = &attribute;
  options.attribute_count = 1;
  options.has_axis = axis != -1;
  options.axis = axis;
  Execute(row, context, inputs, out, &options);
}

// Paddle's own kernel, which takes the same.
template <typename... Args>
void Paddle(int row, DataType dtype, const CPUContext& context, Args... args) {
  const int number = DTypeOf(dtype);
  void* function = number < 0 ? nullptr : replacements[row].paddle[number];
  if (function == nullptr) Throw(common::errors::NotFound("Paddle has no kernel %s for this dtype", kRows[row].kernel));
  reinterpret_cast<void (*)(const phi::DeviceContext&, Args...)>(function)(context, args...);
}

using In = const DenseTensor&;
using Out = DenseTensor*;
using Number = const phi::Scalar&;

// One function for each row and signature; see kernels.h.
template <int kRow>
struct Kernel {
  static bool Ours() { return ours.load(std::memory_order_relaxed); }

  static void Unary(const CPUContext& context, In x, Out out) {
    if (!Ours()) return Paddle<In, Out>(kRow, x.dtype(), context, x, out);
    Execute(kRow, context, {&x}, out, nullptr);
  }
  static void AgainstZero(const CPUContext& context, In x, Out out) {
    if (!Ours()) return Paddle<In, Out>(kRow, x.dtype(), context, x, out);
    static const std::int64_t kZero = 0;  // of any dtype
    Execute(kRow, context, {&x}, out, nullptr, &kZero);
  }
  static void Round(const CPUContext& context, In x, int decimals, Out out) {
    if (!Ours() || decimals != 0) return Paddle<In, int, Out>(kRow, x.dtype(), context, x, decimals, out);
    Execute(kRow, context, {&x}, out, nullptr);
  }
  static void Clip(const CPUContext& context, In x, Number min, Number max, Out out) {
    if (!Ours()) return Paddle<In, Number, Number, Out>(kRow, x.dtype(), context, x, min, max, out);
    Clipped(kRow, context, {&x}, x.dtype(), min, max, out);
  }
  static void Binary(const CPUContext& context, In x, In y, Out out) {
    if (!Ours()) return Paddle<In, In, Out>(kRow, x.dtype(), context, x, y, out);
    Execute(kRow, context, {&x, &y}, out, nullptr);
  }
  static void BinaryAxis(const CPUContext& context, In x, In y, int axis, Out out) {
    if (!Ours()) return Paddle<In, In, int, Out>(kRow, x.dtype(), context, x, y, axis, out);
    ExecuteAtAxis(kRow, context, x, y, axis, out);
  }
  static void Shift(const CPUContext& context, In x, In y, bool is_arithmetic, Out out) {
    if (!Ours() || !is_arithmetic) return Paddle<In, In, bool, Out>(kRow, x.dtype(), context, x, y, is_arithmetic, out);
    Execute(kRow, context, {&x, &y}, out, nullptr);
  }
  static void Where(const CPUContext& context, In condition, In x, In y, Out out) {
    if (!Ours()) return Paddle<In, In, In, Out>(kRow, x.dtype(), context, condition, x, y, out);
    Execute(kRow, context, {&condition, &x, &y}, out, nullptr);
  }
  static void UnaryGrad(const CPUContext& context, In x, In dout, Out dx) {
    if (!Ours()) return Paddle<In, In, Out>(kRow, dout.dtype(), context, x, dout, dx);
    Gradient(kRow, context, {&x, &dout}, 0, dx);
  }
  static void ClipGrad(const CPUContext& context, In x, In dout, Number min, Number max, Out dx) {
    if (!Ours()) return Paddle<In, In, Number, Number, Out>(kRow, dout.dtype(), context, x, dout, min, max, dx);
    Clipped(kRow, context, {&x, &dout}, x.dtype(), min, max, dx);
  }
  // Of two gradients the second comes first: Paddle may have put dx into dout's memory.
  static void BinaryGrad(const CPUContext& context, In x, In y, In dout, Out dx, Out dy) {
    if (!Ours()) return Paddle<In, In, In, Out, Out>(kRow, dout.dtype(), context, x, y, dout, dx, dy);
    Gradient(kRow, context, {&x, &y, &dout}, 1, dy);
    Gradient(kRow, context, {&x, &y, &dout}, 0, dx);
  }
  static void BinaryAxisGrad(const CPUContext& context, In x, In y, In dout, int axis, Out dx, Out dy) {
    if (!Ours()) return Paddle<In, In, In, int, Out, Out>(kRow, dout.dtype(), context, x, y, dout, axis, dx, dy);
    Gradient(kRow, context, {&x, &y, &dout}, 1, dy, axis);
    Gradient(kRow, context, {&x, &y, &dout}, 0, dx, axis);
  }
  static void DivideGrad(const CPUContext& context, In x, In y, In out, In dout, int axis, Out dx, Out dy) {
    if (!Ours()) return Paddle<In, In, In, In, int, Out, Out>(kRow, dout.dtype(), context, x, y, out, dout, axis, dx, dy);
    Gradient(kRow, context, {&x, &y, &dout}, 1, dy, axis);
    Gradient(kRow, context, {&x, &y, &dout}, 0, dx, axis);
  }
  static void WhereGrad(const CPUContext& context, In condition, In x, In y, In dout, Out dx, Out dy) {
    if (!Ours()) return Paddle<In, In, In, In, Out, Out>(kRow, dout.dtype(), context, condition, x, y, dout, dx, dy);
    Gradient(kRow, context, {&condition, &x, &y, &dout}, 2, dy);
    Gradient(kRow, context, {&condition, &x, &y, &dout}, 1, dx);
  }
};

template <auto kFunction>
Function Make() {
  using Impl = phi::KernelImpl<decltype(kFunction), kFunction>;
  return {&Impl::Compute, reinterpret_cast<void*>(&Impl::VariadicCompute), &phi::KernelArgsParseFunctor<decltype(kFunction)>::Parse};
}

template <int kRow>
Function Select() {
  constexpr Signature kSignature = kRows[kRow].signature;
  using Row = Kernel<kRow>;
  if constexpr (kSignature == Signature::kUnary) return Make<&Row::Unary>();
  if constexpr (kSignature == Signature::kAgainstZero) return Make<&Row::AgainstZero>();
  if constexpr (kSignature == Signature::kRound) return Make<&Row::Round>();
  if constexpr (kSignature == Signature::kClip) return Make<&Row::Clip>();
  if constexpr (kSignature == Signature::kBinary) return Make<&Row::Binary>();
  if constexpr (kSignature == Signature::kBinaryAxis) return Make<&Row::BinaryAxis>();
  if constexpr (kSignature == Signature::kShift) return Make<&Row::Shift>();
  if constexpr (kSignature == Signature::kWhere) return Make<&Row::Where>();
  if constexpr (kSignature == Signature::kUnaryGrad) return Make<&Row::UnaryGrad>();
  if constexpr (kSignature == Signature::kClipGrad) return Make<&Row::ClipGrad>();
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

extern "C" {

// How many times one of our kernels has run.
__attribute__((visibility("default"))) std::int64_t axiscast_paddle_calls() { return axiscast_paddle::calls.load(); }

// 0: every call goes on to the kernel that Paddle came with, for comparisons in one process; 1: ours again.
__attribute__((visibility("default"))) void axiscast_paddle_use(std::int32_t ours) { axiscast_paddle::ours.store(ours != 0); }

}  // extern "C"
