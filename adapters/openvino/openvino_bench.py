"""Float32 add in OpenVINO: its own op and ours by turns, as a compiled model of one node that is inferred on tensors set once."""
import numpy as np
import openvino as ov
import openvino.opset16 as ov_ops
from host import CONFIG, CORE
from node_models import one
from testing import speed


def request(graph, x, y):
    """A function that infers it."""
    made = CORE.compile_model(graph, "CPU", {**CONFIG, "PERFORMANCE_HINT": "LATENCY"}).create_infer_request()
    for i, value in enumerate((x, y)):
        made.set_input_tensor(i, ov.Tensor(value))
    return made.infer


table = speed.Table("openvino", "float32 add")
for name, x_shape, y_shape, axis in speed.SPEED_CASES:
    x, y = (np.random.default_rng(0).standard_normal(shape, np.float32) for shape in (x_shape, y_shape))
    aligned = y if axis == -1 else y.reshape(y_shape + (1,) * (len(x_shape) - len(y_shape) - axis))
    operands = [ov_ops.parameter(list(v.shape), ov.Type.f32) for v in (x, aligned)]
    host = ov.Model([ov_ops.add(*operands)], operands, "host")
    ours = CORE.read_model(one("add", ("float32", x_shape), ("float32", y_shape), **({} if axis == -1 else {"axis": axis})))
    table.add(name, request(host, x, aligned), request(ours, x, y))
table.write()
