"""A program of Paddle's old kind, with axis: run by the executor, saved, and run by the inference predictor, by Paddle's kernels and ours.

A process of its own, started by paddle_test.py: the flags have to be set before Paddle is imported.
"""
import os
import sys

os.environ.update(FLAGS_enable_pir_api="0", FLAGS_enable_pir_in_executor="0", GLOG_minloglevel="3")

import numpy as np
import paddle
from paddle import inference

import axiscast_paddle

OPS = ("elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div", "elementwise_max", "elementwise_min", "elementwise_mod")


def save(x_data, bias_data, path):
    """x and bias through OPS at axis 1; returns what Paddle's kernels and ours make of it."""
    program, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(program, startup):
        x = paddle.static.data("x", [2, 3, 4, 5], "float32")
        bias = paddle.static.create_parameter([3, 4], "float32", default_initializer=paddle.nn.initializer.Assign(bias_data))
        block, value = program.global_block(), x
        for op in OPS:
            out = block.create_var(name=op, dtype="float32", shape=[2, 3, 4, 5])
            block.append_op(type=op, inputs={"X": [value], "Y": [bias]}, outputs={"Out": [out]}, attrs={"axis": 1})
            value = out
    executor = paddle.static.Executor(paddle.CPUPlace())
    executor.run(startup)
    results = []
    for ours in (False, True):
        axiscast_paddle.use(ours)
        before = axiscast_paddle.calls()
        results.append(executor.run(program, feed={"x": x_data}, fetch_list=[value])[0])
        assert axiscast_paddle.calls() - before == (len(OPS) if ours else 0)
    paddle.static.save_inference_model(path, [x], [value], executor, program=program)
    return results


def predict(path, x_data, ir_optim, onednn):
    """The predictor's result, and how many of our kernels ran."""
    config = inference.Config(path + ".pdmodel", path + ".pdiparams")
    config.disable_gpu()
    config.disable_glog_info()
    config.switch_ir_optim(ir_optim)
    if not onednn:
        config.disable_mkldnn()
    predictor = inference.create_predictor(config)
    predictor.get_input_handle("x").copy_from_cpu(x_data)
    before = axiscast_paddle.calls()
    predictor.run()
    return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu(), axiscast_paddle.calls() - before


def main():
    paddle.enable_static()
    rng = np.random.default_rng(5)
    x_data, bias_data = rng.integers(-9, 9, (2, 3, 4, 5)).astype(np.float32), rng.integers(1, 9, (3, 4)).astype(np.float32)
    path = os.path.join(sys.argv[1], "axis")
    with paddle.pir_utils.OldIrGuard():
        theirs, ours = save(x_data, bias_data, path)
    value, bias = x_data, bias_data.reshape(3, 4, 1)
    for function in (np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.mod):
        value = function(value, bias)
    assert (theirs == value).all() and (ours == value).all()
    for ir_optim in (True, False):
        for onednn in (True, False):
            result, ran = predict(path, x_data, ir_optim, onednn)
            assert (result == value).all()
            # With oneDNN, which is on unless disabled, IR optimisation gives some of the ops to oneDNN's kernels.
            assert (0 < ran < len(OPS)) if ir_optim and onednn else ran == len(OPS), ran
    print("ok")


main()
