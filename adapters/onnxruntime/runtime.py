"""What the process sees of us: whose threads run, many callers of one session, memory."""
import os
import subprocess
import sys
import threading
import unittest

import numpy as np
from onnx import helper

from session import model_of, node_model, session
from testing.cases import same_bits


class Host(unittest.TestCase):
    """Threads, memory, many callers."""

    def test_its_threads_run_the_tiles(self):
        def threads():
            return set(os.listdir("/proc/self/task"))

        def busy(thread):
            with open(f"/proc/self/task/{thread}/schedstat", encoding="ascii") as file:
                return int(file.read().split()[0])

        feeds = {"x": np.ones((4, 1 << 20), "f4"), "y": np.ones(1 << 20, "f4")}
        for limit in (1, 2, 3):
            before = threads()
            ours = session(node_model("add", feeds, "axiscast"), threads=limit)
            pool = threads() - before
            self.assertEqual(len(pool), limit - 1)
            idle = {thread: busy(thread) for thread in pool}
            for _ in range(300):
                ours.run(None, feeds)
                if any(busy(thread) > idle[thread] for thread in pool):
                    break
            else:
                self.assertEqual(limit, 1, "none of the host's threads has run")
            self.assertEqual(threads() - before, pool, "nobody else has started threads")
            del ours

    def test_many_callers_of_one_session(self):
        ours = session(model_of([helper.make_node("subtract", ["x", "y"], ["out"], domain="axiscast", axis=0)], [("x", "float32", None), ("y", "float32", None)]))
        failures = []

        def call(number):
            rng = np.random.default_rng(number)
            for _ in range(200):
                rows, columns = rng.integers(1, 9, 2)  # more shapes than a node keeps plans of
                x, y = rng.standard_normal((rows, columns), "f4"), rng.standard_normal(rows, "f4")
                if not same_bits(ours.run(None, {"x": x, "y": y})[0], x - y[:, None]):
                    failures.append((rows, columns))

        callers = [threading.Thread(target=call, args=(number,)) for number in range(16)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        self.assertEqual(failures, [])

    def test_no_growth(self):
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        ours = session(model_of([helper.make_node("add", ["x", "y"], ["out"], domain="axiscast")], [("x", "float32", None), ("y", "float32", None)]))
        calls_of = [{"x": np.ones((n, 3), "f4"), "y": np.ones(3, "f4")} for n in range(1, 200)]

        def run(count):
            for number in range(count):
                ours.run(None, calls_of[0 if number % 2 else number % len(calls_of)])

        run(10000)
        before = resident()
        run(1000000)
        self.assertLess(resident() - before, 2 << 20)

    def test_no_growth_over_sessions(self):
        """The host loads the library for the first session and would unload it after the last one."""
        code = """
import os
import numpy as np
import onnxruntime
from onnx import TensorProto, helper
node = helper.make_node("add", ["x", "x"], ["out"], domain="axiscast")
graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, None)], [helper.make_empty_tensor_value_info("out")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("axiscast", 1)], ir_version=10).SerializeToString()
sizes = []
for i in range(60):
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(os.environ["AXISCAST_ADAPTER"])
    session = onnxruntime.InferenceSession(model, options)
    for rows in range(64):  # more than a node keeps plans of
        session.run(None, {"x": np.ones((rows, 4), "f4")})
    del options, session
    with open("/proc/self/statm", encoding="ascii") as file:
        sizes.append(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
print(sizes[59] - sizes[19])
"""
        growth = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        self.assertLess(growth, 4 << 20)

    def test_results_in_place(self):
        """A chain of ops on 64 MB: beside its input there is one such tensor, not two."""
        code = """
import numpy as np
from onnx import helper
from session import model_of, session
nodes = [helper.make_node("add", ["x" if i == 0 else f"t{i}", "y"], [f"t{i + 1}"], domain="axiscast") for i in range(6)]
nodes.append(helper.make_node("ReduceMax", ["t6"], ["out"]))
ours = session(model_of(nodes, [("x", "float32", (16, 1 << 20)), ("y", "float32", (1,))]))
def peak():
    with open("/proc/self/status", encoding="ascii") as file:
        return int(next(line for line in file if line.startswith("VmHWM")).split()[1]) * 1024
x, y = np.ones((16, 1 << 20), "f4"), np.ones(1, "f4")
before = peak()
assert ours.run(None, {"x": x, "y": y})[0] == 7
print((peak() - before) / x.nbytes)
"""
        tensors = float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        self.assertLess(tensors, 1.5)
