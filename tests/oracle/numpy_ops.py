#!/usr/bin/python3
"""Writes NumPy's result of every op on special and random values: the cases that golden_test compares the kernels with.

    numpy_ops.py FILE

FILE is a line "axiscast cases 1", then for each case a line of words

    case OP inputs DTYPE[,DTYPE...] output DTYPE count N attributes DTYPE K

followed by the bytes of each input, of the result (N elements each) and of the K attribute values, all little-endian;
and at last a line "end NUMBER_OF_CASES". A bool is a byte; inputs hold bytes other than 0 and 1, which are true too.

The 16-bit floats are computed as float32 and rounded once, by a table of all their values; for float16 NumPy's own result must be
the same. Their attributes are float32.

"NumPy" in a row of OPS means that NumPy's function of that name is the oracle. Where axiscast means something else on purpose the
row names a function of op_meanings.py, whose comment says in what it differs. Works with NumPy 1.24 to 2.x.
"""

import sys

import numpy as np

import op_meanings as own
from half_floats import HALVES, TABLES, computed, rounded, widened

BOOL = ["bool"]
SIGNED = ["int8", "int16", "int32", "int64"]
INTS = SIGNED + ["uint8", "uint16", "uint32", "uint64"]
FLOATS = list(HALVES) + ["float32", "float64"]
NUMBERS = INTS + FLOATS
ALL = BOOL + NUMBERS

RANDOM = np.random.default_rng(20240229)


# ---- Values ----------------------------------------------------------------------------------------------------------------


def float_specials(dtype):
    """NaNs of both signs, zeros, infinities, subnormals, extremes, halves (ties of round), and where integers get coarse."""
    info = np.finfo(dtype)
    one = dtype.type(1)
    digits = info.nmant  # 2^digits: from here on every float is whole
    positive = [
        0, np.inf, info.smallest_subnormal, info.tiny - info.smallest_subnormal, info.tiny, info.max,
        np.nextafter(one, dtype.type(0)), np.nextafter(one, dtype.type(2)), info.eps, 0.1, 0.25, np.nextafter(dtype.type(0.5), dtype.type(0)),
        0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 6, 7, 10, np.pi, 1e10, 1e-10, 2.0**(digits - 1) - 0.5, 2.0**(digits - 1) + 0.5,
        2.0**digits - 0.5, 2.0**digits, 2.0**digits + 1, 2.0**(digits + 1) - 1, 2.0**31 - 0.5, 2.0**31, 2.0**32, 2.0**63, 2.0**64,
    ]  # yapf: disable
    values = np.array(positive, dtype)
    return np.concatenate([values, -values, np.copysign(dtype.type(np.nan), [1, -1]).astype(dtype)])


def int_specials(dtype):
    """The extremes, -1, 0, 1, the widths of shifts, and odd numbers that no float32 or float64 holds."""
    info = np.iinfo(dtype)
    wanted = list(range(-4, 5)) + [-10, -7, 6, 7, 10]
    for edge in [8, 16, 32, 64, 127, 128, 255, 2**15, 2**16, 2**24, 2**31, 2**32, 2**53, 2**62, 2**63]:
        wanted += [-edge - 1, -edge, -edge + 1, edge - 1, edge, edge + 1]
    wanted += [info.min, info.min + 1, info.max - 1, info.max, info.max // 3]
    return np.array(sorted({value for value in wanted if info.min <= value <= info.max}), dtype)


def half_specials(name):
    mantissa_bits = HALVES[name]
    ends = np.array([0, 1, (1 << mantissa_bits) - 1, 1 << mantissa_bits, len(TABLES[name]) - 2, len(TABLES[name]) - 1, 0x7FFF], np.uint16)
    bits = np.union1d(ends, rounded(np.abs(float_specials(np.dtype("float32"))), name))
    return np.concatenate([bits, bits | 0x8000]).astype(np.uint16)


def specials(name):
    if name in HALVES:
        return half_specials(name)
    dtype = np.dtype(name)
    if name == "bool":
        return np.array([0, 1, 2, 128, 255], np.uint8)
    return float_specials(dtype) if dtype.kind == "f" else int_specials(dtype)


def random_values(name, count):
    """Half of them any bits at all (floats: any exponent), half of everyday size."""
    if name in HALVES:
        everyday = rounded(RANDOM.standard_normal(count) * 8, name)
        return np.where(RANDOM.integers(0, 2, count) == 0, RANDOM.integers(0, 1 << 16, count, np.uint16), everyday)
    dtype = np.dtype(name)
    if name == "bool":
        return RANDOM.choice(np.array([0, 0, 1, 2, 255], np.uint8), count)
    bits = RANDOM.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)
    if dtype.kind == "f":
        everyday = (RANDOM.standard_normal(count) * 8).astype(dtype)
    else:
        everyday = RANDOM.integers(0 if dtype.kind == "u" else -20, 21, count).astype(dtype)
    return np.where(RANDOM.integers(0, 2, count) == 0, bits, everyday)


def operands(names):
    """One array per operand: every combination of the special values, then random ones."""
    if len(names) == 3:  # where: the whole product would be large, and says no more than each condition with each pair
        pairs = operands(names[1:])
        conditions = specials(names[0])
        return [np.repeat(conditions, len(pairs[0]))] + [np.tile(values, len(conditions)) for values in pairs]
    grids = np.meshgrid(*[specials(name) for name in names], indexing="ij")
    return [np.concatenate([grid.ravel(), random_values(name, 1501)]) for grid, name in zip(grids, names)]


def clip_bounds(name):
    """(min, max) pairs: usual ones, min > max, each side without a bound (the dtype's lowest or highest value), zeros of both signs."""
    dtype = np.dtype(computed(name))
    if dtype.kind == "f":
        lowest, highest = -np.inf, np.inf
    else:
        lowest, highest = np.iinfo(dtype).min, np.iinfo(dtype).max
    pairs = [(0, 6), (1, 1), (3, 2), (lowest, highest), (lowest, 2), (2, highest), (highest, lowest)]
    if dtype.kind != "u":
        pairs += [(-1, 1), (-3, -7), (0, 0)]
    if dtype.kind == "f":
        pairs += [(-0.0, 0.0), (0.0, -0.0), (-0.0, 1), (-1, -0.0), (-1, 0.0), (-0.0, -0.0), (0.1, 0.3)]
    return pairs


# ---- The ops ---------------------------------------------------------------------------------------------------------------

SAME = "same"  # the result has the operands' dtype
NUMPY = None  # NumPy's function of that name

# name: (dtypes, number of operands, dtype of the result, oracle)
OPS = {
    "add": (ALL, 2, SAME, NUMPY),  # bool: or, as NumPy
    "subtract": (NUMBERS, 2, SAME, NUMPY),
    "multiply": (ALL, 2, SAME, NUMPY),  # bool: and, as NumPy
    "divide": (NUMBERS, 2, SAME, own.divide),
    "true_divide": (NUMBERS, 2, lambda name: name if name in FLOATS else "float32", own.true_divide),
    "floor_divide": (NUMBERS, 2, SAME, NUMPY),
    "remainder": (NUMBERS, 2, SAME, NUMPY),
    "fmod": (NUMBERS, 2, SAME, NUMPY),
    "maximum": (ALL, 2, SAME, lambda x, y: own.maximum_zeros(np.maximum, x, y)),
    "minimum": (ALL, 2, SAME, lambda x, y: own.minimum_zeros(np.minimum, x, y)),
    "fmax": (ALL, 2, SAME, lambda x, y: own.maximum_zeros(np.fmax, x, y)),
    "fmin": (ALL, 2, SAME, lambda x, y: own.minimum_zeros(np.fmin, x, y)),
    "squared_difference": (NUMBERS, 2, SAME, own.squared_difference),
    "copysign": (NUMBERS, 2, SAME, own.copysign),
    "equal": (ALL, 2, "bool", NUMPY),
    "not_equal": (ALL, 2, "bool", NUMPY),
    "less": (ALL, 2, "bool", NUMPY),
    "less_equal": (ALL, 2, "bool", NUMPY),
    "greater": (ALL, 2, "bool", NUMPY),
    "greater_equal": (ALL, 2, "bool", NUMPY),
    "isnan": (ALL, 1, "bool", own.never(np.isnan, False)),
    "isinf": (ALL, 1, "bool", own.never(np.isinf, False)),
    "isfinite": (ALL, 1, "bool", own.never(np.isfinite, True)),
    "signbit": (ALL, 1, "bool", own.signbit),
    "logical_and": (ALL, 2, "bool", NUMPY),
    "logical_or": (ALL, 2, "bool", NUMPY),
    "logical_xor": (ALL, 2, "bool", NUMPY),
    "logical_not": (ALL, 1, "bool", NUMPY),
    "bitwise_and": (BOOL + INTS, 2, SAME, NUMPY),
    "bitwise_or": (BOOL + INTS, 2, SAME, NUMPY),
    "bitwise_xor": (BOOL + INTS, 2, SAME, NUMPY),
    "bitwise_not": (BOOL + INTS, 1, SAME, NUMPY),  # bool: logical not, as NumPy
    "left_shift": (INTS, 2, SAME, own.left_shift),
    "right_shift": (INTS, 2, SAME, own.right_shift),
    "logical_right_shift": (INTS, 2, SAME, own.logical_right_shift),
    "negative": (NUMBERS, 1, SAME, NUMPY),
    "abs": (NUMBERS, 1, SAME, NUMPY),
    "sign": (NUMBERS, 1, SAME, NUMPY),  # sign(-0) is +0 and sign(NaN) is NaN, as NumPy
    "square": (NUMBERS, 1, SAME, NUMPY),
    "sqrt": (FLOATS, 1, SAME, NUMPY),
    "reciprocal": (FLOATS, 1, SAME, NUMPY),
    "floor": (NUMBERS, 1, SAME, own.whole(np.floor)),
    "ceil": (NUMBERS, 1, SAME, own.whole(np.ceil)),
    "round": (NUMBERS, 1, SAME, own.whole(np.rint)),
    "trunc": (NUMBERS, 1, SAME, own.whole(np.trunc)),
    "relu": (NUMBERS, 1, SAME, own.relu),
    "clip": (NUMBERS, 1, SAME, own.clip),
    "where": (ALL, 3, SAME, NUMPY),
}

INTEGER_DIVISOR_IS_CHECKED = {"divide", "floor_divide", "remainder", "fmod"}  # by 0: an error, so there is no result to compare


def input_dtypes(op, name, arity):
    return ["bool", name, name] if op == "where" else [name] * arity


def as_values(array, name):
    """What NumPy computes on: a bool byte is true when it is not 0."""
    return array != 0 if name == "bool" else widened(array, name) if name in HALVES else array


def check_float16(function, arrays, expected):
    """NumPy's own float16 arithmetic must give the same."""
    own = function(*[array.view(np.float16) for array in arrays])
    bits = own.view(np.uint16) if own.dtype == np.float16 else own
    assert np.all((bits == expected) | np.isnan(own) & np.isnan(expected.view(own.dtype))), function


def cases_of(op):
    names, arity, result, oracle = OPS[op]
    function = oracle or getattr(np, op)
    for name in names:
        inputs = input_dtypes(op, name, arity)
        output = name if result == SAME else result(name) if callable(result) else result
        arrays = operands(inputs)
        if op in INTEGER_DIVISOR_IS_CHECKED and name in INTS:
            keep = arrays[1] != 0
            arrays = [array[keep] for array in arrays]
        values = [as_values(array, dtype) for array, dtype in zip(arrays, inputs)]
        for attributes in clip_bounds(name) if op == "clip" else [()]:
            attribute_values = np.array(attributes, computed(name))
            expected = np.asarray(function(*values, *attribute_values))
            assert expected.dtype == np.dtype(computed(output)), (op, inputs, expected.dtype, output)
            if output in HALVES:
                expected = rounded(expected, output)
            if name == "float16" and oracle is NUMPY and op != "where":
                check_float16(function, arrays, expected)
            assert expected.shape == values[0].shape, (op, inputs, expected.shape)
            yield inputs, output, arrays, expected, attribute_values


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    count = 0
    with open(sys.argv[1], "wb") as file, np.errstate(all="ignore"):
        file.write(b"axiscast cases 1\n")
        for op in OPS:
            for inputs, output, arrays, expected, attributes in cases_of(op):
                words = ["case", op, "inputs", ",".join(inputs), "output", output, "count", len(expected), "attributes", attributes.dtype, len(attributes)]
                file.write((" ".join(map(str, words)) + "\n").encode())
                for array in arrays + [expected, attributes]:
                    file.write(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
                count += 1
        file.write(b"end %d\n" % count)


if __name__ == "__main__":
    main()
