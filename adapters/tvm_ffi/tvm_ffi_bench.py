"""Calls through TVM-FFI beside NumPy's own add, for TVM-FFI has no ops: the cases of testing/speed.py."""
import os

import numpy as np
import tvm_ffi
from testing.speed import SPEED_CASES, Table

add = tvm_ffi.load_module(os.environ["AXISCAST_ADAPTER"]).add
table = Table("tvm_ffi", "float32 add: NumPy's, and ours on tensors of TVM-FFI")


def measure(name, x_shape, y_shape, axis, convert):
    x, y = np.ones(x_shape, np.float32), np.ones(y_shape, np.float32)
    anchored = y if axis == -1 else y.reshape(y_shape + (1,) * (len(x_shape) - axis - len(y_shape)))
    out = np.empty(np.broadcast_shapes(x.shape, anchored.shape), np.float32)
    arguments = (*map(convert, (x, y, out)), axis)
    table.add(name, lambda: np.add(x, anchored, out), lambda: add(*arguments))


measure("8 elements, ours on NumPy's arrays", (8,), (8,), -1, lambda array: array)
for case in SPEED_CASES:
    measure(*case, tvm_ffi.from_dlpack)
table.write()
