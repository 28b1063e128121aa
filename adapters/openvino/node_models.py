"""Models for the tests and the benchmark: ONNX nodes of the domain axiscast, and of ONNX's own."""
import numpy as np
from onnx import TensorProto, helper

AXISCAST = "axiscast"


def onnx_type(dtype):
    others = {"bfloat16": TensorProto.BFLOAT16, "string": TensorProto.STRING}
    return others[dtype] if dtype in others else helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def node(op, inputs, output, domain=AXISCAST, **attributes):
    """A node; its name is that of its output."""
    return helper.make_node(op, inputs, [output], name=output, domain=domain, **attributes)


def model(nodes, inputs, opset=17):
    """The bytes of an ONNX model. inputs: {name: (dtype, shape)}; every node's output is one of the model."""
    graph = helper.make_graph(
        nodes, "graph", [helper.make_tensor_value_info(name, onnx_type(dtype), shape) for name, (dtype, shape) in inputs.items()],
        [helper.make_empty_tensor_value_info(output) for n in nodes for output in n.output])
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(AXISCAST, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def one(op, *operands, domain=AXISCAST, opset=17, **attributes):
    """A model of one node, named `out`; operands: (dtype, shape), called x, y, z."""
    inputs = dict(zip("xyz", operands))
    return model([node(op, list(inputs), "out", domain, **attributes)], inputs, opset)
