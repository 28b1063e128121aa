"""The adapter in TVM-FFI: every op on NumPy arrays of all dtypes and strides, bit by bit against NumPy, for TVM-FFI has no ops of its own.

Where axiscast means something else than NumPy on purpose, the oracle in tests/oracle/op_meanings.py says in what.
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import tvm_ffi
from module_test import Calls, Errors, Loading, Memory, Names  # noqa: F401: unittest.main() runs them too
from numpy_cases import LAYOUTS, as_dtype, broadcast, data, expected, laid_out, oracle, result_of, same, tensor
from testing.cases import SHAPE_PAIRS, registry_ops

LIBRARY = os.environ["AXISCAST_ADAPTER"]
COMMAND = os.path.join(os.environ["AXISCAST_PREFIX"], "bin", "axiscast")
library = tvm_ffi.load_module(LIBRARY)
ops_that_ran = ctypes.CDLL(LIBRARY).axiscast_tvm_ffi_calls
ops_that_ran.restype = ctypes.c_uint64

compared = {}  # what with: how many results


class Compared(unittest.TestCase):
    def call(self, name, *arguments):
        """A call of the library, which must have been one of ours."""
        before = ops_that_ran()
        self.assertIsNone(library[name](*arguments))
        self.assertEqual(ops_that_ran(), before + 1, f"{name} did not run")

    def same(self, ours, theirs, name, what, oracle_name):
        self.assertTrue(same(ours, theirs, name), f"{what}: {ours} is not {theirs}")
        compared[oracle_name] = compared.get(oracle_name, 0) + 1


class Elementwise(Compared):
    def compare(self, op, names, output, pair, seed):
        shapes, axis = [pair[0], pair[1], pair[0]][:len(names)], pair[2]
        no_zero = op in oracle.INTEGER_DIVISOR_IS_CHECKED
        arrays = [data(name, shape, seed + i, no_zero) for i, (name, shape) in enumerate(zip(names, shapes))]
        attributes = {"min": 1, "max": 5} if op == "clip" else {}
        want = expected(op, names, output, broadcast(arrays, axis), list(attributes.values()))
        details = () if axis == -1 and not attributes else (None if axis == -1 else axis, attributes)
        for layout in ["dense", LAYOUTS[1 + seed % 3]]:
            what = f"{op} {names} {pair} {layout}"
            inputs = [tensor(laid_out(array, layout)[0], name) for array, name in zip(arrays, names)]
            out, rest_is_untouched = result_of(want.shape, output, layout)
            shape, dtype = library.infer_output(op, *inputs, *details)
            self.assertEqual((tuple(shape), str(dtype)), (want.shape, output), what)
            self.call(op, *inputs, tensor(out, output), *details)
            self.same(out, want, output, what, "NumPy")
            self.assertTrue(rest_is_untouched(), f"{what}: wrote beside out")
            if output == names[0] and want.shape == arrays[0].shape:
                x, _ = laid_out(arrays[0], layout)
                self.call(op + "_", tensor(x, names[0]), *inputs[1:], *details)
                self.same(x, want, output, what + " in place", "NumPy, in place")

    def test_every_op_dtype_and_shape(self):
        seed = 0
        for op, row in registry_ops().items():
            if op not in oracle.OPS:
                continue  # AllOthers has it
            pairs = SHAPE_PAIRS
            if row["arity"] == 1:
                pairs = sorted({(pair[0], (), -1) for pair in SHAPE_PAIRS})
            elif row["arity"] == 3:
                pairs = [pair for pair in SHAPE_PAIRS if pair[2] == -1]  # the axis rule is for two operands
            for signature in row["signatures"]:
                for pair in pairs:
                    seed += 1
                    self.compare(op, signature["inputs"], signature["output"], pair, seed)


class AllOthers(Compared):
    """Ops that are more than elementwise, against NumPy's functions or ten lines of it; numbers are such that sums are exact."""

    def each(self, op):
        """(names, output, layout) of every signature and layout."""
        for signature in registry_ops()[op]["signatures"]:
            for layout in LAYOUTS:
                yield signature["inputs"], signature["output"], layout

    def check(self, op, layout, output, want, inputs, names, axis, attributes):
        views = [tensor(laid_out(array, layout)[0], name) for array, name in zip(inputs, names)]
        out, rest_is_untouched = result_of(want.shape, output, layout)
        self.call(op, *views, tensor(out, output), axis, attributes)
        self.same(out, want, output, f"{op} {names} {layout}", "NumPy, more than elementwise")
        self.assertTrue(rest_is_untouched(), f"{op} {names} {layout}: wrote beside out")

    def test_gather(self):
        for names, output, layout in self.each("gather"):
            x = data(output, (3, 4, 5), 1)
            index = np.random.default_rng(2).integers(-4, 4, (3, 7, 5)).astype(names[1])
            attributes = {"dim": 1, "mode": "same_rank", "wrap_negative": True}
            self.check("gather", layout, output, np.take_along_axis(x, index.astype(np.int64) % 4, 1), [x, index], names, None, attributes)

    def test_scatter(self):
        for names, output, layout in self.each("scatter"):
            x, source = data(output, (3, 6, 5), 1), data(output, (3, 2, 5), 2)
            index = np.argsort(np.random.default_rng(3).random((3, 6, 5)), axis=1)[:, :2].astype(names[1])  # no place twice
            want = x.copy()
            np.put_along_axis(want, index.astype(np.int64), source, 1)
            self.check("scatter", layout, output, want, [x, index, source], names, None, {"dim": 1, "mode": "same_rank"})
            view, _ = laid_out(x, layout)
            self.call("scatter_", tensor(view, output), index, tensor(source, output), None, {"dim": 1, "mode": "same_rank"})
            self.same(view, want, output, f"scatter_ {names}", "NumPy, in place")

    def test_scatter_add(self):
        for names, output, layout in self.each("scatter_add"):
            numbers, added = (np.random.default_rng(seed).integers(0, 5, (4, 5)) for seed in (1, 2))
            index = np.random.default_rng(3).integers(0, 4, (4, 5)).astype(names[1])
            want = numbers.copy()
            np.add.at(want, (index.astype(np.int64), np.arange(5)), added)
            inputs = [as_dtype(numbers, output), index, as_dtype(added, output)]
            self.check("scatter_add", layout, output, as_dtype(want, output), inputs, names, None, {"dim": 0})

    def test_sum_to(self):
        for names, output, layout in self.each("sum_to"):
            numbers = np.random.default_rng(1).integers(0, 2, (2, 3, 4, 5))
            want = as_dtype(numbers.sum((0, 3)), output)
            self.check("sum_to", layout, output, want, [as_dtype(numbers, output)], names, 1, {"shape": (3, 4)})

    def test_broadcast_to(self):
        for names, output, layout in self.each("broadcast_to"):
            x = data(output, (3, 1), 1)
            self.check("broadcast_to", layout, output, np.broadcast_to(x, (2, 3, 4)).copy(), [x], names, None, {"shape": [2, 3, 4]})

    def test_gradients(self):
        gradients = {  # of x and of y, in NumPy
            "add": (lambda x, y, d: d, lambda x, y, d: d),
            "multiply": (lambda x, y, d: d * y, lambda x, y, d: d * x),
            "maximum": (lambda x, y, d: d * ((x > y) + 0.5 * (x == y)), lambda x, y, d: d * ((y > x) + 0.5 * (x == y))),
        }
        for op, functions in gradients.items():
            for name in ["float16", "bfloat16", "float32", "float64"]:
                x, y, dout = (np.random.default_rng(seed).integers(1, 4, shape) * 2 for seed, shape in enumerate([(2, 3, 4), (3,), (2, 3, 4)]))
                inputs = [as_dtype(numbers, name) for numbers in (x, y, dout)]  # above 0: sums of zeros have signs
                for wrt, layout in enumerate(LAYOUTS[:2]):
                    want = functions[wrt](x, y.reshape(3, 1), dout)
                    want = as_dtype(want.sum((0, 2)) if wrt else want, name)
                    self.check(op + "_grad", layout, name, want, inputs, [name] * 3, 1, {"wrt": wrt})

    def test_what_numpy_has_not(self):
        """Other gradients, and whatever else there is: the same bits as the command's, on float64."""
        known = {"gather", "scatter", "scatter_add", "sum_to", "broadcast_to", "add_grad", "multiply_grad", "maximum_grad", *oracle.OPS}
        others = [op for op in library.op_names() if op not in known]
        print("compared with the command, not with NumPy:", " ".join(others))
        with tempfile.TemporaryDirectory() as folder:
            *files, result = [os.path.join(folder, f"{i}.npy") for i in range(5)]
            for op in others:
                row = json.loads(subprocess.run([COMMAND, "ops", op, "--json"], capture_output=True, check=True).stdout)[0]
                names = [s["inputs"] for s in row["signatures"] if "float64" in s["inputs"]]
                self.assertTrue(names, f"{op} has no float64: it needs a test of its own")
                inputs = [data(name, (3, 4), 7 + i) for i, name in enumerate(names[0])]
                attributes = {"wrt": row["arity"] - 2} if op.endswith("_grad") else {}
                for file, array in zip(files, inputs):
                    np.save(file, array)
                flags = [word for name, value in attributes.items() for word in ("--attr", f"{name}={value}")]
                subprocess.run([COMMAND, "run", op, *files[:len(inputs)], "-o", result, *flags], capture_output=True, check=True)
                want = np.load(result)
                out = np.empty_like(want)
                self.call(op, *inputs, out, None, attributes)
                self.same(out, want, str(want.dtype), op, "the command")


class OtherLibraries(unittest.TestCase):
    def test_pytorchs_tensors(self):
        print("NOT RUN: PyTorch's tensors, for PyPI's wheels of it are 3 GB; to the adapter they are the host's tensors like all others")

    def test_paddles_tensors(self):
        """In Paddle's environment, which `./dev engines paddle` makes; it is 800 MB, so there is none of our own."""
        python = os.path.abspath(os.environ.get("AXISCAST_PADDLE_PYTHON", "../paddle/venv/bin/python"))
        if not os.path.exists(python):
            print(f"NOT RUN: Paddle's tensors, for there is no {python}; ./dev engines paddle makes it")
            return
        with tempfile.TemporaryDirectory() as folder:  # of this environment's packages it gets tvm_ffi alone
            os.symlink(os.path.dirname(tvm_ffi.__file__), os.path.join(folder, "tvm_ffi"))
            program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "paddle_tensors.py")
            run = subprocess.run([python, program, LIBRARY], env={**os.environ, "PYTHONPATH": folder}, capture_output=True, text=True,
                                 check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        compared["Paddle, on its tensors"] = int(run.stdout.split()[-1])


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    print("results compared: " + ", ".join(f"{number} with {what}" for what, number in compared.items()))
    sys.exit(not result.wasSuccessful())
