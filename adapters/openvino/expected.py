"""What the tests compare with: NumPy, and OpenVINO's own ops where they mean the same."""
import numpy as np
import openvino.opset16 as ov_ops

# What the CPU plugin computes in, for every node, its own ones too. Integers keep their low 32 bits on the way. Of float64,
# infinities and all that is beyond float32 become the largest float32, in results too.
COMPUTED_IN = {"float64": "float32", "float16": "float32", "int64": "int32", "uint64": "int32", "int16": "int32", "uint16": "int32",
               "uint32": "int32"}


def is_float(x):
    return x.dtype.kind == "f"


def whole(function):
    """`function` on floats; integers are whole already."""
    return lambda x: function(x) if is_float(x) else x


def truncating_divide(x, y):
    if is_float(x):
        return x / y
    wide_x, wide_y = x.astype(np.int64), y.astype(np.int64)
    return (np.sign(wide_x) * np.sign(wide_y) * (np.abs(wide_x) // np.abs(wide_y))).astype(x.dtype)


def larger(function):
    """Of two zeros, +0 is the larger one."""
    return lambda x, y: np.where((x == 0) & (y == 0), x + y, function(x, y)) if is_float(x) else function(x, y)


def smaller(function):
    return lambda x, y: np.where((x == 0) & (y == 0), -(-x + -y), function(x, y)) if is_float(x) else function(x, y)


def copysign(x, y):
    return np.copysign(x, y) if is_float(x) else np.where((x < 0) == (y < 0), x, -x)


def shift(function):
    """A count outside [0, bits) leaves nothing, or the sign."""

    def shifted(x, y):
        bits = x.dtype.itemsize * 8
        count = np.where((y < 0) | (y >= bits), bits, y).astype(np.int64)
        return function(x.astype(np.int64), count).astype(x.dtype)

    return shifted


def logical_right_shift(x, y):
    return shift(np.right_shift)(x.view(f"u{x.dtype.itemsize}"), y).view(x.dtype)


def true_divide(x, y):
    return x / y if is_float(x) else x.astype(np.float32) / y.astype(np.float32)


def every(value):
    return lambda x: np.full(x.shape, value)


NUMPY = {
    "abs": np.abs, "add": np.add, "bitwise_and": np.bitwise_and, "bitwise_not": np.invert, "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor, "ceil": whole(np.ceil), "clip": lambda x: x, "copysign": copysign, "divide": truncating_divide,
    "equal": np.equal, "floor": whole(np.floor), "floor_divide": np.floor_divide, "fmax": larger(np.fmax), "fmin": smaller(np.fmin),
    "fmod": np.fmod, "greater": np.greater, "greater_equal": np.greater_equal,
    "isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan,
    "left_shift": shift(np.left_shift), "less": np.less, "less_equal": np.less_equal, "logical_and": np.logical_and,
    "logical_not": np.logical_not, "logical_or": np.logical_or, "logical_right_shift": logical_right_shift,
    "logical_xor": np.logical_xor, "maximum": larger(np.maximum), "minimum": smaller(np.minimum), "multiply": np.multiply,
    "negative": np.negative, "not_equal": np.not_equal, "reciprocal": lambda x: np.float32(1) / x,
    "relu": lambda x: larger(np.maximum)(x, np.zeros_like(x)), "remainder": np.remainder, "right_shift": shift(np.right_shift),
    "round": whole(np.rint), "sign": np.sign, "signbit": lambda x: np.signbit(x) if is_float(x) else x < 0, "sqrt": np.sqrt,
    "square": lambda x: x * x, "squared_difference": lambda x, y: (x - y) * (x - y), "subtract": np.subtract,
    "true_divide": true_divide, "trunc": whole(np.trunc), "where": np.where,
}

# OpenVINO's own ops.
HOST = {
    "abs": ov_ops.abs, "add": ov_ops.add, "bitwise_and": ov_ops.bitwise_and, "bitwise_not": ov_ops.bitwise_not,
    "bitwise_or": ov_ops.bitwise_or, "bitwise_xor": ov_ops.bitwise_xor, "ceil": ov_ops.ceiling, "divide": ov_ops.divide,
    "equal": ov_ops.equal, "floor": ov_ops.floor, "fmod": ov_ops.mod, "greater": ov_ops.greater,
    "greater_equal": ov_ops.greater_equal, "isfinite": ov_ops.is_finite, "isinf": ov_ops.is_inf, "isnan": ov_ops.is_nan,
    "left_shift": ov_ops.bitwise_left_shift, "less": ov_ops.less, "less_equal": ov_ops.less_equal,
    "logical_and": ov_ops.logical_and, "logical_not": ov_ops.logical_not, "logical_or": ov_ops.logical_or,
    "logical_xor": ov_ops.logical_xor, "maximum": ov_ops.maximum, "minimum": ov_ops.minimum, "multiply": ov_ops.multiply,
    "negative": ov_ops.negative, "not_equal": ov_ops.not_equal, "relu": ov_ops.relu, "remainder": ov_ops.floor_mod,
    "right_shift": ov_ops.bitwise_right_shift, "round": lambda x: ov_ops.round(x, "half_to_even"), "sign": ov_ops.sign,
    "sqrt": ov_ops.sqrt, "squared_difference": ov_ops.squared_difference, "subtract": ov_ops.subtract, "where": ov_ops.select,
}

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
BYTES = ["int8", "uint8"]
# Integers that float32 does not hold.
WIDE = ["int32", "int64", "uint32", "uint64"]
EVERY_BUT_BOOL = FLOATS + INTEGERS

# Where OpenVINO's own op is no oracle, and NumPy alone is: ops, dtypes, why. A test sees to it that each row is needed.
REFUSED = [
    (["add", "maximum", "minimum", "multiply"], ["bool"], "not offered"),
    (["isfinite", "isinf", "isnan"], ["bool"] + INTEGERS, "not offered"),
    (["logical_and", "logical_or", "logical_xor"], EVERY_BUT_BOOL, "not offered"),
    (["negative"], UNSIGNED, "not offered"),
]
DIFFERENT = [
    (["abs", "add", "divide", "subtract", "multiply", "negative", "squared_difference"], BYTES, "saturates; ours wraps"),
    (["ceil", "floor", "round", "relu", "divide", "fmod", "remainder"], WIDE, "computed in float32"),
    (["left_shift", "right_shift"], INTEGERS, "takes a count outside [0, bits) modulo something"),
    (["logical_not"], EVERY_BUT_BOOL, "gives the dtype of its operand; ours gives bool"),
    (["divide"], ["bfloat16", "float32", "float64"], "an ulp off: multiplies by the reciprocal"),
    (["fmod", "remainder"], FLOATS, "computed from a rounded quotient"),
    (["greater", "greater_equal"], FLOATS, "true for a NaN"),
    (["maximum", "minimum", "relu"], FLOATS, "loses NaN"),
]


# Reasons that not every CPU's code of OpenVINO gives: with AVX2 a comparison with NaN is false.
ON_SOME_CPUS = ["true for a NaN"]


def rows_with(table, op, dtype):
    return [row for row in table if op in row[0] and dtype in row[1]]
