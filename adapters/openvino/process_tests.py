"""What the adapter does to a process: its threads, its memory, its one oneTBB."""
import os
import subprocess
import sys
import threading
import unittest

import numpy as np
from host import compiled
from node_models import one
from testing import cases

# Each child prints one line. Two tensors of 16 MB and a row: more than enough work for all cores.
THREADS_OF_A_LIMIT = """
import os, sys, time
import numpy as np, openvino as ov
from node_models import one
def seconds():
    ticks = {}
    for thread in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{thread}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        ticks[thread] = int(fields[11]) + int(fields[12])
    return ticks
core = ov.Core()
core.add_extension(os.environ["AXISCAST_ADAPTER"])
graph = core.read_model(one("fmod", ("float32", [4096, 1024]), ("float32", [1024])))
limit = {"INFERENCE_NUM_THREADS": int(sys.argv[1])} if sys.argv[1] != "none" else {}
request = core.compile_model(graph, "CPU", {**limit, "NUM_STREAMS": 1}).create_infer_request()
request.set_input_tensor(0, ov.Tensor(np.full((4096, 1024), 1e30, np.float32)))
request.set_input_tensor(1, ov.Tensor(np.full(1024, 3, np.float32)))
request.infer()
before, end = seconds(), time.monotonic() + 1.5
while time.monotonic() < end:
    request.infer()
used = {thread: ticks - before.get(thread, 0) for thread, ticks in seconds().items()}
print(sum(ticks > 0.02 * sum(used.values()) for ticks in used.values()))
"""

BOTH_IN_ONE_PROCESS = """
import ctypes, os, re, sys
if sys.argv[1] == "ours first":
    ctypes.CDLL(os.path.join(os.environ["AXISCAST_PREFIX"], "lib", "libaxiscast.so"), mode=ctypes.RTLD_GLOBAL)
import numpy as np, openvino as ov
from node_models import model, node
core = ov.Core()
core.add_extension(os.environ["AXISCAST_ADAPTER"])
graph = model([node("add", ["x", "y"], "ours"), node("Mul", ["ours", "y"], "theirs", domain="")],
              {"x": ("float32", [2048, 1024]), "y": ("float32", [1024])})
result = core.compile_model(core.read_model(graph), "CPU")([np.ones((2048, 1024), np.float32), np.full(1024, 2, np.float32)])
assert (result[0] == 3).all() and (result[1] == 6).all()
with open("/proc/self/maps") as file:
    print(*sorted(set(re.findall(r"/\\S*/lib(?:tbb|axiscast)\\.so\\S*", file.read()))))
"""


def child(program, *arguments):
    run = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    if run.returncode:
        raise AssertionError(run.stderr)
    return run.stdout.strip()


class ThreadLimit(unittest.TestCase):
    def test_the_hosts_limit_binds_us(self):
        """Threads that took part in a second and a half of one node of ours, by the time that they ran."""
        for limit in (1, 2):
            used = int(child(THREADS_OF_A_LIMIT, str(limit)))
            print(f"INFERENCE_NUM_THREADS {limit}: {used} threads ran our tiles")
            self.assertLessEqual(used, limit)
            self.assertEqual(used, min(limit, len(os.sched_getaffinity(0))))  # or the test would not see threads


class OneScheduler(unittest.TestCase):
    def test_one_oneTBB_whoever_comes_first(self):
        for order in ("theirs first", "ours first"):
            libraries = [os.path.basename(path) for path in child(BOTH_IN_ONE_PROCESS, order).split()]
            self.assertEqual(sorted(name.split(".so")[0] for name in libraries), ["libaxiscast", "libtbb"], order)


class Memory(unittest.TestCase):
    def test_no_growth(self):
        """10^6 calls, of three shapes by turns, and some that fail."""
        request = compiled(one("divide", ("int32", [None]), ("int32", [1]))).create_infer_request()
        operands = [np.arange(n, dtype=np.int32) for n in (8, 100, 3000)]
        two, zero = np.array([2], np.int32), np.array([0], np.int32)

        def calls(count):
            for i in range(count):
                request.infer([operands[i % 3], two], share_inputs=True, share_outputs=True)
                if i % 100 == 0:
                    with self.assertRaises(RuntimeError):
                        request.infer([operands[0], zero], share_inputs=True)

        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

        calls(5000)
        before = resident()
        calls(1000000)
        self.assertLess(resident() - before, 1 << 20)


class ManyThreads(unittest.TestCase):
    def test_one_compiled_model(self):
        """Eight threads on a model that has just been compiled, so that they also race for the plan that its node keeps."""
        y = np.arange(12, dtype=np.float32).reshape(3, 4)
        operands = [np.random.default_rng(n).standard_normal((n, 3, 4, 5)).astype(np.float32) for n in (1, 2, 3, 200)]
        wrong = []

        def work(executable, seed):
            request = executable.create_infer_request()
            for i in range(40):
                x = operands[(i + seed) % 4]
                if not cases.same_bits(request.infer([x, y])[0], x - y[:, :, None]):
                    wrong.append((seed, i))

        for _ in range(8):
            executable = compiled(one("subtract", ("float32", [None, 3, 4, 5]), ("float32", [3, 4]), axis=1), NUM_STREAMS=2)
            threads = [threading.Thread(target=work, args=(executable, seed)) for seed in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])
