"""import paddle; import axiscast_paddle: from then on Paddle's CPU kernels are axiscast's, and no line of a program changes.

The library is libaxiscast_paddle.so beside this file, or what the environment variable AXISCAST_ADAPTER names. Import it before other
threads use Paddle, and before programs are run: an executor keeps the kernels that it found first.
"""
import ctypes
import os

import paddle

_path = os.environ.get("AXISCAST_ADAPTER") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "libaxiscast_paddle.so")
try:
    _library = ctypes.CDLL(_path)
except OSError as _error:
    raise ImportError(f"{_path} cannot be loaded into Paddle {paddle.__version__}; built for another version? {_error}") from _error
_library.axiscast_paddle_calls.restype = ctypes.c_int64
_library.axiscast_paddle_refusal.restype = ctypes.c_char_p
_library.axiscast_paddle_replaced.restype = ctypes.c_char_p
if _library.axiscast_paddle_refusal():
    raise ImportError(_library.axiscast_paddle_refusal().decode())

#: {Paddle's kernel: (our op, {dtype: whether Paddle has a kernel of its own for it})}
replaced = {}
for _kernel, _op, *_dtypes in map(str.split, _library.axiscast_paddle_replaced().decode().splitlines()):
    replaced[_kernel] = (_op, {_dtype.lstrip("+"): not _dtype.startswith("+") for _dtype in _dtypes})


def calls():
    """How many times one of our kernels has run."""
    return _library.axiscast_paddle_calls()


def use(ours):
    """False: every call goes on to the kernel that Paddle came with, for comparisons in one process; True: ours again."""
    _library.axiscast_paddle_use(int(ours))
