"""Draws how far each pattern is from the roof: a row per pattern, the worst ones at the top, a point per level of memory.

usage: picture.py FILE.json PICTURE (.svg, .png, .pdf)

FILE.json is what `pattern_bench --patterns --benchmark_out=FILE.json` wrote. Needs Matplotlib.
"""

import collections
import json
import statistics
import sys

import matplotlib

matplotlib.use("agg")  # no display
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = {"L1": "#7b3294", "L2": "#2b83ba", "L3": "#1a9641", "memory": "#d7191c"}
GOAL = 0.9


def read(path):
    """The medians of the fraction of the roof: {pattern: {(level, threads): fraction}}, and what the file says of its machine."""
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    samples = collections.defaultdict(list)
    for row in results["benchmarks"]:
        if row.get("run_type") != "iteration" or "of_roof" not in row:
            continue
        words = row["run_name"].split("/iterations:")[0].split("/")
        if len(words) != 3 or words[0] == "roof":  # scalar loops have a word more
            continue
        samples[words[0], words[1], int(words[2].removeprefix("threads:"))].append(row["of_roof"])
    patterns = collections.defaultdict(dict)
    for (pattern, level, threads), values in samples.items():
        patterns[pattern][level, threads] = statistics.median(values)
    return patterns, results["context"]


def draw(patterns, context, path):
    order = sorted(patterns, key=lambda pattern: statistics.geometric_mean(patterns[pattern].values()), reverse=True)
    figure, axes = plt.subplots(figsize=(9, 1.5 + 0.19 * len(order)), layout="constrained")
    for y, pattern in enumerate(order):
        values = patterns[pattern]
        axes.plot([100 * min(values.values()), 100 * max(values.values())], [y, y], color="0.85", zorder=1)
        for (level, threads), fraction in values.items():
            fill = COLOURS[level] if threads == 1 else "white"
            axes.scatter(100 * fraction, y, s=22, facecolor=fill, edgecolor=COLOURS[level], zorder=2)
    axes.axvspan(100 * GOAL, 100, color="0.93", zorder=0)
    axes.set(xlim=(0, None), ylim=(-0.7, len(order) - 0.3), xlabel="% of the roof; the band is 90 to 100 %")
    axes.set_yticks(range(len(order)), order, fontsize=7)
    axes.grid(axis="x", color="0.9", zorder=0)
    for level, colour in COLOURS.items():
        axes.scatter([], [], s=22, color=colour, label=level)
    axes.scatter([], [], s=22, facecolor="white", edgecolor="0.3", label="all threads")
    axes.legend(loc="lower right", fontsize=8)
    axes.set_title(f"axiscast, target {context['axiscast_target']}, {context['threads']} threads, {context['date'][:10]}", fontsize=9)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    found, machine = read(sys.argv[1])
    if not found:
        sys.exit(f"{sys.argv[1]} has no rows of patterns beside their roof")
    draw(found, machine, sys.argv[2])
