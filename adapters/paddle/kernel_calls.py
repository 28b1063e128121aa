"""How the tests call each kernel of Paddle's, what NumPy says it computes, and where Paddle is not to be compared bit by bit."""
import numpy as np
import paddle
from paddle import _C_ops, _legacy_C_ops

UNARY = {"abs", "bitwise_not", "ceil", "floor", "isfinite", "isinf", "isnan", "logical_not", "reciprocal", "relu", "sign", "sqrt", "square",
         "trunc", "round", "clip"}
# The old ops that reach the kernels with an axis.
LEGACY = {"add_raw": "elementwise_add", "subtract_raw": "elementwise_sub", "multiply_raw": "elementwise_mul",
          "divide_raw": "elementwise_div", "maximum_raw": "elementwise_max", "minimum_raw": "elementwise_min",
          "remainder_raw": "elementwise_mod", "floor_divide_raw": "elementwise_floordiv"}

# Kernels whose result may have the other sign where it is zero.
SIGN_OF_ZERO = {
    "maximum": "max(+0, -0): Paddle takes the second operand, and the first where rank(x) < rank(y); ours is +0",
    "minimum": "min(+0, -0): as maximum; ours is -0",
    "fmax": "as maximum",
    "fmin": "as minimum",
    "remainder": "a zero remainder has the dividend's sign in Paddle, the divisor's in NumPy and here",
}
# Where Paddle rounds and we do not: compared with NumPy.
INEXACT = {
    ("sqrt", "float32"): "Paddle's is up to 1 ulp off",
    ("trunc", "int64"): "Paddle goes through double",
    ("copysign", "int64"): "Paddle goes through double",
    ("fmax", "int32"): "Paddle goes through float",
    ("fmin", "int32"): "Paddle goes through float",
    ("fmax", "int64"): "Paddle goes through double",
    ("fmin", "int64"): "Paddle goes through double",
}


def forward(kernel):
    """The kernel without what tells how it is called."""
    return kernel.removesuffix("_raw")


def call(kernel, tensors, axis=-1):
    """Runs a kernel by the op that reaches it."""
    if kernel in ("bitwise_left_shift", "bitwise_right_shift"):
        return getattr(_C_ops, kernel)(*tensors, True)
    if kernel == "round":
        return _C_ops.round(*tensors, 0)
    if kernel == "clip":
        return _C_ops.clip(*tensors, -2.0, 3.0)
    if kernel == "grad_add":
        return _legacy_C_ops.grad_add(*tensors)
    if kernel.endswith("_raw"):
        return getattr(_legacy_C_ops, LEGACY.get(kernel, forward(kernel)))(*tensors, "axis", axis)
    return getattr(_C_ops, kernel)(*tensors)


def to_bfloat16_bits(array):
    """float32 to the bits of bfloat16, to nearest even."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32).reshape(np.shape(array))
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(array), np.uint16(0x7FC0), rounded)


def from_bfloat16_bits(bits):
    """The float32 of the same value."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def to_tensor(array, dtype):
    """A tensor of a dtype's name; uint16 is how Paddle takes the bits of bfloat16. Of no dims too."""
    array = to_bfloat16_bits(array) if dtype == "bfloat16" else array
    return paddle.to_tensor(np.atleast_1d(array)).reshape(array.shape)


def to_numpy(tensor):
    """An array of the same values; of bfloat16 as float32."""
    array = tensor.numpy()
    return from_bfloat16_bits(array) if tensor.dtype == paddle.bfloat16 else array


def round_to(array, dtype):
    """What is left of float32 values in a 16-bit float."""
    return from_bfloat16_bits(to_bfloat16_bits(array)) if dtype == "bfloat16" else array.astype(dtype)


_NUMPY = {
    "reciprocal": lambda x: x.dtype.type(1) / x,
    "relu": lambda x: np.fmax(x, x.dtype.type(0)),
    "round": lambda x: x if x.dtype.kind in "iu" else np.rint(x),
    "clip": lambda x: np.clip(x, x.dtype.type(-2), x.dtype.type(3)),
    "grad_add": np.add,
    "divide": lambda x, y: np.divide(x, y) if x.dtype.kind == "f" else np.trunc(x / y).astype(x.dtype),
    "copysign": lambda x, y: np.copysign(x, y) if x.dtype.kind == "f" else np.where(y < 0, -abs(x), abs(x)),
    "less_than": np.less,
    "greater_than": np.greater,
    "abs": np.absolute,
}


def flushed(array):
    """The array with zeros of the same sign for what is subnormal."""
    if array.dtype.kind != "f":
        return array
    return np.where(abs(array) < np.finfo(array.dtype).tiny, np.copysign(array.dtype.type(0), array), array)


def expected(kernel, arrays, dtype):
    """What NumPy computes, of 16-bit floats as float32, rounded once. Operands are NumPy-aligned already."""
    kernel = forward(kernel)
    function = _NUMPY.get(kernel) or getattr(np, kernel)
    half = dtype in ("float16", "bfloat16")
    with np.errstate(all="ignore"):
        result = function(*(a.astype(np.float32) if half and a.dtype != bool else a for a in arrays))
        if half and result.dtype != bool:
            result = round_to(result, dtype)
    if result.dtype != bool and not half:
        result = result.astype(dtype)
    return result
