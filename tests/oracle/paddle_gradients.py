"""Writes Paddle's gradients of elementwise ops, the cases of gradient_frameworks_test: ../data/paddle_gradients.txt.

Run by hand, as Paddle is too large for every build: pip install paddlepaddle==3.3.1, then

    paddle_gradients.py FILE

FILE has a line for each case, all numbers in float64: OP axis AXIS | wrt N | then for every input, dout and the gradient
its shape and values: `[2,3] 0x1.8p+1 ...`, separated by ` | `. AXIS is `none` or a number. Gradients that Paddle computes without
regard to the axis (maximum, minimum) have none here.
"""

import sys

import numpy as np
import paddle
from paddle import _legacy_C_ops
from gradient_cases import text, values

AXIS_OPS = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "div"}
BINARY = {"maximum": paddle.maximum, "minimum": paddle.minimum, "fmax": paddle.fmax, "fmin": paddle.fmin, "remainder": paddle.remainder}
UNARY = {"abs": paddle.abs, "square": paddle.square, "sqrt": paddle.sqrt, "reciprocal": paddle.reciprocal,
         "relu": paddle.nn.functional.relu, "negative": paddle.neg}
SHAPES = [([2, 3, 4], [3], 1), ([2, 3, 4], [2, 3], 0), ([2, 3, 4], [4], None), ([3], [2, 3, 4], 1), ([2, 1, 4], [3, 1], 1),
          ([2, 3, 4], [], 0), ([5], [5], None), ([4, 1], [1, 3], None), ([2, 3, 4, 5], [3, 4], 1), ([2, 3, 4, 5], [1, 4, 1], -1)]

random = np.random.default_rng(11)


def write(file, op, axis, function, inputs):
    tensors = [paddle.to_tensor(array, dtype="float64", stop_gradient=False) for array in inputs]
    out = function(*tensors)
    dout = values(random, out.shape)
    out.backward(paddle.to_tensor(dout, dtype="float64"))
    for wrt, tensor in enumerate(tensors):
        fields = [f"{op} axis {'none' if axis is None else axis}", f"wrt {wrt}", *map(text, inputs), text(dout), text(tensor.grad.numpy())]
        print(" | ".join(fields), file=file)


with open(sys.argv[1], "w") as file:
    for op, name in AXIS_OPS.items():
        for x, y, axis in SHAPES:
            call = getattr(_legacy_C_ops, "elementwise_" + name)
            write(file, op, axis, lambda a, b: call(a, b, "axis", -1 if axis is None else axis), [values(random, x), values(random, y)])
    for op, function in BINARY.items():
        for x, y, axis in SHAPES:
            if axis is None or axis == -1:
                write(file, op, None, function, [values(random, x), values(random, y)])
    same = values(random, [5])
    for op in ("maximum", "minimum"):
        write(file, op, None, BINARY[op], [same, same])  # ties
    for op, function in UNARY.items():
        write(file, op, None, function, [np.abs(values(random, [2, 7])) if op == "sqrt" else values(random, [2, 7])])
    for x, y, axis in SHAPES:
        if axis is None or axis == -1:
            write(file, "copysign", None, paddle.copysign, [values(random, x), values(random, y)])
    for op in ("floor", "ceil", "round", "trunc", "sign"):
        write(file, op, None, getattr(paddle, op), [values(random, [2, 7])])
