"""The 16-bit floats as arrays of their bits: widened to float32, and rounded from it by a table of all their values."""

import numpy as np

HALVES = {"float16": 10, "bfloat16": 7}  # bits of the mantissa


def table_of(mantissa_bits):
    """The value of every magnitude below infinity, and what the next step would be in infinity's place."""
    exponents = 1 << (15 - mantissa_bits)
    bits = np.arange(((exponents - 1) << mantissa_bits) + 1)
    exponent, mantissa = bits >> mantissa_bits, bits & ((1 << mantissa_bits) - 1)
    mantissa = np.where(exponent == 0, mantissa, mantissa + (1 << mantissa_bits))
    return np.ldexp(mantissa.astype(np.float64), np.maximum(exponent, 1) - (exponents // 2 - 1) - mantissa_bits)


TABLES = {name: table_of(mantissa_bits) for name, mantissa_bits in HALVES.items()}


def widened(bits, name):
    table = TABLES[name]
    magnitude = bits & 0x7FFF
    infinity = len(table) - 1
    value = np.where(magnitude < infinity, table[np.minimum(magnitude, infinity)], np.where(magnitude == infinity, np.inf, np.nan))
    return np.where(bits & 0x8000, -value, value).astype(np.float32)


def rounded(values, name):
    """To the nearest, of two equally near ones to the even one."""
    table = TABLES[name]
    magnitude = np.minimum(np.abs(values.astype(np.float64)), table[-1])
    low = np.clip(np.searchsorted(table, magnitude, side="right") - 1, 0, len(table) - 2)
    to_low, to_high = magnitude - table[low], table[low + 1] - magnitude
    up = np.where(to_low == to_high, low % 2 == 1, to_low > to_high)
    bits = np.where(np.isnan(values), 0x7FFF, low + up)
    return (bits | np.where(np.signbit(values), 0x8000, 0)).astype(np.uint16)


def computed(name):
    """The dtype that NumPy computes in."""
    return "float32" if name in HALVES else name
