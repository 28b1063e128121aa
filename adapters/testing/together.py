"""together.py OPENVINO_SITE_PACKAGES OPENVINO_ADAPTER PADDLE_ADAPTER, in Paddle's environment: two hosts in one process, both on axiscast.

Whoever is loaded first brings oneTBB; the process has one of it, and one axiscast. Two schedulers would be more threads than cores.
"""
import ctypes
import os
import sys

import numpy as np
import paddle

os.environ["AXISCAST_ADAPTER"] = sys.argv[3]
import axiscast_paddle  # noqa: E402: it reads the line above

sys.path.append(sys.argv[1])  # behind Paddle's environment, whose NumPy stays
import openvino as ov  # noqa: E402

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../openvino/models/axis_float32.pdmodel")


def main():
    core = ov.Core()
    core.add_extension(sys.argv[2])
    compiled = core.compile_model(core.read_model(MODEL), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    stored = np.load(MODEL.replace(".pdmodel", ".npz"))  # what Paddle alone made of it
    by_openvino = compiled({name: stored[name] for name in "xy"})
    names = [name for name in stored.files if name not in "xy"]
    if not all(np.array_equal(by_openvino[port], stored[name], equal_nan=True) for name, port in zip(names, compiled.outputs) if name != "pow"):
        sys.exit("OpenVINO's result is wrong")  # its own pow is not looked at
    before = axiscast_paddle.calls()
    x, y = np.ones((2, 3, 4, 5), np.float32), np.arange(12, dtype=np.float32).reshape(3, 4)
    by_paddle = paddle._legacy_C_ops.elementwise_add(paddle.to_tensor(x), paddle.to_tensor(y), "axis", 1).numpy()
    if not np.array_equal(by_paddle, x + y[:, :, None]):
        sys.exit("Paddle's result is wrong")
    if axiscast_paddle.calls() == before or ctypes.CDLL(sys.argv[2]).axiscast_openvino_calls() == 0:
        sys.exit("an adapter did not run")
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = {line.split()[-1] for line in maps if "/" in line}
    for library in ("libtbb.so", "libaxiscast.so"):
        loaded = [file for file in files if os.path.basename(file).startswith(library)]
        if len(loaded) != 1:
            sys.exit(f"the process should have one {library}, and has {loaded}")
    print("ok      Paddle and OpenVINO in one process, with one oneTBB and one axiscast")


main()
