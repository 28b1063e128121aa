"""What each op means, in NumPy, and which op of ONNX's own means the same."""
import numpy as np

# axiscast's op: ONNX's op, its attributes. Ops that ONNX lacks are compared with NumPy alone.
HOST_OPS = {
    "abs": ("Abs", {}), "add": ("Add", {}), "bitwise_and": ("BitwiseAnd", {}), "bitwise_not": ("BitwiseNot", {}),
    "bitwise_or": ("BitwiseOr", {}), "bitwise_xor": ("BitwiseXor", {}), "ceil": ("Ceil", {}), "clip": ("Clip", {}), "divide": ("Div", {}),
    "equal": ("Equal", {}), "floor": ("Floor", {}), "fmod": ("Mod", {"fmod": 1}), "greater": ("Greater", {}),
    "greater_equal": ("GreaterOrEqual", {}), "isinf": ("IsInf", {}), "isnan": ("IsNaN", {}), "left_shift": ("BitShift", {"direction": "LEFT"}),
    "less": ("Less", {}), "less_equal": ("LessOrEqual", {}), "logical_and": ("And", {}), "logical_not": ("Not", {}), "logical_or": ("Or", {}),
    "logical_right_shift": ("BitShift", {"direction": "RIGHT"}), "logical_xor": ("Xor", {}), "maximum": ("Max", {}), "minimum": ("Min", {}),
    "multiply": ("Mul", {}), "negative": ("Neg", {}), "reciprocal": ("Reciprocal", {}), "relu": ("Relu", {}), "remainder": ("Mod", {"fmod": 0}),
    "right_shift": ("BitShift", {"direction": "RIGHT"}), "round": ("Round", {}), "sign": ("Sign", {}), "sqrt": ("Sqrt", {}),
    "subtract": ("Sub", {}), "where": ("Where", {}),
}

# Where the host's op exists for the dtype and says something else: NumPy decides. {op: (dtypes, why)}
FLOATS = ("float16", "float32", "float64")
HOST_DIFFERS = {
    "fmod": (("int64", "uint64"), "Mod of 64 bits goes through double: -8714996127961513374 mod 8 is 0 there, and should be -6"),
    "maximum": (FLOATS, "Max of two zeros has whichever sign; ours has +0 if there is one"),
    "minimum": (FLOATS, "Min of two zeros has whichever sign; ours has -0 if there is one"),
    "relu": (FLOATS, "Relu keeps -0; ours is maximum(x, 0), so +0"),
    "remainder": (FLOATS, "Mod refuses floats unless fmod is 1"),
    "sign": (("float16",), "Sign of a float16 NaN is 0 there; ours is NaN, as theirs for the other floats"),
    "where": (FLOATS, "Where adds 0 to what it selects, so that -0 becomes +0; ours copies"),
}


def _zeros(x, y, otherwise, both_zero):
    """`otherwise`, but for two zeros, whose signs NumPy leaves open."""
    return np.where((x == 0) & (y == 0), both_zero, otherwise) if x.dtype.kind not in "biu" else otherwise


def _truncated(x, y):
    quotient = np.floor_divide(x, y)
    return (quotient + ((quotient * y != x) & ((x < 0) != (y < 0)))).astype(x.dtype)


def _unsigned(function):
    def run(x, y):
        unsigned = f"u{x.dtype.itemsize}"
        return function(x.view(unsigned), y.view(unsigned)).view(x.dtype)
    return run


def _copysign(x, y):
    return np.copysign(x, y) if x.dtype.kind not in "iu" else np.where(y < 0, -abs(x), abs(x))


def _number(x):
    return x.dtype.kind in "biu"


def _once(function):
    """float16 and bfloat16 are computed in float32 and rounded at the end."""
    return lambda x, y: function(x, y) if x.itemsize != 2 or _number(x) else function(x.astype("f4"), y.astype("f4")).astype(x.dtype)


NUMPY = {
    "abs": np.abs, "add": np.add, "bitwise_and": np.bitwise_and, "bitwise_not": np.invert, "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor, "ceil": lambda x: x if _number(x) else np.ceil(x),
    "clip": lambda x: np.clip(x, x.dtype.type(1), x.dtype.type(5)), "copysign": _copysign,
    "divide": lambda x, y: _truncated(x, y) if _number(x) else np.divide(x, y), "equal": np.equal,
    "floor": lambda x: x if _number(x) else np.floor(x), "floor_divide": np.floor_divide,
    "fmax": lambda x, y: _zeros(x, y, np.fmax(x, y), x + y), "fmin": lambda x, y: _zeros(x, y, np.fmin(x, y), -(-x + -y) if x.dtype != bool else x),
    "fmod": np.fmod, "greater": np.greater, "greater_equal": np.greater_equal, "isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan,
    "left_shift": np.left_shift, "less": np.less, "less_equal": np.less_equal, "logical_and": np.logical_and, "logical_not": np.logical_not,
    "logical_or": np.logical_or, "logical_right_shift": _unsigned(np.right_shift), "logical_xor": np.logical_xor,
    "maximum": lambda x, y: _zeros(x, y, np.maximum(x, y), x + y),
    "minimum": lambda x, y: _zeros(x, y, np.minimum(x, y), -(-x + -y) if x.dtype != bool else x),
    "multiply": np.multiply, "negative": np.negative, "not_equal": np.not_equal, "reciprocal": lambda x: np.divide(x.dtype.type(1), x),
    "relu": lambda x: np.where(x > 0, x, np.where(x != x, x, x.dtype.type(0))), "remainder": np.remainder, "right_shift": np.right_shift,
    "round": lambda x: x if _number(x) else np.rint(x), "sign": lambda x: np.sign(x) if _number(x) else np.where(x == 0, x.dtype.type(0), np.sign(x)), "signbit": lambda x: x < 0 if _number(x) else np.signbit(x),
    "sqrt": np.sqrt, "square": np.square, "squared_difference": _once(lambda x, y: np.square(x - y)), "subtract": np.subtract,
    "true_divide": lambda x, y: np.divide(x.astype("f4"), y.astype("f4")) if _number(x) else np.divide(x, y),
    "trunc": lambda x: x if _number(x) else np.trunc(x), "where": np.where,
}
