"""Keeps README.md and docs/*.md true: runs their commands, compares their outputs, and finds their code in the files it is from.

- ```console blocks: each line `$ COMMAND` is run in an empty folder (one for each document) with the axiscast command on the path; the
  lines after it are its output. `...` stands for any text within a line, or, alone on a line, for any lines. `./dev VERB` is not run;
  the verb must be one that `./dev help` lists.
- ```cpp and ```cmake blocks begin with a comment that names their file, as in `// examples/bias_add.cc`; the rest must stand in it, line
  by line.
- docs/ops.md must be what docs/make_ops.py prints (./dev docs writes it).

usage: docs_test.py SOURCE_FOLDER AXISCAST_COMMAND
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
COMMAND = pathlib.Path(sys.argv[2]).resolve()


def blocks(document, language):
    """The fenced blocks of a language, as (line number, text)."""
    text = document.read_text()
    for match in re.finditer(r"^```" + language + r"\n(.*?)^```$", text, re.M | re.S):
        yield text.count("\n", 0, match.start()) + 1, match.group(1)


def output_pattern(expected):
    """The regular expression that an expected output stands for."""
    pattern = ""
    for line in expected:
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += r"[^\n]*?".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ ]*\n"
    return pattern


def dev_verbs():
    text = subprocess.run([SOURCE / "dev", "help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  ([a-z-]+)", text, re.M))


class Docs(unittest.TestCase):
    def run_command(self, where, command, expected, folder):
        if command.startswith("./dev"):
            self.assertIn(command.split()[1], dev_verbs(), where)
            return
        environment = dict(os.environ, PATH=f"{COMMAND.parent}:{COMMAND.parent}/examples:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}")
        environment.pop("AXISCAST_TARGET", None)
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
        actual = done.stdout + done.stderr
        actual = "".join(line.rstrip() + "\n" for line in actual.splitlines())
        self.assertRegex(actual, r"\A" + output_pattern(expected) + r"\Z", f"{where}: $ {command}")

    def test_commands(self):
        ran = 0
        for document in [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]:
            with tempfile.TemporaryDirectory() as folder:
                for line, text in blocks(document, "console"):
                    steps = re.split(r"^\$ ", text, flags=re.M)[1:]
                    self.assertTrue(steps, f"{document.name}:{line}: a console block without a command")
                    for step in steps:
                        command, *expected = step.splitlines()
                        with self.subTest(document=document.name, command=command):
                            self.run_command(f"{document.name}:{line}", command, expected, folder)
                            ran += 1
        self.assertGreater(ran, 5)

    def test_code(self):
        found = 0
        for document in [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]:
            for line, text in blocks(document, "(?:cpp|cmake)"):
                first, *rest = text.splitlines()
                name = re.match(r"(?://|#) (\S+)", first)
                self.assertTrue(name, f"{document.name}:{line}: a block of code must begin with a comment that names its file")
                self.assertIn("\n".join(rest), (SOURCE / name.group(1)).read_text(), f"{document.name}:{line}")
                found += 1
        self.assertGreater(found, 1)

    def test_list_of_ops(self):
        made = subprocess.run([sys.executable, SOURCE / "docs" / "make_ops.py", COMMAND], capture_output=True, text=True, check=True)
        self.assertEqual((SOURCE / "docs" / "ops.md").read_text(), made.stdout, "docs/ops.md is stale: run ./dev docs")
        self.assertNotRegex(made.stdout, r"\b(True|False|None)\b")  # the command takes true and false
        self.assertIn("| dim (required), mode = broadcast, wrap_negative = false |", made.stdout)

    def test_what_the_readme_counts(self):
        readme = (SOURCE / "README.md").read_text()
        ops = subprocess.run([COMMAND, "ops"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(re.search(r"\n(\d+) ops so far", readme)[1], re.search(r"\n(\d+) operators", ops)[1])
        missing = re.search(r"not there yet:\s+([^.]*)\.", readme)
        self.assertEqual(sorted(missing[1].split()), sorted(re.search(r"\nNot offered by this build:([^.]*)\.", ops)[1].split()))
        house = readme.split("## The house")[1]
        for file in [*SOURCE.glob("*/CMakeLists.txt"), *SOURCE.glob("*/*.cmake")]:
            self.assertRegex(house, rf"\b{file.parent.name}/")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
