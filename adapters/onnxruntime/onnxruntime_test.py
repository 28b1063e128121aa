"""axiscast inside ONNX Runtime: its ops beside the host's own and NumPy's, errors, shapes; onnx_domain.py and runtime.py have the rest."""
import unittest
import warnings

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper

from onnx_domain import Replaced  # noqa: F401  (unittest runs it)
from reference import HOST_DIFFERS, HOST_OPS, NUMPY
from runtime import Host  # noqa: F401
from session import DTYPES, calls, model_of, node_model, session
from testing.cases import SHAPE_PAIRS, registry_ops, same_bits, values

OPS = {name: op for name, op in registry_ops().items() if not name.endswith("_grad")}
SHAPED = ("broadcast_to", "gather", "scatter", "scatter_add", "sum_to")  # not elementwise: in tests of their own
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
