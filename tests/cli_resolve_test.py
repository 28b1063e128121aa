"""axiscast resolve against its contract, and declared patterns, which other verbs take too. usage: cli_resolve_test.py SOURCE_FOLDER AXISCAST_COMMAND"""

import numpy as np

import cli


class Resolve(cli.CommandTest):
    """Shapes, unknown extents, warnings, pictures."""

    def test_resolve_is_numpy(self):
        random = np.random.default_rng(1)
        for _ in range(60):
            full = random.integers(1, 5, random.integers(0, 5))
            shapes = []
            for _ in range(random.integers(1, 4)):
                part = full[random.integers(0, len(full) + 1):]
                shapes.append(tuple(int(e) if random.random() < 0.7 else 1 for e in part))
            words = [",".join(map(str, shape)) or "()" for shape in shapes]
            self.assertEqual(self.accepted("resolve", *words, "--json").json, {"shape": list(np.broadcast_shapes(*shapes))}, words)

    def test_resolve_in_axis_mode(self):
        rows = [
            (["2,3,4,5", "3", "--axis", "1"], [2, 3, 4, 5]),
            (["3", "2,3,4", "--axis", "1"], [2, 3, 4]),
            (["2,1,4", "3,1", "--axis", "1"], [2, 3, 4]),
            (["2,3,4,5", "5,1", "--axis=3"], [2, 3, 4, 5]),
            (["2,3,4", "3,1", "--axis", "-1"], [2, 3, 4]),
            (["2,3,4,5", "()", "--axis", "-4"], [2, 3, 4, 5]),
            (["8,64,0,7", "64", "--mode", "axis", "--axis", "1"], [8, 64, 0, 7]),
            (["2,3", "2,3", "--axis", "77"], [2, 3]),
            (["2,3,4", "1,3,1", "--mode", "onnx_legacy"], [2, 3, 4]),
            (["1,3", "3", "--out", "5,4,3"], [5, 4, 3]),
            (["2,3", "3", "--in-place"], [2, 3]),
            (["4", "2,2", "--mode", "legacy_pointwise"], [4]),
            (["4,1", "4", "--mode", "legacy_pointwise"], [4, 4]),
            (["4,1", "4", "--mode", "pointwise"], [4, 1]),
            (["N,2", "4", "--mode", "pointwise"], ["N", 2]),
            (["-o"], None),
        ]
        for args, shape in rows[:-1]:
            self.assertEqual(self.accepted("resolve", *args, "--json").json, {"shape": shape}, args)

    def test_unknown_extents(self):
        rows = [
            (["N,1,5", "N,4,1"], ["N", 4, 5]),
            (["30,1,5", "a,4,1", "4,b"], [30, 4, 5]),
            (["?,3", "3"], ["?", 3]),
            (["0", "?,1"], ["?", 0]),
            (["B,C,H,W", "C", "--axis", "1"], ["B", "C", "H", "W"]),
            (["N", "M_2"], ["?"]),
            (["N"], ["N"]),
            (["N,3", "2,?", "--mode", "none"], [2, 3]),
            (["N,3", "4", "--out", "5,N,4"], None),
            (["N,3", "3", "--out", "M,5,3"], ["M", 5, 3]),
            (["N,3", "5,1", "--in-place"], [5, 3]),
        ]
        for args, shape in rows:
            if shape is None:
                self.refused(["resolve", *args], 1, "kInvalidShape")
            else:
                self.assertEqual(self.accepted("resolve", *args, "--json").json, {"shape": shape}, args)
        self.assertEqual(
            self.accepted("resolve", "N,1,5", "N,4,1").stdout,
            "axis    0   1   2\n"
            "x       N   1*  5\n"
            "y       N   4   1*\n"
            "result  N   4   5\n"
            "\n"
            "x is stretched along axis 1\n"
            "y is stretched along axis 2\n"
            "(* an extent of 1 that is stretched; . no such dim, taken as 1)\n"
            "\n"
            "result: [N, 4, 5]\n")

    def test_patterns(self):
        rows = [
            (["1,3", "3,3"], ["BN", "NN"], [3, 3]),
            (["3,1", "3,1"], ["NN", "NN"], [3, 1]),
            (["2,3", "3"], ["NN", "N"], [2, 3]),
            (["2,1", "2,3"], ["NB", "NN"], [2, 3]),
            (["()", "2,3"], ["()", "NN"], [2, 3]),
            (["10,3", "1,3", "10"], ["10,N", "B,N", "N"], None),
            (["10,3", "1,3", "3"], ["10,N", "B,N", "3"], [10, 3]),
            (["N,M", "K,M"], ["BN", "NN"], ["K", "M"]),
            (["N,M", "K,M"], ["10,N", "NN"], [10, "M"]),
        ]
        for shapes, patterns, result in rows:
            flags = [word for pattern in patterns for word in ("--pattern", pattern)]
            for args in (["resolve", *shapes, *flags], ["resolve", *flags, *shapes], ["resolve", "--mode", "pattern", *flags, *shapes]):
                if result is None:
                    self.refused(args, 1, "kInvalidShape")
                else:
                    self.assertEqual(self.accepted(*args, "--json").json, {"shape": result}, args)
        np.save("x.npy", np.arange(6, dtype="f4").reshape(2, 3))
        np.save("row.npy", np.array([[10, 20, 30]], "f4"))
        run = ["run", "add", "x.npy", "row.npy", "-o", "out.npy", "--pattern", "NN", "--pattern"]
        self.accepted(*run, "B,3")
        np.testing.assert_array_equal(np.load("out.npy"), [[10, 21, 32], [13, 24, 35]])
        self.refused([*run, "NN"], 1, "kInvalidShape", "y[0] = 1")
        self.refused(run[:-1], 2, "kUsage", "a --pattern for each input; got 1 for 2 inputs")
        self.accepted("run", "add_grad", "x.npy", "row.npy", "x.npy", "--attr", "wrt=1", "--pattern", "NN", "--pattern", "BN", "-o", "out.npy")
        np.testing.assert_array_equal(np.load("out.npy"), [[3, 5, 7]])
        self.refused(["run", "sum_to", "x.npy", "--attr", "shape=3", "--pattern", "NN", "-o", "out.npy"], 1, "kInvalidArgument", "takes no declared patterns")
        self.assertEqual(self.accepted("explain", "add", "2,3", "1,3", "--pattern", "NN", "--pattern", "BN", "--json").json["shape"], [2, 3])
        self.refused(["explain", "add", "2,3", "1,3", "--pattern", "NN", "--pattern", "NN"], 1, "kInvalidShape", "x[0] = 2 and y[0] = 1")
        picture = self.accepted("resolve", "1,3", "3,3", "--pattern", "BN", "--pattern=NN").stdout
        self.assertIn("x is stretched along axis 0\n", picture)
        self.assertEqual(self.accepted("resolve", "2,3", "3", "--pattern", "NN", "--pattern", "N", "--in-place", "--json").json, {"shape": [2, 3]})

    def test_warnings(self):
        result = self.accepted("resolve", "4,1", "4", "--warn", "--json").json
        self.assertEqual(result["shape"], [4, 4])
        self.assertEqual(len(result["warnings"]), 1)
        self.assertIn("[4, 1]", result["warnings"][0])
        self.assertEqual(self.accepted("resolve", "4,1", "1,4", "4,1", "--warn", "--json").json["warnings"].__len__(), 2)
        self.assertEqual(self.accepted("resolve", "4,1", "3", "--warn", "--json").json["warnings"], [])
        plain = self.accepted("resolve", "4,1", "4", "--warn")
        self.assertIn("[4, 1]", plain.stderr)
        self.assertEqual(self.accepted("resolve", "4,1", "4").stderr, "")
        pairs = ["resolve", "4", "2,2", "--mode", "legacy_pointwise"]
        self.assertEqual(
            self.accepted(*pairs, "--warn", "--json").json,
            {"shape": [4],
             "warnings": ["resolve: the shapes do not broadcast, so elements are paired in row-major order (x [4], y [2, 2])"]})
        self.assertEqual(self.accepted(*pairs, "--json").json, {"shape": [4]})
        plain = self.accepted(*pairs, "--warn")
        self.assertIn("paired", plain.stderr)
        self.assertIn("x  [4]\ny  [2, 2]\n\nelements are paired in row-major order", plain.stdout)
        self.assertEqual(self.accepted("resolve", "4", "2,2", "--mode", "pointwise", "--warn", "--json").json["warnings"], [])

    def test_explain_says_the_warnings_of_the_call_once(self):
        for shapes in [["4,1", "4"], ["4", "2,2", "--mode", "legacy_pointwise"], ["4,1", "3"]]:
            told = self.accepted("resolve", *shapes, "--warn", "--json").json["warnings"]
            explain = ["explain", "add", *shapes]
            warnings = self.accepted(*explain, "--warn", "--json").json["warnings"]
            self.assertEqual(warnings, [text.replace("resolve: ", "add: ") for text in told])
            self.assertNotIn("warnings", self.accepted(*explain, "--json").json)
            self.assertEqual(self.accepted(*explain, "--warn").stderr, "".join(f"axiscast: warning: {text}\n" for text in warnings))
            self.assertEqual(self.accepted(*explain).stderr, "")

    def test_pictures(self):
        self.assertEqual(
            self.accepted("resolve", "2,1,4", "3,1", "--axis", "1").stdout,
            "axis    0   1   2\n"
            "x       2   1*  4\n"
            "y       .   3   1*\n"
            "result  2   3   4\n"
            "\n"
            "x is stretched along axis 1\n"
            "y is stretched along axes 0 and 2\n"
            "(* an extent of 1 that is stretched; . no such dim, taken as 1)\n"
            "\n"
            "result: [2, 3, 4]\n")
        hanging = self.accepted("resolve", "2,3,4,5", "5,1", "--axis", "3").stdout
        self.assertIn("y       .   .   .   5   1\n", hanging)
        self.assertIn("hang over", hanging)
        out = self.accepted("resolve", "1,3", "3", "--out", "5,4,3").stdout
        self.assertIn("x     .   1*  3\ny     .   .   3\nout   5   4   3\n", out)
        self.assertIn("\nnothing is stretched\n", self.accepted("resolve", "2,3", "2,3").stdout)
        self.assertIn("nothing is stretched, as far as extents are known\n", self.accepted("resolve", "N,3", "M,3").stdout)
        self.assertIn("result: []\n", self.accepted("resolve", "()").stdout)
        self.assertIn("x, written", self.accepted("resolve", "2,3", "3", "--in-place").stdout)


if __name__ == "__main__":
    cli.main()
