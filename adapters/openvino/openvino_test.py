"""Tests of the adapter in OpenVINO itself; see docs/engines.md. Run by ./dev engines openvino."""
import glob
import os
import tempfile
import unittest
import warnings

import numpy as np
import onnx
import onnx.backend.test.case.node as onnx_cases
import openvino as ov
from comparison import Comparison
from expected import DIFFERENT, EVERY_BUT_BOOL, ON_SOME_CPUS
from host import ADAPTER, CONFIG, CORE, LIBRARY, calls_of, compiled, message_of, ours_in, reference_nodes
from node_models import model, node, one
from process_tests import ManyThreads, Memory, OneScheduler, ThreadLimit  # noqa: F401: unittest finds them here
from testing import cases

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")


class Results(unittest.TestCase):
    def test_every_op_dtype_and_pair_of_shapes(self):
        registry = {name: op for name, op in cases.registry_ops().items() if op["elementwise"]}
        comparison = Comparison()

        def compare_all():
            for dtype in ["bool"] + EVERY_BUT_BOOL:
                ops = {name: op for name, op in registry.items() if any(s["inputs"][-1] == dtype for s in op["signatures"])}
                for pair in cases.SHAPE_PAIRS:
                    comparison.compare(ops, dtype, *pair)
                    if dtype == "float32":
                        comparison.compare(ops, dtype, *pair, dynamic=True)

        _, calls = calls_of(compare_all)
        self.assertEqual(comparison.wrong, [])
        self.assertEqual(calls, comparison.numpy)
        print(f"compared: {comparison.numpy} with NumPy, {comparison.host} of them also with OpenVINO's own op")
        unneeded = [(op, reason) for ops, _, reason in DIFFERENT for op in ops
                    if (op, reason) not in comparison.needed and reason not in ON_SOME_CPUS]
        self.assertEqual(unneeded, [], "rows of DIFFERENT where OpenVINO agrees")

    def test_what_the_plugin_makes_of_64_bits(self):
        wide = compiled(one("add", ("int64", [4]), ("int64", [1])))
        result = wide([np.array([2**31 - 1, 2**31, 2**40 + 5, -1]), np.array([1])])[0]
        self.assertEqual(result.tolist(), [-2**31, -2**31 + 1, 6, 0])
        wide = compiled(one("add", ("float64", [4]), ("float64", [1])))
        result = wide([np.array([1 + 2.0**-40, 1e300, -np.inf, 1e-300]), np.array([0.0])])[0]
        # To the op, an unsigned number of 2^31 or more is negative.
        unsigned = compiled(one("less", ("uint32", [2]), ("uint32", [2])))
        self.assertEqual(unsigned([np.array([2**31, 1], np.uint32), np.array([1, 2**31], np.uint32)])[0].tolist(), [True, False])
        largest = float(np.finfo(np.float32).max)
        self.assertEqual(result.tolist(), [1.0, largest, -largest, 0.0])

    def test_constants_are_folded_by_us(self):
        inputs = {"x": ("float32", [2, 3]), "y": ("float32", [2]), "z": ("float32", [1])}
        graph = onnx.load_model_from_string(
            model([node("add", ["x", "y"], "sum", axis=0), node("Mul", ["sum", "z"], "out", domain="")], inputs))
        graph.graph.initializer.append(onnx.numpy_helper.from_array(np.ones((2, 3), np.float32), "x"))
        graph.graph.initializer.append(onnx.numpy_helper.from_array(np.array([1, 2], np.float32), "y"))
        executable, calls = calls_of(lambda: compiled(graph.SerializeToString()))
        self.assertEqual((calls, reference_nodes(executable)), (1, 0))
        self.assertEqual(executable({"z": np.array([10], np.float32)})["out"].tolist(), [[20] * 3, [30] * 3])

    def test_booleans_between_nodes_of_both(self):
        graph = model([node("less", ["x", "y"], "less"), node("Not", ["less"], "not", domain=""),
                       node("add", ["not", "c"], "either"), node("equal", ["either", "less"], "same"),
                       node("Where", ["same", "x", "y"], "theirs", domain=""),
                       node("where", ["same", "x", "y"], "ours"), node("bitwise_not", ["either"], "neither")],
                      {"x": ("float32", [64]), "y": ("float32", [64]), "c": ("bool", [64])})
        x, y = np.random.default_rng(0).standard_normal((2, 64)).astype(np.float32)
        c = cases.values("bool", (64,), 1)
        less, either = x < y, ~(x < y) | c
        expected = [less, ~less, either, either == less, np.where(either == less, x, y), np.where(either == less, x, y), ~either]
        with tempfile.TemporaryDirectory() as folder:  # the second time from the cache, which holds the plugin's u8 for booleans
            for cached in (False, True):
                graph_of_both = compiled(graph, CACHE_DIR=folder)
                self.assertEqual(graph_of_both.get_property("LOADED_FROM_CACHE"), cached)
                results = graph_of_both({"x": x, "y": y, "c": c})
                for port, wanted in zip(graph_of_both.outputs, expected):
                    self.assertTrue(cases.same_bits(results[port], wanted), port.any_name)


class OnnxNodes(unittest.TestCase):
    def test_axis_static_and_dynamic(self):
        y = np.arange(12, dtype=np.float32).reshape(3, 4)
        for shape in ([2, 3, 4, 5], ["batch", 3, None, 5]):
            graph = CORE.read_model(one("subtract", ("float32", shape), ("float32", [3, 4]), axis=1))
            self.assertEqual(ours_in(graph), ["subtract"])
            executable = CORE.compile_model(graph, "CPU")
            self.assertEqual(reference_nodes(executable), 1)
            for batch in [2] if shape[0] == 2 else [2, 1, 0, 5, 2]:
                x = np.random.default_rng(batch).standard_normal((batch, 3, 4, 5)).astype(np.float32)
                result, calls = calls_of(lambda: executable([x, y])[0])
                self.assertTrue(cases.same_bits(result, x - y[:, :, None]))
                self.assertEqual(calls, 1)

    def test_what_is_known_of_shapes_reaches_the_result(self):
        graph = CORE.read_model(one("add", ("float32", [None, 3, None, 5]), ("float32", [3, 4]), axis=1))
        self.assertEqual(str(graph.output(0).partial_shape), "[?,3,4,5]")
        graph.reshape({"x": ov.PartialShape("2..8,3,?,5")})
        self.assertEqual(str(graph.output(0).partial_shape), "[2..8,3,4,5]")
        graph.reshape({"x": [2, 3, 4, 5], "y": ov.PartialShape.dynamic()})
        self.assertEqual(str(graph.output(0).partial_shape), "[...]")

    def test_every_name_of_the_registry(self):
        for op in cases.registry_ops().values():
            for name in [op["name"], *op["aliases"]] if op["elementwise"] else []:
                dtype = op["signatures"][-1]["inputs"][-1]
                operands = [("bool" if op["name"] == "where" and i == 0 else dtype, [2]) for i in range(op["arity"])]
                self.assertEqual(ours_in(CORE.read_model(one(name, *operands))), [name])

    def test_attributes(self):
        clip = compiled(one("clip", ("float32", [4]), min=-0.1, max=7))
        x = np.array([-1, 0.5, 9, np.nan], np.float32)
        self.assertTrue(cases.same_bits(clip([x])[0], np.array([-0.1, 0.5, 7, np.nan], np.float32)))
        legacy = compiled(one("add", ("float32", [2, 3]), ("float32", [2]), axis=0, mode="onnx_legacy"))
        self.assertEqual(legacy([np.zeros((2, 3), np.float32), np.array([1, 2], np.float32)])[0].tolist(), [[1] * 3, [2] * 3])

    def test_ir_round_trip(self):
        source = model([node("subtract", ["x", "y"], "difference", axis=1),
                        node("clip", ["difference"], "clipped", min=-0.1, max=7), node("less", ["x", "x"], "less")],
                       {"x": ("float32", [None, 3, 4, 5]), "y": ("float32", [3, 4])})
        first = CORE.read_model(source)
        x = np.random.default_rng(1).standard_normal((2, 3, 4, 5)).astype(np.float32)
        y = np.random.default_rng(2).standard_normal((3, 4)).astype(np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.xml")
            ov.serialize(first, path)
            second = CORE.read_model(path)
            attributes = [[n.get_attributes() for n in m.get_ordered_ops() if n.get_type_name() == "Elementwise"]
                          for m in (first, second)]
            self.assertEqual(attributes[0], attributes[1])
            self.assertIn({"op": "clip", "boolean_inputs": 0, "axis": "", "mode": "", "min": "-0.10000000149011612", "max": "7"},
                          attributes[1])
            results = [CORE.compile_model(m, "CPU")({"x": x, "y": y}) for m in (first, second)]
            for port in range(3):
                self.assertTrue(cases.same_bits(results[0][port], results[1][port]))
            self.assertTrue(cases.same_bits(results[1][0], x - y[:, :, None]))
            stranger = ov.Core()
            self.assertIn("Elementwise", message_of(lambda: stranger.read_model(path))[1])


class PaddleModels(unittest.TestCase):
    # What Paddle does otherwise: (model, op) -> why, and what is compared instead.
    OTHERWISE = {"mod": "a remainder of zero has the dividend's sign in Paddle, the divisor's here: zeros are compared as equal",
                 "max": "of zeros of both signs Paddle takes one operand, this +0: zeros are compared as equal",
                 "min": "as max"}

    def test_models_by_paddle(self):
        models = sorted(glob.glob(os.path.join(MODELS, "*.pdmodel")))
        self.assertEqual([os.path.basename(path)[:-8] for path in models], ["axis_float32", "axis_int32", "axis_of_x"])
        for path in models:
            stored = np.load(path.replace(".pdmodel", ".npz"))
            names = [name for name in stored.files if name not in "xy"]
            # As it was saved, with an unknown batch; and with known shapes.
            for shapes in (None, {name: list(stored[name].shape) for name in "xy"}):
                graph = CORE.read_model(path)
                if shapes:
                    graph.reshape(shapes)
                self.assertEqual(sorted(ours_in(graph)), sorted(f"elementwise_{name}" for name in names if name != "pow"))
                executable = CORE.compile_model(graph, "CPU", CONFIG)
                results, calls = calls_of(lambda: executable({name: stored[name] for name in "xy"}))
                self.assertEqual(calls, len(names) - ("pow" in names))
                self.assertEqual(reference_nodes(executable), calls)
                for name, port in zip(names, executable.outputs):
                    if name == "pow":  # not ours
                        continue
                    ours, theirs = (v + 0 if name in self.OTHERWISE else v for v in (results[port], stored[name]))
                    self.assertTrue(cases.same_bits(ours, theirs), f"{path} {name}")

    def test_what_openvino_cannot(self):
        """Why one wants this: without us, OpenVINO 2026.4 refuses two of these models."""
        for name in ("axis_float32", "axis_of_x"):
            plain = ov.Core()
            with self.assertRaisesRegex(RuntimeError, "Argument shapes are inconsistent"):
                plain.compile_model(plain.read_model(os.path.join(MODELS, f"{name}.pdmodel")), "CPU")


class Errors(unittest.TestCase):
    maxDiff = None

    def test_at_conversion(self):
        text, exact = message_of(lambda: CORE.read_model(one("add", ("float32", [2, 3, 4, 5]), ("float32", [3, 5]), axis=1)))
        self.assertEqual(text, """Exception from FILE:
Check 'false' failed at FILE:
FrontEnd API failed with OpConversionFailure:
Model wasn't fully converted. Failed operations detailed log:
-- axiscast.add with a message:
While validating ONNX node '<Node(add): out>': Check 'accepted_by_axiscast' failed at FILE:
While validating node 'axiscast::Elementwise Elementwise_# (opset#::Parameter x[#]:f#[#,#,#,#], opset#::Parameter y[#]:f#[#,#]) -> \
(dynamic[...])' with friendly_name 'Elementwise_#':
add: dimensions must be equal or #; got x[#] = # and y[#] = # (x [#, #, #, #], y [#, #], axis #)

Summary:
-- Conversion is failed for: axiscast.add

""")
        self.assertIn("\nadd: dimensions must be equal or 1; got x[2] = 4 and y[1] = 5 (x [2, 3, 4, 5], y [3, 5], axis 1)\n", exact)

    def test_each_says_what_was_wrong(self):
        f32 = ("float32", [2])
        graphs = {
            "\nadd: takes 2 inputs; got 1\n": one("add", f32),
            "\nadd: axis must be an integer; got middle\n": one("add", f32, f32, axis="middle"),
            '\nthere is no mode "numpi"; did you mean numpy; there are: numpy, axis,': one("add", f32, f32, mode="numpi"),
            "\nadd: no kernel for add(float32, int32); add supports (bool, bool), (int8, int8),": one("add", f32, ("int32", [2])),
            "\nEqual: no dtype for OpenVINO's string (operand 0)\n": one("Equal", ("string", [2]), ("string", [2])),
        }
        for text, graph in graphs.items():
            self.assertIn(text, message_of(lambda g=graph: CORE.read_model(g))[1])

    def test_while_it_runs(self):
        text = message_of(lambda: compiled(one("clip", ("float32", [2]), min="low"))([np.ones(2, np.float32)]))[1]
        self.assertIn("\nclip: attribute min must be a number; got low\n", text)
        executable = compiled(one("add", ("float32", [None, 3, None, 5]), ("float32", [3, 4]), axis=1))
        text = message_of(lambda: executable([np.ones((2, 3, 7, 5), np.float32), np.ones((3, 4), np.float32)]))[1]
        self.assertIn("\nadd: dimensions must be equal or 1; got x[2] = 7 and y[1] = 4 (x [2, 3, 7, 5], y [3, 4], axis 1)\n", text)
        executable = compiled(one("divide", ("int32", [4]), ("int32", [1])))
        for _ in range(2):  # the second time by the plan that the node keeps of its first call that went well
            text = message_of(lambda: executable([np.array([7, -7, 5, 4], np.int32), np.array([0], np.int32)]))[1]
            self.assertIn("\ndivide: integer division by zero at y[0] (x [4], y [1])\n", text)
            self.assertEqual(executable([np.array([7, -7, 5, 4], np.int32), np.array([2], np.int32)])[0].tolist(), [3, -3, 2, 2])


class ReplacedOnnxOps(unittest.TestCase):
    def setUp(self):
        ADAPTER.axiscast_openvino_replace_onnx(1)
        self.core = ov.Core()
        self.core.add_extension(LIBRARY)
        ADAPTER.axiscast_openvino_replace_onnx(0)

    def test_on_request_alone(self):
        graph = one("Add", ("float32", [2, 3]), ("float32", [3]), domain="")
        self.assertEqual((ours_in(CORE.read_model(graph)), ours_in(self.core.read_model(graph))), ([], ["Add"]))

    def test_before_opset_7(self):
        graph = one("Add", ("float32", [2, 3, 4, 5]), ("float32", [3, 4]), domain="", opset=6, broadcast=1, axis=1)
        x, y = np.ones((2, 3, 4, 5), np.float32), np.arange(12, dtype=np.float32).reshape(3, 4)
        self.assertTrue(cases.same_bits(self.core.compile_model(self.core.read_model(graph), "CPU")([x, y])[0], x + y[:, :, None]))

        graph = one("Add", ("float32", [1, 5]), ("float32", [4, 5]), domain="", opset=6, broadcast=1)
        text = message_of(lambda: self.core.read_model(graph))[1]
        self.assertIn("\nAdd: only leading and trailing 1s of the second operand stretch, other dimensions must be equal; "
                      "got x[0] = 1 and y[0] = 4 (x [1, 5], y [4, 5], axis -1)\n", text)

    def test_cases_of_onnx_itself(self):
        """ONNX's tests of single nodes, with its own data."""
        ops = [op for op in cases.registry_ops().values() if op["elementwise"]]
        names, ran = {alias for op in ops for alias in op["aliases"] if alias[0].isupper()} - {"Clip", "IsInf"}, 0
        with warnings.catch_warnings():  # of NumPy, while ONNX computes its data
            warnings.simplefilter("ignore")
            onnx_tests = onnx_cases.collect_testcases(None)
        for case in onnx_tests:
            nodes = case.model.graph.node
            # Strings are no dtype of ours; Max and Min of one operand are that operand.
            if len(nodes) != 1 or nodes[0].op_type not in names or "_string" in case.name or case.name.endswith("_one_input"):
                continue
            graph = self.core.read_model(case.model.SerializeToString())
            self.assertEqual(set(ours_in(graph)), {nodes[0].op_type}, case.name)
            executable = self.core.compile_model(graph, "CPU", CONFIG)
            for inputs, outputs in case.data_sets:
                inputs = [onnx.numpy_helper.to_array(v) if isinstance(v, onnx.TensorProto) else np.asarray(v) for v in inputs]
                self.assertTrue(cases.same_bits(executable(inputs)[0], np.asarray(outputs[0])), case.name)
            ran += 1
        print(f"{ran} of ONNX's single-node cases ran on our nodes, of {len(names)} ops")
        self.assertGreater(ran, 100)


if __name__ == "__main__":
    unittest.main(verbosity=1)
