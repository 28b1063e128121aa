"""gather, scatter and scatter_add through the command, against NumPy. usage: gather_cli_test.py SOURCE_FOLDER AXISCAST_COMMAND"""

import re

import numpy as np

import cli

DTYPES = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split()
UFUNCS = {"add": np.add, "mul": np.multiply, "amin": np.minimum, "amax": np.maximum}


class AgainstNumPy(cli.CommandTest):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(7)

    def run_op(self, op, arrays, *flags, **attributes):
        for i, array in enumerate(arrays):
            np.save(f"{i}.npy", array)
        words = [word for key, value in attributes.items() for word in ("--attr", f"{key}={value}")]
        self.accepted("run", op, *[f"{i}.npy" for i in range(len(arrays))], *words, *flags, "-o", "out.npy")
        return np.load("out.npy")

    def values(self, shape, dtype):
        return self.random.integers(0, 9, shape).astype(dtype)

    def test_gather_is_take_along_axis(self):
        for dtype in DTYPES:
            for index_dtype in ["i4", "i8"]:
                x = self.values((3, 4, 5), dtype)
                for dim in [-3, 1, 2]:
                    shape = [3, 4, 5]
                    shape[dim] = 7
                    index = self.random.integers(-x.shape[dim], x.shape[dim], shape).astype(index_dtype)
                    expected = np.take_along_axis(x, index, dim)
                    out = self.run_op("gather", [x, index], dim=dim, mode="same_rank", wrap_negative="true")
                    np.testing.assert_array_equal(out, expected)
                    self.assertEqual(out.dtype, x.dtype)

    def test_gather_aligns_left(self):
        x = np.asfortranarray(self.values((3, 4, 5), "f4"))
        index = self.random.integers(0, 4, (3, 6))
        out = self.run_op("gather", [x, index], dim=1)
        np.testing.assert_array_equal(out, np.stack([x[i, index[i]] for i in range(3)]))
        rows = self.random.integers(0, 3, 8)
        np.testing.assert_array_equal(self.run_op("gather", [x, rows], dim=0), np.take(x, rows, 0))

    def test_scatter_is_put_along_axis(self):
        for dtype in DTYPES:
            x = self.values((3, 4), dtype)
            index = np.argsort(self.random.random((3, 4)), axis=1)[:, :2]
            src = self.values((3, 2), dtype)
            expected = x.copy()
            np.put_along_axis(expected, index, src, 1)
            for flags in [[], ["--in-place"]]:
                np.testing.assert_array_equal(self.run_op("scatter", [x, index, src], *flags, dim=1, mode="same_rank"), expected)

    def test_reductions_are_ufuncs_at(self):
        for reduce, ufunc in UFUNCS.items():
            for dtype in DTYPES[1:]:
                x = self.values((5, 4), dtype)
                index = self.random.integers(0, 5, 9)
                src = self.values((9, 4), dtype)
                expected = x.copy()
                with np.errstate(over="ignore"):
                    ufunc.at(expected, index, src)
                out = self.run_op("scatter", [x, index.reshape(9, 1).astype("i4"), src], dim=0, reduce=reduce)
                np.testing.assert_array_equal(out, expected, f"{reduce} {dtype}")
                if reduce == "add":
                    np.testing.assert_array_equal(self.run_op("scatter_add", [x, index, src], "--in-place", dim=0), expected)

    def test_mean_without_self(self):
        x, src = np.full(3, 100.0), np.array([1.0, 2.0, 6.0])
        index = np.array([0, 0, 2])
        np.testing.assert_array_equal(self.run_op("scatter", [x, index, src], dim=0, reduce="mean", include_self="false"), [1.5, 100, 6])

    def told(self, name, **attributes):
        """Looks another library's op up; runs what it is said to be, with the words of the message that are attributes."""
        message = self.refused(["ops", name], 1, "kUnknownName", f'there is no op "{name}"; that is ')
        op, how = message.split("; that is ", 1)[1].split(" ", 1)
        attributes = dict(re.findall(r"(mode|dim|wrap_negative)=(\w+)", how), **attributes)
        in_place = ["--in-place"] if how.endswith(", in place") else []
        return lambda *arrays, **more: self.run_op(op, arrays, *in_place, **attributes, **more)

    def test_other_libraries_names_are_told_what_to_ask_for(self):
        x = self.values((3, 4), "f8")
        below_zero = self.random.integers(-4, 4, (3, 4))
        np.testing.assert_array_equal(self.told("take_along_axis", dim=1)(x, below_zero), np.take_along_axis(x, below_zero, 1))
        few = self.random.integers(-4, 4, (1, 2))  # ONNX: the result has the index's shape, where NumPy stretches
        np.testing.assert_array_equal(self.told("GatherElements", dim=1)(x, few), [[x[0, i] for i in few[0]]])
        columns = np.array([3, 0, 3, -1])
        np.testing.assert_array_equal(self.told("index_select", dim=1)(x, columns[None]), np.take(x, columns, 1))
        np.testing.assert_array_equal(self.told("index_select", dim=0)(x, columns[1:2]), np.take(x, columns[1:2], 0))
        tokens = self.random.integers(0, 3, (2, 5))
        np.testing.assert_array_equal(self.told("embedding")(x, tokens.ravel()).reshape(2, 5, 4), x[tokens])
        expected = x.copy()
        np.put_along_axis(expected, below_zero[:, :1], 9, 1)
        np.testing.assert_array_equal(self.told("put_along_axis", dim=1)(x, below_zero[:, :1], np.float64(9)), expected)
        expected = x.copy()
        expected[0, few[0]] = 7
        np.testing.assert_array_equal(self.told("ScatterElements", dim=1)(x, few, np.full((1, 2), 7.0)), expected)
        np.testing.assert_array_equal(self.told("scatter_", dim=1)(x, few % 4, np.full((1, 2), 7.0)), expected)
        source = self.values((3, 4), "f8")
        expected = x.copy()
        np.add.at(expected, (slice(None), columns), source)
        np.testing.assert_array_equal(self.told("index_add", dim=1)(x, columns[None], source), expected)
        expected = x.copy()
        np.add.at(expected, (0, few[0]), source[0, :2])
        np.testing.assert_array_equal(self.told("scatter_add_", dim=1)(x, few % 4, source), expected)
        np.testing.assert_array_equal(self.told("scatter_reduce", dim=1)(x, few % 4, source, reduce="add"), expected)
        np.testing.assert_array_equal(self.told("reduce_sum")(x, shape="3,1"), x.sum(axis=1, keepdims=True))
        np.testing.assert_array_equal(self.told("Expand")(x[:, :1], shape="2,3,4"), np.broadcast_to(x[:, :1], (2, 3, 4)))

    def test_explain(self):
        plan = self.accepted("explain", "gather", "1000,64", "500", "--attr", "dim=0", "--json").json
        self.assertEqual((plan["shape"], plan["extents"]), ([500, 64], [500, 64]))
        self.assertEqual([operand["delivery"] for operand in plan["operands"]], ["rows by index", "index", "rows"])
        plan = self.accepted("explain", "scatter_add", "1000,64", "500", "500,64", "--attr", "dim=0", "--json").json
        self.assertEqual([operand["name"] for operand in plan["operands"]], ["self", "index", "src", "out"])
        self.accepted("explain", "scatter", "0,3", "0,2", "0,2", "--attr", "dim=1")

    def test_explain_takes_either_index(self):
        gather = ["explain", "gather", "1000,64", "500", "--attr", "dim=0"]
        scatter = ["explain", "scatter", "1000,64", "500", "500,64", "--attr", "dim=0", "--dtype", "int8"]
        for words, data in [(gather, "float32"), (scatter, "int8")]:
            for flags, dtype, size in [([], "int64", 8), (["--index-dtype", "int64"], "int64", 8), (["--index-dtype", "int32"], "int32", 4)]:
                operands = self.accepted(*words, *flags, "--json").json["operands"]
                self.assertEqual([operand["dtype"] for operand in operands], [data, dtype] + [data] * (len(operands) - 2))
                self.assertEqual(operands[1]["unique_bytes"], 500 * size)
        self.refused([*gather, "--index-dtype", "int16"], 1, "kUnsupportedDType", "no kernel of gather for an index of int16; it supports int32, int64")
        self.refused([*gather, "--index-dtype", "int46"], 1, "kUnknownName", '"int46"')
        self.refused(["explain", "where", "2", "2", "2", "--index-dtype", "int64"], 2, "kUsage", "where takes no index")


if __name__ == "__main__":
    cli.main()
