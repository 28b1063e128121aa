"""ONNX's own ops on our kernels: its node tests, which ops are replaced, models of old, and the host's optimisations beside it."""
import os
import tempfile
import unittest
import warnings

import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases

from session import DTYPES, calls, model_of, node_model, session
from testing.cases import same_bits, values


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

    def test_dtypes_that_the_host_lacks(self):
        """bfloat16 comes and goes as float32, which holds all of it."""
        x, y = (values(ml_dtypes.bfloat16, (40,), seed) for seed in (1, 2))
        bounds = [numpy_helper.from_array(np.array(bound, ml_dtypes.bfloat16), name) for name, bound in (("min", -1.5), ("max", 2))]
        nodes = [helper.make_node("Cast", ["x32"], ["x"], to=onnx.TensorProto.BFLOAT16), helper.make_node("Cast", ["y32"], ["y"], to=onnx.TensorProto.BFLOAT16),
                 helper.make_node("Sub", ["x", "y"], ["difference"]), helper.make_node("Clip", ["difference", "min", "max"], ["clipped"]),
                 helper.make_node("Cast", ["clipped"], ["out"], to=onnx.TensorProto.FLOAT)]
        model = model_of(nodes, [("x32", "float32", (40,)), ("y32", "float32", (40,))], initializers=bounds)
        with self.assertRaisesRegex(Exception, "NOT_IMPLEMENTED"):
            session(model)
        with np.errstate(invalid="ignore"):
            wanted = np.clip((x - y).astype("f4"), -1.5, 2)
        self.assertTrue(same_bits(session(model, "all").run(None, {"x32": x.astype("f4"), "y32": y.astype("f4")})[0], wanted))

    def test_infinities_of_one_sign(self):
        for name in ("float16", "float32", "float64"):
            feeds = {"x": np.array([np.inf, -np.inf, np.nan, 3, 65504], name)}
            for negative, positive in ((0, 1), (1, 0), (1, 1)):
                model = node_model("IsInf", feeds, detect_negative=negative, detect_positive=positive)
                self.assertEqual(session(model, "all").run(None, feeds)[0].tolist(), [bool(positive), bool(negative), False, False, False])
        with self.assertRaisesRegex(Exception, "IsInf: infinities of one sign are for floating dtypes"):
            session(node_model("IsInf", {"x": np.ones(2, "i4")}, detect_negative=0), "all")

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
