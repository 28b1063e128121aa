#!/usr/bin/env python3
"""make_models.py: writes the .pdmodel files beside it, and what Paddle computes with them (.npz).

Needs paddlepaddle 3.3.1, which the tests, reading both, do not. Its executor of old programs is asked: new programs know no axis.
"""
import os

os.environ.update(FLAGS_enable_pir_api="0", FLAGS_enable_pir_in_executor="0", GLOG_minloglevel="3")
import numpy as np  # noqa: E402
import paddle  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
OPS = ["add", "sub", "mul", "div", "max", "min", "mod", "floordiv"]
# file, dtype, shape of x, shape of y, axis, ops. elementwise_pow is not among ours: OpenVINO's own node computes it, beside ours.
MODELS = [
    ("axis_float32", "float32", (2, 3, 4, 5), (3, 4), 1, OPS + ["pow"]),
    ("axis_int32", "int32", (2, 3, 4, 5), (3, 4), 1, OPS),
    ("axis_of_x", "float32", (3, 4), (2, 3, 4, 5), 1, OPS),
]


def data(dtype, shape, rng, divisor):
    if dtype == "int32":
        values = rng.integers(-100, 100, shape).astype(dtype)
        return np.where(values == 0, 7, values) if divisor else values
    values = (rng.standard_normal(shape) * 4).astype(dtype)
    values.flat[::11] = [np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, 3e38, -2.5, 1e-38, 6.0, 0.5, -1e30][: values.flat[::11].size]
    return values


def main():
    paddle.enable_static()
    for name, dtype, x_shape, y_shape, axis, ops in MODELS:
        rng = np.random.default_rng(7)
        feed = {"x": data(dtype, x_shape, rng, False), "y": data(dtype, y_shape, rng, True)}
        with paddle.pir_utils.OldIrGuard():
            program = paddle.static.Program()
            with paddle.static.program_guard(program):
                # The batch is not known: users read such models with dynamic shapes.
                x, y = (paddle.static.data(n, [-1 if e == 2 else e for e in feed[n].shape], dtype) for n in "xy")
                outs = []
                for op in ops:
                    out = program.global_block().create_var(name=op, dtype=dtype)
                    program.global_block().append_op(
                        type=f"elementwise_{op}", inputs={"X": [x], "Y": [y]}, outputs={"Out": [out]}, attrs={"axis": axis})
                    outs.append(out)
            executor = paddle.static.Executor(paddle.CPUPlace())
            results = executor.run(program, feed=feed, fetch_list=outs)
            # What paddle.static.save_inference_model writes, without where in this file each op was added.
            program = paddle.static.normalize_program(program, [x, y], outs)
            for op in program.global_block().ops:
                op.desc.remove_attr("op_callstack")
            with open(os.path.join(HERE, name + ".pdmodel"), "wb") as file:
                file.write(program.desc.serialize_to_string())
        np.savez_compressed(os.path.join(HERE, name + ".npz"), **feed, **dict(zip(ops, results)))
        print(name, [result.shape for result in results])


main()
