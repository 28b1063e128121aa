"""The adapter for Paddle as its users meet it: programs, errors, threads, memory, other versions; kernels_test.py has the kernels."""
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
from kernels_test import Forward, Gradients, ShapesAndIndices  # run by unittest.main() below

HERE = os.path.dirname(os.path.abspath(__file__))


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


    def test_static_gradients(self):
        """In a program the executor frees what it need not keep, and puts gradients into memory of others."""
        paddle.enable_static()
        try:
            program = paddle.static.Program()
            with paddle.static.program_guard(program):
                x, w, b = (paddle.static.data(name, shape, "float32") for name, shape in (("x", [4, 3, 8]), ("w", [3, 1]), ("b", [8])))
                for value in (x, w, b):
                    value.stop_gradient = False
                out = paddle.clip((x * w + b) / w - b * x, -100.0, 100.0)
                out = paddle.where(out > 0, out, paddle.square(out)) + paddle.expand(b, [4, 3, 8])
                gradients = paddle.static.gradients([out], [x, w, b])
            executor = paddle.static.Executor(paddle.CPUPlace())
            rng = np.random.default_rng(3)
            feed = {"x": rng.integers(-3, 4, (4, 3, 8)), "w": 2.0 ** rng.integers(-1, 2, (3, 1)), "b": rng.integers(-3, 4, 8)}
            feed = {name: value.astype(np.float32) for name, value in feed.items()}
            results = []
            for ours in (False, True):
                axiscast_paddle.use(ours)
                before = axiscast_paddle.calls()
                results.append(executor.run(program, feed=feed, fetch_list=gradients))
            self.assertGreaterEqual(axiscast_paddle.calls() - before, 20)
        finally:
            axiscast_paddle.use(True)
            paddle.disable_static()
        for theirs, mine in zip(*results):
            self.assertTrue((theirs == mine).all(), f"{theirs}\n{mine}")


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
        # Paddle's kernel writes (4, 4) into the memory of (1, 4) here, and values of neither rule into (1, 2, 2).
        for x, y, inferred in (([1, 4], [4], [1, 4]), ([1, 2, 1], [1, 2], [1, 2, 2])):
            self.assertEqual(self.message(lambda x=x, y=y: _legacy_C_ops.less_than(paddle.ones(x), paddle.ones(y), "axis", 0)),
                             "(InvalidArgument) less_than_raw: the result by its axis must have the shape that Paddle infers, by the trailing "
                             f"dims; got axis 0 (x {x}, y {y}, inferred {inferred})")
        for dtype in ("float32", "float16"):
            self.assertEqual(self.message(lambda d=dtype: _C_ops.clip(paddle.ones([2], d), 3.0, 1.0)),
                             "(InvalidArgument) max should be greater than or equal to min. But received min = 3.000000, max = 1.000000")

    def test_lowest_integer_by_minus_one(self):
        lowest, minus_one = np.iinfo(np.int32).min, paddle.to_tensor([-1], "int32")  # by Paddle's kernels the process dies of SIGFPE
        x = paddle.to_tensor([lowest], "int32")
        self.assertEqual([_C_ops.floor_divide(x, minus_one).item(), _C_ops.remainder(x, minus_one).item()], [lowest, 0])

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
        for count in (20, 10000):
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
        self.assertEqual(self.busy_threads(2), min(2, len(os.sched_getaffinity(0))))  # or the test would not see threads


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
