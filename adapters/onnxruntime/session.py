"""Models of one node, and sessions that run them with the adapter loaded."""
import ctypes
import os

import numpy as np
import onnx
import onnxruntime
from onnx import helper

LIBRARY = os.environ["AXISCAST_ADAPTER"]
_adapter = ctypes.CDLL(LIBRARY)
_adapter.axiscast_onnxruntime_calls.restype = ctypes.c_int64

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64"]

OPSET = 21
IR_VERSION = 10  # of OPSET


def calls():
    """How many nodes have run on our kernels."""
    return _adapter.axiscast_onnxruntime_calls()


def onnx_type(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def model_of(nodes, inputs, outputs=("out",), opset=OPSET, initializers=()):
    """A model; inputs are (name, dtype, shape), a shape's entries numbers, symbols or None. Types of outputs are left to inference."""
    graph = helper.make_graph(
        nodes, "graph", [helper.make_tensor_value_info(name, onnx_type(dtype), shape) for name, dtype, shape in inputs],
        [onnx.ValueInfoProto(name=name) for name in outputs], list(initializers))
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("axiscast", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION).SerializeToString()


def node_model(op, feeds, domain="", **attributes):
    """One node with the shapes and dtypes of `feeds`."""
    node = helper.make_node(op, list(feeds), ["out"], domain=domain, **attributes)
    return model_of([node], [(name, data.dtype, data.shape) for name, data in feeds.items()])


def host_model(op, feeds, **attributes):
    return node_model(op, feeds, **attributes)


def our_model(op, feeds, **attributes):
    return node_model(op, feeds, "axiscast", **attributes)


def session(model, replace=None, threads=0, adapter=True, optimised=None):
    """A session for a model, with the adapter. `replace`: which ops of ONNX we replace; `optimised`: where to leave the host's model."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # errors come as exceptions
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle pools leave the processors to others
    if optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath = optimised
    if replace:
        options.add_session_config_entry("axiscast.replace", replace)
    if adapter:
        options.register_custom_ops_library(LIBRARY)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
