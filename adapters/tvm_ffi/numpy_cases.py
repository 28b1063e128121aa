"""What the tests in TVM-FFI compare with: data of every dtype under any strides, and NumPy's results (tests/oracle/numpy_ops.py)."""
import os
import sys

import numpy as np
from foreign import bfloat16
from testing.cases import same_bits, values

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "oracle"))
import numpy_ops as oracle  # noqa: E402

LAYOUTS = ["dense", "transposed", "reversed", "stepped"]


def data(name, shape, seed, no_zero=False):
    """Values of a dtype. NumPy has no bfloat16: its arrays are of uint16, the bits."""
    if name != "bfloat16":
        return values(name, shape, seed, no_zero)
    return np.asarray(oracle.rounded(values("float32", shape, seed), name)).reshape(shape)


def as_dtype(numbers, name):
    """Numbers that the dtype holds exactly."""
    numbers = np.asarray(numbers)
    return oracle.rounded(numbers.astype(np.float32), name).reshape(numbers.shape) if name == "bfloat16" else numbers.astype(name)


def laid_out(array, layout):
    """The same values under other strides, and all the memory that they are in."""
    if layout == "transposed":
        base = np.ascontiguousarray(array.T).reshape(array.T.shape)
        return base.T, base
    if layout == "reversed":
        back = (slice(None, None, -1),) * array.ndim + (...,)
        base = array[back].copy()
        return base[back], base
    if layout == "stepped":
        base = np.full([2 * extent + 1 for extent in array.shape], 1, array.dtype)
        view = base[(slice(1, None, 2),) * array.ndim + (...,)]
        view[...] = array
        return view, base
    base = array.copy()
    return base, base


def result_of(shape, name, layout):
    """An output with something in it, all the memory that it is in, and whether a call has left the rest of that memory alone."""
    out, base = laid_out(np.full(shape, 1, "uint16" if name == "bfloat16" else name), layout)

    def rest_is_untouched():
        around = np.ones(base.shape, bool)
        if layout == "stepped":
            around[(slice(1, None, 2),) * base.ndim + (...,)] = False
            return bool((base[around] == 1).all())
        return True

    return out, rest_is_untouched


def tensor(array, name):
    return bfloat16(array) if name == "bfloat16" else array


def broadcast(arrays, axis):
    """The arrays as NumPy broadcasts them, y's dims first anchored at the axis."""
    if axis != -1:
        x, y = arrays
        arrays = [x, y.reshape(y.shape + (1,) * (x.ndim - axis - y.ndim))]
    return [array.copy() for array in np.broadcast_arrays(*arrays)]


def expected(op, names, output, arrays, attributes):
    """NumPy's result for arrays of one shape."""
    function = oracle.OPS[op][3] or getattr(np, op)
    bits = [array.view(np.uint16) if name == "float16" else array for array, name in zip(arrays, names)]
    flat = [oracle.as_values(array.ravel(), name) for array, name in zip(bits, names)]
    with np.errstate(all="ignore"):
        result = np.asarray(function(*flat, *np.array(attributes, oracle.computed(names[-1]))))
        if output in oracle.HALVES:
            result = oracle.rounded(result, output)
    return (result.view(np.float16) if output == "float16" else result).reshape(arrays[0].shape)


def same(ours, theirs, name):
    """Whether two results agree bit by bit, but for which NaN a NaN is."""
    if name == "bfloat16":
        nan = ((ours & 0x7FFF) > 0x7F80) & ((theirs & 0x7FFF) > 0x7F80)
        return ours.shape == theirs.shape and bool((nan | (ours == theirs)).all())
    return same_bits(ours, theirs)
