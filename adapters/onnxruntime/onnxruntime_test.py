"""axiscast inside ONNX Runtime: its ops beside the host's own and NumPy's, ONNX's node tests, errors, shapes, threads, memory."""
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases

from reference import HOST_DIFFERS, HOST_OPS, NUMPY
from session import calls, model_of, node_model, session
from testing.cases import SHAPE_PAIRS, registry_ops, same_bits, values

OPS = {name: op for name, op in registry_ops().items() if not name.endswith("_grad")}
SHAPED = ("broadcast_to", "gather", "scatter", "scatter_add", "sum_to")  # not elementwise: in tests of their own
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64"]
CLIP = {"min": 1, "max": 5}


def numpy_dtype(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def of_dtype(name):
    """The elementwise ops that take this dtype for all that is not a condition."""
    return [op for op in OPS if op not in SHAPED and any(s["inputs"][-1] == name for s in OPS[op]["signatures"])]


def operands(op):
    return {1: ["x"], 2: ["x", "y"], 3: ["condition", "x", "y"]}[OPS[op]["arity"]]


def through_float(name, nodes, outputs):
    """Python cannot feed the host bfloat16: inputs and outputs become float32, which holds all of it."""
    if name != "bfloat16":
        return nodes
    around = [helper.make_node("Cast", [f"{x}32"], [x], to=TensorProto.BFLOAT16) for x in ("x", "y")]
    return around + nodes + [helper.make_node("Cast", [f"{op}_bf16"], [op], to=TensorProto.FLOAT) for op in outputs]


def all_ops(name, axis):
    """A session that runs every op of a dtype on x and y, of whose shapes nothing is said. An axis is for two operands."""
    ops = [op for op in of_dtype(name) if axis < 0 or OPS[op]["arity"] == 2]
    floats = [op for op in ops if name == "bfloat16" and any(s["output"] != "bool" for s in OPS[op]["signatures"])]
    nodes = []
    for op in ops:
        attributes = {**({"axis": axis} if axis >= 0 else {}), **(CLIP if op == "clip" else {})}
        nodes.append(helper.make_node(op, operands(op), [f"{op}_bf16" if op in floats else op], domain="axiscast", **attributes))
    end, dtype = ("32", "float32") if name == "bfloat16" else ("", name)
    inputs = [(f"x{end}", dtype, None), (f"y{end}", dtype, None), ("condition", bool, None)]
    return ops, session(model_of(through_float(name, nodes, floats), inputs, ops))


def host_session(op, name):
    """The host's own op on the dtype; None where it has none."""
    host, attributes = HOST_OPS[op]
    inputs = [(x, bool if x == "condition" else name, None) for x in operands(op)]
    initializers = []
    names = operands(op)
    if op == "clip":
        initializers = [helper.make_tensor(key, helper.np_dtype_to_tensor_dtype(np.dtype(name)), [], [value]) for key, value in CLIP.items()]
        names = names + list(CLIP)
    try:
        return session(model_of([helper.make_node(host, names, ["out"], **attributes)], inputs, initializers=initializers), adapter=False)
    except Exception as error:  # pylint: disable=broad-except
        if "NOT_IMPLEMENTED" in str(error) or "Type Error" in str(error) or "INVALID_GRAPH" in str(error):
            return None
        raise


def aligned(y, rank, axis):
    """y with the 1s behind it that put it at `axis` by NumPy's rule."""
    return y if axis < 0 else y.reshape(y.shape + (1,) * (rank - axis - y.ndim))


class Elementwise(unittest.TestCase):
    def test_every_op_and_dtype(self):
        counts = {"host": 0, "NumPy": 0}
        unknown = sorted(set(OPS) - set(NUMPY) - set(SHAPED))
        self.assertEqual(unknown, [], "ops that reference.py must learn")
        failures = []
        for name in DTYPES:
            dtype = numpy_dtype(name)
            sessions = {axis: all_ops(name, axis) for axis in (-1, 0, 1)}
            hosts = {op: host_session(op, name) if op in HOST_OPS and name != "bfloat16" else None for op in of_dtype(name)}
            for number, (x_shape, y_shape, axis) in enumerate(SHAPE_PAIRS):
                x = values(dtype, x_shape, number)
                y = values(dtype, y_shape, number + 100, no_zero=True)
                full = np.broadcast_shapes(x.shape, aligned(y, x.ndim, axis).shape)
                condition = values(bool, full, number + 200)
                ops, ours = sessions[axis]
                feeds = {"x": x, "y": y}
                if name == "bfloat16":
                    feeds = {f"{key}32": data.astype("f4") for key, data in feeds.items()}
                before = calls()
                results = ours.run(ops, {**feeds, "condition": condition})
                self.assertEqual(calls() - before, len(ops))
                feeds = {"condition": condition, "x": x, "y": aligned(y, x.ndim, axis)}
                for op, result in zip(ops, results):
                    feed = {key: feeds[key] for key in operands(op)}
                    if hosts[op] is not None and name not in HOST_DIFFERS.get(op, ((), ""))[0]:
                        wanted, oracle = hosts[op].run(None, feed)[0], "host"
                    else:
                        with np.errstate(all="ignore"), warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            wanted, oracle = np.asarray(NUMPY[op](*feed.values())), "NumPy"
                    if name == "bfloat16" and result.dtype == np.float32:
                        wanted = wanted.astype("f4")
                    counts[oracle] += 1
                    if not same_bits(result, wanted):
                        failures.append((op, name, x_shape, y_shape, axis, oracle, result.dtype, wanted.dtype))
        for op, (dtypes, why) in HOST_DIFFERS.items():
            print(f"NumPy decides {op} of {', '.join(dtypes)}: {why}")
        print(f"ops and dtypes: {counts['host']} results like the host's own, {counts['NumPy']} like NumPy's; bit by bit")
        self.assertEqual(len(failures), 0, "\n".join(map(str, failures[:400])))


class Shaped(unittest.TestCase):
    """The ops that are more than elementwise, on small data."""

    def run_ours(self, op, *data, **attributes):
        feeds = dict(zip("xyz", data))
        return session(node_model(op, feeds, "axiscast", **attributes)).run(None, feeds)[0]

    def test_gather_and_scatter(self):
        x = values("float32", (3, 5, 4), 1)
        for index_dtype in ("int32", "int64"):
            index = np.random.default_rng(2).integers(0, 5, (3, 2, 4)).astype(index_dtype)
            source = values("float32", (3, 2, 4), 3)
            gathered = self.run_ours("gather", x, index, dim=1, mode="same_rank")
            self.assertTrue(same_bits(gathered, np.take_along_axis(x, index, 1)))
            wanted = x.copy()
            np.put_along_axis(wanted, index, source, 1)
            self.assertTrue(same_bits(self.run_ours("scatter", x, index, source, dim=1, mode="same_rank"), wanted))
        with self.assertRaisesRegex(Exception, "gather: "):
            self.run_ours("gather", x, np.full((3, 2, 4), 5), dim=1)

    def test_sum_to_and_broadcast_to(self):
        x = np.arange(24, dtype="int32").reshape(2, 3, 4)
        self.assertTrue(same_bits(self.run_ours("sum_to", x, shape=[3, 1]), x.sum((0, 2), dtype="int32").reshape(3, 1)))
        self.assertTrue(same_bits(self.run_ours("broadcast_to", x[:, :1], shape=[5, 2, 3, 4]), np.broadcast_to(x[:, :1], (5, 2, 3, 4)).copy()))

    def test_gradient(self):
        x, y, dout = (values("float32", shape, seed) for seed, shape in enumerate([(2, 3, 4), (3,), (2, 3, 4)]))
        with np.errstate(invalid="ignore"):
            wanted = dout.astype("f8").sum((0, 2))
        np.testing.assert_allclose(self.run_ours("add_grad", x, y, dout, axis=1, wrt=1), wanted, rtol=1e-5)


def replaceable():
    """The ops of ONNX that we replace, as the refusal of an unknown one lists them."""
    try:
        session(node_model("Add", {"x": np.ones(1), "y": np.ones(1)}), replace="none of them")
    except Exception as error:  # pylint: disable=broad-except
        return str(error).rsplit("there are all ", 1)[1].split()
    raise AssertionError("an unknown op was not refused")


class Replaced(unittest.TestCase):
    """ONNX's own ops in its own domain."""

    # Node tests of ops that we replace and that do not apply.
    REFUSED = {"test_equal_string": "strings", "test_equal_string_broadcast": "strings"}

    def test_node_cases_of_onnx(self):
        ops, passed, refused = set(replaceable()), 0, 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # onnx computes infinities on purpose
            cases = [case for case in collect_testcases(None) if {node.op_type for node in case.model.graph.node} <= ops and
                     len(case.model.graph.node) == 1]
        self.assertEqual({case.model.graph.node[0].op_type for case in cases}, ops)
        for case in cases:
            with self.subTest(case.name):
                case.model.ir_version = min(case.model.ir_version, 10)  # onnx is ahead of the host; what the model says stays
                # Of Not in version 1 alone we leave the host's: see onnx_ops.cc.
                case.model.opset_import[0].version = max(case.model.opset_import[0].version, 2)
                if case.name in self.REFUSED:
                    with self.assertRaisesRegex(Exception, "Equal: axiscast has no such element type"):
                        session(case.model.SerializeToString(), replace="all")
                    refused += 1
                    continue
                ours = session(case.model.SerializeToString(), replace="all")
                for inputs, outputs in case.data_sets:
                    before = calls()
                    results = ours.run(None, dict(zip([i.name for i in ours.get_inputs()], map(np.asarray, inputs))))
                    self.assertEqual(calls() - before, 1)
                    for result, wanted in zip(results, outputs, strict=True):
                        self.assertEqual((result.dtype, result.shape), (wanted.dtype, wanted.shape))
                        np.testing.assert_allclose(result, wanted, rtol=case.rtol, atol=case.atol)
                passed += 1
        print(f"ONNX's node tests: {passed} of {len(cases)} pass on our kernels; {refused} do not apply: {self.REFUSED}")

    def test_nodes_of_constants(self):
        """The host folds constants with kernels of its own, which must not stumble over our types."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cases = {case.model.graph.node[0].op_type: case for case in reversed(collect_testcases(None)) if len(case.model.graph.node) == 1}
        for op in replaceable():
            with self.subTest(op):
                case = cases[op]
                inputs, outputs = case.data_sets[0]
                graph = case.model.graph
                graph.initializer.extend(numpy_helper.from_array(np.asarray(data), value.name) for data, value in zip(inputs, graph.input, strict=True))
                del graph.input[:]
                case.model.ir_version = min(case.model.ir_version, 10)
                np.testing.assert_allclose(session(case.model.SerializeToString(), replace="all").run(None, {})[0], outputs[0], rtol=case.rtol)

    def test_after_the_hosts_fusions(self):
        """What docs/engines.md advises: the host's optimised model first, then our ops in what is left."""
        weights = {"w": np.eye(4), "b": np.arange(4), "bias": np.ones(4), "half": 0.5}
        nodes = [helper.make_node("MatMul", ["x", "w"], ["product"]), helper.make_node("Add", ["product", "b"], ["linear"]),
                 helper.make_node("Add", ["bias", "bias"], ["constant"]), helper.make_node("Mul", ["linear", "constant"], ["out"])]
        model = model_of(nodes, [("x", "float32", (2, 4))], initializers=[numpy_helper.from_array(np.asarray(data, "f4"), name) for name, data in weights.items()])
        x = values("float32", (2, 4), 1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "optimised.onnx")
            wanted = session(model, adapter=False, optimised=path).run(None, {"x": x})[0]
            self.assertEqual([node.op_type for node in onnx.load(path).graph.node], ["Gemm", "Mul"])
            before = calls()
            self.assertTrue(same_bits(session(path, replace="all").run(None, {"x": x})[0], wanted))
            self.assertEqual(calls() - before, 1)

    def test_chosen_ops_alone(self):
        feeds = {"x": values("float32", (3, 4), 1), "y": values("float32", (4,), 2)}
        nodes = [helper.make_node("Add", ["x", "y"], ["sum"]), helper.make_node("Mul", ["sum", "y"], ["out"])]
        model = model_of(nodes, [(name, data.dtype, data.shape) for name, data in feeds.items()])
        wanted = session(model, adapter=False).run(None, feeds)[0]
        for replace, count in ((None, 0), ("Mul", 1), ("Add,Mul", 2), ("all", 2), ("all -Add", 1)):
            before = calls()
            self.assertTrue(same_bits(session(model, replace).run(None, feeds)[0], wanted))
            self.assertEqual(calls() - before, count)

    def test_many_inputs(self):
        feeds = {name: values("float32", shape, seed) for seed, (name, shape) in enumerate({"a": (3, 1), "b": (4,), "c": (2, 1, 1), "d": ()}.items())}
        for op, function in (("Max", np.maximum), ("Min", np.minimum), ("Sum", np.add)):
            for count in (1, 2, 3, 4):
                some = dict(list(feeds.items())[:count])
                wanted = list(some.values())[0]
                with np.errstate(invalid="ignore"):
                    for data in list(some.values())[1:]:
                        wanted = function(wanted, data)
                ours = session(node_model(op, some), replace="all").run(None, some)[0]
                self.assertEqual(ours.shape, wanted.shape)
                np.testing.assert_array_equal(ours, wanted)

    def test_bounds_of_every_dtype(self):
        for name in [d for d in DTYPES if d not in ("bool", "bfloat16")]:
            low, high = np.dtype(name).type(2), np.dtype(name).type(100)
            feeds = {"x": values(name, (50,), 1), "min": np.array(low), "max": np.array(high)}
            ours = session(node_model("Clip", feeds), replace="all").run(None, feeds)[0]
            self.assertTrue(same_bits(ours, np.clip(feeds["x"], low, high)), name)

    def test_models_before_opset_7(self):
        x, y = values("float32", (2, 3, 4, 5), 1), values("float32", (3, 4), 2)
        inputs = [("x", "float32", (2, 3, 4, 5)), ("y", "float32", (3, 4))]
        model = model_of([helper.make_node("Sub", ["x", "y"], ["out"], broadcast=1, axis=1)], inputs, opset=6)
        with self.assertRaisesRegex(Exception, "NOT_IMPLEMENTED"):
            session(model)  # the host itself has no such op
        with np.errstate(invalid="ignore"):
            wanted = x - y[:, :, None]
        self.assertTrue(same_bits(session(model, replace="all").run(None, {"x": x, "y": y})[0], wanted))
        # y alone is stretched.
        model = model_of([helper.make_node("Sub", ["y", "x"], ["out"], broadcast=1, axis=1)], inputs, opset=6)
        with self.assertRaisesRegex(Exception, r"Sub: .*x \[3, 4\], y \[2, 3, 4, 5\]"):
            session(model, replace="all").run(None, {"x": x, "y": y})


class Errors(unittest.TestCase):
    def refused(self, text, op="add", feeds=None, run=True, **attributes):
        """What the host's user sees: the whole of our message, and which node it is about."""
        feeds = feeds or {"x": np.ones((2, 3, 4, 5), "f4"), "y": np.ones((3, 5), "f4")}
        node = helper.make_node(op, list(feeds), ["out"], "my_node", domain="axiscast", **attributes)
        with self.assertRaises(Exception) as raised:
            ours = session(model_of([node], [(name, data.dtype, data.shape) for name, data in feeds.items()]))
            self.assertTrue(run, "it was to be refused at load")
            ours.run(None, feeds)
        message = str(raised.exception)
        self.assertTrue(message.endswith(text), message)
        if run:
            self.assertIn("Name:'my_node'", message)
        return type(raised.exception).__name__

    def test_messages(self):
        kind = self.refused("add: dimensions must be equal or 1; got x[2] = 4 and y[1] = 5 (x [2, 3, 4, 5], y [3, 5], axis 1)", axis=1)
        self.assertEqual(kind, "InvalidArgument")
        self.refused("floor_divide: integer division by zero at y[1] (x [2], y [2])", "floor_divide",
                     {"x": np.ones(2, "i4"), "y": np.array([1, 0], "i4")})
        self.refused("sum_to: attribute shape is required: of the result", "sum_to", {"x": np.ones(2, "f4")})

    def test_at_load(self):
        self.refused("add: the attribute axis must be an integer", run=False, axis=1.5)
        self.refused('add: there is no mode "ax"; did you mean axis; there are: axis, numpy, onnx_legacy, none, same_rank, pattern, '
                     'legacy_pointwise, pointwise', run=False, mode="ax")
        self.refused("add: no kernel for add(float32, int32); add supports (bool, bool), (int8, int8), (int16, int16), (int32, int32), (int64, int64), "
                     "(uint8, uint8), (uint16, uint16), (uint32, uint32), (uint64, uint64), (float16, float16), (bfloat16, bfloat16), "
                     "(float32, float32), (float64, float64)", run=False, feeds={"x": np.ones(2, "f4"), "y": np.ones(2, "i4")})


class Inference(unittest.TestCase):
    """The shapes that the host knows before there is data."""

    def inferred(self, x_shape, y_shape, op="add", replace=None, **attributes):
        node = helper.make_node(op, ["x", "y"], ["out"], domain="" if replace else "axiscast", **attributes)
        return session(model_of([node], [("x", "float32", x_shape), ("y", "float32", y_shape)]), replace).get_outputs()[0]

    def test_shapes(self):
        self.assertEqual(self.inferred([2, 3, 4], [3], axis=1).shape, [2, 3, 4])
        self.assertEqual(self.inferred(["batch", 3, None], [3, 4], axis=1).shape, ["batch", 3, 4])
        self.assertEqual(self.inferred(["n", 1], ["n", "m"]).shape, ["n", "m"])
        self.assertEqual(self.inferred(["n", 1], ["n", "m"], "Add", "all").shape, ["n", "m"])
        self.assertEqual(self.inferred([4], [4], "less").type, "tensor(bool)")
        unknown = self.inferred(["n", None], ["m", None]).shape
        self.assertEqual(len(set(unknown)), 2, "unknown extents are not called equal")
        # The host cannot say whether this is a scalar or has any number of dims; no shape is claimed.
        self.assertNotEqual(self.inferred(None, [3]).shape, [3])


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
        run(200000)
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
