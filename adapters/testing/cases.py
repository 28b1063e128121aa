"""What the adapters' tests have in common: shapes, data of every dtype, the registry's ops, and how results are compared."""
import json
import os
import subprocess

import numpy as np

# x, y, axis of Paddle's rule (-1: NumPy's). A dozen and a few; every pattern that a kernel could forget.
SHAPE_PAIRS = [
    ((), (), -1),
    ((7,), (7,), -1),
    ((5,), (1,), -1),
    ((1, 6), (4, 1), -1),
    ((2, 3, 4, 5), (2, 3, 4, 5), -1),
    ((2, 3, 4, 5), (5,), -1),
    ((2, 3, 4, 5), (3, 4), 1),
    ((2, 3, 4, 5), (3,), 1),
    ((2, 3, 4, 5), (2,), 0),
    ((2, 3, 4, 5), (2, 1, 4, 1), -1),
    ((33, 3), (3,), -1),
    ((33, 3), (33, 1), -1),
    ((4, 0, 3), (3,), -1),
    ((2, 16, 7, 7), (16,), 1),
    ((3, 1, 129), (5, 1), -1),
    ((40, 1000), (1000,), -1),
]

EDGES = {"f": [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 1e-30, -3.25, 65504.0, 3e38]}


def values(dtype, shape, seed, no_zero=False):
    """Data of a NumPy dtype: floats with special values among them, integers over the whole range, both with small numbers."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    if dtype == bool:
        data = rng.integers(0, 2, count).astype(bool)
    elif dtype.kind in "iu":
        limits = np.iinfo(dtype)
        data = rng.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
        small = rng.random(count) < 0.5
        data[small] = rng.integers(0 if dtype.kind == "u" else -9, 10, int(small.sum())).astype(dtype)
        if no_zero:
            data[data == 0] = 3
    else:
        data = (rng.standard_normal(count) * 4).astype(np.float32)
        special = rng.random(count) < 0.1
        data[special] = rng.choice(EDGES["f"], int(special.sum()))
        with np.errstate(over="ignore"):
            data = data.astype(dtype)
    return data.reshape(shape)


def registry_ops():
    """{name: what `axiscast ops NAME --json` says} of every op of the installed registry."""
    command = os.path.join(os.environ["AXISCAST_PREFIX"], "bin", "axiscast")
    return {op["name"]: op for op in json.loads(subprocess.run([command, "ops", "--json"], capture_output=True, check=True).stdout)}


def same_bits(ours, theirs):
    """Whether two arrays agree bit by bit, but for which NaN a NaN is."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    if ours.dtype.kind not in "fV" and ours.dtype.name != "bfloat16":
        return bool((ours == theirs).all())
    nan = np.isnan(ours.astype(np.float64)) & np.isnan(theirs.astype(np.float64))
    width = f"u{ours.dtype.itemsize}"
    return bool((nan | (np.ascontiguousarray(ours).view(width).reshape(ours.shape) ==
                        np.ascontiguousarray(theirs).view(width).reshape(theirs.shape))).all())
