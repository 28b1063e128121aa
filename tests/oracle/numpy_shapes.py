"""Random shapes and what they broadcast to, by shape_models.py and NumPy.

python3 numpy_shapes.py OUT [SEED]   writes one case per line, in the form of tests/testing/resolve_case.h; the name is the kind.
"""
import math
import random
import sys

import numpy as np

from shape_models import (INT64_MAX, MODES, NUMPY_MAX_RANK, Refused, broadcast, counted_broadcast, model_broadcast, numpy_broadcast,
                          pattern_mode, place)

COUNTS = {
    "numpy": 110000,  # those that NumPy cannot answer (rank, element count) are written as kind "model"
    "axis": 40000,
    "onnx_legacy": 20000,
    "none": 6000,
    "same_rank": 10000,
    "legacy_pointwise": 12000,
    "pointwise": 10000,
    "out": 25000,
    "in_place": 15000,
    "mode_out": 15000,
    "mode_in_place": 15000,
    "broadcast_to": 20000,
    "pattern": 15000,
}
FAR_AXES = [-(2**63), 2**63 - 1, -(2**31), 2**32, -65, 65]
EXTENTS = [0, 1, 2, 3, 4, 5, 7, 1000, 2**20, 2**31, 2**40, 2**62, INT64_MAX]
WEIGHTS = [8, 20, 20, 20, 8, 8, 5, 3, 2, 1, 1, 0.3, 0.2]


def random_rank(highest):
    group = random.random()
    if group < 0.7:
        return random.randint(0, min(5, highest))
    return random.randint(0, min(12, highest)) if group < 0.9 else random.randint(0, highest)


def random_extent():
    return random.choices(EXTENTS, WEIGHTS)[0]


# Above a few dims most extents are 1, for the count to fit.
def random_shape(rank):
    lively = min(1.0, 8 / max(rank, 1))
    return tuple(random_extent() if random.random() < lively else 1 for _ in range(rank))


def stretchable(shape, odds=0.25):
    return tuple(1 if random.random() < odds else extent for extent in shape)


def spoil(shape):
    if not shape:
        return shape
    dim = random.randrange(len(shape))
    return shape[:dim] + (random_extent(),) + shape[dim + 1:]


def right_aligned(highest_rank=64, count=None):
    base = random_shape(random_rank(highest_rank))
    shapes = []
    for _ in range(count or random.choice([1, 2, 2, 2, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8])):
        shape = base if random.random() < 0.5 else base[random.randint(0, len(base)):]
        shapes.append(stretchable(shape))
    for _ in range(random.choice([0, 2, 3, 5, 6])):
        victim = random.randrange(len(shapes))
        shapes[victim] = spoil(shapes[victim])
    return shapes


# Two operands, one anchored in the other, and the axis: right, negative, somewhere near or far away.
def anchored(stretch_large, highest_rank=64):
    large = random_shape(random_rank(highest_rank))
    rank = len(large)
    axis = random.randint(0, max(0, rank - 1))
    length = random.randint(0, rank - axis)
    small = stretchable(large[axis:axis + length])
    if random.random() < 0.3:
        small += (1,) * random.randint(1, max(1, axis + 1))
    if stretch_large:
        large = stretchable(large)
    for _ in range(random.choice([0, 1, 2, 3, 4])):
        small = spoil(small)
    kind = random.random()
    if kind < 0.2:
        axis = axis - abs(rank - len(small)) - 1  # the negative axis of the same place, unless it hangs over
    elif kind < 0.4:
        axis = random.randint(-rank - 2, rank + 2)
    elif kind < 0.45:
        axis = random.choice(FAR_AXES)
    elif kind < 0.55:
        axis = -1
    return [large, small], axis


# Shapes with (mostly) as many elements, in which dims are in another order, multiplied, or 1s put between them.
def refolded(highest_rank):
    base = random_shape(random_rank(highest_rank))
    shapes = []
    for _ in range(random.randint(1, 4)):
        dims = random.sample(base, len(base))
        if len(dims) > 1 and random.random() < 0.6:
            dims[-2:] = [dims[-2] * dims[-1]]
        if len(dims) < highest_rank and random.random() < 0.3:
            dims.insert(random.randint(0, len(dims)), 1)
        shapes.append(tuple(dims) if all(dim <= INT64_MAX for dim in dims) else base)
    if random.random() < 0.3:
        victim = random.randrange(len(shapes))
        shapes[victim] = spoil(shapes[victim])
    return shapes


def shapes_and_axis(mode, highest_rank=64):
    if mode == "axis":
        shapes, axis = anchored(True, highest_rank)
        if random.random() < 0.05:
            shapes[1] = shapes[0]
        if random.random() < 0.5:
            shapes.reverse()
        return shapes, axis
    if mode == "onnx_legacy":
        shapes, axis = anchored(False, highest_rank)
        if random.random() < 0.05:
            shapes.reverse()
        return shapes, axis
    if mode == "numpy":
        return right_aligned(highest_rank), None
    if mode in ("pointwise", "legacy_pointwise"):
        return right_aligned(highest_rank) if random.random() < 0.3 else refolded(highest_rank), None
    base = random_shape(random_rank(highest_rank))
    shapes = [base] * random.randint(1, 4)
    if mode == "same_rank":
        shapes = [stretchable(shape) for shape in shapes]
    if random.random() < 0.6:
        victim = random.randrange(len(shapes))
        shapes[victim] = spoil(shapes[victim]) if random.random() < 0.7 else shapes[victim][1:]
    return shapes, None


def zeros(shape):
    return np.broadcast_to(np.int8(0), shape)


def tiny(*shapes):
    return all(math.prod(max(extent, 1) for extent in shape) <= 4096 for shape in shapes)


# A destination for a result: larger, equal, or wrong.
def random_out(result):
    out = tuple(random.randint(0, 4) if extent == 1 and random.random() < 0.5 else extent for extent in result)
    out = tuple(random.randint(0, 3) for _ in range(random.choice([0, 0, 1, 2]))) + out
    kind = random.random()
    if kind < 0.25:
        return spoil(out)
    return out[1:] if kind < 0.4 else out


def text_of(shape):
    return ",".join(map(str, shape)) if shape else "()"


class Writer:
    def __init__(self, file):
        self.file = file
        self.expected = None

    # Writes a case; `answer` gives a shape or raises Refused.
    def case(self, kind, options, shapes, answer):
        try:
            expected = text_of(answer())
        except Refused as refused:
            expected = str(refused)
        self.file.write(f"{kind}|{options}|{'&'.join(map(text_of, shapes))}|{expected}\n")
        self.expected = expected

    # Ends the run when another model gives another answer than the case that was written last expects.
    def check(self, shapes, model):
        try:
            answer = text_of(model(shapes))
        except Refused as refused:
            answer = str(refused)
        if answer != self.expected:
            sys.exit(f"the model says {answer} of {shapes}, NumPy {self.expected}")


def write_modes(writer):
    written = 0
    while written < COUNTS["numpy"]:
        shapes = right_aligned()
        answered = numpy_broadcast(shapes) != "no answer"
        writer.case("numpy" if answered else "model", "", shapes, lambda: broadcast(shapes))
        if answered:  # the model that stands in for NumPy elsewhere must agree with it here
            writer.check(shapes, counted_broadcast)
        written += answered
    for mode in [mode for mode in MODES if mode != "numpy"]:
        for _ in range(COUNTS[mode]):
            shapes, axis = shapes_and_axis(mode)
            options = f"mode={mode}" + ("" if axis is None else f" axis={axis}")
            writer.case(mode, options, shapes, lambda: MODES[mode](shapes, axis))


# np.add with out= on zeros of these shapes.
def numpy_add(shapes, out):
    try:
        return np.add(*map(zeros, shapes), out=out).shape
    except ValueError as error:
        raise Refused("kInvalidShape") from error


def write_destinations(writer):
    written = 0
    while written < COUNTS["out"]:
        shapes = right_aligned(6, 2)
        try:
            out = random_out(model_broadcast(shapes))
        except Refused:
            out = random_shape(random.randint(0, 3))
        if tiny(out, *shapes):
            writer.case("out", f"out={text_of(out)}", shapes, lambda: numpy_add(shapes, np.empty(out, np.int8)))
            written += 1
    written = 0
    while written < COUNTS["in_place"]:
        shapes = right_aligned(6, 2)
        if random.random() < 0.3:
            shapes[0] = stretchable(shapes[0], 0)
        if tiny(*shapes):
            writer.case("in_place", "in_place", shapes, lambda: numpy_add(shapes, np.zeros(shapes[0], np.int8)))
            written += 1


# In every mode: the mode's result must be the first operand's shape, or go into out by NumPy's broadcast_to.
def write_destinations_of_modes(writer):
    def into_out(mode, shapes, axis, out):
        result = MODES[mode](shapes, axis)
        try:
            return np.broadcast_to(zeros(result), out).shape
        except ValueError as error:
            raise Refused("kInvalidShape") from error

    def in_place(mode, shapes, axis):
        if MODES[mode](shapes, axis) != shapes[0]:
            raise Refused("kInvalidShape")
        return shapes[0]

    for kind in ("mode_out", "mode_in_place"):
        written = 0
        while written < COUNTS[kind]:
            mode = random.choice(list(MODES))
            shapes, axis = shapes_and_axis(mode, 6)
            options = f"mode={mode}" + ("" if axis is None else f" axis={axis}")
            if not tiny(*shapes):
                continue
            if kind == "mode_in_place":
                writer.case(kind, options + " in_place", shapes, lambda: in_place(mode, shapes, axis))
            else:
                try:
                    out = random_out(MODES[mode](shapes, axis))
                except Refused:
                    out = shapes[0]
                if not tiny(out):
                    continue
                writer.case(kind, options + f" out={text_of(out)}", shapes, lambda: into_out(mode, shapes, axis, out))
            written += 1


# A dense float32 view; the expected "shape" is the byte strides over out, which the test compares where out has more than one element.
def write_views(writer):
    def strides(view, shape, axis):
        placed = place(view, shape, axis)[0]
        try:
            return np.broadcast_to(np.empty(view, np.float32).reshape(placed), shape).strides
        except ValueError as error:
            raise Refused("kInvalidShape") from error

    written = 0
    while written < COUNTS["broadcast_to"]:
        (shape, view), axis = anchored(False, 6)
        if random.random() < 0.1:
            shape, view = view, shape
        if tiny(shape, view):
            writer.case("broadcast_to", f"axis={axis} out={text_of(shape)}", [view], lambda: strides(view, shape, axis))
            written += 1


# What a dim is declared as, mostly in truth.
def random_axis(extent):
    truth = "B" if extent == 1 and random.random() < 0.7 else random.choice(["N", "N", extent])
    return truth if random.random() < 0.95 else random.choice(["B", "N", random_extent()])


def write_patterns(writer):
    for _ in range(COUNTS["pattern"]):
        shapes = right_aligned(6)
        patterns = [[random_axis(extent) for extent in shape] for shape in shapes]
        if random.random() < 0.1:
            patterns[0] = patterns[0][1:]
        texts = [("" if all(axis in ("B", "N") for axis in pattern) else ",").join(map(str, pattern)) or "()" for pattern in patterns]
        writer.case("pattern", "patterns=" + ";".join(texts), shapes, lambda: pattern_mode(shapes, patterns))


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20240607
    random.seed(seed)
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write(f"# NumPy {np.__version__} (ranks up to {NUMPY_MAX_RANK}), seed {seed}\n")
        writer = Writer(file)
        write_modes(writer)
        write_destinations(writer)
        write_destinations_of_modes(writer)
        write_views(writer)
        write_patterns(writer)


if __name__ == "__main__":
    main()
