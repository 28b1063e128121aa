"""Ours against NumPy and OpenVINO's own op, on the same data: one model of all ops for each dtype and pair of shapes."""
import functools

import ml_dtypes
import numpy as np
import openvino as ov
import openvino.opset16 as ov_ops
from expected import COMPUTED_IN, DIFFERENT, HOST, NUMPY, REFUSED, rows_with
from host import CONFIG, CORE
from node_models import model, node
from testing import cases

OPERANDS = {1: ["x"], 2: ["x", "y"], 3: ["condition", "x", "aligned"]}


def dtype_of(name):
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def data(dtype, x_shape, y_shape, axis):
    """Operands by name. `aligned` is y as NumPy's rule wants it."""
    kept = "float32" if dtype == "bfloat16" else dtype
    x, y = (cases.values(kept, shape, seed, no_zero=seed == 2) for shape, seed in ((x_shape, 1), (y_shape, 2)))
    if dtype in ("int64", "uint32", "uint64"):  # within what the plugin keeps of them
        x, y = ((np.abs(v.astype(np.int64) % 2**31) if dtype[0] == "u" else v.astype(np.int32)).astype(dtype) for v in (x, y))
        y = np.where(y == 0, 5, y).astype(dtype)
    x, y = x.astype(dtype_of(dtype)), y.astype(dtype_of(dtype))
    aligned = y if axis == -1 else y.reshape(y_shape + (1,) * (len(x_shape) - len(y_shape) - axis))
    return {"x": x, "y": y, "aligned": aligned, "condition": cases.values("bool", x_shape, 3)}


@functools.cache
def rounds_halfway():
    """Whether the plugin makes bfloat16 of float32 results without the CPU's instructions for it, where that has none: it adds half
    an ulp where the number cut short is odd, and nothing where it is even. Asked of its own addition: 1 + 3/512 is nearer to
    1 + 4/512, the next bfloat16, than to 1."""
    operands = {"x": np.array([1], ml_dtypes.bfloat16), "aligned": np.array([3 / 512], ml_dtypes.bfloat16)}
    return run(theirs({"add": {"arity": 2}}, "bfloat16", operands), operands)["add"][0] == 1


def as_the_plugin_rounds(result):
    bits = result.astype(np.float32).view(np.uint32)
    return ((bits + ((bits & 0x10000) >> 1)) >> 16).astype(np.uint16).view(ml_dtypes.bfloat16)


def numpy_result(op, dtype, output, operands):
    """In the dtype that the plugin computes in, rounded to the model's."""
    computed = dtype_of("float32" if dtype == "bfloat16" else COMPUTED_IN.get(dtype, dtype))
    limit = np.finfo(np.float32).max
    with np.errstate(all="ignore"):
        if dtype == "float64":
            operands = [v if v.dtype == bool else np.clip(v, -limit, limit) for v in operands]
        result = np.asarray(NUMPY[op](*(v if v.dtype == bool else v.astype(computed) for v in operands)))
        if output == "bfloat16" and rounds_halfway():
            return as_the_plugin_rounds(result)
        return (np.clip(result, -limit, limit) if output == "float64" else result).astype(dtype_of(output))


def run(compiled_model, operands):
    """{name of the output: array}."""
    inputs = {}
    for port in compiled_model.inputs:
        value = operands[port.any_name]
        inputs[port] = ov.Tensor(value.view(np.uint16), value.shape, ov.Type.bf16) if value.dtype == ml_dtypes.bfloat16 else value
    results = compiled_model(inputs)

    def array(port):
        return results[port].view(np.uint16).view(ml_dtypes.bfloat16) if port.element_type == ov.Type.bf16 else results[port]

    return {port.any_name: array(port) for port in compiled_model.outputs}


def ours(ops, dtype, operands, axis, dynamic):
    shape = {name: [None] * v.ndim if dynamic else list(v.shape) for name, v in operands.items()}
    nodes = [node(name, OPERANDS[op["arity"]], name, **({"axis": axis} if op["arity"] == 2 and axis != -1 else {}))
             for name, op in ops.items()]
    inputs = {name: ("bool" if name == "condition" else dtype, shape[name]) for name in operands}
    return CORE.compile_model(CORE.read_model(model(nodes, inputs)), "CPU", CONFIG)


def theirs(ops, dtype, operands):
    element = {name: ov.Type.bf16 if v.dtype == ml_dtypes.bfloat16 else ov.Type(v.dtype) for name, v in operands.items()}
    parameters = {name: ov_ops.parameter(list(v.shape), element[name], name) for name, v in operands.items()}
    for name, parameter in parameters.items():
        parameter.output(0).set_names({name})
    outputs = []
    for name, op in ops.items():
        if name not in HOST or rows_with(REFUSED, name, dtype):
            continue
        result = HOST[name](*(parameters["aligned" if i == "y" else i] for i in OPERANDS[op["arity"]]))
        result.output(0).set_names({name})
        outputs.append(result)
    return CORE.compile_model(ov.Model(outputs, list(parameters.values()), "host"), "CPU", CONFIG)


class Comparison:
    """Counts, and what was wrong."""

    def __init__(self):
        self.numpy, self.host, self.wrong, self.needed = 0, 0, [], set()

    def compare(self, ops, dtype, x_shape, y_shape, axis, dynamic=False):
        """`ops`: the registry's ops that have the dtype."""
        operands = data(dtype, x_shape, y_shape, axis)
        got = run(ours(ops, dtype, operands, axis, dynamic), operands)
        host = {} if dynamic else run(theirs(ops, dtype, operands), operands)
        for name, op in ops.items():
            output = next(s["output"] for s in op["signatures"] if s["inputs"][-1] == dtype)
            by_numpy = numpy_result(name, dtype, output, [operands["aligned" if i == "y" else i] for i in OPERANDS[op["arity"]]])
            self.numpy += 1
            where = f"{name} {dtype} {x_shape} {y_shape} axis {axis}{' dynamic' if dynamic else ''}"
            if not cases.same_bits(got[name], by_numpy):
                self.wrong.append(f"{where}: NumPy has {by_numpy.ravel()[:4]}, ours {got[name].ravel()[:4]}")
            if name not in host:
                continue
            same = cases.same_bits(got[name], host[name])
            rows = rows_with(DIFFERENT, name, dtype)
            if rows and not same:
                self.needed.update((name, reason) for _, _, reason in rows)
            elif not rows:
                self.host += 1
                if not same:
                    self.wrong.append(f"{where}: OpenVINO's own op differs")
