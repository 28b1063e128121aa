"""paddle_tensors.py LIBRARY: Paddle's tensors and views of them in calls of the adapter, against Paddle's own ops. Run by tvm_ffi_test.py."""
import sys

import paddle
import tvm_ffi

library = tvm_ffi.load_module(sys.argv[1])
OPS = {"add": paddle.add, "subtract": paddle.subtract, "multiply": paddle.multiply, "less": paddle.less_than}
count = 0


def same(ours, theirs, what):
    global count
    count += 1
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape or not bool((ours == theirs).all()):
        sys.exit(f"{what}: {ours} is not {theirs}")


paddle.seed(7)
for dtype in ["bool", "int32", "int64", "float16", "bfloat16", "float32", "float64"]:
    x, y = ((paddle.randn(shape) * 8).abs().astype(dtype) for shape in ([6, 8], [6]))
    # Paddle has no float16 on the CPU: what it computes in float32 and rounds once is exact.
    wide = "float32" if dtype in ("float16", "bfloat16") else dtype
    for name, theirs in OPS.items():
        if dtype == "bool" and name in ("subtract", "multiply"):
            continue  # Paddle has none on bool
        output = "bool" if name == "less" else dtype
        for view, other, axis in [(x, y, 0), (x.t(), y, 1), (x[1::2, ::3], y[1::2], 0), (x, x[2:3], -1)]:
            anchored = other.reshape([-1, 1]) if axis == 0 else other
            want = theirs(view.astype(wide).clone(), anchored.astype(wide)).astype(output)
            out = paddle.zeros([2 * want.shape[0], want.shape[1]], output)
            getattr(library, name)(view, other, out[::2], axis)
            same(out[::2], want, f"{name} {dtype} {view.strides}")
            same(out[1::2], paddle.zeros(want.shape, output), f"{name} {dtype}: the rows between")
x, y = paddle.ones([2, 3]), paddle.to_tensor([1.0, 2.0])
library.add_(x, y, 0)
same(x, paddle.to_tensor([[2.0, 2.0, 2.0], [3.0, 3.0, 3.0]]), "add_")
try:
    library.add(x, y, x)
    sys.exit("shapes that do not broadcast were not refused")
except ValueError as error:
    if str(error) != "add: dimensions must be equal or 1; got x[1] = 3 and y[0] = 2 (x [2, 3], y [2])":
        sys.exit(f"another text: {error}")
print(count)
