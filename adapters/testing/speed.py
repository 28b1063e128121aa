"""How the adapters' benchmarks measure: the host's own op and ours by turns in one process, medians, one table and one JSON file."""
import json
import math
import statistics
import sys
import time

# name, shape of x, shape of y, Paddle's axis. Nothing is asserted.
SPEED_CASES = [
    ("8 elements", (8,), (8,), -1),
    ("(2,3,4,5) + (3,4) at axis 1", (2, 3, 4, 5), (3, 4), 1),
    ("(64,1,128) + (1,256,1)", (64, 1, 128), (1, 256, 1), -1),
    ("channel bias (8,64,56,56) + (64)", (8, 64, 56, 56), (64,), 1),
    ("attention mask (16,12,384,384) + (16,1,1,384)", (16, 12, 384, 384), (16, 1, 1, 384), -1),
    ("(300000,3) + (3)", (300000, 3), (3,), -1),
    ("(300000,3) + (300000,1)", (300000, 3), (300000, 1), -1),
    ("same shape, 4M elements", (4 << 20,), (4 << 20,), -1),
]


def seconds(call, floor=0.0002):
    """The time of one call, as the mean over so many that they take `floor` seconds: so few that most are undisturbed on a busy machine."""
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            call()
        taken = time.perf_counter() - start
        if taken >= floor:
            return taken / count
        count = max(count * 2, int(count * floor * 1.2 / max(taken, 1e-9)))


def compare(theirs, ours, rounds=15, enough=0.5):
    """Medians of both in seconds, and the median of theirs / ours in each round, taken by turns: `rounds`, more in `enough` seconds."""
    theirs(), ours()
    pairs, begin = [], time.perf_counter()
    while len(pairs) < rounds or time.perf_counter() - begin < enough:
        pairs.append((seconds(theirs), seconds(ours)))
    return statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs), statistics.median(p[0] / p[1] for p in pairs)


class Table:
    """Rows of `host's op / ours`, printed as they come, left as JSON for docs/engines.md."""

    def __init__(self, host, title):
        self.host, self.title, self.rows = host, title, []
        print(f"{'':52} {'host us':>10} {'ours us':>10} {'host / ours':>12}")

    def add(self, name, theirs, ours):
        """Measures a row; theirs and ours are functions without arguments."""
        a, b, ratio = compare(theirs, ours)
        self.rows.append({"name": name, "host_us": a * 1e6, "ours_us": b * 1e6, "ratio": ratio})
        print(f"{name:52} {a * 1e6:10.2f} {b * 1e6:10.2f} {ratio:12.2f}", flush=True)

    def write(self):
        """The geometric mean, and the file that the command line names."""
        mean = math.exp(statistics.mean(math.log(row["ratio"]) for row in self.rows))
        print(f"{'geometric mean':52} {'':10} {'':10} {mean:12.2f}")
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            json.dump({"host": self.host, "title": self.title, "geometric_mean": mean, "rows": self.rows}, file, indent=1)
