"""Every kernel that the adapter for Paddle replaces: what ours computes beside Paddle's own, in one process; paddle_test.py runs it."""
import unittest

import numpy as np
import paddle
from paddle import _C_ops

import axiscast_paddle
import kernel_calls as kernels
from testing import cases

# Kernels whose arguments are more than operands; ShapesAndIndices has them.
SHAPED = {"expand", "expand_as", "reduce_as", "expand_grad", "expand_as_grad", "take_along_axis", "put_along_axis"}


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
        arrays[-1] = aligned(arrays[0], arrays[-1], pair[2])
        if by_numpy:
            theirs = kernels.expected(kernel, arrays, dtype)
        self.assertEqual(ours.shape, theirs.shape)
        if not by_numpy and name != kernel and not cases.same_bits(kernels.flushed(ours), ours):
            # Ours keep subnormals, as NumPy does. Paddle runs its old ops with all of them flushed to zero, if the machine lets it:
            # a Zen 3 did, an Emerald Rapids did not.
            self.assertTrue(same(ours, kernels.expected(kernel, arrays, dtype), False), "\n".join(map(str, (*arrays, ours))))
            if cases.same_bits(kernels.flushed(theirs), theirs):
                ours = kernels.flushed(ours)
        self.assertTrue(same(ours, theirs, name in kernels.SIGN_OF_ZERO), "\n".join(map(str, (*arrays, theirs, ours))))
        return by_numpy

    def test_all(self):
        with_paddle = with_numpy = 0
        for kernel, (_, dtypes) in axiscast_paddle.replaced.items():
            if kernel.endswith("_grad") or kernel in SHAPED:
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
            if not kernel.endswith("_grad") or kernel in SHAPED:
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


class ShapesAndIndices(unittest.TestCase):
    """The kernels in SHAPED. Sums are of small whole numbers, so that the order of additions does not matter."""

    SHAPES = [((3,), (2, 3)), ((2, 1, 3), (2, 4, 3)), ((), (4,)), ((1,), (0,)), ((2, 3), (2, 3)), ((3, 1), (2, -1, 5)), ((5,), (3, 2, 5)),
              ((64, 1, 1), (2, 64, 7, 7))]
    # Of an index beside (2, 3, 4), and its axis.
    INDICES = [((2, 3, 4), 1), ((1, 2, 4), 1), ((2, 5, 3), 1), ((2, 3, 1), 2), ((1, 3, 2), 0), ((0, 3, 4), 0)]

    def setUp(self):
        self.compared = {True: 0, False: 0}

    def data(self, dtype, shape, seed, small=False):
        numpy_dtype = "float32" if dtype == "bfloat16" else dtype
        if small:
            return np.random.default_rng(seed).integers(-3, 4, shape).astype(numpy_dtype)
        array = cases.values(numpy_dtype, shape, seed)
        return kernels.round_to(array, dtype) if dtype == "bfloat16" else array

    def check(self, kernel, dtype, call, by_numpy, ours_ran=1):
        """The kernel's results by both, or by ours and what by_numpy() gives where Paddle has none."""
        has_own = axiscast_paddle.replaced[kernel][1][dtype]
        if has_own:
            theirs, ours, ran = both(call)
            theirs = kernels.to_numpy(theirs)
        else:
            before = axiscast_paddle.calls()
            ours, ran, theirs = call(), axiscast_paddle.calls() - before, by_numpy()
        self.assertEqual(ran, ours_ran)
        self.assertTrue(same(kernels.to_numpy(ours), theirs, False), f"{theirs}\n{ours}")
        self.compared[has_own] += 1

    def dtypes(self, kernel):
        return axiscast_paddle.replaced[kernel][1]

    def test_expand_and_reduce(self):
        for dtype in self.dtypes("expand"):
            for x_shape, shape in self.SHAPES:
                with self.subTest(dtype=dtype, x=x_shape, shape=shape):
                    array = self.data(dtype, x_shape, 1)
                    x, full = kernels.to_tensor(array, dtype), tuple(3 if extent < 0 else extent for extent in shape)
                    self.check("expand", dtype, lambda: _C_ops.expand(x, list(shape)), lambda: np.broadcast_to(array, full))
                    self.check("expand_as", dtype, lambda: _C_ops.expand_as(x, None, list(full)), lambda: np.broadcast_to(array, full))
                    if dtype not in self.dtypes("reduce_as"):
                        continue
                    large_array = self.data(dtype, full, 2, small=True)
                    large = kernels.to_tensor(large_array, dtype)

                    def sums(large_array=large_array, array=array, dtype=dtype):
                        extra = large_array.ndim - array.ndim
                        axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(array.shape) if n == 1)
                        total = large_array.astype(np.float64).sum(axes, keepdims=True).reshape(array.shape)
                        return kernels.round_to(total.astype(np.float32), dtype)

                    self.check("reduce_as", dtype, lambda: _C_ops.reduce_as(large, x), sums)
                    x.stop_gradient = False
                    for kernel in ("expand", "expand_as"):
                        arguments = [list(shape)] if kernel == "expand" else [None, list(full)]
                        out = getattr(_C_ops, kernel)(x, *arguments)
                        self.check(kernel + "_grad", dtype, lambda o=out: paddle.grad([o], [x], [large], retain_graph=True)[0], sums)
        print(f"        {self.compared[True]} results compared with Paddle's own kernel, {self.compared[False]} with NumPy", flush=True)

    def put(self, array, index, values, axis, reduce, include_self, dtype):
        """Ten lines of loop: in increasing position, each result rounded once, sums and products of 16-bit floats in float32."""
        seen = set()
        result = array.astype(np.float32) if dtype in ("float16", "bfloat16") else array.copy()
        for position in np.ndindex(index.shape):
            to = position[:axis] + (index[position] % array.shape[axis],) + position[axis + 1:]
            value = result.dtype.type(values[position])
            first, _ = to not in seen, seen.add(to)
            with np.errstate(all="ignore"):
                result[to] = value if reduce == "assign" or (first and not include_self) else result[to] + value if reduce == "add" else result[to] * value
        return kernels.round_to(result, dtype) if dtype in ("float16", "bfloat16") else result

    def test_along_axis(self):
        for dtype in self.dtypes("take_along_axis"):
            array = self.data(dtype, (2, 3, 4), 1)
            x = kernels.to_tensor(array, dtype)
            for number, (shape, axis) in enumerate(self.INDICES):
                extent = array.shape[axis]
                index = np.random.default_rng(number).integers(-extent, extent, shape).astype(("int32", "int64")[number % 2])
                values = self.data(dtype, shape, 9)
                index_tensor, value_tensor = paddle.to_tensor(index), kernels.to_tensor(values, dtype)
                part = array[tuple(slice(None) if i == axis else slice(n) for i, n in enumerate(shape))]
                with self.subTest(dtype=dtype, index=shape, axis=axis):
                    self.check("take_along_axis", dtype, lambda: _C_ops.take_along_axis(x, index_tensor, axis),
                               lambda: np.take_along_axis(part, index.astype(np.int64), axis))
                    for reduce in ("assign",) if dtype == "bool" else ("assign", "add", "mul", "multiply"):
                        for own in (True, False):  # whether x takes part
                            self.check("put_along_axis", dtype,
                                       lambda r=reduce, o=own: _C_ops.put_along_axis(x, index_tensor, value_tensor, axis, r, o),
                                       lambda r=reduce, o=own: self.put(array, index, values, axis, r, o, dtype))
                    if dtype in ("float32", "int64"):  # these go on to Paddle's kernel
                        for reduce in ("mean", "amin", "amax"):
                            self.check("put_along_axis", dtype,
                                       lambda r=reduce: _C_ops.put_along_axis(x, index_tensor, value_tensor, axis, r, True), None, 0)
        print(f"        {self.compared[True]} results compared with Paddle's own kernel, {self.compared[False]} with a loop", flush=True)
