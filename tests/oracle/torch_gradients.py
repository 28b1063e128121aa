"""Writes PyTorch's gradients of elementwise ops, cases of gradient_frameworks_test: ../data/torch_gradients.txt.

Run by hand, as PyTorch is too large for every build: pip install torch numpy, then

    torch_gradients.py FILE

FILE is as paddle_gradients.py says; inputs that are conditions are 0 and 1. A line may have `min MIN max MAX` behind the axis.
"""

import sys

import numpy as np
import torch
from gradient_cases import text, values

SHAPES = [([2, 3, 4], [4]), ([5], [5]), ([4, 1], [1, 3]), ([2, 3, 4], []), ([2, 3, 1], [2, 1, 4])]
BINARY = {"add": torch.add, "subtract": torch.sub, "multiply": torch.mul, "divide": torch.div, "true_divide": torch.true_divide,
          "maximum": torch.maximum, "minimum": torch.minimum, "fmax": torch.fmax, "fmin": torch.fmin, "fmod": torch.fmod,
          "remainder": torch.remainder, "copysign": torch.copysign}
UNARY = {"abs": torch.abs, "square": torch.square, "sqrt": torch.sqrt, "reciprocal": torch.reciprocal, "relu": torch.relu,
         "negative": torch.neg, "floor": torch.floor, "ceil": torch.ceil, "round": torch.round, "trunc": torch.trunc, "sign": torch.sign}

random = np.random.default_rng(12)


def write(file, op, function, inputs, bounds=""):
    tensors = [torch.tensor(array, requires_grad=array.dtype != bool) for array in inputs]
    out = function(*tensors)
    dout = values(random, list(out.shape))
    out.backward(torch.tensor(dout))
    for wrt, tensor in enumerate(tensors):
        if tensor.dtype != torch.bool:
            print(" | ".join([f"{op} axis none{bounds}", f"wrt {wrt}", *map(text, inputs), text(dout), text(tensor.grad.numpy())]), file=file)


with open(sys.argv[1], "w") as file:
    for op, function in BINARY.items():
        for x, y in SHAPES:
            write(file, op, function, [values(random, x), values(random, y)])
    same = values(random, [5])
    for op in ("maximum", "minimum"):
        write(file, op, BINARY[op], [same, same])  # ties
    for op, function in UNARY.items():
        write(file, op, function, [np.abs(values(random, [2, 7])) if op == "sqrt" else values(random, [2, 7])])
    for condition, x, y in (([2, 3], [2, 3], [2, 3]), ([3], [2, 3], []), ([2, 1], [3], [2, 3])):
        write(file, "where", torch.where, [random.random(condition) < 0.5, values(random, x), values(random, y)])
    for low, high in ((-1.5, 1.25), (-0.25, 3.0)):
        write(file, "clip", lambda x: torch.clamp(x, low, high), [values(random, [3, 5])], f" min {low} max {high}")
    just_below = np.array([0.3, 1.7, 2.9, 3.1])  # of multiples: x / y rounds up
    write(file, "fmod", torch.fmod, [np.nextafter(just_below * [1.0, 2.0, 7.0, 49.0], 0), just_below])
