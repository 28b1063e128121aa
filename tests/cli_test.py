"""The axiscast command against its contract: results, JSON, verbs and flags; cli_resolve_test.py and cli_refused_test.py have the rest. usage: cli_test.py SOURCE_FOLDER AXISCAST_COMMAND"""

import os
import re
import shlex
import stat

import numpy as np

import cli

VERBS = ["ops", "resolve", "run", "explain", "info"]


class Results(cli.CommandTest):
    """Exit status 0."""

    def test_run(self):
        x = np.arange(2 * 3 * 4, dtype="f4").reshape(2, 3, 4)
        y = np.array([10, 20, 30], dtype="f4")
        np.save("x.npy", x)
        np.save("y.npy", y)
        result = self.accepted("run", "subtract", "y.npy", "x.npy", "--axis", "1", "-o", "out.npy", "--threads", "1", "--json").json
        np.testing.assert_array_equal(np.load("out.npy"), y[:, None] - x)
        self.assertEqual((result["shape"], result["dtype"], result["threads"]), ([2, 3, 4], "float32", 1))
        self.assertGreater(result["seconds"], 0)
        self.assertEqual(self.accepted("run", "elementwise_sub", "x.npy", "x.npy", "-o", "out.npy", "--json").json["op"], "subtract")
        self.accepted("run", "add", "x.npy", "x.npy", "-o", "out.npy", "--threads", "99999999999999999999")

    def test_run_pairs_elements(self):
        x, y = np.arange(4, dtype="f4"), np.array([[10, 20], [30, 40]], dtype="f4")
        np.save("x.npy", x)
        np.save("y.npy", y)
        np.save("column.npy", x[:, None])
        for mode in ("legacy_pointwise", "pointwise"):
            self.accepted("run", "subtract", "x.npy", "y.npy", "--mode", mode, "-o", "out.npy")
            np.testing.assert_array_equal(np.load("out.npy"), x - y.ravel())
            self.accepted("run", "subtract", "y.npy", "x.npy", "--mode", mode, "-o", "out.npy")
            np.testing.assert_array_equal(np.load("out.npy"), y - x.reshape(2, 2))
        self.accepted("run", "add", "column.npy", "x.npy", "--mode", "legacy_pointwise", "-o", "out.npy")
        np.testing.assert_array_equal(np.load("out.npy"), x[:, None] + x)
        self.accepted("run", "add", "column.npy", "x.npy", "--mode", "pointwise", "-o", "out.npy")
        np.testing.assert_array_equal(np.load("out.npy"), 2 * x[:, None])
        np.save("six.npy", np.arange(6, dtype="f4"))
        np.save("fortran.npy", np.asfortranarray(np.arange(10, 16, dtype="f4").reshape(2, 3)))
        self.accepted("run", "add", "six.npy", "fortran.npy", "--mode", "pointwise", "-o", "out.npy")
        np.testing.assert_array_equal(np.load("out.npy"), np.arange(6) + np.arange(10, 16))

    def test_out_may_be_an_input_and_links_are_followed(self):
        x = np.arange(6, dtype="i8").reshape(2, 3)
        np.save("x.npy", x)
        self.accepted("run", "add", "x.npy", "x.npy", "-o", "x.npy")
        np.testing.assert_array_equal(np.load("x.npy"), 2 * x)
        os.symlink("x.npy", "link.npy")
        self.accepted("run", "add", "x.npy", "link.npy", "-o", "link.npy")
        self.assertTrue(os.path.islink("link.npy"))
        np.testing.assert_array_equal(np.load("x.npy"), 4 * x)
        self.assertEqual(sorted(os.listdir()), ["link.npy", "x.npy"])  # nothing is left beside it
        self.accepted("run", "add", "x.npy", "x.npy", "-o", "/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_in_place(self):
        x = np.arange(6, dtype="f8").reshape(2, 3)
        y = np.array([1, 2, 3], dtype="f8")
        np.save("x.npy", np.asfortranarray(x))
        np.save("y.npy", y)
        self.accepted("run", "add", "x.npy", "y.npy", "--in-place", "-o", "out.npy")
        np.testing.assert_array_equal(np.load("out.npy"), x + y)
        np.testing.assert_array_equal(np.load("x.npy"), x)
        self.accepted("run", "negative", "x.npy", "--in-place", "-o", "x.npy")
        np.testing.assert_array_equal(np.load("x.npy"), -x)
        np.save("mask.npy", np.array([[True, False, True]]))
        self.refused(["run", "where", "mask.npy", "x.npy", "x.npy", "--in-place", "-o", "out.npy"], 1, "kInvalidShape", "[2, 3]")

    def test_expressions(self):
        rng = np.random.default_rng(1)
        x = rng.standard_normal((2, 3, 4, 5), dtype="f4")
        scale, bias, skip = (rng.standard_normal(shape, dtype="f4") for shape in ((3,), (3, 1, 1), (5,)))
        for name, array in (("x", x), ("scale", scale), ("bias", bias), ("skip", skip), ("mask", x[:, :1] > 0), ("n", np.arange(-3, 3, dtype="i4"))):
            np.save(name + ".npy", array)
        text = "maximum(add(multiply(x, scale@1), add(bias, skip)), -0.5)"
        result = self.accepted("run", text, "x.npy", "scale.npy", "bias.npy", "skip.npy", "-o", "out.npy", "--threads", "1", "--json").json
        np.testing.assert_array_equal(np.load("out.npy"), np.maximum(x * scale[:, None, None] + (bias + skip), np.float32(-0.5)))
        self.assertEqual((result["expression"], result["shape"], result["dtype"], result["threads"]), (text, [2, 3, 4, 5], "float32", 1))
        # bool between, and an input that is read twice; files in the order of the text.
        self.accepted("run", "where(logical_or(mask, greater(x, skip)), negative(x), nan)", "mask.npy", "x.npy", "skip.npy", "-o", "out.npy")
        np.testing.assert_array_equal(np.load("out.npy"), np.where((x[:, :1] > 0) | (x > skip), -x, np.float32("nan")))
        # float16 rounds after each op, as NumPy does.
        np.save("h.npy", x.astype("f2"))
        self.accepted("run", "multiply(add(h, 0.1), subtract(h, 3))", "h.npy", "-o", "out.npy")
        h = x.astype("f2")
        np.testing.assert_array_equal(np.load("out.npy"), (h + np.float16(0.1)) * (h - np.float16(3)))
        self.accepted("run", "clip(floor_divide(n, 2), min=-1, max=0)", "n.npy", "-o", "out.npy")
        np.testing.assert_array_equal(np.load("out.npy"), np.clip(np.arange(-3, 3, dtype="i4") // 2, -1, 0))
        # In place; OUT may be an input.
        self.accepted("run", "add(multiply(x, x), skip)", "x.npy", "skip.npy", "--in-place", "-o", "x.npy")
        np.testing.assert_array_equal(np.load("x.npy"), x * x + skip)
        np.save("column.npy", np.ones((4, 1), "f4"))
        np.save("row.npy", np.ones(4, "f4"))
        warned = self.accepted("run", "add(column, abs(row))", "column.npy", "row.npy", "-o", "out.npy", "--warn", "--json").json
        self.assertEqual(len(warned["warnings"]), 1)
        plan = self.accepted("explain", "where(mask, add(x, 2), y@0)", "8,1,7,7", "8,64,7,7", "8", "--dtype", "bool,float64,float64", "--json").json
        self.assertEqual((plan["expression"], plan["shape"]), ("where(mask, add(x, 2), y@0)", [8, 64, 7, 7]))
        self.assertEqual([(o["name"], o["dtype"]) for o in plan["operands"]],
                         [("mask", "bool"), ("x", "float64"), ("y", "float64"), ("2", "float64"), ("out", "float64")])
        self.assertTrue(self.accepted("explain", "add(x, abs(x))", "3", "--dtype", "int8").stdout.startswith("add(x, abs(x)) -> int8 [3]\n"))

    def test_attributes_are_exact(self):
        limits = np.array([-2**63, -1, 0, 2**53 + 1, 2**63 - 1], dtype="i8")
        np.save("x.npy", limits)
        self.accepted("run", "clip", "x.npy", "--attr", f"min={2**53 + 1}", "--attr", f"max={2**63 - 2}", "-o", "out.npy")
        np.testing.assert_array_equal(np.load("out.npy"), np.array([2**53 + 1] * 4 + [2**63 - 2], dtype="i8"))
        np.save("u.npy", np.array([0, 2**64 - 1], dtype="u8"))
        self.accepted("run", "clip", "u.npy", "--attr", f"max={2**64 - 2}", "-o", "out.npy")
        np.testing.assert_array_equal(np.load("out.npy"), np.array([0, 2**64 - 2], dtype="u8"))
        np.save("f.npy", np.array([-5, 0.25, 7], dtype="f4"))
        for text in ("-0", "-0.0", "+0", "0e5", "-1e-9999"):
            self.accepted("run", "clip", "f.npy", "--attr", "min=" + text, "--attr", "max=inf", "-o", "out.npy")
            np.testing.assert_array_equal(np.load("out.npy"), np.array([0, 0.25, 7], dtype="f4"))
        self.accepted("run", "clip", "f.npy", "--attr=min=.5", "-o", "out.npy")
        np.testing.assert_array_equal(np.load("out.npy"), np.array([0.5, 0.5, 7], dtype="f4"))

    def test_sum_to(self):
        rows = [  # shape of x, sum_to's, axis, NumPy's axes
            ((4, 3, 5, 6), (3,), 1, (0, 2, 3)),
            ((4, 3, 5, 6), (6,), None, (0, 1, 2)),
            ((4, 3, 5, 6), (3, 1, 6), None, (0, 2)),
            ((4, 3, 5, 6), (4, 1, 5), 0, (1, 3)),
            ((4, 3, 5, 6), (), None, (0, 1, 2, 3)),
            ((700, 3), (700, 1), None, (1,)),
            ((0, 3), (3,), None, (0,)),
        ]
        for dtype in ("i1", "u2", "i4", "i8", "f2", "f4", "f8"):
            for shape, to, axis, axes in rows:
                x = np.random.default_rng(1).integers(-9, 10, shape).astype(dtype)  # sums that every dtype holds
                np.save("x.npy", np.asfortranarray(x) if axis == 1 else x)
                flags = ["--axis", str(axis)] if axis is not None else []
                self.accepted("run", "sum_to", "x.npy", "--attr", "shape=" + (",".join(map(str, to)) or "()"), *flags, "-o", "out.npy")
                out = np.load("out.npy")
                self.assertEqual((out.dtype, out.shape), (x.dtype, to))
                np.testing.assert_array_equal(out, x.sum(axis=axes, dtype=dtype).reshape(to))
        np.save("x.npy", np.array([65504, 65504, -65504], dtype="f2"))
        self.accepted("run", "sum_to", "x.npy", "--attr", "shape=1", "-o", "out.npy")
        np.testing.assert_array_equal(np.load("out.npy"), np.array([65504], dtype="f2"))

    def test_ops(self):
        ops = self.accepted("ops", "--json").json
        names = [op["name"] for op in ops]
        self.assertEqual(names, sorted(names))
        for op in ops:
            for key in ("name", "aliases", "arity", "dtypes", "attributes", "doc", "max_ulp", "gradient"):
                self.assertIn(key, op)
            self.assertGreater(len(op["dtypes"]), 0)
            for attribute in op["attributes"]:
                self.assertLessEqual({"name", "type", "default"}, set(attribute))
            for name in [op["name"]] if cli.SHORT else [op["name"], *op["aliases"]]:
                self.assertEqual(self.accepted("ops", name, "--json").json, [op], name)
            self.assertIn(op["doc"].split()[0], self.accepted("ops", op["name"]).stdout)
        by_name = {op["name"]: op for op in ops}
        self.assertIn("float32", by_name["where"]["dtypes"])
        self.assertEqual([a["default"] for a in by_name["clip"]["attributes"]], [None, None])
        listed = self.accepted("ops").stdout
        for name in names:
            self.assertRegex(listed, rf"(?m)^  {name} ")

    def test_explain(self):
        plan = self.accepted("explain", "add", "8,64,7,7", "64", "--axis", "1", "--json").json
        self.assertEqual(plan["shape"], [8, 64, 7, 7])
        self.assertEqual(plan["extents"], [8, 64, 49])
        self.assertEqual([operand["name"] for operand in plan["operands"]], ["x", "y", "out"])
        self.assertEqual(plan["roof"]["bytes"], 2 * 8 * 64 * 49 * 4 + 64 * 4)
        self.assertGreater(plan["roof"]["seconds"], 0)
        self.assertAlmostEqual(sum(part["seconds"] for part in plan["estimated_parts"]), plan["estimated_seconds"], delta=1e-12)
        self.assertRegex(self.accepted("explain", "remainder", "9000,3", "3").stdout, r"\nestimate .*: the sum of\n  bytes .*\n  (.*\n)*  staging ")
        self.assertIn("canonical dims", self.accepted("explain", "add", "8,64,7,7", "64", "--axis", "1").stdout)
        huge = self.accepted("explain", "add", "30000000000", "30000000000").stdout
        for line in (r"x +float32 .* 112 GiB", r"  bytes .* \(335 GiB at .*", r"roof +335 GiB / .*"):
            self.assertRegex(huge, rf"(?m)^{line}$")
        self.assertEqual(self.accepted("explain", "less", "0,3", "3").stdout, "less -> bool [0, 3]\n\nnothing to write: the result is empty\n")
        plan = self.accepted("explain", "less", "0,3", "3", "--json").json
        self.assertEqual((plan["dtype"], plan["operands"]), ("bool", []))
        self.assertEqual((plan["roof"]["bytes"], plan["roof"]["level"], plan["roof"]["bytes_per_second"]), (0, None, None))
        for elements, level in ((1000, "L1"), (10**10, "memory")):
            self.assertIn(f"({level}, a plain add loop on 1 thread)", self.accepted("explain", "add", str(elements), str(elements)).stdout)
        one = self.accepted("explain", "add", "9000,512", "512", "--threads", "1")
        self.assertEqual(len(re.findall(" loop on 1 thread\\)", one.stdout)), 1)
        if len(os.sched_getaffinity(0)) > 1:  # the roof of one thread, whom the estimate is for, and of two
            self.assertRegex(self.accepted("explain", "add", "9000,512", "512", "--threads", "2").stdout, r"\nroof .* on 1 thread\)\n .* on 2 threads\)\n")
            plan = self.accepted("explain", "add", "9000,512", "512", "--threads", "2", "--json").json
            self.assertEqual((plan["roof_of_one_thread"]["threads"], plan["roof"]["threads"]), (1, 2))
        plan = self.accepted("explain", "broadcast_to", "3", "--attr", "shape=2,3,4", "--axis", "1", "--json").json
        self.assertEqual((plan["shape"], plan["operands"][0]["byte_strides"]), ([2, 3, 4], [0, 4, 0]))
        plan = self.accepted("explain", "sum_to", "8,64,7,7", "--attr", "shape=64", "--axis", "1", "--json").json
        self.assertEqual((plan["shape"], plan["extents"]), ([64], [64, 8, 49]))
        self.assertEqual(plan["roof"]["bytes"], 8 * 64 * 49 * 4 + 64 * 4)
        self.assertIn("summands side by side", self.accepted("explain", "sum_to", "8,64,7,7", "--attr", "shape=64", "--axis", "1").stdout)
        self.accepted("explain", "sum_to", "0,3", "--attr", "shape=3")
        self.accepted("explain", "sum_to", "2,0", "--attr", "shape=0")
        self.accepted("explain", "add", "0,3", "3", "--json")
        for i, op in enumerate(self.accepted("ops", "--json").json):
            if not op["elementwise"]:
                continue  # their shapes are their own affair: tested one by one
            for dtype in [op["dtypes"][i % len(op["dtypes"])]] if cli.SHORT else op["dtypes"]:
                plan = self.accepted("explain", op["name"], *["4,5"] * op["arity"], "--dtype", dtype, "--json").json
                self.assertEqual(plan["shape"], [4, 5])

    def test_info(self):
        info = self.accepted("info", "--json").json
        self.assertIn(info["target"], info["targets_supported"])
        self.assertLessEqual(set(info["targets_supported"]), set(info["targets_compiled"]))
        self.assertGreaterEqual(info["threads"], 1)
        self.assertRegex(info["onetbb"], r"\d+\.\d+")
        self.assertTrue(all(row["bytes_per_second"] > 1e8 for row in info["bandwidths"]), info["bandwidths"])
        self.assertIn(info["version"], self.accepted("info").stdout)
        self.assertEqual(self.accepted("--version").stdout.strip(), info["version"])


class Help(cli.CommandTest):
    """--help teaches with examples, and the examples work."""

    def test_examples(self):
        np.save("image.npy", np.random.default_rng(1).random((8, 64, 7, 7), dtype="f4"))
        np.save("bias.npy", np.arange(64, dtype="f4"))
        np.save("scale.npy", np.arange(64, dtype="f4"))
        for verb in [[], *[[verb] for verb in VERBS]]:
            text = self.accepted(*verb, "--help").stdout
            self.assertEqual(self.accepted(*verb, "-h").stdout, text)
            self.assertEqual(self.accepted(*verb, "--help", "--json").json, {"help": text})
            self.assertEqual([line for line in text.splitlines() if len(line) > 100], [], verb)
            examples = re.findall(r"(?m)^ +axiscast (.*)$", text)
            self.assertGreaterEqual(len(examples), 2, verb)
            for example in examples:
                self.accepted(*shlex.split(example))


if __name__ == "__main__":
    cli.main()
