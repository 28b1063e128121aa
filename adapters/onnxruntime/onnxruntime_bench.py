"""ONNX Runtime's own Add beside axiscast's in its place, in sessions of one process that differ in nothing else."""
import numpy as np
import onnxruntime

from session import host_model, session
from testing.speed import SPEED_CASES, Table


def bound(model, feeds, shape, replace):
    """A call that runs the model on the same memory each time: nothing is copied, and the result is not allocated anew."""
    made = session(model, replace)
    binding = made.io_binding()
    for name, data in feeds.items():
        binding.bind_cpu_input(name, data)
    # In memory of the host's, as all but the inputs and outputs of a model are.
    out = onnxruntime.OrtValue.ortvalue_from_shape_and_type(shape, np.float32)
    binding.bind_ortvalue_output("out", out)
    call = made.run_with_iobinding
    return lambda: call(binding) or out  # which keeps the memory


def main():
    table = Table("onnxruntime", "ONNX Runtime 1.31 `Add`, `axiscast.replace` = `Add`")
    rng = np.random.default_rng(0)
    for name, x_shape, y_shape, axis in SPEED_CASES:
        feeds = {"x": rng.standard_normal(x_shape).astype(np.float32), "y": rng.standard_normal(y_shape).astype(np.float32)}
        if axis >= 0:  # ONNX aligns right
            feeds["y"] = feeds["y"].reshape(y_shape + (1,) * (len(x_shape) - axis - len(y_shape)))
        model = host_model("Add", feeds)
        shape = np.broadcast_shapes(*(data.shape for data in feeds.values()))
        table.add(name, bound(model, feeds, shape, None), bound(model, feeds, shape, "Add"))
    table.write()


main()
