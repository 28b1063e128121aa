"""The adapter for Paddle: what ours compute beside Paddle's own kernels, in one process, by the switch that the adapter has."""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

os.environ["GLOG_minloglevel"] = "3"

import numpy as np
import paddle
from paddle import _C_ops, _legacy_C_ops

import axiscast_paddle
import kernel_calls as kernels
from testing import cases

HERE = os.path.dirname(os.path.abspath(__file__))


def both(call):
    """The call's result by Paddle's kernel and by ours, and how many of ours ran."""
    axiscast_paddle.use(False)
    try:
        theirs = call()
    finally:
        axiscast_paddle.use(True)
    before = axiscast_paddle.calls()
    ours = call()
    return theirs, ours, axiscast_paddle.calls() - before


def aligned(x, y, axis):
    """y with the dims that it has at x's axis."""
    return y if axis == -1 or x.shape == y.shape else y.reshape(y.shape + (1,) * (x.ndim - axis - y.ndim))


def same(ours, theirs, zeros_may_differ):
    if zeros_may_differ and ours.dtype.kind == "f":
        ours, theirs = ours + ours.dtype.type(0), theirs + theirs.dtype.type(0)  # -0 + 0 is +0
    return cases.same_bits(ours, theirs)


class Forward(unittest.TestCase):
    """Every kernel x dtype x shape pair of the table, gradients apart."""

    def arrays(self, kernel, dtype, pair, seed):
        x_shape, y_shape, _ = pair
        numpy_dtype = "float32" if dtype == "bfloat16" else dtype
        name = kernels.forward(kernel)
        x = cases.values(numpy_dtype, x_shape, seed)
        y = cases.values(numpy_dtype, y_shape, seed + 100, no_zero=name in ("divide", "floor_divide", "trunc_divide", "remainder"))
        if "shift" in name:
            y = (y % np.array(20, numpy_dtype)).astype(numpy_dtype) - np.array(0 if dtype == "uint8" else 3, numpy_dtype)
        if dtype == "bfloat16":
            x, y = kernels.round_to(x, dtype), kernels.round_to(y, dtype)
        if kernel == "where":
            return [cases.values(bool, x_shape, seed + 200), x, y]
        return [x] if kernel in kernels.UNARY else [x, y]

    def pairs(self, kernel):
        for seed, pair in enumerate(cases.SHAPE_PAIRS):
            if kernel == "where" and pair[0] != pair[1]:
                continue  # Paddle's Python broadcasts; the kernel takes one shape
            if pair[2] != -1 and (not kernel.endswith("_raw") or kernel not in kernels.LEGACY):
                continue  # of comparisons Paddle infers the shape as if there were no axis, and refuses most
            yield seed, pair

    def check(self, kernel, dtype, seed, pair, has_own):
        arrays = self.arrays(kernel, dtype, pair, seed)
        tensors = [kernels.to_tensor(a, "bool" if a.dtype == bool else dtype) for a in arrays]
        name = kernels.forward(kernel)
        if has_own:
            theirs, ours, ran = both(lambda: kernels.call(kernel, tensors, pair[2]))
            self.assertEqual(ours.dtype, theirs.dtype)
            theirs = kernels.to_numpy(theirs)
        else:
            before = axiscast_paddle.calls()
            ours = kernels.call(kernel, tensors, pair[2])
            ran = axiscast_paddle.calls() - before
        self.assertEqual(ran, 1)
        ours = kernels.to_numpy(ours)
        by_numpy = not has_own or (name, dtype) in kernels.INEXACT
        if by_numpy:
            arrays[-1] = aligned(arrays[0], arrays[-1], pair[2])
            theirs = kernels.expected(kernel, arrays, dtype)
        self.assertEqual(ours.shape, theirs.shape)
        self.assertTrue(same(ours, theirs, name in kernels.SIGN_OF_ZERO), "\n".join(map(str, (*arrays, theirs, ours))))
        return by_numpy

    def test_all(self):
        with_paddle = with_numpy = 0
        for kernel, (_, dtypes) in axiscast_paddle.replaced.items():
            if kernel.endswith("_grad"):
                continue
            for dtype, has_own in dtypes.items():
                for seed, pair in self.pairs(kernel):
                    with self.subTest(kernel=kernel, dtype=dtype, pair=pair):
                        by_numpy = self.check(kernel, dtype, seed, pair, has_own)
                        with_numpy += by_numpy
                        with_paddle += not by_numpy
        print(f"        {with_paddle} results compared with Paddle's own kernel, {with_numpy} with NumPy", flush=True)
        self.assertGreater(with_paddle, 2000)
        self.assertGreater(with_numpy, 1000)

    def test_reasons_are_used(self):
        for kernel, dtype in kernels.INEXACT:
            self.assertTrue(axiscast_paddle.replaced[kernel][1][dtype])
        for kernel in kernels.SIGN_OF_ZERO:
            self.assertIn(kernel, axiscast_paddle.replaced)


class Gradients(unittest.TestCase):
    """Through autograd. Data whose sums and quotients are exact, so that the order of additions does not matter."""

    PAIRS = [pair for pair in cases.SHAPE_PAIRS if np.prod(pair[0]) < 5000]

    def run_one(self, kernel, dtype, pair, seed):
        rng = np.random.default_rng(seed)
        name = kernel.removesuffix("_grad")
        unary = name in kernels.UNARY
        x_shape, y_shape, axis = pair
        if name == "where" or unary:
            y_shape, axis = x_shape, -1
        x = rng.integers(-4, 5, x_shape).astype(np.float32)
        y = np.float32(2) ** rng.integers(-1, 2, y_shape) if name == "divide" else rng.integers(-4, 5, y_shape).astype(np.float32)
        if name == "remainder":
            y[y == 0] = 1
        condition = rng.integers(0, 2, x_shape).astype(bool)
        tensors = [kernels.to_tensor(a.astype(dtype) if dtype != "bfloat16" else a, dtype) for a in ((x,) if unary else (x, y))]
        for tensor in tensors:
            tensor.stop_gradient = False
        operands = [kernels.to_tensor(condition, "bool")] * (name == "where") + tensors
        called = name + "_raw" if axis != -1 else name
        out = kernels.call(called, operands, axis)
        dout = rng.integers(-2, 3, out.shape).astype(np.float32)
        dout_tensor = kernels.to_tensor(dout.astype(dtype) if dtype != "bfloat16" else dout, dtype)
        before = axiscast_paddle.calls()
        gradients = paddle.grad([out], tensors, [dout_tensor])
        return [kernels.to_numpy(g) for g in gradients], axiscast_paddle.calls() - before

    def test_all(self):
        with_paddle = with_float64 = 0
        for kernel, (_, dtypes) in axiscast_paddle.replaced.items():
            if not kernel.endswith("_grad"):
                continue
            for dtype, has_own in dtypes.items():
                for seed, pair in enumerate(self.PAIRS):
                    if pair[2] != -1 and kernel not in ("add_grad", "subtract_grad", "multiply_grad", "divide_grad"):
                        continue
                    with self.subTest(kernel=kernel, dtype=dtype, pair=pair):
                        ours, ran = self.run_one(kernel, dtype, pair, seed)
                        self.assertEqual(ran, len(ours))
                        axiscast_paddle.use(False)
                        try:  # of a dtype that Paddle lacks: what it computes of the same numbers as float64
                            theirs, _ = self.run_one(kernel, dtype if has_own else "float64", pair, seed)
                        finally:
                            axiscast_paddle.use(True)
                        for mine, own in zip(ours, theirs):
                            if not has_own:
                                own = kernels.round_to(own.astype(np.float32), dtype)
                            self.assertTrue(same(mine, own, True), f"{mine}\n{own}")
                        with_paddle += has_own
                        with_float64 += not has_own
        print(f"        {with_paddle} gradients compared with Paddle's own kernel, {with_float64} with it in float64", flush=True)
        self.assertGreater(with_paddle, 200)
        self.assertGreater(with_float64, 200)


class Programs(unittest.TestCase):
    def test_old_program_with_axis_and_predictor(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, os.path.join(HERE, "old_program.py"), folder], capture_output=True, text=True, check=False)
        self.assertTrue(run.stdout.endswith("ok\n"), run.stdout + run.stderr)

    def test_static_program(self):
        paddle.enable_static()
        try:
            program = paddle.static.Program()
            with paddle.static.program_guard(program):
                x = paddle.static.data("x", [None, 3], "float32")
                out = paddle.where(x > 0, x * x, x - paddle.maximum(x, paddle.ones([3])))
            before = axiscast_paddle.calls()
            data = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
            result = paddle.static.Executor(paddle.CPUPlace()).run(program, feed={"x": data}, fetch_list=[out])[0]
        finally:
            paddle.disable_static()
        self.assertGreaterEqual(axiscast_paddle.calls() - before, 5)
        self.assertEqual(result.tolist(), [[1, -3, 9], [-5, 25, -7]])


class Calls(unittest.TestCase):
    def test_in_place(self):
        x = paddle.ones([2, 3])
        address, before = x.data_ptr(), axiscast_paddle.calls()
        x.add_(paddle.to_tensor([1.0, 2.0, 3.0]))
        self.assertEqual((x.numpy().tolist(), x.data_ptr()), ([[2, 3, 4]] * 2, address))
        y = paddle.to_tensor([1.0, 2.0, 3.0])
        y.less_than_(paddle.to_tensor([2.0, 2.0, 2.0]))  # of another dtype, in the same memory
        self.assertEqual((y.numpy().tolist(), y.dtype), ([True, False, False], paddle.bool))
        self.assertEqual(axiscast_paddle.calls() - before, 2)

    def test_views_and_empty(self):
        x = paddle.to_tensor(np.arange(12, dtype=np.float32).reshape(3, 4)).t()
        self.assertFalse(x.is_contiguous())
        for add in (paddle.add, _legacy_C_ops.elementwise_add):
            self.assertEqual(add(x, x).numpy().tolist(), (x.numpy() * 2).tolist())
        self.assertEqual(paddle.add(paddle.zeros([0, 3]), paddle.ones([3])).shape, [0, 3])

    def message(self, call):
        with self.assertRaises(ValueError) as caught:
            call()
        return str(caught.exception).partition(" (at ")[0]

    def test_errors(self):
        five, zeros = paddle.to_tensor([[5, 6]]), paddle.to_tensor([2, 0])
        self.assertEqual(self.message(lambda: paddle.floor_divide(five, zeros)),
                         "(InvalidArgument) floor_divide: integer division by zero at y[1] (x [1, 2], y [2])")
        # Paddle's kernel dies by SIGFPE here.
        self.assertEqual(self.message(lambda: paddle.remainder(paddle.to_tensor([5]), five * 0)),
                         "(InvalidArgument) remainder: integer division by zero at y[0, 0] (x [1], y [1, 2])")
        # Paddle's kernel writes (4, 4) into the memory of (1, 4) here.
        self.assertEqual(self.message(lambda: _legacy_C_ops.less_than(paddle.ones([1, 4]), paddle.ones([4]), "axis", 0)),
                         "(InvalidArgument) less: out is never stretched, so dimensions of the result must be equal to out's or 1; "
                         "got result[0] = 4 and out[0] = 1 (x [1, 4], y [4], axis 0, result [4, 4], out [1, 4])")
        for dtype in ("float32", "float16"):
            self.assertEqual(self.message(lambda d=dtype: _C_ops.clip(paddle.ones([2], d), 3.0, 1.0)),
                             "(InvalidArgument) max should be greater than or equal to min. But received min = 3.000000, max = 1.000000")

    def test_switch(self):
        axiscast_paddle.use(False)
        try:
            before = axiscast_paddle.calls()
            self.assertEqual((paddle.ones([3]) + paddle.ones([3])).numpy().tolist(), [2, 2, 2])
            with self.assertRaisesRegex(RuntimeError, "Paddle has no kernel add for this dtype"):
                paddle.add(paddle.ones([3], "float16"), paddle.ones([3], "float16"))
            self.assertEqual(axiscast_paddle.calls(), before)
        finally:
            axiscast_paddle.use(True)

    def test_threads_at_once(self):
        wrong = []

        def work(number):
            for i in range(300):
                x, y = np.full((number + 2, 7), i, np.float32), np.arange(7, dtype=np.float32)
                if not (paddle.add(paddle.to_tensor(x), paddle.to_tensor(y)).numpy() == x + y).all():
                    wrong.append((number, i))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_memory(self):
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        pairs = [(paddle.ones([n, 3]), paddle.ones([3])) for n in range(1, 101)]  # more than the plans that a thread keeps
        for count in (20, 1000):
            before = resident()
            for _ in range(count):
                for x, y in pairs:
                    _C_ops.add(x, y)
        self.assertLess(resident() - before, 1 << 20)


class Threads(unittest.TestCase):
    """Paddle's limit is OpenMP's, which is 1 unless set."""

    def busy_threads(self, limit):
        """How many threads of this process have used the CPU while large results were computed."""
        openmp = ctypes.CDLL(os.path.join(os.path.dirname(paddle.__file__), "libs", "libiomp5.so"))
        openmp.omp_set_num_threads(limit)

        def ticks():
            times = {}
            for thread in os.listdir("/proc/self/task"):
                with open(f"/proc/self/task/{thread}/schedstat", encoding="ascii") as file:
                    times[thread] = int(file.read().split()[0])  # ns on a CPU
            return times

        x, y = paddle.ones([2000, 1, 100]), paddle.ones([20, 100])
        before = ticks()
        for _ in range(20):
            _C_ops.add(x, y)
        openmp.omp_set_num_threads(1)
        return sum(spent - before.get(thread, 0) > 1_000_000 for thread, spent in ticks().items())

    def test_limit(self):
        self.assertEqual(self.busy_threads(1), 1)
        self.assertLessEqual(self.busy_threads(2), 2)


class Version(unittest.TestCase):
    def test_another_version_is_refused(self):
        """The adapter as if it were built for another Paddle: a copy in which the version is another."""
        adapter = os.environ["AXISCAST_ADAPTER"]
        version = paddle.__version__.encode()
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "other.so")
            with open(adapter, "rb") as file:
                content = file.read()
            self.assertGreaterEqual(content.count(version), 2)
            with open(other, "wb") as file:
                file.write(content.replace(version, b"9.9.9"))
            shutil.copymode(adapter, other)
            run = subprocess.run([sys.executable, "-c", "import paddle\ntry:\n import axiscast_paddle\nexcept ImportError as error:\n print(error)\n"
                                  "print(paddle.add(paddle.ones([1]), paddle.ones([1])).item())"],
                                 env={**os.environ, "AXISCAST_ADAPTER": other}, capture_output=True, text=True, check=False)
        sentence = "axiscast_paddle was built for Paddle 9.9.9 and refuses any other; this one says version: " + paddle.__version__
        self.assertEqual(run.stdout, sentence + "\n2.0\n")
        self.assertIn(f"axiscast_paddle: {sentence}; Paddle's kernels stay as they are\n", run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
