"""Runs every row of the benchmark programs in their quick form, in which results are checked and times mean nothing.

usage: bench_test.py FOLDER_OF_PROGRAMS
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(sys.argv[1]).resolve()
PATTERNS = FOLDER / "pattern_bench"
OPS = FOLDER / "op_bench"
LATENCY = FOLDER / "latency_bench"
SUMS = FOLDER / "sum_bench"
GATHER = FOLDER / "gather_bench"
# What the time beyond the roof is made of.
PARTS = "arithmetic rows tiles staging transposing gathering call sharing stores asking serial unexplained".split()


def run(program, *flags, environment=None):
    inherited = {name: value for name, value in os.environ.items() if name != "AXISCAST_TARGET"}
    return subprocess.run([program, *flags], capture_output=True, text=True, timeout=200, env=inherited | (environment or {}))


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def script(self, text):
        path = self.folder / "script"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def rows(self, program, *flags):
        """What a run writes as JSON, by name of the row."""
        out = self.folder / "out.json"
        done = run(program, "--quick", f"--benchmark_out={out}", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.text = done.stdout
        rows = {row["run_name"].split("/iterations:")[0]: row for row in json.loads(out.read_text())["benchmarks"]}
        self.assertGreater(len(rows), 0)
        return rows

    def test_random_patterns(self):
        few = self.rows(PATTERNS, "--random", "4")
        self.assertIn("geometric mean of time / roof", self.text)
        shapes = {name: row["label"] for name, row in few.items() if name.startswith("random_")}
        self.assertEqual({name.split("/")[1] for name in shapes}, {"L1", "L2", "memory"})
        self.assertEqual({name.split("/")[0] for name in shapes}, {f"random_1_{i}" for i in range(4)})
        more = self.rows(PATTERNS, "--random", "30", "--seed", "2")
        self.assertGreater(len({row["label"] for name, row in more.items() if name.startswith("random_")}), 25)
        again = self.rows(PATTERNS, "--random", "5")
        for name, label in shapes.items():
            self.assertEqual(label.split(";")[0], again[name]["label"].split(";")[0], "the same seed, the same patterns")
        refused = run(PATTERNS, "--seed", "3")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--random", refused.stderr)

    def test_every_pattern(self):
        rows = self.rows(PATTERNS, "--patterns")
        names = {name.split("/")[0] for name in rows}
        self.assertLessEqual({"same_shape", "same_shape_int8", "transposed_2048", "chain_4", "floor_divide_int32", "small"}, names)
        for name, row in rows.items():
            self.assertGreater(row["real_time"], 0, name)
            if name.startswith("small/"):
                continue
            for counter in ["of_roof", "of_best_roof", "of_ordinary_roof", "roof_seconds", "bytes", "bytes_per_second"]:
                self.assertGreater(row[counter], 0, f"{counter} of {name}")
            estimated = name.endswith("/threads:1") and not name.startswith("roof/") and "/scalar_loop/" not in name
            self.assertEqual("estimated_seconds" in row, estimated, name)
        self.assertIn("or exact remainders", rows["remainder_float32/L2/threads:1"]["label"])
        self.assertRegex(self.text, r"\npatterns: \d+ of \d+ rows .* at 0.9 of the roof or more; geometric mean of time / roof ")
        self.assertRegex(self.text, r"\nestimates, one thread: \d+ of \d+ rows .* within 1.5 times")
        self.reasons(rows)

    def reasons(self, rows):
        """Each row below 0.9 has a line that names it and says where the time goes, and the parts in the JSON are all of it."""
        lines = {}
        level = None
        for line in self.text.split("\nBelow 0.9 of the roof")[1].splitlines()[2:]:
            if not line.startswith("  "):
                level = line
                continue
            words = re.fullmatch(r"  (\w+) \(([a-z0-9 ]+)\) x ([\d, ]+): [\d-]+ %; [\d.]+ [num]s beyond the roof: .+", line)
            self.assertIsNotNone(words, line)
            for dtype in words[2].split():
                for threads in words[3].split(", "):
                    lines[words[1], dtype, level, threads] = line
        below = 0
        for name, row in rows.items():
            pattern, _, level_and_threads = name.partition("/")
            if pattern in ("roof", "small") or "scalar_loop" in name or row["of_roof"] >= 0.9:
                continue
            below += 1
            family, dtype = re.fullmatch(r"(.*?)(?:_(b?float16|float64|int8|int16|int64))?", pattern).groups()
            if pattern == "divide_float64":
                family = pattern
            level, threads = level_and_threads.split("/threads:")
            if pattern.startswith(("floor_divide", "remainder_int32")):
                dtype = "int32"
            self.assertIn((family, dtype or "float32", level, threads), lines)
            beyond = row["real_time"] * 1e-9 - row["roof_seconds"]
            parts = [row[part + "_seconds"] for part in PARTS if part + "_seconds" in row]
            self.assertAlmostEqual(sum(parts), beyond, delta=1e-3 * beyond, msg=name)
            self.assertIn("beyond the roof", row["label"], name)
        self.assertGreater(below, 0)
        self.assertIn("transposing", lines["transposed", "float32", "L2", "1"])

    def test_without_patterns_rows_are_a_part(self):
        names = {name.split("/")[0] for name in self.rows(PATTERNS)}
        self.assertIn("same_shape", names)
        self.assertNotIn("same_shape_int8", names)

    def test_every_op(self):
        self.assertIn("add/float32/L2", self.rows(OPS))
        self.assertRegex(self.text, r"\nL2: \d+ of \d+ rows")

    def test_every_sum(self):
        self.assertIn("columns_3_float16/L2/threads:1", self.rows(SUMS))
        self.assertRegex(self.text, r"\nsums: \d+ of \d+ rows")

    def test_every_gather(self):
        rows = self.rows(GATHER)
        self.assertLessEqual({"gather/1d/random/L2/threads:1", "scatter_add/dim0_rows_64/equal/memory/threads:1"}, set(rows))
        self.assertTrue(all(row["of_roof"] > 0 for row in rows.values()), rows)

    def test_every_situation(self):
        done = run(LATENCY, "--quick")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stdout.splitlines() if line.startswith("  ")]
        self.assertEqual(len(lines), 2 * 8, done.stdout)
        for line in lines:
            self.assertRegex(line, r"^  \S.*\S +[\d.]+ [num]s +[\d.]+ [num]s +[\d.]+ [num]s +[\d.]+ +\d+ +[1-9]\d*$")

    def test_compared_with_itself(self):
        for other in [PATTERNS, FOLDER.parent]:
            rows = self.rows(PATTERNS, "--patterns", "--compare", str(other), "--benchmark_filter=^(same_shape|inner_3)/L2")
            for name, row in rows.items():
                self.assertGreater(row["other_seconds"], 0, name)
            self.assertRegex(self.text, rf"\ngeometric mean of {len(rows)} ratios: \d")

    def test_rows_that_the_other_build_lacks(self):
        rows = self.rows(PATTERNS, "--compare", str(self.script("while read row; do echo 0; done")), "--benchmark_filter=^same_shape")
        self.assertNotIn("other_seconds", rows["same_shape/L2/threads:1"])
        self.assertIn("no such row there", self.text)

    def test_another_program_that_does_not_answer(self):
        done = run(PATTERNS, "--quick", "--compare", str(self.script("")), "--benchmark_filter=^same_shape")
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not answer", done.stderr)

    def test_target(self):
        refused = run(PATTERNS, "--target", "nosuch")
        self.assertEqual(refused.returncode, 2)
        targets = re.search(r"there are: (.+)", refused.stderr)[1].split(", ")
        for target in targets:
            done = run(PATTERNS, "--quick", "--target", target.lower(), "--benchmark_filter=^same_shape", "--compare", str(PATTERNS))
            if done.returncode == 2:
                self.assertIn(f"target {target} is not supported by this CPU", done.stderr)
                continue
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"target {target}, roof in {target};", done.stdout)

    def test_target_by_environment(self):
        refused = run(PATTERNS, environment={"AXISCAST_TARGET": "nosuch"})
        self.assertEqual(refused.returncode, 2)
        self.assertIn("pattern_bench: AXISCAST_TARGET: there is no target", refused.stderr)
        target = re.search(r"there are: (.+)", refused.stderr)[1].split(", ")[-1]  # the last one is everywhere
        done = run(PATTERNS, "--quick", "--benchmark_filter=^same_shape", environment={"AXISCAST_TARGET": target})
        self.assertIn(f"target {target}, roof in {target};", done.stdout)
        said = self.folder / "said"
        other = self.script(f'echo "$@" > {said}\nwhile read row; do echo 1e-6; done')
        run(PATTERNS, "--quick", "--target", target, "--compare", str(other), "--benchmark_filter=^same_shape")
        self.assertIn(f"--target={target}", said.read_text())

    def test_flags(self):
        self.assertIn("--compare OTHER", run(PATTERNS, "--help").stdout)
        self.assertNotIn("--patterns", run(OPS, "--help").stdout)
        for flags, message in [
            (["--pattern"], "there is no flag `--pattern`"),
            (["--compare", "/nowhere"], "there is no program /nowhere"),
            (["--compare"], "--compare"),
        ]:
            done = run(PATTERNS, *flags)
            self.assertEqual(done.returncode, 2, flags)
            self.assertIn(message, done.stderr)

    def test_a_filter_that_matches_nothing(self):
        for program in (PATTERNS, OPS, SUMS, GATHER):
            done = run(program, "--quick", "--benchmark_filter=nonesuch")
            self.assertEqual((done.returncode, done.stdout), (3, ""), program)
            self.assertIn("nonesuch", done.stderr)
        self.assertEqual(run(LATENCY, "--quick", "--benchmark_filter=nonesuch").returncode, 3)
        listed = run(PATTERNS, "--benchmark_list_tests=true")
        self.assertEqual(listed.returncode, 0)
        self.assertIn("same_shape/L2/threads:1", listed.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
