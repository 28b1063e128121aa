"""Where the axiscast command puts its results: a file, whole or not at all, also where it is killed, or a pipe. usage: output_test.py SOURCE_FOLDER AXISCAST_COMMAND"""

import fcntl
import io
import os
import pathlib
import signal
import subprocess
import time

import numpy as np

import cli

RUN = [cli.COMMAND, "run", "add", "x.npy", "x.npy", "-o", "out.npy"]


def full_pipe():
    """A pipe that takes no byte more until it is read: (read end, write end, bytes in it)."""
    reading, writing = os.pipe()
    flags = fcntl.fcntl(writing, fcntl.F_GETFL)
    fcntl.fcntl(writing, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    held = 0
    for size in (4096, 1):
        try:
            while True:
                held += os.write(writing, b"." * size)
        except BlockingIOError:
            pass
    fcntl.fcntl(writing, fcntl.F_SETFL, flags)
    return reading, writing, held


class Killed(cli.CommandTest):
    """The file beside the output is there while stdout is written: a full pipe holds the command at that point."""

    def setUp(self):
        super().setUp()
        np.save("x.npy", np.arange(6, dtype="f4"))
        (self.folder / "out.npy").write_bytes(b"as it was")
        self.before = self.files()

    def start(self, ignored=()):
        """The command, held after it wrote the file beside out.npy; the pipe's read end; the bytes in it."""
        reading, writing, held = full_pipe()
        ignore = lambda: [signal.signal(number, signal.SIG_IGN) for number in ignored]
        process = subprocess.Popen(RUN, stdout=writing, stderr=subprocess.PIPE, preexec_fn=ignore)
        os.close(writing)
        whole = len(self.before["x.npy"])
        deadline = time.monotonic() + 60
        while not any(path.stat().st_size == whole for path in pathlib.Path(".").glob(".out.npy.axiscast-*")):
            self.assertIsNone(process.poll(), process.stderr)
            self.assertLess(time.monotonic(), deadline, "the command never wrote its file")
            time.sleep(0.01)
        return process, reading, held

    def test_by_a_signal(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                process, reading, _ = self.start()
                process.send_signal(number)
                process.communicate(timeout=60)
                os.close(reading)
                self.assertEqual(process.returncode, -number)
                self.assertEqual(self.files(), self.before)

    def test_a_signal_that_is_ignored_stays_ignored(self):  # nohup
        process, reading, held = self.start(ignored=[signal.SIGHUP])
        process.send_signal(signal.SIGHUP)
        time.sleep(0.1)
        while held > 0:
            held -= len(os.read(reading, held))
        self.assertIn(b"out.npy: float32 [6]", os.read(reading, 4096))
        process.communicate(timeout=60)
        os.close(reading)
        self.assertEqual(process.returncode, 0)
        np.testing.assert_array_equal(np.load("out.npy"), 2 * np.arange(6))
        self.assertEqual(sorted(self.files()), ["out.npy", "x.npy"])

    def test_stdout_that_nobody_reads(self):
        for command in (RUN, [*RUN, "--json"], [cli.COMMAND, "ops"]):
            reading, writing = os.pipe()
            os.close(reading)
            done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
            os.close(writing)
            self.assertEqual((done.returncode, done.stderr), (1, "axiscast: stdout cannot be written: Broken pipe\n"), command)
            self.assertEqual(self.files(), self.before)


class Pipes(cli.CommandTest):
    """`-` is stdin and stdout."""

    def setUp(self):
        super().setUp()
        self.x = np.arange(6, dtype="f4")
        np.save("x.npy", self.x)

    def test_stdout(self):
        for out in ("-", "/dev/stdout", "/dev/fd/1"):
            for to in ("pipe", "file"):
                with open("file", "w+b") as file:
                    target = subprocess.PIPE if to == "pipe" else file
                    done = subprocess.run([*RUN[:-1], out], stdout=target, stderr=subprocess.PIPE)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    file.seek(0)
                    content = done.stdout if to == "pipe" else file.read()
                np.testing.assert_array_equal(np.load(io.BytesIO(content)), 2 * self.x)
                self.assertEqual(len(content), len((self.folder / "x.npy").read_bytes()))  # and nothing else
                self.assertRegex(done.stderr.decode(), r"\Astdout: float32 \[6\], add in .*\n\Z")
        self.assertEqual(sorted(self.files()), ["file", "x.npy"])

    def test_a_pipeline(self):
        command = '"$0" run negative - -o - 2>&3 <x.npy | "$0" run add - x.npy -o - 2>&3 | "$0" run abs - -o out.npy'
        done = subprocess.run(["bash", "-c", "exec 3>/dev/null; " + command, cli.COMMAND], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        np.testing.assert_array_equal(np.load("out.npy"), np.zeros(6))
        both = subprocess.run([cli.COMMAND, "run", "add", "-", "-", "-o", "out.npy"], input=2 * (self.folder / "x.npy").read_bytes(),
                              capture_output=True)  # np.save twice to one file
        self.assertEqual((both.returncode, both.stderr), (0, b""))
        np.testing.assert_array_equal(np.load("out.npy"), 2 * self.x)

    def test_refused(self):
        for out in ("-", "/dev/stdout"):
            self.refused_with_json(out)
        self.refused(["run", "negative", "-", "-o", "out.npy"], 1, "kFileError", "stdin: it is truncated")
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([*RUN[:-1], "-"], stdout=writing, stderr=subprocess.PIPE, text=True)
        os.close(writing)
        self.assertEqual((done.returncode, done.stderr), (1, "axiscast: stdout: cannot be written: Broken pipe\n"))

    def refused_with_json(self, out):
        result = self.run_command("run", "add", "x.npy", "x.npy", "-o", out, "--json")
        self.assertEqual((result.status, result.json["error"]["code"]), (2, "kUsage"))
        self.assertEqual(result.json["error"]["message"], f"-o {out}: stdout is one JSON value with --json; name a file")

    def test_a_file_called_dash(self):
        self.accepted("run", "add", "x.npy", "x.npy", "-o", "./-")
        self.assertIn("-", self.files())
        self.accepted("run", "abs", "./-", "-o", "out.npy")
        np.testing.assert_array_equal(np.load("out.npy"), 2 * self.x)


class Beside(cli.CommandTest):
    """The file that is written beside the output and renamed."""

    def setUp(self):
        super().setUp()
        np.save("x.npy", np.arange(6, dtype="f4"))

    def test_what_a_killed_run_left_is_in_nobodys_way(self):
        """Processes of containers have the same numbers again and again."""
        leave_behind = 'touch .out.npy.axiscast-$$; exec "$@"'
        done = subprocess.run(["sh", "-c", leave_behind, "sh", *RUN], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        np.testing.assert_array_equal(np.load("out.npy"), 2 * np.arange(6))

    def test_a_folder_that_is_not_writable(self):
        (self.folder / "out.npy").touch()
        (self.folder / "out.npy").chmod(0o666)
        self.folder.chmod(0o555)
        user = {"user": 65534} if os.geteuid() == 0 else {}  # root may write anywhere
        try:
            run = subprocess.run(RUN, capture_output=True, text=True, **user)
        except PermissionError:
            self.skipTest("nobody else may run the command here")
        finally:
            self.folder.chmod(0o755)
        where = os.path.realpath(".")
        message = f"axiscast: out.npy: cannot be written: a new file is put in its place, and the folder {where} is not writable: Permission denied\n"
        self.assertEqual((run.returncode, run.stderr), (1, message))

    def test_permissions(self):
        for mask, given, expected in ((0o022, None, 0o644), (0o077, None, 0o600), (0o000, None, 0o666), (0o022, 0o600, 0o600), (0o077, 0o664, 0o664)):
            path = self.folder / "out.npy"
            path.unlink(missing_ok=True)
            if given is not None:
                path.touch()
                path.chmod(given)
            subprocess.run(RUN, check=True, stdout=subprocess.DEVNULL, preexec_fn=lambda: os.umask(mask))
            self.assertEqual(path.stat().st_mode & 0o7777, expected, (mask, given))


if __name__ == "__main__":
    cli.main()
