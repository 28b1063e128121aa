"""Random shapes with unknown extents and what is inferred for them, by a model written from the rules; of known extents it is NumPy.

python3 numpy_unknowns.py OUT [SEED]   writes one case per line, in the form of tests/testing/resolve_case.h; the name is the kind.
"""
import random
import sys

import numpy as np

from shape_models import Refused

COUNTS = {"numpy": 12000, "axis": 8000, "onnx_legacy": 6000, "none": 4000, "same_rank": 4000}
DIMS = [0, 1, 1, 1, 2, 2, 3, "N", "N", "M", "K", "?"]


def known(dim):
    return isinstance(dim, int)


# The one extent that facing dims give.
def facing(dims):
    dims = set(dims) - {1} or {1}
    extents = set(filter(known, dims))
    if len(extents) > 1:
        raise Refused("kInvalidShape")
    return (extents or (dims if len(dims) == 1 else {"?"})).pop()


# Where 1s do not stretch.
def equal(dims):
    extents = set(filter(known, dims))
    if len(extents) > 1:
        raise Refused("kInvalidShape")
    return (extents or (set(dims) if len(set(dims)) == 1 else {"?"})).pop()


def align_right(shapes):
    rank = max(map(len, shapes))
    return zip(*[(1,) * (rank - len(shape)) + shape for shape in shapes])


def numpy_mode(shapes, _):
    return tuple(map(facing, align_right(shapes)))


def same_rank_mode(shapes, _):
    if len(set(map(len, shapes))) > 1:
        raise Refused("kInvalidShape")
    return numpy_mode(shapes, _)


def none_mode(shapes, _):
    if len(set(map(len, shapes))) > 1:
        raise Refused("kInvalidShape")
    return tuple(map(equal, zip(*shapes)))


def axis_mode(shapes, axis):
    small, large = sorted(shapes, key=len)
    rank, room = len(large), len(large) - len(small)
    if room == 0 and axis not in (-1, 0):
        try:
            return tuple(map(equal, zip(*shapes)))
        except Refused:
            raise Refused("kOutOfRange") from None
    if room and not -rank <= axis < rank:
        raise Refused("kOutOfRange")
    start = axis if axis >= 0 else room + axis + 1
    if start < 0:
        raise Refused("kOutOfRange")
    if room == 0:
        start = 0
    if any(known(dim) and dim != 1 for dim in small[max(rank - start, 0):]):
        raise Refused("kInvalidShape")
    small = (1,) * start + small[:rank - start]
    return tuple(map(facing, zip(large, small + (1,) * (rank - len(small)))))


def onnx_legacy_mode(shapes, axis):
    x, y = shapes
    room = len(x) - len(y)
    if room < 0:
        raise Refused("kInvalidShape")
    if not -1 <= axis <= room:
        raise Refused("kOutOfRange")
    pairs = list(zip(y, x[room if axis == -1 else axis:]))
    fixed = [i for i, (dim, _) in enumerate(pairs) if known(dim) and dim != 1]  # all between the first and the last must fit
    for of_y, of_x in pairs[fixed[0]:fixed[-1] + 1] if fixed else []:
        equal((of_y, of_x))
    return x


MODES = {"numpy": numpy_mode, "axis": axis_mode, "onnx_legacy": onnx_legacy_mode, "none": none_mode, "same_rank": same_rank_mode}


def random_shapes(mode):
    two = mode in ("axis", "onnx_legacy")
    whole = [random.choice(DIMS) for _ in range(random.randint(0, 4))]
    shapes = []
    for _ in range(2 if two else random.randint(1, 4)):
        shape = whole if mode in ("none", "same_rank") or random.random() < 0.4 else whole[random.randint(0, len(whole)):]
        if two and len(shapes) == 1:
            shape = whole[random.randint(0, len(whole)):][:random.randint(0, 4)]
        shapes.append(tuple(random.choice(DIMS) if random.random() < 0.2 else dim for dim in shape))
    if mode == "axis" and random.random() < 0.5:
        shapes.reverse()
    if random.random() < 0.05:
        shapes.append(shapes.pop() + (random.choice(DIMS),))
    return shapes, random.randint(-len(whole) - 1, len(whole)) if two else None


def text_of(shape):
    return ",".join(map(str, shape)) if shape else "()"


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20240607
    random.seed(seed)
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write(f"# NumPy {np.__version__}, seed {seed}\n")
        for mode, count in COUNTS.items():
            for _ in range(count):
                shapes, axis = random_shapes(mode)
                try:
                    expected = text_of(MODES[mode](shapes, axis))
                except Refused as refused:
                    expected = str(refused)
                if mode == "numpy" and all(known(dim) for shape in shapes for dim in shape):
                    try:
                        answer = text_of(np.broadcast_shapes(*shapes))
                    except ValueError:
                        answer = "kInvalidShape"
                    if answer != expected:
                        sys.exit(f"the model says {expected} of {shapes}, NumPy {answer}")
                options = f"mode={mode}" + ("" if axis is None else f" axis={axis}")
                file.write(f"{mode}|{options}|{'&'.join(map(text_of, shapes))}|{expected}\n")


if __name__ == "__main__":
    main()
