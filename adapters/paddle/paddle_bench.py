"""Paddle's own kernels beside ours: the same call of Paddle's, in one process and with one thread, by turns.

The adapter keeps the functions that Paddle came with and goes on to them when it is told to (axiscast_paddle.use), which costs a jump.
"""
import os

os.environ["GLOG_minloglevel"] = "3"

import paddle
from paddle import _C_ops, _legacy_C_ops

import axiscast_paddle
from testing import speed


def main():
    table = speed.Table("paddle", "Paddle 3.3.1")

    def add(name, call):
        table.add(name, call, call, choose=axiscast_paddle.use)

    for name, x_shape, y_shape, axis in speed.SPEED_CASES:
        x, y = paddle.rand(x_shape), paddle.rand(y_shape)
        if axis == -1:
            add(name, lambda x=x, y=y: paddle.add(x, y))
        else:
            add(name, lambda x=x, y=y, a=axis: _legacy_C_ops.elementwise_add(x, y, "axis", a))

    x, y = paddle.rand([8, 64, 56, 56]), paddle.rand([64, 1, 1])
    bfloat16 = x.astype("bfloat16"), y.astype("bfloat16")
    add("bfloat16 multiply (8,64,56,56) * (64,1,1)", lambda: paddle.multiply(*bfloat16))
    add("int64 maximum (300000,3), (3)", lambda z=(paddle.randint(0, 9, [300000, 3]), paddle.randint(0, 9, [3])): paddle.maximum(*z))
    add("less_than (8,64,56,56) < (64,1,1)", lambda: paddle.less_than(x, y))
    add("relu (8,64,56,56)", lambda: _C_ops.relu(x))
    rows = paddle.rand([300000, 1])
    add("expand (300000,1) to (300000,3)", lambda: _C_ops.expand(rows, [300000, 3]))
    add("reduce_as (8,64,56,56) to (64,1,1)", lambda: _C_ops.reduce_as(x, y))
    y.stop_gradient = False
    add("multiply and its gradient, (8,64,56,56) * (64,1,1)", lambda: paddle.grad([paddle.multiply(x, y)], [y], [x]))
    table.write()


main()
