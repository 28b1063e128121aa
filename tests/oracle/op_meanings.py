"""What ops mean where axiscast means something else than NumPy on purpose, or NumPy has no such op; each says in what it differs."""

import numpy as np


def each(function, result_dtype, *arrays):
    """function on Python's own integers, wrapped to the dtype."""
    mask = 2**(8 * result_dtype.itemsize) - 1
    unsigned = [function(*values) & mask for values in zip(*[array.tolist() for array in arrays])]
    return np.array(unsigned, "u%d" % result_dtype.itemsize).view(result_dtype)


def maximum_zeros(function, x, y):
    """NumPy's maximum and fmax give either zero for a +0 beside a -0; here it is +0 in either order."""
    return np.where((x == 0) & (y == 0), x + y, function(x, y)) if x.dtype.kind == "f" else function(x, y)


def minimum_zeros(function, x, y):
    """NumPy's minimum and fmin give either zero for a +0 beside a -0; here it is -0 in either order."""
    return np.where((x == 0) & (y == 0), -(-x + -y), function(x, y)) if x.dtype.kind == "f" else function(x, y)


def divide(x, y):
    """Integers truncate (Paddle); NumPy's divide would give float64."""
    if x.dtype.kind == "f":
        return np.divide(x, y)
    return each(lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1), x.dtype, x, y)


def true_divide(x, y):
    """Integers become float32 first (Paddle); NumPy's true_divide gives float64."""
    return np.divide(x, y) if x.dtype.kind == "f" else np.divide(x.astype(np.float32), y.astype(np.float32))


def squared_difference(x, y):
    """NumPy has none: every step rounds or wraps."""
    difference = np.subtract(x, y)
    return np.multiply(difference, difference)


def copysign(x, y):
    """Integers stay integers; NumPy's copysign converts them to floats."""
    if x.dtype.kind == "f":
        return np.copysign(x, y)
    return each(lambda a, b: -abs(a) if b < 0 else abs(a), x.dtype, x, y)


def left_shift(x, y):
    """Counts outside [0, width) give 0; C, and so older NumPy, leaves them open."""
    width = 8 * x.dtype.itemsize
    return each(lambda a, b: a << b if 0 <= b < width else 0, x.dtype, x, y)


def right_shift(x, y):
    """Counts outside [0, width) give 0 or -1."""
    width = 8 * x.dtype.itemsize
    return each(lambda a, b: a >> b if 0 <= b < width else (-1 if a < 0 else 0), x.dtype, x, y)


def logical_right_shift(x, y):
    """NumPy has none (Paddle's bitwise_right_shift with is_arithmetic=False)."""
    width = 8 * x.dtype.itemsize
    return each(lambda a, b: (a & (2**width - 1)) >> b if 0 <= b < width else 0, x.dtype, x, y)


def whole(function):
    """floor, ceil, rint and trunc are the identity on integers; NumPy < 2.1 converts those to float64."""
    return lambda x: function(x) if x.dtype.kind == "f" else x.copy()


def never(function, answer):
    """Integers and bools are never NaN or infinite; not every NumPy has a loop for them."""
    return lambda x: function(x) if x.dtype.kind == "f" else np.full(x.shape, answer)


def signbit(x):
    """NumPy's signbit converts integers to floats; here it is x < 0, never true of a bool."""
    return np.signbit(x) if x.dtype.kind == "f" else np.zeros(x.shape, bool) if x.dtype.kind in "bu" else x < 0


def relu(x):
    """NumPy has none: maximum(x, 0), so -0 gives +0 and NaN stays."""
    return maximum_zeros(np.maximum, x, np.zeros_like(x))


def clip(x, low, high):
    """minimum(maximum(x, min), max) with axiscast's zeros; NumPy's clip leaves the sign of a zero open."""
    low, high = np.full_like(x, low), np.full_like(x, high)
    result = minimum_zeros(np.minimum, maximum_zeros(np.maximum, x, low), high)
    assert np.array_equal(result, np.clip(x, low, high), equal_nan=x.dtype.kind == "f")  # NumPy's but for those signs
    return result
