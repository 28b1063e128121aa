"""The adapter as a module of the host: names, errors as Python's users see them, threads, memory, loading. Run by tvm_ffi_test.py."""
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
import tvm_ffi
from foreign import Foreign
from testing.cases import registry_ops

LIBRARY = os.environ["AXISCAST_ADAPTER"]
library = tvm_ffi.load_module(LIBRARY)
X, BIAS = np.ones((2, 3, 4, 5), np.float32), np.array([10, 20, 30], np.float32)


def resident():
    """Bytes of memory that this process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


class Names(unittest.TestCase):
    def test_every_op_is_there_under_all_its_names(self):
        names = list(library.op_names())
        self.assertEqual(names, sorted(set(names)))
        for op, row in registry_ops().items():
            self.assertIn(op, names)
            for name in [op, op + "_", *row["aliases"]]:
                self.assertTrue(library.implements_function(name), name)
                self.assertIn(row["doc"], library.get_function_doc(name))
        self.assertEqual(
            library.get_function_doc("elementwise_add_").split("\n")[0],
            "elementwise_add_(x, y, axis = None, attributes = None, options = None)")

    def test_no_such_name(self):
        with self.assertRaisesRegex(AttributeError, "Module has no function 'ad'"):
            library.ad
        self.assertFalse(library.implements_function("_"))


class Errors(unittest.TestCase):
    def refused(self, error, text, name, *arguments):
        with self.assertRaises(error) as raised:
            library[name](*arguments)
        self.assertEqual(str(raised.exception), text)

    def test_axiscasts_texts(self):
        out = np.full_like(X, 7)
        refused = lambda text, name, *arguments: self.refused(ValueError, text, name, *arguments)  # noqa: E731
        refused("elementwise_add: dimensions must be equal or 1; got x[3] = 5 and y[0] = 3 (x [2, 3, 4, 5], y [3])",
                "elementwise_add", X, BIAS, out)
        refused("add_: the result [2, 3, 4, 5] does not have the shape of x [3]", "add_", BIAS, X, 1)
        refused("divide: integer division by zero at y[1] (x [3], y [3])", "divide", *[np.arange(3) - i for i in (0, 1, 2)])
        refused('clip: there is no attribute of clip "mix"; did you mean min, max; there are: min, max', "clip", X, out, None, {"mix": 1})
        refused("gather: index out of range; got index[1] = 3, accepted are 0 to 2 along dim 0 of input [3] (input [3], index [2], dim 0)",
                "gather", BIAS, np.array([0, 3]), np.ones(2, np.float32), None, {"dim": 0})
        self.assertTrue((out == 7).all())

    def test_what_is_no_operand(self):
        out = np.empty_like(X)
        add = "a call is add(x, y, out, axis = None, attributes = None, options = None)"
        self.refused(TypeError, add + "; got 2 arguments", "add", X, BIAS)
        self.refused(TypeError, add + "; got 7 arguments", "add", X, BIAS, out, 1, {}, {}, None)
        self.refused(TypeError, "add: y must be a tensor; got float", "add", X, 1.0, out)
        self.refused(TypeError, "add_: x must be a tensor; got ffi.Array", "add_", [1, 2], BIAS)
        self.refused(TypeError, "add: axis must be an int or None; got float", "add", X, BIAS, out, 1.0)
        self.refused(TypeError, "add: attributes must be a dict with names as keys, or None; got int", "add", X, BIAS, out, 1, 1)
        self.refused(TypeError, "clip: attribute min must be a number, a str or a sequence of ints; got None", "clip", X, out, None, {"min": None})
        for huge in (2**64, -2**63 - 1):
            self.refused(TypeError, "clip: attribute min must be a number, a str or a sequence of ints; got ffi.BigInt", "clip", X, out, None, {"min": huge})
        self.refused(ValueError, "add: there is no option mod; there are mode and max_threads", "add", X, BIAS, out, 1, None, {"mod": 1})
        self.refused(ValueError, "axiscast_apply: max_threads must be 0 or more; got -2147483648", "add", X, X, out, None, None, {"max_threads": -2**40})
        self.refused(ValueError, 'there is no mode "numby"; did you mean numpy; there are: numpy, axis, onnx_legacy, none, same_rank, '
                     "pattern, legacy_pointwise, pointwise", "add", X, BIAS, out, 1, None, {"mode": "numby"})
        self.refused(ValueError, "add: x: axiscast_dtype_from_dlpack: there is no dtype for DLPack's complex64", "add", X.astype("c8"), X, X)
        self.refused(ValueError, "add: y: axiscast_dtype_from_dlpack: there is no dtype for DLPack's float32 in vectors of 4", "add", X,
                     Foreign(X, 2, 32, lanes=4), out)
        self.refused(ValueError, "add: out: axiscast_tensor_from_dlpack: the tensor must be in memory of the CPU, DLPack's device type 1; "
                     "got device type 2", "add", X, X, Foreign(out, 2, 32, device=2))

    def test_infer_output(self):
        with self.assertRaisesRegex(ValueError, '^there is no op "ad"; did you mean add, '):
            library.infer_output("ad", X, X)
        self.refused(TypeError, 'a call is infer_output("abs", x, axis = None, attributes = None, options = None); got 0 arguments', "infer_output", "abs")
        self.refused(TypeError, "a call is infer_output(name, inputs..., axis = None, attributes = None, options = None): the output's shape and dtype",
                     "infer_output", X)
        self.refused(ValueError, "add: dimensions must be equal or 1; got x[3] = 5 and y[0] = 3 (x [2, 3, 4, 5], y [3])", "infer_output", "add", X, BIAS)

    def test_read_only_memory_never_comes_this_far(self):
        with self.assertRaisesRegex(BufferError, "readonly"):
            library.add(X, np.broadcast_to(BIAS, (2, 3)), X)


class Calls(unittest.TestCase):
    def test_details(self):
        out = np.zeros((2, 3), np.float32)
        library.add(np.ones((2, 3), np.float32), np.ones(3, np.float32), out, None, None, {"mode": "onnx_legacy", "max_threads": 1})
        self.assertTrue((out == 2).all())
        numbers = np.array([0, 2**63 - 1, 5], np.int64)  # 2^63 - 2 is no float64
        library.clip_(numbers, None, {"min": 1, "max": 2**63 - 2})
        self.assertEqual(numbers.tolist(), [1, 2**63 - 2, 5])
        numbers = np.array([0, 2**64 - 1], np.uint64)
        library.clip_(numbers, None, {"max": 2**64 - 2})
        self.assertEqual(numbers.tolist(), [0, 2**64 - 2])
        out = np.zeros(3, np.float32)
        library.gather(BIAS, np.array([-1, 0, -2]), out, None, {"dim": 0, "wrap_negative": True})
        self.assertEqual(out.tolist(), [30, 10, 20])

    def test_tensors_of_the_host_and_without_strides(self):
        out = tvm_ffi.from_dlpack(np.zeros(3, np.float32))
        library.add(tvm_ffi.from_dlpack(BIAS), BIAS, out)
        self.assertEqual(np.from_dlpack(out).tolist(), [20, 40, 60])
        dense = Foreign(BIAS[1:], 2, 32, strides=False, byte_offset=16)
        two = np.zeros(2, np.float32)
        library.negative(dense, two)
        self.assertEqual(two.tolist(), [-20, -30])

    def test_infer_output(self):
        shape, dtype = library.infer_output("less", np.ones((2, 1, 4), np.int8), np.ones(3, np.int8), 1)
        self.assertEqual((tuple(shape), str(dtype)), ((2, 3, 4), "bool"))
        shape, dtype = library.infer_output("sum_to", X, 1, {"shape": (3, 1)})
        self.assertEqual((np.empty(shape, dtype).shape, str(dtype)), ((3, 1), "float32"))
        shape, dtype = library.infer_output("square", Foreign(np.array(1, np.uint16), 4, 16))
        self.assertEqual((tuple(shape), str(dtype)), ((), "bfloat16"))

    def test_overlap(self):
        x = np.arange(8, dtype=np.int32)
        library.add(x[:-1], x[1:], x[1:])  # as if the inputs had been copied first
        self.assertEqual(x.tolist(), [0, 1, 3, 5, 7, 9, 11, 13])

    def test_many_threads(self):
        wrong = []

        def work(seed):
            rng = np.random.default_rng(seed)
            x, y = rng.integers(0, 9, (64, 3, 50 + seed)).astype(np.float32), rng.integers(0, 9, 3).astype(np.float32)
            want, out = x + y[:, None], np.empty_like(x)
            for _ in range(200):
                out[...] = -1
                library.add(x, y, out, 1)
                if not (out == want).all():
                    wrong.append(seed)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_thread_limit(self):
        """The host has no threads of its own, and no limit: a call's option is one, and without it there are as many as CPUs."""
        program = ("import os, sys, numpy, tvm_ffi\n"
                   "library = tvm_ffi.load_module(sys.argv[1])\n"
                   "x = numpy.ones(1 << 22, numpy.float32)\n"
                   "threads = lambda: len(os.listdir('/proc/self/task'))\n"
                   "before = threads()\n"
                   "for _ in range(20): library.add(x, x, x, None, None, {'max_threads': 1})\n"
                   "alone = threads()\n"
                   "for _ in range(20): library.multiply(x, x, x)\n"
                   "print(before, alone, threads())\n")
        before, alone, all_of_them = map(int, subprocess.run([sys.executable, "-c", program, LIBRARY], capture_output=True, check=True).stdout.split())
        self.assertEqual(alone, before)
        cpus = len(os.sched_getaffinity(0))
        self.assertLessEqual(all_of_them, before + cpus - 1)
        self.assertGreater(all_of_them, before - (cpus == 1))


class Memory(unittest.TestCase):
    def grows(self, times, call):
        for _ in range(times // 10):
            call()
        before = resident()
        for _ in range(times):
            call()
        return resident() - before

    def test_calls_keep_nothing(self):
        out = np.empty_like(X)
        tensors = [tvm_ffi.from_dlpack(array) for array in (X, BIAS, out)]
        add = library.add
        self.assertLess(self.grows(1000000, lambda: add(*tensors, 1)), 1 << 20)
        self.assertLess(self.grows(100000, lambda: add(X, BIAS, out, 1)), 1 << 20)
        self.assertLess(self.grows(100000, lambda: library.clip(X, out, None, {"min": 0, "max": 1.5})), 1 << 20)

    def test_errors_and_functions_keep_nothing(self):

        def fails():
            try:
                library.add(X, BIAS, X)
            except ValueError:
                return
            raise AssertionError("add did not fail")

        self.assertLess(self.grows(10000, fails), 1 << 20)
        self.assertLess(self.grows(100000, lambda: library.get_function("add")), 1 << 20)


class Loading(unittest.TestCase):
    def test_functions_outlive_the_module(self):
        for _ in range(3):
            module = tvm_ffi.load_module(LIBRARY, keep_module_alive=False)
            add = module.get_function("add")
            del module
            gc.collect()
            out = np.zeros(3, np.float32)
            add(BIAS, BIAS, out)
            self.assertEqual(out.tolist(), [20, 40, 60])
            del add
            gc.collect()

    def test_two_copies(self):
        with tempfile.TemporaryDirectory() as folder:
            path = shutil.copy(LIBRARY, folder)
            out = np.zeros(3, np.float32)
            tvm_ffi.load_module(path).add(BIAS, BIAS, out)
            library.add(out, BIAS, out)
            self.assertEqual(out.tolist(), [30, 60, 90])
