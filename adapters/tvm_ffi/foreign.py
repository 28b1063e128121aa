"""A DLPack producer of one's own: memory of a NumPy array under any dtype and device, for what NumPy cannot say (bfloat16, vectors, GPUs)."""
import ctypes


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("dtype", DataType), ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


NEW_CAPSULE = ctypes.pythonapi.PyCapsule_New
NEW_CAPSULE.restype, NEW_CAPSULE.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Foreign:
    """The array's memory; it has to outlive every use of what tvm_ffi makes of it. Without strides the array must be dense."""

    def __init__(self, array, code, bits, lanes=1, device=1, strides=True, byte_offset=0):
        self.array, self.device = array, device
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides)) if strides else None
        self.managed = Managed(Tensor(array.ctypes.data - byte_offset, device, 0, array.ndim, DataType(code, bits, lanes), self.shape,
                                      self.strides, byte_offset), None, None)

    def __dlpack__(self, **_):
        return NEW_CAPSULE(ctypes.addressof(self.managed), b"dltensor", None)

    def __dlpack_device__(self):
        return self.device, 0


def bfloat16(bits):
    """An array of uint16, the bits of bfloat16."""
    return Foreign(bits, 4, 16)
