"""What the axiscast command refuses: exit statuses 1 and 2, messages, nothing written. usage: cli_refused_test.py SOURCE_FOLDER AXISCAST_COMMAND"""

import json
import resource
import subprocess

import numpy as np

import cli

VERBS = ["ops", "resolve", "run", "explain", "info"]


class WrongCommandLines(cli.CommandTest):
    """Exit status 2: code kUsage, nothing on stdout but JSON."""

    def test_they_are_told_what_exists(self):
        np.save("x.npy", np.arange(3, dtype="f4"))
        run = ["run", "add", "x.npy", "x.npy", "-o", "out.npy"]
        rows = [
            ([], "verb", *VERBS),
            (["resolv", "2"], '"resolv"', "did you mean resolve", *VERBS),
            (["--bogus"], '"--bogus"', "--help"),
            (["--json", "ops", "add"], "a verb must come first, its flags after it", '"--json"', *VERBS),
            (["--axis", "1", "resolve", "2"], "a verb must come first, its flags after it", '"--axis"'),
            (["resolve"], "SHAPE"),
            (["resolve", "2", "--axi", "1"], '"--axi"', "did you mean --axis", "--mode"),
            (["resolve", "2", "-x"], '"-x"', "--axis"),
            (["resolve", "2", "--axis"], "--axis"),
            (["resolve", "2", "2", "--axis", "x"], "--axis", "`x`"),
            (["resolve", "2", "2", "--axis", "1.5"], "--axis", "`1.5`"),
            (["resolve", "2", "2", "--axis", "1", "--axis", "1"], "--axis"),
            (["resolve", "2", "2", "--mode", "diagonal"], '"diagonal"', "numpy", "axis", "onnx_legacy", "none", "same_rank"),
            (["resolve", "2", "2", "--mode", "nunpy"], '"nunpy"', "did you mean numpy"),
            (["run", "gather", "x.npy", "x.npy", "--mode", "prefix", "-o", "out.npy"], '"prefix"', "--attr mode=prefix"),
            (["resolve", "2", "2", "--mode", "none", "--axis", "0"], "none", "axis"),
            (["resolve", "2", "2", "--mode", "numpy", "--axis", "-1"], "numpy", "axis"),
            (["resolve", "2", "2", "--mode", "same_rank", "--axis", "99999999999999999999"], "same_rank", "axis"),
            (["resolve", "2", "2", "--mode", "pattern", "--axis", "0"], "pattern", "axis"),
            (["resolve", "2", "2", "--pattern", "N", "--pattern", "N", "--axis", "0"], "pattern", "axis"),
            (["resolve", "2", "2", "--mode", "pattern"], "--pattern", "0 for 2 shapes"),
            (["resolve", "2", "2", "--pattern", "N"], "--pattern", "1 for 2 shapes"),
            (["resolve", "2", "--pattern", "N", "--pattern", "N"], "--pattern", "2 for 1 shape"),
            (["resolve", "2", "--mode", "numpy", "--pattern", "N"], "numpy", "--pattern"),
            (["resolve", "2,2", "--pattern", "BX"], "`BX`", "10,N"),
            (["resolve", "2,2", "--pattern", "bn"], "`bn`"),
            (["resolve", "2,2", "--pattern", "BN,3"], "`BN,3`"),
            (["resolve", "2,2", "--pattern", "10,,N"], "`10,,N`"),
            (["resolve", "2,2", "--pattern", "10,"], "`10,`"),
            (["resolve", "2,2", "--pattern", ""], "--pattern"),
            (["resolve", "2,2", "--pattern", "99999999999999999999,N"], "99999999999999999999"),
            (["resolve", "2", "2", "--in-place", "--out", "2"], "--in-place", "--out"),
            (["resolve", "2", "--in-place=maybe"], "maybe"),
            (["run"], "OP"),
            (["run", "add"], "IN.npy"),
            (["run", "add", "x.npy", "x.npy", "-o", "out.npy", "--mode", "pattern"], "a --pattern for each input; got 0 for 2 inputs"),
            (["explain", "add", "2", "2", "--pattern", "N", "--axis", "0"], "mode pattern takes no axis"),
            (["explain", "add(x, y)", "3", "3", "--dtype", "int8,int8,int8"], "--dtype", "3 for 2"),
            (["explain", "add(x, y)", "3", "3", "--index-dtype", "int32"], "--index-dtype"),
            (run[:4], "-o"),
            (run[:5], "-o"),
            (run[:5] + ["--threads", "1"], "-o", "--threads"),
            (["resolve", "2", "--axis="], "--axis"),
            (["resolve", "2", "--json=no"], "--json=no"),
            (run + ["--threads", "0"], "--threads", "`0`"),
            (run + ["--threads", "-3"], "--threads", "`-3`"),
            (run + ["--threads", "many"], "--threads", "`many`"),
            (run + ["--promote", "numpi"], '"numpi"', "did you mean numpy", "paddle", "torch", "none"),
            (run + ["--target", "AVX22"], '"AVX22"', "there are"),
            (run + ["--attribute", "min=1"], '"--attribute"', "did you mean --attr"),
            (["ops", "add", "subtract"], "`subtract`"),
            (["info", "x"], "`x`"),
            (["explain", "add"], "SHAPE"),
        ]
        for args, *words in rows:
            with self.subTest(args=args):
                self.refused(args, 2, "kUsage", *words)


class RefusedRequests(cli.CommandTest):
    """Exit status 1."""

    def test_shapes_and_axes(self):
        rows = [
            (["2,,3"], "kInvalidShape", "2,,3"),
            (["2,"], "kInvalidShape", "2,"),
            ([""], "kInvalidShape"),
            (["[2,3]"], "kInvalidShape", "[2,3]"),
            (["2, 3"], "kInvalidShape", "2, 3"),
            (["99999999999999999999"], "kInvalidShape", "99999999999999999999"),
            (["-1,3"], "kInvalidShape", "-1"),
            (["-1,3", "2"], "kInvalidShape", "-1"),
            (["--", "-1,3", "2"], "kInvalidShape", "-1"),
            ([",".join(["1"] * 65)], "kInvalidShape", "65"),
            (["4294967296,4294967296"], "kInvalidShape"),
            (["2,3", "4"], "kInvalidShape", "[2, 3]", "[4]"),
            (["N,1,5", "4"], "kInvalidShape", "x[2] = 5", "(x [N, 1, 5], y [4])"),
            (["1,N", "3,N", "--in-place"], "kInvalidShape", "[3, N]", "[1, N]"),
            (["N,_", "5"], "kInvalidShape", "`_`", "a letter, then letters, digits, _"),
            (["2N", "5"], "kInvalidShape", "`2N`"),
            (["N M"], "kInvalidShape", "`N M`"),
            (["N-1"], "kInvalidShape", "`N-1`"),
            (["??"], "kInvalidShape", "`??`"),
            (["N\u00e9"], "kInvalidShape"),
            (["N,,3"], "kInvalidShape", "N,,3"),
            ([",".join(["N"] * 65)], "kInvalidShape", "65"),
            (["2,3,4,5", "3", "--axis", "4"], "kOutOfRange", "axis 4"),
            (["2,3,4,5", "3", "--axis", "-5"], "kOutOfRange", "-5"),
            (["2,3,4,5", "3", "--axis", "9223372036854775807"], "kOutOfRange", "9223372036854775807"),
            (["2,3,4,5", "3", "--axis", "-9223372036854775808"], "kOutOfRange", "-9223372036854775808"),
            (["2,3,4,5", "3", "--axis", "1" + "0" * 40], "kOutOfRange", "1" + "0" * 40),
            (["2,3", "3", "3", "--axis", "1"], "kInvalidArgument"),
            (["1,3,1", "3,1,7", "--in-place"], "kInvalidShape", "[3, 3, 7]", "[1, 3, 1]"),
            (["2,3", "--out", "3"], "kInvalidShape", "[2, 3]", "[3]"),
            (["2,3", "--out", "x,"], "kInvalidShape", "x,"),
            (["2,N", "--out", "1,N"], "kInvalidShape", "result[0] = 2", "out[0] = 1"),
            (["4", "2,3", "--mode", "legacy_pointwise"], "kInvalidShape", "[4]", "[2, 3]"),
            (["N", "4", "--mode", "legacy_pointwise"], "kInvalidArgument", "legacy_pointwise", "[N]"),
            (["4", "2,3", "--mode", "pointwise"], "kInvalidShape", "4 of x", "6 of y"),
            (["3,3", "3,3", "--pattern", "BN", "--pattern", "NN"], "kInvalidShape", "declared B", "x[0] = 3", "x [3, 3] as BN"),
            (["3,3", "3,1", "--pattern", "NN", "--pattern", "NN"], "kInvalidShape", "x[1] = 3 and y[1] = 1"),
            (["2,3", "1", "--pattern", "NN", "--pattern", "N"], "kInvalidShape", "x[1] = 3 and y[0] = 1"),
            (["1,3", "1,3", "--pattern", "BN", "--pattern", "NN", "--in-place"], "kInvalidShape", "destination", "B of x"),
            (["10", "7", "--pattern", "10", "--pattern", "7"], "kInvalidShape", "10 of x and 7 of y"),
            (["9,3", "--pattern", "10,N"], "kInvalidShape", "x[0] = 9 for 10"),
            (["2,3", "3", "--pattern", "NN", "--pattern", "NN"], "kInvalidShape", "rank"),
            (["5", "--pattern", "-5"], "kInvalidArgument", "-5"),
            (["1", "--pattern", "B" * 65], "kInvalidArgument", "64"),
        ]
        for shapes, code, *words in rows:
            with self.subTest(shapes=shapes):
                # After `--` everything is a shape, so --json has to come first: the plain form is enough there.
                if "--" in shapes:
                    self.assertEqual(self.run_command("resolve", *shapes).status, 1)
                else:
                    self.refused(["resolve", *shapes], 1, code, *words)

    def test_run(self):
        np.save("x.npy", np.arange(6, dtype="f4").reshape(2, 3))
        np.save("y.npy", np.arange(4, dtype="f4"))
        np.save("six.npy", np.arange(6, dtype="f4"))
        np.save("ints.npy", np.arange(6, dtype="i4").reshape(2, 3))
        np.save("zeros.npy", np.array([[1, 2, 3], [4, 0, 6]], dtype="i4"))
        np.save("column.npy", np.zeros((2000000, 1), "f8"))
        np.save("row.npy", np.zeros((1, 2000000), "f8"))
        (self.folder / "out.npy").write_bytes(b"as it was")
        out = ["-o", "out.npy"]
        rows = [
            (["ad", "x.npy", "x.npy", *out], "kUnknownName", '"ad"', "did you mean add", "subtract"),
            (["nonesuch", "x.npy", *out], "kUnknownName", '"nonesuch"', "add"),
            (["gelu", "x.npy", *out], "kUnsupported", "gelu", "not offered"),
            (["less_grad", "x.npy", "x.npy", "x.npy", *out], "kUnsupported", 'there is no op "less_grad": the op less has no gradient'),
            (["add_grad", "x.npy", "x.npy", "x.npy", *out], "kInvalidArgument", "wrt", "0 (x) or 1 (y)"),
            (["gather", "x.npy", "ints.npy", *out], "kInvalidArgument", "attribute dim is required"),
            (["gather", "x.npy", "ints.npy", "--attr", "dim=0", "--mode", "same_rank", *out], "kInvalidArgument",
             "takes no broadcasting mode, but an attribute mode, which is one of broadcast, prefix, same_rank; got same_rank"),
            (["gather", "x.npy", "ints.npy", "--attr", "dim=0", *out], "kOutOfRange", "[0, 2] = 2", "accepted are 0 to 1"),
            (["gather", "x.npy", "ints.npy", "--attr", "dim=2", *out], "kOutOfRange", "from -2 to 1", "got 2"),
            (["gather", "x.npy", "ints.npy", "--attr", "dim=1", "--attr", "mode=prefx", *out], "kUnknownName", "did you mean prefix"),
            (["scatter", "x.npy", "ints.npy", "y.npy", "--attr", "dim=0", *out], "kInvalidShape", "got rank 1 for rank 2"),
            (["scatter_add", "x.npy", "x.npy", "x.npy", "--attr", "dim=0", *out], "kUnsupportedDType", "(float32, float32, float32)"),
            (["add", "x.npy", *out], "kInvalidArgument", "add takes 2 inputs (x, y); got 1"),
            (["add", "x.npy", "x.npy", "x.npy", *out], "kInvalidArgument", "add takes 2 inputs (x, y); got 3"),
            (["where_grad", "x.npy", "x.npy", *out], "kInvalidArgument", "where_grad takes 4 inputs (condition, x, y, dout); got 2"),
            (["add", "x.npy", "absent.npy", *out], "kFileError", "absent.npy"),
            (["add", "x.npy", ".", *out], "kFileError", "."),
            (["add", "x.npy", "", *out], "kFileError"),
            (["add", "x.npy", "x.npy", "-o", "absent/out.npy"], "kFileError", "absent/out.npy"),
            (["add", "x.npy", "x.npy", "-o", "."], "kFileError", "."),
            (["add", "x.npy", "x.npy", "-o", ""], "kFileError"),
            (["add", "x.npy", "y.npy", *out], "kInvalidShape", "[2, 3]", "[4]"),
            (["add", "x.npy", "ints.npy", *out], "kUnsupportedDType", "float32", "int32"),
            (["add", "x.npy", "x.npy", "--promote", "numpy", *out], "kUnsupported", "numpy"),
            (["add", "y.npy", "six.npy", "--mode", "pointwise", *out], "kInvalidShape", "[4]", "[6]"),
            (["add", "y.npy", "y.npy", "--attr", "min=1", *out], "kUnknownName", 'add takes no attributes; got "min"'),
            (["add", "y.npy", "y.npy", "--attr", "min", *out], "kInvalidArgument", "min"),
            (["floor_divide", "ints.npy", "zeros.npy", *out], "kDivisionByZero", "[1, 1]", "y"),
            (["clip", "x.npy", "--attr", "mim=1", *out], "kUnknownName", '"mim"', "did you mean min", "max"),
            (["clip", "x.npy", "--attr", "min=low", *out], "kInvalidArgument", "min", "low"),
            (["clip", "x.npy", "--attr", "min=", *out], "kInvalidArgument", "min"),
            (["clip", "x.npy", "--attr", "min=1x", *out], "kInvalidArgument", "1x"),
            (["clip", "x.npy", "--attr", "min=1e999", *out], "kInvalidArgument", "1e999"),
            (["clip", "x.npy", "--attr", "min=nan", *out], "kInvalidArgument", "nan"),
            (["clip", "x.npy", "--attr", "min=1", "--attr", "min=2", *out], "kInvalidArgument", "min", "twice"),
            (["clip", "ints.npy", "--attr", "min=0.5", *out], "kInvalidArgument", "0.5"),
            (["clip", "ints.npy", "--attr", "min=99999999999", *out], "kInvalidArgument", "99999999999"),
            (["equal", "x.npy", "x.npy", "--in-place", *out], "kUnsupportedDType", "bool", "float32"),
            (["add", "y.npy", "x.npy", "--in-place", *out], "kInvalidShape"),
            (["add", "column.npy", "row.npy", *out], "kOutOfMemory", "[2000000, 2000000]"),
        ]
        for args, code, *words in rows:
            with self.subTest(args=args):
                self.refused(["run", *args], 1, code, *words)
        self.assertEqual((self.folder / "out.npy").read_bytes(), b"as it was")

    def test_expressions(self):
        np.save("x.npy", np.ones((2, 3, 4), "f4"))
        np.save("bias.npy", np.ones(3, "f4"))
        np.save("n.npy", np.ones(4, "i4"))
        two = ["x.npy", "bias.npy", "-o", "out.npy"]
        rows = [
            (["add(x, y", *two], "kInvalidArgument", 'there must be "," or ")" here; got the end of "add(x, y"'),
            (["ad(x, y)", *two], "kUnknownName", 'there is no op "ad"; did you mean add'),
            (["gather(x, y)", *two], "kUnsupported", "gather is a call by itself"),
            (["add(x, abs(y))", *two], "kInvalidShape", "got x[2] = 4 and y[0] = 3 (x [2, 3, 4], y [3])"),
            (["add(x, y@3)", *two], "kOutOfRange", "y@3 [3]"),
            (["abs(x)", *two], "kInvalidArgument", "abs(x) takes 1 input (x); got 2"),
            (["add(x, multiply(y, z))", *two], "kInvalidArgument", "takes 3 inputs (x, y, z); got 2"),
            (["add(x, y@1)", *two, "--axis", "1"], "kInvalidArgument", "takes no axis"),
            (["add(x, y@1)", *two, "--mode", "same_rank"], "kInvalidArgument", "takes no mode but numpy", "same_rank"),
            (["add(x, y@1)", *two, "--pattern", "NNN"], "kInvalidArgument", "takes no declared patterns"),
            (["clip(add(x, y@1))", *two, "--attr", "min=0"], "kInvalidArgument", "clip(x, min=0)", "--attr min=0"),
            (["add(x, n)", "x.npy", "n.npy", "-o", "out.npy"], "kUnsupportedDType", "add(float32, int32)", 'in "add(x, n)"'),
            (["add(divide(n, 0), n)", "n.npy", "-o", "out.npy"], "kDivisionByZero", "y = 0"),
            (["divide(n, abs(n))", "n.npy", "-o", "out.npy"], "kUnsupported", "must be an input or a number"),
            (["add(bias@1, x)", "bias.npy", "x.npy", "--in-place", "-o", "bias.npy"], "kInvalidShape", "out is never stretched", "bias@1 [3]"),
        ]
        for args, code, *words in rows:
            with self.subTest(args=args):
                self.refused(["run", *args], 1, code, *words)

    def test_a_full_disk(self):
        np.save("x.npy", np.zeros(100_000, "f8"))
        (self.folder / "out.npy").write_bytes(b"as it was")
        limit = 100_000  # bytes that a file may have
        before = self.files()
        done = subprocess.run([cli.COMMAND, "run", "add", "x.npy", "x.npy", "-o", "out.npy", "--json"], capture_output=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(json.loads(done.stdout)["error"]["code"], "kFileError")
        self.assertIn("out.npy", done.stderr.decode())
        self.assertEqual(self.files(), before)
        with open("/dev/full", "w") as full:
            self.assertEqual(subprocess.run([cli.COMMAND, "ops"], stdout=full, stderr=subprocess.DEVNULL).returncode, 1)
            run = [cli.COMMAND, "run", "add", "y.npy", "y.npy", "-o", "out.npy"]
            np.save("y.npy", np.arange(3))
            before = self.files()
            self.assertEqual(subprocess.run(run, stdout=full, stderr=subprocess.DEVNULL).returncode, 1)
            self.assertEqual(self.files(), before)

    def test_control_characters_are_written_out(self):
        np.save("x.npy", np.arange(3, dtype="f4"))
        wild, written = "\x1b[31m\a\n", r"\x1b[31m\x07\x0a"
        for args in (["run", "add", "x.npy", wild, "-o", "out.npy"], ["run", "add", "x.npy", "x.npy", "-o", wild + "/out.npy"],
                     ["run", wild, "x.npy", "-o", "out.npy"], ["run", "clip", "x.npy", "--attr", "min=" + wild, "-o", "out.npy"],
                     ["explain", "add", wild, "3"]):
            self.refused(args, 1, self.run_command(*args, "--json").json["error"]["code"], written)
        self.refused([wild], 2, "kUsage", written)
        self.refused(["resolve", "2", "--axis", wild], 2, "kUsage", written)
        self.assertTrue(self.accepted("run", "add", "x.npy", "x.npy", "-o", wild).stdout.startswith(written + ": float32 [3], "))
        self.assertIn(wild, self.files())

    def test_targets(self):
        np.save("x.npy", np.arange(3, dtype="f4"))
        run = ["run", "add", "x.npy", "x.npy", "-o", "out.npy"]
        info = self.accepted("info", "--json").json
        for target in set(info["targets_compiled"]) - set(info["targets_supported"]):
            self.refused([*run, "--target", target], 1, "kUnsupported", target, info["target"])
        near = info["target"] + "2"
        words = [f'"{near}"', f"did you mean {info['target']}", "there are", *info["targets_supported"]]
        self.refused([*run, "--target", near], 2, "kUsage", "--target", *words)
        self.refused(run, 1, "kUnknownName", "AXISCAST_TARGET", *words, environment={"AXISCAST_TARGET": near})
        for target in info["targets_supported"]:
            self.assertEqual(self.accepted(*run, "--target", target.lower(), "--json").json["target"], target)
            self.assertEqual(self.accepted(*run, "--json", environment={"AXISCAST_TARGET": target}).json["target"], target)

    def test_explain_and_ops(self):
        rows = [
            (["ops", "ad"], "kUnknownName", '"ad"', "did you mean add"),
            (["explain", "ad", "2", "2"], "kUnknownName", '"ad"'),
            (["explain", "add", "2"], "kInvalidArgument", "add takes 2 inputs (x, y); got 1"),
            (["explain", "add(x, 1)", "2", "3"], "kInvalidArgument", "add(x, 1) takes 1 input (x); got 2"),
            (["explain", "add", "2", "3"], "kInvalidShape", "[2]", "[3]"),
            (["explain", "add", "2,N", "3"], "kUnsupported", "`N`", "`2,N`"),
            (["explain", "add"] + ["2"] * 9, "kInvalidArgument", "2 inputs"),
            (["explain", "add", "2", "2", "--dtype", "complex64"], "kUnsupportedDType", "complex64"),
            (["explain", "add", "2", "2", "--dtype", "float23"], "kUnknownName", '"float23"', "float32"),
            (["explain", "subtract", "2", "2", "--dtype", "bool"], "kUnsupportedDType", "bool", "float32"),
            (["explain", "add", "2,3", "2", "--axis", "7"], "kOutOfRange", "7"),
            (["explain", "broadcast_to", "3"], "kInvalidArgument", "attribute shape is required"),
            (["explain", "broadcast_to", "3", "--attr", "shape=4"], "kInvalidShape", "[3]", "[4]"),
            (["explain", "sum_to", "2,3", "--attr", "shape=2"], "kInvalidShape", "[2, 3]", "[2]"),
            (["explain", "sum_to", "3", "--attr", "shape=2,3"], "kInvalidShape", "without stretching it"),
            (["explain", "sum_to", "3", "--attr", "shape=1", "--dtype", "bool"], "kUnsupportedDType", "bool", "float32"),
            (["explain", "clip", "3", "--attr", "min=low"], "kInvalidArgument", "`low`"),
        ]
        for args, code, *words in rows:
            with self.subTest(args=args):
                self.refused(args, 1, code, *words)

    def test_arguments_that_are_no_text(self):
        for args in (["ops", b"\xff\xfe"], [b"\xff", "--json"], ["resolve", b"2,\x80"], ["run", "add", b"\xff", b"\xfe", "-o", b"\xfd"]):
            self.assertNotEqual(self.run_command(*args).status, 0)
            self.assertNotEqual(self.run_command(*args, "--json").status, 0)


if __name__ == "__main__":
    cli.main()
