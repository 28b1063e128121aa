// Which kernels of Paddle's are replaced by which ops: the one table that drives the registration.
#ifndef AXISCAST_ADAPTERS_PADDLE_KERNELS_H_
#define AXISCAST_ADAPTERS_PADDLE_KERNELS_H_

#include <cstdint>
#include <string_view>

namespace axiscast_paddle {

// What a kernel takes after its context, as Paddle declares it. Outputs come last.
enum class Signature : std::uint8_t {
  kUnary,           // x, out
  kAgainstZero,     // x, out; our op's second operand is 0
  kRound,           // x, int decimals, out
  kClip,            // x, Scalar min, Scalar max, out
  kExpand,          // x, IntArray shape, out
  kExpandAs,        // x, optional y, vector<int64> shape, out
  kReduceAs,        // x, target, out
  kBinary,          // x, y, out
  kBinaryAxis,      // x, y, int axis, out
  kShift,           // x, y, bool is_arithmetic, out
  kWhere,           // condition, x, y, out
  kTake,            // x, index, int axis, out
  kPut,             // x, index, value, int axis, string reduce, bool include_self, out
  kUnaryGrad,       // x or out, dout, dx
  kClipGrad,        // x, dout, Scalar min, Scalar max, dx
  kExpandGrad,      // x, dout, IntArray shape, dx
  kExpandAsGrad,    // x, dout, vector<int64> shape, dx
  kBinaryGrad,      // x, y, dout, dx, dy
  kBinaryAxisGrad,  // x, y, dout, int axis, dx, dy
  kDivideGrad,      // x, y, out, dout, int axis, dx, dy
  kWhereGrad,       // condition, x, y, dout, dx, dy
};

// Dtypes, a bit each: of axiscast's numbers.
constexpr std::uint32_t kBool = 1u << 0;
constexpr std::uint32_t kInts = 0x3Eu;  // int8 to int64, uint8: Paddle's Python has no tensors of the others
constexpr std::uint32_t kInt32And64 = 0x18u;
constexpr std::uint32_t kFloat16 = 0x200u;
constexpr std::uint32_t kBfloat16 = 0x400u;
constexpr std::uint32_t kFloats = 0x1E00u;

struct Row {
  const char* kernel;  // Paddle's name
  const char* op;      // ours
  Signature signature;
  std::uint32_t dtypes = kBool | kInts | kFloats;  // of these, those that the op has
};

// To replace another kernel: find out by Paddle's own what it means, add a row here and, where NumPy calls it otherwise, one in
// kernel_calls.py. For what is missing here, and for the dtypes left out, docs/engines.md has the reasons.
constexpr Row kRows[] = {
    {"abs", "abs", Signature::kUnary},
    {"bitwise_not", "bitwise_not", Signature::kUnary},
    {"ceil", "ceil", Signature::kUnary},
    {"floor", "floor", Signature::kUnary},
    {"isfinite", "isfinite", Signature::kUnary},
    {"isinf", "isinf", Signature::kUnary},
    {"isnan", "isnan", Signature::kUnary},
    {"logical_not", "logical_not", Signature::kUnary},
    {"reciprocal", "reciprocal", Signature::kUnary},
    {"relu", "fmax", Signature::kAgainstZero},
    {"sign", "sign", Signature::kUnary},
    {"sqrt", "sqrt", Signature::kUnary},
    {"square", "square", Signature::kUnary},
    {"trunc", "trunc", Signature::kUnary},
    {"round", "round", Signature::kRound},
    {"clip", "clip", Signature::kClip, kInt32And64 | kFloats},
    {"expand", "broadcast_to", Signature::kExpand},
    {"expand_as", "broadcast_to", Signature::kExpandAs},
    {"reduce_as", "sum_to", Signature::kReduceAs, kFloats},

    {"add", "add", Signature::kBinary},
    {"grad_add", "add", Signature::kBinary},
    {"subtract", "subtract", Signature::kBinary},
    {"multiply", "multiply", Signature::kBinary},
    {"divide", "divide", Signature::kBinary},
    {"maximum", "maximum", Signature::kBinary},
    {"minimum", "minimum", Signature::kBinary},
    {"fmax", "fmax", Signature::kBinary},
    {"fmin", "fmin", Signature::kBinary},
    {"remainder", "remainder", Signature::kBinary},
    {"floor_divide", "floor_divide", Signature::kBinary},
    {"trunc_divide", "divide", Signature::kBinary, kInts},
    {"copysign", "copysign", Signature::kBinary},
    {"bitwise_and", "bitwise_and", Signature::kBinary},
    {"bitwise_or", "bitwise_or", Signature::kBinary},
    {"bitwise_xor", "bitwise_xor", Signature::kBinary},
    {"logical_and", "logical_and", Signature::kBinary},
    {"logical_or", "logical_or", Signature::kBinary},
    {"logical_xor", "logical_xor", Signature::kBinary},
    {"equal", "equal", Signature::kBinary, kBool | kInts | kFloat16},
    {"not_equal", "not_equal", Signature::kBinary, kBool | kInts | kFloat16},
    {"less_than", "less", Signature::kBinary},
    {"less_equal", "less_equal", Signature::kBinary},
    {"greater_than", "greater", Signature::kBinary},
    {"greater_equal", "greater_equal", Signature::kBinary},
    {"bitwise_left_shift", "left_shift", Signature::kShift},
    {"bitwise_right_shift", "right_shift", Signature::kShift},

    {"add_raw", "add", Signature::kBinaryAxis},
    {"subtract_raw", "subtract", Signature::kBinaryAxis},
    {"multiply_raw", "multiply", Signature::kBinaryAxis},
    {"divide_raw", "divide", Signature::kBinaryAxis},
    {"maximum_raw", "maximum", Signature::kBinaryAxis},
    {"minimum_raw", "minimum", Signature::kBinaryAxis},
    {"remainder_raw", "remainder", Signature::kBinaryAxis},
    {"floor_divide_raw", "floor_divide", Signature::kBinaryAxis},
    {"equal_raw", "equal", Signature::kBinaryAxis, kBool | kInts | kFloat16},
    {"not_equal_raw", "not_equal", Signature::kBinaryAxis, kBool | kInts | kFloat16},
    {"less_than_raw", "less", Signature::kBinaryAxis},
    {"less_equal_raw", "less_equal", Signature::kBinaryAxis},
    {"greater_than_raw", "greater", Signature::kBinaryAxis},
    {"greater_equal_raw", "greater_equal", Signature::kBinaryAxis},

    {"where", "where", Signature::kWhere},
    {"take_along_axis", "gather", Signature::kTake},
    {"put_along_axis", "scatter", Signature::kPut},

    {"abs_grad", "abs_grad", Signature::kUnaryGrad, kFloat16 | kBfloat16},
    {"square_grad", "square_grad", Signature::kUnaryGrad},
    {"relu_grad", "relu_grad", Signature::kUnaryGrad, kFloat16 | kBfloat16},
    {"clip_grad", "clip_grad", Signature::kClipGrad},
    {"expand_grad", "sum_to", Signature::kExpandGrad, kFloats},
    {"expand_as_grad", "sum_to", Signature::kExpandAsGrad, kFloats},
    {"add_grad", "add_grad", Signature::kBinaryAxisGrad},
    {"subtract_grad", "subtract_grad", Signature::kBinaryAxisGrad},
    {"multiply_grad", "multiply_grad", Signature::kBinaryAxisGrad},
    {"divide_grad", "divide_grad", Signature::kDivideGrad},
    {"maximum_grad", "maximum_grad", Signature::kBinaryGrad, kFloat16},
    {"minimum_grad", "minimum_grad", Signature::kBinaryGrad, kFloat16},
    {"remainder_grad", "remainder_grad", Signature::kBinaryGrad, kFloat16},
    {"where_grad", "where_grad", Signature::kWhereGrad},
};
constexpr int kRowCount = static_cast<int>(sizeof(kRows) / sizeof(kRows[0]));

// Paddle keeps the shape alone of what the gradients of add, subtract and where do not read.
constexpr bool MayLackData(const Row& row) {
  const std::string_view name = row.op;
  return name == "add_grad" || name == "subtract_grad" || name == "where_grad";
}

// Whether the gradient for input `wrt` is dout itself, where that input was not stretched.
constexpr bool PassesOn(const Row& row, int wrt) {
  const std::string_view op = row.op;
  return op == "add_grad" || (op == "subtract_grad" && wrt == 0);
}

// Which of the inputs has the dtype by which Paddle selects the kernel, which is the result's too: the last one, unless it is an
// index.
constexpr int SelectsBy(const Row& row, int input_count) { return row.signature == Signature::kTake ? 0 : input_count - 1; }

}  // namespace axiscast_paddle

#endif  // AXISCAST_ADAPTERS_PADDLE_KERNELS_H_
