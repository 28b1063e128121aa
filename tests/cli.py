"""Runs the axiscast command for the tests, and checks what holds for every run: no crash, and one JSON value with --json."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

# Fewer cases of a kind, where a sanitizer makes each command take ten times as long.
SHORT = os.environ.get("AXISCAST_SHORT", "") != ""
COMMAND = str(pathlib.Path(sys.argv[2]).resolve())  # sys.argv[1] is the source folder


class Result:
    """What a run left behind."""

    def __init__(self, status, stdout, stderr):
        self.status, self.stdout, self.stderr = status, stdout, stderr

    @property
    def json(self):
        return json.loads(self.stdout)


class CommandTest(unittest.TestCase):
    """A test in an empty folder of its own."""

    def setUp(self):
        self.start_folder = os.getcwd()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="axiscast_cli_test."))
        os.chdir(self.folder)

    def tearDown(self):
        os.chdir(self.start_folder)
        shutil.rmtree(self.folder)

    def run_command(self, *args, environment=None):
        env = {key: value for key, value in os.environ.items() if key != "AXISCAST_TARGET"}
        env.update(environment or {})
        done = subprocess.run([COMMAND, *args], stdin=subprocess.DEVNULL, capture_output=True, env=env, timeout=120)
        stdout, stderr = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        where = f"{args}: {stdout[:300]}{stderr[:300]}"
        self.assertIn(done.returncode, (0, 1, 2), where)  # a signal is negative, an abort 134
        if done.returncode != 0:
            self.assertNotEqual(stderr, "", where)
        if "--json" in args:
            value = json.loads(stdout)  # exactly one value, also on errors
            if done.returncode != 0:
                self.assertEqual(list(value), ["error"], where)
                self.assertEqual(list(value["error"]), ["code", "message"], where)
                self.assertEqual((value["error"]["code"] == "kUsage"), done.returncode == 2, where)
        elif done.returncode != 0:
            self.assertEqual(stdout, "", where)
        return Result(done.returncode, stdout, stderr)

    def accepted(self, *args, **options):
        result = self.run_command(*args, **options)
        self.assertEqual(result.status, 0, f"{args}: {result.stdout}{result.stderr}")
        return result

    def refused(self, args, status, code, *words, environment=None):
        """Refused in the same words with and without --json, and nothing was written."""
        before = self.files()
        plain = self.run_command(*args, environment=environment)
        as_json = self.run_command(*args, "--json", environment=environment)
        self.assertEqual(plain.status, status, f"{args}: {plain.stdout}{plain.stderr}")
        self.assertEqual(as_json.status, status, f"{args}: {as_json.stdout}")
        error = as_json.json["error"]
        self.assertEqual(error["code"], code, f"{args}: {error}")
        for word in words:
            self.assertIn(word, error["message"], f"{args}")
            self.assertIn(word, plain.stderr, f"{args}")
        self.assertEqual(self.files(), before, f"{args}: files changed")
        return error["message"]

    def files(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}


def main():
    if SHORT:
        print("AXISCAST_SHORT: fewer dtypes, aliases and random files")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
