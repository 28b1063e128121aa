"""What shapes broadcast to: NumPy's own answer, and small models of the modes that NumPy does not have, written from their rules."""
import math

import numpy as np

INT64_MAX = 2**63 - 1


class Refused(Exception):
    """Its text is the status code."""


# Of broadcast_shapes, that is: in NumPy 2 arrays may have more dims.
def numpy_max_rank():
    rank = 32
    while rank < 64:
        try:
            np.broadcast_shapes((1,) * (rank + 1))
        except (ValueError, RuntimeError):
            break
        rank += 1
    return rank


NUMPY_MAX_RANK = numpy_max_rank()


def check_count(*shapes):
    if any(math.prod(shape) > INT64_MAX for shape in shapes):
        raise Refused("kInvalidShape")


def facing_extents(shapes):
    rank = max(len(shape) for shape in shapes)
    return list(zip(*[(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]))


# What a right-aligned broadcast gives: the model that stands in for NumPy.
def model_broadcast(shapes):
    dims = [set(extents) - {1} for extents in facing_extents(shapes)]
    if any(len(extents) > 1 for extents in dims):
        raise Refused("kInvalidShape")
    return tuple(extents.pop() if extents else 1 for extents in dims)


# The model, and the counts of elements that must fit.
def counted_broadcast(shapes):
    check_count(*shapes)
    result = model_broadcast(shapes)
    check_count(result)
    return result


# NumPy's answer to whether and to what shapes broadcast; "no answer" where its rule is not ours: ranks above its limit, and shapes
# whose extents other than 0 multiply to more than int64 holds, which it takes or refuses depending on their order.
def numpy_broadcast(shapes):
    if max(len(shape) for shape in shapes) > NUMPY_MAX_RANK:
        return "no answer"
    facing = facing_extents(shapes)
    if any(0 in extents for extents in facing) and math.prod(max(extents) or 1 for extents in facing) > INT64_MAX:
        return "no answer"
    try:
        return tuple(np.broadcast_shapes(*shapes))
    except ValueError:
        return "kInvalidShape"


def broadcast(shapes):
    answer = numpy_broadcast(shapes)
    if answer == "no answer":
        return counted_broadcast(shapes)
    if answer == "kInvalidShape":
        raise Refused(answer)
    return answer


# The axis mode: puts 1s round the operand of lower rank, then NumPy. Returns both operands as they face each other.
def place(x, y, axis):
    if x == y:
        return x, y
    highest, difference = max(len(x), len(y)), abs(len(x) - len(y))
    if difference == 0:
        if axis not in (-1, 0):
            raise Refused("kOutOfRange")
        return x, y
    if not -highest <= axis < highest:
        raise Refused("kOutOfRange")
    if axis < 0:
        axis = difference + axis + 1
    if axis < 0:
        raise Refused("kOutOfRange")
    small = min(x, y, key=len)
    while axis + len(small) > highest and small[-1] == 1:
        small = small[:-1]
    if axis + len(small) > highest:
        raise Refused("kInvalidShape")
    small = (1,) * axis + small + (1,) * (highest - axis - len(small))
    return (small, y) if len(x) < len(y) else (x, small)


def axis_mode(shapes, axis):
    check_count(*shapes)
    return broadcast(place(*shapes, axis))


def onnx_legacy_mode(shapes, axis):
    check_count(*shapes)
    x, y = shapes
    room = len(x) - len(y)
    if room < 0:
        raise Refused("kInvalidShape")
    if axis < -1 or axis > room:
        raise Refused("kOutOfRange")
    facing = list(zip(y, x[room if axis == -1 else axis:]))
    while facing and facing[0][0] == 1:
        facing.pop(0)
    while facing and facing[-1][0] == 1:
        facing.pop()
    if any(of_y != of_x for of_y, of_x in facing):
        raise Refused("kInvalidShape")
    return x


def none_mode(shapes, _):
    check_count(*shapes)
    if len(set(shapes)) != 1:
        raise Refused("kInvalidShape")
    return shapes[0]


def same_rank_mode(shapes, _):
    if len({len(shape) for shape in shapes}) != 1:
        raise Refused("kInvalidShape")
    return broadcast(shapes)


def numpy_mode(shapes, _):
    return broadcast(shapes)


def pointwise_mode(shapes, _):
    check_count(*shapes)
    if len(set(map(math.prod, shapes))) != 1:
        raise Refused("kInvalidShape")
    return shapes[0]


def legacy_pointwise_mode(shapes, _):
    try:
        return broadcast(shapes)
    except Refused:
        if math.prod(shapes[0]) == 0:
            raise
        return pointwise_mode(shapes, _)


# Patterns are strings or lists of "B", "N" and extents; missing axes are "B".
def pattern_mode(shapes, patterns):
    check_count(*shapes)
    rank = max(map(len, patterns))
    declared = list(zip(*[["B"] * (rank - len(pattern)) + list(pattern) for pattern in patterns]))
    if any(len({axis for axis in axes if isinstance(axis, int)}) > 1 for axes in declared):
        raise Refused("kInvalidShape")
    if any(len(shape) != len(pattern) for shape, pattern in zip(shapes, patterns)):
        raise Refused("kInvalidShape")
    result = []
    for axes, extents in zip(declared, facing_extents(shapes)):
        if any(extent != {"B": 1, "N": extent}.get(axis, axis) for axis, extent in zip(axes, extents)):
            raise Refused("kInvalidShape")
        here = {extent for axis, extent in zip(axes, extents) if axis != "B"} or {1}
        if len(here) > 1:
            raise Refused("kInvalidShape")
        result.append(here.pop())
    check_count(result)
    return tuple(result)


MODES = {
    "numpy": numpy_mode,
    "axis": axis_mode,
    "onnx_legacy": onnx_legacy_mode,
    "none": none_mode,
    "same_rank": same_rank_mode,
    "legacy_pointwise": legacy_pointwise_mode,
    "pointwise": pointwise_mode,
}
