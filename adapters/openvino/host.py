"""OpenVINO with the adapter, and what tests ask it."""
import ctypes
import os
import re

import openvino as ov

LIBRARY = os.environ["AXISCAST_ADAPTER"]
ADAPTER = ctypes.CDLL(LIBRARY)
ADAPTER.axiscast_openvino_calls.restype = ctypes.c_int64
CORE = ov.Core()
CORE.add_extension(LIBRARY)
# On some CPUs the plugin would compute float32 models in bfloat16.
CONFIG = {"INFERENCE_PRECISION_HINT": "f32"}


def compiled(source, **config):
    """source: what read_model takes."""
    return CORE.compile_model(CORE.read_model(source), "CPU", {**CONFIG, **config})


def ours_in(graph):
    """The ops of our nodes in an ov.Model."""
    return [n.get_attributes()["op"] for n in graph.get_ordered_ops() if n.get_type_info().version_id == "axiscast"]


def reference_nodes(compiled_model):
    """How many nodes of the compiled graph the plugin leaves to the extension."""
    ops = compiled_model.get_runtime_model().get_ordered_ops()
    return sum(op.get_rt_info()["layerType"].astype(str) == "Reference" for op in ops)


def calls_of(function):
    """What it returns, and how many of our nodes ran meanwhile."""
    before = ADAPTER.axiscast_openvino_calls()
    result = function()
    return result, ADAPTER.axiscast_openvino_calls() - before


def message_of(function):
    """What the user is told, without the places in OpenVINO's and our source and the numbers of its nodes."""
    try:
        function()
    except RuntimeError as error:
        return re.sub(r"\d+", "#", re.sub(r"(at|from) \S+?:\d+:", r"\1 FILE:", str(error))), str(error)
    raise AssertionError("no error")
